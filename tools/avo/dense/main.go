// Command dense generates the assembly of mpcvm/internal/dense: each routine for AVX2 and for AVX-512 from
// one description.
package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/mpcvm/mpcvm/tools/avo/vec"
)

// vector generates the routines for an instruction set.
type vector struct{ Set }

func main() {
	ConstraintExpr("amd64,!purego")
	masks = maskTable()
	for _, set := range Both {
		v := vector{set}
		v.divide()
		v.dot()
		for _, single := range []bool{false, true} {
			v.panel(single)
			v.mul(single)
			for _, rows := range []int{4, 1} {
				v.combine(rows, single)
			}
		}
		v.widen()
	}
	Generate()
}

// masks is a table of four numbers with all bits set, followed by four zeros: a mask for the first n of
// four lanes starts at index 4−n.
var masks Mem

func maskTable() Mem {
	m := GLOBL("masks", attr.RODATA|attr.NOPTR)
	for i := range 8 {
		x := uint64(math.MaxUint64)
		if i >= 4 {
			x = 0
		}
		DATA(8*i, U64(x))
	}
	return m
}

// at returns the memory operand base + index·scale + disp.
func at(base, index reg.Register, scale uint8, disp int) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

func local() Mem { return AllocLocal(8) }

// keep stores an argument, shifted to the left.
func keep(name string, shift uint8, to Mem, r reg.GPVirtual) {
	Load(Param(name), r)
	SHLQ(U8(shift), r)
	MOVQ(r, to)
}

// first sets an opmask to the n lowest lanes, n < 64.
func first(n reg.GPVirtual) reg.OpmaskVirtual {
	MOVQ(n, reg.RCX)
	x, k := GP64(), K()
	MOVQ(U32(1), x)
	SHLQ(reg.CL, x)
	DECQ(x)
	KMOVQ(x, k)
	return k
}

// access loads and stores the first lanes of a register.
type access struct{ load, store func(...Op) }

// lanes returns access by a mask for at most 4 lanes in a register of AVX2.
func lanes(number func() reg.GPVirtual, mask reg.Register) access {
	table := GP64()
	LEAQ(masks.Offset(32), table)
	n := number()
	NEGQ(n)
	VMOVUPD(at(table, n, 8, 0), mask)
	return access{func(o ...Op) { VMASKMOVPD(o[0], mask, o[1]) }, func(o ...Op) { VMASKMOVPD(o[0], mask, o[1]) }}
}

// by returns access by an opmask.
func by(k Op) access {
	return access{func(o ...Op) { VMOVUPD_Z(o[0], k, o[1]) }, func(o ...Op) { VMOVUPD(o[0], k, o[1]) }}
}

