package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/fitting"
)

// Progress is how far a fit of Auto has come; see Auto.OnProgress.
type Progress struct {
	// Step says what is going on: the learner and the kernel of a trial, or the final fit.
	Step string
	// Done is the number of complete steps: trials, and the final fit. Total is how many there
	// will be in all, as far as is known.
	Done, Total int
	// Elapsed is the time since the start. Left is the expected time until the end, 0 if
	// nothing is known of it yet. It comes from the mean time of the trials of a kind, and
	// from the number of samples for kinds that were not tried yet.
	Elapsed, Left time.Duration
	// Best is the best trial so far. Its Kernel is nil before the first trial ends.
	Best mpcvm.Trial
}

// String is like "7 of about 22, about 40 s left".
func (p Progress) String() string {
	text := fmt.Sprintf("%d of about %d", p.Done, p.Total)
	if p.Done == p.Total {
		return fmt.Sprintf("%d of %d", p.Done, p.Total)
	}
	switch left := p.Left; {
	case left <= 0:
		return text
	case left < 10*time.Second:
		return fmt.Sprintf("%s, about %.0f s left", text, max(1, left.Seconds()))
	case left < 2*time.Minute:
		return fmt.Sprintf("%s, about %.0f s left", text, left.Round(10*time.Second).Seconds())
	case left < 2*time.Hour:
		return fmt.Sprintf("%s, about %.0f min left", text, left.Minutes())
	default:
		return fmt.Sprintf("%s, about %.0f h left", text, left.Hours())
	}
}

// kind is a kind of step.
type kind int

const (
	dense kind = iota
	cut
	bottomUp
	topDown
	widths // per feature
	judge  // a fit to nearly all of many samples
	final
	kinds
)

// relative is the time of a trial by that of a dense trial of as many samples. Those of cut, widths and
// bottomUp were measured on Vowel, Wine red and Wine white.
var relative = [kinds]float64{dense: 1, cut: 13, bottomUp: 4, topDown: 1.5, widths: 8}

// growth is the exponent of the number of samples in the time of a trial.
const growth = 2.5

// schedule knows the steps of a fit and their time.
type schedule struct {
	start, end time.Time // end: of the budget; zero: none
	until      time.Time // end of the present phase, if there is a budget
	done       int       // steps
	steps      [kinds]int
	cost       [kinds]cost
	present    struct {
		kind    kind
		what    string
		samples int
		began   time.Time
		folds   int
	}
}

// cost is the mean time of the trials of a kind.
type cost struct {
	seconds float64
	samples int
	trials  int
}

// expected is the time of a step with n samples, in seconds; 0 if nothing is known.
func (s *journal) expected(k kind, n int) float64 {
	c, factor := s.cost[k], 1.0
	switch {
	case c.trials > 0:
	case k == final && s.cost[judge].trials > 0:
		c = s.cost[judge]
		return c.seconds * float64(n) / float64(c.samples)
	case k == final || k == judge:
		return s.expectedFit(n)
	default:
		c, factor = s.cost[dense], relative[k]
		if c.trials == 0 {
			return 0
		}
	}
	return factor * c.seconds * math.Pow(float64(n)/float64(c.samples), growth)
}

// expectedFit is the expected time of a fit to n samples by the best setting. A trial makes one
// for each judged fold, with four fifths of the samples that are searched, or one with all if others
// judge.
func (s *journal) expectedFit(n int) float64 {
	k, limit := dense, 1.0
	if s.best != nil {
		k = s.best.kind
	}
	if k == bottomUp || k == topDown {
		limit = 2 // a fit of a trial is short
	}
	fits := s.folds(s.searched)
	fit := s.expected(k, s.searched) / float64(fits) * float64(min(runtime.GOMAXPROCS(0), fits)) * limit
	part := (1 - 1.0/fitting.Folds) * float64(s.searched)
	if s.large() {
		part = float64(s.searched)
		o := s.options()
		columns := float64(o.candidates)
		if k == dense || k == cut {
			if columns = float64(o.dense); o.dense == mpcvm.AllCandidates {
				columns = float64(n)
			}
		}
		return fit * float64(n) * columns / (part * part)
	}
	return fit * math.Pow(float64(n)/part, growth)
}

