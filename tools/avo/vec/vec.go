// Package vec contains what the generators of assembly share: registers of an instruction set, functions
// and their arguments.
package vec

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Set describes an instruction set: the suffix of its routines and the number of float64 in a register.
type Set struct {
	Name  string
	Lanes int
}

// The two instruction sets.
var (
	AVX2   = Set{"AVX2", 4}
	AVX512 = Set{"AVX512", 8}
)

// Both lists the instruction sets in the order in which they are generated.
var Both = []Set{AVX2, AVX512}

// Wide reports whether the instruction set is AVX-512.
func (v Set) Wide() bool { return v == AVX512 }

// Bytes returns the size of a register.
func (v Set) Bytes() int { return 8 * v.Lanes }

// Reg returns a virtual register.
func (v Set) Reg() reg.VecVirtual {
	if v.Wide() {
		return build.ZMM()
	}
	return build.YMM()
}

// Regs returns n virtual registers.
func (v Set) Regs(n int) []reg.VecVirtual {
	list := make([]reg.VecVirtual, n)
	for i := range list {
		list[i] = v.Reg()
	}
	return list
}

var physical = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12,
	reg.Z13, reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24,
	reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// Numbered returns n registers, starting with number i.
func (v Set) Numbered(i, n int) []reg.VecPhysical {
	list := append([]reg.VecPhysical(nil), physical[i:i+n]...)
	for p := range list {
		if !v.Wide() {
			list[p] = list[p].AsY().(reg.VecPhysical)
		}
	}
	return list
}

// Zero clears registers.
func Zero[R operand.Op](v Set, list ...R) {
	for _, r := range list {
		if v.Wide() {
			build.VPXORQ(r, r, r)
		} else {
			build.VXORPD(r, r, r)
		}
	}
}

// Routine begins a function without a frame that does not retain pointers. The documentation follows its
// name.
func Routine(name, signature, doc string) {
	build.TEXT(name, attr.NOSPLIT, "func("+signature)
	build.Pragma("noescape")
	build.Doc(name + " " + doc)
}

// Argument loads an argument.
func Argument(name string) reg.GPVirtual {
	r := build.GP64()
	build.Load(build.Param(name), r)
	return r
}

// Elements loads an argument that counts float64 and converts it to bytes.
func Elements(name string) reg.GPVirtual {
	r := Argument(name)
	build.SHLQ(operand.U8(3), r)
	return r
}

// Address returns the memory of an argument.
func Address(name string) operand.Mem {
	a, err := build.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return a.Addr
}

// Steps emits a loop over n in steps, which ends at the label end with the rest of n.
func Steps(label, end string, n reg.GPVirtual, step int, body func()) {
	build.Label(label)
	build.CMPQ(n, operand.U8(step))
	build.JL(operand.LabelRef(end))
	body()
	build.SUBQ(operand.U8(step), n)
	build.JMP(operand.LabelRef(label))
}

// Each emits a loop that counts n down to zero, unless the last instruction has found that n is zero.
func Each(label, end string, n reg.GPVirtual, body func()) {
	build.JZ(operand.LabelRef(end))
	build.Label(label)
	body()
	build.DECQ(n)
	build.JNZ(operand.LabelRef(label))
	build.Label(end)
}

// Leave ends a function.
func Leave() {
	build.VZEROUPPER()
	build.RET()
}
