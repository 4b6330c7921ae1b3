package search

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Auto chooses the learner, the kernel and their settings by 5-fold cross-validation on the training data,
// refits the chosen setting on all samples, and calibrates its probabilities. The learner is gp.KernelPrior,
// mpcvm.BottomUp or mpcvm.TopDown; the package comment describes the choice. The zero value is the
// recommended configuration.
//
// If nothing clearly beats the class frequencies, the model predicts them and Result.Status is
// mpcvm.Collapsed.
//
// With up to 5000 samples, all of them take part in the search. With more, a fifth (at most about 4000) is
// held out to compare settings. The result depends only on Seed, unless Budget ends the search early.
//
// # How settings are scored
//
// All settings are scored on the same folds, which respect the groups or times of samples; see mpcvm.Samples.
// With more than 1000 samples, Auto uses only as many folds as are needed for 1000 held-out samples, and for
// ten of each class (or all of them). The temperature T of a setting lies between 0.2 and 5 and minimises the
// sum of the log losses of the held-out samples plus the penalty (log T)²/(2·0.25²). The probability of a class
// then receives a floor, 1/(10N) plus a share of the class frequency; the share minimises the log loss (see
// mpcvm.Model.WithFloor). Result.Trials lists the log loss of each setting.
//
// The best of K settings clearly beats the class frequencies if the log likelihood of all scored samples is
// higher by more than log K, and the mean log loss is lower by more than one standard error (two with
// Sparsity, none with Accuracy). If the error rate is not lower, two standard errors are required in any
// case. If the final fit of the chosen setting collapses, the setting with the lowest log loss is fitted
// instead. If that collapses too, Auto fits the best setting that keeps all weights.
//
// # Large data
//
// With more than 5000 samples, each setting is trained on a random subset of at most 4000 samples, stratified
// by class, of those not held out. The chosen setting is then fitted to all samples that are not held out,
// and its temperature is chosen on the held-out samples. This model is stored in Result.Validated. With up
// to 25,000 samples, the setting is finally fitted to all samples; with more, Fit returns the model in
// Result.Validated. Each fit uses at most 200,000 samples, drawn at random and stratified by class, unless
// Candidates is set.
type Auto struct {
	// Budget limits the wall-clock time of Fit; zero means no limit. The search ends after 60 % of it, and the
	// rest is reserved for the final fit, which is left out if the fit for Result.Validated took longer than
	// what remains. If the time runs out, Fit returns the model of the last iteration, or a model from
	// cross-validation if that is better, and a nil error; Result.Status is TimeLimit and Result.Partial
	// describes the model. Fit returns within about a second after Budget, but never before it has a model.
	Budget time.Duration

	// Candidates is the number of samples that may have weights in the final fit; see
	// gp.KernelPrior.Candidates and mpcvm.BottomUp.Candidates. With up to 5000 samples this field is ignored
	// and every sample is a candidate. If it is zero, gp.KernelPrior uses all samples if there are at most
	// 25,000, and otherwise at most 3200 candidates, fewer if they would need more than 1.5 GB; the other
	// learners use 2000. With mpcvm.AllCandidates, every sample takes part in the search and is a candidate;
	// memory then grows as N².
	Candidates int

	// Prefer trades accuracy for size. By default, Auto selects the smallest model whose log loss is
	// within a standard error of the lowest.
	Prefer Preference

	// OnTrial, if not nil, is called after each trial, in the goroutine that called Fit.
	OnTrial func(mpcvm.Trial)

	// OnProgress, if not nil, is called when a step begins, when a fold of a trial ends, every second
	// during the final fit, and at its end. The calls do not overlap, but may come from different
	// goroutines. A first model is known within seconds; see Progress.Best.
	OnProgress func(Progress)

	// Seed is the seed of the folds and of all draws of samples. Nothing else is random.
	Seed uint64
}

// Preference is the trade-off between accuracy and size among settings with a similar log loss.
type Preference int

const (
	// Balance selects the smallest model whose cross-validated log loss exceeds the lowest by at most one
	// standard error of the difference, or by 0.001 nats if that is larger.
	Balance Preference = iota
	// Accuracy selects the model with the lowest log loss. For settings that are scored twice, the mean of
	// both log losses counts.
	Accuracy
	// Sparsity selects the smallest model within two standard errors, or 0.002 nats if that is larger.
	Sparsity
)

