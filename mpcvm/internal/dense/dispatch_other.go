//go:build (!amd64 && !(wasm && simd128)) || purego

package dense

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// width returns the largest number of rows of B in panel, and of L in divide.
func width(cpu.Level) int { return 4 }

// panel sets C = A·Bᵀ, or adds or subtracts it, for C (m×nb), A (m×k) and B (nb×k) with
// strides ldc, lda and ldb. m, nb and k are positive. The sums have type T.
func panel[T float32 | float64](_ cpu.Level, do op, c []float64, ldc int, a []T, lda, m int, b []T, ldb,
	nb, k int) {
	panelGo(do, c, ldc, a, lda, m, b, ldb, nb, k)
}

// divide overwrites each row v of V by L⁻¹v, for a lower triangle L of a few rows.
func divide(_ cpu.Level, v, l blas64.General) { divideGo(v, l) }

// mulWidth returns the number of columns of B in mul.
func mulWidth(cpu.Level) int { return 8 }

// mul does C += A·B for C (m×w), A (m×k) and B (k×w) with strides ldc, lda and ldb, where w is
// mulWidth. m and k are positive.
func mul[T float32 | float64](level cpu.Level, c []float64, ldc int, a []float64, lda, m int, b []T, ldb,
	k int) {
	mulGo(mulWidth(level), c, ldc, a, lda, m, b, ldb, k)
}

func widen(_ cpu.Level, dst []float64, src []float32) { widenGo(dst, src) }

func dot(_ cpu.Level, x, y []float64) float64 { return dotGo(x, y) }

func combine[T float32 | float64](_ cpu.Level, y, w []float64, rows [][]T) { combineGo(y, w, rows) }
