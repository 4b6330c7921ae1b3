package nbhelpers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// birds are the 344 penguins with a model of the table, and their samples as recipe.Prepare
// standardises them.
func birds(t *testing.T) (*table.Table, *mpcvm.Model, *data.Set) {
	t.Helper()
	ctx := context.Background()
	penguins, err := tables.Open("../data/penguins.csv", tables.Options{ID: []string{"Individual ID"},
		Drop: []string{"studyName", "Sample Number", "Date Egg", "Comments", "Region", "Stage"}})
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := mpcvm.FitTable(ctx, penguins, "Species", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := recipe.Prepare(ctx, penguins, "Species", nil)
	if err != nil {
		t.Fatal(err)
	}
	return penguins, m, &data.Set{X: s.X, T: s.T, Classes: s.Classes, Features: s.Recipe.Features()}
}

// refusal is the text of the panic of f, "" without.
func refusal(f func()) (text string) {
	defer func() {
		if fault := recover(); fault != nil {
			text = fmt.Sprint(fault)
		}
	}()
	f()
	return ""
}

// A model of a table takes the table and refuses standardised samples, whoever scaled them. All helpers
// count the same errors, those of PredictTable.
func TestTableModelUnits(t *testing.T) {
	penguins, m, scaled := birds(t)
	predictions, err := m.PredictTable(context.Background(), penguins)
	if err != nil {
		t.Fatal(err)
	}
	wrong, species := 0, penguins.Columns[penguins.Find("Species")]
	for i, p := range predictions {
		if p.Class != species.Text(i) {
			wrong++
		}
	}
	if misread := 344 - same(m.Predict(nil, scaled.X), scaled.T); misread < 150 {
		t.Fatalf("standardised samples: %d of 344 wrong; the test needs a model that takes them wrongly", misread)
	}
	if n := Wrong(m, penguins); n != wrong {
		t.Errorf("Wrong counts %d, PredictTable %d", n, wrong)
	}
	told := fmt.Sprintf("%d of 344 samples misclassified", wrong)
	regions := Regions(m, penguins, RegionsOptions{Cells: 20})
	for name, c := range map[string]Chart{
		"Regions":   regions,
		"Profile":   Profile(m, penguins, ProfileOptions{}),
		"principal": Regions(m, penguins, RegionsOptions{Cells: 20, Principal: true}),
	} {
		subtitle := c.figure.subtitle
		if !strings.Contains(subtitle, told) || name != "principal" && !strings.Contains(subtitle, "2 without a value not drawn") {
			t.Errorf("%s: %q, want %q", name, subtitle, told)
		}
		if strings.Contains(c.Alt, "missing") || !strings.HasPrefix(c.figure.title, "penguins") {
			t.Errorf("%s: %q: %q", name, c.figure.title, c.Alt)
		}
	}
	// The axes have the two most important numeric columns, in millimetres.
	list, err := assess.ImportanceOn(context.Background(), m, penguins, assess.ImportanceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x := regions.figure.panels[0].x
	if !strings.Contains(x.name, list[0].Column) && !strings.Contains(x.name, list[1].Column) || x.lo < 10 {
		t.Errorf("x is %q from %g; the most important columns are %q and %q", x.name, x.lo, list[0].Column, list[1].Column)
	}
	mass := Profile(m, penguins, ProfileOptions{Column: "Body Mass (g)"})
	if x := mass.figure.panels[2].x; !strings.Contains(x.name, "Body Mass") || x.lo < 2000 || x.hi > 7000 {
		t.Errorf("the axis is %+v", x)
	}

	other := *scaled
	other.Features = append([]string{"beak"}, scaled.Features[1:]...)
	numbers := mat.NewDense(60, 2, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 60 {
		numbers.SetRow(i, []float64{200 + 10*rng.NormFloat64() + 30*float64(i%2), 4000 + 500*rng.NormFloat64()})
	}
	raw := &data.Set{X: numbers, T: make([]int, 60), Classes: []string{"a", "b"}, Features: []string{"length", "mass"}}
	for i := range raw.T {
		raw.T[i] = i % 2
	}
	scale := data.FitStandardizer(raw.X)
	train, test := raw.Split(0.5, 1)
	l := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 5}}
	fitted, _, err := l.Fit(context.Background(), mpcvm.Samples{X: scale.Apply(nil, train.X), T: train.T})
	if err != nil {
		t.Fatal(err)
	}
	own := fitted.WithNames(raw.Classes, raw.Features).WithScaling(scale.Mean, scale.Scale)
	asTable := own.WithRecipe(recipe.Numbers(raw.Features))
	byHand := *train
	byHand.X = scale.Apply(nil, train.X)
	for name, tt := range map[string]struct {
		want string
		f    func()
	}{
		"prepared":       {"pass the table that tables.Open returned: Regions(model, table, ...)", func() { Regions(m, scaled, RegionsOptions{}) }},
		"part":           {"pass the table", func() { Regions(m, scaled.Subset([]int{0, 200, 300}), RegionsOptions{}) }},
		"profile":        {"pass the table that tables.Open returned: Profile(", func() { Profile(m, scaled, ProfileOptions{}) }},
		"wrong":          {"pass the table that tables.Open returned: Wrong(", func() { Wrong(m, scaled) }},
		"explanation":    {"pass the cells of a row: Explanation(model, table.Row(i))", func() { Explanation(m, scaled.X.RawRowView(5)) }},
		"names":          {`"beak"`, func() { Regions(m, &other, RegionsOptions{}) }},
		"scale":          {"Scale would standardise", func() { Regions(asTable, raw, RegionsOptions{Scale: &scale}) }},
		"scale of table": {"needs no Scale", func() { Regions(m, penguins, RegionsOptions{Scale: &scale}) }},
		"held out":       {"data.Standardizer", func() { Regions(asTable, scale.Set(test), RegionsOptions{}) }},
		"split later":    {"data.Standardizer", func() { a, _ := scale.Set(raw).Split(0.5, 3); Wrong(asTable, a) }},
		"no recipe":      {"as it was before", func() { Regions(own, scale.Set(test), RegionsOptions{}) }},
		"by hand":        {"training rows of the model", func() { Regions(asTable, &byHand, RegionsOptions{}) }},
		"indicator":      {`is not one of the numeric columns`, func() { Profile(m, penguins, ProfileOptions{Column: "Sex missing"}) }},
		"no table model": {"needs a model of mpcvm.FitTable", func() { Regions(own, penguins, RegionsOptions{}) }},
		"bad cell":       {`"heavy"`, func() { Explanation(m, map[string]any{"Body Mass (g)": "heavy"}) }},
	} {
		text := refusal(tt.f)
		if !strings.Contains(text, tt.want) || !strings.HasPrefix(text, "nbhelpers: ") || strings.Contains(text, "\n") {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}

	// What is right is not refused: raw samples, few or far away, a model of standardised features with
	// Scale, and a table whose columns were standardised before.
	encoded, _, err := m.Recipe().Encode(nil, penguins, []int{0, 3, 100, 343})
	if err != nil {
		t.Fatal(err)
	}
	plainSet := &data.Set{X: encoded, T: make([]int, 4), Classes: m.ClassNames(), Features: m.FeatureNames()}
	far := *raw
	far.X = mat.NewDense(60, 2, nil)
	before := own.WithScaling([]float64{0.01, -0.02}, []float64{1.01, 0.98}).WithRecipe(recipe.Numbers(raw.Features))
	for name, f := range map[string]func(){
		"encoded":      func() { Wrong(m, plainSet) },
		"one row":      func() { Explanation(m, encoded.RawRowView(1)) },
		"raw":          func() { Regions(asTable, raw, RegionsOptions{Cells: 5}) },
		"far":          func() { Wrong(asTable, &far) },
		"with scale":   func() { Regions(fitted, raw, RegionsOptions{Cells: 5, Scale: &scale}) },
		"without":      func() { Regions(fitted, scale.Set(raw), RegionsOptions{Cells: 5}) },
		"scaled table": func() { Regions(before, scale.Set(raw), RegionsOptions{Cells: 5}) },
		"cells":        func() { Explanation(m, penguins.Row(3)) },
	} {
		if text := refusal(f); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
	lacking := Explanation(m, map[string]any{"Body Mass (g)": 5000}).figure.subtitle
	if !strings.Contains(lacking, "taken as missing: Island") {
		t.Errorf("%q", lacking)
	}
}

func same(labels, truth []int) (n int) {
	for i, label := range labels {
		if label == truth[i] {
			n++
		}
	}
	return n
}

// Row gives PredictRow the cells that PredictTable reads.
func TestRowIsThatOfTheTable(t *testing.T) {
	penguins, m, _ := birds(t)
	predictions, err := m.PredictTable(context.Background(), penguins)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range predictions {
		got, err := m.PredictRow(penguins.Row(i))
		if err != nil || got.Missing != nil || got.Class != want.Class || math.Abs(got.Proba[0]-want.Proba[0]) > 1e-12 {
			t.Errorf("row %d: %+v, %v; PredictTable says %+v", i+1, got, err, want)
		}
	}
}
