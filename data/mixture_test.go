package data

import (
	"math"
	"slices"
	"testing"
)

// With one cloud per class, two classes and equal deviations, the Bayes error is known in closed
// form. The Bayes classifier has the error that BayesError estimates.
func TestMixtureError(t *testing.T) {
	m := NewMixture(2, 1, 3, 1, 4)
	m.clouds[0].deviation, m.clouds[1].deviation = 1, 1
	distance := 0.0
	for j, v := range m.clouds[0].centre {
		distance += (v - m.clouds[1].centre[j]) * (v - m.clouds[1].centre[j])
	}
	want := math.Erfc(math.Sqrt(distance)/2/math.Sqrt2) / 2
	if got, se := m.BayesError(200000, 1); math.Abs(got-want) > 4*se || se > 1e-3 {
		t.Errorf("two clouds %.2f apart: error %.5f ± %.5f, want %.5f", math.Sqrt(distance), got, se, want)
	}

	m = NewMixture(10, 4, 16, 1, 1)
	mean, se := m.BayesError(100000, 1)
	const n = 100000
	next, x, wrong := m.draws(2), make([]float64, 16), 0
	for range n {
		label := next(x)
		p := m.posterior(nil, x)
		sum := 0.0
		for _, v := range p {
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("posterior %v sums to %v", p, sum)
		}
		if slices.Index(p, slices.Max(p)) != label {
			wrong++
		}
	}
	got := float64(wrong) / n
	if sd := math.Sqrt(mean * (1 - mean) / n); math.Abs(got-mean) > 4*math.Hypot(sd, se) {
		t.Errorf("error %.5f of %d draws, estimated %.5f ± %.5f", got, n, mean, se)
	}
}

func TestMixtureSamples(t *testing.T) {
	m := NewMixture(3, 2, 4, 0.5, 7)
	a, b := m.Set(1000, 1), NewMixture(3, 2, 4, 0.5, 7).Set(900, 1)
	if !slices.Equal(a.X.RawMatrix().Data[:900*4], b.X.RawMatrix().Data) || !slices.Equal(a.T[:900], b.T) {
		t.Error("the same seed gives other samples")
	}
	if slices.Equal(m.Set(100, 2).T, a.T[:100]) {
		t.Error("another seed gives the same labels")
	}
	for c, count := range a.Counts() {
		if count < 250 || count > 420 {
			t.Errorf("%d of 1000 samples are of class %d", count, c)
		}
	}
	panics(t, "no classes", func() { NewMixture(0, 1, 1, 1, 1) })
	panics(t, "no spread", func() { NewMixture(1, 1, 1, math.NaN(), 1) })
	panics(t, "one draw", func() { m.BayesError(1, 1) })
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
