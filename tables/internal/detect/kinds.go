package detect

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// reading describes how the texts of a column are interpreted.
type reading struct {
	kind   table.Kind
	values []float64                         // of each level if the kind is numeric; NaN if it has none
	use    []bool                            // levels that are not missing
	truths []string                          // the levels of a boolean
	unit   string                            // of the numbers; "" if they have none
	units  []string                          // if numbers have several and are therefore texts
	layout string                            // of dates
	parse  func(text string) (float64, bool) // parses numbers without a unit
	other  bool                              // whether parse is not Source.Number
	notes  []table.Finding
}

func (r *reading) note(f table.Finding, c *Column) {
	f.Column = c.name
	r.notes = append(r.notes, f)
}

type tally struct{ cells, levels int }

func (t *tally) add(cells int) {
	t.cells += cells
	t.levels++
}

func (t *tally) join(more tally) {
	t.cells += more.cells
	t.levels += more.levels
}

// read detects the kind of the texts of a column, or reads them as the given kind.
func (c *Column) read() reading {
	counts := c.counts()
	r := reading{kind: table.Category, use: make([]bool, len(counts))}
	if c.given != unknown && !c.given.Numeric() {
		r.kind = c.given
	}
	var all tally
	for i, level := range c.levels {
		if r.use[i] = !c.isMissing(level); r.use[i] {
			all.add(counts[i])
		}
	}
	free := c.given == unknown
	switch {
	case free && all.cells == 0:
		return c.numeric(r, table.Number, func(string) (float64, bool) { return 0, false })
	case (free || c.given == table.Boolean) && c.asBoolean(&r, counts):
	case (free || c.given.Numeric()) && (c.asNumbers(&r, counts) || c.asDates(&r, counts)):
	case free:
		c.asTexts(&r, counts, all)
	}
	return r
}

// asTexts decides between an id, free text and a category.
func (c *Column) asTexts(r *reading, counts []int, all tally) {
	total := 0 // words
	for i, level := range c.levels {
		if r.use[i] {
			total += len(strings.Fields(level))
		}
	}
	gaps := c.gaps(r)
	is := Identify(c.name, Values{Rows: len(c.codes), N: all.cells, Distinct: all.levels, Gaps: gaps})
	switch {
	case r.units != nil && (all.levels > fewLevels || all.levels == all.cells):
		r.kind = table.Text
		r.note(table.Finding{Code: texts.SeveralUnits, N: all.cells, Texts: r.units}, c)
	case total >= 3*all.levels && 2*all.levels >= all.cells && all.levels >= 10:
		r.kind = table.Text
	case is == IsID && total > 0:
		if r.kind = table.ID; identifies(c.name) || !c.likeNumbers(r) {
			break
		}
		r.kind = table.Text
		r.note(c.about(texts.UnclearNumbers, c.example(slices.Index(r.use, true), 1)), c)
	case all.levels < all.cells && nearly*(all.cells-all.levels) <= all.cells && !gaps:
		i := slices.IndexFunc(counts, func(n int) bool { return n > 1 })
		e := c.example(i, 1)
		e.row += 1 + slices.Index(c.codes[e.row+1:], int32(i))
		r.note(c.about(texts.NearlyID, e), c)
	}
}

// example returns the first of n cells with a level.
func (c *Column) example(level, n int) examples {
	return c.placed(examples{n: n, row: level, text: c.levels[level]})
}

// likeNumbers reports whether nearly all texts consist of the characters of numbers, including one of .,%.
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

// gaps reports whether the texts are digits, some with leading zeros, with gaps, like postal codes.
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

