package lesson

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// CheckPart reports what is wrong with a function that returns the contribution of a single weight
// to the bound F, without the log-likelihood, for its precision α, h = φᵀφ and the mean w of q. It
// compares it with the expectation over q, computed numerically.
var CheckPart = checkOf(card{name: "F", args: "α, h, w", n: 4,
	ok:   "the expectation over q, computed numerically, agrees at four points",
	draw: numbers([2]float64{0.3, 5}, [2]float64{1, 7}, [2]float64{-1.5, 1.5}),
}, func(alpha, h, w float64) float64 {
	deviation := 1 / math.Sqrt(alpha+h)
	q, prior := distuv.Normal{Mu: w, Sigma: deviation}, distuv.Normal{Sigma: 1 / math.Sqrt(alpha)}
	return quad.Fixed(func(v float64) float64 {
		return q.Prob(v) * (-h*(v-w)*(v-w)/2 + prior.LogProb(v) - q.LogProb(v))
	}, w-12*deviation, w+12*deviation, 200, nil, 0)
})

// CheckOneSide reports what is wrong with a function that returns the gain of a precision under the
// one-sided prior, for a weight of positive sign. It compares it with the integral over the positive
// weights.
var CheckOneSide = checkOf(card{name: "one side", args: "α, s, q", draw: alphaSQ, n: 4,
	ok: "the integral over positive weights agrees at four points",
	vars: func(args []any) []vars {
		alpha, s, q := args[0].(float64), args[1].(float64), args[2].(float64)
		return []vars{{"α": alpha, "s": s, "q": q, "l": evidenceGain(alpha, s, q)}}
	}}, func(alpha, s, q float64) float64 {
	prior := distuv.Normal{Sigma: 1 / math.Sqrt(alpha)}
	return math.Log(quad.Fixed(func(w float64) float64 {
		return 2 * prior.Prob(w) * math.Exp(q*w-s*w*w/2)
	}, 0, 12*prior.Sigma, 400, nil, 0))
})
