package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

func numberColumn(name string, v ...float64) table.Column {
	return table.Column{Name: name, Kind: table.Number, Numbers: v}
}

// textColumn returns a column of texts, in which "" is missing.
func textColumn(name string, kind table.Kind, cells ...string) table.Column {
	c := table.Column{Name: name, Kind: kind}
	for _, s := range cells {
		if s != "" {
			c.Levels = append(c.Levels, s)
		}
	}
	slices.Sort(c.Levels)
	c.Levels = slices.Compact(c.Levels)
	for _, s := range cells {
		c.Codes = append(c.Codes, int32(slices.Index(c.Levels, s)))
	}
	return c
}

func newTable(columns ...table.Column) *table.Table {
	return &table.Table{Name: "t.csv", Rows: columns[0].Len(), Columns: columns}
}

// birds returns a table of n rows with an id, a number, a boolean, a category and a class. One in ten cells
// is missing, including the classes.
func birds(seed uint64, n int) *table.Table {
	rng := rand.New(rand.NewPCG(seed, 9))
	var mass, male []float64
	var tag, island, species []string
	for i := range n {
		class := rng.IntN(3)
		tag = append(tag, "N"+strconv.Itoa(i))
		mass = append(mass, 4000+500*float64(class)+300*rng.NormFloat64())
		male = append(male, float64(rng.IntN(2)))
		island = append(island, []string{"Biscoe", "Dream", "Torgersen", "Rare" + strconv.Itoa(i%4)}[min((class+rng.IntN(2))%3+rng.IntN(20)/19, 3)])
		species = append(species, []string{"Adelie", "Chinstrap", "Gentoo"}[class])
		for _, list := range [][]float64{mass, male} {
			if rng.IntN(10) == 0 {
				list[i] = math.NaN()
			}
		}
		for _, list := range [][]string{island, species} {
			if rng.IntN(10) == 0 {
				list[i] = ""
			}
		}
	}
	return newTable(
		textColumn("tag", table.ID, tag...), numberColumn("mass", mass...),
		table.Column{Name: "male", Kind: table.Boolean, Numbers: male, Levels: []string{"no", "yes"}},
		textColumn("island", table.Category, island...), textColumn("species", table.Category, species...),
	)
}

var learner = mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}}

func fitBirds(t testing.TB) (*model.Model, *table.Table) {
	t.Helper()
	tb := birds(1, 150)
	m, _, err := model.Fit(context.Background(), tb, "", learner)
	if err != nil {
		t.Fatal(err)
	}
	return m, tb
}

func TestFit(t *testing.T) {
	m, tb := fitBirds(t)
	if got := m.ClassNames(); !slices.Equal(got, []string{"Adelie", "Chinstrap", "Gentoo"}) {
		t.Errorf("classes %q", got)
	}
	if s := m.Samples(); !s.From(tb, "species") || s.X != nil || len(s.Rows) == 0 {
		t.Errorf("samples %+v", s)
	}
	r := m.Recipe()
	if got := m.Model().FeatureNames(); !slices.Equal(got, r.Features()) ||
		!slices.Contains(got, "island=other") || !slices.Contains(got, "mass missing") {
		t.Errorf("features %q", got)
	}
	labels, _ := tb.Labels(4)
	names := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		names[i] = c.Name
	}
	for k, v := range m.Model().RelevanceVectors() {
		if id := m.ID(k); id != "N"+strconv.Itoa(v.Index) || labels[v.Index] != v.Label {
			t.Errorf("row %d of class %d: id %q, label %d", v.Index, labels[v.Index], id, v.Label)
		}
		for i, got := range m.Cells(v.Raw) {
			c := &tb.Columns[tb.Find(names[i])]
			if want := c.Text(v.Index); c.Kind == table.Number && want != "" {
				a, _ := strconv.ParseFloat(got, 64)
				if b, _ := strconv.ParseFloat(want, 64); math.Abs(a-b) > 1e-8 {
					t.Errorf("row %d: %s is %s, want %s", v.Index, c.Name, got, want)
				}
			} else if got != want && !(got == "other" && strings.HasPrefix(want, "Rare")) {
				t.Errorf("row %d: %s is %q, want %q", v.Index, c.Name, got, want)
			}
		}
	}
	if text := save(t, m); save(t, load(t, text)) != text {
		t.Error("the file differs when saved again")
	}

	// The predictions for rows equal the predictions for their samples.
	test := birds(2, 5000)
	got, err := m.Predict(context.Background(), test)
	if err != nil || len(got) != test.Rows {
		t.Fatal(len(got), err)
	}
	rows := make([]int, test.Rows)
	for i := range rows {
		rows[i] = i
	}
	x, unusable, err := r.Encode(nil, test, rows)
	if err != nil {
		t.Fatal(err)
	}
	want, p := m.Model().Predict(nil, x), m.Model().Proba(nil, x)
	bad, wrong := 0, 0
	truth, _ := test.Labels(4)
	for i, g := range got {
		if unusable[i] != nil {
			bad++
			if !errors.Is(g.Err, recipe.ErrNoValue) || g.Label != -1 || g.Class != "" || g.Proba != nil {
				t.Fatalf("row %d: %+v", i, g)
			}
			continue
		}
		if g.Err != nil || g.Label != want[i] || g.Class != m.ClassNames()[want[i]] ||
			!slices.Equal(g.Proba, p.RawRowView(i)) {
			t.Fatalf("row %d: %+v, want %d %v", i, g, want[i], p.RawRowView(i))
		}
		if truth[i] >= 0 && truth[i] != g.Label {
			wrong++
		}
		if i%100 == 0 {
			row := map[string]any{}
			for j := range test.Columns {
				row[test.Columns[j].Name] = test.Columns[j].Text(i)
			}
			if one, err := m.PredictRow(row); err != nil || one.Class != g.Class || !slices.Equal(one.Proba, g.Proba) {
				t.Fatalf("row %d: %+v %v, in the table %+v", i, one, err, g)
			}
		}
	}
	if bad == 0 || bad > 50 || wrong > test.Rows/3 {
		t.Errorf("%d unusable, %d wrong of %d", bad, wrong, test.Rows)
	}
}

