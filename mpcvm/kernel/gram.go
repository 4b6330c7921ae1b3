package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
)

// rower is a kernel that computes many values at a time, to the bits of Value:
// k(x, y_j) for the first len(dst) rows y_j of y.
type rower interface {
	row(dst, x []float64, y *mat.Dense)
}

var _, _, _, _, _ rower = RBF{}, Laplacian{}, ARD{}, Linear{}, Polynomial{}

// grain is how many rows a goroutine takes at a time.
const grain = 16

// Gram writes the symmetric matrix k(x_i, x_j) of the N samples (rows) of x to
// dst (N×N; allocated if nil) and returns it. Only one half is computed.
func Gram(dst *mat.Dense, k Kernel, x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	dst = shaped(dst, n, n)
	par.For(n, grain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			Row(dst.RawRowView(i)[:i+1], k, x.RawRowView(i), x)
		}
	})
	Mirror(dst)
	return dst
}

// Cross writes the matrix k(x_i, y_j) of the samples (rows) of x and y to dst
// (rows of x × rows of y; allocated if nil) and returns it.
func Cross(dst *mat.Dense, k Kernel, x, y *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	m, dy := y.Dims()
	if d != dy {
		panic(fmt.Sprintf("kernel: samples of %d and %d features", d, dy))
	}
	dst = shaped(dst, n, m)
	par.For(n, grain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			Row(dst.RawRowView(i), k, x.RawRowView(i), y)
		}
	})
	return dst
}

// Row writes k(x, y_j) to dst for the first len(dst) samples (rows) y_j of y. It
// does not allocate. It panics if x has not as many features as y, or y has fewer
// rows than dst.
func Row(dst []float64, k Kernel, x []float64, y *mat.Dense) {
	m, d := y.Dims()
	if len(x) != d {
		panic(fmt.Sprintf("kernel: samples of %d and %d features", len(x), d))
	}
	if len(dst) > m {
		panic(fmt.Sprintf("kernel: destination of length %d for %d samples", len(dst), m))
	}
	if r, ok := k.(rower); ok {
		r.row(dst, x, y)
		return
	}
	for j := range dst {
		dst[j] = k.Value(x, y.RawRowView(j))
	}
}

// Mirror copies the lower triangle of the square matrix a to its upper one,
// block by block so that both are read and written in cache.
func Mirror(a *mat.Dense) {
	const block = 32
	n, _ := a.Dims()
	raw := a.RawMatrix()
	par.For(n, block, func(lo, hi int) { // rows lo..hi of the upper triangle
		for j0 := lo; j0 < n; j0 += block {
			for i := lo; i < hi; i++ {
				for j := max(j0, i+1); j < min(j0+block, n); j++ {
					raw.Data[i*raw.Stride+j] = raw.Data[j*raw.Stride+i]
				}
			}
		}
	})
}

func shaped(dst *mat.Dense, r, c int) *mat.Dense {
	if dst == nil {
		return mat.NewDense(r, c, nil)
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(fmt.Sprintf("kernel: destination is %d×%d, not %d×%d", dr, dc, r, c))
	}
	return dst
}
