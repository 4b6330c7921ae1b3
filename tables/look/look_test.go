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

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
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
	if err := f.Print(&b, table.Go); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestIris(t *testing.T) {
	f := at(t, iris(), "")
	if f.Rows != 150 || f.Target == nil || *f.Target != "species" || f.Refused != nil || f.Features != 4 {
		t.Errorf("%+v", f)
	}
	if want := []Class{{"setosa", 50}, {"versicolor", 50}, {"virginica", 50}}; !slices.Equal(f.Classes, want) {
		t.Errorf("classes %v", f.Classes)
	}
	c := f.Columns[0] // R: quantile(iris$Sepal.Length)
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
		for k, counts := range f.Columns[j].Histogram.Counts {
			if total(counts) != 50 {
				t.Errorf("histogram of column %d has %d rows of class %d", j, total(counts), k)
			}
		}
	}
}

// TestMessy: all mistakes of a messy table are found, whatever the order of its rows, which affects only the
// positions in warnings, and the JSON has the keys that other programs rely on.
func TestMessy(t *testing.T) {
	tt := messy(400)
	tt.Dialect = table.Dialect{Separator: ";", Quote: `"`, Escape: `"`, Decimal: ",", Encoding: "latin-1",
		Header: true}
	a := at(t, tt, "")
	var codes []string
	for _, w := range a.Warnings {
		codes = append(codes, string(w.Code))
	}
	if want := "unlabelled alike named-missing few imbalance sentinel faults alike dropped-id text constant date " +
		"collinear"; strings.Join(codes, " ") != want {
		t.Errorf("warnings %v, want %s", codes, want)
	}
	if c := a.Columns[7]; c.Faults != 1 || c.Missing != 0 {
		t.Errorf("wrong faults or missing cells: %+v", c)
	}
	for seed := range uint64(3) {
		b := at(t, permuted(tt, seed), "")
		if a.Duplicates != b.Duplicates || a.Conflicts != b.Conflicts || a.Features != b.Features ||
			!slices.Equal(a.Classes, b.Classes) {
			t.Errorf("%d, %d, %d, want %d, %d, %d", b.Duplicates, b.Conflicts, b.Features, a.Duplicates, a.Conflicts,
				a.Features)
		}
		for j := range a.Columns {
			x, y := a.Columns[j], b.Columns[j]
			for _, l := range [][2]*predictor{{&x.values, &y.values}, {&x.fills.both, &y.fills.both},
				{&x.fills.only, &y.fills.only}} {
				if math.Abs(l[0].logP-l[1].logP) > 1e-9*math.Abs(l[0].logP) {
					t.Errorf("chances %v and %v", l[0].logP, l[1].logP)
				}
				l[0].logP, l[1].logP = 0, 0
			}
			if !reflect.DeepEqual(x, y) {
				t.Errorf("%+v, want %+v", y, x)
			}
		}
		for k, w := range a.Warnings {
			v := b.Warnings[k]
			v.Row, v.Line, w.Row, w.Line = 0, 0, 0, 0
			if !reflect.DeepEqual(v, w) {
				t.Errorf("%v, want %v", v, w)
			}
		}
	}
	text, err := json.Marshal(a.Said(table.Go))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Dialect         table.Dialect
		Rows            int
		Columns         []map[string]any
		Target          string
		Notes, Warnings []struct {
			Code, Text string
			Columns    []string
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Dialect != tt.Dialect || got.Rows != 400 || len(got.Columns) != 13 || got.Target != "species" ||
		got.Notes == nil || len(got.Warnings) != len(a.Warnings) {
		t.Errorf("%+v", got)
	}
	for k, w := range got.Warnings {
		if w.Code != codes[k] || w.Text != table.Go.Say(a.Warnings[k]) || len(w.Columns) == 0 {
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

// TestDeterministic: repeated analyses give the same findings.
func TestDeterministic(t *testing.T) {
	tt := messy(20_000) // more than the rows of correlations
	a, b := at(t, tt, ""), at(t, tt, "")
	x, y := printed(t, a), printed(t, b)
	if x != y || a.Correlations.Rows != pairedRows {
		t.Errorf("%d rows:\n%s\n%s", a.Correlations.Rows, x, y)
	}
}

// TestInformation: a copy of the class has the information of its entropy, and noise has none.
func TestInformation(t *testing.T) {
	tt := noise(5000, 3)
	f := at(t, add(tt, named("copy", tt.Columns[3])), "")
	if got, entropy := f.Columns[3].Information, stat.Entropy([]float64{.5, .5}); math.Abs(got-entropy) > .005 {
		t.Errorf("a copy has %v of %v nats", got, entropy)
	}
	for j := range 3 {
		if got := f.Columns[j].Information; got > .003 {
			t.Errorf("noise has %v nats", got)
		}
	}
}

// TestCorrelation compares correlations with the formula, applied to the rows that have both values.
func TestCorrelation(t *testing.T) {
	tt := messy(400)
	r := &at(t, tt, "").Correlations
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
	if f.Classes[0].Rows+f.Classes[1].Rows != tt.Rows || f.Notes[0].Code != "some-rows" ||
		f.Notes[0].N != mostRows {
		t.Errorf("classes %v of %d rows; %v", f.Classes, tt.Rows, f.Notes)
	}
	if text := printed(t, f); !strings.Contains(text, "≥") {
		t.Error("the number of distinct values is not a lower bound")
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

func TestDraw(t *testing.T) {
	rows := Draw(1000, 100)
	if len(Draw(10, 10)) != 10 || len(rows) != 100 || !slices.IsSorted(rows) ||
		len(slices.Compact(slices.Clone(rows))) != 100 || rows[99] > 999 {
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
	if err := at(t, iris(), "").Print(full{}, table.Go); err == nil {
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
	if f.Target != nil || f.TargetColumn >= 0 || len(f.Classes) > 0 || len(f.Columns[0].Histogram.Counts) != 1 ||
		len(f.Notes) != 1 || f.Notes[0].Code != "no-target" || strings.Contains(printed(t, f), "by class") {
		t.Errorf("%+v", f)
	}
	for _, tt := range []*table.Table{tt, {}, {Rows: 0, Columns: []table.Column{num("x")}},
		tab(num("x", math.NaN(), math.Inf(1))), tab(num("x", 5))} {
		f := at(t, tt, "")
		if b, err := json.Marshal(f.Said(table.Go)); err != nil || !strings.Contains(string(b), `"target":`) {
			t.Errorf("%s, %v", b, err)
		}
		printed(t, f)
	}
}

// TestPrintIsPlain: lines have at most 80 characters, and texts of the table cannot control a terminal.
func TestPrintIsPlain(t *testing.T) {
	hostile := "\x1b[31mred\x1b[0m\nnext\u202e \x00" + strings.Repeat("long ", 40)
	many := noise(100, 30)
	var classes []string
	for i := range 100 {
		classes = append(classes, fmt.Sprint(hostile, i%12))
	}
	many.Columns[30] = cat("class", table.Category, classes...)
	many.Columns[3].Name = hostile
	many.Name, many.Reading = hostile, hostile
	for i := range many.Columns[4].Numbers {
		many.Columns[4].Numbers[i] *= 1e12
		many.Columns[5].Numbers[i] *= 1e-12
		many.Columns[6].Numbers[i] = math.Round(many.Columns[6].Numbers[i])
	}
	odd := tab(num(hostile, 1, 1, 2, 3), table.Column{Name: "t", Kind: table.Date, Numbers: []float64{0, 3600,
		7200, 10}}, cat(hostile+"c", table.Category, hostile, "b", "b", ""), cat("class", table.Category, "a", "b",
		"a", "b"))
	for _, tt := range []*table.Table{many, odd, messy(400)} {
		text := printed(t, at(t, tt, ""))
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

// TestManyClasses: with many classes, histograms are not split by class; with very many, columns are not
// compared with the classes.
func TestManyClasses(t *testing.T) {
	f := at(t, noiseOf(5000, 200), "")
	if len(f.Classes) != 200 || len(f.Columns[0].Histogram.Counts) != 1 {
		t.Errorf("%d classes, %d histograms", len(f.Classes), len(f.Columns[0].Histogram.Counts))
	}
	f = at(t, noiseOf(50_000, 2000), "")
	if len(f.Classes) != 2000 || f.by.classes > 0 || len(f.Notes) != 1 || f.Notes[0].Code != "many-classes" {
		t.Errorf("%d classes, notes %q", len(f.Classes), f.Notes)
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{rounded(-0.0001, 10), "0"}, {rounded(0.5, 10), "0.5"}, {rounded(12345.678, 12345), "12346"},
		{rounded(1e12, 1), "1e+12"}, {rounded(0.000012345, 1e-5), "1.23e-05"}, {rounded(3.14159, 3), "3.142"},
		{missing(12, 400), "12 3%"}, {missing(123456, 1e6), "12%"}, {missing(0, 5), "0"},
		{missing(123456, 1e8), "<1%"}, {missing(1e6, 1e6), "100%"},
		{blocks([]int{0, 1, 2, 3, 4, 5}), " ▁▂▃▅▇"}, {blocks(nil), ""},
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
	far := at(t, sentinelled(1e6, 1, wobble), "").Columns[2].Histogram
	if total(far.Total()) != 200 || far.High > 100 || !far.Cut {
		t.Errorf("%+v", far)
	}
	h := at(t, with(levels(numbered("l", func(i int) int { return i % 20 / (1 + i%2) }))),
		"").Columns[2].Histogram
	if len(h.Levels) != drawnLevels+1 || !h.Rest || h.Total()[0] < h.Total()[1] || total(h.Total()) != 200 {
		t.Errorf("%+v", h)
	}
}

// num returns a column of numbers.
func num(name string, values ...float64) table.Column {
	return table.Column{Name: name, Kind: table.Number, Numbers: values}
}

// cat returns a column of texts, in which "" is missing.
func cat(name string, kind table.Kind, texts ...string) table.Column {
	levels := slices.Clone(texts)
	slices.Sort(levels)
	levels = slices.DeleteFunc(slices.Compact(levels), func(s string) bool { return s == "" })
	c := table.Column{Name: name, Kind: kind, Levels: levels}
	for _, s := range texts {
		code, ok := slices.BinarySearch(levels, s)
		if !ok {
			code = -1
		}
		c.Codes = append(c.Codes, int32(code))
	}
	return c
}

// tab returns a table with the given columns.
func tab(columns ...table.Column) *table.Table {
	return &table.Table{Name: "made.csv", Rows: columns[0].Len(), Columns: columns}
}

// iris returns the embedded iris data as a table.
func iris() *table.Table {
	set, err := data.Load("iris")
	if err != nil {
		panic(err)
	}
	t := &table.Table{Name: "iris.csv", Rows: set.N(), Reading: "comma"}
	for j, name := range set.Features {
		values := make([]float64, set.N())
		for i := range values {
			values[i] = set.X.At(i, j)
		}
		t.Columns = append(t.Columns, num(name, values...))
	}
	labels := make([]string, set.N())
	for i, k := range set.T {
		labels[i] = set.Classes[k]
	}
	t.Columns = append(t.Columns, cat("species", table.Category, labels...))
	return t
}

// noise returns a table with d columns of random numbers and the random classes a and b.
func noise(rows, d int) *table.Table {
	random := rand.New(rand.NewPCG(1, 2))
	t := &table.Table{Name: "noise.csv", Rows: rows}
	for j := range d {
		values := make([]float64, rows)
		for i := range values {
			values[i] = random.NormFloat64()
		}
		t.Columns = append(t.Columns, num("x"+string(rune('a'+j%26))+string(rune('a'+j/26)), values...))
	}
	labels := make([]string, rows)
	for i := range labels {
		labels[i] = []string{"a", "b"}[random.IntN(2)]
	}
	t.Columns = append(t.Columns, cat("class", table.Category, labels...))
	return t
}

// permuted returns the table with its rows in random order.
func permuted(t *table.Table, seed uint64) *table.Table {
	order := rand.New(rand.NewPCG(seed, 1)).Perm(t.Rows)
	p := *t
	p.Columns = slices.Clone(t.Columns)
	for j := range p.Columns {
		c := &p.Columns[j]
		numbers, codes := c.Numbers, c.Codes
		c.Numbers, c.Codes = slices.Clone(numbers), slices.Clone(codes)
		for to, from := range order {
			if numbers != nil {
				c.Numbers[to] = numbers[from]
			}
			if codes != nil {
				c.Codes[to] = codes[from]
			}
		}
		c.Faults = slices.Clone(c.Faults)
		for k := range c.Faults {
			c.Faults[k].Row = slices.Index(order, c.Faults[k].Row)
		}
	}
	return &p
}

// messy returns a table with columns of all kinds and many mistakes.
func messy(rows int) *table.Table {
	random := rand.New(rand.NewPCG(3, 4))
	var length, width, twin, income, joined, smoker, odd []float64
	var island, sex, notes, uid, species []string
	for i := range rows {
		k := random.IntN(3)
		if random.Float64() < .4 {
			k = 0
		}
		x := 40 + 5*float64(k) + 3*random.NormFloat64()
		length = append(length, math.Round(10*x)/10)
		width = append(width, math.Round(10*(20-2*float64(k)+random.NormFloat64()))/10)
		twin = append(twin, math.Round(10*x)/10*2.54)
		income = append(income, math.Round(math.Exp(10+random.NormFloat64())))
		joined = append(joined, 1.5e9+86400*float64(random.IntN(900)))
		smoker = append(smoker, float64(random.IntN(2)))
		odd = append(odd, random.NormFloat64())
		island = append(island, []string{"Biscoe", "Dream", "Torgersen", "dream "}[min(random.IntN(9)/2, 3)])
		sex = append(sex, []string{"f", "m", ""}[min(random.IntN(21)/10, 2)])
		notes = append(notes, fmt.Sprint("note ", random.IntN(1<<20), " of a visit to the colony"))
		uid = append(uid, fmt.Sprint("N", i+1))
		species = append(species, []string{"Adelie", "Chinstrap", "Gentoo"}[k])
		if random.IntN(30) == 0 {
			width[i] = math.NaN()
		}
		if random.IntN(40) == 0 {
			income[i] = -999
		}
		if random.IntN(50) == 0 {
			species[i] = "gentoo"
		}
		if random.IntN(90) == 0 {
			species[i] = ""
		}
	}
	odd[rows/2] = math.NaN()
	species[1], species[2] = "none", "none"
	t := tab(cat("id", table.ID, uid...), num("bill length (mm)", length...), num("bill width", width...),
		num("length, inches", twin...),
		num("income", income...), table.Column{Name: "joined", Kind: table.Date, Numbers: joined},
		table.Column{Name: "smoker", Kind: table.Boolean, Numbers: smoker, Levels: []string{"no", "yes"}},
		num("odd", odd...), cat("island", table.Category, island...), cat("sex", table.Category,
			sex...), cat("notes", table.Text, notes...),
		num("always", slices.Repeat([]float64{1}, rows)...), cat("species", table.Category, species...))
	t.Columns[7].Faults = []table.Fault{{Row: rows / 2, Line: rows/2 + 2, Text: "12,5"}}
	t.Reading = "semicolon, decimal comma, Latin-1"
	return t
}
