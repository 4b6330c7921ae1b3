package search

import (
	"cmp"
	"context"
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

	mu       sync.Mutex
	fallback partial // the best model of a fold so far
}

// heldOut has what the models of a trial predict for samples on which they were not trained.
type heldOut struct {
	y       []*mat.Dense // of each model: potentials (N×C), NaN where nothing is predicted
	weights []int        // of each model: the number of non-zero weights, summed over the folds
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
	h := &heldOut{y: make([]*mat.Dense, models), weights: make([]int, models)}
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
			e.foldEnds(h, fold, models, train, scored)
		}
		return err
	}
	if e.validation == nil {
		if err := d.CheckSingles(); err != nil {
			return err
		}
		return d.EachFold(ctx, fitting.Folds, first, end, e.seed, run)
	}
	if first < end {
		return run(0, d, fitting.All(scored.N))
	}
	return nil
}

// foldEnds counts the weights of the models of a fold and keeps the models if it is the lowest fold so far.
func (e *evaluation) foldEnds(h *heldOut, fold int, models []*mpcvm.Model, train, scored *fitting.Data) {
	e.mu.Lock()
	for i, m := range models {
		h.weights[i] += m.WeightCount()
	}
	if h.models == nil || fold < h.models[0].fold {
		h.models = nil
		for i, m := range models {
			p := newPartial(m, train, scored)
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
