package lesson

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// CheckJensen describes the mistake in a function that returns Jensen's lower bound of log p(t) for two
// hidden values, with p1 = p(t, first), p2 = p(t, second) and q = q(first). It compares it with log p(t) less
// the divergence of q from the posterior.
var CheckJensen = checkOf(card{name: "Jensen", args: "p1, p2, q", n: 4,
	ok:   "log p(t) less the divergence of q from the posterior, for four q",
	draw: numbers([2]float64{0.02, 0.4}, [2]float64{0.1, 0.6}, [2]float64{0.05, 0.45}),
}, func(p1, p2, q float64) float64 {
	p := p1 + p2
	return math.Log(p) - stat.KullbackLeibler([]float64{q, 1 - q}, []float64{p1 / p, p2 / p})
})

// oneWeight draws the arguments of (20) for one sample with one weight.
var oneWeight = numbers([2]float64{-2, 4}, [2]float64{0.2, 0.9}, [2]float64{-2, 2}, [2]float64{0.3, 3},
	[2]float64{0.5, 1.5}, [2]float64{1.5, 3})

// logDensities returns the log densities of z, w and b, less their highest values.
func logDensities(z, phi, w, alpha, b, beta float64) (sum float64) {
	for _, v := range [][2]float64{{z - phi*w - b, 1}, {w, alpha}, {b, beta}} {
		normal := distuv.Normal{Sigma: 1 / math.Sqrt(v[1])}
		sum += normal.LogProb(v[0]) - normal.LogProb(0)
	}
	return sum
}

// CheckLogPosterior describes the mistake in a function that returns (20) for one sample with one weight. It
// compares it with the densities.
var CheckLogPosterior = checkOf(card{name: "(20)", args: "z, φ, w, α, b, β", n: 4, draw: oneWeight,
	ok: "the log densities agree at four points"}, logDensities)

// CheckExpected describes the mistake in a function that returns (21) for one sample with one weight, less
// its value at w = b = 0. It compares it with the mean of (20) over two values of z and of the precisions.
var CheckExpected = checkOf(card{name: "(21)", args: "z̄, φ, w, ᾱ, b, β̄", n: 4, draw: oneWeight,
	ok: "the mean of (20) over q agrees at four points",
}, func(z, phi, w, alpha, b, beta float64) (sum float64) {
	for _, d := range []float64{-0.5, 0.5} {
		sum += logDensities(z+d, phi, w, (1-d)*alpha, b, (1+d)*beta)/2 - logDensities(z+d, phi, 0, 1, 0, 1)/2
	}
	return sum
})

// CheckBias describes the mistake in a function that returns the bias of a class, (29), for the targets z̄,
// the values Φw at the samples and the expected precision of the bias.
var CheckBias = checkOf(card{name: "(29)", args: "z̄, Φw, β̄", n: 4, ok: "the mean residual, shrunk by β̄",
	draw: func(r *rand.Rand, _ int) []any {
		return []any{scalars(r, 4, -2, 5), scalars(r, 4, -2, 2), 1 + 3*r.Float64()}
	},
	vars: func(args []any) []vars {
		return []vars{{"Z": floats.Sum(args[0].([]float64)), "Y": floats.Sum(args[1].([]float64)), "N": 4}}
	}}, func(z, phiW []float64, beta float64) float64 {
	return (floats.Sum(z) - floats.Sum(phiW)) / (float64(len(z)) + beta)
})

// CheckRest describes the mistake in a function that returns the larger fixed point of w ← ρw²/(w² +
// 1), or 0 if zero is the only one.
var CheckRest = checkOf(card{name: "fixed point", args: "ρ",
	ok: "from ρ = 2 on a weight survives, and not below it"}, func(rho float64) float64 {
	if rho < 2 {
		return 0
	}
	return (rho + math.Sqrt(rho*rho-4)) / 2
}, []any{1.0}, []any{1.9}, []any{2.1}, []any{3.0})

// squared returns ‖a − b‖².
func squared(a, b []float64) float64 { d := floats.Distance(a, b, 2); return d * d }

// CheckLower describes the mistake in a function that returns the lower bound of log p(t | y) that
// touches it at old, given the expected z at old.
var CheckLower = checkOf(card{name: "bound", args: "y, old, label", n: 6,
	ok: "it touches log p(t | y) at old, and is nowhere above it",
	draw: func(r *rand.Rand, i int) []any {
		y, old := scalars(r, 3, -1.5, 1.5), scalars(r, 3, -1, 2)
		if i == 5 {
			y = old
		}
		return []any{y, old, i % 3}
	},
	vars: func(args []any) []vars {
		y, old, t := args[0].([]float64), args[1].([]float64), args[2].(int)
		z, n := meansOf(old, t), meansOf(y, t)
		return []vars{{"logp": probit.LogProb(old, t), "at": probit.LogProb(y, t), "zy": squared(z, y),
			"zo": squared(z, old), "oy": squared(old, y), "ny": squared(n, y), "no": squared(n, old)}}
	}}, func(y, old []float64, t int) float64 {
	z, logp := probit.Means(nil, old, t)
	return logp - (squared(z, y)-squared(z, old))/2
})

