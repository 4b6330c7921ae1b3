package lesson

import (
	"math"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

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
// process by the weight of a single sample, for r = z̄ − y and the prior variance s². It compares it with
// differences.
var CheckSlope = checkOf(card{name: "gradient", args: "k, r, w, v", n: 4, ok: "differences agree at four points",
	draw: numbers([2]float64{0.3, 0.9}, [2]float64{-2, 3}, [2]float64{-2, 2}, [2]float64{2, 5}),
}, func(k, r, w, v float64) float64 {
	f := func(w float64) float64 { return r*k*w - w*k*w/(2*v) }
	return (f(w+1) - f(w-1)) / 2 // f is quadratic, so central differences are exact
})
