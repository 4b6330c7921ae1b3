package mpcvm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TopDown is mPCVM₁, Algorithm 1 of the paper: expectation-maximisation from a
// model that holds every training sample in every class, out of which most
// weights are pruned. The zero value is the recommended setting.
//
// It differs from Algorithm 1 as printed in three points, each of which was
// measured to matter. The first Z̄ is not random but 5 for the own class above the
// others. The M-step is exact: it maximises Q under the sign constraint of eq.
// (truncatd_gaussian) by non-negative least squares, where the paper solves
// without constraint and prunes what has the wrong sign. And the objective, the log
// posterior with the precisions integrated out, is traced; it does not fall.
type TopDown struct {
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

	// U1, V1 are shape and rate of the Gamma hyper-prior of the precisions
	// alpha_nc of the weights, eq. (gamma_prior); U2, V2 those of the precisions
	// beta_c of the biases. If one is zero, 1e-5 is used.
	U1, V1, U2, V2 float64

	// Prune is the precision alpha_nc above which a weight is set to zero for good.
	// If it is zero, 1e4 is used. No alpha exceeds (2·U1 + 1)/(2·V1), which is 5e4
	// with the defaults: a larger value prunes only weights that are zero already.
	Prune float64

	// Literal runs Algorithm 1 as printed, for teaching: Z̄, A and β begin at random
	// in (0, 1), and the M-step solves without constraint and sets weights of the
	// wrong sign to zero. Its objective may fall.
	Literal bool

	// Single holds the kernel matrix in float32, at half its memory; see BottomUp.Single.
	Single bool

	// Candidates, if it is not zero, makes K samples, drawn at random class by class, the
	// bases from which the fit starts, in place of all N; see BottomUp.Candidates.
	Candidates int

	// Seed is the seed of the random start of Literal and of Candidates, and deals the
	// samples into the folds of cross-validation where Theta is chosen or Calibrate set.
	// Nothing else is random.
	Seed uint64

	// Tol ends the fit as Converged when max|ΔW| < Tol·max|W|. If it is zero, 1e-3
	// is used; a negative value never ends it.
	Tol float64

	// Iterations is the largest number of iterations. If it is zero, 500 is used.
	Iterations int
}

// Fit learns from N samples x (rows; D features) and their labels t, 0 to C−1 with
// every class present. The features should be standardised.
//
// It returns a *DataError for data from which nothing can be learned, and a
// *MemoryError if less than 16N² + 64NC bytes of memory are at hand, with Single
// 12N² + 64NC. With Candidates K it is 8NK (with Single 4NK) + 16NC + 8K² + 64 MB, or,
// where that is not at hand, 64 MB in place of the first term. The factors of the first
// M-step come on top, some 3K² bytes a class. When ctx ends first it returns, mostly
// within a second, the model of the last iteration together with an error that wraps
// ctx.Err(); the model is nil if there was no iteration yet. It panics if t has not a
// label for each row of x or an option is negative. Time and memory grow as N³ and N²,
// with Candidates as NK² + K³ and NK.
func (l TopDown) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...Observer) (*Model, Result, error) {
	l = l.defaults()
	return fit(ctx, x, t, selection{kernel: l.Kernel, tried: l.Tried, calibrate: l.Calibrate, seed: l.Seed, few: l.Candidates > 0}, observers, l.learn)
}

// defaults fills in the options that are zero.
func (l TopDown) defaults() TopDown {
	l.U1, l.V1 = args.Option("mpcvm: TopDown.U1", l.U1, 1e-5), args.Option("mpcvm: TopDown.V1", l.V1, 1e-5)
	l.U2, l.V2 = args.Option("mpcvm: TopDown.U2", l.U2, 1e-5), args.Option("mpcvm: TopDown.V2", l.V2, 1e-5)
	l.Prune, l.Tol = args.Option("mpcvm: TopDown.Prune", l.Prune, 1e4), args.Tolerance("mpcvm: TopDown.Tol", l.Tol, 1e-3)
	l.Iterations = args.Option("mpcvm: TopDown.Iterations", l.Iterations, 500)
	l.Candidates = args.Option("mpcvm: TopDown.Candidates", l.Candidates, 0)
	return l
}

