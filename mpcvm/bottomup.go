package mpcvm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// BottomUp is mPCVM₂, Algorithm 2 of the paper: from an empty model, bases are
// added, re-estimated and deleted by their share of the marginal likelihood, in
// the manner of Tipping and Faul (2003). There are no biases. The zero value is
// the recommended setting.
//
// Algorithm 2 as printed diverges, because weights of the wrong sign are set to
// zero but stay in the model. Here a basis enters only if q² > s and its quality
// factor q has the sign f of its weight, one in the model that fails either is
// deleted, and the weights are the solution of the sign-constrained least squares
// problem, those at zero being deleted as well. Each class keeps at least one basis.
// Once an epoch all precisions are re-estimated by MacKay's rule, which reaches the
// final number of weights in a third of the epochs.
type BottomUp struct {
	// Kernel is the basis function. If it is nil, or an RBF whose Theta is zero,
	// an RBF is used whose Theta is the inverse of the median squared distance of
	// the samples (kernel.MedianTheta).
	Kernel kernel.Kernel

	// Tol ends the fit as Converged when, for five epochs, nothing was added or
	// deleted, max|ΔW| < Tol·max|W| and no log alpha moved by more than 10·Tol. If it
	// is zero, 1e-3 is used; a negative value never ends it.
	Tol float64

	// Epochs is the largest number of epochs. If it is zero, 300 is used.
	Epochs int
}

// Fit learns from N samples x (rows; D features) and their labels t, 0 to C−1 with
// every class present. The features should be standardised.
//
// It returns a *DataError for data from which nothing can be learned. When ctx
// ends first it returns the model of the last epoch together with an error that
// wraps ctx.Err(); the model is nil if there was no epoch yet. It panics if t has
// not a label for each row of x. An epoch takes O(N²C + NM²) operations for M
// weights a class.
func (l BottomUp) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...Observer) (*Model, Result, error) {
	tr, err := newTraining(x, t)
	if err != nil {
		return nil, Result{}, err
	}
	k, err := tr.resolve(l.Kernel)
	if err != nil {
		return nil, Result{}, err
	}
	l.Tol = positive(l.Tol, 1e-3)
	if l.Epochs == 0 {
		l.Epochs = 300
	}
	r := newRun(ctx, l.Epochs, observers)
	e := newEvidence(l, tr, k)
	r.snapshot = e.model
	still := 0
	for ctx.Err() == nil {
		step := e.epoch()
		if r.record(step) {
			break
		}
		if len(step.Added) == 0 && len(step.Deleted) == 0 && step.Change < l.Tol && e.moved < 10*l.Tol {
			still++
		} else {
			still = 0
		}
		if still == 5 {
			r.result.Status = Converged
			break
		}
	}
	var model *Model
	if r.result.Iterations > 0 {
		model = e.model()
	}
	if ctx.Err() != nil && r.result.Status == NotTerminated {
		r.result.Status = Cancelled
	}
	res, err := r.finish()
	return model, res, err
}

// evidence is the state of the maximisation of the marginal likelihood.
type evidence struct {
	BottomUp
	*training
	kernel kernel.Kernel
	phi    *mat.Dense  // N×N
	norm   []float64   // φ_nᵀφ_n
	gram   [][]float64 // rows of ΦᵀΦ for the samples that have been in the model, else nil
	class  []*potential

	z    *mat.Dense // C×N posterior means z̄
	y    *mat.Dense // C×N potentials
	p    *mat.Dense // C×N, Φᵀz̄
	logp []float64  // log p(t_n | W)

	moved float64 // largest |Δ log alpha| of the epoch
}

// potential is the model of one class: its bases with precisions and weights.
type potential struct {
	c       int
	samples []int
	alpha   []float64
	w       []float64
	penalty float64 // wᵀAw + log|H| − Σ log alpha

	added, deleted []Basis
	change, moved  float64

	s, q   []float64 // S_n, Q_n of all samples
	v      []float64 // U⁻ᵀ G_M·, M×N
	solver signed
	diag   []float64
}

func newEvidence(l BottomUp, tr *training, k kernel.Kernel) *evidence {
	c, n := tr.c, tr.n
	e := &evidence{
		BottomUp: l, training: tr, kernel: k,
		phi: kernel.Gram(nil, k, tr.x), norm: make([]float64, n), gram: make([][]float64, n),
		z: mat.NewDense(c, n, nil), y: mat.NewDense(c, n, nil), p: mat.NewDense(c, n, nil),
		logp: make([]float64, n),
	}
	for i := range n {
		row := e.phi.RawRowView(i)
		e.norm[i] = floats.Dot(row, row)
	}
	for i := range c {
		e.class = append(e.class, &potential{c: i, s: make([]float64, n), q: make([]float64, n)})
	}
	// The first Z̄ is that of the empty model, Y = 0. Where it begins is immaterial.
	probit.Batch{}.Means(e.z, e.logp, e.y, e.t)
	return e
}

