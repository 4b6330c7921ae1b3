package lesson_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func TestCheckBias(t *testing.T) {
	sum := floats.Sum
	for want, bias := range map[string]func(z, phiW []float64, beta float64) float64{
		"not yet":   func(_, _ []float64, _ float64) float64 { return math.NaN() },
		"right":     func(z, y []float64, beta float64) float64 { return (sum(z) - sum(y)) / (4 + beta) },
		"β̄ to N":   func(z, y []float64, _ float64) float64 { return (sum(z) - sum(y)) / 4 },
		"Φw is":     func(z, _ []float64, beta float64) float64 { return sum(z) / (4 + beta) },
		"the sign":  func(z, y []float64, beta float64) float64 { return (sum(y) - sum(z)) / (4 + beta) },
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

func TestCheckLower(t *testing.T) {
	square := func(a, b []float64) float64 { d := floats.Distance(a, b, 2); return d * d }
	for want, lower := range map[string]func(z, y, old []float64, logp float64) float64{
		"not yet":    func(_, _, _ []float64, _ float64) float64 { return math.NaN() },
		"right":      func(z, y, old []float64, logp float64) float64 { return logp - (square(z, y)-square(z, old))/2 },
		"add ½":      func(z, y, _ []float64, logp float64) float64 { return logp - square(z, y)/2 },
		"a factor ½": func(z, y, old []float64, logp float64) float64 { return logp - square(z, y) + square(z, old) },
		"swapped": func(z, y, old []float64, logp float64) float64 {
			return logp + (square(z, y)-square(z, old))/2
		},
		"at old; it": func(_, y, old []float64, logp float64) float64 { return logp - square(old, y)/2 },
		"touches":    func(z, y, old []float64, _ float64) float64 { return -(square(z, y) - square(z, old)) / 2 },
		"is above":   func(_, y, old []float64, logp float64) float64 { return logp + square(old, y) },
		"quadratic": func(_, y, old []float64, logp float64) float64 {
			for label := range y { // the label is the one that has this log p at old
				if p := probit.LogProb(old, label); p == logp {
					return probit.LogProb(y, label)
				}
			}
			return 0
		},
		"should be": func(z, y, old []float64, logp float64) float64 {
			return logp - 2*(square(z, y)-square(z, old))
		},
	} {
		holds(t, want, lesson.CheckLower(func(y, old []float64, label int) float64 {
			z, logp := probit.Means(nil, old, label)
			return lower(z, y, old, logp)
		}), want)
	}
}

// TestCheckEStepNames checks complete E-steps with a mistake in their code.
func TestCheckEStepNames(t *testing.T) {
	eStep := func(sign float64, keep bool) func(y []float64, t int) []float64 {
		return func(y []float64, t int) []float64 {
			z := slices.Clone(y)
			for j := range y {
				if j != t {
					z[j] = loser(sign, keep, 0.1)(y, t, j)
					z[t] += y[j] - z[j]
				}
			}
			return z
		}
	}
	holds(t, "right", lesson.CheckEStep(eStep(1, false)), "right")
	holds(t, "difference", lesson.CheckEStep(eStep(-1, false)), "the difference has the wrong sign")
	holds(t, "own factor", lesson.CheckEStep(eStep(1, true)), "leaves out j")
}

// rounds improves the weights one by one, as a student would write it.
func rounds(phi *mat.Dense, z, alpha, signs []float64, penalty float64, most int) []float64 {
	w, left := make([]float64, len(z)), slices.Clone(z)
	for moved := 1.0; moved > 1e-10 && most > 0; most-- {
		moved = 0
		for n := range w {
			if math.IsInf(alpha[n], 1) {
				continue
			}
			column := mat.Col(nil, n, phi)
			h := floats.Dot(column, column)
			best := signs[n] * max(0, signs[n]*(floats.Dot(column, left)+h*w[n])/(h+penalty*alpha[n]))
			floats.AddScaled(left, w[n]-best, column)
			w[n], moved = best, max(moved, math.Abs(best-w[n]))
		}
	}
	return w
}

func TestCheckMStep(t *testing.T) {
	type function = func(phi *mat.Dense, z, alpha, signs []float64) []float64
	best := func(penalty float64, most int) function {
		return func(phi *mat.Dense, z, a, signs []float64) []float64 { return rounds(phi, z, a, signs, penalty, most) }
	}
	free := func(keep float64) function { // multiplies weights of the wrong sign by keep
		return func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
			w := mean(1)(phi, z, alpha)
			for n := range w {
				if w[n]*signs[n] < 0 {
					w[n] *= keep
				}
			}
			return w
		}
	}
	for want, mStep := range map[string]function{
		"right: no slope":         best(1, 10000),
		"without the signs":       free(1),
		"wrong signs set to zero": free(0),
		"this is one round":       best(1, 1),
		"the penalty is missing":  best(0, 5000),
		"the slope of Q is":       best(2, 10000),
		"not yet":                 func(*mat.Dense, []float64, []float64, []float64) []float64 { return nil },
		"but 1 weights":           func(*mat.Dense, []float64, []float64, []float64) []float64 { return []float64{1} },
		"the sign of its": func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
			w := best(1, 10000)(phi, z, alpha, signs)
			floats.Scale(-1, w)
			return w
		},
		"Q rises with": func(_ *mat.Dense, z, _, _ []float64) []float64 { return make([]float64, len(z)) },
	} {
		holds(t, want, lesson.CheckMStep(mStep), want)
	}
}

