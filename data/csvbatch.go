package data

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"unsafe"
)

// Bounds of the text of a batch in bytes.
const (
	batchText  = 8 << 20  // it ends with the record that reaches this
	recordText = 64 << 20 // of a single record
	readText   = 256 << 10
)

var errLongRecord = errors.New("a record of more than 64 MiB (is a quote not closed?)")

// CSVReader reads samples to be predicted from a CSV text batch by batch; see
// [BatchReader]. What [ReadFeatures] takes it takes too, with the same errors.
type CSVReader struct {
	in       io.Reader
	name     string
	features []string
	columns  []int // of the features
	class    int   // column of the class, -1 without one
	header   []string
	at       Position // of the next batch
	rest     []byte   // what was read and is not in a batch yet
	ended    bool
	err      error // of in; for after the last whole record

	rows, text, record int // bounds of a batch, and of a record
}

// OpenCSV reads the header, whose columns must be the given features in any order,
// and perhaps one named "class"; the X of its batches has the features in the order
// given (nil takes all, as they come). The name is for errors, which are *ReadErrors.
func OpenCSV(r io.Reader, name string, features []string) (*CSVReader, error) {
	c := &CSVReader{in: r, name: name, text: batchText, record: recordText}
	var seen bytes.Buffer
	t, err := openTable(io.TeeReader(io.LimitReader(r, int64(c.record)), &seen), name)
	if err != nil {
		return nil, err
	}
	if c.features, c.columns, c.class, err = t.samples(features); err != nil {
		return nil, err
	}
	c.header = t.header
	c.rows = BatchRows(len(c.features))
	end := t.csv.InputOffset()
	if bytes.HasPrefix(seen.Bytes(), []byte(string(byteOrderMark))) {
		end += int64(len(string(byteOrderMark)))
	}
	c.rest = slices.Clone(seen.Bytes()[end:])
	c.at = Position{Offset: end, Line: 1 + int64(bytes.Count(seen.Bytes()[:end], []byte{'\n'}))}
	return c, nil
}

// Features returns the names of the columns of X.
func (c *CSVReader) Features() []string { return slices.Clone(c.features) }

// Seek goes to the end of a batch of the same text, forward only. What lies between
// is read over where the reader cannot seek.
func (c *CSVReader) Seek(to Position) error {
	skip := to.Offset - c.at.Offset
	if skip < 0 {
		return &ReadError{Name: c.name, Err: errors.New("a CSV text is read forward only")}
	}
	c.at = to
	c.at.Row = 0
	if skip <= int64(len(c.rest)) {
		c.rest = c.rest[skip:]
		return nil
	}
	skip -= int64(len(c.rest))
	c.rest = nil
	var err error
	if s, seeks := c.in.(io.Seeker); seeks {
		_, err = s.Seek(skip, io.SeekCurrent)
	} else {
		_, err = io.CopyN(io.Discard, c.in, skip)
	}
	if err != nil {
		return &ReadError{Name: c.name, Err: err}
	}
	return nil
}

// Read puts the text of the next records into b, which [Batch.Parse] turns into
// numbers.
func (c *CSVReader) Read(b *Batch) error {
	b.Resize(0, len(c.features), false)
	b.text = append(b.text, c.rest...)
	c.rest = c.rest[:0]
	var scan records
	for {
		if scan.next(b.text, c.rows, c.text) {
			break
		}
		if c.ended {
			if c.err == nil {
				scan.end = len(b.text) // a last record without an end of line
			}
			break
		}
		if scan.end == 0 && len(b.text) > c.record {
			return c.longRecord(b)
		}
		c.fill(b)
	}
	c.rest = append(c.rest, b.text[scan.end:]...)
	b.text = b.text[:scan.end]
	if len(b.text) == 0 {
		if c.err != nil {
			return &ReadError{Name: c.name, Err: c.err}
		}
		return io.EOF
	}
	b.csv, b.line = c, c.at.Line
	c.at.Offset += int64(len(b.text))
	c.at.Line += int64(bytes.Count(b.text, []byte{'\n'}))
	b.End = c.at
	return nil
}

// longRecord is the error of a batch that is one long record, or a part of it: the
// quote that makes it one, if that is not where one may be.
func (c *CSVReader) longRecord(b *Batch) error {
	b.line = c.at.Line
	if err := c.parseAny(b); errors.Is(err, csv.ErrBareQuote) || errors.Is(err, csv.ErrQuote) {
		return err
	}
	return &ReadError{Name: c.name, Line: int(c.at.Line), Err: errLongRecord}
}

// fill reads some more.
func (c *CSVReader) fill(b *Batch) {
	n := len(b.text)
	b.text = slices.Grow(b.text, readText)
	m, err := io.ReadFull(c.in, b.text[n:n+readText])
	b.text = b.text[:n+m]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		c.ended = true
	} else if err != nil {
		c.ended, c.err = true, err
	}
}

