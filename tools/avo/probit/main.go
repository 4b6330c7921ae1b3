// Command probit generates the assembly of package probit: the sums over classes at a node and in a Newton
// step, with one sample per lane.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/mpcvm/mpcvm/tools/avo/fit"
	. "github.com/mpcvm/mpcvm/tools/avo/vec"
)

// vector emits instructions for four or eight lanes. Methods for instructions that both sets have carry the
// name in Intel's manual.
type vector struct{ Set }

// table stores each constant four times: AVX2 loads all four, AVX-512 broadcasts one.
var (
	table  = map[uint64]int{}
	symbol = Symbol{Name: "constants", Static: true}
)

func bitsOf(b uint64) Mem {
	at, ok := table[b]
	if !ok {
		at = 32 * len(table)
		table[b] = at
		for i := range 4 {
			DATA(at+8*i, U64(b))
		}
	}
	return NewDataAddr(symbol, at)
}

func value(x float64) Mem { return bitsOf(math.Float64bits(x)) }

func (v vector) pick(plain, broadcast func(ops ...Op), ops ...Op) {
	if v.Wide() {
		broadcast(ops...)
	} else {
		plain(ops...)
	}
}

// set loads a constant.
func (v vector) set(x float64, to Op) {
	if v.Wide() {
		VBROADCASTSD(value(x), to)
	} else {
		VMOVUPD(value(x), to)
	}
}

func (v vector) and(b uint64, a, to Op) { v.pick(VANDPD, VANDPD_BCST, bitsOf(b), a, to) }
func (v vector) mul(x float64, a, to Op) {
	v.pick(VMULPD, VMULPD_BCST, value(x), a, to)
}
func (v vector) min(x float64, a, to Op) {
	v.pick(VMINPD, VMINPD_BCST, value(x), a, to)
}

// add231 computes to += x·a.
func (v vector) add231(x float64, a, to Op) {
	v.pick(VFMADD231PD, VFMADD231PD_BCST, value(x), a, to)
}

// horner computes to = Σ c_k xᵏ.
func (v vector) horner(c []float64, x, to Op) {
	v.set(c[len(c)-1], to)
	for k := len(c) - 2; k >= 0; k-- {
		v.pick(VFMADD213PD, VFMADD213PD_BCST, value(c[k]), x, to)
	}
}

// compare sets the lanes of to to ones where a ∘ b, and to zeros elsewhere.
func (v vector) compare(predicate uint64, a, b, to Op) {
	if v.Wide() {
		VCMPPD(U8(predicate), b, a, K7)
		VPMOVM2Q(K7, to)
	} else {
		VCMPPD(U8(predicate), b, a, to)
	}
}

const less, greaterEqual, greater, lessEqual = 0x11, 0x1d, 0x1e, 0x12 // quiet, false for NaN

// choose computes to = mask ? a : b; it overwrites a.
func (v vector) choose(mask, a, b, to Op) {
	VANDPD(mask, a, a)
	VANDNPD(b, mask, to)
	VORPD(a, to, to)
}

// signs stores the sign bits of a as the result of the function.
func (v vector) signs(a Op) {
	bits := GP32()
	if v.Wide() {
		VPMOVQ2M(a, K7)
		KMOVB(K7, bits)
	} else {
		VMOVMSKPD(a, bits)
	}
	Store(bits, ReturnIndex(0))
}

// expHalf computes e = exp(−w/2) = 2ᵏ exp(−f/2) with f = w + 2k ln 2, for w ≤ 1416. It overwrites w and k.
func (v vector) expHalf(c []float64, w, k, e Op) {
	v.min(1416, w, w)
	v.set(fit.Magic, k) // k is in the low bits of fit.Magic + k
	v.add231(-0.5*math.Log2E, w, k)
	v.set(fit.Magic, e)
	VSUBPD(e, k, e)
	v.add231(fit.High, e, w)
	v.add231(fit.Rest, e, w)
	v.horner(c, w, e)
	VPSLLQ(U8(52), k, k)
	VPADDQ(k, e, e)
}

