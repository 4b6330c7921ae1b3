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
	"gonum.org/v1/gonum/mat"
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
	able     []*setting // that can be fitted in the end, judged by all that are searched
	best     *setting   // of these, that of the least log loss

	mu       sync.Mutex
	overdue  func()    // ends a trial as soon as there is a model; nil: not needed
	fallback partial   // of the best setting so far
	latest   []partial // of the settings of the last trial
}

// newState prepares a search of the data d.
func newState(a Auto, d *fitting.Data, start time.Time) *state {
	s := &state{&journal{Auto: a, whole: d}, d}
	s.start = start
	// The usual numbers of steps.
	s.steps = [kinds]int{dense: 12, cut: 3, bottomUp: 4, topDown: 1, final: 1}
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
	logLoss     float64   // their mean
	weights     int
	samples     int // that were searched
	temperature float64
	trial       int // its place among the trials; −1: it was not tried
}

// options are those of a fit that do not belong to its setting.
type options struct {
	limit      int // MaxIterations of TopDown and BottomUp, 0 for the default
	candidates int // of TopDown and BottomUp
	float32    bool
}

// try judges settings of a kind whose models one fit makes. It returns errBudget if there is no
// time.
func (s *state) try(ctx context.Context, k kind, c []setting, fit fitter) ([]*setting, error) {
	if !s.inTime(k, s.N, s.until) {
		return nil, errBudget
	}
	s.begin(k, fmt.Sprintf("%s, %v", c[0].name, c[0].kernel), s.N)
	inTime, stop := s.within(ctx, s.until)
	defer stop()
	start := time.Now()
	s.latest = nil
	weights := make([]int, len(c))
	y := make([]*mat.Dense, len(c))
	for i := range y {
		y[i] = s.Unjudged()
	}
	folds := s.folds()
	err := s.EachFold(inTime, fitting.Folds, folds, s.Seed, func(f int, part *fitting.Data, out []int) error {
		models, err := fit(inTime, part.X, part.T)
		if err != nil {
			return err
		}
		for i, m := range models {
			s.Judge(y[i], m, out)
		}
		s.foldEnds(f, models, part, s.Data, weights)
		return nil
	})
	if err != nil {
		if inTime.Err() != nil && ctx.Err() == nil {
			err = errBudget
		}
		return nil, err
	}
	tried := make([]*setting, len(c))
	seconds := time.Since(start).Seconds() / float64(len(c))
	for i := range c {
		if err := s.MaskSingles(y[i]); err != nil {
			return nil, err
		}
		c := c[i]
		c.temperature = fitting.Temperature(y[i], s.T)
		at := fitting.AtBestTemperature(y[i], s.T)
		c.losses, c.weights, c.samples = fitting.LogLosses(at, s.T), weights[i]/folds, s.N
		t := mpcvm.Trial{Kernel: c.kernel, Learner: c.name, Temperature: c.temperature, Weights: c.weights, Samples: s.N, Seconds: seconds}
		t.LogLoss, t.ErrorRate = fitting.Judge(at, s.T)
		c.logLoss = t.LogLoss
		s.record(&c, t, s.latest[i])
		tried[i] = &c
	}
	s.finish()
	return tried, nil
}

// folds is the number of folds that are judged, enough for some 1500 samples.
func (s *state) folds() int {
	return min(max(2, (judged*fitting.Folds+s.N-1)/s.N), fitting.Folds)
}

// judged is the number of samples that suffices for the comparison of settings.
const judged = 1500

