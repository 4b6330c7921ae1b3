package search

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// The limits of the search; see the package comment.
const (
	firstSamples    = 500  // samples of the first stage
	firstFolds      = 3    // folds of the first stage
	scoringSamples  = 1000 // held-out samples that suffice to compare settings
	ardSamples      = 400  // samples on which the widths of the features are learned
	ardClassSamples = 40   // the same for each class, if there is a validation set
	ardFeatures     = 100  // the largest number of features for which widths are learned
	equalLoss       = 1e-3 // a difference in log loss (nats) that is ignored in favour of a smaller model
	coarseSamples   = 700  // samples up to which fits on all of them are precise; fewer take little time
	fewSamples      = 1000 // samples up to which chance, not time, limits the search
	hopelessGain    = 0.2  // a lead of a kernel in log loss (nats) that no linear model makes up for
	minGain         = 0.01 // the smallest difference in log loss (nats) that ends a trial early
)

// scales are the values of KernelPrior.Scale and BottomUp.LikelihoodPower. Larger values suit labels with
// less noise.
var scales = []float64{1, 10, 100}

// point is a setting in a local search: an index into scales and a width.
type point struct {
	level int
	theta float64
}

func (p point) up() point       { p.level++; return p }
func (p point) down() point     { p.level--; return p }
func (p point) narrower() point { p.theta *= 2; return p }
func (p point) wider() point    { p.theta /= 2; return p }

// optimum is the result of a local search for a family of kernels.
type optimum struct {
	family kernel.Tunable
	at     point
	best   *setting // the setting at this point; nil if it has not been scored
}

// search scores the settings listed in the package comment. It returns the best family so far, even if ctx
// ends.
func (s *state) search(ctx context.Context) (best optimum, err error) {
	best, err = s.families(ctx)
	if err != nil {
		return best, err
	}
	f, dense, err := s.widths(ctx, best)
	if err != nil {
		return best, err
	}
	subset, at := dense, best.at
	if s.train.Sample(searchSamples, s.Seed).N < s.train.N {
		if at, dense, err = s.grow(ctx, f, at); err != nil {
			return best, err
		}
	}
	narrow := at.narrower()
	loses := s.loses(f, narrow, dense)
	if !loses {
		reduced, err := s.reduce(ctx, f, narrow)
		if err != nil {
			return best, err
		}
		loses = dense.beats(reduced, 0)
	}
	if loses {
		if _, err = s.reduce(ctx, f, at); err != nil {
			return best, err
		}
	}
	err = s.sparse(ctx, narrow, len(scales), subset, func(p point) setting {
		return bottomUpSetting(f.at(p.theta), scales[p.level])
	})
	if err == nil && at.level == 0 {
		err = s.sparse(ctx, at, 1, subset, func(p point) setting { return topDownSetting(f.at(p.theta)) })
	}
	return best, err
}

// loses reports whether the dense model at a point is known to lose to another one by more than a standard
// error on the whole training set.
func (s *state) loses(f family, at point, other *setting) bool {
	c := denseSetting(f.at(at.theta), scales[at.level])
	return slices.ContainsFunc(s.tried, func(o *setting) bool {
		return o.samples == s.train.N && o.name == c.name &&
			reflect.DeepEqual(o.kernels.Kernel, c.kernels.Kernel) && other.beats(o, 1)
	})
}

// linearModels searches the best scale of a linear model on a subset of the samples, starting from the model
// first. It stops when the log loss hardly falls, because larger scales take more iterations. The best scale
// is scored on the whole training set unless the kernel leads by more than chance explains.
func (s *state) linearModels(ctx context.Context, subset *fitting.Data, first, kernel *setting) error {
	best, incumbent := first, kernel
	if subset.N == s.train.N {
		incumbent = nil
	}
	if gain, se := kernel.gain(first); gain > max(2*chance*se, hopelessGain) {
		return nil
	}
	for _, step := range []int{-1, 1} {
		for at := firstLinear + step; at >= 0 && at < len(linearScales); at += step {
			c, err := s.scoreOne(ctx, subset, linearSetting(s.train.D, linearScales[at]), incumbent)
			if err != nil {
				return err
			}
			if gain, _ := c.gain(best); gain < equalLoss {
				break
			}
			best = c
		}
	}
	if gain, se := kernel.gain(best); subset.N == s.train.N || gain > chance*se {
		return nil
	}
	_, err := s.scoreOne(ctx, s.train, *best, nil)
	return err
}

