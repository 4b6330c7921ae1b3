package search

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// judgeOne judges a setting by its cross-validation on the samples d. With all samples of the search
// it admits the setting to the final fit.
func (s *state) judgeOne(ctx context.Context, d *fitting.Data, c setting, rival *setting) (*setting, error) {
	var lost func(c *setting) bool
	if rival != nil {
		lost = func(c *setting) bool {
			gain, se := rival.gain(c)
			return gain > max(2*se, smallGain)
		}
	}
	judged, err := s.judge(ctx, d, []setting{c}, fitOne(c), lost)
	if err != nil {
		return nil, err
	}
	if d.N == s.data.N {
		s.admit(judged...)
	}
	return judged[0], nil
}

// judge judges settings that one fit makes from the samples d. If the first setting has lost in the
// first fold, it is the only one, and so is the fold; lost may be nil. A setting far worse than the first one in that fold is
// the last: those that follow it are left out.
func (s *state) judge(ctx context.Context, d *fitting.Data, c []setting, fit fitter, lost func(*setting) bool) ([]*setting, error) {
	began := s.begin(fmt.Sprintf("%s, %v", c[0].name, c[0].kernels))
	s.latest = nil
	judges, folds := cmp.Or(s.judges, d), s.folds(d)
	weights := make([]int, len(c))
	y := make([]*mat.Dense, len(c))
	for i := range y {
		y[i] = judges.Unjudged()
	}
	fold := func(f int, part *fitting.Data, out []int) error {
		var models []*mpcvm.Model
		err := fit(ctx, f, part, func(m *mpcvm.Model) bool {
			i := len(models)
			judges.Judge(y[i], m, out)
			models = append(models, m)
			if f == 0 && (lost != nil && folds > 1 || len(c) > 1) {
				s.rate(&c[i], y[i], judges)
				c[0].givenUp = i == 0 && lost != nil && lost(&c[0])
				if gain, se := c[0].gain(&c[i]); c[0].givenUp || gain > max(4*se, smallGain) {
					c = c[:i+1]
				}
			}
			return len(models) < len(c)
		})
		if err == nil {
			s.foldEnds(f, models, part, judges, weights)
		}
		return err
	}
	judgeFolds := func(lo, hi int) error {
		var err error
		if s.judges == nil {
			err = d.EachFold(ctx, fitting.Folds, lo, hi, s.Seed, fold)
		} else if lo < hi {
			err = fold(0, d, fitting.All(judges.N))
		}
		for _, y := range y[:len(c)] {
			if err == nil && s.judges == nil {
				err = d.MaskSingles(y)
			}
		}
		return err
	}
	first := 0
	if lost != nil || len(c) > 1 {
		first = 1
		if err := judgeFolds(0, 1); err != nil {
			return nil, err
		}
	}
	if c[0].givenUp {
		folds = 1
	}
	if err := judgeFolds(first, folds); err != nil {
		return nil, err
	}
	judged := make([]*setting, len(c))
	seconds := clock.now().Sub(began).Seconds() / float64(len(c))
	for i := range c {
		c := c[i]
		t := s.rate(&c, y[i], judges)
		c.weights = weights[i] / folds
		t.Weights, t.Samples, t.Seconds = c.weights, d.N, seconds
		s.record(&c, t, s.latest[i])
		judged[i] = &c
	}
	s.finish()
	return judged, nil
}

// rate calibrates and judges a setting by potentials of samples of d.
func (s *state) rate(c *setting, y *mat.Dense, d *fitting.Data) mpcvm.Trial {
	c.calibration = fitting.Calibrate(y, d.T, d.Weights, s.whole.Mass())
	return c.note(y, d)
}

// note notes the losses of potentials of samples of d.
func (c *setting) note(y *mat.Dense, d *fitting.Data) mpcvm.Trial {
	t := mpcvm.Trial{Kernel: c.kernels.Kernel, Learner: c.name, Temperature: cmp.Or(c.calibration.Temperature, 1), GivenUp: c.givenUp}
	c.losses, t.ErrorRate = c.calibration.Judge(y, d.T, d.Weights)
	c.by = d.Weights
	c.logLoss = stat.Mean(numbers(c.losses, c.by))
	t.LogLoss = c.logLoss
	return t
}

