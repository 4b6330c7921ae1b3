package mpcvm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// BottomUp is mPCVM₂, Algorithm 2 of the paper: from an empty model, bases are
// added, re-estimated and deleted by their share of the marginal likelihood, in
// the manner of Tipping and Faul (2003). As in the paper there are no biases unless
// Bias is set. The zero value is the recommended setting.
//
// Algorithm 2 as printed may diverge, because weights of the wrong sign are set to
// zero but stay in the model. Here a basis enters only if q² > s and its quality
// factor q has the sign f of its weight, one in the model that fails either is
// deleted, and the weights are the solution of the sign-constrained least squares
// problem, those at zero being deleted as well. Each class keeps at least one basis,
// if of a weight next to nothing: without biases a class may win where the others
// are negative. Once an epoch all precisions are re-estimated by MacKay's rule.
type BottomUp struct {
	// Kernel is the basis function. If it is nil, an RBF is used. The Theta of an RBF
	// or Laplacian kernel, where it is zero, is chosen by cross-validated log loss
	// within the training data, at the cost of some forty short fits; Result.Trials
	// tells what was tried.
	Kernel kernel.Kernel

	// Tried, if not nil, is called after each trial in the choice of Theta, in the
	// goroutine of Fit: progress for what may take longer than the fit itself.
	Tried func(Trial)

	// Calibrate gives the model the temperature (Model.WithTemperature) that
	// minimises the log loss of 5-fold cross-validation, at the cost of five short
	// fits. It changes probabilities, never labels.
	Calibrate bool

	// Additions is the largest number of bases that a class may add in an epoch. If
	// it is zero, 2 is used: that is sooner done than the paper's 1 and no less
	// accurate (docs/learners.md).
	Additions int

	// NoSweep leaves out MacKay's re-estimation of all precisions. Then, as in the
	// paper, a class re-estimates one of its bases in an epoch in which it has
	// nothing to add or delete: here not a random one but all in turn.
	NoSweep bool

	// Bias adds a bias b_c with a flat prior to each class. The paper has none in
	// this algorithm.
	Bias bool

	// Evidence is β, by which the evidence of the samples counts: each as β of its kind.
	// The marginal likelihood prunes by how well a basis is supported by the samples, and
	// with little noise in the labels it prunes too much: a larger β keeps more bases and
	// errs less on such data, and is surer of itself, so Calibrate. If it is zero, 1 is
	// used, the paper's; 3, 10, 30 and 100 are worth trying. Literal ignores it.
	Evidence float64

	// Single holds the N×N kernel matrix in float32, at half the memory, 4N² bytes.
	// All sums are those of float64; what is learnt differs by what rounding the
	// values of the kernel to seven digits makes of it.
	Single bool

	// Literal runs Algorithm 2 as printed, for teaching: Z̄ begins at random, bases
	// enter without regard to sign, and weights of the wrong sign are set to zero
	// but stay in the model. It is not monotone and may diverge. Additions,
	// NoSweep and Bias are ignored.
	Literal bool

	// Seed is the seed of the random choices of Literal, and deals the samples into the
	// folds of cross-validation where Theta is chosen or Calibrate set. Nothing else is
	// random.
	Seed uint64

	// Tol ends the fit as Converged when, for five epochs, nothing was added or
	// deleted, max|ΔW| < Tol·max|W| and no log alpha moved by more than 10·Tol. If it
	// is zero, 1e-3 is used; a negative value never ends it.
	Tol float64

	// Epochs is the largest number of epochs. If it is zero, 500 is used; accuracy is
	// settled after some fifty.
	Epochs int
}

