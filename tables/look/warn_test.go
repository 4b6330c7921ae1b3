package look

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/tables/table"
)

// The tables of TestWarnings have 200 rows: base has no warnings, and its columns xaa and xba are noise.
func base() *table.Table { return noise(200, 2) }

// with returns base with other columns before the classes.
func with(columns ...table.Column) *table.Table { return add(base(), columns...) }

func add(t *table.Table, columns ...table.Column) *table.Table {
	last := len(t.Columns) - 1
	t.Columns = slices.Concat(t.Columns[:last], columns, t.Columns[last:])
	return t
}

// labelled returns base with other classes, and with other columns before them.
func labelled(text func(i int) string, columns ...table.Column) *table.Table {
	t := base()
	t.Columns[2] = written("class", table.Category, text)
	return add(t, columns...)
}

// made returns a column of numbers named x.
func made(value func(i int) float64) table.Column {
	values := make([]float64, 200)
	for i := range values {
		values[i] = value(i)
	}
	return num("x", values...)
}

func named(name string, c table.Column) table.Column {
	c.Name = name
	return c
}

// written returns a column of texts.
func written(name string, kind table.Kind, text func(i int) string) table.Column {
	all := make([]string, 200)
	for i := range all {
		all[i] = text(i)
	}
	return cat(name, kind, all...)
}

func levels(text func(i int) string) table.Column { return written("x", table.Category, text) }

func date(c table.Column) table.Column {
	c.Kind = table.Date
	return c
}

// ab returns the class a or b of a row, and one returns a text for the rows for which is is true.
func ab(i int) string { return []string{"a", "b"}[i*i%7%2] }

func of(names ...string) func(i int) string { return func(i int) string { return names[i*i%7%3] } }

func numbered(prefix string, number func(i int) int) func(i int) string {
	return func(i int) string { return fmt.Sprint(prefix, number(i)) }
}

func one(text string, is func(i int) bool, others func(i int) string) func(i int) string {
	return func(i int) string {
		if is(i) {
			return text
		}
		return others(i)
	}
}

func below(n int) func(i int) bool { return func(i int) bool { return i < n } }

func itself(i int) int { return i }

func person(i int) float64 { return float64(101 + i%40) }

func bmi(i int) float64 { return wobble(i % 40) }

func truth(name string, is func(i int) bool) table.Column {
	c := named(name, made(func(i int) float64 { return map[bool]float64{true: 1}[is(i)] }))
	c.Kind, c.Levels = table.Boolean, []string{"0", "1"}
	return c
}

// oneHot returns a table with a column for each of three classes, except for the first rows.
func oneHot(except int) *table.Table {
	t := base()
	of := func(k int) func(i int) bool { return func(i int) bool { return i*i%7%3 == k || i < except } }
	t.Columns = append(t.Columns[:2], truth("dog", of(1)), truth("owl", of(2)), truth("class", of(0)))
	return t
}

// counter numbers the rows of the classes of ab, with a gap after the first rows.
func counter(gap int) table.Column {
	n := map[string]int{}
	return made(func(i int) float64 {
		n[ab(i)]++
		if n[ab(i)] > 5 {
			return float64(n[ab(i)] + 5*gap)
		}
		return float64(n[ab(i)])
	})
}

// numbers returns base with numbers as classes.
func numbers(value func(i int) float64) *table.Table {
	t := base()
	t.Columns[2] = named("class", made(value))
	return t
}

func square(i int) float64 { return float64(i * i) }

func wobble(i int) float64 { return float64(i*37%101) / 4 }

// sentinelled returns a table with a number in the first rows.
func sentinelled(v float64, rows int, rest func(i int) float64) *table.Table {
	return with(made(func(i int) float64 {
		if i < rows {
			return v
		}
		return rest(i)
	}))
}

// leaking returns a table with a number that is larger by distance in the rows of class b, except for the
// rows wrong, where it is the other way round, and the rows missing.
func leaking(distance float64, wrong, missing func(i int) bool) *table.Table {
	return labelled(ab, made(func(i int) float64 {
		switch {
		case missing(i):
			return math.NaN()
		case (ab(i) == "b") != wrong(i):
			return wobble(i) + distance
		}
		return wobble(i)
	}))
}

