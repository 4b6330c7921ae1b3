package nbhelpers_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

// A model and the function of its potentials are equivalent classifiers.
func TestPotentialFunc(t *testing.T) {
	set := data.Line(data.LineSeed)
	model, _ := nb.Fit(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}, set)
	f := nb.PotentialFunc(func(x []float64) []float64 {
		return mat.Row(nil, 0, model.Potentials(nil, mat.NewDense(1, 1, x)))
	})
	if got, want := f.Potentials(nil, set.X),
		model.Potentials(nil, set.X); !mat.EqualApprox(got, want, 1e-12) {
		t.Error("potentials differ")
	}
	if got, want := f.Proba(mat.NewDense(set.N(), 3, nil), set.X),
		model.Proba(nil, set.X); !mat.EqualApprox(got, want, 1e-9) {
		t.Error("probabilities differ")
	}
	if got, want := f.Predict(nil, set.X), model.Predict(nil, set.X); !slices.Equal(got, want) {
		t.Errorf("labels %v, want %v", got, want)
	}
}
