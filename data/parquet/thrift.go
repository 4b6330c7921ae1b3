package parquet

import (
	"encoding/binary"
	"math"
)

// wire is how a value is written in Thrift's compact protocol.
type wire byte

const (
	wTrue wire = iota + 1 // of a field; in a list any boolean
	wFalse
	wByte
	wInt16
	wInt32
	wInt64
	wDouble
	wBinary
	wList
	wSet
	wMap
	wStruct
	wUUID
)

// field is a field of a struct as it is written: its number and how.
type field struct {
	id   int16
	wire wire
}

// compact reads Thrift's compact protocol. It believes no length beyond the bytes that
// are there and keeps nothing. Once it is bad, there are no more bytes and all that it
// reads is zero.
type compact struct {
	b     []byte
	bad   bool
	depth int
}

func (c *compact) fail() { c.b, c.bad = nil, true }

// take returns the next n bytes.
func (c *compact) take(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.fail()
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *compact) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *compact) unsigned() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return v
}

// integer reads a number of 16, 32 or 64 bits.
func (c *compact) integer() int64 { return zigzag(c.unsigned()) }

func zigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// size reads a number that must not be negative.
func (c *compact) size() int64 {
	n := c.integer()
	if n < 0 {
		c.fail()
		return 0
	}
	return n
}

// code reads a number of 32 bits.
func (c *compact) code() int32 {
	v := c.integer()
	if v < math.MinInt32 || v > math.MaxInt32 {
		c.fail()
		return 0
	}
	return int32(v)
}

// bytes reads a text, which stays where it is.
func (c *compact) bytes() []byte { return c.take(c.unsigned()) }

// list reads the head of a list or a set. Every element takes a byte at least.
func (c *compact) list() (n int, of wire) {
	head := c.byte()
	size := uint64(head >> 4)
	if size == 15 {
		size = c.unsigned()
	}
	if size > uint64(len(c.b)) {
		c.fail()
		return 0, 0
	}
	return int(size), wire(head & 15)
}

// enter is called before what may hold others of its kind.
func (c *compact) enter() {
	const deep = 32 // the footer of a Parquet file has some 8 levels
	if c.depth++; c.depth > deep {
		c.fail()
	}
}

// fields reads a struct: it calls read for each field, which must read or skip it.
func (c *compact) fields(read func(f field)) {
	c.enter()
	f := field{}
	for !c.bad {
		head := c.byte()
		if head == 0 {
			break
		}
		if step := head >> 4; step > 0 {
			f.id += int16(step)
		} else {
			f.id = int16(c.integer())
		}
		f.wire = wire(head & 15)
		read(f)
	}
	c.depth--
}

// structs reads a list of structs, each by read.
func (c *compact) structs(read func()) {
	n, of := c.list()
	if n > 0 && of != wStruct {
		c.fail()
	}
	for ; n > 0 && !c.bad; n-- {
		read()
	}
}

// skip leaves out the value of a field.
func (c *compact) skip(w wire) {
	if w != wTrue && w != wFalse { // a field's type is its value
		c.skipElement(w)
	}
}

func (c *compact) skipElement(w wire) {
	switch w {
	case wTrue, wFalse, wByte:
		c.byte()
	case wInt16, wInt32, wInt64:
		c.unsigned()
	case wDouble:
		c.take(8)
	case wUUID:
		c.take(16)
	case wBinary:
		c.bytes()
	case wList, wSet:
		n, of := c.list()
		c.skipElements(n, of, of)
	case wMap:
		n := c.unsigned()
		if n == 0 {
			return
		}
		kinds := c.byte()
		if n > uint64(len(c.b)) {
			c.fail()
			return
		}
		c.skipElements(int(n), wire(kinds>>4), wire(kinds&15))
	case wStruct:
		c.fields(func(f field) { c.skip(f.wire) })
	default:
		c.fail()
	}
}

// skipElements leaves out n elements of a list, or n keys and values in turn.
func (c *compact) skipElements(n int, first, second wire) {
	c.enter()
	for ; n > 0 && !c.bad; n-- {
		c.skipElement(first)
		if first != second {
			c.skipElement(second)
		}
	}
	c.depth--
}
