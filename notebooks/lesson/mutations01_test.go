package lesson_test

import (
	"math"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// basics are the cards of single numbers in 01, 04, 10 and 11.
func basics(c *catalogue) {
	bump := func(f func(d, theta float64) float64) func(x, m, theta float64) float64 {
		return func(x, m, theta float64) float64 { return math.Exp(f(x-m, theta)) }
	}
	run(c, "basis function", lesson.CheckBump, []three{
		{"right", bump(func(d, t float64) float64 { return -t * d * d }), ""},
		{"not written", func(_, _, _ float64) float64 { panic(lesson.Unwritten("bump")) }, "not yet"},
		{"sign", bump(func(d, t float64) float64 { return t * d * d }), "the exponent has a minus"},
		{"square", bump(func(d, t float64) float64 { return -t * math.Abs(d) }), "with a corner"},
		{"square", bump(func(d, t float64) float64 { return -t * d }), "the distance is squared"},
		{"square", bump(func(d, t float64) float64 { return -t * t * d * d }), "θ is not"},
		{"inverse", bump(func(d, t float64) float64 { return -d * d / t }), "here it divides"},
		{"deviation", bump(func(d, t float64) float64 { return -d * d / (2 * t * t) }), "used as a width"},
		{"lost ½", bump(func(d, t float64) float64 { return -t * d * d / 2 }), "no ½"},
		{"factor 2", bump(func(d, t float64) float64 { return -2 * t * d * d }), "square of the right"},
		{"forgotten", bump(func(d, _ float64) float64 { return -d * d }), "θ is missing"},
		{"exponent", func(x, m, t float64) float64 { return -t * (x - m) * (x - m) }, "the exponent"},
		{"index", func(x, m, t float64) float64 { return math.Exp(-x * (t - m) * (t - m)) }, "x and θ are swapped"},
		{"softmax", func(x, m, t float64) float64 { return 1 / (1 + math.Exp(t*(x-m)*(x-m))) }, "logistic"},
	})
	run(c, "Jensen", lesson.CheckJensen, []three{
		{"right", func(a, b, q float64) float64 { return q*math.Log(a/q) + (1-q)*math.Log(b/(1-q)) }, ""},
		{"forgotten", func(a, b, q float64) float64 { return q*math.Log(a) + (1-q)*math.Log(b) }, "is missing"},
		{"sign", func(a, b, q float64) float64 { return q*math.Log(a*q) + (1-q)*math.Log(b*(1-q)) }, "wrong sign"},
		{"mean", func(a, b, q float64) float64 { return math.Log(q*a + (1-q)*b) }, "logarithm of a mean"},
		{"equal", func(a, b, _ float64) float64 { return math.Log(a + b) }, "unless q is the posterior"},
		{"forgotten", func(a, b, q float64) float64 {
			return q*math.Log(a/q) + (1-q)*math.Log(b/(1-q)) - math.Log(a+b)
		}, "log p(t) is missing"},
		{"forgotten", func(_, _, q float64) float64 {
			return -q*math.Log(q) - (1-q)*math.Log(1-q)
		}, "entropy of q;"},
		{"weights", func(a, b, q float64) float64 { return math.Log(a/q) + math.Log(b/(1-q)) }, "weighted with q"},
		{"index", func(a, b, q float64) float64 { return (1-q)*math.Log(a/(1-q)) + q*math.Log(b/q) }, "p1 belongs"},
		{"swapped", func(a, b, q float64) float64 {
			return q*math.Log(b/q) + (1-q)*math.Log(a/(1-q))
		}, "p1 belongs"},
		{"inverse", func(a, b, q float64) float64 {
			return q*math.Log(q/a) + (1-q)*math.Log((1-q)/b)
		}, "sign is wrong"},
		{"forgotten", func(a, _, q float64) float64 { return q * math.Log(a/q) }, "second value"},
		{"root of a negative number", func(a, _, _ float64) float64 { return math.Sqrt(-a) }, "NaN is a root"},
		{"logarithm", func(a, b, q float64) float64 {
			return math.Exp(q*math.Log(a/q) + (1-q)*math.Log(b/(1-q)))
		}, "logarithm is missing"},
	})
	run(c, "tempered", lesson.CheckTempered, []four{
		{"right", func(a, b, s, q float64) float64 { return b * q / (a + b*s) }, ""},
		{"forgotten", func(a, _, s, q float64) float64 { return q / (a + s) }, "β times, in q and in s"},
		{"forgotten", func(a, b, s, q float64) float64 { return q / (a + b*s) }, "q is a sum"},
		{"forgotten", func(a, b, s, q float64) float64 { return b * q / (a + s) }, "s is a sum"},
		{"forgotten", func(_, _, s, q float64) float64 { return q / s }, "the prior is missing"},
		{"inverse", func(a, b, s, q float64) float64 { return b * q / (1/a + b*s) }, "not a variance"},
		{"inverse", func(a, b, s, q float64) float64 { return q / b / (a + s/b) }, "1/β for β"},
		{"square", func(a, b, s, q float64) float64 { return b * b * q / (a + b*b*s) }, "β is squared"},
		{"square", func(a, b, s, q float64) float64 { return b * q * q / (a + b*s) }, "q is squared"},
		{"power", func(a, b, s, q float64) float64 { return b * q / (b*a + s) }, "not to the prior"},
		{"sign", func(a, b, s, q float64) float64 { return -b * q / (a + b*s) }, "sign is wrong"},
		{"deviation", func(a, b, s, q float64) float64 { return b * q / math.Sqrt(a+b*s) }, "not by its root"},
		{"index", func(a, b, s, q float64) float64 { return a * q / (b + a*s) }, "α and β are swapped"},
	})
	run(c, "gradient", lesson.CheckSlope, []four{
		{"right", func(k, r, w, v float64) float64 { return k*r - k*w/v }, ""},
		{"forgotten", func(k, r, _, _ float64) float64 { return k * r }, "derivative of the prior is"},
		{"sign", func(k, r, w, v float64) float64 { return k*r + k*w/v }, "pulls towards zero"},
		{"lost ½", func(k, r, w, v float64) float64 { return k*r - k*w/(2*v) }, "cancels the ½"},
		{"lost ½", func(k, r, w, v float64) float64 { return k*r - 2*k*w/v }, "½ is missing"},
		{"inverse", func(k, r, w, v float64) float64 { return k*r - k*w*v }, "divide by it"},
		{"deviation", func(k, r, w, v float64) float64 { return k*r - k*w/math.Sqrt(v) }, "not by s"},
		{"square", func(k, r, w, v float64) float64 { return k*r - k*w/(v*v) }, "s² already"},
		{"square", func(k, r, w, v float64) float64 { return k*r - k*w*w/(2*v) }, "take its derivative"},
		{"forgotten", func(_, r, w, v float64) float64 { return r - w/v }, "multiplies both"},
		{"forgotten", func(k, r, w, v float64) float64 { return r - k*w/v }, "multiplies z̄ − y"},
		{"forgotten", func(k, r, w, v float64) float64 { return k*r - w/v }, "k is missing in the derivative"},
		{"forgotten", func(k, r, w, _ float64) float64 { return k*r - k*w }, "variance s² is missing"},
		{"sign", func(k, r, w, v float64) float64 { return k*w/v - k*r }, "sign is wrong"},
	})
}

type ofOne = func(z, x, w, a, b, p float64) float64

// classes are (20) and (21).
func classes(c *catalogue) {
	// of returns −½ of the weighted squares, with b in the residual times sign, plus more.
	of := func(sign, half, penalty, bias, more float64, f func(v float64) float64) ofOne {
		return func(z, x, w, a, b, p float64) float64 {
			r := z - x*w - sign*b
			return -(half*r*r + penalty*f(a)*w*w + bias*f(p)*b*b - more*z*z) / 2
		}
	}
	inverse := func(v float64) float64 { return 1 / v }
	unit := func(float64) float64 { return 1 }
	absolute := func(z, x, w, a, b, p float64) float64 {
		r := z - x*w - b
		return -(r*r + a*math.Abs(w) + p*math.Abs(b)) / 2
	}
	run(c, "(20)", lesson.CheckLogPosterior, []six{
		{"right", of(1, 1, 1, 1, 0, same), ""},
		{"lost ½", of(1, 2, 2, 2, 0, same), "½ is missing"},
		{"lost ½", of(1, 2, 1, 1, 0, same), "½ belongs to each"},
		{"lost ½", of(1, 1, 2, 2, 0, same), "½ belongs to each"},
		{"sign", of(1, -1, -1, -1, 0, same), "sign is wrong"},
		{"sign", of(1, 1, -1, -1, 0, same), "large weight is improbable"},
		{"sign", of(-1, 1, 1, 1, 0, same), "b has the wrong sign"},
		{"forgotten", of(0, 1, 1, 1, 0, same), "b is missing in the residual"},
		{"forgotten", of(1, 1, 1, 0, 0, same), "prior of the bias"},
		{"forgotten", of(1, 1, 0, 1, 0, same), "prior of the weight is"},
		{"forgotten", of(1, 1, 0, 0, 0, same), "and of the bias"},
		{"forgotten", of(1, 0, 1, 1, 0, same), "noise of z"},
		{"forgotten", of(1, 1, 1, 1, 0, unit), "precisions are missing"},
		{"inverse", of(1, 1, 1, 1, 0, inverse), "not variances"},
		{"deviation", of(1, 1, 1, 1, 0, math.Sqrt), "not their roots"},
		{"square", absolute, "are squared"},
		{"index", func(z, x, w, a, b, p float64) float64 {
			return of(1, 1, 1, 1, 0, same)(z, x, w, p, b, a)
		}, "swapped"},
	})
	run(c, "(21)", lesson.CheckExpected, []six{
		{"right", of(1, 1, 1, 1, 1, same), ""},
		{"forgotten", of(1, 1, 1, 1, 0, same), "subtract its value"},
		{"lost ½", of(1, 2, 2, 2, 2, same), "½ is missing"},
		{"sign", of(1, -1, -1, -1, -1, same), "sign is wrong"},
		{"sign", of(1, 1, 1, 1, -1, same), "which is negative"},
		{"sign", of(1, 1, -1, -1, 1, same), "penalties have the wrong"},
		{"sign", of(-1, 1, 1, 1, 1, same), "b has the wrong sign"},
		{"forgotten", of(0, 1, 1, 1, 1, same), "b is missing"},
		{"forgotten", of(1, 1, 1, 0, 1, same), "penalty of the bias"},
		{"forgotten", of(1, 1, 0, 1, 1, same), "penalty of the weight"},
		{"inverse", of(1, 1, 1, 1, 1, inverse), "not variances"},
		{"deviation", of(1, 1, 1, 1, 1, math.Sqrt), "not their roots"},
		{"square", func(z, x, w, a, b, p float64) float64 {
			return z*(x*w+b) - (x*x*w*w+b*b+a*w*w+p*b*b)/2
		}, "mixed term"},
	})
}

// evidences is (32).
func evidences(c *catalogue) {
	// of returns −½ of the terms, with factors.
	of := func(constant, det, square float64) func(v *mat.SymDense, z []float64) float64 {
		return func(v *mat.SymDense, z []float64) float64 {
			var chol mat.Cholesky
			var x mat.VecDense
			chol.Factorize(v)
			lesson.Try(chol.SolveVecTo(&x, mat.NewVecDense(len(z), z)))
			return -(constant*math.Log(2*math.Pi) + det*chol.LogDet() + square*floats.Dot(z, x.RawVector().Data)) / 2
		}
	}
	run(c, "(32)", lesson.CheckEvidence, []mistake[func(v *mat.SymDense, z []float64) float64]{
		{"right", of(5, 1, 1), ""},
		{"not written", func(*mat.SymDense, []float64) float64 { panic(lesson.Unwritten("evidence")) }, "not yet"},
		{"lost ½", of(10, 2, 2), "½ is missing"},
		{"lost ½", of(5, 1, 2), "½ belongs to zᵀ"},
		{"lost ½", of(5, 2, 1), "½ belongs to log"},
		{"forgotten", of(0, 1, 1), "N log 2π"},
		{"forgotten", of(1, 1, 1), "each of the N"},
		{"forgotten", of(5, 0, 1), "log|𝒞| is missing"},
		{"forgotten", of(5, 1, 0), "zᵀ𝒞⁻¹z is missing"},
		{"sign", of(5, -1, 1), "wide density"},
		{"sign", of(5, 1, -1), "large z is improbable"},
		{"sign", of(-5, -1, -1), "sign is wrong"},
		{"inverse", func(v *mat.SymDense, z []float64) float64 {
			x := mat.NewVecDense(len(z), z)
			return of(5, 1, 0)(v, z) - mat.Inner(x, v, x)/2
		}, "solve 𝒞x = z"},
		{"square", func(v *mat.SymDense, z []float64) float64 {
			return of(5, 1, 0)(v, z) - math.Sqrt(of(0, 0, -2)(v, z))/2
		}, "distance is squared"},
		{"logarithm", func(v *mat.SymDense, z []float64) float64 {
			return math.Exp(of(5, 1, 1)(v, z))
		}, "the density"},
		{"logarithm", func(v *mat.SymDense, z []float64) float64 {
			return of(5, 0, 1)(v, z) - mat.Det(v)/2
		}, "logarithm of the determinant"},
		{"overwritten", func(v *mat.SymDense, z []float64) float64 {
			f := of(5, 1, 1)(v, z)
			floats.Scale(2, z)
			return f
		}, "overwrites z"},
	})
}
