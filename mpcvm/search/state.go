package search

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// state is the state of a search.
type state struct {
	Auto
	start    time.Time
	whole    *fitting.Data // all samples
	data     *fitting.Data // that settings learn from: all samples, or some of many
	judges   *fitting.Data // of many samples, those that judge settings; nil: all, by cross-validation
	trials   []mpcvm.Trial
	admitted []*setting // to the final fit: judged with all of data
	best     *setting   // of these, the one of the least log loss
	held     *mpcvm.Held

	reporting sync.Mutex // held while OnProgress runs
	mu        sync.Mutex
	step      string // what is going on
	done      int    // steps
	ended     bool   // all of them
	overdue   func() // ends a search without time as soon as there is a model; nil: not needed
	fallback  partial
	latest    []partial // of the settings of the last trial
}

// newState prepares a search of the data d.
func newState(a Auto, d *fitting.Data, start time.Time) *state {
	s := &state{Auto: a, start: start, whole: d, data: d}
	if s.large() {
		var others *fitting.Data
		others, s.judges = d.HoldOut(a.Seed)
		s.data = others.Sample(largeSamples, a.Seed)
	}
	return s
}

const (
	// searchSamples is the number of samples by which kernels are compared and sparse learners are
	// moved; kernels by largeSamples if there are too many samples, and then settings learn from these.
	searchSamples, largeSamples = 2000, 4000
	// heldSamples is the largest number of samples that are all candidates of KernelPrior: 2.5 GB in
	// float32. With 8000 candidates of 12,800 letters the log loss is 0.096 nats in place of 0.086.
	heldSamples = 25000
	// fitSamples is the largest number of samples that are fitted: their Φ takes 3.2 GB.
	fitSamples = 200000
	// oneFitSamples is the number of samples from which on the fit that gives the temperature is
	// the final one: 4000 samples more make little difference.
	oneFitSamples = 25000
)

// large reports whether there are too many samples to judge settings by all of them.
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
	o := options{candidates: cmp.Or(s.Candidates, fitting.Candidates), dense: cmp.Or(s.Candidates, 2*fitting.Candidates), keep: 1, tol: 0.1}
	switch {
	case s.Candidates == 0 && s.whole.N <= heldSamples:
		o.dense = mpcvm.AllCandidates
	default: // the number of weights grows with the number of candidates
		o.keep = float64(max(o.dense, s.data.N)) / float64(s.fitted())
	}
	o.float32 = 8*float64(o.dense)*float64(s.whole.N) > 1<<28
	return o
}

// clock is where a search reads the time. Tests replace it.
var clock = struct {
	now   func() time.Time
	after func(d time.Duration, f func()) (stop func() bool)
}{time.Now, func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }}

// The shares of the budget after which the search ends, and the fit that gives the temperature of
// many samples. The rest is for the final fit.
const (
	searchShare      = 0.6
	temperatureShare = 0.8
)

// until returns a context that ends with ctx, or when this share of the budget is spent. If no fold
// has ended then, it ends as soon as there is a model. The caller must call stop.
func (s *state) until(ctx context.Context, share float64) (inTime context.Context, stop func()) {
	if s.Budget == 0 {
		return ctx, func() {}
	}
	inTime, cancel := context.WithCancel(ctx)
	late := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.overdue = cancel; s.fallback.model != nil {
			cancel()
		}
	}
	left := s.start.Add(time.Duration(share * float64(s.Budget))).Sub(clock.now())
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

// begin notes that a step begins, and returns the time.
func (s *state) begin(step string) time.Time {
	s.mu.Lock()
	s.step = step
	s.mu.Unlock()
	began := clock.now()
	s.report()
	return began
}

// finish notes that a step has ended.
func (s *state) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
}

// end reports that all steps have ended.
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
