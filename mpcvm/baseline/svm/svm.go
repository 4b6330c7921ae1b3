package svm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// SVM is a C-SVC, one against one. The zero value works; C and the kernel should be
// tuned, see [SVM.Tune].
type SVM struct {
	// Kernel is the kernel. If it is nil, an RBF is used. If its Theta is zero,
	// 1/(D·v) is used, where v is the variance of all numbers in x: 1/D, LIBSVM's
	// default, if the features are standardised. For a Laplacian it is 1/(D·√v).
	Kernel kernel.Kernel

	// C is the price of a violated margin, the upper bound of a sample's coefficient.
	// It has no unit. If it is zero, 1 is used, LIBSVM's default.
	C float64

	// ClassWeights multiply C for the samples of each class; all must be positive. Nil
	// means 1 for all.
	ClassWeights []float64

	// Tol ends the optimisation of a pair when no two variables violate the conditions
	// of optimality by more: m − M ≤ Tol, in units of the decision value. If it is zero,
	// 1e-3 is used, LIBSVM's default.
	Tol float64

	// NoShrinking keeps all variables active. The machine is the same within Tol;
	// shrinking is faster where many coefficients are at C.
	NoShrinking bool

	// CacheMiB is the memory for values of the kernel in mebibytes. The whole N×N
	// matrix of 8-byte numbers is computed once if it fits; else every pair has a
	// cache of rows, CacheMiB for all pairs that are solved at a time but never less
	// than two rows each. If it is zero, 256 is used: N up to 5792.
	CacheMiB float64

	// NoProbability leaves out the sigmoids, which cost about three times the fit
	// itself. Proba then returns the share of the votes.
	NoProbability bool

	// Seed deals the samples into the five folds of the sigmoids. Nothing else is
	// random.
	Seed uint64

	// MaxIterations is the largest number of steps of the optimisation of a pair. If it is
	// zero, 1e7 is used, or 100·N if that is more.
	MaxIterations int
}

// resolved has the defaults in place of zeros, for classes classes. It panics at
// what is not allowed.
func (l SVM) resolved(classes, n int) SVM {
	l.C = option("C", l.C, 1)
	l.Tol = option("Tol", l.Tol, 1e-3)
	l.CacheMiB = option("CacheMiB", l.CacheMiB, 256)
	l.MaxIterations = int(option("MaxIterations", float64(l.MaxIterations), max(1e7, 100*float64(n))))
	if l.ClassWeights != nil && len(l.ClassWeights) != classes {
		panic(fmt.Sprintf("svm: %d class weights for %d classes", len(l.ClassWeights), classes))
	}
	for c, w := range l.ClassWeights {
		if !(w > 0) || math.IsInf(w, 1) {
			panic(fmt.Sprintf("svm: SVM.ClassWeights[%d] must be positive and finite: %v", c, w))
		}
	}
	return l
}

// option returns v, or def where v is zero.
func option(name string, v, def float64) float64 {
	if !(v >= 0) || math.IsInf(v, 1) {
		panic(fmt.Sprintf("svm: SVM.%s must be finite and not negative: %v", name, v))
	}
	if v == 0 {
		return def
	}
	return v
}

// weight is the factor of C of a class.
func (l SVM) weight(class int) float64 {
	if l.ClassWeights == nil {
		return 1
	}
	return l.ClassWeights[class]
}

// theta returns the width that is used if none is given: the inverse of the mean
// squared distance per two features, or of its root times √D for a sum of absolute
// differences.
func theta(k kernel.Tunable, x mat.Matrix) (float64, error) {
	s, err := spread(x)
	if k, ok := k.(kernel.OfSum); ok {
		if sum, _ := k.Sum(); sum == kernel.Absolutes {
			_, d := x.Dims()
			s = math.Sqrt(s * float64(d))
		}
	}
	return 1 / s, err
}

// settled returns the kernel with its parameters.
func settled(k kernel.Kernel, x mat.Matrix) (kernel.Kernel, error) {
	if untuned, ok := kernel.Untuned(k); ok {
		theta, err := theta(untuned, x)
		if err != nil {
			return nil, err
		}
		k = untuned.WithTheta(theta)
	}
	if err := kernel.Validate(k); err != nil {
		return nil, fmt.Errorf("svm: %w", err)
	}
	return k, nil
}