// asBoolean reports whether the levels are a pair of truth values, or any pair if the kind boolean is given.
func (c *Column) asBoolean(r *reading, counts []int) bool {
	pairs := celltext.Truths
	if c.given == table.Boolean {
		var pair []string
		for i, level := range c.levels {
			if low := strings.ToLower(level); r.use[i] && len(pair) < 3 && !slices.Contains(pair, low) {
				pair = append(pair, low)
			}
		}
		if slices.Sort(pair); len(pair) == 2 {
			pairs = append(slices.Clip(pairs), [2]string(pair))
		}
	}
	return slices.ContainsFunc(pairs, func(pair [2]string) bool {
		spelled, most, spellings := [2]string{}, [2]int{}, 0
		values := slices.Repeat([]float64{math.NaN()}, len(r.use))
		for i, level := range c.levels {
			k := slices.Index(pair[:], strings.ToLower(level))
			if !r.use[i] || k != 0 && celltext.NoValue(level) {
				continue
			} else if k < 0 {
				return false
			}
			values[i] = float64(k)
			spellings++
			if counts[i] > most[k] || counts[i] == most[k] && level < spelled[k] {
				spelled[k], most[k] = level, counts[i]
			}
		}
		if most[0] == 0 || most[1] == 0 {
			return false
		}
		if r.kind, r.values, r.truths = table.Boolean, values, spelled[:]; spellings > 2 {
			r.note(table.Finding{Code: texts.SpellingsOfTruth, N: spellings, Texts: r.truths}, c)
		}
		return true
	})
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
	use             []bool           // levels that are not missing
	units           map[string]tally // numbers with each unit
	numbers, faults tally            // in any unit
	foreign         tally            // numbers in another unit than
	unit            string
	bare            int // numbers without a unit, if the others have one
	odd             int // cells in an unusual notation

	coded, signs, signed, limits examples // see Column; row is an index of levels
}

