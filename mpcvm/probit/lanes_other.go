//go:build (!amd64 && !(wasm && simd128)) || purego

package probit

// These functions are never called, because blocks are used only with assembly.

func (b *block) slopes(int)                           {}
func (b *block) nodes(_, _ float64, _ int) (_ uint32) { return 0 }
func addProduct(_, _, _ float64) float64              { return 0 }
