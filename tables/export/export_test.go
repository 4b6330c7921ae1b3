package export_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/export"
	tablemodel "github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// tolerance is the maximum difference from the probabilities of the library.
const tolerance = 1e-12

// example is a model with rows of cells.
type example struct {
	name   string
	model  *tables.Model
	header []string
	rows   [][]string
	usable bool // every row can be predicted
}

// cells returns a row by the names of the columns.
func (e example) cells(row []string) map[string]any {
	cells := map[string]any{}
	for j, name := range e.header {
		cells[name] = row[j]
	}
	return cells
}

// numeric returns an example of a model without a recipe, with rows of features.
func numeric(name string, m *mpcvm.Model, x *mat.Dense) example {
	e := example{name: name, model: tablemodel.NewModel(m, nil), header: m.FeatureNames()}
	n, _ := x.Dims()
	for i := range n {
		var row []string
		for _, v := range x.RawRowView(i) {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		e.rows = append(e.rows, row)
	}
	bad := slices.Clone(e.rows[0])
	for _, text := range []string{"", "NA", "abc", "1e999", "0x1p2", "1_0", "+1.5e+0", ".5", " 7. "} {
		bad[len(bad)-1] = text
		e.rows = append(e.rows, slices.Clone(bad))
	}
	return e
}

// synthetic returns a model with random vectors and weights, with near and distant rows.
func synthetic(k kernel.Kernel, classes, features, vectors int, spread float64, seed uint64) (*mpcvm.Model,
	*mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	normal := func(n, d int) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
		return x
	}
	x, t := normal(vectors, features), make([]int, vectors)
	bases, w, bias := make([][]int, classes), make([][]float64, classes), make([]float64, classes)
	for n := range t {
		t[n] = n % classes
		for _, c := range rng.Perm(classes)[:min(3, classes)] {
			v := -spread * rng.ExpFloat64()
			if c == t[n] {
				v = -v
			}
			bases[c], w[c] = append(bases[c], n), append(w[c], v)
		}
	}
	for c := range bias {
		bias[c] = rng.NormFloat64()
	}
	rows := normal(24, features)
	for i := range 6 {
		for j, v := range rows.RawRowView(i) {
			rows.Set(i, j, v*math.Pow(10, float64(2*i)))
		}
	}
	rows.Set(6, 0, 1e200)
	rows.Set(7, 0, -1e308)
	return mpcvm.NewModel(k, x, t, bases, w, bias), rows
}

// fitted returns a model of an embedded data set, with rows of the set and distant rows.
func fitted(t *testing.T, name string, k kernel.Kernel, temperature float64) example {
	t.Helper()
	set, err := data.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	s := data.FitStandardizer(set.X)
	m, _, err := mpcvm.BottomUp{Kernel: k}.Fit(context.Background(), mpcvm.Samples{X: s.Apply(nil, set.X),
		T: set.T})
	if err != nil {
		t.Fatal(err)
	}
	m = m.WithNames(set.Classes, set.Features).WithScaling(s.Mean, s.Scale).WithTemperature(temperature)
	n, d := set.X.Dims()
	rows := mat.NewDense(40, d, nil)
	for i := range 40 {
		rows.SetRow(i, set.X.RawRowView(i*n/40))
		if i < 4 {
			rows.Set(i, 0, math.Pow(1000, float64(i+1)))
		}
	}
	return numeric(name, m, rows)
}