// A table of numbers gives the same model as the standardised features.
func TestFitOfNumbers(t *testing.T) {
	iris, err := data.Load("iris")
	if err != nil {
		t.Fatal(err)
	}
	var columns []table.Column
	for j, name := range iris.Features {
		columns = append(columns, numberColumn(name, mat.Col(nil, j, iris.X)...))
	}
	var species []string
	for _, label := range iris.T {
		species = append(species, iris.Classes[label])
	}
	m, _, err := model.Fit(context.Background(),
		newTable(append(columns, textColumn("class", table.Category, species...))...), "class", learner)
	if err != nil {
		t.Fatal(err)
	}
	scale := data.FitStandardizer(iris.X)
	x := scale.Apply(nil, iris.X)
	before, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: x, T: iris.T})
	if err != nil {
		t.Fatal(err)
	}
	before = before.WithReach(x).WithNames(iris.Classes, iris.Features).WithScaling(scale.Mean, scale.Scale)
	if text := save(t, model.NewModel(m.Model(), nil)); text != save(t, model.NewModel(before, nil)) ||
		!strings.Contains(text, `"version": 4,`) {
		t.Error("the models differ")
	}
	if text := save(t, m); strings.Contains(text, `"ids"`) {
		t.Error(text)
	}
	// A model without a recipe reads the same columns.
	a, errA := m.Predict(context.Background(), newTable(columns...))
	b, errB := model.NewModel(before, nil).Predict(context.Background(), newTable(columns...))
	if errA != nil || errB != nil || fmt.Sprint(a) != fmt.Sprint(b) || len(a) != 150 {
		t.Error(errA, errB)
	}
}

