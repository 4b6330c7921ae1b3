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
func Explanation(m *mpcvm.Model, x []float64) Chart {
	defer chart.Readable()
	if len(x) == m.Features() {
		row := &data.Set{X: mat.NewDense(1, len(x), slices.Clone(x)), T: []int{0}, Features: m.FeatureNames()}
		checkUnits("Explanation", m, row, nil)
	}
	return newExplanation(m.ClassNames(), m.Explain(x), m.FeatureNames()...).chart()
}

// explanation holds the bars of the chart Explanation.
type explanation struct {
	mpcvm.Explanation
	names []string
	order []int               // the classes shown, the most likely first
	bars  map[int][]chart.Row // by the class of the vector, or a key such as biasBar
	tips  []string            // of the bars
	reach *chart.Span
	// vectors and columns are the relevance vectors, and the features with coefficients, of the classes shown.
	vectors, columns map[int]bool
	// features are the names of the features.
	features []string
}

const (
	biasBar    = -1
	mergedBar  = -2
	featureBar = -3 // of a coefficient
)

func newExplanation(classes []string, e mpcvm.Explanation, features ...string) *explanation {
	x := &explanation{Explanation: e, names: chart.PlainAll(classes), order: chart.Falling(e.Proba),
		features: chart.PlainAll(features),
		bars:     map[int][]chart.Row{}, tips: []string{}, reach: chart.NewSpan(), vectors: map[int]bool{},
		columns: map[int]bool{}}
	x.reach.Add(0)
	x.order = x.order[:min(len(x.order), explainedClasses)]
	for row, c := range x.order {
		if !math.IsNaN(e.Potentials[c]) {
			x.addRow(row, c)
		}
	}
	return x
}

// addRow adds the bars of class c: the bias, and the vectors outwards from it on both sides.
func (x *explanation) addRow(row, c int) {
	add := func(kind int, end *float64, value float64, what, more string) {
		begin := *end
		*end += value
		x.reach.Add(*end)
		x.bars[kind] = append(x.bars[kind], chart.Row{float64(row), chart.Rounded(begin, 5),
			chart.Rounded(*end, 5), float64(len(x.tips))})
		x.tips = append(x.tips, fmt.Sprintf("%s\nadds %s to %s%s", what, chart.Nats(value), x.names[c], more))
	}
	bias := 0.0
	add(biasBar, &bias, x.Bias[c], "bias", "")
	ends := [2]float64{max(bias, 0), min(bias, 0)} // at the right and at the left
	var drawn [2]int
	var merged [2]float64
	for _, t := range (mpcvm.Explanation{Contributions: x.Class(c)}).ByInfluence() {
		if t.Label < 0 {
			x.columns[t.Index] = true
		} else {
			x.vectors[t.Index] = true
		}
		side := 0
		if t.Value < 0 {
			side = 1
		}
		if drawn[side]++; drawn[side] > explainedParts {
			merged[side] += t.Value
			continue
		}
		if t.Label < 0 {
			add(featureBar, &ends[side], t.Value, x.features[t.Index],
				fmt.Sprintf("\nvalue %s × coefficient %s", chart.Nats(t.Kernel), chart.Nats(t.Weight)))
			continue
		}
		add(t.Label, &ends[side], t.Value, fmt.Sprintf("row %d of class %s", t.Index+1, x.names[t.Label]),
			fmt.Sprintf("\nkernel %s × weight %s", chart.Nats(t.Kernel), chart.Nats(t.Weight)))
	}
	for side, n := range drawn {
		if n > explainedParts {
			add(mergedBar, &ends[side], merged[side], fmt.Sprintf("%d small ones", n-explainedParts), "")
		}
	}
}

// chart draws the bars.
func (x *explanation) chart() Chart {
	f := &chart.Figure{Title: "Explanation: no class, as a feature is not a number",
		KeyWidth: chart.SymbolSide + 2}
	x.drawBars(f)
	potentials := &chart.Dots{Base: chart.Base{Name: "potential", Z: 4,
		Tip: []string{"{1 in classes}", "potential *{0}*"}}, Color: chart.Ink, Marker: chart.ClassShape(3),
		Size: 12, Rim: "#ffffff", RimWide: 1.2}
	f.Legend = append(f.Legend, potentials.Name)
	lo, hi, step := chart.NiceRange(x.reach.Lo, x.reach.Hi, 7)
	ends := &chart.Sketch{Base: chart.Base{Z: 2, Silent: true}}
	shown, sums := make([]string, len(x.order)), ""
	for r, c := range x.order {
		shown[r] = x.names[c]
		sums = chart.JoinedBy(sums, ", ", fmt.Sprintf("%s %s", shown[r], chart.Nats(x.Potentials[c])))
		if !math.IsNaN(x.Potentials[c]) {
			potentials.Rows = append(potentials.Rows,
				chart.Row{chart.Rounded(x.Potentials[c], 6), float64(r)})
		}
		if !math.IsNaN(x.Proba[c]) {
			ends.After(hi, float64(r), 8, fmt.Sprintf("p = %.3f", x.Proba[c]), chart.Ink)
		}
	}
	f.Add(ends, chart.Baseline(0), potentials)
	vectors := words.CountOf(len(x.vectors), "relevance vector")
	switch columns := words.CountOf(len(x.columns), "feature"); {
	case len(x.columns) > 0 && len(x.vectors) > 0:
		vectors += " and " + columns
	case len(x.columns) > 0:
		vectors = columns
	}
	f.Subtitle = vectors + ": to the right for the class of the row, to the left against it"
	if rest := len(x.names) - len(x.order); rest > 0 {
		f.Subtitle += fmt.Sprintf(" · %d less likely not shown", rest)
	}
	f.Rows(shown, chart.ValueAxis("contribution to the potential of the class", lo, hi, step), 40, 84)
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"classes": shown, "told": x.tips}
	if x.Label < 0 {
		return f.Chart(f.Title+".", 0)
	}
	f.Title = fmt.Sprintf("Explanation: %s, p = %.3f", x.names[x.Label], x.Proba[x.Label])
	adds := "add"
	if len(x.vectors)+len(x.columns) == 1 {
		adds = "adds"
	}
	return f.Chart(fmt.Sprintf("%s. Bar chart of what %s %s to the potentials of the classes: %s.", f.Title,
		vectors, adds, sums), 0)
}

// drawBars adds the bars to a figure and its legend.
func (x *explanation) drawBars(f *chart.Figure) {
	draw := func(kind int, name, color string, share float64) {
		if rows := x.bars[kind]; rows != nil || kind == biasBar {
			b := chart.NewBars(name, color, share, "{3 in told}")
			b.Rows, f.Legend = rows, append(f.Legend, name)
			f.Add(b)
		}
	}
	prefix, classes := "vectors of ", 0
	for kind := range x.bars {
		if kind >= 0 {
			classes++
		}
	}
	if classes > 4 {
		prefix = ""
	}
	colors := chart.PaletteOf(x.names)
	for c, name := range x.names {
		draw(c, prefix+name, colors.Hex(c), .6)
	}
	if x.bars[featureBar] != nil {
		draw(featureBar, "features", "#4477aa", .6)
	}
	draw(mergedBar, "many small ones", "#c9ccd1", .6)
	draw(biasBar, "bias", "#77797d", .3)
}
