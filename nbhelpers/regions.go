package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
)

// Classifier is a classifier that Regions can draw. Proba returns the probabilities (N×C) of the N
// samples x. If the classifier also has the method RelevanceVectors, as *mpcvm.Model has, its
// relevance vectors are circled.
type Classifier interface {
	Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// RegionsOptions are the options of Regions. The zero value shows the first two features of a set.
type RegionsOptions struct {
	// Title is the title of the chart. The default is the name of the set. Subtitle is the smaller
	// line below it. If empty, it gives the number of misclassified samples.
	Title, Subtitle string
	// Features are the indices of the features on the x and y axes. If both are 0, the first two
	// features are shown.
	Features [2]int
	// Columns are the names of the features on the axes. If both are empty, Features is used.
	Columns [2]string
	// Typical has a value for each feature, such as medians, in the units of the set. Features that
	// are not on the axes have this value. If nil, they are at their mean.
	Typical []float64
	// Missing reports whether the value of a feature of a sample was missing and has been imputed.
	// Samples with a missing value on an axis are not drawn. If nil, all samples are drawn.
	Missing func(sample, feature int) bool
	// Principal shows the first two principal axes instead of features. The other axes are at 0.
	Principal bool
	// Scale standardises the samples for the classifier. Set it if the set is in raw units and the
	// classifier was trained on standardised features. The axes are then in raw units, or with
	// Principal in standard deviations. If nil, the samples are not scaled.
	Scale *data.Standardizer
	// Units are the units of the features, such as "cm", by column. An empty string, or nil, shows
	// no unit.
	Units []string
	// Errors marks the misclassified samples.
	Errors bool
	// Cells is the number of cells in each direction at which the classifier is evaluated. The
	// default is 160.
	Cells int
	// Height is the height in CSS pixels. The default is 480, or more for a long legend. With equal
	// scales on both axes Height is ignored: the height follows from the width, up to 560.
	Height int
}

// Regions draws the decision regions of a classifier, with the samples of a set. The colour shows
// the most likely class, its strength shows the probability of that class, and lines mark the
// borders between classes. Symbols show the samples of the set, and rings mark relevance vectors.
// With more than two features the picture is a plane through the feature space, so a sample may lie
// in the region of another class and still be classified correctly.
//
// The axes have equal scales in the units of the classifier, so that an isotropic kernel looks
// round, if the ranges of the samples in these units differ by a factor of at most 2.5, and always
// with Principal.
//
// On a page with scripts, the tooltip shows the probabilities of all classes at the pointer. For a
// *mpcvm.Model with a kernel of this module and at most 300 relevance vectors, the page computes
// them from the model. For other classifiers it shows the rounded probabilities at the nearest point
// of a coarse grid.
//
// Regions panics if there are fewer than two features, if the classifier has a different number of
// features or classes than the set, or if the set is not in the units of the model: a model that
// scales its features does not accept standardised ones.
func Regions(c Classifier, set *data.Set, opt RegionsOptions) Chart {
	defer chart.Readable()
	checkUnits("Regions", c, set, opt.Scale)
	v := newView(c, set, opt)
	colors := chart.PaletteOf(set.Classes)
	field := newField(c, v, colors)
	p := c.Proba(nil, v.toModel(set.X))
	if _, k := p.Dims(); k != set.C() {
		panic(fmt.Sprintf("nbhelpers: the classifier has %d classes, the set %d", k, set.C()))
	}
	pts := v.project(set.X)

	f := &chart.Figure{Legend: chart.PlainAll(set.Classes), KeyWidth: chart.SymbolSide + 2}
	f.Add(field.ground(), field.border())
	classes := chart.PlainAll(set.Classes)
	size := 9.0
	if n := set.N(); n > 250 {
		size = math.Max(4.5, 9*math.Sqrt(250/float64(n)))
	}
	wrongs := &chart.Dots{Base: chart.Base{Name: "misclassified", Z: 3, Silent: true}, Color: "#000000",
		Marker: chart.Symbols[chart.CrossShape], Size: size, Rim: "#ffffff", RimWide: .5}
	tip := sampleTip{Names: v.names, Classes: classes, Sure: chart.Row{}, Wrong: map[int]chart.Row{}}
	samples := f.ClassDots(chart.Base{Z: 3}, classes, colors, size, .7)
	for n, t := range set.T {
		proba := p.RawRowView(n)
		best := floats.MaxIdx(proba)
		place := v.place(pts[n])
		tip.Sure = append(tip.Sure, thousandths(proba[best]))
		if best != t {
			tip.Wrong[n] = chart.Row{float64(best), thousandths(proba[t])}
		}
		if v.hidden(opt, n) {
			continue
		}
		samples[t].Rows = append(samples[t].Rows, append(place, float64(n)))
		if best != t {
			wrongs.Rows = append(wrongs.Rows, place)
		}
	}
	vectors := 0
	if list, ok := vectorsOf(c); ok {
		rings := &chart.Dots{Base: chart.Base{Name: "relevance vector", Z: 3, Silent: true},
			Rows: v.rings(list), Color: "transparent", Marker: chart.ClassShape(0),
			Size: size + 7, Rim: chart.Ink, RimWide: 1.8}
		vectors = len(rings.Rows)
		f.Add(rings)
		f.Legend = append(f.Legend, rings.Name)
	}
	if opt.Errors {
		f.Add(wrongs)
		f.Legend = append(f.Legend, wrongs.Name)
	}

	subtitle := about(set.N(), len(tip.Wrong), vectors, v.unseen, v.rest)
	f.Title, f.Subtitle = cmp.Or(chart.Plain(opt.Title),
		chart.JoinedBy(chart.Plain(set.Name), ": ", "decision regions")), cmp.Or(chart.Plain(opt.Subtitle),
		strings.Join(append(subtitle, "strength of colour: probability"), " · "))
	if f.Title == "decision regions" {
		f.Title = "Decision regions"
	}
	v.axes(f)
	f.Tip = chart.Tip{Trigger: "item", Code: chart.JS(fmt.Sprintf("show.sample(%s)", chart.Quote(tip)))}
	return chart.WithHover(f.Chart(fmt.Sprintf("Decision regions of %d classes (%s) over %s and %s: %s.",
		set.C(),
		strings.Join(classes, ", "), v.names[0], v.names[1], strings.Join(subtitle, ", ")), v.height),
		field.hover(c, classes))
}

// sampleTip is the content of the tooltip of a sample; see sample in page.js.
type sampleTip struct {
	Names   [2]string `json:"names"` // names of the axes
	Classes []string  `json:"classes"`
	// the probability of the likeliest class of each sample, in thousandths
	Sure chart.Row `json:"sure"`
	// for misclassified samples: the likeliest class, and the probability of the sample's own in
	// thousandths
	Wrong map[int]chart.Row `json:"wrong"`
}

// thousandths rounds a probability to an integer number of thousandths.
func thousandths(p float64) float64 { return math.Round(1000 * p) }
