package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

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
	*fitting.Data // what settings learn from: all samples, or some of them
}

// journal is what all parts of a search share.
type journal struct {
	Auto
	schedule
	whole    *fitting.Data
	judges   *fitting.Data // of many samples, those that judge settings; nil: all, by cross-validation
	searched int           // samples that settings learn from
	trials   []mpcvm.Trial
	able     []*setting // that can be fitted in the end, judged by all that are searched
	best     *setting   // of these, that of the least log loss

	telling  sync.Mutex // held while OnProgress runs
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
	s.steps = [kinds]int{dense: 12, cut: 2, bottomUp: 4, topDown: 1, widths: 1, none: 1, final: 1}
	if s.large() {
		var others *fitting.Data
		others, s.judges = d.HoldOut(a.Seed)
		s.Data = others.Sample(sampled, a.Seed)
		s.steps[judge] = 1
	}
	s.searched = s.Data.N
	if a.Budget > 0 {
		s.end = start.Add(a.Budget)
	}
	return s
}

const (
	// sampled is the number of samples that settings learn from if there are too many.
	sampled = 4000
	// whole is the largest number of samples whose kernel matrix is held as a whole: 2.5 GB in
	// float32.
	whole = 25000
	// most is the largest number of samples that are fitted: their Φ takes 3.2 GB.
	most = 200000
	// enough is the number of samples from which on the fit that gives the temperature is the
	// final one: 4000 samples more make little difference.
	enough = 50000
)

// large reports whether there are too many samples to judge settings by all of them.
func (s *journal) large() bool {
	return s.whole.N > fitting.Many && s.Candidates != mpcvm.AllCandidates
}

// fitted is the largest number of samples that the final fit takes.
func (s *journal) fitted() int {
	if s.Candidates == 0 {
		return min(s.whole.N, most)
	}
	return s.whole.N
}

// options returns the options of the final fit.
func (s *journal) options() options {
	if !s.large() {
		return options{candidates: mpcvm.AllCandidates, dense: mpcvm.AllCandidates, keep: 1}
	}
	o := options{candidates: cmp.Or(s.Candidates, fitting.Candidates), dense: cmp.Or(s.Candidates, 2*fitting.Candidates), keep: 1, tol: 0.1}
	o.float32 = 8*float64(o.dense)*float64(s.whole.N) > 1<<28
	switch {
	case s.Candidates == 0 && s.whole.N <= whole:
		o.dense = mpcvm.AllCandidates
	default: // the number of weights grows with the number of candidates
		o.keep = float64(max(o.dense, s.searched)) / float64(s.fitted())
	}
	return o
}

// setting is a learner and a kernel, and their result in cross-validation.
type setting struct {
	kind        kind
	name        string
	learner     func(k kernel.Kernel, o options) mpcvm.Learner
	kernels     kernels
	losses      []float64 // −log p(t_n) of all samples, out of fold, as calibrated; NaN: not judged
	out         bool      // much worse than another in the first fold, and judged by that alone
	logLoss     float64   // their mean
	weights     int
	fold        partial // the model of a fold
	calibration fitting.Calibration
	trial       int // its place among the trials
}

// options are the options of a fit that do not belong to its setting.
type options struct {
	limit             int // MaxIterations of TopDown and BottomUp, 0 for the default
	candidates, dense int // of TopDown and BottomUp, and of KernelPrior
	float32           bool
	keep              float64 // times Keep
	tol               float64 // of KernelPrior
}

