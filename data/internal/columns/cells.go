package columns

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/cell"
)

// Cells reads single cells of a column whose kind is known, as a [Builder] reads those of a
// whole column. It is safe for concurrent use.
type Cells struct {
	b      *Builder
	kind   table.Kind
	layout string
	unit   string
	parse  func(text string) (float64, bool)
	clock  atomic.Int32 // of clocks, the one that was found last
}

// NewCells returns the reader of a column of kind Number, Date or Category; of others it tells
// only what is missing. A sample of the cells says which decimal mark the numbers have, if it
// is not that of o.Number, and which layout the dates have. If layout is not empty, dates have
// that layout or are written year first. A number may have the unit, or a sign such as $ if the
// unit is empty.
func NewCells(kind table.Kind, layout, unit string, sample []string, o Options) *Cells {
	b, err := New("", nil, Options{Number: o.Number, Missing: o.Missing})
	if err != nil {
		panic(err) // it names no column
	}
	r := &Cells{b: b, kind: kind, layout: layout, unit: unit}
	c := &Column{b: b, forced: kind}
	for _, text := range sample {
		c.add(trim([]byte(text)))
	}
	switch kind {
	case table.Number:
		r.parse = c.read().parse
	case table.Date:
		if r.layout == "" {
			r.layout = c.read().layout
		}
	}
	return r
}

// PointCells returns the reader of a column whose numbers have a decimal point. Layout and unit
// are those of NewCells.
func PointCells(kind table.Kind, layout, unit string, missing []string) *Cells {
	o := Options{Number: pointNumber, Missing: missing}
	return &Cells{b: &Builder{o: o, numeric: missingNumbers(o)}, kind: kind, layout: layout, unit: unit, parse: pointNumber}
}

// Point reports whether a plain number with a decimal point needs no further look: it is not
// missing, and means itself.
func (r *Cells) Point() bool {
	v, ok := r.b.o.Number("1.5")
	return ok && v == 1.5 && len(r.b.numeric) == 0
}

// Read reads a cell. The number is that of a number or date, and NaN for other kinds and for a
// cell that is missing. ok is false if the cell is neither missing nor of the kind.
func (r *Cells) Read(raw []byte) (text string, v float64, missing, ok bool) {
	text, v = asText(trim(raw)), math.NaN()
	if len(text) == 0 || r.b.isMissing(text) {
		return text, v, true, true
	}
	if !r.kind.Numeric() {
		return text, v, false, true
	}
	switch r.kind {
	case table.Number:
		v, ok = amount(text, r.unit, r.parse)
		missing = ok && slices.Contains(r.b.numeric, v)
	case table.Date:
		clock := int(r.clock.Load())
		v, ok = dateIn(text, r.layout, &clock)
		r.clock.Store(int32(clock))
	case table.Boolean:
		return text, v, false, true
	}
	if missing || !ok && cell.NoValue(text) {
		return text, math.NaN(), true, true
	}
	return text, v, false, ok
}

// Date reads a date or time of a layout, or one that is written year first, as seconds since
// 1970. Without a layout the year comes first.
func Date(text, layout string) (seconds float64, ok bool) {
	clock := 0
	return dateIn(text, layout, &clock)
}

func dateIn(text, layout string, clock *int) (seconds float64, ok bool) {
	if layout != "" {
		if v, ok := date(text, layout, clock); ok {
			return v, true
		}
	}
	if layout == dates[0] {
		return 0, false
	}
	return date(text, dates[0], clock)
}

// IsLayout reports whether a layout is one of those that a column of dates may have.
func IsLayout(layout string) bool { return slices.Contains(dates, layout) }

// Amount parses a number with a decimal point, which may have a sign as cell.Amount reads it and
// the unit.
func Amount(text, unit string) (float64, bool) { return amount(text, unit, pointNumber) }

// Number parses a number with a decimal point.
func Number(text string) (float64, bool) { return pointNumber(text) }
