package nbhelpers

import (
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/tables/assess"
)

// ComparisonOptions are the choices of Comparison. The zero value draws the error.
type ComparisonOptions struct {
	// LogLoss draws the log loss instead of the error.
	LogLoss bool
}

// bestShape is the symbol of the best system: the star.
const bestShape = 6

// Comparison draws the cross-validated error of each system with one standard error to each side,
// in the order of the results, in the colour of the system (SystemColor). The best
// (assess.Results.Best) is a star. A system whose difference to the best may be noise
// (assess.Contrast.Noise) is a hollow dot, and others are small dots. Systems without the figure
// are left blank. A figure that one system alone has is a small dot, and there is no legend.
func Comparison(r *assess.Results, opt ComparisonOptions) Chart {
	name, unit := "error (%)", 100.
	of := func(s assess.Score) assess.Figure { return s.Err }
	contrast := func(d assess.Difference) assess.Contrast { return d.Err }
	if opt.LogLoss {
		name, unit = "log loss (nats)", 1
		of = func(s assess.Score) assess.Figure { return s.LogLoss }
		contrast = func(d assess.Difference) assess.Contrast { return d.LogLoss }
	}
	f := &figure{title: fmt.Sprintf("Systems on %s", joinedBy(plain(r.Table), ", ", plain(r.Target))),
		subtitle: fmt.Sprintf("%d-fold cross-validation, %s · line: standard error", r.Folds, plural(r.Repeats, "run"))}
	best := r.Best(opt.LogLoss)
	names, figures := make([]string, len(r.Systems)), make([]assess.Figure, len(r.Systems))
	for s := range r.Systems {
		names[s], figures[s] = plain(r.Systems[s].Name), of(r.Score(s))
	}
	reach, told := newSpan(), ""
	lines := &sketch{base: base{z: 2, silent: true}}
	looks := looksOf(names)
	groups := []dots{ // those of the legend have no places
		{base: base{name: "best", z: 3}, color: ink, marker: classShape(bestShape), size: symbolSize(bestShape, 13)},
		{base: base{name: "may be as good", z: 3}, color: "#ffffff", rim: ink, rimWide: 2, marker: classShape(0), size: 10},
		{base: base{name: "worse", z: 3}, color: ink, marker: classShape(0), size: 7},
	}
	var points []mark
	for s, v := range figures {
		if math.IsNaN(v.Value) {
			continue
		}
		at, se := unit*v.Value, unit*v.SE
		if math.IsNaN(se) {
			se = 0
		}
		low := math.Max(at-se, 0)
		reach.add(low, at+se)
		one := groups[2]
		switch {
		case best < 0:
		case s == best:
			one = groups[0]
		case contrast(r.Difference(s, best)).Noise():
			one = groups[1]
		}
		if one.color, one.rim = looks[s].color, ""; one.rimWide > 0 {
			one.color, one.rim = "#ffffff", looks[s].color
		}
		one.rows, one.tip = []row{{rounded(at, 5), float64(s), rounded(se, 3)}}, []string{"{1 in names}", name + " *{0}* ± {2}"}
		points = append(points, &one)
		lines.strokes = append(lines.strokes, stroke{at: []point{{low, float64(s)}, {at + se, float64(s)}}, color: axisInk, width: 2})
		told = joinedBy(told, ", ", fmt.Sprintf("%s %s", names[s], nats(at)))
	}
	f.add(lines)
	for i := range groups {
		if best >= 0 {
			f.legend = append(f.legend, groups[i].name)
			f.add(&groups[i])
		}
	}
	f.add(points...)
	f.rows(names, reach.fromZero(name, 6), 26, 0)
	f.panels[0].y.split = true
	f.tip.trigger, f.tip.texts = "item", node{"names": names}
	return f.chart(joinedBy(fmt.Sprintf("%s, %s", f.title, name), ": ", told)+".", 0)
}
