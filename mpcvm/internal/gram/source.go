package gram

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// source gives parts of Φ: columns lo to hi of some rows.
type source interface {
	// blocks calls f with the listed rows: all at once, or, where they are computed, as many
	// as fit into the working memory. The first of them is number from of the list.
	blocks(list []int, lo, hi int, f func(from int, b block))
	// held reports whether the numbers are in memory. Then several goroutines may call block,
	// for all columns.
	held() bool
	// block returns all listed rows at once.
	block(list []int, lo, hi int) block
	// addProduct does C += A·Bᵀ, where B is the columns of all rows of Φ.
	addProduct(c, a blas64.General, lo, hi int)
	// strip returns the columns of all rows in float64, valid until the next call.
	strip(lo, hi int) blas64.General
	// tile returns the columns of all rows, valid until the next call.
	tile(lo, hi int) tile
	// widths returns how many columns block and strip may be asked for at a time, block for
	// this number of rows.
	widths(rows int) (block, strip int)
}

// block is a stretch of columns of some rows of Φ.
type block interface {
	rows() int
	pick(list []int) block          // the listed rows
	dot(i int, z []float64) float64 // the scalar product of row i with z
	copy(dst []float64, i int)      // row i
	addTo(y, w []float64)           // y += Σ_i w_i·row_i
}

// tile is a stretch of columns of all rows of Φ.
type tile interface {
	addMul(c, a blas64.General)  // C += A·tile
	addMulT(c, a blas64.General) // C += A·tileᵀ
}

type wideTile struct{ blas64.General }

func (b wideTile) addMul(c, a blas64.General)  { dense.AddMul(c, a, b.General) }
func (b wideTile) addMulT(c, a blas64.General) { dense.AddMulT(c, a, b.General) }

type narrowTile struct{ blas32.General }

func (b narrowTile) addMul(c, a blas64.General)  { dense.AddMul32(c, a, b.General) }
func (b narrowTile) addMulT(c, a blas64.General) { dense.AddMulT32(c, a, b.General) }

type wide [][]float64

func (b wide) rows() int                      { return len(b) }
func (b wide) pick(list []int) block          { return wide(pick(b, list)) }
func (b wide) dot(i int, z []float64) float64 { return dense.Dot(z, b[i]) }
func (b wide) copy(dst []float64, i int)      { copy(dst, b[i]) }
func (b wide) addTo(y, w []float64)           { dense.Combine(y, w, b) }

type narrow [][]float32

func (b narrow) rows() int                      { return len(b) }
func (b narrow) pick(list []int) block          { return narrow(pick(b, list)) }
func (b narrow) dot(i int, z []float64) float64 { return dense.Dot32(z, b[i]) }
func (b narrow) addTo(y, w []float64)           { dense.Combine(y, w, b) }
func (b narrow) copy(dst []float64, i int) {
	for j, v := range b[i] {
		dst[j] = float64(v)
	}
}

func pick[T any](rows []T, list []int) []T {
	some := make([]T, len(list))
	for i, j := range list {
		some[i] = rows[j]
	}
	return some
}

// stretch returns columns lo to hi of the listed rows of length n.
func stretch[T any](data []T, n int, list []int, lo, hi int) [][]T {
	rows := make([][]T, len(list))
	for i, j := range list {
		rows[i] = data[j*n+lo : j*n+hi]
	}
	return rows
}

// inFloat64 holds Φ in float64.
type inFloat64 struct{ blas64.General }

func (s inFloat64) held() bool { return true }

func (s inFloat64) block(list []int, lo, hi int) block {
	return wide(stretch(s.Data, s.Cols, list, lo, hi))
}

func (s inFloat64) blocks(list []int, lo, hi int, f func(from int, b block)) {
	f(0, s.block(list, lo, hi))
}

func (s inFloat64) strip(lo, hi int) blas64.General {
	b := s.General
	b.Cols, b.Data = hi-lo, b.Data[lo:]
	return b
}

func (s inFloat64) addProduct(c, a blas64.General, lo, hi int) { dense.AddMulT(c, a, s.strip(lo, hi)) }

func (s inFloat64) tile(lo, hi int) tile { return wideTile{s.strip(lo, hi)} }

func (s inFloat64) widths(int) (block, strip int) { return s.Cols, segment }

// inFloat32 holds Φ in float32.
type inFloat32 struct {
	blas32.General
	copies []float64 // of strip
}

func (s *inFloat32) held() bool { return true }

func (s *inFloat32) block(list []int, lo, hi int) block {
	return narrow(stretch(s.Data, s.Cols, list, lo, hi))
}

