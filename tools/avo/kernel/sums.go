package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/mpcvm/mpcvm/tools/avo/vec"
)

// block is the number of samples stored side by side in a panel.
const block = 8

// term is the term that is summed over the features.
type term struct{ name, formula string }

var (
	squares           = term{"squares", "(x − y)²"}
	absolutes         = term{"absolutes", "|x − y|"}
	weighteds         = term{"weighteds", "w(x − y)²"}
	weightedAbsolutes = term{"weightedAbsolutes", "w|x − y|"}
	products          = term{"products", "xy"}
	terms             = []term{squares, absolutes, weighteds, weightedAbsolutes, products}
)

// absolute and weighted describe the term.
func (t term) absolute() bool { return t == absolutes || t == weightedAbsolutes }
func (t term) weighted() bool { return t == weighteds || t == weightedAbsolutes }

// summing is the state of a function that computes sums.
type summing struct {
	Set
	term
	mask reg.VecVirtual // for absolute terms: all bits except the sign
	w    reg.GPVirtual  // for weighted terms
}

// sums emits the function that writes the sums of rows samples x with the samples in some blocks of a
// panel. It processes four x with one block at a time, so that loaded values are reused and the sums are
// independent; the last rows and a single x are processed with four blocks at a time.
func sums(v Set, t term) {
	arguments := "dst *float64, stride int, x *float64, xstride, rows int, y *float64, features, blocks int"
	if t.weighted() {
		arguments += ", w *float64"
	}
	Routine(t.name+v.Name, arguments+")", "writes Σ "+t.formula+" over the features, see sums.")
	s := summing{Set: v, term: t}
	dst, stride, x, xstride := Argument("dst"), Elements("stride"), Argument("x"), Elements("xstride")
	rows, features := Argument("rows"), Elements("features")
	if t.weighted() {
		s.w = Argument("w")
	}
	if t.absolute() {
		s.mask = v.Reg()
		ones := GP64()
		MOVQ(U64(1<<63-1), ones)
		low := XMM()
		MOVQ(ones, low)
		VBROADCASTSD(low, s.mask)
	}

	Steps("fours", "ones", rows, 4, func() {
		xs := []reg.GPVirtual{x, GP64(), GP64(), GP64()}
		for r := 1; r < 4; r++ {
			MOVQ(xs[r-1], xs[r])
			ADDQ(xstride, xs[r])
		}
		y, blocks, out := Argument("y"), Argument("blocks"), GP64()
		MOVQ(dst, out)
		Label("block4")
		s.four(xs, y, features, out, stride)
		LEAQ(Mem{Base: y, Index: features, Scale: 8}, y)
		ADDQ(U8(8*block), out)
		DECQ(blocks)
		JNZ(LabelRef("block4"))
		LEAQ(Mem{Base: x, Index: xstride, Scale: 4}, x)
		LEAQ(Mem{Base: dst, Index: stride, Scale: 4}, dst)
	})

	Label("ones")
	TESTQ(rows, rows)
	JZ(LabelRef("done"))
	{
		y, blocks, out := Argument("y"), Argument("blocks"), GP64()
		MOVQ(dst, out)
		Steps("row", "single", blocks, 4, func() { s.one(4, x, y, features, out) })
		Label("single")
		TESTQ(blocks, blocks)
		JZ(LabelRef("next"))
		s.one(1, x, y, features, out)
		DECQ(blocks)
		JMP(LabelRef("single"))
	}
	Label("next")
	ADDQ(xstride, x)
	ADDQ(stride, dst)
	DECQ(rows)
	JMP(LabelRef("ones"))

	Label("done")
	Leave()
}

// four sums four x with one block.
func (s summing) four(x []reg.GPVirtual, y, features, out, stride reg.GPVirtual) {
	parts := block / s.Lanes
	acc := s.zeros(4 * parts)
	i := GP64()
	XORQ(i, i)
	Label("feature4")
	ys := s.Regs(parts)
	for p := range ys {
		VMOVUPD(Mem{Base: y, Index: i, Scale: 8, Disp: p * s.Bytes()}, ys[p])
	}
	w := s.weight(i)
	for r := range x {
		xv := s.Reg()
		VBROADCASTSD(Mem{Base: x[r], Index: i, Scale: 1}, xv)
		for p := range ys {
			s.add(xv, ys[p], w, acc[r*parts+p])
		}
	}
	ADDQ(U8(8), i)
	CMPQ(i, features)
	JL(LabelRef("feature4"))
	row := GP64()
	MOVQ(out, row)
	for r := range x {
		if r > 0 {
			ADDQ(stride, row)
		}
		for p := range ys {
			VMOVUPD(acc[r*parts+p], Mem{Base: row, Disp: p * s.Bytes()})
		}
	}
}

// one sums one x with n blocks and advances y and out.
func (s summing) one(n int, x, y, features, out reg.GPVirtual) {
	parts := block / s.Lanes
	label := "feature1"
	if n > 1 {
		label = "feature1by4"
	}
	ys := make([]reg.GPVirtual, n) // start of each block
	for b := range ys {
		ys[b] = GP64()
		if b == 0 {
			MOVQ(y, ys[b])
		} else {
			LEAQ(Mem{Base: ys[b-1], Index: features, Scale: 8}, ys[b])
		}
	}
	acc := s.zeros(n * parts)
	i := GP64()
	XORQ(i, i)
	Label(label)
	xv := s.Reg()
	VBROADCASTSD(Mem{Base: x, Index: i, Scale: 1}, xv)
	w := s.weight(i)
	for b := range ys {
		for p := range parts {
			s.add(xv, Mem{Base: ys[b], Index: i, Scale: 8, Disp: p * s.Bytes()}, w, acc[b*parts+p])
		}
	}
	ADDQ(U8(8), i)
	CMPQ(i, features)
	JL(LabelRef(label))
	for a := range acc {
		VMOVUPD(acc[a], Mem{Base: out, Disp: a * s.Bytes()})
	}
	LEAQ(Mem{Base: ys[n-1], Index: features, Scale: 8}, y)
	ADDQ(I32(int32(n*8*block)), out)
}

func (s summing) zeros(n int) []reg.VecVirtual {
	acc := s.Regs(n)
	Zero(s.Set, acc...)
	return acc
}

// weight loads the weight of a feature.
func (s summing) weight(i reg.GPVirtual) reg.VecVirtual {
	if !s.weighted() {
		return nil
	}
	w := s.Reg()
	VBROADCASTSD(Mem{Base: s.w, Index: i, Scale: 1}, w)
	return w
}

// add adds the term of x and y to the sum acc.
func (s summing) add(x reg.VecVirtual, y Op, w, acc reg.VecVirtual) {
	t := s.Reg()
	switch s.term {
	case products:
		VMULPD(y, x, t)
	case squares:
		VSUBPD(y, x, t)
		VMULPD(t, t, t)
	case absolutes:
		VSUBPD(y, x, t)
		VANDPD(t, s.mask, t)
	case weightedAbsolutes:
		VSUBPD(y, x, t)
		VANDPD(t, s.mask, t)
		VMULPD(t, w, t)
	case weighteds:
		d := s.Reg()
		VSUBPD(y, x, d)
		VMULPD(d, w, t)
		VMULPD(d, t, t)
	}
	VADDPD(t, acc, acc)
}
