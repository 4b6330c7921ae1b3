package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/fitting"
)

// Auto chooses the learner, its likelihood power or prior scale, the number of weights, and the
// kernel's family and width by cross-validation within the training data. It gives the model a
// temperature and a floor (mpcvm.Model.WithFloor) and lists what it tried in Result.Trials. The final
// model is from gp.KernelPrior, mpcvm.BottomUp or mpcvm.TopDown, or it has the frequencies of the
// classes alone. The zero value is the recommended setting.
//
// # What it tries
//
// A setting is judged by the log loss of 5-fold cross-validation. Its temperature T minimises the
// sum of these losses plus (log T)²/(2·0.25²), and is between 0.2 and 5. Its probabilities are
// mixed with the frequencies of the classes, by the weight of the least log loss, so that none is
// below 1/(10N). All settings share the folds. With more than 1000 samples only so many folds are judged that they
// hold 1000 samples, and at least two. A setting that loses to the best one of its step by two
// standard errors in the first fold is given up. Reductions end after one that loses to the dense
// model by four. Fits of BottomUp and TopDown take at most 100 iterations.
//
// Folds respect the groups or times of samples: see mpcvm.Grouped and mpcvm.Timed.
//
//  1. The dense gp.KernelPrior with an RBF and with a kernel.RationalLaplacian, from twice the
//     inverse of the median distance and Scale 10. Widths are followed in steps of two and scales
//     in steps of ten, up to 100, while the log loss falls by more than the standard error of
//     the mean difference, sample by sample: the best of many is often best by chance. At most
//     500 samples, drawn class by class, are used first; all of them follow from where these end.
//  2. A width for each feature of the best dense model, learned by gp.ARD from 400 samples without
//     each fold; not with more than 100 features. The widths are accepted if they lower the log loss
//     by more than the standard error, and then used in all that follows.
//  3. The reductions of the best dense model from 4 weights a sample down to 0.06 (Keep), and
//     those of a dense model with half its width, because fewer basis functions need narrower
//     kernels.
//  4. BottomUp with a LikelihoodPower equal to that Scale; powers and widths are
//     followed, unless a smaller model is better at once.
//  5. If the best Scale was 1, TopDown, and widths likewise: it is fast and accurate when labels
//     are noisy.
//
// Of all these, the setting of the least log loss is the best, and Prefer says which smaller model may
// take its place. The smallest model of all has the frequencies of the classes: Result.Status is
// mpcvm.Collapsed if it is chosen. It also is unless the best of K settings has a log likelihood, of
// all judged samples, that is higher by more than log K. The chosen setting is fitted to all samples. The choice depends on Seed alone, whatever the
// number of cores, unless Budget ends the search.
//
// # Many samples
//
// With more than 5000 samples, a fifth of them, but at most 4000, are set aside and judge all
// settings. In the search a setting learns from 4000 of the others, drawn class by class. The
// chosen setting is fitted to all of the others. The samples that were set aside give its
// temperature. Then it is fitted to all samples, but with more than 50,000 the fit before is the
// model. Of more than 200,000 samples that fit takes 200,000, drawn class by class, unless
// Candidates is set. See Candidates and Result.Candidates.
type Auto struct {
	// Budget is the wall time of Fit. At most two fifths of it are kept for the final fit: twice
	// the time of the last trial of the best learner, if there was one. A trial is not begun if it
	// would end too late by the time of the last trial of the same learner; one that takes longer
	// is given up. If Budget ends during the final fit, the model is that of its last iteration,
	// or the one of cross-validation if that is better; the status is TimeLimit, there is no error, and Result.Partial says what
	// the model is. Fit returns within a tenth of Budget after it, but waits for a first model.
	// If it is zero, there is no limit.
	Budget time.Duration

	// Candidates is the number of samples whose basis functions may enter the final fit, drawn
	// class by class; see mpcvm.BottomUp.Candidates. Fewer samples than 5001 are all candidates,
	// whatever it is. mpcvm.AllCandidates treats more samples in the same way as few, which
	// takes N² memory. If it is zero, gp.KernelPrior has all samples up to 25,000 and 4000 of
	// more, and the other learners have 2000.
	Candidates int

	// Prefer says which of the models is chosen: by default the smallest whose log loss is within
	// a standard error of the least one.
	Prefer Preference

	// OnTrial, if not nil, is called after each trial, in the goroutine of Fit.
	OnTrial func(mpcvm.Trial)

	// OnProgress, if not nil, is called when a step begins, when a fold of a trial ends, each
	// second of the final fit, and at its end. No two calls run at a time, but not all are made
	// in the goroutine of Fit.
	OnProgress func(Progress)

	// Seed deals the samples into the folds and draws samples. Nothing else is random.
	Seed uint64
}

// Preference says what Auto gives up for a smaller model.
type Preference int

const (
	// Balance is the smallest model whose log loss in cross-validation is not above the least
	// one by more than one standard error of the difference.
	Balance Preference = iota
	// Accuracy is the model of the least log loss.
	Accuracy
	// Sparsity is the smallest model within two standard errors.
	Sparsity
)

// errors is the number of standard errors.
func (p Preference) errors() float64 { return [...]float64{Balance: 1, Accuracy: 0, Sparsity: 2}[p] }