func (s *inFloat32) blocks(list []int, lo, hi int, f func(from int, b block)) {
	f(0, s.block(list, lo, hi))
}

func (s *inFloat32) addProduct(c, a blas64.General, lo, hi int) {
	s.tile(lo, hi).addMulT(c, a)
}

func (s *inFloat32) tile(lo, hi int) tile {
	b := s.General
	b.Cols, b.Data = hi-lo, b.Data[lo:]
	return narrowTile{b}
}

func (s *inFloat32) strip(lo, hi int) blas64.General { return copyRows(s, &s.copies, s.Rows, lo, hi) }

func (s *inFloat32) widths(int) (block, strip int) { return s.Cols, stripWidth(s.Rows) }

// recomputed computes what it is asked for.
type recomputed struct {
	ctx     context.Context
	kernel  kernel.Kernel
	x       *mat.Dense // N×D
	bases   []int      // the K samples of the rows
	float32 bool       // values are rounded to float32

	work, copies []float64 // of blocks and of strip
}

// columns prepares the samples lo to hi for kernel values.
func (s *recomputed) columns(lo, hi int) *kernel.Rows {
	_, d := s.x.Dims()
	return kernel.NewRows(s.kernel, s.x.Slice(lo, hi, 0, d).(*mat.Dense))
}

// compute makes the listed rows at samples that columns prepared, side by side in s.work.
func (s *recomputed) compute(columns *kernel.Rows, list []int, width int) wide {
	if need := len(list) * width; len(s.work) < need {
		s.work = make([]float64, need)
	}
	_, d := s.x.Dims()
	x := mat.NewDense(len(list), d, nil)
	for i, j := range list {
		x.SetRow(i, s.x.RawRowView(s.bases[j]))
	}
	values := mat.NewDense(len(list), width, s.work[:len(list)*width])
	columns.Cross(values, x)
	b := make(wide, len(list))
	par.For(len(list), 8, func(i, end int) {
		for ; i < end; i++ {
			b[i] = values.RawRowView(i)
			if s.float32 {
				for j, v := range b[i] {
					b[i][j] = float64(float32(v))
				}
			}
		}
	})
	return b
}

func (s *recomputed) tile(lo, hi int) tile {
	s.compute(s.columns(lo, hi), count(len(s.bases)), hi-lo)
	return wideTile{blas64.General{Rows: len(s.bases), Cols: hi - lo, Stride: hi - lo, Data: s.work}}
}

func (s *recomputed) held() bool { return false }

func (s *recomputed) block(list []int, lo, hi int) block {
	return s.compute(s.columns(lo, hi), list, hi-lo)
}

func (s *recomputed) blocks(list []int, lo, hi int, f func(from int, b block)) {
	columns := s.columns(lo, hi)
	high := max(1, workNumbers/(hi-lo))
	for from := 0; from < len(list) && s.ctx.Err() == nil; from += high {
		f(from, s.compute(columns, list[from:min(from+high, len(list))], hi-lo))
	}
}

func (s *recomputed) addProduct(c, a blas64.General, lo, hi int) {
	s.blocks(count(len(s.bases)), lo, hi, func(from int, b block) {
		part := c
		part.Cols, part.Data = b.rows(), c.Data[from:]
		dense.AddMulT(part, a, blas64.General{Rows: b.rows(), Cols: hi - lo, Stride: hi - lo, Data: s.work})
	})
}

func (s *recomputed) strip(lo, hi int) blas64.General {
	return copyRows(s, &s.copies, len(s.bases), lo, hi)
}

func (s *recomputed) widths(rows int) (block, strip int) {
	const vector = 4096 // a multiple of the columns that kernel computes side by side
	return max(1, workNumbers/vector/max(1, rows)) * vector, stripWidth(len(s.bases))
}

// stripWidth is how many columns of K rows fill the working memory.
func stripWidth(k int) int { return min(segment, max(1, workNumbers/dense.Columns/k)*dense.Columns) }

// copyRows is strip for a source whose numbers are not in float64.
func copyRows(s source, to *[]float64, k, lo, hi int) blas64.General {
	w := hi - lo
	if len(*to) < k*w {
		*to = make([]float64, k*w)
	}
	a := blas64.General{Rows: k, Cols: w, Stride: w, Data: (*to)[:k*w]}
	s.blocks(count(k), lo, hi, func(from int, b block) {
		par.For(b.rows(), 8, func(i, end int) {
			for ; i < end; i++ {
				b.copy(a.Data[(from+i)*w:][:w], i)
			}
		})
	})
	return a
}

// count lists 0 to n−1.
func count(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
