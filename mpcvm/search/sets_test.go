package search_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// TestAutoSets: the prediction sets of Auto's model cover each class of new samples nearly as often as
// requested, and the prediction sets of a refit of the chosen setting do the same.
func TestAutoSets(t *testing.T) {
	watch.SkipUnderRace(t)
	density := data.NewMixture(3, 2, 2, 0.6, 7)
	train, test := density.Set(300, 1), density.Set(6000, 2)
	m, result, err := search.Auto{}.Fit(t.Context(), mpcvm.Samples{X: train.X, T: train.T})
	must.OK(t, err)
	again, _, err := search.Chosen(result).Fit(t.Context(), mpcvm.Samples{X: train.X, T: train.T})
	must.OK(t, err)
	for _, m := range []*mpcvm.Model{m, again} {
		if m.Scores() == nil || !m.Scores().ByClass() {
			t.Fatalf("scores %v", m.Scores())
		}
		for _, coverage := range []float64{0.8, 0.9, 0.95} {
			sets := must.Get(m.PredictSet(test.X, coverage))(t)
			covered := make([]float64, 3)
			for i, set := range sets {
				if slices.Contains(set, test.T[i]) {
					covered[test.T[i]]++
				}
			}
			for c, n := range test.Counts() { // the threshold of a class comes from about 100 margins
				if share, se := covered[c]/float64(n), math.Sqrt(coverage*(1-coverage)/100); math.Abs(
					share-coverage) > 3*se {
					t.Errorf("class %d: %g of %g", c, share, coverage)
				}
			}
		}
	}
}

// TestAutoSetsOfNoise: if the model predicts the class frequencies, the prediction sets contain every class.
func TestAutoSetsOfNoise(t *testing.T) {
	watch.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(1, 1))
	x, labels := mat.NewDense(80, 2, nil), make([]int, 80)
	for i := range labels {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		labels[i] = i % 2
	}
	m, result, err := search.Auto{}.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
	if err != nil || result.Status != mpcvm.Collapsed {
		t.Fatal(result.Status, err)
	}
	sets, err := m.PredictSet(x, 0.5)
	must.OK(t, err)
	for i, set := range sets {
		if len(set) != 2 {
			t.Errorf("row %d: %v", i, set)
		}
	}
}
