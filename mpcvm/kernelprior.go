package mpcvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// KernelPrior is mPCVM-K, a dense relative of the paper's two algorithms: no weight has
// a precision of its own, the prior of all weights w_c of a class is N(0, s²K⁻¹), that
// of their potentials y_c = Kw_c thus N(0, s²K), with K the kernel matrix Φ, which must
// be positive definite. That is the Gaussian process of Girolami and Rogers (2006, DOI
// 10.1162/neco.2006.18.8.1790) at its mode. The objective
//
//	F(W) = Σ_n log p(t_n|y_n) − 1/(2s²) Σ_c w_cᵀKw_c
//
// is concave: there is one optimum, no start to choose and nothing to prune. On data
// with little noise in the labels it errs less than the sparse learners, at one weight
// for each sample and class; Keep cuts it down. The zero value is the recommended
// setting.
//
// The optimum obeys the classification principle by itself. The gradient of log p(t|y)
// is z̄ − y, so that of F is K(Z̄ − Y − W/s²), zero where W = R = s²(Z̄ − Y); and
// z̄ − y is positive for class t and negative for the others, because p(t|y) rises with
// y_t and falls with any other potential.
//
// F is climbed by L-BFGS (Liu and Nocedal 1989, DOI 10.1007/BF01589116) in the inner
// product pᵀKq of the functions Kp and Kq, in which its gradient is (R − W)/s². That is
// L-BFGS in U where Y = sLU, K = LLᵀ, but needs no factor of K, which may be singular:
// an iteration is an E-step and one product with K. On Glass, Vowel and Wine red that took
// a fifth of the E-steps of L-BFGS in the metric of the EM algorithm, whose fixed point is
// R; EM alone was not within a hundredth of the optimum after a thousand.
type KernelPrior struct {
	// Kernel is the basis function, which must be positive definite, as are all of
	// package kernel. If it is nil, an RBF is used. The Theta of an RBF or Laplacian
	// kernel, where it is zero, is chosen within the training data by the log loss of
	// LeaveOneOut at the temperature that is best for it, at the cost of some eight fits;
	// with Keep by that of cross-validation, at the cost of some forty. Result.Trials
	// tells what was tried.
	Kernel kernel.Kernel

	// Tried, if not nil, is called after each trial in the choice of Theta, in the
	// goroutine of Fit: progress for what may take longer than the fit itself.
	Tried func(Trial)

	// Calibrate gives the model the temperature (Model.WithTemperature) that minimises
	// the log loss of LeaveOneOut, at the cost of a fit, or with Keep that of 5-fold
	// cross-validation, at the cost of five. It changes probabilities, never labels.
	Calibrate bool

	// Scale is s², the prior variance of a potential where k(x, x) = 1: the larger, the
	// closer the model follows the samples. If it is zero, 100 is used.
	Scale float64

	// Keep, if it is not zero, cuts the model to some Keep·N weights, those of largest
	// |R| of all classes together and at least one of each class, and fits these anew
	// under the sign constraint. Between 1 and 2 little is lost; .5 is too few, and where
	// the kernel is far too wide little may be left of any. The objective falls in the
	// steps that delete weights, Step.Deleted. If it is zero, all N·C weights are kept.
	Keep float64

	// Seed deals the samples into the folds of cross-validation where Theta is chosen or
	// Calibrate set. Nothing else is random.
	Seed uint64

	// Tol ends the fit as Converged when max|KR − Y| ≤ Tol·max|Y|: replacing the weights
	// by R would move no potential by more. If it is zero, 1e-4 is used. Where rounding
	// leaves no higher F to be found, which a negative value waits for, the fit ends as
	// Converged as well.
	Tol float64

	// Iterations is the largest number of iterations, those after the cut included. If
	// it is zero, 1000 is used; some fifty to three hundred are needed, with Keep twice
	// as many.
	Iterations int
}

