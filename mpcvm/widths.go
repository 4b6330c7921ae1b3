package mpcvm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Widths learns a width for each feature: from RBF or Laplacian kernel a [kernel.ARD]
// or [kernel.LaplacianARD]. It is no learner; what it finds is for one of these. It
// helps where features matter unequally (Letter, Vowel) and may hurt with few samples:
// give it the learner (For), and it compares. The zero value works.
//
// # The objective
//
// Let the potentials have the Gaussian prior of covariance s²K, and Z̄ be the means of
// the auxiliary variables at its mode: Z̄ = E[z | t, Y], Y = s²KC⁻¹Z̄ with C = s²K + I.
// Were the z̄_c observed, with unit noise, the potential of sample n predicted by all
// others alone would be (Sundararajan and Keerthi 2001, DOI 10.1162/08997660151134343)
//
//	y_nc = z̄_nc − a_nc/d_n,   a_c = C⁻¹z̄_c,   d = diag C⁻¹,
//
// so one inverse says how well each sample is predicted without it. At fixed Z̄, the
// leave-one-out log likelihood with a Gaussian prior about the common width θ₀,
//
//	L = Σ_n ln P(t_n | y_n) − Σ_d (ln θ_d − ln θ₀)² / 2τ²,
//
// is maximised over ln θ_d by a few steps of L-BFGS; then Z̄ is found anew. That s² is
// fixed keeps widths and scale apart.
//
// # Its gradient
//
// With dC⁻¹ = −C⁻¹ dC C⁻¹, r_nc = ∂ln P/∂y_nc = E[z_nc | t_n, y_n] − y_nc and u_c = C⁻¹(r_c/d),
//
//	dL = Σ_nc r_nc (−da_nc/d_n + a_nc dd_n/d_n²)
//	   = Σ_c u_cᵀ dC a_c − Σ_n v_n (C⁻¹ dC C⁻¹)_nn,   v_n = Σ_c r_nc a_nc/d_n²,
//	   = Σ_ab Q_ab dC_ab,   Q = ½ Σ_c (a_c u_cᵀ + u_c a_cᵀ) − C⁻¹ diag(v) C⁻¹,
//
// and ∂C_ab/∂ln θ_d = −s² θ_d K_ab |x_ad − x_bd|ᵖ, p = 2 for the RBF and 1 for the Laplacian.
type Widths struct {
	// Kernel is an RBF or Laplacian, whose Theta is θ₀, where all widths start and what
	// their prior is about; an RBF if it is nil. A Theta of zero is the inverse of the
	// median distance of the samples; the one that a learner chooses is better.
	Kernel kernel.Kernel

	// For, if not nil, makes the learner that is to use the kernel. The widths are then
	// accepted only if they lower its log loss in 5-fold cross-validation, the widths being
	// learnt anew without each fold. The log losses are those at the best temperature:
	// those of a learner that is too sure of itself say little. That takes five times
	// Learn and ten fits more.
	For func(k kernel.Kernel) Learner

	// Tried, if not nil, is called after each of the two cross-validations of For, in the
	// goroutine of Learn.
	Tried func(Trial)

	// Scale is s², the prior variance of a potential in units of the noise of z. If it is
	// zero, 100 is used, for labels with little noise. Where classes overlap much a feature
	// that tells nothing may be given a narrow width, for that makes the predictions less
	// sure; with a Scale of 1 it is not.
	Scale float64

	// Tau is τ, how far a width may be expected to be from θ₀, in logarithms: the standard
	// deviation of ln θ_d. If it is zero, 0.5 is used.
	Tau float64

	// Rounds is how often Z̄ is found, and Steps how many steps the widths take each
	// time. If they are zero, 4 and 6 are used.
	Rounds, Steps int

	// Seed deals the samples into the folds of For. Nothing else is random.
	Seed uint64
}

// WidthsResult describes what Learn did. In its Result, Objective is L and LogLik its
// first part, in nats, an iteration is a step, and L falls only where Z̄ is found anew.
// Status is Converged if a round begins with no width to move by a thousandth;
// IterationLimit is no fault. With For, Trials are that of θ₀ alone and that of the
// widths, at the temperature best for each.
type WidthsResult struct {
	Result

	// Importance is θ_d/θ₀ of the D features. With standardised features it says how fast
	// the kernel falls along one, compared with what all had at first: well above 1 for one
	// that tells classes apart, towards 0 for one that does not. Near 1 the samples did not
	// object to θ₀, as with a feature that is constant. Features that say the same share
	// their importance. For labels with much noise see Scale. It is there whether the widths
	// were accepted or not.
	Importance []float64

	// Accepted says that the kernel returned has the widths; true without For.
	Accepted bool
}