// CheckLowerPrior describes the mistake in a function that returns by how much the bound of log p(w) that
// touches it at old is higher at w than at old. It compares it with the expectation under q(α), computed
// numerically.
var CheckLowerPrior = checkOf(card{name: "prior's bound", args: "w, old, u, v", n: 5,
	ok:   "the expectation under q(α) agrees at five points",
	draw: numbers([2]float64{-2, 2}, [2]float64{0.4, 2}, [2]float64{0.6, 2.5}, [2]float64{0.2, 1.5}),
	vars: func(args []any) []vars {
		w, old, u, v := args[0].(float64), args[1].(float64), args[2].(float64), args[3].(float64)
		return []vars{{"w": w, "old": old, "u": u, "v": v, "a": (2*u + 1) / (old*old + 2*v)}}
	}}, func(w, old, u, v float64) float64 {
	// E_q[log p(w, α) − log q(α)], where q(α) is the posterior for old, less the same at old
	return overAlpha(old, u, v, func(a float64) float64 { return a * (old*old - w*w) / 2 }) /
		overAlpha(old, u, v, one)
})

// partOfQ is the term of one class in (21).
func partOfQ(phi *mat.Dense, z, w, alpha []float64, b, beta float64) float64 {
	sum := beta * b * b
	for n, r := range residuals(phi, z, w, b) {
		sum += r*r + alpha[n]*w[n]*w[n]
	}
	return -sum / 2
}

// residuals returns z − Φw − b.
func residuals(phi *mat.Dense, z, w []float64, b float64) []float64 {
	rest := slices.Clone(z)
	floats.AddConst(-b, rest)
	for n, v := range w {
		floats.AddScaled(rest, -v, phi.RawRowView(n))
	}
	return rest
}

// CheckSlopes describes the mistake in a function that returns the derivatives of Q, (21), by the weights and
// by the bias of a class: half of (26) and (27). It compares them with differences of (21).
var CheckSlopes = checkOf(card{name: "slopes", args: "Φ, z̄, w, ᾱ, b, β̄", n: 3,
	ok: "differences of (21) agree in 15 weights and 3 biases",
	draw: func(r *rand.Rand, _ int) []any {
		return []any{smallGram(r), scalars(r, 5, -2, 4), scalars(r, 5, -2, 2), scalars(r, 5, 0.3, 3),
			0.5 + r.Float64(), 1.5 + r.Float64()}
	},
	vars: func(args []any) (list []vars) {
		phi, w, alpha, b := args[0].(*mat.Dense), args[2].([]float64), args[3].([]float64), args[4].(float64)
		rest := residuals(phi, args[1].([]float64), w, b)
		for n, v := range w {
			list = append(list, vars{"left": floats.Dot(phi.RawRowView(n), rest), "w": v, "a": alpha[n], "b": b,
				"ones": floats.Sum(phi.RawRowView(n)), "plain": rest[n]})
		}
		sum := floats.Sum(rest)
		return append(list, vars{"left": sum, "w": b, "a": args[5].(float64), "b": b, "ones": float64(len(w)),
			"plain": sum})
	}}, func(phi *mat.Dense, z, w, alpha []float64, b, beta float64) (byW []float64, byB float64) {
	for n := range w { // Q is quadratic, so central differences are exact
		up, down := slices.Clone(w), slices.Clone(w)
		up[n]++
		down[n]--
		byW = append(byW, (partOfQ(phi, z, up, alpha, b, beta)-partOfQ(phi, z, down, alpha, b, beta))/2)
	}
	return byW, (partOfQ(phi, z, w, alpha, b+1, beta) - partOfQ(phi, z, w, alpha, b-1, beta)) / 2
})

// smallGram returns the basis functions of five random samples.
func smallGram(r *rand.Rand) *mat.Dense {
	return kernel.Gram(nil, kernel.RBF{Theta: 0.5}, mat.NewDense(5, 1, scalars(r, 5, 0, 4)))
}

// onLine returns class B of Line with θ = 0.5: the basis functions, the z of the first iteration and
// the signs.
func onLine() (phi *mat.Dense, z, signs []float64) {
	set := data.Line(data.LineSeed)
	signs = SignsOf(set).RawRowView(1)
	for _, f := range signs {
		z = append(z, 3+2.5*f)
	}
	return kernel.Gram(nil, kernel.RBF{Theta: 0.5}, set.X), z, signs
}

// oneRound improves the weights of a class one by one, once.
func oneRound(phi *mat.Dense, z, alpha, signs []float64) []float64 {
	w, left := make([]float64, len(z)), slices.Clone(z)
	for n := range w {
		column := phi.RawRowView(n)
		w[n] = signs[n] * max(0, signs[n]*floats.Dot(column, left)/(floats.Dot(column, column)+alpha[n]))
		floats.AddScaled(left, -w[n], column)
	}
	return w
}

// slopeOf returns Φᵀ(z − Φw), the slope of minus half the squares.
func slopeOf(phi *mat.Dense, z, w []float64) []float64 {
	left, slope := mat.NewVecDense(len(z), slices.Clone(z)), mat.NewVecDense(len(z), nil)
	slope.MulVec(phi, mat.NewVecDense(len(w), w))
	left.SubVec(left, slope)
	slope.MulVec(phi.T(), left)
	return slope.RawVector().Data
}
