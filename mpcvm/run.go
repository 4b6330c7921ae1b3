package mpcvm

import (
	"context"
	"fmt"
	"time"
)

// Run is the frame of a fit: context, observers, trace and clock. The learners of
// this package use it, and it is for others who want the same contract:
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
	ctx       context.Context
	observers []Observer
	limit     int
	snapshot  func() *Model // of Step.Model; may be nil
	start     time.Time
	stop      bool
	result    Result
}

// NewRun starts the clock of a fit of at most limit iterations; 0 means no limit.
func NewRun(ctx context.Context, limit int, observers ...Observer) *Run {
	return &Run{ctx: ctx, limit: limit, observers: observers, start: time.Now()}
}

// Record appends the step to the trace, with its number and time, and shows it to
// the observers. It reports whether the fit must end, with the status set: Stopped
// by an observer, Cancelled by the context or at the IterationLimit.
func (r *Run) Record(s Step) (end bool) {
	s.Iteration = len(r.result.Trace) + 1
	s.Elapsed = time.Since(r.start)
	r.result.Trace = append(r.result.Trace, s)
	r.result.Iterations, r.result.Objective, r.result.LogLik = s.Iteration, s.Objective, s.LogLik
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
	return r.result.Status != NotTerminated
}

// End sets the status.
func (r *Run) End(s Status) { r.result.Status = s }

// Finish closes the result. Its error wraps that of the context if the status is
// Cancelled.
func (r *Run) Finish() (Result, error) {
	r.result.Seconds = time.Since(r.start).Seconds()
	if r.result.Status == Cancelled {
		return r.result, fmt.Errorf("mpcvm: fit cancelled after %d iterations: %w", r.result.Iterations, r.ctx.Err())
	}
	return r.result, nil
}
