package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// The folds are stratified up to one row, the only row of a class is in no fold, and another seed gives
// other folds.
func TestStratified(t *testing.T) {
	cells := slices.Concat(slices.Repeat([]string{"a"}, 23), slices.Repeat([]string{"b"}, 10),
		slices.Repeat([]string{"c"}, 3), []string{"d"})
	x := make([]float64, len(cells))
	for i := range x {
		x[i] = float64(i)
	}
	tb := tableOf(numbers("x", x...), levels("class", cells...))
	r := mustValidate(t, tb, nil, Options{Repeats: 3, Folds: 4})
	for repeat, fold := range r.Fold {
		count := make([][]int, 4)
		for c := range count {
			count[c] = make([]int, 5)
		}
		for i, f := range fold {
			count[r.T[i]][f]++
		}
		for c, n := range count {
			if c == 3 {
				if n[4] != 1 {
					t.Errorf("repeat %d: counts of the single-row class d by fold: %v", repeat, n)
				}
				continue
			}
			if n[4] != 0 || slices.Max(n[:4])-slices.Min(n[:4]) > 1 {
				t.Errorf("repeat %d: counts of class %d by fold: %v", repeat, c, n)
			}
		}
	}
	if reflect.DeepEqual(r.Fold[0], r.Fold[1]) {
		t.Error("two repeats have the same folds")
	}
	again, _ := Split(ctx, tb, "class", Options{Repeats: 3, Folds: 4})
	other, _ := Split(ctx, tb, "class", Options{Repeats: 3, Folds: 4, Seed: 1})
	if !reflect.DeepEqual(r.Fold, again.Fold) || reflect.DeepEqual(r.Fold, other.Fold) {
		t.Error("the folds must be determined by the seed")
	}
	if slices.Contains(r.Systems[0].Rows, 36) {
		t.Error("the only row of d is predicted")
	}
	list := r.Warnings()
	if single, small := find(t, list, texts.SingleRow), find(t, list,
		texts.SmallClass); single.Texts[0] != "d" ||
		small.Texts[0] != "c" || small.N != 3 {
		t.Errorf("warnings: %v", list)
	}
}

// spy passes its training data to a function.
type spy struct{ seen func(x mat.Matrix, t []int) }

func (s spy) Fit(_ context.Context, samples mpcvm.Samples, _ ...mpcvm.Observer) (majority, mpcvm.Result,
	error) {
	s.seen(mat.DenseCopyOf(samples.X), slices.Clone(samples.T))
	c, _ := Majority().fit(ctx, samples)
	return c.(majority), mpcvm.Result{}, nil
}

// Changing held-out rows does not change the training set: neither the features, the imputed values, the
// levels nor the scale.
func TestTestRowsAreNotSeen(t *testing.T) {
	clean := mixed(60, 1)
	r, err := Split(ctx, clean, "class", Options{Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	for f := range 3 {
		spoilt := mixed(60, 1)
		in, out := r.parts(f)
		for _, n := range out {
			row := r.Rows[n]
			spoilt.Columns[1].Numbers[row] = 1e9
			spoilt.Columns[2].Codes[row] = 0
			spoilt.Columns[3].Numbers[row] = math.NaN()
			spoilt.Columns[4].Numbers[row] = 1
		}
		var seen [2]*mat.Dense
		for i, tb := range []*table.Table{clean, spoilt} {
			s := Of("spy", spy{func(x mat.Matrix, _ []int) { seen[i] = x.(*mat.Dense) }})
			r.table = tb
			if _, err := r.fit(ctx, &s, in); err != nil {
				t.Fatal(err)
			}
		}
		if !mat.Equal(seen[0], seen[1]) {
			t.Errorf("fold %d: the training set changed", f)
		}
		mean, sd := stat.MeanStdDev(mat.Col(nil, 0, seen[0]), nil)
		if math.Abs(mean) > 1e-9 || math.Abs(sd-1) > 1e-9 {
			t.Errorf("fold %d: x is not standardized: mean %v, deviation %v", f, mean, sd)
		}
	}
}

// The same seed gives the same predictions regardless of scheduling, and the probabilities of a row come
// from a model trained without it.
func TestDeterministic(t *testing.T) {
	tb := mixed(60, 2)
	systems := []System{Of("logistic", mlr.MLR{}), Of("mPCVM₂", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}})}
	a, b := mustValidate(t, tb, systems, Options{Repeats: 2}), mustValidate(t, tb, systems, Options{Repeats: 2})
	for s, m := range a.Systems {
		if !slices.Equal(m.Labels, b.Systems[s].Labels) || !mat.Equal(m.Proba, b.Systems[s].Proba) {
			t.Errorf("%s differs", m.System)
		}
	}
	const fold = 5 + 3
	in, out := a.parts(fold)
	made := a.predictPart(ctx, &systems[0], in, out)
	if made.err != nil {
		t.Fatal(made.err)
	}
	m := a.Systems[1]
	lo, _ := slices.BinarySearch(m.Fold, fold)
	if part := m.Proba.Slice(lo, lo+len(out), 0, 3); !mat.Equal(part, made.p) ||
		!slices.Equal(m.Rows[lo:lo+len(out)], a.tableRows(out)) {
		t.Errorf("%v, want %v", mat.Formatted(part), mat.Formatted(made.p))
	}
}

