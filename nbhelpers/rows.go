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

// samples are the labelled samples of a chart.
type samples struct {
	c     Classifier
	set   *data.Set          // in the units of the chart
	scale *data.Standardizer // from these to the units of c; nil if they are the same
}

// samplesOf checks that a set, after scale, is in the units of the classifier. If not, it panics
// with the name of the chart.
func samplesOf(chart string, c Classifier, set *data.Set, scale *data.Standardizer) samples {
	checkUnits(chart, c, set, scale)
	return samples{c: c, set: set, scale: scale}
}

// misuse panics with the name of a function and a message.
func misuse(helper, format string, values ...any) {
	panic("nbhelpers: " + helper + ": " + fmt.Sprintf(format, values...))
}

// feature returns the index of the feature with the given name.
func (s *samples) feature(chart, name string) int {
	f := slices.Index(s.set.Features, name)
	if f < 0 {
		misuse(chart, "%q is not one of the features %q", name, s.set.Features)
	}
	return f
}

// checkTypical panics unless there is one typical value per feature.
func (s *samples) checkTypical(chart string, typical []float64) {
	if typical != nil && len(typical) != s.set.D() {
		misuse(chart, "Typical has %d values; the set has %d features", len(typical), s.set.D())
	}
}

// axis returns the name of a feature with its unit.
func (s *samples) axis(f int, unit string) string {
	name := chart.Plain(s.set.Features[f])
	if unit != "" {
		name = chart.JoinedBy(name, " ", "("+chart.Plain(unit)+")")
	}
	return name
}

// toModel converts samples from the units of the chart to the units of the classifier.
func (s *samples) toModel(x mat.Matrix) mat.Matrix {
	if s.scale == nil {
		return x
	}
	return s.scale.Apply(nil, x)
}

// vectorsOf returns the relevance vectors of a classifier that has any.
func vectorsOf(c Classifier) (vectors []mpcvm.RelevanceVector, ok bool) {
	m, ok := c.(interface {
		RelevanceVectors() []mpcvm.RelevanceVector
	})
	if ok {
		vectors = m.RelevanceVectors()
	}
	return vectors, ok
}

// places returns the features of relevance vectors, in the units of the classifier.
func (s *samples) places(vectors []mpcvm.RelevanceVector) *mat.Dense {
	x := mat.NewDense(len(vectors), s.set.D(), nil)
	for i, v := range vectors {
		if v.Raw != nil { // a model that standardises on its own
			v.X = v.Raw
		}
		if len(v.X) != s.set.D() {
			panic(fmt.Sprintf("nbhelpers: the relevance vectors have %d features, the set %d", len(v.X), s.set.D()))
		}
		x.SetRow(i, v.X)
	}
	return x
}

// about describes the samples of a chart: how many are misclassified, the relevance vectors, the samples that
// are not drawn, and the other features.
func (s *samples) about(wrong, vectors, unseen int, rest string) []string {
	all := []string{fmt.Sprintf("%d of %s misclassified", wrong, words.CountOf(s.set.N(), "sample"))}
	if vectors > 0 {
		all = append(all, words.CountOf(vectors, "relevance vector"))
	}
	if unseen > 0 {
		all = append(all, fmt.Sprintf("%d without a value not drawn", unseen))
	}
	if rest != "" {
		all = append(all, rest)
	}
	return all
}

// typicalRest describes the other features if they have typical values.
const typicalRest = "other columns as in a typical row"

// checkUnits panics if a set is certainly not in the units of a model that scales its features.
func checkUnits(chart string, c any, set *data.Set, scale *data.Standardizer) {
	m, ok := c.(*mpcvm.Model)
	if !ok {
		return
	}
	mean, deviation := m.Scaling()
	if mean == nil || scale != nil { // the model does not scale, or the set would be scaled twice
		return
	}
	refuse := func(why string) {
		misuse(chart, "%s, but the model takes raw units and scales them itself; "+
			"pass the set as it was before it was standardised", why)
	}
	switch {
	case set.X == nil || set.D() != m.Features():
		return // Proba panics
	case set.Standardized() && !standard(mean, deviation):
		refuse("the set was standardised by a data.Standardizer")
	case !standard(mean, deviation) && trainedOn(m.RelevanceVectors(), set.X):
		refuse("the set has training rows of the model in standardised units")
	}
}

// standard reports whether raw units are approximately standardised already.
func standard(mean, scale []float64) bool {
	for d, s := range scale {
		if math.Abs(mean[d]) > s || s < .5 || s > 2 {
			return false
		}
	}
	return true
}

// trainedOn reports whether samples match the relevance vectors in the units of the kernel, and
// fewer of them in the units of Predict.
func trainedOn(vectors []mpcvm.RelevanceVector, x *mat.Dense) bool {
	n, d := x.Dims()
	has := func(v []float64) int {
		for i := range n {
			row := x.RawRowView(i)
			if mostlyEqual(row, v) {
				return 1
			}
		}
		return 0
	}
	scaled, raw := 0, 0
	vectors = vectors[:min(len(vectors), 100)]
	for _, v := range vectors {
		scaled += has(v.X)
		raw += has(v.Raw)
	}
	return scaled > raw && scaled*d >= 6 // a few small integers may be equal by chance
}

// mostlyEqual reports whether two samples are equal except for rounding.
func mostlyEqual(a, b []float64) bool {
	for d, v := range a {
		if !(math.Abs(v-b[d]) <= 1e-9*(1+math.Abs(v))) {
			return false
		}
	}
	return true
}
