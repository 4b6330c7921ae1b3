package dialect

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	words "github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// maxTyped is the approximate number of cells used to score a candidate.
const maxTyped = 5000

// grid is a sample as split by a candidate. Its records are those with cells.
type grid struct {
	text     []byte
	cells    []cell
	first    []int // index in cells of the first cell of each record, and len(cells)
	at       []int // index in text of each record
	width    int   // the most frequent number of cells per record; the first one in case of a tie
	agreeing int   // number of records of that width
	cut      int   // bytes at the end of the sample that belong to an incomplete record
	long     bool  // they end within a quoted cell that has no other quotes
}

// parse splits a sample, reusing the memory of the last one.
func (t *grid) parse(text []byte, whole bool, d Dialect) {
	t.text, t.cells, t.first, t.at, t.cut = text, t.cells[:0], t.first[:0], t.at[:0], 0
	t.long = false
	s := newSplitter(d)
	var cells []cell
	for i := 0; i < len(text); {
		n := 0
		if n, cells = s.record(text[i:], whole, cells); n == 0 {
			if len(t.at) > 0 {
				t.cut = len(text) - i
				if _, cells = s.record(text[i:], true, cells); len(cells) > 0 {
					last := cells[len(cells)-1]
					t.long = last.open && !last.odd
				}
				break
			}
			n, cells = s.record(text[i:], true, cells) // use an incomplete record if it is the only one
		}
		if len(cells) > 0 {
			t.at = append(t.at, i)
			t.first = append(t.first, len(t.cells))
			for _, c := range cells {
				c.start, c.end = c.start+i, c.end+i
				t.cells = append(t.cells, c)
			}
		}
		i += n
	}
	t.first = append(t.first, len(t.cells))
	t.measure()
}

func (t *grid) measure() {
	count := map[int]int{}
	for r := range t.len() {
		count[len(t.record(r))]++
	}
	t.width, t.agreeing = 0, 0
	for r := range t.len() {
		if w := len(t.record(r)); count[w] > t.agreeing {
			t.width, t.agreeing = w, count[w]
		}
	}
}

func (t *grid) len() int { return len(t.at) }

func (t *grid) record(r int) []cell { return t.cells[t.first[r]:t.first[r+1]] }

func (t *grid) bytes(c cell) []byte { return t.text[c.start:c.end] }

func (t *grid) hasQuotes(r int) bool {
	end := len(t.text)
	if r+1 < t.len() {
		end = t.at[r+1]
	}
	record := t.text[t.at[r]:end]
	return bytes.IndexByte(record, '"') >= 0 || bytes.IndexByte(record, '\'') >= 0
}

// kind returns the kind of a cell. A quote followed by another separator means that it is several cells.
func (t *grid) kind(c cell) kind {
	if c.odd {
		for _, mark := range [...]string{"\",", "\";", "\"\t", "\"|", "',", "';", "'\t", "'|"} {
			if bytes.Contains(t.bytes(c), []byte(mark)) {
				return broken
			}
		}
	}
	return kindOf(t.bytes(c), c.quoted)
}

func (t *grid) isEmpty(c cell) bool { return len(bytes.TrimSpace(t.bytes(c))) == 0 }

// score returns the score of a candidate, from 0 to 1.
func (t *grid) score() float64 {
	n := t.len()
	if n == 0 {
		return 0
	}
	// The share of recognized cells among those that are not empty.
	recognized, counted := 0.0, 0
	quoted, odd, open := 0, 0, 0
	step, extra := 1+len(t.cells)/maxTyped, 0
	for r := range n {
		count := r%step == 0
		if !count && extra < maxTyped && t.hasQuotes(r) {
			// The only records with quotes may be few.
			count = true
			extra += len(t.record(r))
		}
		for _, c := range t.record(r) {
			if c.quoted {
				quoted++
			}
			if c.odd {
				odd++
			}
			if c.open {
				open++
			}
			if count {
				if k := t.kind(c); k != empty {
					recognized += credit[k]
					counted++
				}
			}
		}
	}
	score := 0.1 // for empty cells only
	if counted > 0 {
		score = recognized / float64(counted)
	}
	// Penalize quotes that open or close within cells.
	if quoted > 0 {
		score *= 1 - 0.3*float64(odd)/float64(quoted)
		if open > 0 {
			score *= 0.3
		}
	}
	seen := 1 - float64(t.cut)/float64(len(t.text))
	if t.long { // a quote that is text, or a cell with many lines
		seen = max(seen, 0.5)
	}
	score *= seen
	if t.width == 1 {
		return single * score
	}
	// Consistency of the number of cells, overall and between neighbours. A given difference counts less
	// among many cells than among few.
	near := 0.0
	for r := range n - 1 {
		a, b := len(t.record(r)), len(t.record(r+1))
		switch {
		case a == b && a > 1:
			near++
		case a > 1 && b > 1:
			near += 0.4 * float64(min(a, b)) / float64(max(a, b))
		}
	}
	agreement := float64(t.agreeing) / float64(n)
	if n > 1 {
		agreement = (agreement + near/float64(n-1)) / 2
	}
	// Few cells agree by chance more often than many.
	return score * agreement * agreement * (1 - 1/float64(2*t.width-1))
}

