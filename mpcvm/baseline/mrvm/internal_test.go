package mrvm

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// The slow reference: N×N matrices and explicit inverses.

// covariance returns C = I + ΦA⁻¹Φᵀ without one sample, or with all samples if without is −1.
func covariance(tr *training, samples []int, alpha []float64, without int) *mat.SymDense {
	c := mat.NewSymDense(tr.N, nil)
	for n := range tr.N {
		c.SetSym(n, n, 1)
	}
	for i, k := range samples {
		if k != without {
			c.SymRankOne(c, 1/alpha[i], tr.phi.ColView(k))
		}
	}
	return c
}

// slowFactors returns s_n and Σ_c q_nc² of a sample, from φᵀC₋ₙ⁻¹φ and φᵀC₋ₙ⁻¹z_c.
func slowFactors(t *testing.T, g *growth, z *mat.Dense, n int) (s, q2 float64) {
	t.Helper()
	var chol mat.Cholesky
	if !chol.Factorize(covariance(g.training, g.samples, g.alpha, n)) {
		t.Fatal("C is not positive definite")
	}
	var u mat.VecDense
	must.OK(t, chol.SolveVecTo(&u, g.phi.ColView(n)))
	for c := range g.C {
		q := mat.Dot(&u, z.RowView(c))
		q2 += q * q
	}
	return mat.Dot(&u, g.phi.ColView(n)), q2
}

// marginal returns the log marginal likelihood of z, without the constant −½NC·log 2π.
func marginal(t *testing.T, g *growth, z *mat.Dense, samples []int, alpha []float64) float64 {
	t.Helper()
	var chol mat.Cholesky
	if !chol.Factorize(covariance(g.training, samples, alpha, -1)) {
		t.Fatal("C is not positive definite")
	}
	sum := float64(g.C) * chol.LogDet()
	for c := range g.C {
		var u mat.VecDense
		must.OK(t, chol.SolveVecTo(&u, z.RowView(c)))
		sum += mat.Dot(&u, z.RowView(c))
	}
	return -sum / 2
}

// trainingOf returns validated training data with an RBF kernel.
func trainingOf(t *testing.T, set *data.Set, theta float64) *training {
	t.Helper()
	d := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
	tr := must.Get(newTraining(d, kernel.RBF{Theta: theta}, "test", 1))(t)
	return tr
}

// TestGrowth compares each change of a fit with the slow reference: its gain equals the change of the
// marginal likelihood, no other change gains more, and the factors of all samples are correct after many
// rank-one updates.
func TestGrowth(t *testing.T) {
	tr := trainingOf(t, data.Blobs(60, 5, 2, 1, 1), 0.05)
	g := newGrowth(BottomUp{Actions: 1, Start: 5, Tol: 1e-4}, tr)
	kinds := map[string]int{}
	for iteration := range 200 {
		z := mat.DenseCopyOf(g.z)
		samples, alpha := append([]int(nil), g.samples...), append([]float64(nil), g.alpha...)
		g.factors(true)
		best, ok := g.best(true)
		if !ok {
			g.weigh()
			continue
		}
		slow := iteration < 20 || iteration%20 == 0 // to save time
		largest := math.Inf(-1)
		for n := range tr.N {
			if !slow && n != best.n {
				continue
			}
			s, q2 := slowFactors(t, g, z, n)
			if g.at[n] < 0 && math.Abs(s-g.s[n]) > 1e-9*tr.norm[n] {
				t.Fatalf("iteration %d: s of sample %d is %v, want %v", iteration, n, g.s[n], s)
			}
			now, next := 0.0, math.Inf(1)
			if at := g.at[n]; at >= 0 {
				now = share(g.alpha[at], s, q2, 5)
			}
			if q2 > 5*s {
				next = 5 * s * s / (q2 - 5*s)
			}
			gain := -now
			if !math.IsInf(next, 1) {
				gain = share(next, s, q2, 5) - now
			}
			largest = max(largest, gain)
			if n == best.n && iteration > 0 && math.Abs(best.gain-gain) > 1e-7*(1+math.Abs(gain)) {
				t.Fatalf("iteration %d: gain %v, want %v", iteration, best.gain, gain)
			}
		}
		if slow && iteration > 0 && best.gain < largest-1e-2 { // except for duplicates and steps below Tol
			t.Fatalf("iteration %d: gain %v, but a sample has gain %v", iteration, best.gain, largest)
		}
		before := marginal(t, g, z, samples, alpha)
		switch {
		case g.at[best.n] < 0:
			kinds["add"]++
		case math.IsInf(best.alpha, 1):
			kinds["delete"]++
		default:
			kinds["re-estimate"]++
		}
		g.apply(best)
		if rise := marginal(t, g, z, g.samples, g.alpha) - before; iteration > 0 &&
			math.Abs(rise-best.gain) > 1e-6*(1+math.Abs(rise)) {
			t.Fatalf("iteration %d: the marginal likelihood rose by %v, want %v", iteration, rise, best.gain)
		}
		g.weigh()
	}
	if kinds["add"] < 4 || kinds["delete"] < 1 || kinds["re-estimate"] < 10 {
		t.Errorf("too few changes of some kinds: %v", kinds)
	}
}

