// Package moments computes means and standard deviations without overflow.
package moments

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// MeanDeviation returns the mean of x and its standard deviation with n−1. The deviation is 1 if it
// is zero, is rounding noise, or comes from a single value. x must be finite and not empty;
// MeanDeviation changes it. It works in two passes, on values scaled below 1 in magnitude by a power
// of two, so that neither sums nor squares overflow.
func MeanDeviation(x []float64) (mean, deviation float64) {
	_, exponent := math.Frexp(floats.Norm(x, math.Inf(1)))
	for i, v := range x {
		x[i] = math.Ldexp(v, -exponent)
	}

	n := float64(len(x))
	for _, v := range x {
		mean += v
	}
	mean /= n
	// The second pass corrects the rounding of the first: Σ(x−mean) is zero for the exact mean, and
	// otherwise Σ(x−mean)² is too large by its square over n.
	var residue, squares float64
	for _, v := range x {
		residue += v - mean
		squares += (v - mean) * (v - mean)
	}
	if n > 1 {
		deviation = math.Sqrt(max(squares-residue*residue/n, 0) / (n - 1))
	}
	mean += residue / n

	const noise = 4 * 0x1p-52
	if deviation <= noise { // |x| is between ½ and 1, or every value is zero
		return math.Ldexp(mean, exponent), 1
	}
	return math.Ldexp(mean, exponent), min(math.Ldexp(deviation, exponent), math.MaxFloat64)
}
