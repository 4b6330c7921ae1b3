package fitting

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// counted returns the number of samples of each class.
func counted(t []int, classes int) []float64 { return (&Data{T: t, C: classes, N: len(t)}).Mass() }

// TestCalibrateTemperature checks that few samples change the temperature little and many samples
// much, whatever the unit of the potentials, and never beyond its bounds.
func TestCalibrateTemperature(t *testing.T) {
	for _, unit := range []float64{0.02, 0.3, 1, 3, 100} {
		for _, n := range []int{3, 30, 300, 3000} {
			y, labels := noisy(n, 3, 2)
			y.Scale(unit, y)
			T := Calibrate(y, labels, nil, counted(labels, 3)).Temperature
			free := temperature(y, labels, nil, 0)
			bounded := min(max(free, coldest), hottest)
			if T < coldest-1e-9 || T > hottest+1e-9 || math.Abs(math.Log(T)) > math.Abs(math.Log(free))+0.02 {
				t.Errorf("unit %g, %d samples: T = %g, without the prior %g", unit, n, T, free)
			}
			if n == 3 && math.Abs(math.Log(T)) > 0.4 || n == 3000 && math.Abs(math.Log(T/bounded)) > 0.05 {
				t.Errorf("unit %g, %d samples: T = %g, without the prior %g", unit, n, T, free)
			}
		}
	}
	if c := Calibrate(mat.NewDense(1, 2, []float64{math.NaN(), 0}), []int{0}, nil,
		[]float64{3, 5}); c.Temperature != 1 || !floats.EqualApprox(c.Floor, []float64{1. / 80, 1. / 80}, 1e-15) {
		t.Errorf("%+v without samples", c)
	}
}

// TestCalibrateFloor checks that the floor of a class is a tenth of a sample, that useless
// potentials are replaced by frequencies and good ones are not, and that a few confident errors cost
// little.
func TestCalibrateFloor(t *testing.T) {
	const n = 300
	labels := make([]int, n)
	for i := range labels {
		labels[i] = max(0, i%5-2) // 60, 20 and 20 %
	}
	counts, rng := counted(labels, 3), rand.New(rand.NewPCG(2, 2))
	entropy := 0.0
	for _, count := range counts {
		entropy -= float64(count) / n * math.Log(float64(count)/n)
	}
	for name, tt := range map[string]struct {
		margin, wrong float64 // of the potentials, and the share of samples where it favours a wrong class
		least, most   float64 // bounds on the share of the frequencies
		worst         float64 // mean log loss
	}{"good": {4, 0, 0, 0.01, 0.1}, "noise": {0, 0, 0.8, 1, entropy + 0.001}, "sure and wrong": {40, 0.1, 0.05,
		0.5, 0.7}} {
		y := mat.NewDense(n, 3, nil)
		for i, label := range labels {
			if rng.Float64() < tt.wrong {
				label = (label + 1) % 3
			}
			for c := range 3 {
				y.Set(i, c, rng.NormFloat64())
			}
			y.Set(i, label, y.At(i, label)+tt.margin)
		}
		c := Calibrate(y, labels, nil, counts)
		share := floats.Sum(c.Floor) - 3*0.1/n
		if share < tt.least-1e-9 || share > tt.most {
			t.Errorf("%s: the share of the frequencies is %g", name, share)
		}
		for k, f := range c.Floor {
			if want := 0.1/n + share*float64(counts[k])/n; math.Abs(f-want) > 1e-12 {
				t.Errorf("%s: floor %d is %g, want %g", name, k, f, want)
			}
		}
		losses, errorRate := c.Evaluate(y, labels, nil)
		if mean := floats.Sum(losses) / n; mean > tt.worst || slices.Max(losses) > math.Log(10*n)+1e-9 {
			t.Errorf("%s: log loss %g, at most %g", name, mean, slices.Max(losses))
		}
		p := mat.DenseCopyOf(y)
		c.Proba(p)
		wrong := 0
		for i, label := range labels {
			row := p.RawRowView(i)
			if math.Abs(floats.Sum(row)-1) > 1e-12 || math.Abs(losses[i]+math.Log(row[label])) > 1e-12 {
				t.Errorf("%s: sample %d: probabilities %v, loss %g", name, i, row, losses[i])
			}
			if floats.MaxIdx(row) != label {
				wrong++
			}
		}
		if math.Abs(errorRate-float64(wrong)/n) > 1e-12 {
			t.Errorf("%s: error rate %g with %d of %d wrong", name, errorRate, wrong, n)
		}
	}
}

// TestMix checks that the share maximises the likelihood.
func TestMix(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for trial := range 50 {
		q, frequency := make([]float64, 20), make([]float64, 20)
		for i := range q {
			q[i], frequency[i] = math.Pow(rng.Float64(), float64(1+trial%5)), rng.Float64()
		}
		const least, most = 0.005, 0.985
		value := func(share float64) (sum float64) {
			for i, v := range q {
				sum += math.Log(least + share*frequency[i] + (most-share)*v)
			}
			return sum
		}
		got := mix(q, frequency, nil, least, most)
		for i := range 101 {
			if share := most * float64(i) / 100; value(share) > value(got)+1e-9 {
				t.Errorf("trial %d: share %g, but %g is better", trial, got, share)
			}
		}
	}
}
