package eval

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// fitWhole fits a model on all rows of a table.
func fitWhole(t testing.TB, tb *table.Table) *model.Model {
	t.Helper()
	m, _, err := model.Fit(ctx, tb, "class", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func of(t testing.TB, list []Importance, column string) Importance {
	t.Helper()
	i := slices.IndexFunc(list, func(i Importance) bool { return i.Column == column })
	if i < 0 {
		t.Fatalf("no column %q in %v", column, list)
	}
	return list[i]
}

// Informative columns are important, random ones are not, and an id is not listed. All features of a column
// are shuffled together.
func TestImportance(t *testing.T) {
	systems := append(logistic(), Of("broken", collapsing{true}))
	measure := func() (*Comparison, []Importance) {
		r := mustValidate(t, mixed(150, 1), systems, Options{Repeats: 2, Keep: true})
		list, err := r.Systems[1].Importance(ctx, ImportanceOptions{})
		if err != nil || len(list) != 4 {
			t.Fatal(list, err)
		}
		return r, list
	}
	r, list := measure()
	for k, s := range list {
		if len(s.LogLoss.Values) != 50 || len(s.Err.Values) != 50 || !(s.LogLoss.SD > 0) ||
			k > 0 && s.LogLoss.Mean > list[k-1].LogLoss.Mean {
			t.Errorf("%s has %d values, deviation %v", s.Column, len(s.LogLoss.Values), s.LogLoss.SD)
		}
	}
	for _, column := range []string{"x", "colour"} {
		if s := of(t, list, column); s.LogLoss.Mean < 0.3 || s.Err.Mean < 0.1 {
			t.Errorf("%s is informative, but has %+v", column, s)
		}
	}
	for _, column := range []string{"noise", "flag"} {
		if s := of(t, list, column); math.Abs(s.LogLoss.Mean) > 0.02 || math.Abs(s.Err.Mean) > 0.02 {
			t.Errorf("%s is random, but has %v, %v", column, s.LogLoss.Mean, s.Err.Mean)
		}
	}
	if _, again := measure(); !reflect.DeepEqual(list, again) {
		t.Error("different values with the same seed")
	}
	if _, err := r.Systems[2].Importance(ctx, ImportanceOptions{}); !errors.Is(err, errFit) {
		t.Error(err)
	}
	done := 0
	if _, err := r.Systems[1].Importance(ctx, ImportanceOptions{Permutations: 1,
		Progress: func(p Progress) { done++ }}); err != nil || done != 10 {
		t.Errorf("%v after %d folds", err, done)
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Systems[1].Importance(stop, ImportanceOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	mustPanic(t, "permutations",
		func() { _, _ = r.Systems[1].Importance(ctx, ImportanceOptions{Permutations: -1}) })
	without := mustValidate(t, mixed(150, 1), logistic(), Options{})
	mustPanic(t, "were not kept", func() {
		_, _ = without.Systems[1].Importance(ctx, ImportanceOptions{})
	})
}

// The importance for a model is measured on fresh rows, some of which have missing cells.
func TestImportanceOfModel(t *testing.T) {
	m, fresh := fitWhole(t, mixed(90, 2)), mixed(90, 3)
	for _, k := range []int{1, 3, 4} {
		fresh.Columns[k].Numbers[0] = math.NaN()
	}
	fresh.Columns[2].Codes[0] = -1
	measure := func(m *model.Model, tb *table.Table) ([]Importance, error) {
		p, err := Predict(ctx, m, tb)
		if err != nil {
			return nil, err
		}
		return p.Importance(ctx, ImportanceOptions{Permutations: 20})
	}
	list, err := measure(m, fresh)
	if err != nil {
		t.Fatal(err)
	}
	if s := of(t, list, "x"); s.LogLoss.Mean < 0.1 || len(s.LogLoss.Values) != 20 {
		t.Errorf("x: %+v", s)
	}
	for i := range fresh.Columns[3].Numbers { // a constant column cannot matter
		fresh.Columns[3].Numbers[i] = 1
	}
	if list, err = measure(m, fresh); err != nil || of(t, list, "noise").LogLoss.Mean != 0 {
		t.Errorf("constant: %+v, %v", list, err)
	}
	other := tableOf(append(slices.Clone(fresh.Columns[:5]),
		levels("class", slices.Repeat([]string{"z"}, 90)...))...)
	if _, err := measure(m, other); !errors.Is(err, ErrNoRows) {
		t.Errorf("unknown classes: %v", err)
	}
	if _, err := measure(m, tableOf(fresh.Columns[:5]...)); err == nil || !strings.Contains(err.Error(),
		"class") {
		t.Errorf("no classes: %v", err)
	}
	if _, err := measure(m, tableOf(fresh.Columns[2:]...)); !errors.Is(err, recipe.ErrNoColumn) {
		t.Errorf("no x: %v", err)
	}
	// Without a recipe, each feature is a column.
	iris := set(t, "iris")
	m = fitWhole(t, iris)
	with, err := measure(m, iris)
	if err != nil {
		t.Fatal(err)
	}
	without, err := measure(model.NewModel(m.Model(), nil), iris)
	if err != nil || !reflect.DeepEqual(with, without) {
		t.Errorf("%+v, %v, want %+v", without, err, with)
	}
}

// A point of a curve is the prediction for the row with that value, and Mean averages the predictions of
// all rows.
func TestPartialDependence(t *testing.T) {
	tb := mixed(60, 4)
	m := fitWhole(t, tb)
	d, err := PartialDependence(ctx, m, tb, "x", DependenceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Kind != table.Number || len(d.Values) != 20 || d.Levels != nil || !slices.IsSorted(d.Values) {
		t.Fatalf("%+v", d)
	}
	for g, v := range d.Values {
		changed := mixed(60, 4)
		for i := range changed.Columns[1].Numbers {
			changed.Columns[1].Numbers[i] = v
		}
		x, _, _ := m.Recipe().Encode(nil, changed, fitting.All(60))
		p := m.Model().Proba(nil, x)
		for c := range 3 {
			sum := 0.0
			for i := range 60 {
				sum += p.At(i, c) / 60
			}
			if math.Abs(d.Mean.At(g, c)-sum) > 1e-12 {
				t.Errorf("value %v, class %d: %v, want %v", v, c, d.Mean.At(g, c), sum)
			}
		}
	}
	if d.Mean.At(0, 0) < 0.5 || d.Mean.At(19, 2) < 0.5 {
		t.Errorf("want class a for small x and class c for large x: %v", mat.Formatted(d.Mean))
	}
	d, err = PartialDependence(ctx, m, tb, "colour", DependenceOptions{})
	if err != nil || !reflect.DeepEqual(d.Levels, []string{"blue", "green", "grey", "red"}) || d.Values != nil ||
		len(d.Cells) != 60 {
		t.Fatalf("%+v, %v", d, err)
	}
	if n, _ := d.Mean.Dims(); n != 4 || d.Mean.At(3, 0) < d.Mean.At(0, 0) {
		t.Errorf("want class a for red: %v", mat.Formatted(d.Mean))
	}
	if d, err = PartialDependence(ctx, m, tb, "flag", DependenceOptions{MaxRows: 20}); err != nil ||
		d.Kind != table.Boolean || !slices.Equal(d.Levels, []string{"no", "yes"}) || len(d.Cells) != 20 {
		t.Errorf("%+v, %v", d, err)
	}
	// Unknown levels are called other; with few distinct values, all of them are points.
	strange := mixed(60, 4)
	strange.Columns[2] = levels("colour", slices.Repeat([]string{"red", "pink", ""}, 20)...)
	for i := range strange.Columns[1].Numbers {
		strange.Columns[1].Numbers[i] = float64(i % 2)
	}
	if d, err = PartialDependence(ctx, m, strange, "colour", DependenceOptions{}); err != nil ||
		!slices.Equal(d.Levels, []string{"blue", "green", "grey", "red", "other"}) || len(d.Cells) != 40 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = PartialDependence(ctx, m, strange, "x", DependenceOptions{}); err != nil ||
		!slices.Equal(d.Values, []float64{0, 1}) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestPartialDependenceErrors(t *testing.T) {
	tb := mixed(60, 4)
	m := fitWhole(t, tb)
	if _, err := PartialDependence(ctx, m, tb, "id", DependenceOptions{}); !errors.Is(err, recipe.ErrNoColumn) {
		t.Errorf("id: %v", err)
	}
	if _, err := PartialDependence(ctx, m, tableOf(tb.Columns[1:3]...), "x", DependenceOptions{}); !errors.Is(
		err, recipe.ErrNoColumn) {
		t.Errorf("missing column: %v", err)
	}
	words := mixed(60, 4)
	words.Columns[1] = levels("x", slices.Repeat([]string{"1"}, 60)...)
	if _, err := PartialDependence(ctx, m, words, "x", DependenceOptions{}); !errors.Is(err, recipe.ErrNotKind) {
		t.Errorf("texts instead of numbers: %v", err)
	}
	none := tableOf(numbers("x", math.NaN()), levels("colour", ""), numbers("noise", math.NaN()),
		numbers("flag", math.NaN()))
	if _, err := PartialDependence(ctx, m, none, "x", DependenceOptions{}); !errors.Is(err, ErrNoRows) {
		t.Errorf("no values: %v", err)
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := PartialDependence(stop, m, tb, "x", DependenceOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	mustPanic(t, "rows", func() { _, _ = PartialDependence(ctx, m, tb, "x", DependenceOptions{MaxRows: -1}) })
}

// TestShares tests properties of Shapley values: they add up, sampled values are within four standard
// errors of the exact ones, and a column without influence has a share of zero.
func TestShares(t *testing.T) {
	all := openPenguins(t, []string{"Comments", "Sample Number", "studyName", "Region", "Stage"})
	m, _, err := model.Fit(context.Background(), all, "Species",
		mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.05}})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for row := 0; row < all.Rows; row += 40 {
		x, err := Explain(m, all, row)
		if err != nil {
			t.Fatal(err)
		}
		base, list, err := x.Shares()
		if err != nil || len(list) == 0 {
			t.Fatal(list, err)
		}
		rows++
		sum := base
		for _, s := range list {
			sum += s.Add
		}
		if math.Abs(sum-x.Proba[x.Label]) > 1e-9 {
			t.Errorf("row %d: the shares add up to %v, the probability is %v", row, sum, x.Proba[x.Label])
		}
	}
	if rows < 5 {
		t.Error("too few rows were tested")
	}
	// A game of ten players with known Shapley values: v(S) = (Σ a_k)² has the values a_k Σ a_j. The last
	// player contributes nothing.
	a := []float64{0.1, 0.3, -0.2, 0.05, 0.4, 0.2, 0.1, 0.15, -0.1, 0}
	game := func(sets []uint64) (v []float64) {
		for _, set := range sets {
			sum := 0.0
			for k := range a {
				if set>>k&1 == 1 {
					sum += a[k]
				}
			}
			v = append(v, sum*sum)
		}
		return v
	}
	total := 0.0
	for _, v := range a {
		total += v
	}
	exactly, drawn, ses := make([]float64, len(a)), make([]float64, len(a)), make([]float64, len(a))
	exact(game, exactly)
	sampled(game, drawn, ses)
	for k, v := range a {
		if want := v * total; math.Abs(exactly[k]-want) > 1e-12 || math.Abs(drawn[k]-want) > 4*ses[k]+1e-12 {
			t.Errorf("player %d: exact %v, drawn %v ± %v, want %v", k, exactly[k], drawn[k], ses[k], want)
		}
	}
	plain := model.NewModel(m.Model(), nil)
	x, err := Explain(plain, all, 0)
	if err == nil {
		if _, _, err = x.Shares(); !errors.Is(err, recipe.ErrNoProfile) {
			t.Errorf("without a recipe: %v", err)
		}
	}
}
