package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Trace is the trace of one fit.
type Trace struct {
	Name  string       // such as "mPCVM₁"; shown in the legend
	Steps []mpcvm.Step // Result.Trace
}

// ConvergenceOptions are the options of ConvergenceWith. The zero value gives the same chart as
// Convergence.
type ConvergenceOptions struct {
	// LogX makes the axis of iterations logarithmic.
	LogX bool
}

// Convergence draws the objective and the log-likelihood (nats) over the iterations of one or more
// fits, and the number of non-zero weights below. Each fit has the colour of its system.
func Convergence(traces ...Trace) Chart { return ConvergenceWith(traces, ConvergenceOptions{}) }

// ConvergenceWith is Convergence with options.
func ConvergenceWith(traces []Trace, opt ConvergenceOptions) Chart {
	f := &chart.Figure{Title: "Convergence", KeyWidth: 25}
	var told []string
	spans := []*chart.Span{chart.NewSpan(), chart.NewSpan()} // y ranges of the panels
	last := 1
	add := func(name string, t Trace, l chart.Line, value func(*mpcvm.Step) float64) {
		l.Name, l.Z = cmp.Or(t.Name, name), 2
		if len(traces) == 1 {
			l.Name = strings.TrimSpace(t.Name + " " + name)
		}
		l.Tip = []string{"{marker}{series}: *{1}*"}
		if len(traces) > 1 && t.Name != "" {
			l.Tip = []string{"{marker}{series} " + name + ": *{1}*"}
		}
		l.Steps = l.Panel == 1
		if len(t.Steps) < 12 {
			l.Marker, l.Size = chart.ClassShape(0), 5
		}
		for i := range t.Steps {
			v := chart.Rounded(value(&t.Steps[i]), 7)
			l.Rows = append(l.Rows, chart.Row{float64(t.Steps[i].Iteration), v})
			spans[l.Panel].Add(v)
		}
		f.Add(&l)
		if l.Panel == 0 && !slices.Contains(f.Legend, l.Name) {
			f.Legend = append(f.Legend, l.Name)
		}
	}
	names := make([]string, len(traces))
	for i, t := range traces {
		names[i] = t.Name
	}
	looks := chart.LooksOf(names)
	for i, t := range traces {
		t.Name = chart.Plain(t.Name)
		color := looks[i].Color
		solid := chart.Line{Color: color, Width: 2}
		add("objective", t, solid, func(s *mpcvm.Step) float64 { return s.Objective })
		add("log-likelihood", t, chart.Line{Color: color, Width: 1.5, Dashed: true},
			func(s *mpcvm.Step) float64 { return s.LogLik })
		solid.Panel = 1
		add("weights", t, solid, func(s *mpcvm.Step) float64 { return float64(s.NonZero()) })
		if n := len(t.Steps); n > 0 {
			end := &t.Steps[n-1]
			last = max(last, end.Iteration)
			told = append(told, chart.JoinedBy(t.Name, ": ",
				fmt.Sprintf("%s, objective %s, %s", words.CountOf(end.Iteration, "iteration"),
					chart.Nats(end.Objective), words.CountOf(end.NonZero(), "weight"))))
		}
	}
	f.Subtitle = strings.Join(told, " · ")
	if len(traces) > 1 {
		dashed := &chart.Line{Base: chart.Base{Name: "dashed: log-likelihood"}, Color: chart.FaintInk,
			Width: 1.5, Dashed: true}
		f.Legend = append(f.Legend, dashed.Name)
		f.Add(dashed)
	}

	x := iterations(last, opt.LogX)
	f.Panels = []chart.Panel{{X: x.Inner(), Y: spans[0].Linear("objective, log-likelihood (nats)", 5), Share: 2},
		{X: x, Y: weightsAxis(*spans[1]), Share: 1, Gap: 28}}
	f.Tip.Trigger, f.Tip.Head = "axis", "iteration {0}"
	f.Tip.Linked = true
	return f.Chart(chart.JoinedBy("Line chart of the convergence of a fit", ": ", f.Subtitle)+".", 480)
}

// iterations returns the axis of iterations.
func iterations(last int, log bool) chart.Axis {
	if log {
		return chart.LogAxis("iteration", 0, math.Log10(float64(max(last, 2))), []float64{1}, 308)
	}
	_, hi, step := chart.NiceRange(0, float64(max(last, 2)), 8)
	return chart.ValueAxis("iteration", 0, hi, math.Max(step, 1))
}

// weightsAxis returns an axis for a number of weights: linear from zero, or logarithmic if a fit
// removes so many weights that the rest would not be visible.
func weightsAxis(s chart.Span) chart.Axis {
	const name = "non-zero weights"
	if s.Lo >= 1 && s.Hi > 20*s.Lo {
		return s.Powers(name)
	}
	return chart.Span{Lo: 0, Hi: math.Max(s.Hi, 3)}.Linear(name, 3)
}