func faulty(cells ...string) *table.Table {
	c := made(func(i int) float64 { return math.Sqrt(float64(i)) })
	for k, text := range cells {
		c.Numbers[7+k] = math.NaN()
		c.Faults = append(c.Faults, table.Fault{Row: 7 + k, Line: 9 + k, Text: text})
	}
	return with(c)
}

func spelled() *table.Table {
	t := with(made(wobble))
	t.Columns[3] = named("class", made(func(i int) float64 { return float64(i*i%7%2) / 10 }))
	t.Columns[3].Spelling = map[float64][]string{0.1: {"0.1", "0.10"}, 0: {"0"}}
	return t
}

func over(t *table.Table, time string) *table.Table {
	t.Time = time
	return t
}

// facts writes the facts of a finding: its columns, N, Of, row, line and texts.
func facts(f table.Finding) string {
	text := strings.Join(f.Columns, ",") + f.Column
	for _, n := range []struct {
		key   string
		value int
	}{{"n", f.N}, {"of", f.Of}, {"row", f.Row}, {"line", f.Line}} {
		if n.value != 0 {
			text += fmt.Sprintf(" %s=%d", n.key, n.value)
		}
	}
	if f.Texts != nil {
		text += fmt.Sprintf(" %q", f.Texts)
	}
	if f.Cause != nil {
		text += ": " + f.Cause.Error()
	}
	return text
}

