package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/table"
)

// column is a column being read. Each goes through the row groups by itself.
type column struct {
	*format.SchemaElement
	place int // in the file, from 1
	class bool
	kind  kind

	group   int   // that comes next
	left    int64 // rows of the current one that no page was read for
	codec   format.CompressionCodec
	at, end int64 // the bytes of its chunk that are not read

	dictionary values // of the chunk
	known      bool   // whether the dictionary was read
	owned      int64  // bytes of it

	// The current page: rows that are not read, the next row, and its value.
	rows, row, value int
	levels           []byte  // of each row, 0 for a null; nil if there are no nulls
	indexes          []int32 // of the dictionary, or nil
	page             values  // or the dictionary

	// Memory that pages are decoded into.
	levelBytes  []byte
	indexBuffer []int32
	data        []byte
	offsets     []uint32
	decoded     int64 // bytes that data and offsets may take
}

// values are decoded values, as numbers or as class names.
type values struct {
	n      int
	number func(k int) (float64, error)
	text   func(k int) []byte
}

// kind says what the values of a column are.
type kind int

const (
	other kind = iota
	boolean
	signed
	unsigned
	float16
	real
	decimal
	text
	date // or timestamp; it can be a column of a table only
)

// kindOf tells the kind of a column, by its annotation or else by its physical type.
func kindOf(e *format.SchemaElement) kind {
	k := other
	if dateUnit(e) != 0 {
		return date
	}
	switch t := e.LogicalType.Value.(type) {
	case nil:
		switch c := e.ConvertedType; {
		case !c.Valid:
			k = map[format.Type]kind{format.Boolean: boolean, format.Int32: signed, format.Int64: signed,
				format.Float: real, format.Double: real, format.ByteArray: text}[e.Type.V]
		case c.V == deprecated.UTF8 || c.V == deprecated.Enum:
			k = text
		case c.V == deprecated.Decimal:
			k = decimal
		case deprecated.Uint8 <= c.V && c.V <= deprecated.Uint64:
			k = unsigned
		case deprecated.Int8 <= c.V && c.V <= deprecated.Int64:
			k = signed
		}
	case *format.DecimalType:
		k = decimal
	case *format.StringType, *format.EnumType:
		k = text
	case *format.Float16Type:
		k = float16
	case *format.IntType:
		if k = unsigned; t.IsSigned {
			k = signed
		}
	}
	whole := e.Type.V == format.Int32 || e.Type.V == format.Int64
	fixed := e.Type.V == format.FixedLenByteArray
	bytes := e.Type.V == format.ByteArray || fixed
	switch {
	case fixed && e.TypeLength.V <= 0,
		k == text && !bytes,
		k == decimal && !bytes && !whole,
		(k == signed || k == unsigned) && !whole,
		k == float16 && !(fixed && e.TypeLength.V == 2):
		return other
	}
	return k
}

// typeName is the type of a column, for errors.
func typeName(e *format.SchemaElement) string {
	switch {
	case e.LogicalType.Value != nil:
		return e.LogicalType.String()
	case e.ConvertedType.Valid:
		return fmt.Sprintf("%v, converted type %d", e.Type.V, e.ConvertedType.V)
	}
	return e.Type.V.String()
}

// findColumns finds the features and the class among the columns of the file, which
// must have no others.
func (f *Reader) findColumns(features []string) error {
	var names []string
	for _, e := range f.footer.schema {
		names = append(names, e.Name)
	}
	if i, err := table.BadName(names); err != nil {
		return &cell.Error{Name: f.name, Column: i + 1, Value: names[i], Err: err}
	}
	found := map[string]*column{}
	for i := range f.footer.schema {
		e := &f.footer.schema[i]
		if !isLeaf(e) || e.RepetitionType.V != format.Required && e.RepetitionType.V != format.Optional {
			return &cell.Error{Name: f.name, Column: i + 1, Value: e.Name, Err: fmt.Errorf("%w: a nested column", cell.ErrNotNumber)}
		}
		found[e.Name] = &column{SchemaElement: e, place: i + 1, kind: kindOf(e)}
	}
	if !f.footer.flat {
		return f.fail(errDamaged)
	}
	asked := map[string]bool{}
	for _, name := range features {
		asked[name] = true
	}
	given := features != nil
	for _, name := range names {
		switch {
		case asked[name]:
		case name == classColumn:
			f.class = true
		case !given:
			features = append(features, name)
		default:
			return &cell.Error{Name: f.name, Column: found[name].place, Value: name,
				Err: fmt.Errorf("%w: want only %s", cell.ErrHeader, cell.Shorten(strings.Join(features, ", ")))}
		}
	}
	if len(features) == 0 {
		return f.fail(cell.ErrNoFeatures)
	}
	f.features = features
	want := features
	if f.class {
		want = append(want[:len(want):len(want)], classColumn)
	}
	for j, name := range want {
		c := found[name]
		if c == nil {
			return f.fail(fmt.Errorf("%w: no column %q", cell.ErrHeader, cell.Shorten(name)))
		}
		if err := c.checkType(j == len(features)); err != nil {
			return &cell.Error{Name: f.name, Column: c.place, Header: name, Err: fmt.Errorf("%w: its type is %s", err, typeName(c.SchemaElement))}
		}
		f.columns = append(f.columns, c)
	}
	return nil
}

