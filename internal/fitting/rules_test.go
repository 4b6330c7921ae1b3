package fitting

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// A model has at most 1000 classes, which every learner checks first.
func TestMaxClasses(t *testing.T) {
	for _, classes := range []int{MaxClasses, MaxClasses + 1} {
		labels := make([]int, classes)
		for i := range labels {
			labels[i] = i
		}
		_, err := New(Samples{X: mat.NewDense(classes, 1, nil), T: labels})
		if (err == nil) != (classes == MaxClasses) || err != nil && !strings.Contains(err.Error(),
			"a model has at most 1000 classes; classes found: 1001") {
			t.Errorf("%d classes: %v", classes, err)
		}
	}
}

// A model is no better than the frequencies if it makes at least nine tenths of their errors and its
// log-likelihood gains at most one nat per weight.
func TestNoBetter(t *testing.T) {
	const n, small = 100, 40 // the frequencies have 40 errors
	labels, weights := make([]int, n), make([]float64, n)
	for i := range n {
		if weights[i] = 1; i < small {
			labels[i] = 1
		}
	}
	d := must.Get(New(Samples{X: mat.NewDense(n, 1, nil), T: labels}))(t)
	least := d.BiasLogLik(d.Frequencies())
	for _, tt := range []struct {
		wrong  int
		gain   float64 // of the log-likelihood, with 2 weights
		double int     // samples of the larger class that count twice
		want   bool
	}{
		{36, 0, 0, true}, {35, 0, 0, false}, {40, 2, 0, true}, {40, 2.001, 0, false}, {36, 1.999, 0, true}, {32, 0,
			0, false}, {100, 0, 0, true},
		{36, 0, 60, true}, {35, 0, 60, false},
	} {
		y := mat.NewDense(2, n, nil)
		for i, label := range labels {
			y.Set(label, i, 1)
			if i < tt.wrong {
				y.Set(1-label, i, 2)
			}
		}
		d.Weights = append([]float64(nil), weights...)
		for i := range tt.double {
			d.Weights[n-1-i] = 2
		}
		base := least
		if tt.double > 0 {
			base = d.BiasLogLik(d.Frequencies())
		}
		if got := d.NoBetter(base+tt.gain, 2, y); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
		d.Weights = nil
	}
}

// The threshold of a set is the k-th smallest score, k = n + 1 − ⌈P(n + 1)⌉.
func TestPlaceOfThreshold(t *testing.T) {
	for _, tt := range []struct {
		n        int
		coverage float64
		k        int // 0 for no limit
	}{
		{9, 0.8, 2}, {9, 0.9, 1}, {9, 0.91, 0}, {9, 0.5, 5}, {9, 0.55, 4}, {19, 0.95, 1}, {19, 0.9, 2}, {19, 0.94,
			1}, {19, 0.55, 9}, {18, 0.95, 0}, {99, 0.8, 20}, {99, 0.95, 5}, {100, 0.95, 5}, {4, 0.2, 4},
		{256, 0.5, 128},
	} {
		values := make([]float64, tt.n)
		for i := range values {
			values[i] = float64(i + 1)
		}
		want := math.Inf(-1)
		if tt.k > 0 {
			want = float64(tt.k)
		}
		if got := listOf(values).Thresholds(tt.coverage, 2); got[0] != want || got[1] != want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	// With many scores, the threshold is the next smaller stored score: never above the k-th, and
	// near it.
	for _, n := range []int{300, 1000, 5000} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i + 1)
		}
		for _, coverage := range []float64{0.5, 0.8, 0.9, 0.95, 0.99} {
			k := float64(n + 1 - int(math.Ceil(coverage*float64(n+1)-1e-9)))
			if got := listOf(values).Thresholds(coverage, 2)[0]; got > k ||
				got < k-2*math.Sqrt(k*float64(n))/mostScores-1 {
				t.Errorf("%d scores, coverage %g: rank %v, want %v or a little less", n, coverage, got, k)
			}
		}
	}
}

// The lowest class wins a tie: of potentials, of probabilities with a floor and of expected costs.
func TestTies(t *testing.T) {
	same := mat.NewDense(3, 3, []float64{0, 1, 1, 1, 0, 1, 1, 1, 0}).RawMatrix().Data
	costs := [][]float64{same[:3], same[3:6], same[6:]}
	for _, tt := range []struct {
		y    []float64
		want int
	}{
		{[]float64{1, 1, 1}, 0}, {[]float64{0, 1, 1}, 1}, {[]float64{1, 0, 1}, 0}, {[]float64{0, 0, 1}, 2},
	} {
		p := []float64{(1 + tt.y[0]) / 6, (1 + tt.y[1]) / 6, (1 + tt.y[2]) / 6}
		for name, got := range map[string]int{
			"Argmax": Argmax(tt.y), "floor": Calibration{Floor: make([]float64, 3)}.Label(2, p), "costs": Calibration{
				Costs: costs}.Label(2, p), "LeastCost": LeastCost(p, costs),
		} {
			if got != tt.want {
				t.Errorf("%s of %v: %d, want %d", name, tt.y, got, tt.want)
			}
		}
		for _, by := range []float64{1e-10, -1e-10} { // differences by rounding are ties
			near := append([]float64(nil), p...)
			near[tt.want] -= by
			if got := (Calibration{Floor: make([]float64, 3)}).Label(0, near); got != tt.want {
				t.Errorf("%s: %d, want %d", fmt.Sprint(near), got, tt.want)
			}
		}
	}
}
