// Package columns turns the cells of a file, whatever its format, into columns, and finds out the kind of
// each column.
//
// [New] makes a [Plan] from the names of the columns and the options. [Plan.Decode] settles from a sample of
// the rows how each column is written, and [Plan.Parse] then reads the rows chunk by chunk. [Plan.Read] reads
// a whole file, whose kinds depend on all of its rows.
//
// # The rules
//
// They look at the distinct texts of a column, not at what the column means. In this order:
//
//   - Missing are an empty cell, the celltext.MissingWords in any case, and what the caller says.
//     The celltext.NoValueWords, such as none and the dash, are missing among numbers, dates and
//     truth values only.
//   - A boolean has exactly two values, which are a pair such as yes and no, in any case.
//   - Codes are texts. A cell is written like one if it begins with a zero that no number needs
//     (01234), or has more digits than a float64 keeps. A column has codes if more than 5 % of the
//     numbers are written so, or two different ones if all cells have the same number of digits.
//   - A column is of numbers or dates if all its texts are. If some are not, they count as
//     faults as long as they are few: under 5 % of the cells, or at most five different texts
//     in no more than every second cell, next to four times as many different values. More of
//     them make the column a category.
//     Numbers may have a unit, a sign such as $ or a word such as kg, if 95 % of them have the
//     same. If they have several, the column is free text, which is not a feature. At most ten different
//     texts such as 2WD and 4WD that repeat are a category. A cell such as <0.5 belongs to numbers
//     if at least a fifth of them are whole values; see Options.Limits.
//   - Texts are compared as celltext.Normal writes them.
//   - A column of at least 10 cells is an id if it has whole numbers without gap and
//     repetition, or texts without repetition. With a name such as id or index, it is one if
//     whole numbers or texts do not repeat, however few they are. Codes of digits that
//     begin with zeros are ids only without gap or by name.
//   - Texts are free text if they have three words on average and most differ.
//   - All other texts are a category.
package columns

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Options control how cells are read.
type Options struct {
	// Number parses a number. If it is nil, numbers have a decimal point.
	Number func(text string) (float64, bool)
	// Missing are further texts that mean a missing value. A number means all that equal it, and so does
	// a date.
	Missing []string
	// Limits controls how a cell such as <0.5 or >100 is read in a column of numbers: as "half" the limit (for
	// a cell below it), as the "limit", or as "missing". If it is empty, such a cell is a fault.
	Limits string
	// Kinds has kinds of columns, by name, that are given and not found out.
	Kinds map[string]table.Kind
	// Like are columns of another table, such as the table of the training rows: a column of the same
	// name has its kind, unit and layout, unless it is a boolean or Kinds says otherwise. The file may
	// lack them.
	Like []table.Column
	// Drop and ID are names of columns to leave out and of columns that identify a row.
	Drop, ID []string
	// Group, Time and Weight name columns as in table.Table, or are "".
	Group, Time, Weight string

	// Chunked is for rows that are read chunk by chunk. Like has all columns that are wanted. A boolean
	// is read as a category, because a chunk may have one of its two texts only.
	Chunked bool
	// Written are columns whose cells are also kept as the file writes them, in table.Column.Written.
	Written []string
}

// unknown is the kind of a column that has to be detected.
const unknown = table.Kind(-1)

// Plan determines how the cells of each column of a file are read. Parse may be called concurrently.
type Plan struct {
	file    string
	o       Options
	numeric []float64 // the numbers among o.Missing
	columns []*column
	sample  int // rows by which Read decides which columns are kept as numbers
}

// column is the plan of a column.
type column struct {
	plan    *Plan
	place   int // among the columns, from 0
	name    string
	given   table.Kind // or unknown
	unit    *string    // of numbers; nil if it has to be detected
	layout  string     // of dates; "" if it has to be detected
	truths  []string   // the texts of a boolean, if they are given
	parse   func(text string) (float64, bool)
	most    int  // a column of numbers is kept as texts while it has at most so many different ones
	drop    bool // it is left out
	aside   bool // it is not a feature: Group, Time or Weight
	time    bool // Time or Weight: numbers that count up are not an id
	typed   bool // the file has numbers in it and no texts
	written bool // its cells are also kept as they are written
}

