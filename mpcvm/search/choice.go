package search

import (
	"context"
	"math"
)

// choose returns the setting of the final fit. It prefers the class frequencies to a linear model, and a
// linear model to a kernel, unless the second clearly beats the first. If ctx ends before the second look,
// the scores of the first decide.
func (s *state) choose(ctx context.Context) *setting {
	var linear, best *setting
	for _, c := range s.finalists {
		if c.linear && (linear == nil || c.logLoss < linear.logLoss) {
			linear = c
		}
		if !c.linear && (best == nil || c.logLoss < best.logLoss) {
			best = c
		}
	}
	chosen, of := linear, linear
	if best != nil {
		chosen, of = s.preferred(best), best
		if linear != nil {
			chosen, of = s.overLinear(ctx, linear, chosen, best)
		}
	}
	frequencies := s.scoreFrequencies(of)
	if !s.overFrequencies(of, frequencies) || chosen != of && !chosen.beats(frequencies, 0) {
		return frequencies
	}
	return chosen
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

// preferred returns the smallest kernel model whose log loss is close to that of the best one; see
// Preference. It skips a model if a smaller one has a lower log loss.
func (s *state) preferred(best *setting) *setting {
	chosen := best
	for _, c := range s.finalists {
		gain, se := best.gain(c)
		if !c.linear && c.size < chosen.size && !s.dominated(c) && gain <= s.Prefer.errors()*max(se, equalLoss) {
			chosen = c
		}
	}
	return chosen
}

// overLinear returns the setting to choose, linear or not, and the one to compare with the frequencies. On
// the folds that chose it, the best of dozens of kernels looks better than it is. So unless its lead over the
// linear model is too large for chance, both are scored again on other folds, where the kernel must win by a
// standard error.
func (s *state) overLinear(ctx context.Context, linear, chosen, best *setting) (choice, of *setting) {
	if gain, se := best.gain(linear); gain > chance*se {
		return chosen, best
	}
	if !best.beats(linear, 0) {
		return linear, linear
	}
	list := []*setting{linear, best}
	if chosen != best {
		list = append(list, chosen)
	}
	if s.validation == nil { // of thousands of samples, one look is enough
		again, err := s.again(ctx, list)
		if err == nil {
			list = again
		}
	}
	linear, best, chosen = list[0], list[1], list[len(list)-1]
	if best.beats(chosen, s.Prefer.errors()) {
		chosen = best
	}
	if chosen.beats(linear, 1) {
		return chosen, chosen
	}
	return linear, linear
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
