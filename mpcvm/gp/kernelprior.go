package gp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/internal/polled"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// KernelPrior is mPCVM-K, a dense relative of the paper's two algorithms, in which weights do not have
// separate precisions. The weights w_c of a class have the prior N(0, s²K⁻¹), where K is the kernel matrix,
// so the potentials y_c = Kw_c have the prior N(0, s²K). The kernel must be positive definite. This is the
// Gaussian process of Girolami and Rogers (2006, DOI 10.1162/neco.2006.18.8.1790), evaluated at its mode. The
// objective
//
//	F(W) = Σ_n log p(t_n|y_n) − 1/(2s²) Σ_c w_cᵀKw_c
//
// is concave, so it has a single optimum. If labels have little noise, KernelPrior has a lower error rate
// than the sparse learners, but it needs one weight for each sample and class; Keep reduces this number. The
// zero value is the recommended setting.
//
// The optimum obeys the classification principle without a constraint. The gradient of log p(t|y) is z̄ − y,
// so the gradient of F is K(Z̄ − Y − W/s²), which is zero where W = R = s²(Z̄ − Y). And z̄ − y is positive
// for class t and negative for the others, because p(t|y) rises with y_t and falls with any other potential.
//
// F is maximised by L-BFGS (Liu and Nocedal 1989, DOI 10.1007/BF01589116) in the inner product pᵀKq of the
// functions Kp and Kq, in which the gradient is (R − W)/s². This is equivalent to L-BFGS in U, where Y = sLU
// and K = LLᵀ, but does not need a factor of K, which may be singular. An iteration takes an E-step and one
// product with K.
//
// With candidates M, the prior is N(0, s²K_MM⁻¹) and Y = WK_MN. L-BFGS then uses the inner product
// pᵀ(K_MM + s²K_MN D_c K_NM)q of each class, in which the Hessian is close to the identity: D_c contains the
// second derivatives of −log p(t|y) in y_c. The inner products are estimated on a few thousand samples, again
// whenever weights are deleted, and each requires a Cholesky factor.
type KernelPrior struct {
	// Kernel is the basis function. It must be positive definite. If it is nil, an RBF kernel is used. If
	// its width is zero, the inverse of the median distance of the samples is used (see kernel.Tunable).
	// To choose the width by LeaveOneOut, or with Keep by cross-validation, use search.Width. With
	// kernel.Linear, if all samples are candidates and Keep is zero, a fit does not need the kernel
	// matrix.
	Kernel kernel.Kernel

	// Scale is s², the prior variance of a potential where k(x, x) = 1. With a larger Scale, the model
	// follows the samples more closely. If it is zero, 100 is used.
	Scale float64

	// Float32 stores the values of the kernel in float32, which halves their memory. Sums are computed in
	// float64, or if Tol is at least 0.01 and every sample is a candidate, sums of up to 256 terms in
	// float32. LeaveOneOut ignores this field.
	Float32 bool

	// Keep reduces the model in steps to about Keep·N weights. Each step deletes about 30 % of the weights,
	// or half of them with more than 1000 samples: those that contribute least to F. It fits the others again
	// under the sign constraint. If a step lowers F by more than half a nat per deleted weight, or removes the
	// last weight of a class, it is undone and the reduction ends. If there are more than about √(32NC)
	// weights, a step deletes the smallest ones. If a class has more than 4000 weights, and all samples are
	// candidates, a step that would delete less than 40 % of the weights is skipped. With Keep ≥ 1, little
	// accuracy is lost. How many weights are needed depends strongly on the data; search.Auto tries several
	// values of Keep. If Keep is zero, all N·C weights are kept.
	Keep float64

	// Candidates is the number of samples that may have weights. Each class contributes its share; see
	// mpcvm.BottomUp.Candidates. They are spread over the class: each is the sample that is farthest from
	// those chosen before it (Gonzalez 1985, DOI 10.1016/0304-3975(85)90224-5), from a random subset of the
	// class that is ten times as large. The model is still trained on all N samples. The classification
	// principle then requires a constraint: weights of the wrong sign are deleted and the others are fitted
	// again. If labels have little noise, this costs accuracy: on 12,000 samples of Letter, the error rate
	// with 800 candidates is 5.1 %. If Candidates is zero, every sample is a candidate if there are at most
	// 20,000, and 2000 candidates are chosen otherwise. mpcvm.AllCandidates makes every sample a candidate.
	Candidates int

	// Seed is the seed of the choice of Candidates. Nothing else is random.
	Seed uint64

	// Tol ends the fit as Converged when max|KR − Y| ≤ Tol·max|Y|, that is, when replacing the weights by R
	// would not change any potential by more than Tol·max|Y|. The fit also ends as Converged when rounding
	// errors prevent any further increase of F; if Tol is negative, it ends only then. With Candidates, only
	// the potentials of candidates with weights are compared, and the fit also ends when the relative
	// increase of F in an iteration is less than Tol/1000. If Tol is zero, 1e-4 is used.
	Tol float64

	// MaxIterations limits the total number of iterations, including the reduction by Keep. A fit needs about
	// 50 to 300 iterations, and twice as many with Keep. If the limit is reached during a step of the
	// reduction, the result is the model before that step. If MaxIterations is zero, 1000 is used.
	MaxIterations int
}

var _ mpcvm.Learner = KernelPrior{}

