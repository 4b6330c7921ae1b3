package search

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Tunable is a learner whose kernel Width can choose. A learner may also have these methods:
//
//	// ForTrials returns the learner for the fits that compare settings of a fit to n samples, for
//	// example one with fewer iterations.
//	ForTrials(n int) mpcvm.Learner
//
//	// LeaveOneOut returns the potentials (N×C) of each sample by a model of all others. Its error is
//	// errors.ErrUnsupported if the options of the learner do not allow it.
//	LeaveOneOut(ctx context.Context, s mpcvm.Samples) (*mat.Dense, error)
//
// LeaveOneOut takes the place of cross-validation unless the samples have groups or times.
type Tunable interface {
	mpcvm.Learner
	// WithKernel returns the learner with another kernel.
	WithKernel(k kernel.Kernel) mpcvm.Learner
}

// Width chooses the width of the kernel of a learner within the training data, by the log loss of 5-fold
// cross-validation, and fits the learner with that width to all samples. The widths tried are the kernel's
// MedianTheta times powers of 2: first larger ones, then smaller ones, each until two in turn are no better.
// That takes about forty short fits. The result depends only on Seed.
//
// With more than 5000 samples, 4000 of them, drawn class by class, are used for the choice.
//
// The model has Scores, and Result.Trials has the widths that were tried. If ctx ends during the choice,
// the model is one of a fold of the best width so far, or nil before the first fold ends, and
// Result.Partial describes it.
type Width struct {
	// Learner is the learner. It must be a Tunable.
	Learner mpcvm.Learner
	// Kernel is the kernel whose width is chosen. If it is nil, it is an RBF. A kernel that has a width
	// is used as it is.
	Kernel kernel.Kernel
	// OnTrial, if not nil, is called after each width, in the goroutine of Fit.
	OnTrial func(mpcvm.Trial)
	// Seed is the seed of the folds and of the draw of 4000 samples.
	Seed uint64
}

// Calibrated gives the model of a learner the temperature (mpcvm.Model.WithTemperature) that minimises the
// log loss of 5-fold cross-validation, at the cost of five short fits, and Scores. Around a Width it uses
// the cross-validation of the chosen width. It changes probabilities, never labels. With more than 5000
// samples, a fifth of them, but at most 4000, are held out instead, at the cost of one fit.
type Calibrated struct {
	// Learner is the learner, for example a Width. See Tunable for the methods that it may have.
	Learner mpcvm.Learner
	// Seed is the seed of the folds. Around a Width, the Width's Seed is used.
	Seed uint64
}

var _, _ mpcvm.Learner = Width{}, Calibrated{}

// Fit implements mpcvm.Learner. It returns the errors of the learner, and a *mpcvm.CellError if most samples
// are the only one of their class.
func (w Width) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	args.Learner("search: Width.Learner", w.Learner)
	tunable, ok := w.Learner.(Tunable)
	if !ok {
		return nil, mpcvm.Result{}, fmt.Errorf("search: Width: %T has no method WithKernel(kernel.Kernel) mpcvm.Learner", w.Learner)
	}
	return (&tuning{Width: w, tunable: tunable}).fit(ctx, s, observers)
}

// Fit implements mpcvm.Learner. It returns the errors of the learner, and a *mpcvm.CellError if most samples
// are the only one of their class.
func (c Calibrated) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	args.Learner("search: Calibrated.Learner", c.Learner)
	w, ok := c.Learner.(Width)
	if !ok {
		return (&tuning{Width: Width{Learner: c.Learner, Seed: c.Seed}, calibrate: true}).fit(ctx, s, observers)
	}
	args.Learner("search: Width.Learner", w.Learner)
	tunable, ok := w.Learner.(Tunable)
	if !ok {
		return w.Fit(ctx, s, observers...)
	}
	return (&tuning{Width: w, tunable: tunable, calibrate: true}).fit(ctx, s, observers)
}

// tuning is a fit of Width or Calibrated.
type tuning struct {
	Width
	tunable   Tunable // nil: the learner is used with its own kernel
	calibrate bool

	whole  *fitting.Data
	part   *fitting.Data // the samples by which widths are compared
	unseen *mat.Dense    // their potentials by models that did not see them; nil before the first trial
	trials []mpcvm.Trial
	chosen int // the best of them

	mu         sync.Mutex
	best, last foldModel // of the best trial so far, and of the last one
}

// foldModel is a model of one fold and the samples that it was trained on.
type foldModel struct {
	model *mpcvm.Model
	part  *fitting.Data
	fold  int
}

// uncalibrated is Result.Partial of a model if a context ended the fit before its temperature was known.
const uncalibrated = "the fit is whole, but its temperature is not known"

// fit chooses the width, fits the learner and calibrates the model.
func (t *tuning) fit(ctx context.Context, s mpcvm.Samples, observers []mpcvm.Observer) (model *mpcvm.Model, result mpcvm.Result, err error) {
	start := time.Now()
	if t.whole, err = fitting.New(fitting.Samples(s)); err != nil {
		return nil, mpcvm.Result{}, err
	}
	t.part = t.whole
	if t.whole.N > fitting.Many {
		t.part = t.whole.Sample(fitting.SearchSamples, t.Seed)
	}
	learner := t.Learner
	if t.tunable != nil {
		var k kernel.Kernel
		if k, err = t.choose(ctx); err == nil {
			learner = t.tunable.WithKernel(k)
			t.markChosen(learner)
		}
	}
	fitted := false
	if err == nil {
		model, result, err = learner.Fit(ctx, s, observers...)
		fitted = err == nil
	}
	if fitted && result.Status != mpcvm.Stopped {
		if model, err = t.calibrated(ctx, model, learner); err != nil && ctx.Err() == nil {
			model = nil
		}
	}
	if err != nil && ctx.Err() != nil {
		result.Status = mpcvm.Cancelled
		switch {
		case model == nil:
			model, result.Partial = t.foldModel()
		case fitted:
			result.Partial = uncalibrated
		}
	}
	result.Trials = t.trials
	result.Seconds = time.Since(start).Seconds()
	return model, result, err
}

