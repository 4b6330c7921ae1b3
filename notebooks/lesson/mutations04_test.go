package lesson_test

import (
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func topDowns(c *catalogue) {
	lowers(c)
	slopes(c)
	mSteps(c)
	sum := floats.Sum
	run(c, "(29)", lesson.CheckBias, []mistake[func(z, phiW []float64, beta float64) float64]{
		{"right", func(z, y []float64, beta float64) float64 { return (sum(z) - sum(y)) / (4 + beta) }, ""},
		{"forgotten", func(z, y []float64, _ float64) float64 { return (sum(z) - sum(y)) / 4 }, "β̄ to N"},
		{"forgotten", func(z, _ []float64, beta float64) float64 { return sum(z) / (4 + beta) }, "Φw is missing"},
		{"forgotten", func(z, y []float64, _ float64) float64 { return sum(z) - sum(y) }, "divide it by N + β̄"},
		{"sign", func(z, y []float64, beta float64) float64 { return (sum(y) - sum(z)) / (4 + beta) }, "sign is"},
		{"sign", func(z, y []float64, beta float64) float64 { return (sum(z) + sum(y)) / (4 + beta) },
			"wrong sign"},
		{"inverse", func(z, y []float64, beta float64) float64 { return (sum(z) - sum(y)) / (4 + 1/beta) },
			"1/β̄ for"},
	})
	root := func(sign, d, limit float64) func(rho float64) float64 {
		return func(rho float64) float64 {
			if rho < limit {
				return 0
			}
			return (rho + sign*math.Sqrt(rho*rho-d)) / 2
		}
	}
	run(c, "fixed point", lesson.CheckRest, []one{
		{"right", root(1, 4, 2), ""},
		{"sign", root(-1, 4, 2), "smaller"},
		{"case", root(1, 4, 0), "negative number"},
		{"forgotten", root(1, 1, 2), "ρ² − 4"},
		{"lost ½", func(rho float64) float64 { return 2 * root(1, 4, 2)(rho) }, "½ is missing"},
		{"forgotten", func(rho float64) float64 { return rho }, "price of the weight"},
	})
	run(c, "Algorithm 1", lesson.CheckTopDown, []mistake[func(*data.Set, float64, int) *mat.Dense]{
		{"right", topDown("ME", 1000, 1, false), ""},
		{"order", topDown("EM", 1000, 1, false), "If the E-step comes first"},
		{"order", topDown("T", 1000, 1, false), "after each class"},
		{"forgotten", topDown("M", 1000, 1, false), "the targets never"},
		{"forgotten", topDown("E", 1, 1, false), "Without an M-step"},
		{"forgotten", topDown("ME", 1, 1, false), "this is one iteration"},
		{"forgotten", topDown("ME", 1000, 0, false), "nothing is pruned"},
		{"argument", topDown("ME", 1000, 1, true), "not from z̄"},
	})
}

func lowers(c *catalogue) {
	square := func(a, b []float64) float64 { d := floats.Distance(a, b, 2); return d * d }
	// by is a bound from log p(t | old) and the distances of z̄ and old from y, and of z̄ from old.
	by := func(f func(logp, zy, zo, oy float64) float64) func(y, old []float64, t int) float64 {
		return func(y, old []float64, t int) float64 {
			z, logp := probit.Means(nil, old, t)
			return f(logp, square(z, y), square(z, old), square(old, y))
		}
	}
	run(c, "bound", lesson.CheckLower, []mistake[func(y, old []float64, t int) float64]{
		{"right", by(func(logp, zy, zo, _ float64) float64 { return logp - (zy-zo)/2 }), ""},
		{"forgotten", by(func(logp, zy, _, _ float64) float64 { return logp - zy/2 }), "add ½"},
		{"forgotten", by(func(_, zy, zo, _ float64) float64 { return -(zy - zo) / 2 }), "which is missing"},
		{"lost ½", by(func(logp, zy, zo, _ float64) float64 { return logp - zy + zo }), "a factor ½"},
		{"sign", by(func(logp, zy, zo, _ float64) float64 { return logp + (zy-zo)/2 }), "swapped"},
		{"argument", by(func(logp, _, _, oy float64) float64 { return logp - oy/2 }), "maximum at old"},
		{"square", by(func(logp, zy, zo, _ float64) float64 {
			return logp - (math.Sqrt(zy)-math.Sqrt(zo))/2
		}), "distances are squared"},
		{"logarithm", by(func(logp, zy, zo, _ float64) float64 { return math.Exp(logp) - (zy-zo)/2 }), "logarithm"},
		{"other", func(y, _ []float64, t int) float64 { return probit.LogProb(y, t) }, "quadratic"},
		{"argument", func(y, old []float64, t int) float64 {
			z, _ := probit.Means(nil, y, t)
			return probit.LogProb(old, t) - (square(z, y)-square(z, old))/2
		}, "potentials old"},
	})
	mean := func(w, u, v float64) float64 { return (2*u + 1) / (w*w + 2*v) }
	bound := func(f func(w, old, a float64) float64) func(w, old, u, v float64) float64 {
		return func(w, old, u, v float64) float64 { return f(w, old, mean(old, u, v)) }
	}
	run(c, "prior's bound", lesson.CheckLowerPrior, []four{
		{"right", bound(func(w, old, a float64) float64 { return -a * (w*w - old*old) / 2 }), ""},
		{"lost ½", bound(func(w, old, a float64) float64 { return -a * (w*w - old*old) }), "½"},
		{"sign", bound(func(w, old, a float64) float64 { return a * (w*w - old*old) / 2 }), "sign"},
		{"forgotten", bound(func(w, _, a float64) float64 { return -a * w * w / 2 }), "zero"},
		{"square", bound(func(w, old, a float64) float64 { return -a * (w - old) / 2 }), "squared"},
		{"inverse", bound(func(w, old, a float64) float64 { return -(w*w - old*old) / a / 2 }), "variance"},
		{"argument", bound(func(w, old, a float64) float64 { return -a * (w - old) * (w - old) / 2 }),
			"centred at 0"},
		{"argument", func(w, old, u, v float64) float64 { return -mean(w, u, v) * (w*w - old*old) / 2 }, "at old"},
	})
}

func slopes(c *catalogue) {
	type slopesOfQ = func(phi *mat.Dense, z, w, alpha []float64, b, beta float64) ([]float64, float64)
	// by computes both slopes from residuals, with a penalty and factors.
	by := func(two, penalty, withB float64, change func(v float64) float64) slopesOfQ {
		return func(phi *mat.Dense, z, w, alpha []float64, b, beta float64) (byW []float64, byB float64) {
			n := len(z)
			var left, slope mat.VecDense
			left.MulVec(phi, mat.NewVecDense(n, slices.Clone(w)))
			left.SubVec(mat.NewVecDense(n, slices.Clone(z)), &left)
			floats.AddConst(-withB*b, left.RawVector().Data)
			slope.MulVec(phi.T(), &left)
			for i := range w {
				byW = append(byW, two*(slope.AtVec(i)-penalty*alpha[i]*change(w[i])))
			}
			return byW, two * (mat.Sum(&left) - penalty*beta*change(b))
		}
	}
	run(c, "(26), (27)", lesson.CheckSlopes, []mistake[slopesOfQ]{
		{"right", by(1, 1, 1, same), ""},
		{"lost ½", by(2, 1, 1, same), "cancels the ½"},
		{"lost ½", by(1, 0.5, 1, same), "missing a factor 2"},
		{"sign", by(-1, 1, 1, same), "sign is wrong"},
		{"sign", by(1, -1, 1, same), "penalty has the wrong sign"},
		{"forgotten", by(1, 0, 1, same), "penalty ᾱw"},
		{"forgotten", by(1, 1, 0, same), "b is missing"},
		{"square", by(1, 1, 1, func(v float64) float64 { return v * v }), "½ᾱw² is ᾱw"},
		{"sign", by(1, 1, -1, same), "b has the wrong sign"},
		{"forgotten", func(phi *mat.Dense, z, w, alpha []float64, b, beta float64) ([]float64, float64) {
			_, byB := by(1, 1, 1, same)(phi, z, w, alpha, b, beta)
			var left mat.VecDense
			left.MulVec(phi, mat.NewVecDense(len(z), w))
			byW := slices.Clone(z)
			for i := range byW {
				byW[i] -= left.AtVec(i) + b + alpha[i]*w[i]
			}
			return byW, byB
		}, "chain rule"},
	})
}

// coordinates improves the weights one by one, as a student would write it: with the optimum of one weight
// from φᵀr, h, w and ᾱ, a factor for the update of the residuals, and a number of rounds.
func coordinates(optimum func(pr, h, w, alpha float64) float64, update float64, most int) mStep {
	return func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
		w, left := make([]float64, len(z)), slices.Clone(z)
		for moved := 1.0; moved > 1e-10 && most > 0; most-- {
			moved = 0
			for n := range w {
				if math.IsInf(alpha[n], 1) {
					continue
				}
				column := mat.Col(nil, n, phi)
				best := optimum(floats.Dot(column, left), floats.Dot(column, column), w[n], alpha[n])
				best = signs[n] * max(0, signs[n]*best)
				floats.AddScaled(left, update*(w[n]-best), column)
				w[n], moved = best, max(moved, math.Abs(best-w[n]))
			}
		}
		return w
	}
}