// Fit trains a model on the samples. The features should be standardised.
//
// Fit returns a *mpcvm.CellError if the data are invalid or the kernel turns out not to be positive definite,
// and a *mpcvm.MemoryError if there is not enough memory. If the kernel matrix of K candidates does not fit
// into memory, Fit computes it block by block in each iteration, with the same result.
//
// If ctx ends first, Fit returns the model of the last iteration, or nil if there was none, and an error that
// wraps ctx.Err(). Before convergence, weights may have the wrong sign; the model omits them. With
// Candidates, Result.LogLik and Objective then still include them. Fit panics if an option is negative,
// except Tol and mpcvm.AllCandidates. An iteration takes O(N²C) operations, or O(NKC) with K candidates.
func (l KernelPrior) Fit(ctx context.Context, samples mpcvm.Samples,
	observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	start := time.Now()
	l = l.defaults()
	d, err := fitting.New(fitting.Samples(samples))
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	l.Candidates = fitting.CandidateCount("gp: KernelPrior.Candidates", l.Candidates, d.N, allCandidates)
	k, err := d.MedianKernel("mpcvm", l.Kernel)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	m, result, err := l.learn(ctx, d, k, steps(l.Keep, d.N), nil, observers)
	_, _, result.RawUnits = d.Scaling()
	result.Seconds = time.Since(start).Seconds()
	return m, result, err
}

// WithKernel returns the learner with another kernel.
func (l KernelPrior) WithKernel(k kernel.Kernel) mpcvm.Learner {
	l.Kernel = k
	return l
}

// ForTrials returns the learner to use when settings for a fit to n samples are compared; see search.Tunable.
// With more than 5000 samples, Candidates is ignored unless Keep is set, so that LeaveOneOut can be used.
func (l KernelPrior) ForTrials(n int) mpcvm.Learner {
	k := fitting.CandidateCount("gp: KernelPrior.Candidates", l.Candidates, n, allCandidates)
	if n > fitting.Many && l.Keep == 0 {
		k = 0
	}
	l.Candidates = cmp.Or(k, mpcvm.AllCandidates)
	return l
}

// allCandidates is the number of samples up to which every sample is a candidate by default. Their kernel
// matrix takes 3.2 GB, or 1.6 GB in float32.
const allCandidates = 20000

// defaults fills in the options that are zero.
func (l KernelPrior) defaults() KernelPrior {
	l.Scale = args.Option("gp: KernelPrior.Scale", l.Scale, 100)
	l.Keep = args.Option("gp: KernelPrior.Keep", l.Keep, 0)
	l.Tol = args.Tolerance("gp: KernelPrior.Tol", l.Tol, 1e-4)
	l.MaxIterations = args.Option("gp: KernelPrior.MaxIterations", l.MaxIterations, 1000)
	return l
}

// reserve reserves memory for a number of N×N and C×N matrices.
func reserve(ctx context.Context, what string, d *fitting.Data,
	squares, rows float64) (release func(), err error) {
	n, c := float64(d.N), float64(d.C)
	what = fmt.Sprintf("gp: %s of %d samples", what, d.N)
	return memory.ReserveContext(ctx, 8*(squares*n*n+rows*n*c), what,
		"use fewer samples (rows), or KernelPrior with Candidates")
}

// reserve reserves memory for a fit with k bases. If linear is true, withOffset replaces Φ.
func (l KernelPrior) reserve(ctx context.Context, d *fitting.Data, k int,
	linear bool) (o gram.Options, release func(), err error) {
	rows, subset := float64(d.C)*float64(d.N), k < d.N
	o = gram.Options{Float32: l.Float32, Fast: l.Tol >= 1e-2 && !subset}
	other := 400 * rows
	switch {
	case linear:
		k = d.D + 1
	case subset:
		other = 64*rows + float64(d.C*k)*(400+8*float64(k))
	}
	release, err = o.Reserve(ctx, "gp: KernelPrior", k, d.N, other, subset)
	return o, release, err
}

// steps returns the values of Keep that lead from the dense model of n samples to about keep·n weights, in
// steps of about 30 %, or of 50 % if n > stepSamples. It returns nil if keep is zero.
func steps(keep float64, n int) (keeps []float64) {
	if keep <= 0 {
		return nil
	}
	for k := fitting.Keeps[0]; k > max(keep, fewest); k /= math.Sqrt2 {
		keeps = append(keeps, k)
	}
	if n > stepSamples {
		for i := len(keeps) - 1; i >= 0; i -= 2 {
			keeps = slices.Delete(keeps, i, i+1)
		}
	}
	return append(keeps, keep)
}

// stepSamples is the number of samples above which a step of a reduction deletes half of the weights. The
// fits between the steps then take most of the time, and the log loss of new samples hardly depends on them.
const stepSamples = 1000

// fewest is a Keep that leaves one weight per class.
const fewest = 1e-9

// Path calls reached with the dense model, and then with the model of about keep·N weights for each keep in
// keeps, which must be descending. Each reduction starts from the previous model. If it does not delete any
// weights, reached receives the same model again. Path ends early if reached returns false. The kernel must
// have a width, and the field Keep is ignored. Path returns the errors of Fit.
func (l KernelPrior) Path(ctx context.Context, s mpcvm.Samples, keeps []float64,
	reached func(*mpcvm.Model) bool) error {
	l = l.defaults()
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return err
	}
	if err := d.CheckKernel("gp", l.Kernel); err != nil {
		return err
	}
	l.Candidates = fitting.CandidateCount("gp: KernelPrior.Candidates", l.Candidates, d.N, allCandidates)
	inTime, stop := polled.WithCancel(ctx)
	defer stop()
	left, enough := 1+len(keeps), false
	last, _, err := l.learn(inTime, d, l.Kernel, keeps, func(m *mpcvm.Model) {
		if left--; !enough && !reached(m) {
			enough = true
			stop()
		}
	}, nil)
	for ; !enough && err == nil && left > 0; left-- {
		enough = !reached(last)
	}
	if enough {
		return nil
	}
	return err
}

