// Package detect converts the cells of a file of any format to columns and detects the kind of each column.
//
// [New] makes a [Plan] from a [Source] and the options. [Plan.Decode] detects from a sample
// of the rows how each column is written, and [Plan.Parse] then reads the rows in chunks. [Plan.Read] reads
// a whole file and detects the kinds from all of its rows.
//
// # Rules
//
// The rules are based on the distinct texts of a column, not on its meaning. They are applied in this order:
//
//   - Missing values are empty cells, the celltext.MissingWords in any case, and the texts given by the
//     caller, except texts that the caller gives with the prefix celltext.Kept. The celltext.NoValueWords, such as none and the dash, are missing only among numbers,
//     dates and truth values.
//   - A boolean has exactly two values that form a pair such as yes and no, in any case.
//   - Codes are texts. A cell looks like a code if it has leading zeros (01234) or more digits than a
//     float64 can represent. A column contains codes if more than 5 % of its numbers look like codes, or at
//     least two different ones if all cells have the same number of digits.
//   - A column contains numbers or dates if all its texts are numbers or dates. A few other texts are
//     treated as faults: less than 5 % of the cells, or at most five different texts in at most half of
//     the cells if there are at least four times as many different values. With more of them, the
//     column is a category.
//     Numbers may have a unit, either a sign such as $ or a word such as kg, if 95 % of them have the
//     same one. Numbers with several units are free text, which does not become a feature. At most ten
//     different texts such as 2WD and 4WD that repeat are a category. Cells such as <0.5 are accepted among
//     numbers if at least a fifth of the cells are plain values; see tables.Options.
//   - Texts are compared in the form of celltext.Normal.
//   - Texts and whole numbers that are all different may be ids; see [Identify].
//   - Texts are free text if they have at least three words on average and most of them differ.
//   - All other texts are a category.
package detect

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Source describes the cells of a file.
type Source struct {
	File    string   // for errors
	Columns []string // names, which must be unique
	// Number parses a number. If nil, numbers have a decimal point.
	Number func(text string) (float64, bool)
	// Chunked means that rows are read in chunks. Options.Like must contain all columns to read. Booleans are
	// read as categories, because a chunk may contain only one of the two texts.
	Chunked bool
	// Written lists columns whose original texts are also kept, in table.Column.Written.
	Written []string
}

// unknown is a kind that is to be detected.
const unknown = table.Kind(-1)

// Plan describes how the cells of each column of a file are read. Parse is safe for concurrent use.
type Plan struct {
	Source
	o       table.Options
	numeric []float64 // numbers in o.Missing
	columns []*column
}

type column struct {
	plan    *Plan
	index   int // in Plan.columns
	name    string
	given   table.Kind // or unknown
	unit    *string    // of numbers; nil if it is to be detected
	layout  string     // of dates; "" if it is to be detected
	truths  []string   // the texts of a boolean, if given
	parse   func(text string) (float64, bool)
	most    int  // with more different texts, numbers are stored as numbers; 0 means from the start
	drop    bool // whether the column is left out
	aside   bool // whether it is not a feature: Group, Time or Weight
	time    bool // Time or Weight: consecutive numbers are not an id
	typed   bool // whether the file stores numbers instead of texts
	written bool // whether the original texts are kept too
}

// manyTexts is the number of different texts above which a column of numbers is stored as numbers, which take
// less memory and time. Fewer texts may be class names.
const manyTexts = 1000

// New makes the plan for a file. Errors have the type *cell.Error.
func New(s Source, o table.Options) (*Plan, error) {
	p := newPlan(s, o)
	if limits := []string{"half", "limit", "missing"}; o.Limits != "" && !slices.Contains(limits, o.Limits) {
		return nil, p.fail(0, table.Finding{Code: texts.InvalidValue, Option: "Limits", Value: o.Limits,
			Texts: limits})
	}
	for i, name := range s.Columns {
		c := &column{plan: p, index: i, name: name, given: unknown, parse: p.Number, most: manyTexts,
			written: slices.Contains(s.Written, name), drop: s.Chunked}
		if s.Chunked {
			c.most = math.MaxInt
		}
		for _, like := range o.Like {
			if like.Name == name {
				c.like(like)
			}
		}
		p.columns = append(p.columns, c)
	}
	return p, cmp.Or(
		p.each("Kinds", slices.Sorted(maps.Keys(o.Kinds)),
			func(c *column, name string) { c.given = o.Kinds[name] }),
		p.each("ID", o.ID, func(c *column, _ string) { c.given = table.ID }),
		p.each("Drop", o.Drop, func(c *column, _ string) { c.drop = true }),
		p.setAside("Group", o.Group), p.setAside("Time", o.Time), p.setAside("Weight", o.Weight))
}