// Fit learns from N samples x (rows; D features) and their labels t, 0 to C−1 with
// every class present. The features should be standardised.
//
// It returns a *DataError for data from which nothing can be learned and for a kernel
// that is found not to be positive definite, and a *MemoryError if the memory that it
// takes, 8N² + 400NC bytes, is not at hand (16N² + 64NC for LeaveOneOut, where that is
// needed). When ctx ends first it returns the model of the last iteration together with
// an error that wraps ctx.Err(); the model is nil if there was no iteration yet. Before
// convergence weights may have the wrong sign; in the model these are zero. It panics if
// t has not a label for each row of x or an option is negative. An iteration takes O(N²C)
// operations.
func (l KernelPrior) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...Observer) (*Model, Result, error) {
	l = l.defaults()
	sel := selection{kernel: l.Kernel, tried: l.Tried, calibrate: l.Calibrate, seed: l.Seed}
	if l.Keep == 0 {
		sel.unseen = l.leaveOneOut
	}
	return fit(ctx, x, t, sel, observers, l.learn)
}

// defaults fills in the options that are zero.
func (l KernelPrior) defaults() KernelPrior {
	l.Scale = args.Option("mpcvm: KernelPrior.Scale", l.Scale, 100)
	l.Keep = args.Option("mpcvm: KernelPrior.Keep", l.Keep, 0)
	l.Tol = args.Tolerance("mpcvm: KernelPrior.Tol", l.Tol, 1e-4)
	l.Iterations = args.Option("mpcvm: KernelPrior.Iterations", l.Iterations, 1000)
	return l
}

// learn is Fit with the data checked and the kernel settled. The limit of the choice of
// Theta is not for it: its fits are short, and without the weights after the cut being
// settled they say little.
func (l KernelPrior) learn(ctx context.Context, tr *training, k kernel.Kernel, _ int, observers []Observer) (*Model, Result, error) {
	r := NewRun(ctx, l.Iterations, observers...)
	release, err := tr.reserve("KernelPrior", tr.square()+50*tr.rows(), fewerSamples+", or BottomUp with Single")
	if err != nil {
		return nil, Result{}, err
	}
	defer release()
	e := newAscent(l, tr, k)
	norms, _ := e.phi.norms()
	if err := tr.finite(k, e.phi.of, func(n int) float64 { return norms[n] }); err != nil {
		return nil, Result{}, err
	}
	e.begin()
	r.snapshot = e.model
	for ctx.Err() == nil {
		step, done := e.iterate()
		if v := min(e.form(e.a, e.ka), e.form(e.w, e.y)); v < 0 {
			return nil, Result{}, &DataError{Row: -1, Col: -1, Value: v, Reason: fmt.Sprintf("kernel %v is not positive definite; vᵀKv", k)}
		}
		if r.Record(step) {
			break
		}
		if done {
			r.End(Converged)
			break
		}
	}
	if ctx.Err() != nil && r.result.Status == NotTerminated {
		r.End(Cancelled)
	}
	var model *Model
	if r.result.Iterations > 0 {
		switch r.result.Status {
		case IterationLimit:
			*e = e.best()
			fallthrough
		case Converged:
			// Potentials of nothing, or ones that are better not there.
			if largest(e.y) < 1e-3 || e.objective < -float64(e.n)*math.Log(float64(e.c)) {
				r.End(Collapsed)
				e.resign()
			}
		default:
			*e = e.at(e.w)
		}
		r.result.Objective, r.result.LogLik = e.objective, e.logLik
		model = e.model()
	}
	res, err := r.Finish()
	return model, res, err
}

// ascent is the state of the climb. All matrices are C×N, class after class.
type ascent struct {
	KernelPrior
	*training
	kernel kernel.Kernel
	phi    *phi

	w, y              []float64 // weights and potentials, Y = KW
	a, ka             []float64 // s² times the gradient, see gradient, and K times that
	b                 []float64 // biases: zero, but see resign
	objective, logLik float64
	recent            []move // the last of them, for L-BFGS

	kept   [][]int     // after the cut, the samples of each class
	factor []symmetric // and the Cholesky factor of their part of K

	logp []float64
}

// move is a step of the climb with what it made of the gradient, and their products
// with K.
type move struct {
	step, kstep []float64
	fall, kfall []float64 // of a
	curvature   float64   // stepᵀK·fall
}

