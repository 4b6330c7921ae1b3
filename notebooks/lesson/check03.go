package lesson

import (
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"gonum.org/v1/gonum/stat/distuv"
)

// CheckProba describes the mistake in a function that returns the probability of class i, (10), for the
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
				return fmt.Sprintf("y = %g, class %d: %.4f; it should be %.4f", y, i, got, want)
			}
		}
	}
	return "right: five probabilities agree with probit.Proba"
}

// CheckLoser describes the mistake in a function that returns the posterior mean of z_j, (22), if
// class i wins.
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
				case near(y[j] - shiftOf(y, i, j, 1, true)):
					return where + "; the product leaves out j, whose Ψ becomes a density"
				case near(y[j] - shiftOf(y, i, j, -1, false)):
					return where + "; the argument of Ψ is ε + y_i − y_k, with the winner's potential first"
				case near(y[j] - 10*shift), near(y[j] - shift/10):
					return where + "; multiply by the distance 0.1 of the points in both integrals or in neither"
				default:
					return where + fmt.Sprintf("; it should be %.4f", z[j])
				}
			}
		}
	}
	return "right: twelve means agree with probit.Means"
}

// shiftOf returns the shift of loser j in (22), with the differences times sign. With keep, the
// product includes the factor Ψ of j.
func shiftOf(y []float64, i, j int, sign float64, keep bool) float64 {
	p, sum := 0.0, 0.0
	for _, e := range Span(-8, 8, 321) {
		others, density := distuv.UnitNormal.Prob(e), 0.0
		for k := range y {
			u := e + sign*(y[i]-y[k])
			switch {
			case k == j:
				density = distuv.UnitNormal.Prob(u)
			case k != i:
				others *= distuv.UnitNormal.CDF(u)
			}
		}
		own := distuv.UnitNormal.CDF(e + sign*(y[i]-y[j]))
		p += others * own
		if keep {
			density *= own
		}
		sum += others * density
	}
	return sum / p
}

// CheckWinner describes the mistake in a function that returns the posterior mean of the winner i, (23).
func CheckWinner(winner func(y []float64, i int) float64) string {
	for _, y := range [][]float64{{0.5, 0.2, -0.3}, {-1, 0.5, 1}} {
		for i := range y {
			z, _ := probit.Means(nil, y, i)
			got, rise := winner(y, i), z[i]-y[i]
			where := fmt.Sprintf("y = %g, winner %d: z̄ = %.4f", y, i, got)
			switch near := func(v float64) bool { return math.Abs(got-v) < 1e-3 }; {
			case math.IsNaN(got):
				return notYet
			case near(z[i]):
			case near(y[i] - rise):
				return where + "; the winner goes down: each loser gives it y_j − z̄_j, which is positive"
			case near(rise):
				return where + "; this is the shift alone, without y_i"
			case near(y[i]):
				return where + " is y_i: the winner has not moved"
			case near(y[i] + rise/float64(len(y)-1)):
				return where + "; this is the mean of what the losers give, and (23) has their sum"
			case near(z[i] + y[i] - ownLoser(y, i)):
				return where + "; the sum leaves out the winner itself"
			default:
				return where + fmt.Sprintf("; it should be %.4f", z[i])
			}
		}
	}
	return "right: six means agree with probit.Means"
}

// ownLoser returns the result of (22) if it is applied to the winner.
func ownLoser(y []float64, i int) float64 {
	p, sum := 0.0, 0.0
	for _, e := range Span(-8, 8, 321) {
		h := distuv.UnitNormal.Prob(e)
		for k := range y {
			if k != i {
				h *= distuv.UnitNormal.CDF(e + y[i] - y[k])
			}
		}
		p += h
		sum += h * distuv.UnitNormal.Prob(e)
	}
	return y[i] - sum/p
}
