package svm

import (
	"context"
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// SVM is a C-SVC, one against one. The zero value is ready to use, but C and the kernel should be tuned; see
// [SVM.Tune].
type SVM struct {
	// Kernel is the kernel. If it is nil, an RBF kernel is used. If the kernel's width is zero, 1/(D·v) is
	// used, where v is the variance of all values in x; with standardised features this is 1/D, LIBSVM's
	// default. For a Laplacian kernel, 1/(D·√v) is used.
	Kernel kernel.Kernel

	// C is the cost of a violated margin: the upper bound of a sample's coefficient, without a unit. If it is
	// zero, 1 is used, LIBSVM's default.
	C float64

	// ClassWeights contains a positive factor of C for the samples of each class. If it is nil, all factors
	// are 1.
	ClassWeights []float64

	// Tol is the tolerance of the optimisation of a pair, in units of the decision value: the optimisation
	// ends when m − M ≤ Tol, so that no two variables violate the optimality conditions by more than Tol. If
	// it is zero, 0.001 is used, LIBSVM's default.
	Tol float64

	// NoShrinking keeps all variables active. The machine is the same within Tol. Shrinking is faster if many
	// coefficients are at the bound C.
	NoShrinking bool

	// CacheMiB is the memory for kernel values in MiB. If it is zero, 256 is used. If the whole N×N kernel
	// matrix fits, it is computed once; with 256 MiB this is the case for N up to 5792. Otherwise every pair
	// has a cache of rows. The caches of all pairs that are solved at the same time share CacheMiB, but each
	// has at least two rows.
	CacheMiB float64

	// NoProbability omits the sigmoids, which take about three times as long as the fit itself. Proba then
	// returns the shares of the votes.
	NoProbability bool

	// Seed determines the five folds for the sigmoids. Nothing else is random.
	Seed uint64

	// MaxIterations is the maximum number of optimisation steps for a pair. If it is zero, 1e7 or 100·N is
	// used, whichever is larger.
	MaxIterations int
}

// resolved returns l with defaults for zero options. It panics if an option is invalid.
func (l SVM) resolved(classes, n int) SVM {
	l.C = option("C", l.C, 1)
	l.Tol = option("Tol", l.Tol, 1e-3)
	l.CacheMiB = option("CacheMiB", l.CacheMiB, 256)
	l.MaxIterations = args.Option("svm: SVM.MaxIterations", l.MaxIterations, max(1e7, 100*n))
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

// option is args.Option for options that must be finite.
func option(name string, v, def float64) float64 {
	if math.IsInf(v, 1) {
		panic(fmt.Sprintf("svm: SVM.%s must be finite: %v", name, v))
	}
	return args.Option("svm: SVM."+name, v, def)
}

// weight returns the factor of C for a class.
func (l SVM) weight(class int) float64 {
	if l.ClassWeights == nil {
		return 1
	}
	return l.ClassWeights[class]
}

// Fit trains a model on the samples. The features should be standardised.
//
// In one iteration, each pair of classes that is not yet solved is optimised for about 0.1 s. Small data sets
// need one iteration. In a Step, Objective is D summed over all pairs, which does not fall. Change is the
// largest violation m − M; at the end it is at most Tol. Weights contains the number of non-zero coefficients
// of the samples of each class, over all pairs. LogLik is zero, because the SVM has no likelihood.
// Step.Classifier returns nil. The status is IterationLimit if a pair reached MaxIterations.
//
// Fit returns a *mpcvm.CellError if the data are invalid, and a *mpcvm.MemoryError if the kernel matrix fits
// into CacheMiB but not into the available memory. If ctx ends, Fit returns the current model, whose
// coefficients are feasible, or nil before the first iteration, and an error that wraps ctx.Err(). That
// model, and the model of a fit that was Stopped, have no sigmoids. Fit panics if an option is invalid.
func (l SVM) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*Model, mpcvm.Result,
	error) {
	tr, err := newTraining(s)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	l = l.resolved(tr.C, tr.N)
	k, err := tr.KernelWithWidth("svm", l.Kernel, tr.theta)
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

// cancelled ends a run with the status Cancelled.
func cancelled(run *mpcvm.Run, model *Model) (*Model, mpcvm.Result, error) {
	run.End(mpcvm.Cancelled)
	result, err := run.Finish()
	return model, result, err
}

// updatesPerIteration is the number of gradient elements that a pair updates in an iteration. This takes
// about 0.1 s.
const updatesPerIteration = 1 << 25

// solve returns the machine of each pair and ends the run.
func (v *values) solve(ctx context.Context, l SVM, run *mpcvm.Run) ([]machine, error) {
	problems := make([]*binary, len(v.pairs))
	par.For(len(problems), 1, func(p, _ int) { problems[p] = v.problem(l, v.pairs[p], everything) })
	failed := make([]bool, len(problems))
	left, limited := v.largestFirst(), false
	for end := false; !end; {
		par.For(len(left), 1, func(i, _ int) {
			b := problems[left[i]]
			failed[left[i]] = !b.advance(ctx, min(updatesPerIteration/len(b.id)+1, l.MaxIterations-b.steps))
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

// step describes the current state of the problems.
func (v *values) step(problems []*binary) mpcvm.Step {
	s := mpcvm.Step{Weights: make([]int, v.C)}
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