// dates reports whether the lines below the first are dates, when split with noSeparator.
func (t *grid) dates() bool {
	n := min(t.len(), maxJudged)
	for r := 1; r < n; r++ {
		if b := bytes.TrimSpace(t.bytes(t.record(r)[0])); len(b) > 40 || !isDate(b) {
			return false
		}
	}
	return n > 1
}

// hasComments reports whether the lines with the prefix of c are comments rather than records, which is the
// case if most of them have a different width. If the last such line above the table has the width of a
// table without another header, it is the header, and the lines above it are titles.
func (t *grid) hasComments(text []byte, whole bool, c Dialect) bool {
	t.parse(text, whole, c)
	width, top := t.width, 0
	var numbers [2]bool // in the first two records
	for r := range min(2, t.len()) {
		top = t.at[0]
		numbers[r] = slices.ContainsFunc(t.record(r), func(c cell) bool { return t.kind(c) == numeric })
	}
	prefix := []byte(c.Comment)
	c.Comment = ""
	t.parse(text, whole, c)
	same, other, last, above, below := 0, 0, 0, 0, 0
	for r := range t.len() {
		if !bytes.HasPrefix(bytes.TrimLeft(text[t.at[r]:], " \t"), prefix) {
			continue
		}
		w := len(t.record(r))
		if w == width {
			same++
		} else {
			other++
		}
		if t.at[r] < top {
			last = w
			above++
		} else {
			below++
		}
	}
	if above > 0 && numbers[1] && !numbers[0] {
		return true // the first record below the comments is the header
	}
	return other >= same && other > 0 && !(last == width && below == 0 && numbers[0] && width > 1)
}

// dropTitles drops the records above the table and returns their number of lines: records narrower than the
// table, and records of its width with a single non-empty cell.
func (t *grid) dropTitles() (lines int) {
	if 2*t.agreeing < t.len() || t.width < 2 {
		return 0
	}
	r, full := 0, 0 // full counts the dropped records that could belong to another table
	for ; r+1 < t.len(); r++ {
		w, filled := len(t.record(r)), t.filled(r)
		if w == t.width && (filled > 1 || filled == 1 && (t.width == 2 && t.filled(r+1) > 0)) {
			break
		}
		if w > t.width || w == t.width-1 && w > 1 && filled == w && len(t.record(r+1)) == t.width &&
			t.filled(r+1) > 1 {
			break // a header without a name for the column of row names
		}
		if filled > 1 {
			full++
		}
	}
	if r == 0 || 2*full > t.agreeing {
		return 0
	}
	lines = bytes.Count(t.text[:t.at[r]], []byte{'\n'})
	t.first, t.at = t.first[r:], t.at[r:]
	t.measure()
	return lines
}

func (t *grid) filled(r int) (n int) {
	for _, c := range t.record(r) {
		if !t.isEmpty(c) {
			n++
		}
	}
	return n
}

// trailing reports whether all records of the usual width end with a separator, and most have that width.
func (t *grid) trailing() bool {
	for r := range t.len() {
		if cells := t.record(r); len(cells) == t.width && !t.isEmpty(cells[t.width-1]) {
			return false
		}
	}
	return t.width > 1 && 2*t.agreeing >= t.len()
}

func (t *grid) sameRecord(a, b int) bool {
	same := func(a, b cell) bool { return bytes.Equal(t.bytes(a), t.bytes(b)) }
	return slices.EqualFunc(t.record(a), t.record(b), same)
}

