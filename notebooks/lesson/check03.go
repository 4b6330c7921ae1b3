package lesson

import (
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// CheckProba says what is wrong with a function that returns the probability of class i, (10), for the
// potentials of a sample.
func CheckProba(proba func(y []float64, i int) float64) string {
	for _, y := range [][]float64{{0.5, 0, -0.3}, {-1, 0.5}} {
		for i, want := range probit.Proba(nil, y) {
			got, own := proba(y, i), y[i]
			shifted := append([]float64(nil), y...) // (10) without y_i
			shifted[i] = 0
			switch {
			case math.IsNaN(got):
				return notYet
			case math.Abs(got-want) < 1e-4:
			case math.Abs(got-want/2) < 1e-4:
				return fmt.Sprintf("y = %g, class %d: %.4f is half of the right value: the product is over the other "+
					"classes only, and Ψ(ε) of the class itself has the mean ½", y, i, got)
			case math.Abs(got-10*want) < 1e-3:
				return fmt.Sprintf("y = %g, class %d: %.4f; multiply by the distance of two points", y, i, got)
			case own != 0 && math.Abs(got-probit.Proba(nil, shifted)[i]) < 1e-4:
				return fmt.Sprintf("y = %g, class %d: %.4f; the argument of Ψ is ε + y_i − y_j, and y_i is missing", y, i,
					got)
			default:
				return fmt.Sprintf("y = %g, class %d: %.4f, and it should be %.4f", y, i, got, want)
			}
		}
	}
	return "right: five probabilities agree with probit.Proba"
}

// CheckLoser says what is wrong with a function that returns the posterior mean of z_j, (22), if class i has
// won.
func CheckLoser(loser func(y []float64, i, j int) float64) string {
	for _, y := range [][]float64{{0.5, 0.2, -0.3}, {-1, 0.5, 1}} {
		for i := range y {
			z, logp := probit.Means(nil, y, i)
			for j := range y {
				if j == i {
					continue
				}
				got, shift := loser(y, i, j), y[j]-z[j]
				where := fmt.Sprintf("y = %g, winner %d, loser %d: z̄ = %.4f", y, i, j, got)
				switch near := func(v float64) bool { return math.Abs(got-v) < 1e-3 }; {
				case math.IsNaN(got):
					return notYet
				case near(z[j]):
				case near(y[j] + shift):
					return where + "; the loser goes up: (22) has a minus"
				case near(y[j] - shift*math.Exp(logp)):
					return where + "; divide by the probability (10) of the winner"
				case near(shift), near(-shift):
					return where + "; this is the shift alone, without y_j"
				case got < y[j] && got > z[j]:
					return where + fmt.Sprintf(", and it should be %.4f. The shift is too small: the product leaves out j",
						z[j])
				default:
					return where + fmt.Sprintf(", and it should be %.4f", z[j])
				}
			}
		}
	}
	return "right: twelve means agree with probit.Means"
}
