package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Trace is the course of one fit.
type Trace struct {
	Name  string       // such as "mPCVM₁"; shown in the legend
	Steps []mpcvm.Step // Result.Trace
}

// ConvergenceOptions are the choices of ConvergenceWith. The zero value is that of
// Convergence.
type ConvergenceOptions struct {
	// Title of the chart. The default is "Convergence".
	Title string
	// Gap shows, on a log axis, by how many nats the objective is below the best of its
	// trace, instead of objective and log-likelihood. It shows the rate of convergence,
	// and is the only way to compare learners whose objectives differ.
	Gap bool
	// LogX makes the axis of iterations logarithmic.
	LogX bool
}

// Convergence draws the objective and the log-likelihood (nats) over the
// iterations of one fit or several, and the non-zero weights below. Each fit has the colour
// of its system (SystemColor).
func Convergence(traces ...Trace) Chart { return ConvergenceWith(traces, ConvergenceOptions{}) }

// ConvergenceWith is Convergence with other choices.
func ConvergenceWith(traces []Trace, opt ConvergenceOptions) Chart {
	f := &figure{title: cmp.Or(plain(opt.Title), "Convergence"), keyWidth: 25}
	var told []string
	spans := []*span{newSpan(), newSpan()} // of the panels
	last := 1
	add := func(name string, t Trace, l line, value func(*mpcvm.Step) float64) {
		l.name, l.z = cmp.Or(t.Name, name), 2
		if len(traces) == 1 {
			l.name = strings.TrimSpace(t.Name + " " + name)
		}
		l.tip = []string{"{marker}{series}: *{1}*"}
		if len(traces) > 1 && t.Name != "" {
			l.tip = []string{"{marker}{series} " + name + ": *{1}*"}
		}
		l.steps = l.panel == 1
		if len(t.Steps) < 12 {
			l.marker, l.size = classShape(0), 5
		}
		for i := range t.Steps {
			v := rounded(value(&t.Steps[i]), 7)
			l.rows = append(l.rows, row{float64(t.Steps[i].Iteration), v})
			spans[l.panel].add(v)
		}
		f.add(&l)
		if l.panel == 0 && !slices.Contains(f.legend, l.name) {
			f.legend = append(f.legend, l.name)
		}
	}
	names := make([]string, len(traces))
	for i, t := range traces {
		names[i] = t.Name
	}
	looks := looksOf(names)
	for i, t := range traces {
		t.Name = plain(t.Name)
		color := looks[i].color
		solid := line{color: color, width: 2}
		if opt.Gap {
			best := math.Inf(-1)
			for _, s := range t.Steps {
				best = math.Max(best, s.Objective)
			}
			add("objective", t, solid, func(s *mpcvm.Step) float64 { return onAxis(best-s.Objective, true) })
		} else {
			add("objective", t, solid, func(s *mpcvm.Step) float64 { return s.Objective })
			add("log-likelihood", t, line{color: color, width: 1.5, dashed: true}, func(s *mpcvm.Step) float64 { return s.LogLik })
		}
		solid.panel = 1
		add("weights", t, solid, func(s *mpcvm.Step) float64 { return float64(s.NonZero()) })
		if n := len(t.Steps); n > 0 {
			end := &t.Steps[n-1]
			last = max(last, end.Iteration)
			told = append(told, joinedBy(t.Name, ": ", fmt.Sprintf("%s, objective %s, %s", plural(end.Iteration, "iteration"), nats(end.Objective), plural(end.NonZero(), "weight"))))
		}
	}
	f.subtitle = strings.Join(told, " · ")
	if len(traces) > 1 && !opt.Gap {
		dashed := &line{base: base{name: "dashed: log-likelihood"}, color: faintInk, width: 1.5, dashed: true}
		f.legend = append(f.legend, dashed.name)
		f.add(dashed)
	}

	y, w := spans[0].linear("objective, log-likelihood (nats)", 5), weightsAxis(*spans[1])
	if opt.Gap {
		y = spans[0].powers("gap to best objective (nats)")
	}
	x := iterations(last, opt.LogX)
	above := x
	above.name, above.noLabels = "", true
	f.panels = []panel{{x: above, y: y, share: 2}, {x: x, y: w, share: 1, gap: 28}}
	f.tip.trigger, f.tip.head = "axis", "iteration {0}"
	f.tip.linked = true
	return f.chart(joinedBy("Line chart of the convergence of a fit", ": ", f.subtitle)+".", 480)
}

// iterations is the axis of iterations.
func iterations(last int, log bool) axis {
	if log {
		return logAxis("iteration", 0, math.Log10(float64(max(last, 2))), []float64{1}, 308)
	}
	_, hi, step := niceRange(0, float64(max(last, 2)), 8)
	return valueAxis("iteration", 0, hi, math.Max(step, 1))
}

// weightsAxis is an axis that counts weights from zero, or a log axis when a fit removes
// so many that the rest would not be seen.
func weightsAxis(s span) axis {
	const name = "non-zero weights"
	if s.lo >= 1 && s.hi > 20*s.lo {
		return s.powers(name)
	}
	return span{lo: 0, hi: math.Max(s.hi, 3)}.linear(name, 3)
}
