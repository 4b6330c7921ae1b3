package contract

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// patience is how often a fit may check its context after the context has ended: nested loops check
// it once each, on each core.
const patience = 1000

// cancelledBefore: a fit with a context that has ended returns no classifier.
func cancelledBefore(t *testing.T, s System) {
	done, cancel := context.WithCancel(bg)
	cancel()
	x, labels := usual()
	m, r, err := s.Fit(done, mpcvm.Samples{X: x, T: labels})
	if !errors.Is(err, context.Canceled) || m != nil || r.Status != mpcvm.Cancelled {
		t.Errorf("classifier %v, status %v, error %v", m, r.Status, err)
	}
}

// cancelledOrStopped: an observer can cancel the context or stop the fit after any iteration. Fit returns the
// model of that iteration.
func cancelledOrStopped(t *testing.T, s System) {
	x, labels := usual()
	for _, want := range []mpcvm.Status{mpcvm.Cancelled, mpcvm.Stopped} {
		for _, at := range []int{1, 2} {
			running, cancel := context.WithCancel(bg)
			defer cancel()
			m, r, err := s.Fit(running, mpcvm.Samples{X: x, T: labels}, func(step *mpcvm.Step) {
				switch {
				case step.Iteration != at:
				case want == mpcvm.Stopped:
					step.Stop()
				default:
					cancel()
				}
			})
			if err == nil && (r.Iterations < at || want == mpcvm.Cancelled && !r.Status.Early()) {
				continue // the fit had ended
			}
			if errors.Is(err, context.Canceled) != (want == mpcvm.Cancelled) || r.Status != want ||
				r.Iterations != at || m == nil {
				t.Fatalf("%v at %d: status %v after %d iterations, classifier %v, error %v", want, at, r.Status,
					r.Iterations, m, err)
			}
			wellFormed(t, "cancelled or stopped", outputOf(m, x), len(labels), 3)
		}
	}
}

// cancelledOutside: a fit ends at any check of a cancelled context.
func cancelledOutside(t *testing.T, s System) {
	x, labels := clusters(200, 3, 1, 10)
	for _, after := range []int{1, 10, 100, 1000} {
		running := watch.NewCountdown(bg, after)
		m, r, err := s.Fit(running, mpcvm.Samples{X: x, T: labels})
		if err == nil {
			if after == 1 {
				t.Error("the fit did not check its context")
			}
			break // the fit had ended
		}
		if !errors.Is(err, context.Canceled) || r.Status != mpcvm.Cancelled {
			t.Errorf("after %d checks: status %v, error %v", after, r.Status, err)
		}
		if more := -running.Left(); more > patience {
			t.Errorf("after %d checks: %d more", after, more)
		}
		if m != nil {
			wellFormed(t, "cancelled", outputOf(m, x), 200, 3)
		}
	}
}

// observers are called once in each iteration, in order, with the step of the trace.
func observers(t *testing.T, s System) {
	x, labels := usual()
	calls, limit := 0, 0
	var kept []*mpcvm.Step
	second := 0
	m, r, err := s.Fit(bg, mpcvm.Samples{X: x, T: labels}, func(step *mpcvm.Step) {
		calls++
		if step.Iteration != calls {
			t.Errorf("call %d is of iteration %d", calls, step.Iteration)
		}
		if step.Limit() > 0 && step.Limit() < step.Iteration { // 0: no limit
			t.Errorf("iteration %d of %d", step.Iteration, step.Limit())
		}
		if calls > 1 && step.Limit() != limit {
			t.Errorf("the limit was %d and is %d", limit, step.Limit())
		}
		limit = step.Limit()
		if math.IsNaN(step.Objective) || math.IsNaN(step.LogLik) || math.IsNaN(step.Change) {
			t.Errorf("iteration %d: %+v", step.Iteration, *step)
		}
		kept = append(kept, step)
	}, func(*mpcvm.Step) { second++ })
	if err != nil || m == nil {
		t.Fatalf("error %v", err)
	}
	if calls == 0 || calls != r.Iterations || second != calls || len(r.Trace) != calls {
		t.Fatalf("%d calls, %d of the second observer, %d iterations, %d in the trace", calls, second, r.Iterations,
			len(r.Trace))
	}
	for i, step := range kept {
		if step.Objective != r.Trace[i].Objective || step.Iteration != r.Trace[i].Iteration {
			t.Errorf("step %d differs from the trace", i)
		}
		if step.Limit() != 0 || step.Model() != nil {
			t.Errorf("step %d outlives its observer", i)
		}
		step.Stop() // no effect
	}
	// Observers do not change the result.
	same(t, "without observers", outputOf(m, fresh()), outputOf(s.fitted, fresh()))
}

// snapshots: Step.Classifier is nil in all steps or in none. It predicts, it does not change later,
// and the snapshot of the last step has the labels of the model.
func snapshots(t *testing.T, s System) {
	x, labels := usual()
	var first, last mpcvm.Classifier
	var before []int
	m, r, err := s.Fit(bg, mpcvm.Samples{X: x, T: labels}, func(step *mpcvm.Step) {
		last = step.Classifier()
		if step.Iteration == 1 && last != nil {
			first, before = last, last.Predict(nil, x)
		}
		if (last == nil) != (first == nil) {
			t.Errorf("iteration %d: classifier %v, of the first %v", step.Iteration, last, first)
		}
		if last != nil {
			wellFormed(t, fmt.Sprintf("iteration %d", step.Iteration), outputOf(last, x), len(labels), 3)
		}
	})
	if err != nil || first == nil || last == nil {
		return
	}
	if after := first.Predict(nil, x); !slices.Equal(after, before) {
		t.Errorf("the classifier of the first step predicted %v, after the fit %v", before, after)
	}
	if got, want := last.Predict(nil, x), m.Predict(nil, x); !slices.Equal(got, want) {
		t.Errorf("%v after %d iterations: the last step predicts %v, the model %v", r.Status, r.Iterations, got,
			want)
	}
}
