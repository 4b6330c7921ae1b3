package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/format"

	"github.com/mpcvm/mpcvm/data"
)

// some is the most values that are decoded at a time.
const some = 1024

// column is a column being read. It goes through the row groups by itself.
type column struct {
	element
	place int // in the file, from 1
	class bool

	// What turns its values into numbers or, of the class, into names.
	numberOfWord  func(uint64) float64
	numberOfPiece func([]byte) (float64, error)
	textOfWord    func(uint64) string

	group   int   // that comes next
	left    int64 // rows of the one being read that no page was read for
	codec   format.CompressionCodec
	at, end int64 // the bytes of its chunk that are not read
	dictionary

	page    []byte // being read
	rows    int64  // of it, not read
	present words  // which of them are no nulls; nil: all
	indexes words  // of the dictionary, or
	words   words  // or
	pieces  pieces // its values
}

// dictionary are the values that the pages of a chunk choose from.
type dictionary struct {
	numbers []float64
	texts   []string
	known   bool  // it was read
	held    int64 // bytes that it takes
}

// findColumns finds the features and the class among the columns of the file, which
// must have no others.
func (f *Reader) findColumns(features []string) error {
	var names []string
	found := map[string]*column{}
	for i, e := range f.footer.schema {
		fail := func(err error) error {
			return &data.ReadError{Name: f.name, Column: i + 1, Value: e.name, Err: err}
		}
		switch {
		case !utf8.ValidString(e.name):
			return fail(data.ErrNotUTF8)
		case clean(e.name) == "":
			return fail(data.ErrBlankHeader)
		case clean(e.name) != e.name:
			return fail(fmt.Errorf("spaces around a name"))
		case strings.ContainsAny(e.name, "\r\n"):
			return fail(data.ErrLineBreak)
		case found[e.name] != nil:
			return fail(data.ErrDuplicateHeader)
		case !e.leaf() || e.repeats != format.Required && e.repeats != format.Optional:
			return fail(fmt.Errorf("%w: a nested column", data.ErrNotNumber))
		}
		found[e.name] = &column{element: e, place: i + 1}
		names = append(names, e.name)
	}
	if f.footer.top != len(names) {
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
			return &data.ReadError{Name: f.name, Column: found[name].place, Value: name,
				Err: fmt.Errorf("%w: want only %s", data.ErrHeader, shorten(strings.Join(features, ", ")))}
		}
	}
	if len(features) == 0 {
		return f.fail(data.ErrNoFeatures)
	}
	f.features = features
	want := features
	if f.class {
		want = append(want[:len(want):len(want)], classColumn)
	}
	for j, name := range want {
		c := found[name]
		if c == nil {
			return f.fail(fmt.Errorf("%w: no column %q", data.ErrHeader, shorten(name)))
		}
		if err := c.findType(j == len(features)); err != nil {
			return &data.ReadError{Name: f.name, Column: c.place, Header: name, Err: fmt.Errorf("%w: its type is %s", err, c.typeName())}
		}
		f.columns = append(f.columns, c)
	}
	return nil
}

// findType finds out how the values of a column are to be read.
func (c *column) findType(class bool) error {
	c.class = class
	fixed := c.physical == format.FixedLenByteArray
	switch {
	case fixed && c.length == 0:
	case class:
		c.textOfWord = textOfWord(c.element)
		if c.textOfWord != nil || kindOf(c.element) == text {
			return nil
		}
		return fmt.Errorf("neither a string nor an integer")
	default:
		c.numberOfWord, c.numberOfPiece = numberOfWord(c.element), numberOfPiece(c.element)
		if c.numberOfWord != nil || c.numberOfPiece != nil {
			return nil
		}
	}
	return data.ErrNotNumber
}

// readNumbers sets every stride-th number of x, from the first on, to the next n
// values. It stops at one that is no number and returns how many there were before.
func (c *column) readNumbers(f *Reader, x []float64, stride, n int) (int, error) {
	for i := 0; i < n; {
		k, present, err := c.next(f, n-i)
		if err != nil {
			return i, err
		}
		null := slices.Index(present, 0)
		if null >= 0 {
			k = null
		}
		numbers := f.numbers[:k]
		done, err := c.numbers(f, numbers)
		for _, v := range numbers[:done] {
			if v-v != 0 {
				return i, valueError{data.ErrNotFinite, strconv.FormatFloat(v, 'g', -1, 64)}
			}
			x[i*stride] = v
			i++
		}
		if err != nil {
			return i, err
		}
		if null >= 0 {
			return i, valueError{data.ErrMissing, ""}
		}
	}
	return n, nil
}

// readTexts sets dst to the next classes.
func (c *column) readTexts(f *Reader, dst []string) (int, error) {
	for i := 0; i < len(dst); {
		k, present, err := c.next(f, len(dst)-i)
		if err != nil {
			return i, err
		}
		part := dst[i : i+k]
		if err := c.names(f, part[:count(present, k)]); err != nil {
			return i, err
		}
		if present != nil { // from the last on, as no name moves down
			from := count(present, k)
			for j := k - 1; j >= 0; j-- {
				if present[j] == 0 {
					part[j] = ""
				} else {
					from--
					part[j] = part[from]
				}
			}
		}
		i += k
	}
	return len(dst), nil
}

