// Command kernel generates the assembly of the package mpcvm/kernel: sums over the
// features of pairs of samples, the exponential function of them, and what moves a
// finished tile to its place. It is run by go generate in that package.
//
// The arithmetic equals the Go code's, operation by operation: no product is
// fused with a sum, so that every path gives the same bits.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vector is a set of instructions.
type vector struct {
	name  string
	lanes int // float64 in a register
}

var avx2, avx512 = vector{"AVX2", 4}, vector{"AVX512", 8}

func (v vector) reg() reg.VecVirtual {
	if v == avx512 {
		return ZMM()
	}
	return YMM()
}

func (v vector) regs(n int) []reg.VecVirtual {
	list := make([]reg.VecVirtual, n)
	for i := range list {
		list[i] = v.reg()
	}
	return list
}

func (v vector) bytes() int { return 8 * v.lanes }

func main() {
	ConstraintExpr("amd64,!purego")
	for _, v := range []vector{avx2, avx512} {
		for _, t := range terms {
			sums(v, t)
		}
		decays(v)
	}
	transpose()
	narrow()
	Generate()
}

// function begins a function without a frame that keeps no pointer.
func function(name, doc, arguments string) {
	TEXT(name, NOSPLIT, "func("+arguments+")")
	Pragma("noescape")
	Doc(doc)
}

// elements loads an argument that counts float64 as a number of bytes.
func elements(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	SHLQ(U8(3), r)
	return r
}

func argument(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}