// Bounds of what decides in a file whether a column is kept as numbers, which take less memory and time.
const (
	sampleRows  = 5000
	sampleBytes = 4 << 20
	fewTexts    = 100  // a column of numbers with so few different texts in the sample
	manyTexts   = 1000 // is kept as texts until it has more than these, as they may be names of classes
)

// New makes the plan of a file with columns of these names, which must differ from each other. The name of
// the file is for errors, which have the type *cell.Error.
func New(file string, names []string, o Options) (*Plan, error) {
	if o.Number == nil {
		o.Number = Number
	}
	o.Missing = Clean(o.Missing)
	p := &Plan{file: file, o: o, numeric: o.missingNumbers(), sample: sampleRows}
	if !slices.Contains([]string{"", "half", "limit", "missing"}, o.Limits) {
		return nil, p.fail(0, fmt.Errorf("Options.Limits %q: want half, limit or missing", o.Limits))
	}
	for i, name := range names {
		c := &column{plan: p, place: i, name: name, given: unknown, parse: o.Number, most: math.MaxInt}
		c.written, c.drop = slices.Contains(o.Written, name), o.Chunked
		for _, like := range o.Like {
			if like.Name == name {
				c.like(like)
			}
		}
		p.columns = append(p.columns, c)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Kinds)) {
		c, err := p.find("Options.Kinds", name)
		if err != nil {
			return nil, err
		}
		c.given = o.Kinds[name]
	}
	for _, name := range o.ID {
		c, err := p.find("Options.ID", name)
		if err != nil {
			return nil, err
		}
		c.given = table.ID
	}
	for _, name := range o.Drop {
		c, err := p.find("Options.Drop", name)
		if err != nil {
			return nil, err
		}
		c.drop = true
	}
	for _, by := range [][2]string{{"Group", o.Group}, {"Time", o.Time}, {"Weight", o.Weight}} {
		if by[1] == "" {
			continue
		}
		c, err := p.find("Options."+by[0], by[1])
		if err != nil {
			return nil, err
		}
		if c.drop {
			return nil, p.fail(c.place+1, fmt.Errorf("Options.%s names a column that Options.Drop leaves out", by[0])) //nolint:staticcheck // the name of an option
		}
		_, asked := o.Kinds[by[1]]
		c.aside, c.time = c.aside || !asked && c.given != table.ID, c.time || by[0] != "Group"
	}
	return p, nil
}

// like gives a column the kind, unit and layout of another one.
func (c *column) like(other table.Column) {
	c.layout, c.drop = other.Layout, false
	switch {
	case other.Kind != table.Boolean:
		c.given = other.Kind
	case c.plan.o.Chunked:
		c.given, c.truths = table.Category, other.Levels
	}
	if other.Kind == table.Number {
		c.unit = &other.Unit
	}
}

// find returns the column of a name that an option has.
func (p *Plan) find(option, name string) (*column, error) {
	for _, text := range []string{name, celltext.Normal(name)} {
		for _, c := range p.columns {
			if c.name == text {
				return c, nil
			}
		}
	}
	var names []string
	for _, c := range p.columns[:min(len(p.columns), 20)] {
		names = append(names, c.name)
	}
	shown := strings.Join(names, ", ")
	return nil, p.fail(0, fmt.Errorf("%s %q: no such column; there are %s", option, cell.Shorten(name), shown))
}

// fail returns the error of a column, counted from 1, or with 0 of the file.
func (p *Plan) fail(column int, err error) error {
	e := &cell.Error{Name: p.file, Column: column, Err: err}
	if column > 0 {
		e.Header = p.columns[column-1].name
	}
	return e
}

// Clean returns texts that mean a missing value without the blanks around them, as cells are
// compared. Blank texts are left out: an empty cell is missing anyway.
func Clean(missing []string) []string {
	var clean []string
	for _, text := range missing {
		if bare := trim([]byte(text)); len(bare) > 0 {
			clean = append(clean, string(bare))
		}
	}
	return clean
}

// missingNumbers returns the numbers among the texts that mean a missing value.
func (o Options) missingNumbers() []float64 {
	var numbers []float64
	for _, text := range o.Missing {
		if v, ok := o.Number(text); ok {
			numbers = append(numbers, v)
		} else if v, ok := Number(text); ok {
			numbers = append(numbers, v)
		}
	}
	return numbers
}

