package search

import (
	"math"
	"testing"
)

// A setting beats another if it is better by more than the standard error of the mean
// difference: here .1 of four differences with a deviation of .2.
func TestBeats(t *testing.T) {
	with := func(losses ...float64) *setting { return &setting{losses: losses} }
	other := with(1, 1, 1, 1)
	d := 0.1 * math.Sqrt(3) // deviation .2 of ±d about the mean
	for _, c := range []struct {
		gain float64
		want bool
	}{{0.11, true}, {0.09, false}, {-0.2, false}} {
		m := 1 - c.gain
		if got := with(m-d, m-d, m+d, m+d).beats(other); got != c.want {
			t.Errorf("gain %g: %v", c.gain, got)
		}
	}
	if !other.beats(nil) || other.beats(other) {
		t.Error("against nothing it should, against itself not")
	}
}