// panel generates the most important routine: m rows of A against nb rows of B, with nb up to the number of
// lanes of a register. It processes three rows of A at a time, then two or one. Each pair of rows has its
// own register of partial sums, which is reduced at the end. If nb is smaller than the number of lanes, the
// last row of B is repeated. The routine computes C = A·Bᵀ if do is 0, C += A·Bᵀ if it is 1, and C −= A·Bᵀ
// if it is 2.
func (v vector) panel(single bool) {
	suffix, kind, size := numbers(single)
	Routine("panel"+suffix+v.Name, "do int, c *float64, ldc int, a *"+kind+", lda int, m int, b *"+kind+
		", ldb int, nb int, k int)", fmt.Sprintf("is panel for nb of 1 to %d and k > 0.", v.Lanes))
	bits, multiplyAdd := uint8(3), VFMADD231PD
	if single {
		bits, multiplyAdd = 2, VFMADD231PS
	}
	start, lda, ldc, rows, tail := local(), local(), local(), local(), local()

	nb := Argument("nb")
	var columns access
	if v.Wide() {
		columns = by(first(nb))
	}
	ld := Argument("ldb")
	SHLQ(U8(bits), ld)
	b := make([]reg.GPVirtual, v.Lanes)
	b[0] = Argument("b")
	for i := 1; i < v.Lanes; i++ {
		b[i] = GP64()
		LEAQ(at(b[i-1], ld, 1, 0), b[i])
		CMPQ(nb, U8(i))
		CMOVQLE(b[i-1], b[i])
	}

	// Full registers of terms, addressed by an index that rises to zero.
	k := Argument("k")
	rest := GP64()
	MOVQ(k, rest)
	ANDQ(U8(v.Bytes()/size-1), rest)
	var inside reg.OpmaskVirtual
	if v.Wide() {
		inside = first(rest)
	}
	SUBQ(rest, k)
	SHLQ(U8(bits), k)
	SHLQ(U8(bits), rest)
	MOVQ(rest, tail)
	for i := range b {
		ADDQ(k, b[i])
	}
	a := []reg.GPVirtual{GP64(), GP64(), GP64()}
	Load(Param("a"), a[0])
	ADDQ(k, a[0])
	NEGQ(k)
	MOVQ(k, start)
	index := GP64()
	keep("lda", bits, lda, index)
	keep("ldc", 3, ldc, index)
	keep("m", 0, rows, index)
	c := Argument("c")

	for _, r := range []int{3, 2, 1} {
		label := func(s string) string { return fmt.Sprintf("%s%d", s, r) }
		Label(label("rows"))
		CMPQ(rows, U8(r))
		JLT(LabelRef(label("fewer")))
		if r > 1 {
			MOVQ(lda, index)
			LEAQ(at(a[0], index, 1, 0), a[1])
		}
		if r > 2 {
			LEAQ(at(a[0], index, 2, 0), a[2])
		}
		sum := make([][]reg.VecPhysical, r)
		for i := range sum {
			sum[i] = v.Numbered(v.Lanes*i, v.Lanes)
			Zero(v.Set, sum[i]...)
		}
		free := v.Numbered(3*v.Lanes, 4) // AVX2 has no more registers
		MOVQ(start, index)
		TESTQ(index, index)
		JZ(LabelRef(label("tail")))

		Label(label("terms"))
		for i := 0; i < v.Lanes*v.Bytes() && single; i += 64 { // the next rows of 256 columns
			PREFETCHT0(at(b[0], index, uint8(v.Lanes), 4*256*(2*v.Lanes-1)+i))
		}
		v.products(multiplyAdd, sum, free, a, b, index, func(from Mem, to reg.VecPhysical) { VMOVUPD(from, to) })
		ADDQ(U8(v.Bytes()), index)
		JNZ(LabelRef(label("terms")))

		Label(label("tail"))
		CMPQ(tail, U8(0))
		JEQ(LabelRef(label("reduce")))
		if v.Wide() {
			v.products(multiplyAdd, sum, free, a, b, index, func(from Mem, to reg.VecPhysical) {
				if single {
					VMOVUPS_Z(from, inside, to)
				} else {
					VMOVUPD_Z(from, inside, to)
				}
			})
		} else {
			Label(label("term")) // one at a time, in the first lane
			v.products(multiplyAdd, sum, free, a, b, index, func(from Mem, to reg.VecPhysical) {
				Zero(v.Set, to) // tells the generator that the old value is not used
				if single {
					VMOVSS(from, to.AsX())
				} else {
					VMOVSD(from, to.AsX())
				}
			})
			ADDQ(U8(size), index)
			CMPQ(index, tail)
			JLT(LabelRef(label("term")))
		}

		Label(label("reduce"))
		for i := range sum {
			if single {
				v.fold(sum[i], free[0])
			}
			v.reduce(sum[i], free[0])
		}
		MOVQ(ldc, index)
		line := func(i int) Mem {
			if i == 0 {
				return Mem{Base: c}
			}
			return at(c, index, uint8(i), 0)
		}
		if !v.Wide() {
			columns = lanes(func() reg.GPVirtual { return Argument("nb") }, free[1])
		}
		CMPQ(Address("do"), U8(1))
		JEQ(LabelRef(label("add")))
		JGT(LabelRef(label("sub")))
		for i := range sum {
			columns.store(sum[i][0], line(i))
		}
		JMP(LabelRef(label("next")))
		for _, name := range []string{"add", "sub"} {
			Label(label(name))
			for i := range sum {
				old := free[0]
				columns.load(line(i), old)
				if name == "add" {
					VADDPD(sum[i][0], old, old)
				} else {
					VSUBPD(sum[i][0], old, old)
				}
				columns.store(old, line(i))
			}
			if name == "add" {
				JMP(LabelRef(label("next")))
			}
		}

		Label(label("next"))
		for range r {
			ADDQ(index, c)
		}
		for range r {
			ADDQ(lda, a[0])
		}
		SUBQ(U8(r), rows)
		if r == 3 {
			JMP(LabelRef(label("rows")))
		}
		Label(label("fewer"))
	}
	Leave()
}