// Learn returns the kernel with the widths learnt from N samples x (rows; D features,
// which should be standardised) and their labels t, 0 to C−1 with every class present.
// With For it returns the kernel of the common width θ₀ if the widths are not accepted,
// or an observer or ctx ends it before they were compared.
//
// It returns a *DataError for data from which nothing can be learned, a *MemoryError if
// the memory is not at hand, and an error for another kernel than RBF and Laplacian. When ctx ends first it returns the kernel of the
// last step, nil before the first, together with an error that wraps ctx.Err(). It panics
// if t has not a label for each row of x or an option is negative. A step takes about 2N³
// operations, all of it 24N² + 64NC bytes of memory.
func (w Widths) Learn(ctx context.Context, x mat.Matrix, t []int, observers ...Observer) (kernel.Kernel, WidthsResult, error) {
	w.Scale, w.Tau = args.Option("mpcvm: Widths.Scale", w.Scale, 100), args.Option("mpcvm: Widths.Tau", w.Tau, 0.5)
	w.Rounds, w.Steps = args.Option("mpcvm: Widths.Rounds", w.Rounds, 4), args.Option("mpcvm: Widths.Steps", w.Steps, 6)
	tr, err := newTraining(x, t)
	if err != nil {
		return nil, WidthsResult{}, err
	}
	release, err := tr.reserve("Widths", 3*tr.square()+8*tr.rows(), fewerSamples)
	if err != nil {
		return nil, WidthsResult{}, err
	}
	defer release()
	s, err := newSpread(w, tr)
	if err != nil {
		return nil, WidthsResult{}, err
	}
	run := NewRun(ctx, w.Rounds*w.Steps, observers...)
	s.climb(ctx, run)
	result := WidthsResult{Importance: make([]float64, tr.d)}
	for d, v := range s.log {
		result.Importance[d] = math.Exp(v - s.start)
	}
	common := s.common
	var k kernel.Kernel
	if run.result.Iterations > 0 || run.result.Status == Converged {
		k = s.kernel()
	}
	result.Result, err = run.Finish()
	if w.For == nil || k == nil {
		result.Accepted = k != nil
		return k, result, err
	}
	if err == nil && result.Status != Stopped {
		release() // the fits to come ask for their own
		err = w.compare(ctx, tr, common, k, &result)
	}
	if err != nil && ctx.Err() != nil {
		result.Status = Cancelled
	}
	if !result.Accepted {
		k = common
	}
	result.Seconds = time.Since(run.start).Seconds()
	return k, result, err
}

// compare cross-validates the learner with the common width and with widths, at the
// temperature that is best for each.
func (w Widths) compare(ctx context.Context, tr *training, common, widths kernel.Kernel, result *WidthsResult) error {
	w.Kernel = common
	for _, c := range []struct {
		kernel  kernel.Kernel
		learner Learner
	}{{common, w.For(common)}, {widths, widened{w}}} {
		y, err := CrossValidate(ctx, c.learner, tr.x, tr.t, selectionFolds, w.Seed)
		if err != nil {
			return err
		}
		y.Scale(1/temperature(y, tr.t, 0), y)
		trial := tr.trial(c.kernel, y)
		result.Trials = append(result.Trials, trial)
		if w.Tried != nil {
			w.Tried(trial)
		}
	}
	result.Accepted = result.Trials[1].LogLoss < result.Trials[0].LogLoss
	return nil
}

// widened is the learner of For with widths of its own training data.
type widened struct{ Widths }

// Fit learns the widths, then the model.
func (l widened) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...Observer) (*Model, Result, error) {
	with := l.For
	l.For = nil
	k, result, err := l.Learn(ctx, x, t)
	if err != nil {
		return nil, result.Result, err
	}
	return with(k).Fit(ctx, x, t, observers...)
}

