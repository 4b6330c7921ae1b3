package mpcvm

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/internal/nnls"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Section 2.3 of the paper: mPCVM₁.

// TopDown is mPCVM₁, Algorithm 1 of the paper. It starts from a model that contains every training sample for
// every class and prunes most of the weights by expectation-maximisation. It is fast, and accurate if the
// labels are noisy. The zero value is the recommended setting.
//
// It differs from Algorithm 1 as printed in three ways, each of which makes a measurable difference:
//
//   - Z̄ starts with the class of each sample 5 above the other classes, instead of at random.
//   - The M-step is exact: it maximises Q under the sign constraint of eq. (truncatd_gaussian) by
//     non-negative least squares. The paper solves without the constraint and then prunes weights with the
//     wrong sign.
//   - The trace records an objective that never falls: the log posterior with the precisions integrated out.
type TopDown struct {
	// Kernel is the kernel of the basis functions. If it is nil, an RBF kernel is used. If the kernel's width
	// is zero, it is set to the inverse of the median distance of the samples (kernel.Tunable.MedianTheta).
	// To choose the width by cross-validation, use search.Width.
	Kernel kernel.Kernel

	// U1 and V1 are the shape and rate of the Gamma hyper-prior of the precisions alpha_nc of the weights,
	// eq. (gamma_prior); U2 and V2 are the shape and rate for the precisions beta_c of the biases. If a field
	// is zero, 1e-5 is used.
	U1, V1, U2, V2 float64

	// Prune is the precision alpha_nc above which a weight is set to zero permanently. If it is zero, 1e4 is
	// used. No alpha exceeds (2·U1 + 1)/(2·V1), which is 5e4 with the defaults; a larger Prune removes only
	// weights that are already zero.
	Prune float64

	// AsPublished runs Algorithm 1 as printed, for teaching. Z̄, A and β start at random in (0, 1), and the
	// M-step solves without constraints and sets weights with the wrong sign to zero. The objective may fall.
	AsPublished bool

	// Float32 stores the kernel values in float32, which halves their memory. All sums are in float64.
	Float32 bool

	// Candidates is the number K of samples whose basis functions the fit starts from, drawn at random in
	// proportion to the class frequencies; see BottomUp.Candidates. If it is zero, all samples are used if N
	// is at most 5000 or AsPublished is set, and 2000 samples otherwise.
	Candidates int

	// Seed is the seed for the random start of AsPublished and for drawing the Candidates. Nothing else is
	// random.
	Seed uint64

	// Tol is the tolerance of convergence: the fit has converged if max|ΔW| < Tol·max|W|. If it is zero, 1e-3
	// is used. If it is negative, the fit runs until MaxIterations.
	Tol float64

	// MaxIterations is the maximum number of iterations. If it is zero, 500 is used.
	MaxIterations int
}

// Fit trains a model on the samples. The features should be standardised; if they are not, Result.RawUnits
// is true.
//
// Fit returns a *CellError if the data are invalid, and a *MemoryError if the fit needs more memory than is
// available (see docs/performance.md). If ctx ends first, Fit returns within about a second. The error then
// wraps ctx.Err(), and the model is the one after the last complete iteration, or nil if there was none. Fit
// panics if an option is negative, except that Tol may be negative and Candidates may be AllCandidates.
//
// Time grows as N³ and memory as N²; with K candidates they grow as NK² + K³ and NK.
func (l TopDown) Fit(ctx context.Context, s Samples, observers ...Observer) (*Model, Result, error) {
	l = l.defaults()
	n, _ := s.X.Dims()
	l.Candidates = candidates("mpcvm: TopDown.Candidates", l.Candidates, n, l.AsPublished)
	return fit(ctx, s, l.Kernel, observers, l.learn)
}

// WithKernel returns a copy of the learner with another kernel.
func (l TopDown) WithKernel(k kernel.Kernel) Learner {
	l.Kernel = k
	return l
}

// ForTrials returns a copy of the learner for comparing settings of a fit to n samples. It has the same
// number of candidates as that fit, and runs at most 100 iterations.
func (l TopDown) ForTrials(n int) Learner {
	l.Candidates = trialCandidates("mpcvm: TopDown.Candidates", l.Candidates, n, l.AsPublished)
	l.MaxIterations = min(cmp.Or(l.MaxIterations, 500), fitting.ShortFit)
	return l
}