// count returns how many of n values are no nulls.
func count(present []uint64, n int) int {
	if present == nil {
		return n
	}
	sum := 0
	for _, p := range present {
		sum += int(p)
	}
	return sum
}

// next takes the next rows of a page, at least one and at most n, and tells which of
// them have a value, as 1; nil says all.
func (c *column) next(f *Reader, n int) (k int, present []uint64, err error) {
	if _, err := c.nextPage(f, 0); err != nil {
		return 0, nil, err
	}
	k = int(min(int64(n), c.rows, some))
	if c.present != nil {
		present = f.present[:k]
		if !c.present.read(present) {
			return 0, nil, errDamaged
		}
	}
	c.rows -= int64(k)
	return k, present, nil
}

// numbers reads the next values that are no nulls, until one is no number, and
// returns how many.
func (c *column) numbers(f *Reader, dst []float64) (int, error) {
	if len(dst) == 0 {
		return 0, nil
	}
	w := f.words[:len(dst)]
	switch {
	case c.indexes != nil:
		if !c.indexes.read(w) {
			return 0, errDamaged
		}
		for i, k := range w {
			if k >= uint64(len(c.dictionary.numbers)) {
				return i, errDamaged
			}
			dst[i] = c.dictionary.numbers[k]
		}
	case c.words != nil:
		if !c.words.read(w) {
			return 0, errDamaged
		}
		for i, v := range w {
			dst[i] = c.numberOfWord(v)
		}
	case c.pieces != nil:
		for i := range dst {
			b, err := c.pieces.next()
			if err != nil {
				return i, err
			}
			if dst[i], err = c.numberOfPiece(b); err != nil {
				return i, err
			}
		}
	default:
		return 0, errDamaged
	}
	return len(dst), nil
}

// names reads the next values that are no nulls.
func (c *column) names(f *Reader, dst []string) error {
	if len(dst) == 0 {
		return nil
	}
	w := f.words[:len(dst)]
	switch {
	case c.indexes != nil:
		if !c.indexes.read(w) {
			return errDamaged
		}
		for i, k := range w {
			if k >= uint64(len(c.dictionary.texts)) {
				return errDamaged
			}
			dst[i] = c.dictionary.texts[k]
		}
	case c.words != nil:
		if !c.words.read(w) {
			return errDamaged
		}
		for i, v := range w {
			dst[i] = c.textOfWord(v)
		}
	case c.pieces != nil:
		for i := range dst {
			b, err := c.pieces.next()
			if err != nil {
				return err
			}
			if dst[i], err = f.text(b); err != nil {
				return err
			}
		}
	default:
		return errDamaged
	}
	return nil
}

// skip leaves the next n rows out, whole pages of them unread.
func (c *column) skip(f *Reader, n int64) error {
	for n > 0 {
		skipped, err := c.nextPage(f, n)
		if err != nil {
			return err
		}
		if n -= skipped; skipped > 0 {
			continue
		}
		k, present, err := c.next(f, int(min(n, some)))
		if err != nil {
			return err
		}
		if c.class {
			err = c.names(f, make([]string, count(present, k)))
		} else {
			_, err = c.numbers(f, f.numbers[:count(present, k)])
		}
		if err != nil {
			return err
		}
		n -= int64(k)
	}
	return nil
}