func TestFitErrors(t *testing.T) {
	class := textColumn("class", table.Category, "a", "b", "a")
	for about, tt := range map[string]struct {
		columns []table.Column
		is      error
	}{
		"one class": {[]table.Column{numberColumn("x", 1, 2, 3), textColumn("class", table.Category, "a", "a",
			"a")}, recipe.ErrOneClass},
		"unique": {[]table.Column{numberColumn("x", 1, 2, 3), textColumn("class", table.Category, "a", "b",
			"c")}, recipe.ErrNotLabels},
		"no features": {[]table.Column{textColumn("x", table.Text, "1", "2", "3"), class}, recipe.ErrNoFeatures},
		"fault": {[]table.Column{{Name: "x", Numbers: []float64{1, math.NaN(), 2},
			Faults: []table.Fault{{Row: 1, Text: "?!"}}}, class},
			recipe.ErrNotKind},
	} {
		m, _, err := model.Fit(context.Background(), newTable(tt.columns...), "", learner)
		if m != nil || !errors.Is(err, tt.is) || !strings.HasPrefix(err.Error(), "tables: t.csv: ") {
			t.Errorf("%s: %v", about, err)
		}
	}
	tb := newTable(numberColumn("x", 1, 2, 3), class)
	if m, _, err := model.Fit(context.Background(), tb, "",
		mpcvm.BottomUp{Kernel: kernel.RBF{Theta: -1}}); m != nil || err == nil {
		t.Error(err)
	}
	// A model that is returned with an error remains usable.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m, result, err := model.Fit(ctx, birds(3, 200), "species", mpcvm.TopDown{Kernel: learner.Kernel},
		func(*mpcvm.Step) { cancel() })
	if m == nil || !errors.Is(err, context.Canceled) || result.Status != mpcvm.Cancelled {
		t.Fatal(m, result.Status, err)
	}
	if p, err := m.PredictRow(map[string]any{"mass": 5200}); err != nil || p.Class == "" {
		t.Error(p, err)
	}
	if _, _, err := model.Fit(ctx, tb, "", learner); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if p, err := m.Predict(ctx, birds(3, 200)); !errors.Is(err, context.Canceled) || len(p) != 0 {
		t.Error(p, err)
	}
}

func TestPredictUnusable(t *testing.T) {
	m, tb := fitBirds(t)
	bad := numberColumn("mass", math.NaN(), math.NaN(), 5100, 5000)
	bad.Faults = []table.Fault{{Row: 0, Line: 2, Text: "5 kg"}}
	got, err := m.Predict(context.Background(), newTable(
		textColumn("island", table.Category, "Dream", "", "Dream", "Dream"), bad,
		textColumn("male", table.Category, "no", "", "perhaps", "yes"), numberColumn("more", 1, 2, 3, 4)))
	if err != nil {
		t.Fatal(err)
	}
	for i, is := range []error{recipe.ErrNotKind, recipe.ErrNoValue, recipe.ErrNotKind, nil} {
		if !errors.Is(got[i].Err, is) || (is == nil) != (got[i].Label >= 0) {
			t.Errorf("row %d: %+v", i, got[i])
		}
	}
	if say := got[0].Err.Error(); !strings.Contains(say, `t.csv: line 2, row 1, column 2 (mass): `) ||
		!strings.HasSuffix(say, `"5 kg"`) {
		t.Error(say)
	}
	tb.Columns = tb.Columns[:2]
	if _, err := m.Predict(context.Background(), tb); !errors.Is(err, recipe.ErrNoColumn) ||
		!strings.Contains(err.Error(), `"male", "island"; it has "tag", "mass"`) {
		t.Error(err)
	}
	if got, err := m.Predict(context.Background(), newTable(numberColumn("mass"), numberColumn("male"),
		numberColumn("island"))); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
}

func TestPredictRow(t *testing.T) {
	m, _ := fitBirds(t)
	for _, tt := range []struct {
		row map[string]any
		is  error
	}{
		{map[string]any{"mass": 5100, "male": true, "island": "Dream", "tag": 7, "species": "?"}, nil},
		{map[string]any{"mass": json.Number("5100")}, nil},
		{map[string]any{"weight": 5100}, recipe.ErrUnknownColumn},
		{map[string]any{"mass": "heavy"}, recipe.ErrNotKind},
		{map[string]any{"mass": nil}, recipe.ErrNoValue},
		{nil, recipe.ErrNoValue},
	} {
		p, err := m.PredictRow(tt.row)
		if !errors.Is(err, tt.is) || p.Err != err || (err == nil) != (p.Label >= 0 &&
			p.Class == m.ClassNames()[p.Label] && len(p.Proba) == 3) {
			t.Errorf("%v: %+v, %v", tt.row, p, err)
		}
	}
	// Without a recipe, missing values cannot be imputed.
	plain := load(t, small)
	if p, err := plain.PredictRow(map[string]any{"north": 5, "east": 1.5}); err != nil ||
		p.Label != plain.Model().Predict(nil, mat.NewDense(1, 2, []float64{1.5, 5}))[0] {
		t.Error(p, err)
	}
	if _, err := plain.PredictRow(map[string]any{"north": 5}); !errors.Is(err, recipe.ErrMissing) {
		t.Error(err)
	}
	if cells := plain.Cells([]float64{1.5, 5}); !slices.Equal(cells, []string{"1.5", "5"}) ||
		plain.Recipe() != nil {
		t.Error(cells)
	}
	// An unbounded kernel overflows.
	grows := load(t, strings.Replace(small, `{"name": "rbf", "theta": 0.5}`,
		`{"name":"polynomial","degree":9,"scale":1,"offset":0}`, 1))
	if p, err := grows.PredictRow(map[string]any{"north": 1e300, "east": 1e300}); !errors.Is(err,
		model.ErrOverflow) || p.Label != -1 {
		t.Error(p, err)
	}
	ps, err := grows.Predict(context.Background(), newTable(numberColumn("east", 1, 1e300),
		numberColumn("north", 1, 1e300)))
	if err != nil || ps[0].Err != nil || !errors.Is(ps[1].Err, model.ErrOverflow) ||
		!strings.Contains(ps[1].Err.Error(), "t.csv: row 2: ") {
		t.Error(ps, err)
	}
}

