package lesson

import (
	"math"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// SignedWeights returns the w that minimises ‖z − Φw‖² + Σ αw² subject to the signs, with w = 0
// where α is infinite. It starts from w, which it changes, improves the weights one by one, like the
// M-step of notebook 04, and solves for the non-zero weights once their signs are right. Φ is symmetric.
func SignedWeights(w []float64, phi *mat.Dense, z, alpha, signs []float64) []float64 {
	in, columns, _ := Factorise(phi, alpha)
	if len(in) == 0 {
		return make([]float64, len(z))
	}
	gram, slope := new(mat.Dense), make([]float64, len(in)) // Φᵀ(z − Φw)
	gram.Mul(columns.T(), columns)
	for i, n := range in {
		slope[i] = floats.Dot(phi.RawRowView(n), z)
		for j, m := range in {
			slope[i] -= gram.At(i, j) * w[m]
		}
	}
	for n, a := range alpha {
		if math.IsInf(a, 1) {
			w[n] = 0
		}
	}
	for sweep, moved := 1, 1.0; moved > 1e-12; sweep++ {
		moved = 0
		for i, n := range in {
			v := w[n] + (slope[i]-alpha[n]*w[n])/(gram.At(i, i)+alpha[n])
			v = signs[n] * max(0, signs[n]*v)
			if v != w[n] {
				floats.AddScaled(slope, w[n]-v, gram.RawRowView(i))
				moved = max(moved, math.Abs(v-w[n]))
				w[n] = v
			}
		}
		if sweep%5 == 0 {
			if exact := solved(phi, z, alpha, signs, w); exact != nil {
				return exact
			}
		}
	}
	return w
}

// solved returns the solution if it is zero at the same weights as w, and nil otherwise.
func solved(phi *mat.Dense, z, alpha, signs, w []float64) []float64 {
	free := EmptyModel(len(w))
	for n := range w {
		if w[n] != 0 {
			free[n] = alpha[n]
		}
	}
	exact := FreeWeights(phi, z, free)
	slope := slopeOf(phi, z, exact)
	for n := range w {
		if signs[n]*exact[n] < 0 || math.IsInf(free[n], 1) && !math.IsInf(alpha[n], 1) &&
			signs[n]*slope[n] > 1e-9 {
			return nil
		}
	}
	return exact
}

// FreeWeights returns the mean H⁻¹Φᵀz of the Gaussian of (30), which ignores the signs, with zeros
// outside the model.
func FreeWeights(phi *mat.Dense, z, alpha []float64) []float64 {
	w := make([]float64, len(z))
	in, columns, h := Factorise(phi, alpha)
	if len(in) == 0 {
		return w
	}
	var x mat.VecDense
	x.MulVec(columns.T(), mat.NewVecDense(len(z), z))
	_ = h.SolveVecTo(&x, &x) // the error only reports a badly conditioned H
	for j, n := range in {
		w[n] = x.AtVec(j)
	}
	return w
}

// modelOf returns the model with an RBF kernel and the weights w, with a class in each row and a
// sample in each column.
func modelOf(set *data.Set, theta float64, w *mat.Dense, bias []float64) *mpcvm.Model {
	bases, values := make([][]int, set.C()), make([][]float64, set.C())
	for c := range bases {
		for n, v := range w.RawRowView(c) {
			if v != 0 {
				bases[c], values[c] = append(bases[c], n), append(values[c], v)
			}
		}
	}
	model := mpcvm.NewModel(kernel.RBF{Theta: theta}, set.X, set.T, bases, values, bias)
	return model.WithNames(set.Classes, set.Features)
}

// SignsOf returns the signs f of the weights, with a class in each row and a sample in each column:
// +1 for the samples of the class and −1 for the others.
func SignsOf(set *data.Set) *mat.Dense {
	f := mat.NewDense(set.C(), set.N(), nil)
	f.Apply(func(c, n int, _ float64) float64 {
		if set.T[n] == c {
			return 1
		}
		return -1
	}, f)
	return f
}

// ClassOf returns the data for the regression of class c in the empty model: the N×N basis
// functions of an RBF kernel, the posterior means z̄ and the signs f of the weights.
func ClassOf(set *data.Set, c int, theta float64) (phi *mat.Dense, z, f []float64) {
	for _, t := range set.T {
		mean, _ := probit.Means(nil, make([]float64, set.C()), t)
		z = append(z, mean[c])
	}
	return kernel.Gram(nil, kernel.RBF{Theta: theta}, set.X), z, SignsOf(set).RawRowView(c)
}

// EmptyModel returns n infinite precisions.
func EmptyModel(n int) []float64 {
	alpha := make([]float64, n)
	floats.AddConst(math.Inf(1), alpha)
	return alpha
}

// Factorise returns the samples in the model, those with finite α, their columns Φ_M and the
// Cholesky factor of H = Φ_MᵀΦ_M + A. Φ is symmetric. If the model is empty, all three results are
// nil.
func Factorise(phi *mat.Dense, alpha []float64) (in []int, columns *mat.Dense, h *mat.Cholesky) {
	for n, a := range alpha {
		if !math.IsInf(a, 1) {
			in = append(in, n)
		}
	}
	if len(in) == 0 {
		return nil, nil, nil
	}
	columns, sum := mat.NewDense(len(alpha), len(in), nil), mat.NewSymDense(len(in), nil)
	for j, n := range in {
		columns.SetCol(j, phi.RawRowView(n))
	}
	sum.SymOuterK(1, columns.T())
	for j, n := range in {
		sum.SetSym(j, j, sum.At(j, j)+alpha[n])
	}
	h = new(mat.Cholesky)
	h.Factorize(sum)
	return in, columns, h
}