func newPlan(s Source, o table.Options) *Plan {
	if s.Number == nil {
		s.Number = Number
	}
	o.Missing = Clean(o.Missing)
	p := &Plan{Source: s, o: o}
	for _, text := range o.Missing {
		v, ok := s.Number(text)
		if !ok {
			v, ok = Number(text)
		}
		if ok {
			p.numeric = append(p.numeric, v)
		}
	}
	return p
}

// each calls set for the columns that an option names.
func (p *Plan) each(option string, names []string, set func(c *column, name string)) error {
	for _, name := range names {
		c, err := p.find(option, name)
		if err != nil {
			return err
		}
		set(c, name)
	}
	return nil
}

// setAside sets the column that an option names aside.
func (p *Plan) setAside(option, name string) error {
	if name == "" {
		return nil
	}
	c, err := p.find(option, name)
	if err == nil && c.drop {
		err = p.fail(c.index+1, table.Finding{Code: texts.ColumnDropped, Option: option, Value: name})
	}
	if err != nil {
		return err
	}
	_, asked := p.o.Kinds[name]
	c.aside, c.time = c.aside || !asked && c.given != table.ID, c.time || option != "Group"
	return nil
}

// like copies the kind, unit and layout of another column.
func (c *column) like(other table.Column) {
	c.layout, c.drop = other.Layout, false
	switch {
	case other.Kind != table.Boolean:
		c.given = other.Kind
	case c.plan.Chunked:
		c.given, c.truths = table.Category, other.Levels
	}
	if other.Kind == table.Number {
		c.unit = &other.Unit
	}
}

// find returns the column with a name given in an option.
func (p *Plan) find(option, name string) (*column, error) {
	for _, text := range []string{name, celltext.Normal(name)} {
		if i := slices.Index(p.Columns, text); i >= 0 {
			return p.columns[i], nil
		}
	}
	return nil, p.fail(0, table.Finding{Code: table.NoSuchColumn, Option: option, Value: name,
		Columns: p.Columns})
}

// fail returns an error for a column, counted from 1, or for the file if column is 0.
func (p *Plan) fail(column int, err error) error {
	e := &cell.Error{Name: p.File, Column: column, Err: err}
	if column > 0 {
		e.Header = p.Columns[column-1]
	}
	return e
}

// Clean trims texts that mean a missing value and drops blank ones, because empty cells are always missing.
func Clean(missing []string) []string {
	var clean []string
	for _, text := range missing {
		if bare := trim([]byte(text)); len(bare) > 0 {
			clean = append(clean, string(bare))
		}
	}
	return clean
}

// Declare sets the kind of column i, as the file declares it, unless the options set one.
func (p *Plan) Declare(i int, kind table.Kind) {
	if c := p.columns[i]; c.given == unknown {
		c.given = kind
	}
}

// Rows is an iterator over rows of cells.
type Rows interface {
	// Next returns the cells of the next row, one for each column, which are valid until the next call, and
	// its line in the file, or 0. After the last row, the error is io.EOF.
	Next() (cells [][]byte, line int, err error)
}

// estimate returns the approximate number of rows if they have a method Estimate, and otherwise 0.
func estimate(rows Rows) int {
	if known, ok := rows.(interface{ Estimate() int }); ok {
		return known.Estimate()
	}
	return 0
}

// Decode detects from a sample of the rows how the columns of Options.Like are written: the decimal mark of
// numbers, if it differs from Source.Number, and the layout of dates, if Like does not specify one.
func (p *Plan) Decode(sample Rows) error {
	cells := p.Cells(0)
	for cells.rows < 1000 {
		if err := cells.row(sample); err == io.EOF {
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
				c.column.layout = layouts[0]
			}
		}
	}
	return nil
}

// Parse reads the rows of a chunk.
func (p *Plan) Parse(rows Rows) (*table.Table, error) {
	cells := p.Cells(estimate(rows))
	if err := cells.add(rows); err != nil {
		return nil, err
	}
	return cells.Table()
}

