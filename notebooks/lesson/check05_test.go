package lesson_test

import (
	"math"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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

func TestCheckCovariance(t *testing.T) {
	inside := func(f func(a float64) float64) func(a float64) float64 {
		return func(a float64) float64 {
			if math.IsInf(a, 1) {
				return 0
			}
			return f(a)
		}
	}
	identity := func(a float64) float64 { return a }
	inverse := func(a float64) float64 { return 1 / a }
	for want, f := range map[string]func(*mat.Dense, []float64) *mat.SymDense{
		"right: 𝒞":           covariance(1, inverse),
		"not yet":            func(*mat.Dense, []float64) *mat.SymDense { return nil },
		"𝒞 is 2×2":           func(*mat.Dense, []float64) *mat.SymDense { return mat.NewSymDense(2, nil) },
		"not finite":         covariance(1, identity),
		"add I":              covariance(0, inverse),
		"is a precision":     covariance(1, inside(identity)),
		"standard deviation": covariance(1, func(a float64) float64 { return 1 / math.Sqrt(a) }),
		"be 1.0631 and":      covariance(2, inverse),
	} {
		holds(t, want, lesson.CheckCovariance(f), want)
	}
}

func TestCheckGain(t *testing.T) {
	l := func(alpha, s, q float64) float64 {
		return (math.Log(alpha) - math.Log(alpha+s) + q*q/(alpha+s)) / 2
	}
	for want, f := range map[string]func(alpha, s, q float64) float64{
		"right: with l": l,
		"not yet":       func(_, _, _ float64) float64 { return 0 },
		"factor ½":      func(alpha, s, q float64) float64 { return 2 * l(alpha, s, q) },
		"(32) has a minus": func(alpha, s, q float64) float64 {
			return (math.Log(alpha) - math.Log(alpha+s) - q*q/(alpha+s)) / 2
		},
		"logarithms have": func(alpha, s, q float64) float64 {
			return (math.Log(alpha+s) - math.Log(alpha) + q*q/(alpha+s)) / 2
		},
		"q is squared": func(alpha, s, q float64) float64 {
			return (math.Log(alpha) - math.Log(alpha+s) + q/(alpha+s)) / 2
		},
		"two logarithms": func(alpha, s, q float64) float64 { return (math.Log(alpha) + q*q/(alpha+s)) / 2 },
		"Put (34)":       func(alpha, s, q float64) float64 { return l(alpha, s, q) + 1 },
	} {
		holds(t, want, lesson.CheckGain(f), want)
	}
}

// factors computes S and Q with the N×N inverse, and from them s and q.
func factors(own func(a, S float64) float64, sign float64) func(*mat.Dense, []float64, []float64) (s, q []float64) {
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

func TestCheckFactors(t *testing.T) {
	right := func(a, S float64) float64 { return a / (a - S) }
	whole := func(float64, float64) float64 { return 1 }
	for want, f := range map[string]func(phi *mat.Dense, z, alpha []float64) (s, q []float64){
		"right: s and q":    factors(right, 1),
		"remove it by":      factors(whole, 1),
		"has α − S":         factors(func(a, S float64) float64 { return a / (a + S) }, 1),
		"the sign is wrong": factors(right, -1),
		"this is Q": func(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
			s, _ = factors(right, 1)(phi, z, alpha)
			_, q = factors(whole, 1)(phi, z, alpha)
			return s, q
		},
		"s of the empty model": func(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
			return factors(right, 1)(phi, z, slices.Repeat([]float64{math.Inf(1)}, len(z)))
		},
		"s = S, q = Q": func(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
			s, q = factors(right, 1)(phi, z, alpha)
			floats.AddConst(math.NaN(), s)
			return s, q
		},
		"not yet":                 func(*mat.Dense, []float64, []float64) (s, q []float64) { return nil, nil },
		"1 values of s":           func(_ *mat.Dense, z, _ []float64) (s, q []float64) { return z[:1], z[:1] },
		"; they should be 4.1746": func(_ *mat.Dense, z, _ []float64) (s, q []float64) { return z, z },
	} {
		holds(t, want, lesson.CheckFactors(f), want)
	}
}

func TestCheckBest(t *testing.T) {
	best := func(s, q float64) float64 {
		if q*q <= s {
			return math.Inf(1)
		}
		return s * s / (q*q - s)
	}
	for want, f := range map[string]func(s, q float64) float64{
		"right: 6 cases":     best,
		"not yet":            func(_, _ float64) float64 { return 0 },
		"return math.Inf(1)": func(s, q float64) float64 { return s * s / (q*q - s) },
		"the sign of q does": func(s, q float64) float64 {
			if q < 0 {
				return math.Inf(1)
			}
			return best(s, q)
		},
		"has a zero at a finite": func(_, _ float64) float64 { return math.Inf(1) },
		"the variance":           func(s, q float64) float64 { return 1 / best(s, q) },
		"s², not s":              func(s, q float64) float64 { return best(s, q) / s },
		"α is positive":          func(s, q float64) float64 { return s * s / (s - q*q) },
		"is zero at":             func(_, _ float64) float64 { return 7 },
		"With q² = s": func(s, q float64) float64 {
			if q*q == s {
				return 1
			}
			return best(s, q)
		},
	} {
		holds(t, want, lesson.CheckBest(f), want)
	}
}

// mean solves H w = Φᵀz for the samples in the model, with the prior multiplied by scale.
func mean(scale float64) func(phi *mat.Dense, z, alpha []float64) []float64 {
	return func(phi *mat.Dense, z, alpha []float64) []float64 {
		rows := mat.NewDense(2*len(z), len(z), nil) // least squares: Φw = z, √α w = 0
		for n, a := range alpha {
			rows.Set(len(z)+n, n, 1)
			if !math.IsInf(a, 1) {
				rows.Set(len(z)+n, n, math.Sqrt(scale*a))
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

func TestCheckPosterior(t *testing.T) {
	right := mean(1)
	for want, f := range map[string]func(phi *mat.Dense, z, alpha []float64) []float64{
		"right: four weights": right,
		"not yet":             func(*mat.Dense, []float64, []float64) []float64 { return nil },
		"but 1 weights":       func(*mat.Dense, []float64, []float64) []float64 { return []float64{1} },
		"cuts it later": func(phi *mat.Dense, z, alpha []float64) []float64 {
			w := right(phi, z, alpha)
			for n := range w {
				f := -1.0
				if z[n] > 3 {
					f = 1
				}
				w[n] = f * max(0, f*w[n])
			}
			return w
		},
		"H = ΦᵀΦ + A": mean(0),
		"outside the model": func(phi *mat.Dense, z, alpha []float64) []float64 {
			w := right(phi, z, alpha)
			w[0] = 1
			return w
		},
		"; it should be": func(phi *mat.Dense, z, alpha []float64) []float64 {
			w := right(phi, z, alpha)
			floats.Scale(2, w)
			return w
		},
	} {
		holds(t, want, lesson.CheckPosterior(f), want)
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

func TestCheckChange(t *testing.T) {
	for want, f := range map[string]func(s, q, alpha, f []float64, turn int) (n int, a float64){
		"right: additions":     change(true, true, true, true),
		"not yet":              func(_, _, _, _ []float64, _ int) (int, float64) { return -1, 0 },
		"larger q² − s":        change(false, true, true, true),
		"wrong sign for its":   change(true, false, true, true),
		"before a re-estimate": change(true, true, false, true),
		"turn % 2":             change(true, true, true, false),
		"There are 3 samples":  func(_, _, _, _ []float64, _ int) (int, float64) { return 7, 0 },
		"α should be 1.333":    func(_, _, _, _ []float64, _ int) (int, float64) { return 1, 5 },
	} {
		holds(t, want, lesson.CheckChange(f), want)
	}
}
