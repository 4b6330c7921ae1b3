package recipe_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

var (
	bg  = context.Background()
	nan = math.NaN()
)

func num(name string, v ...float64) table.Column {
	return table.Column{Name: name, Kind: table.Number, Numbers: v}
}

// text returns a column of texts, in which "" is missing.
func text(name string, kind table.Kind, cells ...string) table.Column {
	c := table.Column{Name: name, Kind: kind}
	for _, s := range cells {
		if s != "" && !slices.Contains(c.Levels, s) {
			c.Levels = append(c.Levels, s)
		}
	}
	slices.Sort(c.Levels)
	for _, s := range cells {
		c.Codes = append(c.Codes, int32(slices.Index(c.Levels, s)))
	}
	return c
}

func cat(name string, cells ...string) table.Column { return text(name, table.Category, cells...) }

// flag returns a boolean column with the texts zero and one, in which NaN is missing.
func flag(name, zero, one string, v ...float64) table.Column {
	return table.Column{Name: name, Kind: table.Boolean, Numbers: v, Levels: []string{zero, one}}
}

func date(name string, days ...float64) table.Column {
	c := table.Column{Name: name, Kind: table.Date}
	for _, d := range days {
		c.Numbers = append(c.Numbers, d*86400)
	}
	return c
}

func tab(columns ...table.Column) *table.Table {
	return &table.Table{Name: "t.csv", Rows: columns[0].Len(), Columns: columns}
}

