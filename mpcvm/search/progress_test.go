package search

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// fakeClock is a clock that only advance moves.
type fakeClock struct {
	mu     sync.Mutex
	time   time.Time
	timers map[int]timer
	made   int
}

type timer struct {
	at time.Time
	f  func()
}

// newClock replaces the clock of searches for the duration of a test.
func newClock(t *testing.T) *fakeClock {
	t.Helper()
	c := &fakeClock{time: time.Unix(1000, 0), timers: map[int]timer{}}
	real := clock
	t.Cleanup(func() { clock = real })
	clock.now = func() time.Time {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.time
	}
	clock.after = func(d time.Duration, f func()) func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.made++
		id := c.made
		c.timers[id] = timer{c.time.Add(d), f}
		return func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.timers, id)
			return true
		}
	}
	return c
}

// advance moves the clock and calls the functions that are due.
func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	c.time = c.time.Add(d)
	var due []func()
	for id, timer := range c.timers {
		if !timer.at.After(c.time) {
			due = append(due, timer.f)
			delete(c.timers, id)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}

// Fit keeps its budget and returns a model however small the budget is, and Partial describes the model. A
// fold and an iteration of the final fit take a second each.
func TestAutoBudget(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.NewMixture(3, 2, 3, 0.7, 2).Set(100, 1)
	fit := func(budget time.Duration) (*mpcvm.Model, mpcvm.Result) {
		c := newClock(t)
		m, result, err := Auto{Budget: budget, OnProgress: func(Progress) { c.advance(time.Second) }}.Fit(
			t.Context(), mpcvm.Samples{X: set.X, T: set.T},
			func(*mpcvm.Step) { c.advance(time.Second) })
		if err != nil || m == nil {
			t.Fatalf("budget %v: model %v, error %v", budget, m, err)
		}
		return m, result
	}
	_, whole := fit(0)
	if whole.Partial != "" || whole.Status != mpcvm.Converged || whole.Seconds < 100 {
		t.Errorf("without a budget: %v, %q, %g s", whole.Status, whole.Partial, whole.Seconds)
	}
	partial := map[string]int{}
	trials := 0
	for budget := time.Duration(1); budget.Seconds() < 2*whole.Seconds; budget = 2*budget + time.Second {
		m, result := fit(budget)
		// A step that runs when the time is up ends at its next check, and its report may follow.
		if over := result.Seconds - budget.Seconds(); over > 5 {
			t.Errorf("budget %v: %g s", budget, result.Seconds)
		}
		if (result.Status == mpcvm.TimeLimit) != (result.Partial != "") {
			t.Errorf("budget %v: %v, %q", budget, result.Status, result.Partial)
		}
		if budget == 1 && (result.Status != mpcvm.TimeLimit || len(result.Trials) > 0 ||
			result.Partial != "trained on 80 of 100 samples: one fold of the first setting") {
			t.Errorf("budget %v: %v after %d trials, %q", budget, result.Status, len(result.Trials), result.Partial)
		}
		if len(result.Trials) < trials || len(result.Trials) > len(whole.Trials) {
			t.Errorf("budget %v: %d trials, %d with less time, %d without a budget", budget, len(result.Trials),
				trials, len(whole.Trials))
		}
		trials = len(result.Trials)
		if result.Partial != "" {
			what, _, _ := strings.Cut(result.Partial, ":")
			partial[strings.TrimRight(what, "0123456789")]++
		} else {
			partial["whole"]++
		}
		held := result.Validated
		if held == nil || len(held.Unseen) > 20 || result.Samples > 0 && (held.Model != m ||
			len(held.Unseen) != set.N()-result.Samples) {
			t.Errorf("budget %v, trained on %d samples: validated %+v", budget, result.Samples, held)
		}
		for i, v := range m.RelevanceVectors() {
			if held.Model == m && slices.Contains(held.Unseen, v.Index) {
				t.Errorf("budget %v: row %d is held out", budget, v.Index)
			}
			if v.Label != set.T[v.Index] || !slices.Equal(v.X, set.X.RawRowView(v.Index)) {
				t.Fatalf("budget %v: relevance vector %d is not row %d", budget, i, v.Index)
			}
		}
		if e := must.Get(score.ErrorRate(m.Predict(nil, set.X), set.T))(t); e > 0.4 {
			t.Errorf("budget %v: error rate %g", budget, e)
		}
	}
	t.Log(partial)
	if partial["whole"] == 0 || len(partial) < 3 {
		t.Errorf("models of budgets: %v", partial)
	}
}

// When a share of the budget is spent, the context ends if there is a model, and otherwise as soon as there
// is one. Without a budget it does not end.
func TestUntil(t *testing.T) {
	c := newClock(t)
	for _, tt := range []struct {
		budget, spent time.Duration
		model         bool
		ended         bool
	}{
		{0, 100 * time.Second, true, false},
		{10 * time.Second, 5 * time.Second, true, false},
		{10 * time.Second, 6 * time.Second, true, true},
		{10 * time.Second, 7 * time.Second, false, false},
	} {
		for _, before := range []bool{false, true} { // whether the time is up before the start
			s := newState(Auto{Budget: tt.budget}, &fitting.Data{N: 100}, clock.now())
			if tt.model {
				s.fallback.model = new(mpcvm.Model)
			}
			if before {
				c.advance(tt.spent)
			}
			ctx, stop := s.until(t.Context(), searchShare)
			if !before {
				c.advance(tt.spent)
			}
			if ended := ctx.Err() != nil; ended != tt.ended {
				t.Errorf("%+v, before %v: ended %v", tt, before, ended)
			}
			if late := s.overdue != nil; late != (tt.ended || !tt.model) {
				t.Errorf("%+v, before %v: overdue %v", tt, before, late)
			}
			stop()
		}
	}
}

// Progress counts the steps and ends with the last one.
func TestAutoProgress(t *testing.T) {
	watch.SkipUnderRace(t)
	c := newClock(t)
	set := data.NewMixture(4, 3, 5, 0.7, 2).Set(250, 1)
	var seen []Progress
	_, result, err := Auto{OnProgress: func(p Progress) {
		seen = append(seen, p)
		c.advance(time.Second)
	}}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	first, last := seen[0], seen[len(seen)-1]
	if first.Elapsed != 0 || first.Done != 0 || first.Total < 10 || first.Best.Kernel != nil ||
		!strings.HasPrefix(first.Step, "linear s²=1, linear(") {
		t.Errorf("first %+v", first)
	}
	steps := 1 // the final fit
	for i, trial := range result.Trials {
		// the reductions belong to the fit of the dense model
		if i == 0 || trial.Kernel.String() != result.Trials[i-1].Kernel.String() || !strings.Contains(trial.Learner,
			", cut to ") {
			steps++
		}
	}
	if last.Done != steps || last.Total != steps || last.Step != "final fit" || !last.Best.Chosen {
		t.Errorf("last %+v, %d steps", last, steps)
	}
	if want := fmt.Sprintf("%d of %d", steps, steps); last.String() != want {
		t.Errorf("%q, want %q", last, want)
	}
	folds := map[int]int{}
	for i, p := range seen {
		if i > 0 && (p.Done < seen[i-1].Done || p.Elapsed != seen[i-1].Elapsed+time.Second) || p.Done > p.Total ||
			p.Step == "" {
			t.Errorf("%+v after %+v", p, seen[max(i-1, 0)])
		}
		folds[p.Done]++
	}
	for done := range steps - 2 {
		if folds[done] < 2 { // the start and a fold; the class frequencies, last but one, have no folds
			t.Errorf("%d calls after %d steps", folds[done], done)
		}
	}
}
