package mpcvm

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/exact"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// What the learners compute in a step, and what their models predict, held against the
// plain formulas in quadruple precision. With MPCVM_HARSH set to anything there is more of
// it, for some minutes.

// exactClasses are the numbers of classes that are looked at.
func exactClasses() []int {
	if os.Getenv("MPCVM_HARSH") != "" {
		return []int{2, 3, 6, 12}
	}
	return []int{2, 3}
}

// largestErrors keeps the largest error of each kind.
type largestErrors map[string]float64

func (l largestErrors) note(what string, e float64) {
	if old, ok := l[what]; !ok || !(e <= old) {
		l[what] = e
	}
}

// vector notes the largest error of v relative to the largest entry of the truth.
func (l largestErrors) vector(what string, v []float64, truth []exact.Num) {
	size, e := 0.0, 0.0
	for i, w := range truth {
		size = max(size, math.Abs(w.Float()))
		e = max(e, w.Distance(v[i]))
	}
	if size > 0 {
		l.note(what, e/size)
	}
}

// report logs the errors and checks that each is within its limit.
func (l largestErrors) report(t *testing.T, limits map[string]float64) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(limits)) {
		e, ok := l[what]
		t.Logf("%s: %.1e", what, e)
		if !ok || !(e <= limits[what]) {
			t.Errorf("%s: error %.1e, looked at: %v, more than %.0e", what, e, ok, limits[what])
		}
	}
}

// exactProblem is a few samples of c classes in the plane that overlap.
func exactProblem(n, c int, seed uint64) (*training, float64) {
	random := rand.New(rand.NewPCG(seed, 0))
	x, t := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		t[i] = i % c
		sin, cos := math.Sincos(2 * math.Pi * float64(t[i]) / float64(c))
		x.SetRow(i, []float64{cos + 0.7*random.NormFloat64(), sin + 0.7*random.NormFloat64()})
	}
	tr, err := newTraining(x, t)
	if err != nil {
		panic(err)
	}
	return tr, 0.8
}

// truth is what the exact formulas need of training data with an RBF kernel.
type truth struct {
	*training
	phi  [][]exact.Num
	gram [][]exact.Num // ΦᵀΦ
}

func newTruth(tr *training, theta float64) *truth {
	e := &truth{training: tr, phi: make([][]exact.Num, tr.n), gram: make([][]exact.Num, tr.n)}
	for i := range tr.n {
		for j := range tr.n {
			e.phi[i] = append(e.phi[i], exact.RBF(theta, tr.x.RawRowView(i), tr.x.RawRowView(j)))
		}
	}
	for i := range tr.n {
		for j := range tr.n {
			e.gram[i] = append(e.gram[i], exact.Dot(e.phi[i], e.phi[j]))
		}
	}
	return e
}

// part is H = ΦᵀΦ + diag(alpha) of some samples.
func (e *truth) part(samples []int, alpha []float64) [][]exact.Num {
	h := make([][]exact.Num, len(samples))
	for i, a := range samples {
		for _, b := range samples {
			h[i] = append(h[i], e.gram[a][b])
		}
		h[i][i] = h[i][i].Add(exact.Of(alpha[i]))
	}
	return h
}

// project is φ_nᵀ(z − b) of each of the samples.
func (e *truth) project(samples []int, z []exact.Num, b float64) []exact.Num {
	centred := make([]exact.Num, len(z))
	for i, v := range z {
		centred[i] = v.Sub(exact.Of(b))
	}
	p := make([]exact.Num, len(samples))
	for i, n := range samples {
		p[i] = exact.Dot(e.phi[n], centred)
	}
	return p
}

