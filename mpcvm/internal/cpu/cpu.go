// Package cpu reports which vector instructions the assembly code of this module may use. With the build tag
// purego, and on processors other than amd64, there are none: everything runs in Go. Programs for WebAssembly
// have them with the build tag simd128; simd128.mjs runs such programs.
//
// # Reproducibility
//
// The values of package kernel have the same bits on every machine. Everything else, such as fits and
// probabilities, has the same bits on any number of cores, in any run, and on any machine of the same
// architecture and [Level]. Between levels and architectures, the order of sums changes, math.Exp differs by
// up to two units in the last place, and Go fuses products with sums on arm64. Fits then differ in their last
// digits: on Iris and Wine, BottomUp, TopDown and KernelPrior had the same relevance vectors, labels and
// number of iterations on all levels of amd64 and on arm64, and the sums of the absolute weights agreed to
// 2e-9.
package cpu

import "sync/atomic"

//go:generate sh -c "cd ../../../tools/avo && go run ./wasm ../../mpcvm/internal/cpu/simd128.wasm"

// Level is a set of vector instructions. It includes the levels below it.
type Level int32

const (
	Portable Level = iota // no assembly
	AVX2                  // AVX2 and FMA, four float64 at a time
	AVX512                // AVX-512 F, DQ, BW and VL, eight at a time
)

func (l Level) String() string { return [...]string{"portable", "AVX2", "AVX-512"}[l] }

// Best is the highest level supported by this processor and the operating system.
var Best = detect()

var level atomic.Int32

func init() { level.Store(int32(Best)) }

// Vector returns the level to use.
func Vector() Level { return Level(level.Load()) }

// Use sets the level to use, at most Best, and returns a function that restores the previous level. It is for
// tests and benchmarks.
func Use(l Level) (restore func()) {
	old := level.Swap(int32(min(l, Best)))
	return func() { level.Store(old) }
}
