//go:build !purego

package dense

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

//go:generate sh -c "cd ../../../tools/avo && go run ./dense -out ../../mpcvm/internal/dense/dense_amd64.s -stubs ../../mpcvm/internal/dense/stubs_amd64.go -pkg dense"

// width returns the largest number of rows of B in panel, and of L in divide.
func width(level cpu.Level) int {
	if level == cpu.AVX512 {
		return 8
	}
	return 4
}

// panel sets C = A·Bᵀ, or adds or subtracts it, for C (m×nb), A (m×k) and B (nb×k) with
// strides ldc, lda and ldb. m, nb and k are positive. The sums have type T.
func panel[T float32 | float64](level cpu.Level, do op, c []float64, ldc int, a []T, lda, m int, b []T, ldb,
	nb, k int) {
	if level == cpu.Portable {
		panelGo(do, c, ldc, a, lda, m, b, ldb, nb, k)
		return
	}
	switch b := any(&b[0]).(type) {
	case *float64:
		a, f := any(&a[0]).(*float64), panelAVX2
		if level == cpu.AVX512 {
			f = panelAVX512
		}
		f(int(do), &c[0], ldc, a, lda, m, b, ldb, nb, k)
	case *float32:
		a, f := any(&a[0]).(*float32), panelSingleAVX2
		if level == cpu.AVX512 {
			f = panelSingleAVX512
		}
		f(int(do), &c[0], ldc, a, lda, m, b, ldb, nb, k)
	}
}

// divide overwrites each row v of V with L⁻¹v, for a lower triangle L of a few rows.
func divide(level cpu.Level, v, l blas64.General) {
	if level == cpu.Portable || v.Rows == 0 {
		divideGo(v, l)
		return
	}
	table := divisors(l, width(level))
	if level == cpu.AVX512 {
		divideAVX512(&v.Data[0], v.Stride, v.Rows, v.Cols, &table[0])
	} else {
		divideAVX2(&v.Data[0], v.Stride, v.Rows, v.Cols, &table[0])
	}
}

// mulWidth returns the number of columns of B in mul.
func mulWidth(level cpu.Level) int {
	if level == cpu.AVX512 {
		return 32
	}
	return 8
}

// mul does C += A·B for C (m×w), A (m×k) and B (k×w) with strides ldc, lda and ldb, where w is
// mulWidth. m and k are positive.
func mul[T float32 | float64](level cpu.Level, c []float64, ldc int, a []float64, lda, m int, b []T, ldb,
	k int) {
	switch b := any(b).(type) {
	case []float64:
		switch level {
		case cpu.AVX512:
			mulAVX512(&c[0], ldc, &a[0], lda, m, &b[0], ldb, k)
			return
		case cpu.AVX2:
			mulAVX2(&c[0], ldc, &a[0], lda, m, &b[0], ldb, k)
			return
		}
	case []float32:
		switch level {
		case cpu.AVX512:
			mulSingleAVX512(&c[0], ldc, &a[0], lda, m, &b[0], ldb, k)
			return
		case cpu.AVX2:
			mulSingleAVX2(&c[0], ldc, &a[0], lda, m, &b[0], ldb, k)
			return
		}
	}
	mulGo(mulWidth(level), c, ldc, a, lda, m, b, ldb, k)
}

func widen(level cpu.Level, dst []float64, src []float32) {
	switch {
	case len(src) == 0:
	case level == cpu.AVX512:
		widenAVX512(&dst[0], &src[0], len(src))
	case level == cpu.AVX2:
		widenAVX2(&dst[0], &src[0], len(src))
	default:
		widenGo(dst, src)
	}
}

func dot(level cpu.Level, x, y []float64) float64 {
	switch {
	case len(x) == 0:
		return 0
	case level == cpu.AVX512:
		return dotAVX512(&x[0], &y[0], len(x))
	case level == cpu.AVX2:
		return dotAVX2(&x[0], &y[0], len(x))
	}
	return dotGo(x, y)
}

// combine computes y += Σ_i w_i·rows_i, with four rows per pass, then one.
func combine[T float32 | float64](level cpu.Level, y, w []float64, rows [][]T) {
	if level == cpu.Portable {
		combineGo(y, w, rows)
		return
	}
	const stretch = 2048 // elements of y at a time, which fit into the L1 cache
	var (
		weight [4]float64
		from   [4]*T
	)
	for lo := 0; lo < len(y); lo += stretch {
		part := y[lo:min(len(y), lo+stretch)]
		for i := 0; i < len(rows); {
			n := 4
			if len(rows)-i < 4 {
				n = 1
			}
			for r := range n {
				weight[r], from[r] = w[i+r], &rows[i+r][lo]
			}
			i += n
			switch from := any(&from).(type) {
			case *[4]*float64:
				combineFew(level, n, part, &weight, from)
			case *[4]*float32:
				combineFewSingle(level, n, part, &weight, from)
			}
		}
	}
}

func combineFew(level cpu.Level, n int, y []float64, w *[4]float64, rows *[4]*float64) {
	switch {
	case level == cpu.AVX512 && n == 4:
		combine4AVX512(&y[0], len(y), w, rows)
	case level == cpu.AVX512:
		combine1AVX512(&y[0], len(y), w, rows)
	case n == 4:
		combine4AVX2(&y[0], len(y), w, rows)
	default:
		combine1AVX2(&y[0], len(y), w, rows)
	}
}

func combineFewSingle(level cpu.Level, n int, y []float64, w *[4]float64, rows *[4]*float32) {
	switch {
	case level == cpu.AVX512 && n == 4:
		combine4SingleAVX512(&y[0], len(y), w, rows)
	case level == cpu.AVX512:
		combine1SingleAVX512(&y[0], len(y), w, rows)
	case n == 4:
		combine4SingleAVX2(&y[0], len(y), w, rows)
	default:
		combine1SingleAVX2(&y[0], len(y), w, rows)
	}
}
