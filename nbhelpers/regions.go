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
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Classifier is what Regions draws. Proba returns the probabilities (N×C) of the N
// samples x. If it also has RelevanceVectors, as *mpcvm.Model has, they are circled.
type Classifier interface {
	Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// RegionsOptions are the choices of Regions. The zero value shows the first two
// features of a set.
type RegionsOptions struct {
	// Title of the chart. If it is empty, it is the name of the set. Subtitle is the smaller line below
	// it. If it is empty, it counts the samples that are misclassified.
	Title, Subtitle string
	// Features are the features on the x and y axes, from 0. If both are 0, the first two of a set are
	// shown.
	Features [2]int
	// Columns names the features on the axes. If both are empty, the names of Features are used.
	Columns [2]string
	// Typical has a value for each feature, such as medians, in the units of the set. Features that are
	// not on the axes have this value. If it is nil, they are at their mean.
	Typical []float64
	// Missing reports whether the value of a feature of a sample is not known and was filled in. Samples
	// without a value on an axis are not drawn. If it is nil, all are drawn.
	Missing func(sample, feature int) bool
	// Principal shows the first two principal axes instead. The other axes are at 0.
	Principal bool
	// Scale standardises the samples for the classifier. Give it if the set is in raw
	// units and the classifier was trained on standardised features. The axes are then
	// in raw units, or with Principal in standard deviations. If it is nil, nothing is
	// scaled.
	Scale *data.Standardizer
	// Units are the units of the features, such as "cm", by column. An empty text, or
	// nil, names none.
	Units []string
	// Errors marks the samples whose likeliest class is not their own.
	Errors bool
	// Cells is the number of cells across at which the classifier is evaluated. If it is
	// 0, 160 is used.
	Cells int
	// Height in CSS pixels. If it is 0, it is 480, or more for a long legend. With one scale
	// on both axes it is not used: the height follows from the width, up to 560.
	Height int
}

// Regions draws where a classifier decides for which class, with the samples of a set. The colour is the
// likeliest class, its strength the probability, and lines are the borders between classes. Symbols are the
// samples of the set, and rings the relevance vectors. With more than two features the picture is a plane
// through the space, so a sample may lie on the ground of another class and still be classified correctly.
//
// One unit of the classifier is as long on the x axis as on the y axis, so that the
// ground of a kernel of one width is round, if the ranges of the samples in these units
// differ by a factor of 2.5 or less, and with Principal always.
//
// On a page with scripts the pointer shows the probabilities of all classes. The page
// computes them from the model for a *mpcvm.Model with a kernel of this module and at
// most 300 relevance vectors. For other classifiers it shows those of the nearest place
// on a coarse grid, rounded.
//
// It panics if there are fewer than two features, if the classifier has another
// number of features or classes than the set, or if a set is not in the units of the model: a model that
// scales its features does not take standardised ones.
func Regions(c Classifier, set *data.Set, opt RegionsOptions) Chart {
	defer chart.Readable()
	s := samplesOf("Regions", c, set, opt.Scale)
	v := s.view(opt)
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
	tells := sampleTip{Names: v.names, Classes: classes, Sure: chart.Row{}, Wrong: map[int]chart.Row{}}
	samples := f.ClassDots(chart.Base{Z: 3}, classes, colors, size, .7)
	for n, t := range set.T {
		proba := p.RawRowView(n)
		best := floats.MaxIdx(proba)
		place := v.place(pts[n])
		tells.Sure = append(tells.Sure, thousandths(proba[best]))
		if best != t {
			tells.Wrong[n] = chart.Row{float64(best), thousandths(proba[t])}
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
	if m, ok := c.(interface {
		RelevanceVectors() []mpcvm.RelevanceVector
	}); ok {
		rings := &chart.Dots{Base: chart.Base{Name: "relevance vector", Z: 3, Silent: true},
			Rows: v.rings(m.RelevanceVectors()), Color: "transparent", Marker: chart.ClassShape(0),
			Size: size + 7, Rim: chart.Ink, RimWide: 1.8}
		vectors = len(rings.Rows)
		f.Add(rings)
		f.Legend = append(f.Legend, rings.Name)
	}
	if opt.Errors {
		f.Add(wrongs)
		f.Legend = append(f.Legend, wrongs.Name)
	}

	subtitle := []string{fmt.Sprintf("%d of %s misclassified", len(tells.Wrong),
		words.CountOf(set.N(), "sample"))}
	if vectors > 0 {
		subtitle = append(subtitle, words.CountOf(vectors, "relevance vector"))
	}
	if v.unseen > 0 {
		subtitle = append(subtitle, fmt.Sprintf("%d without a value not drawn", v.unseen))
	}
	if v.rest != "" {
		subtitle = append(subtitle, v.rest)
	}
	f.Title, f.Subtitle = cmp.Or(chart.Plain(opt.Title),
		chart.JoinedBy(chart.Plain(set.Name), ": ", "decision regions")), cmp.Or(chart.Plain(opt.Subtitle),
		strings.Join(append(subtitle, "strength of colour: probability"), " · "))
	if f.Title == "decision regions" {
		f.Title = "Decision regions"
	}
	v.axes(f)
	f.Tip = chart.Tip{Trigger: "item", Code: chart.JS(fmt.Sprintf("show.sample(%s)", chart.Quote(tells)))}
	return chart.WithHover(f.Chart(fmt.Sprintf("Decision regions of %d classes (%s) over %s and %s: %s.",
		set.C(),
		strings.Join(classes, ", "), v.names[0], v.names[1], strings.Join(subtitle, ", ")), v.height),
		field.hover(c, classes))
}

// sampleTip is what the tooltip of a sample shows, see sample in page.js.
type sampleTip struct {
	Names   [2]string `json:"names"` // of the axes
	Classes []string  `json:"classes"`
	// probability of the likeliest class of each sample, in thousandths
	Sure chart.Row `json:"sure"`
	// by number of the sample: likeliest class, probability of its own in thousandths
	Wrong map[int]chart.Row `json:"wrong"`
}

// thousandths writes a probability shortly.
func thousandths(p float64) float64 { return math.Round(1000 * p) }
