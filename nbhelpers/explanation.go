package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Explainer is what Explanation draws; a *mpcvm.Model is one.
type Explainer interface {
	ClassNames() []string
	Explain(x []float64) mpcvm.Explanation
}

// The most that Explanation draws: rows, and parts of a row to either side.
const (
	explainedClasses = 12
	explainedParts   = 14
)

// Explanation draws why a model decides as it does on one sample x, in the units
// that its Predict takes: a row for each class, the likeliest first, and in it a
// bar for each relevance vector that has a weight for the class, in the colour of
// the vector's own class. Bars to the right speak for the class of the row, bars to
// the left against it; with the bias, in grey, they add up to the potential of the
// class, the diamond. The many small ones are drawn as one. At the right stands the
// probability.
//
// At most 12 classes are shown. It panics if the model does; a sample with a
// feature that is not a number has no bars.
func Explanation(m Explainer, x []float64) Chart {
	e := m.Explain(x)
	names := plainAll(m.ClassNames())
	order := make([]int, len(names))
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.Proba[b], e.Proba[a]) })
	rest := len(order) - min(len(order), explainedClasses)
	order = order[:len(order)-rest]

	parts := make([][]any, len(names)) // by the vectors' class
	var biases, others, potentials []any
	var ends sketch
	all := newSpan()
	all.add(0)
	speak := map[int]bool{}
	for r, c := range order {
		bias := e.Bias[c]
		if math.IsNaN(e.Potentials[c]) {
			continue
		}
		biases = append(biases, []any{r, 0, rounded(bias, 5), -1, 0, 0, rounded(bias, 4), 0})
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
			parts[t.Label] = append(parts[t.Label], []any{r, rounded(begin, 5), rounded(*end, 5), t.Index, rounded(t.Kernel, 4), rounded(t.Weight, 4), rounded(t.Value, 4), t.Label})
		}
		for _, side := range []struct {
			end  *float64
			more float64
			n    int
		}{{&right, moreFor, pro - explainedParts}, {&left, moreAgainst, con - explainedParts}} {
			if side.n > 0 {
				begin := *side.end
				*side.end += side.more
				others = append(others, []any{r, rounded(begin, 5), rounded(*side.end, 5), -2, 0, 0, rounded(side.more, 4), side.n})
			}
		}
		all.add(left)
		all.add(right)
		potentials = append(potentials, []any{rounded(e.Potentials[c], 6), r})
	}
	var used []int
	for k, p := range parts {
		if p != nil {
			used = append(used, k)
		}
	}
	colors := paletteOf(names)
	var series []any
	var legend []string
	for _, k := range used {
		name := "vectors of " + names[k]
		if len(used) > 4 {
			name = names[k]
		}
		legend = append(legend, name)
		series = append(series, segments{.6, colors.hex(k)}.series(name, parts[k]))
	}
	if others != nil {
		legend = append(legend, "many small ones")
		series = append(series, segments{.6, "#c9ccd1"}.series("many small ones", others))
	}
	const potential = "potential"
	legend = append(legend, "bias", potential)
	series = append(series, segments{.3, "#77797d"}.series("bias", biases))

	lo, hi, step := niceRange(all.lo, all.hi, 7)
	for r, c := range order {
		if math.IsNaN(e.Proba[c]) {
			continue
		}
		ends = append(ends, stroke{at: []point{{hi, float64(r)}}, text: fmt.Sprintf("p = %.3f", e.Proba[c]), color: ink, align: "left", shift: point{8, 0}})
	}
	series = append(series, ends.series(""), base(0),
		node{"type": "scatter", "name": potential, "data": potentials, "symbol": classSymbol(3), "symbolSize": 12, "z": 4,
			"itemStyle": node{"color": ink, "borderColor": "#ffffff", "borderWidth": 1.2, "opacity": 1}})

	title := "Explanation: no class, as a feature is not a number"
	if e.Label >= 0 {
		title = fmt.Sprintf("Explanation: %s, p = %.3f", names[e.Label], e.Proba[e.Label])
	}
	subtitle := fmt.Sprintf("%s: to the right for the class of the row, to the left against it", plural(len(speak), "relevance vector"))
	if rest > 0 {
		subtitle += fmt.Sprintf(" · %d less likely not shown", rest)
	}
	o := headed(title, subtitle, legend, symbolSide+2)
	shown := make([]string, len(order))
	for r, c := range order {
		shown[r] = names[c]
	}
	left := nameColumn(shown)
	o["grid"] = grid(left, plotTop, 84, plotBottom)
	o["xAxis"] = only(spanned(axisNode("value", "contribution to the potential of the class", 30), lo, hi, step), ticks(lo, hi, step))
	y := nameAxis(shown, left)
	y["axisTick"] = node{"show": false}
	o["yAxis"], o["series"] = y, series
	o["tooltip"] = tooltip("item", fmt.Sprintf(`var c=%s,t=%s,v=p.value,a="<br>adds <b>"+n(v[6])+"</b> to "+e(c[v[0]]);if(v.length<3)return e(c[v[1]])+"<br>potential <b>"+n(v[0])+"</b>";return v[3]==-1?"bias"+a:v[3]==-2?v[7]+" small ones"+a:p.marker+"sample "+v[3]+" of class "+e(t[v[7]])+a+"<br>kernel "+n(v[4])+" × weight "+n(v[5])`, quote(shown), quote(names)), nil)
	height := plotTop + plotBottom + 40*max(len(order), 2)
	if e.Label < 0 {
		return newChart(o, title+".", height)
	}
	told := ""
	for _, c := range order {
		told = joinedBy(told, ", ", fmt.Sprintf("%s %s", names[c], nats(e.Potentials[c])))
	}
	return newChart(o, fmt.Sprintf("%s. Bar chart of what %s to the potentials of the classes: %s.", title, adds(len(speak)), told), height)
}

func adds(vectors int) string {
	if vectors == 1 {
		return "1 relevance vector adds"
	}
	return plural(vectors, "relevance vector") + " add"
}
