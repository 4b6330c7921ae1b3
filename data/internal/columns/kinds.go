package columns

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/data/table"
)

// reading is what the texts of a column are.
type reading struct {
	kind   table.Kind
	values []float64 // of each level, NaN for a missing one or a fault, if the kind is numeric
	use    []bool    // levels that are not missing
	truths []string  // the levels of a boolean
	unit   bool      // numbers have a unit
	layout string    // of dates
	parse  func(text string) (float64, bool)
	note   string
}

// read finds out what the texts of a column are, or reads them as the kind that is forced.
func (c *Column) read() reading {
	counts := c.counts()
	r := reading{kind: table.Category, use: make([]bool, len(counts))}
	if c.forced == table.ID || c.forced == table.Text || c.forced == table.Category {
		r.kind = c.forced
	}
	cells, different := 0, 0
	for i, level := range c.texts.levels {
		if r.use[i] = !c.b.isMissing(level); r.use[i] {
			cells += counts[i]
			different++
		}
	}
	if c.forced == unforced && cells == 0 {
		return c.numeric(r, table.Number, func(string) (float64, bool) { return 0, false })
	}
	if c.forced == unforced || c.forced == table.Boolean {
		if c.boolean(&r, counts) {
			return r
		}
	}
	for _, parse := range []func(*reading, []int) bool{c.number, c.date} {
		if c.forced.Numeric() || c.forced == unforced {
			if parse(&r, counts) {
				return r
			}
		}
	}
	if c.forced != unforced {
		return r
	}
	named := identifies(c.name)
	switch total, long := c.wordsPerCell(&r, counts); {
	case long && 2*different >= cells && different >= 10:
		r.kind = table.Text
	case different == cells && (cells >= 10 && !c.gaps(&r) || named && cells >= 2) && total > 0:
		r.kind = table.ID
	}
	return r
}

// gaps reports whether the texts are codes of digits, some with zeros before them, that do not
// count up by one: codes of places and goods, which identify no row.
func (c *Column) gaps(r *reading) bool {
	low, high, n, zeros := math.Inf(1), math.Inf(-1), 0, false
	for i, level := range c.texts.levels {
		if !r.use[i] {
			continue
		}
		if len(level) > 15 || strings.Trim(level, "0123456789") != "" {
			return false
		}
		v, _ := strconv.ParseFloat(level, 64)
		low, high, zeros = min(low, v), max(high, v), zeros || level[0] == '0'
		n++
	}
	return zeros && high-low != float64(n-1)
}

// numeric sets the values of the levels by a function.
func (c *Column) numeric(r reading, kind table.Kind, parse func(string) (float64, bool)) reading {
	r.kind, r.parse = kind, parse
	r.values = make([]float64, len(r.use))
	for i, level := range c.texts.levels {
		r.values[i] = math.NaN()
		if !r.use[i] {
			continue
		}
		if v, ok := parse(level); ok {
			r.values[i] = v
		} else if oneOf(level, noValue) {
			r.use[i] = false
		}
	}
	return r
}

// boolean reports whether the levels are a pair of truth values. If a boolean is asked for,
// any two texts are.
func (c *Column) boolean(r *reading, counts []int) bool {
	try := func(pair [2]string) bool {
		spelled, most := [2]string{}, [2]int{}
		values := make([]float64, len(r.use))
		for i, level := range c.texts.levels {
			values[i] = math.NaN()
			switch low := strings.ToLower(level); {
			case !r.use[i] || oneOf(level, noValue) && low != pair[0]:
				continue
			case low == pair[0]:
				values[i] = 0
			case low == pair[1]:
				values[i] = 1
			default:
				return false
			}
			k := int(values[i])
			if counts[i] > most[k] || counts[i] == most[k] && level < spelled[k] {
				spelled[k], most[k] = level, counts[i]
			}
		}
		if most[0] == 0 || most[1] == 0 {
			return false
		}
		r.kind, r.values, r.truths = table.Boolean, values, spelled[:]
		return true
	}
	const ways = 64 // to spell the two values and what is missing
	for _, pair := range truths {
		if len(c.texts.levels) <= ways && try(pair) {
			different := map[string]bool{}
			for i, level := range c.texts.levels {
				if !math.IsNaN(r.values[i]) {
					different[level] = true
				}
			}
			if len(different) > 2 {
				r.note = fmt.Sprintf("column %q spells its two values in %d ways; they count as %s and %s", c.name, len(different), r.truths[0], r.truths[1])
			}
			return true
		}
	}
	if c.forced == table.Boolean {
		var pair []string
		for i, level := range c.texts.levels {
			if r.use[i] && !slices.Contains(pair, strings.ToLower(level)) && len(pair) < 3 {
				pair = append(pair, strings.ToLower(level))
			}
		}
		slices.Sort(pair)
		return len(pair) == 2 && try([2]string(pair))
	}
	return false
}

