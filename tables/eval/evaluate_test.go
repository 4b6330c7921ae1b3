package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// TestTrust tests that the log loss agrees with cross-validation, that the refinement is at most the log
// loss, that the potentials give the probabilities, and that the prediction sets have about the nominal
// coverage.
func TestTrust(t *testing.T) {
	for name, o := range map[string]EvaluateOptions{"folds": {}, "test": {Test: mixed(400, 4),
		Options: Options{Folds: -1}}} {
		m, f := mustEvaluate(t, mixed(200, 3), search.Auto{Seed: 1}, o)
		p, u := f.Shown, f.Trust
		want, err := score.LogLoss(p.Proba, p.T)
		if err != nil || u == nil {
			t.Fatal(name, u, err)
		}
		raw, err := score.LogLoss(f.Raw, p.T)
		if err != nil || math.Abs(u.LogLoss-want) > 1e-9 || math.Abs(u.Uncalibrated-raw) > 1e-9 ||
			u.Refinement > min(want, raw)+1e-9 || u.Refinement < want/2 {
			t.Errorf("%s: %+v, %v; log loss %g, raw %g", name, *u, err, want, raw)
		}
		y := p.potentials()
		again := m.Model().ProbaOf(nil, y) // the models of the folds share the calibration of the chosen setting
		if !mat.EqualApprox(again, p.Proba, 1e-9) {
			t.Errorf("%s: the potentials do not give the probabilities", name)
		}
		if len(u.Sets) != 3 {
			t.Errorf("%s: %v", name, u.Sets)
		}
		for _, s := range u.Sets {
			if s.Coverage-s.Covered > 0.03+3*s.SE || s.Least > s.Covered || s.Class == "" || s.Size > 3 ||
				s.Size < 1 || s.Single > 1+1e-12 {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

// TestCompare tests that another system gets the same scores as from CrossValidate on the same folds, and
// that a failing system leads to a warning.
func TestCompare(t *testing.T) {
	tb, l, all := mixed(200, 3), mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.3}}, Systems(1)
	others := []System{all[0], {Name: "broken", fit: func(context.Context, mpcvm.Samples) (mpcvm.Classifier,
		error) {
		return nil, errors.New("no luck")
	}}}
	_, f := mustEvaluate(t, tb, l, EvaluateOptions{Compare: others})
	want := mustValidate(t, tb, all[:1], Options{}).Systems[1].figures()
	if len(f.Compared) != 1 || math.Abs(*f.Compared[0].Error-*want.Error) > 1e-12 ||
		math.Abs(*f.Compared[0].LogLoss-*want.LogLoss) > 1e-12 || math.Abs(*f.Compared[0].AUC-*want.AUC) > 0.01 ||
		math.Abs(*f.Compared[0].ErrorSE-*want.ErrorSE) > 0.3**want.ErrorSE {
		t.Errorf("%+v, want %+v", f.Compared, want)
	}
	if w := find(t, f.Warnings, texts.NotCompared); w.Texts[0] != "broken" || w.Cause.Error() != "no luck" {
		t.Errorf("warnings %v", f.Warnings)
	}
	if list := f.Figures(); list[2].Of != all[0].Name {
		t.Errorf("%v", list)
	}
	if _, f = mustEvaluate(t, tb, l, EvaluateOptions{Options: Options{Folds: -1},
		Compare: others}); f.Compared != nil || f.Trust != nil || f.Warnings[0].Code != texts.NothingCompared {
		t.Errorf("%+v", f.Compared)
	}
}

// TestCurve tests that the curve ends at the cross-validated scores and starts with a higher log loss.
func TestCurve(t *testing.T) {
	tb, l := mixed(200, 3), mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}
	_, f := mustEvaluate(t, tb, l, EvaluateOptions{Curve: true})
	if len(f.Curve) != 5 || f.Curve[0].Rows > 20 || f.Curve[4].Rows != 160 {
		t.Fatalf("%+v", f.Curve)
	}
	first, last := f.Curve[0], f.Curve[4]
	if math.Abs(last.Err-*f.CV.Error) > 1e-12 || math.Abs(last.LogLoss-*f.CV.LogLoss) > 1e-12 ||
		first.LogLoss <= last.LogLoss {
		t.Errorf("%+v; cross-validation has %v, %v", f.Curve, *f.CV.Error, *f.CV.LogLoss)
	}
	if _, f = mustEvaluate(t, tb, l, EvaluateOptions{Options: Options{Folds: -1},
		Curve: true}); f.Curve != nil ||
		f.Warnings[0].Code != texts.NoCurve {
		t.Errorf("%v", f.Warnings)
	}
}

// TestEvaluateByCosts tests that the scores refer to the most probable class even if the model decides by
// costs, and that a class that cannot be found leads to a warning.
func TestEvaluateByCosts(t *testing.T) {
	tb, l := mixed(200, 3), mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}
	m, result, err := model.Fit(ctx, tb, "class", l)
	must.OK(t, err)
	class, costs := m.ClassNames()[0], mat.NewDense(m.Model().Classes(), m.Model().Classes(), nil)
	for c := 1; c < m.Model().Classes(); c++ {
		costs.Set(0, c, 1e9) // every row is assigned to class 0
	}
	o := EvaluateOptions{Options: Options{Folds: -1}, Learner: l, Result: result, Find: class, Recall: 0.9}
	f, err := Evaluate(ctx, tb, m.With(m.Model().WithCosts(costs)), o)
	must.OK(t, err)
	if slices.Max(f.Shown.Labels) == 0 || *f.Train.Error > 0.5 {
		t.Errorf("labels %v, error %v", f.Shown.Labels, *f.Train.Error)
	}
	_ = find(t, f.Warnings, texts.NoRecall) // it fails without one
	o.Folds = 0
	if f, err = Evaluate(ctx, tb, m, o); err != nil || *f.Costs.Classes[0].Recall < 0.9 {
		t.Errorf("%+v, %v", f.Costs, err)
	}
	o.Find = "nobody"
	if _, err = Evaluate(ctx, tb, m, o); err == nil {
		t.Error("no error for an unknown class")
	}
}

