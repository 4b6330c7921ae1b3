package mrvm

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// BottomUp is mRVM₁. It starts with an empty model, then adds, re-estimates and deletes basis functions to
// maximise the marginal likelihood. The fit is deterministic. The zero value is the recommended setting.
type BottomUp struct {
	// Kernel is the kernel of the basis functions. If it is nil, an RBF kernel is used. If the kernel's width
	// is zero, it is set to the inverse of the median distance of the samples (kernel.Tunable.MedianTheta); a
	// tuned width is usually better.
	Kernel kernel.Kernel

	// Actions is the maximum number of basis functions that an iteration adds, re-estimates or deletes, each
	// chosen with the Z̄ at the start of the iteration. If it is zero, 5 is used. The papers use 1; 5 needs
	// fewer iterations and has a lower error (28.8 % instead of 32.9 % on Vowel).
	Actions int

	// Start is the difference between the starting Z̄ of a sample's own class and of the other classes. If it
	// is zero, 5 times the number of classes is used. A basis function separates one class from the others
	// but needs a weight for each class: with Start 5, the model stays empty for 100 classes.
	Start float64

	// Tol is the tolerance of convergence: the fit has converged if no basis function would be added or
	// deleted and no log alpha would change by more than Tol. If it is zero, 0.01 is used, the paper's value.
	// If it is negative, the fit runs until MaxIterations.
	Tol float64

	// MaxIterations is the maximum number of iterations. If it is zero, 2000 is used.
	MaxIterations int
}

// Fit trains a model on the samples. The features should be standardised. In a Step, the Class of each Basis
// is −1, which means all classes.
//
// Fit returns a *mpcvm.CellError if the data are invalid, and a *mpcvm.MemoryError if the fit needs more
// memory than is available. If ctx ends, Fit returns the model of the last iteration, or nil if there was
// none, and an error that wraps ctx.Err(). Fit panics if an option is negative; Tol may be
// negative.
//
// An iteration takes O(N²C + NMC + M³) operations for M relevance vectors.
func (l BottomUp) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*Model,
	mpcvm.Result, error) {
	d, err := fitting.NewEqual("mrvm", fitting.Samples(s))
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	l.Actions = args.Option("mrvm: BottomUp.Actions", l.Actions, 5)
	l.Start = args.Option("mrvm: BottomUp.Start", l.Start, 5*float64(d.C))
	l.Tol = args.Tolerance("mrvm: BottomUp.Tol", l.Tol, 1e-2)
	l.MaxIterations = args.Option("mrvm: BottomUp.MaxIterations", l.MaxIterations, 2000)
	r := mpcvm.NewRun(ctx, l.MaxIterations, observers...)
	tr, err := newTraining(d, l.Kernel, "BottomUp", 1)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	defer tr.release()
	g := newGrowth(l, tr)
	r.Snapshot = func() mpcvm.Classifier { return tr.model(g.samples, g.w) }
	for {
		if ctx.Err() != nil {
			r.End(mpcvm.Cancelled)
			break
		}
		step, idle := g.iterate()
		if r.Record(step) {
			break
		}
		if idle {
			r.End(mpcvm.Converged)
			if len(g.samples) == 0 {
				r.End(mpcvm.Collapsed)
			}
			break
		}
	}
	return tr.finish(r, tr.model(g.samples, g.w))
}

// growth is the state of the maximisation of the marginal likelihood.
type growth struct {
	BottomUp
	*training
	gram [][]float64 // rows of ΦᵀΦ; nil for samples that have never been in the model

	samples []int     // in the model
	at      []int     // index of each sample in samples, −1 if it is not in the model
	alpha   []float64 // precisions
	w       *mat.Dense
	h       factor
	sigma   []float64 // diagonal of H⁻¹

	s []float64  // S_n of all samples
	q *mat.Dense // C×N, Q_nc; for samples not in the model valid only after a search
	p *mat.Dense // C×M, Φ_Mᵀz̄

	z, y *mat.Dense // C×N posterior means and potentials
	logp []float64  // log p(t_n | W)

	changes int // number of changes so far
	quiet   int // iterations since a basis function was added or deleted
}

