package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/columns"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/table"
)

const (
	settleRows = 5000    // that tell which columns have numbers, or
	settleText = 4 << 20 // bytes of them
	maxFooter  = 3       // records with too few cells at the end that are no part of the table
)

// delimited is a text with separated cells.
type delimited struct {
	*text
	o        Options
	d        dialect.Dialect
	b        *columns.Builder // nil before the width is known
	width    int              // cells of a record
	notes    []string
	decoding []string // notes about the encoding
	headings dialect.Headings
	repeated []int // lines of headings below the first row
	footer   []int // lines of records with too few cells at the end
	uneven   []int // lines of records with another number of cells than the header, if these are allowed
}

func (t *text) readDelimited(ctx context.Context, o Options) (*table.Table, error) {
	d, err := dialect.Detect(t.sample, t.whole, o.dialect())
	x := &delimited{text: t, o: o, d: d}
	if _, unclear := errors.AsType[*dialect.Ambiguous](err); unclear && o.Lenient {
		x.note("%v", err)
	} else if errors.Is(err, dialect.ErrNotText) {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	} else if err != nil {
		return nil, err
	}
	read, err := x.read(ctx)
	if err != nil {
		return nil, err
	}
	read.Notes = slices.Concat(x.decoding, x.notes, read.Notes)
	read.Reading = x.d.String()
	if t.gzip {
		read.Reading += ", gzip"
	}
	read.Dialect = table.Dialect{Separator: mark(d.Separator), Quote: mark(d.Quote), Escape: mark(d.Escape), Decimal: mark(d.Decimal),
		Encoding: x.d.Encoding, Header: d.Header}
	return read, nil
}

func mark(r rune) string {
	if r == 0 {
		return ""
	}
	return string(r)
}

func (x *delimited) read(ctx context.Context) (*table.Table, error) {
	// The first record with another width than the header tells what the header is.
	head, err := x.head(ctx)
	if err != nil {
		return nil, err
	}
	if err := x.start(head); err != nil {
		return nil, err
	}
	t, err := gather(x.b, x.o.Lenient, func() error { return x.feed(ctx) })
	if err != nil {
		return nil, err
	}
	switch n := len(x.footer); {
	case n == 1:
		x.note("line %d has too few cells and is left out as a footer", x.footer[0])
	case n > 1:
		x.note("lines %d to %d have too few cells and are left out as a footer", x.footer[0], x.footer[n-1])
	}
	if n := len(x.repeated); n == 1 {
		x.note("line %d repeats the header and is left out", x.repeated[0])
	} else if n > 1 {
		x.note("%d lines repeat the header and are left out, the first is line %d", n, x.repeated[0])
	}
	if n := len(x.uneven); n > 0 {
		done := "filled up with missing values, or cut: --ragged drop leaves them out"
		if x.o.Ragged == "drop" {
			done = "left out"
		}
		x.note("%d records have more or fewer cells than the header, the first in line %d; they are %s", n, x.uneven[0], done)
	}
	return t, nil
}

// pads reports whether a record with too few cells is filled up and one with too many is cut.
func (x *delimited) pads() bool { return x.o.Ragged == "pad" || x.o.Ragged == "" && x.o.Lenient }

func (x *delimited) note(format string, args ...any) {
	x.notes = append(x.notes, fmt.Sprintf(format, args...))
}

// records returns a reader of the text from its beginning.
func (x *delimited) records(ctx context.Context) (*dialect.Reader, error) {
	r, err := x.open(ctx)
	if err != nil {
		return nil, err
	}
	return dialect.NewReader(r, x.name, x.d), nil
}

