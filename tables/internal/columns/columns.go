// Package columns collects the cells of a table, whatever file they come from, and finds out
// the kind of each column.
//
// # The rules
//
// They look at the different texts of a column, not at what the column means. In this order:
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
//     in no more than every second cell, beside four times as many different values. More of
//     them make the column a category.
//     Numbers may have a unit, a sign such as $ or a word such as kg, if 95 % of them have the
//     same. If they have several, the column is free text: no feature. At most ten different
//     texts such as 2WD and 4WD that repeat are a category. A cell such as <0.5 belongs to numbers
//     if at least a fifth of them are whole values; Options.Limits says what becomes of it.
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
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Options say how cells are read.
type Options struct {
	// Number parses a number. If it is nil, numbers have a decimal point.
	Number func(text string) (float64, bool)
	// Missing are further texts that mean a missing value. A number means all that equal it, and so does
	// a date.
	Missing []string
	// Limits says what a cell such as <0.5 or >100 is among numbers: "half" the limit (a cell above one
	// is the limit), "limit", or "missing". If it is empty, such a cell is a fault.
	Limits string
	// Kinds has kinds of columns, by name, that are given and not found out.
	Kinds map[string]table.Kind
	// Like are columns of another table, such as the table of the training rows: a column of the same
	// name has its kind, unit and layout, unless it is a boolean or Kinds says otherwise. The file may lack them.
	Like []table.Column
	// Drop and ID are names of columns to leave out and of columns that identify a row.
	Drop, ID []string
	// Group, Time and Weight name columns as in table.Table, or are "".
	Group, Time, Weight string
}

// Builder collects the cells of a table row by row.
type Builder struct {
	Columns []*Column
	name    string // of the file
	o       Options
	numeric []float64 // of o.Missing
	rows    int
	lines   []mark // where the distance of row and line changes
	limit   float64
	again   bool // only the columns that are not done are read again
	Notes   []string
}

// mark says that rows from this one on have the line of their number plus ahead.
type mark struct{ row, ahead int }

// Column collects the cells of one column.
type Column struct {
	b       *Builder
	name    string
	forced  table.Kind // or −1
	unit    *string    // of numbers; nil if it is to be found out
	layout  string     // of dates; "" if it is to be found out
	drop    bool
	aside   bool // no feature: Group, Time or Weight
	time    bool // Time or Weight: numbers that count up are no id
	typed   bool // the file says that it has numbers
	levels  []string
	numbers []float64 // or texts, if it is nil
	faults  []fault
	words   texts  // of faults
	done    bool   // what it has is right, further cells are not needed
	retext  bool   // it is no column of numbers after all, or
	settled bool   // it stays one of texts until the end
	few     bool   // numbers are kept as texts, as there are few different ones
	odd     int    // numbers that are written in an uncommon way
	coded   cells  // numbers that are written like codes
	signs   cells  // numbers with a sign such as $, though the others have none
	limits  cells  // such as <0.5
	changed cells  // that celltext.Normal changed
	signed  string // a cell such as (170), which was taken for a negative number
	mixed   bool   // numbers have several units
	texts
}

// cells are those of a column that something is said about.
type cells struct {
	n           int
	row         int    // of the first
	text, other string // of the first, and of one that differs
}

func (c *cells) add(n, row int, text string) {
	switch {
	case c.n == 0:
		c.row, c.text = row, strings.Clone(text)
	case c.other == "" && text != c.text:
		c.other = strings.Clone(text)
	}
	c.n += n
}

type fault struct {
	row  int
	code int32
}

const unforced = table.Kind(-1)

