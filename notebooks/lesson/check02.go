package lesson

import (
	"fmt"
	"math"
)

// CheckPrecision describes the mistake in a function that returns the expected precision of a weight, (24), for
// the shape u and the rate v of its Gamma prior.
func CheckPrecision(precision func(w, u, v float64) float64) string {
	for _, c := range [][3]float64{{0.5, 0.3, 0.2}, {-2, 1, 0.1}} {
		w, u, v := c[0], c[1], c[2]
		got, shape, rate := precision(w, u, v), u+0.5, v+w*w/2
		where := fmt.Sprintf("w = %g, u = %g, v = %g: %.4f", w, u, v, got)
		switch {
		case math.IsNaN(got):
			return notYet
		case !differs(got, shape/rate):
		case !differs(got, (shape-1)/rate):
			return where + " is the mode of the Gamma density; its mean is shape/rate"
		case !differs(got, rate/shape):
			return where + " is a variance; the precision is its inverse"
		case !differs(got, shape/(v+w*w)):
			return where + "; the rate is v + w²/2, and ½ is missing"
		case !differs(got, u/rate):
			return where + "; the likelihood of the weight adds ½ to the shape"
		case !differs(got, shape/(w*w+2*v)), !differs(got, 2*shape/rate):
			return where + " is wrong by a factor of two"
		default:
			return where + fmt.Sprintf("; it should be %.4f", shape/rate)
		}
	}
	return "right: the mean of Gamma(u + ½, v + w²/2)"
}

// CheckBestPrecision describes the mistake in a function that returns the precision of a lone weight with the
// highest evidence, given its observation z with noise of variance 1.
func CheckBestPrecision(best func(z float64) float64) string {
	for _, z := range []float64{0.5, 1.5, -3} {
		got := best(z)
		where := fmt.Sprintf("z = %g: %.4f", z, got)
		switch {
		case math.IsNaN(got):
			return notYet
		case z*z <= 1 && math.IsInf(got, 1), !differs(got, 1/(z*z-1)) && z*z > 1:
		case z*z <= 1 && got < 0:
			return where + ". A precision is not negative: below |z| = 1 the evidence grows up to α = ∞"
		case z*z <= 1:
			return where + ". Below |z| = 1 the evidence grows up to α = ∞"
		case !differs(got, z*z-1):
			return where + " is the variance 1/α; take its inverse"
		case !differs(got, 1/(z*z)):
			return where + "; z² estimates the whole variance 1 + 1/α"
		default:
			return where + fmt.Sprintf("; it should be %.4f", 1/(z*z-1))
		}
	}
	return "right: 1 + 1/α = z² if z² > 1, and else α = ∞"
}