// Each warning has cases that cause it, with the expected facts, and cases that do not.
func TestWarnings(t *testing.T) {
	no := func(int) bool { return false }
	nan := math.NaN()
	for _, c := range []struct {
		code  table.Code
		table *table.Table
		want  string // "" means no warning
	}{
		{"", base(), ""},
		{"no-rows", tab(num("x"), cat("class", table.Category)), "-"},
		{"no-features", tab(cat("x", table.ID, "u", "v"), cat("class", table.Category, "a", "b")), "-"},

		// ids
		{"id", with(named("n", made(func(i int) float64 { return float64(1000 + (i*77)%200) }))), "n"},
		{"id", with(named("customer_id", made(square)), named("customerId", made(square))),
			"customer_id,customerId"},
		{"id", with(named("paid", made(square))), ""},
		{"id", with(levels(numbered("n", itself))), "x"},
		{"id", with(levels(numbered("n", func(i int) int { return max(i, 1) }))), ""},
		{"id", with(named("id", made(wobble))), ""},
		{"dropped-id", with(written("code", table.ID, numbered("n", itself))), `code ["code=category"]`},
		{"text", with(written("notes", table.Text, numbered("some text ", itself))), `notes ["notes"]`},
		{"text", with(levels(ab)), ""},
		{"repeated-id", with(written("code", table.ID, numbered("P", func(i int) int { return i / 10 }))),
			"code n=20 of=200"},
		{"id-over-time", over(with(written("code", table.ID, numbered("P", func(i int) int { return i / 10 }))),
			"xaa"),
			`code n=20 of=200 ["xaa"]`},
		{"repeated-id", with(written("code", table.ID, numbered("P", itself))), ""},

		// cells
		{"sentinel", sentinelled(-999, 5, wobble), `x n=5 ["-999"]`},
		{"sentinel", sentinelled(-9, 3, wobble), `x n=3 ["-9"]`},
		{"sentinel", sentinelled(99, 3, func(i int) float64 { return float64(1 + i%5) }), `x n=3 ["99"]`},
		{"sentinel", sentinelled(9999, 2, wobble), `x n=2 ["9999"]`},
		{"sentinel", sentinelled(-999, 4, func(i int) float64 { return math.Round(math.Exp(float64(i%173) / 13)) }),
			`x n=4 ["-999"]`},
		{"sentinel", sentinelled(-200, 4, wobble), `x n=4 ["-200"]`},
		{"sentinel", sentinelled(-999, 1, wobble), ""},
		{"sentinel", sentinelled(99, 3, func(i int) float64 { return float64(i) }), ""},
		{"sentinel", sentinelled(-9, 3, func(i int) float64 { return float64(i%30 - 15) }), ""},
		{"sentinel", sentinelled(99, 200, wobble), ""},
		{"sentinel", sentinelled(0, 50, wobble), ""},
		{"outlier", sentinelled(1e6, 1, wobble), `x row=1 ["1e+06"]`},
		{"outlier", sentinelled(1e4, 1, wobble), ""},
		{"faults", faulty("1,5"), `x n=1 row=8 line=9 ["1,5"]`},
		{"faults", faulty("?", "-", "?"), `x n=3 row=8 line=9 ["?" "-"]`},
		{"faults", faulty("1x", "2x", "3x", "4x", "5x", "6x"), `x n=6 row=8 line=9 ["1x" "2x" "3x" "4x" "5x"]`},
		{"faults", base(), ""},
		{"limits", faulty("<0.5", "<0.2"), `x n=2 row=8 line=9 ["<0.5" "<0.2"]`},
		{"faults", faulty("<0.5"), ""},
		{"odd-cells", with(levels(one("?", func(i int) bool { return i == 9 }, of("yes", "no", "no")))),
			`x n=1 row=10 ["?"]`},
		{"odd-cells", with(levels(one("?", below(20), of("yes", "no", "no")))), ""},
		{"odd-cells", with(levels(one("?", below(1), of("red", "blue", "blue")))), ""},

		// classes
		{"alike", labelled(of("Setosa", "setosa ", "b")), `class ["Setosa" "setosa "]`},
		{"alike", with(levels(of("Dream", "dream", "b"))), `x ["Dream" "dream"]`},
		{"alike", labelled(of("set osa", "setosa", "b")), ""},
		{"unlabelled", labelled(one("", below(10), ab)), "class n=10 of=200"},
		{"unlabelled", base(), ""},
		{"named-missing", labelled(of("a", "None", "b")), `class n=1 ["None"]`},
		{"named-missing", labelled(of("a", "nun", "b")), ""},
		{"few", labelled(one("rare", func(i int) bool { return i >= 196 }, ab)), `class n=1 of=5 row=197 ["rare"]`},
		{"few", labelled(one("rare", below(5), ab)), ""},
		{"imbalance", labelled(one("rare", below(2), of("often", "often", "often"))),
			`class n=2 of=198 ["often" "rare" "1.0 %"]`},
		{"imbalance", labelled(one("rare", below(3), of("often", "often", "often"))), ""},
		{"spelling", spelled(), `class ["0.1 = 0.10"]`},

		// columns of a study
		{"group", with(named("no", made(person)), named("bmi", made(bmi)), named("age", made(func(i int) float64 {
			return float64(30 + i%40*7%23)
		}))), "no n=40 of=200"},
		{"group", with(named("patient_no", made(person))), "patient_no n=40 of=200"},
		{"group", with(named("visits", made(person)), named("bmi", made(bmi))), ""},
		{"group", with(named("patient_age", made(person))), ""},
		{"group", with(named("patient", levels(of("a", "b", "c")))), ""},
		{"row-weights", with(named("case_weight", made(wobble))), `case_weight ["case_weight"]`},
		{"row-weights", with(named("weight", made(wobble)), named("birth weight", made(wobble))), ""},
		{"split", with(levels(of("train", "test", "Valid")), named("cv_fold", made(func(i int) float64 {
			return float64(i % 5)
		}))), "x,cv_fold"},
		{"split", with(levels(of("training", "school", "school")), named("split", made(wobble))), ""},
		{"predicted", with(named("pred_proba", made(wobble)), named("oldPrediction", levels(ab))),
			"pred_proba,oldPrediction"},
		{"predicted", with(named("FEV1 predicted", made(wobble)), named("predator", levels(ab))), ""},
		{"counter", labelled(ab, counter(0)), "x"},
		{"counter", labelled(ab, counter(3)), ""},
		{"indicator", labelled(of("a", "b", "c"), truth("is_a", func(i int) bool {
			return of("a", "b", "c")(i) == "a"
		})), "is_a"},
		{"indicator", labelled(of("a", "b", "c"), truth("is_a", func(i int) bool { return i%3 == 0 })), ""},
		{"indicator", oneHot(0), "dog,owl"},
		{"indicator", oneHot(7), ""},
		{"own-output", labelled(ab, named("problem", made(func(int) float64 { return nan }))), ""}, // before class
		{"own-output", tab(num("x", 1, 2, 3), cat("class", table.Category, "a", "", "b"), cat("problem",
			table.Category, "", "no value", "")), "problemclass"},
		{"own-output", tab(num("x", 1, 2, 3), cat("class", table.Category, "a", "a", "b"), cat("problem",
			table.Category, "", "no value", "")), ""},
		{"order", numbers(func(i int) float64 { return math.Floor(wobble(i) * wobble(i) / 60) }),
			`class n=11 ["0" "10"]`},
		{"order", numbers(func(i int) float64 { return 1 + float64(i%9)/2 }), `class n=9 ["1" "5"]`},
		{"order", numbers(func(i int) float64 { return 1999 + float64(i%5) }), `class n=5 ["1999" "2003"]`},
		{"order", numbers(func(i int) float64 { return float64(i % 10) }), ""},
		{"order", noiseOf(5000, 100), ""},
		{"named-missing", labelled(of("a", "TBD", "???")), `class n=2 ["???" "TBD"]`},

		// columns
		{"constant", with(made(func(int) float64 { return 3 })), "x"},
		{"constant", with(levels(of("x", "x", "x"))), "x"},
		{"constant", sentinelled(3, 199, wobble), ""},
		{"empty", with(made(func(int) float64 { return nan })), "x"},
		{"empty", with(made(func(i int) float64 { return math.Sqrt(float64(-i)) })), ""},
		{"collinear", with(made(func(i int) float64 { return 3 - 2*base().Columns[0].Numbers[i] })),
			`xaa,x n=1 of=200 ["x"]`},
		{"collinear", with(made(func(i int) float64 {
			return base().Columns[0].Numbers[i] + .1*base().Columns[1].Numbers[i]
		})), ""},
		{"levels", with(levels(numbered("t", func(i int) int { return i % 60 }))), "x n=50"},
		{"levels", with(levels(numbered("t", func(i int) int { return i % 50 }))), ""},
		{"date", with(date(made(func(i int) float64 { return 86400 * wobble(i) }))), "x"},
		{"date", base(), ""},
		{"wide", noise(20, 21), " n=21 of=20"},
		{"wide", noise(20, 20), ""},

		// leaks
		{"leak", leaking(30, no, no), "x n=200 of=200"},
		{"leak", labelled(ab, levels(func(i int) string { return ab(i) + fmt.Sprint(i%3) })), "x n=200 of=200"},
		{"leak", labelled(ab, made(func(i int) float64 {
			return math.Sqrt(map[string]float64{"b": -1}[ab(i)] + wobble(i)/1000)
		})), ""},
		{"leak", leaking(0, no, func(i int) bool { return ab(i) == "b" }), ""},
		{"leak", leaking(30, func(i int) bool { return i == 8 || i == 9 }, no), "x n=198 of=200"},
		{"leak", leaking(30, below(5), no), ""},
		{"leak", labelled(ab, levels(func(i int) string { return ab(i%198) + fmt.Sprint(i%3) })), "x n=199 of=200"},
		{"leak", leaking(30, no, func(i int) bool { return i%10 == 3 }), "x n=180 of=180"},
		{"leak", labelled(ab, levels(one("", func(i int) bool { return i%10 == 3 }, func(i int) string {
			return map[bool]string{true: "u", false: "v"}[(ab(i) == "b") != (i == 8)]
		}))), "x n=179 of=180"},
		{"leak", leaking(24, no, no), ""}, // one value between
		{"leak", labelled(ab, levels(numbered("", itself))), ""},
		{"leak", tab(num("x", 1, 2, 3, 4), cat("class", table.Category, "a", "a", "b", "b")), ""},
		{"groups", labelled(func(i int) string { return ab(i / 10) },
			levels(numbered("P", func(i int) int { return i / 10 }))), "x"},
		{"groups", labelled(ab, levels(ab)), ""},
		{"filled", labelled(ab, made(func(i int) float64 {
			return map[bool]float64{true: wobble(i), false: nan}[ab(i) == "b" && i%2 == 1]
		})), `x n=29 of=57 ["b" "0 %"]`},
		{"filled", labelled(ab, levels(one("", func(i int) bool { return ab(i) == "a" || i == 1 },
			numbered("", func(i int) int { return i % 4 })))), `x n=56 of=57 ["b" "0 %"]`},
		{"filled", labelled(ab, made(func(i int) float64 {
			return wobble(i) + map[bool]float64{true: nan}[i*7%11 < 4]
		})),
			""},
		{"filled", labelled(ab, made(func(i int) float64 {
			return map[bool]float64{true: wobble(i), false: nan}[i == 2 || i == 9]
		})), ""},

		// rows
		{"rows", noise(5001, 1), " n=5001 of=5000"},
		{"rows", noise(5000, 1), ""},
		{"duplicates", tab(num("x", 1, 2, 1, 1), cat("class", table.Category, "a", "b", "a", "b")),
			` n=1 of=4 row=3 ["1"]`},
		{"duplicates", tab(cat("id", table.ID, "u", "v", "w"), num("x", 1, 2, 1), cat("class", table.Category, "a",
			"b", "a")), ` n=1 of=3 row=3 ["1"]`},
		{"duplicates", tab(num("x", 1, 2, 1), cat("y", table.Category, "w", "u", "v"), cat("class", table.Category,
			"a",
			"b", "a")), ` n=1 of=3 row=3 ["1"]`}, // rare levels have no feature
		{"duplicates", tab(num("x", 1, 2, nan, nan), num("y", nan, 1, 2, 2), cat("class", table.Category, "a", "b",
			"a",
			"a")), ` n=1 of=4 row=4 ["3"]`},
		{"duplicates", tab(num("x", nan, 2, nan), cat("class", table.Category, "a", "b", "a")), ""}, // not usable
		{"duplicates", base(), ""},
		{"conflicts", tab(num("x", 1, 2, 1, 1), cat("class", table.Category, "a", "b", "a", "b")),
			` n=3 of=4 ["1" "4"]`},
		{"conflicts", tab(num("x", 1, 2, 1, 1), cat("class", table.Category, "a", "b", "a", "")), ""},

		{"refused", labelled(numbered("", itself)),
			"class: it has 200 different values in 200 rows, so it seems to identify the rows"},
		{"refused", with(named("class", date(made(func(i int) float64 { return float64(i % 3) })))),
			"class: it has dates, which need regression"},
		{"refused", noiseOf(5000, 100), ""},
	} {
		f := at(t, c.table, "class")
		var got []string
		for _, w := range f.Warnings {
			if w.Code == c.code || c.code == "" {
				got = append(got, cmpOr(facts(w), "-"))
			}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s of %v: %s, want %s", c.code, c.table.Names(), text, c.want)
		}
	}
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// TestRefused: columns that cannot be the classes, and why.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		class table.Column
		want  string
	}{
		{made(func(i int) float64 { return float64(i*37%101) / 3 }), "continuous"},
		{made(func(i int) float64 { return float64(i * 37 % 101) }), "continuous"},
		{date(made(func(i int) float64 { return float64(i % 3) })), "dates"},
		{levels(func(int) string { return "a" }), "only one value"},
		{levels(func(int) string { return "" }), "no value"},
		{made(func(i int) float64 { return float64(i*37%30) / 2 }), ""},
	} {
		f := at(t, with(c.class), "x")
		if (f.Refused == nil) != (c.want == "") || c.want != "" && !strings.Contains(f.Refused.Error(), c.want) ||
			(len(f.Classes) > 0) != (c.want == "") {
			t.Errorf("%v, want %s; classes %v", f.Refused, c.want, f.Classes)
		}
	}
}