// spread is the state of the search for widths.
type spread struct {
	Widths
	*training
	common   kernel.PerFeature // of θ₀
	absolute bool              // p = 1: Laplacian
	start    float64           // ln θ₀
	log      []float64         // ln θ_d

	k       *mat.Dense     // K
	basis   blas64.General // N×(N+2C): C⁻¹, and behind it u and a, a sample a row
	inverse *mat.Dense     // C⁻¹, in basis
	work    *mat.Dense     // N×N

	z, y    *mat.Dense // C×N: Z̄, and the Y it belongs to
	a, r, u *mat.Dense // C×N, see Widths
	loo     *mat.Dense // C×N: potentials by all others
	diag    []float64  // of C⁻¹
	logp    []float64  // ln P(t_n | y_n)
	logLik  float64    // their sum
}

// newSpread settles θ₀.
func newSpread(w Widths, tr *training) (*spread, error) {
	s := &spread{Widths: w, training: tr}
	k := w.Kernel
	untuned, ok := kernel.Untuned(k)
	if ok {
		k = untuned.WithTheta(untuned.MedianTheta(tr.x))
	}
	if s.common, ok = k.(kernel.PerFeature); !ok {
		return nil, fmt.Errorf("mpcvm: widths of the features are for an RBF or Laplacian kernel, not for %v", k)
	}
	sum, _ := s.common.Sum()
	theta := s.common.Width()
	s.absolute = sum == kernel.Absolutes
	if err := tr.separable(theta); err != nil {
		return nil, err
	}
	if err := kernel.Validate(s.common); err != nil {
		return nil, fmt.Errorf("mpcvm: %w", err)
	}
	n, c := tr.n, tr.c
	s.start, s.log = math.Log(theta), make([]float64, tr.d)
	for d := range s.log {
		s.log[d] = s.start
	}
	all := mat.NewDense(n, n+2*c, nil)
	s.basis, s.inverse = all.RawMatrix(), all.Slice(0, n, 0, n).(*mat.Dense)
	s.k, s.work = mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for _, m := range []**mat.Dense{&s.z, &s.y, &s.a, &s.r, &s.u, &s.loo} {
		*m = mat.NewDense(c, n, nil)
	}
	s.diag, s.logp = make([]float64, n), make([]float64, n)
	return s, nil
}

// kernel is the one of the present widths.
func (s *spread) kernel() kernel.Kernel {
	theta := make([]float64, s.d)
	for d, v := range s.log {
		theta[d] = min(math.Exp(v), math.MaxFloat64)
	}
	return s.common.WithThetas(theta)
}

// climb makes the rounds. Between steps the matrices belong to the present widths.
func (s *spread) climb(ctx context.Context, run *Run) {
	_ = s.invert(ctx) // it fails when ctx ends, which each round asks first
	var past []pair
	for range s.Rounds {
		if past = s.round(ctx, run, past); run.result.Status != NotTerminated {
			return
		}
	}
	run.End(IterationLimit)
}

// round finds Z̄ and takes the steps, whose pairs it adds to those of the past.
func (s *spread) round(ctx context.Context, run *Run, past []pair) []pair {
	s.settle(ctx)
	s.predict()
	var before, step []float64 // the gradient before the last step, and the step
	for i := range s.Steps {
		g := s.gradient(ctx)
		if i > 0 {
			past = remember(past, step, before, g)
		}
		before, step = g, s.search(ctx, g, uphill(g, past))
		change := floats.Norm(step, math.Inf(1))
		switch {
		case change == 0 && ctx.Err() != nil:
			run.End(Cancelled)
			return past
		case change == 0:
			if i == 0 {
				run.End(Converged)
			}
			return past
		}
		if run.Record(Step{Objective: s.objective(), LogLik: s.logLik, Change: change}) {
			return past
		}
	}
	return past
}

// search goes from the present widths in a direction of uphill, halving the way until
// L rises as it should, and returns the step: zeros where that would be less than a
// thousandth, or when ctx ends.
func (s *spread) search(ctx context.Context, g, direction []float64) []float64 {
	from, value, slope := slices.Clone(s.log), s.objective(), floats.Dot(g, direction)
	for ctx.Err() == nil && floats.Norm(direction, math.Inf(1)) >= 1e-3 {
		floats.AddTo(s.log, from, direction)
		if s.invert(ctx) != nil {
			break
		}
		if s.predict(); s.objective() >= value+1e-4*slope {
			return direction
		}
		floats.Scale(0.5, direction)
		slope /= 2
	}
	copy(s.log, from)
	_ = s.invert(ctx) // likewise
	s.predict()
	clear(direction)
	return direction
}

