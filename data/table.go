package data

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const byteOrderMark = '\uFEFF'

// table is a CSV text being read: the header, then record after record. It
// knows where it is, so that every error can say so.
type table struct {
	name   string
	csv    *csv.Reader
	header []string
}

// openTable reads and checks the header.
func openTable(r io.Reader, name string) (*table, error) {
	reader := csv.NewReader(skipMark(r))
	reader.FieldsPerRecord = -1 // next counts the cells itself, to say more
	reader.TrimLeadingSpace = true
	reader.ReuseRecord = true
	t := &table{name: name, csv: reader}
	cells, err := t.next()
	if err == io.EOF {
		return nil, &ReadError{Name: name, Err: ErrEmpty}
	}
	if err != nil {
		return nil, err
	}
	if i, err := badName(cells); err != nil {
		return nil, t.fail(i+1, cells[i], err)
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

// appendNumbers appends the numbers in the cells, the first ones of the record.
func (t *table) appendNumbers(dst []float64, cells []string) ([]float64, error) {
	for i, cell := range cells {
		v, err := parseNumber(cell)
		if err != nil {
			return nil, t.fail(i+1, cell, err)
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

// expect compares the header's names with those wanted.
func (t *table) expect(names, want []string) error {
	for i := range max(len(names), len(want)) {
		switch {
		case i >= len(names):
			return t.fail(0, "", fmt.Errorf("%w: column %d, %q, is missing", ErrHeader, i+1, want[i]))
		case i >= len(want):
			return t.fail(i+1, names[i], fmt.Errorf("%w: one column too many", ErrHeader))
		case names[i] != want[i]:
			return t.fail(i+1, names[i], fmt.Errorf("%w: want %q, got", ErrHeader, want[i]))
		}
	}
	return nil
}

// fail makes the error for a column (from 1; 0: all) of the current record.
func (t *table) fail(column int, value string, err error) error {
	line, _ := t.csv.FieldPos(max(column-1, 0))
	e := &ReadError{Name: t.name, Line: line, Column: column, Value: strings.Clone(value), Err: err}
	if column > 0 && column <= len(t.header) && t.header[column-1] != value {
		e.Header = t.header[column-1]
	}
	return e
}

// failReading turns an error of the CSV reader, or of the reader below it, into
// a ReadError.
func (t *table) failReading(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return &ReadError{Name: t.name, Line: parse.Line, Err: parse.Err}
	}
	return &ReadError{Name: t.name, Err: err}
}

// skipMark drops a byte order mark.
func skipMark(r io.Reader) *bufio.Reader {
	b := bufio.NewReader(r)
	if first, _, err := b.ReadRune(); err == nil && first != byteOrderMark {
		_ = b.UnreadRune() // cannot fail right after ReadRune
	}
	return b
}

// clean drops white space and byte order marks around a cell.
func clean(cell string) string {
	return strings.TrimFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || r == byteOrderMark })
}