// TestNeeds: the options that a fit requires.
func TestNeeds(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  map[string]string
	}{{[]string{"1,5"}, map[string]string{"1,5": "Missing"}},
		{[]string{"?", "-", "?", "<1"}, map[string]string{"?": "Missing", "-": "Missing", "half": "Limits"}},
		{[]string{"1x", "2x", "3x", "4x", "5x", "6x"}, map[string]string{"x=category": "Kinds"}}} {
		got := map[string]string{}
		for _, n := range at(t, faulty(c.cells...), "").Needs {
			got[n.Value] = n.Option
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.cells, got, c.want)
		}
	}
}

// TestSentences: every warning and note of hostile tables has complete sentences in every voice, and names of
// the table are quoted.
func TestSentences(t *testing.T) {
	shell := &table.Voice{Option: func(name, value string) string { return "--" + name + " '" + value + "'" }}
	for _, name := range []string{"as the target", "Options.Missing", "--drop", "<b>", "constructor", "{n}"} {
		tt := messy(400)
		for j := range tt.Columns {
			tt.Columns[j].Name += name
		}
		f := at(t, tt, "species"+name)
		if len(f.Warnings) < 10 {
			t.Errorf("%d warnings", len(f.Warnings))
		}
		for _, w := range f.Warnings {
			for _, v := range []*table.Voice{table.Go, shell} {
				text := v.Say(w)
				if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") || strings.Contains(text, "..") ||
					strings.ToUpper(text[:1]) != text[:1] {
					t.Errorf("%s: %s", w.Code, text)
				}
				for _, column := range append(w.Columns, w.Column) {
					if len(w.Columns) < 12 && !strings.Contains(text, fmt.Sprintf("%q", column)) && column != "" {
						t.Errorf("%s: no column %q in %s", w.Code, column, text)
					}
				}
			}
		}
	}
}

