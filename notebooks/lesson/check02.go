package lesson

import (
	"fmt"
	"math"
)

// CheckPrecision describes the mistake in a function that returns the expected precision of a weight, (24),
// for the shape u and the rate v of its Gamma prior.
func CheckPrecision(precision func(w, u, v float64) float64) string {
	for _, c := range [][3]float64{{0.5, 0.3, 0.2}, {-2, 1, 0.1}} {
		w, u, v := c[0], c[1], c[2]
		got, shape, rate := precision(w, u, v), u+0.5, v+w*w/2
		where := fmt.Sprintf("w = %g, u = %g, v = %g: %.4f", w, u, v, got)
		if wrong := judge(where, got, shape/rate, rounding, []mistake{
			{(shape - 1) / rate, " is the mode of the Gamma density; its mean is shape/rate"},
			{rate / shape, " is a variance; the precision is its inverse"},
			{shape / (v + w*w), "; the rate is v + w²/2, and ½ is missing"},
			{u / rate, "; the likelihood of the weight adds ½ to the shape"},
			{shape / (w*w + 2*v), " is wrong by a factor of two"},
			{2 * shape / rate, " is wrong by a factor of two"},
		}); wrong != "" {
			return wrong
		}
	}
	return "right: the mean of Gamma(u + ½, v + w²/2)"
}

// CheckBestPrecision describes the mistake in a function that returns the precision of a lone weight with the
// highest evidence, given its observation z with noise of variance 1.
func CheckBestPrecision(best func(z float64) float64) string {
	for _, z := range []float64{0.5, 1.5, -3} {
		got, want := best(z), 1/(z*z-1)
		mistakes := []mistake{{z*z - 1, " is the variance 1/α; take its inverse"},
			{1 / (z * z), "; z² estimates the whole variance 1 + 1/α"}}
		if z*z <= 1 {
			want, mistakes = math.Inf(1), []mistake{{got, ". Below |z| = 1 the evidence grows up to α = ∞"}}
			if got < 0 {
				mistakes[0].text = ". A precision is not negative: below |z| = 1 the evidence grows up to α = ∞"
			}
		}
		if wrong := judge(fmt.Sprintf("z = %g: %.4f", z, got), got, want, rounding, mistakes); wrong != "" {
			return wrong
		}
	}
	return "right: 1 + 1/α = z² if z² > 1, and else α = ∞"
}
