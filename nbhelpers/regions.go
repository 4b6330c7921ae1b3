package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
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
	// Columns names the features on the axes. If both are empty, they are those of Features.
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

// Regions draws where a classifier decides for which class, with the samples of a set. The colour is the likeliest
// class, its strength the probability, and lines are the borders between classes.
// Symbols are the samples of the set, and rings the relevance vectors. With more than
// two features the picture is a plane through the space, so a sample may lie on the
// ground of another class and still be classified correctly.
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
	defer readable()
	s := samplesOf("Regions", c, set, opt.Scale)
	v := s.view(opt)
	colors := paletteOf(set.Classes)
	field := newField(c, v, colors)
	p := c.Proba(nil, v.toModel(set.X))
	if _, k := p.Dims(); k != set.C() {
		panic(fmt.Sprintf("nbhelpers: the classifier has %d classes, the set %d", k, set.C()))
	}
	pts := v.project(set.X)

	f := &figure{legend: plainAll(set.Classes), keyWidth: symbolSide + 2}
	f.add(field.ground(), field.border())
	classes := plainAll(set.Classes)
	size := 9.0
	if n := set.N(); n > 250 {
		size = math.Max(4.5, 9*math.Sqrt(250/float64(n)))
	}
	wrongs := &dots{base: base{name: "misclassified", z: 3, silent: true}, color: "#000000", marker: symbols[crossShape], size: size, rim: "#ffffff", rimWide: .5}
	tells := sampleTip{Names: v.names, Classes: classes, Sure: row{}, Wrong: map[int]row{}}
	samples := make([]*dots, set.C())
	for k, name := range classes {
		samples[k] = &dots{base: base{name: name, z: 3}, color: colors.hex(k), marker: classShape(k), size: symbolSize(k, size), rim: colors.rim(k), rimWide: .7}
		f.add(samples[k])
	}
	for n, t := range set.T {
		proba := p.RawRowView(n)
		best := floats.MaxIdx(proba)
		place := v.place(pts[n])
		tells.Sure = append(tells.Sure, thousandths(proba[best]))
		if best != t {
			tells.Wrong[n] = row{float64(best), thousandths(proba[t])}
		}
		if v.hidden(opt, n) {
			continue
		}
		samples[t].rows = append(samples[t].rows, append(place, float64(n)))
		if best != t {
			wrongs.rows = append(wrongs.rows, place)
		}
	}
	vectors := 0
	if m, ok := c.(interface {
		RelevanceVectors() []mpcvm.RelevanceVector
	}); ok {
		rings := &dots{base: base{name: "relevance vector", z: 3, silent: true}, rows: v.rings(m.RelevanceVectors()), color: "transparent", marker: classShape(0), size: size + 7, rim: ink, rimWide: 1.8}
		vectors = len(rings.rows)
		f.add(rings)
		f.legend = append(f.legend, rings.name)
	}
	if opt.Errors {
		f.add(wrongs)
		f.legend = append(f.legend, wrongs.name)
	}

	subtitle := []string{fmt.Sprintf("%d of %s misclassified", len(tells.Wrong), plural(set.N(), "sample"))}
	if vectors > 0 {
		subtitle = append(subtitle, plural(vectors, "relevance vector"))
	}
	if v.unseen > 0 {
		subtitle = append(subtitle, fmt.Sprintf("%d without a value not drawn", v.unseen))
	}
	if v.rest != "" {
		subtitle = append(subtitle, v.rest)
	}
	f.title, f.subtitle = cmp.Or(plain(opt.Title), joinedBy(plain(set.Name), ": ", "decision regions")), cmp.Or(plain(opt.Subtitle), strings.Join(append(subtitle, "strength of colour: probability"), " · "))
	if f.title == "decision regions" {
		f.title = "Decision regions"
	}
	f.legendBeside = v.legendBeside
	x, y := valueAxis(v.names[0], v.lo[0], v.hi[0], v.step[0]), valueAxis(v.names[1], v.lo[1], v.hi[1], v.step[1])
	x.noSplit, y.noSplit = true, true
	f.panels, f.equal = []panel{{x: x, y: y}}, v.equal
	f.tip = tip{trigger: "item", code: js(fmt.Sprintf("show.sample(%s)", quote(tells)))}
	return withHover(f.chart(fmt.Sprintf("Decision regions of %d classes (%s) over %s and %s: %s.", set.C(),
		strings.Join(classes, ", "), v.names[0], v.names[1], strings.Join(subtitle, ", ")), v.height), field.hover(c, classes))
}

// sampleTip is what the tooltip of a sample shows, see sample in page.js.
type sampleTip struct {
	Names   [2]string   `json:"names"` // of the axes
	Classes []string    `json:"classes"`
	Sure    row         `json:"sure"`  // probability of the likeliest class of each sample, in thousandths
	Wrong   map[int]row `json:"wrong"` // by number of the sample: likeliest class, probability of its own in thousandths
}

// thousandths writes a probability shortly.
func thousandths(p float64) float64 { return math.Round(1000 * p) }
