package mrvm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// TopDown is mRVM₂: expectation-maximisation from a model that holds every training
// sample, out of which most are pruned. The zero value is the recommended setting.
// Nothing is random.
type TopDown struct {
	// Kernel is the basis function. If it is nil, an RBF is used. The Theta of an RBF
	// or Laplacian kernel, where it is zero, is the inverse of the median distance of
	// the samples (kernel.MedianTheta): a guess, better tuned.
	Kernel kernel.Kernel

	// Start is how far the first Z̄ puts the own class above the others. It decides how
	// many samples survive, because the fit ends long before the weights forget it.
	// If it is zero, 5 times the number of classes is used: with 5, 792 samples of 11
	// classes (Vowel) lose nearly everything, and over 40 % of the labels are wrong, not 7 %.
	Start float64

	// Tau, Upsilon are shape and rate of the Gamma hyper-prior of the precisions
	// alpha_n. If one is zero, 1e-5 is used.
	Tau, Upsilon float64

	// Prune is the precision alpha_n above which a sample is dropped for good. If it is
	// zero, 1e5 is used. No alpha exceeds (C + 2·Tau)/(2·Upsilon).
	Prune float64

	// Tol ends the fit as Converged when for five iterations the log alphas moved by
	// less than Tol in the mean. If it is zero, 5e-2 is used; a negative value never
	// ends it. Much less is not better: the maximum of the posterior has next to no
	// samples, and with 1e-2 ERR on Vowel rises from 7.0 to 9.5 %.
	Tol float64

	// MaxIterations is the largest number of iterations. If it is zero, 500 is used.
	MaxIterations int
}

// Fit learns from N samples x (rows; D features) and their labels t, 0 to C−1 with
// every class present. The features should be standardised.
//
// It returns a *mpcvm.CellError for data from which nothing can be learned, and a
// *mpcvm.MemoryError if less than 24N² + 32NC bytes of memory are at hand. When ctx
// ends first it returns the model of the last iteration together with an error that
// wraps ctx.Err(); the model is nil if there was no iteration yet. It panics if t has
// not a label for each row of x or an option is negative. The bases in a Step have
// the Class −1, for all. The first iterations take O(N³) operations, later ones
// O(M³ + NMC) for M samples left; memory is that of three N×N matrices.
func (l TopDown) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...mpcvm.Observer) (*Model, mpcvm.Result, error) {
	l.Tau, l.Upsilon = args.Option("mrvm: TopDown.Tau", l.Tau, 1e-5), args.Option("mrvm: TopDown.Upsilon", l.Upsilon, 1e-5)
	l.Prune, l.Tol = args.Option("mrvm: TopDown.Prune", l.Prune, 1e5), args.Tolerance("mrvm: TopDown.Tol", l.Tol, 5e-2)
	l.Start, l.MaxIterations = args.Option("mrvm: TopDown.Start", l.Start, 0), args.Option("mrvm: TopDown.MaxIterations", l.MaxIterations, 500)
	r := mpcvm.NewRun(ctx, l.MaxIterations, observers...)
	tr, err := newTraining(x, t, l.Kernel, "TopDown", 3)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	defer tr.release()
	l.Start = tr.start(l.Start)
	e := newEM(l, tr)
	e.products(ctx)
	still := 0
	for {
		if e.mStep(ctx) != nil { // what the last iteration left is whole
			r.End(mpcvm.Cancelled)
			break
		}
		step := e.iterate()
		if r.Record(step) {
			break
		}
		if len(e.samples) == 0 {
			r.End(mpcvm.Collapsed)
			break
		}
		if still++; e.moved >= l.Tol {
			still = 0
		}
		if still == 5 {
			r.End(mpcvm.Converged)
			break
		}
	}
	return tr.finish(r, tr.model(e.samples, e.w), e.iterations)
}

// em is the state of the expectation-maximisation.
type em struct {
	TopDown
	*training
	gram [][]float64 // rows of ΦᵀΦ

	samples []int      // not pruned, ascending
	alpha   []float64  // their precisions
	w       *mat.Dense // C×M, their weights
	old     *mat.Dense // before the M-step
	h       factor

	z, y *mat.Dense // C×N posterior means and potentials
	logp []float64  // log p(t_n | W)

	objective  float64
	moved      float64 // mean |Δ log alpha| of the iteration
	iterations int
}