// cell returns a cell of a record, and false if the record is too short.
func (t *grid) cell(r, column int) (cell, bool) {
	if cells := t.record(r); column >= 0 && column < len(cells) {
		return cells[column], true
	}
	return cell{}, false
}

// maxJudged is the maximum number of records used to detect the header and the decimal mark.
const maxJudged = 5000

// header determines Header and RowNames. Equally plausible readings of the first record are an error.
func (d *Dialect) header(t *grid, o table.Options) *Ambiguous {
	n := min(t.len(), maxJudged)
	if n == 0 {
		d.Header = o.Header != "none"
		return nil
	}
	j := headJudge{grid: t, repeats: make([]bool, n)}
	width, first := t.width, t.record(0)
	if d.Trailing {
		width--
	}
	if w := len(first); n > 1 && t.width > 1 && w == width-1 && len(t.record(1)) == t.width &&
		!(d.Trailing && t.isEmpty(first[w-1])) {
		j.shift = 1
	}
	for r := 1; r < n; r++ {
		j.repeats[r] = t.sameRecord(0, r)
	}
	for column := range width {
		j.judge(column)
	}
	var a *Ambiguous
	names, data := j.balance()
	d.Header = names >= data
	if o.Header != "" {
		d.Header = o.Header == "yes"
	} else if names == data && names > 0 {
		a = ambiguous(texts.AmbiguousHeader, "Header", "yes", "none")
	}
	corner, _ := t.cell(0, 0)
	d.RowNames = d.Header && (j.shift == 1 || n > 1 && t.width > 1 && t.isEmpty(corner) && j.distinct)
	return a
}

// headJudge collects what the columns say about the first record.
type headJudge struct {
	*grid
	shift   int    // 1 if the first record lacks a name for the row names
	repeats []bool // records that repeat the first one, the header of an appended table

	names, data         int   // columns of numbers below a name, and below a number
	textNames, textData int   // columns of repeated texts below another text, and below one of them
	overNumbers         []int // the cells of the first record that are numbers above numbers
	target              bool  // whether a class column has a typical name
	distinct            bool  // whether the cells of the first column are all different
}

// judge compares the first cell of a column with the others.
func (j *headJudge) judge(column int) {
	n := len(j.repeats)
	seen := map[string]int{}
	numbers, others := 0, 0
	for r := 1; r < n; r++ {
		c, ok := j.cell(r, column)
		if !ok || j.repeats[r] || isMissing(bytes.TrimSpace(j.bytes(c))) {
			continue
		}
		switch j.kind(c) {
		case empty:
			continue
		case numeric:
			numbers++
		default:
			others++
		}
		if len(seen) < 1000 || column == 0 {
			seen[string(bytes.TrimSpace(j.bytes(c)))]++
		}
	}
	if column == 0 {
		j.distinct = n > 1 && len(seen) == n-1
	}
	head, ok := j.cell(0, column-j.shift)
	name := bytes.TrimSpace(j.bytes(head))
	if !ok || len(name) == 0 || isMissing(name) {
		return
	}
	number := j.kind(head) == numeric
	switch {
	case n == 1 && number:
		j.data++
	case numbers+others == 0:
	case numbers >= 4*others && number:
		j.data++
		j.overNumbers = append(j.overNumbers, column-j.shift)
	case numbers >= 4*others:
		j.names++
	case number && others > 4*numbers:
	case seen[string(name)] > 0:
		j.textData++
	case 2*len(seen) <= numbers+others:
		j.textNames++
		j.target = j.target || slices.Contains(targets, string(bytes.ToLower(name)))
	}
}

// balance returns the numbers of columns for which the first record has names and for which it has data.
// Numbers in it may be names too, such as years.
func (j *headJudge) balance() (names, data int) {
	names, data = j.names, j.data
	named := names > 0 || j.textNames > 0 && j.textData == 0 // whether other cells of the record are names
	isName := (j.target || j.numbersColumns(j.overNumbers, named)) && j.textData == 0
	if isYear, numbered := j.counts(0, j.overNumbers); len(j.repeats) > 1 && (isYear || numbered) {
		nextYear, next := j.counts(1, j.overNumbers)
		isName = isName || !(nextYear || numbered && next)
	}
	if isName {
		names, data = names+data, 0
	}
	if names == data {
		names, data = names+j.textNames, data+j.textData
	}
	return names, data
}

