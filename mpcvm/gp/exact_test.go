package gp

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/exact"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
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

// TestExactPredictions compares the probabilities of fitted models with probabilities computed from the same
// weights in quadruple precision, for near and far samples and at high and low temperatures.
func TestExactPredictions(t *testing.T) {
	watch.SkipUnderRace(t)
	l := truth.Errors{}
	for _, c := range truth.Classes() {
		tr, theta := truth.Problem(6*c, c, uint64(c))
		k := kernel.RBF{Theta: theta}
		for name, learner := range map[string]mpcvm.Learner{
			"TopDown": mpcvm.TopDown{Kernel: k}, "BottomUp": mpcvm.BottomUp{Kernel: k,
				Bias: true}, "KernelPrior": KernelPrior{Kernel: k},
		} {
			m, _ := laws.Fit(t, learner, tr.X, tr.T)
			x := mat.NewDense(2, 2, []float64{tr.X.At(0, 0), tr.X.At(0, 1), 2.5, -1.5})
			n, _ := x.Dims()
			for i := range n {
				y := exact.All(m.Bias())
				for _, v := range m.RelevanceVectors() {
					value := exact.RBF(theta, x.RawRowView(i), v.X)
					for class, w := range v.Weights {
						y[class] = y[class].Add(value.Mul(exact.Of(w)))
					}
				}
				one := mat.NewDense(1, 2, x.RawRowView(i))
				l.Vector("potentials", m.Potentials(nil, one).RawRowView(0), y)
				for _, temperature := range []float64{1e8, 1, 0.2, 0.05, 1e-8} {
					tempered := make([]exact.Num, c)
					for class, v := range y {
						tempered[class] = v.Div(exact.Of(temperature))
					}
					got := m.WithTemperature(temperature).Proba(nil, one).RawRowView(0)
					for class, p := range got {
						logp, _ := exact.Probit(tempered, class)
						what := fmt.Sprintf("%s: p, relative, at T = %g", name, temperature)
						if logp.Float() > -667 {
							l.Note(what, exact.Exp(logp).Error(p))
						} else if p > 1e-289 {
							t.Errorf("%s, C = %d: p = %v, log p %v", what, c, p, logp)
						}
					}
				}
			}
		}
	}
	limits := map[string]float64{"potentials": 1e-14}
	for _, name := range []string{"TopDown", "BottomUp", "KernelPrior"} {
		for temperature, limit := range map[float64]float64{1e8: 1e-12, 1: 1e-11, 0.2: 1e-11, 0.05: 1e-10,
			1e-8: 1e-10} {
			limits[fmt.Sprintf("%s: p, relative, at T = %g", name, temperature)] = limit
		}
	}
	l.Report(t, limits)
}
