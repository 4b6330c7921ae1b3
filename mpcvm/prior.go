package mpcvm

import "math"

// Section 2.2 and appendix A of the paper: the priors of the weights and biases.
//
// The weight w_nc has a Gaussian prior with precision alpha_nc, truncated to the side of its sign f_nc, eq.
// (truncatd_gaussian): f_nc is +1 if sample n belongs to class c, else −1. The bias b_c has a Gaussian prior
// with precision beta_c, eq. (bias_gaussian). The precisions have Gamma hyper-priors with shape u and rate v,
// eq. (gamma_prior).
//
// Up to a constant factor, the truncated prior (2α/π)^½ exp(−αw²/2) depends on α like the full Gaussian, so
// the Gamma is its conjugate prior (appendix A). Given w, α has the density Gamma(u + ½, v + w²/2), whose
// mean is eq. (alpha_nc). With α integrated out, w has a density proportional to (v + w²/2)^−(u + ½), eq.
// (full_prior_w): Student's t, truncated to one side.

// expectedPrecision is eqs. (alpha_nc) and (beta_c): the expected precision of a weight w under a Gamma
// hyper-prior with shape u and rate v.
func expectedPrecision(w, u, v float64) float64 { return (2*u + 1) / (w*w + 2*v) }

// logMarginalPrior is the logarithm of eqs. (full_prior_w) and (full_prior_b) relative to w = 0: −(u + ½)
// log(1 + w²/2v).
func logMarginalPrior(w, u, v float64) float64 {
	r := w * w / (2 * v)
	if math.IsInf(r, 1) {
		return -(u + 0.5) * (2*math.Log(math.Abs(w)) - math.Log(2*v))
	}
	return -(u + 0.5) * math.Log1p(r)
}
