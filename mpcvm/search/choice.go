package search

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
)

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
	s.finish()
	return &c
}

// preferred returns the smallest setting of the list whose log loss exceeds the best one by at most the given
// number of standard errors; see Preference. It skips a setting if any smaller one of all has a lower log loss.
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