func newGrowth(l BottomUp, tr *training) *growth {
	g := &growth{
		BottomUp: l, training: tr, gram: make([][]float64, tr.N), at: make([]int, tr.N),
		w: new(mat.Dense), s: slices.Clone(tr.norm), q: mat.NewDense(tr.C, tr.N, nil), p: new(mat.Dense),
		z: mat.NewDense(tr.C, tr.N, nil), y: mat.NewDense(tr.C, tr.N, nil), logp: make([]float64, tr.N),
	}
	// without biases, the mean over the classes is zero
	fitting.Fill(g.z.RawMatrix().Data, -l.Start/float64(tr.C))
	for n, t := range tr.T {
		g.at[n] = -1
		g.z.Set(t, n, l.Start-l.Start/float64(tr.C))
	}
	return g
}

// change is a possible change of the model: the precision of sample n becomes alpha. If alpha is infinite,
// the sample leaves the model.
type change struct {
	n           int
	alpha, gain float64 // gain in log marginal likelihood, nats
}

// iterate makes the changes of one iteration and sets W and Z̄. idle is true if there was nothing to change.
func (g *growth) iterate() (step mpcvm.Step, idle bool) {
	// If no basis function was added or deleted recently, only every fifth iteration searches all samples.
	search := g.quiet < 5 || g.quiet%5 == 0
	var added, deleted []mpcvm.Basis
	reestimated := 0
	before := g.weights()
	g.factors(search)
	for range g.Actions {
		best, ok := g.best(search)
		if !ok {
			break
		}
		switch {
		case g.at[best.n] < 0:
			added = append(added, allClasses(best.n))
		case math.IsInf(best.alpha, 1):
			deleted = append(deleted, allClasses(best.n))
		default:
			reestimated++
		}
		g.apply(best)
	}
	g.quiet++
	if len(added)+len(deleted) > 0 {
		g.quiet = 0
	}
	g.weigh()

	step = g.step(len(g.samples))
	step.Added, step.Deleted, step.Reestimated = added, deleted, reestimated
	step.Change = g.moved(before)
	step.LogLik = floats.Sum(g.logp)
	step.Objective = step.LogLik - g.penalty()/2
	idle = search && len(added)+len(deleted)+reestimated == 0
	return step, idle
}

// factors sets Φ_Mᵀz̄. If all is true, it also sets Q_nc = φ_nᵀ(z̄_c − Φ_M H⁻¹Φ_Mᵀz̄_c) for all samples, by
// Woodbury's identity.
func (g *growth) factors(all bool) {
	g.p = g.project(g.samples, g.z)
	if !all {
		return
	}
	var rest mat.Dense
	rest.CloneFrom(g.z)
	mu := g.solution()
	floats.Scale(-1, mu.RawMatrix().Data)
	g.expand(&rest, g.samples, mu)
	dense.MulT(g.q.RawMatrix(), rest.RawMatrix(), g.phi.RawMatrix())
}

// solution returns H⁻¹Φ_Mᵀz̄ (C×M).
func (g *growth) solution() *mat.Dense {
	mu := new(mat.Dense)
	if len(g.samples) > 0 {
		mu.CloneFrom(g.p)
		g.h.solve(mu)
	}
	return mu
}

const (
	leastNew      = 1e-9   // smallest S_n/φ_nᵀφ_n of a new basis function; less is a rounding error
	leastGain     = 1e-3   // smallest gain of a new basis function, nats
	leastDistance = 1e-12  // smallest squared distance of two columns, relative to their norm
	leastAlpha    = 1e-300 // smallest precision whose logarithm is finite
)

