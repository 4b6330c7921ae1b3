package svm

import "math"

// couple writes to p (C) the class probabilities that agree best with the probabilities r of the lower class
// in each pair (P, in the order of pairs). They minimise pᵀQp with Σp = 1 for
//
//	Q_ii = Σ_{j≠i} r_ji²,   Q_ij = −r_ji r_ij
//
// (Wu, Lin and Weng 2004, eqs. 14 to 19). At the minimum, Qp is the same for all classes, so that (Q + eeᵀ)p
// ∝ e. This matrix is positive definite for r in (0, 1). q is scratch space for C·C numbers.
func couple(p, r, q []float64) {
	c := len(p)
	for i := range c {
		p[i] = 1
		q[i*c+i] = 1
	}
	pair := 0
	for i := range c {
		for j := i + 1; j < c; j++ {
			rij, rji := r[pair], 1-r[pair]
			pair++
			q[i*c+i] += rji * rji
			q[j*c+j] += rij * rij
			q[j*c+i] = 1 - rji*rij
		}
	}
	// Cholesky's L in the lower triangle of q, then the solution with L and Lᵀ.
	for j := range c {
		for k := range j {
			for i := j; i < c; i++ {
				q[i*c+j] -= q[i*c+k] * q[j*c+k]
			}
		}
		root := math.Sqrt(q[j*c+j])
		for i := j; i < c; i++ {
			q[i*c+j] /= root
		}
	}
	for i := range c {
		for k := range i {
			p[i] -= q[i*c+k] * p[k]
		}
		p[i] /= q[i*c+i]
	}
	for i := c - 1; i >= 0; i-- {
		for k := i + 1; k < c; k++ {
			p[i] -= q[k*c+i] * p[k]
		}
		p[i] /= q[i*c+i]
	}
	sum := 0.0
	for i, v := range p {
		p[i] = max(v, 0) // rounding errors can give −1e-17
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}