// New prepares columns of these names, which must differ from each other. The file is for
// errors, which are *cell.Errors.
func New(file string, names []string, o Options) (*Builder, error) {
	b := &Builder{name: file, o: o, limit: 0.8 * memory.Available()}
	if o.Number == nil {
		b.o.Number = pointNumber
	}
	b.o.Missing = Clean(o.Missing)
	b.numeric = missingNumbers(b.o)
	if !slices.Contains([]string{"", "half", "limit", "missing"}, o.Limits) {
		return nil, b.fail(0, fmt.Errorf("the option Limits is %q: want half, limit or missing", o.Limits))
	}
	find := func(flag, name string) (*Column, error) {
		i := slices.Index(names, name)
		if i < 0 {
			i = slices.Index(names, celltext.Normal(name))
		}
		if i < 0 {
			shown := strings.Join(names[:min(len(names), 20)], ", ")
			return nil, b.fail(0, fmt.Errorf("%s %q: no such column; there are %s", flag, cell.Shorten(name), shown))
		}
		return b.Columns[i], nil
	}
	for _, name := range names {
		c := &Column{b: b, name: name, forced: unforced}
		for _, like := range o.Like {
			if like.Name != name {
				continue
			}
			if c.layout = like.Layout; like.Kind != table.Boolean { // a few rows may have one of its two texts
				c.forced = like.Kind
			}
			if like.Kind == table.Number {
				c.unit = &like.Unit
			}
		}
		b.Columns = append(b.Columns, c)
	}
	for name, kind := range o.Kinds {
		c, err := find("--kind", name)
		if err != nil {
			return nil, err
		}
		c.forced = kind
	}
	for _, name := range o.ID {
		c, err := find("--id", name)
		if err != nil {
			return nil, err
		}
		c.forced = table.ID
	}
	for _, name := range o.Drop {
		c, err := find("--drop", name)
		if err != nil {
			return nil, err
		}
		c.drop, c.done = true, true
	}
	for _, by := range [][2]string{{"--group", o.Group}, {"--time", o.Time}, {"--weight", o.Weight}} {
		flag, name := by[0], by[1]
		if name == "" {
			continue
		}
		c, err := find(flag, name)
		if err != nil {
			return nil, err
		}
		if c.drop {
			return nil, b.fail(slices.Index(names, name)+1, fmt.Errorf("%s names a column that --drop leaves out", flag))
		}
		_, asked := o.Kinds[name]
		c.aside, c.time = c.aside || !asked && c.forced != table.ID, c.time || flag != "--group"
	}
	return b, nil
}

// Clean returns texts that mean a missing value without the blanks around them, as cells are
// compared. Texts without more than blanks are left out: an empty cell is missing anyway.
func Clean(missing []string) []string {
	var clean []string
	for _, text := range missing {
		if bare := trim([]byte(text)); len(bare) > 0 {
			clean = append(clean, string(bare))
		}
	}
	return clean
}

// missingNumbers are the texts of o.Missing that are numbers.
func missingNumbers(o Options) []float64 {
	var numbers []float64
	for _, text := range o.Missing {
		if v, ok := o.Number(text); ok {
			numbers = append(numbers, v)
		} else if v, ok := pointNumber(text); ok {
			numbers = append(numbers, v)
		}
	}
	return numbers
}

// Force sets the kind of column i, unless the options do.
func (b *Builder) Force(i int, kind table.Kind) {
	if c := b.Columns[i]; c.forced == unforced {
		c.forced = kind
	}
}

// Typed says that the file has numbers in column i: of this kind, or any if it is
// Number. levels are the texts of a boolean. The options may still say otherwise.
func (b *Builder) Typed(i int, kind table.Kind, levels []string) bool {
	c := b.Columns[i]
	if c.forced != unforced && c.forced != kind && !(kind == table.Number && c.forced == table.Boolean) {
		return false
	}
	if c.typed, c.numbers, c.levels = true, []float64{}, levels; kind != table.Number {
		c.forced = kind
	}
	return true
}

// Free reports whether the kind of the column is to be found out.
func (c *Column) Free() bool { return c.forced == unforced }

// Wanted reports whether the cells of column i are needed.
func (b *Builder) Wanted(i int) bool { return !b.Columns[i].done }

// Rows is the number of rows so far.
func (b *Builder) Rows() int { return b.rows }

// Add adds a row of one cell for each column, which stands in a line of the file, or 0.
func (b *Builder) Add(cells [][]byte, line int) error {
	for i, c := range b.Columns {
		if !c.done {
			if err := c.Text(cells[i]); err != nil {
				return b.fail(i+1, err)
			}
		}
	}
	return b.EndRow(line)
}

// EndRow ends a row whose cells were added to each column.
func (b *Builder) EndRow(line int) error {
	if ahead := line - b.rows; line > 0 && !b.again && (len(b.lines) == 0 || b.lines[len(b.lines)-1].ahead != ahead) {
		b.lines = append(b.lines, mark{b.rows, ahead})
	}
	if b.rows++; b.rows%(1<<16) == 0 {
		return b.Check()
	}
	return nil
}

