package lesson

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
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
