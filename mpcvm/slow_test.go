package mpcvm_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// The slow reference: both learners implemented directly from the equations, with N×N matrices, explicit
// inverses and another method for the sign-constrained least squares.

// slow is the state of both reference learners: all weights and precisions, N×C. An infinite precision means
// that the basis function is not in the model.
type slow struct {
	x        *mat.Dense
	t        []int
	n, c     int
	phi      *mat.Dense
	w, alpha *mat.Dense
	z        *mat.Dense // N×C
	b        []float64
	beta     float64 // likelihood power: the noise of Z̄ has the variance 1/β
}

func newSlow(x *mat.Dense, t []int, c int, theta float64) *slow {
	n, _ := x.Dims()
	s := &slow{x: x, t: t, n: n, c: c, phi: mat.NewDense(n, n, nil), w: mat.NewDense(n, c, nil),
		alpha: mat.NewDense(n, c, nil), z: mat.NewDense(n, c, nil), b: make([]float64, c), beta: 1}
	for i := range n {
		for j := range n {
			d := 0.0
			for k, v := range x.RawRowView(i) {
				d += (v - x.At(j, k)) * (v - x.At(j, k))
			}
			s.phi.Set(i, j, math.Exp(-theta*d))
		}
	}
	return s
}

func (s *slow) sign(n, c int) float64 {
	if s.t[n] == c {
		return 1
	}
	return -1
}

// eStep sets z from y = Φw + b, with the closed form for two classes.
func (s *slow) eStep() {
	var y mat.Dense
	y.Mul(s.phi, s.w)
	for n := range s.n {
		row := y.RawRowView(n)
		for c := range row {
			row[c] += s.b[c]
		}
		if s.c == 2 { // the binary probit: z_t − z_o ~ N(y_t − y_o, 2)
			t, o := s.t[n], 1-s.t[n]
			d := (row[t] - row[o]) / math.Sqrt2
			ratio := math.Exp(-d*d/2) / math.Sqrt(2*math.Pi) / (0.5 * math.Erfc(-d/math.Sqrt2))
			s.z.Set(n, t, row[t]+ratio/math.Sqrt2)
			s.z.Set(n, o, row[o]-ratio/math.Sqrt2)
			continue
		}
		zbar, _ := probit.Means(nil, row, s.t[n])
		s.z.SetRow(n, zbar)
	}
}

// active returns the basis functions of class c.
func (s *slow) active(c int) []int {
	var list []int
	for n := range s.n {
		if !math.IsInf(s.alpha.At(n, c), 1) {
			list = append(list, n)
		}
	}
	return list
}

// h returns βΦ_MᵀΦ_M + A_M for the basis functions of class c.
func (s *slow) h(c int, list []int) *mat.Dense {
	h := mat.NewDense(len(list), len(list), nil)
	for i, a := range list {
		for j, b := range list {
			h.Set(i, j, s.beta*mat.Dot(s.phi.ColView(a), s.phi.ColView(b)))
		}
		h.Set(i, i, h.At(i, i)+s.alpha.At(a, c))
	}
	return h
}

// solve sets the weights of class c to the sign-constrained solution by the active-set method of Lawson and
// Hanson (1974, chapter 23).
func (s *slow) solve(c int) {
	list := s.active(c)
	m := len(list)
	h := s.h(c, list)
	p := make([]float64, m)
	for i, a := range list {
		for n := range s.n {
			p[i] += s.phi.At(n, a) * (s.z.At(n, c) - s.b[c])
		}
		p[i] *= s.beta * s.sign(a, c)
		for j, b := range list { // v = sign·w ≥ 0
			h.Set(i, j, h.At(i, j)*s.sign(a, c)*s.sign(b, c))
		}
	}
	v, passive := make([]float64, m), make([]bool, m)
	for {
		best, largest := -1, 0.0
		for i := range m {
			g := p[i]
			for j := range m {
				g -= h.At(i, j) * v[j]
			}
			if !passive[i] && g > 1e-10*(1+math.Abs(p[i])) && g > largest {
				best, largest = i, g
			}
		}
		if best < 0 {
			break
		}
		passive[best] = true
		for {
			var idx []int
			for i := range m {
				if passive[i] {
					idx = append(idx, i)
				}
			}
			sub, rhs := mat.NewDense(len(idx), len(idx), nil), mat.NewVecDense(len(idx), nil)
			for i, a := range idx {
				rhs.SetVec(i, p[a])
				for j, b := range idx {
					sub.Set(i, j, h.At(a, b))
				}
			}
			var u mat.VecDense
			if err := u.SolveVec(sub, rhs); err != nil {
				panic(err)
			}
			step, at := 1.0, -1
			for i, a := range idx {
				if u.AtVec(i) <= 0 {
					if f := v[a] / (v[a] - u.AtVec(i)); f < step {
						step, at = f, a
					}
				}
			}
			for i, a := range idx {
				v[a] += step * (u.AtVec(i) - v[a])
			}
			if at < 0 {
				break
			}
			passive[at], v[at] = false, 0
		}
	}
	for n := range s.n {
		s.w.Set(n, c, 0)
	}
	for i, a := range list {
		s.w.Set(a, c, v[i]*s.sign(a, c))
	}
}

