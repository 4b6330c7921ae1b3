//go:build simd128 && !purego

package dense

import (
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// The functions of simd128.wasm; see package cpu and, for what they do, dispatch_amd64.go.

//go:wasmimport simd128 panel
//go:noescape
func panelVector(do int32, c *float64, ldc int32, a *float64, lda, m int32, b *float64, ldb, nb, k int32)

//go:wasmimport simd128 panelSingle
//go:noescape
func panelSingle(do int32, c *float64, ldc int32, a *float32, lda, m int32, b *float32, ldb, nb, k int32)

//go:wasmimport simd128 divide
//go:noescape
func divideVector(x *float64, ldx, m int32, table *float64)

//go:wasmimport simd128 dot
//go:noescape
func dotVector(x, y *float64, n int32) float64

//go:wasmimport simd128 combine
//go:noescape
func combineVector(y *float64, n int32, w *float64, rows unsafe.Pointer, count int32)

//go:wasmimport simd128 combineSingle
//go:noescape
func combineSingle(y *float64, n int32, w *float64, rows unsafe.Pointer, count int32)

//go:wasmimport simd128 mulSingle
//go:noescape
func mulSingle(c *float64, ldc int32, a *float64, lda, m int32, b *float32, ldb, k int32)

//go:wasmimport simd128 mul
//go:noescape
func mulVector(c *float64, ldc int32, a *float64, lda, m int32, b *float64, ldb, k int32)

func width(cpu.Level) int { return 4 }

func panel[T float32 | float64](level cpu.Level, do op, c []float64, ldc int, a []T, lda, m int, b []T, ldb,
	nb, k int) {
	if level == cpu.Portable {
		panelGo(do, c, ldc, a, lda, m, b, ldb, nb, k)
		return
	}
	switch b := any(&b[0]).(type) {
	case *float64:
		panelVector(int32(do), &c[0], int32(ldc), any(&a[0]).(*float64), int32(lda), int32(m), b, int32(ldb),
			int32(nb), int32(k))
	case *float32:
		panelSingle(int32(do), &c[0], int32(ldc), any(&a[0]).(*float32), int32(lda), int32(m), b, int32(ldb),
			int32(nb), int32(k))
	}
}

func divide(level cpu.Level, v, l blas64.General) {
	if level == cpu.Portable || v.Rows == 0 || l.Rows < 4 {
		divideGo(v, l)
		return
	}
	table := divisors(l, 4)
	divideVector(&v.Data[0], int32(v.Stride), int32(v.Rows), &table[0])
}

func mulWidth(cpu.Level) int { return 8 }

func mul[T float32 | float64](level cpu.Level, c []float64, ldc int, a []float64, lda, m int, b []T, ldb,
	k int) {
	if level == cpu.Portable {
		mulGo(8, c, ldc, a, lda, m, b, ldb, k)
		return
	}
	switch b := any(b).(type) {
	case []float64:
		mulVector(&c[0], int32(ldc), &a[0], int32(lda), int32(m), &b[0], int32(ldb), int32(k))
	case []float32:
		mulSingle(&c[0], int32(ldc), &a[0], int32(lda), int32(m), &b[0], int32(ldb), int32(k))
	}
}

func widen(_ cpu.Level, dst []float64, src []float32) { widenGo(dst, src) }

func dot(level cpu.Level, x, y []float64) float64 {
	if level == cpu.Portable || len(x) < 16 {
		return dotGo(x, y)
	}
	return dotVector(&x[0], &y[0], int32(len(x)))
}

func combine[T float32 | float64](level cpu.Level, y, w []float64, rows [][]T) {
	if level == cpu.Portable || len(y)*len(rows) == 0 {
		combineGo(y, w, rows)
		return
	}
	switch any(rows).(type) {
	case [][]float64:
		combineVector(&y[0], int32(len(y)), &w[0], unsafe.Pointer(&rows[0]), int32(len(rows)))
	case [][]float32:
		combineSingle(&y[0], int32(len(y)), &w[0], unsafe.Pointer(&rows[0]), int32(len(rows)))
	}
}