// learn is Fit with the data checked and the kernel settled.
func (l TopDown) learn(ctx context.Context, tr *training, k kernel.Kernel, limit int, observers []Observer) (*Model, Result, error) {
	if limit > 0 {
		l.Iterations = min(l.Iterations, limit)
	}
	r := NewRun(ctx, l.Iterations, observers...)
	held, release, err := l.reserve(tr)
	if err != nil {
		return nil, Result{}, err
	}
	defer release()
	em := newEM(l, tr, k)
	if em.prepare(ctx, held) != nil {
		r.End(Cancelled)
		res, err := r.Finish()
		return nil, res, err
	}
	if err := tr.finite(k, em.of, func(j int) float64 { return em.gram[j][j] }); err != nil {
		return nil, Result{}, err
	}
	r.snapshot = em.model
	for {
		last := em.last()
		if em.mStep(ctx) != nil { // what the last iteration left is whole
			r.End(Cancelled)
			break
		}
		step := em.iterate()
		if ctx.Err() != nil {
			em.w, em.active, em.b = last.w, last.active, last.b
			r.End(Cancelled)
			break
		}
		if r.Record(step) || em.size() == 0 {
			break
		}
		if step.Change < l.Tol {
			r.End(Converged)
			break
		}
	}
	if r.result.Iterations > 0 && em.size() == 0 {
		r.End(Collapsed)
		var step Step
		em.resign(&step)
		r.result.Objective, r.result.LogLik = step.Objective, step.LogLik
	}
	var model *Model
	if r.result.Iterations > 0 {
		model = em.model()
	}
	res, err := r.Finish()
	return model, res, err
}

// reserve asks for the memory of a fit, and says whether there is enough to hold Φ.
func (l TopDown) reserve(tr *training) (held bool, release func(), err error) {
	// Φ and ΦᵀΦ, and a few rows a class; the factors of the first M-step come on top.
	if l.Candidates == 0 {
		matrices, advice := 2*tr.square(), fewerSamples+", or BottomUp, with Single if need be, or set Candidates"
		if l.Single {
			matrices = 1.5 * tr.square()
		}
		release, err = tr.reserve("TopDown", matrices+8*tr.rows(), advice)
		return true, release, err
	}
	k := float64(len(tr.bases(l.Candidates, l.Seed)))
	return tr.reserveBases("TopDown", k, l.Single, 2*tr.rows()+8*k*k+8*blockNumbers+8*float64(tr.n))
}

// em is the state of the expectation-maximisation.
type em struct {
	TopDown
	*training
	kernel kernel.Kernel
	phi    *phi
	of     []int       // the samples of the K bases, ascending
	gram   [][]float64 // rows of ΦᵀΦ
	sum    []float64   // 1ᵀΦ

	active [][]int     // of each class, the places in of whose weight is not pruned
	w      [][]float64 // their weights
	alpha  [][]float64 // and precisions
	sign   [][]float64 // and signs f_nc
	b      []float64   // biases
	beta   []float64   // and precisions
	old    [][]float64 // weights before the M-step

	objective float64 // after the last iteration

	z    *mat.Dense // C×N posterior means z̄
	y    *mat.Dense // C×N potentials
	p    *mat.Dense // C×K, Φᵀz̄
	logp []float64  // log p(t_n | W, b)

	solver []signed // a class each
}

