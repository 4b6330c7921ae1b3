//go:build simd128 && !purego

package probit

// The functions of simd128.wasm; see package cpu.

//go:wasmimport simd128 slope
//go:noescape
func slope(s, gap *float64, n, limit int32)

//go:wasmimport simd128 node
//go:noescape
func node(s, gap, r, acc *float64, n int32, k, step float64, flags int32) (alive uint32)

//go:wasmimport simd128 nodeFast
//go:noescape
func nodeFast(s, gap, r, acc *float64, n int32, k, step float64, flags int32) (alive uint32)

func (b *block) slopes(limit int) { slope(&b.origin[0], &b.gap[0], int32(b.n), int32(limit)) }

func (b *block) nodes(k, step float64, flags int) (alive uint32) {
	at, gap, r, acc := &b.origin[0], &b.gap[0], &b.r[0], &b.acc[0]
	if b.fast {
		return nodeFast(at, gap, r, acc, int32(b.n), k, step, int32(flags))
	}
	return node(at, gap, r, acc, int32(b.n), k, step, int32(flags))
}

func addProduct(sum, a, b float64) float64 { return sum + float64(a*b) }