// nextPage makes sure that there is a page being read. Where the page that comes next
// has no more rows than may be skipped, it is left out instead, and their number
// returned.
func (c *column) nextPage(f *Reader, skip int64) (skipped int64, err error) {
	for c.rows == 0 {
		if c.left == 0 { // the row group is done
			f.closeChunk(c)
			if c.group >= len(f.footer.ends) {
				return 0, io.ErrUnexpectedEOF
			}
			c.left = f.footer.groupRows(c.group)
			k := f.footer.chunks[c.group*f.footer.leaves+c.place-1]
			c.at, c.end, c.codec = k.offset, k.offset+k.size, k.codec
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
		switch {
		case h.kind == format.DictionaryPage && !c.known:
			err = f.readDictionary(h, c)
		case h.kind == format.DictionaryPage || h.kind == format.IndexPage:
			c.at += h.size
		case h.kind != format.DataPage && h.kind != format.DataPageV2 || h.values > c.left:
			return 0, fmt.Errorf("%w: a page of %d values where %d are left", errDamaged, h.values, c.left)
		case h.values <= skip || h.values == 0:
			c.at += h.size
			if c.left -= h.values; h.values > 0 {
				return h.values, nil
			}
		default:
			if err = f.load(&c.page, h, c); err == nil {
				err = c.open(h)
			}
			c.left, c.rows = c.left-h.values, h.values
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// open gets ready to read the values of the page that was loaded.
func (c *column) open(h pageHeader) error {
	b := c.page
	c.present = nil
	take := func(n int64) (part []byte) {
		if n > int64(len(b)) {
			n = int64(len(b)) // and reading will find an end
		}
		part, b = b[:n], b[n:]
		return part
	}
	nulls := c.repeats == format.Optional
	switch {
	case h.kind == format.DataPageV2:
		take(h.lists)
		levels := take(h.defined)
		if nulls && (len(levels) > 0 || h.nulls > 0) {
			c.present = &hybrid{b: levels, width: 1}
		}
	case nulls:
		if h.levelCode != format.RLE {
			return fmt.Errorf("nulls in the encoding %v are not read", h.levelCode)
		}
		c.present = &hybrid{b: take(length(take(4))), width: 1}
	}
	return c.decode(b, h.encoding)
}

// plainDictionary is what older files call a dictionary and the indexes of it.
const plainDictionary format.Encoding = 2

// length reads the length before levels and booleans.
func length(b []byte) int64 {
	if len(b) < 4 {
		return 0
	}
	return int64(binary.LittleEndian.Uint32(b))
}

// decode gets ready to read values in an encoding.
func (c *column) decode(b []byte, e format.Encoding) (err error) {
	c.indexes, c.words, c.pieces = nil, nil, nil
	if len(b) == 0 { // perhaps there are nulls alone
		return nil
	}
	bytes := 0 // of a word
	switch c.physical {
	case format.Int32, format.Float:
		bytes = 4
	case format.Int64, format.Double:
		bytes = 8
	}
	number := c.physical == format.Int32 || c.physical == format.Int64
	fixed := c.physical == format.FixedLenByteArray
	array := c.physical == format.ByteArray
	switch {
	case e == format.RLEDictionary || e == plainDictionary:
		if !c.known || b[0] > 32 {
			return errDamaged
		}
		c.indexes = &hybrid{b: b[1:], width: int(b[0])}
	case e == format.Plain && c.physical == format.Boolean:
		c.words = &bits{b: b}
	case e == format.Plain && bytes > 0:
		c.words = &plainWords{b, bytes}
	case e == format.Plain && array:
		c.pieces = &plainPieces{b}
	case e == format.Plain && fixed:
		c.pieces = &fixedPieces{b, c.length}
	case e == format.RLE && c.physical == format.Boolean:
		if len(b) < 4 {
			return errDamaged
		}
		c.words = &hybrid{b: b[4:][:min(length(b), int64(len(b)-4))], width: 1}
	case e == format.ByteStreamSplit && bytes > 0:
		c.words = &splitWords{b: b, width: bytes}
	case e == format.ByteStreamSplit && fixed && c.length <= len(b):
		c.pieces = &splitPieces{b: b, piece: make([]byte, c.length)}
	case e == format.DeltaBinaryPacked && number:
		c.words, err = newDelta(b, 8*bytes)
	case e == format.DeltaLengthByteArray && array:
		c.pieces, err = newDeltaPieces(b)
	case e == format.DeltaByteArray && (array || fixed):
		c.pieces, err = newPrefixPieces(b)
	default:
		err = fmt.Errorf("values of type %v in the encoding %v are not read", c.physical, e)
	}
	return err
}

// readDictionary reads the values that the pages of the chunk choose from.
func (f *Reader) readDictionary(h pageHeader, c *column) error {
	if h.encoding != format.Plain && h.encoding != plainDictionary {
		return fmt.Errorf("a dictionary in the encoding %v is not read", h.encoding)
	}
	if err := f.load(&f.spare, h, c); err != nil {
		return err
	}
	least := map[format.Type]int{format.Int32: 32, format.Float: 32, format.Int64: 64, format.Double: 64,
		format.ByteArray: 32, format.FixedLenByteArray: 8 * c.length, format.Boolean: 1}[c.physical] // bits of a value
	n := h.values
	if n > int64(8*len(f.spare)/least) {
		return fmt.Errorf("%w: a dictionary of %d values in %d bytes", errDamaged, n, len(f.spare))
	}
	held := 8 * n
	if c.class {
		held = 32*n + int64(len(f.spare)) // strings are rounded up
	}
	if err := f.take(held); err != nil {
		return err
	}
	c.dictionary = dictionary{known: true, held: held}
	if err := c.decode(f.spare, format.Plain); err != nil {
		return err
	}
	if !c.class {
		c.dictionary.numbers = make([]float64, n)
		for lo := 0; lo < int(n); lo += some {
			if _, err := c.numbers(f, c.dictionary.numbers[lo:min(lo+some, int(n))]); err != nil {
				return err
			}
		}
		return nil
	}
	c.dictionary.texts = make([]string, n)
	for lo := 0; lo < int(n); lo += some {
		if err := c.names(f, c.dictionary.texts[lo:min(lo+some, int(n))]); err != nil {
			return err
		}
	}
	return nil
}

// closeChunk gives back what the chunk being read holds, but for the memory of its page.
func (f *Reader) closeChunk(c *column) {
	f.held -= c.dictionary.held
	c.dictionary = dictionary{}
	c.indexes, c.words, c.pieces, c.present = nil, nil, nil, nil
	c.left, c.rows = 0, 0
}

// clean drops what the CSV reader drops around a cell, so that names agree.
func clean(s string) string { return strings.TrimFunc(s, isSpace) }

func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

// shorten keeps a message on one line of reasonable length.
func shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
