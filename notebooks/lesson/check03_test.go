package lesson_test

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/stat/distuv"
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

// loser is (22) as a student would write it, with the differences times sign, with or without the
// factor Ψ of j, and with the distance of the points in the numerator.
func loser(sign float64, keep bool, distance float64) func(y []float64, i, j int) float64 {
	return func(y []float64, i, j int) float64 {
		sum, p := 0.0, 0.0
		for _, e := range lesson.Span(-8, 8, 161) {
			d, q := distance*distuv.UnitNormal.Prob(e)*distuv.UnitNormal.Prob(e+sign*(y[i]-y[j])),
				0.1*distuv.UnitNormal.Prob(e)
			for k := range y {
				psi := distuv.UnitNormal.CDF(e + sign*(y[i]-y[k]))
				if k != i {
					q *= psi
				}
				if k != i && (k != j || keep) {
					d *= psi
				}
			}
			sum, p = sum+d, p+q
		}
		return y[j] - sum/p
	}
}

func TestCheckWinner(t *testing.T) {
	rise := func(y []float64, i int) float64 { z, _ := probit.Means(nil, y, i); return z[i] - y[i] }
	for want, winner := range map[string]func(y []float64, i int) float64{
		"not yet":       func([]float64, int) float64 { return math.NaN() },
		"right":         func(y []float64, i int) float64 { return y[i] + rise(y, i) },
		"goes down":     func(y []float64, i int) float64 { return y[i] - rise(y, i) },
		"alone":         rise,
		"has not moved": func(y []float64, i int) float64 { return y[i] },
		"has their sum": func(y []float64, i int) float64 { return y[i] + rise(y, i)/2 },
		"the winner itself": func(y []float64, i int) float64 {
			z := y[i]
			for j := range y {
				z += y[j] - loser(1, false, 0.1)(y, i, j)
			}
			return z
		},
		"it should be": func([]float64, int) float64 { return 7 },
	} {
		holds(t, want, lesson.CheckWinner(winner), want)
	}
}

func TestCheckLoser(t *testing.T) {
	shift := func(y []float64, i, j int) float64 {
		z, _ := probit.Means(nil, y, i)
		return y[j] - z[j]
	}
	for want, loser := range map[string]func(y []float64, i, j int) float64{
		"not yet": func([]float64, int, int) float64 { return math.NaN() },
		"right":   func(y []float64, i, j int) float64 { return y[j] - shift(y, i, j) },
		"a minus": func(y []float64, i, j int) float64 { return y[j] + shift(y, i, j) },
		"divide": func(y []float64, i, j int) float64 {
			return y[j] - shift(y, i, j)*probit.Proba(nil, y)[i]
		},
		"alone":                        func(y []float64, i, j int) float64 { return shift(y, i, j) },
		"leaves out":                   loser(1, true, 0.1),
		"the winner's potential first": loser(-1, false, 0.1),
		"the distance 0.1":             loser(1, false, 1),
		"should be":                    func(y []float64, i, j int) float64 { return y[j] - 5 },
	} {
		holds(t, want, lesson.CheckLoser(loser), want)
	}
}
