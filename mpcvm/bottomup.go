package mpcvm

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/internal/nnls"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Section 2.4 of the paper: mPCVM₂. Its factors S, Q, s, q are in factors.go.

// BottomUp is mPCVM₂, Algorithm 2 of the paper. It starts from an empty model and adds, re-estimates and
// deletes basis functions to maximise the marginal likelihood, as in Tipping and Faul (2003). The zero value
// is the recommended setting.
//
// Algorithm 2 as printed may diverge, because weights with the wrong sign are set to zero but stay in the
// model. BottomUp therefore differs from it:
//
//   - Z̄ starts at 5T + ½, as in TopDown, instead of at random, and is replaced gradually by the Z̄ of the
//     E-step over ten epochs (see Step.StartShare). The objective is guaranteed to rise only after that.
//     Other starts end in poor optima if the kernel is too wide.
//   - A basis function enters only if q² > s and its quality factor q has the sign f of its weight. A basis
//     function in the model that fails either condition is deleted.
//   - The weights solve a sign-constrained least-squares problem. Weights that are zero are deleted.
//   - Once per epoch, all precisions are re-estimated by MacKay's rule.
//   - Each class keeps at least one basis function. Its weight may be zero, and because the Model omits zero
//     weights, a class may have no weights in the Model. Even without biases such a class can win, because
//     the potentials of the other classes can be negative.
type BottomUp struct {
	// Kernel is the kernel of the basis functions. If it is nil, an RBF kernel is used. If the kernel's width
	// is zero, it is set to the inverse of the median distance of the samples (kernel.Tunable.MedianTheta).
	// To choose the width by cross-validation, use search.Width.
	Kernel kernel.Kernel

	// Additions is the maximum number of basis functions added per class in an epoch. If it is zero, 2 is
	// used, which is as accurate as the paper's 1 and faster.
	Additions int

	// Bias adds a bias b_c with a flat prior to each class; in the paper, this algorithm has no bias. The
	// bias is integrated out, which centres the columns of Φ and Z̄. A bias helps if the samples of one class
	// are scattered or the kernel is wide; predictions of classes with few samples may get worse.
	Bias bool

	// LikelihoodPower is the power β to which the likelihood is raised (tempering). If it is zero, 1 is used,
	// the paper's value. Larger values keep more basis functions. They lower the error if the labels have
	// little noise, but make the probabilities overconfident, so combine them with search.Calibrated. Values
	// from 3 to 100 are worth trying. AsPublished ignores LikelihoodPower.
	LikelihoodPower float64

	// Float32 stores the kernel values in float32, which halves their memory. All sums are in float64.
	Float32 bool

	// Candidates is the number K of samples whose basis functions may enter the model; the fit still learns
	// from all N samples. The K samples are drawn at random in proportion to the class frequencies, with at
	// least 10 samples per class (or all of a smaller class), so there may be more than K in total;
	// Result.Candidates is the actual number. If Candidates is zero, all samples are candidates if N is at
	// most 5000 or AsPublished is set, and 2000 samples otherwise. With AllCandidates, all N samples are
	// candidates.
	Candidates int

	// AsPublished runs Algorithm 2 as printed, for teaching. Z̄ starts at random, basis functions enter
	// regardless of sign, and weights with the wrong sign are set to zero but stay in the model. The fit may
	// diverge. Additions and Bias are ignored.
	AsPublished bool

	// Seed is the seed for the random start of AsPublished and for drawing the Candidates. Nothing else is
	// random.
	Seed uint64

	// Tol is the tolerance of convergence: the fit has converged if, for five epochs, no basis function was
	// added or deleted, max|ΔW| < Tol·max|W|, and no log alpha changed by more than 10·Tol. If it is zero,
	// 1e-3 is used. If it is negative, the fit runs until MaxIterations.
	Tol float64

	// MaxIterations is the maximum number of epochs. If it is zero, 500 is used. The accuracy rarely changes
	// after about fifty epochs.
	MaxIterations int
}

