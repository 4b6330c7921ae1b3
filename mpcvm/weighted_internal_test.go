package mpcvm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestWeightIsRepetition: with the same basis functions, a row with weight 2 or 3 is equivalent to two or
// three rows, in every iteration of both algorithms.
func TestWeightIsRepetition(t *testing.T) {
	const n = 45
	set, rng, k := data.Blobs(n, 3, 2, 1.5, 4), rand.New(rand.NewPCG(5, 5)), kernel.RBF{Theta: 0.4}
	weights := make([]float64, n)
	var rows []int
	for i := range weights {
		weights[i], rows = 1, append(rows, i)
	}
	for i := range weights { // the repeated rows follow the basis functions
		for range rng.IntN(3) {
			weights[i]++
			rows = append(rows, i)
		}
	}
	x, labels := mat.NewDense(len(rows), 2, nil), make([]int, len(rows))
	for i, row := range rows {
		x.SetRow(i, set.X.RawRowView(row))
		labels[i] = set.T[row]
	}
	repeated := must.Get(fitting.New(fitting.Samples{X: x, T: labels}))(t)
	weighted := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T, Weights: weights}))(t)
	same := func(what string, iteration int, got, want *Model, stepGot, stepWant Step) {
		t.Helper()
		y, z := got.Potentials(nil, set.X), want.Potentials(nil, set.X)
		if !mat.EqualApprox(y, z, 1e-6) || !scalar.EqualWithinAbsOrRel(stepGot.Objective, stepWant.Objective, 1e-6,
			1e-9) ||
			!scalar.EqualWithinAbsOrRel(stepGot.LogLik, stepWant.LogLik, 1e-6, 1e-9) || !slices.Equal(stepGot.Weights,
			stepWant.Weights) {
			t.Errorf("%s, iteration %d: objective %g and %g, weights %v and %v", what, iteration, stepGot.Objective,
				stepWant.Objective, stepGot.Weights, stepWant.Weights)
		}
	}
	for what, o := range map[string]gram.Options{"stored": {}, "computed": {Recompute: true},
		"float32": {Float32: true}} {
		top := func(d *fitting.Data) *topDownState {
			e := must.Get(newTopDown(t.Context(), TopDown{}.defaults(), d, k, fitting.All(n), o))(t)
			return e
		}
		a, b := top(weighted), top(repeated)
		for i := range 25 {
			if a.mStep(t.Context()) != nil || b.mStep(t.Context()) != nil {
				t.Fatal("an M-step failed")
			}
			one, two := a.iterate(), b.iterate()
			same("top down, "+what, i, a.model(), b.model(), one, two)
		}
		for name, l := range map[string]BottomUp{"": {}, " with bias": {Bias: true},
			" tempered": {LikelihoodPower: 10}} {
			bottom := func(d *fitting.Data) *bottomUpState {
				e := must.Get(newBottomUp(t.Context(), l.defaults(), d, k, fitting.All(n), o))(t)
				return e
			}
			a, b := bottom(weighted), bottom(repeated)
			for i := range 40 {
				one, _ := a.epoch()
				two, _ := b.epoch()
				same("bottom up"+name+", "+what, i, a.model(), b.model(), one, two)
			}
		}
	}
}