// try judges settings of a kind that one fit makes. If a rival is given and is much better in the
// first fold, that is the only one. Of several settings those are left out that follow one which
// is far worse than the first in that fold. It returns errBudget if there is no time.
func (s *state) try(ctx context.Context, k kind, c []setting, fit fitter, rival *setting) ([]*setting, error) {
	if !s.inTime(k, s.N, s.until) {
		return nil, errBudget
	}
	s.begin(k, fmt.Sprintf("%s, %v", c[0].name, c[0].kernels), s.N)
	inTime, stop := s.within(ctx, s.until)
	defer stop()
	s.latest = nil
	judges, folds := cmp.Or(s.judges, s.Data), s.folds(s.N)
	weights := make([]int, len(c))
	y := make([]*mat.Dense, len(c))
	for i := range y {
		y[i] = judges.Unjudged()
	}
	fold := func(f int, part *fitting.Data, out []int) error {
		var models []*mpcvm.Model
		err := fit(inTime, f, part, func(m *mpcvm.Model) bool {
			i := len(models)
			judges.Judge(y[i], m, out)
			models = append(models, m)
			if f == 0 && len(c) > 1 {
				if s.rate(&c[i], y[i], judges); c[0].beats(&c[i], 4) {
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
	judge := func(lo, hi int) error {
		var err error
		if s.judges == nil {
			err = s.EachFold(inTime, fitting.Folds, lo, hi, s.Seed, fold)
		} else if lo < hi {
			err = fold(0, s.Data, fitting.All(judges.N))
		}
		for _, y := range y[:len(c)] {
			if err == nil && s.judges == nil {
				err = s.MaskSingles(y)
			}
		}
		if inTime.Err() != nil && ctx.Err() == nil {
			err = errBudget
		}
		return err
	}
	first := 0
	if rival != nil || len(c) > 1 {
		first = 1
		if err := judge(0, 1); err != nil {
			return nil, err
		}
	}
	if rival != nil && folds > 1 {
		s.rate(&c[0], y[0], judges)
		if c[0].out = rival.beats(&c[0], 2); c[0].out {
			folds = 1
		}
	}
	if err := judge(first, folds); err != nil {
		return nil, err
	}
	tried := make([]*setting, len(c))
	seconds := clock.now().Sub(s.present.began).Seconds() / float64(len(c))
	for i := range c {
		c := c[i]
		t := s.rate(&c, y[i], judges)
		c.weights = weights[i] / folds
		t.Weights, t.Samples, t.Seconds = c.weights, s.N, seconds
		s.record(&c, t, s.latest[i])
		tried[i] = &c
	}
	s.finish()
	return tried, nil
}

// rate calibrates and judges a setting by potentials of samples of d.
func (s *journal) rate(c *setting, y *mat.Dense, d *fitting.Data) mpcvm.Trial {
	c.calibration = fitting.Calibrate(y, d.T, s.whole.Counts())
	return c.judge(y, d)
}

// judge notes the losses of potentials of samples of d.
func (c *setting) judge(y *mat.Dense, d *fitting.Data) mpcvm.Trial {
	t := mpcvm.Trial{Kernel: c.kernels.Kernel, Learner: c.name, Temperature: cmp.Or(c.calibration.Temperature, 1), GivenUp: c.out}
	c.losses, t.ErrorRate = c.calibration.Judge(y, d.T)
	c.logLoss = stat.Mean(slices.DeleteFunc(slices.Clone(c.losses), math.IsNaN), nil)
	t.LogLoss = c.logLoss
	return t
}

// folds is the number of folds of n samples that are judged, enough for some 1000 samples. It is
// one if other samples judge.
func (s *journal) folds(n int) int {
	if s.judges != nil {
		return 1
	}
	return min(max(2, (judged*fitting.Folds+n-1)/n), fitting.Folds)
}

// judged is the number of samples that suffices for the comparison of settings.
const judged = 1000

// foldEnds notes that a fold of the present trial has ended, and the number of weights. Its
// models are kept if it is the lowest fold so far.
func (s *journal) foldEnds(f int, models []*mpcvm.Model, part, d *fitting.Data, weights []int) {
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
func (s *journal) record(c *setting, t mpcvm.Trial, model partial) {
	s.mu.Lock()
	c.trial = len(s.trials)
	model.calibration, model.logLoss, model.judged = &c.calibration, c.logLoss, t.Samples
	c.fold = model
	t.Refit = fixed{c.learner(c.kernels.Kernel, s.options()), c.calibration}
	s.trials = append(s.trials, t)
	if c.trial == 0 || model.model != nil && !c.out && (model.judged > s.fallback.judged || model.judged == s.fallback.judged && model.logLoss < s.fallback.logLoss) {
		s.fallback = model
	}
	s.mu.Unlock()
	if s.OnTrial != nil {
		s.OnTrial(t)
	}
}

// beats reports whether the log loss of c is below the log loss of another setting by more than this
// many standard errors of the mean difference, on the samples that both were judged by.
func (c *setting) beats(other *setting, errors float64) bool {
	var gains []float64
	for n, l := range c.losses {
		if gain := other.losses[n] - l; !math.IsNaN(gain) {
			gains = append(gains, gain)
		}
	}
	gain, se := stat.MeanStdDev(gains, nil)
	return gain > errors*se/math.Sqrt(float64(len(gains))) && !c.out
}

// could tries settings for the final fit.
func (s *state) could(ctx context.Context, k kind, c []setting, fit fitter, rival *setting) ([]*setting, error) {
	tried, err := s.try(ctx, k, c, fit, rival)
	for _, c := range tried {
		if !c.out {
			s.add(c)
		}
	}
	return tried, err
}

// add adds a setting for the final fit.
func (s *journal) add(c *setting) {
	s.able = append(s.able, c)
	if s.best == nil || c.logLoss < s.best.logLoss {
		s.best = c
	}
}

// single is could for one setting with a learner of its own.
func (s *state) single(ctx context.Context, c setting, rival *setting) (*setting, error) {
	try := s.could
	if s.N < s.searched {
		try = s.try
	}
	tried, err := try(ctx, c.kind, []setting{c}, one(c), rival)
	if err != nil {
		return nil, err
	}
	return tried[0], nil
}

// dominated reports whether a smaller model is better.
func (s *state) dominated(c *setting) bool {
	return slices.ContainsFunc(s.able, func(o *setting) bool { return o.weights < c.weights && o.logLoss < c.logLoss })
}

// choose returns the smallest model whose log loss is not above the least one by more than some
// standard errors of the difference; see Preference. The frequencies of the classes are the smallest
// of all. What is no better than these is not chosen. The best of K settings is better by chance: the
// log likelihood of all judged samples must gain more than log K.
func (s *journal) choose(frequencies *setting) *setting {
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
	for _, c := range s.able {
		if c.weights < chosen.weights && c.beats(frequencies, 0) && !s.best.beats(c, s.Prefer.errors()) {
			chosen = c
		}
	}
	return chosen
}

// run makes the search. If there was no time for a setting that can be fitted in the end, it
// returns the best one of few samples. It returns nil if there was no time for a trial.
func (s *state) run(ctx context.Context) (*setting, error) {
	var c candidate
	err := s.phase(dense, 0.5, func() (err error) {
		c, err = s.families(ctx)
		return err
	})
	if err != nil || c.best == nil {
		return nil, err
	}
	f, at := family{Tunable: c.family}, c.at
	err = s.phase(widths, 0.55, func() (err error) {
		f, err = s.widths(ctx, c)
		return err
	})
	if s.steps[topDown] = 0; at.level == 0 {
		s.steps[topDown] = 3
	}
	if err == nil {
		err = s.phase(cut, 0.7, func() error { return s.reduce(ctx, f, at) })
	}
	if err == nil {
		err = s.phase(bottomUp, 0.9, func() error {
			_, err := s.follow(point{at.level, 2 * at.theta}, len(scales), map[point]*setting{}, s.dominated, func(p point, rival *setting) (*setting, error) {
				return s.single(ctx, bottomUpSetting(f.at(p.theta), scales[p.level]), rival)
			})
			return err
		})
	}
	if err == nil && at.level == 0 {
		err = s.phase(topDown, 1, func() error {
			_, err := s.follow(point{0, at.theta}, 1, map[point]*setting{}, s.dominated, func(p point, rival *setting) (*setting, error) {
				return s.single(ctx, topDownSetting(f.at(p.theta)), rival)
			})
			return err
		})
	}
	switch {
	case s.best == nil:
		return c.best, err
	case err != nil:
		return s.best, err
	}
	s.best = s.choose(s.frequencies())
	if s.best.fold.model != nil {
		s.mu.Lock()
		s.fallback = s.best.fold
		s.mu.Unlock()
	}
	return s.best, nil
}

// frequencies judges the frequencies of the classes by the samples that judged the other settings.
func (s *state) frequencies() *setting {
	c := frequenciesSetting(s.best.kernels)
	s.begin(none, c.name, s.N)
	judges := cmp.Or(s.judges, s.Data)
	y, b := judges.Unjudged(), s.whole.Frequencies()
	for n := range judges.N {
		if !math.IsNaN(s.best.losses[n]) {
			y.SetRow(n, b)
		}
	}
	t := c.judge(y, judges)
	t.Samples, t.Seconds = s.N, clock.now().Sub(s.present.began).Seconds()
	s.record(&c, t, partial{})
	s.finish()
	return &c
}

// reduce tries the reductions of the dense model, also with half the width: fewer basis
// functions need narrower kernels.
func (s *state) reduce(ctx context.Context, f family, at point) error {
	c, fit := pathSettings(f.at(at.theta), scales[at.level], keeps)
	_, err := s.could(ctx, cut, c, fit, nil)
	if err == nil {
		c, fit = pathSettings(f.at(2*at.theta), scales[at.level], keeps[few:])
		_, err = s.could(ctx, cut, c, fit, nil)
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

// point is a place of a search in two directions: a level of scales, and a width.
type point struct {
	level int
	theta float64
}

// scales are the values of KernelPrior.Scale and BottomUp.LikelihoodPower that are tried. The less
// noise in the labels, the larger the best of them.
var scales = []float64{1, 10, 100}

// candidate is a family of kernels and its best setting.
type candidate struct {
	family kernel.Tunable
	at     point
	best   *setting // nil: none was tried
}

// families finds the better family of kernels, and its best width and scale with the dense
// KernelPrior: by few samples first, then by all.
func (s *state) families(ctx context.Context) (candidate, error) {
	few := &state{s.journal, s.Sample(screened, s.Seed)}
	families := []candidate{{family: kernel.RBF{}}, {family: kernel.RationalLaplacian{}}}
	rbf, other := &families[0], &families[1]
	better := func() candidate {
		if rbf.best == nil || other.best != nil && other.best.beats(rbf.best, 1) {
			return *other
		}
		return *rbf
	}
	level := 1
	for i := range families {
		f := &families[i]
		f.at = point{level, 2 * f.family.MedianTheta(few.X)} // the median itself most often is too wide
		if err := s.CheckDistances(f.at.theta); err != nil {
			return candidate{}, err
		}
		if err := few.densest(ctx, f, nil); err != nil {
			return better(), err
		}
		level = f.at.level
	}
	if few.N == s.N {
		return better(), nil
	}
	first, second := rbf, other
	if second.best.logLoss < first.best.logLoss {
		first, second = second, first
	}
	likely := *first
	if err := s.densest(ctx, first, nil); err != nil {
		return likely, err
	}
	likely, second.best = *first, nil
	second.at.level = max(second.at.level, first.at.level) // more samples want larger scales
	if err := s.densest(ctx, second, first.best); err != nil {
		return likely, err
	}
	return better(), nil
}

// densest moves a family to its best width and scale with the dense KernelPrior. It gives up
// if the first setting is far worse than another one, which may be nil.
func (s *state) densest(ctx context.Context, f *candidate, other *setting) error {
	tried := map[point]*setting{}
	hopeless := func(c *setting) bool { return other != nil && other.beats(c, 4) }
	at, err := s.follow(f.at, len(scales), tried, hopeless, func(p point, rival *setting) (*setting, error) {
		return s.single(ctx, denseSetting(kernels{Kernel: f.family.WithTheta(p.theta)}, scales[p.level]), rival)
	})
	if tried[at] != nil {
		f.at, f.best = at, tried[at]
	}
	return err
}

// follow goes from a point to better ones, along the levels and along the widths in turn, while
// it gains and there is time. Each step doubles or halves a width, or goes to the next level. With many samples narrower kernels come first:
// their fits are fast. It tries no point twice, and none but the first if that is hopeless.
func (s *state) follow(at point, levels int, tried map[point]*setting, hopeless func(*setting) bool, try func(p point, rival *setting) (*setting, error)) (point, error) {
	middle := at.theta
	var best *setting
	var err error
	get := func(p point) (*setting, error) {
		if c := tried[p]; c != nil {
			return c, nil
		}
		c, err := try(p, best)
		if err == nil {
			tried[p] = c
		}
		return c, err
	}
	best, err = get(at)
	if err != nil || hopeless(best) {
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
	pairs := [][2]func(point) point{{narrower, wider}, {up, down}}
	if s.N < s.searched || s.N <= screened {
		slices.Reverse(pairs)
	}
	for turn := 0; ; turn++ {
		before := at
		for _, pair := range pairs {
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

// shaped is the number of samples by which the widths of the features are learned, and wide the
// largest number of features: time grows with it.
const (
	shaped = 400
	wide   = 100
)

// widths learns a width for each feature, without each fold and by all samples. They are accepted if
// the dense model with them beats the one without by a standard error.
func (s *state) widths(ctx context.Context, c candidate) (family, error) {
	common := family{Tunable: c.family}
	if s.D > wide {
		return common, nil
	}
	if s.best == nil || !s.inTime(widths, s.N, s.until) {
		return common, errBudget
	}
	s.begin(widths, "a width for each feature", s.N)
	inTime, stop := s.within(ctx, s.until)
	defer stop()
	ard := gp.ARD{Kernel: c.family.WithTheta(c.at.theta), Scale: scales[c.at.level]}
	learn := func(ctx context.Context, d *fitting.Data) ([]float64, error) {
		d = d.Sample(shaped, s.Seed)
		_, result, err := ard.Fit(ctx, d.X, d.T)
		return result.Importance, err
	}
	all, err := learn(inTime, s.Data)
	if inTime.Err() != nil && ctx.Err() == nil {
		err = errBudget
	}
	if err != nil {
		return common, err
	}
	f, folds := family{Tunable: c.family, all: all}, make([][]float64, fitting.Folds)
	with := denseSetting(f.at(c.at.theta), scales[c.at.level])
	tried, err := s.try(ctx, widths, []setting{with}, func(ctx context.Context, fold int, part *fitting.Data, reached func(*mpcvm.Model) bool) (err error) {
		if folds[fold], err = learn(ctx, part); err != nil {
			return err
		}
		k := kernels{Kernel: f.with(c.at.theta, folds[fold])}
		return one(denseSetting(k, scales[c.at.level]))(ctx, fold, part, reached)
	}, s.best)
	if err != nil || !tried[0].beats(s.best, 1) {
		return common, err
	}
	s.add(tried[0])
	f.folds = folds
	return f, nil
}

// judgeLarge fits the best setting to nearly all of many samples. The others judge it and give
// the temperature. It returns errBudget if there is no time, or nothing to calibrate.
func (s *state) judgeLarge(ctx context.Context, c *setting, observers []mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	in, _ := s.whole.HoldOut(s.Seed)
	out := s.judges
	in = in.Sample(s.fitted(), s.Seed)
	until := s.end
	if s.whole.N > enough { // it is the final fit
		s.steps[final] = 0
	} else {
		observers = nil
		if !s.end.IsZero() { // half of the time that is left
			now := clock.now()
			until = now.Add(until.Sub(now) / 2)
		}
	}
	if c == nil || c.kind == none || !s.inTime(judge, in.N, until) {
		return nil, mpcvm.Result{}, errBudget
	}
	s.begin(judge, fmt.Sprintf("%s, %v, %d samples", c.name, c.kernels, in.N), in.N)
	inTime, stop := s.within(ctx, until)
	defer stop()
	m, result, err := c.learner(c.kernels.Kernel, s.options()).Fit(inTime, in.X, in.T, s.seconds(observers)...)
	if err != nil {
		if inTime.Err() != nil && ctx.Err() == nil {
			err = errBudget
		}
		return nil, result, err
	}
	t := s.rate(c, m.Potentials(nil, out.X), out)
	t.Samples, t.Weights, t.Seconds = in.N, m.WeightCount(), clock.now().Sub(s.present.began).Seconds()
	if result.Candidates > 0 {
		t.Learner += fmt.Sprintf(", %d candidates", result.Candidates)
	}
	model := newPartial(m, in, s.whole)
	model.trial, model.held = len(s.trials), true
	s.record(c, t, model)
	s.finish()
	return model.calibrated(s.whole), result, nil
}
