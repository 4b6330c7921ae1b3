package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// The samples and settings of the table in the package's documentation.
const (
	screenSamples = 500  // by which the search begins
	screenFolds   = 3    // of five
	judgeSamples  = 1000 // that suffice to compare settings
	ardSamples    = 400  // by which the widths of the features are learned; if others judge, classSamples of each class
	classSamples  = 40
	ardFeatures   = 100  // the most features with widths of their own: time grows with them
	sizeWorth     = 1e-3 // nats of log loss, less than a model's size is worth
	smallGain     = 0.01 // nats of log loss, too few to give up a setting after a fold, or to climb for
)

// scales are the values of KernelPrior.Scale and BottomUp.LikelihoodPower. The less noise in the
// labels, the larger the best of them.
var scales = []float64{1, 10, 100}

// point is a place of a search in two directions: a level of scales, and a width.
type point struct {
	level int
	theta float64
}

// climb is a family of kernels, the point that its search has reached, and the setting there.
type climb struct {
	family kernel.Tunable
	at     point
	best   *setting // nil: none was judged
}

// search judges the settings of the table in the package's documentation. The best family is the
// one found so far if ctx ends.
func (s *state) search(ctx context.Context) (best climb, err error) {
	best, smooth, err := s.families(ctx)
	if err != nil {
		return best, err
	}
	f, dense, err := s.widths(ctx, best)
	if err != nil {
		return best, err
	}
	if s.judges != nil && smooth.family != best.family {
		with, other, err := s.widths(ctx, smooth)
		if err != nil {
			return best, err
		}
		if other.beats(dense, 1) {
			best, f, dense = smooth, with, other
		}
	}
	at := best.at
	if s.some().N < s.data.N {
		if at, dense, err = s.grow(ctx, f, at); err != nil {
			return best, err
		}
	}
	narrow := point{at.level, 2 * at.theta}
	reduced, err := s.reduce(ctx, f, narrow)
	if err == nil && dense.beats(reduced, 0) {
		_, err = s.reduce(ctx, f, at)
	}
	if err != nil {
		return best, err
	}
	err = s.sparse(ctx, narrow, len(scales), func(p point) setting { return bottomUpSetting(f.at(p.theta), scales[p.level]) })
	if err == nil && at.level == 0 {
		err = s.sparse(ctx, at, 1, func(p point) setting { return topDownSetting(f.at(p.theta)) })
	}
	return best, err
}

// sparse moves a sparse learner to its best point. All samples of the search judge that.
func (s *state) sparse(ctx context.Context, at point, levels int, of func(point) setting) error {
	some, rival := s.data.Sample(searchSamples, s.Seed), s.best
	few := some.N < s.data.N
	if few {
		rival = nil
	}
	hopeless := func(c *setting) bool { return c.logLoss < smallGain || !few && s.dominated(c) }
	reached, err := s.follow(some, at, levels, hopeless, func(p point, best *setting) (*setting, error) {
		return s.judgeOne(ctx, some, of(p), cmp.Or(best, rival))
	})
	if err == nil && few {
		_, err = s.judgeOne(ctx, s.data, of(reached.at), s.best)
	}
	return err
}

// grow halves the width of the dense model and raises its scale while the log loss by all samples falls:
// more samples want narrower kernels and larger scales, so no standard error is asked for.
func (s *state) grow(ctx context.Context, f family, at point) (point, *setting, error) {
	judge := func(at point, rival *setting) (*setting, error) {
		return s.judgeOne(ctx, s.data, denseSetting(f.at(at.theta), scales[at.level]), rival)
	}
	best, err := judge(at, nil)
	for _, step := range []func(p point) point{
		func(p point) point { p.level++; return p },
		func(p point) point { p.theta *= 2; return p },
	} {
		for next := step(at); err == nil && next.level < len(scales); next = step(at) {
			var c *setting
			if c, err = judge(next, best); err != nil || !c.beats(best, 0) {
				break
			}
			at, best = next, c
		}
	}
	return at, best, err
}

// reduce judges the dense model and its reductions. It returns the dense model.
func (s *state) reduce(ctx context.Context, f family, at point) (*setting, error) {
	path, fit := pathSettings(f.at(at.theta), scales[at.level], fitting.Keeps)
	judged, err := s.judge(ctx, s.data, path, fit, nil)
	if err != nil {
		return nil, err
	}
	s.admit(judged...)
	return judged[0], nil
}

