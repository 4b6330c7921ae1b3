package mpcvm_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// An explanation agrees with the predictions to the last bit, and its contributions add up to the potentials.
func TestExplainAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 17))
	for range 15 {
		x, labels, k, about := problem(rng)
		n, d := x.Dims()
		for name, l := range learners(k, 10) {
			m, _ := laws.Fit(t, l, x, labels)
			m = m.WithScaling(make([]float64, d), ones(d)).WithTemperature(0.7)
			y, p, pred := m.Potentials(nil, x), m.Proba(nil, x), m.Predict(nil, x)
			for i := range n {
				e := m.Explain(x.RawRowView(i))
				if !slices.Equal(e.Potentials, y.RawRowView(i)) || !slices.Equal(e.Proba, p.RawRowView(i)) ||
					e.Label != pred[i] {
					t.Fatalf("%s (%s): %+v, predicted %d", name, about, e, pred[i])
				}
				count := 0
				for c := range m.Classes() {
					sum, last := e.Bias[c], -1
					for _, v := range e.Class(c) {
						sum += v.Value
						if v.Class != c || v.Index <= last || v.Label != labels[v.Index] || v.Value != v.Kernel*v.Weight ||
							v.Kernel != k.Value(x.RawRowView(i), x.RawRowView(v.Index)) || (v.Weight > 0) != (v.Label == c) {
							t.Fatalf("%s (%s): %+v", name, about, v)
						}
						last = v.Index
						count++
					}
					if sum != e.Potentials[c] {
						t.Fatalf("%s (%s): contributions add up to %v, potential %v", name, about, sum, e.Potentials[c])
					}
				}
				sorted := e.ByInfluence()
				if count != len(sorted) || !slices.IsSortedFunc(sorted, func(a, b mpcvm.Contribution) int {
					return int(math.Copysign(1, math.Abs(b.Value)-math.Abs(a.Value)))
				}) {
					t.Fatalf("%s (%s): %+v", name, about, sorted)
				}
			}
		}
	}
}

func TestExplainNaN(t *testing.T) {
	m := load(t, small)
	e := m.Explain([]float64{math.NaN(), 1})
	if e.Label != -1 || !math.IsNaN(e.Potentials[1]) || !math.IsNaN(e.Proba[0]) ||
		!math.IsNaN(e.Contributions[0].Value) {
		t.Errorf("%+v", e)
	}
	must.Panic(t, "one feature too few", func() { m.Explain([]float64{1}) })
}

func TestSummary(t *testing.T) {
	got := load(t, small).Summary()
	want := []mpcvm.ClassSummary{
		{Name: "red", Bias: 0.25, Positive: 1, PositiveSum: 1.5},
		{Name: "blue", Bias: -0.5},
		{Name: "black", Positive: 1, PositiveSum: 4, Negative: 1, NegativeSum: -0.25},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// A model with a scaling predicts for raw samples what the same model without scaling predicts for
// standardised samples.
func TestScaling(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	x, labels, k, _ := problem(rng)
	n, d := x.Dims()
	m, _ := laws.Fit(t, mpcvm.BottomUp{Kernel: k}, x, labels)
	mean, scale := make([]float64, d), make([]float64, d)
	raw := mat.NewDense(n, d, nil)
	for j := range d {
		mean[j], scale[j] = float64(j-1), math.Ldexp(1, j-1) // can be undone exactly
		for i := range n {
			raw.Set(i, j, math.Round(256*x.At(i, j))/256*scale[j]+mean[j])
			x.Set(i, j, math.Round(256*x.At(i, j))/256)
		}
	}
	scaled := m.WithScaling(mean, scale)
	if !mat.Equal(scaled.Potentials(nil, raw), m.Potentials(nil, x)) || !mat.Equal(scaled.Proba(nil, raw),
		m.Proba(nil, x)) {
		t.Error("scaling changes the predictions")
	}
	for i, v := range scaled.RelevanceVectors() {
		plain := m.RelevanceVectors()[i]
		if !slices.Equal(v.X, plain.X) || !slices.Equal(plain.Raw, plain.X) {
			t.Error("X of a relevance vector depends on the scaling")
		}
		for j := range d {
			if math.Abs((v.Raw[j]-mean[j])/scale[j]-v.X[j]) > 1e-14 {
				t.Errorf("raw %v of %v", v.Raw, v.X)
			}
		}
	}
	mean[0] = 99 // the model has its own copy
	if again, _ := scaled.Scaling(); again[0] == 99 {
		t.Error("the model keeps the caller's slice")
	}
	if !mat.Equal(scaled.WithScaling(nil, nil).Potentials(nil, x), m.Potentials(nil, x)) {
		t.Error("scaling cannot be removed")
	}
}

func TestTemperature(t *testing.T) {
	m := load(t, small).WithTemperature(1)
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, -5, 0})
	cold, hot := m.WithTemperature(0.01), m.WithTemperature(1e6)
	if !mat.Equal(cold.Potentials(nil, x), m.Potentials(nil, x)) || !slices.Equal(hot.Predict(nil, x),
		m.Predict(nil, x)) {
		t.Error("the temperature changes potentials or labels")
	}
	for i, label := range m.Predict(nil, x) {
		if p := cold.Proba(nil, x).At(i, label); p < 1-1e-12 {
			t.Errorf("cold: %v", p)
		}
		if p := hot.Proba(nil, x).At(i, label); math.Abs(p-1./3) > 1e-5 {
			t.Errorf("hot: %v", p)
		}
		for _, extreme := range []float64{5e-324, 1e-300, 1e-150, 1e300, math.MaxFloat64} {
			sum := 0.0
			for c := range 3 {
				sum += m.WithTemperature(extreme).Proba(nil, x).At(i, c)
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("temperature %g: probabilities add up to %v", extreme, sum)
			}
		}
	}
}

func TestBadScalingAndTemperature(t *testing.T) {
	m := load(t, small)
	for name, f := range map[string]func(){
		"short":    func() { m.WithScaling([]float64{1}, []float64{1, 1}) },
		"half":     func() { m.WithScaling(nil, []float64{1, 1}) },
		"zero":     func() { m.WithScaling([]float64{0, 0}, []float64{1, 0}) },
		"infinite": func() { m.WithScaling([]float64{0, math.Inf(1)}, []float64{1, 1}) },
		"cold":     func() { m.WithTemperature(0) },
		"NaN":      func() { m.WithTemperature(math.NaN()) },
	} {
		must.Panic(t, name, f)
	}
}
