//go:build simd128 && !purego

package cpu

// present returns 1 if the browser has vector instructions; simd128.mjs defines it.
//
//go:wasmimport simd128 present
func present() int32

// detect returns AVX2 for the vectors of WebAssembly, of which two at a time have four lanes.
func detect() Level { return Level(present()) * AVX2 }
