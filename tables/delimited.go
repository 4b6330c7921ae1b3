package tables

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// delimited turns the records of a delimited text into rows.
type delimited struct {
	name     string
	d        dialect.Dialect
	names    []string // of the columns
	headings dialect.Headings
	notes    []table.Finding
}

func (x *delimited) note(f table.Finding) { x.notes = append(x.notes, f) }

// head reads the header and the first row of a text or, without a header, its first two records.
func (x *delimited) head(in io.Reader) (header, first []string, err error) {
	below := 0 // number of records with units or types
	if x.d.Header {
		below = x.d.Below
	}
	r := dialect.NewReader(in, x.name, x.d)
	var records [][]string
	for len(records) < 2+below {
		cells, line, err := r.Next()
		switch {
		case err == io.EOF && records == nil:
			return nil, nil, ErrEmpty
		case err != nil && records == nil:
			return nil, nil, err
		case err != nil: // reported when the rows are read
			cells = nil
		case len(cells) > cell.MaxCells:
			return nil, nil, &cell.Error{Name: x.name, Line: line, Err: ErrTooWide}
		case isBlank(cells) && records != nil && len(records[0]) > 1:
			continue
		}
		var record []string
		for _, c := range cells {
			record = append(record, string(c))
		}
		if n := len(records); err == nil && 0 < n && n <= below {
			x.note(table.Finding{Code: texts.UnitsRow, Line: line, Texts: []string{strings.Join(record, ", ")},
				Option: "Skip", Value: strconv.Itoa(line - 1)})
		}
		records = append(records, record)
	}
	if x.d.Header {
		x.headings = append(dialect.NewHeadings(records[0]), records[1:1+below]...)
	}
	return records[0], records[1+below], nil
}

func isBlank(cells [][]byte) bool { return len(cells) == 1 && len(bytes.TrimSpace(cells[0])) == 0 }

// row returns the cells of a record without surplus blanks, or nil if it is a blank line or a heading.
func (x *delimited) row(cells [][]byte) (row [][]byte, heading bool) {
	if x.headings.Has(cells) {
		return nil, true
	}
	width := len(x.names)
	if isBlank(cells) && width > 1 {
		return nil, false
	}
	if len(cells) > width && len(bytes.TrimSpace(bytes.Join(cells[width:], nil))) == 0 {
		cells = cells[:width]
	}
	return cells, false
}

// number returns the function that parses the numbers of the text, or nil for plain decimal points.
func (x *delimited) number() func(text string) (float64, bool) {
	if x.d.Decimal == '.' && x.d.Thousands == 0 {
		return nil
	}
	return x.d.Number
}

// whole reads a complete delimited text. It implements detect.Rows.
type whole struct {
	delimited
	text     *text
	o        Options
	in       *dialect.Reader
	rows     int
	repeated []int // line numbers of headings below the first row
	footer   []int // line numbers of records with too few cells at the end
	uneven   []int // line numbers of padded, truncated or skipped records
}

func (t *text) readDelimited(ctx context.Context, o Options) (*table.Table, error) {
	x := &whole{text: t, o: o, delimited: delimited{name: t.name}}
	var err error
	x.d, err = dialect.Detect(t.in.sample, t.in.all, o)
	if unclear, ok := errors.AsType[*Ambiguous](err); ok && o.Lenient {
		x.note(unclear.Finding)
	} else if err != nil {
		return nil, notText(err)
	}
	plan, err := x.plan(t.in.start())
	if err != nil {
		return nil, err
	}
	read, err := plan.Read(func() (detect.Rows, error) { return x, x.begin(ctx) }, o.Lenient)
	if err != nil {
		return nil, err
	}
	x.report()
	read.Notes = append(append(x.in.Notes(), x.notes...), read.Notes...)
	d := x.d
	d.Encoding = x.in.Encoding()
	read.Reading = d.String()
	if t.gzip {
		read.Reading += ", gzip"
	}
	read.Dialect = table.Dialect{Separator: mark(d.Separator), Quote: mark(d.Quote), Escape: mark(d.Escape),
		Decimal: mark(d.Decimal), Encoding: d.Encoding, Header: d.Header}
	return read, nil
}

func mark(r rune) string {
	if r == 0 {
		return ""
	}
	return string(r)
}

