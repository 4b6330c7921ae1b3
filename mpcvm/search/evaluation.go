package search

import (
	"cmp"
	"context"
	"fmt"
	"sync"

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

// heldOut contains the predictions of a trial.
type heldOut struct {
	*fitting.HeldOut
	models []partial // the models of the fold with the lowest number so far
}

// fitter trains models on the training set of a fold and passes each to next until next returns false.
type fitter func(ctx context.Context, fold int, train *fitting.Data, next func(*mpcvm.Model) bool) error

// fitterOf returns a fitter that trains one model with a learner.
func fitterOf(l mpcvm.Learner) fitter {
	return func(ctx context.Context, _ int, train *fitting.Data, next func(*mpcvm.Model) bool) error {
		m, _, err := l.Fit(ctx, mpcvm.Samples(train.Samples()))
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
			scored.Predict(h.Y[len(models)], m, out)
			models = append(models, m)
			return next(fold, len(models)-1)
		})
		if err == nil {
			for _, m := range models {
				h.Counts[fold] = append(h.Counts[fold], m.WeightCount())
			}
			e.foldEnds(h, fold, func(i int) partial { return newPartial(models[i], train, scored) })
		}
		return err
	}
	if e.validation != nil {
		if first == end {
			return nil
		}
		return run(0, d, fitting.All(scored.N))
	}
	if err := d.CheckSingles(); err != nil {
		return err
	}
	h.Taken = func(fold int, out []int) { // the other replica keeps the models
		e.foldEnds(h, fold, func(int) partial { return partial{samples: e.train.N - len(out)} })
	}
	return d.EachFold(ctx, fitting.Folds, first, end, e.seed, h.HeldOut, run)
}

// foldEnds keeps the models of a fold if no fold with a lower number has ended. The models of a fold of
// another replica are not known and replace no others.
func (e *evaluation) foldEnds(h *heldOut, fold int, model func(i int) partial) {
	e.mu.Lock()
	if h.models == nil || fold < h.models[0].fold && model(0).model != nil {
		h.models = nil
		for i := range h.Counts[fold] {
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

// record appends a trial whose model of a single fold is p, and returns p with the result of the trial. The
// model replaces the fallback if its log loss is lower. A model with more training samples also replaces it
// if the log loss is higher by at most a standard error, because the lowest of many scores owes more to
// chance. The fit of the chosen setting outside the validation set always replaces it.
func (e *evaluation) record(t mpcvm.Trial, p partial) partial {
	e.mu.Lock()
	p.trial, p.logLoss, p.trained = len(e.trials), t.LogLoss, t.Samples
	e.trials = append(e.trials, t)
	f := e.fallback
	better := p.validated || p.logLoss < f.logLoss ||
		p.trained > f.trained && p.logLoss <= f.logLoss+f.standardError
	if p.trial == 0 || p.model != nil && !t.GivenUp && better {
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
