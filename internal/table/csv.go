package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// Bounds of the text of a batch in bytes.
const (
	batchText  = 8 << 20  // it ends with the record that reaches this
	recordText = 64 << 20 // of a single record
	readText   = 256 << 10
)

var errLongRecord = errors.New("a record of more than 64 MiB (is a quote not closed?)")

// CSV reads samples to be predicted from a CSV text batch by batch. It is a [Reader]. It
// takes what [ReadFeatures] takes, with the same errors.
type CSV struct {
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

	rows, text, record int // bounds of a batch and of a record
}

// OpenCSV reads the header. Its columns must be the given features in any order, and may
// include one named "class". In its batches X has the features in the order given; if
// features is nil, all columns as they come. The name is for errors, which are
// *cell.Errors.
func OpenCSV(r io.Reader, name string, features []string) (*CSV, error) {
	c := &CSV{in: r, name: name, text: batchText, record: recordText}
	var seen bytes.Buffer
	t, err := Open(io.TeeReader(io.LimitReader(r, int64(c.record)), &seen), name)
	if err != nil {
		return nil, err
	}
	if c.features, c.columns, c.class, err = t.samples(features); err != nil {
		return nil, err
	}
	c.header = t.Header
	c.rows = Rows(len(c.features))
	end := t.csv.InputOffset()
	if bytes.HasPrefix(seen.Bytes(), []byte(string(byteOrderMark))) {
		end += int64(len(string(byteOrderMark)))
	}
	c.rest = slices.Clone(seen.Bytes()[end:])
	c.at = Position{Offset: end, Line: 1 + int64(bytes.Count(seen.Bytes()[:end], []byte{'\n'}))}
	return c, nil
}

// Features returns the names of the columns of X.
func (c *CSV) Features() []string { return slices.Clone(c.features) }

// Seek goes forward to the end of a batch of the same text. If the reader cannot seek, what
// lies between is read.
func (c *CSV) Seek(to Position) error {
	skip := to.Offset - c.at.Offset
	if skip < 0 {
		return &cell.Error{Name: c.name, Err: errors.New("a CSV text is read forward only")}
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
		return &cell.Error{Name: c.name, Err: err}
	}
	return nil
}

// Read puts the text of the next records into b; [Batch.Parse] makes numbers of it.
func (c *CSV) Read(b *Batch) error {
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
			return &cell.Error{Name: c.name, Err: c.err}
		}
		return io.EOF
	}
	b.csv, b.line = c, c.at.Line
	c.at.Offset += int64(len(b.text))
	c.at.Line += int64(bytes.Count(b.text, []byte{'\n'}))
	b.End = c.at
	return nil
}

// longRecord returns the error of a batch that is one long record or a part of it. If a
// misplaced quote makes it long, the error names that.
func (c *CSV) longRecord(b *Batch) error {
	b.line = c.at.Line
	if err := c.parseAny(b); errors.Is(err, csv.ErrBareQuote) || errors.Is(err, csv.ErrQuote) {
		return err
	}
	return &cell.Error{Name: c.name, Line: int(c.at.Line), Err: errLongRecord}
}

// fill reads more text.
func (c *CSV) fill(b *Batch) {
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
// misplaced quote it may find too few; parsing then reports the quote.
type records struct {
	end, rows  int // end and number of the records found so far
	seen       int // bytes of the text
	openQuotes bool
}

// next looks for records until the batch is full, and reports whether it is.
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
func (c *CSV) parse(b *Batch) error {
	if c.parsePlain(b) {
		return nil
	}
	return c.parseAny(b)
}

// parseAny parses with package encoding/csv and finds what is wrong and where.
func (c *CSV) parseAny(b *Batch) error {
	t := &Table{name: c.name, csv: newCSV(&cellLimit{r: bytes.NewReader(b.text)}), Header: c.header, before: int(b.line) - 1}
	var err error
	b.values, b.classes, err = t.rest(b.values[:0], c.columns, b.classes[:0], c.class, func(s string) string { return b.Text([]byte(s)) })
	if err != nil {
		return err
	}
	b.shape(len(b.values)/len(c.columns), len(c.columns), c.class >= 0)
	return nil
}

// parsePlain parses a text without quotes in which nothing is wrong or unusual. If it
// returns false, parseAny must parse the text.
func (c *CSV) parsePlain(b *Batch) bool {
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
			text := line
			comma := bytes.IndexByte(line, ',')
			if (comma < 0) != (i == len(place)-1) {
				return false // too few cells, or too many
			}
			if comma >= 0 {
				text, line = line[:comma], line[comma+1:]
			}
			if j < 0 {
				b.classes = append(b.classes, b.Text([]byte(Clean(unsafeString(text)))))
				continue
			}
			v, ok := plainNumber(text)
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

// plainNumber parses numbers as parseNumber does, but fewer.
func plainNumber(text []byte) (float64, bool) {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	for len(text) > 0 && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t') {
		text = text[:len(text)-1]
	}
	if len(text) == 0 || bytes.IndexByte(text, '_') >= 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(unsafeString(text), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// unsafeString is the text of b, which must not change while it is used.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
