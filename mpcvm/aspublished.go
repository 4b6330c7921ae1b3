package mpcvm

import (
	"math"
	"math/rand/v2"

	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/nnls"
)

// The algorithms as printed in the paper, for teaching and comparison. Algorithm 1 shares all its code with
// TopDown except the start and the M-step (nnls.Solver.Clip). Algorithm 2 shares the factors with BottomUp;
// its choice of a basis function is in this file.

// randomMeans initialises Z̄ with values drawn uniformly from (0, 1).
func (e *bottomUpState) randomMeans() {
	e.rng = rand.New(rand.NewPCG(e.Seed, 0))
	for c := range e.C {
		z := e.zbar.RawRowView(c)
		for n := range z {
			z[n] = e.rng.Float64()
		}
	}
}

// passAsPublished is an epoch of Algorithm 2.
func (e *bottomUpState) passAsPublished(first bool) Step {
	par.For(e.C, 1, func(c, _ int) { e.class[c].factors(e) })
	for _, m := range e.class {
		m.actAsPublished(e, first)
	}
	par.For(e.C, 1, func(c, _ int) { e.class[c].weighAsPublished(e) })
	e.potentials()
	return e.eStep()
}

// actAsPublished adds, deletes or re-estimates one basis function and ignores the signs.
func (m *classModel) actAsPublished(e *bottomUpState, first bool) {
	m.begin()
	position := make(map[int]int, len(m.active))
	for i, n := range m.active {
		position[n] = i
	}
	best, gain := -1, math.Inf(-1) // argmax of q² − s among the basis functions outside the model
	worst, loss := -1, 0.0         // argmin among those in the model, if negative
	for n := range e.bases {
		s, q := m.S[n], m.Q[n]
		if i, in := position[n]; in {
			s, q = without(s, q, m.alpha[i])
			if g := q*q - s; g < loss {
				worst, loss = i, g
			}
		} else if g := q*q - s; g > gain {
			best, gain = n, g
		}
	}
	switch {
	case best >= 0 && gain > 0:
		e.rows([]int{best})
		m.active, m.w = append(m.active, best), append(m.w, 0)
		m.alpha = append(m.alpha, optimal(m.S[best], m.Q[best]))
		m.added = append(m.added, Basis{e.bases[best], m.c})
		m.changed()
	case first || len(m.active) == 0:
	case worst >= 0:
		keep := make([]bool, len(m.active))
		for i := range keep {
			keep[i] = i != worst
		}
		m.retain(e, keep)
	default:
		i := e.rng.IntN(len(m.active))
		n := m.active[i]
		if alpha := optimal(without(m.S[n], m.Q[n], m.alpha[i])); !math.IsInf(alpha, 1) {
			m.reestimate(i, alpha)
		}
	}
}

// without turns the factors S, Q of a basis function in the model into s, q without it: s = αS/(α − S), q =
// αQ/(α − S). Up to rounding, S < α.
func without(S, Q, alpha float64) (s, q float64) {
	d := alpha - S
	if d <= 1e-12*alpha {
		d = 1e-12 * alpha
	}
	return alpha * S / d, alpha * Q / d
}

// weighAsPublished is eq. (w_pos2): it solves for the weights without constraints and sets those with the
// wrong sign to zero. They stay in the model.
func (m *classModel) weighAsPublished(e *bottomUpState) {
	before := m.weights()
	p, sign := make([]float64, len(m.active)), make([]float64, len(m.active))
	for i, n := range m.active {
		p[i], sign[i] = e.p.At(m.c, n), e.sign(n, m.c)
	}
	m.changed()
	m.solver.Clip(m.w, nnls.System{Gram: e.gram, Bases: m.active, Alpha: m.alpha}, p, sign)
	m.record(e, before)
}