// signed is the sign-constrained solution whose non-zero weights are those of w. It
// notes how far the conditions of optimality are from true: weights of the wrong sign, and
// gradients at zero that want to move, relative to the largest of p.
func (e *truth) signed(l largestErrors, samples []int, alpha, w []float64, p []exact.Num, class int) []exact.Num {
	var free []int
	for i, v := range w {
		if v != 0 {
			free = append(free, i)
		}
	}
	h := e.part(samples, alpha)
	var sub [][]exact.Num
	var right []exact.Num
	scale := 0.0
	for _, i := range free {
		var row []exact.Num
		for _, j := range free {
			row = append(row, h[i][j])
		}
		sub, right = append(sub, row), append(right, p[i])
	}
	solution := exact.All(make([]float64, len(w)))
	if len(free) > 0 {
		for k, v := range exact.Solve(sub, right)[0] {
			solution[free[k]] = v
		}
	}
	wrong := 0.0
	for i, n := range samples {
		scale = max(scale, math.Abs(p[i].Float()))
		if w[i] != 0 {
			wrong = max(wrong, -e.sign(n, class)*solution[i].Float())
		} else {
			wrong = max(wrong, e.sign(n, class)*p[i].Sub(exact.Dot(h[i], solution)).Float())
		}
	}
	l.note("conditions of the sign constraint, relative to Φᵀz̄", wrong/scale)
	return solution
}

// potentials are y_nc = Φw_c + b_c for all samples, class after class.
func (e *truth) potentials(active [][]int, w [][]float64, b []float64) [][]exact.Num {
	y := make([][]exact.Num, e.c)
	for c := range y {
		for n := range e.n {
			sum := exact.Of(b[c])
			for i, m := range active[c] {
				sum = sum.Add(e.phi[n][m].Mul(exact.Of(w[c][i])))
			}
			y[c] = append(y[c], sum)
		}
	}
	return y
}

// eStep notes the errors of the means and the log likelihood at potentials y, and returns
// the exact log likelihood.
func (e *truth) eStep(l largestErrors, y [][]exact.Num, z *mat.Dense, logp []float64) exact.Num {
	sum := exact.Of(0)
	column := make([]exact.Num, e.c)
	for n, label := range e.t {
		for c := range column {
			column[c] = y[c][n]
		}
		lp, means := exact.Probit(column, label)
		sum = sum.Add(lp)
		l.note("log p(t_n)", lp.Distance(logp[n])/max(1, math.Abs(lp.Float())))
		for c, m := range means {
			l.note("posterior means z̄", m.Distance(z.At(c, n))/max(1, math.Abs(m.Float())))
		}
	}
	return sum
}

