package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/internal/fitting"
)

// TestByClass: of many samples it finds the slopes and offsets that made the labels, up to a common offset; of
// few it stays near the temperature; no neighbour of the optimum is better.
func TestByClass(t *testing.T) {
	a, b := []float64{0.6, 1, 1.6}, []float64{-0.3, 0, 0.4}
	problem := func(n int) (*mat.Dense, []int) {
		rng, y, labels := rand.New(rand.NewPCG(3, 4)), mat.NewDense(n, 3, nil), make([]int, n)
		for i := range n {
			z := make([]float64, 3)
			for c := range 3 {
				y.Set(i, c, 1.5*rng.NormFloat64())
				z[c] = a[c]*y.At(i, c) + b[c] + rng.NormFloat64()
			}
			labels[i] = floats.MaxIdx(z)
		}
		return y, labels
	}
	y, labels := problem(20000)
	slopes, offsets := byClass(y, labels, nil, 1)
	for c := range 3 {
		if math.Abs(slopes[c]/a[c]-1) > 0.06 || math.Abs(offsets[c]-offsets[1]-b[c]+b[1]) > 0.06 {
			t.Errorf("slopes %v, offsets %v", slopes, offsets)
		}
	}
	mass := (&fitting.Data{T: labels, N: len(labels), C: 3}).Mass()
	c := calibrateByClass(y, labels, nil, mass)
	plain := fitting.Calibrate(y, labels, nil, mass)
	losses, errorRate := c.Judge(y, labels, nil)
	others, plainRate := plain.Judge(y, labels, nil)
	if floats.Sum(losses) > floats.Sum(others)-100 || errorRate > plainRate {
		t.Errorf("log loss %g and %g, error %g and %g", floats.Sum(losses), floats.Sum(others), errorRate, plainRate)
	}
	y, labels = problem(30)
	slopes, offsets = byClass(y, labels, nil, 2)
	if floats.Distance(slopes, []float64{0.5, 0.5, 0.5}, math.Inf(1)) > 0.4 || floats.Norm(offsets, math.Inf(1)) > 0.3 {
		t.Errorf("of 30 samples: slopes %v, offsets %v", slopes, offsets)
	}
	objective := func(slopes, offsets []float64) (sum float64) {
		for _, l := range fitting.LogLosses(fitting.Calibration{Slopes: slopes, Offsets: offsets}.Scaled(y), labels) {
			sum += l
		}
		for c, v := range slopes {
			sum += (math.Log(2*v)*math.Log(2*v) + offsets[c]*offsets[c]) / (2 * fitting.Spread * fitting.Spread)
		}
		return sum
	}
	least := objective(slopes, offsets)
	for c := range 3 {
		for _, step := range []float64{-1e-3, 1e-3} {
			s, o := slices.Clone(slopes), slices.Clone(offsets)
			s[c] *= 1 + step
			o[c] += step
			if objective(s, offsets) < least-1e-7 || objective(slopes, o) < least-1e-7 {
				t.Errorf("class %d: a neighbour is better", c)
			}
		}
	}
}

// TestAutoByClass: slopes and offsets are those of unseen samples, in the weights of the model.
func TestAutoByClass(t *testing.T) {
	set := data.Blobs(150, 3, 2, 2, 2)
	plain, a, err := Auto{}.Fit(t.Context(), set.X, set.T)
	if err != nil {
		t.Fatal(err)
	}
	m, b, err := Auto{ByClass: true}.Fit(t.Context(), set.X, set.T)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Trials) == 0 || len(b.Trials) == 0 || m.Scores() == nil || m.WeightCount() == 0 {
		t.Fatalf("%d and %d trials, scores %v", len(a.Trials), len(b.Trials), m.Scores())
	}
	for _, trial := range b.Trials {
		if f, ok := trial.Refit.(*fixed); !trial.Chosen || !ok {
			continue
		} else if c := f.calibration; len(c.Slopes) != 3 || len(c.Offsets) != 3 || slices.Max(c.Slopes) == slices.Min(c.Slopes) {
			t.Errorf("%+v", c)
		} else if bare, _, err := f.Learner.Fit(t.Context(), set.X, set.T); err != nil || !mat.EqualApprox(bare.WithSlopes(c.Slopes, c.Offsets).Potentials(nil, set.X), m.Potentials(nil, set.X), 1e-6) {
			t.Errorf("other potentials: %v", err)
		}
	}
	if mat.Equal(plain.Proba(nil, set.X), m.Proba(nil, set.X)) {
		t.Error("ByClass changes nothing")
	}
}
