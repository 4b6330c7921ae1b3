package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Tunable is a learner whose kernel can be set by Width. It may also have these optional methods:
//
//	// ForTrials returns the learner to use when settings for a fit to n samples are compared, for
//	// example with fewer iterations.
//	ForTrials(n int) mpcvm.Learner
//
//	// LeaveOneOut returns the potentials (N×C) of the samples, each computed by a model of all others.
//	// It returns an error that wraps errors.ErrUnsupported if the options of the learner rule this out.
//	LeaveOneOut(ctx context.Context, s mpcvm.Samples) (*mat.Dense, error)
//
// Width and Calibrated use LeaveOneOut instead of cross-validation unless the samples have groups or times.
type Tunable interface {
	mpcvm.Learner
	// WithKernel returns the learner with another kernel.
	WithKernel(k kernel.Kernel) mpcvm.Learner
}

// Width chooses the width of a learner's kernel by the log loss of 5-fold cross-validation on the training
// data, and fits the learner with that width to all samples. It tries the kernel's MedianTheta times powers
// of 2: first larger widths, then smaller ones, each until two in a row bring no improvement. This takes
// about forty short fits. The result depends only on Seed.
//
// If the scales of the features differ by more than a factor of ten, they are standardised, and the model
// carries the scaling (see mpcvm.Model.WithScaling).
//
// With more than 5000 samples, the width is chosen on 4000 of them, drawn at random and stratified by class.
//
// The model has Scores, and Result.Trials lists the widths that were tried. If ctx ends during the search,
// Fit returns the model of one fold of the best width so far, or nil before the first fold ends, and
// Result.Partial describes it.
type Width struct {
	// Learner is the learner. It must be a Tunable.
	Learner mpcvm.Learner
	// Kernel is the kernel whose width is chosen. If it is nil, an RBF kernel is used. A kernel that
	// already has a width is used unchanged.
	Kernel kernel.Kernel
	// OnTrial, if not nil, is called after each width, in the goroutine that called Fit.
	OnTrial func(mpcvm.Trial)
	// Seed is the seed of the folds and of the random subset of 4000 samples.
	Seed uint64
}

// Calibrated adds a temperature and Scores to the model of a learner. The temperature (see
// mpcvm.Model.WithTemperature) minimises the log loss of 5-fold cross-validation, which takes five short
// fits. If the learner is a Width, the cross-validation of the chosen width is reused. With more than 5000
// samples, a fifth of them (at most about 4000) is held out instead, which takes one more fit. The
// temperature changes probabilities but not labels.
type Calibrated struct {
	// Learner is the learner, for example a Width. See Tunable for its optional methods.
	Learner mpcvm.Learner
	// Seed is the seed of the folds. If Learner is a Width, the Seed of the Width is used.
	Seed uint64
}

var _, _ mpcvm.Learner = Width{}, Calibrated{}

// Fit implements mpcvm.Learner. It returns the errors of the learner, and a *mpcvm.CellError if most samples
// are alone in their class.
func (w Width) Fit(ctx context.Context, s mpcvm.Samples,
	observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	return w.tune(ctx, s, observers, w, false)
}

// Fit implements mpcvm.Learner. It returns the errors of the learner, and a *mpcvm.CellError if most samples
// are alone in their class.
func (c Calibrated) Fit(ctx context.Context, s mpcvm.Samples,
	observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	args.Learner("search: Calibrated.Learner", c.Learner)
	if w, ok := c.Learner.(Width); ok {
		return w.tune(ctx, s, observers, c, true)
	}
	return (&tuning{Width: Width{Learner: c.Learner, Seed: c.Seed}, calibrate: true}).fit(ctx, s, observers)
}

// tune is Fit for the learner l, which is w, or a Calibrated of w if calibrate is true.
func (w Width) tune(ctx context.Context, s mpcvm.Samples, observers []mpcvm.Observer, l mpcvm.Learner,
	calibrate bool) (*mpcvm.Model, mpcvm.Result, error) {
	args.Learner("search: Width.Learner", w.Learner)
	tunable, ok := w.Learner.(Tunable)
	if !ok {
		return nil, mpcvm.Result{}, fmt.Errorf(
			"search: Width: %T has no method WithKernel(kernel.Kernel) mpcvm.Learner", w.Learner)
	}
	if _, untuned := kernel.Untuned(w.Kernel); untuned && inRawUnits(s) {
		return standardised{l}.Fit(ctx, s, observers...)
	}
	return (&tuning{Width: w, tunable: tunable, calibrate: calibrate}).fit(ctx, s, observers)
}

// tuning is a fit of Width or Calibrated.
type tuning struct {
	Width
	evaluation
	tunable   Tunable // nil if the learner keeps its kernel
	calibrate bool

	y      *mat.Dense // held-out potentials of the best width; nil before the first trial
	chosen int        // the number of the trial of the best width
}

// uncalibrated is Result.Partial if ctx ended before the temperature was chosen.
const uncalibrated = "the fit is complete, but its temperature is not known"

