package detect

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Cells contains the cells of all columns read so far.
type Cells struct {
	*Plan
	columns []*Column // nil for columns that are left out
	reading []*Column // columns that rows are added to
	rows    int
	from    Rows   // the rows that add reads
	lines   []mark // rows at which the difference between line and row number changes
	lined   int    // number of rows with known lines
	limit   float64
	notes   []table.Finding
}

// mark records that the lines of rows from this one on are the row number plus ahead.
type mark struct{ row, ahead int }

// Column contains the cells of a column.
type Column struct {
	*column
	in       *Cells
	levelSet           // the cells; in a column of numbers, only cells in an unusual notation
	numbers  []float64 // the cells of a column of numbers; nil for other columns
	rows     []int     // rows of the texts in a column of numbers
	sources  []string  // original texts
	others   bool      // whether it is not a column of numbers after all
	coded    examples  // numbers that look like codes
	signs    examples  // numbers with a sign such as $ if most have none
	limits   examples  // cells such as <0.5
	changed  examples  // cells changed by celltext.Normal
	signed   examples  // cells such as (170), 12_881 or 0x1F that may not be numbers
}

// examples are the cells that a note is about.
type examples struct {
	n           int
	row         int    // of the first
	text, other string // of the first, and of another one that differs
}

func (e *examples) add(n, row int, text string) {
	switch {
	case e.n == 0:
		e.row, e.text = row, strings.Clone(text)
	case e.other == "" && text != e.text:
		e.other = strings.Clone(text)
	}
	e.n += n
}

// Cells returns the columns without cells, allocating memory for a number of rows.
func (p *Plan) Cells(rows int) *Cells {
	cells := &Cells{Plan: p, columns: make([]*Column, len(p.columns)), limit: 0.8 * memory.Available()}
	for i, of := range p.columns {
		if of.drop {
			continue
		}
		c := &Column{column: of, in: cells}
		if of.most == 0 {
			c.numbers = make([]float64, 0, rows)
		}
		if of.written {
			c.sources = make([]string, 0, rows)
		}
		cells.columns[i] = c
		cells.reading = append(cells.reading, c)
	}
	return cells
}

// Column returns column i, or nil if it is left out.
func (b *Cells) Column(i int) *Column { return b.columns[i] }

// Typed declares that column i contains numbers in the file: of the given kind, or of any numeric kind if
// it is table.Number. levels are the texts of a boolean. It returns false if the options require texts.
func (b *Cells) Typed(i int, kind table.Kind, levels []string) bool {
	c := b.columns[i]
	if c == nil || c.given != unknown && c.given != kind && !(kind == table.Number && c.given == table.Boolean) {
		return false
	}
	if c.typed, c.numbers, c.truths = true, []float64{}, levels; kind != table.Number {
		c.given = kind
	}
	return true
}

// Free reports whether the kind of the column is to be detected.
func (c *Column) Free() bool { return c.given == unknown }

