package score

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"gonum.org/v1/gonum/mat"
)

func TestReliability(t *testing.T) {
	p := mat.NewDense(5, 2, []float64{
		.9, .1, // correct
		.2, .8, // correct
		.7, .3, // wrong
		.5, .5, // wrong: a tie is predicted as class 0
		0, 1, // correct
	})
	labels := []int{0, 1, 1, 1, 1}
	table, ece, err := Reliability(p, labels, 4)
	must.OK(t, err)
	want := []Bin{
		{0, .25, 0, 0, 0},
		{.25, .5, 0, 0, 0},
		{.5, .75, 2, .6, 0},
		{.75, 1, 3, .9, 1},
	}
	for k := range want {
		if !near(table[k], want[k]) {
			t.Errorf("bin %d: %+v, want %+v", k, table[k], want[k])
		}
	}
	if want := (2*.6 + 3*.1) / 5; math.Abs(ece-want) > 1e-15 {
		t.Errorf("ece %v, want %v", ece, want)
	}
	panics(t, "bins", func() { _, _, _ = Reliability(p, labels, 0) })
}

func near(a, b Bin) bool {
	return a.Low == b.Low && a.High == b.High && a.Count == b.Count &&
		math.Abs(a.Confidence-b.Confidence) < 1e-15 && math.Abs(a.Accuracy-b.Accuracy) < 1e-15
}

// A confidence at a bound belongs to the upper bin, regardless of rounding errors.
func TestBinsKeepTheirBounds(t *testing.T) {
	for bins := 1; bins <= 300; bins++ {
		table := newBins(bins)
		for k, b := range table {
			if got := find(table, b.Low); got != k {
				t.Fatalf("%d bins: %v is in bin %d, want %d", bins, b.Low, got, k)
			}
			if got := find(table, math.Nextafter(b.High, 0)); got != k {
				t.Fatalf("%d bins: below %v is in bin %d, want %d", bins, b.High, got, k)
			}
		}
		if find(table, 1) != bins-1 || find(table, 1+1e-12) != bins-1 || find(table, -1e-12) != 0 {
			t.Fatalf("%d bins: 0 or 1 is outside", bins)
		}
	}
}

func TestInterval(t *testing.T) {
	for _, w := range []struct {
		accuracy  float64
		count     int
		low, high float64
		// from R's prop.test without continuity correction
	}{{.5, 10, .2366, .7634}, {0, 20, 0, .1611}, {1, 5, .5655, 1}, {0, 0, 0, 1}} {
		low, high := Bin{Count: w.count, Accuracy: w.accuracy}.Interval()
		if math.Abs(low-w.low) > 1e-4 || math.Abs(high-w.high) > 1e-4 {
			t.Errorf("interval of %v of %d is %v to %v, want %v to %v", w.accuracy, w.count, low, high, w.low, w.high)
		}
	}
}
