package search

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// choose returns the setting of the final fit. It prefers the class frequencies to a linear model, and a
// linear model to a kernel, unless the second clearly beats the first. If ctx ends before the second look,
// the scores of the first decide.
func (s *state) choose(ctx context.Context) *setting {
	var linear, kernels []*setting
	for _, c := range s.finalists {
		if c.linear {
			linear = append(linear, c)
		} else {
			kernels = append(kernels, c)
		}
	}
	chosen := lowest(linear)
	of := chosen // is compared with the frequencies
	if best := lowest(kernels); best != nil && (chosen == nil || best.beats(chosen, 0)) {
		chosen, of = s.chooseKernel(ctx, chosen, kernels, best)
	}
	frequencies := s.scoreFrequencies(of)
	if !s.overFrequencies(of, frequencies) || chosen != of && !chosen.beats(frequencies, 0) {
		return frequencies
	}
	return chosen
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

// overFrequencies reports whether a setting clearly beats the class frequencies. The best of K settings, of
// which the linear models are few, is better by chance: the log likelihood of all scored samples must gain
// more than log K, and the mean log loss two standard errors if the setting does not have a lower error rate
// than the frequencies.
func (s *state) overFrequencies(c, frequencies *setting) bool {
	gain, samples := 0.0, s.scored(s.train)
	for n, l := range c.losses {
		if !math.IsNaN(l) {
			gain += samples.Weight(n) * (frequencies.losses[n] - l)
		}
	}
	errors := s.Prefer.errors()
	if s.trials[c.trial].ErrorRate >= s.trials[frequencies.trial].ErrorRate {
		errors = max(errors, 2) // it predicts the same class as they do
	}
	settings := len(s.trials)
	if c.linear {
		settings = len(linearScales)
	}
	return gain > math.Log(float64(settings)) && c.beats(frequencies, errors)
}

// chooseKernel returns the setting to choose, a kernel or the linear one (nil if there is none), and the one
// to compare with the frequencies. On the folds that chose it, the best of dozens of kernels looks better
// than it is. So the favourites among the kernels are scored again on other folds, and so is the linear model
// unless the lead of the kernels is too large for chance. On these folds the favourite of the first look must
// beat the linear model by a standard error. The mean of both looks decides among the kernels.
func (s *state) chooseKernel(ctx context.Context, linear *setting, kernels []*setting,
	best *setting) (chosen, of *setting) {
	chosen = s.preferred(kernels, best, s.finalists)
	if linear != nil {
		if gain, se := best.gain(linear); gain > chance*se {
			linear = nil
		}
	}
	list := s.favourites(kernels, best, chosen)
	preferred := slices.Index(list, chosen)
	if linear == nil && (len(list) == 1 || s.train.N > firstSamples) {
		return chosen, best
	}
	if linear != nil {
		list = append(list, linear)
	}
	if s.validation == nil { // of thousands of samples, one look is enough
		if again, err := s.again(ctx, list); err == nil {
			list = again
		}
	}
	if linear != nil {
		linear, list = list[len(list)-1], list[:len(list)-1]
		first := list[preferred]
		if list[0].beats(first, s.Prefer.errors()) {
			first = list[0]
		}
		if !first.beats(linear, 1) {
			return linear, linear
		}
	}
	both := make([]*setting, len(list))
	for i, c := range list {
		both[i] = c.bothLooks()
	}
	chosen = list[slices.Index(both, s.preferred(both, lowest(both), both))]
	return chosen, chosen
}

// preferred returns the smallest of the settings whose log loss is close to the best one; see
// Preference. It skips a model if a smaller one of all has a lower log loss.
func (s *state) preferred(list []*setting, best *setting, all []*setting) *setting {
	chosen := best
	for _, c := range list {
		gain, se := best.gain(c)
		if c.size < chosen.size && !dominated(all, c) && gain <= s.Prefer.errors()*max(se, equalLoss) {
			chosen = c
		}
	}
	return chosen
}

// favourites returns the kernel models of the second look: the best one, the preferred one, and with few
// samples, where chance decides most and fits are fast, up to two others of different kernels that may be
// better.
func (s *state) favourites(kernels []*setting, best, preferred *setting) []*setting {
	list := []*setting{best}
	if preferred != best {
		list = append(list, preferred)
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

// bothLooks returns the setting with the mean of its losses on these folds and on the folds that chose it.
func (c *setting) bothLooks() *setting {
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

// again scores settings on folds by which none of them was chosen.
func (s *state) again(ctx context.Context, list []*setting) (scored []*setting, err error) {
	defer func(seed uint64) { s.seed = seed }(s.seed)
	s.seed++
	for _, first := range list {
		c := *first
		c.first = first
		c.name += ", other folds"
		one, err := s.score(ctx, s.train, []setting{c}, otherFolds(c, s.train.N), nil)
		if err != nil {
			return nil, err
		}
		scored = append(scored, one[0])
	}
	return scored, nil
}
