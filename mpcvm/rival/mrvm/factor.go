package mrvm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// factor is the Cholesky factor U of H = Φ_MᵀΦ_M + A, UᵀU = H: row-major, of which
// only the upper triangle counts.
type factor struct {
	n    int
	data []float64
}

// panel is how many rows of a factor, or of ΦᵀΦ, are computed between two looks at
// the context: some tenths of a second where N is some thousands.
const panel = 128

// factorize computes the factor for the listed samples, of which gram has the rows
// of ΦᵀΦ. Where rounding makes H indefinite it is tried again with a growing diagonal,
// from 1e-14 of its largest entry. It fails only when ctx has ended.
func (f *factor) factorize(ctx context.Context, gram [][]float64, samples []int, alpha []float64) error {
	f.n = len(samples)
	if cap(f.data) < f.n*f.n {
		f.data = make([]float64, f.n*f.n)
	}
	f.data = f.data[:f.n*f.n]
	for jitter := 0.0; ; jitter = max(1e-14, jitter*100) {
		largest := 0.0
		for i, n := range samples {
			row := f.data[i*f.n : (i+1)*f.n]
			for j := i; j < f.n; j++ {
				row[j] = gram[n][samples[j]]
			}
			row[i] += alpha[i]
			largest = max(largest, row[i])
		}
		for i := range f.n {
			f.data[i*f.n+i] += jitter * largest
		}
		ok, err := f.cholesky(ctx)
		if ok || err != nil {
			return err
		}
		if jitter > 1 {
			panic("mrvm: matrix is not positive definite")
		}
	}
}

// cholesky factorizes in place, a panel of rows at a time. It is false if H is not
// positive definite.
func (f *factor) cholesky(ctx context.Context) (ok bool, err error) {
	for k := 0; k < f.n; k += panel {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		b := min(panel, f.n-k)
		diagonal := blas64.Symmetric{Uplo: blas.Upper, N: b, Stride: f.n, Data: f.data[k*f.n+k:]}
		rest := f.block(k, k+b, b, f.n-k-b)
		if k > 0 {
			above := f.block(0, k, k, b)
			blas64.Syrk(blas.Trans, -1, above, 1, diagonal)
			if rest.Cols > 0 {
				blas64.Gemm(blas.Trans, blas.NoTrans, -1, above, f.block(0, k+b, k, rest.Cols), 1, rest)
			}
		}
		u, ok := lapack64.Potrf(diagonal)
		if !ok {
			return false, nil
		}
		if rest.Cols > 0 {
			blas64.Trsm(blas.Left, blas.Trans, 1, u, rest)
		}
	}
	return true, nil
}

// block is the r×c part of the matrix from row i and column j.
func (f *factor) block(i, j, r, c int) blas64.General {
	if r == 0 || c == 0 {
		return blas64.General{Rows: r, Cols: c, Stride: max(1, f.n)}
	}
	return blas64.General{Rows: r, Cols: c, Stride: f.n, Data: f.data[i*f.n+j:]}
}

func (f *factor) triangular() blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: f.n, Stride: max(1, f.n), Data: f.data}
}

// solve overwrites each row b_c of b (C×M) by H⁻¹b_c.
func (f *factor) solve(b *mat.Dense) {
	raw := b.RawMatrix() // B ↦ BU⁻¹U⁻ᵀ
	blas64.Trsm(blas.Right, blas.NoTrans, 1, f.triangular(), raw)
	blas64.Trsm(blas.Right, blas.Trans, 1, f.triangular(), raw)
}

// logDet is log|H|.
func (f *factor) logDet() float64 {
	sum := 0.0
	for i := range f.n {
		sum += math.Log(f.data[i*f.n+i])
	}
	return 2 * sum
}

// inverse overwrites the factor by the upper triangle of H⁻¹.
func (f *factor) inverse() { lapack64.Potri(f.triangular()) }