// learn is Fit for checked data and a kernel with a width. It reduces the model to each of the keeps in turn,
// and calls reached with the model before each reduction.
func (l KernelPrior) learn(ctx context.Context, d *fitting.Data, k kernel.Kernel, keeps []float64,
	reached func(*mpcvm.Model), observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	r := mpcvm.NewRun(ctx, l.MaxIterations, observers...)
	bases := d.Cover(l.Candidates, l.Seed)
	var z *mat.Dense
	if len(bases) == d.N && len(keeps) == 0 {
		z = withOffset(k, d)
	}
	o, release, err := l.reserve(ctx, d, len(bases), z != nil)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	defer release()
	if len(bases) < d.N {
		r.Result.Candidates = len(bases)
	}
	e := newAscent(ctx, l, d, k, bases, z, o)
	for reached == nil && len(keeps) > 0 && keeps[0]*float64(d.N) >= float64(d.C*len(bases)) {
		keeps = keeps[1:] // would not delete any weights
	}
	e.keeps, e.reached = keeps, reached
	norms := e.norms()
	if ctx.Err() == nil {
		if err := d.CheckNorms(k, bases, norms); err != nil {
			return nil, mpcvm.Result{}, err
		}
		if e.kept != nil {
			e.restrict(nil)
		} else {
			e.begin()
		}
	}
	if err := e.indefinite(); err != nil {
		return nil, mpcvm.Result{}, err
	}
	r.Snapshot = func() mpcvm.Classifier { return e.model() }
	for ctx.Err() == nil {
		before := e.solution
		step, done := e.iterate()
		if ctx.Err() != nil {
			e.solution = before
			break
		}
		if err := e.indefinite(); err != nil {
			return nil, mpcvm.Result{}, err
		}
		if !fitting.IsFinite(step.Objective) {
			e.solution = before
			r.End(mpcvm.Diverged)
			break
		}
		if r.Record(step) {
			break
		}
		if done {
			r.End(mpcvm.Converged)
			break
		}
	}
	if ctx.Err() != nil && r.Result.Status == mpcvm.NotTerminated {
		r.End(mpcvm.Cancelled)
	}
	var model *mpcvm.Model
	if r.Result.Iterations > 0 || r.Result.Status == mpcvm.Diverged {
		switch r.Result.Status {
		case mpcvm.IterationLimit:
			if e.unreduced.w != nil {
				e.solution = e.unreduced
			}
			e.solution = e.best()
			fallthrough
		case mpcvm.Converged:
			// The potentials are close to zero, predict worse than zero, or too few weights are left.
			if largest(e.y) < 1e-3 || e.objective < -floats.Sum(e.Mass())*math.Log(float64(e.C)) ||
				e.kept != nil && e.NoBetter(e.logLik, min(len(e.list()), 2*e.C), e.matrix(e.y)) {
				r.End(mpcvm.Collapsed)
				e.fallBackToFrequencies()
			}
		default:
			if len(bases) == d.N {
				e.ctx = context.WithoutCancel(ctx)
				e.solution = e.signed(e.w)
			} // otherwise a pass would take too long, so F includes the weights of the wrong sign
		}
		r.Result.Objective, r.Result.LogLik = e.objective, e.logLik
		model = e.model()
	}
	res, err := r.Finish()
	return model, res, err
}

// ascent is the state of the maximisation of F. Weights are C×K matrices and functions C×N matrices, stored
// class by class.
type ascent struct {
	KernelPrior
	*fitting.Data
	ctx    context.Context
	kernel kernel.Kernel
	bases  []int      // the samples of the K basis functions, ascending
	phi    *gram.Phi  // K×N
	z      *mat.Dense // replaces phi if the kernel is linear; see withOffset
	trace  float64    // Σ_j |k(x_j, x_j)| of the bases

	solution
	unreduced solution  // before the last reduction; w is nil before the first one
	tried     solution  // before release last returned weights to the model; w is nil before that
	single    bool      // release returns one weight at a time
	a, ka     []float64 // s² times the gradient, in the inner product of L-BFGS and as it is; see gradient
	b         []float64 // biases, zero except after fallBackToFrequencies
	recent    []move    // the last moves, for L-BFGS

	keeps   []float64          // the remaining reductions
	reached func(*mpcvm.Model) // called with the model before each reduction; may be nil

	rise      float64          // mean relative increase of F in the last iterations
	factor    []blas64.General // of each class; see cholesky
	factored  [][]int          // the kept bases of each factor
	allocated int              // the numbers allocated since memory was last freed
	failed    int              // the number of samples whose kernel matrix has no Cholesky factor; 0 if all have one

	logp []float64 // of the last E-step
}

// solution is a state to which a fit can return. Its slices are replaced but never modified.
type solution struct {
	w, y              []float64 // weights and their functions, Y = WΦ
	kept              [][]int   // for each class, the numbers of bases with weights; nil for all N samples
	allowed           [][]int   // for each class, the bases in kept and the bases with weights fixed at zero
	objective, logLik float64
}

// move is a step of the maximisation and the decrease of the gradient along it.
type move struct {
	step, kstep []float64 // kstep = K·step; nil unless all samples are kept
	fall, kfall []float64 // the decrease of a and ka
	curvature   float64   // step·kfall
}