// psi emits Ψ(u) = n/q·low/low and r(u)√2π = e·q/n for u = at + gap, using P and Q at |u|: for u < 0, n is
// P and e is 1; otherwise n is Q − e·P and e is exp(−u²/2). If square is not nil, it adds u² for u < 0, a
// factor that P/Q lacks.
func (v vector) psi(c fit.Fit, at, gap, square Op, u, n, q, e Op, t1, t2 Op) {
	VADDPD(gap, at, u)
	if v.Wide() {
		VXORPD(t1, t1, t1)
		VCMPPD(U8(greaterEqual), t1, u, K1)
		VMULPD_Z(u, u, K1, t1)
		if square != nil {
			KNOTB(K1, K2)
			VFMADD231PD(u, u, K2, square)
		}
	} else {
		VXORPD(t1, t1, t1)
		if square != nil {
			VMINPD(u, t1, t2)
			VFMADD231PD(t2, t2, square)
		}
		VMAXPD(u, t1, t1)
		VMULPD(t1, t1, t1)
	}
	v.expHalf(c.Exp, t1, t2, e)
	v.and(1<<63-1, u, t1)
	v.horner(c.P, t1, n)
	v.horner(c.Q, t1, q)
	if v.Wide() {
		VFNMADD213PD(q, e, K1, n)
	} else { // |(u < 0 ? 0 : q) − e·P|
		VXORPD(t1, t1, t1)
		VCMPPD(U8(less), t1, u, t1)
		VANDNPD(q, t1, t1)
		VFNMADD213PD(t1, e, n)
		v.and(1<<63-1, n, n)
	}
	VMULPD(q, e, e)
}

func row(lanes Register, r int) Mem { return Mem{Base: lanes, Disp: r} }

// slope emits one step of Newton's iteration for the mode; see block.slope.
func (v vector) slope() {
	Routine("slope"+v.Name, "s, gap *float64, n int) uint32", "is block.slope.")
	s, gap, n := Argument("s"), Argument("gap"), Argument("n")
	r := v.Numbered(0, 10)
	at, d1, d2, u, p, q, e, t1, t2 := r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]
	VMOVUPD(row(s, fit.RowAt), at)
	VXORPD(d1, d1, d1)
	VSUBPD(at, d1, d1) // g′ = −e + Σr
	v.set(1, d2)       // −g″ = 1 + Σr(u + r)
	loop, done := "slopeLoop"+v.Name, "slopeDone"+v.Name
	Label(loop)
	TESTQ(n, n)
	JZ(LabelRef(done))
	v.psi(fit.Crude, at, Mem{Base: gap}, nil, u, p, q, e, t1, t2)
	VDIVPD(p, e, e)
	v.mul(1/math.Sqrt(2*math.Pi), e, e)
	VADDPD(e, d1, d1)
	VADDPD(e, u, u)
	VFMADD231PD(u, e, d2)
	ADDQ(I32(v.Bytes()), gap)
	DECQ(n)
	JMP(LabelRef(loop))
	Label(done)
	alive := r[9]
	VMOVUPD(row(s, fit.RowAlive), alive)
	VDIVPD(d2, d1, d1) // the Newton step
	VSQRTPD(d2, d2)
	v.set(1, t1)
	VDIVPD(d2, t1, t1)
	v.mul(0.01, t1, t2)
	v.compare(greaterEqual, d1, t2, t2)
	VANDPD(alive, d1, d1)
	VADDPD(d1, at, at)
	VMOVUPD(at, row(s, fit.RowAt))
	VMOVUPD(row(s, fit.RowWide), e)
	v.choose(alive, t1, e, q)
	VMOVUPD(q, row(s, fit.RowWide))
	VANDPD(t2, alive, alive)
	VMOVUPD(alive, row(s, fit.RowAlive))
	v.signs(alive)
	Leave()
}