// checkType returns an error if the values of a column cannot be what they should.
func (c *column) checkType(class bool) error {
	c.class = class
	switch c.kind {
	case other, date:
		return cell.ErrNotNumber
	case boolean, signed, unsigned:
		return nil
	}
	switch {
	case class && c.kind != text:
		return errors.New("neither a string nor an integer")
	case !class && c.kind == text:
		return cell.ErrNotNumber
	}
	return nil
}

// readNumbers sets every stride-th number of x, from the first on, to the next n
// values. It stops at one that is no number and returns how many there were before.
func (c *column) readNumbers(f *Reader, x []float64, stride, n int) (int, error) {
	for i := range n {
		k, err := c.next(f)
		if err != nil {
			return i, err
		}
		if k < 0 {
			return i, valueError{cell.ErrMissing, ""}
		}
		v, err := c.page.number(k)
		if err != nil {
			return i, err
		}
		if v-v != 0 {
			return i, valueError{cell.ErrNotFinite, strconv.FormatFloat(v, 'g', -1, 64)}
		}
		x[i*stride] = v
	}
	return n, nil
}

// readTexts sets dst to the next classes. A null is empty.
func (c *column) readTexts(f *Reader, dst []string) (int, error) {
	for i := range dst {
		k, err := c.next(f)
		if err != nil {
			return i, err
		}
		if dst[i] = ""; k < 0 {
			continue
		}
		if dst[i], err = f.text(c.page.text(k)); err != nil {
			return i, err
		}
	}
	return len(dst), nil
}

// next goes to the next row and returns the place of its value in the page or the
// dictionary, -1 for a null.
func (c *column) next(f *Reader) (k int, err error) {
	if c.row == c.rows {
		if _, err := c.nextPage(f, 0); err != nil {
			return 0, err
		}
	}
	c.row++
	if c.levels != nil && c.levels[c.row-1] == 0 {
		return -1, nil
	}
	k = c.value
	c.value++
	if c.indexes != nil {
		return int(c.indexes[k]), nil
	}
	return k, nil
}

// seek goes to a row of a row group, past whole pages without decoding them.
func (c *column) seek(f *Reader, group int, row int64) error {
	f.closeChunk(c)
	c.group = group
	for row > 0 {
		if c.row == c.rows {
			skipped, err := c.nextPage(f, row)
			if err != nil {
				return err
			}
			row -= skipped
			continue
		}
		if _, err := c.next(f); err != nil {
			return err
		}
		row--
	}
	return nil
}

// nextPage reads the next page that has rows. If it has no more rows than may be skipped,
// it is left out instead, and their number is returned.
func (c *column) nextPage(f *Reader, skip int64) (skipped int64, err error) {
	for c.row == c.rows {
		if c.left == 0 { // the row group is done
			f.closeChunk(c)
			if c.group >= len(f.footer.groups) {
				return 0, io.ErrUnexpectedEOF
			}
			g := &f.footer.groups[c.group]
			k := &g.Columns[c.place-1]
			start, size := extent(k)
			c.left, c.codec, c.at, c.end = g.NumRows, k.MetaData.Codec, start, start+size
			c.group++
			continue
		}
		if c.at == c.end {
			return 0, fmt.Errorf("%w: a column chunk ends early", errDamaged)
		}
		h, err := f.readHeader(c)
		if err != nil {
			return 0, err
		}
		n := int64(h.DataPageHeader.V.NumValues)
		if h.Type == format.DataPageV2 {
			n = int64(h.DataPageHeaderV2.V.NumValues)
		}
		switch {
		case h.Type == format.DictionaryPage && !c.known:
			err = c.readDictionary(f, &h)
		case h.Type == format.DictionaryPage || h.Type == format.IndexPage:
			c.at += int64(h.CompressedPageSize)
		case h.Type != format.DataPage && h.Type != format.DataPageV2 || n < 0 || n > c.left:
			return 0, fmt.Errorf("%w: a page of %d values where %d are left", errDamaged, n, c.left)
		case n <= skip:
			c.at += int64(h.CompressedPageSize)
			if c.left -= n; n > 0 {
				return n, nil
			}
		default:
			c.left -= n
			err = c.readPage(f, &h, int(n))
		}
		if err != nil {
			return 0, fmt.Errorf("row group %d: %w", c.group, err)
		}
	}
	return 0, nil
}

