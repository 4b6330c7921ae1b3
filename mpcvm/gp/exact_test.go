package gp

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/exact"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/internal/truth"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestExactKernelPrior checks the potentials KW, the gradient R − W, its product with K and F in each
// iteration of KernelPrior, and at the end the distance of the weights from their fixed point.
func TestExactKernelPrior(t *testing.T) {
	watch.SkipUnderRace(t)
	l := truth.Errors{}
	for _, c := range truth.Classes() {
		tr, theta := truth.Problem(12+c, c, uint64(c))
		slow := truth.New(tr, theta)
		e := newAscent(t.Context(), KernelPrior{Tol: -1}.defaults(), tr, kernel.RBF{Theta: theta},
			fitting.All(tr.N), nil, gram.Options{})
		e.begin()
		for iteration := range 200 {
			_, done := e.iterate()
			if iteration != 3 && !done {
				continue
			}
			n := tr.N
			all, w := make([][]int, c), make([][]float64, c)
			for k := range c {
				w[k] = e.w[k*n : (k+1)*n]
				for i := range n {
					all[k] = append(all[k], i)
				}
			}
			y := slow.Potentials(all, w, make([]float64, c))
			r := e.eStep(e.y)
			z := mat.NewDense(c, n, nil) // R = s²(Z̄ − Y)
			for i, v := range r {
				z.RawMatrix().Data[i] = v/e.Scale + e.y[i]
			}
			objective := slow.EStep(l, y, z, e.logp)
			for k := range c {
				l.Vector("potentials", e.y[k*n:(k+1)*n], y[k])
				objective = objective.Sub(exact.Dot(exact.All(w[k]), y[k]).Div(exact.Of(2 * e.Scale)))
			}
			l.Note("objective", objective.Distance(e.objective)/math.Abs(e.objective))
			if done {
				// K(R − W) relative to Y, when rounding prevents a higher F.
				l.Note("fixed point at the end, relative to the potentials", largest(e.ka)/largest(e.y))
				break
			}
		}
	}
	l.Report(t, map[string]float64{
		"potentials": 1e-13, "posterior means z̄": 1e-10, "log p(t_n)": 1e-10, "objective": 1e-11,
		"fixed point at the end, relative to the potentials": 1e-5,
	})
}
