package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// evaluation is what fits of Width, Calibrated and Auto share: the samples on which settings are trained
// and scored, the trials so far, and the model that Fit returns if it ends early.
type evaluation struct {
	whole      *fitting.Data     // all samples
	train      *fitting.Data     // on which settings are trained: all samples, or a subset
	validation *fitting.Data     // held-out samples that score every setting; nil: cross-validation does
	seed       uint64            // of the folds
	onFold     func()            // called after each fold; may be nil
	onTrial    func(mpcvm.Trial) // called after each trial; may be nil
	trials     []mpcvm.Trial
	learned    [][]float64 // of each fold: what the fitter learns in addition to models; nil: nothing

	mu       sync.Mutex
	fallback partial // the best model of a fold so far
}

// heldOut has what the models of a trial predict for samples on which they were not trained.
type heldOut struct {
	y       []*mat.Dense // of each model: potentials (N×C), NaN where nothing is predicted
	weights []int        // of each model: the number of non-zero weights, summed over the folds
	counts  [][]int      // of each fold: the same of each model
	models  []partial    // the models of the lowest fold so far
}

// fitter trains models on a training set, which lacks the samples of a fold, and passes each to next until
// next returns false.
type fitter func(ctx context.Context, fold int, train *fitting.Data, next func(*mpcvm.Model) bool) error

// fitterOf returns the fitter of one model of a learner, which may depend on the fold.
func fitterOf(l func(fold int) mpcvm.Learner) fitter {
	return func(ctx context.Context, fold int, train *fitting.Data, next func(*mpcvm.Model) bool) error {
		m, _, err := l(fold).Fit(ctx, mpcvm.Samples(train.Samples()))
		if err == nil {
			next(m)
		}
		return err
	}
}

// forTrials returns a learner for the fits that compare settings of a fit to n samples; see Tunable.
func forTrials(l mpcvm.Learner, n int) mpcvm.Learner {
	if l, ok := l.(interface {
		ForTrials(n int) mpcvm.Learner
	}); ok {
		return l.ForTrials(n)
	}
	return l
}

// scored returns the samples that score a setting that is trained on d.
func (e *evaluation) scored(d *fitting.Data) *fitting.Data { return cmp.Or(e.validation, d) }

// newHeldOut returns the predictions of a number of models that are trained on d, before the first fold.
func (e *evaluation) newHeldOut(d *fitting.Data, models int) *heldOut {
	h := &heldOut{y: make([]*mat.Dense, models), weights: make([]int, models),
		counts: make([][]int, fitting.Folds)}
	for i := range h.y {
		h.y[i] = e.scored(d).NewPotentials()
	}
	return h
}

// predict adds to h the predictions of models that are trained on d, in the folds from first to end−1. A
// validation set counts as one fold. After each model, next receives its fold and its number, and reports
// whether the next model of the fold is needed. predict returns a *mpcvm.CellError if most samples of d are
// the only one of their class.
func (e *evaluation) predict(ctx context.Context, d *fitting.Data, h *heldOut, first, end int,
	fit fitter, next func(fold, i int) bool) error {
	scored := e.scored(d)
	run := func(fold int, train *fitting.Data, out []int) error {
		var models []*mpcvm.Model
		err := fit(ctx, fold, train, func(m *mpcvm.Model) bool {
			scored.Predict(h.y[len(models)], m, out)
			models = append(models, m)
			return next(fold, len(models)-1)
		})
		if err == nil {
			for _, m := range models {
				h.counts[fold] = append(h.counts[fold], m.WeightCount())
			}
			e.foldEnds(h, fold, func(i int) partial { return newPartial(models[i], train, scored) })
		}
		return err
	}
	if e.validation == nil {
		if err := d.CheckSingles(); err != nil {
			return err
		}
		return d.EachFold(ctx, fitting.Folds, first, end, e.seed, run, fitting.Results{
			Give: func(fold int, out []int) [][]float64 { return e.give(h, fold, out) },
			Take: func(fold int, out []int, lists [][]float64) error { return e.take(h, fold, out, lists) },
		})
	}
	if first < end {
		return run(0, d, fitting.All(scored.N))
	}
	return nil
}

// give returns the result of a fold: what is learned in it, and of each model the number of weights and the
// potentials of the samples outside the fold. The models stay.
func (e *evaluation) give(h *heldOut, fold int, out []int) (lists [][]float64) {
	if e.learned != nil {
		lists = append(lists, e.learned[fold])
	}
	for i, count := range h.counts[fold] {
		lists = append(lists, append([]float64{float64(count)}, fitting.Rows(h.y[i], out)...))
	}
	return lists
}

// take takes the result of a fold of which another replica has the models.
func (e *evaluation) take(h *heldOut, fold int, out []int, lists [][]float64) error {
	if e.learned != nil && len(lists) > 0 {
		e.learned[fold], lists = lists[0], lists[1:]
	}
	if len(lists) == 0 || len(lists) > len(h.y) {
		return fmt.Errorf("search: results of %d models, want %d", len(lists), len(h.y))
	}
	counts := make([]int, len(lists))
	for i, list := range lists {
		if len(list) == 0 {
			return errors.New("search: the result of a model is empty")
		}
		if err := fitting.SetRows(h.y[i], out, list[1:]); err != nil {
			return err
		}
		counts[i] = int(list[0])
	}
	h.counts[fold] = counts
	e.foldEnds(h, fold, func(int) partial { return partial{samples: e.train.N - len(out)} })
	return nil
}

// foldEnds counts the weights of the models of a fold and keeps the models if it is the lowest fold so far.
// Models that another replica has do not replace others.
func (e *evaluation) foldEnds(h *heldOut, fold int, model func(i int) partial) {
	e.mu.Lock()
	for i, count := range h.counts[fold] {
		h.weights[i] += count
	}
	if h.models == nil || fold < h.models[0].fold && model(0).model != nil {
		h.models = nil
		for i := range h.counts[fold] {
			p := model(i)
			p.trial, p.fold = len(e.trials)+i, fold
			h.models = append(h.models, p)
		}
	}
	if len(e.trials) == 0 {
		e.fallback = h.models[0]
	}
	e.mu.Unlock()
	if e.onFold != nil {
		e.onFold()
	}
}

// record appends a trial and returns its model of a fold, if there is one. The fallback is the model of the
// trial with the lowest log loss among those with the most training samples.
func (e *evaluation) record(t mpcvm.Trial, p partial) partial {
	e.mu.Lock()
	p.trial, p.logLoss, p.trained = len(e.trials), t.LogLoss, t.Samples
	e.trials = append(e.trials, t)
	f := e.fallback
	if p.trial == 0 || p.model != nil && !t.GivenUp &&
		(p.trained > f.trained || p.trained == f.trained && p.logLoss < f.logLoss) {
		e.fallback = p
	}
	e.mu.Unlock()
	if e.onTrial != nil {
		e.onTrial(t)
	}
	return p
}

// describe describes the fallback for Result.Partial. kind is what a trial tries, such as "width".
func (e *evaluation) describe(kind string) string {
	f := e.fallback
	of := fmt.Sprintf("one fold of the best of %s tried", words.Plural(len(e.trials), kind))
	switch {
	case f.trial == len(e.trials): // the trial has not ended
		of = "one fold of the first " + kind
	case f.validated:
		of = "the fit that gives the temperature"
	}
	return fmt.Sprintf("trained on %d of %d samples: %s", f.samples, e.whole.N, of)
}
