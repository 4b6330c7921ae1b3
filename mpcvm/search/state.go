package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/polled"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// state is a fit of Auto.
type state struct {
	Auto
	evaluation
	start     time.Time
	finalists []*setting // the settings that may be chosen; they are scored on the whole training set
	tried     []*setting // all settings, in the order of their trials
	best      *setting   // the finalist with the lowest log loss
	chosen    *setting   // the setting of the final fit; nil during the search
	validated *mpcvm.Validated

	reporting sync.Mutex // held while OnProgress runs
	step      string     // the description of the current step
	done      int        // the number of complete steps
	ended     bool       // all steps are complete
	cut       bool       // the context or the budget ended the search
	overdue   func()     // if time runs out before there is a model, ends the search after the first one
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
	// searched. If there is a validation set, kernels are compared on largeSamples samples instead, and
	// all settings are trained on them.
	searchSamples, largeSamples = 2000, 4000
	// denseSamples is the number of samples up to which every sample is a candidate of KernelPrior. Their
	// kernel matrix takes 2.5 GB in float32. For 12,800 samples of Letter, 8000 candidates raise the log
	// loss from 0.086 to 0.096 nats.
	denseSamples = 25000
	// largeCandidates is the largest number of candidates of KernelPrior beyond that. On 50,000 × 10, 3200
	// spread over the classes gave a log loss of 0.340, and 4000 drawn at random 0.349.
	largeCandidates = 3200
	// fitSamples is the largest number of samples in a fit. candidateBytes limits the memory of a fit with
	// candidates, for the kernel matrix in float32 and a Cholesky factor for each class.
	fitSamples, candidateBytes = 200000, 1.5e9
	// oneFitSamples is the number of samples above which the fit for the choice of the temperature is also
	// the final one, because 4000 more samples make little difference.
	oneFitSamples = 25000
)

// large reports whether there are too many samples to score settings on all of them.
func (s *state) large() bool {
	return s.whole.N > fitting.Many && s.Candidates != mpcvm.AllCandidates
}

// fitted returns the largest number of samples in the final fit.
func (s *state) fitted() int {
	if s.Candidates == 0 {
		return min(s.whole.N, fitSamples)
	}
	return s.whole.N
}

// options returns the options of the final fit.
func (s *state) options() options {
	if !s.large() {
		o := options{candidates: mpcvm.AllCandidates, dense: mpcvm.AllCandidates, keep: 1}
		if s.whole.N > fewSamples {
			o.tol, o.float32 = trialTol, true
		}
		return o
	}
	o := options{keep: 1, tol: screeningTol, float32: true}
	n, c := float64(s.fitted()), float64(s.whole.C) // 4nk + 8ck² bytes for k candidates
	most := min(largeCandidates, int((math.Sqrt(n*n+2*c*candidateBytes)-n)/(4*c)))
	o.candidates, o.dense = cmp.Or(s.Candidates, fitting.Candidates), cmp.Or(s.Candidates, most)
	if s.Candidates == 0 && s.whole.N <= denseSamples {
		o.dense = mpcvm.AllCandidates
	} else { // the number of weights grows with the number of candidates
		o.tol, o.keep = candidateTol, float64(max(o.dense, s.train.N))/n
	}
	return o
}

// clock is the clock of a search. Tests replace it.
var clock = struct {
	now   func() time.Time
	after func(d time.Duration, f func()) (stop func() bool)
}{time.Now, func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }}

// searchShare is the share of the budget after which the search ends. The rest is for the fits that follow.
const searchShare = 0.6

// until returns a context that ends with ctx, or when a part of the budget is spent. If no model has
// been fitted by then, the context ends with the first fold. The caller must call stop.
func (s *state) until(ctx context.Context, part float64) (inTime context.Context, stop func()) {
	if s.Budget == 0 {
		return ctx, func() {}
	}
	inTime, cancel := polled.WithCancel(ctx)
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
	s.report()
	return clock.now()
}

// finish counts a complete step, and after the last one, reports that all are complete.
func (s *state) finish(last bool) {
	s.mu.Lock()
	s.done++
	s.ended = last
	s.mu.Unlock()
	if last {
		s.report()
	}
}

// report calls OnProgress.
func (s *state) report() {
	if s.OnProgress != nil {
		s.reporting.Lock()
		defer s.reporting.Unlock()
		s.OnProgress(s.progress())
	}
}

func (s *state) progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Progress{Step: s.step, Done: s.done, Total: s.done, Elapsed: clock.now().Sub(s.start)}
	if !s.ended {
		p.Total = max(s.done+1, usualSteps)
	}
	switch {
	case s.chosen != nil:
		p.Best = s.trials[s.chosen.trial]
	case s.fallback.model != nil && s.fallback.trial < len(s.trials):
		p.Best = s.trials[s.fallback.trial]
	case s.best != nil: // its model belongs to another replica
		p.Best = s.trials[s.best.trial]
	}
	return p
}

// Progress describes the progress of a fit of Auto; see Auto.OnProgress.
type Progress struct {
	// Step describes the current step: the learner and the kernel of a trial, or the final fit.
	Step string
	// Done is the number of completed steps. Total is the number of all steps, which is known only at the
	// end; until then it is an estimate: 36, the usual number, or Done+1 if that is larger.
	Done, Total int
	// Elapsed is the time since the start.
	Elapsed time.Duration
	// Best is the trial of the model that Fit would return if it were stopped now. It is replaced only by a
	// better one, or at the end of the search by the chosen setting. Before the first trial ends, which takes
	// less than 3 s of one core for a table of 100,000 rows, it is the zero Trial.
	Best mpcvm.Trial
}

// usualSteps is the usual number of steps.
const usualSteps = 36

// String returns a text such as "7 of about 36".
func (p Progress) String() string {
	if p.Done == p.Total {
		return fmt.Sprintf("%d of %d", p.Done, p.Total)
	}
	return fmt.Sprintf("%d of about %d", p.Done, p.Total)
}