// Fit learns from N samples x (rows; D features) and their labels t, 0 to C−1 with
// every class present. The features should be standardised.
//
// It returns a *DataError for data from which nothing can be learned, and a
// *MemoryError if less than 8N² + 80NC bytes of memory are at hand, with Single
// 4N² + 80NC; M rows of 8N bytes come on top for M relevance vectors. When ctx
// ends first it returns the model of the last epoch together with an error that
// wraps ctx.Err(); the model is nil if there was no epoch yet. It panics if t has
// not a label for each row of x or an option is negative. An epoch takes at most
// O(N²C + CNM²) operations for M weights a class.
func (l BottomUp) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...Observer) (*Model, Result, error) {
	l = l.defaults()
	return fit(ctx, x, t, selection{kernel: l.Kernel, tried: l.Tried, calibrate: l.Calibrate, seed: l.Seed}, observers, l.learn)
}

// defaults fills in the options that are zero.
func (l BottomUp) defaults() BottomUp {
	l.Tol = args.Tolerance("mpcvm: BottomUp.Tol", l.Tol, 1e-3)
	l.Additions = args.Option("mpcvm: BottomUp.Additions", l.Additions, 2)
	l.Evidence = args.Option("mpcvm: BottomUp.Evidence", l.Evidence, 1)
	if l.Literal {
		l.Evidence = 1
	}
	l.Epochs = args.Option("mpcvm: BottomUp.Epochs", l.Epochs, 500)
	return l
}

// learn is Fit with the data checked and the kernel settled.
func (l BottomUp) learn(ctx context.Context, tr *training, k kernel.Kernel, limit int, observers []Observer) (*Model, Result, error) {
	if limit > 0 {
		l.Epochs = min(l.Epochs, limit)
	}
	r := NewRun(ctx, l.Epochs, observers...)
	// Φ and the matrices of newEvidence; rows of ΦᵀΦ for the bases that come, at most as
	// much as Φ again in float64, are not foreseen.
	phi, advice := tr.square(), "set Single, or "+fewerSamples
	if l.Single {
		phi, advice = phi/2, fewerSamples
	}
	release, err := tr.reserve("BottomUp", phi+float64(2*(1+min(l.Additions, 4))+4)*tr.rows(), advice)
	if err != nil {
		return nil, Result{}, err
	}
	defer release()
	e := newEvidence(l, tr, k)
	if err := tr.finite(k, func(n int) float64 { return e.norm[n] }); err != nil {
		return nil, Result{}, err
	}
	r.snapshot = e.model
	still := 0
	for ctx.Err() == nil {
		step := e.epoch()
		if e.diverged {
			r.End(Diverged)
			break
		}
		if r.Record(step) {
			break
		}
		if len(step.Added) == 0 && len(step.Deleted) == 0 && step.Change < l.Tol && e.moved < 10*l.Tol {
			still++
		} else {
			still = 0
		}
		if still == 5 {
			r.End(Converged)
			break
		}
	}
	var model *Model
	if r.result.Iterations > 0 || e.diverged {
		if s := r.result.Status; (s == Converged || s == IterationLimit) && !l.Literal && (e.idle() || e.far && e.objective < e.empty()) {
			r.End(Collapsed)
			r.result.LogLik = e.resign()
			r.result.Objective = r.result.LogLik
		}
		model = e.model()
	}
	if ctx.Err() != nil && r.result.Status == NotTerminated {
		r.End(Cancelled)
	}
	res, err := r.Finish()
	return model, res, err
}

// evidence is the state of the maximisation of the marginal likelihood.
type evidence struct {
	BottomUp
	*training
	kernel kernel.Kernel
	phi    *phi
	norm   []float64 // φ_nᵀφ_n
	class  []*potential

	// Rows of ΦᵀΦ for the samples that have been in the model, which known lists, else
	// nil. Of those pending only the products with other known samples are there.
	gram           [][]float64
	known, pending []int

	z    *mat.Dense // C×N posterior means z̄
	y    *mat.Dense // C×N potentials
	p    *mat.Dense // C×N, Φᵀz̄
	logp []float64  // log p(t_n | W)
	// What a pass over Φ takes and makes: z and p are the first C rows of these, the
	// rows of Φ and ΦᵀΦ of pending samples follow.
	in, out blas64.General

	b   []float64 // biases
	sum []float64 // 1ᵀΦ; nil without biases

	boost     float64    // √β; see Evidence and factors.go
	objective float64    // F after the last epoch
	epochs    int        // begun so far
	quiet     int        // of these, since a basis was added or deleted
	moved     float64    // largest |Δ log alpha| of the epoch
	far       bool       // the fit began with Z̄ of outset
	rng       *rand.Rand // of Literal
	diverged  bool       // Literal left the finite numbers; the state is that before
}