type mStep = func(phi *mat.Dense, z, alpha, signs []float64) []float64

func ridge(pr, h, w, alpha float64) float64 { return (pr + h*w) / (h + alpha) }

func mSteps(c *catalogue) {
	penalty := func(f func(alpha float64) float64) mStep {
		return coordinates(func(pr, h, w, alpha float64) float64 { return (pr + h*w) / (h + f(alpha)) }, 1, 5000)
	}
	free := func(keep float64) mStep { // multiplies weights of the wrong sign by keep
		return func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
			w := mean(same)(phi, z, alpha)
			for n := range w {
				if w[n]*signs[n] < 0 {
					w[n] *= keep
				}
			}
			return w
		}
	}
	run(c, "(28)", lesson.CheckMStep, []mistake[mStep]{
		{"right", coordinates(ridge, 1, 10000), ""},
		{"not written", func(*mat.Dense, []float64, []float64, []float64) []float64 {
			panic(lesson.Unwritten("mStep"))
		}, "not yet"},
		{"signs", free(1), "without the signs"},
		{"signs", free(0), "wrong signs set to zero"},
		{"forgotten", coordinates(ridge, 1, 1), "this is one round"},
		{"forgotten", penalty(func(float64) float64 { return 0 }), "the penalty is missing"},
		{"forgotten", penalty(func(float64) float64 { return 1 }), "not 1"},
		{"inverse", penalty(func(a float64) float64 { return 1 / a }), "ᾱ is a precision"},
		{"lost ½", penalty(func(a float64) float64 { return 2 * a }), "not 2ᾱ"},
		{"lost ½", penalty(func(a float64) float64 { return a / 2 }), "not ½ᾱ"},
		{"forgotten", coordinates(func(pr, h, _, a float64) float64 { return pr / (h + a) }, 1, 20000), "h w is"},
		{"sign", coordinates(ridge, -1, 200), "without bound"},
		{"sign", func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
			w := coordinates(ridge, 1, 10000)(phi, z, alpha, signs)
			floats.Scale(-1, w)
			return w
		}, "the sign of its"},
		{"empty", func(_ *mat.Dense, z, _, _ []float64) []float64 { return make([]float64, len(z)) }, "Q rises"},
		{"overwritten", func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
			w := coordinates(ridge, 1, 10000)(phi, z, alpha, signs)
			copy(z, w)
			return w
		}, "overwrites"},
		{"length", func(*mat.Dense, []float64, []float64, []float64) []float64 { return []float64{1} }, "but 1"},
	})
}

func same(v float64) float64 { return v }

// topDown is Algorithm 1 with its steps in a given order: M and E for all classes, T for a class and then the
// targets. It runs at most the given number of iterations, and prunes if limit is positive.
// With onZ, the E-step starts from z̄.
func topDown(order string, most int, limit float64, onZ bool) func(*data.Set, float64, int) *mat.Dense {
	return func(set *data.Set, theta float64, iterations int) *mat.Dense {
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
				from := y
				if onZ {
					from = z
				}
				means, _ := probit.Means(nil, []float64{from[0][n], from[1][n], from[2][n]}, label)
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
				w[c] = coordinates(ridge, 1, 10000)(phi, target, alpha[c], f[c])
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
		return mat.NewDense(set.C(), set.N(), slices.Concat(w...))
	}
}
