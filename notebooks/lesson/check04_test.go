package lesson_test

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
)

func TestCheckBias(t *testing.T) {
	for want, bias := range map[string]func(z, phiW []float64, beta float64) float64{
		"not yet":   func(_, _ []float64, _ float64) float64 { return math.NaN() },
		"right":     func(z, y []float64, beta float64) float64 { return (floats.Sum(z) - floats.Sum(y)) / (4 + beta) },
		"β̄ to N":   func(z, y []float64, _ float64) float64 { return (floats.Sum(z) - floats.Sum(y)) / 4 },
		"Φw is":     func(z, _ []float64, beta float64) float64 { return floats.Sum(z) / (4 + beta) },
		"the sign":  func(z, y []float64, beta float64) float64 { return (floats.Sum(y) - floats.Sum(z)) / (4 + beta) },
		"should be": func(_, _ []float64, _ float64) float64 { return 0 },
	} {
		holds(t, want, lesson.CheckBias(bias), want)
	}
}

func TestCheckRest(t *testing.T) {
	root := func(sign float64) func(rho float64) float64 {
		return func(rho float64) float64 {
			if rho < 2 {
				return 0
			}
			return (rho + sign*math.Sqrt(rho*rho-4)) / 2
		}
	}
	for want, rest := range map[string]func(rho float64) float64{
		"not yet":       func(float64) float64 { return math.NaN() },
		"right":         root(1),
		"smaller":       root(-1),
		"negative":      func(rho float64) float64 { return (rho + math.Sqrt(rho*rho-4)) / 2 },
		"it should be ": func(rho float64) float64 { return rho },
	} {
		holds(t, want, lesson.CheckRest(rest), want)
	}
}
