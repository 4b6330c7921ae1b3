package mpcvm

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// phi is the N×N matrix Φ of kernel values of the training samples, symmetric, in
// float64 or, at half the memory, in float32. All sums are those of float64.
type phi struct {
	n      int
	wide   blas64.General
	narrow blas32.General // in place of wide if its Data is not nil
}

func newPhi(k kernel.Kernel, x *mat.Dense, single bool) *phi {
	n, _ := x.Dims()
	if single {
		return &phi{n: n, narrow: blas32.General{Rows: n, Cols: n, Stride: n, Data: kernel.Gram32(nil, k, x)}}
	}
	return &phi{n: n, wide: kernel.Gram(nil, k, x).RawMatrix()}
}

func (p *phi) single() bool { return p.narrow.Data != nil }

// times sets dst = Z·Φ, of a few rows Z, in one pass over Φ.
func (p *phi) times(dst, z *mat.Dense) { p.multiply(dst.RawMatrix(), z.RawMatrix()) }

func (p *phi) multiply(dst, z blas64.General) {
	if p.single() {
		dense.MulT32(dst, z, p.narrow)
	} else {
		dense.MulT(dst, z, p.wide)
	}
}

// timesAt sets φ_nᵀz_c in dst for the samples n of each class c alone.
func (p *phi) timesAt(dst, z *mat.Dense, samples func(c int) []int) {
	classes, _ := z.Dims()
	par.For(classes, 1, func(c, _ int) {
		for _, n := range samples(c) {
			if p.single() {
				dst.Set(c, n, dense.Dot32(z.RawRowView(c), p.narrowRow(n)))
			} else {
				dst.Set(c, n, dense.Dot(z.RawRowView(c), p.row(n)))
			}
		}
	})
}

// addTo does y += Σ_i w_i φ_i over the listed samples.
func (p *phi) addTo(y, w []float64, samples []int) {
	if p.single() {
		rows := make([][]float32, len(samples))
		for i, n := range samples {
			rows[i] = p.narrowRow(n)
		}
		dense.Combine32(y, w, rows)
		return
	}
	rows := make([][]float64, len(samples))
	for i, n := range samples {
		rows[i] = p.row(n)
	}
	dense.Combine(y, w, rows)
}

// gram returns the rows of ΦᵀΦ of the listed samples, in one pass over Φ.
func (p *phi) gram(samples []int) [][]float64 {
	m := len(samples)
	z := blas64.General{Rows: m, Cols: p.n, Stride: p.n, Data: make([]float64, m*p.n)}
	for i, n := range samples {
		p.copyRow(z.Data[i*p.n:(i+1)*p.n], n)
	}
	dst := blas64.General{Rows: m, Cols: p.n, Stride: p.n, Data: make([]float64, m*p.n)}
	p.multiply(dst, z)
	rows := make([][]float64, m)
	for i := range rows {
		rows[i] = dst.Data[i*p.n : (i+1)*p.n : (i+1)*p.n]
	}
	return rows
}

// dot is φ_aᵀφ_b.
func (p *phi) dot(a, b int) float64 {
	if !p.single() {
		return dense.Dot(p.row(a), p.row(b))
	}
	row := make([]float64, p.n)
	p.copyRow(row, a)
	return dense.Dot32(row, p.narrowRow(b))
}

// norms returns φ_nᵀφ_n and sums φ_nᵀ1 of all samples.
func (p *phi) norms() (norms, sums []float64) {
	norms, sums = make([]float64, p.n), make([]float64, p.n)
	par.For(p.n, 32, func(lo, hi int) {
		row := make([]float64, p.n)
		for n := lo; n < hi; n++ {
			p.copyRow(row, n)
			norms[n], sums[n] = dense.Dot(row, row), floats.Sum(row)
		}
	})
	return norms, sums
}

// copyRow writes φ_n to dst.
func (p *phi) copyRow(dst []float64, n int) {
	if !p.single() {
		copy(dst, p.row(n))
		return
	}
	for i, v := range p.narrowRow(n) {
		dst[i] = float64(v)
	}
}

func (p *phi) row(n int) []float64 { return p.wide.Data[n*p.n : (n+1)*p.n] }

func (p *phi) narrowRow(n int) []float32 { return p.narrow.Data[n*p.n : (n+1)*p.n] }
