package mpcvm

import "math"

// Section 2.2 and appendix A of the paper: the priors over weights and biases.
//
// The weight w_nc has the Gaussian prior of precision alpha_nc, cut to the side of its sign
// f_nc, eq. (truncatd_gaussian): f_nc is +1 if sample n is of class c, else −1 (Data.Sign of
// internal/fitting). The bias b_c has a Gaussian prior of precision beta_c, eq.
// (bias_gaussian). The precisions have Gamma hyper-priors, eq. (gamma_prior), which
// appendix A shows to be conjugate. Given a weight, the expected precision under its
// posterior is in closed form, eqs. (alpha_nc) and (beta_c); with the precision integrated
// out, the weight has a density of the form of Student's t, eqs. (full_prior_w) and
// (full_prior_b).

// expectedPrecision is eqs. (alpha_nc) and (beta_c): the precision of a weight w under a
// Gamma hyper-prior of shape u and rate v.
func expectedPrecision(w, u, v float64) float64 { return (2*u + 1) / (w*w + 2*v) }

// logMarginalPrior is the logarithm of eqs. (full_prior_w) and (full_prior_b), less its
// value at zero: −(u + ½) log(1 + w²/2v).
func logMarginalPrior(w, u, v float64) float64 {
	r := w * w / (2 * v)
	if math.IsInf(r, 1) {
		return -(u + 0.5) * (2*math.Log(math.Abs(w)) - math.Log(2*v))
	}
	return -(u + 0.5) * math.Log1p(r)
}
