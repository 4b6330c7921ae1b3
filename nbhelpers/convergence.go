package nbhelpers

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Trace is the course of one fit.
type Trace struct {
	Name  string       // such as "mPCVM₁"; shown in the legend
	Steps []mpcvm.Step // Result.Trace
}

// ConvergenceOptions are the choices of ConvergenceWith; the zero value is that
// of Convergence.
type ConvergenceOptions struct {
	// Title; the default is "Convergence".
	Title string
	// Gap shows, on a log axis, by how many nats the objective is below the best
	// of its trace, instead of objective and log-likelihood: the rate of
	// convergence, and the only way to compare learners whose objectives differ.
	Gap bool
	// LogX makes the axis of iterations logarithmic.
	LogX bool
}

// Convergence draws the objective and the log-likelihood (nats) over the
// iterations of one fit or several, and the non-zero weights below.
func Convergence(traces ...Trace) Chart { return ConvergenceWith(ConvergenceOptions{}, traces...) }

// ConvergenceWith is Convergence with other choices.
func ConvergenceWith(opt ConvergenceOptions, traces ...Trace) Chart {
	const height, split, below = 480, 204, 112 // heights of chart, upper and lower grid
	line := charts.NewLine()
	var legend, told []string
	upper, lower := newSpan(), newSpan()
	last := 1
	add := func(name string, steps []mpcvm.Step, style opts.LineStyle, panel int, value func(*mpcvm.Step) float64) {
		data := make([]any, len(steps))
		for i := range steps {
			v := value(&steps[i])
			data[i] = []any{steps[i].Iteration, rounded(v, 7)}
			[]*span{upper, lower}[panel].add(v)
		}
		lineOpts := opts.LineChart{XAxisIndex: panel, YAxisIndex: panel, ShowSymbol: opts.Bool(len(steps) < 12), Symbol: "none"}
		if len(steps) < 12 {
			lineOpts.Symbol, lineOpts.SymbolSize = "circle", 5
		}
		if panel == 1 {
			lineOpts.Step = "end"
		}
		line.AddSeries(name, nil, withData(data), charts.WithLineChartOpts(lineOpts), charts.WithLineStyleOpts(style),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: style.Color}))
	}
	for i, t := range traces {
		t.Name = plain(t.Name)
		color := ClassColor(i)
		solid := opts.LineStyle{Color: color, Width: 2}
		dashed := opts.LineStyle{Color: color, Width: 1.5, Type: "dashed"}
		name := strings.TrimSpace(t.Name + " objective")
		if opt.Gap {
			best := math.Inf(-1)
			for k := range t.Steps {
				best = math.Max(best, t.Steps[k].Objective)
			}
			add(name, t.Steps, solid, 0, func(s *mpcvm.Step) float64 { return positive(best - s.Objective) })
			legend = append(legend, name)
		} else {
			likelihood := strings.TrimSpace(t.Name + " log-likelihood")
			add(name, t.Steps, solid, 0, func(s *mpcvm.Step) float64 { return s.Objective })
			add(likelihood, t.Steps, dashed, 0, func(s *mpcvm.Step) float64 { return s.LogLik })
			legend = append(legend, name, likelihood)
		}
		add(strings.TrimSpace(t.Name+" weights"), t.Steps, solid, 1, func(s *mpcvm.Step) float64 { return float64(s.NonZero()) })
		if n := len(t.Steps); n > 0 {
			end := &t.Steps[n-1]
			last = max(last, end.Iteration)
			told = append(told, strings.TrimSpace(fmt.Sprintf("%s %s, objective %s, %s", t.Name, plural(end.Iteration, "iteration"), nats(end.Objective), plural(end.NonZero(), "weight"))))
		}
	}
	title := plain(opt.Title)
	if title == "" {
		title = "Convergence"
	}
	subtitle := strings.Join(told, "  ·  ")
	line.SetGlobalOptions(titled(title, subtitle), legendAbove(legend, 25))

	o := finish(line, func(o node) {
		name := "objective, log-likelihood (nats)"
		var y node
		var wide float64
		if opt.Gap {
			name = "gap to best objective (nats)"
			y, wide = upper.logAxis(name)
		} else {
			y, wide = upper.linearAxis(name, 5)
		}
		w, wideBelow := lower.weightsAxis()
		wide = math.Max(wide, wideBelow)
		y["nameGap"], w["nameGap"] = wide+14, wide+14
		w["gridIndex"] = 1
		left := wide + 36
		o["grid"] = []any{
			grid(left, plotTop, 22, height-plotTop-split),
			grid(left, height-plotBottom-below, 22, plotBottom),
		}
		above, iterations := iterationAxis(last, opt.LogX), iterationAxis(last, opt.LogX)
		above["name"] = ""
		at(above, "axisLabel").(node)["show"] = false
		iterations["gridIndex"] = 1
		o["xAxis"], o["yAxis"] = []any{above, iterations}, []any{y, w}
		o["axisPointer"] = node{"link": []any{node{"xAxisIndex": "all"}}}
		o["tooltip"] = tooltip("axis", `p=[].concat(p);return p.length?"iteration "+p[0].value[0]+p.map(function(s){return "<br>"+s.marker+e(s.seriesName)+": <b>"+n(s.value[1])+"</b>"}).join(""):""`, nil)
	})
	alt := "Line chart of the convergence of a fit"
	if subtitle != "" {
		alt += ": " + subtitle
	}
	return newChart(o, alt+".", height)
}

// positive returns v, or NaN where a log axis has no place for it.
func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return math.NaN()
}

func iterationAxis(last int, log bool) node {
	if log {
		a := axisNode("log", "iteration", 30)
		a["min"], a["max"] = 1, max(last, 2)
		powers := []float64{1}
		for p := 10.0; p <= float64(last); p *= 10 {
			powers = append(powers, p)
		}
		return only(a, powers)
	}
	_, hi, step := niceRange(0, float64(max(last, 2)), 8)
	return spanned(axisNode("value", "iteration", 30), 0, hi, math.Max(step, 1))
}

// span is the range of finite values seen.
type span struct{ lo, hi float64 }

func newSpan() *span { return &span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(v float64) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
	}
}

// linearAxis and logAxis return an axis over the span, and the width of its
// labels in pixels.
func (s *span) linearAxis(name string, n int) (node, float64) {
	if s.lo > s.hi {
		s.lo, s.hi = 0, 1
	}
	lo, hi, step := niceRange(s.lo, s.hi, n)
	return spanned(axisNode("value", name, 0), lo, hi, step), labelsWidth(lo, hi, step)
}

func (s *span) logAxis(name string) (node, float64) {
	if s.lo > s.hi {
		s.lo, s.hi = 1, 10
	}
	lo, hi := math.Floor(math.Log10(s.lo)), math.Ceil(math.Log10(s.hi))
	if lo == hi {
		hi++
	}
	a := axisNode("log", name, 0)
	a["min"], a["max"] = math.Pow(10, lo), math.Pow(10, hi)
	return a, math.Max(textWidth(fmt.Sprint(a["min"]), 12), textWidth(fmt.Sprint(a["max"]), 12))
}

// weightsAxis counts weights from zero, or on a log axis when a fit sheds so many
// that the rest would not be seen.
func (s *span) weightsAxis() (node, float64) {
	const name = "non-zero weights"
	if s.lo >= 1 && s.hi > 20*s.lo {
		return s.logAxis(name)
	}
	s.lo = 0
	s.hi = math.Max(s.hi, 3)
	return s.linearAxis(name, 3)
}
