package lesson

import (
	"math/rand/v2"
	"slices"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// weight is a weight of a model, or a bias.
type weight struct {
	class, sample int // sample is −1 for the bias
	value         float64
}

// PosteriorDraws returns models whose weights and biases are drawn from Laplace's approximation of the
// posterior: a Gaussian around the weights of the model, with the curvature of the log-likelihood and of the
// prior at the expected precisions (24) and (25). Draws in which a weight changes its sign are rejected,
// because the prior forbids them. The model must be an mPCVM₁ with the default Gamma priors, trained on the
// set. PosteriorDraws panics if the curvature is not positive definite.
func PosteriorDraws(model *mpcvm.Model, set *data.Set, draws int, seed uint64) []*mpcvm.Model {
	list := weightsOf(model)
	mean := make([]float64, len(list))
	for i, w := range list {
		mean[i] = w.value
	}
	precision := curvature(model, set, list)
	normal, ok := distmv.NewNormalPrecision(mean, precision, rand.NewPCG(seed, 0))
	if !ok {
		panic("lesson: the posterior has no peak at these weights")
	}
	models := make([]*mpcvm.Model, draws)
	for i := range models {
		v := normal.Rand(nil)
		for !sameSigns(v, list) {
			normal.Rand(v)
		}
		bases, values, bias := make([][]int, set.C()), make([][]float64, set.C()), model.Bias()
		for k, w := range list {
			if w.sample < 0 {
				bias[w.class] = v[k]
				continue
			}
			bases[w.class], values[w.class] = append(bases[w.class], w.sample), append(values[w.class], v[k])
		}
		models[i] = mpcvm.NewModel(model.Kernel(), set.X, set.T, bases, values, bias).WithNames(set.Classes,
			set.Features)
	}
	return models
}

// Bands returns the probabilities of a model on the line x₂ = 0 in the plane, with bands that contain
// nine tenths of 200 draws of the weights.
func Bands(model *mpcvm.Model, set *data.Set, at []float64) []nb.Series {
	cut := mat.NewDense(len(at), 2, nil)
	cut.SetCol(0, at)
	lines, found := make([]nb.Series, set.C()), model.Proba(nil, cut)
	var drawn []*mat.Dense
	for _, m := range PosteriorDraws(model, set, 200, 1) {
		drawn = append(drawn, m.Proba(nil, cut))
	}
	for c, name := range set.Classes {
		line := &lines[c]
		line.Name, line.Color, line.X, line.Y = name, nb.ClassColors(set.Classes)[c], at, mat.Col(nil, c, found)
		for i := range at {
			var p []float64
			for _, m := range drawn {
				p = append(p, m.At(i, c))
			}
			slices.Sort(p)
			line.Low, line.High = append(line.Low, p[10]), append(line.High, p[189])
		}
	}
	return lines
}

// sameSigns reports whether every value has the sign of its weight. A bias may have any sign.
func sameSigns(v []float64, list []weight) bool {
	for i, w := range list {
		if w.sample >= 0 && v[i]*w.value < 0 {
			return false
		}
	}
	return true
}

// weightsOf lists the weights that are not zero, and the biases.
func weightsOf(model *mpcvm.Model) (list []weight) {
	for c, b := range model.Bias() {
		for _, v := range model.RelevanceVectors() {
			if v.Weights[c] != 0 {
				list = append(list, weight{c, v.Index, v.Weights[c]})
			}
		}
		list = append(list, weight{c, -1, b})
	}
	return list
}

// curvature returns minus the Hessian of the log posterior of the weights, with the precisions fixed: of the
// log likelihood by differences of its gradient, Φᵀ(z̄ − y).
func curvature(model *mpcvm.Model, set *data.Set, list []weight) *mat.SymDense {
	const step, u, v = 1e-4, 1e-5, 1e-5
	y, phi := model.Potentials(nil, set.X), kernel.Gram(nil, model.Kernel(), set.X)
	ones := slices.Repeat([]float64{1}, set.N())
	column := func(w weight) []float64 {
		if w.sample < 0 {
			return ones
		}
		return phi.RawRowView(w.sample)
	}
	h := mat.NewSymDense(len(list), nil)
	for i, a := range list {
		push := mat.NewDense(set.C(), set.N(), nil) // the change of z̄ − y per unit of the weight
		for n, t := range set.T {
			for _, d := range []float64{-step, step} {
				moved := slices.Clone(y.RawRowView(n))
				moved[a.class] += d * column(a)[n]
				mean, _ := probit.Means(nil, moved, t)
				for c, z := range mean {
					push.Set(c, n, push.At(c, n)+(z-moved[c])/(2*d))
				}
			}
		}
		for j, b := range list[:i+1] {
			h.SetSym(i, j, -floats.Dot(column(b), push.RawRowView(b.class)))
		}
		h.SetSym(i, i, h.At(i, i)+(2*u+1)/(a.value*a.value+2*v))
	}
	return h
}
