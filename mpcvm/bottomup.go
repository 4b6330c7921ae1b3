package mpcvm

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
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

	// Single holds the kernel matrix in float32, at half the memory, 4N² or 4NK bytes.
	// All sums are those of float64; what is learnt differs by what rounding the
	// values of the kernel to seven digits makes of it.
	Single bool

	// Candidates, if it is not zero, lets only K samples enter the model, drawn at random
	// class by class: of each class the share that it has of all, but at least 10, or all
	// where it has fewer, for which K is exceeded if need be. All N samples are learned
	// from all the same. The kernel matrix then has N×K numbers, so that N may be in the
	// millions; where even they are more than the memory at hand, they are computed anew
	// whenever they are needed, to the same bits, which takes some five times as long for
	// that part of an epoch. With K ≥ N the fit is to the bit that of zero, where every
	// sample may enter; but where N is more than 4000, Theta is chosen by 4000 of the
	// samples, drawn class by class, and Calibrate takes but one more fit, to all samples
	// but a fifth, or some 4000 if that is less.
	Candidates int

	// Literal runs Algorithm 2 as printed, for teaching: Z̄ begins at random, bases
	// enter without regard to sign, and weights of the wrong sign are set to zero
	// but stay in the model. It is not monotone and may diverge. Additions,
	// NoSweep and Bias are ignored.
	Literal bool

	// Seed is the seed of the random choices of Literal and of Candidates, and deals the
	// samples into the folds of cross-validation where Theta is chosen or Calibrate set.
	// Nothing else is random.
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
// 4N² + 80NC; M rows of 8N bytes come on top for M relevance vectors. With Candidates K
// it is 8NK (with Single 4NK) + 16NC + 8K² and some 8 MB for each three classes, or,
// where that is not at hand, 64 MB in place of the first term. When ctx ends first it
// returns, mostly within a second, the model of the last epoch together with an error
// that wraps ctx.Err(); the model is nil if there was no epoch yet. It panics if t has
// not a label for each row of x or an option is negative. An epoch takes at most
// O(N²C + CNM²) operations for M weights a class, with Candidates O(NKC + CKM²).
func (l BottomUp) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...Observer) (*Model, Result, error) {
	l = l.defaults()
	return fit(ctx, x, t, selection{kernel: l.Kernel, tried: l.Tried, calibrate: l.Calibrate, seed: l.Seed, few: l.Candidates > 0}, observers, l.learn)
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
	l.Candidates = args.Option("mpcvm: BottomUp.Candidates", l.Candidates, 0)
	return l
}

