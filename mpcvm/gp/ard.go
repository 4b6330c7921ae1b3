package gp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// ARD learns a width for each feature (automatic relevance determination). It turns a [kernel.Stationary]
// kernel into a [kernel.StationaryARD], which any learner can use. Separate widths help if some features
// matter more than others, as on Letter and Vowel, but may overfit with few samples. Compare both kernels by
// search.CrossValidate, or let search.Auto do so. The zero value is ready to use.
//
// # The objective
//
// Let the potentials have a Gaussian prior with covariance s²K, and let Z̄ be the means of the auxiliary
// variables at the mode: Z̄ = E[z | t, Y] and Y = s²KC⁻¹Z̄ with C = s²K + I. If the z̄_c were observations
// with unit noise, the potential of sample n predicted from all others would be (Sundararajan and Keerthi
// 2001, DOI 10.1162/08997660151134343)
//
//	y_nc = z̄_nc − a_nc/d_n,   a_c = C⁻¹z̄_c,   d = diag C⁻¹,
//
// so that one inverse gives the predictions for all samples. With sample weights ω, C = s²K + Ω⁻¹, and ω
// multiplies ln P below. At fixed Z̄, the leave-one-out log likelihood with a Gaussian prior centred at the
// common width θ₀,
//
//	L = Σ_n ln P(t_n | y_n) − Σ_d (ln θ_d − ln θ₀)² / 2τ²,
//
// is maximised over ln θ_d by a few steps of L-BFGS. Then Z̄ is computed again. s² is fixed, because a change
// of scale could compensate for a change of the widths.
//
// # Its gradient
//
// With dC⁻¹ = −C⁻¹ dC C⁻¹, r_nc = ∂ln P/∂y_nc = E[z_nc | t_n, y_n] − y_nc and u_c = C⁻¹(r_c/d),
//
//	dL = Σ_nc r_nc (−da_nc/d_n + a_nc dd_n/d_n²)
//	   = Σ_c u_cᵀ dC a_c − Σ_n v_n (C⁻¹ dC C⁻¹)_nn,   v_n = Σ_c r_nc a_nc/d_n²,
//	   = Σ_ab Q_ab dC_ab,   Q = ½ Σ_c (a_c u_cᵀ + u_c a_cᵀ) − C⁻¹ diag(v) C⁻¹,
//
// and ∂C_ab/∂ln θ_d = −s² θ_d f_ab |x_ad − x_bd|ᵖ, where p is 1 for Laplacian and RationalLaplacian and 2 for
// the other kernels, and f_ab = −dk/dt (see kernel.PerFeature). For example, f_ab is K_ab for the RBF kernel
// and K_ab² for RationalLaplacian.
type ARD struct {
	// Kernel is a kernel with one width, such as RBF or Laplacian. Its Theta is θ₀, the initial value of
	// all widths and the centre of their prior. If Theta is zero, the inverse of the median distance of
	// the samples is used. If Kernel is nil, an RBF kernel is used.
	Kernel kernel.Kernel

	// Scale is s², the prior variance of a potential in units of the noise of z. If it is zero, 100 is
	// used, which suits labels with little noise. If the classes overlap strongly, use 1: with a larger
	// Scale, an irrelevant feature may receive a narrow width, because that makes predictions less
	// certain.
	Scale float64

	// Tau is τ, the prior standard deviation of ln θ_d. If it is zero, 0.5 is used.
	Tau float64

	// Rounds is the number of times that Z̄ is computed, and Steps is the number of L-BFGS steps in each
	// round. If they are zero, 4 and 6 are used.
	Rounds, Steps int
}

// ARDResult describes a fit of ARD. An iteration of the Result is an L-BFGS step, Objective is L, and LogLik
// is the first term of L, in nats. L can fall only when Z̄ is computed again. The status is Converged if no
// width changes by more than 0.1 % at the start of a round; usually it is IterationLimit.
type ARDResult struct {
	mpcvm.Result

	// Importance is θ_d/θ₀ for each of the D features. With standardised features, it is well above 1 for
	// a feature that separates the classes and near 0 for one that does not. A value near 1 may also mean
	// that the samples do not determine the width, for example if the feature is constant. Features with
	// the same information share their importance. If labels are noisy, see Scale.
	Importance []float64
}

