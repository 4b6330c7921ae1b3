package lesson_test

import (
	"math"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
)

func TestCheckThreshold(t *testing.T) {
	at := func(shift int, share func(gamma float64) float64) func(m []float64, gamma float64) float64 {
		return func(m []float64, gamma float64) float64 {
			k := int(share(gamma)*float64(len(m)+1)+1e-9) + shift
			if k <= 0 {
				return math.Inf(-1)
			}
			return m[min(k, len(m))-1]
		}
	}
	low := func(gamma float64) float64 { return 1 - gamma }
	for want, threshold := range map[string]func(m []float64, gamma float64) float64{
		"not yet": func([]float64, float64) float64 { return math.NaN() },
		"right":   at(0, low),
		"index 0": at(1, low),
		"1 − γ":   at(0, func(gamma float64) float64 { return gamma }),
		"−∞": func(m []float64, gamma float64) float64 {
			return m[max(int((1-gamma)*float64(len(m)+1)+1e-9), 1)-1]
		},
		"should be": func(m []float64, _ float64) float64 { return m[2] },
	} {
		holds(t, want, lesson.CheckThreshold(threshold), want)
	}
}

func TestCoverage(t *testing.T) {
	lines := lesson.Coverage([]string{"a", "b"}, []float64{0.5, 0.9}, [][][]float64{{{40, 60}, {90}}, {{1}, {2}}})
	if len(lines) != 2 || !slices.Equal(lines[0].X, []float64{50, 90}) ||
		!slices.Equal(lines[0].Y, []float64{50, 90}) ||
		!slices.Equal(lines[0].Low, []float64{40, 90}) || !slices.Equal(lines[0].High, []float64{60, 90}) {
		t.Errorf("%+v", lines)
	}
}