// Check returns an error if the columns take most of the memory there was.
func (b *Builder) Check() error {
	need := 16 * float64(len(b.lines))
	for _, c := range b.Columns {
		need += 8*float64(cap(c.numbers)) + 4*float64(cap(c.codes)+cap(c.slots)) + 16*float64(cap(c.texts.levels)) + float64(c.bytes) + 16*float64(cap(c.faults))
	}
	if need > b.limit && need > 64<<20 {
		return &cell.Error{Name: b.name, Err: &memory.Error{What: fmt.Sprintf("holding more than %d rows", b.rows), Need: need, Have: b.limit,
			Advice: "take fewer rows, or leave columns out with --drop"}}
	}
	return nil
}

// Line returns the line of a row, 0 if it is not known.
func (b *Builder) Line(row int) int {
	i, found := slices.BinarySearchFunc(b.lines, row, func(m mark, row int) int { return m.row - row })
	if !found {
		i--
	}
	if i < 0 {
		return 0
	}
	return row + b.lines[i].ahead
}

// Name is the name of the file.
func (b *Builder) Name() string { return b.name }

func (b *Builder) fail(column int, err error) error {
	e := &cell.Error{Name: b.name, Column: column, Err: err}
	if column > 0 {
		e.Header = b.Columns[column-1].name
	}
	return e
}

// Text adds a cell.
func (c *Column) Text(text []byte) error {
	text = trim(text)
	if c.numbers == nil {
		if c.full() {
			return fmt.Errorf("more than %d different texts", len(c.texts.levels))
		}
		if c.add(text); c.few && len(c.texts.levels) > manyTexts {
			c.toNumbers(cap(c.codes))
		}
		return nil
	}
	if c.retext {
		return nil
	}
	if len(text) == 0 {
		c.numbers = append(c.numbers, math.NaN())
		return nil
	}
	s := asText(text)
	v, ok := c.b.o.Number(s)
	missing := !ok && (c.b.isMissing(s) || celltext.NoValue(s))
	if !ok && !missing {
		v, ok = c.uncommon(s)
		missing = ok && math.IsNaN(v)
	}
	switch {
	case ok && !missing:
		if (text[0] == '0' || text[0] == '+' || len(text) > 15) && c.forced == unforced && code(s) {
			c.coded.add(1, len(c.numbers), s)
			c.retext = c.coded.n > 1000+len(c.numbers)/nearly
		}
		if len(c.b.numeric) > 0 && slices.Contains(c.b.numeric, v) {
			v = math.NaN()
		}
	default:
		v = math.NaN()
		if !missing {
			c.faults = append(c.faults, fault{len(c.numbers), c.words.code(text)})
			// Two thirds of the cells are no numbers, or too many texts differ.
			if c.forced == unforced && (len(c.faults) > 1000+2*len(c.numbers)/3 || len(c.words.levels) > 1<<16) {
				c.retext = true
			}
		}
	}
	c.numbers = append(c.numbers, v)
	return nil
}

// uncommon reads a number that Options.Number does not. NaN means a missing value.
func (c *Column) uncommon(text string) (float64, bool) {
	plain := celltext.Plain(text)
	if celltext.IsLimit(plain) {
		c.limits.add(1, len(c.numbers), text)
	} else if unit := celltext.Unit(plain); c.unit == nil && unit != "" {
		if !celltext.IsSign(unit) {
			return 0, false
		}
		c.signs.add(1, len(c.numbers), text)
	}
	v, ok := c.b.o.amount(plain, c.known(), c.b.o.Number)
	if !ok {
		return 0, false
	}
	c.odd++
	if c.signed == "" && unsigned(text, v) {
		c.signed = strings.Clone(text)
	}
	if c.forced == unforced && plain != text && code(plain) {
		c.coded.add(1, len(c.numbers), text)
	}
	return v, true
}

// known is the unit that is known, "" without.
func (c *Column) known() string {
	if c.unit == nil {
		return ""
	}
	return *c.unit
}

// Number adds a cell to a column that is typed, NaN for a missing one.
func (c *Column) Number(v float64) {
	if math.IsInf(v, 0) {
		c.faults = append(c.faults, fault{len(c.numbers), c.words.code(strconv.AppendFloat(nil, v, 'g', -1, 64))})
		v = math.NaN()
	}
	if len(c.b.numeric) > 0 && slices.Contains(c.b.numeric, v) {
		v = math.NaN()
	}
	c.numbers = append(c.numbers, v)
}

func (b *Builder) isMissing(text string) bool {
	return celltext.Missing(text) || slices.Contains(b.o.Missing, text)
}

