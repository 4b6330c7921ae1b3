package lesson_test

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
)

func TestCheckProba(t *testing.T) {
	for want, proba := range map[string]func(y []float64, i int) float64{
		"not yet":  func([]float64, int) float64 { return math.NaN() },
		"right":    func(y []float64, i int) float64 { return probit.Proba(nil, y)[i] },
		"half of":  func(y []float64, i int) float64 { return probit.Proba(nil, y)[i] / 2 },
		"distance": func(y []float64, i int) float64 { return probit.Proba(nil, y)[i] * 10 },
		"y_i is": func(y []float64, i int) float64 {
			y = append([]float64(nil), y...)
			y[i] = 0
			return probit.Proba(nil, y)[i]
		},
		"it should be": func([]float64, int) float64 { return 0 },
	} {
		holds(t, want, lesson.CheckProba(proba), want)
	}
}

func TestCheckLoser(t *testing.T) {
	shift := func(y []float64, i, j int) float64 {
		z, _ := probit.Means(nil, y, i)
		return y[j] - z[j]
	}
	for want, loser := range map[string]func(y []float64, i, j int) float64{
		"not yet":    func([]float64, int, int) float64 { return math.NaN() },
		"right":      func(y []float64, i, j int) float64 { return y[j] - shift(y, i, j) },
		"a minus":    func(y []float64, i, j int) float64 { return y[j] + shift(y, i, j) },
		"divide":     func(y []float64, i, j int) float64 { return y[j] - shift(y, i, j)*probit.Proba(nil, y)[i] },
		"alone":      func(y []float64, i, j int) float64 { return shift(y, i, j) },
		"leaves out": func(y []float64, i, j int) float64 { return y[j] - 0.7*shift(y, i, j) },
		"should be":  func(y []float64, i, j int) float64 { return y[j] - 5 },
	} {
		holds(t, want, lesson.CheckLoser(loser), want)
	}
}
