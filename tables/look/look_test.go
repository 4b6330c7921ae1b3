package look

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/table"
)

// at analyses a table without errors.
func at(t *testing.T, tt *table.Table, target string) *Findings {
	t.Helper()
	f, err := At(t.Context(), tt, target)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func printed(t *testing.T, f *Findings) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestIris(t *testing.T) {
	f := at(t, iris(), "")
	if f.Rows != 150 || f.Target == nil || *f.Target != "species" || f.TargetWhy != "its name" ||
		f.Refused != "" || f.Features != 4 {
		t.Errorf("%+v", f)
	}
	if want := []Class{{"setosa", 50}, {"versicolor", 50}, {"virginica", 50}}; !slices.Equal(f.Classes, want) {
		t.Errorf("classes %v", f.Classes)
	}
	c := f.Columns[0] // R: quantile(iris$Sepal.Length, type = 1)
	if want := (Range{4.3, 5.1, 5.8, 6.4, 7.9}); *c.Range != want || c.Distinct != 35 || c.Missing != 0 ||
		c.AtLeast {
		t.Errorf("%s: %+v, %d distinct", c.Name, *c.Range, c.Distinct)
	}
	if f.Duplicates != 1 || f.Conflicts != 0 || f.duplicate != [2]int{101, 142} { // a known pair
		t.Errorf("%d duplicates %v, %d conflicts", f.Duplicates, f.duplicate, f.Conflicts)
	}
	if best := f.Best(); f.Columns[best[3]].Name != "sepal_width" || len(best) != 4 {
		t.Errorf("best %v", best)
	}
	if r := f.Correlations.R[3][2]; math.Abs(r-0.9628654) > 1e-6 { // cor(Petal.Length, Petal.Width)
		t.Errorf("r is %v", r)
	}
	for j := range 4 {
		h := &f.Columns[j].Histogram
		for k, counts := range h.Counts {
			sum := 0
			for _, n := range counts {
				sum += n
			}
			if sum != 50 {
				t.Errorf("histogram of column %d has %d rows of class %d", j, sum, k)
			}
		}
	}
	text := printed(t, f)
	for _, want := range []string{"iris.csv: 150 rows, 5 columns (comma)", "setosa 50 (33 %)",
		"4.3 [5.1 5.8 6.4] 7.9", "setosa 50, versicolor 50, +1", "1 warning", "row 143 repeats"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// base returns a table without warnings, to which the cases add mistakes.
func base() *table.Table { return noise(200, 2) }

func add(t *table.Table, c table.Column) *table.Table {
	last := len(t.Columns) - 1
	t.Columns = append(t.Columns[:last:last], c, t.Columns[last])
	return t
}

// made returns a column of numbers for 200 rows.
func made(name string, value func(i int) float64) table.Column {
	values := make([]float64, 200)
	for i := range values {
		values[i] = value(i)
	}
	return num(name, values...)
}

func texts200(text func(i int) string) []string {
	all := make([]string, 200)
	for i := range all {
		all[i] = text(i)
	}
	return all
}

func labelled(text func(i int) string) *table.Table {
	t := base()
	t.Columns[2] = cat("class", table.Category, texts200(text)...)
	return t
}

func ab(i int) string { return []string{"a", "b"}[i*i%7%2] }

// Each warning has cases that cause it, with the expected text, and cases that do not.
func TestWarnings(t *testing.T) {
	withFault := func(text string) *table.Table {
		tt := add(base(), made("x", func(i int) float64 { return math.Sqrt(float64(i)) }))
		tt.Columns[2].Numbers[7] = math.NaN()
		tt.Columns[2].Faults = []table.Fault{{Row: 7, Line: 9, Text: text}}
		return tt
	}
	sentinelled := func(v float64, rows int, rest func(i int) float64) *table.Table {
		return add(base(), made("x", func(i int) float64 {
			if i < rows {
				return v
			}
			return rest(i)
		}))
	}
	wobble := func(i int) float64 { return float64(i*37%101) / 4 }
	for _, c := range []struct {
		name, code string
		table      *table.Table
		want       []string // substrings of the warning; nil means no warning
	}{
		{"nothing", "", base(), nil},
		{"an id by its values", "id",
			add(base(), made("n", func(i int) float64 { return float64(1000 + (i*77)%200) })), []string{`"n"`,
				"Options.ID n"}},
		{"an id by its name", "id", add(base(), made("customer_id", func(i int) float64 { return float64(i * i) })),
			[]string{"Options.ID customer_id"}},
		{"an id in camel case", "id",
			add(base(), made("customerId", func(i int) float64 { return float64(i * i) })), []string{
				"Options.ID customerId"}},
		{"different whole numbers", "id", add(base(), made("paid", func(i int) float64 { return float64(i * i) })),
			nil},
		{"a text of its own", "id",
			add(base(), cat("code", table.Category,
				texts200(func(i int) string { return fmt.Sprint("n", i) })...)), []string{"Options.ID code"}},
		{"a text twice", "id",
			add(base(), cat("code", table.Category,
				texts200(func(i int) string { return fmt.Sprint("n", max(i, 1)) })...)), nil},
		{"a number", "id", add(base(), made("id", wobble)), nil},
		{"kind id", "dropped-id",
			add(base(),
				cat("code", table.ID, texts200(func(i int) string { return fmt.Sprint("n", i) })...)), []string{`"code"`,
				"Options.Kinds"}},
		{"free text", "text",
			add(base(),
				cat("notes", table.Text,
					texts200(func(i int) string { return fmt.Sprint("some text ", i) })...)), []string{`"notes"`,
				"Options.Kinds"}},
		{"no free text", "text", add(base(), cat("notes", table.Category, texts200(ab)...)), nil},

		{"-999", "sentinel", sentinelled(-999, 5, wobble), []string{"-999 in 5 rows", "Options.Missing -999"}},
		{"-9", "sentinel", sentinelled(-9, 3, wobble), []string{"Options.Missing -9"}},
		{"99 of a scale", "sentinel", sentinelled(99, 3, func(i int) float64 { return float64(1 + i%5) }),
			[]string{"Options.Missing 99"}},
		{"9999", "sentinel", sentinelled(9999, 2, wobble), []string{"Options.Missing 9999"}},
		{"-999 of incomes", "sentinel",
			sentinelled(-999, 4, func(i int) float64 { return math.Round(math.Exp(float64(i%173) / 13)) }), []string{
				"Options.Missing -999"}},
		{"-200 of concentrations", "sentinel", sentinelled(-200, 4, wobble), []string{"Options.Missing -200"}},
		{"-999 once", "sentinel", sentinelled(-999, 1, wobble), nil},
		{"99 among others", "sentinel", sentinelled(99, 3, func(i int) float64 { return float64(i) }), nil},
		{"-9 among others", "sentinel", sentinelled(-9, 3, func(i int) float64 { return float64(i%30 - 15) }), nil},
		{"nines alone", "sentinel", sentinelled(99, 200, wobble), nil},
		{"a zero", "sentinel", sentinelled(0, 50, wobble), nil},

		{"case of a label", "alike",
			labelled(func(i int) string { return []string{"Setosa", "setosa ", "b"}[i*i%7%3] }), []string{
				`"Setosa" and "setosa "`}},
		{"case of a level", "alike",
			add(base(), cat("island", table.Category,
				texts200(func(i int) string { return []string{"Dream", "dream", "b"}[i*i%7%3] })...)), []string{"island",
				`"Dream" and "dream"`}},
		{"other labels", "alike",
			labelled(func(i int) string { return []string{"set osa", "setosa", "b"}[i*i%7%3] }), nil},

		{"labels missing", "unlabelled",
			labelled(func(i int) string { return map[bool]string{true: "", false: ab(i)}[i < 10] }), []string{
				"10 rows (5.0 %)", `"class"`}},
		{"labels there", "unlabelled", base(), nil},
		{"class none", "named-missing", labelled(func(i int) string { return []string{"a", "None", "b"}[i*i%7%3] }),
			[]string{`"None"`, "Options.Missing None"}},
		{"class nun", "named-missing", labelled(func(i int) string { return []string{"a", "nun", "b"}[i*i%7%3] }),
			nil},

		{"a rare class", "few",
			labelled(func(i int) string { return map[bool]string{true: "rare", false: ab(i)}[i < 4] }), []string{
				`"rare" (4)`}},
		{"five of a class", "few",
			labelled(func(i int) string { return map[bool]string{true: "rare", false: ab(i)}[i < 5] }), nil},
		{"99:1", "imbalance",
			labelled(func(i int) string { return map[bool]string{true: "rare", false: "often"}[i < 2] }), []string{
				"198 rows", "only 2", "1.0 %", "EvaluateOptions.Costs"}},
		{"98:1", "imbalance",
			labelled(func(i int) string { return map[bool]string{true: "rare", false: "often"}[i < 3] }), nil},

		{"constant", "constant", add(base(), made("c", func(int) float64 { return 3 })),
			[]string{`"c"`, "Options.Drop c"}},
		{"constant text", "constant",
			add(base(), cat("c", table.Category, texts200(func(int) string { return "x" })...)), []string{
				"Options.Drop c"}},
		{"nearly constant", "constant", sentinelled(3, 199, wobble), nil},
		{"no value", "empty", add(base(), made("c", func(int) float64 { return math.NaN() })),
			[]string{"Options.Drop c"}},
		{"one value", "empty", add(base(), made("c", func(i int) float64 { return math.Sqrt(float64(-i)) })), nil},

		{"collinear", "collinear",
			add(base(), made("x", func(i int) float64 { return 3 - 2*base().Columns[0].Numbers[i] })), []string{
				`"xaa" and "x" (r = -1.0000)`, "Options.Drop x"}},
		{"not collinear", "collinear",
			add(base(), made("x", func(i int) float64 {
				return base().Columns[0].Numbers[i] +
					.1*base().Columns[1].Numbers[i]
			})), nil},

		{"many rows", "rows", noise(5001, 1), []string{"5,001 rows", "AllCandidates"}},
		{"5000 rows", "rows", noise(5000, 1), nil},
		{"a fault", "faults", withFault("1,5"), []string{`"x"`, `"1,5"`, "line 9", "Options.Missing '\"1,5\"'",
			"Options.Kinds x=category"}},
		{"no fault", "faults", base(), nil},
		{"many levels", "levels",
			add(base(), cat("town", table.Category,
				texts200(func(i int) string { return fmt.Sprint("t", i%60) })...)), []string{`"town" (60)`,
				"Options.Drop"}},
		{"50 levels", "levels",
			add(base(), cat("town", table.Category,
				texts200(func(i int) string { return fmt.Sprint("t", i%50) })...)), nil},

		{"a leak of numbers", "leak",
			add(labelled(ab),
				made("x", func(i int) float64 { return wobble(i) + map[string]float64{"b": 30}[ab(i)] })), []string{`"x"`,
				"Options.Drop x"}},
		{"a leak of texts", "leak",
			add(labelled(ab),
				cat("x", table.Category, texts200(func(i int) string { return ab(i) + fmt.Sprint(i%3) })...)), []string{
				"Options.Drop x"}},
		{"a leak with gaps", "leak",
			add(labelled(ab),
				made("x", func(i int) float64 {
					return math.Sqrt(map[string]float64{"b": -1}[ab(i)] +
						wobble(i)/1000)
				})), nil},
		{"a leak by gaps", "leak", add(labelled(ab), made("x", func(i int) float64 {
			if ab(i) == "b" {
				return math.NaN()
			}
			return wobble(i)
		})), nil},
		{"numbers right in 198 of 200", "leak", add(labelled(ab), made("x", func(i int) float64 {
			return wobble(i) + map[bool]float64{true: 30}[(ab(i) == "b") != (i == 8 || i == 9)]
		})), []string{`Column "x" alone predicts the class of 198 of 200 rows.`, "Options.Drop x"}},
		{"numbers right in 195 of 200", "leak", add(labelled(ab), made("x", func(i int) float64 {
			return wobble(i) + map[bool]float64{true: 30}[(ab(i) == "b") != (i < 5)]
		})), nil},
		{"texts right in 199 of 200", "leak",
			add(labelled(ab),
				cat("x", table.Category,
					texts200(func(i int) string { return ab(i%198) + fmt.Sprint(i%3) })...)), []string{"of 199 of 200 rows",
				"Options.Drop x"}},
		{"perfect except for missing numbers", "leak", add(labelled(ab), made("x", func(i int) float64 {
			return wobble(i) + map[string]float64{"b": 30}[ab(i)] + map[bool]float64{true: math.NaN()}[i%10 == 3]
		})), []string{"of all 180 rows that have a value"}},
		{"nearly, with missing texts", "leak",
			add(labelled(ab), cat("x", table.Category, texts200(func(i int) string {
				return map[bool]string{true: "", false: map[bool]string{true: "u",
					false: "v"}[(ab(i) == "b") != (i == 8)]}[i%10 == 3]
			})...)), []string{"of 179 of the 180 rows that have a value"}},
		{"a category of patients", "leak", add(labelled(func(i int) string { return ab(i / 10) }),
			cat("who", table.Category, texts200(func(i int) string { return fmt.Sprint("P", i/10) })...)), []string{
			"every row", "Options.Group who"}},
		{"an id that repeats", "repeated-id",
			add(base(),
				cat("who", table.ID, texts200(func(i int) string { return fmt.Sprint("P", i/10) })...)), []string{
				`split by the id in column "who", which repeats: 20 values in 200 rows.`, "Options.Drop"}},
		{"an id", "repeated-id",
			add(base(), cat("who", table.ID, texts200(func(i int) string { return fmt.Sprint("P", i) })...)), nil},
		{"values in one class", "filled", add(labelled(ab), made("x", func(i int) float64 {
			return map[bool]float64{true: wobble(i), false: math.NaN()}[ab(i) == "b" && i%2 == 1]
		})), []string{`Column "x" has values only in rows of class "b" (29 of 57).`, "Options.Drop x"}},
		{"none in one class", "filled", add(labelled(ab), cat("x", table.Category, texts200(func(i int) string {
			return map[bool]string{true: fmt.Sprint(i % 4), false: ""}[ab(i) == "a" || i == 1]
		})...)), []string{`Whether column "x" has a value predicts the class of 199 of 200 rows.`}},
		{"missing at random", "filled",
			add(labelled(ab),
				made("x", func(i int) float64 {
					return wobble(i) +
						map[bool]float64{true: math.NaN()}[i*7%11 < 4]
				})), nil},
		{"few values in one class", "filled",
			add(labelled(ab),
				made("x", func(i int) float64 {
					return map[bool]float64{true: wobble(i), false: math.NaN()}[i == 2 ||
						i == 9]
				})), nil},
		{"one value between", "leak",
			add(labelled(ab),
				made("x", func(i int) float64 { return wobble(i) + map[string]float64{"b": 24}[ab(i)] })), nil},
		{"levels of one row", "leak",
			add(labelled(ab),
				cat("x", table.Category, texts200(func(i int) string { return fmt.Sprint(i) })...)), nil},
		{"few rows", "leak", tab(num("x", 1, 2, 3, 4), cat("class", table.Category, "a", "a", "b", "b")), nil},

		{"wide", "wide", noise(20, 21), []string{"21 features", "20 rows", "Options.Drop"}},
		{"square", "wide", noise(20, 20), nil},
		{"dates", "date", add(base(), table.Column{Name: "day", Kind: table.Date,
			Numbers: made("", func(i int) float64 { return 86400 * float64(i) }).Numbers}), []string{`"day"`,
			"Options.Drop day"}},
		{"no dates", "date", base(), nil},
		{"copies", "duplicates", tab(num("x", 1, 2, 1, 1), cat("class", table.Category, "a", "b", "a", "b")),
			[]string{"1 row repeats", "row 3 repeats row 1"}},
		{"copies in all but the id", "duplicates", tab(cat("id", table.ID, "u", "v", "w"), num("x", 1, 2, 1),
			cat("class", table.Category, "a", "b", "a")), []string{"row 3 repeats row 1"}},
		{"copies of missing cells", "duplicates", tab(num("x", math.NaN(), 2, math.NaN()),
			cat("y", table.Category, "", "u", ""), cat("class", table.Category, "a", "b", "a")), []string{
			"row 3 repeats row 1"}},
		{"no copies", "duplicates", base(), nil},
		{"conflict", "conflicts", tab(num("x", 1, 2, 1, 1), cat("class", table.Category, "a", "b", "a", "b")),
			[]string{"3 rows", "rows 1 and 4"}},
		{"no conflict", "conflicts", tab(num("x", 1, 2, 1, 1), cat("class", table.Category, "a", "b", "a", "")),
			nil},
		{"no rows", "no-rows", tab(num("x"), cat("class", table.Category)), []string{"no rows"}},

		{"continuous", "refused",
			tab(made("x", wobble), made("class", func(i int) float64 { return float64(i*37%101) / 3 })), []string{
				"continuous", "as the target"}},
		{"counts", "refused",
			tab(made("x", wobble), made("class", func(i int) float64 { return float64(i * 37 % 101) })), []string{
				"continuous"}},
		{"unique", "refused", labelled(func(i int) string { return fmt.Sprint(i) }),
			[]string{"200 different values in 200 rows"}},
		{"dated", "refused", tab(made("x", wobble), table.Column{Name: "class", Kind: table.Date,
			Numbers: made("", func(i int) float64 { return float64(i % 3) }).Numbers}), []string{"dates"}},
		{"one class", "refused", labelled(func(int) string { return "a" }), []string{"only one value"}},
		{"no label", "refused", labelled(func(int) string { return "" }), []string{"no value"}},
		{"few numbers", "refused",
			tab(made("x", wobble), made("class", func(i int) float64 { return float64(i*37%30) / 2 })), nil},
		{"whole numbers", "refused", noiseOf(5000, 100), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := at(t, c.table, "")
			var got []string
			for _, w := range f.Warnings {
				if w.Text == "" || w.Do == "" || !strings.HasSuffix(w.Text, ".") || !strings.HasSuffix(w.Do, ".") &&
					!strings.HasSuffix(w.Do, "?") {
					t.Errorf("%q, %q: want sentences", w.Text, w.Do)
				}
				if w.Code == c.code || c.code == "" {
					got = append(got, w.String())
				}
			}
			all := strings.Join(got, "\n")
			if c.want == nil && got != nil {
				t.Errorf("warned: %s", all)
			}
			if c.want != nil && len(got) != 1 {
				t.Errorf("%d warnings of %s: %v", len(got), c.code, f.Warnings)
			}
			for _, want := range c.want {
				if !strings.Contains(all, want) {
					t.Errorf("%q is not in %q", want, all)
				}
			}
		})
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
		for _, w := range at(t, tt, "").Warnings {
			if w.Code == "leak" || w.Code == "filled" {
				t.Errorf("seed %d: %v", seed, w)
			}
		}
	}
	for _, w := range at(t, iris(), "").Warnings {
		if w.Code == "leak" {
			t.Error(w)
		}
	}
}

// TestFewestWrong compares the search for intervals with an exhaustive search.
func TestFewestWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for trial := range 300 {
		n, classes := 2+r.IntN(7), 2+r.IntN(2)
		x, labels := num("x", make([]float64, n)...), make([]int32, n)
		for i := range n {
			x.Numbers[i], labels[i] = float64(r.IntN(6)), int32(r.IntN(classes))
		}
		var ends func(from float64, left int) int // the smallest number of wrong rows from a value on
		ends = func(from float64, left int) int {
			least := math.MaxInt / 4
			if left == 0 {
				for _, v := range x.Numbers {
					if v >= from {
						return least
					}
				}
				return 0
			}
			for to := from; to <= 6; to++ {
				for class := range int32(classes) {
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
		want, got := ends(0, classes), fewestWrong(runsOf(&x, nil, newTally(labels, classes)), classes)
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

// TestMessy: all mistakes of a messy table are found.
func TestMessy(t *testing.T) {
	f := at(t, messy(400), "")
	var codes []string
	for _, w := range f.Warnings {
		codes = append(codes, w.Code)
	}
	want := []string{"unlabelled", "alike", "named-missing", "few", "imbalance", "faults", "sentinel", "alike",
		"dropped-id", "text", "constant", "date", "collinear"}
	slices.Sort(codes)
	slices.Sort(want)
	if !slices.Equal(codes, want) {
		t.Errorf("warnings %v, want %v", codes, want)
	}
	if c := f.Columns[7]; c.Faults != 1 || c.Missing != 0 {
		t.Errorf("wrong faults or missing cells: %+v", c)
	}
}

// TestPermutation: the order of the rows affects only the row numbers in warnings.
func TestPermutation(t *testing.T) {
	for name, tt := range map[string]*table.Table{"iris": iris(), "messy": messy(400), "noise": noise(300, 3)} {
		a := at(t, tt, "")
		for seed := range uint64(3) {
			b := at(t, permuted(tt, seed), "")
			if a.Duplicates != b.Duplicates || a.Conflicts != b.Conflicts || a.Features != b.Features ||
				!slices.Equal(a.Classes, b.Classes) {
				t.Errorf("%s: %d, %d, %d, want %d, %d, %d", name, b.Duplicates, b.Conflicts, b.Features, a.Duplicates,
					a.Conflicts, a.Features)
			}
			for j := range a.Columns {
				x, y := a.Columns[j], b.Columns[j]
				for _, l := range [][2]*predictor{{&x.values, &y.values}, {&x.fills.both, &y.fills.both},
					{&x.fills.only, &y.fills.only}} {
					if math.Abs(l[0].logP-l[1].logP) > 1e-9*math.Abs(l[0].logP) {
						t.Errorf("%s: chances %v and %v", name, l[0].logP, l[1].logP)
					}
					l[0].logP, l[1].logP = 0, 0
				}
				if !reflect.DeepEqual(x, y) {
					t.Errorf("%s: %+v, want %+v", name, y, x)
				}
			}
			for i := range a.Correlations.R {
				for j, r := range a.Correlations.R[i] {
					if d := math.Abs(r - b.Correlations.R[i][j]); d > 1e-9 {
						t.Errorf("%s: r differs by %v", name, d)
					}
				}
			}
			for k, w := range a.Warnings {
				if v := b.Warnings[k]; v.Code != w.Code || v.Code != "duplicates" && v.Code != "faults" &&
					v.String() != w.String() {
					t.Errorf("%s: %v, want %v", name, v, w)
				}
			}
		}
	}
}

// TestDeterministic: repeated analyses give the same findings.
func TestDeterministic(t *testing.T) {
	tt := messy(20_000) // more than the rows of correlations
	a, b := at(t, tt, ""), at(t, tt, "")
	x, y := printed(t, a), printed(t, b)
	if x != y || a.Correlations.Rows != pairedRows {
		t.Errorf("%d rows:\n%s\n%s", a.Correlations.Rows, x, y)
	}
}

// TestScale: a change of units affects the range, but neither information nor correlations.
func TestScale(t *testing.T) {
	tt := iris()
	a := at(t, tt, "")
	for i, v := range tt.Columns[2].Numbers {
		tt.Columns[2].Numbers[i] = 64 - 16*v
	}
	b := at(t, tt, "")
	if x, y := a.Columns[2].Range, b.Columns[2].Range; y.Max != 64-16*x.Min || y.Min != 64-16*x.Max {
		t.Errorf("range %v of %v", y, x)
	}
	if d := math.Abs(a.Correlations.R[2][3] + b.Correlations.R[2][3]); d > 1e-12 {
		t.Errorf("r differs by %v", d)
	}
	// ties fall on the other side
	if d := math.Abs(a.Columns[2].Information - b.Columns[2].Information); d > .05 {
		t.Errorf("information differs by %v", d)
	}
}

// TestInformation: a copy of the class has the information of its entropy, and noise has none.
func TestInformation(t *testing.T) {
	f := at(t, add(noise(5000, 3), cat("copy", table.Category, textsOf(noise(5000, 3))...)), "")
	if got, entropy := f.Columns[3].Information, stat.Entropy([]float64{.5, .5}); math.Abs(got-entropy) > .005 {
		t.Errorf("a copy has %v of %v nats", got, entropy)
	}
	for j := range 3 {
		if got := f.Columns[j].Information; got > .003 {
			t.Errorf("noise has %v nats", got)
		}
	}
}

// textsOf returns the texts of the last column.
func textsOf(t *table.Table) []string {
	all := make([]string, t.Rows)
	for i := range all {
		all[i] = t.Columns[len(t.Columns)-1].Text(i)
	}
	return all
}

// TestCorrelation compares correlations with the formula, applied to the rows that have both values.
func TestCorrelation(t *testing.T) {
	tt := messy(400)
	f := at(t, tt, "")
	r := &f.Correlations
	for i, a := range r.Columns {
		for j, b := range r.Columns {
			var x, y []float64
			for k := range tt.Rows {
				if v, w := tt.Columns[a].Numbers[k], tt.Columns[b].Numbers[k]; !math.IsNaN(v + w) {
					x, y = append(x, v), append(y, w)
				}
			}
			want := stat.Correlation(x, y, nil)
			if tt.Columns[a].Name == "always" || tt.Columns[b].Name == "always" {
				want = math.NaN()
			}
			if got := r.R[i][j]; i != j && math.Abs(got-want) > 1e-9 || math.IsNaN(got) != math.IsNaN(want) && i != j {
				t.Errorf("r of %s and %s is %v, want %v", tt.Columns[a].Name, tt.Columns[b].Name, got, want)
			}
		}
	}
}

// TestLong analyses a table that is long enough to be sampled.
func TestLong(t *testing.T) {
	tt := noise(mostRows+1000, 1)
	tt.Columns[0].Numbers[5], tt.Columns[0].Numbers[tt.Rows-1] = math.NaN(), 50
	f := at(t, tt, "")
	c := f.Columns[0]
	if f.Looked != mostRows || !c.AtLeast || c.Missing != 1 || c.Range.Max != 50 ||
		math.Abs(c.Range.Median) > .01 || c.Distinct < mostRows-100 {
		t.Errorf("%d rows, %+v", f.Looked, c)
	}
	if f.Classes[0].Rows+f.Classes[1].Rows != tt.Rows {
		t.Errorf("classes %v of %d rows", f.Classes, tt.Rows)
	}
	if text := printed(t, f); !strings.Contains(text, "≥") || !strings.Contains(text, "drawn at random") {
		t.Error("no note about the sample")
	}
}

// TestCancelled: At stops whenever it finds its context done. It checks the context for each column of values
// and of correlations.
func TestCancelled(t *testing.T) {
	tt, looks := noise(1000, 20), 0
	for {
		looks++
		ctx := watch.NewCountdown(t.Context(), looks)
		_, err := At(ctx, tt, "")
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || ctx.Left() < -1000 {
			t.Fatalf("after %d checks: %v, and %d more", looks, err, -ctx.Left())
		}
	}
	if looks < 40 {
		t.Errorf("%d checks for 20 columns", looks)
	}
}

// TestLabels compares labelsOf with Table.Labels.
func TestLabels(t *testing.T) {
	tt := messy(400)
	tt.Columns[12].Levels = append(tt.Columns[12].Levels, "unused")
	for j := range tt.Columns {
		want, classes := tt.Labels(j)
		got, names := labelsOf(tt, j)
		if !slices.Equal(names, classes) {
			t.Errorf("column %d: classes %q, want %q", j, names, classes)
		}
		for i, k := range want {
			if int(got[i]) != k {
				t.Fatalf("column %d, row %d: %d, want %d", j, i, got[i], k)
			}
		}
	}
}

func TestDraw(t *testing.T) {
	if Draw(10, 10) != nil {
		t.Error("a list of all rows instead of nil")
	}
	rows := Draw(1000, 100)
	if len(rows) != 100 || !slices.IsSorted(rows) || len(slices.Compact(slices.Clone(rows))) != 100 ||
		rows[99] > 999 {
		t.Errorf("drew %v", rows)
	}
}

func TestErrors(t *testing.T) {
	if _, err := At(t.Context(), iris(), "specie"); err == nil || !strings.Contains(err.Error(), `"specie"`) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := At(ctx, iris(), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := at(t, iris(), "").Print(full{}); err == nil {
		t.Error("no error for a full disk")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

// TestNoTarget: a table without classes can be analysed.
func TestNoTarget(t *testing.T) {
	tt := iris()
	tt.Columns = tt.Columns[:4]
	for i := range tt.Columns[3].Numbers {
		tt.Columns[3].Numbers[i] += float64(i) / 1000
	}
	f := at(t, tt, "")
	if f.Target != nil || f.TargetColumn >= 0 || len(f.Classes) > 0 || len(f.Columns[0].Histogram.Counts) != 1 {
		t.Errorf("%+v", f)
	}
	if text := printed(t, f); !strings.Contains(text, "name the target") || strings.Contains(text, "by class") {
		t.Error(text)
	}
	b, err := json.Marshal(f)
	if err != nil || !strings.Contains(string(b), `"target":null`) {
		t.Errorf("%s, %v", b, err)
	}
	for _, tt := range []*table.Table{{}, {Rows: 0, Columns: []table.Column{num("x")}},
		tab(num("x", math.NaN(), math.Inf(1))), tab(num("x", 5))} {
		f := at(t, tt, "")
		if _, err := json.Marshal(f); err != nil {
			t.Error(err)
		}
		printed(t, f)
	}
}

// TestJSON: the keys that other programs rely on do not change.
func TestJSON(t *testing.T) {
	tt := messy(100)
	tt.Dialect = table.Dialect{Separator: ";", Quote: `"`, Escape: `"`, Decimal: ",", Encoding: "latin-1",
		Header: true}
	b, err := json.Marshal(at(t, tt, ""))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Dialect  map[string]any
		Rows     int
		Columns  []map[string]any
		Target   string
		Warnings []struct {
			Code, Text string
			Columns    []string
		}
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if want := map[string]any{"separator": ";", "quote": `"`, "escape": `"`, "decimal": ",",
		"encoding": "latin-1", "header": true}; !reflect.DeepEqual(got.Dialect, want) {
		t.Errorf("dialect %v", got.Dialect)
	}
	if got.Rows != 100 || len(got.Columns) != 13 || got.Target != "species" || len(got.Warnings) < 5 {
		t.Errorf("%+v", got)
	}
	for _, w := range got.Warnings {
		if w.Code == "" || !strings.HasSuffix(w.Text, ".") {
			t.Errorf("warning %+v", w)
		}
	}
	for _, c := range got.Columns {
		for _, key := range []string{"name", "kind", "missing", "distinct"} {
			if c[key] == nil {
				t.Errorf("column %v lacks %s", c, key)
			}
		}
	}
}

// TestPrintIsPlain: lines have at most 80 characters, and texts of the table cannot control a terminal.
func TestPrintIsPlain(t *testing.T) {
	hostile := "\x1b[31mred\x1b[0m\nnext\u202e \x00" + strings.Repeat("long ", 40)
	many := noise(100, 30)
	many.Columns[30] = cat("class", table.Category,
		texts100(func(i int) string { return fmt.Sprint(hostile, i%12) })...)
	many.Columns[3].Name = hostile
	many.Name, many.Reading, many.Notes = hostile, hostile, []table.Finding{{Code: "hostile", Texts: []string{hostile}}}
	for i := range many.Columns[4].Numbers {
		many.Columns[4].Numbers[i] *= 1e12
		many.Columns[5].Numbers[i] *= 1e-12
		many.Columns[6].Numbers[i] = math.Round(many.Columns[6].Numbers[i])
	}
	odd := tab(num(hostile, 1, 1, 2, 3), table.Column{Name: "t", Kind: table.Date, Numbers: []float64{0, 3600,
		7200, 10}}, cat(hostile+"c", table.Category, hostile, "b", "b", ""), cat("class", table.Category, "a", "b",
		"a", "b"))
	for _, tt := range []*table.Table{many, odd, messy(400)} {
		f := at(t, tt, "")
		text := printed(t, f)
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > pageWidth && strings.Contains(line[10:], " ") &&
				!strings.HasPrefix(line, "  ") {
				t.Errorf("%d characters: %s", n, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("trailing blanks: %q", line)
			}
		}
		if strings.ContainsAny(text, "\x1b\x00\u202e") {
			t.Errorf("control character in %q", text)
		}
	}
	if text := printed(t, at(t, many, "")); !strings.Contains(text, "histograms of the 6 largest classes, "+
		"the 20 most informative columns") {
		t.Error(text)
	}
}

func texts100(text func(i int) string) []string { return texts200(text)[:100] }

// TestManyClasses: with many classes, histograms are not split by class; with very many, columns are not
// compared with the classes.
func TestManyClasses(t *testing.T) {
	f := at(t, noiseOf(5000, 200), "")
	if len(f.Classes) != 200 || len(f.Columns[0].Histogram.Counts) != 1 {
		t.Errorf("%d classes, %d histograms", len(f.Classes), len(f.Columns[0].Histogram.Counts))
	}
	f = at(t, noiseOf(50_000, 2000), "")
	if len(f.Classes) != 2000 || f.labels != nil || !strings.Contains(strings.Join(f.Notes, ""),
		"more than 1,000 classes") {
		t.Errorf("%d classes, notes %q", len(f.Classes), f.Notes)
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(-999), "-999"}, {number(0), "0"}, {number(12345.678), "12346"}, {number(1e12),
			"1e+12"}, {number(0.000012345), "1.23e-05"}, {number(3.14159), "3.142"},
		{rounded(-0.0001, 10), "0"}, {rounded(0.5, 10), "0.5"},
		{words.Share(1, 3), "33 %"}, {words.Share(1, 30), "3.3 %"}, {words.Share(1, 1e5), "under 0.1 %"}, {words.Share(99_999, 1e5),
			"over 99.9 %"}, {words.Share(0, 0), "0 %"}, {words.Share(3, 3), "100 %"},
		{missing(12, 400), "12 3%"}, {missing(123456, 1e6), "12%"}, {missing(0, 5), "0"}, {missing(123456, 1e8),
			"<1%"}, {missing(1e6, 1e6), "100%"},
		{flag("a,b"), "a,b"}, {flag("a b"), "'a b'"}, {flag("it's"), `'it'\''s'`}, {flag(""),
			"''"}, {flag("$(x)\n"), "'$(x) '"},
		{joined([]string{"a", "b", "c"}, 2), "a, b, c"}, {joined([]string{"a", "b", "c", "d"}, 2),
			"a, b and 2 more"},
		{blocks([]int{0, 1, 2, 3, 4, 5}), " ▁▂▃▅▇"}, {blocks(nil), ""}, {cell.Cut("abcdef", 4),
			"abc…"}, {words.CountOf(2, "class"), "2 classes"}, {words.Count(1234567), "1,234,567"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestHistogram: every value is counted, each integer has its own bin, and distant values are in the first or
// last bin.
func TestHistogram(t *testing.T) {
	whole := at(t, tab(num("x", 1, 2, 2, 3, 5)), "").Columns[0].Histogram
	if !slices.Equal(whole.Total(), []int{1, 2, 1, 0, 1}) || whole.Low != .5 || whole.High != 5.5 || whole.Cut {
		t.Errorf("%+v", whole)
	}
	values := make([]float64, 200)
	for i := range values {
		values[i] = float64(i) / 100
	}
	values[3] = 1e6
	far := at(t, tab(num("x", values...)), "").Columns[0].Histogram
	sum := 0
	for _, n := range far.Total() {
		sum += n
	}
	if sum != 200 || far.High > 10 || !far.Cut {
		t.Errorf("%d values in %+v", sum, far)
	}
	levels := make([]string, 0, 100)
	for i := range 100 {
		levels = append(levels, fmt.Sprint("l", i%20/(1+i%2)))
	}
	h := at(t, tab(cat("x", table.Category, levels...), num("y", values[:100]...)), "y").Columns[0].Histogram
	if len(h.Levels) != drawnLevels+1 || !h.Rest || h.Total()[0] < h.Total()[1] {
		t.Errorf("%+v", h)
	}
}
