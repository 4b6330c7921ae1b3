package assess

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// fitWhole fits a logistic regression on all rows of a table.
func fitWhole(t testing.TB, tb *table.Table) *fitted {
	t.Helper()
	r, err := Deal(ctx, tb, "class", Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.fit(ctx, tb, &logistic()[0], allOf(len(r.Rows)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func find(t testing.TB, list []Importance, column string) Importance {
	t.Helper()
	i := slices.IndexFunc(list, func(i Importance) bool { return i.Column == column })
	if i < 0 {
		t.Fatalf("no column %q in %v", column, list)
	}
	return list[i]
}

// importance returns the importance of the columns for a system in cross-validation.
func importance(ctx context.Context, tb *table.Table, s System, o Options, permutations int) ([]Importance,
	error) {
	o.Keep = true
	r, err := CrossValidate(ctx, tb, "class", []System{s}, o)
	if err != nil {
		return nil, err
	}
	return r.Importance(ctx, 1, ImportanceOptions{Permutations: permutations})
}

// Informative columns are important, random ones are not, and an id is not listed. All features of a column
// are shuffled together.
func TestImportance(t *testing.T) {
	tb := mixed(150, 1)
	list, err := importance(ctx, tb, logistic()[0], Options{Repeats: 2}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 4 {
		t.Fatalf("%d columns: %v", len(list), list)
	}
	for k, s := range list {
		if len(s.LogLoss.Values) != 50 || len(s.Err.Values) != 50 || !(s.LogLoss.SD > 0) {
			t.Errorf("%s has %d values, deviation %v", s.Column, len(s.LogLoss.Values), s.LogLoss.SD)
		}
		if k > 0 && s.LogLoss.Mean > list[k-1].LogLoss.Mean {
			t.Errorf("%s is not in order", s.Column)
		}
	}
	for _, column := range []string{"x", "colour"} {
		if s := find(t, list, column); s.LogLoss.Mean < 0.3 || s.Err.Mean < 0.1 {
			t.Errorf("%s is informative, but has %+v", column, s)
		}
	}
	for _, column := range []string{"noise", "flag"} {
		if s := find(t, list, column); math.Abs(s.LogLoss.Mean) > 0.02 || math.Abs(s.Err.Mean) > 0.02 {
			t.Errorf("%s is random, but has %v, %v", column, s.LogLoss.Mean, s.Err.Mean)
		}
	}
	again, _ := importance(ctx, tb, logistic()[0], Options{Repeats: 2}, 0)
	if !reflect.DeepEqual(list, again) {
		t.Error("different values with the same seed")
	}
	r, err := CrossValidate(ctx, tb, "class", []System{logistic()[0], Of("broken", collapsing{true})},
		Options{Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Importance(ctx, 2, ImportanceOptions{}); !errors.Is(err, errFit) {
		t.Error(err)
	}
	done := 0
	if _, err := r.Importance(ctx, 1, ImportanceOptions{Permutations: 1,
		Progress: func(p Progress) { done++ }}); err != nil || done != 5 {
		t.Errorf("%v after %d folds", err, done)
	}
	mustPanic(t, "permutations", func() { _, _ = r.Importance(ctx, 1, ImportanceOptions{Permutations: -1}) })
	without := mustValidate(t, tb, logistic(), Options{})
	mustPanic(t, "without Options.Keep", func() { _, _ = without.Importance(ctx, 1, ImportanceOptions{}) })
}

// ImportanceOn measures the importance on fresh rows, some of which have missing cells.
func TestImportanceOn(t *testing.T) {
	tb := mixed(90, 2)
	m := fitWhole(t, tb)
	fresh := mixed(90, 3)
	fresh.Columns[1].Numbers[0], fresh.Columns[2].Codes[0], fresh.Columns[3].Numbers[0], fresh.Columns[4].Numbers[0] = math.NaN(), -1, math.NaN(), math.NaN()
	list, err := importanceOn(ctx, m, fresh, ImportanceOptions{Permutations: 20})
	if err != nil {
		t.Fatal(err)
	}
	if s := find(t, list, "x"); s.LogLoss.Mean < 0.3 || len(s.LogLoss.Values) != 20 {
		t.Errorf("x: %+v", s)
	}
	if s := find(t, list, "noise"); math.Abs(s.LogLoss.Mean) > 0.05 {
		t.Errorf("noise: %+v", s)
	}
	// A constant column cannot matter.
	for i := range fresh.Columns[3].Numbers {
		fresh.Columns[3].Numbers[i] = 1
	}
	if list, err = importanceOn(ctx, m, fresh, ImportanceOptions{}); err != nil ||
		find(t, list, "noise").LogLoss.Mean != 0 {
		t.Errorf("constant: %+v, %v", list, err)
	}
	other := tableOf(append(slices.Clone(fresh.Columns[:5]),
		texts("class", slices.Repeat([]string{"z"}, 90)...))...)
	if _, err := importanceOn(ctx, m, other, ImportanceOptions{}); !errors.Is(err, ErrNoRows) {
		t.Errorf("unknown classes: %v", err)
	}
	if _, err := importanceOn(ctx, m, tableOf(fresh.Columns[:5]...), ImportanceOptions{}); err == nil ||
		!strings.Contains(err.Error(), `"class"`) {
		t.Errorf("no classes: %v", err)
	}
	if _, err := importanceOn(ctx, m, tableOf(fresh.Columns[2:]...), ImportanceOptions{}); !errors.Is(err,
		recipe.ErrNoColumn) {
		t.Errorf("no x: %v", err)
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := importanceOn(stop, m, fresh, ImportanceOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	empty := tableOf(numbers("x", math.NaN()), texts("colour", ""), numbers("noise", math.NaN()),
		numbers("flag", math.NaN()), texts("class", "a"))
	if _, err := importanceOn(ctx, m, empty, ImportanceOptions{}); !errors.Is(err, ErrNoRows) {
		t.Errorf("no values: %v", err)
	}
}

// Without a recipe, each feature is a column.
func TestModels(t *testing.T) {
	tb := mixed(60, 6)
	m, _, err := tables.Fit(ctx, tb, "class", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := ImportanceOn(ctx, m, mixed(60, 7), ImportanceOptions{})
	if err != nil || len(list) != 4 || find(t, list, "x").LogLoss.Mean < 0.1 {
		t.Errorf("%+v, %v", list, err)
	}
	d, err := PartialDependence(ctx, m, tb, "colour", DependenceOptions{})
	if err != nil || len(d.Levels) != 4 || len(d.Classes) != 3 {
		t.Errorf("%+v, %v", d, err)
	}
	iris := set(t, "iris")
	m, _, err = tables.Fit(ctx, iris, "", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}})
	if err != nil {
		t.Fatal(err)
	}
	with, err := ImportanceOn(ctx, m, iris, ImportanceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	without, err := ImportanceOn(ctx, model.NewModel(m.Model(), nil), iris, ImportanceOptions{})
	if err != nil || !reflect.DeepEqual(with, without) {
		t.Errorf("%+v, %v, want %+v", without, err, with)
	}
}

// A point of a curve is the prediction for the row with that value, and Mean averages the predictions of
// all rows.
func TestPartialDependence(t *testing.T) {
	tb := mixed(60, 4)
	m := fitWhole(t, tb)
	d, err := partialDependence(ctx, m, tb, "x", DependenceOptions{Points: 7, MaxCurves: 10})
	if err != nil {
		t.Fatal(err)
	}
	if d.Kind != table.Number || len(d.Values) != 7 || len(d.Rows) != 10 || len(d.Curves) != 10 ||
		d.Levels != nil || !slices.IsSorted(d.Values) || !slices.IsSorted(d.Rows) {
		t.Fatalf("%+v", d)
	}
	for g, v := range d.Values {
		changed := mixed(60, 4)
		for i := range changed.Columns[1].Numbers {
			changed.Columns[1].Numbers[i] = v
		}
		x, _, _ := m.recipe.Encode(nil, changed, allOf(60))
		p := m.Proba(nil, x)
		for c := range 3 {
			sum := 0.0
			for i := range 60 {
				sum += p.At(i, c) / 60
			}
			if math.Abs(d.Mean.At(g, c)-sum) > 1e-12 {
				t.Errorf("value %v, class %d: %v, want %v", v, c, d.Mean.At(g, c), sum)
			}
			for k, row := range d.Rows {
				if d.Curves[k].At(g, c) != p.At(row, c) {
					t.Errorf("row %d: %v, want %v", row, d.Curves[k].At(g, c), p.At(row, c))
				}
			}
		}
	}
	if d.Mean.At(0, 0) < 0.5 || d.Mean.At(6, 2) < 0.5 {
		t.Errorf("want class a for small x and class c for large x: %v", mat.Formatted(d.Mean))
	}
	d, err = partialDependence(ctx, m, tb, "colour", DependenceOptions{})
	if err != nil || !reflect.DeepEqual(d.Levels, []string{"blue", "green", "grey", "red"}) || d.Values != nil ||
		len(d.Cells) != 60 {
		t.Fatalf("%+v, %v", d, err)
	}
	if n, _ := d.Mean.Dims(); n != 4 || d.Mean.At(3, 0) < d.Mean.At(0, 0) {
		t.Errorf("want class a for red: %v", mat.Formatted(d.Mean))
	}
	if d, err = partialDependence(ctx, m, tb, "flag", DependenceOptions{MaxRows: 20}); err != nil ||
		d.Kind != table.Boolean || !slices.Equal(d.Levels, []string{"no", "yes"}) || len(d.Cells) != 20 {
		t.Errorf("%+v, %v", d, err)
	}
	// Unknown levels are called other; with few distinct values, all of them are points.
	strange := mixed(60, 4)
	strange.Columns[2] = texts("colour", slices.Repeat([]string{"red", "pink", ""}, 20)...)
	for i := range strange.Columns[1].Numbers {
		strange.Columns[1].Numbers[i] = float64(i % 2)
	}
	if d, err = partialDependence(ctx, m, strange, "colour", DependenceOptions{}); err != nil ||
		!slices.Equal(d.Levels, []string{"blue", "green", "grey", "red", "other"}) || len(d.Cells) != 40 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = partialDependence(ctx, m, strange, "x", DependenceOptions{}); err != nil ||
		!slices.Equal(d.Values, []float64{0, 1}) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestPartialDependenceErrors(t *testing.T) {
	tb := mixed(60, 4)
	m := fitWhole(t, tb)
	if _, err := partialDependence(ctx, m, tb, "id", DependenceOptions{}); !errors.Is(err, recipe.ErrNoColumn) {
		t.Errorf("id: %v", err)
	}
	if _, err := partialDependence(ctx, m, tableOf(tb.Columns[1:3]...), "x", DependenceOptions{}); !errors.Is(
		err, recipe.ErrNoColumn) {
		t.Errorf("missing column: %v", err)
	}
	words := mixed(60, 4)
	words.Columns[1] = texts("x", slices.Repeat([]string{"1"}, 60)...)
	if _, err := partialDependence(ctx, m, words, "x", DependenceOptions{}); !errors.Is(err, recipe.ErrNotKind) {
		t.Errorf("texts instead of numbers: %v", err)
	}
	none := tableOf(numbers("x", math.NaN()), texts("colour", ""), numbers("noise", math.NaN()),
		numbers("flag", math.NaN()))
	if _, err := partialDependence(ctx, m, none, "x", DependenceOptions{}); !errors.Is(err, ErrNoRows) {
		t.Errorf("no values: %v", err)
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := partialDependence(stop, m, tb, "x", DependenceOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	mustPanic(t, "points", func() { _, _ = partialDependence(ctx, m, tb, "x", DependenceOptions{Points: 1}) })
}

// TestCostsOfRecall tests that decisions by the costs reach the recall, and that slightly lower costs do
// not.
func TestCostsOfRecall(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, c := range []int{2, 3, 7} {
		p, labels := mat.NewDense(150, c, nil), make([]int, 150)
		for i := range labels {
			row := p.RawRowView(i)
			for k := range row {
				row[k] = rng.ExpFloat64()
			}
			labels[i] = rng.IntN(c)
			row[labels[i]] *= 1.5
			floats.Scale(1/floats.Sum(row), row)
		}
		found := func(class int, costs [][]float64) (hits, of float64) {
			for i, label := range labels {
				if label == class {
					of++
					if fitting.LeastCost(p.RawRowView(i), costs) == class {
						hits++
					}
				}
			}
			return hits, of
		}
		for class := range c {
			for _, recall := range []float64{0.01, 0.5, 0.9, 1} {
				costs, err := CostsOfRecall(p, labels, class, recall)
				if err != nil {
					t.Fatal(err)
				}
				hits, of := found(class, rowsOf(costs))
				if hits != math.Ceil(recall*of) {
					t.Errorf("class %d of %d: %v of %v found for a recall of %v", class, c, hits, of, recall)
				}
				for k := range c {
					costs.Set(class, k, 0.999999*costs.At(class, k))
				}
				if fewer, _ := found(class, rowsOf(costs)); fewer >= hits {
					t.Errorf("class %d of %d: lower costs find %v rows, the returned costs %v", class, c, fewer, hits)
				}
			}
		}
	}
	zero := mat.NewDense(2, 2, []float64{1, 0, 0.5, 0.5})
	for recall, bad := range map[float64]bool{0.5: false, 1: true, 0: true, 1.5: true, math.NaN(): true} {
		if _, err := CostsOfRecall(zero, []int{1, 1}, 1, recall); (err != nil) != bad {
			t.Errorf("recall %v: %v", recall, err)
		}
	}
	if _, err := CostsOfRecall(zero, []int{0, 0}, 1, 0.5); err == nil {
		t.Error("no error for a class without rows")
	}
	mustPanic(t, "class", func() { _, _ = CostsOfRecall(zero, []int{0, 0}, 2, 0.5) })
}

// Costs of four rows, calculated by hand. Deciding by cost does not increase the expected cost, and with
// equal costs it is the same as deciding by probability.
func TestCosts(t *testing.T) {
	p := mat.NewDense(4, 2, []float64{.9, .1, .6, .4, .6, .4, .2, .8})
	labels := []int{0, 0, 1, 1}
	costs := mat.NewDense(2, 2, []float64{0, 1, 5, 0})
	curve := CostCurve(p, labels, costs)
	for k, want := range map[int]float64{0: 2. / 4, 10: 2. / 4, 11: 1. / 4, 40: 1. / 4, 41: 5. / 4, 80: 5. / 4,
		81: 10. / 4, 100: 10. / 4} {
		if got := curve[k]; got.Threshold != float64(k)/100 || !near(got.Cost, want) {
			t.Errorf("threshold %v costs %v, want %v", got.Threshold, got.Cost, want)
		}
	}
	mustPanic(t, "classes", func() { CostCurve(p, labels, mat.NewDense(3, 3, nil)) })

	r, err := CrossValidate(ctx, mixed(90, 5), "class", []System{Of("logistic", mlr.MLR{}),
		Of("broken", collapsing{true})}, Options{Repeats: 3})
	if err != nil {
		t.Fatal(err)
	}
	equal, unequal := mat.NewDense(3, 3, []float64{0, 1, 1, 1, 0, 1, 1, 1, 0}),
		mat.NewDense(3, 3, []float64{0, 1, 1, 1, 0, 1, 20, 20, 0})
	o := r.Decide(1, equal)
	if !reflect.DeepEqual(o.Labels, r.Systems[1].Labels) {
		t.Error("equal costs change the labels")
	}
	if c, e := r.Cost(1, equal), r.Score(1).Err; !near(c.Value, e.Value) || !(c.SE > 0) {
		t.Errorf("cost %v, error %v", c, e)
	}
	r.Systems = append(r.Systems, r.Decide(1, unequal))
	if before, after := r.Cost(1, unequal), r.Cost(3, unequal); after.Value >= before.Value {
		t.Errorf("mean cost %v when deciding by cost, %v by probability", after, before)
	}
	if before, after := r.Score(1), r.Score(3); after.Recall[2] <= before.Recall[2] ||
		after.LogLoss != before.LogLoss {
		t.Errorf("recall with costs %v, without %v", after.Recall, before.Recall)
	}
	if c := r.Cost(2, equal); !math.IsNaN(c.Value) {
		t.Errorf("cost of a failed system: %v", c)
	}
	mustPanic(t, "shape", func() { r.Cost(1, costs) })
	mustPanic(t, "no probabilities", func() { r.Decide(2, equal) })
}

// TestCurve tests that the curve ends at the cross-validated scores and starts with a higher log loss.
func TestCurve(t *testing.T) {
	tb, l := mixed(200, 3), mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}
	m, result, err := tables.Fit(ctx, tb, "class", l)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Evaluate(ctx, tb, m, EvaluateOptions{Learner: l, Result: result, Curve: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Curve) != 5 || f.Curve[0].Rows > 20 || f.Curve[4].Rows != 160 {
		t.Fatalf("%+v", f.Curve)
	}
	first, last := f.Curve[0], f.Curve[4]
	if math.Abs(last.Err-*f.CV.Error) > 1e-12 || math.Abs(last.LogLoss-*f.CV.LogLoss) > 1e-12 ||
		first.LogLoss <= last.LogLoss {
		t.Errorf("%+v; cross-validation has %v, %v", f.Curve, *f.CV.Error, *f.CV.LogLoss)
	}
	if f, err = Evaluate(ctx, tb, m, EvaluateOptions{Options: Options{Folds: -1}, Learner: l, Result: result,
		Curve: true}); err != nil || f.Curve != nil || f.Warnings[0].Code != "no-curve" {
		t.Errorf("%v, %v", f.Warnings, err)
	}
}

// TestEvaluateByCosts tests that the scores refer to the most probable class even if the model decides by
// costs, and that a class that cannot be found leads to a warning.
func TestEvaluateByCosts(t *testing.T) {
	tb, l := mixed(200, 3), mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}
	m, result, err := tables.Fit(ctx, tb, "class", l)
	if err != nil {
		t.Fatal(err)
	}
	class, costs := m.ClassNames()[0], mat.NewDense(m.Model().Classes(), m.Model().Classes(), nil)
	for c := 1; c < m.Model().Classes(); c++ {
		costs.Set(0, c, 1e9) // every row is assigned to class 0
	}
	o := EvaluateOptions{Options: Options{Folds: -1}, Learner: l, Result: result, Find: class, Recall: 0.9}
	f, err := Evaluate(ctx, tb, m.With(m.Model().WithCosts(costs)), o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Predictions(ctx)
	if err != nil || slices.Max(p.Labels) == 0 || *f.Train.Error > 0.5 {
		t.Errorf("labels %v (%v), error %v", p.Labels, err, *f.Train.Error)
	}
	if !slices.ContainsFunc(f.Warnings, func(w Warning) bool { return w.Code == "no-recall" }) {
		t.Errorf("warnings %v", f.Warnings)
	}
	o.Folds = 0
	if f, err = Evaluate(ctx, tb, m, o); err != nil || *f.Costs.Classes[0].Recall < 0.9 {
		t.Errorf("%+v, %v", f.Costs, err)
	}
	o.Find = "nobody"
	if _, err = Evaluate(ctx, tb, m, o); err == nil || !strings.Contains(err.Error(), `no class "nobody"`) {
		t.Errorf("%v", err)
	}
}

// TestHeldOut tests that with many rows, the rows held out by the search are used without another fit.
func TestHeldOut(t *testing.T) {
	tb, l := mixed(2100, 2), mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}, Candidates: 40}
	m, result, err := tables.Fit(ctx, tb, "class", l)
	if err != nil {
		t.Fatal(err)
	}
	s, err := recipe.Prepare(ctx, tb, "class", nil)
	if err != nil {
		t.Fatal(err)
	}
	in, out := mat.DenseCopyOf(s.X.Slice(0, 1800, 0, m.Model().Features())),
		mat.DenseCopyOf(s.X.Slice(1800, 2100, 0, m.Model().Features()))
	fitted, _, err := l.Fit(ctx, mpcvm.Samples{X: in, T: s.T[:1800]})
	if err != nil {
		t.Fatal(err)
	}
	result.Validated = &mpcvm.Validated{Model: fitted}
	for n := 1800; n < 2100; n++ {
		result.Validated.Unseen = append(result.Validated.Unseen, n)
	}
	f, err := Evaluate(ctx, tb, m, EvaluateOptions{Learner: l, Result: result})
	if err != nil {
		t.Fatal(err)
	}
	logLoss, err := score.LogLoss(fitted.Proba(nil, out), s.T[1800:])
	wrong := score.ErrorRate(fitted.Predict(nil, out), s.T[1800:])
	if err != nil || !f.CV.HeldOut || f.CV.Rows != 300 || math.Abs(*f.CV.Error-wrong) > 1e-12 ||
		math.Abs(*f.CV.LogLoss-logLoss) > 1e-9 {
		t.Errorf("%+v; the model has %v and %v, %v", f.CV, wrong, logLoss, err)
	}
}