// sparse searches the best point of a sparse learner and scores it on the whole training set, unless the
// learner is given up; see the package comment.
func (s *state) sparse(ctx context.Context, at point, levels int, dense *setting,
	of func(point) setting) error {
	subset, leader := s.train.Sample(searchSamples, s.Seed), dense
	whole := subset.N == s.train.N
	if whole {
		leader = s.best
	}
	lost := func(c *setting) bool { return s.train.N > firstSamples && (c.givenUp || leader.beats(c, 2)) }
	enough := func(c *setting) bool {
		return c.logLoss < minGain || whole && dominated(s.finalists, c) || lost(c)
	}
	reached, err := s.localSearch(subset, at, levels, enough, func(p point, best *setting) (*setting, error) {
		return s.scoreOne(ctx, subset, of(p), cmp.Or(best, leader))
	})
	if err == nil && !whole && !lost(reached.best) {
		_, err = s.scoreOne(ctx, s.train, of(reached.at), s.best)
	}
	return err
}

// grow increases the scale and then narrows the kernel of the dense model as long as its log loss on the
// whole training set falls. More samples usually need both, so any gain is accepted.
func (s *state) grow(ctx context.Context, f family, at point) (point, *setting, error) {
	score := func(at point, incumbent *setting) (*setting, error) {
		return s.scoreOne(ctx, s.train, denseSetting(f.at(at.theta), scales[at.level]), incumbent)
	}
	best, err := score(at, nil)
	for _, step := range []func(point) point{point.up, point.narrower} {
		for next := step(at); err == nil && next.level < len(scales); next = step(at) {
			var c *setting
			if c, err = score(next, best); err != nil || !c.beats(best, 0) {
				break
			}
			at, best = next, c
		}
	}
	return at, best, err
}

// reduce scores the dense model and its reductions. It returns the dense model.
func (s *state) reduce(ctx context.Context, f family, at point) (*setting, error) {
	path, fit := pathSettings(f.at(at.theta), scales[at.level], s.trialOptions(s.train))
	scored, err := s.score(ctx, s.train, path, fit, nil)
	if err != nil {
		return nil, err
	}
	s.addFinalists(scored...)
	return scored[0], nil
}

// families searches the best family of kernels, and the width and scale of its dense KernelPrior, first on a
// small subset and then on a larger one. If the larger subset has more than twice as many samples, the
// ranking may change and all families are scored again; otherwise only those that may still be the best.
func (s *state) families(ctx context.Context) (best optimum, err error) {
	small, large := s.train.Sample(firstSamples, s.Seed), s.train.Sample(searchSamples, s.Seed)
	linear, err := s.scoreOne(ctx, small, linearSetting(s.train.D, linearScales[firstLinear]), nil)
	if err != nil {
		return best, err
	}
	var all []optimum
	level := 1
	for _, f := range []kernel.Tunable{kernel.RBF{}, kernel.RationalLaplacian{}, kernel.Laplacian{}} {
		at := point{level, 2 * f.MedianTheta(small.X)} // the median width itself is usually too large
		if err := small.CheckDistances(at.theta); err != nil {
			return best, err
		}
		c, err := s.dense(ctx, small, optimum{family: f, at: at}, nil)
		if all = append(all, c); err != nil {
			return bestOf(all), err
		}
		level = c.at.level
	}
	best = bestOf(all)
	if best.best != nil {
		err = s.linearModels(ctx, small, linear, best.best)
	}
	if err != nil || large.N == small.N {
		return best, err
	}
	first := best // on the small subset
	if best, err = s.dense(ctx, large, best, nil); err != nil {
		return best, err
	}
	for _, c := range all {
		if c.family == best.family || large.N <= 2*small.N && first.best.beats(c.best, 2) {
			continue
		}
		c.at.level, c.best = max(c.at.level, best.at.level), nil // more samples need larger scales
		c, err := s.dense(ctx, large, c, best.best)
		if err != nil {
			return best, err
		}
		best = bestOf([]optimum{best, c})
	}
	return best, nil
}

// bestOf returns the best optimum. A later one replaces an earlier one if it is better by a standard error.
func bestOf(all []optimum) optimum {
	best := all[0]
	for _, c := range all[1:] {
		if best.best == nil || c.best != nil && c.best.beats(best.best, 1) {
			best = c
		}
	}
	return best
}

// dense searches the best width and scale of a family for the dense KernelPrior on the samples d. The search
// ends if its first setting is not better than the incumbent, which may be nil.
func (s *state) dense(ctx context.Context, d *fitting.Data, f optimum, incumbent *setting) (optimum, error) {
	enough := func(c *setting) bool { return incumbent != nil && !c.beats(incumbent, 0) }
	reached, err := s.localSearch(d, f.at, len(scales), enough, func(p point, best *setting) (*setting, error) {
		c := denseSetting(kernels{Kernel: f.family.WithTheta(p.theta)}, scales[p.level])
		return s.scoreOne(ctx, d, c, cmp.Or(best, incumbent))
	})
	if reached.best == nil {
		return f, err
	}
	reached.family = f.family
	return reached, err
}

