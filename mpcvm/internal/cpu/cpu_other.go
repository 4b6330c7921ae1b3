//go:build (!amd64 && !(wasm && simd128)) || purego

package cpu

func detect() Level { return Portable }