// node emits the evaluation of the integrand at a node; see block.node.
func (v vector) node(kind string, c fit.Fit) {
	name := kind + v.Name
	Routine("node"+name, "s, gap, r, acc *float64, n int, k float64, flags int) uint32", "is block.node.")
	s, gap, ratio := Argument("s"), Argument("gap"), Argument("r")
	n, flags := Argument("n"), Argument("flags")
	r := v.Numbered(0, 13)
	at, prodN, prodQ, square := r[0], r[1], r[2], r[3]
	u, p, q, e, t1, t2 := r[4], r[5], r[6], r[7], r[8], r[9]
	total, exponent := r[10], r[11]

	VBROADCASTSD(Address("k"), t1)
	VADDPD(row(s, fit.RowLead), t1, t1)
	VMOVUPD(row(s, fit.RowOrigin), at)
	VFMADD231PD(row(s, fit.RowUnit), t1, at)
	VXORPD(square, square, square)
	v.set(1, total)
	VXORPD(exponent, exponent, exponent)

	left, step := GP64(), GP64()
	MOVQ(n, left)
	next, loop, done := "nodeNext"+name, "nodeLoop"+name, "nodeDone"+name
	Label(next) // loop over chunks of classes
	TESTQ(left, left)
	JZ(LabelRef(done))
	MOVQ(U32(fit.Chunk), step)
	CMPQ(left, step)
	CMOVQLT(left, step)
	SUBQ(step, left)
	v.set(1, prodN)
	v.set(1, prodQ)
	Label(loop)
	v.psi(c, at, Mem{Base: gap}, square, u, p, q, e, t1, t2)
	VDIVPD(p, e, e)
	VMOVUPD(e, Mem{Base: ratio})
	VMULPD(p, prodN, prodN)
	VMULPD(q, prodQ, prodQ)
	ADDQ(I32(v.Bytes()), gap)
	ADDQ(I32(v.Bytes()), ratio)
	DECQ(step)
	JNZ(LabelRef(loop))
	VDIVPD(prodQ, prodN, prodN)
	VMULPD(prodN, total, total)
	// total = mantissa·2^exponent
	VPSRLQ(U8(52), total, t1)
	v.pick(VORPD, VORPD_BCST, value(1<<52), t1, t1)
	v.pick(VSUBPD, VSUBPD_BCST, value(1<<52+1023), t1, t1)
	VADDPD(t1, exponent, exponent)
	v.and(1<<52-1, total, total)
	v.pick(VORPD, VORPD_BCST, value(1), total, total)
	JMP(LabelRef(next))
	Label(done)

	TESTQ(U32(1), flags)
	rest := "nodeRest" + name
	JZ(LabelRef(rest))
	VMOVUPD(square, row(s, fit.RowBase))
	VMOVUPD(exponent, row(s, fit.RowExponent))
	VMOVUPD(total, row(s, fit.RowTop))
	v.set(1, t1)
	VDIVPD(total, t1, t1)
	VMOVUPD(t1, row(s, fit.RowScale))
	Label(rest)
	VSUBPD(row(s, fit.RowBase), square, square)
	VMOVUPD(row(s, fit.RowOrigin), t1) // e² − m² of the density of ε
	VSUBPD(t1, at, t2)
	VADDPD(t1, at, t1)
	VMULPD(row(s, fit.RowOwn), t2, t2)
	VFMADD231PD(t1, t2, square)
	VSUBPD(row(s, fit.RowExponent), exponent, exponent)
	v.add231(-2*math.Ln2, exponent, square)
	v.expHalf(c.Exp, square, t1, p)
	VMULPD(row(s, fit.RowScale), total, total)
	VMULPD(total, p, p)

	// A lane stays active while p > cut and e ≤ to.
	alive := r[12]
	VMOVUPD(row(s, fit.RowCut), t1)
	v.compare(greater, p, t1, alive)
	VMOVUPD(row(s, fit.RowTo), t2)
	v.compare(lessEqual, at, t2, t2)
	VANDPD(t2, alive, alive)
	VANDPD(row(s, fit.RowAlive), alive, alive)
	VMOVUPD(alive, row(s, fit.RowAlive))
	VANDPD(alive, p, p)
	VMOVUPD(p, row(s, fit.RowValue))
	VADDPD(row(s, fit.RowSum), p, t2)
	VMOVUPD(t2, row(s, fit.RowSum))

	TESTQ(U32(2), flags)
	end := "nodeEnd" + name
	JZ(LabelRef(end))
	acc := Argument("acc")
	Load(Param("r"), ratio)
	add := "nodeAdd" + name
	Label(add)
	VMOVUPD(Mem{Base: acc}, t1)
	VFMADD231PD(Mem{Base: ratio}, p, t1)
	VMOVUPD(t1, Mem{Base: acc})
	ADDQ(I32(v.Bytes()), acc)
	ADDQ(I32(v.Bytes()), ratio)
	DECQ(n)
	JNZ(LabelRef(add))
	Label(end)
	v.signs(alive)
	Leave()
}

func main() {
	ConstraintExpr("amd64,!purego")
	GLOBL("constants", RODATA|NOPTR)
	for _, set := range Both {
		v := vector{set}
		v.slope()
		v.node("", fit.Full)
		v.node("Fast", fit.Fast)
	}
	Generate()
}