// Settle decides after the first rows which columns have numbers, and makes room for a number
// of rows. Numbers then take less memory and time than texts.
func (b *Builder) Settle(rows int) {
	for _, c := range b.Columns {
		if c.done || c.settled || c.numbers != nil {
			continue
		}
		c.compose()
		r := c.read()
		if r.unit != "" || r.other || c.forced != table.Number && !(r.kind == table.Number && c.forced == unforced) {
			if c.forced != unforced || r.kind != table.Number {
				c.codes = slices.Grow(c.codes, max(0, rows-len(c.codes)))
			}
			continue
		}
		if c.few = len(c.texts.levels) <= fewTexts; c.few {
			c.codes = slices.Grow(c.codes, max(0, rows-len(c.codes)))
			continue
		}
		c.toNumbers(rows)
	}
}

// compose normalises the texts.
func (c *Column) compose() {
	if changed := c.normalise(); c.changed.n == 0 {
		c.changed = changed
	} else {
		c.changed.n += changed.n
	}
}

// fewTexts is how many different texts a column of numbers may have that are kept, as they may be the
// names of classes. Once there are manyTexts, they are not.
const fewTexts, manyTexts = 100, 1000

// toNumbers keeps numbers instead of texts, and makes room for a number of rows.
func (c *Column) toNumbers(rows int) {
	old := c.texts
	c.texts, c.few = texts{}, false
	c.numbers = make([]float64, 0, max(rows, len(old.codes)))
	for _, code := range old.codes {
		if code < 0 {
			c.numbers = append(c.numbers, math.NaN())
		} else {
			_ = c.Text([]byte(old.levels[code])) // numbers have no limit of texts
		}
	}
}

// Again reports whether all rows must be added once more, as columns turned out to be other
// than their first rows.
func (b *Builder) Again() bool {
	again := false
	for _, c := range b.Columns {
		if c.numbers != nil && !c.typed && !c.done && c.forced == unforced && (c.retext || !c.mostlyNumbers()) {
			*c = Column{b: b, name: c.name, forced: c.forced, unit: c.unit, layout: c.layout, aside: c.aside, time: c.time, settled: true}
			again = true
		}
	}
	if again {
		for _, c := range b.Columns {
			if c.numbers != nil || c.codes != nil {
				c.done = true
			}
		}
		b.rows, b.again = 0, true
	}
	return again
}

// mostlyNumbers applies the rule of faults to a column of numbers.
func (c *Column) mostlyNumbers() bool {
	if len(c.faults) == 0 && c.odd == 0 && c.coded.n == 0 {
		return true
	}
	if c.limits.n > 0 && nearly*c.limits.n > len(c.numbers) || nearly*c.signs.n > len(c.numbers) {
		return false // the texts say more
	}
	numbers, most := 0, max(4*len(c.words.levels), fewNumbers+1)
	different := map[float64]bool{}
	for _, v := range c.numbers {
		if !math.IsNaN(v) {
			numbers++
			if len(different) < most {
				different[v] = true
			}
		}
	}
	return few(len(c.faults), len(c.words.levels), numbers, len(different)) && !(nearly*c.odd > numbers && areNames(len(different), numbers)) &&
		!areCodes(c.coded, numbers, c.fixed)
}

// fixed reports whether all cells have as many digits as the first that is written like a code.
func (c *Column) fixed() bool {
	most := math.Pow10(len(c.coded.text))
	shorter := 0
	for _, v := range c.numbers {
		if v < most/10 {
			shorter++
		}
		if v < 0 || v >= most || v != math.Floor(v) {
			return false
		}
	}
	return shorter <= c.coded.n && len(c.faults) == 0
}

// areCodes reports whether numbers are codes, as some of them are written like one. fixed reports whether
// all have the same number of digits.
func areCodes(coded cells, numbers int, fixed func() bool) bool {
	return coded.n > 0 && (nearly*coded.n > numbers || coded.other != "" && fixed())
}

// few reports whether texts among values are so few that they are faults.
func few(texts, differentTexts, values, differentValues int) bool {
	return values > 0 && (20*texts < texts+values || texts <= values && differentTexts <= 5 && 4*differentTexts <= differentValues)
}