func newEM(l TopDown, tr *training) *em {
	e := &em{
		TopDown: l, training: tr, gram: make([][]float64, tr.n),
		samples: make([]int, tr.n), alpha: make([]float64, tr.n), w: mat.NewDense(tr.c, tr.n, nil),
		z: mat.NewDense(tr.c, tr.n, nil), y: mat.NewDense(tr.c, tr.n, nil), logp: make([]float64, tr.n),
		objective: math.Inf(-1),
	}
	for n, t := range tr.t {
		e.samples[n], e.alpha[n] = n, 1
		e.z.Set(t, n, l.Start)
	}
	return e
}

// products computes ΦᵀΦ = ΦΦᵀ, as far as ctx lasts.
func (e *em) products(ctx context.Context) {
	g := mat.NewDense(e.n, e.n, nil)
	for lo := 0; lo < e.n && ctx.Err() == nil; lo += panel {
		dense.GramRows(g.RawMatrix(), e.phi.RawMatrix(), lo, min(lo+panel, e.n))
	}
	for i := range e.gram {
		e.gram[i] = g.RawRowView(i)
	}
}

// mStep sets W = H⁻¹Φ_Mᵀz̄. On an error nothing is changed.
func (e *em) mStep(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := e.h.factorize(ctx, e.gram, e.samples, e.alpha); err != nil {
		return err
	}
	w := e.project(e.samples, e.z)
	e.h.solve(w)
	e.old, e.w = e.w, w
	return nil
}

// iterate sets the precisions, prunes and takes the E-step. Should pruning have
// lowered the objective, nothing is pruned: then it cannot fall.
func (e *em) iterate() mpcvm.Step {
	samples, w, before := e.samples, e.w, e.alpha
	step := e.prune(before, e.Prune)
	e.eStep(&step)
	if step.Objective < e.objective && len(step.Deleted) > 0 {
		e.samples, e.w = samples, w
		step = e.prune(before, math.Inf(1))
		e.eStep(&step)
		step.Rejected = true
	}
	e.objective = step.Objective
	e.iterations++
	return step
}

// prune sets the precisions and drops the samples whose precision is above the
// threshold.
func (e *em) prune(before []float64, threshold float64) mpcvm.Step {
	var deleted []mpcvm.Basis
	var keep []int
	var alphas []float64
	var change, largest float64
	e.moved = 0
	for i, n := range e.samples {
		norm2 := 0.0
		for c := range e.c {
			w := e.w.At(c, i)
			norm2 += w * w
		}
		alpha := (float64(e.c) + 2*e.Tau) / (norm2 + 2*e.Upsilon)
		kept := alpha <= threshold
		for c := range e.c {
			w := e.w.At(c, i)
			if !kept {
				w = 0
			}
			change, largest = max(change, math.Abs(w-e.old.At(c, i))), max(largest, math.Abs(w))
		}
		if !kept {
			deleted = append(deleted, every(n))
			continue
		}
		keep, alphas = append(keep, i), append(alphas, alpha)
		e.moved += math.Abs(math.Log(alpha / before[i]))
	}
	w := new(mat.Dense)
	if len(keep) > 0 {
		w = mat.NewDense(e.c, len(keep), nil)
	}
	e.moved /= float64(max(1, len(keep)))
	samples := make([]int, len(keep))
	for k, i := range keep {
		samples[k] = e.samples[i]
		for c := range e.c {
			w.Set(c, k, e.w.At(c, i))
		}
	}
	e.samples, e.alpha, e.w = samples, alphas, w
	step := e.step(len(keep))
	step.Deleted, step.Reestimated = deleted, len(keep)
	step.Change = 1 // the last were deleted
	if largest > 0 {
		step.Change = change / largest
	}
	return step
}

// eStep sets the potentials, Z̄ and the objective.
func (e *em) eStep(step *mpcvm.Step) {
	e.y.Zero()
	e.expand(e.y, e.samples, e.w)
	probit.Batch{}.Means(e.z, e.logp, e.y, e.t)
	step.LogLik = floats.Sum(e.logp)
	step.Objective = step.LogLik
	for i := range e.samples {
		w := mat.Col(nil, i, e.w)
		step.Objective -= (float64(e.c)/2 + e.Tau) * math.Log1p(floats.Dot(w, w)/(2*e.Upsilon))
	}
}
