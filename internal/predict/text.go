package predict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/mpcvm/mpcvm/data/recipe"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/dialect"
)

// Bounds of the text of a batch in bytes.
const (
	SampleText = 256 << 10 // that tells how a text is written
	batchText  = 8 << 20   // it ends with the record that reaches this
	recordText = 16 << 20  // of a single record
	readText   = 256 << 10
)

// Text reads rows of a delimited text. It is a [Reader].
type Text struct {
	Dialect dialect.Dialect
	Names   []string // of the columns
	Kept    []string // columns that are passed through

	in     io.Reader
	name   string
	plain  dialect.Dialect // of what in reads
	recipe *recipe.Recipe
	places
	labels labels
	watch  watch
	texts  *recipe.Texts
	points []int  // of each column of the recipe as of Texts.Point
	direct []int  // of each column of the file the feature, or −1, if all are of Point and nothing is kept
	line   int64  // of the next batch
	rest   []byte // what was read and is not in a batch yet
	ended  bool
	err    error // of in; for after the last whole record

	d, rows, size, record int // features; bounds of a batch and of a record
}

// OpenText finds out how a text is written, reads the header and finds the columns. sample is
// the start of the text, which r goes on from; whole says that it is all of it. The name is for errors.
func OpenText(r io.Reader, sample []byte, whole bool, name string, o dialect.Options, l Layout) (*Text, error) {
	t, err := openText(r, sample, whole, name, o, l, "yes")
	if errors.Is(err, recipe.ErrNoColumn) && o.Header == "" { // perhaps there is no header
		if without, again := openText(r, sample, whole, name, o, l, ""); again == nil {
			return without, nil
		}
	}
	return t, err
}

func openText(r io.Reader, sample []byte, whole bool, name string, o dialect.Options, l Layout, header string) (*Text, error) {
	if o.Header == "" {
		o.Header = header // with the names of the model the first record is the header
	}
	fail := func(err error) (*Text, error) { return nil, &cell.Error{Name: name, Err: err} }
	if len(bytes.TrimSpace(sample)) == 0 {
		return fail(cell.ErrEmpty)
	}
	d, err := dialect.Detect(sample, whole, o)
	if err != nil {
		return fail(err)
	}
	t := &Text{Dialect: d, in: r, name: name, plain: d, recipe: l.Recipe, watch: newWatch(l.Recipe), d: l.Recipe.Width(), size: batchText, record: recordText}
	t.rows = batchRows(t.d)
	if d.Plain() {
		t.rest, t.ended = slices.Clone(sample), whole
		if mark := []byte("\ufeff"); bytes.HasPrefix(t.rest, mark) {
			t.rest = t.rest[len(mark):]
		}
	} else {
		t.in = dialect.NewReader(io.MultiReader(bytes.NewReader(sample), r), d)
		t.plain.Separator, t.plain.Quote, t.plain.Escape, t.plain.Comment, t.plain.Trailing, t.plain.Skip = ',', '"', '"', "", false, 0
		for len(t.rest) < SampleText && !t.ended {
			t.rest = t.fill(t.rest)
		}
		if t.err != nil && len(t.rest) == 0 {
			return fail(t.err)
		}
	}
	t.line = 1
	const probe = 1000
	var head [][]string // the first records
	var ends []int
	s := dialect.NewSplitter(t.plain)
	for at := 0; at < len(t.rest) && len(head) < probe; {
		n := s.Record(t.rest[at:], t.ended && t.err == nil)
		if n == 0 {
			if len(head) == 0 && len(t.rest) <= t.record && !t.ended {
				t.rest = t.fill(t.rest)
				continue
			}
			break
		}
		cells, _ := s.Cells(nil, nil)
		at += n
		if len(cells) == 0 || len(cells) == 1 && len(head) > 0 && len(head[0]) > 1 && blank(cells[0]) {
			continue
		}
		if len(cells) > cell.MaxCells {
			return fail(cell.ErrTooWide)
		}
		record := make([]string, len(cells))
		for i, c := range cells {
			record[i] = string(c)
		}
		head, ends = append(head, record), append(ends, at)
	}
	if len(head) == 0 {
		return fail(cell.ErrEmpty)
	}
	var second []string
	if len(head) > 1 {
		second = head[1]
	}
	t.Names, _ = d.Names(head[0], second)
	if d.Header {
		t.line += int64(bytes.Count(t.rest[:ends[0]], []byte{'\n'}))
		t.rest = t.rest[ends[0]:]
		head = head[1:]
	}
	if t.places, err = l.find(name, t.Names); err != nil {
		return nil, err
	}
	t.Kept = t.places.kept
	cells := make([][]string, len(t.columns))
	for _, record := range head {
		for i, column := range t.columns {
			if column < len(record) {
				cells[i] = append(cells[i], record[column])
			}
		}
	}
	t.texts = l.Recipe.Texts(d.Number, l.Missing, cells)
	t.labels = labels{cell.NewLabels(l.Classes), l.Classes, d.Number, t.texts.Missing}
	for i := range t.columns {
		t.points = append(t.points, t.texts.Point(i))
	}
	if len(t.keep) == 0 && len(t.points) == t.d && !slices.Contains(t.points, -1) {
		t.direct = slices.Repeat([]int{-1}, len(t.Names))
		for i, k := range t.columns {
			t.direct[k] = t.points[i]
		}
	}
	return t, nil
}