// epoch is one pass of Algorithm 2.
func (e *evidence) epoch() Step {
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, e.z.RawMatrix(), e.phi.RawMatrix(), 0, e.p.RawMatrix())
	first := e.class[0].samples == nil
	par.For(e.c, 1, func(c, _ int) { e.class[c].factors(e) })
	for _, m := range e.class { // one after the other: they share Gram rows
		m.act(e, first)
	}
	par.For(e.c, 1, func(c, _ int) { e.class[c].weigh(e) })
	step := Step{Weights: make([]int, e.c)}
	e.moved = 0
	largest := 0.0
	for c, m := range e.class {
		step.Added = append(step.Added, m.added...)
		step.Deleted = append(step.Deleted, m.deleted...)
		for _, w := range m.w {
			largest = max(largest, math.Abs(w))
		}
		step.Change = max(step.Change, m.change)
		step.Weights[c] = len(m.samples)
		e.moved = max(e.moved, m.moved)
		step.Reestimated += len(m.samples)
		step.Objective -= m.penalty / 2
	}
	if largest > 0 {
		step.Change /= largest
	}
	probit.Batch{}.Means(e.z, e.logp, e.y, e.t) // eqs. (z_nj), (z_nc)
	step.LogLik = floats.Sum(e.logp)
	step.Objective += step.LogLik
	return step
}

// factors computes S_n = φ_nᵀC⁻¹φ_n and Q_n = φ_nᵀC⁻¹z̄ for all samples, by
// Woodbury's identity with the Cholesky factor U of H = ΦᵀΦ_MM + A:
//
//	S_n = φ_nᵀφ_n − ‖U⁻ᵀΦ_Mᵀφ_n‖²,  Q_n = φ_nᵀz̄ − (U⁻ᵀΦ_Mᵀφ_n)ᵀ(U⁻ᵀΦ_Mᵀz̄).
func (m *potential) factors(e *evidence) {
	copy(m.s, e.norm)
	copy(m.q, e.p.RawRowView(m.c))
	k, n := len(m.samples), e.n
	if k == 0 {
		return
	}
	h := &m.solver.h
	all := make([]int, k)
	for i := range all {
		all[i] = i
	}
	h.factorize(system{e.gram, m.samples, m.alpha}, all)
	if cap(m.v) < k*n {
		m.v = make([]float64, k*n+k*n/2)
	}
	v := blas64.General{Rows: k, Cols: n, Stride: n, Data: m.v[:k*n]}
	u := make([]float64, k)
	for i, sample := range m.samples {
		copy(v.Data[i*n:], e.gram[sample])
		u[i] = e.p.At(m.c, sample)
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, h.triangular(), v)
	blas64.Trsv(blas.Trans, h.triangular(), blas64.Vector{N: k, Inc: 1, Data: u})
	for i := range k {
		row, ui := v.Data[i*n:(i+1)*n], u[i]
		for j, vj := range row {
			m.s[j] -= vj * vj
			m.q[j] -= ui * vj
		}
	}
}

// act does the class's step of Algorithm 2: it adds the best basis outside the
// model and deletes those inside that do not deserve their place.
func (m *potential) act(e *evidence, first bool) {
	m.added, m.deleted, m.moved = nil, nil, 0
	inside := make(map[int]int, len(m.samples))
	for i, n := range m.samples {
		inside[n] = i
	}
	best, gain := -1, math.Inf(-1)
	for n := range e.n {
		if _, in := inside[n]; in {
			continue
		}
		s, q := m.s[n], m.q[n]
		// A column that the model spans already (a repeated sample) has S = 0
		// up to rounding.
		if s <= 1e-9*e.norm[n] || q*e.sign(n, m.c) <= 0 {
			continue
		}
		if g := q*q - s; g > gain {
			best, gain = n, g
		}
	}
	// Those inside: the factors without the basis itself, as Tipping and Faul (2003).
	keep := make([]bool, len(m.samples))
	kept := 0
	for i, n := range m.samples {
		s, q := without(m.s[n], m.q[n], m.alpha[i])
		keep[i] = q*q > s && q*e.sign(n, m.c) > 0
		if keep[i] {
			kept++
		}
	}
	if best >= 0 && (gain > 0 || first) {
		alpha := optimal(m.s[best], m.q[best])
		if gain <= 0 { // a first basis that would better not be there: shrunk by half
			alpha = m.s[best]
		}
		e.row(best)
		m.samples, m.alpha, m.w = append(m.samples, best), append(m.alpha, alpha), append(m.w, 0)
		keep = append(keep, true)
		kept++
		m.added = append(m.added, Basis{best, m.c})
	}
	if kept == 0 { // the class keeps its best
		i := 0
		for j, n := range m.samples {
			if m.q[n]*e.sign(n, m.c) > m.q[m.samples[i]]*e.sign(m.samples[i], m.c) {
				i = j
			}
		}
		keep[i] = true
	}
	m.retain(keep)
}