func all(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func fit(t testing.TB, tb *table.Table, target int, rows []int) *recipe.Recipe {
	t.Helper()
	r, err := recipe.Fit(tb, target, rows)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func encode(t testing.TB, r *recipe.Recipe, tb *table.Table) (*mat.Dense, []error) {
	t.Helper()
	x, unusable, err := r.Encode(nil, tb, all(tb.Rows))
	if err != nil {
		t.Fatal(err)
	}
	return x, unusable
}

// mixed returns a random table of n rows with every kind of column.
func mixed(rng *rand.Rand, n int) *table.Table {
	number := num("number")
	var days []float64
	flags := flag("flag", "no", "yes")
	var cells, class, ids, notes []string
	for i := range n {
		number.Numbers = append(number.Numbers, rng.NormFloat64()*1e3)
		days = append(days, float64(rng.IntN(20000)))
		flags.Numbers = append(flags.Numbers, float64(rng.IntN(2)))
		cells = append(cells, "level "+strconv.Itoa(int(rng.ExpFloat64()*3)))
		class = append(class, string(rune('a'+rng.IntN(3))))
		ids = append(ids, "id"+strconv.Itoa(i))
		notes = append(notes, "note "+strconv.Itoa(rng.Int()))
		for _, list := range [][]float64{number.Numbers, days, flags.Numbers} {
			if rng.IntN(5) == 0 {
				list[i] = nan
			}
		}
		if rng.IntN(5) == 0 {
			cells[i] = ""
		}
	}
	return tab(text("key", table.ID, ids...), number, date("day", days...), flags, cat("group", cells...),
		text("note", table.Text, notes...), cat("class", class...))
}

func TestFit(t *testing.T) {
	tb := tab(
		num("n", 1, 2, 4, 100, nan, 7, 8, 9),
		num("whole", 1, 2, 3, 4, 5, 6, 7, 8),
		date("d", 10, 20, nan, 30, 40, 50, 60, 70),
		flag("b", "FALSE", "TRUE", 1, 1, 1, 0, nan, 0, 0, 0),
		cat("c", "x", "x", "x", "x", "x", "y", "other", ""),
		cat("constant", "x", "x", "x", "x", "x", "x", "y", "y"),
		cat("rare", "p", "q", "r", "s", "p", "q", "r", "s"),
		text("k", table.ID, "1", "2", "3", "4", "5", "6", "7", "8"),
		text("note", table.Text, "1", "2", "3", "4", "5", "6", "7", "8"),
		num("empty", nan, nan, nan, nan, nan, nan, nan, nan),
		cat("class", "a", "b", "a", "b", "a", "b", "a", "b"),
	)
	got := fit(t, tb, 10, []int{0, 1, 2, 3, 4, 5})
	want := &recipe.Recipe{
		Target: "class", ID: []string{"k"}, Unused: []string{"constant", "rare", "note", "empty"},
		Columns: []recipe.Column{
			// the outlier 100 does not affect the median
			{Name: "n", Kind: "number", Fill: 4, Missing: true, Levels: []string{}, Range: []float64{1, 100},
				Absent: 1. / 6, Quantiles: []float64{1, 2, 4, 7, 100}, Below: []int{1, 2, 3, 4, 5}},
			{Name: "whole", Kind: "number", Fill: 3.5, Levels: []string{}, Range: []float64{1, 6},
				Quantiles: []float64{1, 2, 3, 4, 5, 6}, Below: []int{1, 2, 3, 4, 5, 6}},
			{Name: "d", Kind: "date", Fill: 30 * 86400, Missing: true, Levels: []string{}, Range: []float64{10 * 86400,
				50 * 86400}, Absent: 1. / 6,
				Quantiles: []float64{10 * 86400, 20 * 86400, 30 * 86400, 40 * 86400, 50 * 86400}, Below: []int{1, 2, 3, 4,
					5}},
			{Name: "b", Kind: "boolean", Fill: 1, Missing: true, Levels: []string{"FALSE", "TRUE"}, Absent: 1. / 6,
				Counts: []int{2, 3}},
			{Name: "c", Kind: "category", Levels: []string{"x"}, Others: []string{"y"}, Counts: []int{5, 1}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	features := []string{"n", "n missing", "whole", "d", "d missing", "b", "b missing", "c=x", "c=other"}
	if !slices.Equal(got.Features(), features) || got.Width() != len(features) {
		t.Errorf("%v", got.Features())
	}
	if from := got.Sources(); !slices.Equal(from, []int{0, 0, 1, 2, 2, 3, 3, 4, 4}) {
		t.Errorf("%v", from)
	}
	x, unusable := encode(t, got, tb)
	if unusable != nil {
		t.Fatal(unusable)
	}
	for i, want := range map[int][]float64{
		0: {1, 0, 1, 10 * 86400, 0, 1, 0, 1, 0},
		2: {4, 0, 3, 30 * 86400, 1, 1, 0, 1, 0},
		4: {4, 1, 5, 40 * 86400, 0, 1, 1, 1, 0},
		5: {7, 0, 6, 50 * 86400, 0, 0, 0, 0, 1}, // unseen
		6: {8, 0, 7, 60 * 86400, 0, 0, 0, 0, 1}, // the text "other"
		7: {9, 0, 8, 70 * 86400, 0, 0, 0, 0, 1}, // missing, without a feature for it
	} {
		if !slices.Equal(x.RawRowView(i), want) {
			t.Errorf("row %d: %v, want %v", i, x.RawRowView(i), want)
		}
	}
	if cells := got.Cells(x.RawRowView(0)); !slices.Equal(cells, []string{"1", "1", "1970-01-11", "TRUE", "x"}) {
		t.Errorf("%q", cells)
	}
	if cells := got.Cells(x.RawRowView(4)); !slices.Equal(cells, []string{"", "5", "1970-02-10", "", "x"}) {
		t.Errorf("%q", cells)
	}
	if cells := got.Cells(x.RawRowView(5)); !slices.Equal(cells, []string{"7", "6", "1970-02-20", "FALSE",
		"other"}) {
		t.Errorf("%q", cells)
	}
	rounded := slices.Clone(x.RawRowView(0))
	rounded[3] -= 1e-6 // a rounding error of scaling and back
	if cells := got.Cells(rounded); cells[2] != "1970-01-11" {
		t.Errorf("%q", cells)
	}
	if id := got.Identify(tb, 3); id != "4" {
		t.Errorf("id %q", id)
	}
	if err := got.Check(); err != nil {
		t.Error(err)
	}
	kinds := map[string]table.Kind{}
	for _, c := range got.Like() {
		kinds[c.Name] = c.Kind
	}
	if !maps.Equal(kinds, map[string]table.Kind{"n": table.Number, "whole": table.Number, "d": table.Date,
		"b": table.Boolean, "c": table.Category}) {
		t.Error(kinds)
	}
	// A median does not overflow.
	if r := fit(t, tab(num("n", 1.5e308, 1.7e308), cat("class", "a", "b")), 1,
		all(2)); r.Columns[0].Fill != 1.6e308 {
		t.Errorf("%v", r.Columns[0].Fill)
	}
}

// A category keeps its 50 most frequent levels.
func TestFitManyLevels(t *testing.T) {
	var cells []string
	for level := range 60 {
		for range 5 + level%3 {
			cells = append(cells, fmt.Sprintf("%02d", level))
		}
	}
	r := fit(t, tab(cat("c", cells...), cat("class", cells...)), 1, all(len(cells)))
	if n := len(r.Columns[0].Levels); n != 50 || !slices.IsSorted(r.Columns[0].Levels) ||
		slices.Contains(r.Columns[0].Levels, "57") || !slices.Contains(r.Columns[0].Levels, "58") {
		t.Errorf("%d levels: %v", n, r.Columns[0].Levels)
	}
}

// A level with the name "other" has no feature of its own, so that the names of features are unique.
func TestFitOther(t *testing.T) {
	cells := append(slices.Repeat([]string{"other"}, 5), slices.Repeat([]string{"x"}, 5)...)
	r := fit(t, tab(cat("c", cells...), cat("class", cells...)), 1, all(10))
	x, _ := encode(t, r, tab(cat("c", "other", "new", "x")))
	if got := r.Features(); !slices.Equal(got, []string{"c=x", "c=other"}) || !slices.Equal(x.RawMatrix().Data,
		[]float64{0, 1, 0, 1, 1, 0}) {
		t.Errorf("%q %v", got, x)
	}
}

// Features of different columns have different names.
func TestFeaturesDistinct(t *testing.T) {
	x := []string{"x", "x", "x", "x", "x", ""}
	r := fit(t, tab(cat("a", x...), num("a=x", 1, 2, 3, 4, 5, 6), num("a missing", 1, 2, 3, 4, 5, 6),
		cat("class", x...)), 3, all(6))
	if got := r.Features(); !slices.Equal(got, []string{"a=x", "a=other", "a missing", "a=x (2)",
		"a missing (2)"}) {
		t.Errorf("%q", got)
	}
}

// codeOf returns the code of the finding in an error.
func codeOf(err error) table.Code {
	f, _ := errors.AsType[table.Finding](err)
	return f.Code
}

func TestFitFaults(t *testing.T) {
	bad := num("age", 1, nan, 3)
	bad.Faults = []table.Fault{{Row: 1, Line: 7, Text: "old"}}
	class := cat("class", "a", "b", "a")
	_, err := recipe.Fit(tab(num("n", 1, 2, 3), bad, class), 2, all(3))
	f, ok := errors.AsType[table.Finding](err)
	if want := []string{"number", "old"}; !ok || !errors.Is(err, recipe.ErrNotKind) ||
		f.Code != texts.WrongKind ||
		f.Column != "age" || f.Row != 2 || f.Line != 7 || !slices.Equal(f.Texts, want) ||
		!strings.HasPrefix(err.Error(), "tables: t.csv: line 7, row 2, column 2 (age): ") {
		t.Errorf("%v: %+v", err, f)
	}
	bad.Faults[0].Text = "<0.5"
	if _, err := recipe.Fit(tab(bad, class), 1, all(3)); codeOf(err) != texts.LimitCell {
		t.Errorf("%v", err)
	}
	if _, err := recipe.Fit(tab(bad, class), 1, []int{0, 2}); err != nil {
		t.Errorf("a fault in another row: %v", err)
	}
	if _, err := recipe.Fit(tab(num("n", 1, math.Inf(1), 2), class), 1, all(3)); !errors.Is(err,
		recipe.ErrNotKind) || !strings.Contains(err.Error(), `row 2, column 1 (n)`) ||
		!strings.Contains(err.Error(), `"+Inf"`) {
		t.Errorf("%v", err)
	}
	if _, err := recipe.Fit(tab(text("k", table.ID, "1", "2", "3"), class), 1, all(3)); !errors.Is(err,
		recipe.ErrNoFeatures) {
		t.Errorf("%v", err)
	}
	if _, err := recipe.Fit(tab(num("n", 1, 2, 3), num("n", 1, 2, 3), class), 2, all(3)); err == nil ||
		!strings.Contains(err.Error(), `columns[1].name: duplicate name "n"`) {
		t.Errorf("%v", err)
	}
}

// Rows are encoded independently of each other. The order of the columns does not matter, and additional
// columns are ignored.
func TestEncodeLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		n := 1 + rng.IntN(1200)
		tb := mixed(rng, n)
		r, err := recipe.Fit(tb, tb.Find("class"), all(n)[:1+rng.IntN(n)])
		if err != nil { // every value is missing
			continue
		}
		x, unusable := encode(t, r, tb)
		for range 20 {
			i := rng.IntN(n)
			one, reasons, err := r.Encode(nil, tb, []int{i})
			if err != nil || fmt.Sprint(one.RawRowView(0)) != fmt.Sprint(x.RawRowView(i)) ||
				(reasons != nil) != (unusable != nil && unusable[i] != nil) {
				t.Fatalf("row %d alone: %v %v %v, in the table %v", i, one, reasons, err, x.RawRowView(i))
			}
		}
		other := &table.Table{Name: tb.Name, Rows: n, Columns: append(slices.Clone(tb.Columns),
			num("more", make([]float64, n)...))}
		rng.Shuffle(len(other.Columns), func(i, j int) {
			other.Columns[i], other.Columns[j] = other.Columns[j], other.Columns[i]
		})
		if y, _ := encode(t, r, other); fmt.Sprint(x.RawMatrix()) != fmt.Sprint(y.RawMatrix()) {
			t.Fatal("the samples depend on the order of the columns")
		}
		// The recipe of the training rows alone does not see the others.
		if len(r.Columns) > 0 && r.Columns[0].Kind == "number" {
			rows := all(n)[:n/2+1]
			a, errA := recipe.Fit(tb, tb.Find("class"), rows)
			spoilt := mixed(rng, n)
			for j := range spoilt.Columns {
				c, from := &spoilt.Columns[j], &tb.Columns[j]
				if c.Kind.Numeric() {
					copy(c.Numbers, from.Numbers[:n/2+1])
				} else {
					cells := make([]string, n)
					for i := range cells {
						if cells[i] = c.Text(i); i <= n/2 {
							cells[i] = from.Text(i)
						}
					}
					*c = text(c.Name, c.Kind, cells...)
				}
			}
			if b, errB := recipe.Fit(spoilt, tb.Find("class"), rows); !reflect.DeepEqual(a, b) ||
				(errA == nil) != (errB == nil) {
				t.Fatalf("%+v and %+v", a, b)
			}
		}
	}
}

func TestEncodeUnusable(t *testing.T) {
	train := tab(num("n", 1, 2, 3, 4, 5, 6), flag("b", "no", "yes", 0, 1, 0, 1, 0, 1),
		cat("c", "x", "x", "x", "x", "x", "y"), cat("class", "a", "b", "a", "b", "a", "b"))
	r := fit(t, train, 3, all(6))
	bad := num("n", nan, 2, nan, math.Inf(-1), 1)
	bad.Faults = []table.Fault{{Row: 0, Line: 3, Text: "1,5"}}
	x, unusable := encode(t, r, tab(bad, cat("b", "no", "maybe", "", "yes", "YES"), cat("c", "x", "x", "", "x",
		"new")))
	for i, want := range []struct {
		is    error
		say   string
		texts []string
	}{
		{recipe.ErrNotKind, "line 3, row 1, column 1 (n): ", []string{"number", "1,5"}},
		{recipe.ErrNotKind, "row 2, column 2 (b): ", []string{"boolean", "maybe"}},
		{recipe.ErrNoValue, "row 3: ", nil},
		{recipe.ErrNotKind, "row 4, column 1 (n): ", []string{"number", "-Inf"}},
		{nil, "", nil},
	} {
		if want.is == nil {
			if unusable[i] != nil || !slices.Equal(x.RawRowView(i), []float64{1, 1, 0, 1}) {
				t.Errorf("row %d: %v, %v", i, unusable[i], x.RawRowView(i))
			}
			continue
		}
		f, _ := errors.AsType[table.Finding](unusable[i])
		if !errors.Is(unusable[i], want.is) || !strings.HasPrefix(unusable[i].Error(),
			"tables: t.csv: "+want.say) ||
			!slices.Equal(f.Texts, want.texts) || !math.IsNaN(x.At(i, 0)) || !math.IsNaN(x.At(i, 3)) {
			t.Errorf("row %d: %v, want %s; %v", i, unusable[i], want.say, x.RawRowView(i))
		}
	}
	_, _, err := r.Encode(nil, tab(num("n", 1), num("N", 1)), []int{0})
	if f, _ := errors.AsType[table.Finding](err); !errors.Is(err, recipe.ErrNoColumn) ||
		!slices.Equal(f.Columns, []string{"b", "c"}) || !slices.Equal(f.Texts, []string{"n", "N"}) {
		t.Error(err)
	}
	if x, unusable, err := r.Encode(nil, train, nil); err != nil || unusable != nil || !x.IsEmpty() {
		t.Error(x, unusable, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a destination of the wrong shape")
		}
	}()
	_, _, _ = r.Encode(mat.NewDense(6, 3, nil), train, all(6))
}

// A column of a new file may differ in kind from the training file.
func TestEncodeOtherKinds(t *testing.T) {
	one := func(c table.Column) *table.Table { return tab(c) }
	for _, tt := range []struct {
		about string
		train table.Column
		other table.Column
		want  []float64 // of the first feature; NaN: not of the kind
	}{
		{"TRUE and FALSE for 0 and 1", flag("v", "0", "1", 0, 1, 0, 1, 1), flag("v", "FALSE", "TRUE", 0, 1),
			[]float64{0, 1}},
		{"0 and 1 for no and yes", flag("v", "no", "yes", 0, 1, 0, 1, 1), flag("v", "0", "1", 0, 1),
			[]float64{0, 1}},
		{"numbers for a boolean", flag("v", "F", "T", 0, 1, 0, 1, 1), num("v", 1, 1, 0, 2),
			[]float64{1, 1, 0, nan}},
		{"numbers for the boolean 1 and 2", flag("v", "1", "2", 0, 1, 0, 1, 1), num("v", 1, 2, 0),
			[]float64{0, 1, nan}},
		{"texts of numbers for a boolean", flag("v", "0", "1", 0, 1, 0, 1, 1), cat("v", "1.0", "0.0", "1e0", "true",
			"2"), []float64{1, 0, 1, 1, nan}},
		{"one text of a boolean", flag("v", "female", "male", 0, 1, 0, 1, 1), cat("v", "male", "Female", "yes"),
			[]float64{1, 0, nan}},
		{"switched texts", flag("v", "no", "yes", 0, 1, 0, 1, 1), flag("v", "yes", "no", 0, 1), []float64{1, 0}},
		{"a boolean for numbers", num("v", 0, 1, 2, 3, 4), flag("v", "0", "1", 0, 1), []float64{0, 1}},
		{"texts for numbers", num("v", 0, 1, 2, 3, 4), cat("v", "1.5", "x", "-2e3", "Inf", "NaN", "1e999"),
			[]float64{1.5, nan, -2000, nan, 2, nan}},
		{"ids for numbers", num("v", 0, 1, 2, 3, 4), text("v", table.ID, "17", "18"), []float64{17, 18}},
		{"dates for numbers", num("v", 0, 1, 2, 3, 4), date("v", 1), []float64{nan}},
		{"numbers for dates", date("v", 1, 2, 3, 4, 5), num("v", 2020), []float64{nan}},
		{"texts for dates", date("v", 1, 2, 3, 4, 5), cat("v", "1970-01-03", "1970-01-01T00:00:05",
			"1970-01-01 00:01:00", "1970-01-01T01:00:00+01:00", "soon"), []float64{2 * 86400, 5, 60, 0, nan}},
		{"all missing", num("v", 0, 1, 2, 3, 4), cat("v", "", ""), []float64{2, 2}},
	} {
		train := tab(tt.train, num("w", 1, 2, 3, 4, 5), cat("class", "a", "b", "a", "b", "a"))
		r := fit(t, train, 2, all(5))
		tb := one(tt.other)
		tb.Columns = append(tb.Columns, num("w", make([]float64, tb.Rows)...))
		x, unusable := encode(t, r, tb)
		for i, want := range tt.want {
			if got := x.At(i, 0); got != want && !(math.IsNaN(got) && math.IsNaN(want)) ||
				math.IsNaN(want) != (unusable != nil && errors.Is(unusable[i], recipe.ErrNotKind)) {
				t.Errorf("%s: row %d: %v, want %v; %v", tt.about, i, got, want, unusable)
			}
		}
	}
	// The levels of a category: 0 is "01", 1 is "1", 2 is "TRUE", 3 is "x", and 4 is other.
	var cells []string
	for range 5 {
		cells = append(cells, "01", "1", "TRUE", "x")
	}
	r := fit(t, tab(cat("v", cells...), cat("class", cells...)), 1, all(20))
	for _, tt := range []struct {
		other table.Column
		want  []int
	}{
		{num("v", 1, 2), []int{1, 4}},
		{flag("v", "FALSE", "TRUE", 0, 1), []int{4, 2}},
		{text("v", table.ID, "01", "x", "y"), []int{0, 3, 4}},
		{cat("v", "1.0", "001", "2.0", "1.x"), []int{1, 1, 4, 4}},
		{date("v", 3), []int{4}},
	} {
		x, _ := encode(t, r, one(tt.other))
		for i, want := range tt.want {
			if row := x.RawRowView(i); slices.Index(row, 1) != want {
				t.Errorf("%v: row %d: %v", tt.other, i, row)
			}
		}
	}
	// If "01" is the only level that is the number 1, 1 is read as "01".
	r = fit(t, tab(cat("v", "01", "01", "01", "01", "01", "x"), cat("class", "a", "b", "a", "b", "a", "b")), 1,
		all(6))
	if x, _ := encode(t, r, one(num("v", 1))); x.At(0, 0) != 1 {
		t.Error("01 is not 1")
	}
}

// Two samples that differ in one category or boolean, or by one standard deviation of a number, have the
// squared distance 1.
func TestScalingDistance(t *testing.T) {
	tb := tab(
		num("n", 0, 3, 6, 9, 12, 1, 2, 3, 4, 5),
		flag("b", "no", "yes", 0, 1, 0, 1, 1, 0, 1, 0, 1, 1),
		cat("c", "x", "x", "x", "x", "x", "y", "y", "y", "y", "y"),
		cat("m", "x", "x", "x", "x", "x", "y", "y", "y", "y", ""),
		flag("bm", "no", "yes", 0, 1, 0, 1, 1, 0, 1, 0, 1, nan),
		cat("class", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b"),
	)
	s, err := recipe.Prepare(bg, tb, "class", nil)
	if err != nil {
		t.Fatal(err)
	}
	sd := s.Scale[0]
	base := map[string]any{"n": 1.0, "b": "no", "c": "x", "m": "x", "bm": "no"}
	at := func(column string, v any) []float64 {
		row := map[string]any{}
		for k, v := range base {
			row[k] = v
		}
		if column != "" {
			row[column] = v
		}
		x, err := s.Recipe.EncodeRow(row)
		if err != nil {
			t.Fatal(err)
		}
		for j := range x {
			x[j] = (x[j] - s.Mean[j]) / s.Scale[j]
		}
		return x
	}
	from := at("", nil)
	for _, tt := range []struct {
		column string
		v      any
	}{{"n", 1 + sd}, {"b", "yes"}, {"c", "y"}, {"c", "unseen"}, {"c", nil}, {"m", nil}, {"m", "y"},
		{"bm", "yes"}} {
		var squared float64
		for j, v := range at(tt.column, tt.v) {
			squared += (v - from[j]) * (v - from[j])
		}
		if math.Abs(squared-1) > 1e-12 {
			t.Errorf("%s = %v: squared distance %v", tt.column, tt.v, squared)
		}
	}
}

// Part keeps the features of all samples and uses the statistics of its own rows.
func TestPart(t *testing.T) {
	tb := tab(num("x", 1, 2, 6, 4, nan, 8), num("late", 5, 5, 5, 5, 5, 9), num("once", nan, nan, nan, nan, nan,
		3),
		cat("level", "p", "p", "p", "p", "p", "q"), cat("class", "a", "b", "a", "b", "a", "b"))
	all, err := recipe.Prepare(bg, tb, "class", nil)
	if err != nil {
		t.Fatal(err)
	}
	part, err := all.Part(bg, tb, []int{0, 1, 2, 4})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := part.Recipe.Features(), all.Recipe.Features(); !reflect.DeepEqual(got, want) ||
		!slices.Contains(want, "x missing") {
		t.Errorf("features %v, of all rows %v", got, want)
	}
	if !reflect.DeepEqual(part.Rows, []int{0, 1, 2, 4}) || !reflect.DeepEqual(part.T, []int{0, 1, 0, 0}) ||
		!reflect.DeepEqual(part.Classes, all.Classes) {
		t.Errorf("%+v", part)
	}
	// x: median 2 of 1, 2 and 6, which replaces the missing value.
	if fill := part.Recipe.Columns[0].Fill; fill != 2 || all.Recipe.Columns[0].Fill != 4 {
		t.Errorf("Fill %v and %v", fill, all.Recipe.Columns[0].Fill)
	}
	if part.Mean[0] != 11./4 || math.Abs(part.Scale[0]-math.Sqrt((49+9+169+9)/16./3)) > 1e-12 {
		t.Errorf("mean %v, scale %v", part.Mean[0], part.Scale[0])
	}
	// "late" is constant here, and "once" has no value: they keep the scale and Fill of all rows.
	for j, name := range part.Recipe.Features() {
		if c := part.X.ColView(j); name == "late" && (part.Scale[j] != all.Scale[j] || mat.Max(c) != 0 ||
			mat.Min(c) != 0) {
			t.Errorf("%s: scale %v, in all %v", name, part.Scale[j], all.Scale[j])
		}
	}
	if fill := part.Recipe.Columns[2].Fill; fill != 3 {
		t.Errorf("Fill without a value: %v", fill)
	}
	ended, cancel := context.WithCancel(bg)
	cancel()
	if _, err := all.Part(ended, tb, []int{0, 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPrepare(t *testing.T) {
	tb := tab(num("n", 1, 2, nan, 4, 5, 6), cat("one", "p", "q", "r", "", "t", "u"), num("class", 10, 9, 9, nan,
		10, 11))
	s, err := recipe.Prepare(bg, tb, "", []int{4, 3, 2, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	// Row 3 has no label, and row 2 has no value of a feature, as no level of "one" is frequent.
	if !slices.Equal(s.Rows, []int{4, 1, 0}) || !slices.Equal(s.T, []int{0, 1, 0}) ||
		!slices.Equal(s.Classes, []string{"10", "9"}) {
		t.Errorf("%+v", s)
	}
	if c := s.Recipe.Columns; len(c) != 1 || c[0].Missing {
		t.Errorf("%+v", c)
	}
	n, _ := s.X.Dims()
	if n != 3 || math.Abs(mat.Sum(s.X)) > 1e-15 || s.Mean[0] != 8./3 {
		t.Errorf("%v %v", s.X, s.Mean)
	}
}

func TestPrepareErrors(t *testing.T) {
	column := func(value func(i int) float64) table.Column {
		c := num("class")
		for i := range 150 {
			c.Numbers = append(c.Numbers, value(i))
		}
		return c
	}
	asTexts := func(c table.Column, kind table.Kind) table.Column {
		var cells []string
		for i := range 150 {
			cells = append(cells, c.Text(i))
		}
		return text("class", kind, cells...)
	}
	ids := column(func(i int) float64 { return float64(i) })
	x := ids
	x.Name = "x"
	days := column(func(i int) float64 { return float64(i % 15) })
	days.Kind = table.Date
	bad := column(func(i int) float64 { return float64(i % 15) })
	bad.Numbers[3], bad.Faults = nan, []table.Fault{{Row: 3, Line: 5, Text: "x"}}
	single := column(func(i int) float64 { return float64(min(i, i%2+1)) })
	for _, tt := range []struct {
		about string
		class table.Column
		is    error // nil if the column can be used
	}{
		{"fractions", column(func(i int) float64 { return float64(i%43) / 10 }), recipe.ErrNotLabels},
		{"40 whole numbers", column(func(i int) float64 { return float64(i % 40) }), recipe.ErrNotLabels},
		{"15 numbers", column(func(i int) float64 { return float64(i % 15) }), nil},
		{"dates", days, recipe.ErrNotLabels},
		{"unique texts", asTexts(ids, table.Category), recipe.ErrNotLabels},
		{"ids", asTexts(ids, table.ID), recipe.ErrNotLabels},
		{"80 texts", asTexts(column(func(i int) float64 { return float64(i % 80) }), table.Category),
			recipe.ErrNotLabels},
		{"a class of one row", asTexts(single, table.Category), nil},
		{"one class", column(func(int) float64 { return 1 }), recipe.ErrOneClass},
		{"no label", column(func(int) float64 { return nan }), recipe.ErrOneClass},
		{"a fault in the labels", bad, recipe.ErrNotKind},
	} {
		s, err := recipe.Prepare(bg, tab(x, tt.class), "class", nil)
		code := map[error]table.Code{recipe.ErrNotLabels: texts.NotClasses, recipe.ErrOneClass: texts.NotClasses,
			recipe.ErrNotKind: texts.WrongLabel}[tt.is]
		if !errors.Is(err, tt.is) || codeOf(err) != code || tt.is == nil && len(s.T) != 150 ||
			err != nil && !strings.Contains(err.Error(), "column 2 (class): ") {
			t.Errorf("%s: %v", tt.about, err)
		}
	}
	ended, cancel := context.WithCancel(bg)
	cancel()
	if _, err := recipe.Prepare(ended, tab(x, asTexts(single, table.Category)), "class", nil); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	if _, err := recipe.Prepare(bg, tab(num("n", nan, nan), cat("class", "a", "b")), "", nil); !errors.Is(err,
		recipe.ErrNoFeatures) {
		t.Error(err)
	}
	if _, err := recipe.Prepare(bg, tab(x), "Class", nil); err == nil {
		t.Error("no error for a column that does not exist")
	}
}

func TestEncodeRow(t *testing.T) {
	type id int8
	type word string
	tb := tab(
		num("n", 1, 2, 3, 4, 2, 4), flag("b", "FALSE", "TRUE", 0, 1, 0, 1, 1, 1), cat("c", "1", "1", "1", "1", "1",
			"2"), date("d", 1, 2, 3, 4, nan, nan),
		text("k", table.ID, "1", "2", "3", "4", "5", "6"), text("note", table.Text, "1", "2", "3", "4", "5",
			"6"), cat("class", "a", "b", "a", "b", "a", "b"),
	)
	r := fit(t, tb, 6, all(6)) // n, b, c=1, c=other, d, d missing
	at := time.Date(1970, 1, 2, 1, 0, 0, 0, time.FixedZone("", 3600))
	for _, tt := range []struct {
		row  map[string]any
		want []float64
		is   error
		say  string
	}{
		{map[string]any{"n": 2, "b": true, "c": "1", "d": at}, []float64{2, 1, 1, 0, 86400, 0}, nil, ""},
		{map[string]any{"n": id(2), "b": 1, "c": 1.0, "d": "1970-01-02"}, []float64{2, 1, 1, 0, 86400, 0}, nil, ""},
		{map[string]any{"n": json.Number("2.5"), "b": json.Number("0"), "c": json.Number("1.0"), "d": nil},
			[]float64{2.5, 0, 1, 0, 2.5 * 86400, 1}, nil, ""},
		{map[string]any{"n": float32(0.5), "b": "yes", "c": uint(7)}, []float64{0.5, 1, 0, 1, 2.5 * 86400, 1}, nil,
			""},
		{map[string]any{"n": " 1e3 ", "b": "N/A", "c": at, "d": " na"}, []float64{1000, 1, 0, 1, 2.5 * 86400, 1},
			nil, ""},
		{map[string]any{"n": "$46,5"}, []float64{46.5, 1, 0, 1, 2.5 * 86400, 1}, nil, ""},
		{map[string]any{"n": "1,234"}, nil, recipe.ErrNotKind, `"1,234"`},
		{map[string]any{"n": word("7"), "k": 1, "note": []int{1}, "class": "a"}, []float64{7, 1, 0, 1, 2.5 * 86400,
			1}, nil, ""},
		{map[string]any{"n": nan, "c": true}, []float64{2.5, 1, 0, 1, 2.5 * 86400, 1}, nil, ""},
		{map[string]any{}, nil, recipe.ErrNoValue, "tables: no feature has a value"},
		{map[string]any{"n": nil}, nil, recipe.ErrNoValue, ""},
		{map[string]any{"age": 3, "n": 1}, nil, recipe.ErrUnknownColumn,
			`tables: column "age": no such column; there are "n", "b", "c", "d"`},
		{map[string]any{"n": "old"}, nil, recipe.ErrNotKind,
			`tables: column "n": a number is expected, not "old"`},
		{map[string]any{"n": math.Inf(1)}, nil, recipe.ErrNotKind, `"+Inf"`},
		{map[string]any{"n": true}, nil, recipe.ErrNotKind, `"true"`},
		{map[string]any{"n": json.Number("1e999")}, nil, recipe.ErrNotKind, ""},
		{map[string]any{"n": at}, nil, recipe.ErrNotKind, `"1970-01-02"`},
		{map[string]any{"n": []int{1}}, nil, recipe.ErrNotKind, `"[1]"`},
		{map[string]any{"b": 2}, nil, recipe.ErrNotKind, ""},
		{map[string]any{"d": 2}, nil, recipe.ErrNotKind, ""},
	} {
		x, err := r.EncodeRow(tt.row)
		if !slices.Equal(x, tt.want) || !errors.Is(err, tt.is) || err != nil && !strings.Contains(err.Error(),
			tt.say) {
			t.Errorf("%v: %v, %v", tt.row, x, err)
		}
	}
	// A bool matches a level in any case.
	yes := append(slices.Repeat([]string{"TRUE"}, 5), "unknown")
	if x, err := fit(t, tab(cat("c", yes...), cat("class", yes...)), 1,
		all(6)).EncodeRow(map[string]any{"c": true}); err != nil || x[0] != 1 {
		t.Error(x, err)
	}
}

// fromFile encodes a row of cells of a CSV file. A second row shows that numbers have a decimal point and
// that dates begin with the year.
func fromFile(t *testing.T, r *recipe.Recipe, cells map[string]string) (x []float64, unusable error) {
	t.Helper()
	var text strings.Builder
	w := csv.NewWriter(&text)
	var rows [3][]string
	for _, c := range r.Columns {
		other := map[string]string{"number": "1.5", "date": "2013-04-05"}[c.Kind]
		if c.Unit != "" {
			other = "72 lb"
		}
		for i, cell := range []string{c.Name, cells[c.Name], other} {
			rows[i] = append(rows[i], cell)
		}
	}
	for i := range rows {
		rows[i] = append(rows[i], "end")
	}
	if err := w.WriteAll(rows[:]); err != nil {
		t.Fatal(err)
	}
	o := tables.Options{Separator: "comma", Quote: `"`, Escape: "doubled", Decimal: ".", Thousands: "none",
		Encoding: "utf-8", Header: "yes", Comment: "none",
		Like: r.Like(), Missing: r.Missing}
	in, err := tables.NewReader(t.Context(), strings.NewReader(text.String()), "row.csv", o)
	if err != nil {
		t.Fatal(err)
	}
	tb, err := in.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, problems, err := r.Encode(nil, tb, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	if problems != nil {
		return nil, problems[0]
	}
	return m.RawRowView(0), nil
}

func TestEncodeRowIsTexts(t *testing.T) {
	r := &recipe.Recipe{Missing: []string{"-999", "k/A"}, Columns: []recipe.Column{
		{Name: "n", Kind: "number", Fill: 0.5, Missing: true}, {Name: "b", Kind: "boolean",
			Levels: []string{"no", "yes"}, Missing: true},
		{Name: "c", Kind: "category", Levels: []string{"-", "01", "1", "Größe"}, Missing: true}, {Name: "d",
			Kind: "date", Fill: 5, Missing: true},
		{Name: "l", Kind: "date", Fill: 7, Missing: true, Layout: "2/1/2006"}, {Name: "z", Kind: "boolean",
			Levels: []string{"0", "1"}, Missing: true},
		{Name: "always", Kind: "number"},
	}}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Columns[:6] {
		for _, text := range []string{
			"", "NA", "<na>", "#N/A", "none", "-", "--", "Nil", "k/A", "K/A", "-999", "-999.0", "-9.99e2", "1", "1.0",
			"01", "001", "1_0", "0x1p2", "Inf", "infinity", "1e999",
			"$5", "5 %", "-€5", "$-999", "1,5", "yes", "YES", "true", "0", "Gr\xf6\xdfe", "Größe", " Größe\u00a0",
			"2013-04-05", "5/4/2013", "13/4/2013", "4/13/2013", "5/4/2013 3:04 pm", "5.4.2013", "\ufeff2013-4-5",
		} {
			cell := text
			if c.Name == "n" && text == "1,5" { // a decimal comma is clear even without other cells
				cell = "1.5"
			}
			want, wrong := fromFile(t, r, map[string]string{c.Name: cell, "always": "1"})
			got, err := r.EncodeRow(map[string]any{c.Name: text, "always": 1})
			if (err != nil) != (wrong != nil) || err == nil && !slices.Equal(got, want) {
				t.Errorf("%s %q: %v, %v; want %v, %v", c.Name, text, got, err, want, wrong)
			}
		}
	}
	// Equivalent values of other types.
	none, err := r.EncodeRow(map[string]any{"always": 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{-999, -999.0, float32(-999), json.Number("-999.0"), "-999"} {
		if got, err := r.EncodeRow(map[string]any{"n": v, "always": 1}); err != nil || !slices.Equal(got, none) {
			t.Errorf("%T: %v, %v", v, got, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	r := recipe.Numbers([]string{"a", "b"})
	x, unusable := encode(t, r, tab(num("b", 1, nan), num("a", 2, 3)))
	if !slices.Equal(x.RawRowView(0), []float64{2, 1}) || !math.IsNaN(x.At(1, 0)) ||
		!errors.Is(unusable[1], recipe.ErrMissing) || !strings.Contains(unusable[1].Error(),
		"row 2, column 1 (b)") {
		t.Errorf("%v %v", x, unusable)
	}
	if _, err := r.EncodeRow(map[string]any{"a": 1}); !errors.Is(err, recipe.ErrMissing) ||
		!strings.Contains(err.Error(), `column "b"`) {
		t.Error(err)
	}
	if r.Profiled() {
		t.Error("a recipe without rows is profiled")
	}
	if cells := r.Cells([]float64{1.1 * 3, 1234567}); !slices.Equal(cells, []string{"3.3", "1234567"}) {
		t.Errorf("%q", cells)
	}
}

func TestCheck(t *testing.T) {
	type (
		rec = recipe.Recipe
		col = recipe.Column
	)
	good := recipe.Recipe{Target: "class", ID: []string{"k"}, Unused: []string{"note"}, Columns: []recipe.Column{
		{Name: "n", Kind: "number", Fill: 1}, {Name: "b", Kind: "boolean", Levels: []string{"no", "yes"}},
		{Name: "c", Kind: "category", Levels: []string{"x", "X"}},
	}}
	long := strings.Repeat("n", 1<<14+1)
	for path, spoil := range map[string]func(r *rec, n, b, c *col){
		"columns":              func(r *rec, _, _, _ *col) { r.Columns = nil },
		"target":               func(r *rec, _, _, _ *col) { r.Target = "\xff" },
		"id[0]":                func(r *rec, _, _, _ *col) { r.ID[0] = "class" },
		"unused[0]":            func(r *rec, _, _, _ *col) { r.Unused[0] = "k" },
		"limits":               func(r *rec, _, _, _ *col) { r.Limits = "most" },
		"na[0]":                func(r *rec, _, _, _ *col) { r.Missing = []string{long} },
		"columns[1].name":      func(_ *rec, _, b, _ *col) { b.Name = "n" },
		"columns[2].name":      func(_ *rec, _, _, c *col) { c.Name = long },
		"columns[0].kind":      func(_ *rec, n, _, _ *col) { n.Kind = "id" },
		"columns[0].fill":      func(_ *rec, n, _, _ *col) { n.Fill = nan },
		"columns[1].fill":      func(_ *rec, _, b, _ *col) { b.Fill = 0.5 },
		"columns[0].levels":    func(_ *rec, n, _, _ *col) { n.Levels = []string{"x"} },
		"columns[1].levels":    func(_ *rec, _, b, _ *col) { b.Levels = nil },
		"columns[2].levels":    func(_ *rec, _, _, c *col) { c.Levels = make([]string, 1025) },
		"columns[1].levels[1]": func(_ *rec, _, b, _ *col) { b.Levels[1] = "NO" },
		"columns[2].levels[1]": func(_ *rec, _, _, c *col) { c.Levels[1] = "x" },
		"columns[2].levels[0]": func(_ *rec, _, _, c *col) { c.Levels[0] = "\xff" },
		"columns[2].others[0]": func(_ *rec, _, _, c *col) { c.Others = []string{long} },
		"columns[0].others":    func(_ *rec, n, _, _ *col) { n.Others = []string{"y"} },
		"columns[0].layout":    func(_ *rec, n, _, _ *col) { n.Layout = "2006-1-2" },
		"columns[1].layout": func(_ *rec, _, b, _ *col) {
			b.Kind, b.Layout, b.Levels = "date", "2006", nil
		},
		"columns[1].unit":      func(_ *rec, _, b, _ *col) { b.Unit = "kg" },
		"columns[0].unit":      func(_ *rec, n, _, _ *col) { n.Unit = "1 kg" },
		"columns[0].range":     func(_ *rec, n, _, _ *col) { n.Range = []float64{1, 0} },
		"columns[0].absent":    func(_ *rec, n, _, _ *col) { n.Absent = 2 },
		"columns[1].quantiles": func(_ *rec, _, b, _ *col) { b.Quantiles, b.Below = []float64{0}, []int{1} },
		"columns[0].below":     func(_ *rec, n, _, _ *col) { n.Quantiles = []float64{0} },
		"columns[0].quantiles[1]": func(_ *rec, n, _, _ *col) {
			n.Quantiles, n.Below = []float64{0, 0}, []int{1, 2}
		},
		"columns[0].quantiles[1] b": func(_ *rec, n, _, _ *col) {
			n.Quantiles, n.Below = []float64{0, 1}, []int{2, 2}
		},
		"columns[0].counts":    func(_ *rec, n, _, _ *col) { n.Counts = []int{3} },
		"columns[2].counts":    func(_ *rec, _, _, c *col) { c.Counts = []int{3, 4} },
		"columns[2].counts[1]": func(_ *rec, _, _, c *col) { c.Counts = []int{3, -4, 0} },
		"columns[1].counts":    func(_ *rec, _, b, _ *col) { b.Counts = []int{0, 0} },
		"columns[7]": func(r *rec, _, _, _ *col) {
			var levels []string
			for i := range 1000 {
				levels = append(levels, strconv.Itoa(i))
			}
			for i := range 5 {
				r.Columns = append(r.Columns, recipe.Column{Name: long[:1<<14-1] + strconv.Itoa(i), Kind: "category",
					Levels: levels})
			}
		},
	} {
		r := good.Clone()
		spoil(r, &r.Columns[0], &r.Columns[1], &r.Columns[2])
		path, _, _ = strings.Cut(path, " ")
		if err := r.Check(); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%v, want %s", err, path)
		}
	}
	if err := good.Check(); err != nil {
		t.Errorf("a clone shares memory: %v", err)
	}
}

// A recipe that passes Check encodes any table: the features are finite, or NaN with a reason.
func FuzzRecipe(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	tb := mixed(rng, 60)
	r := fit(f, tb, 6, all(60))
	text, err := json.Marshal(r)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, "a,1,yes,2020-01-01\nb,,no,\n", uint64(0))
	f.Add([]byte(
		`{"target":"t","columns":[{"name":"number","kind":"boolean","levels":["0","1"]},{"name":"group","kind":"date"}]}`), "1\n2\n1e999\nNaN", uint64(0x1b))
	f.Fuzz(func(t *testing.T, text []byte, cells string, kinds uint64) {
		var r recipe.Recipe
		if json.Unmarshal(text, &r) != nil || r.Check() != nil || r.Width() > 1000 {
			return
		}
		if len(r.Features()) != r.Width() || len(r.Sources()) != r.Width() {
			t.Fatal("the numbers of features differ")
		}
		lines := strings.Split(cells, "\n")
		tb := &table.Table{Rows: len(lines)}
		for j := range r.Columns {
			column := make([]string, len(lines))
			for i, line := range lines {
				if parts := strings.Split(line, ","); j < len(parts) {
					column[i] = parts[j]
				}
			}
			tb.Columns = append(tb.Columns, asKind(r.Columns[j].Name, table.Kind(kinds>>(3*j)%6), column))
		}
		x, unusable, err := r.Encode(nil, tb, all(tb.Rows))
		if err != nil {
			t.Fatal(err)
		}
		for i := range lines {
			bad := unusable != nil && unusable[i] != nil
			for j, v := range x.RawRowView(i) {
				if bad != math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("row %d, feature %d: %v; %v", i, j, v, unusable)
				}
			}
			if !bad && len(r.Cells(x.RawRowView(i))) != len(r.Columns) {
				t.Fatal("wrong number of cells")
			}
			row := map[string]any{}
			for j := range r.Columns {
				row[r.Columns[j].Name] = tb.Columns[j].Text(i)
			}
			if one, err := r.EncodeRow(row); err == nil &&
				slices.ContainsFunc(one, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
				t.Fatalf("row %d: %v", i, one)
			}
		}
		if again, err := recipe.Fit(tb, 0, all(tb.Rows)); err == nil {
			if x, _, err := again.Encode(nil, tb, all(tb.Rows)); err != nil || x.IsEmpty() {
				t.Fatal(err)
			}
		}
	})
}

// asKind returns a column of the given kind with the texts.
func asKind(name string, kind table.Kind, cells []string) table.Column {
	if !kind.Numeric() {
		return text(name, kind, cells...)
	}
	c := table.Column{Name: name, Kind: kind}
	if kind == table.Boolean {
		c.Levels = []string{"no", "yes"}
	}
	for i, s := range cells {
		v, err := strconv.ParseFloat(s, 64)
		switch {
		case kind == table.Boolean && v != 0 && v != 1, err != nil, math.IsNaN(v), kind == table.Date &&
			math.Abs(v) > 1e12:
			if v = nan; s != "" {
				c.Faults = append(c.Faults, table.Fault{Row: i, Text: s})
			}
		}
		c.Numbers = append(c.Numbers, v)
	}
	return c
}

// A column with a unit accepts numbers with this unit or without one, in tables, texts and single rows.
func TestUnits(t *testing.T) {
	weights := func(unit string) *table.Table {
		return &table.Table{Name: "t", Rows: 4, Columns: []table.Column{
			{Name: "mass", Kind: table.Number, Numbers: []float64{71, 72, 73, 74}, Unit: unit},
			{Name: "class", Kind: table.Category, Codes: []int32{0, 1, 0, 1}, Levels: []string{"a", "b"}},
		}}
	}
	r, err := recipe.Fit(weights("kg"), 1, []int{0, 1, 2, 3})
	if err != nil || r.Columns[0].Unit != "kg" {
		t.Fatalf("%+v, %v", r, err)
	}
	for unit, usable := range map[string]bool{"kg": true, "": true, "lb": false, "$": false} {
		x, unusable, err := r.Encode(nil, weights(unit), []int{2})
		if err != nil || (unusable == nil) != usable || usable && x.At(0, 0) != 73 {
			t.Errorf("%q: %v, %v, %v", unit, x, unusable, err)
		}
		if !usable && (!errors.Is(unusable[0], recipe.ErrNotKind) || !strings.Contains(unusable[0].Error(),
			"a number in kg is expected")) {
			t.Error(unusable[0])
		}
	}
	few := &table.Table{Name: "t", Rows: 3, Columns: []table.Column{{Name: "mass", Kind: table.Category,
		Codes: []int32{0, 1, 2}, Levels: []string{"(71 kg)", "72 lb", "73"}}}}
	x, unusable, err := r.Encode(nil, few, []int{0, 1, 2})
	if err != nil || unusable[1] == nil || x.At(0, 0) != -71 || x.At(2, 0) != 73 {
		t.Errorf("%v, %v, %v", x, unusable, err)
	}
	for _, text := range []string{"71 kg", "71", "71kg", "kg 71", "(71 kg)", "71- kg", "71 lb", "$71", "kg"} {
		x, err := fromFile(t, r, map[string]string{"mass": text}) // the other cells do not matter
		row, err2 := r.EncodeRow(map[string]any{"mass": text})
		if (err == nil) != (err2 == nil) || err == nil && (x[0] != row[0] || math.Abs(x[0]) != 71) ||
			(err != nil) != slices.Contains([]string{"71 lb", "$71", "kg"}, text) {
			t.Errorf("%q: %v %v, %v %v", text, x, err, row, err2)
		}
	}
}

// Cells that can be read by accident only are rejected if other cells of the column contradict the reading.
func TestDoubts(t *testing.T) {
	days := func(cells ...string) table.Column { // in the layout of the training rows, or a fault
		c := table.Column{Name: "x", Kind: table.Date, Layout: "2/1/2006"}
		for row, cell := range cells {
			at, err := time.Parse(c.Layout, cell)
			if c.Numbers = append(c.Numbers, float64(at.Unix())); err != nil {
				c.Numbers[row] = nan
				c.Faults = append(c.Faults, table.Fault{Row: row, Text: cell})
			}
		}
		return c
	}
	text := func(cells ...string) table.Column { return cat("x", cells...) }
	spelled := flag("x", "N", "Y", 0, 1, 0, 1)
	for _, c := range []struct {
		train, file table.Column
		want        []int // rows that are doubtful
	}{
		{spelled, text("1", "2", "1", "2"), []int{0, 2}},
		{spelled, num("x", 1, 2, 1, 2), []int{0, 2}},
		{spelled, text("1", "0", "1", "0"), nil},
		{spelled, text("Y", "n", "Y", "maybe"), nil},
		{spelled, text("yes", "Y", "yes", "2"), []int{0, 2}},
		{flag("x", "0", "1", 0, 1, 0, 1), num("x", 1, 2, 1, 2), []int{0, 2}},
		{flag("x", "0", "1", 0, 1, 0, 1), num("x", 1, 0, 1, 2), nil},
		{days("13/1/2023", "4/5/2023", "6/7/2023", "14/1/2023"), days("5/4/2023", "11/18/2023", "5/5/2023",
			"1/2/2023"), []int{0, 3}},
		{days("13/1/2023", "4/5/2023", "6/7/2023", "14/1/2023"), days("5/4/2023", "11/18/2023", "25/5/2023",
			"31/2/2023"), nil},
	} {
		r := fit(t, tab(c.train, cat("class", "a", "b", "a", "b")), 1, all(4))
		_, unusable := encode(t, r, tab(c.file))
		var got []int
		for row, err := range unusable {
			if f, ok := errors.AsType[table.Finding](err); ok && f.Code == texts.Contradicted {
				got = append(got, row)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: rows %v, want %v: %v", c.file, got, c.want, unusable)
		}
	}
}
