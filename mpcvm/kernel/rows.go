package kernel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
)

// block is how many samples lie side by side in a panel.
const block = 8

// octet is one feature of the samples of a block, in two halves of four.
type octet [2][block / 2]float64

// Rows holds samples y_j prepared for the values k(x, y_j) of one x after another,
// such as the relevance vectors of a model. It is immutable and safe for concurrent
// use.
type Rows struct {
	kernel Kernel
	y      *mat.Dense
	n, d   int
	widths []float64 // of a kernel with one for each feature; else nil

	// The samples in blocks of eight, d octets each, the last filled up with zeros.
	// Nil where only Value will do.
	panel []octet
}

// NewRows prepares the samples (rows) of y for k. It keeps y, which must not be
// changed as long as the result is in use, and a copy of its numbers. Of a kernel
// of this package the values come many at a time, to the bits of Value; any other
// is asked one by one. It panics if k is an [ARD] or
// [LaplacianARD] of another number of features.
func NewRows(k Kernel, y *mat.Dense) *Rows {
	n, d := y.Dims()
	r := &Rows{kernel: k, y: y, n: n, d: d}
	many := false
	switch k := k.(type) {
	case RBF:
		many = usable(k.Theta)
	case Laplacian:
		many = usable(k.Theta)
	case ARD:
		r.widths, many = k.Theta, r.weigh("ard", k.Theta)
	case LaplacianARD:
		r.widths, many = k.Theta, r.weigh("laplacian-ard", k.Theta)
	case Linear:
		many = true
	case Polynomial:
		r.kernel, many = k.Resolved(), true
	}
	if many {
		r.panel = pack(y)
	}
	return r
}

// weigh reports whether a panel will do for a kernel with these widths, see serves.
func (r *Rows) weigh(kernel string, widths []float64) bool {
	if r.n > 0 {
		checkWidths(kernel, widths, r.d)
	}
	many := bounded(widths)
	for j := 0; j < r.n && many; j++ {
		many = bounded(r.y.RawRowView(j))
	}
	return many
}

// usable reports whether exp(−theta·d) needs no special cases, see decay.
func usable(theta float64) bool { return theta != 0 && !math.IsNaN(theta) && !math.IsInf(theta, 0) }

// bounded reports whether differences of such numbers are finite.
func bounded(v []float64) bool {
	for _, v := range v {
		if !(math.Abs(v) <= math.MaxFloat64/2) {
			return false
		}
	}
	return true
}

// pack copies the rows of y to a panel.
func pack(y *mat.Dense) []octet {
	n, d := y.Dims()
	panel := make([]octet, whole(n)/block*d)
	for j := range n {
		to := panel[j/block*d:][:d]
		for i, v := range y.RawRowView(j) {
			to[i][j%block/4][j%4] = v
		}
	}
	return panel
}

// At writes k(x, y_j) for all samples y_j to dst (allocated if nil) and returns it.
// With a destination it does not allocate. It panics if x has not as many features
// as the samples, or dst not the length of their number.
func (r *Rows) At(dst, x []float64) []float64 {
	if len(x) != r.d {
		panic(fmt.Sprintf("kernel: samples of %d and %d features", len(x), r.d))
	}
	if dst == nil {
		dst = make([]float64, r.n)
	}
	if len(dst) != r.n {
		panic(fmt.Sprintf("kernel: destination of length %d for %d samples", len(dst), r.n))
	}
	if !r.serves(x) {
		for j := range dst {
			dst[j] = r.kernel.Value(x, r.y.RawRowView(j))
		}
		return dst
	}
	const piece = 64 * block // numbers that stay in cache between sum and function
	full := r.n / block * block
	for j := 0; j < full; j += piece {
		r.fill(dst[j:min(j+piece, full)], x, 0, 1, j)
	}
	if full < r.n {
		var last [block]float64
		r.fill(last[:], x, 0, 1, full)
		copy(dst[full:], last[:])
	}
	return dst
}

// Cross writes the matrix k(x_i, y_j) for the samples (rows) of x to dst (rows of x
// × samples; allocated if nil) and returns it. It works on all cores; up to 32 rows
// are done by the calling goroutine alone.
func (r *Rows) Cross(dst, x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	if d != r.d {
		panic(fmt.Sprintf("kernel: samples of %d and %d features", d, r.d))
	}
	dst = shaped(dst, n, r.n)
	par.For(n, slabRows, func(lo, hi int) {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		r.strip(dst, x, lo, hi, &s.values)
	})
	return dst
}

// serves reports whether the panel serves for x. Widths of the features need finite
// differences: others times a width of zero are no numbers, see limit.
func (r *Rows) serves(x []float64) bool {
	return r.panel != nil && (r.widths == nil || bounded(x))
}

// fill writes the values of rows samples x_i at x[i·xstride:] with the samples from
// j on, a multiple of eight, to dst, as many as fit (multiples of eight in a row).
func (r *Rows) fill(dst, x []float64, xstride, rows, j int) {
	switch k := r.kernel.(type) {
	case RBF:
		r.sums(squares, nil, dst, x, xstride, rows, j)
		decays(k.Theta, dst)
	case Laplacian:
		r.sums(absolutes, nil, dst, x, xstride, rows, j)
		decays(k.Theta, dst)
	case ARD:
		r.sums(weighteds, k.Theta, dst, x, xstride, rows, j)
		decays(1, dst)
	case LaplacianARD:
		r.sums(weightedAbsolutes, k.Theta, dst, x, xstride, rows, j)
		decays(1, dst)
	case Linear:
		r.sums(products, nil, dst, x, xstride, rows, j)
		for i := range dst {
			dst[i] += k.Offset
		}
	case Polynomial:
		r.sums(products, nil, dst, x, xstride, rows, j)
		for i, p := range dst {
			dst[i] = k.of(p)
		}
	}
}

// sums writes the sums of such terms to dst, as fill says.
func (r *Rows) sums(t term, w, dst, x []float64, xstride, rows, j int) {
	stride := len(dst) / rows
	several, blocks := rows, stride/block
	if r.d > 1000 { // no long calls of assembly, which nothing can interrupt
		several, blocks = 4, 4
	}
	for i := 0; i < rows; i += several {
		for b := 0; b < stride; b += block * blocks {
			sums(t, dst[i*stride+b:], stride, x[i*xstride:], xstride, min(several, rows-i),
				r.panel[(j+b)/block*r.d:], r.d, min(blocks, (stride-b)/block), w)
		}
	}
}