// TestNoLeaks: columns that are independent of the classes, and ordinary features, are not reported as leaks,
// however many there are.
func TestNoLeaks(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		rows, classes := 6+r.IntN(60), 2+r.IntN(3)
		tt := &table.Table{Rows: rows}
		for j := range 200 {
			n, c := num(fmt.Sprint("n", j), make([]float64, rows)...), make([]string, rows)
			for i := range rows {
				n.Numbers[i] = float64(r.IntN(4 + 10*(j%9)))
				c[i] = fmt.Sprint(r.IntN(2 + j%20))
				if j%3 == 0 && r.IntN(3) == 0 {
					n.Numbers[i], c[i] = math.NaN(), ""
				}
			}
			tt.Columns = append(tt.Columns, n, cat(fmt.Sprint("c", j), table.Category, c...))
		}
		label := make([]string, rows)
		for i := range label {
			label[i] = fmt.Sprint("k", min(r.IntN(classes), r.IntN(classes)))
		}
		tt.Columns = append(tt.Columns, cat("class", table.Category, label...))
		for _, w := range append(at(t, tt, "").Warnings, at(t, iris(), "").Warnings...) {
			if w.Code == "leak" || w.Code == "filled" {
				t.Errorf("seed %d: %v", seed, w)
			}
		}
	}
}