// Read is that of [Reader].
func (t *Text) Read(b *Batch) error {
	b.empty()
	b.text = append(b.text, t.rest...)
	t.rest = t.rest[:0]
	end, s := 0, dialect.NewSplitter(t.plain)
	for b.rows < t.rows && end < t.size {
		n := 0
		if i := bytes.IndexByte(b.text[end:], '\n'); i >= 0 {
			if n = i + 1; bytes.IndexByte(b.text[end:end+i], '"') >= 0 {
				b.quotes = true
				n = s.Record(b.text[end:], false)
			}
		}
		if n == 0 && t.ended {
			if t.err != nil || end == len(b.text) {
				break
			}
			b.quotes = true
			n = s.Record(b.text[end:], true) // without an end of line
			if s.Open() {
				return t.fail(end, b, errors.New("a quote in the record that begins here is never closed (--quote none takes quotes as text)"))
			}
		}
		if n == 0 {
			if len(b.text)-end > t.record {
				return t.fail(end, b, fmt.Errorf("a record of more than %d MiB begins here; a quote in it may not be closed (--quote none takes quotes as text)", t.record>>20))
			}
			b.text = t.fill(b.text)
			continue
		}
		end += n
		b.rows++
	}
	t.rest = append(t.rest, b.text[end:]...)
	b.text = b.text[:end]
	if end == 0 {
		if t.err != nil {
			return &cell.Error{Name: t.name, Err: t.err}
		}
		return io.EOF
	}
	t.line += int64(bytes.Count(b.text, []byte{'\n'}))
	b.parse = t.parse
	return nil
}

func (t *Text) fail(at int, b *Batch, err error) error {
	return &cell.Error{Name: t.name, Line: int(t.line) + bytes.Count(b.text[:at], []byte{'\n'}), Err: err}
}

// fill appends more of the text.
func (t *Text) fill(text []byte) []byte {
	n := len(text)
	text = slices.Grow(text, readText)
	m, err := io.ReadFull(t.in, text[n:n+readText])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		t.ended = true
	} else if err != nil {
		t.ended, t.err = true, err
	}
	return text[:n+m]
}