func newAscent(l KernelPrior, tr *training, k kernel.Kernel) *ascent {
	e := &ascent{
		KernelPrior: l, training: tr, kernel: k, phi: wholePhi(k, tr.x),
		b: make([]float64, tr.c), logp: make([]float64, tr.n),
	}
	e.w = e.vector()
	return e
}

func (e *ascent) vector() []float64 { return make([]float64, e.c*e.n) }

func (e *ascent) matrix(v []float64) *mat.Dense { return mat.NewDense(e.c, e.n, v) }

// times sets kv = Kv for each class; after the cut, for v that are zero elsewhere.
func (e *ascent) times(kv, v []float64) {
	if e.kept == nil {
		e.phi.times(e.matrix(kv), e.matrix(v))
		return
	}
	clear(kv)
	e.phi.addTo(e.matrix(kv), func(c int) (kept []int, w []float64) {
		w = make([]float64, len(e.kept[c]))
		for i, n := range e.kept[c] {
			w[i] = v[c*e.n+n]
		}
		return e.kept[c], w
	})
}

// form is Σ_c v_cᵀKv_c, zero where it might be by rounding.
func (e *ascent) form(v, kv []float64) float64 {
	trace := 0.0
	for n := range e.n {
		trace += math.Abs(e.phi.row(n)[n])
	}
	f := dense.Dot(v, kv)
	if math.Abs(f) <= 1e-10*trace*dense.Dot(v, v) {
		return 0
	}
	return f
}

// eStep returns R = s²(Z̄ − Y) by eqs. (z_nj), (z_nc), and F.
func (e *ascent) eStep(w, y []float64) (r []float64, objective, logLik float64) {
	r = slices.Clone(y)
	z := e.matrix(r)
	probit.Batch{Tol: 1e-11}.Means(z, e.logp, z, e.t) // of its noise, s²K makes much
	floats.Sub(r, y)
	floats.Scale(e.Scale, r)
	logLik = floats.Sum(e.logp)
	return r, logLik - dense.Dot(w, y)/(2*e.Scale), logLik
}

// begin takes the E-step and the gradient of the weights at hand.
func (e *ascent) begin() {
	e.y = e.vector()
	e.times(e.y, e.w)
	var r []float64
	r, e.objective, e.logLik = e.eStep(e.w, e.y)
	e.gradient(r)
	e.recent = nil
}

// gradient sets a = R − W: in the inner product pᵀKq, that is s² times the gradient of
// F. Of the weights that are kept it is the projection: R becomes the weights whose
// function is nearest to KR.
func (e *ascent) gradient(r []float64) {
	e.project(r)
	floats.Sub(r, e.w)
	e.a, e.ka = r, e.vector()
	e.times(e.ka, e.a)
}

// project replaces weights v by those of the samples kept, M, whose function is nearest
// in the norm of K: v_M = K_MM⁻¹(Kv)_M. Without a cut they stay.
func (e *ascent) project(v []float64) {
	if e.kept == nil {
		return
	}
	kv := e.vector()
	e.phi.timesAt(e.matrix(kv), e.matrix(v), func(c int) []int { return e.kept[c] })
	clear(v)
	par.For(e.c, 1, func(c, _ int) {
		b := make([]float64, len(e.kept[c]))
		for i, n := range e.kept[c] {
			b[i] = kv[c*e.n+n]
		}
		e.factor[c].solve(b)
		for i, n := range e.kept[c] {
			v[c*e.n+n] = b[i]
		}
	})
}

// iterate climbs by a step, and where that has come to its end cuts, or deletes weights
// of the wrong sign. It reports whether that was the last step.
func (e *ascent) iterate() (step Step, done bool) {
	before := e.w
	stuck := !e.climb()
	distance := largest(e.ka) / largest(e.y)
	done = stuck || distance <= e.Tol
	switch {
	case e.Keep == 0:
	case e.kept == nil && done:
		step.Deleted = e.cut()
	case e.kept != nil && (done || distance < settled):
		step.Deleted = e.drop()
	}
	if done = done && step.Deleted == nil; done {
		best := e.best()
		if done = stuck || best.objective >= e.objective-1e-9*max(1, math.Abs(e.objective)); done {
			*e = best
		}
	}
	step.Objective, step.LogLik = e.objective, e.logLik
	step.Weights = make([]int, e.c)
	for c := range e.c {
		active, _ := e.weights(c)
		step.Weights[c] = len(active)
	}
	if m := largest(e.w); m > 0 {
		step.Change = floats.Distance(e.w, before, math.Inf(1)) / m
	}
	return step, done
}