// products adds the products of two registers to each sum.
func (v vector) products(multiplyAdd func(...Op), sum [][]reg.VecPhysical, free []reg.VecPhysical,
	a, b []reg.GPVirtual, index reg.GPVirtual, load func(Mem, reg.VecPhysical)) {
	x, y := free[:len(sum)], free[3]
	for i := range x {
		load(at(a[i], index, 1, 0), x[i])
	}
	for j := range b {
		load(at(b[j], index, 1, 0), y)
		for i := range x {
			multiplyAdd(y, x[i], sum[i][j])
		}
	}
}

// fold converts registers of float32 to float64 and adds their upper halves to their lower ones.
func (v vector) fold(s []reg.VecPhysical, t reg.VecPhysical) {
	for _, x := range s {
		if v.Wide() {
			VEXTRACTF64X4(U8(1), x, t.AsY())
			VCVTPS2PD(t.AsY(), t)
			VCVTPS2PD(x.AsY(), x)
		} else {
			VEXTRACTF128(U8(1), x, t.AsX())
			VCVTPS2PD(t.AsX(), t)
			VCVTPS2PD(x.AsX(), x)
		}
		VADDPD(t, x, x)
	}
}

// reduce sums each register over its lanes and stores the sums in the lanes of the first register. It adds
// halves in the same order for all registers.
func (v vector) reduce(s []reg.VecPhysical, t reg.VecPhysical) {
	if !v.Wide() {
		VHADDPD(s[1], s[0], s[0])
		VHADDPD(s[3], s[2], s[2])
		VPERM2F128(U8(0x31), s[2], s[0], s[1])
		VPERM2F128(U8(0x20), s[2], s[0], s[0])
		VADDPD(s[1], s[0], s[0])
		return
	}
	for i := 0; i < 8; i += 2 {
		VUNPCKHPD(s[i+1], s[i], t)
		VUNPCKLPD(s[i+1], s[i], s[i])
		VADDPD(t, s[i], s[i])
	}
	for _, p := range [][2]int{{0, 2}, {4, 6}, {0, 4}} {
		VSHUFF64X2(U8(0xdd), s[p[1]], s[p[0]], t)
		VSHUFF64X2(U8(0x88), s[p[1]], s[p[0]], s[p[0]])
		VADDPD(t, s[p[0]], s[p[0]])
	}
}

// divide generates the substitution in a diagonal block: x := (x − Σ)∘r, one row of V at a time with its
// entries in the lanes of a register. The table t contains r, the inverses of the diagonal, followed by the
// columns of L below the diagonal, with each row divided by its diagonal entry.
func (v vector) divide() {
	Routine("divide"+v.Name, "x *float64, ldx int, m int, n int, t *float64)",
		fmt.Sprintf("is divide for n of 1 to %d, with the table of columns t.", v.Lanes))
	n, t := Argument("n"), Argument("t")
	column := v.Regs(v.Lanes)
	for i := range column {
		VMOVUPD(Mem{Base: t, Disp: i * v.Bytes()}, column[i])
	}
	var lane []reg.VecVirtual
	var columns access
	if v.Wide() {
		columns = by(first(n))
		lane = v.Regs(v.Lanes - 1)
		for p := range lane {
			i := GP64()
			MOVQ(U32(p), i)
			VPBROADCASTQ(i, lane[p])
		}
	} else {
		columns = lanes(func() reg.GPVirtual { return n }, YMM())
	}
	x, m, ld := Argument("x"), Argument("m"), Argument("ldx")
	SHLQ(U8(3), ld)
	TESTQ(m, m)
	JZ(LabelRef("done"))
	Label("row")
	row, b := v.Reg(), v.Reg()
	columns.load(Mem{Base: x}, row)
	VMULPD(column[0], row, row)
	for p := range v.Lanes - 1 {
		if v.Wide() {
			VPERMPD(row, lane[p], b)
		} else {
			VPERMPD(U8(p*0x55), row, b)
		}
		VFNMADD231PD(column[p+1], b, row)
	}
	columns.store(row, Mem{Base: x})
	ADDQ(ld, x)
	DECQ(m)
	JNZ(LabelRef("row"))
	Label("done")
	Leave()
}

// numbers returns the name, type and size of the elements in the rows of combine.
func numbers(single bool) (suffix, kind string, size int) {
	if single {
		return "Single", "float32", 4
	}
	return "", "float64", 8
}

// load loads a register of numbers into x, converting float32 to float64.
func (v vector) load(from Mem, single bool, x Op) {
	if single {
		VCVTPS2PD(from, x)
	} else {
		VMOVUPD(from, x)
	}
}

// scalar loads a number into the first lane of x and clears the others.
func scalar(from Mem, single bool, x reg.VecVirtual) {
	if single {
		VMOVSS(from, x.AsX())
		VCVTSS2SD(x.AsX(), x.AsX(), x.AsX())
	} else {
		VMOVSD(from, x.AsX())
	}
}