// TestHeldOut tests that with many rows, the rows held out by the search are used without another fit.
func TestHeldOut(t *testing.T) {
	tb, l := mixed(2100, 2), mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}, Candidates: 40}
	m, result, err := model.Fit(ctx, tb, "class", l)
	must.OK(t, err)
	s := must.Get(recipe.Prepare(ctx, tb, "class", nil))(t)
	d := m.Model().Features()
	in, out := mat.DenseCopyOf(s.X.Slice(0, 1800, 0, d)), mat.DenseCopyOf(s.X.Slice(1800, 2100, 0, d))
	fitted, _, err := l.Fit(ctx, mpcvm.Samples{X: in, T: s.T[:1800]})
	must.OK(t, err)
	result.Validated = &mpcvm.Validated{Model: fitted}
	for n := 1800; n < 2100; n++ {
		result.Validated.Unseen = append(result.Validated.Unseen, n)
	}
	f := must.Get(Evaluate(ctx, tb, m, EvaluateOptions{Learner: l, Result: result}))(t)
	logLoss, err := score.LogLoss(fitted.Proba(nil, out), s.T[1800:])
	wrong, errWrong := score.ErrorRate(fitted.Predict(nil, out), s.T[1800:])
	if cmp.Or(err, errWrong) != nil || !f.CV.HeldOut || f.CV.Rows != 300 ||
		math.Abs(*f.CV.Error-wrong) > 1e-12 || math.Abs(*f.CV.LogLoss-logLoss) > 1e-9 {
		t.Errorf("%+v; the model has %v and %v, %v", f.CV, wrong, logLoss, err)
	}
}