// folds is the number of folds of samples d that are judged, enough for some 1000 samples, or fewer for
// a first look. It is one if other samples judge.
func (s *state) folds(d *fitting.Data) int {
	switch {
	case s.judges != nil:
		return 1
	case d.N < s.data.N && d.N <= screenSamples:
		return screenFolds
	}
	return min((judgeSamples*fitting.Folds+d.N-1)/d.N, fitting.Folds)
}

// foldEnds notes that a fold of the present trial has ended, and the number of weights. Its
// models are kept if it is the lowest fold so far.
func (s *state) foldEnds(f int, models []*mpcvm.Model, part, d *fitting.Data, weights []int) {
	s.mu.Lock()
	for i, m := range models {
		weights[i] += m.WeightCount()
	}
	if s.latest == nil || f < s.latest[0].fold {
		s.latest = nil
		for i, m := range models {
			p := newPartial(m, part, d)
			p.trial, p.fold = len(s.trials)+i, f
			s.latest = append(s.latest, p)
		}
	}
	if len(s.trials) == 0 {
		s.fallback = s.latest[0]
	}
	if s.overdue != nil {
		s.overdue()
	}
	s.mu.Unlock()
	s.report()
}

// record appends the trial of a setting. Its model, if there is one, is of a part of the samples. That of
// the best setting is the one to fall back to. Those that are judged by all samples are better than the
// others.
func (s *state) record(c *setting, t mpcvm.Trial, model partial) {
	s.mu.Lock()
	c.trial = len(s.trials)
	model.calibration, model.logLoss, model.judged = &c.calibration, c.logLoss, t.Samples
	c.fold = model
	t.Refit = &fixed{c.learner(c.kernels.Kernel, s.options()), c.calibration, nil}
	s.trials = append(s.trials, t)
	if c.trial == 0 || model.model != nil && !c.givenUp && (model.judged > s.fallback.judged || model.judged == s.fallback.judged && model.logLoss < s.fallback.logLoss) {
		s.fallback = model
	}
	s.mu.Unlock()
	if s.OnTrial != nil {
		s.OnTrial(t)
	}
}

// setBest makes a setting the best one, and its model of a fold, if there is one, the fallback.
func (s *state) setBest(c *setting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.best = c; c.fold.model != nil {
		s.fallback = c.fold
	}
}

// beats reports whether the log loss of c is below the log loss of another setting by more than this
// many standard errors of the mean difference.
func (c *setting) beats(other *setting, errors float64) bool {
	gain, se := c.gain(other)
	return gain > errors*se && !c.givenUp
}

// gain is the mean difference by which the log loss of c is lower than that of another setting, and its
// standard error, on the samples that both were judged by.
func (c *setting) gain(other *setting) (mean, se float64) {
	gains, by := numbers(floats.SubTo(make([]float64, len(c.losses)), other.losses, c.losses), c.by)
	n := float64(len(gains))
	if by != nil {
		n = floats.Sum(by)
	}
	mean, se = stat.MeanStdDev(gains, by)
	return mean, se / math.Sqrt(n)
}

// numbers returns the values that are not NaN, and their weights; nil are ones.
func numbers(v, weights []float64) (of, by []float64) {
	for n, x := range v {
		if math.IsNaN(x) {
			continue
		}
		if of = append(of, x); weights != nil {
			by = append(by, weights[n])
		}
	}
	return of, by
}

// admit admits settings to the final fit, but for those that were given up.
func (s *state) admit(judged ...*setting) {
	for _, c := range judged {
		if c.givenUp {
			continue
		}
		s.admitted = append(s.admitted, c)
		if s.best == nil || c.logLoss < s.best.logLoss {
			s.best = c
		}
	}
}

// frequencies judges the frequencies of the classes by the samples that judged the other settings.
func (s *state) frequencies() *setting {
	c := frequenciesSetting(s.best.kernels)
	began := s.begin(c.name)
	judges := cmp.Or(s.judges, s.data)
	y, b := judges.Unjudged(), s.whole.Frequencies()
	for n := range judges.N {
		if !math.IsNaN(s.best.losses[n]) {
			y.SetRow(n, b)
		}
	}
	c.calibration.Scores = fitting.NewScores(y, judges.T)
	t := c.note(y, judges)
	t.Samples, t.Seconds = s.data.N, clock.now().Sub(began).Seconds()
	s.record(&c, t, partial{})
	s.finish()
	return &c
}
