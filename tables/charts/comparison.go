package charts

import (
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/eval"
)

// bestShape is the symbol of the best system, a star.
const bestShape = 6

// Comparison draws a cross-validated score of each system, plus and minus one standard error, in the
// order of the results and in the system's colour. The best system (eval.Comparison.Best) is a star.
// Systems that may be equally good (eval.Contrast.Noise) are hollow dots, all others are small dots.
// Systems without a value are left blank. If only one system has a value, it is a small dot and the legend
// is omitted.
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
