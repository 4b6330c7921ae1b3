package dense

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
)

// rows returns rows lo to hi of m.
func rows(m blas64.General, lo, hi int) blas64.General {
	m.Rows, m.Data = hi-lo, m.Data[min(lo*m.Stride, len(m.Data)):]
	return m
}

// columns returns columns lo to hi of m.
func columns(m blas64.General, lo, hi int) blas64.General {
	m.Cols, m.Data = hi-lo, m.Data[min(lo, len(m.Data)):]
	return m
}

func check(name string, c, a, b blas64.General) {
	checkShape(name, "b", b.Rows, b.Cols, b.Stride, len(b.Data))
	checkProduct(name, c, a, b.Rows, b.Cols)
}

func checkProduct(name string, c, a blas64.General, bRows, bCols int) {
	checkShape(name, "a", a.Rows, a.Cols, a.Stride, len(a.Data))
	checkShape(name, "c", c.Rows, c.Cols, c.Stride, len(c.Data))
	if a.Cols != bCols || c.Rows != a.Rows || c.Cols != bRows {
		panic(fmt.Sprintf("dense: %s: c is %d×%d, a %d×%d, b %d×%d", name, c.Rows, c.Cols, a.Rows, a.Cols, bRows,
			bCols))
	}
}

// checkShape panics if a matrix has too few elements or a stride below its width.
func checkShape(name, which string, rows, cols, stride, length int) {
	if rows < 0 || cols < 0 || rows > 0 && cols > 0 && (stride < cols || length < (rows-1)*stride+cols) {
		panic(fmt.Sprintf("dense: %s: %s is %d×%d with stride %d and %d numbers", name, which, rows, cols, stride,
			length))
	}
}

func checkSquare(name string, l blas64.General) {
	checkShape(name, "the matrix", l.Rows, l.Cols, l.Stride, len(l.Data))
	if l.Rows != l.Cols {
		panic(fmt.Sprintf("dense: %s: the matrix is %d×%d, not square", name, l.Rows, l.Cols))
	}
}

// buffer is reusable memory.
type buffer []float64

var scratch = sync.Pool{New: func() any { return new(buffer) }}

func (b *buffer) resize(n int) []float64 {
	if cap(*b) < n {
		*b = make([]float64, n)
	}
	return (*b)[:n]
}
