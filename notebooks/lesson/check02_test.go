package lesson_test

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
)

func TestCheckPrecision(t *testing.T) {
	for want, precision := range map[string]func(w, u, v float64) float64{
		"not yet":       func(_, _, _ float64) float64 { return math.NaN() },
		"right":         func(w, u, v float64) float64 { return (2*u + 1) / (w*w + 2*v) },
		"the mode":      func(w, u, v float64) float64 { return (u - 0.5) / (v + w*w/2) },
		"a variance":    func(w, u, v float64) float64 { return (v + w*w/2) / (u + 0.5) },
		"½ is missing":  func(w, u, v float64) float64 { return (u + 0.5) / (v + w*w) },
		"the shape":     func(w, u, v float64) float64 { return u / (v + w*w/2) },
		"factor of two": func(w, u, v float64) float64 { return (u + 0.5) / (w*w + 2*v) },
		"should be":     func(_, _, _ float64) float64 { return 0 },
	} {
		holds(t, want, lesson.CheckPrecision(precision), want)
	}
}

func TestCheckBestPrecision(t *testing.T) {
	for want, best := range map[string]func(z float64) float64{
		"not yet": func(float64) float64 { return math.NaN() },
		"right": func(z float64) float64 {
			if z*z <= 1 {
				return math.Inf(1)
			}
			return 1 / (z*z - 1)
		},
		"not negative": func(z float64) float64 { return 1 / (z*z - 1) },
		"up to α = ∞":  func(float64) float64 { return 2 },
		"its inverse":  func(z float64) float64 { return math.Abs(z*z-1) / b2f(z*z > 1) },
		"whole":        func(z float64) float64 { return 1 / (z * z) / b2f(z*z > 1) },
		"should be":    func(z float64) float64 { return 5 / b2f(z*z > 1) },
	} {
		holds(t, want, lesson.CheckBestPrecision(best), want)
	}
}

// b2f returns 1 or 0.
func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