// topDown is Algorithm 1 with its steps in a given order: M and E for all classes, T for a class and then the
// targets. It runs at most the given number of iterations, and prunes if limit is positive.
func topDown(order string, most int, limit float64) func(*data.Set, float64, int) [][]float64 {
	return func(set *data.Set, theta float64, iterations int) [][]float64 {
		phi := kernel.Gram(nil, kernel.RBF{Theta: theta}, set.X)
		var f, z, w, y, alpha [][]float64
		for c := range set.Classes {
			row := func() []float64 { return make([]float64, set.N()) }
			f, z, w, y = append(f, row()), append(z, row()), append(w, row()), append(y, row())
			alpha = append(alpha, slices.Repeat([]float64{1}, set.N()))
			for n, label := range set.T {
				f[c][n], z[c][n] = -1, 0.5
				if label == c {
					f[c][n], z[c][n] = 1, 5.5
				}
			}
		}
		b, beta := make([]float64, set.C()), slices.Repeat([]float64{1}, set.C())
		precision := func(w float64) float64 { return (1 + 2e-5) / (w*w + 2e-5) }
		expect := func() {
			for n, label := range set.T {
				means, _ := probit.Means(nil, []float64{y[0][n], y[1][n], y[2][n]}, label)
				for c := range z {
					z[c][n] = means[c]
				}
			}
		}
		for _, step := range strings.Repeat(order, min(iterations, most)) {
			if step == 'E' {
				expect()
				continue
			}
			for c := range w {
				target := slices.Clone(z[c])
				floats.AddConst(-b[c], target)
				w[c] = rounds(phi, target, alpha[c], f[c], 1, 10000)
				v := mat.NewVecDense(set.N(), y[c])
				v.MulVec(phi, mat.NewVecDense(set.N(), w[c]))
				b[c] = (floats.Sum(z[c]) - mat.Sum(v)) / (float64(set.N()) + beta[c])
				beta[c] = precision(b[c])
				for n := range w[c] {
					if alpha[c][n] = precision(w[c][n]); (w[c][n] == 0 || alpha[c][n] > 1e4) && limit > 0 {
						w[c][n], alpha[c][n] = 0, math.Inf(1)
					}
				}
				v.MulVec(phi, mat.NewVecDense(set.N(), w[c]))
				floats.AddConst(b[c], y[c])
				if step == 'T' {
					expect()
				}
			}
		}
		return w
	}
}

func TestCheckTopDown(t *testing.T) {
	fitted := topDown("ME", 1000, 1)(data.Line(data.LineSeed), 0.5, 140)
	but := func(change func(w [][]float64) [][]float64) func(*data.Set, float64, int) [][]float64 {
		return func(*data.Set, float64, int) [][]float64 {
			return change([][]float64{slices.Clone(fitted[0]), slices.Clone(fitted[1]), slices.Clone(fitted[2])})
		}
	}
	for want, f := range map[string]func(*data.Set, float64, int) [][]float64{
		"right: 4 weights":          but(func(w [][]float64) [][]float64 { return w }),
		"not yet":                   but(func([][]float64) [][]float64 { return nil }),
		"but 2 rows":                but(func(w [][]float64) [][]float64 { return w[:2] }),
		"class 0 has 3":             but(func(w [][]float64) [][]float64 { w[0] = w[0][:3]; return w }),
		"but 0.0000 in the":         but(func(w [][]float64) [][]float64 { w[1][0] = 1; return w }),
		"Without an M-step":         topDown("E", 1, 1),
		"the targets never":         topDown("M", 1000, 1),
		"If the E-step comes first": topDown("EM", 1000, 1),
		"after each class":          topDown("T", 1000, 1),
		"this is one iteration":     topDown("ME", 1, 1),
		"nothing is pruned":         topDown("ME", 1000, 0),
		"one differs by 1.0": but(func(w [][]float64) [][]float64 {
			w[0][slices.IndexFunc(w[0], func(v float64) bool { return v != 0 })]++
			return w
		}),
	} {
		holds(t, want, lesson.CheckTopDown(f), want)
	}
}
