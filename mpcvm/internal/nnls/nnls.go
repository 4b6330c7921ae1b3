// Package nnls solves the least squares problem of an M-step under sign constraints,
//
//	minimise ½ wᵀHw − pᵀw  subject to  sign_i·w_i ≥ 0,   H = ΦᵀΦ + diag(alpha).
package nnls

import (
	"context"
	"math"
)

// Solver works by block principal pivoting (Portugal, Júdice and Vicente 1994, DOI
// 10.1090/S0025-5718-1994-1250776-4). It guesses the set of free weights and solves for them
// without constraints. Then it corrects the guess: weights of the wrong sign are held at
// zero, and weights at zero whose gradient points to their side are freed, all at once. When
// that makes no more progress, it exchanges one weight at a time, the last one (Murty 1974).
// That ends after finitely many steps because H is positive definite.
type Solver struct {
	// Factor is the Cholesky factor of the free weights' part of H.
	Factor Factor
	// Ctx, if not nil, ends Solve early; the weights are then of no use.
	Ctx context.Context

	free []int     // the weights that are not held at zero, ascending
	side []float64 // how far each weight is on the right side
	b    []float64
}

// Factorize sets s.Factor to the factor of all of H.
func (s *Solver) Factorize(sys System) {
	s.free = s.free[:0]
	for i := range sys.Bases {
		s.free = append(s.free, i)
	}
	s.Factor.Factorize(sys, s.free)
}

// Solve writes the solution to w. isFree reports which weights are free at first, and on return
// which are free at the solution; s.Factor is then the factor of their part of H. If
// factored is set, s.Factor is that already.
func (s *Solver) Solve(w []float64, sys System, p, sign []float64, isFree []bool, factored bool) {
	m := len(w)
	s.side = append(s.side[:0], p...)
	best, patience := m+1, 3
	for trial := 0; ; trial++ {
		if s.Ctx != nil && s.Ctx.Err() != nil {
			return
		}
		s.free = s.free[:0]
		for i := range m {
			if isFree[i] {
				s.free = append(s.free, i)
			}
		}
		if trial > 0 || !factored {
			s.Factor.Factorize(sys, s.free)
		}
		s.b = s.b[:0]
		for _, i := range s.free {
			s.b = append(s.b, p[i])
		}
		s.Factor.Solve(s.b)
		clear(w)
		for k, i := range s.free {
			w[i] = s.b[k]
		}
		wrong, last := 0, -1
		for i := range m {
			if isFree[i] {
				s.side[i] = sign[i] * w[i]
			} else {
				s.side[i] = -sign[i] * sys.gradient(i, p[i], w, s.free)
			}
			if s.side[i] < 0 {
				wrong++
				last = i
			}
		}
		if wrong == 0 {
			return
		}
		switch {
		case trial > 20+2*m: // rounding makes it cycle: from here on weights only leave
			last = -1
			for i := range m {
				if isFree[i] && s.side[i] < 0 {
					isFree[i], last = false, i
				}
			}
			if last < 0 {
				return
			}
			continue
		case wrong < best:
			best, patience = wrong, 3
		case patience > 0:
			patience--
		default: // Murty's rule
			isFree[last] = !isFree[last]
			continue
		}
		for i := range m {
			if s.side[i] < 0 {
				isFree[i] = !isFree[i]
			}
		}
	}
}

// Clip is the M-step as the paper prints it: w = H⁻¹p without constraints, eq. (new_w), and
// zero where the sign is wrong.
func (s *Solver) Clip(w []float64, sys System, p, sign []float64) {
	copy(w, p)
	s.Factorize(sys)
	s.Factor.Solve(w)
	for i := range w {
		if sign[i]*w[i] < 0 {
			w[i] = 0
		}
	}
}

// gradient is p − (Hw)_i for a weight i at zero. What is only rounding counts as zero.
func (s System) gradient(i int, p float64, w []float64, free []int) float64 {
	row, sum, size := s.Gram[s.Bases[i]], p, math.Abs(p)
	for _, j := range free {
		v := row[s.Bases[j]] * w[j]
		sum -= v
		size = max(size, math.Abs(v))
	}
	if math.Abs(sum) <= 1e-11*size {
		return 0
	}
	return sum
}
