// Package kernel has the basis functions φ_m(x) = k(x, x_m) of kernel machines,
// and their matrices, in parallel and with the same bits on any number of cores.
package kernel

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
)

// Kernel is a symmetric function of two samples. An implementation must be safe
// for concurrent use.
type Kernel interface {
	// Value returns k(x, y) of two samples of equal length.
	Value(x, y []float64) float64
	// String names the kernel with its parameters.
	String() string
}

// RBF is the Gaussian kernel k(x, y) = exp(−Theta·‖x − y‖²). Theta has the unit
// 1/(feature unit)²; it must be positive. With standardised features values from
// 0.01 to 3 are usual.
type RBF struct{ Theta float64 }

// Value returns exp(−Theta·‖x − y‖²).
func (k RBF) Value(x, y []float64) float64 {
	// Distance zero first: 0·∞ is no number.
	d := squaredDistance(x, y)
	if d == 0 {
		return 1
	}
	return math.Exp(-k.Theta * d)
}

func (k RBF) String() string { return fmt.Sprintf("rbf(theta=%g)", k.Theta) }

// squaredDistance is ‖x − y‖².
func squaredDistance(x, y []float64) float64 {
	y = y[:len(x)]
	var sum float64
	for i, v := range x {
		d := v - y[i]
		sum += d * d
	}
	return sum
}

// grain is how many rows a goroutine takes at a time.
const grain = 16

// Gram writes the symmetric matrix k(x_i, x_j) of the N samples (rows) of x to
// dst (N×N; allocated if nil) and returns it. Only one half is computed.
func Gram(dst *mat.Dense, k Kernel, x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	dst = shaped(dst, n, n)
	par.For(n, grain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, xi := dst.RawRowView(i), x.RawRowView(i)
			for j := range i + 1 {
				row[j] = k.Value(xi, x.RawRowView(j))
			}
		}
	})
	Mirror(dst)
	return dst
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

// Row writes k(x, y_j) for the samples (rows) y_j of y to dst.
func Row(dst []float64, k Kernel, x []float64, y *mat.Dense) {
	for j := range dst {
		dst[j] = k.Value(x, y.RawRowView(j))
	}
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

// MedianTheta is a first guess at the width of an RBF kernel: the inverse of the
// median squared distance between samples (rows) of x that differ, over at most
// 1000 evenly chosen samples. It is 1 where all samples are the same.
func MedianTheta(x *mat.Dense) float64 {
	const most = 1000
	n, _ := x.Dims()
	step := max(1, (n+most-1)/most)
	var distances []float64
	for i := 0; i < n; i += step {
		for j := 0; j < i; j += step {
			if d := squaredDistance(x.RawRowView(i), x.RawRowView(j)); d > 0 {
				distances = append(distances, d)
			}
		}
	}
	if len(distances) == 0 {
		return 1
	}
	slices.Sort(distances)
	return 1 / distances[len(distances)/2]
}