// errors returns the number of standard errors by which a larger model must be better.
func (p Preference) errors() float64 { return [...]float64{Balance: 1, Accuracy: 0, Sparsity: 2}[p] }

func (p Preference) String() string {
	return [...]string{Balance: "balance", Accuracy: "accuracy", Sparsity: "sparsity"}[p]
}

var _ mpcvm.Learner = Auto{}

// Fit chooses a setting and trains a model on the samples. If the scales of the features differ by more
// than a factor of ten, they are standardised, and the model carries the scaling; see
// mpcvm.Model.WithScaling. Observers are called during the final fit only, with models of the standardised
// samples. A sample that is the only one of its class is not scored.
//
// Fit returns a *mpcvm.CellError if the data are unsuitable for training, for example if most samples are
// alone in their class. If every sample is a candidate and the final fit would need more memory than is
// available, Fit returns a *mpcvm.MemoryError at once. It panics if Budget is negative or Candidates is less
// than −1. With up to 5000 samples, the time grows as N³; 792 samples of 11 classes take about 6 s on one
// core.
//
// If ctx ends, Fit returns the best model so far within about a second, and an error that wraps ctx.Err().
// During the search, this is the model of one fold of the best setting, or nil before the first fold ends.
// During the final fit, it is the model of the last iteration or the model of that fold, whichever has the
// lower log loss on the samples held out in the fold. Result.Partial describes the model.
func (a Auto) Fit(ctx context.Context, samples mpcvm.Samples,
	observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	start := clock.now()
	args.Option("search: Auto.Budget", a.Budget.Seconds(), 0)
	if a.Candidates != mpcvm.AllCandidates {
		args.Option("search: Auto.Candidates", a.Candidates, 0)
	}
	if a.Prefer < Balance || a.Prefer > Sparsity {
		panic(fmt.Sprintf("search: Auto.Prefer is %d; want Balance, Accuracy or Sparsity", int(a.Prefer)))
	}
	if inRawUnits(samples) {
		return standardised{a}.Fit(ctx, samples, observers...)
	}
	d, err := fitting.New(fitting.Samples(samples))
	if err == nil {
		err = d.CheckSingles()
	}
	var s *state
	if err == nil {
		s = newState(a, d, start)
		err = s.checkMemory()
	}
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	model, result, err := s.fit(ctx, observers)
	result.Trials, result.Validated, result.Settings = s.trials, s.validated, len(s.trials)
	if s.cut {
		result.Settings = max(len(s.trials)+1, usualSteps-1) // the last step is the final fit
	}
	if result.Seconds = clock.now().Sub(start).Seconds(); s.large() {
		runtime.GC() // frees the kernel matrix before more memory is needed
	}
	return model, result, err
}

// checkMemory returns an error if the memory does not suffice for the final fit of a dense model with every
// sample as a candidate.
func (s *state) checkMemory() error {
	if s.large() {
		return nil
	}
	n, advice := float64(s.whole.N), "use fewer samples (rows)"
	if s.whole.N > fitting.Many {
		advice = "leave Auto.Candidates zero, set it to a number, or " + advice
	}
	what := fmt.Sprintf("search: Auto of %d samples, all of them candidates,", s.whole.N)
	return memory.Check(8*n*n+400*n*float64(s.whole.C), what, advice)
}

// fit searches and makes the final fit.
func (s *state) fit(ctx context.Context, observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	inTime, stop := s.until(ctx, searchShare)
	reached, err := s.search(inTime)
	late := inTime.Err() != nil
	chosen := reached.best
	if (err == nil || late) && s.best != nil && ctx.Err() == nil {
		chosen = s.choose(inTime)
	}
	s.cut = inTime.Err() != nil
	stop()
	switch {
	case ctx.Err() != nil:
		return s.giveUp(ctx, mpcvm.Result{})
	case err != nil && !late:
		return nil, mpcvm.Result{}, err
	case chosen == nil: // no trial is complete
		return s.giveUp(ctx, mpcvm.Result{})
	}
	s.setChosen(chosen)
	for ; ; chosen = chosen.next {
		model, result, err := (*mpcvm.Model)(nil), mpcvm.Result{}, error(nil)
		if s.large() && !chosen.constant {
			model, result, err = s.fitValidated(ctx, chosen, observers)
		}
		if model == nil && err == nil && result.Status != mpcvm.Collapsed {
			model, result, err = s.fitAll(ctx, chosen, observers)
		}
		if err != nil || result.Status != mpcvm.Collapsed || chosen.next == nil {
			return model, result, err
		}
	}
}

