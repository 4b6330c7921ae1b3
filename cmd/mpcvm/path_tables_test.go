package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// pathTable is a file for the test of the whole path.
type pathTable struct {
	name     string
	text     string
	ext      string // of the file; .csv if it is empty
	foreign  bool   // package csv may read it differently
	plain    string // the same with commas and decimal points, for programs; if it is empty, text
	target   string
	options  tables.Options
	fails    error // of fit
	free     bool  // fit may fail with any error of a known kind
	defaults bool  // compare with 5 folds and 3 repetitions instead of 2 folds
}

// made is a table under construction.
type made struct {
	*rand.Rand
	rows     int
	class    []int // of each row
	header   []string
	columns  [][]string
	points   map[int]bool // columns whose numbers have a decimal point
	labelled bool
}

// of makes a table with the given number of rows of each class.
func of(seed uint64, rows ...int) *made {
	m := &made{Rand: rand.New(rand.NewPCG(seed, 28)), points: map[int]bool{}}
	for c, n := range rows {
		for range n {
			m.class = append(m.class, c)
		}
	}
	m.rows = len(m.class)
	m.Shuffle(m.rows, func(i, j int) { m.class[i], m.class[j] = m.class[j], m.class[i] })
	return m
}

// equally makes a table with classes of about the same number of rows.
func equally(seed uint64, rows, classes int) *made {
	counts := make([]int, classes)
	for i := range rows {
		counts[i%classes]++
	}
	return of(seed, counts...)
}

// add adds a column.
func (m *made) add(name string, cell func(i int) string) *made {
	column := make([]string, m.rows)
	for i := range column {
		column[i] = cell(i)
	}
	m.header, m.columns = append(m.header, name), append(m.columns, column)
	return m
}

// point adds a column of numbers with a decimal point.
func (m *made) point(name string, cell func(i int) string) *made {
	m.points[len(m.columns)] = true
	return m.add(name, cell)
}

// number adds a column whose mean grows by shift from class to class.
func (m *made) number(name string, shift float64) *made {
	return m.point(name,
		func(i int) string { return strconv.FormatFloat(m.NormFloat64()+shift*float64(m.class[i]), 'f', 3, 64) })
}

// cross adds three columns. The classes form a cross in the plane of a and b, and the third column is noise,
// so search.Auto chooses a width for each feature.
func (m *made) cross() *made {
	sign := make([]float64, m.rows)
	for i := range sign {
		sign[i] = float64(1 - 2*m.IntN(2))
	}
	side := func(i int) float64 { return sign[i] * float64(1-2*(m.class[i]%2)) }
	cell := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	m.point("a", func(i int) string { return cell(sign[i] * math.Abs(m.NormFloat64())) })
	m.point("b", func(i int) string { return cell(side(i) * math.Abs(m.NormFloat64())) })
	return m.number("noise", 0)
}

// levels adds a category with levels l0 to l(n−1), of which the first are more frequent.
func (m *made) levels(name string, n int) *made {
	return m.add(name, func(int) string { return "l" + strconv.Itoa(min(m.IntN(n), m.IntN(n))) })
}

// counted adds a category with the given number of rows of each level; all other rows have the level "usual".
func (m *made) counted(name string, rows ...int) *made {
	order, level, left := m.Perm(m.rows), make([]string, m.rows), 0
	for i := range level {
		level[i] = "usual"
	}
	for l, n := range rows {
		for _, i := range order[left : left+n] {
			level[i] = "rare" + strconv.Itoa(l)
		}
		left += n
	}
	return m.add(name, func(i int) string { return level[i] })
}

// spoil replaces a share of the cells of the last column by a text.
func (m *made) spoil(share float64, text string) *made {
	last := m.columns[len(m.columns)-1]
	for i := range last {
		if m.Float64() < share {
			last[i] = text
		}
	}
	return m
}

// only keeps the cells of some rows of the last column and makes the others missing.
func (m *made) only(rows ...int) *made {
	last := m.columns[len(m.columns)-1]
	kept := make([]string, len(last))
	for _, i := range rows {
		kept[i] = last[i]
	}
	m.columns[len(m.columns)-1] = kept
	return m
}

// labels adds the class column. Classes without a name are named by format.
func (m *made) labels(name, format string, names ...string) *made {
	m.labelled = true
	return m.add(name, func(i int) string {
		if c := m.class[i]; c < len(names) {
			return names[c]
		}
		return fmt.Sprintf(format, m.class[i])
	})
}