// TestExactTopDown follows TopDown for some iterations, each checked from the state that
// the last one left.
func TestExactTopDown(t *testing.T) {
	l := largestErrors{}
	for _, c := range exactClasses() {
		tr, theta := exactProblem(12+c, c, uint64(c))
		truth := newTruth(tr, theta)
		e := newEM(TopDown{}.defaults(), tr, kernel.RBF{Theta: theta})
		if err := e.prepare(t.Context(), c != 3); err != nil {
			t.Fatal(err)
		}
		for iteration := range 9 {
			z, b := make([][]exact.Num, c), slices.Clone(e.b)
			for k := range c {
				z[k] = exact.All(e.z.RawRowView(k))
			}
			if err := e.mStep(t.Context()); err != nil {
				t.Fatal(err)
			}
			check := iteration == 0 || iteration == 8
			for k := range c {
				if !check {
					break
				}
				p := truth.project(e.active[k], z[k], b[k])
				w := truth.signed(l, e.active[k], e.alpha[k], e.w[k], p, k)
				l.vector("weights", e.w[k], w)
				sum := exact.Of(0)
				for n := range tr.n { // eq. (new_b)
					sum = sum.Add(z[k][n])
					for i, m := range e.active[k] {
						sum = sum.Sub(truth.phi[n][m].Mul(exact.Of(e.w[k][i])))
					}
				}
				l.note("biases", sum.Div(exact.Of(float64(tr.n)).Add(exact.Of(e.beta[k]))).Distance(e.b[k]))
			}
			step := e.iterate()
			if !check {
				continue
			}
			objective := truth.eStep(l, truth.potentials(e.active, e.w, e.b), e.z, e.logp)
			prior := func(w, u, v float64) {
				ww := exact.Of(w).Mul(exact.Of(w))
				inner := exact.Of(1).Add(ww.Div(exact.Of(v).Shift(1)))
				objective = objective.Sub(exact.Of(u).Add(exact.Of(0.5)).Mul(exact.Log(inner)))
			}
			for k := range c {
				for i, w := range e.w[k] {
					prior(w, e.U1, e.V1)
					ww := exact.Of(w).Mul(exact.Of(w)) // eq. (alpha_nc)
					alpha := exact.Of(e.U1).Shift(1).Add(exact.Of(1)).Div(ww.Add(exact.Of(e.V1).Shift(1)))
					l.note("precisions α", alpha.Error(e.alpha[k][i]))
				}
				prior(e.b[k], e.U2, e.V2)
				bb := exact.Of(e.b[k]).Mul(exact.Of(e.b[k])) // eq. (beta_c)
				beta := exact.Of(e.U2).Shift(1).Add(exact.Of(1)).Div(bb.Add(exact.Of(e.V2).Shift(1)))
				l.note("precisions β", beta.Error(e.beta[k]))
			}
			l.note("objective", objective.Distance(step.Objective)/math.Abs(step.Objective))
		}
	}
	l.report(t, map[string]float64{
		"weights": 1e-11, "conditions of the sign constraint, relative to Φᵀz̄": 1e-11, "biases": 1e-13, "precisions α": 1e-15, "precisions β": 1e-15,
		"posterior means z̄": 1e-9, "log p(t_n)": 1e-9, "objective": 1e-10,
	})
}

// TestExactBottomUp does so for BottomUp: the factors S, Q of all samples and s, q of those
// in the model by inversion of C, the posterior of the weights, MacKay's precisions.
func TestExactBottomUp(t *testing.T) {
	l := largestErrors{}
	for _, c := range exactClasses() {
		tr, theta := exactProblem(12+c, c, uint64(c))
		truth := newTruth(tr, theta)
		e := newEvidence(t.Context(), BottomUp{}.defaults(), tr, kernel.RBF{Theta: theta}, c != 3)
		for epoch := range 9 {
			step, _ := e.epoch()
			if epoch != 1 && epoch != 8 {
				continue
			}
			active, w := make([][]int, c), make([][]float64, c)
			for k, m := range e.class {
				active[k], w[k] = m.samples, m.w
			}
			objective := truth.eStep(l, truth.potentials(active, w, e.b), e.z, e.logp)
			e.centre(true)
			for k, m := range e.class {
				m.factors(e)
				m.variances(e)
				z := exact.All(e.z.RawRowView(k))
				truth.posterior(l, m, z)
				objective = objective.Sub(truth.penalty(m).Shift(-1))
				before := *m
				m.samples, m.alpha, m.w = slices.Clone(m.samples), slices.Clone(m.alpha), slices.Clone(m.w)
				m.begin()
				m.solve(e) // the weights for this Z̄
				if len(m.samples) == len(before.samples) {
					p := truth.project(m.samples, z, 0)
					l.vector("weights", m.w, truth.signed(l, m.samples, m.alpha, m.w, p, k))
				}
			}
			l.note("objective", objective.Distance(step.Objective)/math.Abs(step.Objective))
		}
	}
	l.report(t, map[string]float64{
		"S": 1e-11, "Q": 1e-11, "s without the basis": 1e-9, "q without the basis": 1e-9, "posterior means μ": 1e-11, "posterior variances": 1e-11,
		"weights": 1e-11, "conditions of the sign constraint, relative to Φᵀz̄": 1e-11, "precisions α by MacKay's rule": 1e-9,
		"posterior means z̄": 1e-9, "log p(t_n)": 1e-9, "objective": 1e-10,
	})
}