// potential is the model of one class: its bases with precisions and weights.
type potential struct {
	c       int
	samples []int
	alpha   []float64
	w       []float64
	penalty float64 // wᵀAw + log|H| − Σ log alpha

	// Of the present epoch: what was added, deleted and re-estimated, max|Δw| and
	// max|Δ log alpha|.
	added, deleted []Basis
	reestimated    int
	change, moved  float64
	fallen         float64 // the smallest share, at most 1, that is left of a precision

	s, q  []float64 // S_n, Q_n of all samples
	floor []float64 // what S_n cannot be below, but for what fresh bases take; see candidates
	fresh []int     // samples that have been added since quality
	keep  []bool    // of the samples in the model: whether they deserve their place
	enter []int     // samples that may enter

	mu       []float64 // means of the weights without regard to sign; see quality
	solver   signed
	factored bool      // solver.h is the factor of H of the present bases and precisions
	variance []float64 // Σ_ii of these; empty if not there
	turn     int       // the basis to re-estimate next, without sweeps
}

func newEvidence(l BottomUp, tr *training, k kernel.Kernel) *evidence {
	c, n := tr.c, tr.n
	e := &evidence{
		BottomUp: l, training: tr, kernel: k,
		phi: newPhi(k, tr.x, l.Single), gram: make([][]float64, n), y: mat.NewDense(c, n, nil),
		logp: make([]float64, n), b: make([]float64, c), objective: math.Inf(-1), boost: math.Sqrt(l.Evidence),
	}
	rows := c + c*min(l.Additions, 4)
	for _, m := range []*blas64.General{&e.in, &e.out} {
		*m = blas64.General{Rows: rows, Cols: n, Stride: n, Data: make([]float64, rows*n)}
	}
	e.z, e.p = mat.NewDense(c, n, e.in.Data[:c*n]), mat.NewDense(c, n, e.out.Data[:c*n])
	var sums []float64
	if e.norm, sums = e.phi.norms(); l.Bias && !l.Literal {
		e.sum = sums
	}
	for i := range c {
		e.class = append(e.class, &potential{c: i, s: make([]float64, n), q: make([]float64, n), floor: make([]float64, n)})
	}
	if l.Literal {
		e.randomZ()
		return e
	}
	// The first Z̄ is that of the empty model, Y = 0, but see hopeless.
	probit.Batch{}.Means(e.z, e.logp, e.y, e.t)
	return e
}

// epoch is one pass of Algorithm 2.
func (e *evidence) epoch() Step {
	first := e.epochs == 0
	e.epochs++
	// While nothing comes and goes, only one epoch in five looks for candidates; not
	// so where the look itself re-estimates.
	search := e.Literal || e.NoSweep || e.quiet < 5 || e.quiet%5 == 0
	e.centre(search)
	if e.Literal {
		return e.literal(first)
	}
	if search {
		e.each(func(m *potential) { m.search(e, first) })
		if first && e.hopeless() {
			// With a wide kernel and classes alike in number no basis helps by itself. Further
			// out, where the top-down algorithm starts, one of each class does.
			e.far = true
			e.outset(e.z)
			e.centre(true)
			e.each(func(m *potential) { m.search(e, first) })
		}
		var enter []int
		for _, m := range e.class {
			enter = append(enter, m.enter...)
		}
		e.admit(enter)
	}
	before := e.save()
	e.each(func(m *potential) {
		m.begin()
		if search {
			m.act(e)
		}
		m.weigh(e, !e.NoSweep)
	})
	step := e.eStep()
	if step.Objective < e.objective {
		// The one update that is bound to raise F: alpha = 1/(w² + Σ_ii), which
		// minimises the tangent of the concave log|H|, then the weights.
		e.restore(before)
		e.each(func(m *potential) { m.climb(e) })
		if step = e.eStep(); step.Objective < e.objective { // by rounding
			e.restore(before)
			step = e.eStep()
			step.Objective = e.objective
		}
		step.Rejected = true
	}
	e.objective = step.Objective
	e.quiet++
	if len(step.Added)+len(step.Deleted) > 0 {
		e.quiet = 0
	}
	return step
}