func (p Preference) String() string {
	return [...]string{Balance: "balance", Accuracy: "accuracy", Sparsity: "sparsity"}[p]
}

var _ mpcvm.Learner = Auto{}

// Fit chooses a setting and learns from N samples x (rows; D features) and their labels t, 0
// to C−1 with every class present. The features should be standardised. Observers see the
// final fit. A sample that is the only one of its class is left out of all log losses.
//
// Fit returns a *mpcvm.CellError for data from which nothing can be learned, also if most
// samples are the only one of their class. It panics if len(t) is not the number of rows of x,
// Budget is negative or Candidates is less than −1. Up to 5000 samples time grows as N³; 792
// samples of 11 classes take about 13 s on one core.
//
// If ctx ends, Fit returns within about a second the best model so far and an error that wraps
// ctx.Err(): during the search the model of one fold of the best setting so far, during the
// final fit that of its last iteration or that of the fold, whichever has the lower log loss on
// the samples outside the fold. Result.Partial says which. The model is nil before the first
// fold ends.
func (a Auto) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	start := clock.now()
	args.Option("search: Auto.Budget", a.Budget.Seconds(), 0)
	if a.Candidates != mpcvm.AllCandidates {
		args.Option("search: Auto.Candidates", a.Candidates, 0)
	}
	if a.Prefer < Balance || a.Prefer > Sparsity {
		panic(fmt.Sprintf("search: Auto.Prefer is %d; there are Balance, Accuracy and Sparsity", int(a.Prefer)))
	}
	d, err := fitting.New(x, t)
	if err == nil {
		err = d.CheckSingles()
	}
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	s := newState(a, d, start)
	model, result, err := s.fit(ctx, observers)
	result.Trials = s.trials
	result.Seconds = clock.now().Sub(start).Seconds()
	return model, result, err
}

// fit searches and makes the final fit.
func (s *state) fit(ctx context.Context, observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	best, err := s.run(ctx)
	if err == nil && s.large() {
		var model *mpcvm.Model
		var result mpcvm.Result
		model, result, err = s.judgeLarge(ctx, best, observers)
		s.leave(judge)
		if err == nil && s.whole.N > enough {
			s.trials[best.trial].Chosen = true
			s.leave(final)
			s.report()
			return model, result, nil
		}
	}
	if ctx.Err() != nil {
		return s.giveUp(ctx, mpcvm.Result{})
	}
	if err != nil && !errors.Is(err, errBudget) {
		return nil, mpcvm.Result{}, err
	}
	if best == nil || s.over() && best.kind != none {
		return s.giveUp(ctx, mpcvm.Result{})
	}
	return s.last(ctx, best, observers)
}

// last makes the final fit.
func (s *state) last(ctx context.Context, best *setting, observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	s.begin(final, "final fit", s.whole.N)
	inTime, stop := s.within(ctx, s.end)
	defer stop()
	model, result, err := best.learner(best.kernels.Kernel, s.options()).Fit(inTime, s.whole.X, s.whole.T, s.seconds(observers)...)
	if model != nil {
		model = calibrated(model, best.calibration)
	}
	switch {
	case err != nil && inTime.Err() == nil:
		return nil, result, err
	case err != nil && (model == nil || !s.fallback.losesTo(model, s.whole)):
		return s.giveUp(ctx, result)
	case err != nil && ctx.Err() == nil:
		result.Status, err = mpcvm.TimeLimit, nil
	}
	if result.Partial != "" {
		result.Partial = fmt.Sprintf("the final fit to all %d samples ended in iteration %d", s.whole.N, result.Iterations)
	}
	if best.trial >= 0 {
		s.trials[best.trial].Chosen = true
	}
	s.finish()
	return model, result, err
}

// seconds adds an observer that reports each second.
func (s *state) seconds(observers []mpcvm.Observer) []mpcvm.Observer {
	seen := clock.now()
	return append(observers[:len(observers):len(observers)], func(*mpcvm.Step) {
		if now := clock.now(); now.Sub(seen) > time.Second {
			seen = now
			s.report()
		}
	})
}

// giveUp returns the best model of cross-validation, with the result of what else was done.
func (s *state) giveUp(ctx context.Context, result mpcvm.Result) (*mpcvm.Model, mpcvm.Result, error) {
	var err error
	result.Status = mpcvm.TimeLimit
	if ctx.Err() != nil {
		result.Status = mpcvm.Cancelled
		err = fmt.Errorf("search: cancelled after %d trials: %w", len(s.trials), ctx.Err())
	}
	result.Objective, result.LogLik, result.Partial = 0, 0, ""
	f := s.fallback
	if f.model == nil {
		return nil, result, err
	}
	of := fmt.Sprintf("one fold of the best of %d settings tried", len(s.trials))
	switch {
	case f.trial == len(s.trials): // which has not ended
		of = "one fold of the first setting"
	case f.held:
		of = "the fit that gives the temperature"
	}
	if f.trial < len(s.trials) {
		s.trials[f.trial].Chosen = true
	}
	result.Partial = fmt.Sprintf("trained on %d of %d samples: %s", f.samples, s.whole.N, of)
	return f.calibrated(s.whole), result, err
}