// readPage reads a page of n rows.
func (c *column) readPage(f *Reader, h *format.PageHeader, n int) error {
	c.rows, c.row, c.value, c.levels = 0, 0, 0, nil
	nulls := c.RepetitionType.V == format.Optional
	e, lists, defined, compressed := h.DataPageHeader.V.Encoding, 0, 0, true
	if v2 := &h.DataPageHeaderV2.V; h.Type == format.DataPageV2 {
		e, lists, defined = v2.Encoding, int(v2.RepetitionLevelsByteLength), int(v2.DefinitionLevelsByteLength)
		compressed = !v2.IsCompressed.Valid || v2.IsCompressed.V
		nulls = nulls && (defined > 0 || v2.NumNulls > 0)
		if lists < 0 || defined < 0 {
			return errDamaged
		}
	}
	b, err := f.load(h, c, lists+defined, compressed)
	if err != nil {
		return err
	}
	if h.Type == format.DataPage && nulls {
		if code := h.DataPageHeader.V.DefinitionLevelEncoding; code != format.RLE {
			return fmt.Errorf("nulls in the encoding %v are not read", code)
		}
		if len(b) >= 4 {
			defined = min(int(binary.LittleEndian.Uint32(b)), len(b)-4)
			b = b[4:]
		}
	}
	there := n
	if nulls {
		if err := c.readLevels(f, b[lists:][:defined], n); err != nil {
			return err
		}
		there = n - bytes.Count(c.levels, []byte{0})
	}
	if err := c.decode(f, b[lists+defined:], e, there); err != nil {
		return err
	}
	c.rows = n
	return nil
}

// readDictionary reads the values that the pages of the chunk choose from.
func (c *column) readDictionary(f *Reader, h *format.PageHeader) error {
	d := &h.DictionaryPageHeader.V
	if d.Encoding != format.Plain && d.Encoding != plainDictionary {
		return fmt.Errorf("a dictionary in the encoding %v is not read", d.Encoding)
	}
	b, err := f.load(h, c, 0, true)
	if err != nil {
		return err
	}
	if d.NumValues < 0 || int(d.NumValues) > 8*len(b) {
		return fmt.Errorf("%w: a dictionary of %d values in %d bytes", errDamaged, d.NumValues, len(b))
	}
	// The dictionary keeps the memory that it is decoded into.
	data, offsets, decoded := c.data, c.offsets, c.decoded
	c.data, c.offsets, c.decoded = nil, nil, 0
	err = c.decode(f, b, format.Plain, int(d.NumValues))
	c.dictionary, c.known, c.owned = c.page, true, c.decoded
	c.dictionary.n = min(c.page.n, int(d.NumValues))
	c.data, c.offsets, c.decoded = data, offsets, decoded
	return err
}