// topDown is Algorithm 1 with the exact M-step.
func (s *slow) topDown(iterations int) {
	const u, v = 1e-5, 1e-5
	beta := make([]float64, s.c)
	for c := range s.c {
		beta[c] = 1
		for n := range s.n {
			s.alpha.Set(n, c, 1)
		}
	}
	s.hold(1)
	for range iterations {
		for c := range s.c {
			s.solve(c)
			sum := 0.0 // 1ᵀ(z̄ − Φw)
			for n := range s.n {
				sum += s.z.At(n, c) - mat.Dot(s.phi.RowView(n), s.w.ColView(c))
			}
			s.b[c] = sum / (float64(s.n) + beta[c])     // eq. (new_b)
			beta[c] = (2*u + 1) / (s.b[c]*s.b[c] + 2*v) // eq. (beta_c)
			for n := range s.n {
				w := s.w.At(n, c)
				alpha := (2*u + 1) / (w*w + 2*v) // eq. (alpha_nc)
				if w == 0 || alpha > 1e4 {
					alpha = math.Inf(1)
					s.w.Set(n, c, 0)
				}
				s.alpha.Set(n, c, alpha)
			}
		}
		s.eStep()
	}
}

// bottomUp is Algorithm 2 with its corrections and one addition per epoch.
func (s *slow) bottomUp(epochs int) {
	for c := range s.c {
		for n := range s.n {
			s.alpha.Set(n, c, math.Inf(1))
		}
	}
	s.hold(1)
	factors := func(c, n int) (sn, qn float64) { // by inversion of C without basis function n
		cov := mat.NewDense(s.n, s.n, nil)
		for i := range s.n {
			cov.Set(i, i, 1/s.beta)
			for j := range s.n {
				for m := range s.n {
					if m != n {
						cov.Set(i, j, cov.At(i, j)+s.phi.At(i, m)*s.phi.At(j, m)/s.alpha.At(m, c))
					}
				}
			}
		}
		var inv mat.Dense
		if err := inv.Inverse(cov); err != nil {
			panic(err)
		}
		return mat.Inner(s.phi.ColView(n), &inv, s.phi.ColView(n)), mat.Inner(s.phi.ColView(n), &inv,
			s.z.ColView(c))
	}
	dropZeros := func(c int) {
		for _, n := range s.active(c) {
			if s.w.At(n, c) == 0 {
				s.alpha.Set(n, c, math.Inf(1))
			}
		}
	}
	for epoch := range epochs {
		for c := range s.c {
			best, gain, alpha := -1, math.Inf(-1), 0.0
			var unworthy []int
			for n := range s.n {
				sn, qn := factors(c, n)
				right := qn*s.sign(n, c) > 0
				if math.IsInf(s.alpha.At(n, c), 1) {
					if g := qn*qn - sn; right && g > gain && (g > 0 || epoch == 0) {
						best, gain, alpha = n, g, sn*sn/g
						if g <= 0 {
							alpha = sn
						}
					}
				} else if qn*qn <= sn || !right {
					unworthy = append(unworthy, n)
				}
			}
			if best >= 0 {
				s.alpha.Set(best, c, alpha)
			}
			for _, n := range unworthy {
				if len(s.active(c)) > 1 {
					s.alpha.Set(n, c, math.Inf(1))
				}
			}
			s.solve(c)
			dropZeros(c)
			list := s.active(c)
			var sigma mat.Dense
			if err := sigma.Inverse(s.h(c, list)); err != nil {
				panic(err)
			}
			for i, n := range list { // MacKay's rule
				w := s.w.At(n, c)
				s.alpha.Set(n, c, (1-s.alpha.At(n, c)*sigma.At(i, i))/(w*w))
			}
			s.solve(c)
			dropZeros(c)
		}
		s.eStep()
		s.hold(max(0, 1-float64(epoch+1)/11))
	}
}

