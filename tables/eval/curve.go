package eval

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
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
	order := rand.New(rand.NewPCG(e.Seed, 11)).Perm(len(e.folds.T))
	fits, collapsed := 0, 0
	defer func() {
		if collapsed > 0 {
			e.warn(texts.CollapsedCurve, collapsed, fits)
		}
	}()
	for _, share := range curveShares {
		rows, small := 0, false
		m, lost, err := e.predict(ctx, &system, func(f int, in []int) []int {
			part := e.folds.share(in, order, share)
			rows, small = max(rows, len(part)), small || part == nil
			if part != nil {
				fits++
			}
			return part
		})
		collapsed += lost
		switch {
		case small:
			return nil
		case ctx.Err() == context.DeadlineExceeded:
			e.warn(texts.BudgetCurve, rows, 0)
			return nil
		case err != nil:
			return err
		}
		if f := m.pooled(); len(m.T) > 0 {
			e.Curve = append(e.Curve, CurvePoint{rows, *f.Error, *f.ErrorSE, *f.LogLoss, *f.LogLossSE})
		}
	}
	return nil
}

// predict returns the predictions of a system for the folds that the cross-validation of the model has
// predicted, and the number of folds left out because the model collapsed. training returns the rows of a
// fold to train on, given all of them; nil ends the evaluation.
func (e *evaluation) predict(ctx context.Context, system *System, training func(fold int, in []int) []int) (
	m *Matrix, collapsed int, err error) {
	m = &Matrix{Table: e.Table, Classes: e.Classes, K: e.folds.K, models: make([]*fitted, e.folds.K)}
	for fold, evaluated := range e.folds.Systems[1].models {
		if evaluated == nil {
			continue
		}
		in, out := e.folds.parts(fold)
		if in = training(fold, in); in == nil {
			break
		}
		switch made := e.folds.predictPart(ctx, system, in, out); {
		case errors.Is(made.err, errCollapsed):
			collapsed++
		case made.err != nil:
			return m, collapsed, made.err
		default:
			m.add(e.folds.Folds, fold, &made)
		}
	}
	return m, collapsed, nil
}

// compare evaluates the other systems on the folds of the cross-validation, and adds a warning for each
// system that fails or for which ctx leaves no time.
func (e *evaluation) compare(ctx context.Context) error {
	if len(e.o.Compare) > 0 && e.folds == nil {
		e.warn(texts.NothingCompared, 0, 0)
		return nil
	}
	for _, system := range e.o.Compare {
		m, collapsed, err := e.predict(ctx, &system, func(fold int, in []int) []int {
			e.o.Progress(Progress{Done: fold, Total: e.folds.K, System: system.Name, Fold: fold})
			return in
		})
		switch {
		case ctx.Err() == context.Canceled:
			return ctx.Err()
		case ctx.Err() != nil:
			e.warn(texts.BudgetCompare, 0, 0, system.Name)
			continue
		case err != nil:
			e.Warnings = append(e.Warnings, table.Finding{Code: texts.NotCompared, Texts: []string{system.Name},
				Cause: err})
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
