package nbhelpers

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Classifier is what Regions draws: the probabilities (N×C) of the N samples x.
// If it also has RelevanceVectors, as *mpcvm.Model does, they are circled.
type Classifier interface {
	Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// RegionsOptions are the choices of Regions. The zero value shows the first two
// features.
type RegionsOptions struct {
	// Title; the default is the name of the set.
	Title string
	// Features are the columns shown on the x and y axes, the others being held
	// at their mean. Both zero means the first two.
	Features [2]int
	// Principal shows the first two principal axes instead, the others being 0.
	Principal bool
	// Scale is what the samples pass through before they reach the classifier;
	// give it if the set is in raw units and the classifier was trained on
	// standardised features. The axes are then in raw units (with Principal, in
	// standard deviations). Nil means that nothing is scaled.
	Scale *data.Standardizer
	// Units are the units of the features, such as "cm", by column; nil or empty
	// texts name none.
	Units []string
	// Errors marks the samples whose likeliest class is not their own.
	Errors bool
	// Cells is the number of cells across at which the classifier is asked; 0
	// means 160.
	Cells int
	// Height in CSS pixels; 0 means 480 (more where many classes make a long
	// legend), and with Principal what gives both axes the same scale, between 320
	// and 560.
	Height int
}

// Regions draws where a classifier decides for which class: the colour is the
// likeliest class, its strength the probability, the line the border between
// classes. On it are the samples of the set, each class with its own symbol and
// colour, and rings around the relevance vectors. Where there are more than two
// features the picture is a plane through the space, so a sample may lie on
// another class's ground and yet be classified rightly.
//
// In a page with scripts the pointer shows the probabilities of all classes where it
// is. Those of a *mpcvm.Model with a kernel of this module and at most 300 relevance
// vectors are computed there, by the model itself; of other classifiers they are
// those of the nearest place on a coarse grid, and rounded.
//
// It panics if the set has fewer than two features, or the classifier other
// numbers of features and classes than the set.
func Regions(c Classifier, set *data.Set, opt RegionsOptions) Chart {
	v := newView(set, opt)
	colors := paletteOf(set.Classes)
	field := newField(c, v, colors)
	p := c.Proba(nil, v.toModel(set.X))
	if _, k := p.Dims(); k != set.C() {
		panic(fmt.Sprintf("nbhelpers: classifier of %d classes for a set of %d", k, set.C()))
	}
	pts := v.project(set.X)

	scatter := charts.NewScatter()
	classes := plainAll(set.Classes)
	legend := slices.Clone(classes)
	size := 9.0
	if n := set.N(); n > 250 {
		size = math.Max(4.5, 9*math.Sqrt(250/float64(n)))
	}
	var wrongs []any
	wrong := node{}                  // by number: likeliest class, own probability in thousandths
	sure := make([]any, 0, len(pts)) // probability of the likeliest, in thousandths
	samples := make([][]any, set.C())
	for n, t := range set.T {
		row := p.RawRowView(n)
		best := likeliest(row)
		samples[t] = append(samples[t], append(v.place(pts[n]), n))
		sure = append(sure, thousandths(row[best]))
		if best != t {
			wrong[strconv.Itoa(n)] = []any{best, thousandths(row[t])}
			wrongs = append(wrongs, v.place(pts[n]))
		}
	}
	for k, name := range classes {
		scatter.AddSeries(name, nil, withData(samples[k]),
			charts.WithScatterChartOpts(opts.ScatterChart{Symbol: classSymbol(k), SymbolSize: symbolSize(k, size)}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: colors.hex(k), BorderColor: colors.rim(k), BorderWidth: .7}))
	}
	const vectorName, errorName = "relevance vector", "misclassified"
	vectors := 0
	if m, ok := c.(interface {
		RelevanceVectors() []mpcvm.RelevanceVector
	}); ok {
		rings := v.rings(m.RelevanceVectors())
		vectors = len(rings)
		scatter.AddSeries(vectorName, nil, withData(rings),
			charts.WithScatterChartOpts(opts.ScatterChart{Symbol: "circle", SymbolSize: size + 7}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: "transparent", BorderColor: ink, BorderWidth: 1.8}))
		legend = append(legend, vectorName)
	}
	if opt.Errors {
		scatter.AddSeries(errorName, nil, withData(wrongs),
			charts.WithScatterChartOpts(opts.ScatterChart{Symbol: symbols[crossShape].name, SymbolSize: size}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: "#000000", BorderColor: "#ffffff", BorderWidth: .5}))
		legend = append(legend, errorName)
	}

	subtitle := []string{fmt.Sprintf("%d of %s misclassified", len(wrong), plural(set.N(), "sample"))}
	if vectors > 0 {
		subtitle = append(subtitle, plural(vectors, "relevance vector"))
	}
	if v.rest != "" {
		subtitle = append(subtitle, v.rest)
	}
	title := plain(opt.Title)
	if title == "" {
		title = "Decision regions"
		if set.Name != "" {
			title = plain(set.Name) + ": decision regions"
		}
	}
	scatter.SetGlobalOptions(titled(title, strings.Join(append(subtitle, "strength of colour: probability"), " · ")), v.legend(legend))

	o := finish(scatter, func(o node) {
		for i, s := range list(o["series"]) {
			at(s, "itemStyle").(node)["opacity"] = 1
			s.(node)["z"] = 3
			s.(node)["silent"] = i >= set.C()
			s.(node)["symbolKeepAspect"] = true
		}
		o["series"] = append([]any{field.ground(), field.border()}, list(o["series"])...)
		o["grid"] = grid(v.left, v.top, v.right, plotBottom)
		x, y := axisNode("value", v.names[0], 30), axisNode("value", v.names[1], v.left-22)
		for i, a := range []node{x, y} {
			spanned(a, v.lo[i], v.hi[i], v.step[i])
			only(a, ticks(v.lo[i], v.hi[i], v.step[i]))
			a["splitLine"] = node{"show": false}
		}
		o["xAxis"], o["yAxis"] = x, y
		o["tooltip"] = node{"trigger": "item", "confine": true, "textStyle": node{"fontSize": 12, "color": ink}, "formatter": js{code: fmt.Sprintf(
			"show.sample(%s)", script(node{"names": anys(v.names[:]), "classes": anys(classes), "sure": sure, "wrong": wrong}, false))}}
	})
	chart := newChart(o, fmt.Sprintf("Decision regions of %d classes (%s) over %s and %s: %s.", set.C(),
		strings.Join(classes, ", "), v.names[0], v.names[1], strings.Join(subtitle, ", ")), v.height)
	chart.hover = field.hover(c, classes)
	return chart
}

func likeliest(p []float64) int {
	best := 0
	for c, v := range p {
		if v > p[best] {
			best = c
		}
	}
	return best
}

// thousandths writes a probability shortly; one that is not a number is null.
func thousandths(p float64) any {
	if math.IsNaN(p) {
		return nil
	}
	return math.Round(1000 * p)
}
