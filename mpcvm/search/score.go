package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

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
	first, err := 0, error(nil)
	if lost != nil || len(c) > 1 {
		first, err = 1, s.predict(ctx, d, h, 0, 1, fit, next)
	}
	if c[0].givenUp {
		folds = 1
	}
	if err == nil {
		err = s.predict(ctx, d, h, first, folds, fit, next)
	}
	if err != nil {
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
		c.size, c.samples = size/folds, d.N
		t.Weights, t.Samples, t.Seconds, t.GivenUp = c.size, d.N, seconds, c.givenUp
		if s.train.N <= firstSamples {
			c.y = h.Y[i]
		}
		s.tried = append(s.tried, &c)
		s.add(&c, t, h.models[i])
		scored[i] = &c
	}
	s.finish(false)
	return scored, nil
}

// calibrate calibrates a setting on the held-out potentials of the samples d and sets its log loss.
func (s *state) calibrate(c *setting, y *mat.Dense, d *fitting.Data) mpcvm.Trial {
	c.calibration = fitting.Calibrate(y, d.T, d.Weights, s.whole.Mass())
	return c.evaluate(y, d)
}

// evaluate sets the log losses of a calibrated setting, given held-out potentials of samples d.
func (c *setting) evaluate(y *mat.Dense, d *fitting.Data) mpcvm.Trial {
	t := mpcvm.Trial{Kernel: c.kernels.Kernel, Learner: c.name}
	c.losses, t.ErrorRate = c.calibration.Evaluate(y, d.T, d.Weights)
	c.sampleWeights, t.Temperature = d.Weights, cmp.Or(c.calibration.Temperature, 1)
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
	s.finish(false)
	return &c
}

// choose returns the setting of the final fit. It prefers the class frequencies to a linear model, and a
// linear model to a kernel model, unless the latter is clearly better. If ctx ends before the second round,
// the scores of the first round decide.
func (s *state) choose(ctx context.Context) *setting {
	kernels := s.without(func(c *setting) bool { return c.linear })
	chosen := lowest(s.without(func(c *setting) bool { return !c.linear }))
	compared := chosen // with the class frequencies
	if best := lowest(kernels); best != nil && (chosen == nil || best.beats(chosen, 0)) {
		chosen, compared = s.chooseKernel(ctx, chosen, kernels, best)
	}
	frequencies := s.scoreFrequencies(compared)
	if !s.beatsFrequencies(compared, frequencies) || chosen != compared && !chosen.beats(frequencies, 0) {
		return frequencies
	}
	return chosen
}

// without returns the finalists for which out returns false.
func (s *state) without(out func(*setting) bool) []*setting {
	return slices.DeleteFunc(slices.Clone(s.finalists), out)
}

// lowest returns the setting with the lowest log loss, or nil if the list is empty.
func lowest(list []*setting) (best *setting) {
	for _, c := range list {
		if best == nil || c.logLoss < best.logLoss {
			best = c
		}
	}
	return best
}

// beatsFrequencies reports whether a setting clearly beats the class frequencies; see Auto. For a linear
// model, K counts only the linear models.
func (s *state) beatsFrequencies(c, frequencies *setting) bool {
	gain, samples := 0.0, s.scored(s.train)
	for n, l := range c.losses {
		if !math.IsNaN(l) {
			gain += samples.Weight(n) * (frequencies.losses[n] - l)
		}
	}
	errors := s.Prefer.errors()
	if s.trials[c.trial].ErrorRate >= s.trials[frequencies.trial].ErrorRate {
		errors = max(errors, 2) // probably both predict the most frequent class
	}
	settings := len(s.trials)
	if c.linear {
		settings = len(linearScales)
	}
	return gain > math.Log(float64(settings)) && c.beats(frequencies, errors)
}

