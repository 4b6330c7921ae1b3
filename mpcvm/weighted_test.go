package mpcvm_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// A measurement that was made five times counts five times.
func ExampleSamples() {
	set := data.Blobs(60, 3, 2, 1, 1)
	weights := make([]float64, set.N())
	for n := range weights {
		weights[n] = 1 + 4*float64(n%2)
	}
	_, result, err := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.4}}.Fit(bg, mpcvm.Samples{X: set.X, T: set.T,
		Weights: weights})
	fmt.Println(result.Status, err)
	// Output: converged <nil>
}

// repeat returns each row as often as its weight indicates.
func repeat(x *mat.Dense, t []int, weights []float64) (*mat.Dense, []int) {
	_, d := x.Dims()
	var rows []float64
	var labels []int
	for n, w := range weights {
		for range int(w) {
			rows, labels = append(rows, x.RawRowView(n)...), append(labels, t[n])
		}
	}
	return mat.NewDense(len(labels), d, rows), labels
}

func maxDifference(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return math.Max(mat.Max(&d), -mat.Min(&d))
}

// TestKernelPriorWeights: with a row of weight 2 the optimum is the same as with two rows, and differs from
// the optimum without weights.
func TestKernelPriorWeights(t *testing.T) {
	set, rng := data.Blobs(60, 3, 2, 1.5, 4), rand.New(rand.NewPCG(6, 6))
	weights := make([]float64, set.N())
	for n := range weights {
		weights[n] = float64(1 + rng.IntN(3))
	}
	x, labels := repeat(set.X, set.T, weights)
	for _, scale := range []float64{1, 100} {
		l := gp.KernelPrior{Kernel: kernel.RBF{Theta: 0.4}, Scale: scale, Tol: 1e-7}
		weighted, one, err := l.Fit(bg, mpcvm.Samples{X: set.X, T: set.T, Weights: weights})
		must.OK(t, err)
		repeated, two := laws.Fit(t, l, x, labels)
		plain, _ := laws.Fit(t, l, set.X, set.T)
		y := weighted.Potentials(nil, set.X)
		if d := maxDifference(y, repeated.Potentials(nil, set.X)); d > 1e-5*scale ||
			math.Abs(one.Objective-two.Objective) > 1e-5 {
			t.Errorf("scale %g: potentials differ by %g; objectives %g and %g", scale, d, one.Objective, two.Objective)
		}
		if d := maxDifference(y, plain.Potentials(nil, set.X)); d < 0.05 {
			t.Errorf("scale %g: weights change potentials only by %g", scale, d)
		}
		l.Candidates = 20 // candidates support weights, too
		if _, _, err := l.Fit(bg, mpcvm.Samples{X: set.X, T: set.T, Weights: weights}); err != nil {
			t.Error(err)
		}
	}
}

// TestEqualWeights: weights that are all 1 change nothing except by rounding, and groups are kept.
func TestEqualWeights(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(60, 3, 2, 1, 4)
	ones, groups := slices.Repeat([]float64{1}, set.N()), make([]int, set.N())
	for n := range groups {
		groups[n] = n / 2
	}
	for name, l := range map[string]mpcvm.Learner{
		"TopDown": search.Calibrated{
			Learner: search.Width{Learner: mpcvm.TopDown{}}}, "BottomUp": search.Calibrated{
			Learner: search.Width{Learner: mpcvm.BottomUp{}}},
		"KernelPrior": search.Calibrated{Learner: search.Width{Learner: gp.KernelPrior{}}}, "Auto": search.Auto{},
	} {
		for what, s := range map[string]mpcvm.Samples{"": {X: set.X, T: set.T}, "of groups": {X: set.X, T: set.T,
			Groups: groups}} {
			plain, a, err := l.Fit(bg, s)
			must.OK(t, err)
			s.Weights = ones
			weighted, b, err := l.Fit(bg, s)
			must.OK(t, err)
			if d := maxDifference(plain.Proba(nil, set.X), weighted.Proba(nil, set.X)); d > 1e-4 ||
				len(a.Trials) != len(b.Trials) {
				t.Errorf("%s %s: probabilities differ by %g, %d and %d trials", name, what, d, len(a.Trials),
					len(b.Trials))
			}
		}
	}
}

// TestWeightsMove: the larger the weight of a class, the more rows are predicted to belong to it, for every
// learner.
func TestWeightsMove(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(150, 3, 2, 2.5, 4)
	heavy := make([]float64, set.N())
	for n, label := range set.T {
		if heavy[n] = 1; label == 1 {
			heavy[n] = 8
		}
	}
	count := func(m *mpcvm.Model) (of int) {
		for _, label := range m.Predict(nil, set.X) {
			if label == 1 {
				of++
			}
		}
		return of
	}
	k := kernel.RBF{Theta: 0.3}
	for name, l := range map[string]mpcvm.Learner{
		"TopDown": search.Calibrated{Learner: mpcvm.TopDown{Kernel: k}}, "BottomUp": search.Calibrated{
			Learner: mpcvm.BottomUp{Kernel: k}},
		"KernelPrior": gp.KernelPrior{Kernel: k, Keep: 1}, "Auto": search.Auto{},
	} {
		plain, _ := laws.Fit(t, l, set.X, set.T)
		weighted, _, err := l.Fit(bg, mpcvm.Samples{X: set.X, T: set.T, Weights: heavy})
		must.OK(t, err)
		if a, b := count(plain), count(weighted); b < a+10 {
			t.Errorf("%s: %d of %d rows belong to the class, %d with weight 8", name, a, set.N(), b)
		}
	}
}

func TestWeightFaults(t *testing.T) {
	set := data.Blobs(30, 3, 2, 1, 4)
	fit := func(s mpcvm.Samples) error {
		s.X, s.T = set.X, set.T
		_, _, err := mpcvm.TopDown{}.Fit(bg, s)
		return err
	}
	var cell *mpcvm.CellError
	for row, s := range map[int64]mpcvm.Samples{
		30: {Weights: make([]float64, 29)}, 31: {Groups: make([]int, 31)}, 2: {Times: []float64{1}},
	} {
		if err := fit(s); !errors.As(err, &cell) || cell.Row != row {
			t.Errorf("the first row without a counterpart is %d: %v", row, err)
		}
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		w := slices.Repeat([]float64{1}, 30)
		w[4] = bad
		if err := fit(mpcvm.Samples{Weights: w}); !errors.As(err, &cell) || cell.Row != 5 {
			t.Errorf("weight %g: %v", bad, err)
		}
		if err := fit(mpcvm.Samples{Times: w}); !(bad <= 0) && (!errors.As(err, &cell) || cell.Row != 5) {
			t.Errorf("time %g: %v", bad, err)
		}
	}
	if err := fit(mpcvm.Samples{Weights: slices.Repeat([]float64{0.01}, 30)}); !errors.As(err, &cell) {
		t.Errorf("weights that sum to 0.3: %v", err)
	}
	two := mpcvm.Samples{X: set.X, T: set.T, Weights: slices.Repeat([]float64{2}, 30)}
	if _, _, err := (svm.SVM{}).Fit(bg, two); err == nil {
		t.Error("weights for an SVM: no error")
	}
}
