package lesson_test

import (
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// covariance returns noise·I + Σ power(α)·φφᵀ.
func covariance(noise float64, power func(a float64) float64) func(*mat.Dense, []float64) *mat.SymDense {
	return func(phi *mat.Dense, alpha []float64) *mat.SymDense {
		c := mat.NewSymDense(len(alpha), nil)
		for n, a := range alpha {
			c.SetSym(n, n, c.At(n, n)+noise)
			c.SymRankOne(c, power(a), phi.ColView(n))
		}
		return c
	}
}

type bothFactors = func(phi *mat.Dense, z, alpha []float64) (s, q []float64)

// factors computes S and Q with the N×N inverse, and from them s and q.
func factors(own func(a, S float64) float64, sign float64) bothFactors {
	return func(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
		var inverse mat.Dense
		lesson.Try(inverse.Inverse(covariance(1, func(a float64) float64 { return 1 / a })(phi, alpha)))
		for n, a := range alpha {
			S := mat.Inner(phi.ColView(n), &inverse, phi.ColView(n))
			Q := sign * mat.Inner(phi.ColView(n), &inverse, mat.NewVecDense(len(z), z))
			out := 1.0
			if !math.IsInf(a, 1) {
				out = own(a, S)
			}
			s, q = append(s, out*S), append(q, out*Q)
		}
		return s, q
	}
}

// mean solves H w = Φᵀz for the samples in the model, with changed precisions.
func mean(change func(a float64) float64) func(phi *mat.Dense, z, alpha []float64) []float64 {
	return func(phi *mat.Dense, z, alpha []float64) []float64 {
		z = slices.Clone(z)
		rows := mat.NewDense(2*len(z), len(z), nil) // least squares: Φw = z, √α w = 0
		for n, a := range alpha {
			rows.Set(len(z)+n, n, 1)
			if !math.IsInf(a, 1) {
				rows.Set(len(z)+n, n, math.Sqrt(change(a)))
				rows.Slice(0, len(z), n, n+1).(*mat.Dense).Copy(phi.ColView(n))
			}
		}
		var w mat.VecDense
		lesson.Try(w.SolveVec(rows, mat.NewVecDense(2*len(z), append(z, make([]float64, len(z))...))))
		for n, a := range alpha {
			if math.IsInf(a, 1) {
				w.SetVec(n, 0)
			}
		}
		return w.RawVector().Data
	}
}

// change makes the right choice, except for the rules that its arguments disable.
func change(byGain, signs, deletion, turns bool) func(s, q, alpha, f []float64, turn int) (n int, a float64) {
	return func(s, q, alpha, f []float64, turn int) (n int, a float64) {
		add, remove, in := -1, -1, []int{}
		for i := range s {
			gain := q[i]*q[i] - s[i]
			passes := gain > 0 && (!signs || f[i]*q[i] > 0)
			if !math.IsInf(alpha[i], 1) {
				in = append(in, i)
				if !passes && deletion {
					remove = i
				}
			} else if passes && (add < 0 || byGain && gain > q[add]*q[add]-s[add]) {
				add = i
			}
		}
		switch {
		case add >= 0:
			return add, s[add] * s[add] / (q[add]*q[add] - s[add])
		case remove >= 0:
			return remove, math.Inf(1)
		case len(in) == 0:
			return -1, 0
		}
		n = in[0]
		if turns {
			n = in[turn%len(in)]
		}
		return n, s[n] * s[n] / (q[n]*q[n] - s[n])
	}
}

func inverse(a float64) float64 { return 1 / a }

func bottomUps(c *catalogue) {
	inside := func(f func(a float64) float64) func(a float64) float64 {
		return func(a float64) float64 {
			if math.IsInf(a, 1) {
				return 0
			}
			return f(a)
		}
	}
	run(c, "(33)", lesson.CheckCovariance, []mistake[func(*mat.Dense, []float64) *mat.SymDense]{
		{"right", covariance(1, inverse), ""},
		{"forgotten", covariance(0, inverse), "add I"},
		{"inverse", covariance(1, inside(same)), "is a precision"},
		{"deviation", covariance(1, func(a float64) float64 { return 1 / math.Sqrt(a) }), "standard deviation"},
		{"case", covariance(1, same), "contributes nothing"},
		{"square", covariance(1, func(a float64) float64 { return 1 / a / a }), "α is squared"},
		{"length", func(*mat.Dense, []float64) *mat.SymDense { return mat.NewSymDense(2, nil) }, "have 25"},
	})
	run(c, "(34), (35)", lesson.CheckParts, []mistake[func(alpha, s, q float64) (float64, float64)]{
		{"right", func(a, s, q float64) (float64, float64) { return math.Log(1 + s/a), -q * q / (a + s) }, ""},
		{"logarithm", func(a, s, q float64) (float64, float64) { return 1 + s/a, -q * q / (a + s) }, "logarithm"},
		{"sign", func(a, s, q float64) (float64, float64) { return math.Log(1 + s/a), q * q / (a + s) }, "a minus"},
		{"square", func(a, s, q float64) (float64, float64) { return math.Log(1 + s/a), -q / (a + s) }, "squared"},
		{"forgotten", func(a, s, q float64) (float64, float64) { return math.Log(1 + s/a), -q * q / a }, "α + s"},
		{"inverse", func(a, s, q float64) (float64, float64) {
			return math.Log(1 + s*a), -a * q * q / (1 + a*s)
		}, "1/α"},
	})
	l := func(alpha, s, q float64) float64 { return (math.Log(alpha) - math.Log(alpha+s) + q*q/(alpha+s)) / 2 }
	run(c, "(36)", lesson.CheckGain, []three{
		{"right", l, ""},
		{"lost ½", func(a, s, q float64) float64 { return 2 * l(a, s, q) }, "½ of (32) is missing"},
		{"lost ½", func(a, s, q float64) float64 { return l(a, s, q) + q*q/(a+s)/2 }, "square too"},
		{"sign", func(a, s, q float64) float64 { return l(a, s, q) - q*q/(a+s) }, "(32) has a minus"},
		{"sign", func(a, s, q float64) float64 { return -l(a, s, q) + q*q/(a+s) }, "logarithms have"},
		{"square", func(a, s, q float64) float64 { return l(a, s, q) - (q*q-q)/(a+s)/2 }, "q is squared"},
		{"forgotten", func(a, s, q float64) float64 { return l(a, s, q) + math.Log(a+s)/2 }, "two logarithms"},
		{"forgotten", func(a, s, q float64) float64 { return l(a, s, q) - (1/(a+s)-1/s)*q*q/2 }, "over α + s"},
		{"inverse", func(a, s, q float64) float64 { return l(1/a, s, q) }, "1/α for α"},
		{"constant", func(a, s, q float64) float64 { return l(a, s, q) + 1 }, "too large by 1"},
	})
	factor := func(a, S float64) float64 { return a / (a - S) }
	whole := func(float64, float64) float64 { return 1 }
	right := factors(factor, 1)
	run(c, "(37), (38)", lesson.CheckFactors, []mistake[bothFactors]{
		{"right", right, ""},
		{"forgotten", factors(whole, 1), "own term"},
		{"sign", factors(func(a, S float64) float64 { return a / (a + S) }, 1), "has α − S"},
		{"sign", factors(factor, -1), "sign of q"},
		{"forgotten", func(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
			s, _ = right(phi, z, alpha)
			_, q = factors(whole, 1)(phi, z, alpha)
			return s, q
		}, "this is Q"},
		{"forgotten", func(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
			return right(phi, z, lesson.EmptyModel(len(z)))
		}, "empty model"},
		{"case", func(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
			s, q = factors(whole, 1)(phi, z, alpha)
			for n, a := range alpha {
				s[n], q[n] = a*s[n]/(a-s[n]), a*q[n]/(a-s[n])
			}
			return s, q
		}, "s = S, q = Q"},
		{"index", func(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
			return right(phi, append(slices.Clone(z[1:]), z[0]), alpha)
		}, "index of z"},
		{"inverse", func(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
			s, q = right(phi, z, alpha)
			return q, s
		}, unnamed},
	})
	best := func(f func(s, q float64) float64) func(s, q float64) float64 {
		return func(s, q float64) float64 {
			if q*q <= s {
				return math.Inf(1)
			}
			return f(s, q)
		}
	}
	run(c, "(39)", lesson.CheckBest, []mistake[func(s, q float64) float64]{
		{"right", best(func(s, q float64) float64 { return s * s / (q*q - s) }), ""},
		{"case", func(s, q float64) float64 { return s * s / (q*q - s) }, "return math.Inf(1)"},
		{"case", func(_, _ float64) float64 { return math.Inf(1) }, "a zero at a finite"},
		{"sign", func(s, q float64) float64 {
			if q < 0 {
				return math.Inf(1)
			}
			return best(func(s, q float64) float64 { return s * s / (q*q - s) })(s, q)
		}, "the sign of q does"},
		{"sign", best(func(s, q float64) float64 { return s * s / (s - q*q) }), "α is positive"},
		{"inverse", best(func(s, q float64) float64 { return (q*q - s) / s / s }), "the variance"},
		{"square", best(func(s, q float64) float64 { return s / (q*q - s) }), "s², not s"},
		{"square", best(func(s, q float64) float64 { return q * q / (q*q - s) }), "s², not q²"},
		{"forgotten", best(func(s, q float64) float64 { return q * q / s }), "only decides"},
		{"case", func(s, q float64) float64 {
			if q*q < s {
				return math.Inf(1)
			}
			return min(s*s/(q*q-s), 1e9)
		}, unnamed},
	})
	run(c, "(30)", lesson.CheckPosterior, []mistake[func(phi *mat.Dense, z, alpha []float64) []float64]{
		{"right", mean(same), ""},
		{"signs", func(phi *mat.Dense, z, alpha []float64) []float64 {
			w := mean(same)(phi, z, alpha)
			for n := range w {
				f := -1.0
				if z[n] > 3 {
					f = 1
				}
				w[n] = f * max(0, f*w[n])
			}
			return w
		}, "cuts it later"},
		{"forgotten", mean(func(float64) float64 { return 0 }), "H = ΦᵀΦ + A"},
		{"inverse", mean(inverse), "not variances"},
		{"deviation", mean(math.Sqrt), "square of α"},
		{"sign", func(phi *mat.Dense, z, alpha []float64) []float64 {
			w := mean(same)(phi, z, alpha)
			floats.Scale(-1, w)
			return w
		}, "sign is wrong"},
		{"forgotten", func(phi *mat.Dense, z, alpha []float64) []float64 {
			w := make([]float64, len(z))
			for n, a := range alpha {
				if !math.IsInf(a, 1) {
					w[n] = floats.Dot(mat.Col(nil, n, phi), z)
				}
			}
			return w
		}, "multiply by H⁻¹"},
	})
	run(c, "Algorithm 2", lesson.CheckChange, []mistake[func(s, q, alpha, f []float64, turn int) (int, float64)]{
		{"right", change(true, true, true, true), ""},
		{"order", change(false, true, true, true), "larger q² − s"},
		{"signs", change(true, false, true, true), "wrong sign for its"},
		{"forgotten", change(true, true, false, true), "before a re-estimate"},
		{"index", change(true, true, true, false), "turn % 2"},
		{"index", func(_, _, _, _ []float64, _ int) (int, float64) { return 7, 0 }, "There are 3 samples"},
		{"empty", func(_, _, _, _ []float64, _ int) (int, float64) { return -1, 0 }, "may enter"},
	})
}

func bounds(c *catalogue) {
	part := func(a, h, w float64) float64 { return -(a*w*w + math.Log(h+a) - math.Log(a)) / 2 }
	run(c, "F", lesson.CheckPart, []three{
		{"right", part, ""},
		{"lost ½", func(a, h, w float64) float64 { return 2 * part(a, h, w) }, "½ is missing"},
		{"forgotten", func(a, h, w float64) float64 { return part(a, h, w) - 0.5 }, "cancel against"},
		{"sign", func(a, h, w float64) float64 { return -a*w*w - part(a, h, w) }, "has a minus"},
		{"forgotten", func(a, h, _ float64) float64 { return part(a, h, 0) }, "wᵀAw is missing"},
		{"sign", func(a, h, w float64) float64 { return part(a, h, w) - math.Log(a) }, "opposite signs"},
		{"forgotten", func(a, h, w float64) float64 { return part(a, h, w) + math.Log(1+a/h)/2 }, "H is h + α"},
		{"square", func(a, h, w float64) float64 { return part(a, h, math.Sqrt(math.Abs(w))) }, "square of w"},
	})
	l := func(a, s, q float64) float64 { return (math.Log(a) - math.Log(a+s) + q*q/(a+s)) / 2 }
	plus := func(two float64, x func(a, s, q float64) float64) func(a, s, q float64) float64 {
		return func(a, s, q float64) float64 { return l(a, s, q) + math.Log(two*distuv.UnitNormal.CDF(x(a, s, q))) }
	}
	x := func(a, s, q float64) float64 { return q / math.Sqrt(a+s) }
	run(c, "one side", lesson.CheckOneSide, []three{
		{"right", plus(2, x), ""},
		{"forgotten", l, "both sides"},
		{"factor 2", plus(1, x), "factor 2"},
		{"forgotten", func(a, s, q float64) float64 { return plus(2, x)(a, s, q) - l(a, s, q) }, "l(α) is missing"},
		{"deviation", plus(2, func(a, s, q float64) float64 { return q / (a + s) }), "divide the mean"},
		{"forgotten", plus(2, func(_, s, q float64) float64 { return q / math.Sqrt(s) }), "the variance of"},
		{"sign", plus(2, func(a, s, q float64) float64 { return -x(a, s, q) }), "the wrong sign"},
	})
}

func counts(c *catalogue) {
	run(c, "(41)", lesson.CheckRanks, []mistake[func(k, n int) float64]{
		{"right", func(k, n int) float64 { return float64(k*(k+1)) / float64(6*n) }, ""},
		{"forgotten", func(k, n int) float64 { return float64((k-1)*(k+1)) / float64(6*n) }, "covariance is −"},
		{"one rank", func(k, n int) float64 { return float64(k*k-1) / float64(12*n) }, "one average rank"},
		{"forgotten", func(k, _ int) float64 { return float64(k*(k+1)) / 6 }, "divided by N"},
		{"root", func(k, n int) float64 { return math.Sqrt(float64(k*(k+1)) / float64(6*n)) }, "root"},
		{"lost ½", func(k, n int) float64 { return float64(k*(k+1)) / float64(12*n) }, "half of"},
		{"index", func(k, n int) float64 { return float64(k*(k-1)) / float64(6*n) }, "off by one"},
	})
	at := func(k func(n, gamma float64) float64) func(m []float64, gamma float64) float64 {
		return func(m []float64, gamma float64) float64 {
			if k := int(k(float64(len(m)), gamma) + 1e-9); k > 0 {
				return m[k-1]
			}
			return math.Inf(-1)
		}
	}
	run(c, "threshold", lesson.CheckThreshold, []mistake[func(m []float64, gamma float64) float64]{
		{"right", at(func(n, g float64) float64 { return (1 - g) * (n + 1) }), ""},
		{"index", at(func(n, g float64) float64 { return (1-g)*(n+1) + 1 }), "index 0"},
		{"inverse", at(func(n, g float64) float64 { return g * (n + 1) }), "1 − γ"},
		{"forgotten", at(func(n, g float64) float64 { return (1 - g) * n }), "n + 1"},
		{"case", at(func(n, g float64) float64 { return max(1, (1-g)*(n+1)) }), "−∞"},
	})
}
