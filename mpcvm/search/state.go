package search

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// state is a fit of Auto.
type state struct {
	Auto
	evaluation
	start     time.Time
	finalists []*setting // those that may be chosen: they are scored on all of train
	best      *setting   // the finalist with the lowest log loss
	validated *mpcvm.Validated

	reporting sync.Mutex // is locked while OnProgress runs
	step      string     // what is being done
	done      int        // the number of complete steps
	ended     bool       // all steps are complete
	overdue   func()     // ends a search that is out of time as soon as there is a model; nil: not needed
}

// newState prepares a search on the data d.
func newState(a Auto, d *fitting.Data, start time.Time) *state {
	s := &state{Auto: a, start: start}
	s.whole, s.train, s.seed, s.onTrial = d, d, a.Seed, a.OnTrial
	s.onFold = func() {
		s.mu.Lock()
		if s.overdue != nil {
			s.overdue()
		}
		s.mu.Unlock()
		s.report()
	}
	if s.large() {
		s.train, s.validation = d.HoldOut(a.Seed)
		s.train = s.train.Sample(largeSamples, a.Seed)
	}
	return s
}

const (
	// searchSamples is the number of samples on which kernels are compared and sparse learners are
	// searched. If there is a validation set, kernels are compared on largeSamples instead, on which all
	// settings are then trained.
	searchSamples, largeSamples = 2000, 4000
	// denseSamples is the largest number of samples that are all candidates of KernelPrior: they take
	// 2.5 GB in float32. With 8000 candidates of 12,800 letters the log loss is 0.096 nats instead of 0.086.
	denseSamples = 25000
	// fitSamples is the largest number of samples that are fitted: their Φ takes 3.2 GB.
	fitSamples = 200000
	// oneFitSamples is the number of samples above which the fit that gives the temperature is the final
	// one: 4000 samples more make little difference.
	oneFitSamples = 25000
)

// large reports whether there are too many samples to score settings on all of them.
func (s *state) large() bool {
	return s.whole.N > fitting.Many && s.Candidates != mpcvm.AllCandidates
}

// fitted is the largest number of samples that the final fit takes.
func (s *state) fitted() int {
	if s.Candidates == 0 {
		return min(s.whole.N, fitSamples)
	}
	return s.whole.N
}

// options returns the options of the final fit.
func (s *state) options() options {
	if !s.large() {
		return options{candidates: mpcvm.AllCandidates, dense: mpcvm.AllCandidates, keep: 1}
	}
	o := options{keep: 1, tol: 0.1}
	o.candidates, o.dense = cmp.Or(s.Candidates, fitting.Candidates), cmp.Or(s.Candidates, 2*fitting.Candidates)
	switch {
	case s.Candidates == 0 && s.whole.N <= denseSamples:
		o.dense = mpcvm.AllCandidates
	default: // the number of weights grows with the number of candidates
		o.keep = float64(max(o.dense, s.train.N)) / float64(s.fitted())
	}
	o.float32 = 8*float64(o.dense)*float64(s.whole.N) > 1<<28
	return o
}

// clock is where a search reads the time. Tests replace it.
var clock = struct {
	now   func() time.Time
	after func(d time.Duration, f func()) (stop func() bool)
}{time.Now, func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }}

// The shares of the budget after which the search ends, and the fit on the samples outside the validation
// set. The rest is for the final fit.
const (
	searchShare      = 0.6
	temperatureShare = 0.8
)

// until returns a context that ends with ctx, or when a part of the budget is spent. If no fold has ended
// by then, it ends as soon as there is a model. The caller must call stop.
func (s *state) until(ctx context.Context, part float64) (inTime context.Context, stop func()) {
	if s.Budget == 0 {
		return ctx, func() {}
	}
	inTime, cancel := context.WithCancel(ctx)
	late := func() {
		share.Leave(ctx) // replicas have no clock in common
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.overdue = cancel; s.fallback.model != nil {
			cancel()
		}
	}
	left := s.start.Add(time.Duration(part * float64(s.Budget))).Sub(clock.now())
	if left <= 0 {
		late()
		return inTime, cancel
	}
	disarm := clock.after(left, late)
	return inTime, func() {
		disarm()
		cancel()
	}
}

// begin starts a step and returns the time.
func (s *state) begin(step string) time.Time {
	s.mu.Lock()
	s.step = step
	s.mu.Unlock()
	began := clock.now()
	s.report()
	return began
}

// finish counts a complete step.
func (s *state) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
}

// end reports that all steps are complete.
func (s *state) end() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.report()
}

// report calls OnProgress.
func (s *state) report() {
	if s.OnProgress == nil {
		return
	}
	s.reporting.Lock()
	defer s.reporting.Unlock()
	s.OnProgress(s.progress())
}

func (s *state) progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Progress{Step: s.step, Done: s.done, Total: s.done, Elapsed: clock.now().Sub(s.start)}
	if !s.ended {
		p.Total = max(s.done+1, usualSteps)
	}
	switch {
	case s.best != nil:
		p.Best = s.trials[s.best.trial]
	case s.fallback.model != nil && s.fallback.trial < len(s.trials):
		p.Best = s.trials[s.fallback.trial]
	}
	return p
}