// Fit returns the kernel with the widths learned from the samples. The features should be standardised.
//
// Fit returns a *mpcvm.CellError if the data are invalid, a *mpcvm.MemoryError if there is not enough memory,
// and an error if the kernel does not support a width for each feature. If ctx ends first, it returns the
// kernel of the last step, or nil if there was none, and an error that wraps ctx.Err(). It panics if the
// slices of the samples differ in length or an option is negative. A step takes about 2N³ operations.
func (w ARD) Fit(ctx context.Context, samples mpcvm.Samples,
	observers ...mpcvm.Observer) (kernel.Kernel, ARDResult, error) {
	w.Scale, w.Tau = args.Option("gp: ARD.Scale", w.Scale, 100), args.Option("gp: ARD.Tau", w.Tau, 0.5)
	w.Rounds, w.Steps = args.Option("gp: ARD.Rounds", w.Rounds, 4), args.Option("gp: ARD.Steps", w.Steps, 6)
	d, err := fitting.New(fitting.Samples(samples))
	if err != nil {
		return nil, ARDResult{}, err
	}
	release, err := reserve(ctx, "ARD", d, 3, 8)
	if err != nil {
		return nil, ARDResult{}, err
	}
	defer release()
	s, err := newARD(w, d)
	if err != nil {
		return nil, ARDResult{}, err
	}
	run := mpcvm.NewRun(ctx, w.Rounds*w.Steps, observers...)
	s.maximise(ctx, run)
	result := ARDResult{Importance: make([]float64, d.D)}
	for i, v := range s.log {
		result.Importance[i] = math.Exp(v - s.start)
	}
	var k kernel.Kernel
	if run.Result.Iterations > 0 || run.Result.Status == mpcvm.Converged {
		k = s.kernel()
	}
	result.Result, err = run.Finish()
	return k, result, err
}

// ardState is the state of the maximisation of L.
type ardState struct {
	ARD
	*fitting.Data
	common   kernel.PerFeature // the kernel with width θ₀
	absolute bool              // p = 1
	start    float64           // ln θ₀
	log      []float64         // ln θ_d

	k       *mat.Dense     // K
	basis   blas64.General // N×(N+2C): C⁻¹, u and a side by side
	inverse *mat.Dense     // C⁻¹, a view of basis
	work    *mat.Dense     // N×N

	z, y    *mat.Dense // C×N: Z̄ and the corresponding Y
	a, r, u *mat.Dense // C×N, see ARD
	loo     *mat.Dense // C×N: leave-one-out potentials
	diag    []float64  // diag C⁻¹
	logp    []float64  // ln P(t_n | y_n)
	logLik  float64    // the sum of logp
}

// newARD checks the kernel, sets θ₀ if Theta is zero, and allocates the state.
func newARD(w ARD, d *fitting.Data) (*ardState, error) {
	s := &ardState{ARD: w, Data: d}
	k := w.Kernel
	untuned, ok := kernel.Untuned(k)
	if ok {
		k = untuned.WithTheta(untuned.MedianTheta(d.X))
	}
	if s.common, ok = k.(kernel.PerFeature); !ok {
		return nil, fmt.Errorf("gp: ARD: kernel %v does not support a width for each feature; "+
			"use a kernel.Stationary such as kernel.RBF", k)
	}
	theta := s.common.Width()
	s.absolute = s.common.Sum().Kind == kernel.Absolutes
	if err := d.CheckDistances(theta); err != nil {
		return nil, err
	}
	if err := d.CheckKernel("mpcvm", s.common); err != nil {
		return nil, err
	}
	n, c := d.N, d.C
	s.start, s.log = math.Log(theta), make([]float64, d.D)
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

// kernel returns the kernel with the current widths.
func (s *ardState) kernel() kernel.Kernel {
	theta := make([]float64, s.D)
	for d, v := range s.log {
		theta[d] = min(math.Exp(v), math.MaxFloat64)
	}
	return s.common.WithThetas(theta)
}

// maximise runs all rounds. Between steps, the matrices belong to the current widths.
func (s *ardState) maximise(ctx context.Context, run *mpcvm.Run) {
	_ = s.invert(ctx) // fails only if ctx ends, which each round checks
	var past []pair
	for range s.Rounds {
		if past = s.round(ctx, run, past); run.Result.Status != mpcvm.NotTerminated {
			return
		}
	}
	run.End(mpcvm.IterationLimit)
}

// round computes Z̄ and takes the steps of a round. It returns the past pairs with the new ones.
func (s *ardState) round(ctx context.Context, run *mpcvm.Run, past []pair) []pair {
	s.posteriorMeans(ctx)
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
			run.End(mpcvm.Cancelled)
			return past
		case change == 0:
			if i == 0 {
				run.End(mpcvm.Converged)
			}
			return past
		}
		if run.Record(mpcvm.Step{Objective: s.objective(), LogLik: s.logLik, Change: change}) {
			return past
		}
	}
	return past
}

