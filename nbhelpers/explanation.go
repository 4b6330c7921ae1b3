package nbhelpers

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Explainer is what Explanation draws; a *mpcvm.Model is one.
type Explainer interface {
	ClassNames() []string
	Explain(x []float64) mpcvm.Explanation
}

// The most rows that Explanation draws, and the most parts of a row on each side.
const (
	explainedClasses = 12
	explainedParts   = 14
)

// Explanation draws why a model decides as it does on one sample, in the units that Predict takes. Each class
// has a row, the likeliest first. Each relevance vector with a weight for the class has a bar in it, in the
// colour of the vector's own class.
// Bars to the right speak for the class of the row, bars to the left against it. The
// bars and the bias, in grey, add up to the potential of the class, the diamond. Many
// small bars are drawn as one. The probability is at the right. The tooltip of a bar has the row of
// the training data, which counts from 1.
//
// At most 12 classes are shown. If a feature of the sample is NaN, there are no bars. Explanation panics if
// the model does.
func Explanation(m Explainer, x []float64) Chart {
	defer readable()
	if model, ok := m.(*mpcvm.Model); ok && len(x) == model.Features() {
		row := &data.Set{X: mat.NewDense(1, len(x), slices.Clone(x)), T: []int{0}, Features: model.FeatureNames()}
		checkUnits("Explanation", m, row, nil)
	}
	e := m.Explain(x)
	names := plainAll(m.ClassNames())
	order := falling(e.Proba)
	rest := len(order) - min(len(order), explainedClasses)
	order = order[:len(order)-rest]

	parts := make([][]row, len(names)) // by the vectors' class
	told := []string{}                 // by the tooltips of the bars
	tell := func(r int, what string, value float64, more string) float64 {
		told = append(told, fmt.Sprintf("%s\nadds %s to %s%s", what, nats(value), names[order[r]], more))
		return float64(len(told) - 1)
	}
	tip := []string{"{3 in told}"}
	biases, others := &bars{base: base{name: "bias", z: 2, tip: tip}, share: .3, color: "#77797d"}, &bars{base: base{name: "many small ones", z: 2, tip: tip}, share: .6, color: "#c9ccd1"}
	potentials := &dots{base: base{name: "potential", z: 4, tip: []string{"{1 in classes}", "potential *{0}*"}}, color: ink, marker: classShape(3), size: 12, rim: "#ffffff", rimWide: 1.2}
	all := newSpan()
	all.add(0)
	speak := map[int]bool{}
	for r, c := range order {
		bias, at := e.Bias[c], float64(r)
		if math.IsNaN(e.Potentials[c]) {
			continue
		}
		biases.rows = append(biases.rows, row{at, 0, rounded(bias, 5), tell(r, "bias", bias, "")})
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
			parts[t.Label] = append(parts[t.Label], row{at, rounded(begin, 5), rounded(*end, 5),
				tell(r, fmt.Sprintf("row %d of class %s", t.Index+1, names[t.Label]), t.Value, fmt.Sprintf("\nkernel %s × weight %s", nats(t.Kernel), nats(t.Weight)))})
		}
		for _, side := range []struct {
			end  *float64
			more float64
			n    int
		}{{&right, moreFor, pro - explainedParts}, {&left, moreAgainst, con - explainedParts}} {
			if side.n > 0 {
				begin := *side.end
				*side.end += side.more
				others.rows = append(others.rows, row{at, rounded(begin, 5), rounded(*side.end, 5), tell(r, fmt.Sprintf("%d small ones", side.n), side.more, "")})
			}
		}
		all.add(left, right)
		potentials.rows = append(potentials.rows, row{rounded(e.Potentials[c], 6), at})
	}
	f := &figure{title: "Explanation: no class, as a feature is not a number", keyWidth: symbolSide + 2}
	var used []int
	for k, p := range parts {
		if p != nil {
			used = append(used, k)
		}
	}
	colors := paletteOf(names)
	for _, k := range used {
		name := "vectors of " + names[k]
		if len(used) > 4 {
			name = names[k]
		}
		f.add(&bars{base{name: name, z: 2, tip: tip}, parts[k], .6, colors.hex(k)})
	}
	if others.rows != nil {
		f.add(others)
	}
	f.add(biases)
	for _, m := range f.marks {
		f.legend = append(f.legend, m.common().name)
	}
	f.legend = append(f.legend, potentials.name)

	lo, hi, step := niceRange(all.lo, all.hi, 7)
	ends := &sketch{base: base{z: 2, silent: true}}
	for r, c := range order {
		if !math.IsNaN(e.Proba[c]) {
			ends.strokes = append(ends.strokes, stroke{at: []point{{hi, float64(r)}}, text: fmt.Sprintf("p = %.3f", e.Proba[c]), color: ink, align: "left", shift: point{8, 0}})
		}
	}
	f.add(ends, baseline(0), potentials)
	if e.Label >= 0 {
		f.title = fmt.Sprintf("Explanation: %s, p = %.3f", names[e.Label], e.Proba[e.Label])
	}
	f.subtitle = fmt.Sprintf("%s: to the right for the class of the row, to the left against it", plural(len(speak), "relevance vector"))
	if rest > 0 {
		f.subtitle += fmt.Sprintf(" · %d less likely not shown", rest)
	}
	shown := make([]string, len(order))
	for r, c := range order {
		shown[r] = names[c]
	}
	f.rows(shown, valueAxis("contribution to the potential of the class", lo, hi, step), 40, 84)
	f.tip.trigger, f.tip.texts = "item", node{"classes": shown, "told": told}
	if e.Label < 0 {
		return f.chart(f.title+".", 0)
	}
	potential := ""
	for _, c := range order {
		potential = joinedBy(potential, ", ", fmt.Sprintf("%s %s", names[c], nats(e.Potentials[c])))
	}
	return f.chart(fmt.Sprintf("%s. Bar chart of what %s to the potentials of the classes: %s.", f.title, adds(len(speak)), potential), 0)
}

func adds(vectors int) string {
	if vectors == 1 {
		return "1 relevance vector adds"
	}
	return plural(vectors, "relevance vector") + " add"
}
