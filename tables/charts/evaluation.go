package charts

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/table"
)

// bestShape is the symbol of the best system, a star.
const bestShape = 6

// Comparison draws a cross-validated score of each system, plus and minus one standard error, in the order of
// the results and in the system's colour. The best system (eval.Comparison.Best) is a star. Systems that may
// be equally good (eval.Contrast.Noise) are hollow dots, all others are small dots. Systems without a value
// are left blank. If only one system has a value, it is a small dot and the legend is omitted.
func Comparison(r *eval.Comparison, of eval.Metric) nbhelpers.Chart {
	name, unit := []string{"error (%)", "log loss (nats)", "AUC"}[of], 1.
	if of == eval.Error {
		unit = 100
	}
	f := &chart.Figure{Title: fmt.Sprintf("Systems on %s",
		chart.JoinedBy(chart.Plain(r.Table), ", ", chart.Plain(r.Target))),
		Subtitle: fmt.Sprintf("%d-fold cross-validation, %s · line: standard error", r.K,
			words.CountOf(r.Repeats, "run"))}
	names := make([]string, len(r.Systems))
	for s, m := range r.Systems {
		names[s] = chart.Plain(m.System)
	}
	best := r.Best(of)
	reach, told := chart.NewSpan(), ""
	lines := &chart.Sketch{Base: chart.Base{Z: 2, Silent: true}}
	looks := chart.LooksOf(names)
	groups := []chart.Dots{ // the legend shows each group of dots
		{Base: chart.Base{Name: "best", Z: 3}, Color: chart.Ink, Marker: chart.ClassShape(bestShape),
			Size: chart.SymbolSize(bestShape, 13)},
		{Base: chart.Base{Name: "may be as good", Z: 3}, Color: "#ffffff", Rim: chart.Ink, RimWide: 2,
			Marker: chart.ClassShape(0), Size: 10},
		{Base: chart.Base{Name: "worse", Z: 3}, Color: chart.Ink, Marker: chart.ClassShape(0), Size: 7},
	}
	var points []chart.Mark
	for s, m := range r.Systems {
		v := m.Score(of)
		if math.IsNaN(v.Value) {
			continue
		}
		at, se := unit*v.Value, unit*v.SE
		if math.IsNaN(se) {
			se = 0
		}
		low := math.Max(at-se, 0)
		reach.Add(low, at+se)
		one := groups[2]
		switch {
		case best < 0:
		case s == best:
			one = groups[0]
		case eval.Difference(m, r.Systems[best], of).Noise():
			one = groups[1]
		}
		if one.Color, one.Rim = looks[s].Color, ""; one.RimWide > 0 {
			one.Color, one.Rim = "#ffffff", looks[s].Color
		}
		one.Rows, one.Tip = []chart.Row{{chart.Rounded(at, 5), float64(s), chart.Rounded(se, 3)}},
			[]string{"{1 in names}", name + " *{0}* ± {2}"}
		points = append(points, &one)
		lines.Strokes = append(lines.Strokes, chart.Stroke{At: []chart.Point{{low, float64(s)},
			{at + se, float64(s)}}, Color: chart.AxisInk, Width: 2})
		told = chart.JoinedBy(told, ", ", fmt.Sprintf("%s %s", names[s], chart.Nats(at)))
	}
	f.Add(lines)
	for i := range groups {
		if best >= 0 {
			f.Legend = append(f.Legend, groups[i].Name)
			f.Add(&groups[i])
		}
	}
	f.Add(points...)
	f.Rows(names, reach.FromZero(name, 6), 26, 0)
	f.Panels[0].Y.Split = true
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": names}
	return f.Chart(chart.JoinedBy(fmt.Sprintf("%s, %s", f.Title, name), ": ", told)+".", 0)
}

// mostImportances is the maximum number of columns that Permutation shows.
const mostImportances = 40

