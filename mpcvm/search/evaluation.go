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

// evaluation is the common state of the fits of Width, Calibrated and Auto: the samples on which settings are
// trained and scored, the trials so far, and the model that Fit returns if it is interrupted.
type evaluation struct {
	whole      *fitting.Data     // all samples
	train      *fitting.Data     // the samples on which settings are trained: all or a subset
	validation *fitting.Data     // held-out samples that score the settings; nil for cross-validation
	seed       uint64            // of the folds
	onFold     func()            // called after each fold; may be nil
	onTrial    func(mpcvm.Trial) // called after each trial; may be nil
	trials     []mpcvm.Trial

	mu       sync.Mutex
	fallback partial // the best model of a single fold so far
}

// heldOut contains the predictions of the models of a trial for held-out samples.
type heldOut struct {
	y       []*mat.Dense // for each model, its potentials (N×C), NaN where nothing is predicted
	weights []int        // for each model, the number of non-zero weights, summed over the folds
	models  []partial    // the models of the fold with the lowest number so far
}

// fitter trains models on the training set of a fold and passes each to next until next returns false.
type fitter func(ctx context.Context, fold int, train *fitting.Data, next func(*mpcvm.Model) bool) error

// fitterOf returns a fitter that trains one model, with a learner that may depend on the fold.
func fitterOf(l func(fold int) mpcvm.Learner) fitter {
	return func(ctx context.Context, fold int, train *fitting.Data, next func(*mpcvm.Model) bool) error {
		m, _, err := l(fold).Fit(ctx, mpcvm.Samples(train.Samples()))
		if err == nil {
			next(m)
		}
		return err
	}
}

// forTrials returns the learner to use in trials for a fit to n samples; see Tunable.
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

// newHeldOut returns empty predictions for a number of models that will be trained on d.
func (e *evaluation) newHeldOut(d *fitting.Data, models int) *heldOut {
	h := &heldOut{y: make([]*mat.Dense, models), weights: make([]int, models)}
	for i := range h.y {
		h.y[i] = e.scored(d).NewPotentials()
	}
	return h
}

// predict trains models on d in the folds first to end−1 and adds their predictions to h. A validation set
// counts as one fold. After each model, next is called with the fold and the number of the model, and reports
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

// foldEnds counts the weights of the models of a fold, and keeps the models if no fold with a lower number
// has ended.
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

// record appends a trial whose model of a single fold is p, and returns p with the result of the trial. It
// updates the fallback, which comes from the trial with the lowest log loss among those with the largest
// training set.
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

// describe returns Result.Partial for the fallback. kind is what a trial varies, such as "width".
func (e *evaluation) describe(kind string) string {
	f := e.fallback
	source := fmt.Sprintf("one fold of the best of %s tried", words.Plural(len(e.trials), kind))
	switch {
	case f.trial == len(e.trials): // the trial is incomplete
		source = "one fold of the first " + kind
	case f.validated:
		source = "the fit for the choice of the temperature"
	}
	return fmt.Sprintf("trained on %d of %d samples: %s", f.samples, e.whole.N, source)
}