func (o Options) isMissing(text string) bool {
	return celltext.Missing(text) || slices.Contains(o.Missing, text)
}

// Declare sets the kind of column i, as the file declares it, unless the options set one.
func (p *Plan) Declare(i int, kind table.Kind) {
	if c := p.columns[i]; c.given == unknown {
		c.given = kind
	}
}

// Rows are rows of cells.
type Rows interface {
	// Next returns the cells of the next row, one for each column, which are valid until the next call,
	// and its line in the file, or 0. After the last row the error is io.EOF.
	Next() (cells [][]byte, line int, err error)
	// Estimate returns about how many rows there are in all, or 0.
	Estimate() int
}

// Decode settles from a sample of the rows how the columns of Options.Like are written: which decimal mark
// their numbers have, if it differs from Options.Number, and the layout of dates that have none.
func (p *Plan) Decode(sample Rows) error {
	cells := p.Cells(0)
	for cells.rows < 1000 {
		if _, err := cells.row(sample); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	for _, c := range cells.reading {
		switch c.given {
		case table.Number:
			c.column.parse, c.column.most = c.read().parse, 0
		case table.Date:
			if c.layout == "" {
				c.column.layout, _, _ = strings.Cut(c.read().layout, both)
			}
			if c.layout == "" {
				c.column.layout = dates[0]
			}
		}
	}
	return nil
}

// Parse reads the rows of a chunk.
func (p *Plan) Parse(rows Rows) (*table.Table, error) {
	cells := p.Cells(rows.Estimate())
	if err := cells.add(rows); err != nil {
		return nil, err
	}
	return cells.Table()
}

// Read reads all rows of a file. open returns them from the first one on. It is called a second time if the
// first rows suggest that a column has numbers, and later ones that it does not. If there are no rows, the
// error is cell.ErrEmpty unless lenient is true.
func (p *Plan) Read(open func() (Rows, error), lenient bool) (*table.Table, error) {
	cells := p.Cells(0)
	rows, err := open()
	for size := 0; err == nil && cells.rows < p.sample && size < sampleBytes; {
		var n int
		n, err = cells.row(rows)
		size += n
	}
	if err == nil {
		cells.keepNumbers(rows.Estimate())
		err = cells.add(rows)
	}
	if (err == nil || err == io.EOF) && cells.misread() {
		if rows, err = open(); err == nil {
			err = cells.add(rows)
		}
	}
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case cells.rows == 0 && !lenient:
		return nil, cell.ErrEmpty
	}
	return cells.Table()
}

// Cell reads a cell of a column like another one. v is a number or date, and NaN for other kinds and for a
// cell that is missing. ok is false if the cell is neither missing nor of the kind.
func Cell(like table.Column, raw []byte, o Options) (text string, v float64, missing, ok bool) {
	o.Number, o.Missing = Number, Clean(o.Missing)
	c := &column{plan: &Plan{o: o, numeric: o.missingNumbers()}, truths: like.Levels, parse: Number}
	text, v = celltext.Normal(asText(trim(raw))), math.NaN()
	if text == "" || c.isMissing(text) {
		return text, v, true, true
	}
	switch like.Kind {
	case table.Number:
		v, ok = o.amount(text, like.Unit, Number)
		missing = ok && (math.IsNaN(v) || slices.Contains(c.plan.numeric, v))
	case table.Date:
		clock := 0
		v, ok = dateIn(text, like.Layout, &clock)
		missing = ok && isMissingDate(v, o.missingDates(like.Layout))
	default:
		return text, v, false, true
	}
	if missing || !ok && celltext.NoValue(text) {
		return text, math.NaN(), true, true
	}
	return text, v, false, ok
}

// unitOf returns the unit of numbers, "" if they have none or it has to be detected.
func (c *column) unitOf() string {
	if c.unit == nil {
		return ""
	}
	return *c.unit
}

// truth reports whether a column is a boolean of 0 and 1, which a file also writes as 1.0 or 1,0.
func (c *column) truth() bool { return slices.Equal(c.truths, []string{"0", "1"}) }

// isMissing reports whether a text means a missing value in a column of texts.
func (c *column) isMissing(text string) bool {
	if c.truth() {
		if v, ok := c.parse(text); ok && slices.Contains(c.plan.numeric, v) {
			return true
		}
	}
	return c.plan.o.isMissing(text)
}