// number reports whether the levels are numbers but for a few.
func (c *Column) number(r *reading, counts []int) bool {
	if c.forced == table.Date {
		return false
	}
	for _, parse := range []func(string) (float64, bool){c.b.o.Number, pointNumber, commaNumber} {
		numbers, differentNumbers, faults, differentFaults, units, noUnits := 0, 0, 0, 0, 0, 0
		sign := ""
		for i, level := range c.texts.levels {
			if !r.use[i] {
				continue
			}
			bare, u := unit(level)
			switch v, ok := parse(bare); {
			case ok && c.forced != table.Number && code(level):
				return false // codes
			case ok && slices.Contains(c.b.numeric, v):
				r.use[i] = false
			case ok:
				numbers += counts[i]
				differentNumbers++
				if u == "" {
					noUnits++
				} else if units++; sign == "" {
					sign = u
				} else if sign != u {
					return false
				}
			case !oneOf(level, noValue):
				faults += counts[i]
				differentFaults++
			}
		}
		if units > 0 && noUnits > 0 && c.forced != table.Number {
			continue // some with a unit, some without
		}
		if numbers == 0 && !(c.forced == table.Number && faults == 0) || !few(faults, differentFaults, numbers, differentNumbers) && c.forced != table.Number {
			continue
		}
		*r = c.numeric(*r, table.Number, func(s string) (float64, bool) { s, _ = unit(s); return parse(s) })
		if r.unit = units > 0; r.unit {
			r.note = fmt.Sprintf("column %q: the numbers stand without their sign %s", c.name, sign)
		}
		return true
	}
	if c.forced == table.Number {
		*r = c.numeric(*r, table.Number, c.b.o.Number)
		return true
	}
	return false
}

// date reports whether the levels are dates but for a few.
func (c *Column) date(r *reading, counts []int) bool {
	if c.forced == table.Number || c.forced == table.Boolean {
		return false
	}
	const probe = 50 // levels that sort out most layouts
	type found struct {
		layout                       string
		dates, faults, differ, wrong int
	}
	count := func(layout string, most int) found {
		f := found{layout: layout}
		clock, seen := 0, 0
		for i, level := range c.texts.levels {
			if !r.use[i] || oneOf(level, noValue) {
				continue
			}
			if _, ok := date(level, layout, &clock); ok {
				f.dates += counts[i]
				f.differ++
			} else {
				f.faults += counts[i]
				f.wrong++
			}
			if seen++; seen == most {
				break
			}
		}
		return f
	}
	var best []found
	for _, layout := range dates {
		if f := count(layout, probe); 2*f.differ < f.differ+f.wrong || f.differ == 0 {
			continue
		}
		f := count(layout, 0)
		if !few(f.faults, f.wrong, f.dates, f.differ) && c.forced != table.Date {
			continue
		}
		if len(best) > 0 && f.dates > best[0].dates {
			best = best[:0]
		}
		if len(best) == 0 || f.dates == best[0].dates {
			best = append(best, f)
		}
	}
	if len(best) == 0 {
		if c.forced == table.Date {
			*r = c.numeric(*r, table.Date, func(string) (float64, bool) { return 0, false })
			return true
		}
		return false
	}
	layout := best[0].layout
	for _, f := range best[1:] {
		if monthFirst[f.layout] == layout { // 3/4/2021
			if c.b.dayFirst() {
				r.note = fmt.Sprintf("column %q: days and months cannot be told apart in dates such as %q; the day is taken to come first", c.name, c.first(r))
			} else {
				layout = f.layout
				r.note = fmt.Sprintf("column %q: days and months cannot be told apart in dates such as %q; the month is taken to come first", c.name, c.first(r))
			}
			break
		}
	}
	clock := 0
	r.layout = layout
	*r = c.numeric(*r, table.Date, func(s string) (float64, bool) { return date(s, layout, &clock) })
	return true
}

// first is the first level that is not missing.
func (c *Column) first(r *reading) string { return c.texts.levels[slices.Index(r.use, true)] }

// dayFirst reports whether the numbers have a decimal comma, as where the day comes first.
func (b *Builder) dayFirst() bool {
	v, ok := b.o.Number("1,5")
	return ok && v == 1.5
}

// wordsPerCell counts the words of the levels. long says that they are three or more on
// average.
func (c *Column) wordsPerCell(r *reading, counts []int) (total int, long bool) {
	levels := 0
	for i, level := range c.texts.levels {
		if r.use[i] {
			levels++
			total += len(strings.Fields(level))
		}
	}
	return total, total >= 3*levels
}

// finishTexts makes the column of the texts.
func (c *Column) finishTexts(column *table.Column) error {
	r := c.read()
	if r.note != "" {
		c.b.Notes = append(c.b.Notes, r.note)
	}
	if c.forced == table.Boolean && r.kind != table.Boolean && r.kind != table.Number {
		return fmt.Errorf("--kind %s: it has other than two different values", flagValue(c.name, table.Boolean))
	}
	column.Kind, column.Layout = r.kind, r.layout
	if !r.kind.Numeric() {
		column.Codes, column.Levels = c.sorted(r.use)
		return nil
	}
	if r.unit {
		c.forced = r.kind // an amount is no id
	}
	column.Levels = r.truths
	column.Numbers = make([]float64, len(c.codes))
	for row, code := range c.codes {
		if code < 0 {
			column.Numbers[row] = math.NaN()
			continue
		}
		v := r.values[code]
		column.Numbers[row] = v
		if math.IsNaN(v) && r.use[code] && r.kind != table.Boolean {
			column.Faults = append(column.Faults, table.Fault{Row: row, Line: c.b.Line(row), Text: c.texts.levels[code]})
		}
	}
	return nil
}