// Fit learns from N samples x (rows; D features) and their labels t, 0 to C−1 with
// every class present. The features should be standardised.
//
// An iteration is a bout of steps, about 0.1 s of work, in each pair of classes that is
// not solved yet; small data takes one. Its Step has as Objective D summed over all
// pairs, which does not fall; as Change the largest violation m − M left, which ends
// below Tol; as Weights the non-zero coefficients of each class's samples over all
// pairs. LogLik is zero: the machine has no likelihood. The status is IterationLimit if
// a pair reached MaxIterations.
//
// It returns a *mpcvm.CellError for data from which nothing can be learned, and a
// *mpcvm.MemoryError if the kernel matrix is within CacheMiB, but 8N² bytes of memory
// are not at hand. When ctx
// ends first it returns the machine so far, whose coefficients are feasible, together
// with an error that wraps ctx.Err(); the model is nil if that was before the first
// iteration. That model and one that was Stopped have no sigmoids. It panics if t has
// not a label for each row of x or an option is not allowed.
func (l SVM) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...mpcvm.Observer) (*Model, mpcvm.Result, error) {
	tr, err := newTraining(x, t)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	l = l.resolved(tr.c, tr.n)
	k, err := settled(l.Kernel, tr.x)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	run := mpcvm.NewRun(ctx, 0, observers...)
	if ctx.Err() != nil {
		return cancelled(run, nil)
	}
	v, err := newValues(tr, k, l.CacheMiB)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	machines, err := v.solve(ctx, l, run)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	model := v.model(machines)
	result, err := run.Finish()
	if l.NoProbability || result.Status != mpcvm.Converged && result.Status != mpcvm.IterationLimit {
		return model, result, err
	}
	if model.sigmoids, err = v.sigmoids(ctx, l, machines); err != nil {
		return nil, mpcvm.Result{}, err
	}
	if model.sigmoids == nil {
		return cancelled(run, model)
	}
	result, err = run.Finish()
	return model, result, err
}

// cancelled ends a run.
func cancelled(run *mpcvm.Run, model *Model) (*Model, mpcvm.Result, error) {
	run.End(mpcvm.Cancelled)
	result, err := run.Finish()
	return model, result, err
}

// bout is how many elements of the gradient a pair updates in an iteration: about
// 0.1 s of work.
const bout = 1 << 25

// solve finds the machine of each pair and ends the run.
func (v *values) solve(ctx context.Context, l SVM, run *mpcvm.Run) ([]machine, error) {
	problems := make([]*binary, len(v.pairs))
	par.For(len(problems), 1, func(p, _ int) { problems[p] = v.problem(l, v.pairs[p], everything) })
	failed := make([]bool, len(problems))
	left, limited := v.largestFirst(), false
	for end := false; !end; {
		par.For(len(left), 1, func(i, _ int) {
			b := problems[left[i]]
			failed[left[i]] = !b.advance(ctx, min(bout/len(b.id)+1, l.MaxIterations-b.steps))
		})
		var unsolved []int
		for _, p := range left {
			b := problems[p]
			if failed[p] {
				return nil, v.notFinite(-1, math.NaN())
			}
			limited = limited || !b.done && b.steps >= l.MaxIterations
			if !b.done && b.steps < l.MaxIterations {
				unsolved = append(unsolved, p)
			}
		}
		left = unsolved
		end = run.Record(v.step(problems))
		if !end && len(left) == 0 {
			end = true
			run.End(mpcvm.Converged)
			if limited {
				run.End(mpcvm.IterationLimit)
			}
		}
	}
	machines := make([]machine, len(problems))
	par.For(len(problems), 1, func(p, _ int) { machines[p] = problems[p].machine() })
	return machines, nil
}

// step describes the problems as they are.
func (v *values) step(problems []*binary) mpcvm.Step {
	s := mpcvm.Step{Weights: make([]int, v.c)}
	for p, b := range problems {
		s.Objective += b.objective
		s.Change = max(s.Change, b.violation())
		for _, beta := range b.beta {
			if beta > 0 {
				s.Weights[v.pairs[p].low]++
			} else if beta < 0 {
				s.Weights[v.pairs[p].high]++
			}
		}
	}
	return s
}
