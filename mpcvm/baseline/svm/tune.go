package svm

import (
	"context"
	"fmt"
	"github.com/mpcvm/mpcvm/mpcvm"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Grid contains the settings that Tune tries. The zero value has 8 values of C and 8 widths.
type Grid struct {
	// C contains the values of SVM.C, all positive. If it is empty, 2^−2, 2^0, ..., 2^12 are used.
	C []float64

	// Theta contains the kernel widths, all positive. If it is empty, 2^−8, 2^−6, ..., 2^6 times the default
	// of SVM.Kernel are used. For a kernel without a width, Theta is ignored.
	Theta []float64

	// Folds is the number of folds, at least 2. If it is zero, 5 is used.
	Folds int

	// MaxIterations is SVM.MaxIterations during tuning. A trial that reaches it, because C is far too large,
	// is scored with its current machine. If it is zero, 1e5 or 10·N is used, whichever is larger.
	MaxIterations int

	// OnTrial, if not nil, is called after each trial in order, in the goroutine of the caller. All trials of
	// one width end at the same time.
	OnTrial func(Setting)
}

// Setting is a kernel and a C that Tune tried.
type Setting struct {
	Kernel kernel.Kernel
	C      float64
	// ErrorRate is the share of misclassified samples, each predicted by a model that did not see it.
	ErrorRate float64
}

// Tune returns l with the kernel and the C that have the lowest error rate in cross-validation. Ties go to
// the smallest C, and then to the smallest width. Tune also returns the settings that were tried, ordered by
// width and then by C, both ascending. The folds are stratified and depend on l.Seed. If a class has only one
// sample, this sample is in every training set and is not scored. The fits of one width share the kernel
// values, and each starts from the solution for the next smaller C, which may change an error rate within the
// limits of Tol. The result does not depend on the number of cores.
//
// Tune returns the errors of Fit. If ctx ends, Tune returns l unchanged, the settings so far, and an error
// that wraps ctx.Err(). It panics in the same cases as Fit, and if a value of the grid is not positive and
// finite.
func (l SVM) Tune(ctx context.Context, s mpcvm.Samples, g Grid) (SVM, []Setting, error) {
	tr, err := newTraining(s)
	if err != nil {
		return l, nil, err
	}
	g, kernels, err := g.resolved(l.Kernel, tr)
	if err != nil {
		return l, nil, err
	}
	trial := l.resolved(tr.C, tr.N)
	trial.MaxIterations = g.MaxIterations
	dealt := tr.Deal(g.Folds, l.Seed)
	var tried []Setting
	for _, k := range kernels {
		var rates []float64
		v, err := newValues(tr, k, trial.CacheMiB)
		if err == nil && ctx.Err() == nil {
			rates, err = v.rates(ctx, trial, g.C, dealt, g.Folds)
		}
		if ctx.Err() != nil {
			return l, tried, fmt.Errorf("svm: tuning cancelled after %d trials: %w", len(tried), ctx.Err())
		}
		if err != nil {
			return l, tried, err
		}
		for i, c := range g.C {
			tried = append(tried, Setting{Kernel: k, C: c, ErrorRate: rates[i]})
			if g.OnTrial != nil {
				g.OnTrial(tried[len(tried)-1])
			}
		}
	}
	best := tried[0]
	for c := range g.C {
		for k := range kernels {
			if s := tried[k*len(g.C)+c]; s.ErrorRate < best.ErrorRate {
				best = s
			}
		}
	}
	l.Kernel, l.C = best.Kernel, best.C
	return l, tried, nil
}

// resolved returns the grid with defaults for zero options, and the kernels to be tried.
func (g Grid) resolved(k kernel.Kernel, tr *training) (Grid, []kernel.Kernel, error) {
	powers := func(from int, unit float64) []float64 {
		list := make([]float64, 8)
		for i := range list {
			list[i] = math.Ldexp(unit, from+2*i)
		}
		return list
	}
	g.Folds = args.Option("svm: Grid.Folds", g.Folds, fitting.Folds)
	g.MaxIterations = args.Option("svm: Grid.MaxIterations", g.MaxIterations, max(1e5, 10*tr.N))
	if g.Folds < 2 {
		panic(fmt.Sprintf("svm: Grid.Folds must be at least 2: %d", g.Folds))
	}
	for _, v := range slices.Concat(g.C, g.Theta) {
		if !(v > 0) || math.IsInf(v, 1) {
			panic(fmt.Sprintf("svm: a value of Grid must be positive and finite: %v", v))
		}
	}
	if g.C = slices.Sorted(slices.Values(g.C)); len(g.C) == 0 {
		g.C = powers(-2, 1)
	}
	if k == nil {
		k = kernel.RBF{}
	}
	tunable, ok := k.(kernel.Tunable)
	if !ok {
		k, err := tr.KernelWithWidth("svm", k, nil)
		return g, []kernel.Kernel{k}, err
	}
	if g.Theta = slices.Sorted(slices.Values(g.Theta)); len(g.Theta) == 0 {
		theta, err := tr.theta(tunable)
		if err != nil {
			return g, nil, err
		}
		g.Theta = powers(-8, theta)
	}
	kernels := make([]kernel.Kernel, len(g.Theta))
	for i, theta := range g.Theta {
		kernels[i] = tunable.WithTheta(theta)
	}
	return g, kernels, nil
}

// rates returns the error rates in cross-validation for ascending values of C.
func (v *values) rates(ctx context.Context, l SVM, grid []float64, dealt fitting.Dealing,
	folds int) ([]float64, error) {
	out := make([][]int32, folds)
	for i, f := range dealt.Fold {
		if f < folds {
			out[f] = append(out[f], int32(i))
		}
	}
	// for each pair, C and sample, whether the vote is for the lower class
	low := make([][]bool, len(v.pairs))
	for p := range low {
		low[p] = make([]bool, len(grid)*v.N)
	}
	l.C = grid[0]
	order := v.largestFirst()
	failed := make([]bool, folds*len(order))
	par.For(len(failed), 1, func(task, _ int) {
		p, f := order[task/folds], task%folds
		b := v.problem(l, v.pairs[p], func(i int32) bool { return dealt.Trains(int(i), f) })
		decision := make([]float64, len(out[f]))
		for i, c := range grid {
			if i > 0 {
				b.raise(c / grid[i-1])
			}
			if failed[task] = !b.advance(ctx, l.MaxIterations); failed[task] || ctx.Err() != nil {
				return
			}
			v.decide(decision, b.machine(), out[f])
			for k, id := range out[f] {
				low[p][i*v.N+int(id)] = decision[k] >= 0
			}
		}
	})
	if slices.Contains(failed, true) {
		return nil, v.notFinite(-1, math.NaN())
	}
	rates := make([]float64, len(grid))
	votes := make([]float64, v.C)
	for i := range grid {
		wrong, tested := 0, 0
		for n, f := range dealt.Fold {
			if f >= folds {
				continue
			}
			clear(votes)
			for p, pair := range v.pairs {
				if low[p][i*v.N+n] {
					votes[pair.low]++
				} else {
					votes[pair.high]++
				}
			}
			tested++
			if fitting.Argmax(votes) != v.T[n] {
				wrong++
			}
		}
		rates[i] = float64(wrong) / float64(max(tested, 1))
	}
	return rates, nil
}