// Read reads all rows of a file. open returns the rows from the start. It is called a second time if the
// first rows suggest that a column contains numbers but later ones do not. If the file has no rows, the
// error is cell.ErrEmpty unless lenient is true.
func (p *Plan) Read(open func() (Rows, error), lenient bool) (*table.Table, error) {
	cells := p.Cells(0)
	rows, err := open()
	if err == nil {
		err = cells.add(rows)
	}
	if err == nil && cells.misread() {
		if rows, err = open(); err == nil {
			err = cells.add(rows)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case cells.rows == 0 && !lenient:
		return nil, cell.ErrEmpty
	}
	return cells.Table()
}

// CellOf returns a function that reads single cells of a column with the properties of like. Numbers have a
// decimal point, or a comma if it cannot separate thousands. text is the cell in its normal form. v is a
// number or date; it is NaN for other kinds and missing cells. ok is false if the cell is neither missing nor
// of the kind.
func CellOf(like table.Column, o table.Options) func(raw string) (text string, v float64, missing, ok bool) {
	p := newPlan(Source{}, o)
	c := &column{plan: p, truths: like.Levels, parse: Number}
	never := p.missingDates(like.Layout)
	return func(raw string) (text string, v float64, missing, ok bool) {
		text, v = celltext.Normal(strings.TrimFunc(raw, cell.Blank)), math.NaN()
		if text == "" || c.isMissing(text) {
			return text, v, true, true
		}
		switch like.Kind {
		case table.Number:
			v, ok = p.amount(text, like.Unit, pointOrComma)
			missing = ok && (math.IsNaN(v) || slices.Contains(p.numeric, v))
		case table.Date:
			clock := 0
			v, ok = dateIn(text, like.Layout, &clock)
			missing = ok && isMissingDate(v, never)
		default:
			return text, v, false, true
		}
		if missing || !ok && celltext.NoValue(text) {
			return text, math.NaN(), true, true
		}
		return text, v, false, ok
	}
}

// unitOf returns the unit of numbers, or "" if they have none or it is to be detected.
func (c *column) unitOf() string {
	if c.unit == nil {
		return ""
	}
	return *c.unit
}

// truth reports whether the column is a boolean of 0 and 1, which may also be written as 1.0 or 1,0.
func (c *column) truth() bool { return slices.Equal(c.truths, []string{"0", "1"}) }

// isMissing reports whether a text means a missing value in a column of texts.
func (c *column) isMissing(text string) bool {
	if c.truth() {
		if v, ok := c.parse(text); ok && slices.Contains(c.plan.numeric, v) {
			return true
		}
	}
	return slices.Contains(c.plan.o.Missing, text) ||
		celltext.Missing(text) && !slices.Contains(c.plan.o.Missing, celltext.Kept+text)
}

func trim(text []byte) []byte {
	n := len(text)
	if n == 0 || text[0] > ' ' && text[n-1] > ' ' && text[0] < utf8.RuneSelf && text[n-1] < utf8.RuneSelf {
		return text
	}
	return bytes.TrimFunc(text, cell.Blank)
}

// code reports whether digits are a code: they have leading zeros, or more digits than fit a float64.
func code(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	if len(digits) < 2 || len(digits) < len(text)-1 {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	if digits[0] == '0' {
		return len(digits) == len(text)
	}
	if len(digits) < 16 {
		return false
	}
	v, err := strconv.ParseFloat(text, 64)
	return err != nil || strconv.FormatFloat(v, 'f', -1, 64) != strings.TrimPrefix(text, "+")
}

var powers = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// Number parses a number with a decimal point.
func Number(text string) (float64, bool) {
	start, whole, point := 0, 0, -1
	if len(text) > 1 && (text[0] == '-' || text[0] == '+') {
		start = 1
	}
	i := start
	for ; i < len(text); i++ {
		if d := text[i] - '0'; d <= 9 {
			whole = 10*whole + int(d)
		} else if text[i] == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	digits := i - start
	if point >= 0 {
		digits--
	}
	if i == len(text) && 0 < digits && digits <= 15 { // the digits and the power are exact as float64
		v := float64(whole)
		if point >= 0 {
			v /= powers[i-1-point]
		}
		if text[0] == '-' {
			v = -v
		}
		return v, true
	}
	if i < len(text) && text[i]|0x20 != 'e' && (i == start || point < 0 ||
		strings.IndexByte("xX_", text[i]) < 0) { // units cost time and memory in ParseFloat
		return 0, false // rejects infinity and hexadecimal digits
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

func commaNumber(text string) (float64, bool) {
	if strings.Count(text, ",") > 1 || strings.Contains(text, ".") {
		return 0, false
	}
	return Number(strings.Replace(text, ",", ".", 1))
}

// pointOrComma parses a number with a decimal point, or with a comma that cannot separate thousands.
func pointOrComma(text string) (float64, bool) {
	if i := strings.IndexByte(text, ','); i > 0 && len(text)-i != len(",000") {
		return commaNumber(text)
	}
	return Number(text)
}
