package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Progress is how far a fit of Auto has come; see Auto.OnProgress.
type Progress struct {
	// Step says what is going on: the learner and the kernel of a trial, or the final fit.
	Step string
	// Done is the number of complete steps: trials, and the final fit. Total is how many there
	// will be in all, as far as is known.
	Done, Total int
	// Elapsed is the time since the start.
	Elapsed time.Duration
	// Best is the best trial so far. Its Kernel is nil before the first trial ends.
	Best mpcvm.Trial
}

// String is like "7 of about 22".
func (p Progress) String() string {
	if p.Done == p.Total {
		return fmt.Sprintf("%d of %d", p.Done, p.Total)
	}
	return fmt.Sprintf("%d of about %d", p.Done, p.Total)
}

// clock is where a search reads the time. Tests replace it.
var clock = struct {
	now   func() time.Time
	after func(d time.Duration, f func()) (stop func() bool)
}{time.Now, func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }}

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
	none // the frequencies of the classes, which take no time
	kinds
)

// schedule counts and times the steps of a fit.
type schedule struct {
	start, end time.Time // end: of the budget; zero: none
	until      time.Time // end of the present phase, if there is a budget
	done       int       // steps
	steps      [kinds]int
	ended      [kinds]step // the last one of each kind
	present    step
}

// step is a step of a fit.
type step struct {
	kind    kind
	what    string
	samples int
	began   time.Time
	took    time.Duration
}

// begin notes that a step begins.
func (s *journal) begin(k kind, what string, n int) {
	s.mu.Lock()
	s.present = step{kind: k, what: what, samples: n, began: clock.now()}
	s.steps[k] = max(s.steps[k], 1)
	s.mu.Unlock()
	s.report()
}

// finish notes that the present step has ended.
func (s *journal) finish() {
	s.mu.Lock()
	p := s.present
	p.took = clock.now().Sub(p.began)
	s.ended[p.kind] = p
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
	s.telling.Lock()
	defer s.telling.Unlock()
	s.OnProgress(s.progress())
}

func (s *journal) progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Progress{Step: s.present.what, Done: s.done, Total: s.done, Elapsed: clock.now().Sub(s.start)}
	for _, n := range s.steps {
		p.Total += n
	}
	switch {
	case s.best != nil:
		p.Best = s.trials[s.best.trial]
	case s.fallback.model != nil && s.fallback.trial < len(s.trials):
		p.Best = s.trials[s.fallback.trial]
	}
	return p
}

// errBudget says that a step was not begun or was given up, because it would end too late.
var errBudget = errors.New("search: the budget does not suffice")

// reserved is the largest share of the budget that is kept for the final fit.
const reserved = 0.4

// enter begins a phase that must end when this share of the budget is spent, and when the rest
// is needed for the final fit: twice the time of the last step of the best kind. It is not known
// before there is one, and with many samples.
func (s *journal) enter(share float64) {
	if s.end.IsZero() {
		return
	}
	reserve := time.Duration(reserved * float64(s.Budget))
	if s.best != nil && !s.large() {
		reserve = min(reserve, 2*s.ended[s.best.kind].took)
	}
	s.until = s.start.Add(min(time.Duration(share*float64(s.Budget)), s.Budget-reserve))
}

// over reports whether the budget is spent.
func (s *journal) over() bool { return !s.end.IsZero() && !clock.now().Before(s.end) }

// inTime reports whether a step with n samples may begin. The first step may always begin; others
// may if one that takes as long as the last step of the same kind would end in time.
func (s *journal) inTime(k kind, n int, until time.Time) bool {
	if s.end.IsZero() || s.fallback.model == nil {
		return true
	}
	now := clock.now()
	if last := s.ended[k]; last.samples == n {
		now = now.Add(last.took)
	}
	return now.Before(until)
}

// within returns a context that ends with ctx, and at this time if there is a budget and a
// model, else as soon as there is one.
func (s *journal) within(ctx context.Context, until time.Time) (context.Context, func()) {
	if s.end.IsZero() {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	late := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.overdue = cancel; s.fallback.model != nil {
			cancel()
		}
	}
	stop := func() bool { return true }
	if left := until.Sub(clock.now()); left > 0 {
		stop = clock.after(left, late)
	} else {
		late()
	}
	return ctx, func() {
		stop()
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.overdue = nil
	}
}