// posterior notes the errors of the factors and of the posterior N(μ, Σ) of the weights.
func (e *truth) posterior(l largestErrors, m *potential, z []exact.Num) {
	// C = I + ΦA⁻¹Φᵀ, of all bases in the model but one, none if that is −1.
	inverse := func(but int) [][]exact.Num {
		cov := make([][]exact.Num, e.n)
		for i := range cov {
			cov[i] = exact.All(make([]float64, e.n))
			cov[i][i] = exact.Of(1)
		}
		for k, s := range m.samples {
			if k == but {
				continue
			}
			for i := range cov {
				scaled := e.phi[s][i].Div(exact.Of(m.alpha[k]))
				for j := range cov {
					cov[i][j] = cov[i][j].Add(scaled.Mul(e.phi[s][j]))
				}
			}
		}
		return exact.Inverse(cov)
	}
	factors := func(c [][]exact.Num, n int) (s, q exact.Num) {
		v := make([]exact.Num, e.n)
		for i := range v {
			v[i] = exact.Dot(c[i], e.phi[n])
		}
		return exact.Dot(v, e.phi[n]), exact.Dot(v, z)
	}
	whole := inverse(-1)
	S, Q := make([]exact.Num, e.n), make([]exact.Num, e.n)
	for n := range e.n {
		S[n], Q[n] = factors(whole, n)
	}
	l.vector("S", m.s, S)
	l.vector("Q", m.q, Q)
	h := exact.Inverse(e.part(m.samples, m.alpha))
	p := e.project(m.samples, z, 0)
	mu := make([]exact.Num, len(m.samples))
	for i, n := range m.samples {
		mu[i] = exact.Dot(h[i], p)
		l.note("posterior variances", h[i][i].Error(m.variance[i]))
		s, q := factors(inverse(i), n)
		gotS, gotQ := m.without(i)
		l.note("s without the basis", s.Distance(gotS)/e.gram[n][n].Float())
		l.note("q without the basis", q.Distance(gotQ)/max(1, math.Abs(q.Float())))
		// MacKay's rule, as in weigh.
		alpha := exact.Of(1).Sub(exact.Of(m.alpha[i]).Mul(h[i][i])).Div(exact.Of(m.w[i]).Mul(exact.Of(m.w[i])))
		got := max(1-m.alpha[i]*m.variance[i], 1e-12) / max(m.w[i]*m.w[i], 1e-300)
		if alpha.Float() < alphaMax {
			l.note("precisions α by MacKay's rule", alpha.Error(got))
		}
	}
	l.vector("posterior means μ", m.mu, mu)
}

// penalty is wᵀAw + log|H| − Σ log α, log|H| by Gaussian elimination.
func (e *truth) penalty(m *potential) exact.Num {
	h := e.part(m.samples, m.alpha)
	sum := exact.Of(0)
	for k := range h {
		for i := k + 1; i < len(h); i++ {
			f := h[i][k].Div(h[k][k])
			for j := k; j < len(h); j++ {
				h[i][j] = h[i][j].Sub(f.Mul(h[k][j]))
			}
		}
		sum = sum.Add(exact.Log(h[k][k])).Sub(exact.Log(exact.Of(m.alpha[k])))
		sum = sum.Add(exact.Of(m.alpha[k]).Mul(exact.Of(m.w[k])).Mul(exact.Of(m.w[k])))
	}
	return sum
}