// begin notes that a step begins.
func (s *journal) begin(k kind, what string, n int) {
	s.mu.Lock()
	s.present.kind, s.present.what, s.present.samples = k, what, n
	s.present.began, s.present.folds = time.Now(), 0
	s.steps[k] = max(s.steps[k], 1)
	s.mu.Unlock()
	s.report()
}

// finish notes that the present step has ended.
func (s *journal) finish() {
	s.mu.Lock()
	p := &s.present
	c := &s.cost[p.kind]
	if c.samples != p.samples {
		*c = cost{samples: p.samples}
	}
	c.trials++
	c.seconds += (time.Since(p.began).Seconds() - c.seconds) / float64(c.trials)
	s.done++
	s.steps[p.kind]--
	s.mu.Unlock()
	if p.kind == final {
		s.steps = [kinds]int{}
		s.report()
	}
}

// leave notes that there will be no more steps of a kind.
func (s *journal) leave(k kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[k] = 0
}

// report calls OnProgress.
func (s *journal) report() {
	if s.OnProgress == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Progress{Step: s.present.what, Done: s.done, Total: s.done, Elapsed: time.Since(s.start)}
	left := 0.0
	for k, n := range s.steps {
		p.Total += n
		samples := s.searched
		switch kind(k) {
		case dense:
			samples = min(samples, screened)
		case judge, final:
			samples = s.whole.N
		}
		left += float64(n) * s.expected(kind(k), samples)
	}
	if p.Total > p.Done {
		now := time.Since(s.present.began).Seconds()
		whole := s.expected(s.present.kind, s.present.samples)
		if f := s.present.folds; f > 0 { // which tell more
			first := whole
			whole = now / float64(f) * float64(s.folds(s.present.samples))
			left += whole - first
			if s.cost[dense].trials == 0 { // nothing else is known
				left = whole * float64(p.Total-p.Done)
			}
		}
		left -= min(now, whole)
	}
	p.Left = time.Duration(max(left, 0) * float64(time.Second))
	if !s.end.IsZero() {
		p.Left = max(min(p.Left, time.Until(s.end)), 0)
	}
	switch {
	case s.best != nil:
		p.Best = s.trials[s.best.trial]
	case s.fallback.model != nil && s.fallback.trial < len(s.trials):
		p.Best = s.trials[s.fallback.trial]
	}
	s.OnProgress(p)
}

// errBudget says that a step was not begun or was given up, because it would end too late.
var errBudget = errors.New("search: the budget does not suffice")

// enter begins a phase that must end when this share of the budget is spent, and when the rest
// is needed for the final fit.
func (s *journal) enter(share float64) {
	if s.end.IsZero() {
		return
	}
	reserve := min(1.2*s.expected(final, s.whole.N), 0.4*s.Budget.Seconds())
	budget := min(share*s.Budget.Seconds(), s.Budget.Seconds()-reserve)
	s.until = s.start.Add(time.Duration(budget * float64(time.Second)))
}

// over reports whether the budget is spent.
func (s *journal) over() bool { return !s.end.IsZero() && !time.Now().Before(s.end) }

// inTime reports whether a step would end in time. The first step may always begin.
func (s *journal) inTime(k kind, n int, until time.Time) bool {
	return s.end.IsZero() || s.fallback.model == nil ||
		time.Now().Add(time.Duration(s.expected(k, n)*float64(time.Second))).Before(until)
}

// within returns a context that ends with ctx, and at this time if there is a budget and a
// model, else as soon as there is one.
func (s *journal) within(ctx context.Context, until time.Time) (context.Context, func()) {
	if s.end.IsZero() {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(time.Until(until), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.overdue = cancel; s.fallback.model != nil {
			cancel()
		}
	})
	return ctx, func() {
		timer.Stop()
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.overdue = nil
	}
}