// late is a learner whose fits take all the time there is.
type late struct{}

// Fit implements mpcvm.Learner.
func (late) Fit(ctx context.Context, _ mpcvm.Samples, _ ...mpcvm.Observer) (*mpcvm.Model,
	mpcvm.Result, error) {
	<-ctx.Done()
	return nil, mpcvm.Result{}, ctx.Err()
}

// TestHeldOutInTime tests that a partial model is scored on the rows it has not seen, however few, as is any
// model if no time is left, and that others are cross-validated.
func TestHeldOutInTime(t *testing.T) {
	tb, l := mixed(300, 2), mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}, Candidates: 20}
	m, result, err := model.Fit(ctx, tb, "class", l)
	must.OK(t, err)
	result.Validated = &mpcvm.Validated{Model: m.Model(), Unseen: []int{3, 50, 60, 140, 200, 299}}
	for _, tt := range []struct {
		limit   time.Duration
		partial string
		learner mpcvm.Learner
		rows    int
	}{{time.Hour, "", l, 300}, {0, "", l, 6}, {time.Hour, "one fold", l, 6},
		{50 * time.Millisecond, "", late{}, 6}} {
		result.Partial = tt.partial
		inTime, stop := context.WithTimeout(ctx, tt.limit)
		f := must.Get(Evaluate(inTime, tb, m, EvaluateOptions{Learner: tt.learner, Result: result}))(t)
		if stop(); f.CV.HeldOut != (tt.rows == 6) || f.CV.Rows != tt.rows ||
			f.Train == nil && tt.limit == time.Hour {
			t.Errorf("want %d rows: %+v", tt.rows, f.CV)
		}
	}
}

// TestRareClass tests that with many rows, folds are evaluated until each class has ten held-out rows or all of
// them, and that the baseline does not depend on the weights of the classes, which are reported.
func TestRareClass(t *testing.T) {
	for rare, folds := range map[int]int{0: 1, 6: 5, 24: 3, 60: 1} {
		tb := mixed(2100, 2)
		class := &tb.Columns[5]
		if rare > 0 {
			class.Levels = append(class.Levels, "rare")
		}
		for i := range rare {
			class.Codes[30*i] = 3
		}
		tb.ClassWeights = map[string]float64{"a": 5}
		_, f := mustEvaluate(t, tb, mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}, Candidates: 20}, EvaluateOptions{})
		if f.CV.Done != folds || rare > 0 && f.CV.Classes[3].N < min(rare, 10) {
			t.Errorf("%d rows: %d folds, %+v", rare, f.CV.Done, f.CV.Classes)
		}
		if loss := *f.Baseline.LogLoss; math.Abs(loss-math.Log(3)) > 0.2 {
			t.Errorf("%d rows: the log loss of the baseline is %v", rare, loss)
		}
		_ = find(t, f.Warnings, texts.ClassWeighted) // it fails without one
	}
}

// sometimes is a learner whose first fits collapse.
type sometimes struct{ left *atomic.Int32 }

// Fit implements mpcvm.Learner.
func (l sometimes) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model,
	mpcvm.Result, error) {
	m, result, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}.Fit(ctx, s, observers...)
	if l.left.Add(-1) >= 0 {
		result.Status = mpcvm.Collapsed
	}
	return m, result, err
}