// plan reads the names of the columns at the start of the text. The width of the first row shows whether the
// header lacks a name for the row names.
func (x *whole) plan(start io.Reader) (*detect.Plan, error) {
	names, first, err := x.head(start)
	if err != nil {
		return nil, err
	}
	shifted := x.d.RowNames && len(first) == len(names)+1 // the header has no name for the row names
	if x.pads() && x.d.Header && !shifted && dialect.Width(first) > len(names) {
		if x.d.Cells == len(names) { // only the first record has more cells
			first = first[:len(names)]
		}
		for len(names) < dialect.Width(first) {
			names = append(names[:len(names):len(names)], "")
		}
	}
	var notes []table.Finding
	x.names, notes = x.d.Names(names, first)
	x.notes = append(x.notes, notes...)
	plan, err := detect.New(detect.Source{File: x.name, Columns: x.names, Number: x.number()}, x.o)
	if err == nil && x.d.RowNames && x.d.Header {
		plan.Declare(0, table.ID)
	}
	return plan, err
}

// pads reports whether records with too few cells are padded and records with too many are truncated.
func (x *whole) pads() bool { return x.o.Ragged == "pad" || x.o.Ragged == "" && x.o.Lenient }

// begin goes to the first row.
func (x *whole) begin(ctx context.Context) error {
	in, err := x.text.open(ctx)
	if err != nil {
		return err
	}
	x.in, x.rows = dialect.NewReader(in, x.name, x.d), 0
	x.footer, x.uneven, x.repeated = nil, nil, nil
	if x.d.Header {
		_, _, err = x.in.Next()
	}
	return err
}

// Next returns the cells of the next row; see detect.Rows.
func (x *whole) Next() ([][]byte, int, error) {
	var ragged error // the first record with too few cells
	for {
		cells, line, err := x.in.Next()
		if err != nil {
			return nil, 0, err
		}
		cells, heading := x.row(cells)
		if heading && x.rows > 0 {
			x.repeated = append(x.repeated, line)
		}
		width := len(x.names)
		switch n := len(cells); {
		case cells == nil:
			continue
		case n == width:
		case x.pads():
			x.uneven = append(x.uneven, line)
			cells = append(cells[:min(n, width)], make([][]byte, max(0, width-n))...)
		case x.o.Ragged == "drop":
			x.uneven = append(x.uneven, line)
			continue
		default:
			if ragged == nil {
				ragged = x.ragged(line, n)
			}
			if n > width || len(x.footer) == maxFooter || x.rows == 0 {
				return nil, 0, ragged
			}
			x.footer = append(x.footer, line)
			continue
		}
		if ragged != nil {
			return nil, 0, ragged // not a footer, since a complete record follows
		}
		x.rows++
		return cells, line, nil
	}
}

const maxFooter = 3 // maximum number of records of a footer

// Estimate returns an estimate of the number of rows.
func (x *whole) Estimate() int {
	rows := float64(x.rows) * float64(x.text.size) / float64(max(x.in.Used(), 1))
	return int(1.02*rows) + 5000
}

func (x *whole) ragged(line, cells int) error {
	return &cell.Error{Name: x.name, Line: line, Err: table.Finding{Code: texts.Ragged, N: cells,
		Of: len(x.names), Texts: []string{x.d.String()}, Cause: ErrRagged}}
}

// report adds notes about headings, footers and padded records.
func (x *whole) report() {
	uneven := texts.RaggedPadded
	if x.o.Ragged == "drop" {
		uneven = texts.RaggedDropped
	}
	for _, r := range []struct {
		code  table.Code
		lines []int
	}{{texts.Footer, x.footer}, {texts.RepeatedHeader, x.repeated}, {uneven, x.uneven}} {
		if n := len(r.lines); n > 0 {
			x.note(table.Finding{Code: r.code, N: n, Line: r.lines[0]})
		}
	}
}

// block is a chunk of a delimited text. It implements detect.Rows.
type block struct {
	*delimited
	*dialect.Block
	repeated *atomic.Int64 // number of headings
	ragged   map[int]error // by row, if the number of cells is wrong
	rows     int
}

// Next returns the cells of the next row. If a row has too many or too few cells, all of them are nil.
func (x *block) Next() ([][]byte, int, error) {
	for {
		cells, line := x.Block.Next()
		if cells == nil {
			return nil, 0, io.EOF
		}
		cells, heading := x.row(cells)
		if heading {
			x.repeated.Add(1)
		}
		if cells == nil {
			continue
		}
		if n := len(x.names); len(cells) != n {
			if x.ragged == nil {
				x.ragged = map[int]error{}
			}
			x.ragged[x.rows] = &cell.Error{Name: x.name, Line: line, Err: table.Finding{Code: texts.RaggedRow,
				N: len(cells), Of: n, Cause: ErrRagged}}
			cells = make([][]byte, n)
		}
		x.rows++
		return cells, line, nil
	}
}

// Estimate returns the number of lines.
func (x *block) Estimate() int { return x.Lines }
