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
func birds(t *testing.T) (*table.Table, *tables.Model, *data.Set) {
	t.Helper()
	ctx := context.Background()
	penguins, err := tables.Open("../data/penguins.csv", tables.Options{ID: []string{"Individual ID"},
		Drop: []string{"studyName", "Sample Number", "Date Egg", "Comments", "Region", "Stage"}})
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := tables.Fit(ctx, penguins, "Species", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}})
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
// count the same errors, those of Predict.
func TestTableModelUnits(t *testing.T) {
	penguins, m, scaled := birds(t)
	predictions, err := m.Predict(context.Background(), penguins)
	if err != nil {
		t.Fatal(err)
	}
	wrong, species := 0, penguins.Columns[penguins.Find("Species")]
	for i, p := range predictions {
		if p.Class != species.Text(i) {
			wrong++
		}
	}
	if misread := 344 - same(m.Model().Predict(nil, scaled.X), scaled.T); misread < 150 {
		t.Fatalf("standardised samples: %d of 344 wrong; the test needs a model that takes them wrongly", misread)
	}
	if n := TableWrong(m, penguins); n != wrong {
		t.Errorf("Wrong counts %d, Predict %d", n, wrong)
	}
	told := fmt.Sprintf("%d of 344 samples misclassified", wrong)
	regions := TableRegions(m, penguins, RegionsOptions{Cells: 20})
	for name, c := range map[string]Chart{
		"Regions":   regions,
		"Profile":   TableProfile(m, penguins, ProfileOptions{}),
		"principal": TableRegions(m, penguins, RegionsOptions{Cells: 20, Principal: true}),
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
	mass := TableProfile(m, penguins, ProfileOptions{Column: "Body Mass (g)"})
	if x := mass.figure.panels[2].x; !strings.Contains(x.name, "Body Mass") || x.lo < 2000 || x.hi > 7000 {
		t.Errorf("the axis is %+v", x)
	}

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
	byHand := *train
	byHand.X = scale.Apply(nil, train.X)
	for name, tt := range map[string]struct {
		want string
		f    func()
	}{
		"prepared":       {"as it was before", func() { Regions(m.Model(), scaled, RegionsOptions{}) }},
		"profile":        {"Profile: ", func() { Profile(m.Model(), scaled, ProfileOptions{}) }},
		"wrong":          {"Wrong: ", func() { Wrong(m.Model(), scaled) }},
		"scale of table": {"needs no Scale", func() { TableRegions(m, penguins, RegionsOptions{Scale: &scale}) }},
		"held out":       {"data.Standardizer", func() { Regions(own, scale.Set(test), RegionsOptions{}) }},
		"split later":    {"data.Standardizer", func() { a, _ := scale.Set(raw).Split(0.5, 3); Wrong(own, a) }},
		"by hand":        {"training rows of the model", func() { Regions(own, &byHand, RegionsOptions{}) }},
		"indicator":      {`is not one of the numeric columns`, func() { TableProfile(m, penguins, ProfileOptions{Column: "Sex missing"}) }},
		"no table model": {"needs a model with a recipe", func() { TableRegions(tables.NewModel(own, nil), penguins, RegionsOptions{}) }},
		"bad cell":       {`"heavy"`, func() { TableExplanation(m, map[string]any{"Body Mass (g)": "heavy"}) }},
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
	plainSet := &data.Set{X: encoded, T: make([]int, 4), Classes: m.ClassNames(), Features: m.Model().FeatureNames()}
	far := *raw
	far.X = mat.NewDense(60, 2, nil)
	before := own.WithScaling([]float64{0.01, -0.02}, []float64{1.01, 0.98})
	for name, f := range map[string]func(){
		"encoded":      func() { Wrong(m.Model(), plainSet) },
		"one row":      func() { Explanation(m.Model(), encoded.RawRowView(1)) },
		"raw":          func() { Regions(own, raw, RegionsOptions{Cells: 5}) },
		"far":          func() { Wrong(own, &far) },
		"with scale":   func() { Regions(fitted, raw, RegionsOptions{Cells: 5, Scale: &scale}) },
		"without":      func() { Regions(fitted, scale.Set(raw), RegionsOptions{Cells: 5}) },
		"scaled table": func() { Regions(before, scale.Set(raw), RegionsOptions{Cells: 5}) },
		"cells":        func() { TableExplanation(m, penguins.Row(3)) },
	} {
		if text := refusal(f); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
	lacking := TableExplanation(m, map[string]any{"Body Mass (g)": 5000}).figure.subtitle
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

// Row gives PredictRow the cells that Predict reads.
func TestRowIsThatOfTheTable(t *testing.T) {
	penguins, m, _ := birds(t)
	predictions, err := m.Predict(context.Background(), penguins)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range predictions {
		got, err := m.PredictRow(penguins.Row(i))
		if err != nil || got.Missing != nil || got.Class != want.Class || math.Abs(got.Proba[0]-want.Proba[0]) > 1e-12 {
			t.Errorf("row %d: %+v, %v; Predict says %+v", i+1, got, err, want)
		}
	}
}
