package data

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const byteOrderMark = '\uFEFF'

// What no data come near, and a hostile text may not exceed, as each takes far more
// memory than its two bytes in the text: the cells of a line and the classes of a set.
const (
	maxCells   = 1 << 18
	maxClasses = 1 << 18
)

// table is a CSV text being read: the header, then record after record. It
// knows where it is, so that every error can say so.
type table struct {
	name   string
	csv    *csv.Reader
	header []string
	hint   string // what may be wrong with the header
	size   extent
	before int // lines before the text, where it is a part of one
}

// openTable reads and checks the header.
func openTable(r io.Reader, name string) (*table, error) {
	size, err := measure(r)
	if err != nil {
		return nil, &ReadError{Name: name, Err: err}
	}
	text := skipMark(&narrow{r: r})
	hint, err := separatorHint(text)
	if err != nil {
		return nil, &ReadError{Name: name, Err: err}
	}
	t := &table{name: name, csv: newCSV(text), hint: hint, size: size}
	cells, err := t.next()
	if err == io.EOF {
		return nil, &ReadError{Name: name, Err: ErrEmpty}
	}
	if err != nil {
		return nil, err
	}
	if i, err := badName(cells); err != nil {
		return nil, t.failHeader(i+1, cells[i], err)
	}
	t.header = slices.Clone(cells)
	return t, nil
}

// next returns the cells of the next record without the spaces around them. The
// slice is valid until the next call. The end is io.EOF.
func (t *table) next() ([]string, error) {
	for {
		cells, err := t.csv.Read()
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			return nil, t.failReading(err)
		}
		for i := range cells {
			cells[i] = clean(cells[i])
		}
		if len(cells) == 1 && cells[0] == "" && len(t.header) > 1 {
			continue // a line of nothing but spaces
		}
		if t.header != nil && len(cells) != len(t.header) {
			return nil, t.fail(0, "", fmt.Errorf("%w: %d, the header has %d", ErrRagged, len(cells), len(t.header)))
		}
		return cells, nil
	}
}

// appendNumbers appends the numbers in the given columns of the record.
func (t *table) appendNumbers(dst []float64, cells []string, columns []int) ([]float64, error) {
	for _, i := range columns {
		v, err := parseNumber(cells[i])
		if err != nil {
			return nil, t.fail(i+1, cells[i], err)
		}
		dst = append(dst, v)
	}
	return dst, nil
}

func parseNumber(cell string) (float64, error) {
	if cell == "" {
		return 0, ErrMissing
	}
	v, err := strconv.ParseFloat(cell, 64)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0): // spelled out, or too large
		return 0, ErrNotFinite
	case err != nil || strings.Contains(cell, "_"):
		return 0, ErrNotNumber
	}
	return v, nil
}

// find returns the column of each of the names, which must be all those of the
// header, in any order.
func (t *table) find(names []string) ([]int, error) {
	place := make(map[string]int, len(t.header))
	for i, name := range t.header {
		place[name] = i
	}
	columns, wanted := make([]int, len(names)), make([]bool, len(t.header))
	for i, name := range names {
		column, found := place[name]
		if !found {
			return nil, t.failHeader(0, "", fmt.Errorf("%w: no column %q", ErrHeader, shorten(name)))
		}
		columns[i], wanted[column] = column, true
	}
	if i := slices.Index(wanted, false); i >= 0 {
		return nil, t.fail(i+1, t.header[i], fmt.Errorf("%w: want only %s", ErrHeader, shorten(strings.Join(names, ", "))))
	}
	return columns, nil
}

// fail makes the error for a column (from 1; 0: all) of the current record.
func (t *table) fail(column int, value string, err error) error {
	line, _ := t.csv.FieldPos(max(column-1, 0))
	e := &ReadError{Name: t.name, Line: t.before + line, Column: column, Value: strings.Clone(value), Err: err}
	if column > 0 && column <= len(t.header) && t.header[column-1] != value {
		e.Header = t.header[column-1]
	}
	return e
}

// failHeader is fail with the hint.
func (t *table) failHeader(column int, value string, err error) error {
	return t.fail(column, value, t.hinted(err))
}

// hinted adds the hint to an error of the header.
func (t *table) hinted(err error) error {
	if t.hint == "" {
		return err
	}
	return fmt.Errorf("%w %s", err, t.hint)
}

// failReading turns an error of the CSV reader, or of the reader below it, into
// a ReadError.
func (t *table) failReading(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		err = parse.Err
		if t.header == nil {
			err = t.hinted(err)
		}
		return &ReadError{Name: t.name, Line: t.before + parse.Line, Err: err}
	}
	var wide *ReadError
	if errors.As(err, &wide) {
		return &ReadError{Name: t.name, Line: t.before + wide.Line, Err: wide.Err}
	}
	return &ReadError{Name: t.name, Err: err}
}

// extent is how much text there is to read; zero if that is not known.
type extent struct{ bytes, lines int }

// rows is the most records of so many cells that the text can hold, as each cell but
// the last, which may be empty, takes two bytes; at least 1.
func (e extent) rows(cells int) int { return 1 + min(e.lines, e.bytes/(2*cells-1)) }

// measure counts what there is to read, if r can be read twice. Then the numbers fit
// into slices of the right size, which do not have to grow and be copied.
func measure(r io.Reader) (extent, error) {
	var e extent
	again, ok := r.(io.ReadSeeker)
	if !ok {
		return e, nil
	}
	if f, isFile := r.(*os.File); isFile {
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return e, nil // a pipe, or something without end
		}
	}
	start, err := again.Seek(0, io.SeekCurrent)
	if err != nil {
		return e, nil // it cannot, after all
	}
	block := make([]byte, 1<<16)
	for {
		n, err := again.Read(block)
		e.bytes += n
		e.lines += bytes.Count(block[:n], []byte{'\n'})
		if err == io.EOF {
			_, err = again.Seek(start, io.SeekStart)
			return e, err
		}
		if err != nil {
			return e, err
		}
	}
}

// narrow refuses a record of more than maxCells cells before the CSV reader sees it.
type narrow struct {
	r             io.Reader
	lines, commas int  // the commas of this record
	quoted        bool // a line break is part of a cell
}

func (t *narrow) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	for i, b := range p[:n] {
		switch b {
		case ',':
			if t.commas++; t.commas >= maxCells {
				return i, &ReadError{Line: t.lines + 1, Err: ErrTooWide}
			}
		case '"':
			t.quoted = !t.quoted
		case '\n':
			t.lines++
			if !t.quoted {
				t.commas = 0
			}
		}
	}
	return n, err
}

// skipMark drops a byte order mark.
func skipMark(r io.Reader) *bufio.Reader {
	b := bufio.NewReader(r)
	if first, _, err := b.ReadRune(); err == nil && first != byteOrderMark {
		_ = b.UnreadRune() // cannot fail right after ReadRune
	}
	return b
}

// separatorHint asks whether the first line, should it be no good, is separated by
// something else than commas.
func separatorHint(b *bufio.Reader) (string, error) {
	text, err := b.Peek(b.Size())
	if err != nil && err != io.EOF {
		return "", err // the reader would not say it again
	}
	line, _, _ := strings.Cut(strings.TrimLeftFunc(string(text), unicode.IsSpace), "\n")
	for _, r := range ";\t" {
		if strings.ContainsRune(line, r) && !strings.Contains(line, ",") {
			return fmt.Sprintf("(is it separated by %q?)", r), nil
		}
	}
	return "", nil
}

// clean drops white space and byte order marks around a cell.
func clean(cell string) string {
	return strings.TrimFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || r == byteOrderMark })
}