// TestExactKernelPrior does so for KernelPrior: the potentials KW, the gradient R − W and K
// times it, F; and at the end how far the weights are from their fixed point.
func TestExactKernelPrior(t *testing.T) {
	l := largestErrors{}
	for _, c := range exactClasses() {
		tr, theta := exactProblem(12+c, c, uint64(c))
		truth := newTruth(tr, theta)
		e := newAscent(KernelPrior{Tol: -1}.defaults(), tr, kernel.RBF{Theta: theta})
		e.begin()
		for iteration := range 200 {
			_, done := e.iterate()
			if iteration != 3 && !done {
				continue
			}
			n := tr.n
			all, w := make([][]int, c), make([][]float64, c)
			for k := range c {
				w[k] = e.w[k*n : (k+1)*n]
				for i := range n {
					all[k] = append(all[k], i)
				}
			}
			y := truth.potentials(all, w, make([]float64, c))
			r, _, _ := e.eStep(e.w, e.y)
			z := mat.NewDense(c, n, nil) // R = s²(Z̄ − Y)
			for i, v := range r {
				z.RawMatrix().Data[i] = v/e.Scale + e.y[i]
			}
			objective := truth.eStep(l, y, z, e.logp)
			for k := range c {
				l.vector("potentials", e.y[k*n:(k+1)*n], y[k])
				objective = objective.Sub(exact.Dot(exact.All(w[k]), y[k]).Div(exact.Of(2 * e.Scale)))
			}
			l.note("objective", objective.Distance(e.objective)/math.Abs(e.objective))
			if done {
				// R − W where rounding leaves no higher F: K(R − W), relative to Y.
				l.note("fixed point at the end, relative to the potentials", largest(e.ka)/largest(e.y))
				break
			}
		}
	}
	l.report(t, map[string]float64{
		"potentials": 1e-13, "posterior means z̄": 1e-10, "log p(t_n)": 1e-10, "objective": 1e-11,
		"fixed point at the end, relative to the potentials": 1e-5,
	})
}

// TestExactPredictions holds probabilities of fitted models against those of their weights
// in quadruple precision, at samples near and far and at temperatures that spread or shrink the gaps
// of the potentials to all sizes.
func TestExactPredictions(t *testing.T) {
	l := largestErrors{}
	for _, c := range exactClasses() {
		tr, theta := exactProblem(6*c, c, uint64(c))
		k := kernel.RBF{Theta: theta}
		for name, learner := range map[string]Learner{
			"TopDown": TopDown{Kernel: k}, "BottomUp": BottomUp{Kernel: k, Bias: true}, "KernelPrior": KernelPrior{Kernel: k},
		} {
			m, _, err := learner.Fit(t.Context(), tr.x, tr.t)
			if err != nil {
				t.Fatal(err)
			}
			x := mat.NewDense(2, 2, []float64{tr.x.At(0, 0), tr.x.At(0, 1), 2.5, -1.5})
			n, _ := x.Dims()
			for i := range n {
				y := exact.All(m.Bias())
				for _, v := range m.RelevanceVectors() {
					value := exact.RBF(theta, x.RawRowView(i), v.X)
					for class, w := range v.Weights {
						y[class] = y[class].Add(value.Mul(exact.Of(w)))
					}
				}
				one := mat.NewDense(1, 2, x.RawRowView(i))
				l.vector("potentials", m.Potentials(nil, one).RawRowView(0), y)
				for _, temperature := range []float64{1e8, 1, 0.2, 0.05, 1e-8} {
					tempered := make([]exact.Num, c)
					for class, v := range y {
						tempered[class] = v.Div(exact.Of(temperature))
					}
					got := m.WithTemperature(temperature).Proba(nil, one).RawRowView(0)
					for class, p := range got {
						logp, _ := exact.Probit(tempered, class)
						what := fmt.Sprintf("%s: p, relative, at T = %g", name, temperature)
						if logp.Float() > -667 {
							l.note(what, exact.Exp(logp).Error(p))
						} else if p > 1e-289 {
							t.Errorf("%s, C = %d: p = %v, log p %v", what, c, p, logp)
						}
					}
				}
			}
		}
	}
	limits := map[string]float64{"potentials": 1e-14}
	for _, name := range []string{"TopDown", "BottomUp", "KernelPrior"} {
		for temperature, limit := range map[float64]float64{1e8: 1e-12, 1: 1e-11, 0.2: 1e-11, 0.05: 1e-10, 1e-8: 1e-10} {
			limits[fmt.Sprintf("%s: p, relative, at T = %g", name, temperature)] = limit
		}
	}
	l.report(t, limits)
}