func newAscent(ctx context.Context, l KernelPrior, d *fitting.Data, k kernel.Kernel, bases []int,
	z *mat.Dense, o gram.Options) *ascent {
	passes := ctx
	if len(bases) == d.N {
		passes = context.WithoutCancel(ctx) // passes are short
	}
	e := &ascent{
		KernelPrior: l, Data: d, ctx: ctx, kernel: k, bases: bases, z: z,
		b: make([]float64, d.C), logp: make([]float64, d.N),
	}
	if z == nil {
		e.phi = gram.New(passes, k, d.X, bases, o)
	}
	e.w, e.y = e.weightMatrix(), e.vector()
	for _, n := range bases {
		e.trace += math.Abs(k.Value(d.X.RawRowView(n), d.X.RawRowView(n)))
	}
	if len(bases) < d.N {
		e.kept = make([][]int, d.C)
		for c := range e.kept {
			e.kept[c] = fitting.All(len(bases))
			e.allowed = append(e.allowed, e.kept[c])
		}
	}
	return e
}

// norms returns the squared norms of the basis functions.
func (e *ascent) norms() []float64 {
	if e.z != nil {
		return e.normsLinear()
	}
	norms, _ := e.phi.Norms()
	return norms
}

// vector returns a new C×N matrix.
func (e *ascent) vector() []float64 {
	e.allocate(e.C * e.N)
	return make([]float64, e.C*e.N)
}

// allocate counts numbers that are about to be allocated. If Φ is large, the memory of earlier ones is freed
// now and then; without that, the heap could grow to twice its size.
func (e *ascent) allocate(numbers int) {
	const often, large = 1 << 24, 1 << 25 // numbers
	if e.allocated += numbers; e.allocated > often && len(e.bases)*e.N > large {
		e.allocated = 0
		runtime.GC()
	}
}

func (e *ascent) weightMatrix() []float64 { return make([]float64, e.C*len(e.bases)) }

// matrix returns the weights or functions v as a matrix.
func (e *ascent) matrix(v []float64) *mat.Dense { return mat.NewDense(e.C, len(v)/e.C, v) }

// at returns the values of the functions f at the bases.
func (e *ascent) at(f []float64) []float64 {
	if len(e.bases) == e.N {
		return f
	}
	values := e.weightMatrix()
	for c := range e.C {
		to := values[c*len(e.bases):]
		for j, n := range e.bases {
			to[j] = f[c*e.N+n]
		}
	}
	return values
}

// sparse reports whether so few weights are kept that sparse products are faster.
func (e *ascent) sparse() bool {
	count := 0
	for _, list := range e.kept {
		count += len(list)
	}
	return e.kept != nil && 8*count < e.C*len(e.bases)
}

// functions returns vΦ. After a reduction, v must be zero at bases without a weight.
func (e *ascent) functions(v []float64) []float64 {
	f := e.vector()
	switch {
	case e.z != nil:
		e.timesLinear(f, v)
	case e.kept == nil:
		e.phi.Times(e.matrix(f), e.matrix(v))
	case e.sparse():
		e.phi.AddTo(e.matrix(f), func(c int) (kept []int, w []float64) { return e.kept[c], e.gather(v, c) })
	default:
		e.phi.Pass(e.matrix(f), e.matrix(v), nil, nil, func(int, int) {})
	}
	return f
}

// gather returns the entries of v at the kept bases of class c.
func (e *ascent) gather(v []float64, c int) []float64 {
	w := make([]float64, len(e.kept[c]))
	for i, j := range e.kept[c] {
		w[i] = v[c*len(e.bases)+j]
	}
	return w
}

// form returns Σ_c v_cᵀKv_c, or zero if that is within rounding errors.
func (e *ascent) form(v, kv []float64) float64 {
	f, rounding := dense.Dot(v, kv), 1e-10
	if e.Float32 {
		rounding = 1e-7
	}
	if math.Abs(f) <= rounding*e.trace*dense.Dot(v, v) {
		return 0
	}
	return f
}

// indefinite returns a *cell.Error if the kernel has been found not to be positive definite.
func (e *ascent) indefinite() error {
	v, found := float64(e.failed), "number of samples whose kernel matrix has no Cholesky factor"
	if e.failed == 0 {
		v, found = min(e.form(e.a, e.ka), e.form(e.w, e.at(e.y))), "vᵀKv"
	}
	if e.failed == 0 && !(v < 0) { // if v is NaN, the fit ends as Diverged
		return nil
	}
	return cell.New("gp", -1, -1, v, fmt.Sprintf("kernel %v is not positive definite; %s", e.kernel, found))
}

// eStep returns R = s²(Z̄ − Y)Ω by eqs. (z_nj) and (z_nc), where Ω contains the sample weights, and sets
// logp.
func (e *ascent) eStep(y []float64) (r []float64) {
	const stretch = 1 << 14 // samples between two checks of the context
	r = e.vector()
	for lo := 0; lo < e.N && e.ctx.Err() == nil; lo += stretch {
		e.expect(r, y, lo, min(lo+stretch, e.N))
	}
	return r
}

// expect is eStep for the samples lo to hi−1.
func (e *ascent) expect(r, y []float64, lo, hi int) {
	z := e.matrix(r).Slice(0, e.C, lo, hi).(*mat.Dense)
	from := e.matrix(y).Slice(0, e.C, lo, hi).(*mat.Dense)
	tol := 1e-9 // s²K amplifies the errors
	switch {
	case e.Tol < 1e-5:
		tol = 1e-11
	case e.Tol >= 1e-1:
		tol = 1e-5
	case e.Tol >= 1e-2:
		tol = 1e-7
	}
	probit.Batch{Tol: tol}.Means(z, e.logp[lo:hi], from, e.T[lo:hi])
	for c := range e.C {
		to := z.RawRowView(c)
		floats.Sub(to, from.RawRowView(c))
		floats.Scale(e.Scale, to)
		if e.Weights != nil {
			floats.Mul(to, e.Weights[lo:hi])
		}
	}
}

