// Command wasm generates the vector instructions of WebAssembly for a module: functions that compute in the
// memory of a Go program. They use no relaxed instructions, so they have the same bits in every browser.
package main

import (
	"encoding/binary"
	"math"
	"os"
	"slices"

	"github.com/mpcvm/mpcvm/tools/avo/fit"
)

// Types of values.
const i32, f64, v128 = 0x7f, 0x7c, 0x7b

// code is a sequence of instructions, most of which leave a value.
type code []byte

func join(parts ...code) code { return slices.Concat(parts...) }

// number encodes an unsigned number.
func number(n int) code { return binary.AppendUvarint(nil, uint64(n)) }

// list encodes a vector of n elements, or a section with its size.
func list(n int, elements ...code) code { return join(number(n), join(elements...)) }

func section(id byte, content code) code { return join(code{id}, list(len(content), content)) }

// function is a function with its code so far.
type function struct {
	name                    string
	params, results, locals code // types
	code
}

var functions []*function

// define begins a function whose parameters are integers (i) and numbers (f), and returns them.
func define(name, params string, results ...byte) (f *function, values []code) {
	f = &function{name: name, results: results}
	functions = append(functions, f)
	for i, p := range params {
		f.params = append(f.params, map[rune]byte{'i': i32, 'f': f64}[p])
		values = append(values, join(code{0x20}, number(i)))
	}
	return f, values
}

func (f *function) do(c ...code) { f.code = append(f.code, join(c...)...) }

// let returns a new variable with a value, as the code that gets it.
func (f *function) let(kind byte, value code) code {
	f.locals = append(f.locals, kind)
	x := join(code{0x20}, number(len(f.params)+len(f.locals)-1))
	f.set(x, value)
	return x
}

func (f *function) set(x, value code) { f.do(value, code{0x21}, x[1:]) }

// loop emits a loop that is repeated while the condition returned by body is not zero.
func (f *function) loop(body func() (again code)) {
	f.do(code{0x03, 0x40})
	f.do(body(), code{0x0d, 0, 0x0b})
}

// when emits code for the case that the condition is not zero.
func (f *function) when(condition code, body func()) {
	f.do(condition, code{0x04, 0x40})
	body()
	f.do(code{0x0b})
}

// step adds to an integer variable.
func (f *function) step(x code, by int) { f.set(x, plus(x, integer(by))) }

func integer(n int) code { // signed
	c := code{0x41}
	for n < -64 || n >= 64 {
		c, n = append(c, byte(n)|0x80), n>>7
	}
	return append(c, byte(n)&0x7f)
}

var zero = code{0x44, 0, 0, 0, 0, 0, 0, 0, 0} // the number

// operation returns a function that emits operands and then an instruction.
func operation(instruction int) func(...code) code {
	return func(operands ...code) code { return join(join(operands...), code{byte(instruction)}) }
}

// vector does the same for an instruction on vectors.
func vector(instruction int) func(...code) code {
	last := join(code{0xfd}, number(instruction))
	return func(operands ...code) code { return join(join(operands...), last) }
}

// Operations. lesser(a, b) is b < a ? b : a, greater(a, b) is a < b ? b : a, pick(a, b, mask) is
// mask ? a : b, and choose(a, b, condition) does the same for integers.
var (
	plus, minus, or          = operation(0x6a), operation(0x6b), operation(0x72)
	both, shift, below       = operation(0x71), operation(0x74), operation(0x48)
	choose, sum, differ      = operation(0x1b), operation(0xa0), operation(0x62)
	equal, atLeastI          = operation(0x46), operation(0x4e)
	splat, pick, signs       = vector(0x14), vector(0x52), vector(0xc4)
	less, above, atMost      = vector(0x49), vector(0x4a), vector(0x4b)
	atLeast, lesser, greater = vector(0x4c), vector(0xf6), vector(0xf7)
	and, andNot, anyOf, xor  = vector(0x4e), vector(0x4f), vector(0x50), vector(0x51)
	left, right              = vector(0xcb), vector(0xcd)
	addBits, subBits         = vector(0xce), vector(0xd1)
	abs, neg, sqrt           = vector(0xec), vector(0xed), vector(0xef)
	add, sub, mul, div       = vector(0xf0), vector(0xf1), vector(0xf2), vector(0xf3)
	addSingle, mulSingle     = vector(0xe4), vector(0xe6)
)

// access returns the function of an instruction that loads from an address, with an alignment of 2ⁿ bytes.
func access(n byte, instruction ...byte) func(at code, offset int) code {
	return func(at code, offset int) code { return join(at, instruction, code{n}, number(offset)) }
}

// load returns a vector, loadOne a vector with a number in the first lane and zero in the second, spread a
// vector with a number in both lanes, and loadI an integer.
var (
	load, loadOne = access(3, 0xfd, 0), access(3, 0xfd, 0x5d)
	spread, loadI = access(3, 0xfd, 10), access(2, 0x28)
)

// loadSingle returns a vector with a float32 in the first lane; promote converts two of them to float64.
var loadSingle, promote = access(2, 0xfd, 0x5c), vector(0x5f)

func (f *function) store(at code, offset int, value code) {
	f.do(at, value, code{0xfd, 11, 3}, number(offset))
}

// storeOne stores the first lane.
func (f *function) storeOne(at code, offset int, value code) {
	f.do(at, value, code{0xfd, 0x5b, 3}, number(offset), code{0})
}

// first returns the first lane.
func first(v code) code { return join(v, code{0xfd, 0x21, 0}) }

// lanes returns a vector with two of the four lanes of a and b.
func lanes(a, b code, i, j int) code {
	c := join(a, b, code{0xfd, 13})
	for n := range 8 {
		c = append(c, byte(8*i+n))
	}
	for n := range 8 {
		c = append(c, byte(8*j+n))
	}
	return c
}

// bitsOf returns a vector with the same bits in both lanes.
func bitsOf(b uint64) code {
	eight := binary.LittleEndian.AppendUint64(nil, b)
	return join(code{0xfd, 12}, eight, eight)
}

func value(x float64) code { return bitsOf(math.Float64bits(x)) }

// binaries returns the module.
func binaries() code {
	var types, indexes, exports, bodies code
	for i, f := range functions {
		types = append(types, join(code{0x60}, list(len(f.params), f.params), list(len(f.results), f.results))...)
		indexes = append(indexes, number(i)...)
		exports = append(exports, join(list(len(f.name), code(f.name)), code{0}, number(i))...)
		var locals code
		for _, k := range f.locals {
			locals = append(locals, 1, k)
		}
		body := join(list(len(f.locals), locals), f.code, code{0x0b})
		bodies = append(bodies, list(len(body), body)...)
	}
	n := len(functions)
	return join(code("\x00asm\x01\x00\x00\x00"), section(1, list(n, types)),
		section(2, code("\x01\x02go\x03mem\x02\x00\x00")), section(3, list(n, indexes)),
		section(7, list(n, exports)), section(10, list(n, bodies)))
}

func main() {
	slope()
	node("node", fit.Full)
	node("nodeFast", fit.Fast)
	panel(doubles)
	panel(singles)
	divide()
	dot()
	combine(doubles)
	combine(singles)
	multiply(doubles)
	multiply(singles)
	sums()
	decays()
	if err := os.WriteFile(os.Args[1], binaries(), 0o666); err != nil {
		panic(err)
	}
}
