package columns

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/table"
)

// reading describes how the texts of a column are interpreted.
type reading struct {
	kind   table.Kind
	values []float64                         // of each level if the kind is numeric; NaN if it has none
	use    []bool                            // levels that are not missing
	truths []string                          // the levels of a boolean
	unit   string                            // of the numbers; "" if they have none
	mixed  string                            // the units, if numbers have several and are therefore texts
	signed string                            // a cell such as (170) that is read as a negative number
	layout string                            // of dates
	parse  func(text string) (float64, bool) // parses numbers without a unit
	other  bool                              // whether parse is not Options.Number
	notes  []string
}

// note adds a note about the column.
func (r *reading) note(c *Column, format string, args ...any) {
	r.notes = append(r.notes, c.about(format, args...))
}

// about returns a note about the column.
func (c *Column) about(format string, args ...any) string {
	if format[0] != ' ' {
		format = ": " + format
	}
	return fmt.Sprintf("column %q", cell.Shorten(c.name)) + fmt.Sprintf(format, args...)
}

// category returns the option value that makes the column a category.
func (c *Column) category() string { return pair(c.name, table.Category) }

// read detects the kind of the texts of a column, or reads them as the given kind.
func (c *Column) read() reading {
	counts := c.counts()
	r := reading{kind: table.Category, use: make([]bool, len(counts))}
	if c.given == table.ID || c.given == table.Text || c.given == table.Category {
		r.kind = c.given
	}
	cells, different := 0, 0
	for i, level := range c.levels {
		if r.use[i] = !c.isMissing(level); r.use[i] {
			cells += counts[i]
			different++
		}
	}
	if c.given == unknown && cells == 0 {
		return c.numeric(r, table.Number, func(string) (float64, bool) { return 0, false })
	}
	if c.given == unknown || c.given == table.Boolean {
		if c.asBoolean(&r, counts) {
			return r
		}
	}
	for _, parse := range []func(*reading, []int) bool{c.asNumbers, c.asDates} {
		if c.given.Numeric() || c.given == unknown {
			if parse(&r, counts) {
				return r
			}
		}
	}
	if c.given != unknown {
		return r
	}
	named := identifies(c.name)
	switch total, long := c.wordsPerCell(&r, counts); {
	case r.mixed != "" && (different > fewLevels || different == cells):
		r.kind = table.Text
		r.note(c, "numbers with different units are not used as a feature (%s): write them in one unit, or "+
			"use Options.Kinds %s",
			r.mixed, c.category())
	case long && 2*different >= cells && different >= 10:
		r.kind = table.Text
	case different == cells && (cells >= 10 && !c.gaps(&r) || named && cells >= 2) && total > 0:
		if r.kind = table.ID; named || !c.likeNumbers(&r) {
			break
		}
		r.kind = table.Text
		r.note(c, "cells such as %s in %s look like numbers, but their notation is ambiguous, so the column is "+
			"not used as a feature: write them as 1234.5, or use Options.Kinds %s",
			celltext.Quote(c.first(&r)), c.placeOf(slices.Index(r.use, true)), c.category())
		r.mixed = "said"
	case different < cells && nearly*(cells-different) <= cells && !c.gaps(&r):
		i := slices.IndexFunc(counts, func(n int) bool { return n > 1 })
		at := slices.Index(c.codes, int32(i))
		again := at + 1 + slices.Index(c.codes[at+1:], int32(i))
		r.note(c, "nearly all texts are different, like ids, but %s in %s repeats %s: "+
			"use Options.ID %s if it identifies the rows",
			celltext.Quote(c.levels[i]), c.in.where(again), c.in.where(at), quoted(c.name))
	}
	return r
}

// likeNumbers reports whether nearly all texts consist of digits and characters used in numbers, including
// a point, a comma or a percent sign.
func (c *Column) likeNumbers(r *reading) bool {
	like, all := 0, 0
	for i, level := range c.levels {
		if !r.use[i] {
			continue
		}
		all++
		if strings.ContainsAny(level, ".,%") && celltext.MayBeNumber(level) &&
			strings.Trim(level, "0123456789.,'’ +-−%()<>=eE") == "" {
			like++
		}
	}
	return nearly*(all-like) <= all
}