// hold moves Z̄ towards 5T + ½.
func (s *slow) hold(share float64) {
	for n, t := range s.t {
		for c := range s.c {
			first := 0.5
			if c == t {
				first = 5.5
			}
			s.z.Set(n, c, share*first+(1-share)*s.z.At(n, c))
		}
	}
}

// compare checks the weights and biases of a model against the slow reference.
func (s *slow) compare(t *testing.T, about string, m *mpcvm.Model) {
	t.Helper()
	got := mat.NewDense(s.n, s.c, nil)
	for _, v := range m.RelevanceVectors() {
		got.SetRow(v.Index, v.Weights)
	}
	if !mat.EqualApprox(got, s.w, 1e-6*mat.Norm(s.w, math.Inf(1))) {
		var d mat.Dense
		d.Sub(got, s.w)
		t.Errorf("%s: weights differ by %g of %g", about, mat.Max(&d)-mat.Min(&d), mat.Norm(s.w, math.Inf(1)))
	}
	for c, b := range m.Bias() {
		if math.Abs(b-s.b[c]) > 1e-6*(1+math.Abs(b)) {
			t.Errorf("%s: bias %g, slow %g", about, b, s.b[c])
		}
	}
}

// TestAgainstSlowTruth: C = 2 is the binary PCVM, with the closed form of its probit.
func TestAgainstSlowTruth(t *testing.T) {
	watch.SkipUnderRace(t)
	for _, c := range []int{2, 3, 5} {
		for seed := range uint64(3) {
			set := data.Blobs(24, c, 2, 1, seed)
			for _, theta := range []float64{0.2, 1} {
				k := kernel.RBF{Theta: theta}
				for _, iterations := range []int{1, 2, 6, 15} {
					truth := newSlow(set.X, set.T, c, theta)
					truth.topDown(iterations)
					m, _ := laws.Fit(t, mpcvm.TopDown{Kernel: k, MaxIterations: iterations, Tol: -1}, set.X, set.T)
					truth.compare(t, "TopDown", m)
				}
				for _, evidence := range []float64{1, 10} {
					for _, epochs := range []int{1, 2, 10} {
						truth := newSlow(set.X, set.T, c, theta)
						truth.beta = evidence
						truth.bottomUp(epochs)
						m, _ := laws.Fit(t, mpcvm.BottomUp{Kernel: k, Additions: 1, LikelihoodPower: evidence,
							MaxIterations: epochs,
							Tol:           -1}, set.X, set.T)
						truth.compare(t, fmt.Sprintf("BottomUp, power %g", evidence), m)
					}
				}
			}
		}
	}
}

// TestBinaryIsPCVM: with two classes, the model is h(x) = Ψ(φ(x)ᵀv + b) of eq. (pcvm_func) with v = (w_1 −
// w_0)/√2, whose weights have the signs required by the PCVM.
func TestBinaryIsPCVM(t *testing.T) {
	set := data.Blobs(60, 2, 2, 1, 4)
	for name, l := range learners(kernel.RBF{Theta: 0.5}, 200) {
		m, _ := laws.Fit(t, l, set.X, set.T)
		p := m.Proba(nil, set.X)
		for i := range set.T {
			h := (m.Bias()[1] - m.Bias()[0]) / math.Sqrt2
			for _, v := range m.RelevanceVectors() {
				w := (v.Weights[1] - v.Weights[0]) / math.Sqrt2
				if w*float64(2*v.Label-1) <= 0 {
					t.Fatalf("%s: weight %g of a sample of class %d", name, w, v.Label)
				}
				h += w * m.Kernel().Value(set.X.RawRowView(i), v.X)
			}
			if psi := 0.5 * math.Erfc(-h/math.Sqrt2); math.Abs(psi-p.At(i, 1)) > 1e-12 {
				t.Fatalf("%s: Ψ(h) = %v, p = %v", name, psi, p.At(i, 1))
			}
		}
	}
}