func newEM(l TopDown, tr *training, k kernel.Kernel) *em {
	c, n, of := tr.c, tr.n, tr.bases(l.Candidates, l.Seed)
	bases := len(of)
	e := &em{
		TopDown: l, training: tr, kernel: k, of: of,
		active: make([][]int, c), w: make([][]float64, c), old: make([][]float64, c),
		alpha: make([][]float64, c), sign: make([][]float64, c),
		b: make([]float64, c), beta: make([]float64, c),
		z: mat.NewDense(c, n, nil), y: mat.NewDense(c, n, nil), p: mat.NewDense(c, bases, nil),
		logp: make([]float64, n), solver: make([]signed, c), objective: math.Inf(-1),
	}
	rng := rand.New(rand.NewPCG(l.Seed, 0)) // of Literal
	// Z̄ = 5T + ½ and A = 1: the scale of the first Z̄ decides the result. Random
	// values in (0, 1) cost ten points of accuracy on Glass.
	tr.outset(e.z)
	for c := range e.active {
		e.active[c], e.w[c] = all(bases), make([]float64, bases)
		e.alpha[c], e.sign[c] = make([]float64, bases), make([]float64, bases)
		z, next := e.z.RawRowView(c), 0
		for i := range n {
			if l.Literal {
				z[i] = rng.Float64()
			}
			if next == bases || of[next] != i {
				continue
			}
			e.alpha[c][next], e.sign[c][next] = 1, tr.sign(i, c)
			if l.Literal {
				e.alpha[c][next] = rng.Float64()
			}
			next++
		}
		e.beta[c] = 1
		if l.Literal {
			e.beta[c] = rng.Float64()
		}
	}
	return e
}

// prepare computes Φ and ΦᵀΦ.
func (e *em) prepare(ctx context.Context, held bool) error {
	e.phi = newPhi(ctx, e.kernel, e.x, e.of, e.Single, held)
	_, e.sum = e.phi.norms()
	e.gram = e.phi.square()
	return ctx.Err()
}