// mixed returns a model of a table with every kind of column and missing cells, with all sorts of cells.
func mixed(t *testing.T) example {
	t.Helper()
	const n = 120
	rng := rand.New(rand.NewPCG(3, 3))
	tab := &table.Table{Name: "mixed", Rows: n, Columns: []table.Column{
		{Name: "mass", Kind: table.Number}, {Name: `size "Ø", mm`, Kind: table.Number},
		{Name: "sold", Kind: table.Date}, {Name: "new", Kind: table.Boolean, Levels: []string{"FALSE", "TRUE"}},
		{Name: "sex", Kind: table.Boolean, Levels: []string{"Frau", "Mann"}},
		{Name: "Insel", Kind: table.Category, Levels: []string{"1", "Biscoe", "Dream", "Föhr", "rare"}},
		{Name: "shape", Kind: table.Category, Levels: []string{"flat", "long", "round"}},
		{Name: "species", Kind: table.Category, Levels: []string{"a", `b "2", or`, "ç"}},
	}}
	for i := range n {
		c := i % 3
		for j, v := range []float64{40 + 3*float64(c) + rng.NormFloat64(), rng.ExpFloat64(),
			1e9 + 86400*float64(rng.IntN(1e4)), float64(rng.IntN(2)), float64(rng.IntN(2))} {
			if j > 0 && rng.IntN(6) == 0 {
				v = math.NaN()
			}
			tab.Columns[j].Numbers = append(tab.Columns[j].Numbers, v)
		}
		island, shape := int32((c+rng.IntN(2))%4), int32(rng.IntN(3))
		if i < 2 {
			island = 4
		}
		if rng.IntN(6) == 0 {
			shape = -1
		}
		for j, code := range []int32{island, shape, int32(c)} {
			tab.Columns[5+j].Codes = append(tab.Columns[5+j].Codes, code)
		}
	}
	m, _, err := tables.Fit(context.Background(), tab, "species", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	e := example{name: "mixed", model: m, header: tab.Names()}
	for i := range 60 {
		var cells []string
		for j := range tab.Columns {
			cells = append(cells, tab.Columns[j].Text(i))
		}
		e.rows = append(e.rows, cells)
	}
	for j, texts := range [][]string{
		{"", "NA", "\tn/A ", "x", "1e5", "-.5", "5.", "+3", "1e", "--1", "1 2", "infinity", "1e400"},
		{"?", ".", "NaN", "0", "null"},
		{"2020-02-29", "2021-02-29", "1899-12-31", "1600-02-29", "1900-02-29", "0001-01-01", "9999-12-31T23:59:59",
			"2020-13-01", "2020-00-01", "2020-01-00",
			"2020-04-31", "2020-01-02T03:04:05.25", "2020-01-02 03:04", "2020-01-02T03:04", "2020-01-02 3:04:05",
			"2020-01-02T24:00:00", "2020-01-02T23:60:00", "2020-01-02T23:59:60",
			"2020-01-02T03:04:05Z", "2020-01-02T03:04:05.125-05:30", "2020-01-02T03:04:05+14:00", "2020-01-02T",
			"2020-1-2", "02.01.2020", "1577923200", "2020-01-02x", "na"},
		{"true", "yes", "Y", "off", "0", "1", "2", "Mann", "?"},
		{"MANN", "frau", "true", "1"},
		{"1", "1.0", "dream", " Dream ", "rare", "other", "Föhr", "", "NULL", "Elsewhere, \"far\"\nor near"},
		{"", "round", "square", "."},
	} {
		for _, text := range texts {
			cells := slices.Clone(e.rows[rng.IntN(20)])
			cells[j] = text
			e.rows = append(e.rows, cells)
		}
	}
	for _, text := range []string{"t", "f", "T", "n", "NO", "on", "ja", "nein", "oui", "non", "perhaps"} {
		row := map[string]any{"mass": 40, "new": text}
		if _, err := m.Recipe().EncodeRow(row); err == nil || text == "perhaps" {
			cells := slices.Clone(e.rows[3])
			cells[3] = text
			e.rows = append(e.rows, cells)
		}
	}
	return e
}

// layouts has the layouts of a column of dates, and clocks the layouts of the time after a day.
var (
	layouts = []string{
		"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2.1.06", "2/1/2006", "1/2/2006", "2/1/06", "1/2/06",
		"2-1-2006", "1-2-2006",
		"2 Jan 2006", "2 January 2006", "2-Jan-2006", "2-Jan-06", "2/Jan/2006", "2. January 2006", "Jan 2, 2006",
		"January 2, 2006",
		"Mon, 2 Jan 2006", "Mon Jan 2 2006", "2006-Jan-2", "2006-1",
		"Jan-2006", "Jan-06",
	}
	clocks = []string{
		"", " 15:04", " 15:04:05", "T15:04:05", "T15:04", "T15:04:05Z07:00", " 15:04:05Z07:00", " 15:04:05 Z07:00",
		"T15:04:05Z0700",
		" 15:04:05 -0700", " 15:04:05 MST", " 3:04 PM", " 3:04:05 PM", " 3:04PM", "T15:04Z07:00", ", 15:04",
		", 15:04:05", ", 3:04 PM", ", 3:04:05 PM", ":15:04:05 -0700", ":15:04:05",
		" 3:04 pm", " 15:04:05.25", "  3:04:05,123456789123 PM", // other layouts that can be read
		// Layouts that cannot be read.
		" 3:04 P", " 15:04 Z07:00", "T3:04 PM", " 15:04:05-07", " 15", " 15:4", "T 15:04", ",15:04",
		"T15:04:05 MST", "x",
	}
)

// dated returns a model with a column for each layout of dates and additional missing values.
func dated() example {
	r := &recipe.Recipe{Target: "class", Missing: []string{"-999", "1e3", "none yet", "k/A", `"q"`, "5%"}}
	for _, layout := range append([]string{""}, layouts...) {
		r.Columns = append(r.Columns, recipe.Column{Name: "date " + layout, Kind: "date", Fill: 1.1e9,
			Missing: true, Layout: layout})
	}
	r.Columns = append(r.Columns, recipe.Column{Name: "number", Kind: "number", Fill: 0.5, Missing: true},
		recipe.Column{Name: "boolean", Kind: "boolean", Levels: []string{"no", "yes"}, Missing: true},
		recipe.Column{Name: "category", Kind: "category", Levels: []string{"-", "01", "1", "2.50", "none", "x"},
			Missing: true},
		recipe.Column{Name: "kilos", Kind: "number", Unit: "kg", Missing: true}, recipe.Column{Name: "dollars",
			Kind: "number", Unit: "US$"})
	if err := r.Check(); err != nil {
		panic(err)
	}
	m, _ := synthetic(kernel.RBF{Theta: 0.01}, 3, r.Width(), 40, 1, 11)
	mean, scale := make([]float64, r.Width()), slices.Repeat([]float64{1}, r.Width())
	for j, name := range r.Features() {
		if strings.HasPrefix(name, "date") && !strings.HasSuffix(name, "missing") {
			mean[j], scale[j] = 1e9, 5e8
		}
	}
	e := example{name: "dated", model: tablemodel.NewModel(m.WithNames(nil, r.Features()).WithScaling(mean,
		scale),
		r)}
	at := time.Date(2013, 4, 5, 16, 7, 8, 0, time.FixedZone("CEST", 7200))
	var plain []string
	for _, c := range r.Columns {
		e.header = append(e.header, c.Name)
		plain = append(plain, map[string]string{"date": at.Format(c.Layout), "number": "1.5", "boolean": "yes",
			"category": "x"}[c.Kind])
	}
	plain[0] = "2013-04-05"
	add := func(column int, text string) {
		row := slices.Clone(plain)
		row[column] = text
		e.rows = append(e.rows, row)
	}
	for column := range plain { // blanks around a cell, and similar characters
		for _, odd := range []string{"\u0085", "\u00a0", "\u2028", "\u3000", "\ufeff", "\v", "\x1c", "\x1f"} {
			add(column, odd+plain[column]+odd)
		}
	}
	missing := []string{"", "NA", "<na>", "#N/A", "#div/0!", "None", "-", "--", "NIL", "-999", "-999.0",
		" -9.99e2\u00a0", "1000", "none yet", "None yet", "k/A", "K/A", `"q"`, "5%", "\ufeffna"}
	for j, c := range r.Columns {
		for _, text := range missing {
			add(j, text)
		}
		if c.Kind != "date" {
			continue
		}
		for _, clock := range clocks {
			add(j, at.Format(c.Layout+clock))
			add(j, at.Add(-11*time.Hour).UTC().Format(c.Layout+clock))
		}
		if j > 0 {
			for _, of := range []string{"2006-01-02", "02/01/2006", "01/02/2006", "JAN 02, 2006", "02-january-2006",
				"Tue, 02 jan 2006"} {
				add(j, at.Format(of))
			}
			for _, day := range []time.Time{time.Date(1969, 1, 31, 0, 0, 0, 0, time.UTC), time.Date(2068, 12, 1, 0, 0,
				0, 0, time.UTC), time.Date(2000, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(0, 2, 29, 0, 0, 0, 0,
				time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)} {
				add(j, day.Format(c.Layout))
			}
		}
	}
	for _, text := range []string{
		"2013-04-05 10:11:12 +05", "2013-04-05 10:11:12 +24", "2013-04-05 10:11:12 GMT+3",
		"2013-04-05 10:11:12 GMT+24", "2013-04-05 10:11:12 UTC", "2013-04-05 10:11:12 AKDT",
		"2013-04-05 10:11:12 ABCD",
		"2013-04-05T10:11:12+24:60", "2013-04-05T10:11:12+25:00", "2013-04-05T10:11:12-0061", "2013-04-05 0:30 am",
		"2013-04-05 12:30 AM", "2013-04-05 13:30 PM", "2013-04-05 24:00", "2013-04-05T10:11:12Z07:00",
		"2013-04-05T10:11:12.", "2013-04-05T10:11:12.1234567890123456789012", "2013-04-05          10:11:12     " +
			"        x", "2013-02-29", "2013-00-01", "2013-1-0", "123456", "31.04.2013", "20\u00b2013-04",
	} {
		add(0, text)
	}
	for _, text := range []string{"5 %", "$7", "-$7", "-$ 7", "$-7", "7 €", "€\u00a07", "$7%", "7$$", "\u20307",
		"€", "%", "-", "1_0", "0x1p2", "Inf", "1,5", ".5e1", "$-999", "1000%",
		"(170)", "( 1.5 )", "5.2-", "5.2 -", "\u22122.4", "2.4\u2212", "- 7", "+$7", "$(7)", "($7)", "(7)%", "(-5)",
		"-(5)", "--5", "-5-", "+5-", "+-5", "()", "(", "\u2212", "7 kg", "(-999", "999-"} {
		add(len(plain)-5, text)
	}
	for _, column := range []int{len(plain) - 2, len(plain) - 1} {
		unit := r.Columns[column].Unit
		for _, form := range []string{"71 U", "71U", "U71", "U 71", "-71 U", "-U71", "(71 U)", "(71) U", "U(71)",
			"71- U", "71 U-", "\u221271\u00a0U", "1e2U", "71", "(71)", "7.25-", "71 lb", "71 $", "71 UU", "U", "U71U",
			"71 u", "-999 U", "none U"} {
			add(column, strings.ReplaceAll(form, "U", unit))
		}
	}
	for _, text := range []string{"1", "1.0", "01", "001", "2.5", "25e-1", "none", "$1", "1e999"} {
		add(len(plain)-3, text)
	}
	for _, text := range []string{`\N`, "n.a.", "*", "nd", "ND"} {
		for column := len(plain) - 5; column < len(plain); column++ {
			add(column, text)
		}
	}
	return e
}

// opened returns a model of a file, with the cells of that file.
func opened(t *testing.T) example {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	e := example{name: "opened", header: []string{"height", "seen", "paid", "tested", "place", "class", "weight",
		"profit"}}
	var file strings.Builder
	w := csv.NewWriter(&file)
	_ = w.Write(e.header)
	for i := range 150 {
		day := time.Date(2019, 1, 1+rng.IntN(900), 0, 0, 0, 0, time.UTC)
		row := []string{
			fmt.Sprintf("%.2f", float64(i%3)+rng.NormFloat64()), day.Format("02/01/2006"), fmt.Sprintf("$%d.50",
				rng.IntN(90)),
			[]string{"yes", "No", "no"}[rng.IntN(3)], []string{"north", "south", "none"}[rng.IntN(3)], []string{"a",
				"b", "c"}[i%3],
			fmt.Sprintf("%d kg", 50+i*7%40), fmt.Sprintf([]string{"%d", "(%d)", "%d.5-", "\u2212%d"}[i%4], i*31%300),
		}
		if i%5 == 0 {
			row[rng.IntN(5)] = []string{"-999", "-999.0", "unknown", "NA", "#N/A"}[rng.IntN(5)]
		}
		if i%7 == 0 {
			row[rng.IntN(4)] = []string{"none", "-"}[rng.IntN(2)]
		}
		e.rows = append(e.rows, row)
	}
	for _, row := range e.rows {
		row[4] = strings.Replace(row[4], "-999.0", "unknown", 1) // in a category it is a level
		_ = w.Write(row)
	}
	w.Flush()
	path := filepath.Join(t.TempDir(), "file.csv")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tab, err := tables.Open(path, tables.Options{Missing: []string{"-999", "unknown"}})
	if err != nil {
		t.Fatal(err)
	}
	if e.model, _, err = tables.Fit(context.Background(), tab, "class",
		mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}); err != nil {
		t.Fatal(err)
	}
	if r := e.model.Recipe(); len(r.Missing) != 2 || r.Columns[1].Layout != "2/1/2006" ||
		r.Columns[2].Unit != "$" || r.Columns[5].Unit != "kg" || r.Columns[6].Kind != "number" {
		t.Fatalf("%+v", r)
	}
	want, err := e.model.Predict(context.Background(), tab)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range e.rows {
		if got, err := e.model.PredictRow(e.cells(row)); err != nil || !slices.Equal(got.Proba, want[i].Proba) {
			t.Errorf("row %d %q: %v, %v; the table has %v", i, row, got.Proba, err, want[i])
		}
	}
	bad := slices.Clone(e.rows[0])
	for _, text := range []string{"x", "1/2", "2021-02-03", "12/31/2020"} {
		bad[1] = text
		e.rows = append(e.rows, slices.Clone(bad))
	}
	return e
}

// hostile returns a model with names that would end comments and string literals if they were not escaped.
func hostile() example {
	names := []string{
		`"""`, "*/", "/*", "\n", `\`, `\"`, "#{x}", "${x}", "`", "??/", "???/\"", "</script>", "<!--", "'", "%s%d",
		"{{.}}", "\u2028", "\u202e", "\ufeffx",
		"\r", "\t.", "\x01" + "7", "𝛉", "Größe", "-1", "__proto__", "constructor", "toString", "é" +
			strings.Repeat("x", 900),
		"coding: latin-1", "//go:build ignore", "*/ int x; /*", "\u0301", "\x7f", "=1+1", "label", "probabilities",
		"v/1",
	}
	columns := &recipe.Recipe{}
	for _, name := range names[:8] {
		columns.Columns = append(columns.Columns, recipe.Column{Name: "c" + name, Kind: "category",
			Levels: []string{name, "plain"}, Missing: true})
	}
	for _, name := range names {
		columns.Columns = append(columns.Columns, recipe.Column{Name: name, Kind: "number", Fill: 0.5})
	}
	columns.Columns = append(columns.Columns, recipe.Column{Name: "yes or no", Kind: "boolean",
		Levels: []string{`"no"`, `\yes\`}})
	m, _ := synthetic(kernel.RBF{Theta: 0.02}, len(names), columns.Width(), 60, 1, 5)
	e := example{name: "hostile", model: tablemodel.NewModel(m.WithNames(names, nil), columns)}
	rng := rand.New(rand.NewPCG(8, 8))
	for i := range 30 {
		var row []string
		for _, c := range columns.Columns {
			if i == 0 {
				e.header = append(e.header, c.Name)
			}
			switch c.Kind {
			case "number":
				row = append(row, fmt.Sprint(rng.NormFloat64()))
			default:
				row = append(row, c.Levels[rng.IntN(2)])
			}
		}
		e.rows = append(e.rows, row)
	}
	return e
}

// gaps returns a model with the potentials y_c = b_c + a_c·x, with rows x for which potentials differ by 0 to
// more than 100.
func gaps(classes int) example {
	rng := rand.New(rand.NewPCG(9, uint64(classes)))
	x, t := mat.NewDense(classes, 1, nil), make([]int, classes)
	bases, w, bias := make([][]int, classes), make([][]float64, classes), make([]float64, classes)
	for c := range classes {
		x.Set(c, 0, math.Round(4*rng.Float64()*64)/64)
		t[c], bases[c], w[c] = c, []int{c}, []float64{1}
		bias[c] = float64(rng.IntN(2)) / 4
	}
	rows := []float64{1, 10, 0, 0.1, -3, 30, -100}
	if classes > 100 {
		rows = rows[:2]
	}
	return numeric(fmt.Sprintf("gaps%d", classes), mpcvm.NewModel(kernel.Linear{}, x, t, bases, w, bias),
		mat.NewDense(len(rows), 1, rows))
}

// examples returns all models that the tests export.
func examples(t *testing.T) []example {
	t.Helper()
	all := []example{
		fitted(t, "iris", kernel.RBF{Theta: 0.1}, 1), fitted(t, "glass", kernel.Laplacian{Theta: 0.1}, 1.7),
		fitted(t, "breast", kernel.Polynomial{Degree: 3, Offset: 1}, 0.3), mixed(t), dated(), opened(t), hostile(),
	}
	add := func(name string, k kernel.Kernel, classes, features, vectors int, spread float64) {
		m, rows := synthetic(k, classes, features, vectors, spread, uint64(len(all)))
		all = append(all, numeric(name, m, rows))
	}
	for _, d := range kernel.Descriptions() {
		given := map[string]string{}
		for _, p := range d.Parameters {
			switch p {
			case "thetas":
				given[p] = "0.3,0,1.5,0.01,2"
			default:
				given[p] = "3"
			}
		}
		k, err := kernel.New(d.Name, given)
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		add(d.Name, k, 4, 5, 40, 2)
	}
	add("letters", kernel.RBF{Theta: 0.05}, 26, 16, 200, 3)
	for _, classes := range []int{2, 3, 26, 1000} {
		all = append(all, gaps(classes))
	}
	floored := fitted(t, "glass", kernel.RBF{Theta: 0.1}, 0.7) // the class frequencies change some labels
	floored.name, floored.model = "floored",
		floored.model.With(floored.model.Model().WithFloor([]float64{0.13, 0.3, 0.001, 0.002, 0, 0.02}))
	whole := gaps(3) // for distant rows all classes have the same probability
	whole.name, whole.model = "whole",
		whole.model.With(whole.model.Model().WithFloor([]float64{1. / 3, 1. / 3, 1. / 3}))
	costly, dear := floored, opened(t)
	costly.name, costly.model = "costly", floored.model.With(floored.model.Model().WithCosts(costs(6)))
	dear.name, dear.model = "dear",
		dear.model.With(dear.model.Model().WithCosts(costs(len(dear.model.ClassNames()))))
	all = append(all, floored, whole, costly, dear)
	add("two", kernel.RationalQuadratic{Theta: 0.2, Alpha: 1e5}, 2, 3, 20, 4)
	collapsed := mpcvm.NewModel(kernel.RBF{Theta: 1}, mat.NewDense(1, 2, nil), []int{0}, make([][]int, 3),
		make([][]float64, 3), []float64{0.1, -2, 0.1})
	return append(all, numeric("collapsed", collapsed, mat.NewDense(2, 2, []float64{0, 1, 1e9, 2})))
}

// costs returns a cost matrix with different entries.
func costs(classes int) *mat.Dense {
	m := mat.NewDense(classes, classes, nil)
	m.Apply(func(i, j int, _ float64) float64 { return math.Abs(float64(i-j)) * (1 + 0.37*float64(i)) }, m)
	return m
}

// csv returns the rows as CSV with the columns in reverse order, an additional column, a blank line and
// different line ends.
func (e example) csv(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("\ufeff")
	w := csv.NewWriter(&b)
	w.UseCRLF = len(e.name)%2 == 0
	write := func(last string, cells []string) {
		cells = append(slices.Clone(cells), last)
		slices.Reverse(cells)
		if err := w.Write(cells); err != nil {
			t.Fatal(err)
		}
	}
	write(`a "further", column`, e.header)
	w.Flush()
	b.WriteString("\n")
	for i, row := range e.rows {
		write(fmt.Sprintf("%d,\n", i), row)
	}
	w.Flush()
	b.WriteString("a") // a truncated row
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// compare checks an output and returns the largest absolute and relative differences.
func (e example) compare(t *testing.T, output io.Reader) (worst, relative float64) {
	t.Helper()
	r := csv.NewReader(output)
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	unusable := 0
	for _, line := range lines[1:] {
		if line[0] == "" {
			unusable++
		}
	}
	if unusable == 1 && e.name != "hostile" && !e.usable || unusable > len(lines)*3/4 {
		t.Errorf("%d of %d rows are unusable", unusable, len(lines)-1)
	}
	if len(lines) != len(e.rows)+2 {
		t.Fatalf("%d lines for %d rows", len(lines), len(e.rows))
	}
	names := e.model.ClassNames()
	if got, want := strings.Join(lines[0], "|"), "class|p("+strings.Join(names,
		")|p(")+")|problem"; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	if last := lines[len(lines)-1]; last[0] != "" ||
		last[len(last)-1] != fmt.Sprintf("wrong number of cells: 1, want %d", len(e.header)+1) {
		t.Errorf("the short row: %.200q", last)
	}
	for i, row := range e.rows {
		line := lines[i+1]
		want, err := e.model.PredictRow(e.cells(row))
		reason := line[len(line)-1]
		if (err != nil) != (reason != "") || line[0] != want.Class {
			t.Errorf("row %d %.200q: class %q, reason %q; want %q, %v", i, row, line[0], reason, want.Class, err)
			continue
		}
		for c, p := range want.Proba {
			got, err := strconv.ParseFloat(line[c+1], 64)
			if err != nil {
				t.Fatal(err)
			}
			worst = max(worst, math.Abs(got-p))
			if p > 1e-290 {
				relative = max(relative, math.Abs(got/p-1))
			}
		}
	}
	if worst > tolerance || relative > 1e-8 {
		t.Errorf("largest difference %.2g, relative %.2g", worst, relative)
	}
	return worst, relative
}

// run runs a command and returns its output.
func run(t *testing.T, dir, stdin, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GO111MODULE=on", "GOWORK=off", "GOFLAGS=", "LC_ALL=C",
		"PYTHONDONTWRITEBYTECODE=1")
	if stdin != "" {
		f, err := os.Open(stdin)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd.Stdin = f
	}
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil || errors.Len() > 0 {
		t.Fatalf("%s %q: %v\n%.4000s", name, args, err, &errors)
	}
	return out.Bytes()
}

// predict runs the exported file in a folder with the rows of rows.csv.
func predict(t *testing.T, e example, dir string) []byte {
	if e.name == "hostile" {
		run(t, dir, "", "node", "--check", "model.mjs")
	}
	return run(t, dir, filepath.Join(dir, "rows.csv"), "node", "model.mjs")
}

// needNode skips a test if Node.js is not installed.
func needNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("THE JAVASCRIPT FILES ARE NOT TESTED: %v", err)
	}
}

// TestJavaScript exports every model and runs the file with the rows of the example.
func TestJavaScript(t *testing.T) {
	needNode(t)
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			dir := t.TempDir()
			e.csv(t, filepath.Join(dir, "rows.csv"))
			size := exported(t, e.model, dir)
			worst, relative := e.compare(t, bytes.NewReader(predict(t, e, dir)))
			t.Logf("largest difference %.1e, relative %.1e, %d vectors, %d weights, %d bytes", worst, relative,
				e.model.Model().VectorCount(), e.model.Model().WeightCount(), size)
		})
	}
}

// exported writes a model as a JavaScript file in a folder and returns its size.
func exported(t *testing.T, m *tables.Model, dir string) int {
	t.Helper()
	var b bytes.Buffer
	if err := export.Write(&b, m, "javascript"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, export.File("javascript")), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// TestValues calls predict with values of JavaScript types.
func TestValues(t *testing.T) {
	needNode(t)
	e := mixed(t)
	sold := time.Date(2020, 2, 29, 12, 30, 0, 0, time.UTC)
	size := e.header[1]
	rows := []struct {
		row        map[string]any
		javascript string
	}{
		{
			map[string]any{"mass": 41, size: 1.5, "sold": sold, "new": true, "sex": "Frau", "Insel": 1,
				"shape": "long"},
			`{mass: 41, [SIZE]: 1.5, sold: new Date(Date.UTC(2020, 1, 29, 12, 30)), new: true, sex: "Frau", Insel: 1, shape: "long"}`,
		},
		{
			map[string]any{"mass": math.NaN(), "new": 0, "Insel": 1.5, "shape": nil},
			`{mass: NaN, new: 0, Insel: 1.5, shape: undefined}`,
		},
		{
			map[string]any{"sold": time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), "Insel": true},
			`{sold: new Date(-86400000), Insel: true}`,
		},
		{map[string]any{}, `{}`},
		{map[string]any{"sold": 7}, `{sold: 7}`},
		{map[string]any{"new": 2}, `{new: 2}`},
		{map[string]any{"mass": math.Inf(1)}, `{mass: 1 / 0}`},
		{map[string]any{"mass": "x"}, `{mass: "x"}`},
	}
	var javascript strings.Builder
	for _, r := range rows {
		javascript.WriteString("  " + r.javascript + ",\n")
	}
	dir := t.TempDir()
	exported(t, e.model, dir)
	use := `import { predict, classes } from "./model.mjs";
const SIZE = ` + strconv.Quote(size) + ";\nfor (const row of [\n" + javascript.String() + `]) {
  try {
    const { name, label, probabilities } = predict(row);
    if (classes[label] !== name) throw new TypeError(name);
    console.log(...probabilities);
  } catch (error) {
    console.log("error", error.message);
  }
}
`
	if err := os.WriteFile(filepath.Join(dir, "use.mjs"), []byte(use), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(run(t, dir, "", "node", "use.mjs"))), "\n")
	if len(lines) != len(rows) {
		t.Fatalf("%q", lines)
	}
	for i, r := range rows {
		want, err := e.model.PredictRow(r.row)
		if failed := strings.HasPrefix(lines[i], "error column") || strings.HasPrefix(lines[i],
			"error no column has"); failed != (err != nil) {
			t.Errorf("%v: %s; want %v, %v", r.row, lines[i], want, err)
			continue
		}
		for c, p := range want.Proba {
			got, err := strconv.ParseFloat(strings.Fields(lines[i])[c], 64)
			if err != nil || math.Abs(got-p) > tolerance {
				t.Errorf("%v: %s, want %v", r.row, lines[i], want.Proba)
			}
		}
	}
}

// TestHeader: a column of a CSV file is found regardless of the blanks in its name. If its name is empty or
// not unique, it is found by the name that tables.Open gives it. If a column is missing, the program ends
// with an error.
func TestHeader(t *testing.T) {
	m, _ := synthetic(kernel.RBF{Theta: 1}, 2, 4, 4, 1, 1)
	m = m.WithNames(nil, []string{"mass in kg", " size\n", "x3", "size 3"})
	needNode(t)
	dir := t.TempDir()
	exported(t, tablemodel.NewModel(m, nil), dir)
	for text, starts := range map[string]string{
		"": `no column "mass in kg"`, "mass in kg,x3\n1,2\n": `no column " size`,
		"mass inkg,size\n1,2\n":                                `no column "mass in kg"`,
		"size,mass in kg,x3,size 3\n1,2,3,4\n":                 "class,",
		"\"mass\n in\u00a0 kg \",\tsize,x3,size  3\n1,2,3,4\n": "class,",
		"size,mass in kg,,size 2,size\n1,2,3,0,4\n":            "class,",
		"size,size,mass in kg,x3\n1,2,3,4\n":                   `no column "size 3"`,
		"size,mass in kg,x3,size 3,\n1,2,3,4,5\n":              "class,",
		"size,mass in kg,,x3\n1,2,3,4\n":                       `no column "size 3"`,
	} {
		cmd := exec.Command("node", "model.mjs")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (starts == "class,") || !strings.HasPrefix(string(out), starts) {
			t.Errorf("%q: %v, %s", text, err, out)
		}
	}
}

// failing is a writer to a full disk.
type failing struct{}

var errFull = errors.New("disk full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestErrors(t *testing.T) {
	good, _ := synthetic(kernel.RBF{Theta: 1}, 2, 2, 4, 1, 1)
	of := func(k kernel.Kernel) *mpcvm.Model {
		m, _ := synthetic(k, 2, 2, 4, 1, 1)
		return m
	}
	many := mpcvm.NewModel(kernel.RBF{Theta: 1}, mat.NewDense(1, 1, nil), []int{0}, make([][]int, 1001),
		make([][]float64, 1001), make([]float64, 1001))
	for _, tt := range []struct {
		m        any // a *mpcvm.Model or a *tables.Model
		language string
		is       error
		say      string
	}{
		{good, "cobol", export.ErrLanguage, `export: unknown language "cobol"; want javascript or onnx`},
		{of(kernel.Func{Name: "mine", F: func(_, _ []float64) float64 { return 1 }}), "javascript",
			export.ErrKernel, "mine (kernel.Func)"},
		{of(kernel.RBF{Theta: math.Inf(1)}), "javascript", export.ErrKernel, "not finite"},
		{of(kernel.ARD{Theta: []float64{1, math.NaN()}}), "javascript", export.ErrKernel, "not finite"},
		{many, "javascript", export.ErrClasses, "1001, the limit is 1000"},
		{good.WithNames([]string{"a", "\xff"}, nil), "javascript", export.ErrName, `class "\xff" is not valid UTF-8`},
		{good.WithNames([]string{"a", "b\x00"}, nil), "javascript", export.ErrName, "zero byte"},
		{good.WithNames(nil, []string{"a", strings.Repeat("ab", 501)}), "javascript", export.ErrName, "1002 bytes"},
		{good.WithNames(nil, []string{"a", "a"}), "javascript", export.ErrName, `duplicate column "a"`},
		{tablemodel.NewModel(good,
			&recipe.Recipe{Columns: []recipe.Column{{Name: "k", Kind: "category",
				Levels: []string{"\xff"}}}}), "javascript", export.ErrName, `column "k": level`},
	} {
		var b bytes.Buffer
		m, ok := tt.m.(*tables.Model)
		if !ok {
			m = tablemodel.NewModel(tt.m.(*mpcvm.Model), nil)
		}
		err := export.Write(&b, m, tt.language)
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.say) || b.Len() > 0 {
			t.Errorf("%v, %d bytes; want %v, %s", err, b.Len(), tt.is, tt.say)
		}
	}
	if err := export.Write(failing{}, tablemodel.NewModel(good, nil), "javascript"); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if export.File("cobol") != "" || export.File("javascript") != "model.mjs" {
		t.Error(export.File("cobol"), export.File("javascript"))
	}
}

