package gram

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
)

// rows is a set of rows of Φ, restricted to a range of columns.
type rows interface {
	// at returns columns lo to hi of the listed rows, or of all rows if list is nil.
	at(list []int, lo, hi int) rows
	// len returns the number of rows.
	len() int
	// copy writes row i to dst.
	copy(dst []float64, i int)
	// combine adds w_i times row list_i to y for all i.
	combine(y, w []float64, list []int)
	// addMul computes C += A·rows. It must be called on all rows.
	addMul(c, a blas64.General)
	// addMulT computes C += A·rowsᵀ; see Options.Fast. It must be called on all rows.
	addMulT(c, a blas64.General, fast bool)
}

// stored contains rows in memory as numbers of type T.
type stored[T float32 | float64] struct {
	data                  []T // row-major
	height, width, stride int
	list                  []int // indices of the rows; nil means all
}

func newStored[T float32 | float64](data []T, height, width int) stored[T] {
	return stored[T]{data: data, height: height, width: width, stride: width}
}

func (s stored[T]) at(list []int, lo, hi int) rows {
	s.data, s.width, s.list = s.data[min(lo, len(s.data)):], hi-lo, list
	return s
}

func (s stored[T]) len() int {
	if s.list == nil {
		return s.height
	}
	return len(s.list)
}

func (s stored[T]) row(i int) []T {
	if s.list != nil {
		i = s.list[i]
	}
	return s.data[i*s.stride:][:s.width]
}

func (s stored[T]) copy(dst []float64, i int) {
	switch row := any(s.row(i)).(type) {
	case []float32:
		dense.Widen(dst, row)
	case []float64:
		copy(dst, row)
	}
}

func (s stored[T]) combine(y, w []float64, list []int) {
	some := make([][]T, len(list))
	for i, j := range list {
		some[i] = s.row(j)
	}
	dense.Combine(y, w, some)
}

func (s stored[T]) addMul(c, a blas64.General) {
	switch data := any(s.data).(type) {
	case []float32:
		dense.AddMul32(c, a, blas32.General{Rows: s.height, Cols: s.width, Stride: s.stride, Data: data})
	case []float64:
		dense.AddMul(c, a, blas64.General{Rows: s.height, Cols: s.width, Stride: s.stride, Data: data})
	}
}

func (s stored[T]) addMulT(c, a blas64.General, fast bool) {
	switch data := any(s.data).(type) {
	case []float32:
		dense.AddMulT32(c, a, blas32.General{Rows: s.height, Cols: s.width, Stride: s.stride, Data: data}, fast)
	case []float64:
		dense.AddMulT(c, a, blas64.General{Rows: s.height, Cols: s.width, Stride: s.stride, Data: data})
	}
}

// strips contains rows in strips of dense.Columns columns (fewer in the last one), each of them contiguous in
// memory. A product that reads Φ strip by strip takes half the time of one that reads pieces of long rows.
type strips[T float32 | float64] []stored[T]

func newStrips[T float32 | float64](height, width int) (s strips[T]) {
	for lo := 0; lo < width; lo += dense.Columns {
		w := min(dense.Columns, width-lo)
		s = append(s, newStored(make([]T, height*w), height, w))
	}
	return s
}

// at is at of rows. lo must be the first column of a strip.
func (s strips[T]) at(list []int, lo, hi int) rows {
	s = slices.Clone(s[lo/dense.Columns : (hi+dense.Columns-1)/dense.Columns])
	for i := range s {
		s[i].list = list
	}
	if len(s) == 1 {
		return s[0]
	}
	return s
}

func (s strips[T]) len() int { return s[0].len() }

func (s strips[T]) copy(dst []float64, i int) {
	for j, strip := range s {
		strip.copy(dst[j*dense.Columns:], i)
	}
}

func (s strips[T]) combine(y, w []float64, list []int) {
	for j, strip := range s {
		strip.combine(y[j*dense.Columns:][:strip.width], w, list)
	}
}

func (s strips[T]) addMul(c, a blas64.General) {
	for j, strip := range s {
		strip.addMul(columns(c, j*dense.Columns, strip.width), a)
	}
}

func (s strips[T]) addMulT(c, a blas64.General, fast bool) {
	for j, strip := range s {
		strip.addMulT(c, columns(a, j*dense.Columns, strip.width), fast)
	}
}

// columns returns a number of columns of m, starting at column lo.
func columns(m blas64.General, lo, width int) blas64.General {
	m.Cols, m.Data = width, m.Data[min(lo, len(m.Data)):] // m may have no rows
	return m
}

// inFloat64 returns all rows without copying, or copied to memory if they are not in float64.
func inFloat64(r rows, width int, memory *[]float64) blas64.General {
	if s, ok := r.(stored[float64]); ok {
		return blas64.General{Rows: s.height, Cols: s.width, Stride: s.stride, Data: s.data}
	}
	to := newStored(buffer(memory, r.len()*width), r.len(), width)
	par.For(r.len(), 8, func(i, end int) {
		for ; i < end; i++ {
			r.copy(to.row(i), i)
		}
	})
	return blas64.General{Rows: to.height, Cols: width, Stride: width, Data: to.data}
}

// buffer returns n numbers of memory, which it enlarges if necessary.
func buffer(memory *[]float64, n int) []float64 {
	if len(*memory) < n {
		*memory = make([]float64, n)
	}
	return (*memory)[:n]
}
