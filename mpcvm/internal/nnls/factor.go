package nnls

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
)

// System is H = ΦᵀΦ + diag(Alpha), restricted to the listed bases.
type System struct {
	Gram  [][]float64 // Gram[j] is the row of ΦᵀΦ of basis j
	Bases []int       // bases of the rows and columns of H
	Alpha []float64   // precision of each basis
}

// Factor is the Cholesky factor L of some rows and columns of a System, H = LLᵀ.
type Factor struct {
	n    int
	data []float64 // n×n, row-major; only the lower triangle is used

	columns []int     // bases of the rows and columns
	packed  []float64 // lower triangle of ΦᵀΦ for these bases
}

// Factorize computes the factor of the rows and columns idx of the system. If rounding errors make H
// indefinite, as happens with equal samples or tiny precisions, its diagonal is increased; see
// dense.CholeskyJitter.
func (h *Factor) Factorize(s System, idx []int) {
	h.resize(len(idx))
	h.gather(s, idx)
	err := dense.CholeskyJitter(context.Background(), h.general(), h.n, 10, func() {
		for i, a := range idx {
			row := h.data[i*h.n : i*h.n+i+1]
			copy(row, h.packed[i*(i+1)/2:])
			row[i] += s.Alpha[a]
		}
	})
	if err != nil {
		panic("mpcvm: " + err.Error())
	}
}

// resize allocates an n×n matrix with undefined content.
func (h *Factor) resize(n int) {
	h.n = n
	if cap(h.data) < n*n {
		h.data = make([]float64, n*n)
	}
	h.data = h.data[:n*n]
}

// gather sets columns and packed for the rows and columns idx of the system. It reuses the leading bases that
// have not changed since the last call, because gathering is slow.
func (h *Factor) gather(s System, idx []int) {
	same := 0
	for same < min(len(h.columns), len(idx)) && h.columns[same] == s.Bases[idx[same]] {
		same++
	}
	h.columns, h.packed = h.columns[:same], h.packed[:same*(same+1)/2]
	for _, a := range idx[same:] {
		h.columns = append(h.columns, s.Bases[a])
		from := s.Gram[s.Bases[a]]
		for _, n := range h.columns {
			h.packed = append(h.packed, from[n])
		}
	}
}

func (h *Factor) general() blas64.General {
	return blas64.General{Rows: h.n, Cols: h.n, Stride: h.n, Data: h.data}
}

// Solve overwrites b with H⁻¹b.
func (h *Factor) Solve(b []float64) { dense.Solve(h.general(), b) }

// SolveLower overwrites each row v of b with L⁻¹v.
func (h *Factor) SolveLower(b blas64.General) { dense.SolveLower(h.general(), b) }

// LogDet returns log|H|.
func (h *Factor) LogDet() float64 { return dense.LogDet(h.general()) }

// InverseDiagonal writes the diagonal of H⁻¹ to dst.
func (h *Factor) InverseDiagonal(dst []float64) { dense.InverseDiagonal(dst, h.general()) }