// objective is L.
func (s *spread) objective() float64 {
	sum := s.logLik
	for _, v := range s.log {
		sum -= (v - s.start) * (v - s.start) / (2 * s.Tau * s.Tau)
	}
	return sum
}

// panelRows is how many rows of a matrix are computed between two looks at the context.
const panelRows = 256

// invert sets K and C⁻¹. With C = LLᵀ and V = L⁻ᵀ, whose row n is L⁻¹e_n, it is VVᵀ.
func (s *spread) invert(ctx context.Context) error {
	kernel.Gram(s.k, s.kernel(), s.x)
	l, v := block(s.basis, 0, s.n, 0, s.n), s.work.RawMatrix()
	noise := max(1, 1e-15*s.Scale*float64(s.n)) // a Scale of 1e12 and more would bury it in rounding
	for i := range s.n {
		floats.ScaleTo(s.inverse.RawRowView(i), s.Scale, s.k.RawRowView(i))
		l.Data[i*l.Stride+i] += noise
	}
	for lo := 0; lo < s.n && ctx.Err() == nil; lo += panelRows {
		if !dense.CholeskyRows(l, lo, min(lo+panelRows, s.n)) {
			panic("mpcvm: covariance is not positive definite") // its eigenvalues are at least 1
		}
	}
	par.For(s.n, 48, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ { // zero before the diagonal
			row := s.work.RawRowView(i)
			clear(row)
			row[i] = 1
		}
		dense.SolveLower(block(l, lo, s.n, lo, s.n), block(v, lo, hi, lo, s.n))
	})
	for lo := 0; lo < s.n && ctx.Err() == nil; lo += panelRows {
		hi := min(lo+panelRows, s.n)
		dense.MulT(block(l, lo, hi, 0, hi), block(v, lo, hi, lo, s.n), block(v, 0, hi, lo, s.n))
	}
	dense.CopyLower(s.inverse)
	for n := range s.diag {
		s.diag[n] = s.inverse.At(n, n)
	}
	return ctx.Err()
}

// block is rows i to j and columns k to l of a matrix.
func block(a blas64.General, i, j, k, l int) blas64.General {
	a.Data = a.Data[i*a.Stride+k : (j-1)*a.Stride+l]
	a.Rows, a.Cols = j-i, l-k
	return a
}

// settle sets Y and Z̄ = E[z | t, Y] at the mode, where Y = s²KC⁻¹Z̄ = KW with the weights
// W = s²C⁻¹Z̄ of KernelPrior, climbing from those at hand.
func (s *spread) settle(ctx context.Context) {
	l := KernelPrior{Scale: s.Scale}.defaults()
	e := newAscent(l, s.training, s.kernel())
	floats.ScaleTo(e.w, s.Scale, s.a.RawMatrix().Data)
	e.begin()
	for i := 0; i < l.Iterations && ctx.Err() == nil; i++ {
		if _, done := e.iterate(); done {
			break
		}
	}
	s.y.Copy(e.matrix(e.y))
	probit.Batch{}.Means(s.z, s.logp, s.y, s.t)
}

// times sets dst = C⁻¹a for each row of a.
func (s *spread) times(dst, a *mat.Dense) {
	dense.MulT(dst.RawMatrix(), a.RawMatrix(), s.inverse.RawMatrix())
}

// predict sets the potentials of each sample by all others, the likelihood of their
// labels and r.
func (s *spread) predict() {
	s.times(s.a, s.z)
	for c := range s.c {
		floats.DivTo(s.loo.RawRowView(c), s.a.RawRowView(c), s.diag)
	}
	s.loo.Sub(s.z, s.loo)
	probit.Batch{}.Means(s.r, s.logp, s.loo, s.t)
	s.r.Sub(s.r, s.loo)
	s.logLik = floats.Sum(s.logp)
}