// hopeless reports whether no class has a basis to add, but for the one in any case.
func (e *evidence) hopeless() bool {
	for _, m := range e.class {
		for _, n := range m.enter {
			if e.gain(m.s[n], m.q[n]) > 0 {
				return false
			}
		}
	}
	return true
}

// each calls f for all classes on all cores, the largest models first.
func (e *evidence) each(f func(m *potential)) {
	order := slices.Clone(e.class)
	slices.SortStableFunc(order, func(a, b *potential) int { return len(b.samples) - len(a.samples) })
	par.For(e.c, 1, func(i, _ int) { f(order[i]) })
}

// centre takes the biases, at their optimum, off Z̄ and sets P = ΦᵀZ̄, for all
// samples or only those in the model. For all it is one pass over Φ, in which the
// pending rows of ΦᵀΦ are computed as well.
func (e *evidence) centre(all bool) {
	if e.sum != nil {
		for c := range e.b {
			z, y := e.z.RawRowView(c), e.y.RawRowView(c)
			// y has the old bias: b + mean(z̄ − y)
			e.b[c] += (floats.Sum(z) - floats.Sum(y)) / float64(e.n)
			floats.AddConst(-e.b[c], z)
		}
	}
	if !all {
		e.phi.timesAt(e.p, e.z, func(c int) []int { return e.class[c].samples })
		return
	}
	in, out := e.in, e.out
	in.Rows = e.c + len(e.pending)
	out.Rows = in.Rows
	row := func(m blas64.General, i int) []float64 { return m.Data[(e.c+i)*e.n : (e.c+i+1)*e.n] }
	for i, n := range e.pending {
		e.phi.copyRow(row(in, i), n)
	}
	e.phi.multiply(out, in)
	for i, n := range e.pending {
		copy(e.gram[n], row(out, i))
	}
	e.pending = nil
}

// eStep sets Z̄ by eqs. (z_nj), (z_nc) and tells of the epoch.
func (e *evidence) eStep() Step {
	step := Step{Weights: make([]int, e.c)}
	e.moved = 0
	largest := 0.0
	for c, m := range e.class {
		step.Added = append(step.Added, m.added...)
		step.Deleted = append(step.Deleted, m.deleted...)
		for _, w := range m.w {
			largest = max(largest, math.Abs(w))
			if w != 0 {
				step.Weights[c]++
			}
		}
		step.Change = max(step.Change, m.change)
		e.moved = max(e.moved, m.moved)
		step.Reestimated += m.reestimated
		step.Objective -= m.penalty / 2
	}
	if largest > 0 {
		step.Change /= largest
	}
	probit.Batch{}.Means(e.z, e.logp, e.y, e.t)
	step.LogLik = floats.Sum(e.logp)
	step.Objective += e.Evidence * step.LogLik
	return step
}

// save returns a copy of what an epoch changes.
func (e *evidence) save() []potential {
	saved := make([]potential, e.c)
	for c, m := range e.class {
		saved[c] = potential{
			samples: slices.Clone(m.samples), alpha: slices.Clone(m.alpha), w: slices.Clone(m.w), penalty: m.penalty,
		}
	}
	return saved
}