// Permutation draws the permutation importance of columns, for example the result of eval.Matrix.Importance.
// A bar is the mean increase of the log loss when the cells of the column are shuffled, with a line of one
// standard deviation over folds and permutations to each side. Without a log loss, it is the increase of the
// error in percentage points. At most 40 columns are shown, in the given order.
func Permutation(list []eval.Importance) nbhelpers.Chart {
	f := &chart.Figure{Title: "Importance of columns"}
	hard := len(list) > 0 && math.IsNaN(list[0].LogLoss.Mean) // the systems have no probabilities
	name, unit := "increase of the log loss (nats)", 1.
	if hard {
		name, unit = "increase of the error (percentage points)", 100
	}
	runs := 0
	if len(list) > 0 {
		runs = len(list[0].Err.Values)
	}
	f.Subtitle = fmt.Sprintf("effect of shuffling the column · line: standard deviation of %d runs", runs)
	if n := len(list); n > mostImportances {
		list = list[:mostImportances]
		f.Subtitle = fmt.Sprintf("the first %d of %d columns · ", mostImportances, n) + f.Subtitle
	}
	reach := chart.NewSpan()
	names, told := make([]string, len(list)), ""
	tip := []string{"{0 in names}", name, "*{2}*, standard deviation {3}"}
	up := chart.NewBars("worse", nbhelpers.ClassColor(0), .66, tip...)
	down := chart.NewBars("better", nbhelpers.ClassColor(4), .66, tip...)
	spread := &chart.Sketch{Base: chart.Base{Z: 3, Silent: true}}
	for r, column := range list {
		s := column.LogLoss
		if hard {
			s = column.Err
		}
		names[r] = chart.Plain(column.Column)
		mean, sd := unit*s.Mean, unit*s.SD
		if math.IsNaN(sd) {
			sd = 0
		}
		if math.IsNaN(mean) {
			continue
		}
		reach.Add(mean-sd, mean+sd)
		side := up
		if mean < 0 {
			side = down
		}
		side.Rows = append(side.Rows, chart.Row{float64(r), 0, chart.Rounded(mean, 5), chart.Rounded(sd, 4)})
		y := float64(r)
		spread.Strokes = append(spread.Strokes,
			chart.Stroke{At: []chart.Point{{mean - sd, y}, {mean + sd, y}}, Color: chart.Ink, Width: 1.5})
		if r < 5 {
			told = chart.JoinedBy(told, ", ", fmt.Sprintf("%s %s", names[r], chart.Nats(mean)))
		}
	}
	f.Add(up, down, spread, chart.Baseline(0))
	f.Rows(names, reach.FromZero(name, 6), 24, 0)
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": names}
	return f.Chart(chart.JoinedBy(fmt.Sprintf("Bar chart, %s: %s, %s", f.Title,
		words.CountOf(len(names), "column"), name), ": ", told)+".", 0)
}

// Dependence draws how the class probabilities depend on a column, as returned by eval.PartialDependence.
// Numbers are on the x axis, with ticks at the bottom that mark the cells of the column; dates are shown in
// years. For a category or a boolean, each level is a row.
func Dependence(d *eval.Dependence) nbhelpers.Chart {
	defer chart.Readable()
	column := chart.Plain(d.Column)
	title := "Dependence on " + column
	const mean = "mean probability if all rows had the value"
	if d.Levels != nil {
		return levels(d, title, mean)
	}
	unit := func(v float64) float64 { return v }
	if d.Kind == table.Date {
		const year = 365.2425 * 86400
		unit = func(v float64) float64 { return 1970 + v/year }
		column = chart.JoinedBy(column, " ", "(year)")
	}
	x := make([]float64, len(d.Values))
	for g, v := range d.Values {
		x[g] = unit(v)
	}
	colors := chart.PaletteOf(d.Classes)
	var series []nbhelpers.Series
	for c := range d.Classes {
		series = append(series, nbhelpers.Series{Name: chart.Plain(d.Classes[c]), X: x,
			Y: mat.Col(nil, c, d.Mean), Color: colors.Hex(c), Dots: len(x) < 8})
	}
	c := nbhelpers.Lines(series, nbhelpers.LinesOptions{Title: title, Subtitle: mean, XName: column,
		YName: "probability", YRange: [2]float64{0, 1}})
	under := &chart.Sketch{Base: chart.Base{Z: 1, Clip: true, Silent: true}}
	const most = 200 // maximum number of ticks
	for i := 0; i < len(d.Cells); i += 1 + len(d.Cells)/most {
		v := unit(d.Cells[i])
		under.Strokes = append(under.Strokes,
			chart.Stroke{At: []chart.Point{{v, 0}, {v, .025}}, Color: chart.AxisInk, Width: 1})
	}
	chart.FigureOf(c).Add(under)
	return c
}