// gradient is ∂L/∂ln θ, see Widths. With Q symmetric and no distance on the diagonal,
// it takes 2Q below that: the product of rows (−2C⁻¹diag(v), a, u) and (C⁻¹, u, a).
func (s *spread) gradient(ctx context.Context) []float64 {
	v := make([]float64, s.n)
	scaled := mat.NewDense(s.c, s.n, nil)
	for c := range s.c {
		r, a, to := s.r.RawRowView(c), s.a.RawRowView(c), scaled.RawRowView(c)
		for n, d := range s.diag {
			to[n] = r[n] / d
			v[n] += to[n] * a[n] / d
		}
	}
	s.times(s.u, scaled)
	for n := range s.n {
		row := s.basis.Data[n*s.basis.Stride+s.n:]
		for c := range s.c {
			row[c], row[s.c+c] = s.u.At(c, n), s.a.At(c, n)
		}
	}
	g := make([]float64, s.d)
	left := make([]float64, min(panelRows, s.n)*s.basis.Stride)
	for lo := 0; lo < s.n && ctx.Err() == nil; lo += panelRows {
		hi := min(lo+panelRows, s.n)
		part := blas64.General{Rows: hi - lo, Cols: s.basis.Cols, Stride: s.basis.Stride, Data: left}
		for n := lo; n < hi; n++ {
			to, from := left[(n-lo)*part.Stride:], s.basis.Data[n*part.Stride:]
			for m, v := range v {
				to[m] = -2 * from[m] * v
			}
			copy(to[s.n:s.n+s.c], from[s.n+s.c:][:s.c])
			copy(to[s.n+s.c:][:s.c], from[s.n:][:s.c])
		}
		q := block(s.work.RawMatrix(), lo, hi, 0, hi)
		dense.MulT(q, part, block(s.basis, 0, hi, 0, s.basis.Cols))
		floats.Add(g, s.distances(q, lo, hi))
	}
	for d := range g {
		g[d] *= -s.Scale * math.Exp(s.log[d])
		g[d] -= (s.log[d] - s.start) / (s.Tau * s.Tau)
	}
	return g
}

// distances is Σ 2Q_ab K_ab |x_ad − x_bd|ᵖ over rows a from lo to hi and b < a, 2Q being
// given in these rows.
func (s *spread) distances(q blas64.General, lo, hi int) []float64 {
	const piece = 16
	parts := make([][]float64, (hi-lo+piece-1)/piece)
	par.For(hi-lo, piece, func(from, to int) {
		sum := make([]float64, s.d)
		for i := from; i < to; i++ {
			a := s.x.RawRowView(lo + i)
			k := s.k.RawRowView(lo + i)[:lo+i]
			for b, value := range k {
				weight := q.Data[i*q.Stride+b] * value
				x := s.x.RawRowView(b)[:len(a)]
				if s.absolute {
					for d, v := range a {
						sum[d] += weight * math.Abs(v-x[d])
					}
					continue
				}
				for d, v := range a {
					sum[d] += weight * (v - x[d]) * (v - x[d])
				}
			}
		}
		parts[from/piece] = sum
	})
	sum := make([]float64, s.d)
	for _, p := range parts {
		floats.Add(sum, p)
	}
	return sum
}

// pair is a step and how much the gradient fell along it.
type pair struct{ step, fall []float64 }

// remember adds a step between two gradients where the function is concave along it.
func remember(past []pair, step, before, after []float64) []pair {
	fall := floats.SubTo(make([]float64, len(step)), before, after)
	if floats.Dot(step, fall) <= 1e-10*floats.Norm(step, 2)*floats.Norm(fall, 2) {
		return past
	}
	return append(past, pair{step, fall})
}

// uphill is the direction of L-BFGS (Nocedal and Wright 2006, algorithm 7.4), at most 1
// in each width's logarithm; without a past it is half the gradient, made that long.
func uphill(g []float64, past []pair) []float64 {
	v := slices.Clone(g)
	share := make([]float64, len(past))
	for i := len(past) - 1; i >= 0; i-- {
		p := past[i]
		share[i] = floats.Dot(p.step, v) / floats.Dot(p.step, p.fall)
		floats.AddScaled(v, -share[i], p.fall)
	}
	longest := 0.5
	if n := len(past); n > 0 {
		p := past[n-1]
		floats.Scale(floats.Dot(p.step, p.fall)/floats.Dot(p.fall, p.fall), v)
		longest = 1
	}
	for i, p := range past {
		floats.AddScaled(v, share[i]-floats.Dot(p.fall, v)/floats.Dot(p.step, p.fall), p.step)
	}
	if size := floats.Norm(v, math.Inf(1)); size > longest || len(past) == 0 && size > 0 {
		floats.Scale(longest/size, v)
	}
	return v
}
