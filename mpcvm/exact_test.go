package mpcvm

import (
	"math"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/exact"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/internal/truth"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestExactTopDown checks some iterations of TopDown, each from the state after the previous one.
func TestExactTopDown(t *testing.T) {
	watch.SkipUnderRace(t)
	l := truth.Errors{}
	for _, c := range truth.Classes() {
		tr, theta := truth.Problem(12+c, c, uint64(c))
		slow := truth.New(tr, theta)
		e, err := newTopDown(t.Context(), TopDown{}.defaults(), tr, kernel.RBF{Theta: theta}, fitting.All(tr.N),
			gram.Options{Recompute: c == 3})
		must.OK(t, err)
		for iteration := range 9 {
			z, b := make([][]exact.Num, c), slices.Clone(e.b)
			for k := range c {
				z[k] = exact.All(e.zbar.RawRowView(k))
			}
			must.OK(t, e.mStep(t.Context()))
			check := iteration == 0 || iteration == 8
			for k := range c {
				if !check {
					break
				}
				p := slow.Project(e.active[k], z[k], b[k])
				w := slow.Signed(l, e.active[k], e.alpha[k], e.w[k], p, k)
				l.Vector("weights", e.w[k], w)
				sum := exact.Of(0)
				for n := range tr.N { // eq. (new_b)
					sum = sum.Add(z[k][n])
					for i, m := range e.active[k] {
						sum = sum.Sub(slow.Phi[n][m].Mul(exact.Of(e.w[k][i])))
					}
				}
				l.Note("biases", sum.Div(exact.Of(float64(tr.N)).Add(exact.Of(e.beta[k]))).Distance(e.b[k]))
			}
			step := e.iterate()
			if !check {
				continue
			}
			objective := slow.EStep(l, slow.Potentials(e.active, e.w, e.b), e.zbar, e.logp)
			prior := func(w, u, v float64) {
				ww := exact.Of(w).Mul(exact.Of(w))
				inner := exact.Of(1).Add(ww.Div(exact.Of(v).Shift(1)))
				objective = objective.Sub(exact.Of(u).Add(exact.Of(0.5)).Mul(exact.Log(inner)))
			}
			for k := range c {
				for i, w := range e.w[k] {
					prior(w, e.U1, e.V1)
					ww := exact.Of(w).Mul(exact.Of(w)) // eq. (alpha_nc)
					alpha := exact.Of(e.U1).Shift(1).Add(exact.Of(1)).Div(ww.Add(exact.Of(e.V1).Shift(1)))
					l.Note("precisions α", alpha.Error(e.alpha[k][i]))
				}
				prior(e.b[k], e.U2, e.V2)
				bb := exact.Of(e.b[k]).Mul(exact.Of(e.b[k])) // eq. (beta_c)
				beta := exact.Of(e.U2).Shift(1).Add(exact.Of(1)).Div(bb.Add(exact.Of(e.V2).Shift(1)))
				l.Note("precisions β", beta.Error(e.beta[k]))
			}
			l.Note("objective", objective.Distance(step.Objective)/math.Abs(step.Objective))
		}
	}
	l.Report(t, map[string]float64{
		"weights": 1e-11, "conditions of the sign constraint, relative to Φᵀz̄": 1e-11, "biases": 1e-13,
		"precisions α": 1e-15, "precisions β": 1e-15,
		"posterior means z̄": 1e-9, "log p(t_n)": 1e-9, "objective": 1e-10,
	})
}

// TestExactBottomUp does the same for BottomUp: it checks the factors S, Q of all samples and s, q of those
// in the model by inverting C, the posterior of the weights, and MacKay's precisions.
func TestExactBottomUp(t *testing.T) {
	watch.SkipUnderRace(t)
	l := truth.Errors{}
	for _, c := range truth.Classes() {
		tr, theta := truth.Problem(12+c, c, uint64(c))
		slow := truth.New(tr, theta)
		e, err := newBottomUp(t.Context(), BottomUp{}.defaults(), tr, kernel.RBF{Theta: theta}, fitting.All(tr.N),
			gram.Options{Recompute: c == 3})
		must.OK(t, err)
		for epoch := range 9 {
			step, _ := e.epoch()
			if epoch != 1 && epoch != 8 {
				continue
			}
			active, w := make([][]int, c), make([][]float64, c)
			for k, m := range e.class {
				active[k], w[k] = m.active, m.w
			}
			mixStart(tr, e.zbar, -e.startShare/(1-e.startShare)) // removes the share of the starting Z̄
			objective := slow.EStep(l, slow.Potentials(active, w, e.b), e.zbar, e.logp)
			mixStart(tr, e.zbar, e.startShare)
			e.centre(true)
			for k, m := range e.class {
				m.factors(e)
				m.variances(e)
				z := exact.All(e.zbar.RawRowView(k))
				notePosterior(l, slow, m, z)
				objective = objective.Sub(penalty(slow, m).Shift(-1))
				before := *m
				m.active, m.alpha, m.w = slices.Clone(m.active), slices.Clone(m.alpha), slices.Clone(m.w)
				m.begin()
				m.solve(e) // the weights for this Z̄
				if len(m.active) == len(before.active) {
					p := slow.Project(m.active, z, 0)
					l.Vector("weights", m.w, slow.Signed(l, m.active, m.alpha, m.w, p, k))
				}
			}
			l.Note("objective", objective.Distance(step.Objective)/math.Abs(step.Objective))
		}
	}
	l.Report(t, map[string]float64{
		"S": 1e-11, "Q": 1e-11, "s without the basis": 1e-9, "q without the basis": 1e-9,
		"posterior means μ": 1e-11, "posterior variances": 1e-11,
		"weights": 1e-11, "conditions of the sign constraint, relative to Φᵀz̄": 1e-11,
		"precisions α by MacKay's rule": 1e-9,
		"posterior means z̄":            1e-9, "log p(t_n)": 1e-9, "objective": 1e-10,
	})
}

// notePosterior records the errors of the factors and of the posterior N(μ, Σ) of the weights.
func notePosterior(l truth.Errors, e *truth.Truth, m *classModel, z []exact.Num) {
	// C = I + ΦA⁻¹Φᵀ without one basis function of the model, or with all if it is −1.
	inverse := func(but int) [][]exact.Num {
		cov := make([][]exact.Num, e.N)
		for i := range cov {
			cov[i] = exact.All(make([]float64, e.N))
			cov[i][i] = exact.Of(1)
		}
		for k, s := range m.active {
			if k == but {
				continue
			}
			for i := range cov {
				scaled := e.Phi[s][i].Div(exact.Of(m.alpha[k]))
				for j := range cov {
					cov[i][j] = cov[i][j].Add(scaled.Mul(e.Phi[s][j]))
				}
			}
		}
		return exact.Inverse(cov)
	}
	factors := func(c [][]exact.Num, n int) (s, q exact.Num) {
		v := make([]exact.Num, e.N)
		for i := range v {
			v[i] = exact.Dot(c[i], e.Phi[n])
		}
		return exact.Dot(v, e.Phi[n]), exact.Dot(v, z)
	}
	whole := inverse(-1)
	S, Q := make([]exact.Num, e.N), make([]exact.Num, e.N)
	for n := range e.N {
		S[n], Q[n] = factors(whole, n)
	}
	l.Vector("S", m.S, S)
	l.Vector("Q", m.Q, Q)
	h := exact.Inverse(e.Part(m.active, m.alpha))
	p := e.Project(m.active, z, 0)
	mu := make([]exact.Num, len(m.active))
	for i, n := range m.active {
		mu[i] = exact.Dot(h[i], p)
		l.Note("posterior variances", h[i][i].Error(m.variance[i]))
		s, q := factors(inverse(i), n)
		gotS, gotQ := m.without(i)
		l.Note("s without the basis", s.Distance(gotS)/e.Gram[n][n].Float())
		l.Note("q without the basis", q.Distance(gotQ)/max(1, math.Abs(q.Float())))
		// MacKay's rule, as in weigh.
		alpha := exact.Of(1).Sub(exact.Of(m.alpha[i]).Mul(h[i][i])).Div(exact.Of(m.w[i]).Mul(exact.Of(m.w[i])))
		got := max(1-m.alpha[i]*m.variance[i], 1e-12) / max(m.w[i]*m.w[i], 1e-300)
		if alpha.Float() < alphaMax {
			l.Note("precisions α by MacKay's rule", alpha.Error(got))
		}
	}
	l.Vector("posterior means μ", m.mu, mu)
}

// penalty returns wᵀAw + log|H| − Σ log α, with log|H| by Gaussian elimination.
func penalty(e *truth.Truth, m *classModel) exact.Num {
	h := e.Part(m.active, m.alpha)
	sum := exact.Of(0)
	for k := range h {
		for i := k + 1; i < len(h); i++ {
			f := h[i][k].Div(h[k][k])
			for j := k; j < len(h); j++ {
				h[i][j] = h[i][j].Sub(f.Mul(h[k][j]))
			}
		}
		sum = sum.Add(exact.Log(h[k][k])).Sub(exact.Log(exact.Of(m.alpha[k])))
		sum = sum.Add(exact.Of(m.alpha[k]).Mul(exact.Of(m.w[k])).Mul(exact.Of(m.w[k])))
	}
	return sum
}
