package lesson

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// CheckPart reports what is wrong with a function that returns the contribution of a single weight
// to the bound F, without the log-likelihood, for its precision α, h = φᵀφ and the mean w of q. It
// compares it with the expectation over q, computed numerically.
func CheckPart(part func(alpha, h, w float64) float64) string {
	cases := [][3]float64{{1, 4, 0.5}, {0.2, 7, 1.5}, {5, 2, 0}}
	if part(1, 4, 0.5) == 0 && part(0.2, 7, 1.5) == 0 {
		return notYet
	}
	for _, c := range cases {
		alpha, h, w := c[0], c[1], c[2]
		deviation := 1 / math.Sqrt(alpha+h)
		q, prior := distuv.Normal{Mu: w, Sigma: deviation}, distuv.Normal{Sigma: 1 / math.Sqrt(alpha)}
		want := quad.Fixed(func(v float64) float64 {
			return q.Prob(v) * (-h*(v-w)*(v-w)/2 + prior.LogProb(v) - q.LogProb(v))
		}, w-12*deviation, w+12*deviation, 200, nil, 0)
		got := part(alpha, h, w)
		if near(got, want, rounding) {
			continue
		}
		cost, logs := alpha*w*w, math.Log(alpha+h)-math.Log(alpha)
		return fmt.Sprintf("α = %g, h = %g, w = %g: the expectation over q is %.4f, and this is %.4f. ", alpha, h,
			w, want, got) + cmp.Or(named(got, rounding, []mistake{
			{2 * want, "The factor ½ is missing"},
			{want - 0.5, "The two traces add to M = 1 and cancel against −M"},
			{want + 0.5, "The two traces add to M = 1 and cancel against −M"},
			{(-cost + logs) / 2, "log|H| − log|A| has a minus, because it belongs to the divergence"},
			{-logs / 2, "wᵀAw is missing"},
			{(-cost - math.Log(alpha+h) - math.Log(alpha)) / 2, "log|A| and log|H| have opposite signs"},
			{(-cost - math.Log(h) + math.Log(alpha)) / 2, "H is h + α"},
		}), "Add steps 1 and 2 for one weight")
	}
	return "right: three weights agree with the expectation over q, computed numerically"
}

// CheckOneSide reports what is wrong with a function that returns the gain of a precision under the
// one-sided prior, for a weight of positive sign. It compares it with the integral over the positive
// weights.
func CheckOneSide(gain func(alpha, s, q float64) float64) string {
	cases := [][3]float64{{1, 1, 0.5}, {3, 2, -1}, {0.5, 4, 3}}
	if gain(1, 1, 0.5) == 0 && gain(3, 2, -1) == 0 {
		return notYet
	}
	for _, c := range cases {
		alpha, s, q := c[0], c[1], c[2]
		prior := distuv.Normal{Sigma: 1 / math.Sqrt(alpha)}
		want := math.Log(quad.Fixed(func(w float64) float64 {
			return 2 * prior.Prob(w) * math.Exp(q*w-s*w*w/2)
		}, 0, 12*prior.Sigma, 400, nil, 0))
		got := gain(alpha, s, q)
		if near(got, want, rounding) {
			continue
		}
		two := (math.Log(alpha) - math.Log(alpha+s) + q*q/(alpha+s)) / 2
		of := func(x float64) float64 { return two + math.Log(2*distuv.UnitNormal.CDF(x)) }
		return fmt.Sprintf("α = %g, s = %g, q = %g: the integral gives %.4f, and this is %.4f. ", alpha, s, q, want,
			got) + cmp.Or(named(got, rounding, []mistake{
			{two, "This is l, with both sides"},
			{want - math.Ln2, "The prior of one side has twice the density: the factor 2 is missing"},
			{want - two, "l(α) is missing"},
			{of(q / (alpha + s)), "Divide the mean q/(α + s) by the standard deviation"},
			{of(q / math.Sqrt(s)), "The variance of the weight is 1/(α + s)"},
			{of(-q / math.Sqrt(alpha+s)), "This is the probability of the wrong sign"},
		}), "l₁ = l + log 2P")
	}
	return "right: three cases agree with the integral over positive weights"
}