// widths learns a width for each feature, in each fold from its training set. The widths are accepted if they
// improve the dense model by more than a standard error, and given up if they make it worse by that much in
// the first fold. widths returns the family and the dense model with the better choice.
func (s *state) widths(ctx context.Context, c optimum) (f family, dense *setting, err error) {
	common := family{Tunable: c.family}
	if s.train.D > ardFeatures {
		return common, c.best, nil
	}
	s.begin("a width for each feature")
	samples := s.train.Sample(searchSamples, s.Seed)
	ard := gp.ARD{Kernel: c.family.WithTheta(c.at.theta), Scale: scales[c.at.level]}
	if s.train.N > fewSamples {
		ard.Rounds, ard.Steps = 2, 5
	}
	f.Tunable, f.learn = c.family, func(ctx context.Context, d *fitting.Data) ([]float64, error) {
		n := ardSamples
		if s.validation != nil {
			n = min(max(n, ardClassSamples*d.C), scoringSamples)
		}
		_, result, err := ard.Fit(ctx, mpcvm.Samples(d.Sample(n, s.Seed).Samples()))
		return result.Importance, err
	}
	if f.all, err = f.learn(ctx, samples); err != nil {
		return common, c.best, err
	}
	if s.validation == nil {
		f.folds = make([][]float64, fitting.Folds)
	}
	with := denseSetting(f.at(c.at.theta), scales[c.at.level])
	scored, err := s.score(ctx, samples, []setting{with}, trialFitter(with, s.trialOptions(samples), s.train.N),
		func(with *setting) bool { return c.best.beats(with, 1) })
	switch {
	case err != nil || !scored[0].beats(c.best, 1):
		return common, c.best, err
	case samples.N == s.train.N:
		s.addFinalists(scored[0])
		return f, scored[0], nil
	case f.folds != nil: // the folds of all samples differ
		f.folds = make([][]float64, fitting.Folds)
	}
	f.all, err = f.learn(ctx, s.train)
	return f, scored[0], err
}

// localSearch starts from a point and varies the level and the width in turn, as long as the log loss falls
// by more than its standard error. A step doubles or halves the width, or changes the level by one. With more
// than firstSamples samples, narrower kernels come first, because their fits are fast. No point is scored
// twice. The search ends after the first point if that is given up or if enough returns true.
func (s *state) localSearch(d *fitting.Data, at point, levels int, enough func(*setting) bool,
	score func(p point, best *setting) (*setting, error)) (reached optimum, err error) {
	middle, scored := at.theta, map[point]*setting{}
	best, err := score(at, nil)
	if err != nil || best.givenUp || enough(best) {
		return optimum{at: at, best: best}, err
	}
	scored[at] = best
	walk := func(next func(p point) point) (moved bool, err error) {
		for {
			p := next(at)
			noLevel := p.level != at.level && (p.level < 0 || p.level >= levels)
			if noLevel || p.theta > middle*64 || p.theta < middle/64 {
				return moved, nil
			}
			if scored[p] == nil {
				if scored[p], err = score(p, best); err != nil {
					return moved, err
				}
			}
			if !scored[p].beats(best, 1) {
				return moved, nil
			}
			at, best, moved = p, scored[p], true
		}
	}
	pairs := [][2]func(point) point{{point.narrower, point.wider}, {point.up, point.down}}
	if d.N <= firstSamples {
		slices.Reverse(pairs)
	}
	for range 3 {
		before := at
		for _, pair := range pairs {
			moved, err := walk(pair[0])
			if err == nil && !moved {
				_, err = walk(pair[1])
			}
			if err != nil {
				return optimum{at: at, best: best}, err
			}
		}
		if at == before {
			break
		}
	}
	return optimum{at: at, best: best}, nil
}

// dominated reports whether a smaller model of the list has a lower log loss.
func dominated(list []*setting, c *setting) bool {
	return slices.ContainsFunc(list, func(o *setting) bool {
		return o.size < c.size && o.logLoss < c.logLoss
	})
}

// setChosen makes a setting the chosen one, and the model of one of its folds, if there is one, the fallback.
// If the final fit collapses, the setting with the lowest log loss is fitted, and then the best one that
// keeps all weights.
func (s *state) setChosen(chosen *setting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chosen = chosen; chosen.fold.model != nil {
		if s.fallback = chosen.fold; s.Budget > 0 {
			s.validated = s.fallback.validate(s.whole)
		}
	}
	if chosen.constant {
		return
	}
	dense := lowest(s.without(func(c *setting) bool { return !c.dense }))
	list := []*setting{chosen}
	for _, c := range []*setting{s.best, dense} {
		if c != nil && c != chosen.first && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for i, c := range list[1:] {
		list[i].next = c
		s.trials[list[i].trial].Refit.(*fixed).next = s.trials[c.trial].Refit
	}
}