// TestCollapsedFolds tests that folds whose model collapsed are left out of the scores with a warning, and
// that a system fails if most of its folds collapse.
func TestCollapsedFolds(t *testing.T) {
	for collapsed := range 6 {
		left := new(atomic.Int32)
		left.Store(int32(collapsed))
		r, err := CrossValidate(ctx, mixed(60, 4), "class", []System{Of("it", sometimes{left})},
			Options{Keep: true})
		m := r.Systems[1]
		rows := len(m.T)
		if collapsed > 2 {
			if f, ok := errors.AsType[table.Finding](err); !ok || f.N != collapsed || !errors.Is(err, errCollapsed) ||
				rows > 0 {
				t.Errorf("%d folds: %d rows, error %v", collapsed, rows, err)
			}
			continue
		}
		if err != nil || rows != 60-12*collapsed ||
			slices.Contains(codes(r.Warnings()), texts.CollapsedFolds) != (collapsed > 0) {
			t.Errorf("%d folds: %d rows, warnings %v, error %v", collapsed, rows, r.Warnings(), err)
		}
		kept := 0
		for _, f := range m.models {
			if f != nil {
				kept++
			}
		}
		if kept != 5-collapsed {
			t.Errorf("%d folds: %d models kept", collapsed, kept)
		}
	}
}

// invented returns a random table with up to eight columns and two to five classes, whose means have the
// given distance in standard deviations.
func invented(seed uint64) (t *table.Table, distance float64) {
	rng := rand.New(rand.NewPCG(seed, 45))
	n, classes, columns := 30+rng.IntN(171), 2+rng.IntN(4), 1+rng.IntN(8)
	distance = []float64{0, 0.7, 1.5, 4}[rng.IntN(4)]
	share := []float64{1, 0.5, 0.3}[rng.IntN(3)] // ratio of the frequencies of successive classes
	weights := make([]float64, classes)
	sum := 0.0
	for c := range weights {
		weights[c] = math.Pow(share, float64(c))
		sum += weights[c]
	}
	mean := make([][]float64, classes)
	for c := range mean {
		for range columns {
			mean[c] = append(mean[c], distance*rng.NormFloat64())
		}
	}
	labels, values := make([]string, n), make([][]float64, columns)
	for i := range n {
		c := i % classes // at least four rows of each class
		if i >= 4*classes {
			for at := rng.Float64() * sum; at > weights[c%classes]; c++ {
				at -= weights[c%classes]
			}
			c %= classes
		}
		labels[i] = string(rune('a' + c))
		for k := range values {
			values[k] = append(values[k], mean[c][k]+rng.NormFloat64())
		}
	}
	var list []table.Column
	for k, v := range values {
		list = append(list, numbers(fmt.Sprint("x", k), v...))
	}
	return tableOf(append(list, levels("class", labels...))...), distance
}

// The last two tables have hardly any information about the classes.
func TestNoCollapse(t *testing.T) { noCollapse(t, 0, 16, 118) }

// noCollapse fits random tables with the default settings, including tables that are unbalanced or contain
// only noise. No model may collapse in a fold. If there is nothing to learn, the model may predict the class
// frequencies, which Frequencies reports. A log loss worse than the baseline's must come with a warning.
func noCollapse(t *testing.T, seeds ...uint64) {
	t.Helper()
	for _, seed := range seeds {
		tb, distance := invented(seed)
		m, f := mustEvaluate(t, tb, search.Auto{Seed: seed}, EvaluateOptions{Options: Options{Seed: seed}})
		about := fmt.Sprintf("table %d, %d rows, %d classes, distance %g", seed, tb.Rows, len(m.ClassNames()),
			distance)
		code := func(code table.Code) bool { return slices.Contains(codes(f.Warnings), code) }
		frequencies := f.Frequencies()
		if code(texts.Collapsed) || code(texts.SystemConstant) || code(texts.CollapsedFolds) || f.CV == nil ||
			f.CV.Done != f.CV.Folds {
			t.Errorf("%s: %s, warnings %v", about, f.Status, f.Warnings)
		} else if *f.CV.LogLoss > *f.Baseline.LogLoss && !frequencies && !code(texts.WorseLogLoss) {
			t.Errorf("%s: log loss %g without a warning", about, *f.CV.LogLoss)
		}
		if frequencies != (f.Result.Status == mpcvm.Collapsed) || frequencies && distance == 4 {
			t.Errorf("%s: %v, frequencies %v", about, f.Result.Status, frequencies)
		}
	}
}