func TestTablePanics(t *testing.T) {
	m := load(t, small)
	for say, f := range map[string]func(){
		"recipe with 1 features for a model with 2": func() {
			model.NewModel(m.Model(), recipe.Numbers([]string{"x"}))
		},
		"1 features for a model with 2": func() { m.Cells([]float64{1}) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, say) {
					t.Errorf("%s, want %s", got, say)
				}
			}()
			f()
		}()
	}
}

// withRecipe is a valid model file of version 2.
var withRecipe = strings.NewReplacer(
	`"version": 1`, `"version": 2`, `"temperature": 2,`, `"temperature": 2,
  "recipe": {"target": "colour", "id": ["key"], "unused": [], "columns": [
    {"name": "east", "kind": "number", "fill": 1.25, "missing": false, "levels": []},
    {"name": "north", "kind": "boolean", "fill": 0, "missing": false, "levels": ["no", "yes"]}]},
  "ids": ["third", "eighth"],`).Replace(small)

func TestLoadRecipe(t *testing.T) {
	m := load(t, withRecipe)
	if again := load(t, save(t, m)); save(t, again) != save(t, m) ||
		fmt.Sprint(again.Recipe()) != fmt.Sprint(m.Recipe()) {
		t.Error("the file differs when saved again")
	}
	p, err := m.PredictRow(map[string]any{"north": "yes"})
	if want := m.Model().Proba(nil, mat.NewDense(1, 2, []float64{1.25, 1})); err != nil ||
		!slices.Equal(p.Proba, want.RawRowView(0)) {
		t.Error(p, err)
	}
	if m.ID(0) != "third" || m.ID(1) != "eighth" {
		t.Errorf("ids %q, %q", m.ID(0), m.ID(1))
	}
	if names := m.Recipe().Columns[1].Levels; !slices.Equal(names, []string{"no", "yes"}) {
		t.Error(names)
	}
	m.Recipe().Columns[0].Name = "west" // a copy
	if m.Recipe().Columns[0].Name != "east" {
		t.Error("the recipe of a model was changed")
	}
	for _, tt := range []struct{ old, new, say string }{
		{`"version": 2`, `"version": 1`, "recipe: not allowed in version 1"},
		{`"fill": 1.25`, `"fill": null`, "recipe.columns[0].fill: null"},
		{`"fill": 1.25`, `"fill": 1e999`, "recipe.columns[0].fill: not a finite number"},
		{`"fill": 0,`, ``, `recipe.columns[1]: key "fill" is missing`},
		{`"missing": false`, `"missing": 0`, "recipe.columns[1].missing: not true or false: number"},
		{`"missing": false`, `"missing": true`, "recipe: 3 features, but the model has 2"},
		{`"kind": "number"`, `"kind": "text"`, `recipe.columns[0].kind: "text" is not number`},
		{`["no", "yes"]`, `["no"]`, "recipe.columns[1].levels: 1 for a boolean, want 2"},
		{`["no", "yes"]`, `["no", "yes"], "more": 1`, `recipe.columns[1]: unknown key "more"`},
		{`"target": "colour"`, `"target": "east"`, `recipe.columns[0].name: duplicate name "east"`},
		{`["third", "eighth"]`, `["third"]`, "ids: 1 for 2 vectors"},
		{`["third", "eighth"]`, `["third", 8]`, "ids[1]: not a text"},
		{`["third", "eighth"]`, `["third", "` + strings.Repeat("x", 1<<16+1) + `"]`, "ids[1]: "},
		{`["third", "eighth"]`, `null`, "ids: null"},
	} {
		i := strings.LastIndex(withRecipe, tt.old)
		if i < 0 {
			t.Fatal(tt.old)
		}
		if _, err := model.Load(strings.NewReader(withRecipe[:i] + tt.new +
			withRecipe[i+len(tt.old):])); err == nil || !strings.Contains(err.Error(), "model file: "+tt.say) {
			t.Errorf("%s: %v, want %s", tt.new, err, tt.say)
		}
	}
	i, j := strings.Index(withRecipe, `"recipe"`), strings.Index(withRecipe, `"ids"`)
	if _, err := model.Load(strings.NewReader(strings.Replace(withRecipe[:i]+withRecipe[j:], `"version": 2`,
		`"version": 1`, 1))); err == nil || !strings.Contains(err.Error(), "ids: not allowed in version 1") {
		t.Error(err)
	}
	// A model that could not be loaded again is not saved.
	bad := m.Recipe()
	bad.Columns[0].Fill = math.NaN()
	if err := model.NewModel(m.Model(), bad).SaveFile(t.TempDir() + "/m.json"); err == nil ||
		!strings.Contains(err.Error(), "recipe.columns[0].fill: NaN is not finite") {
		t.Error(err)
	}
}

