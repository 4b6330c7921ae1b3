// Package nnls solves the least squares problem of an M-step with sign constraints,
//
//	minimise ½ wᵀHw − pᵀw  subject to  sign_i·w_i ≥ 0,   H = ΦᵀΦ + diag(alpha).
package nnls

import (
	"context"
	"math"
)

// Solver uses block principal pivoting (Portugal, Júdice and Vicente 1994, DOI
// 10.1090/S0025-5718-1994-1250776-4). It guesses the set of free weights and solves for them without
// constraints. Then it corrects the guess: weights of the wrong sign are fixed at zero, and weights at zero
// whose gradient points to their side are freed, all at once. If this makes no more progress, it exchanges
// one weight at a time, the last one (Murty 1974), which takes finitely many steps because H is positive
// definite.
type Solver struct {
	// Factor is the Cholesky factor of the rows and columns of H that belong to the free weights.
	Factor Factor
	// Ctx, if not nil, makes Solve return early when it ends. The weights are then undefined.
	Ctx context.Context

	free []int     // weights that are not fixed at zero, ascending
	side []float64 // slack of each optimality condition; negative if violated
	b    []float64
}

// Factorize sets s.Factor to the factor of the whole matrix H.
func (s *Solver) Factorize(sys System) {
	s.free = s.free[:0]
	for i := range sys.Bases {
		s.free = append(s.free, i)
	}
	s.Factor.Factorize(sys, s.free)
}

// Solve writes the solution to w. isFree marks the weights that are free in the first guess and, on return,
// those that are free in the solution; s.Factor is then the factor for the free weights. If factored is true,
// s.Factor already is the factor for the first guess.
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
		case trial > 20+2*m: // rounding errors cause a cycle: from here on, only fix weights
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

// Clip is the M-step as printed in the paper: w = H⁻¹p without constraints, eq. (new_w), and zero where the
// sign is wrong.
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

// gradient returns p − (Hw)_i for a weight i at zero. Values within rounding errors count as zero.
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