// Table returns the table of all rows.
func (b *Builder) Table() (*table.Table, error) {
	t := &table.Table{Name: b.name, Rows: b.rows, Columns: []table.Column{}}
	for i, c := range b.Columns {
		if c.drop {
			continue
		}
		column, err := c.finish()
		if err != nil {
			return nil, b.fail(i+1, err)
		}
		t.Columns = append(t.Columns, column)
		b.Columns[i] = &Column{b: b, name: c.name, done: true} // its memory is free
	}
	t.Notes, t.Group, t.Time, t.Weight = b.Notes, b.o.Group, b.o.Time, b.o.Weight
	return t, nil
}

func (b *Builder) note(format string, args ...any) {
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}

func (c *Column) finish() (table.Column, error) {
	column := table.Column{Name: c.name, Aside: c.aside}
	if c.numbers == nil {
		c.compose()
		if err := c.finishTexts(&column); err != nil {
			return column, err
		}
	} else {
		column.Kind, column.Numbers, column.Levels = table.Number, slices.Clip(c.numbers), c.levels
		for _, f := range c.faults {
			column.Faults = append(column.Faults, table.Fault{Row: f.row, Line: c.b.Line(f.row), Text: c.words.levels[f.code]})
		}
		if c.typed && c.forced != unforced {
			column.Kind = c.forced
		}
	}
	if column.Kind == table.Number && !c.time && (c.forced == unforced || c.forced == table.Boolean) {
		c.finishNumbers(&column)
	}
	if c.forced == table.Boolean && column.Kind != table.Boolean {
		return column, fmt.Errorf("--kind %s=boolean: it has other values than 0 and 1", c.name)
	}
	c.notes(&column)
	return column, nil
}

// finishNumbers makes booleans and ids of numbers that are.
func (c *Column) finishNumbers(column *table.Column) {
	if len(column.Faults) > 0 {
		return
	}
	truth, whole := true, true
	low, high, n := math.Inf(1), math.Inf(-1), 0
	for _, v := range column.Numbers {
		if math.IsNaN(v) {
			continue
		}
		n++
		truth = truth && (v == 0 || v == 1)
		whole = whole && v == math.Floor(v)
		low, high = min(low, v), max(high, v)
	}
	if truth && low < high && column.Unit == "" {
		column.Kind, column.Levels = table.Boolean, []string{"0", "1"}
		return
	}
	named := identifies(c.name)
	if c.forced != unforced || !whole || n < len(column.Numbers) || n < 2 || !named && (n < 10 || high-low != float64(n-1)) || !different(column.Numbers, low, high) {
		if c.forced == unforced {
			c.nearlySpecial(column.Numbers, whole && (named || high-low < 1.05*float64(len(column.Numbers))))
		}
		return
	}
	cells := texts{codes: make([]int32, 0, n)}
	if c.numbers == nil {
		cells = c.texts // as they are written
	} else {
		for _, v := range column.Numbers {
			cells.add(strconv.AppendFloat(nil, v, 'f', -1, 64))
		}
	}
	column.Kind, column.Numbers, column.Unit, column.Spelling = table.ID, nil, "", nil
	column.Codes, column.Levels = cells.sorted(slices.Repeat([]bool{true}, len(cells.levels)))
}

// nearlySpecial says that numbers would be truth values or, if they may be, an id without a few of them.
func (c *Column) nearlySpecial(numbers []float64, id bool) {
	n := len(numbers)
	if n < nearly {
		return
	}
	var others, missing, repeated cells
	var truths [2]int
	first := map[float64]int{} // row of each number
	for row, v := range numbers {
		if math.IsNaN(v) {
			missing.add(1, row, "")
			continue
		}
		if v == 0 || v == 1 {
			truths[int(v)]++
		} else {
			others.add(1, row, "")
		}
		if id {
			if _, met := first[v]; met {
				repeated.add(1, row, "")
			} else {
				first[v] = row
			}
			id = nearly*(repeated.n+missing.n) <= n
		}
		if !id && nearly*others.n > n {
			return
		}
	}
	name := cell.Shorten(c.name)
	text := func(row int) string { return strconv.FormatFloat(numbers[row], 'f', -1, 64) }
	switch {
	case truths[0] > 0 && truths[1] > 0 && nearly*others.n <= n:
		others.text = text(others.row)
		c.b.note("column %q: %s neither 0 nor 1, so the column is not a boolean: --na %s if that means missing",
			name, c.list(others, "is", "are"), others.text)
	case !id:
	case repeated.n > 0:
		c.b.note("column %q looks like an id, but %s in %s repeats %s, so it is a feature: --id %s if it identifies the rows",
			name, text(repeated.row), c.b.place(repeated.row), c.b.place(first[numbers[repeated.row]]), shell(c.name))
	case missing.n > 0:
		c.b.note("column %q looks like an id, but the cell in %s is missing, so it is a feature: --id %s if it identifies the rows",
			name, c.b.place(missing.row), shell(c.name))
	}
}

