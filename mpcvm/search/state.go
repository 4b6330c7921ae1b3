package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// state is the state of a search.
type state struct {
	*journal
	*fitting.Data // what settings are judged by: all samples, or some of them
}

// journal is what all parts of a search share.
type journal struct {
	Auto
	schedule
	whole    *fitting.Data
	searched int // samples that settings are judged by
	trials   []mpcvm.Trial
	best     *setting // sparse, of the least log loss so far

	mu               sync.Mutex
	overdue          func()  // ends a trial as soon as there is a model; nil: not needed
	fallback, latest partial // of the best setting so far, and of the last one
}

// newState prepares a search of the data d.
func newState(a Auto, d *fitting.Data, start time.Time) *state {
	s := &state{&journal{Auto: a, whole: d}, d}
	s.start = start
	// The usual numbers of steps.
	s.steps = [kinds]int{dense: 15, cut: 4, bottomUp: 4, topDown: 1, final: 1}
	if s.large() {
		s.Data = d.Sample(sampled, a.Seed)
		s.steps[cut], s.steps[judge] = 0, 1
	}
	if a.PerFeature {
		s.steps[widths] = 1
	}
	s.searched = s.Data.N
	if a.Budget > 0 {
		s.end = start.Add(a.Budget)
	}
	return s
}

// sampled is the number of samples that settings are judged by if there are too many.
const sampled = 2000

// large reports whether there are too many samples to judge settings by all of them.
func (s *journal) large() bool {
	return s.whole.N > fitting.Many && s.Candidates != mpcvm.AllCandidates
}

// options are those of a fit that do not belong to its setting.
func (s *journal) options(limit int) options {
	o := options{limit: limit, candidates: mpcvm.AllCandidates}
	if s.large() {
		o.candidates = cmp.Or(s.Candidates, fitting.Candidates)
		o.float32 = 8*float64(o.candidates)*float64(s.whole.N) > 1<<28
	}
	return o
}

// setting is a learner and a kernel, and their result in cross-validation.
type setting struct {
	kind        kind
	name        string
	learner     func(k kernel.Kernel, o options) mpcvm.Learner
	kernel      kernel.Kernel
	losses      []float64 // −log p(t_n) of the samples, out of fold, at the best temperature
	temperature float64
	trial       int // its place among the trials; −1: it was not tried
}

// options are those of a fit that do not belong to its setting.
type options struct {
	limit      int // MaxIterations of TopDown and BottomUp, 0 for the default
	candidates int // of TopDown and BottomUp
	float32    bool
}

// try judges a setting. It returns errBudget if there is no time.
func (s *state) try(ctx context.Context, c setting) (setting, error) {
	if !s.inTime(c.kind, s.N, s.until) {
		return c, errBudget
	}
	s.begin(c.kind, fmt.Sprintf("%s, %v", c.name, c.kernel), s.N)
	inTime, stop := s.within(ctx, s.until)
	defer stop()
	start := time.Now()
	weights := make([]int, fitting.Folds)
	s.latest = partial{}
	y, err := s.CrossValidate(inTime, fitting.Folds, s.Seed, func(f int, part *fitting.Data) (fitting.Predictor, error) {
		m, _, err := c.learner(c.kernel, options{fitting.ShortFit, mpcvm.AllCandidates, false}).Fit(inTime, part.X, part.T)
		if err == nil {
			weights[f] = m.WeightCount()
			s.foldEnds(f, m, part, s.Data)
		}
		return m, err
	})
	if err != nil {
		if inTime.Err() != nil && ctx.Err() == nil {
			err = errBudget
		}
		return c, err
	}
	c.temperature = fitting.Temperature(y, s.T)
	y = fitting.AtBestTemperature(y, s.T)
	c.losses = fitting.LogLosses(y, s.T)
	t := mpcvm.Trial{Kernel: c.kernel, Learner: c.name, Temperature: c.temperature, Samples: s.N, Seconds: time.Since(start).Seconds()}
	t.LogLoss, t.ErrorRate = fitting.Judge(y, s.T)
	for _, n := range weights {
		t.Weights += n
	}
	t.Weights /= fitting.Folds
	s.record(&c, t)
	return c, nil
}

// foldEnds notes that a fold of the present trial has ended. Its model is kept if it is of the
// lowest fold so far.
func (s *journal) foldEnds(f int, m *mpcvm.Model, part, d *fitting.Data) {
	s.mu.Lock()
	if s.present.folds++; s.latest.model == nil || f < s.latest.fold {
		s.latest = newPartial(m, part, d)
		s.latest.trial, s.latest.fold = len(s.trials), f
	}
	if len(s.trials) == 0 {
		s.fallback = s.latest
	}
	if s.overdue != nil {
		s.overdue()
	}
	s.mu.Unlock()
	s.report()
}