// numbersColumns reports whether numbers in the first record are column names, such as 0, 1 or wavelengths.
// They must be ascending, unlike in any other record, and either be whole numbers next to other names, or
// be at least four with equal steps, or at least eight.
func (t *grid) numbersColumns(columns []int, named bool) bool {
	values := func(r int) (v []float64, whole bool) {
		whole = true
		for _, column := range columns {
			c, _ := t.cell(r, column)
			x, err := strconv.ParseFloat(string(bytes.TrimSpace(t.bytes(c))), 64)
			if err != nil {
				return nil, false
			}
			v, whole = append(v, x), whole && x >= 0 && x == float64(int64(x))
		}
		return v, whole
	}
	ascends := func(v []float64) bool {
		for i := range len(v) - 1 {
			if v[i] >= v[i+1] {
				return false
			}
		}
		return len(v) > 1
	}
	first, whole := values(0)
	if len(first) == 1 {
		return named && whole && first[0] == 0
	}
	if !ascends(first) {
		return false
	}
	for r := 1; r < min(t.len(), 20); r++ {
		if v, too := values(r); ascends(v) && (too || !whole) && (len(v) > 3 || r == 1) {
			return false
		}
	}
	equal := true
	for i := range len(first) - 1 {
		step := (first[len(first)-1] - first[0]) / float64(len(first)-1)
		equal = equal && math.Abs(first[i+1]-first[i]-step) < 0.02*step
	}
	return named && whole || len(first) > 3 && equal || len(first) > 7
}

// headings finds further header lines, which have no number in the numeric columns: a line above the names
// with blank or repeated cells, and lines below them with units or types. Only the names and the rows
// remain in the table.
func (d *Dialect) headings(t *grid, o table.Options) {
	if o.Header == "none" || !t.isHeading(1) || !t.isHeading(0) {
		return
	}
	if t.names(1) > t.names(0) {
		if o.Skip == 0 {
			d.Skip += bytes.Count(t.text[:t.at[1]], []byte{'\n'}) - bytes.Count(t.text[:t.at[0]], []byte{'\n'})
			t.first, t.at = t.first[1:], t.at[1:]
		}
		if !t.isHeading(1) {
			t.measure()
			return
		}
	}
	for d.Below < 2 && (t.isHeading(1) || d.Below > 0 && t.names(1) == 1 && t.typed(1)) {
		head := t.record(0)
		to := t.first[2] - len(head)
		copy(t.cells[to:], head)
		t.first, t.at = t.first[1:], t.at[1:]
		t.first[0] = to
		d.Below++
	}
	t.measure()
}

// names returns the number of different non-blank cells of a record.
func (t *grid) names(r int) int {
	names := map[string]bool{}
	for _, c := range t.record(r) {
		if !t.isEmpty(c) {
			names[string(bytes.TrimSpace(t.bytes(c)))] = true
		}
	}
	return len(names)
}

func (t *grid) typed(r int) bool {
	return !slices.ContainsFunc(t.record(r), func(c cell) bool {
		return !t.isEmpty(c) && !slices.Contains(types, string(bytes.ToLower(bytes.TrimSpace(t.bytes(c)))))
	})
}

// types are words for the type of a column.
var types = strings.Fields("float float32 float64 double int int32 int64 integer number numeric real " +
	"decimal string str text char varchar factor category categorical nominal ordinal continuous discrete " +
	"class label bool boolean date datetime time object c d s m meta")

// isHeading reports whether a record has words in at least half of the columns that are numeric after the
// second record, no number in the others, and no cell that recurs in its column. A single word among
// numbers is only a heading if it is a type or in brackets, or if the other cells are blank.
func (t *grid) isHeading(r int) bool {
	n := min(t.len(), 200)
	if n < 3 || r >= n || len(t.record(r)) != t.width {
		return false
	}
	numbers, words, others, typed := 0, 0, 0, 0
	for column, c := range t.record(r) {
		text := bytes.TrimSpace(t.bytes(c))
		numeral, other, again := 0, 0, false
		for below := max(2, r+1); below < n; below++ {
			cell, ok := t.cell(below, column)
			value := bytes.TrimSpace(t.bytes(cell))
			if !ok || len(value) == 0 || isMissing(value) {
				continue
			}
			again = again || bytes.Equal(value, text)
			if t.kind(cell) == numeric {
				numeral++
			} else if !t.sameRecord(below, r) && !t.sameRecord(below, 0) {
				other++
			}
		}
		bracket := len(text) > 2 && (text[0] == '[' || text[0] == '(')
		switch {
		case numeral > 0 && numeral >= 4*other:
			numbers++
			switch {
			case len(text) == 0:
			case isMissing(text), len(text) > 1 && isKnown(text), t.kind(c) == numeric, again:
				return false
			default:
				words++
				if bracket || slices.Contains(types, string(bytes.ToLower(text))) {
					typed++
				}
			}
		case len(text) == 0:
		case again && r > 0:
			return false
		default:
			others++
			if bracket || slices.Contains(types, string(bytes.ToLower(text))) {
				typed++
			}
		}
	}
	return words > 0 && 2*words >= numbers && (r == 0 || words > 1 || others == 0 || typed == words+others)
}