// settled is the distance from the optimum, as that of Tol, at which the signs of the
// kept weights are judged: one of a thousandth takes twice the iterations to the same F.
const settled = 0.1

// climb makes a step of L-BFGS. It returns false, with all as it was, if rounding leaves
// no higher F to be found.
func (e *ascent) climb() bool {
	for {
		d, kd := e.direction()
		if e.search(d, kd) {
			return true
		}
		if e.recent == nil {
			return false
		}
		e.recent = nil // along the gradient then
	}
}

// direction is the L-BFGS direction d, the product of a with an approximation of the
// inverse Hessian from the recent moves, and Kd.
func (e *ascent) direction() (d, kd []float64) {
	d, kd = slices.Clone(e.a), slices.Clone(e.ka)
	alpha := make([]float64, len(e.recent))
	for i, m := range slices.Backward(e.recent) {
		alpha[i] = dense.Dot(m.kstep, d) / m.curvature
		floats.AddScaled(d, -alpha[i], m.fall)
		floats.AddScaled(kd, -alpha[i], m.kfall)
	}
	if k := len(e.recent); k > 0 {
		m := e.recent[k-1]
		gamma := m.curvature / dense.Dot(m.fall, m.kfall)
		floats.Scale(gamma, d)
		floats.Scale(gamma, kd)
	}
	for i, m := range e.recent {
		beta := dense.Dot(m.kfall, d) / m.curvature
		floats.AddScaled(d, alpha[i]-beta, m.step)
		floats.AddScaled(kd, alpha[i]-beta, m.kstep)
	}
	return d, kd
}

// search goes along d until F is higher, or returns false. The first length tried is 1,
// or, where there is no move yet to set the scale, the last that is: the Hessian of
// −log p(t|y) is at most the unit matrix, which bounds F from below by a parabola, with
// its top where F cannot have fallen.
func (e *ascent) search(d, kd []float64) bool {
	slope := dense.Dot(d, e.ka)
	safe := slope / (dense.Dot(d, kd) + e.Scale*dense.Dot(kd, kd))
	if !(safe > 0) {
		return false
	}
	length := 1.0
	if e.recent == nil {
		length = safe
	}
	w, y := e.vector(), e.vector()
	for {
		floats.AddScaledTo(w, e.w, length, d)
		floats.AddScaledTo(y, e.y, length, kd)
		r, objective, logLik := e.eStep(w, y)
		if objective > e.objective {
			floats.Scale(length, d)
			floats.Scale(length, kd)
			e.move(w, y, r, move{step: d, kstep: kd, fall: e.a, kfall: e.ka})
			e.objective, e.logLik = objective, logLik
			return true
		}
		if length <= safe {
			return false
		}
		end := dense.Dot(kd, r) - dense.Dot(kd, w) // the slope there; between them the secant's zero
		length = max(safe, min(length/2, length*slope/(slope-end)))
	}
}

// move takes a step and remembers it.
func (e *ascent) move(w, y, r []float64, m move) {
	const memory = 10
	e.w, e.y = w, y
	e.gradient(r)
	m.fall, m.kfall = slices.Clone(m.fall), slices.Clone(m.kfall)
	floats.Sub(m.fall, e.a)
	floats.Sub(m.kfall, e.ka)
	if m.curvature = dense.Dot(m.kstep, m.fall); !(m.curvature > 0) { // by rounding
		return
	}
	if len(e.recent) == memory {
		e.recent = slices.Delete(e.recent, 0, 1)
	}
	e.recent = append(e.recent, m)
}