// restore undoes an epoch. Z̄ needs no copy: it follows from the weights.
func (e *evidence) restore(saved []potential) {
	for c, m := range e.class {
		m.samples, m.alpha, m.w = slices.Clone(saved[c].samples), slices.Clone(saved[c].alpha), slices.Clone(saved[c].w)
		m.penalty = saved[c].penalty
		m.changed()
		m.fresh = m.fresh[:0]
		clear(m.floor)
		m.begin()
		m.setPotential(e)
	}
}

// search sets keep and enter: which bases of the model deserve their place, and
// which samples outside may enter.
func (m *potential) search(e *evidence, first bool) {
	m.quality(e)
	m.variances(e)
	m.keep = m.keep[:0]
	for i, n := range m.samples { // would they be let in again?
		s, q := m.without(i)
		m.keep = append(m.keep, e.gain(s, q) > 0 && q*e.sign(n, m.c) > 0)
	}
	m.enter = m.candidates(e, first)
}

// begin forgets the last epoch.
func (m *potential) begin() {
	m.added, m.deleted, m.change, m.moved, m.reestimated, m.fallen = nil, nil, 0, 0, 0, 1
}

// act does the class's step of Algorithm 2: it adds the bases that search found and
// deletes those that do not deserve their place.
func (m *potential) act(e *evidence) {
	keep, inside := m.keep, len(m.samples)
	for _, n := range m.enter {
		if m.twin(e, n) { // of one added just now
			continue
		}
		alpha := optimal(m.s[n], e.boost*m.q[n])
		if math.IsInf(alpha, 1) { // a first basis that would better not be there: shrunk by half
			alpha = m.s[n]
		}
		m.samples, m.alpha, m.w = append(m.samples, n), append(m.alpha, alpha), append(m.w, 0)
		keep = append(keep, true)
		m.added, m.fresh = append(m.added, Basis{n, m.c}), append(m.fresh, n)
	}
	if e.NoSweep && len(m.added) == 0 && !slices.Contains(keep, false) && inside > 0 {
		i := m.turn % inside
		m.turn++
		s, q := m.without(i)
		m.reestimate(i, optimal(s, e.boost*q))
	}
	if len(m.added) > 0 {
		m.changed()
	}
	if len(keep) > 0 && !slices.Contains(keep, true) { // the class keeps its best
		best := 0
		for i, n := range m.samples {
			if b := m.samples[best]; m.q[n]*e.sign(n, m.c) > m.q[b]*e.sign(b, m.c) {
				best = i
			}
		}
		keep[best] = true
	}
	m.retain(keep)
}

// twin reports whether a basis of the same sign and, up to rounding, the same
// column is in the model: two share a weight and say no more than one.
func (m *potential) twin(e *evidence, n int) bool {
	for _, k := range m.samples {
		if e.sign(k, m.c) == e.sign(n, m.c) && e.norm[n]+e.norm[k]-2*e.gram[k][n] <= 1e-12*e.norm[n] {
			return true
		}
	}
	return false
}

// reestimate sets the precision of basis i.
func (m *potential) reestimate(i int, alpha float64) {
	m.moved = max(m.moved, math.Abs(math.Log(alpha/m.alpha[i])))
	if !slices.Contains(m.fresh, m.samples[i]) { // else it counts as it is when quality comes to it
		m.fallen = min(m.fallen, alpha/m.alpha[i])
	}
	m.alpha[i] = alpha
	m.changed()
	m.reestimated++
}

// gain is what a basis of factors s, q offers, q² − s, where the evidence counts β-fold;
// only where that is positive it belongs in the model.
func (e *evidence) gain(s, q float64) float64 { return e.Evidence*q*q - s }

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
			m.changed()
			continue
		}
		m.samples[k], m.alpha[k], m.w[k] = n, m.alpha[i], m.w[i]
		k++
	}
	m.samples, m.alpha, m.w = m.samples[:k], m.alpha[:k], m.w[:k]
}