func (b *Cells) add(rows Rows) error {
	b.from = rows
	for {
		if err := b.row(rows); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func (b *Cells) row(rows Rows) error {
	cells, line, err := rows.Next()
	if err != nil {
		return err
	}
	for _, c := range b.reading {
		if err := c.Text(cells[c.index]); err != nil {
			return b.fail(c.index+1, err)
		}
	}
	return b.EndRow(line)
}

// EndRow ends a row after its cells have been added to all columns.
func (b *Cells) EndRow(line int) error {
	if b.rows == b.lined {
		b.lined++
		if ahead := line - b.rows; line > 0 && (len(b.lines) == 0 || b.lines[len(b.lines)-1].ahead != ahead) {
			b.lines = append(b.lines, mark{b.rows, ahead})
		}
	}
	if b.rows++; b.rows%(1<<16) == 0 {
		return b.check()
	}
	return nil
}

// check returns an error if the columns use most of the memory that was available.
func (b *Cells) check() error {
	need := 16 * float64(len(b.lines))
	for _, c := range b.columns {
		if c != nil {
			need += 8*float64(cap(c.numbers)) + 4*float64(cap(c.codes)) + 16*float64(cap(c.levels)) +
				40*float64(len(c.known)) + 8*float64(cap(c.rows)) + float64(c.bytes)
		}
	}
	if need > b.limit && need > 64<<20 {
		return b.fail(0, table.Finding{Code: texts.NoMemory, N: b.rows,
			Texts: []string{strconv.Itoa(int(need) >> 20), strconv.Itoa(int(b.limit) >> 20)},
			Cause: &memory.Error{What: b.File, Need: need, Have: b.limit}})
	}
	return nil
}

// line returns the line of a row, or 0 if it is unknown.
func (b *Cells) line(row int) int {
	i, found := slices.BinarySearchFunc(b.lines, row, func(m mark, row int) int { return m.row - row })
	if !found {
		i--
	}
	if i < 0 {
		return 0
	}
	return row + b.lines[i].ahead
}

// about returns a finding about cells of the column, with the first as the first text.
func (c *Column) about(code table.Code, e examples, more ...string) table.Finding {
	return table.Finding{Code: code, Column: c.name, N: e.n, Row: e.row + 1, Line: c.in.line(e.row),
		Texts: append([]string{e.text}, more...)}
}

// note adds a note about cells of the column, if there are any.
func (c *Column) note(code table.Code, e examples, more ...string) {
	if e.n > 0 {
		c.in.notes = append(c.in.notes, c.about(code, e, more...))
	}
}

// Text adds a cell.
func (c *Column) Text(text []byte) error {
	if c.sources != nil {
		c.sources = append(c.sources, string(text))
	}
	if text = trim(text); c.numbers != nil {
		c.number(text)
		return nil
	}
	if c.levelSet.add(text); len(c.levels) > c.most {
		c.tryNumbers()
	}
	if c.full() {
		return table.Finding{Code: texts.TooManyTexts, N: len(c.levels)}
	}
	return nil
}

func (c *Column) number(text []byte) {
	if len(text) == 0 || c.others {
		c.numbers = append(c.numbers, math.NaN())
		return
	}
	s := unsafe.String(unsafe.SliceData(text), len(text)) // is not kept
	v, ok := c.parse(s)
	if !ok || c.given == unknown && (text[0] == '0' || text[0] == '+' || len(text) > 15) && code(s) {
		v = c.uncommon(celltext.Normal(s))
	}
	c.numbers = append(c.numbers, c.unlessMissing(v))
}

// unlessMissing returns v, or NaN if it means a missing value.
func (c *Column) unlessMissing(v float64) float64 {
	if len(c.plan.numeric) > 0 && slices.Contains(c.plan.numeric, v) {
		return math.NaN()
	}
	return v
}

// uncommon stores the text of a cell in an unusual notation, unless it is missing, and returns NaN.
func (c *Column) uncommon(text string) float64 {
	if text != "" && !c.isMissing(text) && !celltext.NoValue(text) {
		c.add([]byte(text))
		c.rows = append(c.rows, len(c.numbers))
		// More than two thirds of the cells are not numbers, or there are too many different texts.
		c.others = c.given == unknown && (len(c.rows) > 1000+2*len(c.numbers)/3 || len(c.levels) > 1<<16)
	}
	return math.NaN()
}

// Number adds a number to a typed column; NaN is a missing cell.
func (c *Column) Number(v float64) {
	if math.IsInf(v, 0) {
		v = c.uncommon(strconv.FormatFloat(v, 'g', -1, 64))
	}
	c.numbers = append(c.numbers, c.unlessMissing(v))
}

func (c *Column) compose() {
	changed := c.relabel(func(level string) string {
		if utf8.RuneCountInString(level) == len(level) {
			return level
		}
		return celltext.Normal(level)
	})
	if c.changed.n > 0 {
		changed.row, changed.text, changed.n = c.changed.row, c.changed.text, changed.n+c.changed.n
	}
	c.changed = changed
}

// tryNumbers stores numbers instead of texts if the cells so far are numbers without a unit.
func (c *Column) tryNumbers() {
	c.most = math.MaxInt
	if c.given != unknown && c.given != table.Number {
		return
	}
	c.compose()
	if r := c.read(); r.kind != table.Number || r.unit != "" || r.other {
		return
	}
	old := c.levelSet
	c.levelSet, c.most = levelSet{}, 0
	c.numbers = make([]float64, 0, max(estimate(c.in.from), len(old.codes)))
	for _, code := range old.codes {
		if code < 0 {
			c.number(nil)
		} else {
			c.number([]byte(old.levels[code]))
		}
	}
}

// misread reports whether columns stored as numbers are texts, to which all rows must be added again.
func (b *Cells) misread() bool {
	b.reading = nil
	for i, c := range b.columns {
		if c != nil && c.numbers != nil && !c.typed && c.given == unknown && (c.others || !c.areNumbers()) {
			c.most = math.MaxInt
			b.columns[i] = &Column{column: c.column, in: b}
			b.reading = append(b.reading, b.columns[i])
		}
	}
	if b.reading != nil {
		b.rows = 0
	}
	return b.reading != nil
}

// areNumbers applies the rules of asNumbers to a column stored as numbers, which has no unit.
func (c *Column) areNumbers() bool {
	if len(c.rows) == 0 {
		return true
	}
	a := c.uncommonAmounts()
	return a.unit == "" && a.areNumbers() && !c.areCodes(a)
}

// uncommonAmounts parses the texts of a column stored as numbers.
func (c *Column) uncommonAmounts() *amounts {
	return c.amounts(slices.Repeat([]bool{true}, len(c.levels)), c.counts(), c.parse)
}

// few reports whether texts among values are so few that they are faults.
func few(texts, values tally) bool {
	return values.cells > 0 && (20*texts.cells < texts.cells+values.cells ||
		texts.cells <= values.cells && texts.levels <= 5 && 4*texts.levels <= values.levels)
}

// Table returns a table with all rows and releases the memory of the cells.
func (b *Cells) Table() (*table.Table, error) {
	t := &table.Table{Name: b.File, Rows: b.rows, Columns: []table.Column{}}
	for i, c := range b.columns {
		if c == nil {
			continue
		}
		column, err := c.finish()
		if err != nil {
			return nil, b.fail(i+1, err)
		}
		t.Columns = append(t.Columns, column)
		b.columns[i] = nil
	}
	if !b.Chunked {
		t.Notes = b.notes
	}
	t.Group, t.Time, t.Weight = b.o.Group, b.o.Time, b.o.Weight
	return t, nil
}

func (c *Column) fault(row int, text string) table.Fault {
	return table.Fault{Row: row, Line: c.in.line(row), Text: text}
}

func (c *Column) finish() (table.Column, error) {
	column := table.Column{Name: c.name, Aside: c.aside, Written: c.sources}
	if c.numbers == nil {
		c.compose()
		if err := c.finishTexts(&column); err != nil {
			return column, err
		}
	} else {
		column.Kind, column.Numbers, column.Levels = table.Number, slices.Clip(c.numbers), c.truths
		if len(c.rows) > 0 { // cells in an unusual notation
			a := c.uncommonAmounts()
			c.place(a)
			r := c.asNumbersIn(reading{use: slices.Repeat([]bool{true}, len(c.levels))}, c.unitOf(), c.parse)
			for i, row := range c.rows {
				v, used := r.values[c.codes[i]], r.use[c.codes[i]]
				if column.Numbers[row] = c.unlessMissing(v); math.IsNaN(v) && used {
					column.Faults = append(column.Faults, c.fault(row, c.levels[c.codes[i]]))
				}
			}
		}
		if c.typed && c.given != unknown {
			column.Kind = c.given
		}
	}
	if c.plan.Chunked {
		column.Unit = c.unitOf()
		return column, nil
	}
	amount := celltext.IsSign(column.Unit) // amounts of money and percentages are not ids
	if column.Kind == table.Number && (c.given == unknown || c.given == table.Boolean) && !c.time && !amount {
		c.finishNumbers(&column)
	}
	if c.given == table.Boolean && column.Kind != table.Boolean {
		return column, table.Finding{Code: texts.NotBoolean, Column: c.name}
	}
	c.notes(&column)
	return column, nil
}

// finishNumbers converts numbers to booleans or ids where the rules say so.
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
	if c.given != unknown || n == 0 {
		return
	}
	all := Values{Rows: len(column.Numbers), N: n, Distinct: n, Numbers: true, Whole: whole, Span: high - low}
	if Identify(c.name, all) != IsID || column.Profile(nil).Distinct < n {
		c.nearlySpecial(column.Numbers, whole && (identifies(c.name) || high-low < 1.05*float64(all.Rows)))
		return
	}
	cells := levelSet{codes: make([]int32, 0, n)}
	if c.numbers == nil {
		cells = c.levelSet // in the original notation
	} else {
		for _, v := range column.Numbers {
			cells.add(strconv.AppendFloat(nil, v, 'f', -1, 64))
		}
	}
	column.Kind, column.Numbers, column.Unit, column.Spelling = table.ID, nil, "", nil
	column.Codes, column.Levels = cells.sorted(slices.Repeat([]bool{true}, len(cells.levels)))
}

// nearlySpecial adds a note if a few cells prevent numbers from being a boolean or, if id is true, an id.
func (c *Column) nearlySpecial(numbers []float64, id bool) {
	n := len(numbers)
	if n < nearly {
		return
	}
	var others, missing, repeated examples
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
	switch text := func(row int) string { return strconv.FormatFloat(numbers[row], 'f', -1, 64) }; {
	case truths[0] > 0 && truths[1] > 0 && nearly*others.n <= n:
		others.text = text(others.row)
		c.note(texts.NearlyBoolean, others)
	case !id:
	case repeated.n > 0:
		repeated.text = text(repeated.row)
		c.note(texts.NearlyID, repeated)
	default:
		c.note(texts.NearlyIDMissing, missing)
	}
}

// notes adds notes about decisions that the user may want to override.
func (c *Column) notes(column *table.Column) {
	c.in.notes = append(c.in.notes, Faults(column)...)
	if column.Kind == table.Number { // in an unusual notation
		number := func(text string) string {
			v, _ := amount(celltext.Plain(text), celltext.Unit(celltext.Plain(text)), c.plan.Number)
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		c.note(texts.WrittenLikeCode, c.coded, number(c.coded.text))
		c.note(texts.UnitOfFew, c.signs, number(c.signs.text))
		if how := c.plan.o.Limits; how != "" && c.limits.n > 0 {
			f := c.about(texts.LimitsRead, c.limits)
			f.Option, f.Value = "Limits", how
			c.in.notes = append(c.in.notes, f)
		}
		c.note(texts.ReadAsNumber, c.signed, number(c.signed.text))
	}
	if dropped := Dropped(column, c.in.notes); c.given == unknown && dropped.Code != "" {
		c.in.notes = append(c.in.notes, dropped)
	}
}

// Faults returns findings about the faults of a column: about limits such as <0.5, and about other cells.
// Option is the option that a fit requires; if it is empty, Texts contains the cells to read as missing.
func Faults(c *table.Column) (found []table.Finding) {
	const most = 5 // different texts to suggest as missing values
	limits := table.Finding{Code: texts.Limits, Option: "Limits", Value: "half"}
	faults := table.Finding{Code: texts.Faults}
	for _, x := range c.Faults {
		f := &faults
		if c.Kind == table.Number && celltext.IsLimit(x.Text) {
			f = &limits
		}
		if f.N++; f.N == 1 {
			f.Column, f.Row, f.Line = c.Name, x.Row+1, x.Line
		}
		if new := !slices.Contains(f.Texts, x.Text); new && len(f.Texts) < most {
			f.Texts = append(f.Texts, x.Text)
		} else if new && f == &faults {
			f.Option, f.Value = "Kinds", c.Name+"="+table.Category.String()
		}
	}
	for _, f := range []table.Finding{limits, faults} {
		if f.N > 0 {
			found = append(found, f)
		}
	}
	return found
}

// Dropped returns a finding about a column whose kind excludes it from the features, or the zero Finding.
// There is none for a column of texts if one of the notes already explains why.
func Dropped(c *table.Column, notes []table.Finding) table.Finding {
	explains := func(n table.Finding) bool {
		return n.Column == c.Name && (n.Code == texts.SeveralUnits || n.Code == texts.UnclearNumbers)
	}
	f := table.Finding{Code: texts.FreeText, Columns: []string{c.Name}, Texts: []string{c.Name}}
	switch {
	case c.Kind == table.ID:
		kind := table.Number
		if slices.ContainsFunc(c.Levels, func(level string) bool { _, ok := Number(level); return !ok }) {
			kind = table.Category
		}
		f.Code, f.Texts[0] = texts.DroppedID, c.Name+"="+kind.String()
	case c.Kind != table.Text || slices.ContainsFunc(notes, explains):
		return table.Finding{}
	}
	return f
}

// levelSet stores the cells of a column as indices of its distinct texts.
type levelSet struct {
	codes  []int32 // of the cells, −1 for empty cells
	levels []string
	known  map[string]int32 // of the levels
	bytes  int64            // total length of the texts
}

func (t *levelSet) add(text []byte) {
	code := int32(-1)
	if len(text) > 0 {
		code = t.code(text)
	}
	t.codes = append(t.codes, code)
}

// code returns the index of a text among the levels, adding it if it is new.
func (t *levelSet) code(text []byte) int32 {
	if code, met := t.known[string(text)]; met {
		return code
	}
	if t.known == nil {
		t.known = map[string]int32{}
	}
	level, code := string(text), int32(len(t.levels))
	t.known[level], t.levels = code, append(t.levels, level)
	t.bytes += int64(len(level))
	return code
}

// full reports whether no more levels can be added.
func (t *levelSet) full() bool { return len(t.levels) >= math.MaxInt32/4 }

// counts returns the number of cells with each level.
func (t *levelSet) counts() []int {
	counts := make([]int, len(t.levels))
	for _, code := range t.codes {
		if code >= 0 {
			counts[code]++
		}
	}
	return counts
}

// sorted drops the levels that are not used, sorts the others by strings.Compare, and renumbers the cells.
func (t *levelSet) sorted(use []bool) (codes []int32, levels []string) {
	order := make([]int32, 0, len(t.levels))
	for i := range t.levels {
		if use[i] {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return strings.Compare(t.levels[a], t.levels[b]) })
	place := slices.Repeat([]int32{-1}, len(t.levels))
	levels = make([]string, len(order))
	for i, old := range order {
		place[old] = int32(i)
		levels[i] = t.levels[old]
	}
	for i, code := range t.codes {
		if code >= 0 {
			t.codes[i] = place[code]
		}
	}
	return t.codes, levels
}

// relabel replaces the texts by others, "" for no text, and returns the cells that changed.
func (t *levelSet) relabel(by func(level string) string) (changed examples) {
	if !slices.ContainsFunc(t.levels, func(level string) bool { return by(level) != level }) {
		return changed
	}
	n := levelSet{codes: t.codes, bytes: t.bytes}
	place := make([]int32, len(t.levels))
	odd := make([]bool, len(t.levels))
	for i, level := range t.levels {
		text := by(level)
		odd[i], place[i] = text != level, -1
		if text != "" {
			place[i] = n.code([]byte(text))
		}
	}
	for row, code := range t.codes {
		if code >= 0 {
			if odd[code] {
				changed.add(1, row, t.levels[code])
			}
			t.codes[row] = place[code]
		}
	}
	*t = n
	return changed
}
