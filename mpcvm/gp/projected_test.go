package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestProjected: the weights of the wrong sign are zero, and the functions of the others are as close as
// possible to the functions before: equal at their bases.
func TestProjected(t *testing.T) {
	set := data.NewMixture(3, 4, 4, 0.5, 1).Set(80, 1)
	d := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
	l := KernelPrior{Scale: 10}.defaults()
	e := newAscent(t.Context(), l, d, kernel.RBF{Theta: 0.5}, fitting.All(d.N), nil, gram.Options{})
	rng := rand.New(rand.NewPCG(1, 1))
	e.kept = [][]int{rng.Perm(d.N)[:50], rng.Perm(d.N)[:60], rng.Perm(d.N)[:7]}
	e.restrict(nil)
	wrong := 0
	for c, list := range e.kept {
		for _, j := range list {
			e.w[c*d.N+j] = d.Sign(j, c) * (rng.Float64() - 0.05)
			if e.w[c*d.N+j]*d.Sign(j, c) < 0 {
				wrong++
			}
		}
	}
	before, w := e.functions(e.w), e.projected()
	after, deleted := e.functions(w), 0
	for c, list := range e.kept {
		for _, j := range list {
			at := c*d.N + j
			switch {
			case w[at] == 0:
				deleted++
			case w[at]*d.Sign(j, c) < 0 || math.Abs(after[at]-before[at]) > 1e-6:
				t.Errorf("class %d, %d: weight %g, function %g, was %g", c, j, w[at], after[at], before[at])
			}
		}
	}
	if wrong == 0 || deleted < wrong || deleted > 60 {
		t.Errorf("%d weights of the wrong sign, %d deleted", wrong, deleted)
	}
}