// families finds the best family of kernels, and its width and scale with the dense KernelPrior: by few
// samples, then by more. More than twice as many may turn the order of the families, so all are judged
// again; of fewer, those that may still be the best. smooth is the RBF, which gains most from widths of the
// features: where others judge, it moves in any case.
func (s *state) families(ctx context.Context) (best, smooth climb, err error) {
	few, more := s.data.Sample(screenSamples, s.Seed), s.some()
	var all []climb
	level := 1
	for _, f := range []kernel.Tunable{kernel.RBF{}, kernel.RationalLaplacian{}, kernel.Laplacian{}} {
		at := point{level, 2 * f.MedianTheta(few.X)} // the median itself most often is too wide
		if err := few.CheckDistances(at.theta); err != nil {
			return best, smooth, err
		}
		c, err := s.dense(ctx, few, climb{family: f, at: at}, nil)
		if all = append(all, c); err != nil {
			return bestOf(all), all[0], err
		}
		level = c.at.level
	}
	best, smooth = bestOf(all), all[0]
	if more.N == few.N {
		return best, smooth, nil
	}
	screened := best
	if best, err = s.dense(ctx, more, best, nil); err != nil {
		return best, smooth, err
	}
	if best.family == smooth.family {
		smooth = best
	}
	for _, c := range all {
		if c.family == best.family || more.N <= 2*few.N && screened.best.beats(c.best, 2) {
			continue
		}
		c.at.level, c.best = max(c.at.level, best.at.level), nil // more samples want larger scales
		rival := best.best
		if s.judges != nil && c.family == smooth.family {
			rival = nil
		}
		c, err := s.dense(ctx, more, c, rival)
		if err != nil {
			return best, smooth, err
		}
		if c.family == smooth.family {
			smooth = c
		}
		if c.best != nil && c.best.beats(best.best, 1) {
			best = c
		}
	}
	return best, smooth, nil
}

// some returns the samples by which kernels are compared.
func (s *state) some() *fitting.Data {
	if s.judges != nil {
		return s.data
	}
	return s.data.Sample(searchSamples, s.Seed)
}

// bestOf returns the first of some climbs, or a later one that is better than all before it.
func bestOf(all []climb) climb {
	best := all[0]
	for _, c := range all[1:] {
		if best.best == nil || c.best != nil && c.best.beats(best.best, 1) {
			best = c
		}
	}
	return best
}

// dense moves a family to its best width and scale with the dense KernelPrior on the samples d. It
// gives up if the first setting is no better than another one, which may be nil.
func (s *state) dense(ctx context.Context, d *fitting.Data, f climb, other *setting) (climb, error) {
	hopeless := func(c *setting) bool { return other != nil && !c.beats(other, 0) }
	reached, err := s.follow(d, f.at, len(scales), hopeless, func(p point, rival *setting) (*setting, error) {
		return s.judgeOne(ctx, d, denseSetting(kernels{Kernel: f.family.WithTheta(p.theta)}, scales[p.level]), cmp.Or(rival, other))
	})
	if reached.best == nil {
		return f, err
	}
	reached.family = f.family
	return reached, err
}

// widths learns a width for each feature, without each fold. They are accepted if the dense model
// with them beats the one without by a standard error, and given up if it loses by one in the first
// fold. widths returns the better of the two.
func (s *state) widths(ctx context.Context, c climb) (f family, dense *setting, err error) {
	common := family{Tunable: c.family}
	if s.data.D > ardFeatures {
		return common, c.best, nil
	}
	s.begin("a width for each feature")
	some := s.some()
	ard := gp.ARD{Kernel: c.family.WithTheta(c.at.theta), Scale: scales[c.at.level]}
	learn := func(d *fitting.Data) ([]float64, error) {
		n := ardSamples
		if s.judges != nil {
			n = min(max(n, classSamples*d.C), judgeSamples)
		}
		d = d.Sample(n, s.Seed)
		_, result, err := ard.Fit(ctx, mpcvm.Samples(d.Samples()))
		return result.Importance, err
	}
	f.Tunable = c.family
	if f.all, err = learn(some); err != nil {
		return common, c.best, err
	}
	if s.judges == nil {
		f.folds = make([][]float64, fitting.Folds)
	}
	with := denseSetting(f.at(c.at.theta), scales[c.at.level])
	judged, err := s.judge(ctx, some, []setting{with}, func(ctx context.Context, fold int, part *fitting.Data, reached func(*mpcvm.Model) bool) (err error) {
		importance := f.all
		if f.folds != nil {
			if importance, err = learn(part); err != nil {
				return err
			}
			f.folds[fold] = importance
		}
		return fitOne(denseSetting(kernels{Kernel: f.with(c.at.theta, importance)}, scales[c.at.level]))(ctx, fold, part, reached)
	}, func(with *setting) bool { return c.best.beats(with, 1) })
	switch {
	case err != nil || !judged[0].beats(c.best, 1):
		return common, c.best, err
	case some.N == s.data.N:
		s.admit(judged[0])
		return f, judged[0], nil
	}
	if f.all, err = learn(s.data); err == nil { // for the folds of all samples
		err = s.data.EachFold(ctx, fitting.Folds, 0, s.folds(s.data), s.Seed, func(fold int, part *fitting.Data, _ []int) (err error) {
			f.folds[fold], err = learn(part)
			return err
		})
	}
	return f, judged[0], err
}

