package mpcvm

import (
	"math"
	"math/rand/v2"

	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/nnls"
)

// The algorithms as printed in the paper, for teaching and comparison. Algorithm 1 shares all
// of its code with TopDown except the start and the M-step (nnls.Solver.Clip). Algorithm 2
// shares the factors with BottomUp; the choice of a basis function is here.

// randomMeans sets the first Z̄ to values uniform in (0, 1).
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

// actAsPublished adds, deletes or re-estimates one basis function, without regard to signs.
func (m *classModel) actAsPublished(e *bottomUpState, first bool) {
	m.begin()
	place := make(map[int]int, len(m.active))
	for i, n := range m.active {
		place[n] = i
	}
	best, gain := -1, math.Inf(-1) // argmax of q² − s outside the model
	worst, loss := -1, 0.0         // argmin inside, if it is negative
	for n := range e.bases {
		s, q := m.S[n], m.Q[n]
		if i, in := place[n]; in {
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

// without turns S, Q of a basis in the model into s, q without it: s = αS/(α − S),
// q = αQ/(α − S). S < α except for rounding.
func without(S, Q, alpha float64) (s, q float64) {
	d := alpha - S
	if d <= 1e-12*alpha {
		d = 1e-12 * alpha
	}
	return alpha * S / d, alpha * Q / d
}

// weighAsPublished is eq. (w_pos2): the unconstrained weights, of which those with the wrong sign are then
// set to zero. They stay in the model.
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
