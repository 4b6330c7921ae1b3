package search

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// scoreOne scores a setting that is trained on d. It is given up if it clearly loses to the incumbent, which
// may be nil, in the first fold.
func (s *state) scoreOne(ctx context.Context, d *fitting.Data, c setting,
	incumbent *setting) (*setting, error) {
	var lost func(c *setting) bool
	if incumbent != nil {
		lost = func(c *setting) bool {
			gain, se := incumbent.gain(c)
			return gain > max(2*se, minGain)
		}
	}
	scored, err := s.score(ctx, d, []setting{c}, trialFitter(c, s.train.N), lost)
	if err != nil {
		return nil, err
	}
	if d.N == s.train.N {
		s.addFinalists(scored...)
	}
	return scored[0], nil
}

// score scores settings whose models come from one fit to d, as in a reduction. If the first setting has
// lost after the first fold, the others and the other folds are skipped; lost may be nil. The settings that
// follow one far worse than the first in that fold are skipped, too.
func (s *state) score(ctx context.Context, d *fitting.Data, c []setting, fit fitter,
	lost func(*setting) bool) ([]*setting, error) {
	began := s.begin(fmt.Sprintf("%s, %v", c[0].name, c[0].kernels))
	samples, folds := s.scored(d), s.folds(d)
	h := s.newHeldOut(d, len(c))
	next := func(fold, i int) bool {
		if fold == 0 && (lost != nil && folds > 1 || len(c) > 1) {
			s.calibrate(&c[i], h.y[i], samples)
			c[0].givenUp = i == 0 && lost != nil && lost(&c[0])
			if gain, se := c[0].gain(&c[i]); c[0].givenUp || gain > max(4*se, minGain) {
				c = c[:i+1]
			}
		}
		return i+1 < len(c)
	}
	first := 0
	if lost != nil || len(c) > 1 {
		first = 1
		if err := s.predict(ctx, d, h, 0, 1, fit, next); err != nil {
			return nil, err
		}
	}
	if c[0].givenUp {
		folds = 1
	}
	if err := s.predict(ctx, d, h, first, folds, fit, next); err != nil {
		return nil, err
	}
	scored := make([]*setting, len(c))
	seconds := clock.now().Sub(began).Seconds() / float64(len(c))
	for i := range c {
		c := c[i]
		t := s.calibrate(&c, h.y[i], samples)
		c.size = h.weights[i] / folds
		t.Weights, t.Samples, t.Seconds = c.size, d.N, seconds
		s.add(&c, t, h.models[i])
		scored[i] = &c
	}
	s.finish()
	return scored, nil
}

// calibrate calibrates a setting by held-out potentials of samples d and sets its log loss.
func (s *state) calibrate(c *setting, y *mat.Dense, d *fitting.Data) mpcvm.Trial {
	c.calibration = fitting.Calibrate(y, d.T, d.Weights, s.whole.Mass())
	return c.evaluate(y, d)
}

// evaluate sets the log losses of a calibrated setting, given held-out potentials of samples d.
func (c *setting) evaluate(y *mat.Dense, d *fitting.Data) mpcvm.Trial {
	t := mpcvm.Trial{Kernel: c.kernels.Kernel, Learner: c.name, Temperature: 1, GivenUp: c.givenUp}
	if c.calibration.Temperature != 0 {
		t.Temperature = c.calibration.Temperature
	}
	c.losses, t.ErrorRate = c.calibration.Evaluate(y, d.T, d.Weights)
	c.sampleWeights = d.Weights
	c.logLoss = stat.Mean(withoutNaN(c.losses, c.sampleWeights))
	t.LogLoss = c.logLoss
	return t
}

// folds is the number of folds that score a setting on samples d: enough for 1000 held-out samples, or three
// of the five in the first stage. A validation set counts as one fold.
func (s *state) folds(d *fitting.Data) int {
	switch {
	case s.validation != nil:
		return 1
	case d.N < s.train.N && d.N <= firstSamples:
		return firstFolds
	}
	return min((scoringSamples*fitting.Folds+d.N-1)/d.N, fitting.Folds)
}

// add records the trial of a setting. Its model, if there is one, is trained on a subset of the samples.
func (s *state) add(c *setting, t mpcvm.Trial, model partial) {
	c.trial = len(s.trials)
	model.calibration = &c.calibration
	t.Refit = &fixed{c.learner(c.kernels.Kernel, s.options()), c.calibration, nil}
	c.fold = s.record(t, model)
}

// setBest makes a setting the best one, and its model of a fold, if there is one, the fallback.
func (s *state) setBest(c *setting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.best = c; c.fold.model != nil {
		s.fallback = c.fold
	}
}

// beats reports whether c has a lower log loss than another setting by more than a number of
// standard errors of the mean difference. A setting that was given up beats none.
func (c *setting) beats(other *setting, errors float64) bool {
	gain, se := c.gain(other)
	return gain > errors*se && !c.givenUp
}

// gain returns the mean difference by which c has a lower log loss than another setting, and its
// standard error, on the samples that scored both.
func (c *setting) gain(other *setting) (mean, se float64) {
	difference := floats.SubTo(make([]float64, len(c.losses)), other.losses, c.losses)
	gains, weights := withoutNaN(difference, c.sampleWeights)
	n := float64(len(gains))
	if weights != nil {
		n = floats.Sum(weights)
	}
	mean, se = stat.MeanStdDev(gains, weights)
	return mean, se / math.Sqrt(n)
}

// withoutNaN returns the values that are not NaN, and their weights; nil weights are ones.
func withoutNaN(v, weights []float64) (values, of []float64) {
	for n, x := range v {
		if math.IsNaN(x) {
			continue
		}
		if values = append(values, x); weights != nil {
			of = append(of, weights[n])
		}
	}
	return values, of
}

// addFinalists adds settings to those that may be chosen, except those that were given up.
func (s *state) addFinalists(scored ...*setting) {
	for _, c := range scored {
		if c.givenUp {
			continue
		}
		s.finalists = append(s.finalists, c)
		if s.best == nil || c.logLoss < s.best.logLoss {
			s.best = c
		}
	}
}

// scoreFrequencies scores the class frequencies on the samples that scored another setting.
func (s *state) scoreFrequencies(of *setting) *setting {
	c := frequenciesSetting(of.kernels)
	began := s.begin(c.name)
	samples := s.scored(s.train)
	y, b := samples.NewPotentials(), s.whole.Frequencies()
	for n := range samples.N {
		if !math.IsNaN(of.losses[n]) {
			y.SetRow(n, b)
		}
	}
	c.calibration.Scores = fitting.NewScores(y, samples.T)
	t := c.evaluate(y, samples)
	t.Samples, t.Seconds = s.train.N, clock.now().Sub(began).Seconds()
	s.add(&c, t, partial{})
	s.finish()
	return &c
}