// foldEnds notes that a fold of the present trial has ended, and the number of weights. Its
// models are kept if it is the lowest fold so far.
func (s *journal) foldEnds(f int, models []*mpcvm.Model, part, d *fitting.Data, weights []int) {
	s.mu.Lock()
	for i, m := range models {
		weights[i] += m.WeightCount()
	}
	if s.present.folds++; s.latest == nil || f < s.latest[0].fold {
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

// record appends the trial of a setting, of which there is a model. The model of the best
// setting is the one to fall back to. Those that are judged by all samples are better than the
// others.
func (s *journal) record(c *setting, t mpcvm.Trial, model partial) {
	s.mu.Lock()
	c.trial = len(s.trials)
	model.temperature, model.logLoss, model.judged = c.temperature, c.logLoss, t.Samples
	t.Refit = fixed{c.learner(c.kernel, s.options(0)), c.temperature}
	s.trials = append(s.trials, t)
	if c.trial == 0 || model.judged > s.fallback.judged || model.judged == s.fallback.judged && model.logLoss < s.fallback.logLoss {
		s.fallback = model
	}
	s.mu.Unlock()
	if s.OnTrial != nil {
		s.OnTrial(t)
	}
}

// beats reports whether the log loss of c is below that of another setting by more than this
// many standard errors of the mean difference.
func (c *setting) beats(other *setting, errors float64) bool {
	gain, se := stat.MeanStdDev(floats.SubTo(make([]float64, len(c.losses)), other.losses, c.losses), nil)
	return gain > errors*se/math.Sqrt(float64(len(c.losses)))
}

// could tries settings for the final fit.
func (s *state) could(ctx context.Context, k kind, c []setting, fit fitter) ([]*setting, error) {
	tried, err := s.try(ctx, k, c, fit)
	s.able = append(s.able, tried...)
	for _, c := range tried {
		if s.best == nil || c.logLoss < s.best.logLoss {
			s.best = c
		}
	}
	return tried, err
}

// single is could for one setting with a learner of its own.
func (s *state) single(ctx context.Context, c setting) (*setting, error) {
	tried, err := s.could(ctx, c.kind, []setting{c}, one(c))
	if err != nil {
		return nil, err
	}
	return tried[0], nil
}

// choose returns the smallest model whose log loss is not above the least one by more than some
// standard errors of the difference; see Preference.
func (s *journal) choose() *setting {
	chosen := s.best
	for _, c := range s.able {
		if c.weights < chosen.weights && !s.best.beats(c, s.Prefer.errors()) {
			chosen = c
		}
	}
	return chosen
}

// run makes the search. If there was no time for a setting that can be fitted in the end, it
// returns the best one of few samples. It returns nil if there was no time for a trial.
func (s *state) run(ctx context.Context) (*setting, error) {
	var family kernel.Tunable
	var at point
	var best *setting
	err := s.phase(dense, 0.5, func() (err error) {
		family, at, best, err = s.families(ctx)
		return err
	})
	if err != nil || best == nil {
		return nil, err
	}
	if s.steps[topDown] = 0; at.level == 0 {
		s.steps[topDown] = 3
	}
	err = s.phase(cut, 0.7, func() error { return s.reduce(ctx, family, at) })
	if err == nil {
		err = s.phase(bottomUp, 0.9, func() error {
			_, err := s.follow(point{min(at.level, len(powers)-1), 2 * at.theta}, len(powers), map[point]*setting{}, func(p point) (*setting, error) {
				return s.single(ctx, bottomUpSetting(family.WithTheta(p.theta), powers[p.level]))
			})
			return err
		})
	}
	if err == nil && at.level == 0 {
		err = s.phase(topDown, 1, func() error {
			_, err := s.follow(point{0, at.theta}, 1, map[point]*setting{}, func(p point) (*setting, error) {
				return s.single(ctx, topDownSetting(family.WithTheta(p.theta)))
			})
			return err
		})
	}
	if err == nil && s.PerFeature && s.best != nil {
		err = s.phase(widths, 1, func() error { return s.perFeature(ctx) })
	}
	if s.best != nil {
		return s.choose(), err
	}
	return best, err
}

// reduce tries the reductions of the dense model, also with half the width: fewer basis
// functions need narrower kernels.
func (s *state) reduce(ctx context.Context, family kernel.Tunable, at point) error {
	c, fit := pathSettings(family.WithTheta(at.theta), scales[at.level], keeps)
	_, err := s.could(ctx, cut, c, fit)
	if err == nil {
		c, fit = pathSettings(family.WithTheta(2*at.theta), scales[at.level], keeps[few:])
		_, err = s.could(ctx, cut, c, fit)
	}
	return err
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

// screened is the number of samples by which the search begins.
const screened = 500

// point is a place of a search in two directions: a level of scales, powers or keeps, and a
// width.
type point struct {
	level int
	theta float64
}

// The values of KernelPrior.Scale and BottomUp.LikelihoodPower that are tried. The less noise in
// the labels, the larger the best of them.
var (
	scales = []float64{1, 10, 100, 1000}
	powers = []float64{1, 10, 100}
)

// families finds the better family of kernels, and its best width and scale with the dense
// KernelPrior: by few samples first, then by all, a family that few find much worse excepted.
func (s *state) families(ctx context.Context) (chosen kernel.Tunable, at point, best *setting, err error) {
	few := &state{s.journal, s.Sample(screened, s.Seed)}
	var first *setting // by few samples
	start := point{level: 1}
	for _, family := range []kernel.Tunable{kernel.RBF{}, kernel.Laplacian{}} {
		start.theta = 2 * family.MedianTheta(few.X) // the median itself most often is too wide
		if err := s.CheckDistances(start.theta); err != nil {
			return nil, at, nil, err
		}
		p, c, err := few.densest(ctx, family, start)
		if err == nil && few.N < s.N && (first == nil || !first.beats(c, 2)) {
			if first == nil || c.beats(first, 1) {
				first = c
			}
			p, c, err = s.densest(ctx, family, p)
		}
		if c != nil && (best == nil || c.samples > best.samples || c.samples == best.samples && c.beats(best, 1)) {
			chosen, at, best = family, p, c
		}
		if err != nil {
			return chosen, at, best, err
		}
		start.level = p.level
	}
	return chosen, at, best, nil
}

// densest finds the best width and scale of a family with the dense KernelPrior.
func (s *state) densest(ctx context.Context, family kernel.Tunable, start point) (point, *setting, error) {
	tried := map[point]*setting{}
	at, err := s.follow(start, len(scales), tried, func(p point) (*setting, error) {
		c := denseSetting(family.WithTheta(p.theta), scales[p.level])
		if s.N == s.searched {
			return s.single(ctx, c)
		}
		t, err := s.try(ctx, dense, []setting{c}, one(c))
		if err != nil {
			return nil, err
		}
		return t[0], nil
	})
	return at, tried[at], err
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
		if err == nil {
			tried[p] = c
		}
		return c, err
	}
	best, err := get(at)
	if err != nil {
		return at, err
	}
	walk := func(next func(p point) point) (moved bool, err error) {
		for {
			p := next(at)
			if p.level != at.level && (p.level < 0 || p.level >= levels) || p.theta > middle*64 || p.theta < middle/64 {
				return moved, nil
			}
			c, err := get(p)
			if err != nil || !c.beats(best, 1) {
				return moved, err
			}
			at, best, moved = p, c, true
		}
	}
	up, down := func(p point) point { p.level++; return p }, func(p point) point { p.level--; return p }
	narrower, wider := func(p point) point { p.theta *= 2; return p }, func(p point) point { p.theta /= 2; return p }
	for turn := 0; ; turn++ {
		before := at
		for _, pair := range [][2]func(point) point{{up, down}, {narrower, wider}} {
			moved, err := walk(pair[0])
			if err == nil && !moved {
				_, err = walk(pair[1])
			}
			if err != nil {
				return at, err
			}
		}
		if at == before || turn == 2 {
			return at, nil
		}
	}
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
	_, err = s.single(ctx, best)
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
	c.logLoss = t.LogLoss
	model := newPartial(m, in, s.whole)
	model.trial, model.held = len(s.trials), true
	t.Samples = out.N
	s.record(c, t, model)
	s.finish()
	return nil
}
