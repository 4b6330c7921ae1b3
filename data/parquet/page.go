package parquet

import (
	"fmt"
	"hash/crc32"

	"github.com/parquet-go/parquet-go/format"
)

// pageHeader is what is needed of the header of a page. Levels are those of nulls and
// of lists in the second version of data pages, in bytes.
type pageHeader struct {
	kind        format.PageType
	size, whole int64 // of the page in the file, and decompressed
	crc         uint32
	values      int64
	encoding    format.Encoding
	levelCode   format.Encoding // of the nulls in the first version
	nulls       int64
	lists       int64
	defined     int64
	plain       bool // not compressed after all
}

// readHeader reads the header of the page that comes next in the chunk.
func (f *Reader) readHeader(c *column) (h pageHeader, err error) {
	const (
		usual = 256
		most  = 16 << 20 // as other readers have it
	)
	for window := int64(usual); ; window *= 8 {
		last := window >= min(c.end-c.at, most)
		if err := f.room(&f.body, min(window, most, c.end-c.at)); err != nil {
			return h, err
		}
		if err := readFull(f.in, f.body, c.at); err != nil {
			return h, err
		}
		t := compact{b: f.body}
		h = parseHeader(&t)
		if t.bad && !last {
			continue // it may be longer: there can be statistics in it
		}
		c.at += int64(len(f.body) - len(t.b))
		if t.bad || h.size > c.end-c.at {
			return h, fmt.Errorf("%w: the header of a page", errDamaged)
		}
		return h, nil
	}
}

func parseHeader(t *compact) pageHeader {
	h := pageHeader{kind: -1}
	data := func(f field) {
		switch f {
		case field{1, wInt32}:
			h.values = t.size()
		case field{2, wInt32}:
			h.encoding = format.Encoding(t.code())
		case field{3, wInt32}: // not there in dictionaries
			h.levelCode = format.Encoding(t.code())
		default:
			t.skip(f.wire)
		}
	}
	t.fields(func(f field) {
		switch f {
		case field{1, wInt32}:
			h.kind = format.PageType(t.code())
		case field{2, wInt32}:
			h.whole = t.size()
		case field{3, wInt32}:
			h.size = t.size()
		case field{4, wInt32}:
			h.crc = uint32(t.code())
		case field{5, wStruct}, field{7, wStruct}:
			t.fields(data)
		case field{8, wStruct}:
			t.fields(func(f field) {
				switch f {
				case field{1, wInt32}:
					h.values = t.size()
				case field{2, wInt32}:
					h.nulls = t.size()
				case field{4, wInt32}:
					h.encoding = format.Encoding(t.code())
				case field{5, wInt32}:
					h.defined = t.size()
				case field{6, wInt32}:
					h.lists = t.size()
				case field{7, wFalse}:
					h.plain = true
				default:
					t.skip(f.wire)
				}
			})
		default:
			t.skip(f.wire)
		}
	})
	return h
}

// load reads the page of a header into b, decompressed, and checks it by its checksum
// if it has one.
func (f *Reader) load(b *[]byte, h pageHeader, c *column) error {
	levels := h.lists + h.defined // which are not compressed
	if levels > h.size || levels > h.whole {
		return fmt.Errorf("%w: a page of %d bytes", errDamaged, h.size)
	}
	in := b
	plain := h.plain || c.codec == format.Uncompressed
	if !plain {
		in = &f.body
	} else if h.whole != h.size {
		return fmt.Errorf("%w: a page of %d bytes that are %d", errDamaged, h.size, h.whole)
	}
	if err := f.room(in, h.size); err != nil {
		return err
	}
	if err := readFull(f.in, *in, c.at); err != nil {
		return err
	}
	c.at += h.size
	if h.crc != 0 && h.crc != crc32.ChecksumIEEE(*in) { // many writers have a zero for none
		return fmt.Errorf("%w: the checksum of a page", errDamaged)
	}
	if plain {
		return nil
	}
	return f.decompress(b, int(h.whole), (*in)[:levels], (*in)[levels:], c)
}