// Write a model as a JavaScript file.
func ExampleWrite() {
	x := mat.NewDense(4, 1, []float64{0, 1, 4, 5})
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}.Fit(context.Background(),
		mpcvm.Samples{X: x, T: []int{0, 0, 1, 1}})
	if err != nil {
		log.Fatal(err)
	}
	var file strings.Builder // or os.Create(export.File("javascript"))
	if err := export.Write(&file, tablemodel.NewModel(model.WithNames([]string{"low", "high"},
		[]string{"level"}),
		nil), "javascript"); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(file.String()) {
		if strings.Contains(line, `"classes":`) {
			fmt.Print(line)
		}
	}
	// Output: "classes": ["low","high"],
}

// A page with a fixed script can predict with any model that it loads.
func ExampleScorer() {
	x := mat.NewDense(4, 1, []float64{0, 1, 4, 5})
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}.Fit(context.Background(),
		mpcvm.Samples{X: x, T: []int{0, 0, 1, 1}})
	if err != nil {
		log.Fatal(err)
	}
	data, err := export.ScorerData(tablemodel.NewModel(model.WithNames([]string{"low", "high"},
		[]string{"level"}), nil))
	if err != nil {
		log.Fatal(err)
	}
	script := export.Scorer() + "\nconst predictor = async url => scorer(await (await fetch(url)).json());\n"
	fmt.Println(strings.Contains(script, "function scorer(model)"), json.Valid(data))
	// Output: true true
}
