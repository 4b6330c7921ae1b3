package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/mpcvm/mpcvm/tools/avo/vec"
)

// The constants of exp, in the order of the Go array expConstants.
const (
	low = iota
	high
	log2e
	shift
	ln2hi
	ln2lo
	one
	p0 // followed by the other coefficients
)

// exponential is the state of a function that computes exponentials.
type exponential struct {
	Set
	table reg.GPVirtual // each constant is stored four times
}

// decays emits the function that replaces n numbers v (a multiple of 8) by exp(rate·v), in the same way as
// exp in Go.
func decays(v Set) {
	Routine("decays"+v.Name, "v *float64, n int, rate float64, table *float64)",
		"replaces n numbers v, a multiple of 8, by exp(rate·v).")
	e := exponential{v, Argument("table")}
	p, n := Argument("v"), Argument("n")
	rate := v.Reg()
	VBROADCASTSD(Address("rate"), rate)

	several := 4 // vectors processed together, to use all execution units
	if v == AVX2 {
		several = 2
	}
	if several*v.Lanes > 8 {
		Steps("several", "single", n, several*v.Lanes, func() {
			e.exp(p, rate, several)
			ADDQ(I32(int32(several*v.Bytes())), p)
		})
	}
	Steps("single", "done", n, 8, func() {
		e.exp(p, rate, 8/v.Lanes)
		ADDQ(U8(64), p)
	})
	Label("done")
	Leave()
}

// exp replaces the values of m vectors at p, interleaving their operations.
func (e exponential) exp(p reg.GPVirtual, rate reg.VecVirtual, m int) {
	each := func(f func(i int)) {
		for i := range m {
			f(i)
		}
	}
	at := func(i int) Mem { return Mem{Base: p, Disp: i * e.Bytes()} }
	x, t := e.Regs(m), e.Regs(m)
	each(func(i int) { VMULPD(at(i), rate, x[i]) })
	// Clamp to the bounds; the order of the operands propagates NaN.
	lo, hi := e.constant(low), e.constant(high)
	each(func(i int) { VMAXPD(x[i], lo, x[i]) })
	each(func(i int) { VMINPD(x[i], hi, x[i]) })
	// x = n·ln 2 + r
	each(func(i int) { e.with(VMULPD, VMULPD_BCST, log2e, x[i], t[i]) })
	each(func(i int) { e.with(VADDPD, VADDPD_BCST, shift, t[i], t[i]) })
	n, d := e.Regs(m), e.Regs(m)
	each(func(i int) { e.with(VSUBPD, VSUBPD_BCST, shift, t[i], n[i]) })
	each(func(i int) { e.with(VMULPD, VMULPD_BCST, ln2hi, n[i], d[i]) })
	each(func(i int) { VSUBPD(d[i], x[i], x[i]) })
	each(func(i int) { e.with(VMULPD, VMULPD_BCST, ln2lo, n[i], d[i]) })
	each(func(i int) { VSUBPD(d[i], x[i], x[i]) })
	if e.Set == AVX512 {
		t = n // all that scale needs
	}
	// exp(r) = 1 + (r + r²·p(r)), p by Estrin's scheme
	r, r2, r4 := x, e.Regs(m), e.Regs(m)
	linear := func(k int, dst reg.VecVirtual, i int) { // p_k + p_{k+1}·r
		e.with(VMULPD, VMULPD_BCST, p0+k+1, r[i], dst)
		e.with(VADDPD, VADDPD_BCST, p0+k, dst, dst)
	}
	a, b, c := e.Regs(m), e.Regs(m), e.Regs(m)
	each(func(i int) { VMULPD(r[i], r[i], r2[i]) })
	each(func(i int) { linear(6, b[i], i) })
	each(func(i int) { linear(4, a[i], i) })
	each(func(i int) { VMULPD(r2[i], b[i], b[i]) })
	each(func(i int) { VMULPD(r2[i], r2[i], r4[i]) })
	each(func(i int) { linear(8, c[i], i) })
	each(func(i int) { VADDPD(b[i], a[i], a[i]) })
	each(func(i int) { VMULPD(r4[i], c[i], c[i]) })
	each(func(i int) { VADDPD(c[i], a[i], a[i]) })
	each(func(i int) { VMULPD(r4[i], a[i], a[i]) })
	b, c = e.Regs(m), e.Regs(m)
	each(func(i int) { linear(2, b[i], i) })
	each(func(i int) { linear(0, c[i], i) })
	each(func(i int) { VMULPD(r2[i], b[i], b[i]) })
	each(func(i int) { VADDPD(b[i], c[i], c[i]) })
	each(func(i int) { VADDPD(a[i], c[i], c[i]) })
	each(func(i int) { VMULPD(r2[i], c[i], c[i]) })
	each(func(i int) { VADDPD(c[i], r[i], r[i]) })
	each(func(i int) { e.with(VADDPD, VADDPD_BCST, one, r[i], r[i]) })
	each(func(i int) { e.scale(t[i], r[i]) })
	each(func(i int) { VMOVUPD(r[i], at(i)) })
}

// scale multiplies y by 2ⁿ with a single rounding. t is n for AVX-512, which has an instruction for this,
// otherwise n + shift, whose low bits are n + 2046.
func (e exponential) scale(t, y reg.VecVirtual) {
	if e.Set == AVX512 {
		VSCALEFPD(t, y, y)
		return
	}
	half := e.Reg()
	VPSRLQ(U8(1), t, half)
	VPSUBQ(half, t, t)
	VPSLLQ(U8(52), half, half)
	VPSLLQ(U8(52), t, t)
	VMULPD(half, y, y)
	VMULPD(t, y, y)
}

// with applies an operation to x and a constant of the table.
func (e exponential) with(whole, broadcast func(...Op), constant int, x, dst reg.VecVirtual) {
	m := Mem{Base: e.table, Disp: 32 * constant}
	if e.Set == AVX512 {
		broadcast(m, x, dst)
	} else {
		whole(m, x, dst)
	}
}

func (e exponential) constant(k int) reg.VecVirtual {
	r := e.Reg()
	VBROADCASTSD(Mem{Base: e.table, Disp: 32 * k}, r)
	return r
}
