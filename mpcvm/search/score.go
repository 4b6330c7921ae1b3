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

// scoreOne trains and scores a setting on d. The setting is given up if it clearly loses to the incumbent in
// the first fold; incumbent may be nil.
func (s *state) scoreOne(ctx context.Context, d *fitting.Data, c setting,
	incumbent *setting) (*setting, error) {
	var lost func(c *setting) bool
	if incumbent != nil {
		lost = func(c *setting) bool {
			gain, se := incumbent.gain(c)
			return gain > max(2*se, minGain)
		}
	}
	scored, err := s.score(ctx, d, []setting{c}, trialFitter(c, s.trialOptions(d), s.train.N), lost)
	if err != nil {
		return nil, err
	}
	if d.N == s.train.N {
		s.addFinalists(scored...)
	}
	return scored[0], nil
}

// score scores settings whose models come from the same fit to d, such as the steps of a reduction. If lost
// reports after the first fold that the first setting has lost, the other settings and folds are skipped;
// lost may be nil. If a setting is far worse than the first one in that fold, the settings after it are
// skipped.
func (s *state) score(ctx context.Context, d *fitting.Data, c []setting, fit fitter,
	lost func(*setting) bool) ([]*setting, error) {
	began := s.begin(fmt.Sprintf("%s, %v", c[0].name, c[0].kernels))
	samples, folds := s.scored(d), s.folds(d)
	h := &heldOut{HeldOut: samples.NewHeldOut(fitting.Folds, len(c))}
	trials := make([]mpcvm.Trial, len(c))
	next := func(fold, i int) bool {
		if fold == 0 && (lost != nil && folds > 1 || len(c) > 1) {
			trials[i] = s.calibrate(&c[i], h.Y[i], samples)
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
		c, t := c[i], trials[i]
		if folds > 1 || t.Learner == "" {
			t = s.calibrate(&c, h.Y[i], samples)
		}
		size := 0
		for _, counts := range h.Counts {
			if i < len(counts) {
				size += counts[i]
			}
		}
		c.size = size / folds
		t.Weights, t.Samples, t.Seconds, t.GivenUp = c.size, d.N, seconds, c.givenUp
		c.samples = d.N
		if s.train.N <= firstSamples {
			c.y = h.Y[i]
		}
		s.tried = append(s.tried, &c)
		s.add(&c, t, h.models[i])
		scored[i] = &c
	}
	s.finish()
	return scored, nil
}

// calibrate calibrates a setting on the held-out potentials of the samples d and sets its log loss.
func (s *state) calibrate(c *setting, y *mat.Dense, d *fitting.Data) mpcvm.Trial {
	c.calibration = fitting.Calibrate(y, d.T, d.Weights, s.whole.Mass())
	return c.evaluate(y, d)
}

// evaluate sets the log losses of a calibrated setting, given held-out potentials of samples d.
func (c *setting) evaluate(y *mat.Dense, d *fitting.Data) mpcvm.Trial {
	t := mpcvm.Trial{Kernel: c.kernels.Kernel, Learner: c.name, Temperature: 1}
	if c.calibration.Temperature != 0 {
		t.Temperature = c.calibration.Temperature
	}
	c.losses, t.ErrorRate = c.calibration.Evaluate(y, d.T, d.Weights)
	c.sampleWeights = d.Weights
	var known int
	c.logLoss, c.standardError, known = meanAndError(c.losses, c.sampleWeights)
	t.LogLoss = c.logLoss
	t.ErrorSE = math.Sqrt(t.ErrorRate * (1 - t.ErrorRate) / float64(known))
	return t
}

// folds returns the number of folds to score on the samples d, at least three of five in the first stage; see
// Auto. A validation set counts as one fold.
func (s *state) folds(d *fitting.Data) int {
	if s.validation != nil {
		return 1
	}
	least := min((scoringSamples*fitting.Folds+d.N-1)/d.N, fitting.Folds)
	if d.N < s.train.N && d.N <= firstSamples {
		least = firstFolds
	}
	return d.Deal(fitting.Folds, s.seed).ToScore(d.T, fitting.Folds, least)
}

// add records the trial of a setting. model is a model that was trained on a subset of the samples, or empty.
func (s *state) add(c *setting, t mpcvm.Trial, model partial) {
	c.trial = len(s.trials)
	model.calibration = &c.calibration
	model.standardError = c.standardError
	t.Refit = &fixed{c.learner(c.kernels.Kernel, s.options()), c.calibration, nil}
	c.fold = s.record(t, model)
}

// setChosen makes a setting the chosen one, and the model of one of its folds, if there is one, the fallback.
func (s *state) setChosen(c *setting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chosen = c; c.fold.model != nil {
		s.fallback = c.fold
	}
}

// beats reports whether the log loss of c is lower than the log loss of another setting by more than a number
// of standard errors of the mean difference. It returns false if c was given up.
func (c *setting) beats(other *setting, errors float64) bool {
	gain, se := c.gain(other)
	return gain > errors*se && !c.givenUp
}

// gain returns the mean log loss of another setting minus the mean log loss of c, and its standard error, on
// the samples for which both are known.
func (c *setting) gain(other *setting) (mean, se float64) {
	gains := floats.SubTo(make([]float64, len(c.losses)), other.losses, c.losses)
	mean, se, _ = meanAndError(gains, c.sampleWeights)
	return mean, se
}

// meanAndError returns the mean of the values that are not NaN, its standard error and their number. weights
// is nil for ones.
func meanAndError(v, weights []float64) (mean, se float64, number int) {
	var known, of []float64
	for n, x := range v {
		if math.IsNaN(x) {
			continue
		}
		if known = append(known, x); weights != nil {
			of = append(of, weights[n])
		}
	}
	n := float64(len(known))
	if weights != nil {
		n = floats.Sum(of)
	}
	mean, se = stat.MeanStdDev(known, of)
	return mean, se / math.Sqrt(n), len(known)
}

// addFinalists adds settings to the finalists, except those that were given up.
func (s *state) addFinalists(scored ...*setting) {
	for _, c := range scored {
		if !c.givenUp {
			s.finalists = append(s.finalists, c)
		}
	}
	s.best = lowest(s.finalists)
}

// scoreFrequencies scores the class frequencies on the samples on which another setting was scored.
func (s *state) scoreFrequencies(other *setting) *setting {
	c := frequenciesSetting(other.kernels)
	began := s.begin(c.name)
	samples := s.scored(s.train)
	y, b := samples.NewPotentials(), s.whole.Frequencies()
	for n := range samples.N {
		if !math.IsNaN(other.losses[n]) {
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