// best returns the change with the largest gain: among all samples if search is true, otherwise among the
// samples in the model. ok is false if no change has a positive gain.
func (g *growth) best(search bool) (best change, ok bool) {
	classes := float64(g.C)
	try := func(c change) {
		if !ok || c.gain > best.gain {
			best, ok = c, true
		}
	}
	mu := g.solution()
	for i, n := range g.samples {
		// s and q without the basis function, from Σ_ii = 1/(α + s) and w = q/(α + s).
		variance, alpha := g.sigma[i], g.alpha[i]
		s, q2 := max(1/variance-alpha, 0), 0.0
		for c := range g.C {
			q := mu.At(c, i) / variance
			q2 += q * q
		}
		now := share(alpha, s, q2, classes)
		if q2 <= classes*s {
			try(change{n, math.Inf(1), -now})
			continue
		}
		next := classes * s * s / (q2 - classes*s)
		if next < leastAlpha { // s² underflows if kernel values are below 1e-80
			next = max(s/(q2/(classes*s)-1), leastAlpha)
		}
		if math.Abs(math.Log(next/alpha)) > g.Tol {
			try(change{n, next, share(next, s, q2, classes) - now})
		}
	}
	if !search {
		return best, ok
	}
	first := g.changes == 0
	for n, s := range g.s {
		if g.at[n] >= 0 || !(s > leastNew*g.norm[n]) {
			continue
		}
		q2 := 0.0
		for c := range g.C {
			q := g.q.At(c, n)
			q2 += q * q
		}
		ratio := q2 / (classes * s)
		if !first && ratio <= 1 {
			continue
		}
		c := change{n, max(s/(ratio-1), leastAlpha), classes / 2 * (ratio - 1 - math.Log(ratio))}
		if ratio <= 1 { // the first basis function enters even at a loss; its weight is halved
			c.alpha, c.gain = max(s, leastAlpha), ratio-1
		}
		if (first || c.gain > leastGain) && (!ok || c.gain > best.gain) && !g.duplicate(n) {
			try(c)
		}
	}
	return best, ok
}

// share is l(α), the contribution of a basis function with precision alpha to the log marginal likelihood. q2
// is Σ_c q_c².
func share(alpha, s, q2, classes float64) float64 {
	return (classes*math.Log(alpha/(alpha+s)) + q2/(alpha+s)) / 2
}

// duplicate reports whether the model contains a basis function with the same column, up to rounding.
func (g *growth) duplicate(n int) bool {
	for _, k := range g.samples {
		if g.norm[n]+g.norm[k]-2*g.gram[k][n] <= leastDistance*g.norm[n] {
			return true
		}
	}
	return false
}

// refresh is the number of changes after which S is recomputed, so that rounding errors do not accumulate.
const refresh = 64

// apply makes a change. C changes by δφφᵀ with δ = Δ(1/α). With v = ΦᵀC⁻¹φ, S_n changes by −δ/(1 + δS)·v_n²
// and Q_nc by −δ/(1 + δS)·v_n q_c.
func (g *growth) apply(c change) {
	at, delta := g.at[c.n], 1/c.alpha
	v, u := make([]float64, g.N), make([]float64, len(g.samples))
	if at < 0 {
		copy(v, g.products(c.n))
		for i, n := range g.samples {
			u[i] = -v[n]
		}
		dense.Solve(g.h.general(), u)
	} else { // φ_nᵀC⁻¹φ = α(ΦᵀΦ_M H⁻¹)_n
		delta -= 1 / g.alpha[at]
		g.h.inverseColumn(u, at)
		floats.Scale(g.alpha[at], u)
	}
	rows := make([][]float64, len(g.samples))
	for i, n := range g.samples {
		rows[i] = g.gram[n]
	}
	dense.Combine(v, u, rows)
	weight := delta / (1 + delta*v[c.n])
	for k := range g.C {
		row := g.q.RawRowView(k)
		floats.AddScaled(row, -weight*row[c.n], v)
	}
	for n, x := range v {
		g.s[n] -= weight * x * x
	}
	g.set(c)
	g.factorize()
	g.changes++
	if g.changes%refresh == 0 {
		g.sparsity()
	}
}

