// Command kernel generates the assembly of package mpcvm/kernel: sums over the features of pairs of
// samples, the exponential function of these sums, and functions that copy a finished tile to its
// destination. It is run by go generate in that package.
//
// The arithmetic is the same as in the Go code, operation by operation, without fused multiply-add, so that
// all implementations give identical bits.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vector describes an instruction set.
type vector struct {
	name  string
	lanes int // number of float64 in a register
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

// function begins a function without a frame that does not retain pointers.
func function(name, doc, arguments string) {
	TEXT(name, NOSPLIT, "func("+arguments+")")
	Pragma("noescape")
	Doc(doc)
}

// elements loads an argument that counts float64 and converts it to bytes.
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
