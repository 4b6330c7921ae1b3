package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/par"
)

// block is the number of samples that a panel stores side by side.
const block = 8

// octet contains one feature of the samples of a block, in two halves of four.
type octet [2][block / 2]float64

// Rows contains samples y_j, such as the relevance vectors of a model, prepared for
// computing k(x, y_j) for many x. It is immutable and safe for concurrent use.
type Rows struct {
	kernel Kernel
	y      *mat.Dense
	n, d   int

	// panel contains the samples in blocks of eight, d octets each. The last block is
	// padded with zeros. It is nil if the kernel must be evaluated pair by pair.
	panel   []octet
	values  func(v []float64) // Sum.Values
	term    term
	weights []float64 // weights of the term; may be nil
}

// NewRows prepares the samples (rows) of y for k. It keeps a reference to y, which must
// not change while the result is in use, and a copy of its numbers. If k is an [OfSum],
// many values are computed at a time, with the same bits as Value. NewRows panics if k
// has widths for another number of features.
func NewRows(k Kernel, y *mat.Dense) *Rows {
	n, d := y.Dims()
	r := &Rows{kernel: k, y: y, n: n, d: d}
	of, ok := k.(OfSum)
	if !ok {
		return r
	}
	sum := of.Sum()
	weights := sum.Weights
	if weights != nil {
		if err := CheckFeatures(k, d); err != nil && n > 0 {
			panic(fmt.Sprintf("kernel: %s: %d entries of Theta for %d features", k, len(weights), d))
		}
		if !bounded(weights) {
			return r
		}
		for j := range n {
			if !bounded(y.RawRowView(j)) {
				return r
			}
		}
	}
	r.values, r.term, r.weights, r.panel = sum.Values, termOf(sum.Kind, weights != nil), weights, pack(y)
	return r
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

// At writes k(x, y_j) for all samples y_j to dst (allocated if nil) and returns dst.
// If dst is not nil, At does not allocate. It panics if len(x) is not the number of
// features or len(dst) is not the number of samples.
func (r *Rows) At(dst, x []float64) []float64 {
	if len(x) != r.d {
		panic(fmt.Sprintf("kernel: x has %d features, want %d", len(x), r.d))
	}
	if dst == nil {
		dst = make([]float64, r.n)
	}
	if len(dst) != r.n {
		panic(fmt.Sprintf("kernel: destination of length %d for %d samples", len(dst), r.n))
	}
	if !r.usesPanel(x) {
		value := r.kernel.Value
		k, stationary := r.kernel.(ofDistance)
		if stationary {
			value = k.distance
		}
		for j := range dst {
			dst[j] = value(x, r.y.RawRowView(j))
		}
		if stationary { // all at once, to avoid an allocation for each value
			k.fromSums(dst)
		}
		return dst
	}
	const piece = 64 * block // small enough to keep the sums in the cache for values
	for j := 0; j < r.n; j += piece {
		part := dst[j:min(j+piece, r.n)]
		full := len(part) / block * block
		r.sums(part[:full], x, 0, 1, j)
		if full < len(part) {
			var last [block]float64
			r.sums(last[:], x, 0, 1, j+full)
			copy(part[full:], last[:])
		}
		r.values(part)
	}
	return dst
}

// Cross writes the matrix k(x_i, y_j) for the samples (rows) of x to dst (rows of x ×
// samples; allocated if nil) and returns dst. It uses all cores for more than 32 rows.
func (r *Rows) Cross(dst, x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	if d != r.d {
		panic(fmt.Sprintf("kernel: x has %d features, want %d", d, r.d))
	}
	dst = args.Matrix("kernel", dst, n, r.n)
	par.For(n, slabRows, func(lo, hi int) {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		r.strip(dst, x, lo, hi, &s.values)
	})
	return dst
}

// usesPanel reports whether the panel can be used for x. With weights, the differences
// must be finite, because infinity times a weight of zero is NaN; see limit.
func (r *Rows) usesPanel(x []float64) bool {
	return r.panel != nil && (r.weights == nil || bounded(x))
}

// fill writes k(x_i, y_j) to dst for the rows samples x_i, stored at x[i·xstride:], and
// the samples y_j from j on. j and the number of values in a row, len(dst)/rows, must be
// multiples of eight.
func (r *Rows) fill(dst, x []float64, xstride, rows, j int) {
	r.sums(dst, x, xstride, rows, j)
	r.values(dst)
}

// sums is fill for the sums instead of the values.
func (r *Rows) sums(dst, x []float64, xstride, rows, j int) {
	stride := len(dst) / rows
	several, blocks := rows, stride/block
	if r.d > 1000 { // keep calls of assembly short, because they cannot be preempted
		several, blocks = 4, 4
	}
	for i := 0; i < rows; i += several {
		for b := 0; b < stride; b += block * blocks {
			sums(r.term, dst[i*stride+b:], stride, x[i*xstride:], xstride, min(several, rows-i),
				r.panel[(j+b)/block*r.d:], r.d, min(blocks, (stride-b)/block), r.weights)
		}
	}
}