// search takes a step from the current widths in a direction of ascent, halved until L rises enough (Armijo),
// and returns the step. The step is zero if it would be smaller than 0.001 or if ctx ends.
func (s *ardState) search(ctx context.Context, g, direction []float64) []float64 {
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
	_ = s.invert(ctx) // as in maximise
	s.predict()
	clear(direction)
	return direction
}

// objective returns L.
func (s *ardState) objective() float64 {
	sum := s.logLik
	for _, v := range s.log {
		sum -= (v - s.start) * (v - s.start) / (2 * s.Tau * s.Tau)
	}
	return sum
}

// panelRows is the number of rows that are computed between two checks of the context.
const panelRows = 256

// invert sets K and C⁻¹ = VVᵀ, where C = LLᵀ and V = L⁻ᵀ has the rows L⁻¹e_n.
func (s *ardState) invert(ctx context.Context) error {
	kernel.Gram(s.k, s.kernel(), s.X)
	l, v := block(s.basis, 0, s.N, 0, s.N), s.work.RawMatrix()
	least := 1e-15 * s.Scale * float64(s.N) // matters for a Scale of 1e12 or more, because of rounding
	for i := range s.N {
		floats.ScaleTo(s.inverse.RawRowView(i), s.Scale, s.k.RawRowView(i))
		l.Data[i*l.Stride+i] += max(1/s.Weight(i), least)
	}
	for lo := 0; lo < s.N && ctx.Err() == nil; lo += panelRows {
		if !dense.CholeskyRows(l, lo, min(lo+panelRows, s.N)) {
			// Cannot happen: the eigenvalues are at least the inverse of the largest weight.
			panic("gp: covariance is not positive definite")
		}
	}
	par.For(s.N, 48, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ {
			row := s.work.RawRowView(i)
			clear(row)
			row[i] = 1
		}
		dense.SolveLower(block(l, lo, s.N, lo, s.N), block(v, lo, hi, lo, s.N))
	})
	for lo := 0; lo < s.N && ctx.Err() == nil; lo += panelRows {
		hi := min(lo+panelRows, s.N)
		dense.MulT(block(l, lo, hi, 0, hi), block(v, lo, hi, lo, s.N), block(v, 0, hi, lo, s.N))
	}
	dense.CopyLower(s.inverse)
	for n := range s.diag {
		s.diag[n] = s.inverse.At(n, n)
	}
	return ctx.Err()
}

// block returns rows i to j−1 and columns k to l−1 of a matrix.
func block(a blas64.General, i, j, k, l int) blas64.General {
	a.Data = a.Data[i*a.Stride+k : (j-1)*a.Stride+l]
	a.Rows, a.Cols = j-i, l-k
	return a
}

// posteriorMeans sets Y and Z̄ = E[z | t, Y] at the mode, where Y = s²KC⁻¹Z̄ = KW with the weights
// W = s²C⁻¹Z̄ of KernelPrior. It starts from the current weights.
func (s *ardState) posteriorMeans(ctx context.Context) {
	l := KernelPrior{Scale: s.Scale}.defaults()
	e := newAscent(ctx, l, s.Data, s.kernel(), fitting.All(s.N), nil, gram.Options{})
	floats.ScaleTo(e.w, s.Scale, s.a.RawMatrix().Data)
	e.begin()
	for i := 0; i < l.MaxIterations && ctx.Err() == nil; i++ {
		if _, done := e.iterate(); done {
			break
		}
	}
	s.y.Copy(e.matrix(e.y))
	probit.Batch{}.Means(s.z, s.logp, s.y, s.T)
}

