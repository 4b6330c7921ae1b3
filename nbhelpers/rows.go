package nbhelpers

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// samples are labelled samples as a chart draws them.
type samples struct {
	c     Classifier
	set   *data.Set          // in the units shown
	scale *data.Standardizer // from these to the units of c; nil: they are the same
}

// samplesOf checks that a set is in the units of a classifier. It panics with the name of the chart if it
// is not. The classifier takes the set after scale.
func samplesOf(chart string, c Classifier, set *data.Set, scale *data.Standardizer) samples {
	checkUnits(chart, c, set, scale)
	return samples{c: c, set: set, scale: scale}
}

// misuse panics with the name of a helper and a message.
func misuse(helper, format string, values ...any) {
	panic("nbhelpers: " + helper + ": " + fmt.Sprintf(format, values...))
}

// feature returns the feature of a name.
func (s *samples) feature(chart, name string) int {
	f := slices.Index(s.set.Features, name)
	if f < 0 {
		misuse(chart, "%q is not one of the features %q", name, s.set.Features)
	}
	return f
}

// checkTypical panics if there is not a typical value of each feature.
func (s *samples) checkTypical(chart string, typical []float64) {
	if typical != nil && len(typical) != s.set.D() {
		misuse(chart, "Typical has %d values; the set has %d features", len(typical), s.set.D())
	}
}

// axis is the name of a feature with its unit.
func (s *samples) axis(f int, unit string) string {
	name := chart.Plain(s.set.Features[f])
	if unit != "" {
		name = chart.JoinedBy(name, " ", "("+chart.Plain(unit)+")")
	}
	return name
}

// checkUnits panics if a set cannot be in the units of a model that scales its features. It does so only
// if that is certain.
func checkUnits(chart string, c any, set *data.Set, scale *data.Standardizer) {
	m, ok := c.(*mpcvm.Model)
	if !ok {
		return
	}
	mean, deviation := m.Scaling()
	if mean == nil { // it takes features as it was trained on them
		return
	}
	if scale != nil { // two scales, one after the other
		return
	}
	refuse := func(why string) {
		misuse(chart, "%s, but the model takes raw units and scales them itself; "+
			"pass the set as it was before it was standardised", why)
	}
	switch {
	case set.X == nil || set.D() != m.Features():
		return // Proba says so
	case set.Standardized() && !standard(mean, deviation):
		refuse("the set was standardised by a data.Standardizer")
	case !standard(mean, deviation) && trainedOn(m.RelevanceVectors(), set.X):
		refuse("the set has training rows of the model in standardised units")
	}
}

// standard reports whether raw units are about standardised already.
func standard(mean, scale []float64) bool {
	for d, s := range scale {
		if math.Abs(mean[d]) > s || s < .5 || s > 2 {
			return false
		}
	}
	return true
}

// trainedOn reports whether samples contain relevance vectors as the kernel sees them, and fewer in the
// units that Predict takes.
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
	return scaled > raw && scaled*d >= 6 // few small whole numbers may be equal by chance
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