// fitValidated fits a setting to the samples outside the validation set and chooses its temperature on that
// set. If this is the final fit, it returns the model; otherwise the model is nil and fitAll follows.
func (s *state) fitValidated(ctx context.Context, c *setting,
	observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	in, _ := s.whole.HoldOut(s.Seed)
	in = in.Sample(s.fitted(), s.Seed)
	isFinal := s.whole.N > oneFitSamples
	if !isFinal {
		observers = nil
	}
	began := s.begin(fmt.Sprintf("%s, %v, %d samples", c.name, c.kernels, in.N))
	inTime, stop := s.until(ctx, 1)
	defer stop()
	m, result, err := s.fitTo(inTime, in, c, observers)
	switch {
	case err == nil && result.Status == mpcvm.Collapsed && c.next != nil:
		s.finish(false)
		return nil, result, nil
	case err != nil && inTime.Err() == nil:
		return nil, mpcvm.Result{}, err
	case m == nil:
		return s.giveUp(ctx, mpcvm.Result{})
	}
	t := s.calibrate(c, m.Potentials(nil, s.validation.X), s.validation)
	took := clock.now().Sub(began)
	t.Samples, t.Weights, t.Seconds = in.N, m.WeightCount(), took.Seconds()
	if err != nil && t.LogLoss > s.fallback.logLoss {
		return s.giveUp(ctx, mpcvm.Result{})
	}
	if result.Candidates > 0 {
		t.Learner += fmt.Sprintf(", %d candidates", result.Candidates)
	}
	model := newPartial(m, in, s.validation)
	model.validated, model.calibration = true, &c.calibration
	s.add(c, t, model)
	s.validated = model.validate(s.whole)
	last := isFinal && err == nil
	s.trials[c.trial].Chosen = last
	s.finish(last)
	switch late := s.Budget > 0 && clock.now().Add(took).Sub(s.start) > s.Budget; {
	case err != nil, !isFinal && late: // a fit to all samples takes longer than this one
		return s.giveUp(ctx, result)
	case !isFinal:
		return nil, mpcvm.Result{}, nil
	}
	result.Samples = in.N
	return s.validated.Model, result, nil
}

// fitAll fits a setting to all samples.
func (s *state) fitAll(ctx context.Context, c *setting,
	observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	s.begin("final fit")
	inTime, stop := s.until(ctx, 1)
	defer stop()
	if inTime.Err() != nil && !c.constant {
		return s.giveUp(ctx, mpcvm.Result{})
	}
	model, result, err := s.fitTo(inTime, s.whole, c, observers)
	if model != nil {
		model = calibrated(model, c.calibration)
	}
	switch {
	case err == nil && result.Status == mpcvm.Collapsed && c.next != nil:
		s.finish(false)
		return nil, result, nil
	case err != nil && inTime.Err() == nil:
		return nil, result, err
	case err != nil && (model == nil || !s.fallback.losesTo(model, s.whole)):
		return s.giveUp(ctx, result)
	case err != nil && ctx.Err() == nil:
		result.Status, err = mpcvm.TimeLimit, nil
	}
	if result.Partial != "" {
		result.Partial = fmt.Sprintf("the final fit to all %d samples ended in iteration %d",
			s.whole.N, result.Iterations)
	}
	s.trials[c.trial].Chosen = true
	s.finish(true)
	return model, result, err
}

// fitTo fits a setting to the samples d and reports progress each second.
func (s *state) fitTo(ctx context.Context, d *fitting.Data, c *setting,
	observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	seen := clock.now()
	observers = append(observers[:len(observers):len(observers)], func(*mpcvm.Step) {
		if now := clock.now(); now.Sub(seen) > time.Second {
			seen = now
			s.report()
		}
	})
	return c.learner(c.kernels.Kernel, s.options()).Fit(ctx, mpcvm.Samples(d.Samples()), observers...)
}

// giveUp returns the best model of cross-validation, and completes the result of an interrupted fit.
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
	if f.trial < len(s.trials) {
		s.trials[f.trial].Chosen = true
	}
	result.Partial, result.Samples = s.describe("setting"), f.samples
	s.validated = f.validate(s.whole)
	return s.validated.Model, result, err
}
