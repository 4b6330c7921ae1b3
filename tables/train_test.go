package tables

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// The search takes a share of the budget that depends on the evaluation, less the time already taken.
func TestSearchTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			budget, taken time.Duration
			folds         int
			nested        bool
			report        bool
			want          time.Duration
		}{
			{100 * time.Second, 0, 0, false, false, 73500 * time.Millisecond}, // 2 % are reserved
			{100 * time.Second, 58 * time.Second, 5, false, false, 30 * time.Second},
			{100 * time.Second, 58 * time.Second, -1, false, false, 40 * time.Second},
			{100 * time.Second, 58 * time.Second, 4, true, false, 8 * time.Second},
			{100 * time.Second, 47100 * time.Millisecond, -1, false, true, 40 * time.Second},
			{time.Second, time.Second, 5, false, false, 1},
		} {
			p := &Training{Samples: &recipe.Samples{}, Settings: Settings{Budget: tt.budget, Start: time.Now(),
				Report: tt.report, EvaluateOptions: eval.EvaluateOptions{Options: eval.Options{Folds: tt.folds},
					Nested: tt.nested}}}
			time.Sleep(tt.taken)
			if got := p.searchTime(); got != tt.want {
				t.Errorf("%+v: %v", tt, got)
			}
		}
	})
}

// Train merges classes without changing the table, saves the model before and after the evaluation, and
// returns the best model so far if the context ends, evaluated only with Finish.
func TestTrain(t *testing.T) {
	birds, err := Open("../data/penguins.csv", Options{Drop: []string{"Sample Number", "Date Egg", "Comments"}})
	if err != nil {
		t.Fatal(err)
	}
	l := search.Width{Learner: mpcvm.BottomUp{}}
	saved := 0
	s := Settings{Target: "Species", Merge: map[string]string{}, Save: func(m *Model) error {
		if saved++; m.Record().Fit.Ended != model.Converged || (m.Record().Figures != nil) != (saved == 2) {
			t.Errorf("%d: %+v", saved, m.Record())
		}
		return nil
	}}
	s.Learner, s.Folds = l, -1
	_, classes := birds.Labels(birds.Find("Species"))
	s.Merge[classes[1]] = classes[0]
	m, e, err := Train(t.Context(), birds, s)
	if err != nil || saved != 2 || len(m.ClassNames()) != 2 || e.Model != m || e.Train.Rows != 344 {
		t.Fatalf("%v, %d, %+v", err, saved, e)
	}
	if _, now := birds.Labels(birds.Find("Species")); len(now) != 3 {
		t.Errorf("the table has changed: %q", now)
	}
	for _, bad := range []Settings{{ClassWeights: map[string]float64{"no": 2}},
		{ClassWeights: map[string]float64{
			classes[0]: -1}}, {EvaluateOptions: eval.EvaluateOptions{Find: "no", Recall: 0.9}}} {
		bad.Target = "Species"
		if f, ok := errors.AsType[table.Finding](second(Train(t.Context(), birds, bad))); !ok || f.Option == "" {
			t.Errorf("%+v: %+v", bad, f)
		}
	}
	for _, finish := range []bool{false, true} {
		ctx, stop := context.WithCancel(t.Context())
		m, e, err := Train(ctx, birds, Settings{Target: "Species", Finish: finish, Progress: func(p Progress) {
			if p.Best.Learner != "" {
				stop()
			}
		}, EvaluateOptions: eval.EvaluateOptions{Options: eval.Options{Folds: -1}}})
		if m == nil || (e != nil) != finish || errors.Is(err, context.Canceled) == finish ||
			m.Record().Fit.Ended != model.Stop || m.Record().Fit.Tried >= m.Record().Fit.Of {
			t.Errorf("finish %v: %v, %v", finish, err, e)
		}
		stop()
	}
	ctx, stop := context.WithCancel(t.Context()) // a stop that comes after the fit
	s.Finish, s.Save, s.Folds = true, nil, 2
	s.Progress = func(p Progress) {
		if p.Stage == Evaluating {
			stop()
		}
	}
	m, e, err = Train(ctx, birds, s)
	if err != nil || ctx.Err() == nil || e.CV == nil || m.Record().Fit.Ended != model.Converged {
		t.Errorf("a stop during the evaluation: %v, %+v", err, e)
	}
}

func second(_ *Model, _ *eval.Evaluation, err error) error { return err }
