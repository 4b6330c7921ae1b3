package mpcvm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
)

// symmetric is a positive definite matrix H, row-major with its lower triangle
// valid, and after factorize its Cholesky factor L, H = LLᵀ.
type symmetric struct {
	n    int
	data []float64

	cols []int     // the samples of its rows and columns
	base []float64 // the lower triangle of their part of ΦᵀΦ, packed
}

// resize makes room for an n×n matrix of any content.
func (h *symmetric) resize(n int) {
	h.n = n
	if cap(h.data) < n*n {
		h.data = make([]float64, n*n)
	}
	h.data = h.data[:n*n]
}

// gather sets cols and base for the rows and columns idx of the system. What these
// have in common at the beginning with the last ones stays: it is dear to fetch.
func (h *symmetric) gather(s system, idx []int) {
	same := 0
	for same < min(len(h.cols), len(idx)) && h.cols[same] == s.samples[idx[same]] {
		same++
	}
	h.cols, h.base = h.cols[:same], h.base[:same*(same+1)/2]
	for _, a := range idx[same:] {
		h.cols = append(h.cols, s.samples[a])
		from := s.gram[s.samples[a]]
		for _, n := range h.cols {
			h.base = append(h.base, from[n])
		}
	}
}

// row returns row i; only columns j ≤ i are meaningful.
func (h *symmetric) row(i int) []float64 { return h.data[i*h.n : (i+1)*h.n] }

func (h *symmetric) general() blas64.General {
	return blas64.General{Rows: h.n, Cols: h.n, Stride: h.n, Data: h.data}
}

// system is H = ΦᵀΦ + diag(alpha) restricted to the bases of some samples, of
// which gram[n] is the row of ΦᵀΦ of sample n.
type system struct {
	gram    [][]float64
	samples []int
	alpha   []float64 // of each of samples
}

// factorize sets h to the Cholesky factor of the rows and columns idx of the
// system. Where rounding makes it indefinite (equal samples, alpha near nothing)
// it is tried again with a growing diagonal, from 1e-14 of its largest entry.
func (h *symmetric) factorize(s system, idx []int) {
	h.resize(len(idx))
	h.gather(s, idx)
	for jitter := 0.0; ; jitter = max(1e-14, jitter*100) {
		largest := 0.0
		for i, a := range idx {
			row := h.row(i)[:i+1]
			copy(row, h.base[i*(i+1)/2:])
			row[i] += s.alpha[a]
			largest = max(largest, row[i])
		}
		for i := range idx {
			h.row(i)[i] += jitter * largest
		}
		if dense.Cholesky(h.general()) {
			return
		}
		if jitter > 1 {
			panic("mpcvm: matrix is not positive definite")
		}
	}
}

// solve overwrites b by H⁻¹b, after factorize.
func (h *symmetric) solve(b []float64) { dense.Solve(h.general(), b) }

// solveLower overwrites each row v of b by L⁻¹v, after factorize.
func (h *symmetric) solveLower(b blas64.General) { dense.SolveLower(h.general(), b) }

// logDet is log|H|, after factorize.
func (h *symmetric) logDet() float64 { return dense.LogDet(h.general()) }

// inverseDiagonal writes the diagonal of H⁻¹ to dst, after factorize.
func (h *symmetric) inverseDiagonal(dst []float64) { dense.InverseDiagonal(dst, h.general()) }

// signed solves the sign-constrained least squares problem of the M-step,
//
//	minimise ½ wᵀHw − pᵀw  subject to  sign_i·w_i ≥ 0,
//
// by block principal pivoting (Portugal, Júdice and Vicente 1994, DOI
// 10.1090/S0025-5718-1994-1250776-4): a guess at the set of free weights is solved
// without constraints and corrected, all at once, by those that come out with the
// wrong sign and those at zero whose gradient wants them to move. Where that stops
// making progress, one index at a time is exchanged, the largest, which ends
// after finitely many steps because H is positive definite (Murty 1974).
type signed struct {
	h    symmetric // factor of the free weights' part of H
	free []int     // the weights that are not held at zero, ascending
	side []float64
	b    []float64
	ctx  context.Context // ends solve early, w being of no use then; may be nil
}

// factorize sets s.h to the factor of all of H.
func (s *signed) factorize(sys system) {
	s.free = s.free[:0]
	for i := range sys.samples {
		s.free = append(s.free, i)
	}
	s.h.factorize(sys, s.free)
}

// solve writes the solution to w. isFree says which weights to free at first, and
// on return which are; s.h is then the factor of their part of H and s.free lists
// them. If factored is set, s.h is that at first as well.
func (s *signed) solve(w []float64, sys system, p, sign []float64, isFree []bool, factored bool) {
	m := len(w)
	s.side = append(s.side[:0], p...) // how far each weight is on the right side
	best, patience := m+1, 3
	for trial := 0; ; trial++ {
		if s.ctx != nil && s.ctx.Err() != nil {
			return
		}
		s.free = s.free[:0]
		for i := range m {
			if isFree[i] {
				s.free = append(s.free, i)
			}
		}
		if trial > 0 || !factored {
			s.h.factorize(sys, s.free)
		}
		s.b = s.b[:0]
		for _, i := range s.free {
			s.b = append(s.b, p[i])
		}
		s.h.solve(s.b)
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
		case trial > 20+2*m: // rounding makes it cycle: from here on only release
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

// clip is the M-step as the paper prints it: w = H⁻¹p without constraint, eq.
// (new_w), and zero where the sign is wrong.
func (s *signed) clip(w []float64, sys system, p, sign []float64) {
	copy(w, p)
	s.factorize(sys)
	s.h.solve(w)
	for i := range w {
		if sign[i]*w[i] < 0 {
			w[i] = 0
		}
	}
}

// gradient is p − (Hw)_i for a weight i at zero; what rounding leaves counts as
// zero.
func (s system) gradient(i int, p float64, w []float64, free []int) float64 {
	row, sum, size := s.gram[s.samples[i]], p, math.Abs(p)
	for _, j := range free {
		v := row[s.samples[j]] * w[j]
		sum -= v
		size = max(size, math.Abs(v))
	}
	if math.Abs(sum) <= 1e-11*size {
		return 0
	}
	return sum
}
