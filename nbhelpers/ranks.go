package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
)

// CriticalDifferenceOptions are the options of CriticalDifference. Control is required.
type CriticalDifferenceOptions struct {
	// Title is the title of the chart. The default is "Average ranks".
	Title string
	// Alpha is the level of the test, between 0 and 1. The default is 0.05.
	Alpha float64
	// Control is the name of the system that the others are compared with.
	Control string
}

// CriticalDifference draws the average ranks of systems over data sets as in Demšar (2006), with the
// best at the left. By the test of Bonferroni and Dunn, systems on the bar, which extends one critical
// difference to either side of the control, do not differ significantly from it. Dots have the colours
// of the systems.
//
// CriticalDifference panics if the numbers of names and systems differ, if Control is not the name
// of a system, or if Alpha is not between 0 and 1.
func CriticalDifference(systems []string, r ranktest.Result, opt CriticalDifferenceOptions) Chart {
	defer chart.Readable()
	if len(systems) != r.Systems || r.Systems < 2 {
		panic(fmt.Sprintf("nbhelpers: %d names for %d systems; want one name each and at least two systems",
			len(systems), r.Systems))
	}
	opt.Alpha = cmp.Or(opt.Alpha, .05)
	if !(opt.Alpha > 0 && opt.Alpha < 1) {
		panic(fmt.Sprintf("nbhelpers: Alpha is %v, not between 0 and 1", opt.Alpha))
	}
	names := chart.PlainAll(systems)
	order := chart.Falling(floats.ScaleTo(make([]float64, len(names)), -1, r.Average)) // best first
	control := slices.Index(systems, opt.Control)
	if control < 0 {
		panic(fmt.Sprintf("nbhelpers: Control %q is not one of the systems %q", opt.Control, systems))
	}
	test, k := r.BonferroniDunn(control, opt.Alpha), float64(r.Systems)
	f := &chart.Figure{Title: cmp.Or(chart.Plain(opt.Title), "Average ranks"),
		Subtitle: fmt.Sprintf("Bonferroni and Dunn's test, α = %v: what is on the bar does not differ "+
			"significantly from %s (Friedman: p = %s)", opt.Alpha, names[control], pText(r.P))}

	const bar, names0, perName = 14.0, 31.0, 24.0 // pixels below the axis
	half := (len(order) + 1) / 2
	scale := names0 + perName*float64(half) + 8
	deep := scale + 34
	var sides [2]float64 // widths of the names
	for i, j := range order {
		side := i / half
		sides[side] = math.Max(sides[side], math.Min(chart.TextWidth(names[j], 12)+52, 150))
	}
	s := []chart.Stroke{{At: []chart.Point{{1, 0}, {k, 0}}, Color: chart.AxisInk, Width: 1}}
	for i, j := range order {
		name, value := chart.Shortened(names[j], 12, sides[i/half]-50), fmt.Sprintf("%.2f", r.Average[j])
		row, edge, shift, align, label := i, 1.0, -6.0, "right", name+"\u2002"+value
		if i >= half {
			row, edge, shift, align, label = len(order)-1-i, k, 6, "left", value+"\u2002"+name
		}
		y := names0 + perName*(float64(row)+.5)
		s = append(s, chart.Stroke{At: []chart.Point{{r.Average[j], 0}, {r.Average[j], y}, {edge, y}},
			Color: chart.AxisInk, Width: 1.2},
			chart.Stroke{At: []chart.Point{{edge, y}}, Text: label, Color: chart.Ink, Align: align,
				Shift: chart.Point{shift, 0}})
	}
	rank := r.Average[control]
	s = append(s, chart.Stroke{At: []chart.Point{{max(1, rank-test.CD), bar}, {min(k, rank+test.CD), bar}},
		Color: chart.FaintInk, Width: 5})
	end, label := 1+test.CD, fmt.Sprintf("critical difference %.2f", test.CD)
	if end > k {
		end, label = k, label+", more than the axis"
	}
	s = append(s,
		chart.Stroke{At: []chart.Point{{1, scale - 4}, {1, scale + 4}, {1, scale}, {end, scale},
			{end, scale - 4}, {end, scale + 4}}, Color: chart.Ink, Width: 1.5},
		chart.Stroke{At: []chart.Point{{1, scale}}, Text: label, Color: chart.Ink, Align: "left",
			Shift: chart.Point{0, 15}})

	systemDots := &chart.Dots{Base: chart.Base{Z: 3,
		Tip: []string{"{# in names}", "average rank *{0}*", "differs from {# in differs}"}},
		Colors: []string{}, Color: chart.Ink, Marker: chart.ClassShape(0), Size: 11, Rim: "#ffffff",
		RimWide: 1}
	looks := chart.LooksOf(names)
	differs := make([]string, len(names)) // by system
	for _, p := range test.Pairs {
		if p.Differs {
			differs[p.I] = chart.JoinedBy(differs[p.I], ", ", names[p.J]+" (p = "+pText(p.P)+")")
			differs[p.J] = chart.JoinedBy(differs[p.J], ", ", names[p.I]+" (p = "+pText(p.P)+")")
		}
	}
	for i := range names {
		differs[i] = cmp.Or(differs[i], "none")
		systemDots.Rows, systemDots.Colors = append(systemDots.Rows,
			chart.Row{chart.Rounded(r.Average[i], 6), 0}), append(systemDots.Colors, looks[i].Color)
	}
	f.Add(&chart.Sketch{Base: chart.Base{Z: 2, Silent: true}, Strokes: s}, systemDots)
	x := chart.ValueAxis(fmt.Sprintf("average rank over %s (1 is best)", words.CountOf(r.Sets, "data set")), 1,
		k, 1)
	x.Above, x.NoSplit, x.NoLine = true, true, true // a line would cross the dots
	every := math.Max(1, math.Ceil(k/12))
	var shown []float64
	for v := 1.0; v <= k; v += every {
		shown = append(shown, v)
	}
	x.At(shown)
	y := chart.ValueAxis("", 0, deep, deep)
	y.Inverse, y.Hidden, y.NoLabels, y.NoSplit = true, true, true, true
	f.Panels, f.High = []chart.Panel{{X: x, Y: y, Before: sides[0], After: sides[1], Gap: 44}}, deep+44
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": names, "differs": differs}
	var alt []string
	for _, j := range order {
		alt = append(alt, fmt.Sprintf("%s %.2f", names[j], r.Average[j]))
	}
	return f.Chart(fmt.Sprintf("Critical difference diagram, average ranks over %s: %s; critical difference "+
		"%.2f.",
		words.CountOf(r.Sets, "data set"), strings.Join(alt, ", "), test.CD), 0)
}

// pText formats a p-value.
func pText(p float64) string {
	if p < 1e-4 {
		return "under 0.0001"
	}
	return fmt.Sprintf("%.2g", p)
}