// Fit trains a model on the samples. The features should be standardised; if they are not, Result.RawUnits
// is true.
//
// Fit returns a *CellError if the data are invalid, and a *MemoryError if the fit needs more memory than is
// available (see docs/performance.md). If ctx ends first, Fit returns within about a second. The error then
// wraps ctx.Err(), and the model is the one after the last complete epoch, or nil if there was none. Fit
// panics if an option is negative, except that Tol may be negative and Candidates may be AllCandidates.
//
// An epoch takes at most O(N²C + CNM²) operations, where M is the number of weights of a class; with K
// candidates it takes O(NKC + CKM²).
func (l BottomUp) Fit(ctx context.Context, s Samples, observers ...Observer) (*Model, Result, error) {
	l = l.defaults()
	n, _ := s.X.Dims()
	l.Candidates = candidates("mpcvm: BottomUp.Candidates", l.Candidates, n, l.AsPublished)
	return fit(ctx, s, l.Kernel, observers, l.learn)
}

// WithKernel returns a copy of the learner with another kernel.
func (l BottomUp) WithKernel(k kernel.Kernel) Learner {
	l.Kernel = k
	return l
}

// ForTrials returns a copy of the learner for comparing settings of a fit to n samples. It has the same
// number of candidates as that fit, and runs at most 100 iterations.
func (l BottomUp) ForTrials(n int) Learner {
	l.Candidates = trialCandidates("mpcvm: BottomUp.Candidates", l.Candidates, n, l.AsPublished)
	l.MaxIterations = min(cmp.Or(l.MaxIterations, 500), fitting.ShortFit)
	return l
}

// defaults fills in the options that are zero.
func (l BottomUp) defaults() BottomUp {
	l.Tol = args.Tolerance("mpcvm: BottomUp.Tol", l.Tol, 1e-3)
	l.Additions = args.Option("mpcvm: BottomUp.Additions", l.Additions, 2)
	l.LikelihoodPower = args.Option("mpcvm: BottomUp.LikelihoodPower", l.LikelihoodPower, 1)
	if l.AsPublished {
		l.LikelihoodPower = 1
	}
	l.MaxIterations = args.Option("mpcvm: BottomUp.MaxIterations", l.MaxIterations, 500)
	return l
}

