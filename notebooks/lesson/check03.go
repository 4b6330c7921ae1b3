package lesson

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"gonum.org/v1/gonum/stat/distuv"
)

// CheckProba describes the mistake in a function that returns the probability of class i, (10), for the
// potentials of a sample.
func CheckProba(proba func(y []float64, i int) float64) string {
	for _, y := range [][]float64{{0.5, 0, -0.3}, {-1, 0.5}} {
		for i, want := range probit.Proba(nil, y) {
			got, shifted := proba(y, i), slices.Clone(y)
			shifted[i] = 0
			mistakes := []mistake{
				{want / 2, " is half of the right value: the product is over the other classes only, and Ψ(ε) of the " +
					"class itself has the mean ½"},
				{10 * want, "; multiply by the distance of two points"},
			}
			if y[i] != 0 {
				mistakes = append(mistakes, mistake{probit.Proba(nil, shifted)[i],
					"; the argument of Ψ is ε + y_i − y_j, and y_i is missing"})
			}
			where := fmt.Sprintf("y = %g, class %d: %.4f", y, i, got)
			if wrong := judge(where, got, want, 1e-4, mistakes); wrong != "" {
				return wrong
			}
		}
	}
	return "right: five probabilities agree with probit.Proba"
}

// CheckLoser describes the mistake in a function that returns the posterior mean of z_j, (22), if
// class i wins.
func CheckLoser(loser func(y []float64, i, j int) float64) string {
	const distance = "; multiply by the distance 0.1 of the points in both integrals or in neither"
	for _, y := range [][]float64{{0.5, 0.2, -0.3}, {-1, 0.5, 1}} {
		for i := range y {
			z, logp := probit.Means(nil, y, i)
			for j := range y {
				if j == i {
					continue
				}
				got, shift := loser(y, i, j), y[j]-z[j]
				where := fmt.Sprintf("y = %g, winner %d, loser %d: z̄ = %.4f", y, i, j, got)
				if wrong := judge(where, got, z[j], 1e-3, []mistake{
					{y[j] + shift, "; the loser goes up: (22) has a minus"},
					{y[j] - shift*math.Exp(logp), "; divide by the probability (10) of the winner"},
					{shift, "; this is the shift alone, without y_j"},
					{-shift, "; this is the shift alone, without y_j"},
					{y[j] - shiftOf(y, i, j, 1, true), "; the product leaves out j, whose Ψ becomes a density"},
					{y[j] - shiftOf(y, i, j, -1, false),
						"; the argument of Ψ is ε + y_i − y_k, with the winner's potential first"},
					{y[j] - 10*shift, distance},
					{y[j] - shift/10, distance},
				}); wrong != "" {
					return wrong
				}
			}
		}
	}
	return "right: twelve means agree with probit.Means"
}

// shiftOf returns the shift of class j in (22) if class i wins, with the differences times sign. With keep,
// the product includes the factor Ψ of j. For j = i it is the result of (22) if it is applied to the winner.
func shiftOf(y []float64, i, j int, sign float64, keep bool) float64 {
	p, sum := 0.0, 0.0
	for _, e := range Span(-8, 8, 321) {
		u := e + sign*(y[i]-y[j])
		others, own := distuv.UnitNormal.Prob(e), 1.0
		for k := range y {
			switch psi := distuv.UnitNormal.CDF(e + sign*(y[i]-y[k])); {
			case k == i:
			case k == j:
				own = psi
			default:
				others *= psi
			}
		}
		p += others * own
		if !keep {
			own = 1
		}
		sum += others * own * distuv.UnitNormal.Prob(u)
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
			if wrong := judge(where, got, z[i], 1e-3, []mistake{
				{y[i] - rise, "; the winner goes down: each loser gives it y_j − z̄_j, which is positive"},
				{rise, "; this is the shift alone, without y_i"},
				{y[i], " is y_i: the winner has not moved"},
				{y[i] + rise/float64(len(y)-1),
					"; this is the mean of what the losers give, and (23) has their sum"},
				{z[i] + shiftOf(y, i, i, 1, false), "; the sum leaves out the winner itself"},
			}); wrong != "" {
				return wrong
			}
		}
	}
	return "right: six means agree with probit.Means"
}
