package lesson_test

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/mat"
)

// EM takes the same steps as mpcvm.TopDown, and none lowers the objective.
func TestEM(t *testing.T) {
	set := data.Line(data.LineSeed)
	model, r := nb.Fit(mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.5}, MaxIterations: 60, Tol: -1}, set)
	s := lesson.NewEM(set, 0.5, 5.5, 0.5)
	falls := s.Run(len(r.Trace), s.Iterate, func(i int, objective float64) {
		if want := r.Trace[i-1].Objective; math.Abs(objective-want) > 1e-4 {
			t.Errorf("iteration %d: %v, want %v", i, objective, want)
		}
	})
	if n := s.Model().WeightCount(); falls != 0 || n != model.WeightCount() {
		t.Errorf("%d falls, %d weights, want 0 and %d", falls, n, model.WeightCount())
	}
	// With clipped weights and the precisions held, it falls.
	s = lesson.NewEM(set, 0.5, 5.5, 0.5)
	s.Held, s.MStep = true, func(phi *mat.Dense, z, alpha, signs []float64) []float64 {
		w := lesson.FreeWeights(phi, z, alpha)
		for n := range w {
			w[n] = signs[n] * max(0, signs[n]*w[n])
		}
		return w
	}
	if falls := s.Run(40, s.Iterate, nil); falls == 0 {
		t.Error("the objective never falls with clipped weights")
	}
}

// A lone weight has a second peak from z = 2 on, at (z + √(z² − 4))/2, which is lower at first.
func TestLone(t *testing.T) {
	for _, c := range []struct{ z, high, highest float64 }{{1.9, 0, 0}, {3, 2.618, 0}, {5, 4.791, 4.791}} {
		_, high, highest := lesson.Lone{Z: c.z, V: 1e-5}.Peaks()
		if math.Abs(high-c.high) > 1e-3 || math.Abs(highest-c.highest) > 1e-3 {
			t.Errorf("z = %v: peaks %v, the highest %v; want %v, %v", c.z, high, highest, c.high, c.highest)
		}
	}
}
