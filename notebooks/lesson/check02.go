package lesson

import (
	"math"
	"math/rand/v2"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The arguments w, u and v of the cards of a weight and its Gamma prior.
var weightAndPrior = numbers([2]float64{0.4, 2}, [2]float64{0.6, 2.5}, [2]float64{0.2, 1.5})

// overAlpha integrates p(w, α) f(α) over α, by (12) and (15), for a weight of the right sign. It substitutes
// α = x² for the sake of small shapes.
func overAlpha(w, u, v float64, f func(alpha float64) float64) float64 {
	gamma, _ := math.Lgamma(u)
	return quad.Fixed(func(x float64) float64 {
		a := x * x
		return 4 * x * f(a) * math.Exp((math.Log(a/(2*math.Pi))-a*w*w)/2+u*math.Log(v)-gamma+(u-1)*math.Log(a)-v*a)
	}, 0, math.Sqrt(60/(v+w*w/2)), 300, nil, 0)
}

func one(float64) float64 { return 1 }

// CheckPrecision describes the mistake in a function that returns the expected precision of a weight, (24),
// for the shape u and the rate v of its Gamma prior.
var CheckPrecision = checkOf(card{name: "(24)", args: "w, u, v", draw: weightAndPrior, n: 4,
	ok: "the mean of Gamma(u + ½, v + w²/2)"}, func(w, u, v float64) float64 {
	return overAlpha(w, u, v, func(a float64) float64 { return a }) / overAlpha(w, u, v, one)
})

// CheckPrice describes the mistake in a function that returns the logarithm of (17). It compares it with the
// integral over the precision.
var CheckPrice = checkOf(card{name: "(17)", args: "w, u, v", draw: weightAndPrior, n: 4,
	ok: "the integral over α agrees at four points"},
	func(w, u, v float64) float64 { return math.Log(overAlpha(w, u, v, one)) })

// CheckBestPrecision describes the mistake in a function that returns the precision of a lone weight with the
// highest evidence, given its observation z with noise of variance 1.
var CheckBestPrecision = checkOf(card{name: "one precision", args: "z",
	ok: "1 + 1/α = z² if z² > 1, and else α = ∞"}, func(z float64) float64 {
	if z*z <= 1 {
		return math.Inf(1)
	}
	return 1 / (z*z - 1)
}, []any{0.5}, []any{1.7}, []any{-3.0}, []any{-0.8}, []any{1.2})

// CheckBump describes the mistake in a function that returns the basis function of a sample at m for a point
// x. It compares it with the kernel of the library.
var CheckBump = checkOf(card{name: "basis function", args: "x, m, θ", n: 4,
	ok:   "the library gives the same at four points",
	draw: numbers([2]float64{0, 1.5}, [2]float64{0, 1.5}, [2]float64{0.3, 2.5}),
}, func(x, m, theta float64) float64 {
	return kernel.Cross(nil, kernel.RBF{Theta: theta}, mat.NewDense(1, 1, []float64{x}),
		mat.NewDense(1, 1, []float64{m})).At(0, 0)
})

// CheckTempered describes the mistake in a function that returns the posterior mean of one weight if each
// sample counts β times, for s = φᵀφ and q = φᵀz̄. It compares it with the integral over the weight.
var CheckTempered = checkOf(card{name: "tempered weight", args: "α, β, s, q", n: 4,
	ok:   "the integral over the weight agrees at four points",
	draw: numbers([2]float64{0.4, 3}, [2]float64{2, 9}, [2]float64{0.5, 5}, [2]float64{-3, 3}),
}, func(alpha, beta, s, q float64) float64 {
	prior := distuv.Normal{Sigma: 1 / math.Sqrt(alpha)}
	over := func(f func(w float64) float64) float64 {
		return quad.Fixed(func(w float64) float64 { return f(w) * prior.Prob(w) * math.Exp(beta*(q*w-s*w*w/2)) },
			-12*prior.Sigma, 12*prior.Sigma, 800, nil, 0)
	}
	return over(func(w float64) float64 { return w }) / over(one)
})

// CheckSlope describes the mistake in a function that returns the derivative of the objective of the Gaussian
// process by the weight of a single sample, for r = z̄ − y and v = s². It compares it with differences.
var CheckSlope = checkOf(card{name: "gradient", args: "k, r, w, v", n: 4, ok: "differences agree",
	draw: numbers([2]float64{0.3, 0.9}, [2]float64{-2, 3}, [2]float64{-2, 2}, [2]float64{2, 5}),
}, func(k, r, w, v float64) float64 {
	f := func(w float64) float64 { return r*k*w - w*k*w/(2*v) }
	return (f(w+1) - f(w-1)) / 2 // f is quadratic, so central differences are exact
})

// CheckRanks describes the mistake in a function that returns the variance of the difference of two average
// ranks of k equally good systems on n data sets. It compares it with all pairs of ranks.
var CheckRanks = checkOf(card{name: "(41)", args: "k, N", n: 4,
	ok:   "all pairs of different ranks give the same variance, for four k and N",
	draw: func(r *rand.Rand, i int) []any { return []any{3 + i + r.IntN(2), 4 + r.IntN(12)} },
}, func(k, n int) float64 { // the mean square of R_i − R_j over all pairs of different ranks, for N sets
	sum := 0
	for i := range k {
		for j := range k {
			sum += (i - j) * (i - j)
		}
	}
	return float64(sum) / float64(k*(k-1)*n)
})
