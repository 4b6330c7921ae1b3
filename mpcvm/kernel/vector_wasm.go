//go:build simd128 && !purego

package kernel

import (
	"unsafe"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// The functions of simd128.wasm; see package cpu.

//go:wasmimport simd128 sums
//go:noescape
func sumsVector(t int32, dst *float64, stride int32, x *float64, xstride, rows int32, y *float64, features,
	blocks int32, w *float64)

//go:wasmimport simd128 decays
//go:noescape
func decaysVector(v *float64, n int32, rate float64, constants *float64)

func vectorSums(t term, dst []float64, stride int, x []float64, xstride, rows int, y []octet, features,
	blocks int, w []float64) bool {
	if cpu.Vector() == cpu.Portable || rows*blocks == 0 {
		return false
	}
	_, _, _ = dst[(rows-1)*stride+block*blocks-1], x[(rows-1)*xstride+features-1], y[blocks*features-1]
	sumsVector(int32(t), &dst[0], int32(stride), &x[0], int32(xstride), int32(rows), &y[0][0][0],
		int32(features), int32(blocks), unsafe.SliceData(w))
	return true
}

func vectorDecays(rate float64, v []float64) int {
	n := len(v) &^ 7
	if n == 0 || cpu.Vector() == cpu.Portable {
		return 0
	}
	decaysVector(&v[0], int32(n), rate, &expConstants[0])
	return n
}

func vectorTranspose(_, _ []float64, _ int) bool { return false }
