package columns

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/cell"
)

// reading is what the texts of a column are.
type reading struct {
	kind   table.Kind
	values []float64                         // of each level, NaN for a missing one or a fault, if the kind is numeric
	use    []bool                            // levels that are not missing
	truths []string                          // the levels of a boolean
	unit   string                            // of the numbers, "" if they have none
	mixed  string                            // says which units they have, if these are so different that they are no numbers
	signed string                            // a cell such as (170), which is taken for a negative number
	layout string                            // of dates
	parse  func(text string) (float64, bool) // of numbers without unit
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
	case r.mixed != "" && (different > fewLevels || different == cells):
		r.kind = table.Text
		r.note = fmt.Sprintf("column %q: numbers with different units are no feature (%s): write them in one unit, or --kind %s", cell.Shorten(c.name), r.mixed, flagValue(c.name, table.Category))
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
	r.kind = kind
	r.values = make([]float64, len(r.use))
	for i, level := range c.texts.levels {
		r.values[i] = math.NaN()
		if !r.use[i] {
			continue
		}
		if v, ok := parse(level); ok {
			r.values[i] = v
		} else if cell.NoValue(level) {
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
			case !r.use[i] || cell.NoValue(level) && low != pair[0]:
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
	for _, pair := range cell.Truths {
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

const (
	nearly     = 20 // one of so many numbers may have another unit than the others
	mostUnits  = 4  // of a column of numbers with different units
	fewNumbers = 10 // so few different texts such as 2WD and 4WD, which repeat, are names
	fewLevels  = 50 // so many texts such as 5 kg and 4 lb are a category
)

// amounts are the levels of a column read as numbers.
type amounts struct {
	use                       []bool         // levels that are not missing
	cells, levels             map[string]int // by unit
	numbers, differentNumbers int            // cells and levels that are numbers in any unit
	faults, differentFaults   int
	foreign, differentForeign int // numbers in another unit than
	unit                      string
	bare                      int    // numbers without the unit, if there is one
	odd                       bool   // a number is written in an uncommon way
	signed                    string // one that is negative though it has no minus
	codes                     bool   // a number is a code
}

// amounts reads the levels as numbers. It may stop once they are none, as most cells are faults.
func (c *Column) amounts(use []bool, counts []int, parse func(string) (float64, bool)) *amounts {
	a := &amounts{use: slices.Clone(use), cells: map[string]int{}, levels: map[string]int{}}
	for i, level := range c.texts.levels {
		if !use[i] {
			continue
		}
		if 2*a.faults > len(c.codes) && c.forced == unforced {
			break
		}
		v, ok := parse(level)
		unit := ""
		if ok {
			a.codes = a.codes || code(level)
		} else if unit = cell.Unit(level); unit != "" || mayBeNumber(level) {
			number := cell.Amount(level, unit)
			if v, ok = parse(number); ok {
				a.codes = a.codes || unit != "" && code(number)
				a.odd = a.odd || unit == ""
				if a.signed == "" && unsigned(level, v) {
					a.signed = level
				}
			}
		}
		switch {
		case ok && slices.Contains(c.b.numeric, v):
			a.use[i] = false
		case ok:
			a.numbers += counts[i]
			a.differentNumbers++
			a.cells[unit] += counts[i]
			a.levels[unit]++
		case !cell.NoValue(level):
			a.faults += counts[i]
			a.differentFaults++
		}
	}
	a.choose(c.unit)
	return a
}

// choose takes the unit of most cells, unless it is known.
func (a *amounts) choose(known *string) {
	if known != nil {
		a.unit = *known
	} else {
		for unit, n := range a.cells {
			if most := a.cells[a.unit]; n > most || n == most && unit < a.unit {
				a.unit = unit
			}
		}
	}
	for unit, n := range a.cells {
		if !cell.HasUnit(a.unit, unit) || known == nil && unit != "" && unit != a.unit {
			a.foreign += n
			a.differentForeign += a.levels[unit]
		}
	}
	if a.unit != "" {
		a.bare = a.cells[""]
		a.odd = a.odd || !cell.IsSign(a.unit)
	}
}

// areNumbers reports whether the levels are numbers in one unit but for a few.
func (a *amounts) areNumbers() bool {
	own, different := a.numbers-a.foreign, a.differentNumbers-a.differentForeign
	return nearly*(a.foreign+a.bare) <= a.numbers && few(a.faults+a.foreign, a.differentFaults+a.differentForeign, own, different) && !(a.odd && areNames(different, own))
}

// number reports whether the levels are numbers but for a few. Nearly all of them have the same
// unit, or none.
func (c *Column) number(r *reading, counts []int) bool {
	if c.forced == table.Date {
		return false
	}
	forced := c.forced == table.Number
	parses := []func(string) (float64, bool){c.b.o.Number, pointNumber, commaNumber}
	if forced { // if there is no way to read nearly all cells, then the first to read any
		parses = slices.Concat(parses, parses)
	}
	for i, parse := range parses {
		a := c.amounts(r.use, counts, parse)
		switch {
		case i >= 3 && a.numbers == 0 && a.faults > 0:
			continue
		case i >= 3:
		case a.codes && !forced:
			return false
		case !a.areNumbers():
			if !forced && few(a.faults, a.differentFaults, a.numbers, a.differentNumbers) && nearly*(a.foreign+a.bare) > a.numbers && len(a.cells) <= mostUnits {
				r.mixed = listUnits(a.cells)
			}
			continue
		}
		r.use = a.use
		*r = c.numeric(*r, table.Number, func(text string) (float64, bool) { return amount(text, a.unit, parse) })
		r.unit, r.signed, r.mixed, r.parse = a.unit, a.signed, "", parse
		switch {
		case a.unit != "" && a.bare > 0:
			r.note = fmt.Sprintf("column %q: the numbers are in %s; %d without a unit count as %[2]s", cell.Shorten(c.name), a.unit, a.bare)
		case a.unit != "":
			r.note = fmt.Sprintf("column %q: the numbers are in %s, which is left out", cell.Shorten(c.name), a.unit)
		}
		return true
	}
	if forced {
		*r = c.numeric(*r, table.Number, func(text string) (float64, bool) { return amount(text, c.known(), c.b.o.Number) })
		r.unit, r.parse = c.known(), c.b.o.Number
	}
	return forced
}

// unsigned reports whether a number is negative though no minus stands before its digits.
func unsigned(text string, v float64) bool {
	return v < 0 && !strings.ContainsAny(text[:max(0, strings.IndexAny(text, "0123456789"))], "-−")
}

// mayBeNumber reports whether a text has a digit, so that it may be a number with a sign.
func mayBeNumber(text string) bool { return strings.ContainsAny(text, "0123456789") }

// areNames reports whether different numbers among all are so few that texts such as 2WD and 4WD
// are names.
func areNames(different, all int) bool { return different <= fewNumbers && 2*different <= all }

// amount parses a number with its sign and unit.
func amount(text, unit string, parse func(string) (float64, bool)) (float64, bool) {
	if v, ok := parse(text); ok {
		return v, ok
	}
	return parse(cell.Amount(text, unit))
}

// listUnits says how many cells have each unit, the most frequent first.
func listUnits(units map[string]int) string {
	names := slices.SortedFunc(maps.Keys(units), func(a, b string) int { return cmp.Or(units[b]-units[a], strings.Compare(a, b)) })
	for i, unit := range names {
		names[i] = fmt.Sprintf("%s in %d cells", cmp.Or(unit, "none"), units[unit])
	}
	return strings.Join(names, ", ")
}

// date reports whether the levels are dates but for a few.
func (c *Column) date(r *reading, counts []int) bool {
	if c.forced == table.Number || c.forced == table.Boolean {
		return false
	}
	if clock := 0; c.layout != "" {
		*r = c.numeric(*r, table.Date, func(s string) (float64, bool) { return dateIn(s, c.layout, &clock) })
		r.layout = c.layout
		return true
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
			if !r.use[i] || cell.NoValue(level) {
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
	c.signed, c.mixed = r.signed, r.mixed != ""
	if !r.kind.Numeric() {
		column.Codes, column.Levels = c.sorted(r.use)
		return nil
	}
	if column.Unit = r.unit; cell.IsSign(r.unit) {
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
