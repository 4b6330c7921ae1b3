package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/mpcvm/mpcvm/tools/avo/vec"
)

// transpose emits the function that transposes a matrix in blocks of 4×4.
func transpose() {
	Routine("transposeAVX2", "dst *float64, stride int, src *float64, rows, columns int)",
		"transposes src, rows×columns (multiples of 4), to dst.")
	dst, dstStride, src := Argument("dst"), Elements("stride"), Argument("src")
	columns := Elements("columns")
	dst3, src3 := GP64(), GP64()
	LEAQ(Mem{Base: dstStride, Index: dstStride, Scale: 2}, dst3)
	LEAQ(Mem{Base: columns, Index: columns, Scale: 2}, src3)
	i := GP64()
	MOVQ(columns, i)
	Label("strip") // four columns of src, four rows of dst
	from, to, j := GP64(), GP64(), Argument("rows")
	MOVQ(src, from)
	MOVQ(dst, to)
	Label("square")
	at := func(base, stride, stride3 reg.GPVirtual, k int) Mem {
		return []Mem{{Base: base}, {Base: base, Index: stride, Scale: 1},
			{Base: base, Index: stride, Scale: 2}, {Base: base, Index: stride3, Scale: 1}}[k]
	}
	for half := range 2 { // columns 0, 1 and 2, 3 of the block
		source := func(k int) Mem {
			m := at(from, columns, src3, k)
			m.Disp = 16 * half
			return m
		}
		a, b := YMM(), YMM()
		VMOVUPD(source(0), a.AsX())
		VINSERTF128(U8(1), source(2), a, a)
		VMOVUPD(source(1), b.AsX())
		VINSERTF128(U8(1), source(3), b, b)
		even, odd := YMM(), YMM()
		VUNPCKLPD(b, a, even)
		VUNPCKHPD(b, a, odd)
		VMOVUPD(even, at(to, dstStride, dst3, 2*half))
		VMOVUPD(odd, at(to, dstStride, dst3, 2*half+1))
	}
	LEAQ(Mem{Base: from, Index: columns, Scale: 4}, from)
	ADDQ(U8(32), to)
	SUBQ(U8(4), j)
	JNZ(LabelRef("square"))
	ADDQ(U8(32), src)
	LEAQ(Mem{Base: dst, Index: dstStride, Scale: 4}, dst)
	SUBQ(U8(32), i)
	JNZ(LabelRef("strip"))
	Leave()
}