// The file of version 2 must stay readable and give the same predictions. Do NOT change the files.
func TestGoldenRecipe(t *testing.T) {
	m, err := model.LoadFile("testdata/recipe-v2.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/recipe-v2-rows.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Row   map[string]any
		Class string
		Proba []float64
	}
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) < 5 {
		t.Fatal(len(rows), err)
	}
	for i, want := range rows {
		p, err := m.PredictRow(want.Row)
		if err != nil || p.Class != want.Class || len(p.Proba) != len(want.Proba) {
			t.Fatalf("row %d: %+v, %v", i, p, err)
		}
		for c, v := range want.Proba {
			if math.Abs(p.Proba[c]-v) > 1e-13 {
				t.Errorf("row %d, class %d: %v, want %v", i, c, p.Proba[c], v)
			}
		}
	}
}

// The kinds of the recipe apply even to a short file with only one of the two texts of a boolean.
func TestKindsOfFewRows(t *testing.T) {
	m, _ := fitBirds(t)
	for _, male := range []string{"yes", "no", ""} {
		text := "island,male,mass\nDream," + male + ",4100\nNowhere," + male + ",heavy\n"
		later, err := tables.Read(t.Context(), strings.NewReader(text), "later.csv",
			tables.Options{Like: m.Recipe().Like()})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Predict(context.Background(), later)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.PredictRow(map[string]any{"island": "Dream", "male": male, "mass": 4100})
		if err != nil || !slices.Equal(got[0].Proba, want.Proba) || !errors.Is(got[1].Err, recipe.ErrNotKind) {
			t.Errorf("male %q: %+v, want %+v, %v", male, got, want, err)
		}
	}
}

// small is a valid model file, which the tests modify.
const small = `{
  "format": "mpcvm-model",
  "version": 1,
  "kernel": {"name": "rbf", "theta": 0.5},
  "classes": ["red", "blue", "black"],
  "features": ["east", "north"],
  "bias": [0.25, -0.5, 0],
  "scaling": {"mean": [1, 2], "scale": [0.5, 3]},
  "temperature": 2,
  "vectors": [
    {"index": 3, "label": 0, "x": [0.1, -1], "weights": [{"class": 0, "weight": 1.5}, {"class": 2, "weight": -0.25}]},
    {"index": 8, "label": 2, "x": [2, 1e-3], "weights": [{"class": 2, "weight": 4}]}
  ]
}
`