// parse makes samples of the text of a batch.
func (t *Text) parse(b *Batch) error {
	b.grow(b.rows, t.d)
	s := dialect.NewSplitter(t.plain)
	separator := byte(t.plain.Separator)
	var cells [][]byte
	var memory []byte
	missing := make([]bool, len(t.columns))
	n, rest := 0, b.text
	for len(rest) > 0 {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line = rest[:i]
		}
		cells = cells[:0]
		if b.quotes && bytes.IndexByte(line, '"') >= 0 {
			length := s.Record(rest, true)
			cells, memory = s.Cells(cells, memory[:0])
			rest = rest[length:]
		} else {
			rest = rest[min(len(line)+1, len(rest)):]
			if len(line) > 0 && line[len(line)-1] == '\r' {
				line = line[:len(line)-1]
			}
			if row := b.values[n*t.d : (n+1)*t.d]; t.direct != nil && t.numbers(b, row, line, separator) {
				t.watch.see(b, row, nil, nil)
				n++
				continue
			}
			for {
				i := bytes.IndexByte(line, separator)
				if i < 0 {
					break
				}
				cells = append(cells, line[:i])
				line = line[i+1:]
			}
			if cells = append(cells, line); len(cells) == 1 && blank(line) {
				continue // an empty line
			}
		}
		if len(cells) == 0 || len(cells) == 1 && len(t.Names) > 1 && blank(cells[0]) {
			continue
		}
		row := b.values[n*t.d : (n+1)*t.d]
		clear(row)
		if err := t.row(b, row, cells, missing); err != nil {
			setNaN(row)
			b.reject(n, b.rows, err)
		}
		n++
	}
	b.shape(n, t.d)
	if t.target >= 0 {
		b.Class = b.classes
	}
	if b.Problems != nil {
		b.Problems = b.Problems[:n]
	}
	return nil
}

// numbers reads a row of nothing but numbers that mean themselves, and the class. If it returns
// false, row must read it.
func (t *Text) numbers(b *Batch, x []float64, line []byte, separator byte) bool {
	var class []byte
	for k, at := range t.direct {
		text := line
		i := bytes.IndexByte(line, separator)
		if (i < 0) != (k == len(t.direct)-1) {
			return false // too few cells, or too many
		}
		if i >= 0 {
			text, line = line[:i], line[i+1:]
		}
		switch {
		case at >= 0:
			v, ok := plainNumber(text)
			if !ok {
				return false
			}
			x[at] = v
		case k == t.target:
			class = text
		}
	}
	if t.target >= 0 {
		b.classes = append(b.classes, b.name(class, &t.labels))
	}
	return true
}

// row reads a row. The error says why it cannot be used. missing is memory for a flag of each
// column.
func (t *Text) row(b *Batch, x []float64, cells [][]byte, missing []bool) error {
	if n := len(t.Names); len(cells) > n && !slices.ContainsFunc(cells[n:], func(c []byte) bool { return !blank(c) }) {
		cells = cells[:n]
	}
	if len(cells) != len(t.Names) {
		for range t.keep {
			b.Kept.add(nil)
		}
		if t.target >= 0 {
			b.classes = append(b.classes, "")
		}
		return fmt.Errorf("%w: %d, there are %d columns", cell.ErrRagged, len(cells), len(t.Names))
	}
	for _, k := range t.keep {
		b.Kept.add(cells[k])
	}
	if t.target >= 0 {
		b.classes = append(b.classes, b.name(cells[t.target], &t.labels))
	}
	var problem error
	found := false
	for i, k := range t.columns {
		if at := t.points[i]; at >= 0 {
			if v, ok := plainNumber(cells[k]); ok {
				x[at], found, missing[i] = v, true, false
				continue
			}
		}
		has, err := t.texts.Encode(x, i, cells[k])
		missing[i] = !has && err == nil
		if found = found || has; err != nil && problem == nil {
			problem = err
		}
	}
	if !found && problem == nil {
		problem = recipe.ErrNoValue
	}
	if problem == nil {
		t.watch.see(b, x, missing, func(i int) []byte { return cells[t.columns[i]] })
	}
	return problem
}

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// plainNumber parses numbers with a decimal point, but not all.
func plainNumber(text []byte) (float64, bool) {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	for len(text) > 0 && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t') {
		text = text[:len(text)-1]
	}
	if len(text) <= 15 && len(text) > 0 { // a float64 keeps 15 digits
		n := 0
		for _, c := range text {
			if c < '0' || c > '9' {
				n = -1
				break
			}
			n = 10*n + int(c-'0')
		}
		if n >= 0 {
			return float64(n), true
		}
	}
	if len(text) == 0 || text[0] >= utf8.RuneSelf || len(text) > 2 && text[1]|0x20 == 'x' || len(text) > 3 && text[2]|0x20 == 'x' {
		return 0, false
	}
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
