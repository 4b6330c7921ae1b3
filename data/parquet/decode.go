package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Pages are decoded as their values are asked for: what is held is the page as it is
// in the file, decompressed, however many values it says to have.

// words are values of a page that are numbers of at most 64 bits, as they are in
// memory: those of 32 bits have zeros above, booleans are 0 and 1.
type words interface {
	// read reads the next len(dst) of them. Where the page ends before, or is
	// damaged, it reports false.
	read(dst []uint64) bool
}

// pieces are values of a page that are bytes.
type pieces interface {
	// next returns the next one, which holds until the next call.
	next() ([]byte, error)
}

// plainWords are numbers side by side.
type plainWords struct {
	b     []byte
	width int // bytes: 4 or 8
}

func (p *plainWords) read(dst []uint64) bool {
	if len(dst) > len(p.b)/p.width {
		return false
	}
	b := p.b[:len(dst)*p.width]
	p.b = p.b[len(b):]
	if p.width == 8 {
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		return true
	}
	for i := range dst {
		dst[i] = uint64(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return true
}

// splitWords are numbers whose first bytes come first, then their second ones.
type splitWords struct {
	b        []byte
	width, i int
}

func (p *splitWords) read(dst []uint64) bool {
	n := len(p.b) / p.width
	if len(dst) > n-p.i {
		return false
	}
	clear(dst)
	for k := range p.width {
		for i, b := range p.b[k*n+p.i:][:len(dst)] {
			dst[i] |= uint64(b) << (8 * k)
		}
	}
	p.i += len(dst)
	return true
}

// bits are booleans side by side, the first in the lowest bit.
type bits struct {
	b []byte
	i int
}

func (p *bits) read(dst []uint64) bool {
	if len(dst) > 8*len(p.b)-p.i {
		return false
	}
	for j := range dst {
		dst[j] = uint64(p.b[p.i/8] >> (p.i % 8) & 1)
		p.i++
	}
	return true
}

// hybrid are runs of equal numbers, and numbers packed to width bits.
type hybrid struct {
	b     []byte
	width int // 0 to 32

	left   uint64 // values of the run being read
	value  uint64 // that of all, if packed is nil
	packed []byte
	bit    int // of packed
}

func (h *hybrid) read(dst []uint64) bool {
	for len(dst) > 0 {
		if h.left == 0 {
			if !h.run() {
				return false
			}
			continue
		}
		part := dst[:min(uint64(len(dst)), h.left)]
		if h.packed == nil {
			for i := range part {
				part[i] = h.value
			}
		} else {
			unpack(part, h.packed, h.bit, h.width)
			h.bit += len(part) * h.width
		}
		h.left -= uint64(len(part))
		dst = dst[len(part):]
	}
	return true
}

// run starts the next run.
func (h *hybrid) run() bool {
	head, n := binary.Uvarint(h.b)
	if n <= 0 {
		return false
	}
	h.b = h.b[n:]
	h.packed, h.value, h.left = nil, 0, head>>1
	switch {
	case head&1 == 0: // of equal values
		size := (h.width + 7) / 8
		if size > len(h.b) {
			return false
		}
		for i, b := range h.b[:size] {
			h.value |= uint64(b) << (8 * i)
		}
		h.value &= 1<<h.width - 1 // parquet-go writes 255 for true
		h.b = h.b[size:]
	case h.width == 0:
		h.left = min(h.left, math.MaxUint64/8) * 8
	default: // groups of 8, the last of which may be cut
		groups := min(h.left, uint64(len(h.b)/h.width)+1)
		h.packed = h.b[:min(groups*uint64(h.width), uint64(len(h.b)))]
		h.left = min(groups*8, uint64(8*len(h.packed)/h.width))
		h.b, h.bit = h.b[len(h.packed):], 0
	}
	return true
}

// unpack reads numbers of width bits, at most 64, that lie side by side from a bit on,
// each from its lowest bit.
func unpack(dst []uint64, b []byte, bit, width int) {
	mask := uint64(1)<<width - 1
	if width == 64 {
		mask = math.MaxUint64
	}
	for i := range dst {
		at, shift := bit/8, bit%8
		if at+8 <= len(b) && shift+width <= 64 {
			dst[i] = binary.LittleEndian.Uint64(b[at:]) >> shift & mask
		} else {
			var near [16]byte
			copy(near[:], b[min(at, len(b)):])
			v := binary.LittleEndian.Uint64(near[:]) >> shift
			if shift > 0 {
				v |= binary.LittleEndian.Uint64(near[8:]) << (64 - shift)
			}
			dst[i] = v & mask
		}
		bit += width
	}
}

// delta are numbers of which the first is given and then, in blocks, differences: what
// exceeds the least of a block, packed, in as many bits as each part of the block needs.
type delta struct {
	b     []byte
	mask  uint64 // of 32 or 64 bits
	left  uint64 // values that are not read
	value uint64 // the last one
	first bool   // it is not read

	parts  int    // of a block
	size   int    // values of a part
	least  uint64 // of the block
	widths []byte // of its parts that are not read
	packed []byte // the part being read
	bit    int    // of it
	width  int
	inPart int // values of it that are not read
}

// newDelta reads the head of numbers of 32 or 64 bits.
func newDelta(b []byte, bits int) (*delta, error) {
	const most = 1 << 24 // values of a block; writers have some hundred
	c := compact{b: b}
	block, parts, left, first := c.unsigned(), c.unsigned(), c.unsigned(), c.integer()
	if c.bad || block > most || parts == 0 || block%parts != 0 || block/parts == 0 || block/parts%8 != 0 {
		return nil, fmt.Errorf("%w: the head of a page of differences", errDamaged)
	}
	return &delta{b: c.b, mask: math.MaxUint64 >> (64 - bits), left: left, value: uint64(first), first: true,
		parts: int(parts), size: int(block / parts)}, nil
}

func (d *delta) read(dst []uint64) bool {
	if uint64(len(dst)) > d.left {
		return false
	}
	d.left -= uint64(len(dst))
	if d.first && len(dst) > 0 {
		dst[0] = d.value & d.mask
		dst, d.first = dst[1:], false
	}
	for len(dst) > 0 {
		if d.inPart == 0 && !d.part() {
			return false
		}
		part := dst[:min(len(dst), d.inPart)]
		if d.bit+len(part)*d.width > 8*len(d.packed) {
			return false
		}
		unpack(part, d.packed, d.bit, d.width)
		for i, excess := range part {
			d.value += d.least + excess
			part[i] = d.value & d.mask
		}
		d.bit += len(part) * d.width
		d.inPart -= len(part)
		dst = dst[len(part):]
	}
	return true
}

// part starts the next part. The last of a page may be cut.
func (d *delta) part() bool {
	if len(d.widths) == 0 {
		c := compact{b: d.b}
		d.least = uint64(c.integer())
		d.widths = c.take(uint64(d.parts))
		d.b = c.b
		if c.bad {
			return false
		}
	}
	d.width, d.bit, d.inPart = int(d.widths[0]), 0, d.size
	d.widths = d.widths[1:]
	size := min(d.size/8*d.width, len(d.b))
	d.packed, d.b = d.b[:size], d.b[size:]
	return d.width <= 64
}

// after returns what follows the numbers, of which none must have been read.
func (d *delta) after() ([]byte, bool) {
	ahead := *d
	for n := d.left; n > 1; n -= min(n-1, uint64(d.size)) {
		if !ahead.part() {
			return nil, false
		}
	}
	return ahead.b, true
}

// plainPieces are bytes, before each its length.
type plainPieces struct{ b []byte }

func (p *plainPieces) next() ([]byte, error) {
	if len(p.b) < 4 {
		return nil, errDamaged
	}
	n := uint64(binary.LittleEndian.Uint32(p.b))
	if n > uint64(len(p.b)-4) {
		return nil, errDamaged
	}
	piece := p.b[4 : 4+n]
	p.b = p.b[4+n:]
	return piece, nil
}

// fixedPieces are bytes of one length.
type fixedPieces struct {
	b      []byte
	length int
}

func (p *fixedPieces) next() ([]byte, error) {
	if len(p.b) < p.length {
		return nil, errDamaged
	}
	piece := p.b[:p.length]
	p.b = p.b[p.length:]
	return piece, nil
}

// splitPieces are bytes of one length whose first ones come first, then the second.
type splitPieces struct {
	b     []byte
	i     int
	piece []byte
}

func (p *splitPieces) next() ([]byte, error) {
	n := len(p.b) / len(p.piece)
	if p.i >= n {
		return nil, errDamaged
	}
	for k := range p.piece {
		p.piece[k] = p.b[k*n+p.i]
	}
	p.i++
	return p.piece, nil
}

// deltaPieces are bytes whose lengths come first, as differences.
type deltaPieces struct {
	lengths *delta
	b       []byte
}

func newDeltaPieces(b []byte) (*deltaPieces, error) {
	lengths, err := newDelta(b, 32)
	if err != nil {
		return nil, err
	}
	rest, ok := lengths.after()
	if !ok {
		return nil, fmt.Errorf("%w: the lengths of a page", errDamaged)
	}
	return &deltaPieces{lengths, rest}, nil
}

func (p *deltaPieces) next() ([]byte, error) {
	var n [1]uint64
	if !p.lengths.read(n[:]) || n[0] > uint64(len(p.b)) {
		return nil, errDamaged
	}
	piece := p.b[:n[0]]
	p.b = p.b[n[0]:]
	return piece, nil
}

// prefixPieces are bytes that begin as the last ones do, so far as prefixes say.
type prefixPieces struct {
	prefixes *delta
	rest     *deltaPieces
	piece    []byte
}

func newPrefixPieces(b []byte) (*prefixPieces, error) {
	prefixes, err := newDelta(b, 32)
	if err != nil {
		return nil, err
	}
	after, ok := prefixes.after()
	if !ok {
		return nil, fmt.Errorf("%w: the prefixes of a page", errDamaged)
	}
	rest, err := newDeltaPieces(after)
	if err != nil {
		return nil, err
	}
	return &prefixPieces{prefixes: prefixes, rest: rest}, nil
}

func (p *prefixPieces) next() ([]byte, error) {
	var n [1]uint64
	if !p.prefixes.read(n[:]) || n[0] > uint64(len(p.piece)) {
		return nil, errDamaged
	}
	rest, err := p.rest.next()
	if err != nil {
		return nil, err
	}
	if size := int(n[0]) + len(rest); size > maxText { // a page could be a prefix, again and again
		return nil, textError(size)
	}
	p.piece = append(p.piece[:n[0]], rest...)
	return p.piece, nil
}
