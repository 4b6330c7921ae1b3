package mlr

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// newton minimises the objective by Newton's method with a line search. Conjugate gradients
// solve the linear system of each iteration approximately (Nocedal and Wright 2006, Numerical
// Optimization, algorithm 7.1).
type newton struct {
	*objective
	p, g []float64 // the parameters so far and the gradient there
	next []float64 // parameters tried

	s, r, d, hd []float64 // step, residual, direction and product of the conjugate gradients
}

func newNewton(o *objective) *newton {
	p := o.start()
	m := newton{objective: o, p: p}
	for _, v := range []*[]float64{&m.g, &m.s, &m.r, &m.d, &m.hd, &m.next} {
		*v = make([]float64, len(p))
	}
	o.evaluate(p)
	o.gradient(m.g)
	return &m
}

// iterate takes a step. It reports whether the objective fell. If it did not, nothing has
// changed, and rounding hides any further decrease.
func (m *newton) iterate(ctx context.Context) (moved bool, err error) {
	if err := m.solve(ctx); err != nil {
		return false, err
	}
	const halvings, sufficient = 40, 1e-4 // Armijo's condition
	loss, slope := m.loss, floats.Dot(m.g, m.s)
	for length, i := 1., 0; i < halvings; length, i = length/2, i+1 {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		floats.AddScaledTo(m.next, m.p, length, m.s)
		if m.evaluate(m.next); m.loss < loss && m.loss <= loss+sufficient*length*slope {
			m.p, m.next = m.next, m.p
			m.gradient(m.g)
			return true, nil
		}
	}
	m.evaluate(m.p)
	return false, nil
}

// solve sets s to approximately −H⁻¹g. The residual is of the order of |g|^1.5, so that the
// convergence is superlinear. H is singular along equal changes of all biases; the vectors
// here are centred and have no such part.
func (m *newton) solve(ctx context.Context) error {
	const limit = 500 // products; a solution cut short is still a direction of descent
	clear(m.s)
	copy(m.r, m.g)
	for i, v := range m.g {
		m.d[i] = -v
	}
	size := floats.Norm(m.g, 2)
	enough := size * min(0.5, math.Sqrt(size))
	rr := floats.Dot(m.r, m.r)
	for range limit {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m.curvature(m.hd, m.d)
		dhd := floats.Dot(m.d, m.hd)
		if !(dhd > 0) {
			break
		}
		floats.AddScaled(m.s, rr/dhd, m.d)
		floats.AddScaled(m.r, rr/dhd, m.hd)
		last := rr
		if rr = floats.Dot(m.r, m.r); math.Sqrt(rr) <= enough {
			break
		}
		floats.Scale(rr/last, m.d)
		floats.Sub(m.d, m.r)
	}
	return nil
}