// table returns the table, with the classes as the last column if it has none yet.
func (m *made) table(name string) pathTable {
	if !m.labelled {
		m.labels("class", "k%d")
	}
	return pathTable{name: name, text: m.csv(',', false)}
}

// csv returns the text of the table.
func (m *made) csv(separator rune, decimalComma bool) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = separator
	_ = w.Write(m.header)
	for i := range m.rows {
		var row []string
		for j, column := range m.columns {
			cell := column[i]
			if decimalComma && m.points[j] {
				cell = strings.Replace(cell, ".", ",", 1)
			}
			row = append(row, cell)
		}
		_ = w.Write(row)
	}
	w.Flush()
	return b.String()
}

// objects writes the table as JSON Lines. Empty cells are null or absent.
func (m *made) objects() string {
	var b strings.Builder
	for i := range m.rows {
		row := map[string]any{}
		for j, name := range m.header {
			switch cell := m.columns[j][i]; {
			case m.points[j]:
				row[name] = json.Number(cell)
			case cell != "":
				row[name] = cell
			case i%2 == 0:
				row[name] = nil
			}
		}
		_ = json.NewEncoder(&b).Encode(row) // to memory
	}
	return b.String()
}

// hostileTexts are names that could break quotes, separators, pages and programs.
var hostileTexts = []string{
	`say "no"`, "a, b", "🙂 👩‍🔬", strings.Repeat("long ",
		40), "it's", `\`, "</script>", "%s%d", "=1+1", "two\nlines", "Größe [µm²]", "__proto__", "class ",
}

// pathTables returns tables as they occur in practice.
func pathTables() []pathTable {
	day := time.Date(2019, 3, 1, 0, 0, 0, 0, time.UTC)
	var all []pathTable
	add := func(t pathTable, change ...func(*pathTable)) {
		for _, c := range change {
			c(&t)
		}
		all = append(all, t)
	}
	defaults := func(t *pathTable) { t.defaults = true }
	fails := func(err error) func(*pathTable) { return func(t *pathTable) { t.fails = err } }

	// Levels.
	add(equally(1, 80, 2).cross().counted("level", 5).table("a level with five rows"), defaults)
	one := equally(4, 72, 3).number("x", 0.5)
	add(one.add("level", func(i int) string {
		if one.class[i] == 2 && one.IntN(2) == 0 {
			return "only here"
		}
		return "l" + strconv.Itoa(one.IntN(3))
	}).table("a level in one class only"))
	add(equally(5, 64, 2).number("x", 0.5).levels("a", 4).spoil(0.2, "other").levels("b", 4).spoil(0.2,
		"missing").levels("b missing", 3).table("levels called other and missing"))
	adult := of(6, 75, 25).cross()
	for j, n := range []int{9, 16, 7, 15, 6, 5, 2, 41} {
		adult.levels("c"+strconv.Itoa(j), n).spoil([]float64{0.05, 0}[j%2], "?")
	}
	add(adult.number("gain", 0).spoil(0.9, "0").number("hours", 0.3).labels("income", "", "<=50K",
		">50K").table("like Adult"), func(t *pathTable) { t.target = "income" })

	// Constant columns, and columns that are constant in some folds.
	add(equally(10, 60, 2).number("x", 1).add("c", func(int) string { return "7" }).add("d",
		func(int) string { return "same" }).add("e", func(int) string { return "true" }).table("constant columns"))
	add(equally(11, 80, 2).cross().add("c", func(i int) string { return []string{"0", "3.5"}[max(0, i-78)] }).
		add("d", func(i int) string { return []string{"no", "yes"}[max(0, i-78)] }).table(
		"constant except for one row"))

	// Missing cells.
	add(equally(20, 80, 2).cross().number("y", 0).only(1).table("all missing but one cell"))
	add(equally(23, 90, 2).cross().spoil(0.4, "NA").number("y", 0.5).spoil(0.4, "?").levels("l", 3).spoil(0.4,
		"").
		add("b", func(int) string { return "yes" }).spoil(0.5, "no").spoil(0.3, "n/a").table("missing at random"))
	empty := equally(24, 60, 2).number("x", 1).only(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
		18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
	add(empty.number("y", 1).only(25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
		44).table("rows without a value"))
	add(equally(25, 60, 2).number("x", 1).spoil(0.2, "-999").levels("l", 3).spoil(0.2,
		"unknown").table("own words for missing"),
		func(t *pathTable) { t.options.Missing = []string{"-999", "unknown"} })
	add(equally(26, 60, 2).number("x", 1).labels("class", "k%d").spoil(0.3, "").table("labels missing"))
	hypothyroid := of(27, 110, 5, 4, 1)
	for j := range 29 {
		switch {
		case j < 6:
			hypothyroid.number("n"+strconv.Itoa(j), []float64{2, 0}[j%2]).spoil([]float64{0.15, 0.6}[j%2], "?")
		default:
			hypothyroid.add("b"+strconv.Itoa(j),
				func(int) string { return []string{"f", "t"}[hypothyroid.IntN(20)/19] })
		}
	}
	add(hypothyroid.table("like Hypothyroid"))

	// Classes.
	add(of(32, 300, 2).number("x", 2).table("300 and 2 rows"))
	nineteen := make([]int, 19)
	for c := range nineteen {
		nineteen[c] = 2 + c/4
	}
	add(of(33, nineteen...).number("x", 1).number("y", 0).table("nineteen classes"))
	add(equally(36, 60, 2).number("x", 9).number("y", 9).table("classes far apart"))

	// Kinds.
	add(equally(40, 60, 2).add("id", strconv.Itoa).number("x", 1).table("an id of numbers"))
	add(equally(41, 60, 2).add("code", func(i int) string { return fmt.Sprintf("P-%05d", 7919*i) }).number("x",
		1).table("an id of texts"), func(t *pathTable) { t.options.ID = []string{"code"} })
	dates := equally(42, 60, 2).number("x", 0.5)
	date := func(layout string) func(int) string {
		return func(i int) string { return day.AddDate(0, 0, dates.IntN(900)+300*dates.class[i]).Format(layout) }
	}
	add(dates.add("iso", date("2006-01-02")).spoil(0.1, "").add("german", date("02.01.2006")).add("clock",
		date("2006-01-02 15:04:05")).add("american", date("1/2/2006")).table("dates"))
	booleans := equally(43, 60, 2)
	for j, words := range [][]string{{"yes", "no"}, {"TRUE", "FALSE"}, {"t", "f"}, {"0", "1"}, {"Mann", "Frau"},
		{"Y", "N"}} {
		booleans.add("b"+strconv.Itoa(j),
			func(i int) string { return words[min(booleans.IntN(2)+booleans.IntN(2)*booleans.class[i], 1)] }).spoil(
			0.1*float64(j%2), "")
	}
	add(booleans.table("booleans"))
	add(equally(45, 60, 2).number("x", 1).add("note", func(i int) string {
		return fmt.Sprintf("the patient came %d times, then left; seen by Dr. %d", i*7919%61, i)
	}).table("free text"))
	add(equally(46, 60, 2).number("x", 1).add("zip",
		func(i int) string { return fmt.Sprintf("0%d", 1000+i%4) }).add("year",
		func(i int) string { return strconv.Itoa(2000 + i%3) }).
		add("grade", func(i int) string { return strconv.Itoa(1 + i%5) }).table("codes and small numbers"))
	add(equally(47, 60, 2).add("huge", func(i int) string {
		return strconv.FormatFloat(float64(i)*1e150, 'g', -1, 64)
	}).
		add("tiny", func(i int) string { return strconv.FormatFloat(float64(i)*1e-200, 'g', -1, 64) }).number("x",
		1).table("large and small numbers"))
	add(equally(47, 60, 2).number("x", 3).spoil(0.1, "1e308").number("y", 3).spoil(0.1, "-1e308").table(
		"the largest numbers"))
	add(equally(49, 60, 2).levels("1", 4).levels("2", 3).spoil(0.3, "1").spoil(0.3, "1.0").spoil(0.1,
		"01").table("levels that are numbers"))

	// Shapes.
	wide := equally(50, 60, 2)
	for j := range 300 {
		wide.number("x"+strconv.Itoa(j), []float64{1, 0}[min(j, 1)])
	}
	add(wide.table("300 columns"))
	mixed := equally(51, 60, 3)
	for j := range 26 {
		mixed.number("n"+strconv.Itoa(j), 0.2).levels("l"+strconv.Itoa(j), 5).counted("r"+strconv.Itoa(j), 1, 3, 5)
	}
	add(mixed.table("more columns than rows"))
	twins := equally(52, 80, 2)
	add(twins.add("x", func(i int) string { return strconv.Itoa(i%5 + 3*twins.class[i]) }).add("l",
		func(i int) string { return "l" + strconv.Itoa(i%2) }).table("duplicate rows"))
	add(equally(57, 60, 2).add("x", func(i int) string { return strconv.Itoa(i % 3) }).spoil(0.3,
		"").table("one column, a third missing"))
	copies := equally(58, 60, 2).number("x", 1)
	add(copies.add("again", func(i int) string { return copies.columns[0][i] }).add("minus",
		func(i int) string { return "-" + copies.columns[0][i] }).spoil(1, "1").table("a column twice"))

	// Labels.
	for i, names := range [][]string{
		{"1", "2"}, {"1.0", "2.0"}, {"1000000", "2000000"}, {"1000000.0", "2000000.0", "3000000.0"}, {"0",
			"1"}, {"-1", "1"}, {"0.5", "1.5", "10"}, {"01", "02"},
		{"true", "false"}, {"yes", "no"}, {"1e3", "2e3"}, {"1", "1.0", "2"}, {"$1", "$2"}, {"<=50K", ">50K."}, {"a",
			"A"}, {"other", "majority"},
	} {
		m := equally(60+uint64(i), 60, len(names)).number("x", 1).labels("class", "", names...)
		if i%4 == 3 {
			m.spoil(0.1, "")
		}
		add(m.table("labels " + strings.Join(names, " ")))
	}
	add(equally(80, 90, len(hostileTexts)).number("x", 1).labels("class", "", hostileTexts...).table(
		"hostile classes"))
	levels := equally(81, 90, 2).number("x", 1)
	add(levels.add("l", func(int) string { return hostileTexts[levels.IntN(len(hostileTexts))] }).table(
		"hostile levels"))
	names := equally(82, 60, 2)
	for j, name := range hostileTexts {
		if names.number(name, 1); j%3 == 0 {
			names.levels(name+"=", 3).spoil(0.1, "")
		}
	}
	add(names.labels("class, or \"kind\"", "k%d").table("hostile names"),
		func(t *pathTable) { t.target = `class, or "kind"` })
	add(equally(83, 60, 2).number("p(k0)", 1).number("problem", 1).levels("reason", 3).levels("x=l0",
		3).levels("x", 3).table("names of the output"))
	pandas := equally(84, 60, 2).add("", strconv.Itoa).number("x", 1)
	pandas.point("smoker",
		func(i int) string { return []string{"0.0", "1.0"}[max(i%2, pandas.class[i])] }).spoil(0.2, "")
	add(pandas.table("as pandas writes it"))
	add(pandas.table("as pandas writes it for Excel in German"), func(t *pathTable) {
		t.plain, t.text = t.text, pandas.csv(';', true)
	})

	lines := equally(85, 60, 2).number("x", 1).levels("a, b", 3).spoil(0.1, "")
	add(lines.table("JSON Lines"), func(t *pathTable) {
		t.plain, t.text, t.ext = t.text, lines.objects(), ".jsonl"
	})

	// Tables without a model.
	add(of(90, 60).number("x", 1).table("one class"), fails(recipe.ErrOneClass))
	add(equally(91, 60, 60).number("x", 1).table("a class for each row"), fails(recipe.ErrNotLabels))
	add(equally(92, 60, 2).number("x", 1).labels("class", "").spoil(1, "").table("no labels"),
		fails(recipe.ErrOneClass))
	add(equally(93, 60, 2).add("id", func(i int) string { return fmt.Sprintf("P-%05d", 7919*i) }).add("same",
		func(int) string { return "x" }).table("no features"), fails(recipe.ErrNoFeatures))
	dated := equally(94, 60, 2).number("x", 1)
	dated.labelled = true
	add(dated.add("class", func(i int) string { return day.AddDate(0, 0, i%9).Format("2006-01-02") }).table(
		"dates as classes"), fails(recipe.ErrNotLabels))
	add(equally(95, 60, 2).number("x", 1).table("a number that is none"), func(t *pathTable) {
		t.text = strings.Replace(t.text, "\n", "\nn/k,k1\n", 1)
		t.options.Kinds = map[string]table.Kind{"x": table.Number}
		t.fails = recipe.ErrNotKind
	})
	return all
}

// randomTable draws a table and the options for reading it.
func randomTable(r *rapid.T) pathTable {
	draw := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(r, name) }
	counts := make([]int, draw("classes", 1, 6))
	for c := range counts {
		counts[c] = []int{1, 2, 3, 5, 9, 20, 40}[draw("rows", 0, 6)]
	}
	m := of(uint64(draw("seed", 0, 1<<20)), counts...)
	if rapid.Bool().Draw(r, "cross") {
		m.cross()
	}
	for j := range draw("columns", 1, 7) {
		name := "c" + strconv.Itoa(j)
		switch draw("names", 0, 9) {
		case 0, 1, 2:
			name = hostileTexts[draw("name", 0, len(hostileTexts)-1)] + strconv.Itoa(j)
		case 3:
			name = "c0"
		case 4:
			if len(m.header) > 0 { // not for row names
				name = ""
			}
		}
		shift := []float64{0, 0.5, 3}[draw("shift", 0, 2)]
		power := math.Pow(10, float64([]int{0, 0, 0, -3, 6, 200, -200}[draw("power of ten", 0, 6)]))
		n := draw("levels", 1, 12)
		some := func(i int) int { return (m.IntN(n) + m.IntN(2)*int(shift)*m.class[i]) % n }
		day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		layout := []string{"2006-01-02", "02.01.2006", "1/2/2006", "2006-01-02T15:04:05Z07:00",
			"Jan 2, 2006"}[draw("layout", 0, 4)]
		words := [][]string{{"yes", "no"}, {"TRUE", "FALSE"}, {"f", "t"}, {"ja", "nein"}, {"0", "1"},
			{"Mann", "Frau"}}[draw("words", 0, 5)]
		hostile := []string{"0", "1", "1.0", "01", "-1e5", "inf", "-", "none", "other", "a", "$3", "5 %", "x\ny",
			"true", "2001-02-03", " ", "é", "NULL", ".", "1e400"}
		kinds := []func(i int) string{
			func(i int) string {
				return strconv.FormatFloat(power*(m.NormFloat64()+shift*float64(m.class[i])), 'g', -1, 64)
			},
			func(i int) string { return strconv.Itoa(some(i)) },
			func(i int) string { return "l" + strconv.Itoa(some(i)) },
			func(i int) string { return hostileTexts[some(i)%len(hostileTexts)] },
			func(i int) string { return day.Add(time.Duration(1000*some(i)+m.IntN(100)) * time.Hour).Format(layout) },
			func(i int) string { return words[some(i)%2] },
			strconv.Itoa,
			func(i int) string { return fmt.Sprintf("P-%05d", 7919*i) },
			func(int) string { return "same" },
			func(i int) string { return hostile[some(i)] },
			func(int) string { return hostile[m.IntN(len(hostile))] },
			func(i int) string {
				return "the cell has a text of some length, in which " + strconv.Itoa(m.IntN(1000)) + " stands"
			},
			func(i int) string { return []string{"$", "€", "£"}[n%3] + strconv.Itoa(m.IntN(90)) },
			func(i int) string { return strconv.Itoa(m.IntN(100)) + []string{" %", "%", " kg"}[n%3] },
		}
		kind := draw("kind", 0, len(kinds)-1)
		m.points[len(m.columns)] = kind == 0
		m.add(name, kinds[kind])
		m.spoil([]float64{0, 0, 0, 0.02, 0.3, 0.97, 1}[draw("share", 0, 6)], []string{"", "NA", "?", "-", "-999",
			"0"}[draw("spoilt", 0, 5)])
	}
	names := [][]string{nil, {"0", "1"}, {"1.0", "2.0", "3.0"}, {"1000000", "2000000"}, {"yes", "no"},
		{"-1", "1"}, hostileTexts}[draw("labels", 0, 6)]
	m.labels("class", "k%d", names...)
	m.spoil([]float64{0, 0, 0, 0.1}[draw("unlabelled", 0, 3)], "")
	t := m.table("random")
	t.free, t.plain = true, t.text
	switch draw("dialect", 0, 5) {
	case 0:
		t.text = m.csv(';', true)
	case 1:
		t.text = m.csv('\t', rapid.Bool().Draw(r, "decimal comma"))
	case 2:
		t.text = m.csv('|', false)
	}
	if rapid.Bool().Draw(r, "na") {
		t.options.Missing = []string{"-999"}
	}
	return t
}