// TestFactor: the factor computed in panels gives the same solutions as the inverse, the correct determinant,
// and no jitter unless it is needed.
func TestFactor(t *testing.T) {
	const n = 2*panel + 30
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, math.Sin(float64(i*j+i+2*j)))
		}
	}
	var h mat.SymDense
	h.SymOuterK(1, a)
	gram, samples, alpha := make([][]float64, n), make([]int, n), make([]float64, n)
	for i := range n {
		samples[i], alpha[i] = n-1-i, float64(i+1)
		gram[i] = mat.Row(nil, i, &h)
	}
	b := mat.NewDense(2, n, nil)
	b.Apply(func(i, j int, _ float64) float64 { return float64(i+1) / float64(j+1) }, b)
	want := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			want.SetSym(i, j, h.At(samples[i], samples[j]))
		}
		want.SetSym(i, i, want.At(i, i)+alpha[i])
	}
	var chol mat.Cholesky
	if !chol.Factorize(want) {
		t.Fatal("not positive definite")
	}
	var x mat.Dense
	must.OK(t, chol.SolveTo(&x, b.T()))
	var f factor
	must.OK(t, f.factorize(context.Background(), gram, samples, alpha))
	f.solve(b)
	if !mat.EqualApprox(b, x.T(), 1e-9) {
		t.Error("wrong solution")
	}
	if got, want := f.logDet(), chol.LogDet(); math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("log determinant %v, want %v", got, want)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if f.factorize(done, gram, samples, alpha) == nil {
		t.Error("no error for a context that has ended")
	}
}

// TestMStep compares an iteration of the top-down algorithm with its formulas.
func TestMStep(t *testing.T) {
	tr := trainingOf(t, data.Blobs(30, 3, 2, 1, 7), 0.4)
	l := TopDown{Start: 15, Tau: 1e-5, Upsilon: 1e-5, Prune: math.Inf(1)}
	e := newEM(l, tr)
	e.products(context.Background())
	for range 3 {
		var h, inverse, p, w mat.Dense
		h.Mul(tr.phi.T(), tr.phi)
		for i := range tr.N {
			h.Set(i, i, h.At(i, i)+e.alpha[i])
		}
		must.OK(t, inverse.Inverse(&h))
		p.Mul(tr.phi.T(), e.z.T())
		w.Mul(&inverse, &p)
		must.OK(t, e.mStep(context.Background()))
		if !mat.EqualApprox(&w, e.w.T(), 1e-7) {
			t.Fatal("wrong weights")
		}
		e.iterate()
		for i, a := range e.alpha {
			norm2 := mat.Dot(w.RowView(i), w.RowView(i))
			if want := (3 + 2e-5) / (norm2 + 2e-5); math.Abs(a/want-1) > 1e-6 {
				t.Fatalf("alpha of sample %d is %v, want %v", i, a, want)
			}
		}
	}
}
