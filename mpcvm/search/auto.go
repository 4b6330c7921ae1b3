package search

import (
	"context"
	"fmt"
	"time"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Auto chooses the learner, its likelihood power or prior scale, the number of weights, and the
// kernel's family and width by cross-validation within the training data. It gives the model a
// temperature and a floor (mpcvm.Model.WithFloor) and lists what it tried in Result.Trials. The final
// model is from gp.KernelPrior, mpcvm.BottomUp or mpcvm.TopDown, or it has the frequencies of the
// classes alone. The zero value is the recommended setting.
//
// The package's documentation lists what it tries.
//
// # What it chooses
//
// A setting is judged by the log loss of 5-fold cross-validation. Its temperature T minimises the
// sum of these losses plus (log T)²/(2·0.25²), and is between 0.2 and 5. Its probabilities are
// mixed with the frequencies of the classes, by the weight of the least log loss, so that none is
// below 1/(10N). All settings share the folds. Folds respect the groups or times of samples: see
// mpcvm.Samples. With more than 1000 samples only so many folds are judged that they
// hold 1000 samples, and at least two.
//
// Of all these, the setting of the least log loss is the best, and Prefer says which smaller model may
// take its place. The smallest model of all has the frequencies of the classes: Result.Status is
// mpcvm.Collapsed if it is chosen. It also is unless the best of K settings has a log likelihood, of
// all judged samples, that is higher by more than log K, and by two standard errors if it does not err
// less than they do. The chosen setting is fitted to all samples. If that fit collapses although the
// setting did not in cross-validation, the setting with the lowest log loss is fitted instead, and then the
// best one that keeps all weights.
// The choice depends on Seed alone, whatever the number of cores, unless Budget ends the search.
//
// # Many samples
//
// With more than 5000 samples, a fifth of them, but at most 4000, are set aside and judge all
// settings. In the search a setting learns from 4000 of the others, drawn class by class. The
// chosen setting is fitted to all of the others. The samples that were set aside give its
// temperature, and Result.Held has that model. Then the setting is fitted to all samples, but with
// more than 25,000 the fit before is the model. Of more than 200,000 samples that fit takes 200,000, drawn class by class, unless
// Candidates is set. See Candidates and Result.Candidates.
type Auto struct {
	// Budget is the wall time of Fit. The search ends after three fifths of it: a trial that runs
	// then is given up. The rest is kept for the final fit. If Budget ends during that fit, the
	// model is the one of its last iteration, or the one of cross-validation if that is better.
	// The status is TimeLimit then, there is no error, and Result.Partial says what the model is.
	// Fit returns within about a second after Budget, but waits for a first model. If it is zero,
	// there is no limit.
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
	// one by more than one standard error of the difference, or 0.001 nats if that is more.
	Balance Preference = iota
	// Accuracy is the model of the least log loss.
	Accuracy
	// Sparsity is the smallest model within twice that.
	Sparsity
)

// errors is the number of standard errors.
func (p Preference) errors() float64 { return [...]float64{Balance: 1, Accuracy: 0, Sparsity: 2}[p] }

func (p Preference) String() string {
	return [...]string{Balance: "balance", Accuracy: "accuracy", Sparsity: "sparsity"}[p]
}

var _ mpcvm.Learner = Auto{}

// Fit chooses a setting and trains a model on the samples. The features should be standardised. Observers see the
// final fit. A sample that is the only one of its class is left out of all log losses.
//
// Fit returns a *mpcvm.CellError for data from which nothing can be learned, also if most
// samples are the only one of their class. Unless there are many samples, it returns a
// *mpcvm.MemoryError at once if fewer than 8N² + 400NC bytes of memory are available. It panics if the
// slices of the samples differ in length, Budget is negative or Candidates is less than −1. Up to 5000 samples time
// grows as N³; 792 samples of 11 classes take about 6 s on one core.
//
// If ctx ends, Fit returns within about a second the best model so far and an error that wraps
// ctx.Err(): during the search the model of one fold of the best setting so far, during the
// final fit that of its last iteration or that of the fold, whichever has the lower log loss on
// the samples outside the fold. Result.Partial says which. The model is nil before the first
// fold ends.
func (a Auto) Fit(ctx context.Context, samples mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	start := clock.now()
	args.Option("search: Auto.Budget", a.Budget.Seconds(), 0)
	if a.Candidates != mpcvm.AllCandidates {
		args.Option("search: Auto.Candidates", a.Candidates, 0)
	}
	if a.Prefer < Balance || a.Prefer > Sparsity {
		panic(fmt.Sprintf("search: Auto.Prefer is %d; there are Balance, Accuracy and Sparsity", int(a.Prefer)))
	}
	d, err := fitting.New(fitting.Samples(samples))
	if err == nil {
		err = d.CheckSingles()
	}
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	s := newState(a, d, start)
	if err := s.checkMemory(); err != nil {
		return nil, mpcvm.Result{}, err
	}
	model, result, err := s.fit(ctx, observers)
	result.Trials, result.Held = s.trials, s.held
	result.Seconds = clock.now().Sub(start).Seconds()
	return model, result, err
}

// checkMemory refuses a search whose final fit, of the dense model with all samples as candidates, would
// be refused.
func (s *state) checkMemory() error {
	if s.large() {
		return nil
	}
	n, advice := float64(s.whole.N), "take fewer samples (rows)"
	if s.whole.N > fitting.Many {
		advice = "set Candidates to a number, leave it zero, or " + advice
	}
	return memory.Check(8*n*n+400*n*float64(s.whole.C), fmt.Sprintf("search: Auto of %d samples that are all candidates", s.whole.N), advice)
}

// fit searches and makes the final fit.
func (s *state) fit(ctx context.Context, observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	inTime, stop := s.until(ctx, searchShare)
	better, err := s.search(inTime)
	late := inTime.Err() != nil
	stop()
	chosen := better.best
	switch {
	case ctx.Err() != nil:
		return s.giveUp(ctx, mpcvm.Result{})
	case err != nil && !late:
		return nil, mpcvm.Result{}, err
	case s.best != nil:
		chosen = s.choose()
		s.line(chosen)
		s.setBest(chosen)
	case chosen == nil: // no trial has ended
		return s.giveUp(ctx, mpcvm.Result{})
	}
	for ; ; chosen = chosen.next {
		model, result, err := s.settle(ctx, chosen, observers)
		if err != nil || result.Status != mpcvm.Collapsed || chosen.next == nil {
			return model, result, err
		}
	}
}

// settle makes the fits of a setting that follow the search.
func (s *state) settle(ctx context.Context, c *setting, observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	if s.large() && !c.constant {
		model, result, err := s.fitMost(ctx, c, observers)
		if model != nil || err != nil || result.Status == mpcvm.Collapsed {
			return model, result, err
		}
	}
	return s.last(ctx, c, observers)
}

// fitMost fits a setting to nearly all of many samples. The others judge it and give the
// temperature. It returns a model, or an error, if there is no final fit to follow.
func (s *state) fitMost(ctx context.Context, c *setting, observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	in, _ := s.whole.HoldOut(s.Seed)
	in = in.Sample(s.fitted(), s.Seed)
	isFinal, share := s.whole.N > oneFitSamples, 1.0
	if !isFinal {
		observers, share = nil, temperatureShare
	}
	began := s.begin(fmt.Sprintf("%s, %v, %d samples", c.name, c.kernels, in.N))
	inTime, stop := s.until(ctx, share)
	defer stop()
	m, result, err := c.learner(c.kernels.Kernel, s.options()).Fit(inTime, mpcvm.Samples(in.Samples()), s.seconds(observers)...)
	switch {
	case err == nil && result.Status == mpcvm.Collapsed && c.next != nil:
		s.finish()
		return nil, result, nil
	case err == nil:
	case inTime.Err() == nil:
		return nil, mpcvm.Result{}, err
	case isFinal:
		return s.giveUp(ctx, mpcvm.Result{})
	default:
		return nil, mpcvm.Result{}, nil
	}
	t := s.rate(c, m.Potentials(nil, s.judges.X), s.judges)
	t.Samples, t.Weights, t.Seconds = in.N, m.WeightCount(), clock.now().Sub(began).Seconds()
	if result.Candidates > 0 {
		t.Learner += fmt.Sprintf(", %d candidates", result.Candidates)
	}
	model := newPartial(m, in, s.whole)
	model.trial, model.held = len(s.trials), true
	s.record(c, t, model)
	s.held = &mpcvm.Held{Model: calibrated(model.model, c.calibration), Unseen: s.judges.Rows}
	s.finish()
	if !isFinal {
		return nil, mpcvm.Result{}, nil
	}
	s.trials[c.trial].Chosen = true
	s.end()
	return model.calibrated(s.whole), result, nil
}

// last makes the final fit.
func (s *state) last(ctx context.Context, best *setting, observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	s.begin("final fit")
	inTime, stop := s.until(ctx, 1)
	defer stop()
	if inTime.Err() != nil && !best.constant {
		return s.giveUp(ctx, mpcvm.Result{})
	}
	model, result, err := best.learner(best.kernels.Kernel, s.options()).Fit(inTime, mpcvm.Samples(s.whole.Samples()), s.seconds(observers)...)
	if model != nil {
		model = calibrated(model, best.calibration)
	}
	switch {
	case err == nil && result.Status == mpcvm.Collapsed && best.next != nil:
		s.finish()
		return nil, result, nil
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
	s.trials[best.trial].Chosen = true
	s.finish()
	s.end()
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
