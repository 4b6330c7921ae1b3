package search

import (
	"context"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// The samples and settings of the table in the package's documentation.
const (
	screenSamples = 500  // by which the search begins
	judgeSamples  = 1000 // that suffice to compare settings
	ardSamples    = 400  // by which the widths of the features are learned
	ardFeatures   = 100  // the most features with widths of their own: time grows with them
)

var (
	// scales are the values of KernelPrior.Scale and BottomUp.LikelihoodPower. The less noise in
	// the labels, the larger the best of them.
	scales = []float64{1, 10, 100}
	// keeps are the reductions of the dense model (KernelPrior.Keep), and narrowKeeps those of the
	// dense model with half its width.
	keeps       = []float64{4, 2, 1.4, 1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09, 0.06}
	narrowKeeps = keeps[2:]
)

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

// search judges the settings of the table in the package's documentation. The better family is the
// one found so far if ctx ends.
func (s *state) search(ctx context.Context) (better climb, err error) {
	better, err = s.families(ctx)
	if err != nil {
		return better, err
	}
	at := better.at
	f, err := s.widths(ctx, better)
	if err == nil {
		err = s.reduce(ctx, f, at)
	}
	if err == nil {
		_, _, err = s.follow(s.data, point{at.level, 2 * at.theta}, len(scales), s.dominated, func(p point, rival *setting) (*setting, error) {
			return s.judgeOne(ctx, s.data, bottomUpSetting(f.at(p.theta), scales[p.level]), rival)
		})
	}
	if err == nil && at.level == 0 {
		_, _, err = s.follow(s.data, point{0, at.theta}, 1, s.dominated, func(p point, rival *setting) (*setting, error) {
			return s.judgeOne(ctx, s.data, topDownSetting(f.at(p.theta)), rival)
		})
	}
	return better, err
}

// families finds the better family of kernels, and its best width and scale with the dense
// KernelPrior: by few samples first, then by all.
func (s *state) families(ctx context.Context) (climb, error) {
	few := s.data.Sample(screenSamples, s.Seed)
	families := []climb{{family: kernel.RBF{}}, {family: kernel.RationalLaplacian{}}}
	rbf, other := &families[0], &families[1]
	better := func() climb {
		if rbf.best == nil || other.best != nil && other.best.beats(rbf.best, 1) {
			return *other
		}
		return *rbf
	}
	level := 1
	for i := range families {
		f := &families[i]
		f.at = point{level, 2 * f.family.MedianTheta(few.X)} // the median itself most often is too wide
		if err := s.data.CheckDistances(f.at.theta); err != nil {
			return climb{}, err
		}
		if err := s.dense(ctx, few, f, nil); err != nil {
			return better(), err
		}
		level = f.at.level
	}
	if few.N == s.data.N {
		return better(), nil
	}
	first, second := rbf, other
	if second.best.logLoss < first.best.logLoss {
		first, second = second, first
	}
	likely := *first
	if err := s.dense(ctx, s.data, first, nil); err != nil {
		return likely, err
	}
	likely, second.best = *first, nil
	second.at.level = max(second.at.level, first.at.level) // more samples want larger scales
	if err := s.dense(ctx, s.data, second, first.best); err != nil {
		return likely, err
	}
	return better(), nil
}

// dense moves a family to its best width and scale with the dense KernelPrior on the samples d. It
// gives up if the first setting is far worse than another one, which may be nil.
func (s *state) dense(ctx context.Context, d *fitting.Data, f *climb, other *setting) error {
	hopeless := func(c *setting) bool { return other != nil && other.beats(c, 4) }
	at, best, err := s.follow(d, f.at, len(scales), hopeless, func(p point, rival *setting) (*setting, error) {
		return s.judgeOne(ctx, d, denseSetting(kernels{Kernel: f.family.WithTheta(p.theta)}, scales[p.level]), rival)
	})
	if best != nil {
		f.at, f.best = at, best
	}
	return err
}

// widths learns a width for each feature, without each fold and by all samples. They are accepted if
// the dense model with them beats the one without by a standard error.
func (s *state) widths(ctx context.Context, c climb) (family, error) {
	common := family{Tunable: c.family}
	if s.data.D > ardFeatures {
		return common, nil
	}
	s.begin("a width for each feature")
	ard := gp.ARD{Kernel: c.family.WithTheta(c.at.theta), Scale: scales[c.at.level]}
	learn := func(ctx context.Context, d *fitting.Data) ([]float64, error) {
		d = d.Sample(ardSamples, s.Seed)
		_, result, err := ard.Fit(ctx, d.X, d.T)
		return result.Importance, err
	}
	all, err := learn(ctx, s.data)
	if err != nil {
		return common, err
	}
	f, folds := family{Tunable: c.family, all: all}, make([][]float64, fitting.Folds)
	with := denseSetting(f.at(c.at.theta), scales[c.at.level])
	judged, err := s.judge(ctx, s.data, []setting{with}, func(ctx context.Context, fold int, part *fitting.Data, reached func(*mpcvm.Model) bool) (err error) {
		if folds[fold], err = learn(ctx, part); err != nil {
			return err
		}
		k := kernels{Kernel: f.with(c.at.theta, folds[fold])}
		return fitOne(denseSetting(k, scales[c.at.level]))(ctx, fold, part, reached)
	}, s.best)
	if err != nil || !judged[0].beats(s.best, 1) {
		return common, err
	}
	s.admit(judged[0])
	f.folds = folds
	return f, nil
}

// reduce judges the reductions of the dense model, also with half the width: fewer basis
// functions need narrower kernels.
func (s *state) reduce(ctx context.Context, f family, at point) error {
	for _, path := range []struct {
		theta float64
		keeps []float64
	}{{at.theta, keeps}, {2 * at.theta, narrowKeeps}} {
		c, fit := pathSettings(f.at(path.theta), scales[at.level], path.keeps)
		judged, err := s.judge(ctx, s.data, c, fit, nil)
		if err != nil {
			return err
		}
		s.admit(judged...)
	}
	return nil
}

// follow climbs from a point, along the levels and along the widths in turn, while the log loss falls
// by more than its standard error. A step doubles or halves the width, or goes to the next level.
// With many samples narrower kernels come first: their fits are fast. It judges no point twice, and
// none but the first if that is hopeless. It returns the point that it has reached, and the setting
// there, which is nil if the first one was not judged.
func (s *state) follow(d *fitting.Data, at point, levels int, hopeless func(*setting) bool, judge func(p point, rival *setting) (*setting, error)) (point, *setting, error) {
	middle, judged := at.theta, map[point]*setting{}
	best, err := judge(at, nil)
	if err != nil || hopeless(best) {
		return at, best, err
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
	if d.N < s.data.N || d.N <= screenSamples {
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
				return at, best, err
			}
		}
		if at == before {
			break
		}
	}
	return at, best, nil
}

// dominated reports whether a smaller model is better.
func (s *state) dominated(c *setting) bool {
	return slices.ContainsFunc(s.admitted, func(o *setting) bool { return o.weights < c.weights && o.logLoss < c.logLoss })
}

// choose returns the smallest model whose log loss is not above the least one by more than some
// standard errors of the difference; see Preference. The frequencies of the classes are the smallest
// of all. What is no better than these is not chosen. The best of K settings is better by chance: the
// log likelihood of all judged samples must gain more than log K.
func (s *state) choose() *setting {
	frequencies := s.frequencies()
	gain := 0.0
	for n, l := range s.best.losses {
		if !math.IsNaN(l) {
			gain += frequencies.losses[n] - l
		}
	}
	if gain <= math.Log(float64(len(s.trials))) || !s.best.beats(frequencies, s.Prefer.errors()) {
		return frequencies
	}
	chosen := s.best
	for _, c := range s.admitted {
		if c.weights < chosen.weights && c.beats(frequencies, 0) && !s.best.beats(c, s.Prefer.errors()) {
			chosen = c
		}
	}
	return chosen
}
