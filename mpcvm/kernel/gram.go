package kernel

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
)

// Gram writes the symmetric matrix k(x_i, x_j) of the N samples (rows) of x to dst
// (N×N; allocated if nil) and returns dst. It computes only one triangle and copies
// it to the other.
func Gram(dst *mat.Dense, k Kernel, x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("kernel", dst, n, n)
	raw := dst.RawMatrix()
	gram(k, x, func(i, j int, values []float64) { copy(raw.Data[i*raw.Stride+j:], values) })
	return dst
}

// Cross writes the matrix k(x_i, y_j) of the samples (rows) of x and y to dst
// (rows of x × rows of y; allocated if nil) and returns dst.
func Cross(dst *mat.Dense, k Kernel, x, y *mat.Dense) *mat.Dense {
	return NewRows(k, y).Cross(dst, x)
}