// gaps reports whether the texts are codes of digits, some with leading zeros, that are not consecutive,
// such as postal or product codes, which do not identify a row.
func (c *Column) gaps(r *reading) bool {
	low, high, n, zeros := math.Inf(1), math.Inf(-1), 0, false
	for i, level := range c.levels {
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

// numeric computes the values of the levels with a function.
func (c *Column) numeric(r reading, kind table.Kind, parse func(string) (float64, bool)) reading {
	r.kind = kind
	r.values = make([]float64, len(r.use))
	for i, level := range c.levels {
		r.values[i] = math.NaN()
		if !r.use[i] {
			continue
		}
		if v, ok := parse(level); ok {
			r.values[i], r.use[i] = v, !math.IsNaN(v)
		} else if celltext.NoValue(level) {
			r.use[i] = false
		}
	}
	return r
}

// asBoolean reports whether the levels are a pair of truth values. If the kind boolean is given, any two
// texts are accepted.
func (c *Column) asBoolean(r *reading, counts []int) bool {
	try := func(pair [2]string) bool {
		spelled, most := [2]string{}, [2]int{}
		values := make([]float64, len(r.use))
		for i, level := range c.levels {
			values[i] = math.NaN()
			switch low := strings.ToLower(level); {
			case !r.use[i] || celltext.NoValue(level) && low != pair[0]:
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
	const ways = 64 // maximum number of spellings of the two values and of missing values
	for _, pair := range celltext.Truths {
		if len(c.levels) <= ways && try(pair) {
			different := map[string]bool{}
			for i, level := range c.levels {
				if !math.IsNaN(r.values[i]) {
					different[level] = true
				}
			}
			if len(different) > 2 {
				r.note(c, " has %d spellings of its two values, which are read as %s and %s",
					len(different), r.truths[0], r.truths[1])
			}
			return true
		}
	}
	if c.given == table.Boolean {
		var pair []string
		for i, level := range c.levels {
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
	nearly     = 20 // one in this many numbers may have another unit
	mostUnits  = 4  // maximum number of units in a column of numbers with different units
	fewNumbers = 10 // this many different texts such as 2WD and 4WD, if they repeat, are names
	fewLevels  = 50 // this many different texts such as 5 kg and 4 lb are a category

	leastValues = 5 // one in this many numbers must be a value rather than a limit such as <0.5
)

// amounts are the levels of a column parsed as numbers.
type amounts struct {
	use                       []bool         // levels that are not missing
	cells, levels             map[string]int // by unit
	numbers, differentNumbers int            // numbers of cells and levels that are numbers in any unit
	faults, differentFaults   int
	foreign, differentForeign int // numbers in another unit than
	unit                      string
	bare                      int      // numbers without a unit, if the others have one
	odd                       int      // cells in an unusual notation
	signed                    string   // a cell that is negative although it has no minus
	coded, signs, limits      examples // see Column; row is an index of levels
}

// amounts parses the levels, and counts the stored numbers if there are any. It may stop early if most
// cells are faults, so that the column cannot contain numbers.
func (c *Column) amounts(use []bool, counts []int, parse func(string) (float64, bool)) *amounts {
	a := &amounts{use: slices.Clone(use), cells: map[string]int{}, levels: map[string]int{}}
	for i, level := range c.levels {
		if !use[i] {
			continue
		}
		if 2*a.faults > len(c.codes)+len(c.numbers) && c.given == unknown {
			break
		}
		v, ok := parse(level)
		unit, limit := "", false
		if ok {
			if code(level) {
				a.coded.add(counts[i], i, level)
			}
		} else if c.plan.o.Limits != "" && !celltext.MayBeNumber(level) && celltext.IsLimit(level) {
			a.use[i] = false
			continue
		} else if celltext.MayBeNumber(level) {
			plain := celltext.Plain(level)
			var rest string
			if rest, _, limit = celltext.Limit(plain); limit {
				plain = rest
			}
			unit = celltext.Unit(plain)
			if v, ok = amount(plain, unit, parse); ok {
				if number := celltext.Amount(plain, unit); code(number) && (unit != "" || plain != level) {
					a.coded.add(counts[i], i, level)
				}
				if unit == "" {
					a.odd += counts[i]
				}
				if a.signed == "" && unsigned(plain, v) {
					a.signed = level
				}
			}
			if limit && ok {
				a.limits.add(counts[i], i, level)
				a.odd += counts[i]
			}
		}
		switch {
		case ok && !limit && slices.Contains(c.plan.numeric, v):
			a.use[i] = false
		case ok:
			a.numbers += counts[i]
			a.differentNumbers++
			a.cells[unit] += counts[i]
			a.levels[unit]++
			if celltext.IsSign(unit) {
				a.signs.add(counts[i], i, level)
			}
		case !celltext.NoValue(level):
			a.faults += counts[i]
			a.differentFaults++
		}
	}
	if c.numbers != nil {
		different := map[float64]bool{}
		most := max(4*len(c.levels), fewNumbers+1) // more make no difference
		for _, v := range c.numbers {
			if math.IsNaN(v) {
				continue
			}
			a.cells[""]++
			if a.numbers++; len(different) < most {
				different[v] = true
			}
		}
		a.levels[""] += len(different)
		a.differentNumbers += len(different)
	}
	a.choose(c.unit)
	return a
}

// choose sets the unit to the most frequent one, unless it is known.
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
		if !celltext.HasUnit(a.unit, unit) || known == nil && unit != "" && unit != a.unit {
			a.foreign += n
			a.differentForeign += a.levels[unit]
		}
	}
	if a.unit != "" {
		a.bare = a.cells[""]
		if !celltext.IsSign(a.unit) {
			a.odd += a.numbers
		}
	}
}

// areNumbers reports whether the levels, except a few, are numbers in one unit.
func (a *amounts) areNumbers() bool {
	own, different := a.numbers-a.foreign, a.differentNumbers-a.differentForeign
	return nearly*(a.foreign+a.bare) <= a.numbers && leastValues*(a.numbers-a.limits.n) >= a.numbers &&
		few(a.faults+a.foreign, a.differentFaults+a.differentForeign, own, different) &&
		!(nearly*a.odd > a.numbers && areNames(different, own))
}

// fixed returns a function that reports whether all cells in use have the same number of digits.
func (c *Column) fixed(use []bool) func() bool {
	return func() bool {
		width := -1
		for i, level := range c.levels {
			if !use[i] {
				continue
			}
			if width < 0 {
				width = len(level)
			}
			if len(level) != width || strings.Trim(level, "0123456789") != "" {
				return false
			}
		}
		most := math.Pow10(width)
		return !slices.ContainsFunc(c.numbers, func(v float64) bool {
			return v < most/10 || v >= most || v != math.Floor(v) && !math.IsNaN(v)
		})
	}
}

// asNumbers reports whether the levels, except a few, are numbers that (nearly) all have the same unit or
// none.
func (c *Column) asNumbers(r *reading, counts []int) bool {
	if c.given == table.Date {
		return false
	}
	given := c.given == table.Number
	parses := []func(string) (float64, bool){c.plan.o.Number, Number, commaNumber}
	if grouped := slices.ContainsFunc(c.levels, areCommaGroups); grouped {
		parses = slices.Insert(parses, 0, commaGroups)
	}
	n := len(parses)
	if given { // if nearly all cells cannot be read, use the first parser that reads any
		parses = slices.Concat(parses, parses)
	}
	for i, parse := range parses {
		a := c.amounts(r.use, counts, parse)
		switch {
		case i >= n && a.numbers == 0 && a.faults > 0:
			continue
		case i >= n:
		case !given && areCodes(a.coded, a.numbers, c.fixed(a.use)):
			if nearly*a.coded.n <= a.numbers {
				r.note(c, "the cells are codes, because %s: use Options.Kinds %s if they are numbers",
					c.list(a.coded, "looks like one", "look like codes"), pair(c.name, table.Number))
			}
			return false
		case !a.areNumbers():
			if !given && few(a.faults, a.differentFaults, a.numbers, a.differentNumbers) &&
				nearly*(a.foreign+a.bare) > a.numbers && len(a.cells) <= mostUnits {
				r.mixed = listUnits(a.cells)
			}
			continue
		}
		r.use = a.use
		*r = c.asNumbersIn(*r, a.unit, parse)
		r.signed, r.mixed, r.other = a.signed, "", i%n > 0 || n > 3
		c.coded, c.limits, c.signs = c.placed(a.coded), c.placed(a.limits), examples{}
		bare := ""
		if a.bare > 0 {
			bare = fmt.Sprintf("; %d plain numbers are read as such", a.bare)
		}
		switch {
		case a.unit == celltext.Clock:
			r.note(c, "times such as 12:28 are read as numbers in the smaller unit, here 748%s", bare)
		case a.bare > 0:
			r.note(c, "the numbers are in %s; %d without a unit are read as %[1]s", a.unit, a.bare)
		case a.unit != "":
			r.note(c, "the numbers are in %s; the unit is dropped except in class names", a.unit)
		default:
			c.signs = c.placed(a.signs)
		}
		return true
	}
	if given {
		*r = c.asNumbersIn(*r, c.unitOf(), c.plan.o.Number)
	}
	return given
}

// asNumbersIn parses the levels as numbers in a unit.
func (c *Column) asNumbersIn(r reading, unit string, parse func(text string) (float64, bool)) reading {
	r = c.numeric(r, table.Number, func(text string) (float64, bool) {
		return c.plan.o.amount(text, unit, parse)
	})
	r.unit, r.parse = unit, parse
	return r
}

// areCommaGroups reports whether a text is certainly a number with commas between groups of digits.
func areCommaGroups(text string) bool {
	if strings.Count(text, ",") < 2 || len(text) > 40 {
		return false
	}
	text = celltext.Plain(text)
	_, ok := celltext.Ungroup(celltext.Amount(text, celltext.Unit(text)))
	return ok
}

// commaGroups parses a number with a decimal point and optional commas between groups of digits.
func commaGroups(text string) (float64, bool) {
	if v, ok := Number(text); ok {
		return v, ok
	}
	if plain, ok := celltext.CommaGroups(text); ok {
		return Number(plain)
	}
	return 0, false
}

// placed replaces the level of the first example by its row.
func (c *Column) placed(a examples) examples {
	if a.n > 0 {
		if a.row = slices.Index(c.codes, int32(a.row)); c.numbers != nil {
			a.row = c.rows[a.row]
		}
	}
	return a
}

// placeOf describes the position of the first row with a level.
func (c *Column) placeOf(level int) string { return c.in.where(slices.Index(c.codes, int32(level))) }

// list describes cells, for example `1 cell ("00" in line 5) is odd`.
func (c *Column) list(a examples, is, are string) string {
	if a.n == 1 {
		return fmt.Sprintf("1 cell (%s in %s) %s", celltext.Quote(a.text), c.in.where(a.row), is)
	}
	return fmt.Sprintf("%d cells (the first %s in %s) %s", a.n, celltext.Quote(a.text), c.in.where(a.row), are)
}

// unsigned reports whether a number is negative although no minus precedes its digits.
func unsigned(text string, v float64) bool {
	return v < 0 && !strings.ContainsAny(text[:max(0, strings.IndexAny(text, "0123456789"))], "-−")
}

// areNames reports whether so few of all numbers are different that texts such as 2WD and 4WD are names.
func areNames(different, all int) bool { return different <= fewNumbers && 2*different <= all }

// amount parses a number with a sign and a unit.
func amount(text, unit string, parse func(string) (float64, bool)) (float64, bool) {
	if v, ok := parse(text); ok || !celltext.MayBeNumber(text) {
		return v, ok
	}
	number := celltext.Amount(celltext.Plain(text), unit)
	if v, ok := parse(number); ok {
		return v, ok
	}
	if plain, ok := celltext.Ungroup(number); ok {
		return Number(plain)
	}
	if unit == celltext.Clock { // uses a point even if other numbers use a comma
		return Number(number)
	}
	return 0, false
}

// amount also parses cells such as <0.5 if Limits is set. NaN means a missing value.
func (o Options) amount(text, unit string, parse func(string) (float64, bool)) (float64, bool) {
	v, ok := amount(text, unit, parse)
	if ok || o.Limits == "" || !celltext.IsLimit(text) {
		return v, ok
	}
	number, below, _ := celltext.Limit(celltext.Plain(text))
	switch v, ok = amount(number, unit, parse); {
	case number == "" || ok && o.Limits == "missing":
		return math.NaN(), true
	case !ok:
		return 0, false
	case o.Limits == "half" && below && v > 0:
		return v / 2, true
	}
	return v, true
}

// listUnits lists the number of cells with each unit, in descending order.
func listUnits(units map[string]int) string {
	names := slices.SortedFunc(maps.Keys(units), func(a, b string) int {
		return cmp.Or(units[b]-units[a], strings.Compare(a, b))
	})
	for i, unit := range names {
		names[i] = fmt.Sprintf("%s in %d cells", cmp.Or(unit, "none"), units[unit])
	}
	return strings.Join(names, ", ")
}

// asDates reports whether the levels, except a few, are dates.
func (c *Column) asDates(r *reading, counts []int) bool {
	if c.given == table.Number || c.given == table.Boolean {
		return false
	}
	layout := c.layout
	if layout == "" {
		if layout = c.findLayout(r, counts); layout == "" && c.given != table.Date {
			return false
		}
	}
	clock, never := 0, c.plan.o.missingDates(layout)
	*r = c.numeric(*r, table.Date, func(s string) (float64, bool) {
		v, ok := 0.0, false
		switch {
		case c.layout != "":
			v, ok = dateIn(s, layout, &clock)
		case layout != "":
			for one := range strings.SplitSeq(layout, both) {
				if v, ok = date(s, one, &clock); ok {
					break
				}
			}
		}
		if ok && isMissingDate(v, never) {
			v = math.NaN()
		}
		return v, ok
	})
	r.layout = layout
	return true
}

// layoutOf is a layout that matches some of the levels.
type layoutOf struct {
	layout                       string
	dates, faults, differ, wrong int // cells and levels
}

// count counts the levels that match a layout and are not done. If most is not 0, at most that many are
// tried.
func (c *Column) count(r *reading, counts []int, layout string, done []bool, most int) layoutOf {
	f := layoutOf{layout: layout}
	clock, seen := 0, 0
	for i, level := range c.levels {
		if !r.use[i] || done[i] || celltext.NoValue(level) {
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

// findLayout returns the layout of dates, or several that cannot be confused, if all levels except a few
// match one of them. It returns "" if the levels are not dates.
func (c *Column) findLayout(r *reading, counts []int) string {
	const probe = 50 // number of levels that rule out most layouts
	given := c.given == table.Date
	done := make([]bool, len(r.use))
	var found []string
	var rest, total layoutOf
	for len(found) < mostLayouts {
		var best []layoutOf
		for _, layout := range dates {
			f := c.count(r, counts, layout, done, probe)
			if len(found) == 0 && mostLayouts*f.differ < f.differ+f.wrong || f.differ == 0 {
				continue
			}
			f = c.count(r, counts, layout, done, 0)
			if len(best) > 0 && f.dates > best[0].dates {
				best = best[:0]
			}
			if len(best) == 0 || f.dates == best[0].dates {
				best = append(best, f)
			}
		}
		if len(best) == 0 {
			break
		}
		layout, unclear := best[0].layout, false
		for _, f := range best[1:] {
			if unclear = monthFirst[f.layout] == best[0].layout; unclear { // 3/4/2021
				if !c.plan.dayFirst() {
					layout = f.layout
				}
				break
			}
		}
		swapped := func(other string) bool { return monthFirst[other] == layout || monthFirst[layout] == other }
		if len(found) > 0 && (unclear || slices.ContainsFunc(found, swapped)) {
			break // a date such as 3/4/2021 could have two meanings
		}
		if unclear {
			first := "month"
			if c.plan.dayFirst() {
				first = "day"
			}
			r.note(c, "days and months cannot be told apart in dates such as %q; the %s is assumed to come first",
				c.first(r), first)
		}
		if rest = best[0]; len(found) == 0 {
			total = rest
		} else {
			total.dates, total.differ = total.dates+rest.dates, total.differ+rest.differ
			total.faults, total.wrong = rest.faults, rest.wrong
		}
		found = append(found, layout)
		clock := 0
		for i, level := range c.levels {
			if r.use[i] && !done[i] {
				_, done[i] = date(level, layout, &clock)
			}
		}
		if rest.faults == 0 {
			break
		}
	}
	switch {
	case len(found) == 0:
		return ""
	case given || few(total.faults, total.wrong, total.dates, total.differ):
		if len(found) > 1 {
			r.note(c, "the dates are written in %d formats: %s", len(found), strings.Join(found, " and "))
		}
		return strings.Join(found, both)
	case total.dates > total.faults:
		i := slices.Index(done, false)
		for ; i >= 0 && i < len(done) && (done[i] || !r.use[i]); i++ {
		}
		if i >= 0 && i < len(done) {
			r.note(c, "%d cells are dates and %d are not (the first is %s in %s), so the column is not read as "+
				"dates: use a single format such as 2006-01-02, or Options.Kinds %s",
				total.dates, total.faults, celltext.Quote(c.levels[i]), c.placeOf(i), pair(c.name, table.Date))
		}
	}
	return ""
}

// first returns the first level that is not missing.
func (c *Column) first(r *reading) string { return c.levels[slices.Index(r.use, true)] }

// dayFirst reports whether numbers have a decimal comma, which suggests that dates start with the day.
func (p *Plan) dayFirst() bool {
	v, ok := p.o.Number("1,5")
	return ok && v == 1.5
}

// wordsPerCell counts the words of the levels. long reports whether there are at least three on average.
func (c *Column) wordsPerCell(r *reading, counts []int) (total int, long bool) {
	levels := 0
	for i, level := range c.levels {
		if r.use[i] {
			levels++
			total += len(strings.Fields(level))
		}
	}
	return total, total >= 3*levels
}

// finishTexts converts the texts to a column.
func (c *Column) finishTexts(column *table.Column) error {
	r := c.read()
	if c.truth() {
		r.use = c.same(r.use, func(level string) string {
			if v, ok := c.plan.o.Number(level); ok {
				return strconv.FormatFloat(v, 'f', -1, 64)
			}
			return level
		})
	}
	if c.changed.n > 0 && r.kind != table.Number && r.kind != table.Date {
		c.note("%s; the first is read as %s", c.list(c.changed, "has invisible or ambiguous characters",
			"have invisible or ambiguous characters"), celltext.Quote(celltext.Normal(c.changed.text)))
	}
	c.in.notes = append(c.in.notes, r.notes...)
	if c.given == table.Boolean && r.kind != table.Boolean && r.kind != table.Number {
		asked := pair(c.name, table.Boolean)
		return fmt.Errorf("Options.Kinds %s: the column does not contain exactly two different values", asked)
	}
	column.Kind, column.Layout = r.kind, r.layout
	c.signed, c.mixed = r.signed, r.mixed != ""
	if !r.kind.Numeric() {
		column.Codes, column.Levels = c.sorted(r.use)
		return nil
	}
	column.Unit = r.unit
	if column.Levels = r.truths; r.kind == table.Number {
		column.Spelling = c.spelling(r.values)
	}
	column.Numbers = make([]float64, len(c.codes))
	for row, code := range c.codes {
		if code < 0 {
			column.Numbers[row] = math.NaN()
			continue
		}
		v := r.values[code]
		column.Numbers[row] = v
		if math.IsNaN(v) && r.use[code] && r.kind != table.Boolean {
			column.Faults = append(column.Faults, c.fault(row, c.levels[code]))
		}
	}
	return nil
}

// spelling returns the texts of each number, or nil if all numbers are written in the default notation.
func (c *Column) spelling(values []float64) map[float64][]string {
	if len(values) > manyTexts {
		return nil
	}
	counts := c.counts()
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(c.levels[a], c.levels[b]))
	})
	texts := map[float64][]string{}
	plain := true
	for _, i := range order {
		if v := values[i]; !math.IsNaN(v) {
			one := table.Column{Kind: table.Number, Numbers: values[i : i+1]}
			plain = plain && one.Text(0) == c.levels[i]
			texts[v] = append(texts[v], c.levels[i])
		}
	}
	if plain {
		return nil
	}
	return texts
}