// record appends the trial of a setting.
func (s *journal) record(c *setting, t mpcvm.Trial) {
	s.mu.Lock()
	c.trial = len(s.trials)
	s.latest.temperature = c.temperature
	t.Refit = fixed{c.learner(c.kernel, s.options(0)), c.temperature}
	s.trials = append(s.trials, t)
	if c.trial == 0 {
		s.fallback = s.latest
	}
	s.mu.Unlock()
	s.finish()
	if s.OnTrial != nil {
		s.OnTrial(t)
	}
}

// keep makes the model of the last trial the one to fall back to.
func (s *journal) keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fallback = s.latest
}

// beats reports whether the log loss of c is below that of another setting by more than the
// standard error of the mean difference. Every setting beats nil.
func (c *setting) beats(other *setting) bool {
	if other == nil {
		return true
	}
	gain, se := stat.MeanStdDev(floats.SubTo(make([]float64, len(c.losses)), other.losses, c.losses), nil)
	return gain > se/math.Sqrt(float64(len(c.losses)))
}

// sparse tries a setting for the final fit.
func (s *state) sparse(ctx context.Context, c setting) (*setting, error) {
	c, err := s.try(ctx, c)
	if err != nil {
		return nil, err
	}
	if c.beats(s.best) {
		s.best = &c
		s.keep()
	}
	return &c, nil
}