// defaults fills in the options that are zero.
func (l TopDown) defaults() TopDown {
	l.U1, l.V1 = args.Option("mpcvm: TopDown.U1", l.U1, 1e-5), args.Option("mpcvm: TopDown.V1", l.V1, 1e-5)
	l.U2, l.V2 = args.Option("mpcvm: TopDown.U2", l.U2, 1e-5), args.Option("mpcvm: TopDown.V2", l.V2, 1e-5)
	l.Prune, l.Tol = args.Option("mpcvm: TopDown.Prune", l.Prune, 1e4), args.Tolerance("mpcvm: TopDown.Tol",
		l.Tol, 1e-3)
	l.MaxIterations = args.Option("mpcvm: TopDown.MaxIterations", l.MaxIterations, 500)
	return l
}

// learn is Fit after the data have been validated and the kernel has its width.
func (l TopDown) learn(ctx context.Context, d *fitting.Data, k kernel.Kernel, observers []Observer) (*Model,
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
	e, err := newTopDown(ctx, l, d, k, bases, o)
	if err != nil {
		return nil, Result{}, err
	}
	if ctx.Err() != nil {
		r.End(Cancelled)
		res, err := r.Finish()
		return nil, res, err
	}
	r.Snapshot = func() Classifier { return e.model() }
	for {
		last := e.clone()
		if e.mStep(ctx) != nil { // the state of the last iteration is intact
			r.End(Cancelled)
			break
		}
		step := e.iterate()
		if ctx.Err() != nil {
			e.weights = last
			r.End(Cancelled)
			break
		}
		if !fitting.IsFinite(step.Objective) {
			e.weights = last
			r.End(Diverged)
			break
		}
		if r.Record(step) || e.size() == 0 {
			break
		}
		if step.Change < l.Tol {
			r.End(Converged)
			break
		}
	}
	if r.Result.Iterations > 0 && e.size() == 0 || r.Result.Status == Converged && !l.AsPublished &&
		e.NoBetter(r.Result.LogLik, e.size(), e.y) {
		r.End(Collapsed)
		r.Result.Objective, r.Result.LogLik = e.fallBackToFrequencies()
	}
	var model *Model
	if r.Result.Iterations > 0 || r.Result.Status == Diverged {
		model = e.model()
	}
	res, err := r.Finish()
	return model, res, err
}

// topDownState is the state of the expectation-maximisation. A basis function is identified by its index
// among the K candidates.
type topDownState struct {
	TopDown
	*fitting.Data
	kernel kernel.Kernel
	phi    *gram.Phi
	ctx    context.Context
	bases  []int       // the samples of the K candidates, ascending
	gram   [][]float64 // rows of ΦᵀΦ
	sum    []float64   // 1ᵀΦ; like all sums over samples, weighted
	total  float64     // N, or the sum of the weights

	weights
	old       [][]float64 // weights before the M-step
	objective float64     // after the last iteration

	zbar *mat.Dense // C×N posterior means z̄
	y    *mat.Dense // C×N potentials
	p    *mat.Dense // C×K, Φᵀz̄
	logp []float64  // log p(t_n | W, b)

	solver []nnls.Solver // one for each class
}

// weights contains the weights that have not been pruned, and what belongs to them, for each class c.
type weights struct {
	active [][]int     // basis functions
	w      [][]float64 // w_nc
	alpha  [][]float64 // precisions alpha_nc
	sign   [][]float64 // signs f_nc
	b      []float64   // biases b_c
	beta   []float64   // precisions beta_c
}

// clone returns a deep copy.
func (s weights) clone() weights {
	all := func(of [][]float64) (copies [][]float64) {
		for _, v := range of {
			copies = append(copies, slices.Clone(v))
		}
		return copies
	}
	c := weights{w: all(s.w), alpha: all(s.alpha), sign: all(s.sign), b: slices.Clone(s.b),
		beta: slices.Clone(s.beta)}
	for _, list := range s.active {
		c.active = append(c.active, slices.Clone(list))
	}
	return c
}

// reserve draws the candidates and reserves the memory of a fit.
func (l TopDown) reserve(ctx context.Context, d *fitting.Data) (bases []int, o gram.Options, release func(),
	err error) {
	bases, o = d.Bases(l.Candidates, l.Seed), gram.Options{Float32: l.Float32}
	m, rows := float64(len(bases)), 8*float64(d.N)*float64(d.C)
	other := 8*m*m + 8*rows // ΦᵀΦ and a few rows per class
	if l.Candidates > 0 {
		other = 8*m*m + 2*rows + 8*float64(d.N) + gram.WorkBytes
	}
	release, err = o.Reserve(ctx, "mpcvm: TopDown", len(bases), d.N, other, l.Candidates > 0)
	return bases, o, release, err
}