// learn is Fit with the data checked and the kernel settled.
func (l BottomUp) learn(ctx context.Context, tr *training, k kernel.Kernel, limit int, observers []Observer) (*Model, Result, error) {
	if limit > 0 {
		l.Epochs = min(l.Epochs, limit)
	}
	r := NewRun(ctx, l.Epochs, observers...)
	held, release, err := l.reserve(tr)
	if err != nil {
		return nil, Result{}, err
	}
	defer release()
	e := newEvidence(ctx, l, tr, k, held)
	if ctx.Err() == nil {
		if err := tr.finite(k, e.of, func(j int) float64 { return e.norm[j] }); err != nil {
			return nil, Result{}, err
		}
	}
	r.snapshot = e.model
	still := 0
	for ctx.Err() == nil {
		step, done := e.epoch()
		if !done { // the context has ended in its midst
			break
		}
		if e.phi.large() {
			// The collector would wait until there is as much garbage as there is memory in
			// use. It takes no time: there is little in it that points elsewhere.
			runtime.GC()
		}
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

// reserve asks for the memory of a fit, and says whether there is enough to hold Φ.
func (l BottomUp) reserve(tr *training) (held bool, release func(), err error) {
	rows := 1 + min(l.Additions, 4) // of each class, in a pass over Φ
	if l.Candidates == 0 {
		// Φ and the matrices of newEvidence; rows of ΦᵀΦ for the bases that come, at most as
		// much as Φ again in float64, are not foreseen.
		phi, advice := tr.square(), "set Single, set Candidates, or "+fewerSamples
		if l.Single {
			phi, advice = phi/2, "set Candidates, or "+fewerSamples
		}
		release, err = tr.reserve("BottomUp", phi+float64(2*rows+4)*tr.rows(), advice)
		return true, release, err
	}
	k := float64(len(tr.bases(l.Candidates, l.Seed)))
	other := 2*tr.rows() + 8*k*k + 8*float64(tr.c*rows)*(segment+k) + 8*float64(tr.n)
	return tr.reserveBases("BottomUp", k, l.Single, other)
}

// evidence is the state of the maximisation of the marginal likelihood.
type evidence struct {
	BottomUp
	*training
	kernel kernel.Kernel
	phi    *phi
	of     []int     // the samples of the K bases that may enter, ascending
	norm   []float64 // φ_jᵀφ_j
	class  []*potential

	// Rows of ΦᵀΦ for the bases that have been in the model, which known lists, else
	// nil. Of those pending only the products with other known bases are there.
	gram           [][]float64
	known, pending []int

	z    *mat.Dense     // C×N posterior means z̄
	y    *mat.Dense     // C×N potentials
	p    *mat.Dense     // C×K, Φᵀz̄
	logp []float64      // log p(t_n | W)
	out  blas64.General // what a pass over Φ makes: p, and rows of ΦᵀΦ of pending bases

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

// sign is f_nc of basis j.
func (e *evidence) sign(j, c int) float64 { return e.training.sign(e.of[j], c) }

// potential is the model of one class: its bases with precisions and weights.
type potential struct {
	c       int
	samples []int // places in evidence.of
	alpha   []float64
	w       []float64
	penalty float64 // wᵀAw + log|H| − Σ log alpha

	// Of the present epoch: what was added, deleted and re-estimated, max|Δw| and
	// max|Δ log alpha|.
	added, deleted []Basis
	reestimated    int
	change, moved  float64
	fallen         float64 // the smallest share, at most 1, that is left of a precision

	s, q  []float64 // S_n, Q_n of all bases
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

func newEvidence(ctx context.Context, l BottomUp, tr *training, k kernel.Kernel, held bool) *evidence {
	c, n, of := tr.c, tr.n, tr.bases(l.Candidates, l.Seed)
	e := &evidence{
		BottomUp: l, training: tr, kernel: k, of: of,
		phi: newPhi(ctx, k, tr.x, of, l.Single, held), gram: make([][]float64, len(of)),
		z: mat.NewDense(c, n, nil), y: mat.NewDense(c, n, nil),
		logp: make([]float64, n), b: make([]float64, c), objective: math.Inf(-1), boost: math.Sqrt(l.Evidence),
	}
	rows, bases := c+c*min(l.Additions, 4), len(of)
	e.out = blas64.General{Rows: rows, Cols: bases, Stride: bases, Data: make([]float64, rows*bases)}
	e.p = mat.NewDense(c, bases, e.out.Data[:c*bases])
	var sums []float64
	if e.norm, sums = e.phi.norms(); l.Bias && !l.Literal {
		e.sum = sums
	}
	for i := range c {
		e.class = append(e.class, &potential{c: i, s: make([]float64, bases), q: make([]float64, bases), floor: make([]float64, bases)})
	}
	if l.Literal {
		e.randomZ()
		return e
	}
	// The first Z̄ is that of the empty model, Y = 0, but see hopeless.
	e.means(ctx, e.z, e.logp, e.y)
	return e
}

// epoch is one pass of Algorithm 2. Where the context ends before it is done, all but
// Z̄ and Y is as it was before.
func (e *evidence) epoch() (step Step, done bool) {
	before, b := e.save(), slices.Clone(e.b)
	step = e.pass(before)
	if done = e.phi.ctx.Err() == nil; !done {
		e.recall(before)
		copy(e.b, b)
	}
	return step, done
}

// pass is epoch without regard to what is left where the context ends; before is what to
// go back to where the objective falls.
func (e *evidence) pass(before []potential) (step Step) {
	ctx := e.phi.ctx
	first := e.epochs == 0
	e.epochs++
	// While nothing comes and goes, only one epoch in five looks for candidates; not
	// so where the look itself re-estimates.
	search := e.Literal || e.NoSweep || e.quiet < 5 || e.quiet%5 == 0
	if e.centre(search); ctx.Err() != nil {
		return step
	}
	if e.Literal {
		return e.literal(first, before)
	}
	if search {
		e.each(func(m *potential) { m.search(e, first) })
		if first && e.hopeless() {
			// With a wide kernel and classes alike in number no basis helps by itself. Further
			// out, where the top-down algorithm starts, one of each class does.
			e.far = true
			e.outset(e.z)
			if e.centre(true); ctx.Err() != nil {
				return step
			}
			e.each(func(m *potential) { m.search(e, first) })
		}
		var enter []int
		for _, m := range e.class {
			enter = append(enter, m.enter...)
		}
		if e.admit(enter); ctx.Err() != nil {
			return step
		}
	}
	e.each(func(m *potential) {
		m.begin()
		if search {
			m.act(e)
		}
		m.weigh(e, !e.NoSweep)
	})
	e.potentials()
	if step = e.eStep(); ctx.Err() != nil {
		return step
	}
	if step.Objective < e.objective {
		// The one update that is bound to raise F: alpha = 1/(w² + Σ_ii), which
		// minimises the tangent of the concave log|H|, then the weights.
		e.restore(before)
		e.each(func(m *potential) { m.climb(e) })
		e.potentials()
		if step = e.eStep(); step.Objective < e.objective { // by rounding
			e.restore(before)
			e.potentials()
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

// each calls f for all classes on all cores, the largest models first, until the context
// ends.
func (e *evidence) each(f func(m *potential)) {
	order := slices.Clone(e.class)
	slices.SortStableFunc(order, func(a, b *potential) int { return len(b.samples) - len(a.samples) })
	par.For(e.c, 1, func(i, _ int) {
		if e.phi.ctx.Err() == nil {
			f(order[i])
		}
	})
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
	e.phi.multiply(e.out, e.z.RawMatrix(), e.pending)
	for i, n := range e.pending {
		copy(e.gram[n], e.out.Data[(e.c+i)*e.out.Stride:])
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
	e.means(e.phi.ctx, e.z, e.logp, e.y)
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

// restore undoes an epoch, but for Y and Z̄, which follow from the weights.
func (e *evidence) restore(saved []potential) {
	e.recall(saved)
	for _, m := range e.class {
		m.changed()
		m.fresh = m.fresh[:0]
		clear(m.floor)
		m.begin()
	}
}

// recall puts back what an epoch changes of the model itself.
func (e *evidence) recall(saved []potential) {
	for c, m := range e.class {
		m.samples, m.alpha, m.w = slices.Clone(saved[c].samples), slices.Clone(saved[c].alpha), slices.Clone(saved[c].w)
		m.penalty = saved[c].penalty
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
			alpha = max(m.s[n], leastAlpha)
		}
		m.samples, m.alpha, m.w = append(m.samples, n), append(m.alpha, alpha), append(m.w, 0)
		keep = append(keep, true)
		m.added, m.fresh = append(m.added, Basis{e.of[n], m.c}), append(m.fresh, n)
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
	m.retain(e, keep)
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
		if alpha := s * s / (q*q - s); alpha >= leastAlpha {
			return alpha
		}
		return max(s/(q*q/s-1), leastAlpha) // s² underflows where values of the kernel are below 1e-80
	}
	return math.Inf(1)
}

// leastAlpha is the smallest precision: of less there would be no logarithm.
const leastAlpha = 1e-300

// retain deletes the bases that are not to be kept.
func (m *potential) retain(e *evidence, keep []bool) {
	k := 0
	for i, n := range m.samples {
		if !keep[i] {
			m.deleted = append(m.deleted, Basis{e.of[n], m.c})
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
		alpha[i] = max(rule(m.alpha[i], m.variance[i], w), leastAlpha)
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
	m.retain(e, keep)
}

// settle sets penalty and change after the weights.
func (m *potential) settle(e *evidence, before map[int]float64) {
	m.penalty = m.solver.h.logDet()
	for i, w := range m.w {
		m.penalty += e.Evidence*w*w*m.alpha[i] - math.Log(m.alpha[i])
	}
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

// potentials sets y_c = Φw_c + b_c of all classes.
func (e *evidence) potentials() {
	for c, b := range e.b {
		fill(e.y.RawRowView(c), b)
	}
	e.phi.addTo(e.y, func(c int) (bases []int, w []float64) { return e.class[c].samples, e.class[c].w })
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
	m.retain(e, free)
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
		for _, j := range m.samples {
			active[c] = append(active[c], e.of[j])
		}
		w[c] = m.w
	}
	return e.training.model(e.kernel, active, w, e.b)
}