// value returns F for the weights w and their functions y, after their E-step.
func (e *ascent) value(w, y []float64) (objective, logLik float64) {
	logLik = e.LogLik(e.logp)
	return logLik - dense.Dot(w, e.at(y))/(2*e.Scale), logLik
}

// begin computes the E-step and the gradient for the current weights.
func (e *ascent) begin() {
	e.y = e.functions(e.w)
	r := e.eStep(e.y)
	e.objective, e.logLik = e.value(e.w, e.y)
	e.gradient(r, nil)
	e.recent = nil
}

// gradient sets a, which is s² times the gradient of F in the inner product of L-BFGS, and ka, s² times the
// gradient. If all samples are kept, a = R − W. Otherwise ka = RΦᵀ − WK at the kept bases, and solve finds a.
// products is RΦᵀ, or nil if it has not been computed.
func (e *ascent) gradient(r, products []float64) {
	if e.kept == nil {
		floats.Sub(r, e.w)
		e.a, e.ka = r, e.functions(r)
		return
	}
	switch {
	case products != nil:
	case e.sparse():
		products = e.weightMatrix()
		e.phi.TimesAt(e.matrix(products), e.matrix(r), func(c int) []int { return e.kept[c] })
	default:
		products = e.weightMatrix()
		e.phi.Pass(nil, nil, e.matrix(products), e.matrix(r), func(int, int) {})
	}
	floats.Sub(products, e.at(e.y))
	e.a, e.ka = e.solve(products)
}

// solve returns the weights v at the kept bases whose product with the factored matrix is k, and k with zeros
// at the other bases.
func (e *ascent) solve(k []float64) (v, masked []float64) {
	m := len(e.bases)
	v, masked = e.weightMatrix(), e.weightMatrix()
	par.For(e.C, 1, func(c, _ int) {
		if len(e.kept[c]) == 0 {
			return
		}
		b := e.gather(k, c)
		for i, j := range e.kept[c] {
			masked[c*m+j] = b[i]
		}
		dense.Solve(e.factor[c], b)
		for i, j := range e.kept[c] {
			v[c*m+j] = b[i]
		}
	})
	return v, masked
}

// iterate takes a step of L-BFGS. At the end of the maximisation, it returns weights to the model, reduces
// the model, or deletes weights of the wrong sign. done reports whether this was the last step.
func (e *ascent) iterate() (step mpcvm.Step, done bool) {
	before, kept := e.w, e.kept
	changed, done := e.step()
	step.Objective, step.LogLik = e.objective, e.logLik
	step.Weights = make([]int, e.C)
	for c := range e.C {
		step.Weights[c] = e.active(c)
	}
	if m := largest(e.w); m > 0 {
		step.Change = floats.Distance(e.w, before, math.Inf(1)) / m
	}
	if changed {
		step.Added, step.Deleted = e.changes(kept)
	}
	return step, done
}

// step is iterate without the Step for observers. changed reports whether weights were deleted or returned.
func (e *ascent) step() (changed, done bool) {
	last := e.objective
	stuck := !e.lbfgs()
	distance := largest(e.ka) / largest(e.y)
	tol := e.Tol
	if len(e.keeps) > 0 {
		tol = max(tol, roughTol)
	}
	subset := len(e.bases) < e.N // not all samples are candidates
	recency := 0.2
	if subset {
		recency = 0.5
	}
	e.rise += recency * ((e.objective-last)/math.Abs(e.objective) - e.rise)
	done = stuck || distance <= tol || (subset || e.rough()) && e.rise < flatRise*max(tol, 0)
	if (subset || e.rough()) && done && len(e.keeps) == 0 {
		if best := e.best(); e.nearly(best) {
			if e.solution = best; e.undo() {
				return true, false
			}
			e.kept, changed = e.wrong()
			return changed, true
		}
	}
	if e.kept != nil && (done || distance < signDistance || subset && e.rise < slowRise) {
		changed = e.drop(done)
	}
	if done && !changed {
		changed = e.release(tol) || e.undo()
	}
	if done && !changed && len(e.keeps) > 0 {
		changed = e.cut()
		done = stuck || distance <= e.Tol
	}
	if done = done && !changed; done {
		best := e.best()
		if done = stuck || best.objective >= e.objective-1e-9*max(1, math.Abs(e.objective)); done {
			e.solution = best
		}
	}
	return changed, done
}

// signDistance is the distance from the optimum, in the sense of Tol, at which the signs of the kept weights
// are checked. With 0.001, twice as many iterations lead to the same F.
const signDistance = 0.1

// rough reports whether the model has been reduced and has so many samples that the Cholesky factors for the
// deletion of the last weights of the wrong sign would take most of the time. The fit then ends when F hardly
// rises, and best deletes these weights without new factors.
func (e *ascent) rough() bool {
	return e.factor != nil && e.N > stepSamples
}

// nearly reports whether F is hardly lower at another solution.
func (e *ascent) nearly(other solution) bool {
	return other.objective >= e.objective-flatRise*max(e.Tol, 0)*math.Abs(e.objective)
}

// manyWeights is the number of weights of a class above which a reduction that deletes less than 40 % of the
// weights is skipped, because a Cholesky factor of each class takes too long.
const manyWeights = 4000

// many reports whether a class has more than manyWeights weights, and all samples are candidates.
func (e *ascent) many() bool {
	most := len(e.bases)
	if e.kept != nil {
		most = 0
		for _, list := range e.kept {
			most = max(most, len(list))
		}
	}
	return most > manyWeights && len(e.bases) == e.N
}

