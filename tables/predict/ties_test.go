package predict

import "testing"

// The lower class wins a tie, as in mpcvm.Model.Predict; probabilities that differ only by rounding are
// tied.
func TestTies(t *testing.T) {
	for _, tt := range []struct {
		p    []float64
		want int
	}{
		{[]float64{0.2, 0.4, 0.4}, 1}, {[]float64{0.4, 0.2, 0.4}, 0}, {[]float64{1. / 3, 1. / 3, 1. / 3},
			0}, {[]float64{0.2, 0.3, 0.5}, 2},
	} {
		if a, b := Best(tt.p), MostProbable(tt.p); a != tt.want || b != tt.want {
			t.Errorf("%v: %d, %d, want %d", tt.p, a, b, tt.want)
		}
	}
	if got := MostProbable([]float64{0.4, 0.4 + 1e-10, 0.2}); got != 0 {
		t.Errorf("tie up to rounding: label %d, want 0", got)
	}
}