// amounts parses the levels, and counts the stored numbers if there are any. It may stop early if most
// cells are faults, so that the column cannot contain numbers.
func (c *Column) amounts(use []bool, counts []int, parse func(string) (float64, bool)) *amounts {
	a := &amounts{use: slices.Clone(use), units: map[string]tally{}}
	for i, level := range c.levels {
		if !use[i] {
			continue
		}
		if 2*a.faults.cells > len(c.codes)+len(c.numbers) && c.given == unknown {
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
				if unsigned(plain, v) || unit == "" && strings.ContainsAny(level, "_xX") {
					a.signed.add(counts[i], i, level)
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
			a.numbers.add(counts[i])
			a.join(unit, tally{counts[i], 1})
			if celltext.IsSign(unit) {
				a.signs.add(counts[i], i, level)
			}
		case !celltext.NoValue(level):
			a.faults.add(counts[i])
		}
	}
	if c.numbers != nil {
		different, plain := map[float64]bool{}, tally{}
		most := max(4*len(c.levels), fewNumbers+1) // more make no difference
		for _, v := range c.numbers {
			if math.IsNaN(v) {
				continue
			}
			if plain.cells++; len(different) < most {
				different[v] = true
			}
		}
		plain.levels = len(different)
		a.numbers.join(plain)
		a.join("", plain)
	}
	a.choose(c.unit)
	return a
}

func (a *amounts) join(unit string, more tally) {
	sum := a.units[unit]
	sum.join(more)
	a.units[unit] = sum
}

// choose sets the unit to the most frequent one, unless it is known.
func (a *amounts) choose(known *string) {
	if known != nil {
		a.unit = *known
	} else {
		for unit, n := range a.units {
			if most := a.units[a.unit]; n.cells > most.cells || n.cells == most.cells && unit < a.unit {
				a.unit = unit
			}
		}
	}
	for unit, n := range a.units {
		if !celltext.HasUnit(a.unit, unit) || known == nil && unit != "" && unit != a.unit {
			a.foreign.join(n)
		}
	}
	if a.unit != "" {
		a.bare = a.units[""].cells
		if !celltext.IsSign(a.unit) {
			a.odd += a.numbers.cells
		}
	}
}

// areNumbers reports whether the levels, except a few, are numbers in one unit.
func (a *amounts) areNumbers() bool {
	n := a.numbers.cells
	own := tally{n - a.foreign.cells, a.numbers.levels - a.foreign.levels}
	odd := a.faults
	odd.join(a.foreign)
	return nearly*(a.foreign.cells+a.bare) <= n && leastValues*(n-a.limits.n) >= n && few(odd, own) &&
		!(nearly*a.odd > n && own.levels <= fewNumbers && 2*own.levels <= own.cells) // not names such as 2WD
}

// areCodes reports whether numbers, some of which look like codes, are codes.
func (c *Column) areCodes(a *amounts) bool {
	return a.coded.n > 0 && (nearly*a.coded.n > a.numbers.cells || a.coded.other != "" && c.fixed(a.use))
}

// fixed reports whether all cells in use have the same number of digits.
func (c *Column) fixed(use []bool) bool {
	width := -1
	for i, level := range c.levels {
		if use[i] && width < 0 {
			width = len(level)
		}
		if use[i] && (len(level) != width || strings.Trim(level, "0123456789") != "") {
			return false
		}
	}
	most := math.Pow10(width)
	return !slices.ContainsFunc(c.numbers, func(v float64) bool {
		return v < most/10 || v >= most || v != math.Floor(v) && !math.IsNaN(v)
	})
}

// asNumbers reports whether the levels, except a few, are numbers, nearly all with the same unit or none.
func (c *Column) asNumbers(r *reading, counts []int) bool {
	if c.given == table.Date {
		return false
	}
	given := c.given == table.Number
	parses := []func(string) (float64, bool){c.plan.Number, Number, commaNumber}
	if grouped := slices.ContainsFunc(c.levels, areCommaGroups); grouped {
		parses = slices.Insert(parses, 0, commaGroups)
	}
	tries := len(parses)
	if given { // if nearly all cells cannot be read, use the first parser that reads any
		parses = slices.Concat(parses, parses)
	}
	for i, parse := range parses {
		a := c.amounts(r.use, counts, parse)
		n := a.numbers.cells
		switch {
		case i >= tries && n == 0 && a.faults.cells > 0:
			continue
		case i >= tries:
		case !given && c.areCodes(a):
			if nearly*a.coded.n <= n {
				r.note(c.about(texts.ReadAsCodes, c.placed(a.coded)), c)
			}
			return false
		case !a.areNumbers():
			if !given && few(a.faults, a.numbers) && nearly*(a.foreign.cells+a.bare) > n && len(a.units) <= mostUnits {
				r.units = slices.SortedFunc(maps.Keys(a.units), func(x, y string) int { // the most frequent first
					return cmp.Or(a.units[y].cells-a.units[x].cells, strings.Compare(x, y))
				})
			}
			continue
		}
		r.use = a.use
		*r = c.asNumbersIn(*r, a.unit, parse)
		r.units, r.other = nil, i%tries > 0 || tries > 3
		c.place(a)
		f := table.Finding{N: a.bare, Texts: []string{a.unit}}
		switch {
		case a.bare == n && strings.HasSuffix(c.name, "("+a.unit+")"):
			return true
		case a.unit == celltext.Clock:
			f.Code = texts.ClockTimes
		case a.bare > 0:
			f.Code = texts.UnitOfMost
		case a.unit != "":
			f.Code = texts.UnitDropped
		default:
			return true
		}
		c.signs = examples{} // all numbers have the unit
		r.note(f, c)
		return true
	}
	if given {
		*r = c.asNumbersIn(*r, c.unitOf(), c.plan.Number)
	}
	return given
}

// asNumbersIn parses the levels as numbers in a unit.
func (c *Column) asNumbersIn(r reading, unit string, parse func(text string) (float64, bool)) reading {
	r = c.numeric(r, table.Number, func(text string) (float64, bool) {
		return c.plan.amount(text, unit, parse)
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

// place keeps the cells that notes may be about.
func (c *Column) place(a *amounts) {
	c.coded, c.signs, c.signed, c.limits = c.placed(a.coded), c.placed(a.signs), c.placed(a.signed), c.placed(a.limits)
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

// unsigned reports whether a number is negative although no minus precedes its digits.
func unsigned(text string, v float64) bool {
	return v < 0 && !strings.ContainsAny(text[:max(0, strings.IndexAny(text, "0123456789"))], "-−")
}

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
func (p *Plan) amount(text, unit string, parse func(string) (float64, bool)) (float64, bool) {
	v, ok := amount(text, unit, parse)
	if ok || p.o.Limits == "" || !celltext.IsLimit(text) {
		return v, ok
	}
	number, below, _ := celltext.Limit(celltext.Plain(text))
	switch v, ok = amount(number, unit, parse); {
	case number == "" || ok && p.o.Limits == "missing":
		return math.NaN(), true
	case !ok:
		return 0, false
	case p.o.Limits == "half" && below && v > 0:
		return v / 2, true
	}
	return v, true
}

func (c *Column) finishTexts(column *table.Column) error {
	if c.truth() {
		c.relabel(func(level string) string {
			if v, ok := c.plan.Number(level); ok && !c.isMissing(level) {
				return strconv.FormatFloat(v, 'f', -1, 64)
			}
			return level
		})
	}
	r := c.read()
	if r.kind != table.Number && r.kind != table.Date {
		c.note(texts.OddCharacters, c.changed, celltext.Normal(c.changed.text))
	}
	c.in.notes = append(c.in.notes, r.notes...)
	if c.given == table.Boolean && r.kind != table.Boolean && r.kind != table.Number {
		return table.Finding{Code: texts.NotBoolean, Column: c.name}
	}
	column.Kind, column.Layout = r.kind, r.layout
	if r.kind == table.Category {
		c.noteMissingLevel(r.use)
		c.noteDates(r.use)
	}
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

// noteMissingLevel adds a note if NA is the only missing value among texts of two capital letters, such as
// countries, or among short abbreviations in a column of regions.
func (c *Column) noteMissingLevel(use []bool) {
	most := 2
	if slices.ContainsFunc(Words(c.name), func(w string) bool { return slices.Contains(places, w) }) {
		most = 5
	}
	na, others := -1, []string{"NA"}
	for i, level := range c.levels {
		switch {
		case level == "NA":
			na = i
		case len(level) < 2 || len(level) > most || !use[i] || strings.Trim(level, capitals) != "":
			return
		default:
			others = append(others, level)
		}
	}
	if na >= 0 && !use[na] && len(others) > 2 && !slices.Contains(c.codes, -1) &&
		!slices.Contains(c.plan.o.Missing, "NA") {
		f := c.about(texts.MissingLevel, c.example(na, c.counts()[na]))
		f.Texts = others
		c.in.notes = append(c.in.notes, f)
	}
}

// noteDates adds a note about dates such as 9-May among ranges such as 10-14, which may have been ranges.
func (c *Column) noteDates(use []bool) {
	counts, clock, ranges, span := c.counts(), 0, 0, ""
	var dates examples
	for i, level := range c.levels {
		low, high, found := strings.Cut(level, "-")
		if !found || !use[i] {
			continue
		}
		_, month := date(level, monthOfYear, &clock)
		if _, day := date(level+"-2000", "2-Jan-2006", &clock); day || month {
			dates.add(counts[i], i, level)
		} else if low != "" && high != "" && strings.Trim(low+high, "0123456789") == "" {
			ranges, span = ranges+1, level
		}
	}
	if ranges > 1 {
		c.note(texts.SpreadsheetDates, c.placed(dates), span)
	}
}

const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// places are words in the names of columns of regions.
var places = strings.Fields("region regions country countries continent territory market area zone nation " +
	"geo")

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
	spelling := map[float64][]string{}
	plain := true
	for _, i := range order {
		if v := values[i]; !math.IsNaN(v) {
			one := table.Column{Kind: table.Number, Numbers: values[i : i+1]}
			plain = plain && one.Text(0) == c.levels[i]
			spelling[v] = append(spelling[v], c.levels[i])
		}
	}
	if plain {
		return nil
	}
	return spelling
}
