package lesson_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
)

// holds fails if the verdict does not contain the expected text.
func holds(t *testing.T, name, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}

func TestCheckEStep(t *testing.T) {
	changed := func(change func(y, z []float64, t int) []float64) func(y []float64, t int) []float64 {
		return func(y []float64, t int) []float64 {
			z, _ := probit.Means(nil, y, t)
			return change(y, z, t)
		}
	}
	for want, change := range map[string]func(y, z []float64, t int) []float64{
		"right":             func(_, z []float64, _ int) []float64 { return z },
		"not yet":           func(_, _ []float64, _ int) []float64 { return nil },
		"z̄ has 2":          func(_, z []float64, _ int) []float64 { return z[:2] },
		"nothing is learnt": func(y, _ []float64, _ int) []float64 { return y },
		"takes what they":   func(y, z []float64, t int) []float64 { z[t] = y[t]; return z },
		"(22) has a minus": func(y, z []float64, _ int) []float64 {
			floats.Sub(z, y)
			return floats.SubTo(z, y, z)
		},
		"0.5000 times": func(y, z []float64, _ int) []float64 {
			floats.Add(z, y)
			floats.Scale(0.5, z)
			return z
		},
		"divide by the probability": func(y, z []float64, t int) []float64 {
			p := math.Exp(probit.LogProb(y, t))
			floats.Sub(z, y)
			floats.Scale(p, z)
			return floats.AddTo(z, y, z)
		},
		"overwrites y":   func(y, z []float64, _ int) []float64 { return append(y[:0], z...) },
		"It should be [": func(_, z []float64, t int) []float64 { z[(t+1)%3] += 0.1; return z },
	} {
		holds(t, want, lesson.CheckEStep(changed(change)), want)
	}
}