func levels(d *eval.Dependence, title, mean string) nbhelpers.Chart {
	names := chart.PlainAll(d.Levels)
	count := make([]int, len(names))
	for _, code := range d.Cells {
		count[int(code)]++
	}
	for g, n := range count {
		names[g] = fmt.Sprintf("%s (%d)", names[g], n)
	}
	f := &chart.Figure{Title: title, Subtitle: mean + " · in brackets: number of rows"}
	colors := chart.PaletteOf(d.Classes)
	for c := range d.Classes {
		marks := &chart.Dots{Base: chart.Base{Name: chart.Plain(d.Classes[c]), Z: 3,
			Tip: []string{"{1 in names}", "{marker}{series} *{0}*"}}, Color: colors.Hex(c),
			Marker: chart.ClassShape(c), Size: chart.SymbolSize(c, 11), Opacity: .9}
		for g := range names {
			marks.Rows = append(marks.Rows, chart.Row{chart.Rounded(d.Mean.At(g, c), 4), float64(g)})
		}
		f.Legend = append(f.Legend, marks.Name)
		f.Add(marks)
	}
	f.Rows(names, chart.ValueAxis("probability", 0, 1, .2), 30, 0)
	f.Panels[0].Y.Split = true
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": names}
	return f.Chart(fmt.Sprintf("Chart, %s: mean probabilities of %s for %s.", title,
		fmt.Sprint(len(d.Classes))+" classes", words.CountOf(len(names), "level")), 0)
}

// Costs draws the mean cost per row of a two-class problem as a function of the threshold from which class 1
// is predicted. p contains N×2 probabilities, t the N labels, and costs is a 2×2 matrix as in
// [eval.Matrix.Cost]. Rules mark the lowest cost and the threshold 0.5. If the probabilities are calibrated,
// the cost is lowest near the threshold (c01 − c00)/(c01 − c00 + c10 − c11). Costs panics if the shapes do not
// match.
func Costs(p mat.Matrix, t []int, costs mat.Matrix) nbhelpers.Chart {
	defer chart.Readable()
	n, c := p.Dims()
	if rows, columns := costs.Dims(); n != len(t) || n == 0 || c != 2 || rows != 2 || columns != 2 {
		fault("Costs", "%d×%d probabilities and %d×%d costs for %d labels of two classes", n, c, rows, columns,
			len(t))
	}
	const steps = 100
	s, best := nbhelpers.Series{X: make([]float64, steps+1), Y: make([]float64, steps+1)}, 0
	for k := range s.X {
		s.X[k] = float64(k) / steps
		for i, label := range t {
			decision := 0
			if p.At(i, 1) >= s.X[k] {
				decision = 1
			}
			s.Y[k] += costs.At(label, decision) / float64(n)
		}
		if s.Y[k] < s.Y[best] {
			best = k
		}
	}
	return nbhelpers.Lines([]nbhelpers.Series{s}, nbhelpers.LinesOptions{Title: "Cost of decisions",
		Subtitle: fmt.Sprintf("lowest: %s at the threshold %.2f", chart.Nats(s.Y[best]), s.X[best]),
		XName:    "threshold on the probability", YName: "mean cost per row", XRange: [2]float64{0, 1},
		Marks: []nbhelpers.Mark{{X: s.X[best], Name: "lowest"}, {X: .5, Name: "0.5"}}})
}