// flatRise times Tol is the mean relative increase of F per iteration below which a fit with candidates or of
// a rough model ends.
const flatRise = 1e-3

// slowRise is the mean relative increase of F in about the last five iterations below which the signs of the
// weights of candidates are checked. With 0.001, twice as many iterations lead to a lower F, because the
// first weights are deleted too late.
const slowRise = 1e-2

// roughTol is the Tol of fits that precede a reduction.
const roughTol = 1e-2

// lbfgs takes a step of L-BFGS. If F cannot be increased because of rounding, it returns false and changes
// nothing.
func (e *ascent) lbfgs() bool {
	for {
		if e.search(e.direction()) || e.ctx.Err() != nil {
			return true
		}
		if e.recent == nil {
			return false
		}
		e.recent = nil // try the gradient direction
	}
}

// direction returns the L-BFGS direction d, the product of a with an approximation of the inverse Hessian
// from the recent moves, and its functions f, which are nil unless all samples are kept.
func (e *ascent) direction() (d, f []float64) {
	d, k := slices.Clone(e.a), slices.Clone(e.ka)
	alpha := make([]float64, len(e.recent))
	for i, m := range slices.Backward(e.recent) {
		alpha[i] = dense.Dot(m.step, k) / m.curvature
		floats.AddScaled(d, -alpha[i], m.fall)
		floats.AddScaled(k, -alpha[i], m.kfall)
	}
	if n := len(e.recent); n > 0 {
		m := e.recent[n-1]
		gamma := m.curvature / dense.Dot(m.fall, m.kfall)
		floats.Scale(gamma, d)
		floats.Scale(gamma, k)
	}
	for i, m := range e.recent {
		beta := dense.Dot(m.kfall, d) / m.curvature
		floats.AddScaled(d, alpha[i]-beta, m.step)
		if e.kept == nil {
			floats.AddScaled(k, alpha[i]-beta, m.kstep)
		}
	}
	if e.kept == nil {
		f = k
	}
	return d, f
}

// search searches along the direction d with functions f for a higher F, and returns false if it fails. The
// first step length is 1, or the safe length before the first move. The Hessian of −log p(t|y) is at most the
// identity times the sample weight, so a parabola bounds F from below. The safe length is its maximum, where
// F is not lower than at the start.
func (e *ascent) search(d, f []float64) bool {
	slope := dense.Dot(d, e.ka)
	if !(slope > 0) {
		return false
	}
	length, y, subset := 1.0, e.vector(), len(e.bases) < e.N
	var r, products []float64
	switch {
	case f != nil:
	case e.recent == nil && !subset || e.sparse():
		f = e.functions(d)
	default: // the functions of d, the E-step at length 1 and RΦᵀ in one pass
		f, r, products = e.vector(), e.vector(), e.weightMatrix()
		e.phi.Pass(e.matrix(f), e.matrix(d), e.matrix(products), e.matrix(r), func(lo, hi int) {
			for c := range e.C {
				floats.AddTo(y[c*e.N+lo:c*e.N+hi], e.y[c*e.N+lo:c*e.N+hi], f[c*e.N+lo:c*e.N+hi])
			}
			e.expect(r, y, lo, hi)
		})
	}
	safe := slope / (dense.Dot(d, e.at(f)) + e.Scale*e.square(f))
	if !(safe > 0) {
		return false
	}
	if e.recent == nil && !subset {
		length = safe
	}
	w := e.weightMatrix()
	for e.ctx.Err() == nil {
		floats.AddScaledTo(w, e.w, length, d)
		if products == nil {
			floats.AddScaledTo(y, e.y, length, f)
			r = e.eStep(y)
		}
		objective, logLik := e.value(w, y)
		if objective > e.objective {
			m := move{step: d, fall: e.a, kfall: e.ka}
			floats.Scale(length, d)
			if e.kept == nil {
				m.kstep = f
				floats.Scale(length, f)
			}
			e.w, e.y, e.objective, e.logLik = w, y, objective, logLik
			e.move(r, products, m)
			return true
		}
		if length <= safe {
			return false
		}
		end := dense.Dot(f, r) - dense.Dot(e.at(f), w) // the slope at this length, for a secant step
		length = max(safe, min(length/2, length*slope/(slope-end)))
		products = nil
	}
	return false
}

// square returns the sum of squares of the functions f, weighted by the sample weights.
func (e *ascent) square(f []float64) float64 {
	if e.Weights == nil {
		return dense.Dot(f, f)
	}
	sum := 0.0
	for c := range e.C {
		of := f[c*e.N : (c+1)*e.N]
		sum += dense.Dot(of, floats.MulTo(make([]float64, e.N), of, e.Weights))
	}
	return sum
}

// move records a step.
func (e *ascent) move(r, products []float64, m move) {
	const memory = 10
	e.gradient(r, products) // allocates new slices, so the move keeps the old ones
	floats.Sub(m.fall, e.a)
	floats.Sub(m.kfall, e.ka)
	if m.curvature = dense.Dot(m.step, m.kfall); !(m.curvature > 0) { // because of rounding
		return
	}
	if len(e.recent) == memory {
		e.recent = slices.Delete(e.recent, 0, 1)
	}
	e.recent = append(e.recent, m)
}

// largest returns max|v|. It is ten times as fast as floats.Norm.
func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}

// active returns the number of weights of class c that have the right sign.
func (e *ascent) active(c int) (count int) {
	w := e.w[c*len(e.bases) : (c+1)*len(e.bases)]
	for j, n := range e.bases {
		if v := w[j]; v > 0 && e.T[n] == c || v < 0 && e.T[n] != c {
			count++
		}
	}
	return count
}

