package nbhelpers_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

func ExampleRow() {
	fmt.Printf("%q\n", nb.Row("%s|%.1f|%d", "Iris", 4.25, 6))
	fmt.Println(nb.Mean([]float64{1, 2, 3}).Text(2), nb.Mean([]float64{2}).Text(2))
	fmt.Println(nb.Curve("square", []float64{0, 1, 2}, func(x float64) float64 { return x * x }).Y)
	// Output:
	// ["Iris" "4.2" "6"]
	// 2.00 ± 0.58 2.00
	// [0 1 4]
}

func TestFit(t *testing.T) {
	set := data.Line(data.LineSeed)
	model, result := nb.Fit(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}, set)
	if result.Status != mpcvm.Converged || !slices.Equal(model.ClassNames(), set.Classes) ||
		!slices.Equal(model.FeatureNames(), set.Features) {
		t.Errorf("%v, classes %v, features %v", result.Status, model.ClassNames(), model.FeatureNames())
	}
	want := float64(set.N()) * must.Get(score.ErrorRate(model.Predict(nil, set.X), set.T))(t)
	if got := nb.Wrong(model, set); float64(got) != math.Round(want) {
		t.Errorf("%d wrong, error rate × N is %v", got, want)
	}

	// An mRVM also takes the names.
	free, _ := nb.Fit(mrvm.TopDown{Kernel: kernel.RBF{Theta: 1}}, data.Overlap(data.OverlapSeed))
	if names := free.ClassNames(); !slices.Equal(names, []string{"black", "blue", "red"}) {
		t.Errorf("names of the mRVM: %v", names)
	}
	if names := free.WithNames([]string{"x", "y", "z"}, nil).ClassNames(); names[2] != "z" ||
		free.ClassNames()[2] != "red" {
		t.Errorf("WithNames: %v, the first model %v", names, free.ClassNames())
	}

	bad := data.Line(1)
	bad.T = bad.T[1:]
	must.Panic(t, "too few labels", func() { nb.Fit(mpcvm.TopDown{Kernel: kernel.RBF{Theta: 1}}, bad) })
}

// A model and the function of its potentials are equivalent classifiers.
func TestPotentialFunc(t *testing.T) {
	set := data.Line(data.LineSeed)
	model, _ := nb.Fit(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}, set)
	f := nb.PotentialFunc(func(x []float64) []float64 {
		return mat.Row(nil, 0, model.Potentials(nil, mat.NewDense(1, 1, x)))
	})
	if got, want := f.Potentials(nil, set.X),
		model.Potentials(nil, set.X); !mat.EqualApprox(got, want, 1e-12) {
		t.Error("potentials differ")
	}
	if got, want := f.Proba(mat.NewDense(set.N(), 3, nil), set.X),
		model.Proba(nil, set.X); !mat.EqualApprox(got, want, 1e-9) {
		t.Error("probabilities differ")
	}
	if got, want := f.Predict(nil, set.X), model.Predict(nil, set.X); !slices.Equal(got, want) {
		t.Errorf("labels %v, want %v", got, want)
	}
}

func TestStems(t *testing.T) {
	set := data.Line(data.LineSeed)
	one, three := make([]float64, 60),
		[][]float64{make([]float64, 60), make([]float64, 60), make([]float64, 60)}
	one[slices.Index(set.T, 1)], three[2][slices.Index(set.T, 1)] = 0.5, 0.5 // a sample of B
	for _, c := range []struct {
		chart nb.Chart
		color int
		name  string
	}{{nb.Stems(set, [][]float64{one}, nb.LinesOptions{}), 1, "of B"},
		{nb.Stems(set, three, nb.LinesOptions{}), 2, "for C"}} {
		option := drawn.Texts(t, c.chart)
		for k := range 3 { // only the stems have strokes of the colour of a class
			if drawn := strings.Contains(option, `"stroke":"`+nb.ClassColor(k)+`"`); drawn != (k == c.color) {
				t.Errorf("%s: colour of class %d is drawn: %v", c.name, k, drawn)
			}
		}
		if !strings.Contains(option, c.name) {
			t.Errorf("the legend lacks %q", c.name)
		}
	}
	for _, w := range [][][]float64{three[:2], {one[:59]}} {
		must.Panic(t, "the number of weights", func() { nb.Stems(set, w, nb.LinesOptions{}) })
	}
}

