package columns

import (
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Cells reads the cells of a column whose kind is known, one by one or a part of a file at a time.
// It is safe for concurrent use.
type Cells struct {
	b     *Builder
	like  table.Column
	parse func(text string) (float64, bool)
	plain bool         // a plain number means itself
	truth bool         // a boolean of 0 and 1, which a file also writes as 1.0 or 1,0
	clock atomic.Int32 // of clocks, the one that was found last
	never []float64    // dates that mean a missing value
}

// NewCells returns the reader of a column like another one: with its kind, its unit (or a sign such
// as $ if it has none), and its layout of dates, beside those that are written year first. A sample
// of the cells says which decimal mark the numbers have, if it is not that of o.Number, and which
// layout the dates have, if like has none.
func NewCells(like table.Column, sample []string, o Options) *Cells {
	if o.Number == nil {
		o.Number = pointNumber
	}
	r := &Cells{b: &Builder{o: Options{Number: o.Number, Missing: Clean(o.Missing), Limits: o.Limits}}, like: like, parse: o.Number}
	r.b.numeric = missingNumbers(r.b.o)
	c := &Column{b: r.b, forced: like.Kind}
	for _, text := range sample {
		c.add(trim([]byte(text)))
	}
	switch {
	case sample == nil:
	case like.Kind == table.Number:
		r.parse = c.read().parse
	case like.Kind == table.Date && like.Layout == "":
		r.like.Layout = Layouts(c.read().layout)[0] // EncodeRow has no other, except year first
	}
	if like.Kind == table.Date {
		r.never = r.b.o.missingDates(r.like.Layout)
	}
	r.truth = slices.Equal(like.Levels, []string{"0", "1"})
	v, ok := o.Number("1.5")
	r.plain = ok && v == 1.5 && len(r.b.numeric) == 0
	return r
}

// Read reads a cell. v is a number or date, and NaN for other kinds and for a
// cell that is missing. ok is false if the cell is neither missing nor of the kind.
func (r *Cells) Read(raw []byte) (text string, v float64, missing, ok bool) {
	text, v = celltext.Normal(asText(trim(raw))), math.NaN()
	if len(text) == 0 || r.missing(text) {
		return text, v, true, true
	}
	switch r.like.Kind {
	case table.Number:
		v, ok = r.b.o.amount(text, r.like.Unit, r.parse)
		missing = ok && (math.IsNaN(v) || slices.Contains(r.b.numeric, v))
	case table.Date:
		clock := int(r.clock.Load())
		v, ok = dateIn(text, r.like.Layout, &clock)
		r.clock.Store(int32(clock))
		missing = ok && isMissingDate(v, r.never)
	default:
		return text, v, false, true
	}
	if missing || !ok && celltext.NoValue(text) {
		return text, math.NaN(), true, true
	}
	return text, v, false, ok
}

// missing reports whether a text means a missing value, whatever the kind but Number.
func (r *Cells) missing(text string) bool {
	if r.truth {
		if v, ok := r.parse(text); ok && slices.Contains(r.b.numeric, v) {
			return true
		}
	}
	return r.b.isMissing(text)
}

// Part is the cells of a column in a part of a file.
type Part struct {
	*Cells
	column table.Column
	texts
}

// Part begins a part of about so many rows. A boolean is read as a category, because a few rows may
// have one of its two texts. If written is true the column has the cells as they are written, too.
func (r *Cells) Part(rows int, written bool) *Part {
	p := &Part{Cells: r, column: table.Column{Name: r.like.Name, Kind: r.like.Kind, Layout: r.like.Layout, Unit: r.like.Unit}}
	if p.column.Kind == table.Boolean {
		p.column.Kind = table.Category
	}
	if p.column.Kind.Numeric() {
		p.column.Numbers = make([]float64, 0, rows)
	}
	if written {
		p.column.Written = make([]string, 0, rows)
	}
	return p
}

// Add adds the cell of the next row, which stands in a line of the file.
func (p *Part) Add(raw []byte, line int) {
	c := &p.column
	if c.Written != nil {
		c.Written = append(c.Written, string(raw))
	}
	if c.Numbers == nil {
		p.add(trim(raw))
		return
	}
	if p.plain && c.Kind == table.Number {
		if v, ok := pointNumber(asText(trim(raw))); ok {
			c.Numbers = append(c.Numbers, v)
			return
		}
	}
	text, v, missing, ok := p.Read(raw)
	if !missing && !ok {
		v = math.NaN()
		c.Faults = append(c.Faults, table.Fault{Row: len(c.Numbers), Line: line, Text: string([]byte(text))})
	}
	c.Numbers = append(c.Numbers, v)
}

// Column returns the cells that were added.
func (p *Part) Column() table.Column {
	if p.column.Numbers != nil {
		return p.column
	}
	p.normalise()
	use := make([]bool, len(p.levels))
	for i, level := range p.levels {
		use[i] = !p.missing(level)
	}
	if p.truth {
		use = p.same(use, func(level string) string {
			if v, ok := p.b.o.Number(level); ok {
				return strconv.FormatFloat(v, 'f', -1, 64)
			}
			return level
		})
	}
	p.column.Codes, p.column.Levels = p.sorted(use)
	return p.column
}

// same replaces levels by others that mean the same. It returns use with those that are new.
func (t *texts) same(use []bool, by func(level string) string) []bool {
	place := make([]int32, len(t.levels))
	for i, level := range t.levels {
		place[i] = int32(i)
		if other := by(level); other != level && use[i] {
			if place[i] = t.code([]byte(other)); int(place[i]) == len(use) {
				use = append(use, true)
			}
			use[i] = false
		}
	}
	for row, code := range t.codes {
		if code >= 0 {
			t.codes[row] = place[code]
		}
	}
	return use
}

// Amount parses a number with a decimal point, which may have a sign as celltext.Amount reads it and
// the unit. limits is as Options.Limits; NaN means a missing value.
func Amount(text, unit, limits string) (float64, bool) {
	return Options{Limits: limits}.amount(text, unit, pointNumber)
}

// Number parses a number with a decimal point.
func Number(text string) (float64, bool) { return pointNumber(text) }