// weigh sets the weights, eq. (w_pos2) under the sign constraint; with sweep, it
// then re-estimates all precisions by MacKay's rule and sets the weights anew.
func (m *potential) weigh(e *evidence, sweep bool) {
	before := m.weights()
	m.solve(e)
	if sweep {
		m.sweep(e, func(alpha, variance, w float64) float64 {
			return max(1-alpha*variance, 1e-12) / max(e.Evidence*w*w, 1e-300)
		})
		m.solve(e)
	}
	m.settle(e, before)
}

// climb is the update that cannot lower F; see epoch.
func (m *potential) climb(e *evidence) {
	before := m.weights()
	m.solve(e)
	m.sweep(e, func(_, variance, w float64) float64 { return 1 / (e.Evidence*w*w + variance) })
	m.solve(e)
	m.settle(e, before)
}

// weights returns the weights by sample.
func (m *potential) weights() map[int]float64 {
	w := make(map[int]float64, len(m.samples))
	for i, n := range m.samples {
		w[n] = m.w[i]
	}
	return w
}

// sweep re-estimates the precision of every basis from its precision, posterior
// variance Σ_ii and weight, and deletes those whose precision is too large; the
// class keeps its best.
func (m *potential) sweep(e *evidence, rule func(alpha, variance, w float64) float64) {
	m.variances(e)
	smallest, alpha := 0, make([]float64, len(m.w))
	for i, w := range m.w {
		alpha[i] = rule(m.alpha[i], m.variance[i], w)
		if alpha[i] < alpha[smallest] {
			smallest = i
		}
	}
	keep := make([]bool, len(m.w))
	for i := range m.w {
		if i == smallest {
			alpha[i] = min(alpha[i], alphaMax)
		}
		if keep[i] = alpha[i] <= alphaMax; keep[i] {
			m.reestimate(i, alpha[i])
		}
	}
	m.changed()
	m.retain(keep)
}

// settle sets penalty, potential and change after the weights.
func (m *potential) settle(e *evidence, before map[int]float64) {
	m.penalty = m.solver.h.logDet()
	for i, w := range m.w {
		m.penalty += e.Evidence*w*w*m.alpha[i] - math.Log(m.alpha[i])
	}
	m.setPotential(e)
	floats.Scale(m.fallen, m.floor)
	m.fallen = 1
	m.change = 0
	for i, n := range m.samples {
		m.change = max(m.change, math.Abs(m.w[i]-before[n]))
		delete(before, n)
	}
	for _, w := range before {
		m.change = max(m.change, math.Abs(w))
	}
}

// setPotential sets y_c = Φw_c + b_c.
func (m *potential) setPotential(e *evidence) {
	y := e.y.RawRowView(m.c)
	for i := range y {
		y[i] = e.b[m.c]
	}
	e.phi.addTo(y, m.w, m.samples)
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
	m.factorize(e)
	m.solver.solve(m.w, system{e.gram, m.samples, m.alpha}, p, sign, free, true)
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
	m.factored = true
}

// empty is F of the model without bases, which may be better than what was found.
func (e *evidence) empty() float64 { return -e.Evidence * float64(e.n) * math.Log(float64(e.c)) }

// idle reports whether the weights, for what they are, leave all potentials at
// the biases.
func (e *evidence) idle() bool {
	for c := range e.c {
		for _, y := range e.y.RawRowView(c) {
			if math.Abs(y-e.b[c]) > 1e-3 {
				return false
			}
		}
	}
	return true
}

// resign leaves biases alone in the model, which then predicts the frequencies of
// the classes, and returns their log likelihood.
func (e *evidence) resign() float64 {
	for _, m := range e.class {
		m.samples, m.alpha, m.w = nil, nil, nil
	}
	e.b = e.frequencies()
	return e.biasLikelihood(e.b)
}

func (e *evidence) model() *Model {
	active, w := make([][]int, e.c), make([][]float64, e.c)
	for c, m := range e.class {
		active[c], w[c] = m.samples, m.w
	}
	return e.training.model(e.kernel, active, w, e.b)
}
