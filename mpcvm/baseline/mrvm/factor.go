package mrvm

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
)

// factor is the row-major Cholesky factor L of H = Φ_MᵀΦ_M + A, LLᵀ = H. The elements above the diagonal are
// undefined.
type factor struct {
	n    int
	data []float64
}

// panel is the number of rows of a factor, or of ΦᵀΦ, between two checks of the context. They take well below
// 1 s for several thousand samples.
const panel = 128

// factorize computes the factor for the listed samples. gram contains their rows of ΦᵀΦ. If rounding errors
// make H indefinite, the diagonal is increased until H is definite. The only error is ctx.Err().
func (f *factor) factorize(ctx context.Context, gram [][]float64, samples []int, alpha []float64) error {
	f.n = len(samples)
	if cap(f.data) < f.n*f.n {
		f.data = make([]float64, f.n*f.n)
	}
	f.data = f.data[:f.n*f.n]
	err := dense.CholeskyJitter(ctx, f.general(), panel, 10, func() {
		for i, n := range samples {
			row, from := f.data[i*f.n:i*f.n+i+1], gram[n]
			for j := range row {
				row[j] = from[samples[j]]
			}
			row[i] += alpha[i]
		}
	})
	if errors.Is(err, dense.ErrIndefinite) {
		panic("mrvm: matrix is not positive definite")
	}
	return err
}

func (f *factor) general() blas64.General {
	return blas64.General{Rows: f.n, Cols: f.n, Stride: f.n, Data: f.data}
}

// solve overwrites each row b_c of b (C×M) with H⁻¹b_c.
func (f *factor) solve(b *mat.Dense) {
	rows, _ := b.Dims()
	par.For(rows, 1, func(c, _ int) { dense.Solve(f.general(), b.RawRowView(c)) })
}

// inverseColumn writes column i of H⁻¹ to dst.
func (f *factor) inverseColumn(dst []float64, i int) {
	clear(dst)
	dst[i] = 1
	dense.Solve(f.general(), dst)
}

// logDet returns log|H|.
func (f *factor) logDet() float64 { return dense.LogDet(f.general()) }
