package lesson_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
			return floats.SubTo(z, y,
				z)
		},
		"0.5000 times": func(y, z []float64, _ int) []float64 {
			floats.Add(z, y)
			floats.Scale(0.5,
				z)
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

// maximum finds the weights by coordinate ascent; with free it ignores the signs until the end, as
// printed.
func maximum(phi *mat.Dense, z, alpha, signs []float64, free bool) []float64 {
	w, left := make([]float64, len(z)), slices.Clone(z)
	for range 2000 {
		for n := range w {
			column := mat.Col(nil, n, phi)
			v := (floats.Dot(column, left) + floats.Dot(column, column)*w[n]) / (floats.Dot(column, column) + alpha[n])
			if v*signs[n] < 0 && !free {
				v = 0
			}
			floats.AddScaled(left, w[n]-v, column)
			w[n] = v
		}
	}
	return w
}

func TestCheckMStep(t *testing.T) {
	for want, mStep := range map[string]func(phi *mat.Dense, z, alpha, signs []float64) []float64{
		"right: no slope": func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
			return maximum(phi, z, alpha, signs, false)
		},
		"not yet":       func(*mat.Dense, []float64, []float64, []float64) []float64 { return nil },
		"but 1 weights": func(*mat.Dense, []float64, []float64, []float64) []float64 { return []float64{1} },
		"the sign of its": func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
			w := maximum(phi, z, alpha, signs, false)
			floats.Scale(-1, w)
			return w
		},
		"not 0": func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
			floats.Scale(2, alpha)
			return maximum(phi, z, alpha, signs, false)
		},
		"Q rises with": func(_ *mat.Dense, z, _, _ []float64) []float64 { return make([]float64, len(z)) },
	} {
		holds(t, want, lesson.CheckMStep(mStep), want)
	}
}

func TestCheckTopDown(t *testing.T) {
	fit := func(set *data.Set, theta float64, iterations int) [][]float64 {
		model, _ := nb.Fit(mpcvm.TopDown{Kernel: kernel.RBF{Theta: theta}, MaxIterations: iterations, Tol: -1}, set)
		return lesson.WeightsOf(model, set.N())
	}
	for want, change := range map[string]func(w [][]float64) [][]float64{
		"right: 4 weights":  func(w [][]float64) [][]float64 { return w },
		"not yet":           func([][]float64) [][]float64 { return nil },
		"but 2 rows":        func(w [][]float64) [][]float64 { return w[:2] },
		"class 0 has 3":     func(w [][]float64) [][]float64 { w[0] = w[0][:3]; return w },
		"but 0.0000 in the": func(w [][]float64) [][]float64 { w[1][0] = 1; return w },
		"one differs by 1.0": func(w [][]float64) [][]float64 {
			w[0][slices.IndexFunc(w[0], func(v float64) bool { return v != 0 })]++
			return w
		},
	} {
		got := lesson.CheckTopDown(func(set *data.Set, theta float64, iterations int) [][]float64 {
			return change(fit(set, theta, iterations))
		})
		holds(t, want, got, want)
	}
}