// learn is Fit after the data have been validated and the kernel has its width.
func (l BottomUp) learn(ctx context.Context, d *fitting.Data, k kernel.Kernel, observers []Observer) (*Model,
	Result, error) {
	r := NewRun(ctx, l.MaxIterations, observers...)
	bases, o, release, err := l.reserve(ctx, d)
	if err != nil {
		return nil, Result{}, err
	}
	defer release()
	if len(bases) < d.N {
		r.Result.Candidates = len(bases)
	}
	e, err := newBottomUp(ctx, l, d, k, bases, o)
	if err != nil {
		return nil, Result{}, err
	}
	r.Snapshot = func() Classifier { return e.model() }
	r.factors = e.observed
	still := 0
	for ctx.Err() == nil {
		step, done := e.epoch()
		if !done { // the context ended during the epoch
			break
		}
		if e.diverged {
			r.End(Diverged)
			break
		}
		if r.Record(step) {
			break
		}
		if e.startShare == 0 && len(step.Added) == 0 && len(step.Deleted) == 0 && step.Change < l.Tol &&
			e.moved < 10*l.Tol {
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
	if r.Result.Iterations > 0 || e.diverged {
		if !l.AsPublished && e.foundNothing(r.Result) {
			r.End(Collapsed)
			r.Result.LogLik = e.fallBackToFrequencies()
			r.Result.Objective = r.Result.LogLik
		}
		model = e.model()
	}
	if ctx.Err() != nil && r.Result.Status == NotTerminated {
		r.End(Cancelled)
	}
	res, err := r.Finish()
	return model, res, err
}

// bottomUpState is the state of the maximisation of the marginal likelihood. A basis function is identified
// by its index among the K candidates.
type bottomUpState struct {
	BottomUp
	*fitting.Data
	kernel kernel.Kernel
	phi    *gram.Phi
	ctx    context.Context
	bases  []int     // the samples of the K basis functions, ascending
	norm   []float64 // φ_jᵀφ_j; like all sums over samples, weighted
	total  float64   // N, or the sum of the weights
	class  []*classModel

	// gram[j] is the row of ΦᵀΦ of each basis function that has been in the model (listed in known), and nil
	// for the others. For rows in pending, only the products with known basis functions are computed.
	gram           [][]float64
	known, pending []int

	zbar *mat.Dense     // C×N posterior means z̄
	y    *mat.Dense     // C×N potentials
	p    *mat.Dense     // C×K, Φᵀz̄
	logp []float64      // log p(t_n | W)
	out  blas64.General // result of a pass over Φ: p, and the pending rows of ΦᵀΦ

	// With biases, the means are subtracted from Z̄ and from the columns of Φ, including in ΦᵀΦ and the
	// norms, because integrating out b_c with a flat prior leaves only the part of C⁻¹ orthogonal to 1.
	b         []float64 // biases
	sum, mean []float64 // 1ᵀΦ, and the means of Z̄; nil without biases

	rootPower  float64    // √β; see LikelihoodPower and factors.go
	objective  float64    // F after the last epoch
	epochs     int        // started so far
	quiet      int        // epochs since a basis function was added or deleted
	moved      float64    // largest |Δ log alpha| in the epoch
	startShare float64    // share of the starting Z̄ in the current one; see release
	rng        *rand.Rand // for AsPublished
	diverged   bool       // the objective became infinite or NaN; the state is the previous one
}

// sign is f_nc of basis j.
func (e *bottomUpState) sign(j, c int) float64 { return e.Sign(e.bases[j], c) }

// classModel is the state of one class: its basis functions with precisions and weights.
type classModel struct {
	c int
	sparseWeights
	changes // of the current epoch

	S, Q   []float64 // S_n, Q_n of all candidates
	lowerS []float64 // lower bounds of S_n before the effect of fresh; see candidates
	fresh  []int     // basis functions added since the last call of quality
	keep   []bool    // whether each active basis function still passes the test for entering
	enter  []int     // basis functions that will enter

	mu       []float64 // means of the weights without the sign constraint; see quality
	solver   nnls.Solver
	factored bool      // solver.Factor is up to date
	variance []float64 // Σ_ii of the active basis functions; empty if not computed
}

// sparseWeights contains the basis functions of a class with their precisions and weights.
type sparseWeights struct {
	active  []int // indices in bottomUpState.bases
	alpha   []float64
	w       []float64
	penalty float64 // wᵀAw + log|H| − Σ log alpha
}

// clone returns a deep copy.
func (s sparseWeights) clone() sparseWeights {
	return sparseWeights{slices.Clone(s.active), slices.Clone(s.alpha), slices.Clone(s.w), s.penalty}
}

// changes describes what an epoch changed in a class.
type changes struct {
	added, deleted []Basis
	reestimated    int
	change, moved  float64 // max|Δw|, max|Δ log alpha|
	smallestRatio  float64 // smallest ratio of a new precision to the old one, at most 1
}

// height is the number of rows per class in a pass over Φ.
func (l BottomUp) height() int { return 1 + min(l.Additions, 4) }

// reserve draws the candidates and reserves the memory of a fit, except for the rows of ΦᵀΦ of basis
// functions that enter later.
func (l BottomUp) reserve(ctx context.Context, d *fitting.Data) (bases []int, o gram.Options, release func(),
	err error) {
	bases, o = d.Bases(l.Candidates, l.Seed), gram.Options{Float32: l.Float32}
	m, rows := float64(len(bases)), 8*float64(d.N)*float64(d.C)
	other := float64(2*l.height()+4) * rows
	if l.Candidates > 0 {
		other = 2*rows + 8*m*m + 8*float64(d.C*l.height())*(gram.SegmentColumns+m) + 8*float64(d.N)
	}
	release, err = o.Reserve(ctx, "mpcvm: BottomUp", len(bases), d.N, other, l.Candidates > 0)
	return bases, o, release, err
}

// newBottomUp computes Φ and the starting Z̄.
func newBottomUp(ctx context.Context, l BottomUp, d *fitting.Data, k kernel.Kernel, bases []int,
	o gram.Options) (*bottomUpState, error) {
	c, n, m := d.C, d.N, len(bases)
	o.Weights = d.Weights
	e := &bottomUpState{
		BottomUp: l, Data: d, kernel: k, bases: bases, ctx: ctx,
		phi: gram.New(ctx, k, d.X, bases, o), gram: make([][]float64, m),
		zbar: mat.NewDense(c, n, nil), y: mat.NewDense(c, n, nil),
		logp: make([]float64, n), b: make([]float64, c), objective: math.Inf(-1), rootPower: math.Sqrt(
			l.LikelihoodPower),
		total: floats.Sum(d.Mass()),
	}
	rows := c * l.height()
	e.out = blas64.General{Rows: rows, Cols: m, Stride: m, Data: make([]float64, rows*m)}
	e.p = mat.NewDense(c, m, e.out.Data[:c*m])
	var sums []float64
	if e.norm, sums = e.phi.Norms(); l.Bias && !l.AsPublished {
		e.sum, e.mean = sums, make([]float64, c)
		for j, sum := range sums {
			e.norm[j] = max(0, e.norm[j]-sum*sum/e.total)
		}
	}
	for i := range c {
		e.class = append(e.class, &classModel{c: i, S: make([]float64, m), Q: make([]float64, m),
			lowerS: make([]float64, m)})
	}
	if l.AsPublished {
		e.randomMeans()
	} else {
		posteriorMeans(ctx, d, e.zbar, e.logp, e.y)
		e.release()
	}
	if ctx.Err() == nil {
		if err := d.CheckNorms(k, bases, e.norm); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// epoch is one pass of Algorithm 2. If the context ends during the epoch, or if the objective becomes
// infinite or NaN, the state before the epoch is restored, except for Z̄ and Y.
func (e *bottomUpState) epoch() (step Step, done bool) {
	before, b := e.save(), slices.Clone(e.b)
	step = e.pass(before)
	done = e.ctx.Err() == nil
	e.diverged = done && !fitting.IsFinite(step.Objective)
	if !done || e.diverged {
		e.restore(before)
		copy(e.b, b)
	}
	return step, done
}

// pass is epoch without restoring the state. before is restored if the objective falls.
func (e *bottomUpState) pass(before []sparseWeights) (step Step) {
	ctx := e.ctx
	first := e.epochs == 0
	e.epochs++
	// While no basis function enters or leaves, only every fifth epoch searches.
	search := e.AsPublished || e.quiet < 5 || e.quiet%5 == 0
	if e.centre(search); ctx.Err() != nil {
		return step
	}
	if e.AsPublished {
		return e.passAsPublished(first)
	}
	if search {
		e.each(func(m *classModel) { m.search(e, first) })
		var enter []int
		for _, m := range e.class {
			enter = append(enter, m.enter...)
		}
		if e.admit(enter); ctx.Err() != nil {
			return step
		}
	}
	e.each(func(m *classModel) {
		m.begin()
		if search {
			m.act(e)
		}
		m.weigh(e)
	})
	e.potentials()
	if step = e.eStep(); ctx.Err() != nil {
		return step
	}
	if e.startShare == 0 && step.Objective < e.objective {
		// Use an update that cannot lower F: alpha = 1/(w² + Σ_ii), which minimises the tangent of the
		// concave log|H|, then solve for the weights.
		e.restore(before)
		e.each(func(m *classModel) { m.updateMonotone(e) })
		e.potentials()
		if step = e.eStep(); step.Objective < e.objective { // rounding error
			e.restore(before)
			e.potentials()
			step = e.eStep()
			step.Objective = e.objective
		}
		step.Rejected = true
	}
	e.objective = step.Objective
	e.release()
	e.quiet++
	if len(step.Added)+len(step.Deleted) > 0 {
		e.quiet = 0
	}
	return step
}

// releaseEpochs is the number of epochs over which the starting Z̄ is replaced; see release.
const releaseEpochs = 10

// release mixes the starting Z̄ of TopDown into the Z̄ of the E-step: with share 1 at the start, 1 −
// n/(releaseEpochs + 1) after epoch n, and 0 at the end. A sparse regression on the labels thus turns
// gradually into the classifier.
func (e *bottomUpState) release() {
	e.startShare = max(0, 1-float64(e.epochs)/(releaseEpochs+1))
	if e.startShare > 0 {
		mixStart(e.Data, e.zbar, e.startShare)
	}
}

// each calls f for all classes on all cores, in descending order of size, until the context ends.
func (e *bottomUpState) each(f func(m *classModel)) {
	order := slices.Clone(e.class)
	slices.SortStableFunc(order, func(a, b *classModel) int { return len(b.active) - len(a.active) })
	par.For(e.C, 1, func(i, _ int) {
		if e.ctx.Err() == nil {
			f(order[i])
		}
	})
}

// centre subtracts the means from Z̄ if there are biases, and sets P = ΦᵀZ̄, either for all basis functions
// or only for those in the model. If all is set, it makes one pass over Φ, which also computes the pending
// rows of ΦᵀΦ.
func (e *bottomUpState) centre(all bool) {
	if e.sum != nil {
		for c := range e.mean {
			z := e.zbar.RawRowView(c)
			e.mean[c] = fitting.Sum(z, e.Weights) / e.total
			floats.AddConst(-e.mean[c], z)
		}
	}
	if !all {
		e.phi.TimesAt(e.p, e.zbar, func(c int) []int { return e.class[c].active })
		return
	}
	e.phi.Multiply(e.out, e.zbar.RawMatrix(), e.pending)
	for i, n := range e.pending {
		copy(e.gram[n], e.out.Data[(e.C+i)*e.out.Stride:])
		e.centreProducts(n)
	}
	e.pending = nil
}

// centreProducts updates row n of ΦᵀΦ for centred columns of Φ if there are biases.
func (e *bottomUpState) centreProducts(n int) {
	if e.sum != nil {
		floats.AddScaled(e.gram[n], -e.sum[n]/e.total, e.sum)
	}
}

// eStep sets Z̄ by eqs. (z_nj) and (z_nc), and returns the step of the epoch.
func (e *bottomUpState) eStep() Step {
	step := Step{Weights: make([]int, e.C), StartShare: e.startShare}
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
	posteriorMeans(e.ctx, e.Data, e.zbar, e.logp, e.y)
	step.LogLik = e.LogLik(e.logp)
	step.Objective += e.LikelihoodPower * step.LogLik
	return step
}

// save returns a copy of the weights of all classes.
func (e *bottomUpState) save() []sparseWeights {
	saved := make([]sparseWeights, e.C)
	for c, m := range e.class {
		saved[c] = m.clone()
	}
	return saved
}

// restore restores saved weights. It does not change Y and Z̄, which follow from the weights.
func (e *bottomUpState) restore(saved []sparseWeights) {
	for c, m := range e.class {
		m.sparseWeights = saved[c].clone()
		m.changed()
		m.fresh = m.fresh[:0]
		clear(m.lowerS)
		m.begin()
	}
}

// search sets keep and enter: which active basis functions pass the test for entering, and which others will
// enter.
func (m *classModel) search(e *bottomUpState, first bool) {
	m.quality(e)
	m.variances(e)
	m.keep = m.keep[:0]
	for i, n := range m.active {
		s, q := m.without(i)
		m.keep = append(m.keep, e.gain(s, q) > 0 && q*e.sign(n, m.c) > 0)
	}
	m.enter = m.candidates(e, first)
}

// begin resets the changes of the epoch.
func (m *classModel) begin() {
	m.changes = changes{smallestRatio: 1}
}

// act is the step of Algorithm 2 for one class: it adds the basis functions found by search and deletes those
// that fail the test.
func (m *classModel) act(e *bottomUpState) {
	keep := m.keep
	for _, n := range m.enter {
		if m.duplicateColumn(e, n) { // of a basis function added in this loop
			continue
		}
		alpha := optimal(m.S[n], e.rootPower*m.Q[n])
		if math.IsInf(alpha, 1) {
			// The first basis function enters even if it does not raise the likelihood. Its weight is halved.
			alpha = max(m.S[n], minAlpha)
		}
		m.active, m.alpha, m.w = append(m.active, n), append(m.alpha, alpha), append(m.w, 0)
		keep = append(keep, true)
		m.added, m.fresh = append(m.added, Basis{e.bases[n], m.c}), append(m.fresh, n)
	}
	if len(m.added) > 0 {
		m.changed()
	}
	if len(keep) > 0 && !slices.Contains(keep, true) { // the class keeps its best basis function
		best := 0
		for i, n := range m.active {
			if b := m.active[best]; m.Q[n]*e.sign(n, m.c) > m.Q[b]*e.sign(b, m.c) {
				best = i
			}
		}
		keep[best] = true
	}
	m.retain(e, keep)
}

// duplicateColumn reports whether an active basis function has the same sign and, up to rounding, the same
// column. Two such basis functions share one weight.
func (m *classModel) duplicateColumn(e *bottomUpState, n int) bool {
	for _, k := range m.active {
		if e.sign(k, m.c) == e.sign(n, m.c) && e.norm[n]+e.norm[k]-2*e.gram[k][n] <= 1e-12*e.norm[n] {
			return true
		}
	}
	return false
}

// reestimate sets the precision of active basis function i.
func (m *classModel) reestimate(i int, alpha float64) {
	m.moved = max(m.moved, math.Abs(math.Log(alpha/m.alpha[i])))
	if !slices.Contains(m.fresh, m.active[i]) { // quality uses the final precision of a fresh basis function
		m.smallestRatio = min(m.smallestRatio, alpha/m.alpha[i])
	}
	m.alpha[i] = alpha
	m.changed()
	m.reestimated++
}

// gain is βq² − s for a basis function with factors s, q. A basis function belongs in the model if its gain
// is positive.
func (e *bottomUpState) gain(s, q float64) float64 { return e.LikelihoodPower*q*q - s }

// optimal is the precision that maximises the marginal likelihood, eq. (qgts).
func optimal(s, q float64) float64 {
	if q*q > s {
		if alpha := s * s / (q*q - s); alpha >= minAlpha {
			return alpha
		}
		return max(s/(q*q/s-1), minAlpha) // s² underflows if kernel values are below 1e-80
	}
	return math.Inf(1)
}

// minAlpha is the smallest precision; its logarithm is finite.
const minAlpha = 1e-300

// retain deletes the active basis functions that are not marked in keep.
func (m *classModel) retain(e *bottomUpState, keep []bool) {
	k := 0
	for i, n := range m.active {
		if !keep[i] {
			m.deleted = append(m.deleted, Basis{e.bases[n], m.c})
			m.changed()
			continue
		}
		m.active[k], m.alpha[k], m.w[k] = n, m.alpha[i], m.w[i]
		k++
	}
	m.active, m.alpha, m.w = m.active[:k], m.alpha[:k], m.w[:k]
}

// weigh solves for the weights, eq. (w_pos2) under the sign constraint, re-estimates all precisions by
// MacKay's rule, and solves for the weights again.
func (m *classModel) weigh(e *bottomUpState) {
	before := m.weights()
	m.solve(e)
	m.sweep(e, func(alpha, variance, w float64) float64 {
		return max(1-alpha*variance, 1e-12) / max(e.LikelihoodPower*w*w, 1e-300)
	})
	m.solve(e)
	m.record(e, before)
}

// updateMonotone is the update that cannot lower F; see pass.
func (m *classModel) updateMonotone(e *bottomUpState) {
	before := m.weights()
	m.solve(e)
	m.sweep(e, func(_, variance, w float64) float64 { return 1 / (e.LikelihoodPower*w*w + variance) })
	m.solve(e)
	m.record(e, before)
}

// weights returns the weight of each active basis function.
func (m *classModel) weights() map[int]float64 {
	w := make(map[int]float64, len(m.active))
	for i, n := range m.active {
		w[n] = m.w[i]
	}
	return w
}

// sweep re-estimates the precision of every active basis function from its precision, its posterior variance
// Σ_ii and its weight. It deletes those whose precision exceeds alphaMax, but always keeps the one with the
// smallest precision.
func (m *classModel) sweep(e *bottomUpState, rule func(alpha, variance, w float64) float64) {
	m.variances(e)
	smallest, alpha := 0, make([]float64, len(m.w))
	for i, w := range m.w {
		alpha[i] = max(rule(m.alpha[i], m.variance[i], w), minAlpha)
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

// record updates penalty, change and the bounds of S after the weights have been set.
func (m *classModel) record(e *bottomUpState, before map[int]float64) {
	m.penalty = m.solver.Factor.LogDet()
	for i, w := range m.w {
		m.penalty += e.LikelihoodPower*w*w*m.alpha[i] - math.Log(m.alpha[i])
	}
	floats.Scale(m.smallestRatio, m.lowerS)
	m.smallestRatio = 1
	m.change = 0
	for i, n := range m.active {
		m.change = max(m.change, math.Abs(m.w[i]-before[n]))
		delete(before, n)
	}
	for _, w := range before {
		m.change = max(m.change, math.Abs(w))
	}
}

// potentials sets y_c = Φw_c + b_c for all classes, where b_c is the mean of z̄_c − Φw_c.
func (e *bottomUpState) potentials() {
	for c, m := range e.class {
		if e.sum != nil {
			e.b[c] = e.mean[c]
			for i, n := range m.active {
				e.b[c] -= m.w[i] * e.sum[n] / e.total
			}
		}
		fitting.Fill(e.y.RawRowView(c), e.b[c])
	}
	e.phi.AddTo(e.y, func(c int) (bases []int, w []float64) { return e.class[c].active, e.class[c].w })
}

// alphaMax is the precision above which a basis function is deleted.
const alphaMax = 1e6

// solve sets the weights by sign-constrained least squares and deletes zero weights, but keeps at least one
// basis function per class.
func (m *classModel) solve(e *bottomUpState) {
	k := len(m.active)
	p, sign, free := make([]float64, k), make([]float64, k), make([]bool, k)
	for i, n := range m.active {
		p[i], sign[i], free[i] = e.p.At(m.c, n), e.sign(n, m.c), true
	}
	m.factorize(e)
	m.solver.Solve(m.w, nnls.System{Gram: e.gram, Bases: m.active, Alpha: m.alpha}, p, sign, free, true)
	kept := 0
	for _, f := range free {
		if f {
			kept++
		}
	}
	if kept == 0 && k > 0 {
		free[0] = true
		m.solver.Factor.Factorize(nnls.System{Gram: e.gram, Bases: m.active, Alpha: m.alpha}, []int{0})
	}
	m.retain(e, free)
	m.factored = true
}

// foundNothing reports whether a fit that ended on its own is no better than the class frequencies, or has a
// smaller F than the model without basis functions.
func (e *bottomUpState) foundNothing(r Result) bool {
	weights := 0
	for _, m := range e.class {
		weights += len(m.active)
	}
	empty := -e.LikelihoodPower * e.total * math.Log(float64(e.C))
	switch r.Status {
	case Converged:
		return e.nearConstant() || e.objective < empty || e.NoBetter(r.LogLik, weights, e.y)
	case IterationLimit:
		return e.nearConstant() || e.startShare == 0 && e.objective < empty
	}
	return false
}

// nearConstant reports whether all potentials of the training samples practically equal the biases.
func (e *bottomUpState) nearConstant() bool {
	for c := range e.C {
		for _, y := range e.y.RawRowView(c) {
			if math.Abs(y-e.b[c]) > 1e-3 {
				return false
			}
		}
	}
	return true
}

// fallBackToFrequencies deletes all basis functions and sets biases that predict the class frequencies. It
// returns their log likelihood.
func (e *bottomUpState) fallBackToFrequencies() float64 {
	for _, m := range e.class {
		m.active, m.alpha, m.w = nil, nil, nil
	}
	e.b = e.Frequencies()
	return e.BiasLogLik(e.b)
}

func (e *bottomUpState) model() *Model {
	active, w := make([][]int, e.C), make([][]float64, e.C)
	for c, m := range e.class {
		for _, j := range m.active {
			active[c] = append(active[c], e.bases[j])
		}
		w[c] = m.w
	}
	return NewModel(e.kernel, e.X, e.T, active, w, e.b)
}