// fit chooses the width, fits the learner and calibrates the model.
func (t *tuning) fit(ctx context.Context, s mpcvm.Samples,
	observers []mpcvm.Observer) (model *mpcvm.Model, result mpcvm.Result, err error) {
	start := time.Now()
	if t.whole, err = fitting.New(fitting.Samples(s)); err != nil {
		return nil, mpcvm.Result{}, err
	}
	t.train, t.seed, t.onTrial = t.whole, t.Seed, t.OnTrial
	if t.whole.N > fitting.Many {
		t.train = t.whole.Sample(fitting.SearchSamples, t.Seed)
	}
	learner := t.Learner
	if t.tunable != nil {
		if t.train != t.whole { // else the memory for the final fit is only missed at the end
			if err = memory.Rehearse(ctx, func(ctx context.Context) error {
				_, _, err := t.tunable.WithKernel(kernel.RBF{Theta: 1}).Fit(ctx, s)
				return err
			}); err != nil {
				return nil, mpcvm.Result{}, err
			}
		}
		var k kernel.Kernel
		if k, err = t.choose(ctx); err == nil {
			learner = t.tunable.WithKernel(k)
			if len(t.trials) > 0 {
				chosen := &t.trials[t.chosen]
				if chosen.Chosen, chosen.Refit = true, learner; t.calibrate {
					chosen.Refit = Calibrated{Learner: learner, Seed: t.Seed}
				}
			}
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
		case model == nil && t.fallback.model != nil:
			model, result.Partial, result.Samples = t.fallback.model, t.describe("width"), t.fallback.samples
		case fitted:
			result.Partial = uncalibrated
		}
	}
	result.Trials = t.trials
	result.Seconds = time.Since(start).Seconds()
	return model, result, err
}

// choose returns the kernel with the chosen width.
func (t *tuning) choose(ctx context.Context) (kernel.Kernel, error) {
	untuned, ok := kernel.Untuned(t.Kernel)
	k, err := t.train.MedianKernel("mpcvm", t.Kernel)
	if err != nil || !ok {
		return k, err
	}
	var best kernel.Kernel
	err = fitting.SearchWidth(untuned.MedianTheta(t.train.X), func(theta float64) (better bool, err error) {
		k := untuned.WithTheta(theta)
		y, model, err := t.potentials(ctx, t.tunable.WithKernel(k))
		if err != nil {
			return false, err
		}
		compared := y
		if model.samples == 0 { // leave-one-out
			compared = fitting.AtBestTemperature(y, t.train.T, t.train.Weights)
		}
		trial := mpcvm.Trial{Kernel: k, Samples: t.train.N}
		trial.LogLoss, trial.ErrorRate = fitting.Evaluate(compared, t.train.T, t.train.Weights)
		better = best != nil && trial.LogLoss < t.trials[t.chosen].LogLoss
		if better || best == nil {
			best, t.y, t.chosen = k, y, len(t.trials)
		}
		t.record(trial, model)
		return better, nil
	})
	return best, err
}

// potentials returns the potentials of held-out samples and the model of one fold. If the learner supports
// leave-one-out, the model is empty and the potentials must be compared at their best temperatures.
func (t *tuning) potentials(ctx context.Context, l mpcvm.Learner) (*mat.Dense, partial, error) {
	l = forTrials(l, t.whole.N)
	if loo, ok := l.(interface {
		LeaveOneOut(ctx context.Context, s mpcvm.Samples) (*mat.Dense, error)
	}); ok && t.validation == nil && !t.train.Bound() {
		y, err := loo.LeaveOneOut(ctx, mpcvm.Samples(t.train.Samples()))
		if !errors.Is(err, errors.ErrUnsupported) {
			if err == nil {
				err = t.train.MaskSingles(y)
			}
			return y, partial{}, err
		}
	}
	h := &heldOut{HeldOut: t.scored(t.train).NewHeldOut(fitting.Folds, 1)}
	err := t.predict(ctx, t.train, h, 0, fitting.Folds, fitterOf(l), func(int, int) bool { return true })
	if err != nil {
		return nil, partial{}, err
	}
	return h.Y[0], h.models[0], nil
}

// calibrated returns the model with its temperature and scores.
func (t *tuning) calibrated(ctx context.Context, model *mpcvm.Model, l mpcvm.Learner) (*mpcvm.Model, error) {
	y, err := t.y, error(nil)
	if t.train != t.whole { // scores of a subset are not valid for a fit to all samples
		if y = nil; t.calibrate {
			t.train, t.validation = t.whole.HoldOut(t.Seed)
		}
	}
	if t.calibrate && y == nil {
		y, _, err = t.potentials(ctx, l)
	}
	if err != nil || y == nil {
		return model, err
	}
	d := t.scored(t.train)
	if t.calibrate {
		model = model.WithTemperature(fitting.Temperature(y, d.T, d.Weights))
	}
	if model.WeightCount() == 0 {
		return model, nil
	}
	return model.WithScores(mpcvm.Scores(fitting.NewScores(y, d.T))), nil
}
