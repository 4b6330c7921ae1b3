package lesson_test

import (
	"math"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/mat"
)

// CheckMStep accepts the solution. A sample with α = ∞ has no weight.
func TestSignedWeights(t *testing.T) {
	signed := func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
		return lesson.SignedWeights(make([]float64, len(z)), phi, z, alpha, signs)
	}
	holds(t, "all samples", lesson.CheckMStep(signed), "right")
	set := data.Line(data.LineSeed)
	phi := kernel.Gram(nil, kernel.RBF{Theta: 0.5}, set.X)
	z, alpha := lesson.Span(1, 1, set.N()), slices.Repeat([]float64{math.Inf(1)}, set.N())
	if w := signed(phi, z, alpha, z); slices.ContainsFunc(w, func(v float64) bool { return v != 0 }) {
		t.Errorf("weights outside the model: %v", w)
	}
	alpha[7] = 2
	row := phi.RowView(7)
	want := mat.Dot(row, mat.NewVecDense(len(z), z)) / (mat.Dot(row, row) + 2)
	if w := signed(phi, z, alpha, z); math.Abs(w[7]-want) > 1e-9 {
		t.Errorf("a single weight is %v, want %v", w[7], want)
	}
}

func TestModelByHand(t *testing.T) {
	set := data.Line(data.LineSeed)
	trained, _ := nb.Fit(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}, set)
	m := lesson.NewByHand(set, 0.5)
	for c, row := range lesson.WeightsOf(trained, set.N()) {
		m.W.SetRow(c, row)
	}
	if !mat.Equal(m.Model().Proba(nil, set.X), trained.Proba(nil, set.X)) {
		t.Error("the model does not have the given weights")
	}
}