// loop emits a loop over n in steps, which leaves the rest of n.
func loop(label, end string, n reg.GPVirtual, step int, body func()) {
	Label(label)
	SUBQ(U32(step), n)
	JLT(LabelRef(end))
	body()
	JMP(LabelRef(label))
	Label(end)
	ADDQ(U32(step), n)
}

// dot generates xᵀy, with four registers of sums, then one, then the remaining numbers one at a time.
func (v vector) dot() {
	Routine("dot"+v.Name, "x *float64, y *float64, n int) float64", "is xᵀy of n numbers.")
	x, y, n := Argument("x"), Argument("y"), Argument("n")
	const unroll = 4
	sum := v.Numbered(0, unroll)
	Zero(v.Set, sum...)
	step := func(k int) {
		for i := range k {
			a, b := v.Reg(), v.Reg()
			VMOVUPD(Mem{Base: x, Disp: i * v.Bytes()}, a)
			VMOVUPD(Mem{Base: y, Disp: i * v.Bytes()}, b)
			VFMADD231PD(a, b, sum[i])
		}
		ADDQ(U32(k*v.Bytes()), x)
		ADDQ(U32(k*v.Bytes()), y)
	}
	loop("four", "ones", n, unroll*v.Lanes, func() { step(unroll) })
	loop("one", "rest", n, v.Lanes, func() { step(1) })
	VADDPD(sum[1], sum[0], sum[0])
	VADDPD(sum[3], sum[2], sum[2])
	VADDPD(sum[2], sum[0], sum[0])
	low := sum[0].AsY()
	if v.Wide() {
		VEXTRACTF64X4(U8(1), sum[0], sum[1].AsY())
		VADDPD(sum[1].AsY(), low, low)
	}
	VEXTRACTF128(U8(1), low, sum[1].AsX())
	VADDPD(sum[1].AsX(), sum[0].AsX(), sum[0].AsX())
	VHADDPD(sum[0].AsX(), sum[0].AsX(), sum[0].AsX())
	TESTQ(n, n)
	Each("number", "done", n, func() {
		a, b := v.Reg(), v.Reg()
		scalar(Mem{Base: x}, false, a)
		scalar(Mem{Base: y}, false, b)
		VFMADD231SD(a.AsX(), b.AsX(), sum[0].AsX())
		ADDQ(U8(8), x)
		ADDQ(U8(8), y)
	})
	Store(sum[0].AsX(), ReturnIndex(0))
	Leave()
}

// combine generates y += Σ_i w_i·row_i for a given number of rows.
func (v vector) combine(rows int, single bool) {
	suffix, kind, size := numbers(single)
	name := fmt.Sprintf("combine%d%s%s", rows, suffix, v.Name)
	Routine(name, "y *float64, n int, w *[4]float64, rows *[4]*"+kind+")",
		fmt.Sprintf("does y += Σ_i w_i·rows_i for the first %d of rows, of n numbers.", rows))
	y, n := Argument("y"), Argument("n")
	w, list := Argument("w"), Argument("rows")
	weight, row := v.Regs(rows), make([]reg.GPVirtual, rows)
	for i := range row {
		row[i] = GP64()
		MOVQ(Mem{Base: list, Disp: 8 * i}, row[i])
		VBROADCASTSD(Mem{Base: w, Disp: 8 * i}, weight[i])
	}
	index := GP64()
	XORQ(index, index)
	step := func(k int) {
		acc := v.Regs(k)
		for p := range acc {
			VMOVUPD(at(y, index, 8, p*v.Bytes()), acc[p])
		}
		for i := range row {
			for p := range acc {
				from := at(row[i], index, uint8(size), p*v.Lanes*size)
				if single {
					x := v.Reg()
					v.load(from, single, x)
					VFMADD231PD(x, weight[i], acc[p])
				} else {
					VFMADD231PD(from, weight[i], acc[p])
				}
			}
		}
		for p := range acc {
			VMOVUPD(acc[p], at(y, index, 8, p*v.Bytes()))
		}
		ADDQ(U32(k*v.Lanes), index)
	}
	const unroll = 4
	for _, k := range []int{unroll, 1} {
		label := fmt.Sprintf("by%d", k)
		loop(label, label+"end", n, k*v.Lanes, func() { step(k) })
	}
	TESTQ(n, n)
	Each("number", "done", n, func() {
		acc := v.Reg()
		VMOVSD(at(y, index, 8, 0), acc.AsX())
		for i := range row {
			x := v.Reg()
			scalar(at(row[i], index, uint8(size), 0), single, x)
			VFMADD231SD(x.AsX(), weight[i].AsX(), acc.AsX())
		}
		VMOVSD(acc.AsX(), at(y, index, 8, 0))
		INCQ(index)
	})
	Leave()
}

