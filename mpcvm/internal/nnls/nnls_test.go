package nnls

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestSolveAgainstAllSubsets compares block principal pivoting with the best of
// all 2^m sets of free weights.
func TestSolveAgainstAllSubsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 200 {
		m := 1 + rng.IntN(7)
		rank := 1 + rng.IntN(m) // below m: H is singular but for alpha
		b := mat.NewDense(rank, m, nil)
		for i := range rank {
			for j := range m {
				b.Set(i, j, rng.NormFloat64())
			}
		}
		var g mat.Dense
		g.Mul(b.T(), b)
		sys := System{}
		p, sign, free := make([]float64, m), make([]float64, m), make([]bool, m)
		for i := range m {
			sys.Gram = append(sys.Gram, g.RawRowView(i))
			sys.Bases = append(sys.Bases, i)
			sys.Alpha = append(sys.Alpha, math.Pow(10, 4*rng.Float64()-2))
			p[i], sign[i], free[i] = 3*rng.NormFloat64(), float64(2*rng.IntN(2)-1), rng.IntN(2) == 0
		}
		value := func(w []float64) float64 { // ½wᵀHw − pᵀw
			sum := 0.0
			for i := range m {
				sum += w[i]*w[i]*sys.Alpha[i]/2 - p[i]*w[i]
				for j := range m {
					sum += w[i] * g.At(i, j) * w[j] / 2
				}
			}
			return sum
		}
		best := 0.0 // at w = 0
		for set := range 1 << m {
			var idx []int
			for i := range m {
				if set>>i&1 == 1 {
					idx = append(idx, i)
				}
			}
			var h Factor
			h.Factorize(sys, idx)
			x, w, ok := make([]float64, len(idx)), make([]float64, m), true
			for k, i := range idx {
				x[k] = p[i]
			}
			h.Solve(x)
			for k, i := range idx {
				w[i] = x[k]
				ok = ok && sign[i]*x[k] >= 0
			}
			if ok {
				best = min(best, value(w))
			}
		}
		w := make([]float64, m)
		new(Solver).Solve(w, sys, p, sign, free, false)
		for i := range m {
			if sign[i]*w[i] < 0 || free[i] != (w[i] != 0) {
				t.Fatalf("weights %v with signs %v, free %v", w, sign, free)
			}
		}
		if got := value(w); got > best+1e-9*math.Abs(best) {
			t.Fatalf("minimum %v, should be %v", got, best)
		}
	}
}

func TestSolveLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for _, m := range []int{50, 200} {
		b := mat.NewDense(m, m, nil)
		for i := range m {
			for j := range m {
				b.Set(i, j, math.Exp(-float64((i-j)*(i-j))/50)) // a smooth kernel: badly conditioned
			}
		}
		var g mat.Dense
		g.Mul(b.T(), b)
		sys := System{}
		p, sign, free := make([]float64, m), make([]float64, m), make([]bool, m)
		for i := range m {
			sys.Gram, sys.Bases, sys.Alpha = append(sys.Gram, g.RawRowView(i)), append(sys.Bases, i), append(sys.Alpha, 1e-6)
			p[i], sign[i] = rng.NormFloat64(), float64(2*rng.IntN(2)-1)
		}
		w := make([]float64, m)
		new(Solver).Solve(w, sys, p, sign, free, false)
		// The conditions of Karush, Kuhn and Tucker.
		for i := range m {
			grad := p[i] - sys.Alpha[i]*w[i]
			size := math.Abs(p[i])
			for j := range m {
				grad -= g.At(i, j) * w[j]
				size = max(size, math.Abs(g.At(i, j)*w[j]))
			}
			if sign[i]*w[i] < 0 || w[i] != 0 && math.Abs(grad) > 1e-7*size || w[i] == 0 && sign[i]*grad > 1e-7*size {
				t.Fatalf("m = %d: weight %d is %g (sign %g), its gradient %g", m, i, w[i], sign[i], grad)
			}
		}
	}
}
