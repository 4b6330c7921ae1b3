package nbhelpers

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
)

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

// places returns the d features of relevance vectors, in the units of the classifier.
func places(vectors []mpcvm.RelevanceVector, d int) *mat.Dense {
	x := mat.NewDense(len(vectors), d, nil)
	for i, v := range vectors {
		if v.Raw != nil { // a model that standardises on its own
			v.X = v.Raw
		}
		if len(v.X) != d {
			panic(fmt.Sprintf("nbhelpers: the relevance vectors have %d features, the set %d", len(v.X), d))
		}
		x.SetRow(i, v.X)
	}
	return x
}

// about describes the n samples of a chart: how many are misclassified, the relevance vectors, the samples
// that are not drawn, and the other features.
func about(n, wrong, vectors, unseen int, rest string) []string {
	all := []string{fmt.Sprintf("%d of %s misclassified", wrong, words.CountOf(n, "sample"))}
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
		panic(fmt.Sprintf("nbhelpers: %s: %s, but the model takes raw units and scales them itself; pass the set "+
			"as it was before it was standardised", chart, why))
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
