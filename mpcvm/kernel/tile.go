package kernel

import (
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/par"
)

// A matrix is computed in slabs of rows that fit into the first-level cache. A symmetric
// matrix is mirrored in squares of side tileSide. With half that side, writing to a matrix
// that exceeds the caches takes up to three times as long.
const (
	slabRows = 32  // a multiple of block
	tileSide = 128 // a multiple of slabRows
)

type slab [slabRows * tileSide]float64

// scratch is the working memory of a goroutine: a slab of a tile and the transposed tile.
type scratch struct {
	values   slab
	mirrored [tileSide * tileSide]float64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// gram computes the lower half of the matrix k(x_i, x_j) and calls put with pieces of the
// rows of both halves: the values of row i from column j on. put is called from several
// goroutines.
func gram(k Kernel, x *mat.Dense, put func(i, j int, values []float64)) {
	r := NewRows(k, x)
	strips := (r.n + tileSide - 1) / tileSide
	par.For(strips*(strips+1)/2, 1, func(p, _ int) {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		row, column := triangular(p)
		r.tile(row*tileSide, column*tileSide, s, put)
	})
}

// tile computes the square of a Gram matrix that starts at (i, j), j ≤ i, and calls put
// with it and with its transpose.
func (r *Rows) tile(i, j int, s *scratch, put func(i, j int, values []float64)) {
	rows := min(tileSide, r.n-i)
	for a := 0; a < rows; a += slabRows {
		high := min(slabRows, rows-a)
		columns := min(tileSide, i+a+high-j) // up to the diagonal
		stride := whole(columns)
		r.lower(s.values[:high*stride], i+a, high, j, columns)
		for c := range high {
			put(i+a+c, j, s.values[c*stride:][:columns])
		}
		transpose(s.mirrored[a:], s.values[:slabRows*stride], stride)
	}
	for b := range min(tileSide, r.n-j) {
		from := 0
		if i == j { // the slab with the diagonal element b has already been written
			from = (b/slabRows + 1) * slabRows
		}
		if from < rows {
			put(j+b, i+from, s.mirrored[b*tileSide:][from:rows])
		}
	}
}

// whole rounds a number of samples up to a multiple of block.
func whole(n int) int { return (n + block - 1) / block * block }

// triangular returns the row and the column of element p of a lower triangle whose
// elements are numbered row by row.
func triangular(p int) (row, column int) {
	for row = 0; p > row; row++ {
		p -= row + 1
	}
	return row, p
}

// lower writes k(y_i, y_j) to dst for rows samples from i on and columns samples from j
// on, including values to the right of the diagonal. The rows of dst consist of whole
// blocks.
func (r *Rows) lower(dst []float64, i, rows, j, columns int) {
	if r.panel != nil {
		raw := r.y.RawMatrix()
		r.fill(dst, raw.Data[i*raw.Stride:], raw.Stride, rows, j)
		return
	}
	stride := whole(columns)
	for a := range rows {
		for b := 0; b < columns && j+b <= i+a; b++ {
			v := r.kernel.Value(r.y.RawRowView(i+a), r.y.RawRowView(j+b))
			dst[a*stride+b] = v
			if j+b >= i {
				dst[(j+b-i)*stride+i+a-j] = v
			}
		}
	}
}

// strip writes the rows lo to hi−1 of the matrix k(x_i, y_j) to dst, at most slabRows
// rows. It uses t as working memory.
func (r *Rows) strip(dst, x *mat.Dense, lo, hi int, t *slab) {
	panel := true
	for i := lo; i < hi && panel; i++ {
		panel = r.usesPanel(x.RawRowView(i))
	}
	if !panel {
		for i := lo; i < hi; i++ {
			r.At(dst.RawRowView(i), x.RawRowView(i))
		}
		return
	}
	raw := x.RawMatrix()
	for j := 0; j < r.n; j += tileSide {
		columns := min(tileSide, r.n-j)
		stride := whole(columns)
		r.fill(t[:(hi-lo)*stride], raw.Data[lo*raw.Stride:], raw.Stride, hi-lo, j)
		for i := lo; i < hi; i++ {
			copy(dst.RawRowView(i)[j:], t[(i-lo)*stride:][:columns])
		}
	}
}

// transpose writes a slab of slabRows rows to dst, column by column, with the stride
// tileSide. The length of a row must be a multiple of block.
func transpose(dst, slab []float64, length int) {
	if vectorTranspose(dst, slab, length) {
		return
	}
	for j := 0; j < length; j += block { // squares that fit into the first-level cache
		for i := range slabRows {
			for c, v := range slab[i*length+j:][:block] {
				dst[(j+c)*tileSide+i] = v
			}
		}
	}
}
