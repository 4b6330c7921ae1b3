package gram

import (
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
	// dot returns the scalar product of row i with z.
	dot(i int, z []float64) float64
	// copy writes row i to dst.
	copy(dst []float64, i int)
	// combine adds w_i times row list_i to y for all i.
	combine(y, w []float64, list []int)
	// addMul computes C += A·rows. It must be called on all rows.
	addMul(c, a blas64.General)
	// addMulT computes C += A·rowsᵀ. It must be called on all rows.
	addMulT(c, a blas64.General)
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

func (s stored[T]) dot(i int, z []float64) float64 {
	switch row := any(s.row(i)).(type) {
	case []float32:
		return dense.Dot32(z, row)
	case []float64:
		return dense.Dot(z, row)
	}
	return 0
}

func (s stored[T]) copy(dst []float64, i int) {
	if row, ok := any(s.row(i)).([]float64); ok {
		copy(dst, row)
		return
	}
	for j, v := range s.row(i) {
		dst[j] = float64(v)
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

func (s stored[T]) addMulT(c, a blas64.General) {
	switch data := any(s.data).(type) {
	case []float32:
		dense.AddMulT32(c, a, blas32.General{Rows: s.height, Cols: s.width, Stride: s.stride, Data: data})
	case []float64:
		dense.AddMulT(c, a, blas64.General{Rows: s.height, Cols: s.width, Stride: s.stride, Data: data})
	}
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
