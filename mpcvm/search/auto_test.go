package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"gonum.org/v1/gonum/mat"
)

// Auto fits a sparse setting that it tried, none worse than the first of these, and says so.
func TestAuto(t *testing.T) {
	set := data.Blobs(90, 3, 2, 0.7, 3)
	train, test := set.Split(0.6, 1)
	var seen []mpcvm.Trial
	steps := 0
	m, result, err := search.Auto{OnTrial: func(trial mpcvm.Trial) { seen = append(seen, trial) }}.Fit(t.Context(), train.X, train.T,
		func(*mpcvm.Step) { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != mpcvm.Converged || steps != result.Iterations || len(seen) != len(result.Trials) || result.Seconds <= 0 {
		t.Errorf("%v after %d iterations, %d steps seen; %d trials, %d seen", result.Status, result.Iterations, steps, len(result.Trials), len(seen))
	}
	var chosen []mpcvm.Trial
	first := 0.0 // the log loss of the first sparse setting
	families := map[string]bool{}
	for i, trial := range result.Trials {
		if !(trial.LogLoss > 0) || trial.ErrorRate < 0 || trial.Temperature <= 0 || trial.Seconds <= 0 || trial.Learner == "" || trial.Kernel == nil {
			t.Errorf("%+v", trial)
		}
		family, _, _ := strings.Cut(trial.Kernel.String(), "(")
		families[family] = true
		if trial.Chosen {
			chosen = append(chosen, trial)
		}
		if first == 0 && !strings.Contains(trial.Learner, "dense") {
			first = trial.LogLoss
		}
		trial.Chosen = seen[i].Chosen // which is known only at the end
		if !reflect.DeepEqual(trial, seen[i]) {
			t.Errorf("told of %+v, then %+v", seen[i], trial)
		}
	}
	if len(families) != 2 || len(chosen) != 1 || chosen[0].LogLoss > first || strings.Contains(chosen[0].Learner, "dense") || chosen[0].Temperature != m.Temperature() ||
		chosen[0].Kernel.String() != m.Kernel().String() {
		t.Errorf("families %v; chosen %+v and %g of the first sparse one; the model: %v, temperature %g", families, chosen, first, m.Kernel(), m.Temperature())
	}
	if e := score.ErrorRate(m.Predict(nil, test.X), test.T); e > 0.2 {
		t.Errorf("error rate %g", e)
	}
}

// The same bits on any number of cores.
func TestAutoDeterminism(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1.2, 5)
	fit := func(cores int) ([]float64, []mpcvm.Trial) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		m, result, err := search.Auto{PerFeature: true}.Fit(t.Context(), set.X, set.T)
		if err != nil {
			t.Fatal(err)
		}
		for i := range result.Trials {
			result.Trials[i].Seconds = 0
		}
		return m.Proba(nil, set.X).RawMatrix().Data, result.Trials
	}
	p1, trials1 := fit(1)
	p4, trials4 := fit(4)
	if !reflect.DeepEqual(p1, p4) || !reflect.DeepEqual(trials1, trials4) {
		t.Error("four cores give another model than one")
	}
}

// When the time is up the best so far is fitted.
func TestAutoBudget(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1.2, 5)
	_, whole, err := search.Auto{}.Fit(t.Context(), set.X, set.T)
	if err != nil {
		t.Fatal(err)
	}
	m, result, err := search.Auto{Budget: time.Nanosecond}.Fit(t.Context(), set.X, set.T)
	if err != nil || m == nil {
		t.Fatal(err)
	}
	if n := len(result.Trials); n != 2 || len(whole.Trials) < 10 || !result.Trials[1].Chosen { // a width, a sparse setting
		t.Errorf("%d trials, %d without a budget; %+v", n, len(whole.Trials), result.Trials)
	}
	if e := score.ErrorRate(m.Predict(nil, set.X), set.T); e > 0.2 {
		t.Errorf("error rate %g", e)
	}
}

