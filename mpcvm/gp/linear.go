package gp

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// withOffset returns the vectors z = (x, √Offset) of the samples (rows), whose scalar products are the values
// of kernel.Linear. It returns nil for other kernels.
func withOffset(k kernel.Kernel, d *fitting.Data) *mat.Dense {
	linear, ok := k.(kernel.Linear)
	if !ok {
		return nil
	}
	z := mat.NewDense(d.N, d.D+1, nil)
	z.Slice(0, d.N, 0, d.D).(*mat.Dense).Copy(d.X)
	for n := range d.N {
		z.Set(n, d.D, math.Sqrt(linear.Offset))
	}
	return z
}

// timesLinear sets f = vZZᵀ, the functions of the weights v of kernel.Linear, in O(NDC).
func (e *ascent) timesLinear(f, v []float64) {
	_, p := e.z.Dims()
	b := blas64.General{Rows: e.C, Cols: p, Stride: p, Data: make([]float64, e.C*p)}
	dense.AddMul(b, e.matrix(v).RawMatrix(), e.z.RawMatrix())
	dense.MulT(e.matrix(f).RawMatrix(), b, e.z.RawMatrix())
}

// normsLinear returns the squared norms of the basis functions of kernel.Linear, z_nᵀZᵀZz_n.
func (e *ascent) normsLinear() []float64 {
	_, p := e.z.Dims()
	square := mat.NewDense(p, p, nil)
	square.Mul(e.z.T(), e.z)
	norms, row := make([]float64, e.N), mat.NewVecDense(p, nil)
	for n := range norms {
		z := e.z.RowView(n)
		row.MulVec(square, z)
		norms[n] = mat.Dot(z, row)
	}
	return norms
}