// collapsing always predicts the same class.
type collapsing struct{ fail bool }

var errFit = errors.New("no luck")

func (c collapsing) Fit(_ context.Context, s mpcvm.Samples, _ ...mpcvm.Observer) (majority, mpcvm.Result,
	error) {
	t := s.T
	if c.fail {
		return nil, mpcvm.Result{}, errFit
	}
	p := make(majority, slices.Max(t)+1)
	p[1] = 1
	return p, mpcvm.Result{}, nil
}

func TestWarnings(t *testing.T) {
	tb := mixed(30, 4)
	r, err := CrossValidate(ctx, tb, "class", []System{Of("dull", collapsing{}), Of("broken", collapsing{true}),
		Of("logistic", mlr.MLR{})}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []table.Finding{
		{Code: texts.SystemConstant, N: 5, Of: 5, Texts: []string{"dull", "b"}},
		{Code: texts.SystemNever, N: 20, Texts: []string{"dull", "a", "c"}},
		{Code: texts.NoBetter, Texts: []string{"dull"}},
		{Code: texts.WorseLogLoss, Texts: []string{"dull", "472.26", "1.0986"}},
		{Code: texts.Failed, Texts: []string{"broken"}, Cause: r.Systems[2].Err},
	}
	list := r.Warnings()
	list[3].Texts[1], list[3].Texts[2] = "472.26", "1.0986"
	if !reflect.DeepEqual(list, want) {
		t.Errorf("%+v\nwant %+v", list, want)
	}
	if loss := r.Systems[1].Score(LogLoss).Value; math.Abs(loss-2./3*1022*math.Ln2) > 1e-9 {
		t.Errorf("log loss of probabilities 0: %v", loss)
	}
	if _, err := CrossValidate(ctx, tb, "class", []System{Of("broken", collapsing{true})},
		Options{}); !errors.Is(err, errFit) {
		t.Errorf("all systems failed: %v", err)
	}
	copies := tableOf(numbers("x", 1, 1, 1, 1, 2, 3, 4, 5, 6, 7), levels("class", "a", "a", "b", "b", "a", "b",
		"a", "b", "a", "b"), numbers("time", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
	copies.Columns[2].Aside = true
	r = mustValidate(t, copies, nil, Options{})
	if fold := r.Fold[0]; r.Duplicates != 0 || slices.Max(fold[:4]) != slices.Min(fold[:4]) {
		t.Errorf("%v duplicates, folds %v", r.Duplicates, fold)
	}
	copies.Time = "time"
	r = mustValidate(t, copies, nil, Options{})
	if f := find(t, r.Warnings(), texts.CopiesInFolds); r.Duplicates != 1 || f.N != 1 || f.Of != 10 {
		t.Errorf("%v duplicates, %v", r.Duplicates, f)
	}
}

func TestRowsLeftOut(t *testing.T) {
	nan := math.NaN()
	tb := tableOf(
		numbers("x", 1, nan, 3, 4, 5, 6, 7, nan),
		numbers("only once", nan, nan, nan, nan, nan, nan, nan, 1),
		levels("class", "a", "a", "", "b", "a", "b", "b", "a"))
	r := mustValidate(t, tb, logistic(), Options{Folds: 3})
	if !slices.Equal(r.Rows, []int{0, 3, 4, 5, 6, 7}) || r.LeftOut != 2 {
		t.Errorf("rows %v, %d left out", r.Rows, r.LeftOut)
	}
	// The row with the only value of a column is predicted too.
	if p := r.Systems[1].Proba; len(r.Systems[1].T) != 6 || math.IsNaN(mat.Sum(p)) {
		t.Errorf("probabilities %v", mat.Formatted(p))
	}
}

// Features are determined before the folds are made: a level, a column or an indicator that occurs in few
// rows becomes a feature in every fold, so that a kernel with a width for each feature fits all folds.
func TestFoldsHaveTheSameFeatures(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(3, 1))
	number, once := make([]float64, n), make([]float64, n)
	class, level := make([]string, n), make([]string, n)
	for i := range n {
		class[i], level[i] = []string{"a", "b"}[i%2], []string{"p", "q"}[rng.IntN(2)]
		number[i], once[i] = rng.NormFloat64()+2*float64(i%2), math.NaN()
		switch {
		case i < 5:
			level[i] = "rare" // five rows, at most four of them in a training set
		case i == 5:
			number[i], once[i] = math.NaN(), 7 // missing in one row, present in one row
		}
	}
	tb := tableOf(numbers("number", number...), numbers("once", once...), levels("level", level...),
		levels("class", class...))
	all, err := recipe.Prepare(ctx, tb, "class", nil)
	if err != nil {
		t.Fatal(err)
	}
	widths := make([]float64, all.Recipe.Width())
	for i := range widths {
		widths[i] = 0.1
	}
	var asked [][]int
	spy := Of("widths", mpcvm.TopDown{Kernel: kernel.ARD{Theta: widths}})
	inner := spy.fit
	var mu sync.Mutex
	spy.fit = func(ctx context.Context, s mpcvm.Samples) (mpcvm.Classifier, error) {
		n, d := s.X.Dims()
		mu.Lock()
		asked = append(asked, []int{n, d})
		mu.Unlock()
		return inner(ctx, s)
	}
	m := mustValidate(t, tb, []System{spy}, Options{Keep: true}).Systems[1]
	if len(asked) != 5 || m.Err != nil || !(m.Score(Error).Value < 0.35) {
		t.Errorf("fits with shapes %v, %v, error %v", asked, m.Err, m.Score(Error))
	}
	for _, size := range asked {
		if size[1] != len(widths) {
			t.Errorf("%d features in a fold, want %d", size[1], len(widths))
		}
	}
	if _, err := m.Importance(ctx, ImportanceOptions{}); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	faulty := mixed(30, 1)
	faulty.Columns[1].Numbers[3] = math.NaN()
	faulty.Columns[1].Faults = []table.Fault{{Row: 3, Line: 5, Text: "x1"}}
	unique := make([]string, 30)
	for i := range unique {
		unique[i] = fmt.Sprint("v", i)
	}
	whole := mixed(30, 1)
	blank := tableOf(numbers("x", 1, 2, math.NaN()), levels("class", "a", "a", "b"))
	for name, tc := range map[string]struct {
		table  *table.Table
		target string
		want   error
	}{
		"no target": {whole, "nothing", nil},
		"one class": {tableOf(numbers("x", 1, 2), levels("class", "a", "")), "", recipe.ErrOneClass},
		"one value": {blank, "", recipe.ErrOneClass},
		"unique": {tableOf(append(mixed(30, 1).Columns[:3], levels("class", unique...))...), "class",
			recipe.ErrNotLabels},
		"singles": {tableOf(numbers("x", 1, 2, 3, 4, 5), levels("class", "a", "a", "b", "c", "d")), "class",
			recipe.ErrNotLabels},
		"fault":    {faulty, "class", recipe.ErrNotKind},
		"features": {tableOf(levels("class", "a", "b")), "class", recipe.ErrNoFeatures},
	} {
		_, err := CrossValidate(ctx, tc.table, tc.target, nil, Options{})
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, o := range []Options{{Folds: 1}, {Folds: -1}, {Repeats: -1}} {
		mustPanic(t, fmt.Sprint(o), func() { _, _ = CrossValidate(ctx, whole, "class", nil, o) })
	}
}

// shapeless returns predictions of the wrong shape.
type shapeless struct {
	labels int
	p      *mat.Dense
}

func (s shapeless) Fit(context.Context, mpcvm.Samples, ...mpcvm.Observer) (shapeless, mpcvm.Result, error) {
	return s, mpcvm.Result{}, nil
}
func (s shapeless) Predict([]int, mat.Matrix) []int             { return make([]int, s.labels) }
func (s shapeless) Proba(_ *mat.Dense, _ mat.Matrix) *mat.Dense { return s.p }

func TestWrongPredictions(t *testing.T) {
	tb := mixed(30, 1)
	for text, s := range map[string]shapeless{
		"2 predictions for 6 rows":         {2, nil},
		"probabilities are 1×1, not 6×3":   {6, mat.NewDense(1, 1, nil)},
		"probability 2 of class \"a\" is ": {6, mat.NewDense(6, 3, slices.Repeat([]float64{2}, 18))},
	} {
		if _, err := CrossValidate(ctx, tb, "class", []System{Of("odd", s)}, Options{}); err == nil ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
	}
}

// A cancelled cross-validation keeps the folds that all systems have completed.
func TestCancel(t *testing.T) {
	tb := mixed(60, 5)
	stop, cancel := context.WithCancel(ctx)
	r, err := CrossValidate(stop, tb, "class", logistic(), Options{Repeats: 4, Progress: func(p Progress) {
		if p.Done >= 20 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r == nil {
		t.Fatalf("%v, %v", r, err)
	}
	if n := r.Complete; n < 5 || n > 15 {
		t.Fatalf("%d complete folds", n)
	}
	whole := mustValidate(t, tb, logistic(), Options{Repeats: 4}).Systems[1]
	m, label := r.Systems[1], map[[2]int]int{}
	for i, row := range whole.Rows {
		label[[2]int{whole.Fold[i], row}] = whole.Labels[i]
	}
	for i, row := range m.Rows {
		if want, there := label[[2]int{m.Fold[i], row}]; !there || m.Labels[i] != want {
			t.Errorf("fold %d, row %d differs", m.Fold[i], row)
		}
	}
	if e := m.Score(Error); math.IsNaN(e.Value) || math.IsNaN(e.SE) || len(r.Systems[0].T) != len(m.T) {
		t.Errorf("error %v", e)
	}
	stop, cancel = context.WithCancel(ctx)
	r, err = CrossValidate(stop, tb, "class", logistic(), Options{Progress: func(Progress) { cancel() }})
	if !errors.Is(err, context.Canceled) || r.Complete != 0 || r.Systems[1].Proba != nil ||
		len(r.Warnings()) > 0 {
		t.Errorf("cancelled at the start: %v, %v", err, r.Warnings())
	}
	if r, err := CrossValidate(stop, tb, "class", nil, Options{}); r != nil || !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled before the start: %v, %v", r, err)
	}
}

// Chosen uses the setting that a fit has chosen without searching again.
func TestChosen(t *testing.T) {
	tb := set(t, "iris")
	all, err := recipe.Prepare(ctx, tb, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	x := all.X
	tried := 0
	count := func(mpcvm.Trial) { tried++ }
	for name, l := range map[string]mpcvm.Learner{
		"Auto": search.Auto{OnTrial: count}, "top down": search.Width{Learner: mpcvm.TopDown{}, OnTrial: count},
		"bottom up": search.Calibrated{Learner: search.Width{Learner: mpcvm.BottomUp{},
			OnTrial: count}}, "kernel prior": search.Width{Learner: gp.KernelPrior{}, OnTrial: count},
	} {
		m, result, err := l.Fit(ctx, mpcvm.Samples{X: x, T: all.T})
		if err != nil {
			t.Fatal(err)
		}
		before := tried
		c := Chosen(name, l, result)
		again, err := c.fit(ctx, mpcvm.Samples{X: x, T: all.T})
		if err != nil {
			t.Fatal(err)
		}
		if tried != before || before == 0 {
			t.Errorf("%s: %d trials, then %d", name, before, tried-before)
		}
		if !mat.Equal(again.Proba(nil, x), m.Proba(nil, x)) {
			t.Errorf("%s: the setting differs", name)
		}
	}
	if c := Chosen("other", ownLearner{}, mpcvm.Result{}); c.Name != "other" {
		t.Errorf("%+v", c)
	}
	if search.Chosen(mpcvm.Result{}) != nil {
		t.Error("a learner without a search")
	}
}

type ownLearner struct{ mpcvm.Learner }

// The default systems run, are better than the baseline, and count their weights.
func TestSystems(t *testing.T) { systemsRun(t, Systems(1)[:3]) }

func systemsRun(t *testing.T, systems []System) {
	t.Helper()
	tb := mixed(75, 9)
	r := mustValidate(t, tb, systems, Options{Folds: 3})
	for _, m := range r.Systems[1:] {
		if !(m.Score(Error).Value < 0.3) || !(m.Score(LogLoss).Value < 1) || !(m.Score(AUC).Value > 0.8) ||
			!(m.MeanWeights() > 0) || !(m.MeanSeconds() >= 0) {
			t.Errorf("%s: %+v", m.System, m.figures())
		}
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	for _, s := range Systems(1)[1:3] {
		if _, err := s.fit(stop, mpcvm.Samples{X: x, T: []int{0, 1, 0, 1}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", s.Name, err)
		}
		if _, err := s.fit(ctx, mpcvm.Samples{X: x, T: []int{0, 0, 0, 0}}); err == nil {
			t.Errorf("%s: no error for a single class", s.Name)
		}
	}
}

// A system without meaningful probabilities has no log loss and no AUC, and if only the baseline has a value,
// nothing is called the best.
func TestLabelsOnly(t *testing.T) {
	r := mustValidate(t, mixed(45, 10), []System{Of("votes", svm.SVM{NoProbability: true})}, Options{Keep: true})
	for _, m := range r.Systems[1:] {
		if m.Proba != nil || !math.IsNaN(m.Score(LogLoss).Value) || !math.IsNaN(m.Score(AUC).Value) ||
			!(m.Score(Error).Value < 0.5) {
			t.Errorf("%+v", m.figures())
		}
	}
	list, err := r.Systems[1].Importance(ctx, ImportanceOptions{})
	if err != nil || !math.IsNaN(list[0].LogLoss.Mean) || !(list[0].Err.Mean > 0.1) ||
		list[0].Err.Mean < list[1].Err.Mean {
		t.Errorf("%+v, %v", list, err)
	}
	if r.Best(LogLoss) != -1 || r.Best(Error) < 1 {
		t.Errorf("best log loss: %d, best error: %d", r.Best(LogLoss), r.Best(Error))
	}
}

// A system that misses the one or two rows of a rare class in a fold has not collapsed; a system that
// misses five has.
func TestConstant(t *testing.T) {
	for _, tc := range []struct {
		positives, missed int
		want              bool
	}{{5, 1, false}, {5, 5, false}, {10, 2, false}, {50, 0, false}, {50, 50, true}} {
		const n = 300
		x, labels := make([]float64, n), make([]string, n)
		for i := range x {
			labels[i] = "0"
			if i < tc.positives {
				labels[i], x[i] = "1", 1
			}
		}
		r := mustValidate(t, tableOf(numbers("x", x...), levels("class", labels...)), logistic(), Options{})
		m, left := r.Systems[1], tc.missed
		copy(m.Labels, m.T)
		m.eachFold(func(lo, hi int) { // whole folds are missed
			if left > 0 {
				clear(m.Labels[lo:hi])
			}
			for _, label := range m.T[lo:hi] {
				left -= label
			}
		})
		if n, _ := m.constant(); n > 0 != tc.want {
			t.Errorf("%d rows of a class, %d missed: %v", tc.positives, tc.missed, r.Warnings())
		}
	}
}

// patients is a table of 30 patients with ten nearly equal rows each. The class of a patient is random, so
// the true error on new patients is 50 %.
func patients() *table.Table {
	rng := rand.New(rand.NewPCG(5, 1))
	id := table.Column{Name: "patient", Kind: table.ID}
	when, x, y := numbers("when"), numbers("x"), numbers("y")
	var class []string
	for p := range 30 {
		id.Levels = append(id.Levels, fmt.Sprintf("P%02d", p))
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), []string{"ill", "well"}[p*7%30%2]
		for i := range 10 {
			id.Codes, when.Numbers = append(id.Codes, int32(p)), append(when.Numbers, float64(10*i+p))
			x.Numbers, y.Numbers = append(x.Numbers, a+0.02*rng.NormFloat64()),
				append(y.Numbers, b+0.02*rng.NormFloat64())
			class = append(class, c)
		}
	}
	return tableOf(id, when, x, y, levels("class", class...))
}

// TestGroups tests that the rows of a group, given by a repeated id or by Table.Group, stay together. The
// estimated error then refers to new patients, and its standard error is based on patients, not rows.
func TestGroups(t *testing.T) {
	system := []System{Of("kernel prior", gp.KernelPrior{Kernel: kernel.RBF{Theta: 5}})}
	byID := patients()
	byGroup := patients()
	byGroup.Columns[0].Kind, byGroup.Columns[0].Aside, byGroup.Group = table.Category, true, "patient"
	alone := patients()
	alone.Columns = alone.Columns[1:]
	if err := mustValidate(t, alone, system, Options{}).Systems[1].Score(Error); err.Value > 0.15 {
		t.Errorf("row by row: %+v", err)
	}
	for name, tb := range map[string]*table.Table{"id": byID, "group": byGroup} {
		r := mustValidate(t, tb, system, Options{})
		for n := range r.Rows {
			if r.Fold[0][n] != r.Fold[0][n/10*10] {
				t.Fatalf("%s: the rows of patient %d are in two folds", name, n/10)
			}
		}
		err := r.Systems[1].Score(Error)
		if math.Abs(err.Value-0.5) > 2*err.SE || err.SE < 0.05 || err.SE > 0.12 {
			t.Errorf("%s: error %+v", name, err)
		}
		if by := table.Go.Say(r.SplitBy); !strings.Contains(by, `"patient"`) || r.SplitBy.N != 30 ||
			r.SplitBy.Of != 300 {
			t.Error(r.SplitBy)
		}
	}
	// With each class in a single group, no fold can be held out.
	same := patients()
	same.Group = "class"
	if _, err := CrossValidate(ctx, same, "class", system, Options{}); !errors.Is(err, errFolds) {
		t.Error(err)
	}
	// A class that occurs in a single group is in every training set.
	rare := patients()
	c := &rare.Columns[4]
	c.Levels = append(c.Levels, "rare")
	c.Codes[3], c.Codes[4] = 2, 2
	r := mustValidate(t, rare, system, Options{})
	if f := find(t, r.Warnings(), texts.NotScored); r.Fold[0][0] != 5 || f.N != 2 || f.Texts[0] != "rare" {
		t.Errorf("fold %d, %v", r.Fold[0][0], r.Warnings())
	}
}

// TestTimes tests that a fold is predicted by a model of all earlier rows, without repeats.
func TestTimes(t *testing.T) {
	tb := patients()
	tb.Time, tb.Columns[1].Aside = "when", true
	r := mustValidate(t, tb, logistic(), Options{Repeats: 3, Folds: 4})
	if r.Repeats != 1 || len(r.Fold) != 1 {
		t.Fatalf("%d repeats", r.Repeats)
	}
	for f := range 4 {
		in, out := r.parts(f)
		first := math.Inf(1)
		for _, n := range out {
			first = min(first, tb.Columns[1].Numbers[n])
		}
		for _, n := range in {
			if tb.Columns[1].Numbers[n] >= first {
				t.Fatalf("fold %d is trained on time %v and predicts time %v", f, tb.Columns[1].Numbers[n], first)
			}
		}
		if len(out) < 50 {
			t.Errorf("fold %d has %d rows", f, len(out))
		}
	}
	tb.Columns[1].Numbers[7] = math.NaN()
	if _, err := Split(ctx, tb, "class", Options{}); err == nil || !strings.Contains(err.Error(), "row 8") {
		t.Error(err)
	}
	for column, code := range map[string]table.Code{"patient": "time-of-kind", "no": "no-such-column"} {
		tb.Time = column
		_, err := Split(ctx, tb, "class", Options{})
		if f, ok := errors.AsType[table.Finding](err); !ok || f.Code != code {
			t.Error(err)
		}
	}
}

// Split uses the given samples if they belong to its table.
func TestSplitSamples(t *testing.T) {
	tb := mixed(60, 2)
	s, err := recipe.Prepare(ctx, tb, "class", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := mustSplit(t, tb, Options{})
	for _, of := range []*table.Table{tb, mixed(60, 2)} {
		r := mustSplit(t, of, Options{Samples: s})
		if same := &r.T[0] == &s.T[0]; same != (of == tb) || !slices.Equal(r.Fold[0], want.Fold[0]) || s.X == nil {
			t.Errorf("same table: %v, samples used: %v, folds %v", of == tb, same, r.Fold[0])
		}
	}
}

func mustSplit(t *testing.T, tb *table.Table, o Options) *Folds {
	t.Helper()
	r, err := Split(ctx, tb, "class", o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