// TestFewestWrong compares the search for intervals with an exhaustive search.
func TestFewestWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for trial := range 300 {
		n, classes := 2+r.IntN(7), 2+r.IntN(2)
		x, labels := num("x", make([]float64, n)...), make([]int, n)
		for i := range n {
			x.Numbers[i], labels[i] = float64(r.IntN(6)), r.IntN(classes)
		}
		var ends func(from float64, left int) int // the smallest number of wrong rows from a value on
		ends = func(from float64, left int) int {
			least := math.MaxInt / 4
			if left == 0 {
				if slices.Max(x.Numbers) >= from {
					return least
				}
				return 0
			}
			for to := from; to <= 6; to++ {
				for class := range classes {
					wrong := 0
					for i, v := range x.Numbers {
						if v >= from && v < to && labels[i] != class {
							wrong++
						}
					}
					least = min(least, wrong+ends(to, left-1))
				}
			}
			return least
		}
		want, got := ends(0, classes), fewestWrong(runsOf(&x, Draw(n, n), tally{labels, classes}, n), classes)
		if got != want {
			t.Fatalf("trial %d: %d wrong, not %d: %v of %v", trial, got, want, x.Numbers, labels)
		}
	}
}

// noiseOf returns a table with integers as classes.
func noiseOf(rows, classes int) *table.Table {
	t := noise(rows, 1)
	labels := make([]float64, rows)
	for i := range labels {
		labels[i] = float64(i % classes)
	}
	t.Columns[1] = num("class", labels...)
	return t
}