// weights returns the bases of class c whose weights have the right sign, and these weights.
func (e *ascent) weights(c int) (active []int, w []float64) {
	for j, n := range e.bases {
		if v := e.w[c*len(e.bases)+j]; v*e.Sign(n, c) > 0 {
			active, w = append(active, j), append(w, v)
		}
	}
	return active, w
}

// signed returns the solution with the weights w, in which weights of the wrong sign are set to zero.
func (e *ascent) signed(w []float64) solution {
	s, m := solution{w: slices.Clone(w), kept: e.kept, allowed: e.allowed}, len(e.bases)
	for i, v := range w {
		if v*e.Sign(e.bases[i%m], i/m) < 0 {
			s.w[i] = 0
		}
	}
	s.y = e.functions(s.w)
	e.eStep(s.y)
	s.objective, s.logLik = e.value(s.w, s.y)
	return s
}

// best returns the solution W or R, whichever has the higher F after weights of the wrong sign are set to
// zero. Near the optimum this is W unless K is singular. In that case W may contain weights of the wrong sign
// that cancel out, but R does not.
func (e *ascent) best() solution {
	if e.kept != nil && e.rough() {
		return e.signed(e.projected())
	}
	best := e.signed(e.w)
	if e.kept != nil {
		return best
	}
	r := e.vector()
	floats.AddTo(r, e.w, e.a)
	if other := e.signed(r); other.objective > best.objective {
		return other
	}
	return best
}

// projected returns weights in which the weights D of the wrong sign are zero, and whose functions are as
// close as possible to the current ones in the norm of the kernel: w − K⁻¹_·D (K⁻¹_DD)⁻¹ w_D. It does not
// need a new factor.
func (e *ascent) projected() []float64 {
	w := slices.Clone(e.w)
	par.For(e.C, 1, func(c, _ int) {
		l, list, from := e.factor[c], e.kept[c], e.gather(w, c)
		n, v, out := len(list), slices.Clone(from), make([]bool, len(list))
		var d, rows []float64 // the deleted weights, and L⁻¹ of their unit vectors
		for range 5 {
			known := len(d)
			for i, j := range list {
				if v[i]*e.Sign(e.bases[j], c) < 0 && !out[i] {
					out[i], d = true, append(d, from[i])
					rows = append(rows, make([]float64, n)...)
					rows[len(rows)-n+i] = 1
				}
			}
			if len(d) == known || e.ctx.Err() != nil {
				break
			}
			all := blas64.General{Rows: len(d), Cols: n, Stride: n, Data: rows}
			for lo := known; lo < len(d) && e.ctx.Err() == nil; lo += panelRows {
				dense.SolveLower(l, block(all, lo, min(lo+panelRows, len(d)), 0, n))
			}
			square := mat.NewDense(len(d), len(d), nil)
			dense.Gram(square.RawMatrix(), all)
			if !dense.Cholesky(square.RawMatrix()) {
				break
			}
			x, away := slices.Clone(d), make([]float64, n)
			dense.Solve(square.RawMatrix(), x)
			dense.AddMul(blas64.General{Rows: 1, Cols: n, Stride: n, Data: away},
				blas64.General{Rows: 1, Cols: len(d), Stride: len(d), Data: x}, all)
			dense.SolveUpper(l, blas64.General{Rows: 1, Cols: n, Stride: n, Data: away})
			floats.SubTo(v, from, away)
		}
		for i, j := range list {
			if w[c*len(e.bases)+j] = v[i]; out[i] {
				w[c*len(e.bases)+j] = 0
			}
		}
	})
	return w
}

// cut makes the next reduction and reports whether it deletes weights.
func (e *ascent) cut() bool {
	e.solution = e.best()
	all := e.list()
	count := len(all)
	for len(e.keeps) > 0 && count >= len(all) {
		if e.reached != nil {
			e.reached(e.model())
		}
		count = int(math.Round(e.keeps[0] * float64(e.N)))
		e.keeps = e.keeps[1:]
		if e.many() && 5*count > 3*len(all) {
			count = len(all)
		}
	}
	if count >= len(all) {
		e.begin()
		return false
	}
	before := e.solution
	var w []float64
	byCost := e.affordable(len(all))
	if byCost {
		var kept []weight
		if kept, w = e.cheapest(all, count); len(kept) == len(all) {
			e.keeps = nil // deleting any weight costs too much
			e.begin()
			return false
		}
		all, count = kept, len(kept)
	} else {
		size := func(p weight) float64 { return math.Abs(e.w[p.class*len(e.bases)+p.basis]) }
		slices.SortStableFunc(all, func(a, b weight) int { return cmp.Compare(size(b), size(a)) })
	}
	e.kept = make([][]int, e.C)
	for i, p := range all {
		if i < count || len(e.kept[p.class]) == 0 {
			e.kept[p.class] = append(e.kept[p.class], p.basis)
		}
	}
	e.rise = slowRise / 10
	e.restrict(w)
	e.unreduced, e.tried, e.single, e.allowed = before, solution{}, false, nil
	if byCost {
		e.allowed = e.kept
	}
	return true
}

// wrong returns the kept bases of each class whose weights have the right sign. others reports whether there
// are weights of the wrong sign.
func (e *ascent) wrong() (kept [][]int, others bool) {
	kept = make([][]int, e.C)
	for c, list := range e.kept {
		for _, j := range list {
			if e.w[c*len(e.bases)+j]*e.Sign(e.bases[j], c) > 0 {
				kept[c] = append(kept[c], j)
			} else {
				others = true
			}
		}
	}
	return kept, others
}