// mul generates C += A·B for m rows of A and a few registers of columns of B. It processes some rows of A
// at a time; each sum has its own lane, to which the terms are added in order.
func (v vector) mul(single bool) {
	suffix, kind, size := numbers(single)
	count := v.Lanes / 2 // registers of columns
	Routine("mul"+suffix+v.Name, "c *float64, ldc int, a *float64, lda int, m int, b *"+kind+", ldb int, k int)",
		fmt.Sprintf("does C += A·B for %d columns of B, and k > 0.", count*v.Lanes))
	next, rows, start, terms := local(), local(), local(), local()
	keep("a", 0, next, GP64())
	keep("m", 0, rows, GP64())
	keep("b", 0, start, GP64())
	keep("k", 0, terms, GP64())
	lda, ldb, ldc := Argument("lda"), Argument("ldb"), Argument("ldc")
	SHLQ(U8(3), lda)
	SHLQ(U8(3), ldc)
	SHLQ(U8(size/4+1), ldb)
	c := Argument("c")
	a, a3, b, k, to := GP64(), GP64(), GP64(), GP64(), GP64()
	for _, r := range []int{6, 4, 2, 1} {
		label := func(s string) string { return fmt.Sprintf("%s%d", s, r) }
		sum := make([][]reg.VecPhysical, r)
		for i := range sum {
			sum[i] = v.Numbered(count*i, count)
		}
		x, y := v.Numbered(count*r, count), v.Numbered(count*(r+1), 1)[0]
		each := func(f func(m Mem, s reg.VecPhysical)) {
			MOVQ(c, to)
			for i := range sum {
				for p, s := range sum[i] {
					f(Mem{Base: to, Disp: p * v.Bytes()}, s)
				}
				if i+1 < r {
					ADDQ(ldc, to)
				}
			}
		}
		Label(label("rows"))
		CMPQ(rows, U8(r))
		JLT(LabelRef(label("fewer")))
		each(func(m Mem, s reg.VecPhysical) { VMOVUPD(m, s) })
		MOVQ(next, a)
		LEAQ(at(a, lda, 2, 0), a3)
		ADDQ(lda, a3)
		MOVQ(start, b)
		MOVQ(terms, k)
		Label(label("term"))
		for p := range x {
			v.load(Mem{Base: b, Disp: p * v.Lanes * size}, single, x[p])
		}
		for i := range sum {
			base := a
			if i >= 3 {
				base = a3
			}
			from := Mem{Base: base}
			if i%3 > 0 {
				from = at(base, lda, uint8(i%3), 0)
			}
			VBROADCASTSD(from, y)
			for p := range x {
				VFMADD231PD(x[p], y, sum[i][p])
			}
		}
		ADDQ(U8(8), a)
		ADDQ(U8(8), a3)
		ADDQ(ldb, b)
		DECQ(k)
		JNZ(LabelRef(label("term")))
		each(func(m Mem, s reg.VecPhysical) { VMOVUPD(s, m) })
		LEAQ(at(to, ldc, 1, 0), c)
		MOVQ(next, a)
		for range r {
			ADDQ(lda, a)
		}
		MOVQ(a, next)
		SUBQ(U8(r), rows)
		JMP(LabelRef(label("rows")))
		Label(label("fewer"))
	}
	Leave()
}

// widen generates the conversion of float32 to float64.
func (v vector) widen() {
	Routine("widen"+v.Name, "dst *float64, src *float32, n int)", "copies n numbers.")
	dst, src, n := Argument("dst"), Argument("src"), Argument("n")
	loop("vector", "rest", n, v.Lanes, func() {
		x := v.Reg()
		VCVTPS2PD(Mem{Base: src}, x)
		VMOVUPD(x, Mem{Base: dst})
		ADDQ(U8(4*v.Lanes), src)
		ADDQ(U8(8*v.Lanes), dst)
	})
	Each("number", "done", n, func() {
		one := v.Reg()
		scalar(Mem{Base: src}, true, one)
		VMOVSD(one.AsX(), Mem{Base: dst})
		ADDQ(U8(4), src)
		ADDQ(U8(8), dst)
	})
	Leave()
}
