package assess

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables"
)

// TestTrust tests that the log loss agrees with cross-validation, that the refinement is at most the log
// loss, that the potentials give the probabilities, and that the prediction sets have about the nominal
// coverage.
func TestTrust(t *testing.T) {
	tb, l := mixed(200, 3), search.Auto{Seed: 1}
	m, result, err := tables.Fit(ctx, tb, "class", l)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]EvaluateOptions{"folds": {}, "test": {Test: mixed(400, 4),
		Options: Options{Folds: -1}}} {
		o.Learner, o.Result = l, result
		f, err := Evaluate(ctx, tb, m, o)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Predictions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		u := f.Trust
		want, err := score.LogLoss(p.Proba, p.T)
		if err != nil || u == nil {
			t.Fatal(name, u, err)
		}
		raw, err := score.LogLoss(f.Raw, p.T)
		if err != nil || math.Abs(u.LogLoss-want) > 1e-9 || math.Abs(u.Uncalibrated-raw) > 1e-9 ||
			u.Refinement > min(want, raw)+1e-9 || u.Refinement < want/2 {
			t.Errorf("%s: %+v, %v; log loss %g, raw %g", name, *u, err, want, raw)
		}
		y, _, err := f.unseenPotentials(ctx)
		if err != nil {
			t.Fatal(err)
		}
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
	tb, l := mixed(200, 3), mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.3}}
	m, result, err := tables.Fit(ctx, tb, "class", l)
	if err != nil {
		t.Fatal(err)
	}
	all := Systems(1)
	others := []System{all[0], {Name: "broken", fit: func(context.Context, mpcvm.Samples) (mpcvm.Classifier,
		error) {
		return nil, errors.New("no luck")
	}}}
	f, err := Evaluate(ctx, tb, m, EvaluateOptions{Learner: l, Result: result, Compare: others})
	if err != nil {
		t.Fatal(err)
	}
	r, err := CrossValidate(ctx, tb, "class", all[:1], Options{Repeats: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := r.Score(1)
	if len(f.Compared) != 1 || math.Abs(*f.Compared[0].Error-want.Err.Value) > 1e-12 ||
		math.Abs(*f.Compared[0].LogLoss-want.LogLoss.Value) > 1e-12 ||
		math.Abs(*f.Compared[0].AUC-want.AUC.Value) > 0.01 ||
		math.Abs(*f.Compared[0].ErrorSE-want.Err.SE) > 0.3*want.Err.SE {
		t.Errorf("%+v, want %+v", f.Compared, want)
	}
	if !slices.ContainsFunc(f.Warnings, func(w Warning) bool {
		return w.Code == "not-compared" &&
			strings.Contains(w.Text, "broken failed: no luck")
	}) {
		t.Errorf("warnings %v", f.Warnings)
	}
	if list := f.Figures(); list[2].Of != all[0].Name {
		t.Errorf("%v", list)
	}
	if f, err = Evaluate(ctx, tb, m, EvaluateOptions{Options: Options{Folds: -1}, Learner: l, Result: result,
		Compare: others}); err != nil || f.Compared != nil || f.Trust != nil {
		t.Errorf("%+v, %v", f.Compared, err)
	}
}