// drop deletes the weights of the wrong sign and reports whether there were any; release may return them.
// With candidates or many samples, less than 1 % of the weights are not deleted before the fit is done.
func (e *ascent) drop(done bool) bool {
	kept, others := e.wrong()
	all, right := 0, 0
	for c := range kept {
		all, right = all+len(e.kept[c]), right+len(kept[c])
	}
	if !others || !done && 100*(all-right) < all && (e.rough() || len(e.bases) < e.N) {
		return false
	}
	if e.rough() && done {
		if best := e.best(); e.nearly(best) {
			e.solution = best
			return false
		}
	}
	e.kept = kept
	e.restrict(nil)
	return true
}

// restrict restarts the maximisation with the kept weights. It starts from w, which must be zero elsewhere,
// or if w is nil, from the kept weights that are closest to the current ones in the norm of the factors.
func (e *ascent) restrict(w []float64) {
	subset, failed, closest := len(e.bases) < e.N, make([]int, e.C), slices.Clone(e.at(e.y))
	if subset || !e.rough() {
		e.rise = 1
	}
	if e.factor == nil {
		e.factor, e.factored = make([]blas64.General, e.C), make([][]int, e.C)
	}
	curvature := func(a, b int) []float64 { return nil }
	if subset {
		curvature = e.curvature()
		e.allocate(e.C * len(e.bases) * dense.Columns)
	}
	par.For(e.C, 1, func(c, _ int) {
		slices.Sort(e.kept[c])
		if !subset && slices.Equal(e.kept[c], e.factored[c]) {
			return
		}
		memory := e.factor[c].Data
		e.factor[c], e.factored[c] = blas64.General{}, e.kept[c]
		if len(e.kept[c]) > 0 {
			e.factor[c], failed[c] = e.cholesky(c, curvature(c, c), closest[c*len(e.bases):], memory)
		}
	})
	if e.failed = slices.Max(failed); e.failed == 0 && e.ctx.Err() == nil {
		if w == nil {
			w, _ = e.solve(closest)
		}
		e.w = w
		e.begin()
	}
}

// cholesky returns the Cholesky factor of K, or with candidates of K + s²ΦDΦᵀ, for the kept bases of class c,
// with a ridge because samples may be nearly equal. D contains the second derivatives d of −log p(t|y) in
// y_c. With candidates, cholesky also adds s²ΦDy_c to products. The factor is stored in memory if that is
// large enough. If the factorisation fails, failed is the number of bases; otherwise it is 0.
func (e *ascent) cholesky(c int, d, products, memory []float64) (l blas64.General, failed int) {
	kept, list := e.kept[c], make([]int, len(e.kept[c]))
	for i, j := range kept {
		list[i] = e.bases[j]
	}
	n := len(list)
	if cap(memory) < n*n {
		memory = make([]float64, n*n)
	}
	factor, x, ridge, added := mat.NewDense(n, n, memory[:n*n]), e.Part(list).X, 1e-8, false
	if e.Float32 {
		ridge = 1e-6
	}
	err := dense.CholeskyJitter(e.ctx, factor.RawMatrix(), panelRows, 10, func() {
		kernel.Gram(factor, e.kernel, x)
		for i := range list {
			factor.Set(i, i, factor.At(i, i)*(1+ridge))
		}
		if d == nil {
			return
		}
		e.samples(x, max(2*n, curvatureSamples), func(phi *mat.Dense, at []int, each float64) {
			root, y := make([]float64, len(at)), make([]float64, len(at))
			for i, m := range at {
				root[i] = math.Sqrt(e.Scale * each * d[m])
				y[i] = root[i] * e.y[c*e.N+m]
			}
			for i, j := range kept {
				row := phi.RawRowView(i)
				if floats.Mul(row, root); !added {
					products[j] += dense.Dot(row, y)
				}
			}
			dense.AddGramRows(factor.RawMatrix(), phi.RawMatrix(), 0, n)
		})
		added = true
	})
	if errors.Is(err, dense.ErrIndefinite) {
		failed = n
	}
	return factor.RawMatrix(), failed
}

// curvatureSamples is the number of samples from which second derivatives of F are estimated, or twice the
// number of weights if that is larger.
const curvatureSamples = 4096

// samples calls f for blocks of at most a number of evenly spaced samples, until the context ends: with the
// values of the bases x at these samples, their rows, and the number of samples that each represents.
func (e *ascent) samples(x *mat.Dense, number int, f func(phi *mat.Dense, at []int, each float64)) {
	const block = dense.Columns
	bases, _ := x.Dims()
	number = min(number, e.N)
	values := make([]float64, bases*min(block, number))
	for lo := 0; lo < number && e.ctx.Err() == nil; lo += block {
		at := make([]int, min(block, number-lo))
		for i := range at {
			at[i] = (lo + i) * e.N / number
		}
		phi := mat.NewDense(bases, len(at), values[:bases*len(at)])
		f(kernel.NewRows(e.kernel, e.Part(at).X).Cross(phi, x), at, float64(e.N)/float64(number))
	}
}

// fallBackToFrequencies deletes all weights and sets biases that predict the class frequencies.
func (e *ascent) fallBackToFrequencies() {
	e.w = e.weightMatrix()
	e.b = e.Frequencies()
	e.logLik = e.BiasLogLik(e.b)
	e.objective = e.logLik
}

func (e *ascent) model() *mpcvm.Model {
	active, w := make([][]int, e.C), make([][]float64, e.C)
	for c := range e.C {
		active[c], w[c] = e.weights(c)
		for i, j := range active[c] {
			active[c][i] = e.bases[j]
		}
	}
	return mpcvm.NewModel(e.kernel, e.X, e.T, active, w, e.b)
}