func TestTrials(t *testing.T) {
	auto := mpcvm.Result{Trials: []mpcvm.Trial{
		{Learner: "kernel prior s²=100, dense", Kernel: kernel.RBF{Theta: 0.123456}, LogLoss: 0.5,
			Weights: 300},
		{Learner: "kernel prior s²=1, dense", Kernel: kernel.RBF{Theta: 0.2}, LogLoss: 0.4, Weights: 300},
		{Learner: "kernel prior s²=1, cut to 0.7", Kernel: kernel.RBF{Theta: 0.2}, LogLoss: 0.45,
			Weights: 70},
		{Learner: "bottom up, likelihood power 10, 60 candidates", Kernel: kernel.Laplacian{Theta: 0.2},
			LogLoss: 0.3, ErrorRate: 0.125, Temperature: 2, Weights: 20, Seconds: 0.25, Chosen: true},
		{Learner: "bottom up, likelihood power 1", Kernel: kernel.ARD{Theta: []float64{1, 2}}, LogLoss: 0.35,
			Weights: 22},
		{Learner: "bottom up, likelihood power 10", GivenUp: true, Kernel: kernel.RBF{Theta: 0.2},
			LogLoss: 0.2, Weights: 10, Seconds: 1},
	}}
	table, chart := nb.Trials(auto)
	if got := strings.Join(table.Rows[0],
		"|"); got != "bottom up, likelihood power 10, 60 candidates|laplacian, θ = "+
		"0.2|0.300|12.5|2.00|20|0.25|chosen" || len(table.Rows) != 1 {
		t.Errorf("the first of %d rows is %s", len(table.Rows), got)
	}
	var option struct {
		Legend struct{ Data []struct{ Name string } }
	}
	must.OK(t, json.Unmarshal(chart.Option(), &option))
	for _, family := range []string{"kernel prior, dense", "kernel prior, cut", "bottom up",
		"given up after a fold", "chosen"} {
		n := 0
		for _, entry := range option.Legend.Data {
			if entry.Name == family {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the legend names %q %d times", family, n)
		}
	}
	if option := string(chart.Option()); !strings.Contains(option, `{"symbolSize":12,"value":[20,0.3]}`) {
		t.Errorf("the dot of a quarter of the longest time has the wrong size: %s", option)
	}
	once := mpcvm.Result{Trials: []mpcvm.Trial{{Learner: "top down", Kernel: kernel.RBF{Theta: 0.123456},
		LogLoss: 0.5, Weights: 3, Chosen: true}}}
	if table, _ := nb.Trials(once); len(table.Rows) != 1 || table.Rows[0][1] != "rbf, θ = 0.123" {
		t.Errorf("one trial: %v", table.Rows)
	}
	once.Trials[0].Kernel = kernel.ARD{Theta: []float64{0.25, 1.5, 0}}
	if table, _ := nb.Trials(once); table.Rows[0][1] != "ard, θ 0 to 1.5" {
		t.Errorf("a width for each feature: %v", table.Rows)
	}

	set := must.Load(t, "iris")
	_, result := nb.Fit(search.Width{Learner: mpcvm.BottomUp{}}, set)
	table, chart = nb.Trials(result)
	if len(table.Rows) != len(result.Trials) || len(table.Header) != 3 ||
		!strings.Contains(drawn.Texts(t, chart), "\nθ\n") {
		t.Errorf("trials of a width: %v, %d rows for %d trials", table.Header, len(table.Rows),
			len(result.Trials))
	}
	must.PanicWith(t, "no trials", "tried no settings", func() { nb.Trials(mpcvm.Result{}) })
}