// head returns the first two records.
func (x *delimited) head(ctx context.Context) (head [2][]string, err error) {
	s, err := x.records(ctx)
	if err != nil {
		return head, err
	}
	x.headings = nil
	below := 0 // records with units that come next
	for i := 0; i < 2; {
		cells, line, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return head, err
		}
		if len(cells) == 1 && allBlank(cells) && i > 0 && len(head[0]) > 1 {
			continue
		}
		if len(cells) > cell.MaxCells {
			return head, &CellError{Name: x.name, Line: line, Err: ErrTooWide}
		}
		var texts []string
		for _, c := range cells {
			texts = append(texts, string(c))
		}
		if below > 0 {
			below--
			x.headings = append(x.headings, texts)
			x.note("line %d seems to have units or types and is left out (%s): --skip %d if the table begins in line %[1]d", line,
				cell.Shorten(strings.Join(texts, ", ")), line-1)
			continue
		}
		if i == 0 && x.d.Header {
			x.headings = dialect.NewHeadings(texts)
			below = x.d.Below
		}
		head[i] = texts
		i++
	}
	return head, nil
}

// start finds the names of the columns and makes the builder.
func (x *delimited) start(head [2][]string) error {
	names, first := head[0], head[1]
	if names == nil {
		return ErrEmpty
	}
	shifted := x.d.RowNames && len(first) == len(names)+1 // the header has no name for the row names
	if x.pads() && x.d.Header && !shifted && dialect.Width(first) > len(names) {
		if x.d.Cells() == len(names) { // the first record alone has more cells
			first = first[:len(names)]
		}
		for len(names) < dialect.Width(first) {
			names = append(names[:len(names):len(names)], "")
		}
	}
	names, notes := x.d.Names(names, first)
	x.notes, x.width = append(x.notes, notes...), len(names)
	o := x.o.columns()
	if !(x.d.Decimal == '.' && x.d.Thousands == 0) {
		o.Number = x.d.Number
	}
	var err error
	if x.b, err = columns.New(x.name, names, o); err != nil {
		return err
	}
	if x.d.RowNames && x.d.Header {
		x.b.Force(0, table.ID)
	}
	return nil
}

func allBlank(cells [][]byte) bool {
	for _, c := range cells {
		if len(bytes.TrimSpace(c)) > 0 {
			return false
		}
	}
	return true
}

// feed adds all records to the builder.
func (x *delimited) feed(ctx context.Context) error {
	s, err := x.records(ctx)
	if err != nil {
		return err
	}
	x.footer, x.uneven, x.repeated = x.footer[:0], x.uneven[:0], x.repeated[:0]
	header, settled := x.d.Header, false
	var ragged error // the first record with too few cells
	for {
		cells, line, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if header {
			header = false
			continue
		}
		if x.headings.Has(cells) {
			if x.b.Rows() > 0 {
				x.repeated = append(x.repeated, line)
			}
			continue
		}
		if len(cells) > x.width && allBlank(cells[x.width:]) {
			cells = cells[:x.width]
		}
		if len(cells) != x.width {
			if len(cells) == 1 && allBlank(cells) {
				continue
			}
			if x.pads() || x.o.Ragged == "drop" {
				x.uneven = append(x.uneven, line)
				if !x.pads() {
					continue
				}
				for len(cells) < x.width {
					cells = append(cells, nil)
				}
				cells = cells[:x.width]
			}
		}
		if len(cells) != x.width {
			err := x.ragged(line, len(cells))
			if len(cells) > x.width || len(x.footer) == maxFooter || x.b.Rows() == 0 {
				if ragged == nil {
					ragged = err
				}
				return ragged
			}
			if ragged == nil {
				ragged = err
			}
			x.footer = append(x.footer, line)
			continue
		}
		if ragged != nil {
			return ragged // it is followed by a whole one
		}
		if err := x.b.Add(cells, line); err != nil {
			return err
		}
		if read := s.Used(); !settled && (x.b.Rows() == settleRows || read > settleText) {
			settled = true
			rows := float64(x.b.Rows()) * float64(x.length()) / float64(read)
			x.b.Settle(int(1.02*rows) + settleRows)
		}
	}
	x.d.Encoding, x.decoding = s.Encoding(), s.Notes()
	return nil
}

func (x *delimited) ragged(line, cells int) error {
	what := "the first record"
	if x.d.Header {
		what = "the header"
	}
	return &CellError{Name: x.name, Line: line, Err: fmt.Errorf("%w: %d, %s has %d (read as %s); --separator, --quote, --skip or --comment may help, or --ragged drop or pad",
		ErrRagged, cells, what, x.width, x.d)}
}

// counted writes a number of things by name.
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