// newTopDown computes Φ and ΦᵀΦ, and sets the starting Z̄ and A.
func newTopDown(ctx context.Context, l TopDown, d *fitting.Data, k kernel.Kernel, bases []int,
	o gram.Options) (*topDownState, error) {
	m := len(bases)
	c, n := d.C, d.N
	s := &topDownState{
		TopDown: l, Data: d, kernel: k, bases: bases, ctx: ctx,
		weights: weights{
			active: make([][]int, c), w: make([][]float64, c), alpha: make([][]float64, c), sign: make([][]float64, c),
			b: make([]float64, c), beta: make([]float64, c),
		},
		old:  make([][]float64, c),
		zbar: mat.NewDense(c, n, nil), y: mat.NewDense(c, n, nil), p: mat.NewDense(c, m, nil),
		logp: make([]float64, n), solver: make([]nnls.Solver, c), objective: math.Inf(-1), total: floats.Sum(
			d.Mass()),
	}
	s.start()
	o.Weights = d.Weights
	s.phi = gram.New(ctx, k, d.X, bases, o)
	var norms []float64
	norms, s.sum = s.phi.Norms()
	s.gram = s.phi.Square()
	if ctx.Err() == nil {
		if err := d.CheckNorms(k, bases, norms); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// start sets Z̄ = 5T + ½ and A = 1, or random values for AsPublished. The scale of the starting Z̄ matters:
// random values in (0, 1) cost ten percentage points of accuracy on Glass.
func (s *topDownState) start() {
	rng := rand.New(rand.NewPCG(s.Seed, 0)) // for AsPublished
	m := len(s.bases)
	mixStart(s.Data, s.zbar, 1)
	for c := range s.active {
		s.active[c], s.w[c] = fitting.All(m), make([]float64, m)
		s.alpha[c], s.sign[c] = make([]float64, m), make([]float64, m)
		zbar, next := s.zbar.RawRowView(c), 0
		for n := range s.N {
			if s.AsPublished {
				zbar[n] = rng.Float64()
			}
			if next == m || s.bases[next] != n {
				continue
			}
			s.alpha[c][next], s.sign[c][next] = 1, s.Sign(n, c)
			if s.AsPublished {
				s.alpha[c][next] = rng.Float64()
			}
			next++
		}
		s.beta[c] = 1
		if s.AsPublished {
			s.beta[c] = rng.Float64()
		}
	}
}

// mixStart replaces Z̄ (C×N) by share·(5T + ½) + (1 − share)·Z̄. In 5T + ½ the own class of each sample is 5
// above the others.
func mixStart(d *fitting.Data, zbar *mat.Dense, share float64) {
	for c := range d.C {
		z := zbar.RawRowView(c)
		for n, t := range d.T {
			start := 0.5
			if t == c {
				start = 5.5
			}
			z[n] = share*start + (1-share)*z[n]
		}
	}
}

// mStep maximises Q over W under the sign constraint, then over b, eqs. (new_w) and (new_b). If it returns an
// error, it has changed nothing.
func (s *topDownState) mStep(ctx context.Context) error {
	if s.project(); ctx.Err() != nil {
		return ctx.Err()
	}
	next := make([][]float64, s.C)
	par.For(s.C, 1, func(c, _ int) {
		if ctx.Err() != nil {
			return
		}
		list := s.active[c]
		m := len(list)
		p, free := make([]float64, m), make([]bool, m)
		for i, n := range list {
			p[i] = s.p.At(c, n) - s.b[c]*s.sum[n]
			// In the first iteration, the gradient at zero determines which weights to free. Later nearly all
			// weights stay free.
			free[i] = m < len(s.bases) || s.sign[c][i]*p[i] > 0
		}
		next[c] = make([]float64, m)
		if s.AsPublished {
			s.solver[c].Clip(next[c], nnls.System{Gram: s.gram, Bases: list, Alpha: s.alpha[c]}, p, s.sign[c])
			return
		}
		s.solver[c].Ctx = ctx
		s.solver[c].Solve(next[c], nnls.System{Gram: s.gram, Bases: list, Alpha: s.alpha[c]}, p, s.sign[c], free,
			false)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for c := range next {
		s.old[c], s.w[c] = s.w[c], next[c]
	}
	s.potentials(nil)
	for c := range next {
		// eq. (new_b); y does not include the bias here
		s.b[c] = (fitting.Sum(s.zbar.RawRowView(c), s.Weights) - fitting.Sum(s.y.RawRowView(c), s.Weights)) /
			(s.total + s.beta[c])
	}
	return nil
}

// project sets P = ΦᵀZ̄ at the active basis functions, which are few after some iterations.
func (s *topDownState) project() {
	if 8*s.size() > len(s.bases)*s.C {
		s.phi.Times(s.p, s.zbar)
		return
	}
	s.phi.TimesAt(s.p, s.zbar, func(c int) []int { return s.active[c] })
}

// potentials sets y_c = Φw_c, without the bias, for all classes that are not marked in keep.
func (s *topDownState) potentials(keep []bool) {
	for c := range s.C {
		if keep == nil || !keep[c] {
			clear(s.y.RawRowView(c))
		}
	}
	s.phi.AddTo(s.y, func(c int) (bases []int, w []float64) {
		if keep == nil || !keep[c] {
			bases, w = s.active[c], s.w[c]
		}
		return bases, w
	})
}

// iterate prunes after an M-step and takes the E-step. If pruning lowered the objective, it prunes only zero
// weights instead, so that the objective cannot fall.
func (s *topDownState) iterate() Step {
	saved := s.clone()
	step := s.prune(s.Prune)
	s.eStep(&step)
	if step.Objective < s.objective && !s.AsPublished {
		s.weights = saved
		s.potentials(nil)
		step = s.prune(math.Inf(1))
		s.eStep(&step)
		step.Rejected = true
	}
	s.objective = step.Objective
	return step
}

// prune sets alpha by eq. (alpha_nc). It deletes zero weights and weights whose alpha exceeds the threshold.
func (s *topDownState) prune(threshold float64) Step {
	step := Step{Weights: make([]int, s.C)}
	same := make([]bool, s.C)
	var change, largest float64
	for c, list := range s.active {
		kept := 0
		for i, n := range list {
			w := s.w[c][i]
			alpha := expectedPrecision(w, s.U1, s.V1) // eq. (alpha_nc)
			if alpha > threshold {
				w = 0
			}
			change = max(change, math.Abs(w-s.old[c][i]))
			largest = max(largest, math.Abs(w))
			if w == 0 {
				step.Deleted = append(step.Deleted, Basis{s.bases[n], c})
				continue
			}
			list[kept], s.w[c][kept], s.alpha[c][kept], s.sign[c][kept] = n, w, alpha, s.sign[c][i]
			kept++
		}
		if kept < len(list) {
			s.active[c], s.w[c] = list[:kept], s.w[c][:kept]
			s.alpha[c], s.sign[c] = s.alpha[c][:kept], s.sign[c][:kept]
		} else {
			same[c] = true
		}
		step.Weights[c] = kept
		step.Reestimated += kept
		s.beta[c] = expectedPrecision(s.b[c], s.U2, s.V2) // eq. (beta_c)
	}
	if slices.Contains(same, false) {
		s.potentials(same)
	}
	for c, b := range s.b {
		floats.AddConst(b, s.y.RawRowView(c))
	}
	step.Change = 1 // if the last weights were deleted
	if largest > 0 {
		step.Change = change / largest
	}
	return step
}

// eStep sets Z̄ by eqs. (z_nj) and (z_nc), and the objective.
func (s *topDownState) eStep(step *Step) {
	posteriorMeans(s.ctx, s.Data, s.zbar, s.logp, s.y)
	step.LogLik = s.LogLik(s.logp)
	step.Objective = step.LogLik
	for c, list := range s.w {
		for _, w := range list {
			step.Objective += logMarginalPrior(w, s.U1, s.V1) // eq. (full_prior_w)
		}
		step.Objective += logMarginalPrior(s.b[c], s.U2, s.V2) // eq. (full_prior_b)
	}
}

// posteriorMeans sets Z̄, eqs. (z_nj) and (z_nc), and log p(t_n) for potentials Y, all C×N. It returns early
// if the context ends.
func posteriorMeans(ctx context.Context, d *fitting.Data, zbar *mat.Dense, logp []float64, y *mat.Dense) {
	for lo := 0; lo < d.N && ctx.Err() == nil; lo += gram.SegmentColumns {
		hi := min(lo+gram.SegmentColumns, d.N)
		part := func(m *mat.Dense) *mat.Dense { return m.Slice(0, d.C, lo, hi).(*mat.Dense) }
		probit.Batch{}.Means(part(zbar), logp[lo:hi], part(y), d.T[lo:hi])
	}
}

// fallBackToFrequencies deletes all weights and sets the biases to values that predict the class frequencies.
// The prior alone would keep the biases at zero.
func (s *topDownState) fallBackToFrequencies() (objective, logLik float64) {
	s.b = s.Frequencies()
	for c, b := range s.b {
		s.active[c], s.w[c], s.alpha[c], s.sign[c] = nil, nil, nil, nil
		fitting.Fill(s.y.RawRowView(c), b)
	}
	var step Step
	s.eStep(&step)
	return step.Objective, step.LogLik
}

// size returns the number of weights.
func (s *topDownState) size() int {
	total := 0
	for _, list := range s.active {
		total += len(list)
	}
	return total
}

func (s *topDownState) model() *Model {
	active := make([][]int, s.C)
	for c, list := range s.active {
		for _, j := range list {
			active[c] = append(active[c], s.bases[j])
		}
	}
	return NewModel(s.kernel, s.X, s.T, active, s.w, s.b)
}