// records finds where records end: at line ends outside of quotes. In a text with a
// quote where none may be it may find too few; parsing then reports the quote.
type records struct {
	end, rows  int // after the records found so far, and their number
	seen       int // of the text
	openQuotes bool
}

// next goes on until the batch is full and reports whether it is.
func (s *records) next(text []byte, rows, size int) bool {
	for s.rows < rows && s.end < size {
		i := bytes.IndexByte(text[s.seen:], '\n')
		if i < 0 {
			return false
		}
		line := text[s.seen : s.seen+i]
		if bytes.Count(line, []byte{'"'})%2 == 1 {
			s.openQuotes = !s.openQuotes
		}
		s.seen += i + 1
		if !s.openQuotes {
			s.end = s.seen
			s.rows++
		}
	}
	return true
}

// parse parses the text of the batch.
func (c *CSVReader) parse(b *Batch) error {
	if c.parsePlain(b) {
		return nil
	}
	return c.parseAny(b)
}

// parseAny parses with package encoding/csv, and finds what is wrong and where.
func (c *CSVReader) parseAny(b *Batch) error {
	t := &table{name: c.name, csv: newCSV(&narrow{r: bytes.NewReader(b.text)}), header: c.header, before: int(b.line) - 1}
	b.values, b.classes = b.values[:0], b.classes[:0]
	n := 0
	for {
		cells, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if b.values, err = t.appendNumbers(b.values, cells, c.columns); err != nil {
			return err
		}
		if c.class >= 0 {
			b.classes = append(b.classes, b.Text([]byte(cells[c.class])))
		}
		n++
	}
	b.shape(n, len(c.columns), c.class >= 0)
	return nil
}

// parsePlain parses a text without quotes in which nothing is wrong or unusual. It
// reports whether it could: if not, parseAny must do it.
func (c *CSVReader) parsePlain(b *Batch) bool {
	if bytes.IndexByte(b.text, '"') >= 0 {
		return false
	}
	d := len(c.columns)
	place := make([]int, len(c.header)) // of each column in X; -1 is the class
	for j, column := range c.columns {
		place[column] = j
	}
	if c.class >= 0 {
		place[c.class] = -1
	}
	b.classes = b.classes[:0]
	n, rest := 0, b.text
	lines := bytes.Count(rest, []byte{'\n'}) + 1
	if cap(b.values) < lines*d {
		b.values = make([]float64, lines*d)
	}
	b.values = b.values[:lines*d]
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		if len(line) > 0 && line[len(line)-1] == '\r' {
			line = line[:len(line)-1]
		}
		if len(line) == 0 {
			continue
		}
		row := b.values[n*d : (n+1)*d]
		for i, j := range place {
			cell := line
			comma := bytes.IndexByte(line, ',')
			if (comma < 0) != (i == len(place)-1) {
				return false // too few cells, or too many
			}
			if comma >= 0 {
				cell, line = line[:comma], line[comma+1:]
			}
			if j < 0 {
				b.classes = append(b.classes, b.Text([]byte(clean(unsafeString(cell)))))
				continue
			}
			v, ok := plainNumber(cell)
			if !ok {
				return false
			}
			row[j] = v
		}
		n++
	}
	b.shape(n, d, c.class >= 0)
	return true
}

// plainNumber parses a number as parseNumber does, but not every number.
func plainNumber(cell []byte) (float64, bool) {
	for len(cell) > 0 && (cell[0] == ' ' || cell[0] == '\t') {
		cell = cell[1:]
	}
	for len(cell) > 0 && (cell[len(cell)-1] == ' ' || cell[len(cell)-1] == '\t') {
		cell = cell[:len(cell)-1]
	}
	if len(cell) == 0 || bytes.IndexByte(cell, '_') >= 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(unsafeString(cell), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// unsafeString is the text of b, which must not change while it is used.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func newCSV(r io.Reader) *csv.Reader {
	reader := csv.NewReader(r)
	reader.FieldsPerRecord = -1 // next counts the cells itself, to say more
	reader.TrimLeadingSpace = true
	reader.ReuseRecord = true
	return reader
}

// samples finds the columns of samples to be predicted: the features, all but the
// class if nil, and the class, −1 if there is none.
func (t *table) samples(features []string) (names []string, columns []int, class int, err error) {
	class = -1
	if !slices.Contains(features, classColumn) {
		class = slices.Index(t.header, classColumn)
	}
	if features == nil {
		features = slices.Clone(t.header)
		if class >= 0 {
			features = slices.Delete(features, class, class+1)
		}
	}
	if len(features) == 0 {
		return nil, nil, 0, t.fail(0, "", ErrNoFeatures)
	}
	want := slices.Clone(features)
	if class >= 0 {
		want = append(want, classColumn)
	}
	columns, err = t.find(want)
	if err != nil {
		return nil, nil, 0, err
	}
	return slices.Clone(features), columns[:len(features)], class, nil
}