func load(t testing.TB, text string) *model.Model {
	t.Helper()
	m, err := model.Load(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func save(t testing.TB, m *model.Model) string {
	t.Helper()
	var b strings.Builder
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A column without a key is reported; a nil is a missing cell.
func TestPredictRowMissing(t *testing.T) {
	l := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.5}}
	m, _, err := model.Fit(context.Background(), penguins(), "species", l)
	if err != nil {
		t.Fatal(err)
	}
	var proba [][]float64
	for _, tt := range []struct {
		row     map[string]any
		missing []string
	}{
		{map[string]any{"mass": 3500, "island": nil}, nil},
		{map[string]any{"mass": 3500, "species": "Adelie"}, []string{"island"}},
		{map[string]any{}, []string{"mass", "island"}},
	} {
		p, err := m.PredictRow(tt.row)
		if !slices.Equal(p.Missing, tt.missing) || (err != nil) != (len(tt.missing) == 2) {
			t.Errorf("%v: missing %q, %v", tt.row, p.Missing, err)
		}
		proba = append(proba, p.Proba)
	}
	if !slices.Equal(proba[0], proba[1]) {
		t.Errorf("nil gives %v, an absent key %v", proba[0], proba[1])
	}
}

// String describes a model in one line, regardless of the number of columns.
func TestModelString(t *testing.T) {
	m, _, err := model.Fit(context.Background(), penguins(), "species",
		mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(m), "table model of 2 columns (mass, island): "+m.Model().String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	names := make([]string, 1000)
	for i := range names {
		names[i] = strings.Repeat("long\nname ", 100) + strconv.Itoa(i)
	}
	wide := mpcvm.NewModel(kernel.Linear{}, mat.NewDense(1, 1000, nil), []int{0}, make([][]int, 2),
		make([][]float64, 2), make([]float64, 2))
	got := model.NewModel(wide.WithNames(nil, names), nil).String()
	if strings.Contains(got, "\n") || len(got) > 1500 || !strings.Contains(got, "1000 columns") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// A nil learner panics with the name of the argument.
func TestNilLearner(t *testing.T) {
	for _, l := range []mpcvm.Learner{nil, (*mpcvm.BottomUp)(nil)} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "tables: Fit: l is nil; give") {
					t.Errorf("%q", text)
				}
			}()
			_, _, _ = model.Fit(context.Background(), penguins(), "species", l)
		}()
	}
}

// Documents that are not models are rejected.
func TestLoadOther(t *testing.T) {
	for text, say := range map[string]string{
		withRecipe + "x":               "text after the end",
		withRecipe[:len(withRecipe)/2]: "unexpected EOF",
		"[]":                           "not an object",
		strings.Replace(withRecipe, `"ids"`, `"recipe"`, 1):             `key "recipe" twice`,
		strings.Replace(withRecipe, `"ids"`, `"idea"`, 1):               `unknown key "idea"`,
		strings.Replace(withRecipe, `"version": 2`, `"version": 99`, 1): "version: 99 is newer",
	} {
		if _, err := model.Load(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%v, want %s", err, say)
		}
	}
}

// TestFitWeights: the column of weights is not a feature, rows with weight 0 are skipped, and the weights of
// classes and rows are multiplied. An invalid weight is an error that names the cell.
func TestFitWeights(t *testing.T) {
	read := func(cells string) *table.Table {
		var b strings.Builder
		b.WriteString("x,w,class\n")
		for i := range 40 {
			fmt.Fprintf(&b, "%d,%d,%c\n", 5*(i%2)+i/8, 1+i%3, 'a'+rune(i%2))
		}
		b.WriteString(cells)
		tb, err := tables.Read(t.Context(), strings.NewReader(b.String()), "t.csv", tables.Options{Weight: "w"})
		if err != nil {
			t.Fatal(err)
		}
		return tb
	}
	l := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.5}}
	plain, _, err := model.Fit(context.Background(), read(""), "class", l)
	if err != nil {
		t.Fatal(err)
	}
	zero, _, err := model.Fit(context.Background(), read("99,0,a\n,,\n"), "class", l)
	if err != nil {
		t.Fatal(err)
	}
	if save(t, plain) != save(t, zero) || strings.Join(plain.Recipe().Unused, "") != "w" {
		t.Errorf("a row of weight 0 changes the model, or the weight is a feature: unused %q",
			plain.Recipe().Unused)
	}
	heavy := read("")
	heavy.ClassWeights = map[string]float64{"b": 4}
	with, _, err := model.Fit(context.Background(), heavy, "class", l)
	if err != nil {
		t.Fatal(err)
	}
	middle := map[string]any{"x": 4.5}
	p, _ := plain.PredictRow(middle)
	q, _ := with.PredictRow(middle)
	if !(q.Proba[1] > p.Proba[1]) {
		t.Errorf("class b has %g, and %g where it weighs 4", p.Proba[1], q.Proba[1])
	}
	for cells, say := range map[string]string{
		"1,-1,a\n": `row 41, column 2 (w): the row has no valid weight: use a number, or 0 to skip the row: "-1"`,
		"1,,a\n":   "row 41, column 2 (w): the row has no valid weight",
	} {
		if _, _, err := model.Fit(context.Background(), read(cells), "class", l); err == nil ||
			!strings.Contains(err.Error(), say) {
			t.Errorf("%q: %v does not contain %q", cells, err, say)
		}
	}
}
