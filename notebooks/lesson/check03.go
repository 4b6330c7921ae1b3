package lesson

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// won returns E[f(ε) ∏ Ψ(ε + sign·(y_i − y_k))] for the classes k that are not left out.
func won(y []float64, i int, sign float64, f func(e float64) float64, without ...int) (sum float64) {
	for _, e := range Span(-8, 8, 161) {
		p := 0.1 * distuv.UnitNormal.Prob(e) * f(e)
		for k := range y {
			if !slices.Contains(without, k) {
				p *= distuv.UnitNormal.CDF(e + sign*(y[i]-y[k]))
			}
		}
		sum += p
	}
	return sum
}

// softmaxOf returns the probabilities of the softmax.
func softmaxOf(y []float64) []float64 {
	p := slices.Clone(y)
	floats.AddConst(-floats.LogSumExp(y), p)
	return changedBy(math.Exp, p).([]float64)
}

// potentialsAnd draws three potentials and n different classes.
func potentialsAnd(n int) func(r *rand.Rand, _ int) []any {
	return func(r *rand.Rand, _ int) []any {
		args := []any{scalars(r, 3, -1.5, 1.5)}
		for _, c := range r.Perm(3)[:n] {
			args = append(args, c)
		}
		return args
	}
}

// CheckProba describes the mistake in a function that returns the probability of class i, (10), for the
// potentials of a sample.
var CheckProba = checkOf(card{name: "(10)", args: "y, class", draw: potentialsAnd(1), n: 5, tol: 1e-4,
	ok: "five probabilities agree with probit.Proba",
	vars: func(args []any) []vars {
		y, i := args[0].([]float64), args[1].(int)
		noy := slices.Clone(y)
		noy[i] = 0
		return []vars{{"own": won(y, i, 1, one), "noy": probit.Proba(nil, noy)[i], "minus": won(y, i, -1, one, i),
			"soft": softmaxOf(y)[i],
			"flat": won(y, i, 1, func(e float64) float64 { return 1 / distuv.UnitNormal.Prob(e) }, i)}}
	}}, func(y []float64, i int) float64 { return probit.Proba(nil, y)[i] })

// shiftOf returns the shift of class j in (22) if class i wins, with the differences times sign. With keep,
// the product includes the factor Ψ of j. For j = i it is the result of (22) if it is applied to the winner.
func shiftOf(y []float64, i, j int, sign float64, keep bool) float64 {
	without := []int{i, j}
	if keep {
		without = without[:1]
	}
	density := func(e float64) float64 { return distuv.UnitNormal.Prob(e + sign*(y[i]-y[j])) }
	return won(y, i, sign, density, without...) / won(y, i, sign, one, i)
}

// meansOf returns the expected z, (22) and (23), for a label.
func meansOf(y []float64, t int) []float64 { z, _ := probit.Means(nil, y, t); return z }

// CheckLoser describes the mistake in a function that returns the posterior mean of z_j, (22), if
// class i wins.
var CheckLoser = checkOf(card{name: "(22)", args: "y, winner, loser", draw: potentialsAnd(2), n: 6, tol: 1e-3,
	ok: "six means agree with probit.Means",
	vars: func(args []any) []vars {
		y, i, j := args[0].([]float64), args[1].(int), args[2].(int)
		return []vars{{"y": y[j], "yi": y[i], "p": probit.Proba(nil, y)[i], "shift": shiftOf(y, i, j, 1, false),
			"keep": shiftOf(y, i, j, 1, true), "minus": shiftOf(y, i, j, -1, false)}}
	}}, func(y []float64, i, j int) float64 { return meansOf(y, i)[j] })

// CheckWinner describes the mistake in a function that returns the posterior mean of the winner i, (23).
var CheckWinner = checkOf(card{name: "(23)", args: "y, winner", draw: potentialsAnd(1), n: 6, tol: 1e-3,
	ok: "six means agree with probit.Means",
	vars: func(args []any) []vars {
		y, i := args[0].([]float64), args[1].(int)
		return []vars{{"y": y[i], "sum": floats.Sum(y), "self": shiftOf(y, i, i, 1, false)}}
	}}, func(y []float64, i int) float64 { return meansOf(y, i)[i] })

// CheckEStep describes the mistake in a function that returns the expected z, (22) and (23), for the
// potentials of a sample and its label.
var CheckEStep = checkOf(card{name: "E-step", args: "y, label", draw: potentialsAnd(1), n: 9, tol: 1e-4,
	ok: "nine cases agree with probit.Means",
	vars: func(args []any) (list []vars) {
		y, t := args[0].([]float64), args[1].(int)
		z, soft := meansOf(y, t), softmaxOf(y)
		few := won(y, t, 1, one, t) / won(y, t, 1, one)
		for c := range y {
			// signed returns minus the shift of a loser, or what the label's class gains.
			signed := func(shift func(j int) float64) (sum float64) {
				for j := range y {
					if c != t && j == c {
						return -shift(j)
					} else if c == t && j != t {
						sum += shift(j)
					}
				}
				return sum
			}
			list = append(list, vars{"y": y[c], "s": z[c] - y[c], "p": probit.Proba(nil, y)[t], "soft": soft[c],
				"own": map[bool]float64{true: 1}[c == t], "few": few, "twice": meansOf(z, t)[c],
				"minus": signed(func(j int) float64 { return shiftOf(y, t, j, -1, false) }),
				"keep":  signed(func(j int) float64 { return shiftOf(y, t, j, 1, true) }),
				"both": signed(func(j int) float64 {
					density := func(e float64) float64 { return distuv.UnitNormal.Prob(e + y[t] - y[j]) }
					return won(y, t, 1, density, j) / won(y, t, 1, one)
				})})
		}
		return list
	}}, meansOf)
