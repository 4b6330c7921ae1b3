// Package quantile defines the quantiles that this repository uses.
package quantile

import "math"

// Of returns the quantile at p, between 0 and 1, of values in ascending order. Between two values it
// interpolates linearly, as R and NumPy do by default (type 7), which gonum does not offer. It does not
// overflow. The values must be finite and at least one.
func Of(sorted []float64, p float64) float64 {
	i, part := Position(len(sorted), p)
	if part == 0 {
		return sorted[i]
	}
	return (1-part)*sorted[i] + part*sorted[i+1]
}

// Position returns the position p·(n−1) of the quantile at p among n ascending values: the index of the
// value at or before it, and the fraction of the way to the next value.
func Position(n int, p float64) (i int, part float64) {
	whole, part := math.Modf(p * float64(n-1))
	return int(whole), part
}