// times sets dst = C⁻¹a for each row of a.
func (s *ardState) times(dst, a *mat.Dense) {
	dense.MulT(dst.RawMatrix(), a.RawMatrix(), s.inverse.RawMatrix())
}

// predict sets the leave-one-out potentials, the log likelihood and r.
func (s *ardState) predict() {
	s.times(s.a, s.z)
	for c := range s.C {
		floats.DivTo(s.loo.RawRowView(c), s.a.RawRowView(c), s.diag)
	}
	s.loo.Sub(s.z, s.loo)
	probit.Batch{}.Means(s.r, s.logp, s.loo, s.T)
	s.r.Sub(s.r, s.loo)
	for c := 0; c < s.C && s.Weights != nil; c++ {
		floats.Mul(s.r.RawRowView(c), s.Weights)
	}
	s.logLik = s.LogLik(s.logp)
}

// gradient returns ∂L/∂ln θ; see ARD. Because Q is symmetric and the distances on the diagonal are zero, only
// 2Q below the diagonal is needed. It is the product of the rows (−2C⁻¹diag(v), a, u) and (C⁻¹, u, a).
func (s *ardState) gradient(ctx context.Context) []float64 {
	v := make([]float64, s.N)
	scaled := mat.NewDense(s.C, s.N, nil)
	for c := range s.C {
		r, a, to := s.r.RawRowView(c), s.a.RawRowView(c), scaled.RawRowView(c)
		for n, d := range s.diag {
			to[n] = r[n] / d
			v[n] += to[n] * a[n] / d
		}
	}
	s.times(s.u, scaled)
	for n := range s.N {
		row := s.basis.Data[n*s.basis.Stride+s.N:]
		for c := range s.C {
			row[c], row[s.C+c] = s.u.At(c, n), s.a.At(c, n)
		}
	}
	g := make([]float64, s.D)
	left := make([]float64, min(panelRows, s.N)*s.basis.Stride)
	for lo := 0; lo < s.N && ctx.Err() == nil; lo += panelRows {
		hi := min(lo+panelRows, s.N)
		part := blas64.General{Rows: hi - lo, Cols: s.basis.Cols, Stride: s.basis.Stride, Data: left}
		for n := lo; n < hi; n++ {
			to, from := left[(n-lo)*part.Stride:], s.basis.Data[n*part.Stride:]
			for m, v := range v {
				to[m] = -2 * from[m] * v
			}
			copy(to[s.N:s.N+s.C], from[s.N+s.C:][:s.C])
			copy(to[s.N+s.C:][:s.C], from[s.N:][:s.C])
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

// distances returns Σ 2Q_ab f_ab |x_ad − x_bd|ᵖ over the rows a from lo to hi−1 and b < a. q contains these
// rows of 2Q.
func (s *ardState) distances(q blas64.General, lo, hi int) []float64 {
	const piece = 16
	parts := make([][]float64, (hi-lo+piece-1)/piece)
	par.For(hi-lo, piece, func(from, to int) {
		sum := make([]float64, s.D)
		for i := from; i < to; i++ {
			a := s.X.RawRowView(lo + i)
			k := s.k.RawRowView(lo + i)[:lo+i]
			for b, value := range k {
				weight := q.Data[i*q.Stride+b] * s.common.Fall(value)
				x := s.X.RawRowView(b)[:len(a)]
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
	sum := make([]float64, s.D)
	for _, p := range parts {
		floats.Add(sum, p)
	}
	return sum
}

// pair is a step and the decrease of the gradient along it.
type pair struct{ step, fall []float64 }

// remember appends the step between two gradients to past if the function is concave along it.
func remember(past []pair, step, before, after []float64) []pair {
	fall := floats.SubTo(make([]float64, len(step)), before, after)
	if floats.Dot(step, fall) <= 1e-10*floats.Norm(step, 2)*floats.Norm(fall, 2) {
		return past
	}
	return append(past, pair{step, fall})
}

// uphill returns the direction of L-BFGS (Nocedal and Wright 2006, algorithm 7.4), scaled so that no entry
// exceeds 1. Without past steps, it returns the gradient, scaled so that no entry exceeds 0.5.
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