// different reports whether numbers between two bounds all differ.
func different(numbers []float64, low, high float64) bool {
	if high-low == float64(len(numbers)-1) {
		seen := make([]bool, len(numbers))
		for _, v := range numbers {
			if seen[int(v-low)] {
				return false
			}
			seen[int(v-low)] = true
		}
		return true
	}
	sorted := slices.Sorted(slices.Values(numbers))
	return len(slices.Compact(sorted)) == len(numbers)
}

// Feature returns the kind that would make a feature of an id.
func Feature(c *table.Column) table.Kind {
	for _, level := range c.Levels {
		if _, ok := Number(level); !ok {
			return table.Category
		}
	}
	return table.Number
}

// place names a row.
func (b *Builder) place(row int) string {
	if line := b.Line(row); line > 0 {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("row %d", row+1)
}

// notes says what the user may want to override.
func (c *Column) notes(column *table.Column) {
	b := c.b
	name := cell.Shorten(c.name)
	var limits, faults cells
	for _, f := range column.Faults {
		if column.Kind == table.Number && celltext.IsLimit(f.Text) {
			limits.add(1, f.Row, f.Text)
		} else {
			faults.add(1, f.Row, f.Text)
		}
	}
	if limits.n > 0 {
		b.note("column %q: %s: --limits half takes half the limit, --limits missing (or --na %s) makes it a missing value", name, c.list(limits, "is a limit and not a number", "are limits and not numbers"), shell(limits.text))
	}
	if faults.n > 0 {
		cells := "1 cell is"
		if faults.n > 1 {
			cells = fmt.Sprintf("%d cells are", faults.n)
		}
		text := cell.Shorten(faults.text)
		b.note("column %q: %s no %s, the first %s in %s: --na %s if that means missing, or --kind %s", name, cells, column.Kind,
			celltext.Quote(text), b.place(faults.row), celltext.Quote(text), flagValue(c.name, table.Category))
	}
	if column.Kind == table.Number {
		number := func(text string) string {
			v, _ := amount(celltext.Plain(text), celltext.Unit(celltext.Plain(text)), b.o.Number)
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		if c.coded.n > 0 {
			b.note("column %q: %s; the first counts as %s: --na %s if that means missing, or --kind %s", name, c.list(c.coded, "is written like a code", "are written like codes"),
				number(c.coded.text), shell(c.coded.text), flagValue(c.name, table.Category))
		}
		if c.signs.n > 0 {
			b.note("column %q: %s, though the others have none; the first counts as %s: --na %s if that means missing", name, c.list(c.signs, "has a unit", "have a unit"),
				number(c.signs.text), shell(c.signs.text))
		}
		if c.limits.n > 0 && b.o.Limits != "" {
			b.note("column %q: %s: --limits %s", name, c.list(c.limits, "is a limit", "are limits"), b.o.Limits)
		}
	}
	if c.signed != "" && column.Kind == table.Number {
		b.note("column %q: cells such as %q are taken for negative numbers: --kind %s if they are not", cell.Shorten(c.name), cell.Shorten(c.signed), flagValue(c.name, table.Category))
	}
	if c.forced != unforced {
		return
	}
	switch column.Kind {
	case table.ID:
		b.note("column %q is different in each row (kind id) and no feature: --kind %s if it is one", name, flagValue(c.name, Feature(column)))
	case table.Text:
		if c.mixed {
			break // a note says why
		}
		b.note("column %q is free text and no feature: --kind %s if it is one", cell.Shorten(c.name), flagValue(c.name, table.Category))
	}
}

// shell writes a text as a shell takes it.
func shell(text string) string {
	if text = cell.Shorten(text); text == "" || strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.=+/%:@", r)
	}) {
		return celltext.Quote(text)
	}
	return text
}

// flagValue is a value of --kind as a shell takes it.
func flagValue(name string, kind table.Kind) string {
	text := cell.Shorten(name) + "=" + kind.String()
	if strings.ContainsAny(text, " \t\"'$&|;<>()*?#") {
		return strconv.Quote(text)
	}
	return text
}
