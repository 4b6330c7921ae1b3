package nbhelpers

import (
	"fmt"
	"html"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Progress shows the progress of a running fit. Pass its Observe to the learner and the Result to
// Done:
//
//	progress := nbhelpers.NewProgress("mPCVM₂")
//	model, result, err := learner.Fit(ctx, mpcvm.Samples{X: x, T: t}, progress.Observe)
//	progress.Done(result)
//
// In a notebook it updates a line with a bar, at most four times a second. On a terminal it updates
// a line on standard error; elsewhere it writes a line to standard error at most every five seconds.
// Use a new Progress for each fit. It is safe for concurrent use.
type Progress struct {
	name     string
	w        io.Writer
	notebook bool
	terminal bool
	now      func() time.Time
	show     func(id, html string) // provided by the host

	mu      sync.Mutex
	id      string
	start   time.Time
	shown   time.Time // when the line was last shown
	started bool      // whether a step was observed
	limit   int       // on the iterations, from the latest step
	done    bool
}

// The shortest times between updates.
const (
	lineEvery  = 250 * time.Millisecond // in a notebook or on a terminal
	plainEvery = 5 * time.Second
)

// NewProgress returns a Progress for a fit with the given name.
func NewProgress(name string) *Progress {
	chart.Here.Alive() // so that a fit ends when the kernel is gone
	p := &Progress{name: name, w: os.Stderr, notebook: chart.Here.Notebook(),
		terminal: progress.Terminal(os.Stderr), now: time.Now, show: chart.Here.Update}
	p.start = p.now()
	return p
}

// Observe records a step; it is an mpcvm.Observer.
func (p *Progress) Observe(s *mpcvm.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	now := p.now()
	if !p.started {
		p.started, p.start = true, now.Add(-s.Elapsed)
		if !p.terminal && !p.notebook {
			p.shown = p.start // no plain lines for a short fit
		}
	}
	p.limit = s.Limit()
	every := plainEvery
	if p.notebook || p.terminal {
		every = lineEvery
	}
	if now.Sub(p.shown) < every {
		return
	}
	p.shown = now
	of := fmt.Sprintf("iteration %d", s.Iteration)
	if p.limit > 0 {
		of = fmt.Sprintf("%d/%d", s.Iteration, p.limit)
	}
	facts := fmt.Sprintf("objective %s, %s", chart.Nats(s.Objective), words.CountOf(s.NonZero(), "weight"))
	times := chart.Clock(now.Sub(p.start))
	if left, ok := remaining(now.Sub(p.start), s.Iteration, p.limit); ok {
		times += ", " + chart.Clock(left) + " left at most"
	}
	p.print(reached(s.Iteration, p.limit), barColor, of, facts, times)
}

// print shows a line of facts: in the notebook and on a terminal instead of the last one.
func (p *Progress) print(share float64, colour string, facts ...string) {
	switch {
	case p.notebook:
		p.update(share, colour, strings.Join(facts, " · "))
	case p.terminal && p.done:
		fmt.Fprintf(p.w, "\r\x1b[K%s: %s\n", p.name, facts[0])
	case p.terminal:
		fmt.Fprintf(p.w, "\r\x1b[K%s %s %s", p.name, progress.Bar(share, 20), strings.Join(facts, "  "))
	default:
		fmt.Fprintf(p.w, "%s: %s\n", p.name, strings.Join(facts, ", "))
	}
}

// remaining estimates the time until the limit on iterations. A fit that converges ends earlier.
func remaining(elapsed time.Duration, iteration, limit int) (time.Duration, bool) {
	if iteration <= 0 || limit < iteration {
		return 0, false
	}
	return time.Duration(float64(elapsed) / float64(iteration) * float64(limit-iteration)), true
}

// reached is the share of the iterations done, or 0 if the limit is not known.
func reached(iteration, limit int) float64 {
	if limit <= 0 {
		return 0
	}
	return min(float64(iteration)/float64(limit), 1)
}

// Done shows how the fit ended. Later calls and later steps do nothing.
func (p *Progress) Done(r mpcvm.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	p.done = true
	weights := ""
	if n := len(r.Trace); n > 0 {
		weights = ", " + words.CountOf(r.Trace[n-1].NonZero(), "weight")
	}
	status, share, colour := r.Status.String(), 1.0, barColor
	if r.Status.Early() && r.Status != mpcvm.IterationLimit || r.Status == mpcvm.Diverged {
		share, colour = reached(r.Iterations, p.limit), brokenColor
	}
	if r.Status == mpcvm.Cancelled {
		status = "stopped"
	}
	facts := fmt.Sprintf("%s after %s, %s: objective %s%s", status, words.CountOf(r.Iterations, "iteration"),
		chart.Clock(time.Duration(r.Seconds*float64(time.Second))), chart.Nats(r.Objective), weights)
	if p.print(share, colour, facts); p.notebook {
		chart.Here.Sync()
	}
}

// The colours of the bar suit light and dark themes. No class has one of these colours.
const (
	barColor    = "#3b7dd8"
	brokenColor = "#b8860b" // for a fit that was stopped early
)

// update shows the line of a notebook in the output of the fit.
func (p *Progress) update(share float64, colour, facts string) {
	if p.id == "" {
		p.id = "mpcvm-progress-" + chart.Here.Unique()
	}
	name := html.EscapeString(p.name)
	p.show(p.id, fmt.Sprintf(`<div style="display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center;`+
		`font:13px/1.5 system-ui,Helvetica,Arial,sans-serif;font-variant-numeric:tabular-nums"><b>%s</b>`+
		`<span role="progressbar" aria-label="%[1]s" aria-valuemin="0" aria-valuemax="100" `+
		`aria-valuenow="%.0[2]f" style="display:inline-block;width:160px;height:8px;border-radius:4px;`+
		`background:rgba(128,128,128,.3)">`+
		`<span style="display:block;width:%.1[2]f%%;height:8px;border-radius:4px;background:%[3]s"></span></span>`+
		`<span>%[4]s</span></div>`, name, 100*share, colour, html.EscapeString(facts)))
}
