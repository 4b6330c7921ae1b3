package mpcvm

import (
	"math"
	"math/rand/v2"

	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
)

// The algorithms as printed, for teaching and comparison. Algorithm 1 shares all
// of its code with TopDown but the start and the M-step (signed.clip); the choice of
// a basis in Algorithm 2 is here.

// randomZ begins with Z̄ ~ U(0, 1).
func (e *evidence) randomZ() {
	e.rng = rand.New(rand.NewPCG(e.Seed, 0))
	for c := range e.c {
		z := e.z.RawRowView(c)
		for n := range z {
			z[n] = e.rng.Float64()
		}
	}
}

// literal is an epoch of Algorithm 2.
func (e *evidence) literal(first bool, before []potential) Step {
	par.For(e.c, 1, func(c, _ int) { e.class[c].factors(e) })
	for _, m := range e.class {
		m.actLiteral(e, first)
	}
	par.For(e.c, 1, func(c, _ int) { e.class[c].weighLiteral(e) })
	e.potentials()
	step := e.eStep()
	if math.IsNaN(step.Objective) || math.IsInf(step.Objective, 0) {
		e.diverged = true
		e.restore(before)
	}
	return step
}

// actLiteral adds, deletes or re-estimates one basis, whatever the signs.
func (m *potential) actLiteral(e *evidence, first bool) {
	m.begin()
	place := make(map[int]int, len(m.samples))
	for i, n := range m.samples {
		place[n] = i
	}
	best, gain := -1, math.Inf(-1) // argmax of q² − s outside the model
	worst, loss := -1, 0.0         // argmin inside, where it is negative
	for n := range e.of {
		s, q := m.s[n], m.q[n]
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
		m.samples, m.w = append(m.samples, best), append(m.w, 0)
		m.alpha = append(m.alpha, optimal(m.s[best], m.q[best]))
		m.added = append(m.added, Basis{e.of[best], m.c})
		m.changed()
	case first || len(m.samples) == 0:
	case worst >= 0:
		keep := make([]bool, len(m.samples))
		for i := range keep {
			keep[i] = i != worst
		}
		m.retain(e, keep)
	default:
		i := e.rng.IntN(len(m.samples))
		n := m.samples[i]
		if alpha := optimal(without(m.s[n], m.q[n], m.alpha[i])); !math.IsInf(alpha, 1) {
			m.reestimate(i, alpha)
		}
	}
}

// without turns S, Q of a basis in the model into s, q without it:
// s = αS/(α − S), q = αQ/(α − S); S < α, but for rounding.
func without(s, q, alpha float64) (float64, float64) {
	d := alpha - s
	if d <= 1e-12*alpha {
		d = 1e-12 * alpha
	}
	return alpha * s / d, alpha * q / d
}

// weighLiteral is eq. (w_pos2): the unconstrained weights, those of the wrong sign
// then set to zero. They stay in the model.
func (m *potential) weighLiteral(e *evidence) {
	before := m.weights()
	p, sign := make([]float64, len(m.samples)), make([]float64, len(m.samples))
	for i, n := range m.samples {
		p[i], sign[i] = e.p.At(m.c, n), e.sign(n, m.c)
	}
	m.changed()
	m.solver.clip(m.w, system{e.gram, m.samples, m.alpha}, p, sign)
	m.settle(e, before)
}