// without turns S, Q of a basis in the model into s, q without it:
// s = αS/(α − S), q = αQ/(α − S); S < α, but for rounding.
func without(s, q, alpha float64) (float64, float64) {
	d := alpha - s
	if d <= 1e-12*alpha {
		d = 1e-12 * alpha
	}
	return alpha * s / d, alpha * q / d
}

// optimal is the precision that maximises the marginal likelihood, eq. (qgts).
func optimal(s, q float64) float64 {
	if q*q > s {
		return s * s / (q*q - s)
	}
	return math.Inf(1)
}

// retain deletes the bases that are not to be kept.
func (m *potential) retain(keep []bool) {
	k := 0
	for i, n := range m.samples {
		if !keep[i] {
			m.deleted = append(m.deleted, Basis{n, m.c})
			continue
		}
		m.samples[k], m.alpha[k], m.w[k] = n, m.alpha[i], m.w[i]
		k++
	}
	m.samples, m.alpha, m.w = m.samples[:k], m.alpha[:k], m.w[:k]
}

// row makes sure that the row of ΦᵀΦ of sample n is there.
func (e *evidence) row(n int) {
	if e.gram[n] == nil {
		e.gram[n] = make([]float64, e.n)
		blas64.Gemv(blas.NoTrans, 1, e.phi.RawMatrix(),
			blas64.Vector{N: e.n, Inc: 1, Data: e.phi.RawRowView(n)}, 0, blas64.Vector{N: e.n, Inc: 1, Data: e.gram[n]})
	}
}

// weigh sets the weights, eq. (w_pos2) under the sign constraint, re-estimates
// all precisions by MacKay's rule and sets the weights and potentials anew.
func (m *potential) weigh(e *evidence) {
	before := make(map[int]float64, len(m.samples))
	for i, n := range m.samples {
		before[n] = m.w[i]
	}
	for _, d := range m.deleted {
		before[d.Sample] = 0
	}
	m.solve(e)
	k := len(m.samples)
	m.diag = append(m.diag[:0], m.w...)
	m.solver.h.inverseDiagonal(m.diag)
	smallest, alpha := 0, make([]float64, k)
	for i, w := range m.w {
		alpha[i] = max(1-m.alpha[i]*m.diag[i], 1e-12) / max(w*w, 1e-300) // MacKay's rule
		if alpha[i] < alpha[smallest] {
			smallest = i
		}
	}
	alpha[smallest] = min(alpha[smallest], alphaMax) // the class keeps its best
	keep := make([]bool, k)
	for i := range m.w {
		keep[i] = alpha[i] <= alphaMax
		if keep[i] {
			m.moved = max(m.moved, math.Abs(math.Log(alpha[i]/m.alpha[i])))
		}
	}
	copy(m.alpha, alpha)
	m.retain(keep)
	m.solve(e)
	m.penalty = m.solver.h.logDet()
	y := e.y.RawRowView(m.c)
	clear(y)
	for i, n := range m.samples {
		m.penalty += m.w[i]*m.w[i]*m.alpha[i] - math.Log(m.alpha[i])
		if m.w[i] != 0 {
			floats.AddScaled(y, m.w[i], e.phi.RawRowView(n))
		}
	}
	m.change = 0
	for i, n := range m.samples {
		m.change = max(m.change, math.Abs(m.w[i]-before[n]))
		delete(before, n)
	}
	for _, w := range before {
		m.change = max(m.change, math.Abs(w))
	}
}

// alphaMax is the precision above which a basis is deleted.
const alphaMax = 1e6

// solve sets the weights by non-negative least squares and deletes those at
// zero, except the last one of the class.
func (m *potential) solve(e *evidence) {
	k := len(m.samples)
	p, sign, free := make([]float64, k), make([]float64, k), make([]bool, k)
	for i, n := range m.samples {
		p[i], sign[i], free[i] = e.p.At(m.c, n), e.sign(n, m.c), true
	}
	m.solver.solve(m.w, system{e.gram, m.samples, m.alpha}, p, sign, free)
	kept := 0
	for _, f := range free {
		if f {
			kept++
		}
	}
	if kept == 0 && k > 0 {
		free[0] = true
		m.solver.h.factorize(system{e.gram, m.samples, m.alpha}, []int{0})
	}
	m.retain(free)
}

func (e *evidence) model() *Model {
	active, w := make([][]int, e.c), make([][]float64, e.c)
	for c, m := range e.class {
		active[c], w[c] = m.samples, m.w
	}
	return e.training.model(e.kernel, active, w, make([]float64, e.c))
}