// products returns the row of ΦᵀΦ of a sample.
func (g *growth) products(n int) []float64 {
	if g.gram[n] == nil {
		row := mat.NewDense(1, g.N, nil)
		dense.MulT(row.RawMatrix(), g.phi.Slice(n, n+1, 0, g.N).(*mat.Dense).RawMatrix(), g.phi.RawMatrix())
		g.gram[n] = row.RawRowView(0)
	}
	return g.gram[n]
}

// set updates samples, at and alpha for a change.
func (g *growth) set(c change) {
	at := g.at[c.n]
	switch {
	case at < 0:
		g.at[c.n] = len(g.samples)
		g.samples, g.alpha = append(g.samples, c.n), append(g.alpha, c.alpha)
	case math.IsInf(c.alpha, 1):
		g.samples, g.alpha = slices.Delete(g.samples, at, at+1), slices.Delete(g.alpha, at, at+1)
		g.at[c.n] = -1
		for i, n := range g.samples {
			g.at[n] = i
		}
	default:
		g.alpha[at] = c.alpha
		return
	}
	g.p = g.project(g.samples, g.z)
}

// factorize computes the factor of H and the diagonal of H⁻¹.
func (g *growth) factorize() {
	_ = g.h.factorize(context.Background(), g.gram, g.samples, g.alpha) // M is small
	g.sigma = append(g.sigma[:0], g.alpha...)
	dense.InverseDiagonal(g.sigma, g.h.general())
}

// sparsity computes S_n = φ_nᵀφ_n − φ_nᵀΦ_M H⁻¹Φ_Mᵀφ_n for all samples.
func (g *growth) sparsity() {
	m := len(g.samples)
	if m == 0 {
		copy(g.s, g.norm)
		return
	}
	par.For(g.N, 64, func(lo, hi int) {
		v := mat.NewDense(hi-lo, m, nil)
		for i, k := range g.samples {
			for n := lo; n < hi; n++ {
				v.Set(n-lo, i, g.gram[k][n])
			}
		}
		dense.SolveLower(g.h.general(), v.RawMatrix())
		for n := lo; n < hi; n++ {
			row := v.RawRowView(n - lo)
			g.s[n] = g.norm[n] - dense.Dot(row, row)
		}
	})
}

// weigh sets W = H⁻¹Φ_Mᵀz̄ and the potentials, and then Z̄ by the E-step.
func (g *growth) weigh() {
	g.w = g.solution()
	g.y.Zero()
	g.expand(g.y, g.samples, g.w)
	probit.Batch{}.Means(g.z, g.logp, g.y, g.T)
}

// penalty returns Σ_c w_cᵀAw_c + C(log|H| − Σ log α).
func (g *growth) penalty() float64 {
	volume, sum := g.h.logDet(), 0.0
	if len(g.samples) == 0 {
		volume = 0
	}
	for i, a := range g.alpha {
		volume -= math.Log(a)
		for c := range g.C {
			w := g.w.At(c, i)
			sum += a * w * w
		}
	}
	return sum + float64(g.C)*volume
}

// weights returns the weights of each sample in the model.
func (g *growth) weights() map[int][]float64 {
	w := make(map[int][]float64, len(g.samples))
	for i, n := range g.samples {
		w[n] = mat.Col(nil, i, g.w)
	}
	return w
}

// moved returns max|ΔW|/max|W| since before. It is 1 if all weights were deleted.
func (g *growth) moved(before map[int][]float64) float64 {
	moved, largest := 0.0, 0.0
	for i, n := range g.samples {
		old := before[n]
		for c := range g.C {
			w, from := g.w.At(c, i), 0.0
			if old != nil {
				from = old[c]
			}
			moved, largest = max(moved, math.Abs(w-from)), max(largest, math.Abs(w))
		}
		delete(before, n)
	}
	for _, old := range before {
		moved = max(moved, floats.Norm(old, math.Inf(1)))
	}
	switch {
	case moved == 0:
		return 0
	case largest == 0:
		return 1
	}
	return moved / largest
}
