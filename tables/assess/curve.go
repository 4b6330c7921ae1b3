package assess

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
)

// curveShares are the shares of the training rows of a fold used for the learning curve.
var curveShares = []float64{0.1, 0.2, 0.4, 0.7, 1}

// learn computes the learning curve: it fits the chosen setting to growing subsets of the training rows of
// the folds. The subsets of a fold are nested and stratified. Subsets with fewer than two rows of a class
// are skipped, as are fits that collapse and those for which ctx leaves no time.
func (e *evaluation) learn(ctx context.Context) error {
	if !e.o.Curve {
		return nil
	}
	system, ok := e.system()
	if e.folds == nil || !ok {
		e.warn(texts.NoCurve, 0, 0)
		return nil
	}
	rng := rand.New(rand.NewPCG(e.Seed, 11))
	order := rng.Perm(len(e.folds.T))
	fits, collapsed := 0, 0
	defer func() {
		if collapsed > 0 {
			e.warn(texts.CollapsedCurve, collapsed, fits)
		}
	}()
	for _, share := range curveShares {
		m, rows := e.unseen(), 0
		for f := range e.folds.K {
			in, out := e.folds.parts(f)
			if !e.evaluated(f) {
				continue
			}
			part := e.folds.share(in, order, share)
			if part == nil {
				return nil
			}
			made, err := e.folds.predictPart(ctx, &system, part, out)
			if fits++; errors.Is(err, errCollapsed) {
				collapsed++
				continue
			}
			if ctx.Err() == context.DeadlineExceeded {
				e.warn(texts.BudgetCurve, len(part), 0)
				return nil
			}
			if err != nil {
				return err
			}
			m.add(e.folds.Folds, f, made)
			rows = max(rows, len(part))
		}
		if len(m.T) > 0 {
			f := m.pooled()
			e.Curve = append(e.Curve, CurvePoint{rows, *f.Error, *f.ErrorSE, *f.LogLoss, *f.LogLossSE})
		}
	}
	return nil
}

// unseen returns a matrix without rows, to which folds can be added.
func (e *evaluation) unseen() *Matrix {
	return &Matrix{Table: e.Table, Classes: e.Classes, K: e.folds.K, fits: make([]fit, e.folds.K)}
}

// evaluated reports whether the cross-validation of the model predicted rows of a fold.
func (e *evaluation) evaluated(fold int) bool { return e.folds.Systems[1].fits[fold].model != nil }

// compare evaluates the other systems on the folds of the cross-validation, and adds a warning for each
// system that fails or for which ctx leaves no time.
func (e *evaluation) compare(ctx context.Context) error {
	for i := range e.o.Compare {
		system := &e.o.Compare[i]
		if e.folds == nil {
			e.warn(texts.NothingCompared, 0, 0)
			return nil
		}
		m, collapsed := e.unseen(), 0
		var err error
		for f := 0; f < m.K && err == nil; f++ {
			if !e.evaluated(f) {
				continue
			}
			var made fit
			in, out := e.folds.parts(f)
			if made, err = e.folds.predictPart(ctx, system, in, out); err == nil {
				m.add(e.folds.Folds, f, made)
			} else if errors.Is(err, errCollapsed) {
				err, collapsed = nil, collapsed+1
			}
			e.report(Progress{Done: f + 1, Total: m.K, System: system.Name, Fold: f + 1})
		}
		switch {
		case ctx.Err() == context.Canceled:
			return ctx.Err()
		case ctx.Err() != nil:
			e.warn(texts.BudgetCompare, 0, 0, system.Name)
			continue
		case err != nil:
			e.failed(texts.NotCompared, err, system.Name)
			continue
		}
		if collapsed > 0 {
			e.warn(texts.CollapsedFolds, collapsed, e.CV.Done, system.Name)
		}
		if len(m.T) > 0 {
			f := m.pooled()
			f.Of = system.Name
			e.Compared = append(e.Compared, f)
		}
	}
	return nil
}

// share returns a stratified subset of the listed samples, taking them in the given order, or nil if it
// would contain fewer than two samples of a class that has at least two.
func (f *Folds) share(in, order []int, share float64) (part []int) {
	listed, counts, taken := make([]bool, len(order)), make([]int, len(f.Classes)), make([]int, len(f.Classes))
	for _, n := range in {
		listed[n] = true
		counts[f.T[n]]++
	}
	for c, n := range counts {
		taken[c] = int(math.Round(share * float64(n)))
		if taken[c] < min(2, n) {
			return nil
		}
	}
	for _, n := range order {
		if c := f.T[n]; listed[n] && taken[c] > 0 {
			taken[c]--
			part = append(part, n)
		}
	}
	return part
}
