package nnls

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TestSolveAgainstAllSubsets compares block principal pivoting with the best of all 2^m sets of free weights.
func TestSolveAgainstAllSubsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 200 {
		m := 1 + rng.IntN(7)
		rank := 1 + rng.IntN(m) // below m: H is singular except for alpha
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
			t.Fatalf("minimum %v, want %v", got, best)
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
			sys.Gram, sys.Bases, sys.Alpha = append(sys.Gram, g.RawRowView(i)), append(sys.Bases, i),
				append(sys.Alpha, 1e-6)
			p[i], sign[i] = rng.NormFloat64(), float64(2*rng.IntN(2)-1)
		}
		w := make([]float64, m)
		new(Solver).Solve(w, sys, p, sign, free, false)
		// The Karush-Kuhn-Tucker conditions.
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

// TestFactor compares the methods of a Factor with plain inverses of H, for rows and columns that change from
// one call to the next.
func TestFactor(t *testing.T) {
	const n = 9
	rng := rand.New(rand.NewPCG(4, 9))
	b := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			b.Set(i, j, rng.NormFloat64())
		}
	}
	var g mat.Dense
	g.Mul(b.T(), b)
	sys := System{Bases: []int{8, 1, 5, 3, 0}, Alpha: []float64{1, 2, 0.5, 4, 3}}
	for i := range n {
		sys.Gram = append(sys.Gram, g.RawRowView(i))
	}
	var s Solver
	for trial, idx := range [][]int{{0, 2, 4}, {0, 2, 3, 4}, {1}, nil} { // nil: all
		if idx == nil {
			idx = []int{0, 1, 2, 3, 4}
			s.Factorize(sys)
		} else {
			s.Factor.Factorize(sys, idx)
		}
		m := len(idx)
		h := mat.NewDense(m, m, nil)
		for i, a := range idx {
			for j, c := range idx {
				h.Set(i, j, g.At(sys.Bases[a], sys.Bases[c]))
			}
			h.Set(i, i, h.At(i, i)+sys.Alpha[a])
		}
		var inverse mat.Dense
		must.OK(t, inverse.Inverse(h))
		near := func(what string, got, want float64) {
			t.Helper()
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("trial %d: %s is %g, want %g", trial, what, got, want)
			}
		}
		near("log|H|", s.Factor.LogDet(), math.Log(mat.Det(h)))
		diagonal := make([]float64, m)
		s.Factor.InverseDiagonal(diagonal)
		for i, v := range diagonal {
			near("diagonal of the inverse", v, inverse.At(i, i))
			unit := make([]float64, m) // ‖L⁻¹e‖² = eᵀH⁻¹e
			unit[i] = 1
			s.Factor.SolveLower(blas64.General{Rows: 1, Cols: m, Stride: m, Data: unit})
			near("‖L⁻¹e‖²", floats.Dot(unit, unit), inverse.At(i, i))
		}
	}
}

// TestClip: the weights are the unconstrained ones, but zero where the sign is wrong.
func TestClip(t *testing.T) {
	sys := System{Gram: [][]float64{{2, 1}, {1, 2}}, Bases: []int{0, 1}, Alpha: []float64{1, 1}}
	w := make([]float64, 2)
	new(Solver).Clip(w, sys, []float64{8, 0}, []float64{1, 1}) // H⁻¹p = (3, −1)
	if math.Abs(w[0]-3) > 1e-12 || w[1] != 0 {
		t.Errorf("weights %v", w)
	}
}

// TestCancelled: Solve returns if the context has ended.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := []float64{7}
	s := Solver{Ctx: ctx}
	s.Solve(w, System{Gram: [][]float64{{1}}, Bases: []int{0}, Alpha: []float64{1}}, []float64{1}, []float64{1},
		[]bool{true}, false)
	if w[0] != 7 {
		t.Errorf("weight %v", w)
	}
}

// TestCycle: exchanging all violating weights at once cycles from some starting sets of this problem, which
// is from Curtis, Han and Robinson (2015, DOI 10.1007/s10589-014-9681-9). Exchanging one at a time
// terminates.
func TestCycle(t *testing.T) {
	sys := System{Gram: [][]float64{{4, 5, -5}, {5, 9, -5}, {-5, -5, 7}}, Bases: []int{0, 1, 2},
		Alpha: make([]float64, 3)}
	for set := range 8 {
		for _, sign := range []float64{1, -1} {
			w, free := make([]float64, 3), []bool{set&1 > 0, set&2 > 0, set&4 > 0}
			p := []float64{-2 * sign, -sign, 3 * sign}
			new(Solver).Solve(w, sys, p, []float64{sign, sign, sign}, free, false)
			if want := []float64{0, 4. / 19 * sign, 11. / 19 * sign}; !floats.EqualApprox(w, want, 1e-12) {
				t.Errorf("from set %d, sign %v: weights %v, want %v", set, sign, w, want)
			}
		}
	}
}

// TestEqualColumns: if two bases are equal, rounding errors do not free the second one.
func TestEqualColumns(t *testing.T) {
	for i := range 50 {
		v, p := 1+float64(i)/7, 1/(3+float64(i))
		w, free := make([]float64, 2), []bool{true, false}
		sys := System{Gram: [][]float64{{v, v}, {v, v}}, Bases: []int{0, 1}, Alpha: make([]float64, 2)}
		new(Solver).Solve(w, sys, []float64{p, p}, []float64{1, 1}, free, false)
		if math.Abs(w[0]-p/v) > 1e-15 || w[1] != 0 || free[1] {
			t.Errorf("%v·w = %v: weights %v", v, p, w)
		}
	}
}