// chooseKernel makes the second round, which the package comment describes. It returns the chosen setting, a
// kernel model, the linear model (which may be nil) or their mean, and the setting to compare with the class
// frequencies.
func (s *state) chooseKernel(ctx context.Context, linear *setting, kernels []*setting,
	best *setting) (chosen, compared *setting) {
	chosen = preferred(kernels, best, s.finalists, s.Prefer.errors())
	if linear != nil {
		if gain, se := best.gain(linear); gain > chance*se {
			linear = nil
		}
	}
	list := s.favourites(kernels, best, chosen)
	at := slices.Index(list, chosen)
	if linear == nil && (len(list) == 1 || s.train.N > firstSamples) {
		return chosen, best
	}
	if linear != nil {
		list = append(list, linear)
	}
	if s.validation == nil { // a validation set has thousands of samples, for which one round is enough
		if scored, err := s.scoreAgain(ctx, list); err == nil {
			list = scored
		}
	}
	if linear != nil {
		linear, list = list[len(list)-1], list[:len(list)-1]
		first := list[at]
		if list[0].beats(first, s.Prefer.errors()) {
			first = list[0]
		}
		if !first.beats(linear, 1) {
			compared = linear
		}
	}
	both := make([]*setting, len(list))
	for i, c := range list {
		both[i] = c.bothRounds()
	}
	chosen = list[slices.Index(both, preferred(both, lowest(both), both, s.Prefer.errors()))]
	compared = cmp.Or(compared, chosen)
	if linear == nil || linear.first == nil || s.train.N > firstSamples || s.Prefer == Sparsity ||
		chosen.beats(linear, 2) || linear.beats(chosen, 2) {
		return compared, compared
	}
	return s.scoreMean(linear, chosen), compared // see docs/method.md
}

// scoreMean scores the mean of a linear and a kernel model on the folds of the second round.
func (s *state) scoreMean(linear, kernel *setting) *setting {
	c := meanSetting(linear, kernel)
	began := s.begin(c.name)
	y := mat.NewDense(s.train.N, s.train.C, nil)
	for n := range s.train.N {
		row := y.RawRowView(n)
		floats.AddScaled(row, 0.5/linear.calibration.Temperature, linear.y.RawRowView(n))
		floats.AddScaled(row, 0.5/kernel.calibration.Temperature, kernel.y.RawRowView(n))
	}
	t := s.calibrate(&c, y, s.train)
	t.Weights, t.Samples, t.Seconds = c.size, s.train.N, clock.now().Sub(began).Seconds()
	s.add(&c, t, partial{})
	s.finish(false)
	return &c
}

// preferred returns the smallest setting of the list whose log loss exceeds the best one by at most the given
// number of standard errors; see Preference. It skips settings that are dominated.
func preferred(list []*setting, best *setting, all []*setting, errors float64) *setting {
	chosen := best
	for _, c := range list {
		gain, se := best.gain(c)
		if c.size < chosen.size && !dominated(all, c) && gain <= errors*max(se, equalLoss) {
			chosen = c
		}
	}
	return chosen
}

// favourites returns the kernel models of the second round: the best and the chosen one, with Sparsity also
// the choice of Balance, in case the smaller one fails, and with few samples up to two with other kernels.
func (s *state) favourites(kernels []*setting, best, chosen *setting) []*setting {
	list := []*setting{best}
	balanced := preferred(kernels, best, s.finalists, min(s.Prefer.errors(), Balance.errors()))
	for _, c := range []*setting{chosen, balanced} {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	if s.train.N > firstSamples {
		return list
	}
	const most = 4
	for _, c := range slices.SortedStableFunc(slices.Values(kernels), func(a, b *setting) int {
		return cmp.Compare(a.logLoss, b.logLoss)
	}) {
		known := func(o *setting) bool { return reflect.DeepEqual(o.kernels.Kernel, c.kernels.Kernel) }
		if gain, se := best.gain(c); len(list) < most && gain <= 2*se && !slices.ContainsFunc(list, known) {
			list = append(list, c)
		}
	}
	return list
}

// bothRounds returns the setting with the mean of its losses in both rounds.
func (c *setting) bothRounds() *setting {
	if c.first == nil {
		return c
	}
	both := *c
	both.losses = floats.AddTo(make([]float64, len(c.losses)), c.losses, c.first.losses)
	floats.Scale(0.5, both.losses)
	both.logLoss = (c.logLoss + c.first.logLoss) / 2
	return &both
}

// chance is the number of standard errors that the best of dozens of settings may gain by chance.
const chance = 4

// scoreAgain scores settings on new folds.
func (s *state) scoreAgain(ctx context.Context, list []*setting) (scored []*setting, err error) {
	defer func(seed uint64) { s.seed = seed }(s.seed)
	s.seed++
	for _, first := range list {
		c := *first
		c.first = first
		c.name += ", other folds"
		if c.kernels.family.folds != nil {
			c.kernels.family.folds = make([][]float64, fitting.Folds)
		}
		one, err := s.score(ctx, s.train, []setting{c}, trialFitter(c, s.trialOptions(s.train), s.train.N), nil)
		if err != nil {
			return nil, err
		}
		scored = append(scored, one[0])
	}
	return scored, nil
}