// choose returns the kernel with its width.
func (t *tuning) choose(ctx context.Context) (kernel.Kernel, error) {
	untuned, ok := kernel.Untuned(t.Kernel)
	k, err := t.part.MedianKernel("mpcvm", t.Kernel)
	if err != nil || !ok {
		return k, err
	}
	var best kernel.Kernel
	var smallest float64
	err = fitting.SearchWidth(untuned.MedianTheta(t.part.X), func(theta float64) (better bool, err error) {
		k := untuned.WithTheta(theta)
		t.last = foldModel{}
		y, tempered, err := t.predict(ctx, t.tunable.WithKernel(k))
		if err != nil {
			return false, err
		}
		compared := y
		if tempered {
			compared = fitting.AtBestTemperature(y, t.part.T, t.part.Weights)
		}
		logLoss, errorRate := fitting.Judge(compared, t.part.T, t.part.Weights)
		better = best != nil && logLoss < smallest
		if better || best == nil {
			best, smallest, t.unseen, t.best, t.chosen = k, logLoss, y, t.last, len(t.trials)
		}
		t.trials = append(t.trials, mpcvm.Trial{Kernel: k, LogLoss: logLoss, ErrorRate: errorRate, Samples: t.part.N})
		if t.OnTrial != nil {
			t.OnTrial(t.trials[len(t.trials)-1])
		}
		return better, nil
	})
	return best, err
}

// markChosen notes in the best trial that it is chosen, with the learner of its width.
func (t *tuning) markChosen(l mpcvm.Learner) {
	if len(t.trials) == 0 {
		return
	}
	if t.calibrate {
		l = Calibrated{Learner: l, Seed: t.Seed}
	}
	chosen := &t.trials[t.chosen]
	chosen.Chosen, chosen.Refit = true, l
}

// forTrials returns a learner for the fits that compare settings.
func (t *tuning) forTrials(l mpcvm.Learner) mpcvm.Learner {
	if l, ok := l.(interface {
		ForTrials(n int) mpcvm.Learner
	}); ok {
		return l.ForTrials(t.whole.N)
	}
	return l
}

// predict returns the potentials of each sample of part by a model that did not see it. If they are
// by leave-one-out, settings are to be compared at their best temperatures.
func (t *tuning) predict(ctx context.Context, l mpcvm.Learner) (y *mat.Dense, leftOut bool, err error) {
	l = t.forTrials(l)
	if loo, ok := l.(interface {
		LeaveOneOut(ctx context.Context, s mpcvm.Samples) (*mat.Dense, error)
	}); ok && !t.part.Bound() {
		y, err = loo.LeaveOneOut(ctx, mpcvm.Samples(t.part.Samples()))
		if !errors.Is(err, errors.ErrUnsupported) {
			if err == nil {
				err = t.part.MaskSingles(y)
			}
			return y, true, err
		}
	}
	y, err = t.part.CrossValidate(ctx, fitting.Folds, t.Seed, func(f int, part *fitting.Data) (fitting.Predictor, error) {
		m, _, err := l.Fit(ctx, mpcvm.Samples(part.Samples()))
		if err == nil {
			t.keep(foldModel{m, part, f})
		}
		return m, err
	})
	return y, false, err
}

// keep offers a model of the present trial. That of the lowest fold is kept.
func (t *tuning) keep(m foldModel) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last.model == nil || m.fold < t.last.fold {
		t.last = m
	}
}

// foldModel returns a model of the best trial so far, or of the first trial if it has not ended, and
// describes it. The model is nil if there is none.
func (t *tuning) foldModel() (m *mpcvm.Model, what string) {
	p, of := t.best, fmt.Sprintf("the best of %d widths tried", len(t.trials))
	if p.model == nil {
		p, of = t.last, "the first width"
	}
	if p.model == nil {
		return nil, ""
	}
	what = fmt.Sprintf("trained on %d of %d samples: one fold of %s", p.part.N, t.whole.N, of)
	return p.model.WithRows(p.part.Rows), what
}

// calibrated returns the model with its temperature and scores.
func (t *tuning) calibrated(ctx context.Context, model *mpcvm.Model, l mpcvm.Learner) (*mpcvm.Model, error) {
	y, d, err := t.unseen, t.part, error(nil)
	switch {
	case !t.calibrate && t.part != t.whole: // the scores of a part do not hold for all samples
		return model, nil
	case t.part != t.whole:
		y, d, err = t.heldOut(ctx, l)
	case t.calibrate && y == nil:
		y, _, err = t.predict(ctx, l)
	}
	if err != nil || y == nil {
		return model, err
	}
	if t.calibrate {
		model = model.WithTemperature(fitting.Temperature(y, d.T, d.Weights))
	}
	if model.WeightCount() == 0 {
		return model, nil
	}
	return model.WithScores(mpcvm.Scores(fitting.NewScores(y, d.T))), nil
}

// heldOut returns a part of the samples, and their potentials by a model of all others. The part is a
// fifth, or about 4000 if that is less.
func (t *tuning) heldOut(ctx context.Context, l mpcvm.Learner) (*mat.Dense, *fitting.Data, error) {
	in, out := t.whole.HoldOut(t.Seed)
	m, _, err := t.forTrials(l).Fit(ctx, mpcvm.Samples(in.Samples()))
	if err != nil {
		return nil, nil, err
	}
	return m.Potentials(nil, out.X), out, nil
}