// targets are typical names of class columns.
var targets = strings.Fields("class classes target label labels species outcome diagnosis " +
	"klasse classe clase")

// counts reports whether the cells of a record count up or down, like years such as 2019, 2020, or, if
// there are at least three, like column numbers. In the first record, these start with 0 or 1.
func (t *grid) counts(r int, columns []int) (years, numbers bool) {
	first, last := 0, 0
	for i, column := range columns {
		c, _ := t.cell(r, column)
		v, err := strconv.Atoi(string(bytes.TrimSpace(t.bytes(c))))
		if err != nil || i > 0 && v != last+1 && v != last-1 {
			return false, false
		}
		if i == 0 {
			first = v
		}
		last = v
	}
	return len(columns) > 1 && 1800 <= first && first <= 2100, len(columns) > 2 &&
		(r > 0 || first == 0 || first == 1)
}

// marks detects the decimal and the thousands mark. It returns an error if commas in numbers can be either.
func (d *Dialect) marks(t *grid, o table.Options) *Ambiguous {
	var forms [formGroups + 1]int
	var thousandsMarks [128]int
	mixed := false // whether a column has numbers such as 1,234 as well as numbers without a separator
	sample := ""
	n := min(t.len(), maxJudged)
	for column := range t.width {
		var own [formGroups + 1]int
		var ownMarks [128]int
		filled := 0
		for r := min(1, n-1); r < n; r++ {
			c, ok := t.cell(r, column)
			if !ok || c.end-c.start > 40 {
				continue
			}
			if t.isEmpty(c) || isMissing(bytes.TrimSpace(t.bytes(c))) {
				continue
			}
			f, mark, digits := numberForm(t.bytes(c))
			if f == formNone { // 12,30 EUR
				text := string(bytes.TrimSpace(t.bytes(c)))
				f, mark, digits = numberForm([]byte(words.Amount(text, words.Unit(text))))
			}
			own[f]++
			filled++
			ownMarks[mark]++
			if f == formEither && sample == "" {
				sample = string(digits)
			}
		}
		if 2*own[formNone] > filled {
			continue // text with some cells that look like numbers
		}
		mixed = mixed || own[formEither] > 0 && own[formPlain] > 0 && own[formComma] == 0
		for f, count := range own {
			forms[f] += count
		}
		for _, mark := range []byte(",. '") {
			thousandsMarks[mark] += ownMarks[mark]
		}
	}
	var a *Ambiguous
	comma := forms[formComma] + thousandsMarks['.']
	point := forms[formPoint] + thousandsMarks[',']
	switch {
	case o.Decimal != "":
		d.Decimal = decimals.value(o.Decimal)
	case comma > point:
		d.Decimal = ','
	case comma == point && forms[formEither] > 0 && !mixed && o.Thousands != ",":
		a = ambiguous(texts.AmbiguousDecimal, "Decimal", ".", ",", sample, strings.Replace(sample, ",", "", 1),
			strings.Replace(sample, ",", ".", 1))
	}
	switch {
	case o.Thousands != "":
		d.Thousands = thousands.value(o.Thousands)
	case d.Decimal == '.' && (forms[formEither] > 0 || thousandsMarks[','] > 0):
		d.Thousands = ','
	case d.Decimal == ',' && (forms[formEitherPoint] > 0 || thousandsMarks['.'] > 0):
		d.Thousands = '.'
	case thousandsMarks[' '] > 0:
		d.Thousands = ' '
	case thousandsMarks['\''] > 0:
		d.Thousands = '\''
	}
	if d.Thousands == d.Decimal {
		d.Thousands = 0
	}
	return a
}
