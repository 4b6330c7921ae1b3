package svm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Grid says which settings are tried. The zero value is eight by eight.
type Grid struct {
	// C has the prices that are tried, all positive. If it is empty, they are 2^−2, 2^0,
	// ..., 2^12.
	C []float64

	// Theta has the widths of the kernel that are tried, all positive: of an RBF, or a
	// Laplacian if SVM.Kernel is one. If it is empty, they are 2^−8, 2^−6, ..., 2^6
	// divided by D·v, where v is the variance of all numbers in x (D of a Laplacian:
	// divided by D·√v). Other kernels are tried as they are.
	Theta []float64

	// Folds is the number of folds of Tune, 2 or more; zero means 5.
	Folds int

	// MaxIterations is SVM.MaxIterations of the trials: one that would take longer, with a C far too
	// large, is judged by the machine it has then. If it is zero, 1e5 is used, or 10·N if
	// that is more.
	MaxIterations int

	// OnTrial, if not nil, is called after each trial in turn, in the goroutine of the
	// caller. Those of one Theta end together.
	OnTrial func(Trial)
}

// Trial is a setting that was tried.
type Trial struct {
	Kernel kernel.Kernel
	C      float64
	// ErrorRate is the share of the samples held out that were misclassified.
	ErrorRate float64
}

// Tune returns l with the kernel and the C of the smallest error rate in
// cross-validation; of equals the one of the smallest C, then of the smallest Theta.
// The trials are in the order in which they were made: by Theta, then by C, both
// ascending. The folds are stratified and dealt by l.Seed; a class of a single sample
// is in every training part and is not tested. Fits of one Theta share kernel values
// and start from the solution of the next smaller C, which may change a rate within what
// Tol allows. Nothing depends on the number of cores.
//
// Errors are those of Fit. When ctx ends first it returns l unchanged, the trials so far
// and an error that wraps ctx.Err(). It panics as Fit does, and if a value of the grid
// is not positive and finite.
func (l SVM) Tune(ctx context.Context, x mat.Matrix, t []int, g Grid) (SVM, []Trial, error) {
	tr, err := newTraining(x, t)
	if err != nil {
		return l, nil, err
	}
	g, kernels, err := g.resolved(l.Kernel, tr.x, tr.n)
	if err != nil {
		return l, nil, err
	}
	trials, err := tr.try(ctx, l, g, kernels, tr.deal(g.Folds, l.Seed), g.Folds)
	if err != nil {
		return l, trials, err
	}
	best := trials[0]
	for c := range g.C {
		for k := range kernels {
			if trial := trials[k*len(g.C)+c]; trial.ErrorRate < best.ErrorRate {
				best = trial
			}
		}
	}
	l.Kernel, l.C = best.Kernel, best.C
	return l, trials, nil
}

// Holdout tries the grid on one division of the data: each setting is trained on x, t
// and its ErrorRate is that on xTest, tTest, whose labels must be among those of t. The
// trials, errors and panics are those of Tune.
func (l SVM) Holdout(ctx context.Context, x mat.Matrix, t []int, xTest mat.Matrix, tTest []int, g Grid) ([]Trial, error) {
	classes, err := mpcvm.Check(x, t)
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	m, dTest := xTest.Dims()
	if d != dTest || m == 0 {
		panic(fmt.Sprintf("svm: test part of %d samples with %d features for %d", m, dTest, d))
	}
	for i, c := range tTest {
		if c >= classes {
			return nil, cell.New("svm", n+i, -1, float64(c), "label of the test part is not in the training part")
		}
	}
	var both mat.Dense
	both.Stack(x, xTest)
	tr, err := newTraining(&both, slices.Concat(t, tTest))
	if err != nil {
		return nil, err
	}
	g, kernels, err := g.resolved(l.Kernel, x, n)
	if err != nil {
		return nil, err
	}
	fold := make([]int, tr.n)
	for i, row := range tr.row {
		if row < n {
			fold[i] = 1
		}
	}
	return tr.try(ctx, l, g, kernels, fold, 1)
}