func largest(v []float64) float64 { return floats.Norm(v, math.Inf(1)) }

// weights returns the samples of class c whose weights have the right sign, and these.
func (e *ascent) weights(c int) (active []int, w []float64) {
	for n, v := range e.w[c*e.n : (c+1)*e.n] {
		if v*e.sign(n, c) > 0 {
			active, w = append(active, n), append(w, v)
		}
	}
	return active, w
}

// at is e at other weights, those of the wrong sign set to zero.
func (e *ascent) at(w []float64) ascent {
	other := *e
	other.w = slices.Clone(w)
	for i, v := range w {
		if v*e.sign(i%e.n, i/e.n) < 0 {
			other.w[i] = 0
		}
	}
	other.begin()
	return other
}

// best is e at W or R, whichever then has the higher F. Near the optimum that is W, of
// which no weight is of the wrong sign then; but where K is singular, a part of W that no
// function shows may be, and R has the sign anywhere.
func (e *ascent) best() ascent {
	best := e.at(e.w)
	if e.kept != nil {
		return best
	}
	r := e.vector()
	floats.AddTo(r, e.w, e.a)
	if other := e.at(r); other.objective > best.objective {
		return other
	}
	return best
}

// cut keeps the Keep·N largest weights, which are R, and returns those that it deletes.
func (e *ascent) cut() []Basis {
	*e = e.best()
	var all, deleted []Basis
	for c := range e.c {
		active, _ := e.weights(c)
		for _, n := range active {
			all = append(all, Basis{n, c})
		}
	}
	count := int(math.Round(e.Keep * float64(e.n)))
	if len(all) <= count {
		return nil
	}
	weight := func(b Basis) float64 { return math.Abs(e.w[b.Class*e.n+b.Sample]) }
	slices.SortStableFunc(all, func(a, b Basis) int { return cmp.Compare(weight(b), weight(a)) })
	e.kept, e.factor = make([][]int, e.c), make([]symmetric, e.c)
	for i, b := range all {
		if i < count || len(e.kept[b.Class]) == 0 {
			e.kept[b.Class] = append(e.kept[b.Class], b.Sample)
		} else {
			deleted = append(deleted, b)
		}
	}
	e.restrict()
	return deleted
}

// drop deletes the weights of the wrong sign and returns them. None comes back, so what
// is left at the end is not quite the optimum under the sign constraint: on Vowel, at
// Keep = 1, F is lower by less than a thousandth, with two per cent fewer weights.
func (e *ascent) drop() (deleted []Basis) {
	for c, list := range e.kept {
		e.kept[c] = slices.DeleteFunc(list, func(n int) bool {
			wrong := e.w[c*e.n+n]*e.sign(n, c) <= 0
			if wrong {
				deleted = append(deleted, Basis{n, c})
			}
			return wrong
		})
	}
	if deleted != nil {
		e.restrict()
	}
	return deleted
}

// restrict begins anew with the weights that are kept, at the function nearest to that
// at hand.
func (e *ascent) restrict() {
	rows, ridge := make([][]float64, e.n), 0.0
	for n := range rows {
		rows[n] = e.phi.row(n)
		ridge = max(ridge, 1e-8*rows[n][n]) // for samples that are equal, or nearly
	}
	par.For(e.c, 1, func(c, _ int) {
		list := e.kept[c]
		slices.Sort(list)
		all, alpha := make([]int, len(list)), make([]float64, len(list))
		for i := range list {
			all[i], alpha[i] = i, ridge
		}
		e.factor[c].factorize(system{rows, list, alpha}, all)
	})
	e.project(e.w)
	e.begin()
}

// resign leaves biases alone in the model, which then predicts the frequencies of the
// classes.
func (e *ascent) resign() {
	clear(e.w)
	e.b = e.frequencies()
	e.logLik = e.biasLikelihood(e.b)
	e.objective = e.logLik
}

func (e *ascent) model() *Model {
	active, w := make([][]int, e.c), make([][]float64, e.c)
	for c := range e.c {
		active[c], w[c] = e.weights(c)
	}
	return e.training.model(e.kernel, active, w, e.b)
}