// mStep maximises Q over W under the sign constraint, then over b; eqs. (new_w),
// (new_b). On an error nothing is changed.
func (e *em) mStep(ctx context.Context) error {
	if e.project(); ctx.Err() != nil {
		return ctx.Err()
	}
	next := make([][]float64, e.c)
	par.For(e.c, 1, func(c, _ int) {
		if ctx.Err() != nil {
			return
		}
		list := e.active[c]
		m := len(list)
		p, free := make([]float64, m), make([]bool, m)
		for i, n := range list {
			p[i] = e.p.At(c, n) - e.b[c]*e.sum[n]
			// At first the gradient at zero says which weights want to move; later on
			// nearly all stay.
			free[i] = m < len(e.of) || e.sign[c][i]*p[i] > 0
		}
		next[c] = make([]float64, m)
		if e.Literal {
			e.solver[c].clip(next[c], system{e.gram, list, e.alpha[c]}, p, e.sign[c])
			return
		}
		e.solver[c].ctx = ctx
		e.solver[c].solve(next[c], system{e.gram, list, e.alpha[c]}, p, e.sign[c], free, false)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for c := range next {
		e.old[c], e.w[c] = e.w[c], next[c]
	}
	e.potentials(nil)
	for c := range next {
		// eq. (new_b); y is without the bias here
		e.b[c] = (floats.Sum(e.z.RawRowView(c)) - floats.Sum(e.y.RawRowView(c))) / (float64(e.n) + e.beta[c])
	}
	return nil
}

// project sets P = ΦᵀZ̄ where it is needed: at the active samples, which after a few
// iterations are few.
func (e *em) project() {
	if 8*e.size() > len(e.of)*e.c {
		e.phi.times(e.p, e.z)
		return
	}
	e.phi.timesAt(e.p, e.z, func(c int) []int { return e.active[c] })
}

// potentials sets y_c = Φw_c, without the bias, for all classes but those to be kept.
func (e *em) potentials(keep []bool) {
	for c := range e.c {
		if keep == nil || !keep[c] {
			clear(e.y.RawRowView(c))
		}
	}
	e.phi.addTo(e.y, func(c int) (bases []int, w []float64) {
		if keep == nil || !keep[c] {
			bases, w = e.active[c], e.w[c]
		}
		return bases, w
	})
}

// last is what makes the model of the last iteration.
func (e *em) last() em {
	last := em{w: slices.Clone(e.w), b: slices.Clone(e.b)}
	for _, list := range e.active { // which prune shortens in place
		last.active = append(last.active, slices.Clone(list))
	}
	return last
}

// iterate prunes after an M-step and takes the E-step. Should pruning have lowered
// the objective, only what is zero is pruned: then it cannot fall.
func (e *em) iterate() Step {
	var saved em
	for c := range e.active {
		saved.active = append(saved.active, slices.Clone(e.active[c]))
		saved.w = append(saved.w, slices.Clone(e.w[c]))
		saved.sign = append(saved.sign, slices.Clone(e.sign[c]))
		saved.alpha = append(saved.alpha, slices.Clone(e.alpha[c]))
	}
	step := e.prune(e.Prune)
	e.eStep(&step)
	if step.Objective < e.objective && !e.Literal {
		e.active, e.w, e.sign, e.alpha = saved.active, saved.w, saved.sign, saved.alpha
		e.potentials(nil)
		step = e.prune(math.Inf(1))
		e.eStep(&step)
		step.Rejected = true
	}
	e.objective = step.Objective
	return step
}

// prune sets alpha by eq. (alpha_nc) and drops the weights at zero, whose alpha is
// infinite, and those whose alpha is above the threshold.
func (e *em) prune(threshold float64) Step {
	step := Step{Weights: make([]int, e.c)}
	same := make([]bool, e.c)
	var change, largest float64
	for c, list := range e.active {
		kept := 0
		for i, n := range list {
			w := e.w[c][i]
			alpha := (2*e.U1 + 1) / (w*w + 2*e.V1) // eq. (alpha_nc)
			if alpha > threshold {
				w = 0
			}
			change = max(change, math.Abs(w-e.old[c][i]))
			largest = max(largest, math.Abs(w))
			if w == 0 {
				step.Deleted = append(step.Deleted, Basis{e.of[n], c})
				continue
			}
			list[kept], e.w[c][kept], e.alpha[c][kept], e.sign[c][kept] = n, w, alpha, e.sign[c][i]
			kept++
		}
		if kept < len(list) {
			e.active[c], e.w[c] = list[:kept], e.w[c][:kept]
			e.alpha[c], e.sign[c] = e.alpha[c][:kept], e.sign[c][:kept]
		} else {
			same[c] = true
		}
		step.Weights[c] = kept
		step.Reestimated += kept
		e.beta[c] = (2*e.U2 + 1) / (e.b[c]*e.b[c] + 2*e.V2) // eq. (beta_c)
	}
	if slices.Contains(same, false) {
		e.potentials(same)
	}
	for c, b := range e.b {
		floats.AddConst(b, e.y.RawRowView(c))
	}
	step.Change = 1 // the last were deleted
	if largest > 0 {
		step.Change = change / largest
	}
	return step
}

// eStep sets Z̄ by eqs. (z_nj), (z_nc) and the objective.
func (e *em) eStep(step *Step) {
	e.means(e.phi.ctx, e.z, e.logp, e.y)
	step.LogLik = floats.Sum(e.logp)
	step.Objective = step.LogLik
	for c, list := range e.w {
		for _, w := range list {
			step.Objective += logPrior(w, e.U1, e.V1) // eq. (full_prior_w)
		}
		step.Objective += logPrior(e.b[c], e.U2, e.V2) // eq. (full_prior_b)
	}
}

// resign sets the biases of a model without weights to those that predict the
// frequencies of the classes: the prior alone would hold them at zero.
func (e *em) resign(step *Step) {
	e.b = e.frequencies()
	for c, b := range e.b {
		y := e.y.RawRowView(c)
		for n := range y {
			y[n] = b
		}
	}
	e.eStep(step)
}

// logPrior is the logarithm of eqs. (full_prior_w) and (full_prior_b), the density
// of a weight whose precision, Gamma(u, v), is integrated out, less its value at
// zero: −(u + ½) log(1 + w²/2v).
func logPrior(w, u, v float64) float64 {
	r := w * w / (2 * v)
	if math.IsInf(r, 1) {
		return -(u + 0.5) * (2*math.Log(math.Abs(w)) - math.Log(2*v))
	}
	return -(u + 0.5) * math.Log1p(r)
}

func (e *em) size() int {
	total := 0
	for _, list := range e.active {
		total += len(list)
	}
	return total
}

func (e *em) model() *Model {
	active := make([][]int, e.c)
	for c, list := range e.active {
		for _, j := range list {
			active[c] = append(active[c], e.of[j])
		}
	}
	return e.training.model(e.kernel, active, e.w, e.b)
}