func TestAutoCancelled(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1.2, 5)
	ctx, cancel := context.WithCancel(t.Context())
	trials := 0
	m, result, err := search.Auto{OnTrial: func(mpcvm.Trial) {
		if trials++; trials == 3 {
			cancel()
		}
	}}.Fit(ctx, set.X, set.T)
	if m != nil || !errors.Is(err, context.Canceled) || result.Status != mpcvm.Cancelled || len(result.Trials) != 3 {
		t.Errorf("%v, %v, %d trials", err, result.Status, len(result.Trials))
	}
	var bad *mpcvm.CellError
	if _, _, err := (search.Auto{}).Fit(t.Context(), set.X, make([]int, set.N())); !errors.As(err, &bad) {
		t.Errorf("one class: %v", err)
	}
}

// A width for each feature pays where most features are noise.
func TestAutoPerFeature(t *testing.T) {
	set, plane := data.Noise(200, 2, 6, 1), data.Spirals(200, 2, 0.05, 1)
	set.T = plane.T
	for n := range set.N() {
		copy(set.X.RawRowView(n), plane.X.RawRowView(n)) // the first two of six features
	}
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	m, result, err := search.Auto{PerFeature: true}.Fit(t.Context(), x, set.T)
	if err != nil {
		t.Fatal(err)
	}
	var theta []float64
	switch k := m.Kernel().(type) {
	case kernel.ARD:
		theta = k.Theta
	case kernel.LaplacianARD:
		theta = k.Theta
	default:
		t.Fatalf("%v of %d trials", k, len(result.Trials))
	}
	for _, noise := range theta[2:] {
		if noise >= min(theta[0], theta[1]) {
			t.Errorf("widths %v", theta)
		}
	}
}

func ExampleAuto() {
	set, err := data.Load("iris")
	if err != nil {
		panic(err)
	}
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	m, result, err := search.Auto{}.Fit(context.Background(), x, set.T)
	if err != nil {
		panic(err)
	}
	for _, t := range result.Trials {
		if t.Chosen {
			fmt.Printf("%s, %s: log loss %.2f\n", t.Learner, strings.SplitN(t.Kernel.String(), "(", 2)[0], t.LogLoss)
		}
	}
	fmt.Println(len(m.RelevanceVectors()), "relevance vectors")
	// Output:
	// kernel prior s²=10, cut to 0.7, rbf: log loss 0.08
	// 34 relevance vectors
}

// TestSingletons: a sample that is the only one of its class is in no cross-validated figure,
// and labels that are nearly all different are refused at once.
func TestSingletons(t *testing.T) {
	set := data.Blobs(61, 3, 2, 0.5, 4)
	plain := set.Subset(fitting.All(60))
	set.T[60] = 3
	set.X.SetRow(60, []float64{40, 40}) // far from all: a model that has seen it is sure of it
	l := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}, MaxIterations: 20}
	y, err := search.CrossValidate(t.Context(), l, set.X, set.T, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	if row := y.RawRowView(60); !math.IsNaN(row[0]) || math.IsNaN(y.At(0, 0)) {
		t.Errorf("potentials %v of the only one of its class", row)
	}
	_, r, err := search.Auto{Seed: 1}.Fit(t.Context(), set.X, set.T)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range r.Trials {
		// Five folds of 48 or 49 training samples have at most this many weights each.
		if math.IsNaN(trial.LogLoss) || trial.Weights > 49*4 {
			t.Errorf("%+v", trial)
		}
		if wrong := trial.ErrorRate * 60; math.Abs(wrong-math.Round(wrong)) > 1e-9 {
			t.Errorf("error rate %v is not of %d samples", trial.ErrorRate, plain.N())
		}
	}

	labels := fitting.All(300)
	x := mat.NewDense(300, 1, nil)
	for i := range 300 {
		x.Set(i, 0, float64(i))
	}
	start := time.Now()
	_, _, err = search.Auto{}.Fit(t.Context(), x, labels)
	var fault *mpcvm.CellError
	if !errors.As(err, &fault) || fault.Value != 300.0 || time.Since(start) > 10*time.Second {
		t.Errorf("unique labels: %v after %v", err, time.Since(start))
	}
}
