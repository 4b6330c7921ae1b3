package nbhelpers

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Explainer is a model that Explanation can draw, such as a *mpcvm.Model.
type Explainer interface {
	ClassNames() []string
	Explain(x []float64) mpcvm.Explanation
}

// Limits on the rows that Explanation draws, and on the bars of a row on each side.
const (
	explainedClasses = 12
	explainedParts   = 14
)

// Explanation draws the reasons for the decision of a model on one sample x, in the units that
// Predict takes. Each class has a row, the most likely class first. In each row there is a bar for
// each relevance vector with a weight for the class, in the colour of the vector's own class. Bars
// to the right support the class of the row, bars to the left oppose it. The bars and the bias, in
// grey, add up to the potential of the class, the diamond. Many small bars are merged into one. The
// probability of the class is at the right. The tooltip of a bar gives the row of the training
// data, counted from 1.
//
// At most 12 classes are shown. If a feature of the sample is NaN, the chart has no bars.
// Explanation panics if m.Explain does, for example because x has the wrong length.
func Explanation(m Explainer, x []float64) Chart {
	defer chart.Readable()
	if model, ok := m.(*mpcvm.Model); ok && len(x) == model.Features() {
		row := &data.Set{X: mat.NewDense(1, len(x), slices.Clone(x)), T: []int{0},
			Features: model.FeatureNames()}
		checkUnits("Explanation", m, row, nil)
	}
	e := m.Explain(x)
	names := chart.PlainAll(m.ClassNames())
	order := chart.Falling(e.Proba)
	rest := len(order) - min(len(order), explainedClasses)
	order = order[:len(order)-rest]

	parts := make([][]chart.Row, len(names)) // by class of the vectors
	told := []string{}                       // tooltips of the bars
	tell := func(r int, what string, value float64, more string) float64 {
		told = append(told,
			fmt.Sprintf("%s\nadds %s to %s%s", what, chart.Nats(value), names[order[r]], more))
		return float64(len(told) - 1)
	}
	const tip = "{3 in told}"
	biases := chart.NewBars("bias", "#77797d", .3, tip)
	others := chart.NewBars("many small ones", "#c9ccd1", .6, tip)
	potentials := &chart.Dots{Base: chart.Base{Name: "potential", Z: 4,
		Tip: []string{"{1 in classes}", "potential *{0}*"}}, Color: chart.Ink, Marker: chart.ClassShape(3),
		Size: 12, Rim: "#ffffff", RimWide: 1.2}
	all := chart.NewSpan()
	all.Add(0)
	speak := map[int]bool{}
	for r, c := range order {
		bias, at := e.Bias[c], float64(r)
		if math.IsNaN(e.Potentials[c]) {
			continue
		}
		biases.Rows = append(biases.Rows, chart.Row{at, 0, chart.Rounded(bias, 5), tell(r, "bias", bias, "")})
		right, left := math.Max(bias, 0), math.Min(bias, 0)
		pro, con := 0, 0
		moreFor, moreAgainst := 0.0, 0.0
		for _, t := range (mpcvm.Explanation{Contributions: e.Class(c)}).ByInfluence() {
			speak[t.Index] = true
			end, begin, drawn := &right, right, &pro
			more := &moreFor
			if t.Value < 0 {
				end, begin, drawn, more = &left, left, &con, &moreAgainst
			}
			if *drawn++; *drawn > explainedParts {
				*more += t.Value
				continue
			}
			*end += t.Value
			parts[t.Label] = append(parts[t.Label],
				chart.Row{at, chart.Rounded(begin, 5), chart.Rounded(*end, 5),
					tell(r, fmt.Sprintf("row %d of class %s", t.Index+1, names[t.Label]), t.Value,
						fmt.Sprintf("\nkernel %s × weight %s", chart.Nats(t.Kernel), chart.Nats(t.Weight)))})
		}
		for _, side := range []struct {
			end  *float64
			more float64
			n    int
		}{{&right, moreFor, pro - explainedParts}, {&left, moreAgainst, con - explainedParts}} {
			if side.n > 0 {
				begin := *side.end
				*side.end += side.more
				others.Rows = append(others.Rows, chart.Row{at, chart.Rounded(begin, 5),
					chart.Rounded(*side.end, 5),
					tell(r, fmt.Sprintf("%d small ones", side.n), side.more, "")})
			}
		}
		all.Add(left, right)
		potentials.Rows = append(potentials.Rows, chart.Row{chart.Rounded(e.Potentials[c], 6), at})
	}
	f := &chart.Figure{Title: "Explanation: no class, as a feature is not a number",
		KeyWidth: chart.SymbolSide + 2}
	var used []int
	for k, p := range parts {
		if p != nil {
			used = append(used, k)
		}
	}
	colors := chart.PaletteOf(names)
	for _, k := range used {
		name := "vectors of " + names[k]
		if len(used) > 4 {
			name = names[k]
		}
		bars := chart.NewBars(name, colors.Hex(k), .6, tip)
		bars.Rows = parts[k]
		f.Add(bars)
	}
	if others.Rows != nil {
		f.Add(others)
	}
	f.Add(biases)
	for _, m := range f.Marks {
		f.Legend = append(f.Legend, m.Common().Name)
	}
	f.Legend = append(f.Legend, potentials.Name)

	lo, hi, step := chart.NiceRange(all.Lo, all.Hi, 7)
	ends := &chart.Sketch{Base: chart.Base{Z: 2, Silent: true}}
	for r, c := range order {
		if !math.IsNaN(e.Proba[c]) {
			ends.After(hi, float64(r), 8, fmt.Sprintf("p = %.3f", e.Proba[c]), chart.Ink)
		}
	}
	f.Add(ends, chart.Baseline(0), potentials)
	if e.Label >= 0 {
		f.Title = fmt.Sprintf("Explanation: %s, p = %.3f", names[e.Label], e.Proba[e.Label])
	}
	f.Subtitle = fmt.Sprintf("%s: to the right for the class of the row, to the left against it",
		words.CountOf(len(speak), "relevance vector"))
	if rest > 0 {
		f.Subtitle += fmt.Sprintf(" · %d less likely not shown", rest)
	}
	shown := make([]string, len(order))
	for r, c := range order {
		shown[r] = names[c]
	}
	f.Rows(shown, chart.ValueAxis("contribution to the potential of the class", lo, hi, step), 40, 84)
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"classes": shown, "told": told}
	if e.Label < 0 {
		return f.Chart(f.Title+".", 0)
	}
	potential := ""
	for _, c := range order {
		potential = chart.JoinedBy(potential, ", ",
			fmt.Sprintf("%s %s", names[c], chart.Nats(e.Potentials[c])))
	}
	return f.Chart(fmt.Sprintf("%s. Bar chart of what %s to the potentials of the classes: %s.", f.Title,
		adds(len(speak)), potential), 0)
}

func adds(vectors int) string {
	if vectors == 1 {
		return "1 relevance vector adds"
	}
	return words.CountOf(vectors, "relevance vector") + " add"
}