// follow climbs from a point, along the levels and along the widths in turn, while the log loss falls
// by more than its standard error. A step doubles or halves the width, or goes to the next level.
// With many samples narrower kernels come first: their fits are fast. It judges no point twice, and
// none but the first if that is hopeless. best is nil if the first one was not judged.
func (s *state) follow(d *fitting.Data, at point, levels int, hopeless func(*setting) bool, judge func(p point, rival *setting) (*setting, error)) (reached climb, err error) {
	middle, judged := at.theta, map[point]*setting{}
	best, err := judge(at, nil)
	if err != nil || best.givenUp || hopeless(best) {
		return climb{at: at, best: best}, err
	}
	judged[at] = best
	walk := func(next func(p point) point) (moved bool, err error) {
		for {
			p := next(at)
			if p.level != at.level && (p.level < 0 || p.level >= levels) || p.theta > middle*64 || p.theta < middle/64 {
				return moved, nil
			}
			if judged[p] == nil {
				if judged[p], err = judge(p, best); err != nil {
					return moved, err
				}
			}
			if !judged[p].beats(best, 1) {
				return moved, nil
			}
			at, best, moved = p, judged[p], true
		}
	}
	up, down := func(p point) point { p.level++; return p }, func(p point) point { p.level--; return p }
	narrower, wider := func(p point) point { p.theta *= 2; return p }, func(p point) point { p.theta /= 2; return p }
	pairs := [][2]func(point) point{{narrower, wider}, {up, down}}
	if d.N <= screenSamples {
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
				return climb{at: at, best: best}, err
			}
		}
		if at == before {
			break
		}
	}
	return climb{at: at, best: best}, nil
}

// dominated reports whether a smaller model is better.
func (s *state) dominated(c *setting) bool {
	return slices.ContainsFunc(s.admitted, func(o *setting) bool { return o.weights < c.weights && o.logLoss < c.logLoss })
}

// line sets which settings are fitted if the final fit of a setting collapses: the best one, and the best
// one that keeps all weights.
func (s *state) line(chosen *setting) {
	if chosen.constant {
		return
	}
	var dense *setting
	for _, c := range s.admitted {
		if c.dense && (dense == nil || c.logLoss < dense.logLoss) {
			dense = c
		}
	}
	list := []*setting{chosen}
	for _, c := range []*setting{s.best, dense} {
		if c != nil && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range list[1:] {
		list[i].next = c
		s.trials[list[i].trial].Refit.(*fixed).next = s.trials[c.trial].Refit
	}
}

// choose returns the smallest model whose log loss is not above the least one by more than some
// standard errors of the difference, or thousandths of a nat; see Preference. A model that is larger and
// worse than another one is left out. The frequencies of the classes are the smallest
// of all. What is no better than these is not chosen. The best of K settings is better by chance: the
// log likelihood of all judged samples must gain more than log K, and the mean log loss two standard errors
// if the setting does not err less than the frequencies.
func (s *state) choose() *setting {
	frequencies := s.frequencies()
	gain := 0.0
	for n, l := range s.best.losses {
		if !math.IsNaN(l) {
			gain += cmp.Or(s.judges, s.data).Weight(n) * (frequencies.losses[n] - l)
		}
	}
	errors := s.Prefer.errors()
	if s.trials[s.best.trial].ErrorRate >= s.trials[frequencies.trial].ErrorRate {
		errors = max(errors, 2) // it names the same class as they do
	}
	if gain <= math.Log(float64(len(s.trials))) || !s.best.beats(frequencies, errors) {
		return frequencies
	}
	chosen := s.best
	for _, c := range s.admitted {
		gain, se := s.best.gain(c)
		if c.weights < chosen.weights && !s.dominated(c) && c.beats(frequencies, 0) && gain <= s.Prefer.errors()*max(se, sizeWorth) {
			chosen = c
		}
	}
	return chosen
}