// decodeValues decodes a page of values by the library, into the memory of the one before.
func (c *column) decodeValues(b []byte, e encoding.Encoding) (p values, err error) {
	var (
		v       encoding.Values
		integer func(k int) int64
		piece   func(k int) []byte
	)
	switch c.Type.V {
	case format.Boolean:
		v, err = encoding.DecodeBoolean(encoding.BooleanValues(c.data), b, e)
		x := v.Boolean()
		p.n, integer = 8*len(x), func(k int) int64 { return int64(x[k/8] >> (k % 8) & 1) }
	case format.Int32:
		narrow := func(v int64) int64 { return int64(int32(v)) }
		if c.kind == unsigned {
			narrow = func(v int64) int64 { return int64(uint32(v)) }
		}
		if e.Encoding() == format.DeltaBinaryPacked {
			// DuckDB writes a first value above 2³¹ as it is, which the library refuses.
			v, err = encoding.DecodeInt64(encoding.Int64ValuesFromBytes(c.data), b, e)
			x := v.Int64()
			p.n, integer = len(x), func(k int) int64 { return narrow(x[k]) }
			break
		}
		v, err = encoding.DecodeInt32(encoding.Int32ValuesFromBytes(c.data), b, e)
		x := v.Int32()
		p.n, integer = len(x), func(k int) int64 { return narrow(int64(x[k])) }
	case format.Int64:
		v, err = encoding.DecodeInt64(encoding.Int64ValuesFromBytes(c.data), b, e)
		x := v.Int64()
		p.n, integer = len(x), func(k int) int64 { return x[k] }
	case format.Int96:
		v, err = encoding.DecodeInt96(encoding.Int96ValuesFromBytes(c.data), b, e)
		x := v.Int96()
		p.n, p.number = len(x), func(k int) (float64, error) { return int96(x[k]), nil }
	case format.Float:
		v, err = encoding.DecodeFloat(encoding.FloatValuesFromBytes(c.data), b, e)
		x := v.Float()
		p.n, p.number = len(x), func(k int) (float64, error) { return float64(x[k]), nil }
	case format.Double:
		v, err = encoding.DecodeDouble(encoding.DoubleValuesFromBytes(c.data), b, e)
		x := v.Double()
		p.n, p.number = len(x), func(k int) (float64, error) { return x[k], nil }
	case format.ByteArray:
		v, err = encoding.DecodeByteArray(encoding.ByteArrayValues(c.data, c.offsets), b, e)
		x, ends := v.ByteArray()
		p.n, piece = max(len(ends), 1)-1, func(k int) []byte { return x[ends[k]:ends[k+1]] }
		if p.n > 0 && (!slices.IsSorted(ends) || int(ends[p.n]) > len(x)) {
			return p, errors.New("lengths")
		}
	case format.FixedLenByteArray:
		size := int(c.TypeLength.V)
		v, err = encoding.DecodeFixedLenByteArray(encoding.FixedLenByteArrayValues(c.data, size), b, e)
		x, _ := v.FixedLenByteArray()
		p.n, piece = len(x)/size, func(k int) []byte { return x[k*size:][:size] }
	}
	c.data, c.offsets = v.Data()
	switch c.kind {
	case boolean:
		p.number = func(k int) (float64, error) { return float64(integer(k)), nil }
		p.text = func(k int) []byte { return strconv.AppendBool(nil, integer(k) != 0) }
	case signed:
		p.number = func(k int) (float64, error) { return float64(integer(k)), nil }
		p.text = func(k int) []byte { return strconv.AppendInt(nil, integer(k), 10) }
	case unsigned:
		p.number = func(k int) (float64, error) { return float64(uint64(integer(k))), nil }
		p.text = func(k int) []byte { return strconv.AppendUint(nil, uint64(integer(k)), 10) }
	case float16:
		p.number = func(k int) (float64, error) { return half(piece(k)), nil }
	case decimal:
		scale := int(c.Scale.V)
		if t, ok := c.LogicalType.Value.(*format.DecimalType); ok {
			scale = int(t.Scale)
		}
		p.number = func(k int) (float64, error) {
			const most = 512 // bytes; a float64 has no room for what 128 can say
			if piece == nil {
				return scaled(big.NewInt(integer(k)), scale), nil
			}
			b := piece(k)
			if len(b) > most {
				return 0, valueError{fmt.Errorf("%w: a decimal of %d bytes, it may have %d", cell.ErrNotNumber, len(b), most), ""}
			}
			return scaled(twosComplement(b), scale), nil
		}
	case date:
		if unit := dateUnit(c.SchemaElement); integer != nil {
			p.number = func(k int) (float64, error) { return seconds(unit, integer(k)), nil }
		}
	case text:
		p.text = func(k int) []byte { return bytes.TrimFunc(piece(k), table.IsSpace) }
	}
	return p, err
}

// closeChunk gives back what the current chunk holds, but for the memory of its page.
func (f *Reader) closeChunk(c *column) {
	f.held -= c.owned
	c.dictionary, c.known, c.owned = values{}, false, 0
	c.page, c.indexes, c.levels = values{}, nil, nil
	c.left, c.rows, c.row = 0, 0, 0
}

// maxText is the number of bytes that a class name may have, as in a model.
const maxText = 1 << 16

// half is the value of an IEEE 754 binary16 number, little-endian.
func half(b []byte) float64 {
	bits := binary.LittleEndian.Uint16(b)
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	var x float64
	switch exponent {
	case 0:
		x = math.Ldexp(fraction, -24)
	case 31:
		x = math.Inf(1)
		if fraction != 0 {
			x = math.NaN()
		}
	default:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 == 1 {
		return -x
	}
	return x
}

// twosComplement is the integer whose bytes, the highest first, are b.
func twosComplement(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 1<<7 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// scaled is the float64 nearest to n/10^scale.
func scaled(n *big.Int, scale int) float64 {
	const exact = 1 << 53 // integers up to here, and powers of ten up to 22, are float64s
	if v := n.Int64(); n.IsInt64() && -exact <= v && v <= exact && 0 <= scale && scale <= 22 {
		return float64(v) / math.Pow10(scale)
	}
	if scale < 0 || scale > 1<<10 {
		return math.NaN() // no Parquet file says that
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	x, _ := new(big.Rat).SetFrac(n, power).Float64()
	return x
}
