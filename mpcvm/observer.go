package mpcvm

import (
	"context"
	"fmt"
	"time"
)

// Observer is called once an iteration, in the goroutine of Fit. It must not modify the
// Step. Printing, charts, progress and early stopping are observers.
type Observer func(*Step)

// Step is what an Observer sees of one iteration. It is read-only: its slices belong to the
// trace of the Result.
type Step struct {
	// Iteration counts from 1.
	Iteration int
	// Objective is the quantity that the learner maximises, in nats, after this iteration.
	// For TopDown it is the log posterior Σ log p(t_n|W,b) + log p(W) + log p(b) with the
	// marginal priors of eqs. (full_prior_w) and (full_prior_b), less the constant log p(0),
	// so that a weight at zero costs nothing. For BottomUp it is the lower bound F of the
	// evidence, and for gp.KernelPrior the log posterior F.
	Objective float64
	// LogLik is Σ log p(t_n|W,b) of the training samples, in nats.
	LogLik float64
	// Weights counts the non-zero weights of each class.
	Weights []int
	// Added and Deleted list the basis functions that entered and left the model.
	// Reestimated counts those whose precision alpha_nc was set anew.
	Added, Deleted []Basis
	Reestimated    int
	// Rejected says that the update of this iteration would have lowered the objective, and
	// that another was made in its place.
	Rejected bool
	// Change is max|ΔW| / max|W|.
	Change float64
	// Elapsed is the time since the start of the fit.
	Elapsed time.Duration

	run *Run
}

// Basis names the basis function of training sample Sample in the potential of class Class.
type Basis struct{ Sample, Class int }

// NonZero is the number of non-zero weights of all classes.
func (s *Step) NonZero() int {
	total := 0
	for _, n := range s.Weights {
		total += n
	}
	return total
}

// Classifier returns the model after this iteration. It may be called only while the observer
// runs; later it returns nil. It also returns nil if the learner sets no Run.Snapshot.
func (s *Step) Classifier() Classifier {
	if s.run == nil || s.run.Snapshot == nil {
		return nil
	}
	return s.run.Snapshot()
}

// Model is Classifier for learners of a *Model. For others it returns nil.
func (s *Step) Model() *Model {
	m, _ := s.Classifier().(*Model)
	return m
}

// Limit is the largest number of iterations of the fit, for progress displays. It is 0
// after the observer has returned.
func (s *Step) Limit() int {
	if s.run == nil {
		return 0
	}
	return s.run.limit
}

// Stop asks the learner to end after this iteration with status Stopped.
func (s *Step) Stop() {
	if s.run != nil {
		s.run.stop = true
	}
}

// Run is the frame of a fit: context, observers, trace and clock. All learners use it, also
// those outside this package:
//
//	run := mpcvm.NewRun(ctx, limit, observers...)
//	for {
//		... // an iteration
//		if run.Record(step) {
//			break
//		}
//		if converged {
//			run.End(mpcvm.Converged)
//			break
//		}
//	}
//	result, err := run.Finish()
type Run struct {
	// Snapshot, if not nil, makes the model of the present iteration for observers; see
	// Step.Classifier.
	Snapshot func() Classifier
	// Result is the result so far. A learner may change its Objective and LogLik.
	Result Result

	ctx       context.Context
	observers []Observer
	limit     int
	start     time.Time
	stop      bool
}

// NewRun starts the clock of a fit of at most limit iterations. A limit of 0 means none.
func NewRun(ctx context.Context, limit int, observers ...Observer) *Run {
	return &Run{ctx: ctx, limit: limit, observers: observers, start: time.Now()}
}

// Record appends the step to the trace, with its number and time, and shows it to the
// observers. It reports whether the fit must end, with the status set: Stopped by an
// observer, Cancelled by the context, or IterationLimit.
func (r *Run) Record(s Step) (end bool) {
	s.Iteration = len(r.Result.Trace) + 1
	s.Elapsed = time.Since(r.start)
	r.Result.Trace = append(r.Result.Trace, s)
	r.Result.Iterations, r.Result.Objective, r.Result.LogLik = s.Iteration, s.Objective, s.LogLik
	s.run = r
	for _, observe := range r.observers {
		observe(&s)
	}
	s.run = nil
	switch {
	case r.stop:
		r.End(Stopped)
	case r.ctx.Err() != nil:
		r.End(Cancelled)
	case r.limit > 0 && s.Iteration >= r.limit:
		r.End(IterationLimit)
	}
	return r.Result.Status != NotTerminated
}

// End sets the status. Stopped and Cancelled are final: they say that somebody else ended
// the fit.
func (r *Run) End(s Status) {
	if r.Result.Status != Stopped && r.Result.Status != Cancelled {
		r.Result.Status = s
	}
}

// Finish returns the result. Its error wraps that of the context if the status is
// Cancelled.
func (r *Run) Finish() (Result, error) {
	r.Result.Seconds = time.Since(r.start).Seconds()
	if r.Result.Status == Cancelled {
		return r.Result, fmt.Errorf("mpcvm: fit cancelled after %d iterations: %w", r.Result.Iterations, r.ctx.Err())
	}
	return r.Result, nil
}