// run makes the search. If there was no time for a sparse setting, it returns the best dense one,
// or for many samples the first sparse one, which was not tried. It returns nil if there was no
// time for a trial.
func (s *state) run(ctx context.Context) (*setting, error) {
	few := &state{s.journal, s.Sample(screened, s.Seed)}
	var family kernel.Tunable
	var at point
	var best *setting
	err := s.phase(dense, 0.3, func() (err error) {
		family, at, best, err = few.screen(ctx)
		return err
	})
	if err != nil || best == nil {
		return nil, err
	}
	if s.steps[topDown] = 0; at.level == 0 {
		s.steps[topDown] = 3
	}
	if !s.large() {
		err := s.phase(cut, 0.6, func() error {
			_, err := s.follow(point{0, 2 * at.theta}, len(keeps), map[point]*setting{}, func(p point) (*setting, error) {
				return s.sparse(ctx, cutSetting(family.WithTheta(p.theta), scales[at.level], keeps[p.level]))
			})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	err = s.phase(bottomUp, 0.8, func() error {
		_, err := s.follow(point{at.level, 2 * at.theta}, len(powers), map[point]*setting{}, func(p point) (*setting, error) {
			return s.sparse(ctx, bottomUpSetting(family.WithTheta(p.theta), powers[p.level]))
		})
		return err
	})
	if err == nil && at.level == 0 {
		err = s.phase(topDown, 1, func() error {
			_, err := s.follow(point{0, at.theta}, 1, map[point]*setting{}, func(p point) (*setting, error) {
				return s.sparse(ctx, topDownSetting(family.WithTheta(p.theta)))
			})
			return err
		})
	}
	if err == nil && s.PerFeature && s.best != nil {
		err = s.phase(widths, 1, func() error { return s.perFeature(ctx) })
	}
	switch {
	case s.best != nil:
		return s.best, err
	case s.large(): // the dense one cannot be fitted
		direct := bottomUpSetting(family.WithTheta(2*at.theta), powers[at.level])
		direct.temperature, direct.trial = best.temperature, -1
		best = &direct
	}
	return best, err
}

// phase makes a part of the search, of trials of a kind, until this share of the budget is
// spent.
func (s *state) phase(k kind, share float64, search func() error) error {
	s.enter(share)
	defer s.leave(k)
	if err := search(); !errors.Is(err, errBudget) {
		return err
	}
	return nil
}

// screened is the number of samples that family and scale are chosen by. The width is chosen
// again with all.
const screened = 1000

// point is a place of a search in two directions: a level of scales, powers or keeps, and a
// width.
type point struct {
	level int
	theta float64
}

// The values of KernelPrior.Scale, BottomUp.LikelihoodPower and KernelPrior.Keep that are tried.
// The less noise in the labels, the larger the best Scale and LikelihoodPower.
var (
	scales = []float64{1, 10, 100}
	powers = []float64{1, 10, 100}
	keeps  = []float64{0.7, 1}
)

// screen finds the better family of kernels, and its best width and scale with the dense
// KernelPrior.
func (s *state) screen(ctx context.Context) (chosen kernel.Tunable, at point, best *setting, err error) {
	var tried map[point]*setting // of the chosen family
	dense := func(f kernel.Tunable, p point) (*setting, error) {
		c, err := s.try(ctx, denseSetting(f.WithTheta(p.theta), scales[p.level]))
		return &c, err
	}
	for _, family := range []kernel.Tunable{kernel.RBF{}, kernel.Laplacian{}} {
		start := family.MedianTheta(s.X)
		if err := s.CheckDistances(start); err != nil {
			return nil, at, nil, err
		}
		var own *setting // best of the family
		seen := map[point]*setting{}
		try := func(p point) (better bool, err error) {
			c, err := dense(family, p)
			if err != nil {
				return false, err
			}
			seen[p] = c
			if c.beats(best) {
				chosen, at, best, tried = family, p, c, seen
				s.keep()
			}
			if better = c.beats(own); better {
				own = c
			}
			return better, nil
		}
		if chosen == nil {
			for level := range scales {
				if _, err := try(point{level, start}); err != nil {
					return chosen, at, best, err
				}
			}
		}
		level := at.level
		err := fitting.Climb(start, func(theta float64) (bool, error) {
			if seen[point{level, theta}] != nil {
				return true, nil // where it starts
			}
			return try(point{level, theta})
		})
		if err != nil {
			return chosen, at, best, err
		}
	}
	at, err = s.follow(at, len(scales), tried, func(p point) (*setting, error) { return dense(chosen, p) })
	return chosen, at, tried[at], err
}

// follow goes from a point to better ones, along the levels and along the widths in turn, in
// steps of two, while it gains and there is time. It tries no point twice.
func (s *state) follow(at point, levels int, tried map[point]*setting, try func(point) (*setting, error)) (point, error) {
	middle := at.theta
	get := func(p point) (*setting, error) {
		if c := tried[p]; c != nil {
			return c, nil
		}
		c, err := try(p)
		tried[p] = c
		return c, err
	}
	best, err := get(at)
	if err != nil {
		return at, err
	}
	walk := func(next func(p point) point) (moved bool, err error) {
		for {
			p := next(at)
			if p.level < 0 || p.level == levels || p.theta > middle*16 || p.theta < middle/16 {
				return moved, nil
			}
			c, err := get(p)
			if err != nil || !c.beats(best) {
				return moved, err
			}
			at, best, moved = p, c, true
		}
	}
	up, down := func(p point) point { p.level++; return p }, func(p point) point { p.level--; return p }
	narrower, wider := func(p point) point { p.theta *= 2; return p }, func(p point) point { p.theta /= 2; return p }
	for range 2 {
		for _, pair := range [][2]func(point) point{{up, down}, {wider, narrower}} {
			moved, err := walk(pair[0])
			if err == nil && !moved {
				_, err = walk(pair[1])
			}
			if err != nil {
				return at, err
			}
		}
	}
	return at, nil
}

// perFeature learns a width for each feature for the best setting.
func (s *state) perFeature(ctx context.Context) error {
	best := *s.best
	if !s.inTime(widths, s.N, s.until) {
		return errBudget
	}
	s.begin(widths, "a width for each feature", s.N)
	inTime, stop := s.within(ctx, s.until)
	defer stop()
	ard := gp.ARD{Kernel: best.kernel, For: func(k kernel.Kernel) mpcvm.Learner {
		return best.learner(k, options{candidates: mpcvm.AllCandidates})
	}, Seed: s.Seed}
	k, result, err := ard.Fit(inTime, s.X, s.T)
	if err != nil && inTime.Err() != nil && ctx.Err() == nil {
		return errBudget
	}
	if err != nil {
		return err
	}
	if s.finish(); !result.Accepted {
		return nil
	}
	best.kernel = k
	_, err = s.sparse(ctx, best)
	return err
}

// judgeLarge fits the best setting to nearly all of many samples. The others judge it and give
// the temperature. It returns errBudget if there is no time.
func (s *state) judgeLarge(ctx context.Context, c *setting) error {
	in, out := s.whole.HoldOut(s.Seed)
	until := s.end
	if !s.end.IsZero() {
		until = until.Add(-time.Duration(s.expected(final, s.whole.N) * float64(time.Second)))
	}
	if c == nil || !s.inTime(judge, in.N, until) {
		return errBudget
	}
	s.begin(judge, fmt.Sprintf("%s, %v, %d samples", c.name, c.kernel, in.N), in.N)
	inTime, stop := s.within(ctx, until)
	defer stop()
	start := time.Now()
	m, result, err := c.learner(c.kernel, s.options(0)).Fit(inTime, in.X, in.T)
	if err != nil {
		if inTime.Err() != nil && ctx.Err() == nil {
			err = errBudget
		}
		return err
	}
	y := m.Potentials(nil, out.X)
	c.temperature = fitting.Temperature(y, out.T)
	t := mpcvm.Trial{
		Kernel: c.kernel, Learner: fmt.Sprintf("%s, %d candidates", c.name, result.Candidates),
		Temperature: c.temperature, Samples: out.N, Weights: m.WeightCount(), Seconds: time.Since(start).Seconds(),
	}
	t.LogLoss, t.ErrorRate = fitting.Judge(fitting.AtBestTemperature(y, out.T), out.T)
	s.latest = newPartial(m, in, s.whole)
	s.latest.trial, s.latest.held = len(s.trials), true
	s.record(c, t)
	s.keep()
	return nil
}