// resolved has the defaults in place of zeros, and the kernels to be tried.
func (g Grid) resolved(k kernel.Kernel, x mat.Matrix, n int) (Grid, []kernel.Kernel, error) {
	powers := func(from int, unit float64) []float64 {
		list := make([]float64, 8)
		for i := range list {
			list[i] = math.Ldexp(unit, from+2*i)
		}
		return list
	}
	if g.C = slices.Sorted(slices.Values(g.C)); len(g.C) == 0 {
		g.C = powers(-2, 1)
	}
	if g.Folds == 0 {
		g.Folds = 5
	}
	if g.Folds < 2 {
		panic(fmt.Sprintf("svm: %d folds", g.Folds))
	}
	if g.MaxIterations == 0 {
		g.MaxIterations = max(1e5, 10*n)
	}
	for _, v := range slices.Concat(g.C, g.Theta) {
		if !(v > 0) || math.IsInf(v, 1) {
			panic(fmt.Sprintf("svm: a value of Grid must be positive and finite: %v", v))
		}
	}
	if k == nil {
		k = kernel.RBF{}
	}
	tunable, ok := k.(kernel.Tunable)
	if !ok {
		k, err := settled(k, x)
		return g, []kernel.Kernel{k}, err
	}
	if g.Theta = slices.Sorted(slices.Values(g.Theta)); len(g.Theta) == 0 {
		theta, err := theta(tunable, x)
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

// try holds out the samples of each of the folds in turn and counts the errors on
// them for each kernel and C. Samples of further folds are in every training part.
func (tr *training) try(ctx context.Context, l SVM, g Grid, kernels []kernel.Kernel, fold []int, folds int) ([]Trial, error) {
	l = l.resolved(tr.c, tr.n)
	l.MaxIterations = g.MaxIterations
	var trials []Trial
	for _, k := range kernels {
		if ctx.Err() != nil {
			break
		}
		v, err := newValues(tr, k, l.CacheMiB)
		if err != nil {
			return trials, err
		}
		rates, err := v.rates(ctx, l, g.C, fold, folds)
		if err != nil {
			return trials, err
		}
		if ctx.Err() != nil {
			break
		}
		for i, c := range g.C {
			trial := Trial{Kernel: k, C: c, ErrorRate: rates[i]}
			trials = append(trials, trial)
			if g.OnTrial != nil {
				g.OnTrial(trial)
			}
		}
	}
	if ctx.Err() != nil && len(trials) < len(kernels)*len(g.C) {
		return trials, fmt.Errorf("svm: tuning cancelled after %d trials: %w", len(trials), ctx.Err())
	}
	return trials, nil
}

// rates are the error rates for ascending values of C.
func (v *values) rates(ctx context.Context, l SVM, grid []float64, fold []int, folds int) ([]float64, error) {
	out := make([][]int32, folds)
	for i, f := range fold {
		if f < folds {
			out[f] = append(out[f], int32(i))
		}
	}
	low := make([][]bool, len(v.pairs)) // the vote for each C and sample: the lower class?
	for p := range low {
		low[p] = make([]bool, len(grid)*v.n)
	}
	l.C = grid[0]
	order := v.largestFirst()
	failed := make([]bool, folds*len(order))
	par.For(len(failed), 1, func(task, _ int) {
		p, f := order[task/folds], task%folds
		b := v.problem(l, v.pairs[p], func(i int32) bool { return fold[i] != f })
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
				low[p][i*v.n+int(id)] = decision[k] >= 0
			}
		}
	})
	if slices.Contains(failed, true) {
		return nil, v.notFinite(-1, math.NaN())
	}
	rates := make([]float64, len(grid))
	votes := make([]float64, v.c)
	for i := range grid {
		wrong, tested := 0, 0
		for n, f := range fold {
			if f >= folds {
				continue
			}
			clear(votes)
			for p, pair := range v.pairs {
				if low[p][i*v.n+n] {
					votes[pair.low]++
				} else {
					votes[pair.high]++
				}
			}
			tested++
			if winner(votes) != v.t[n] {
				wrong++
			}
		}
		rates[i] = float64(wrong) / float64(max(tested, 1))
	}
	return rates, nil
}
