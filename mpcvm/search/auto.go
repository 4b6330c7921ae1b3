package search

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Auto chooses the learner, its likelihood power, and the kernel's family and width by
// cross-validation within the training data. It gives the model a temperature and lists what
// it tried in Result.Trials. The final model is sparse: from mpcvm.BottomUp, mpcvm.TopDown, or
// a gp.KernelPrior with Keep. The zero value is the recommended setting.
//
// # What it tries
//
// A setting is judged by the log loss of 5-fold cross-validation at its best temperature. All
// settings share the folds. Fits of BottomUp and TopDown take at most 100 iterations. A setting
// replaces the best one only if it is better by more than the standard error of the mean
// difference, sample by sample: the best of many is often best by chance.
//
//  1. The dense gp.KernelPrior, which is fast. Scale is 1, 10 or 100 with an RBF kernel of
//     median width. Then the width of an RBF kernel and that of a Laplacian kernel vary in
//     steps of two. Scale and width are followed while they gain. At most 1000 samples, drawn
//     class by class, are used here.
//  2. gp.KernelPrior with Keep 0.7, from twice the Theta of step 1, because fewer basis
//     functions need narrower kernels; widths are followed up and down. Likewise Keep 1.
//  3. BottomUp with a LikelihoodPower equal to the Scale of step 1. Powers of 1, 10 and 100 and
//     widths are followed.
//  4. If the best Scale was 1, TopDown, and widths likewise: it is fast and accurate when
//     labels are noisy.
//  5. With PerFeature, a width for each feature (gp.ARD) for the best of these.
//
// The best sparse setting of steps 2 to 5 is then fitted to all samples. The choice depends on
// Seed alone, whatever the number of cores, unless Budget ends the search.
type Auto struct {
	// Budget is the wall time after which no further setting is started; the best so far is
	// fitted. At least one width and one sparse setting are tried. If it is zero, there is no
	// limit.
	Budget time.Duration

	// PerFeature tries a width for each feature as well, at the cost of gp.ARD with For: some
	// N³ operations a step.
	PerFeature bool

	// OnTrial, if not nil, is called after each trial, in the goroutine of Fit.
	OnTrial func(mpcvm.Trial)

	// Seed deals the samples into the folds. Nothing else is random.
	Seed uint64
}

var _ mpcvm.Learner = Auto{}

// Fit chooses a setting and learns from N samples x (rows; D features) and their labels t, 0
// to C−1 with every class present. The features should be standardised. Observers see the
// final fit. A sample that is the only one of its class is left out of all log losses.
//
// Fit returns a *mpcvm.CellError for data from which nothing can be learned, also if most
// samples are the only one of their class. If ctx ends during the search, Fit returns no model
// and an error that wraps ctx.Err(); during the final fit it returns the model of its last
// iteration as well. It panics if len(t) is not the number of rows of x, or Budget is
// negative. Time grows as N³; 792 samples of 11 classes take about 20 s on one core.
func (a Auto) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	start := time.Now()
	args.Option("search: Auto.Budget", a.Budget.Seconds(), 0)
	d, err := fitting.New(x, t)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	s := &state{Auto: a, Data: d}
	if a.Budget > 0 {
		s.deadline = start.Add(a.Budget)
	}
	var model *mpcvm.Model
	var result mpcvm.Result
	best, err := s.run(ctx)
	if err == nil {
		model, result, err = best.learner(best.kernel, 0).Fit(ctx, d.X, d.T, observers...)
		if model != nil {
			model = model.WithTemperature(best.temperature)
		}
	}
	if err != nil && ctx.Err() != nil {
		result.Status = mpcvm.Cancelled
	}
	result.Trials = s.trials
	result.Seconds = time.Since(start).Seconds()
	return model, result, err
}

// state is the state of a search.
type state struct {
	Auto
	*fitting.Data
	deadline time.Time // zero: none
	trials   []mpcvm.Trial
	best     *setting // sparse, of the least log loss so far
}

// setting is a learner and a kernel, and their result in cross-validation.
type setting struct {
	name        string
	learner     func(k kernel.Kernel, limit int) mpcvm.Learner // limit: MaxIterations, 0 for its default
	kernel      kernel.Kernel
	losses      []float64 // −log p(t_n) of the samples, out of fold, at the best temperature
	temperature float64
	trial       int // its place among the trials
}

// over reports whether the time is up.
func (s *state) over() bool { return !s.deadline.IsZero() && time.Now().After(s.deadline) }

// try judges a setting.
func (s *state) try(ctx context.Context, c setting) (setting, error) {
	start := time.Now()
	weights := make([]int, fitting.Folds)
	y, err := s.CrossValidate(ctx, fitting.Folds, s.Seed, func(f int, part *fitting.Data) (fitting.Predictor, error) {
		m, _, err := c.learner(c.kernel, fitting.ShortFit).Fit(ctx, part.X, part.T)
		if m != nil {
			weights[f] = m.WeightCount()
		}
		return m, err
	})
	if err != nil {
		return c, err
	}
	c.temperature = fitting.Temperature(y, s.T)
	y = fitting.AtBestTemperature(y, s.T)
	t := mpcvm.Trial{Kernel: c.kernel, Learner: c.name, Temperature: c.temperature, Seconds: time.Since(start).Seconds()}
	t.LogLoss, t.ErrorRate = fitting.Judge(y, s.T)
	for _, n := range weights {
		t.Weights += n
	}
	t.Weights /= fitting.Folds
	c.losses, c.trial = fitting.LogLosses(y, s.T), len(s.trials)
	t.Refit = fixed{c.learner(c.kernel, 0), c.temperature}
	s.trials = append(s.trials, t)
	if s.OnTrial != nil {
		s.OnTrial(t)
	}
	return c, nil
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
	}
	return &c, nil
}

// run makes the search.
func (s *state) run(ctx context.Context) (*setting, error) {
	few := *s
	few.Data = s.Sample(screened, s.Seed)
	family, at, err := few.screen(ctx)
	s.trials = few.trials
	if err != nil {
		return nil, err
	}
	_, err = s.follow(point{0, 2 * at.theta}, len(keeps), map[point]*setting{}, func(p point) (*setting, error) {
		return s.sparse(ctx, cutSetting(family.WithTheta(p.theta), scales[at.level], keeps[p.level]))
	})
	if err != nil {
		return nil, err
	}
	if !s.over() {
		_, err := s.follow(point{at.level, 2 * at.theta}, len(powers), map[point]*setting{}, func(p point) (*setting, error) {
			return s.sparse(ctx, bottomUpSetting(family.WithTheta(p.theta), powers[p.level]))
		})
		if err != nil {
			return nil, err
		}
	}
	if at.level == 0 && !s.over() {
		_, err := s.follow(point{0, at.theta}, 1, map[point]*setting{}, func(p point) (*setting, error) {
			return s.sparse(ctx, topDownSetting(family.WithTheta(p.theta)))
		})
		if err != nil {
			return nil, err
		}
	}
	if s.PerFeature && !s.over() {
		if err := s.perFeature(ctx); err != nil {
			return nil, err
		}
	}
	s.trials[s.best.trial].Chosen = true
	return s.best, nil
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
func (s *state) screen(ctx context.Context) (kernel.Tunable, point, error) {
	var chosen kernel.Tunable
	var at point
	var best *setting
	var tried map[point]*setting // of the chosen family
	dense := func(f kernel.Tunable, p point) (*setting, error) {
		c, err := s.try(ctx, denseSetting(f.WithTheta(p.theta), scales[p.level]))
		return &c, err
	}
	for _, family := range []kernel.Tunable{kernel.RBF{}, kernel.Laplacian{}} {
		start := family.MedianTheta(s.X)
		if err := s.CheckDistances(start); err != nil {
			return nil, at, err
		}
		var own *setting // best of the family
		seen := map[point]*setting{}
		try := func(p point) (better bool, err error) {
			if best != nil && s.over() {
				return false, nil
			}
			c, err := dense(family, p)
			if err != nil {
				return false, err
			}
			seen[p] = c
			if c.beats(best) {
				chosen, at, best, tried = family, p, c, seen
			}
			if better = c.beats(own); better {
				own = c
			}
			return better, nil
		}
		if chosen == nil {
			for level := range scales {
				if _, err := try(point{level, start}); err != nil {
					return nil, at, err
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
			return nil, at, err
		}
	}
	at, err := s.follow(at, len(scales), tried, func(p point) (*setting, error) { return dense(chosen, p) })
	return chosen, at, err
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
			if p.level < 0 || p.level == levels || p.theta > middle*16 || p.theta < middle/16 || s.over() {
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
	ard := gp.ARD{Kernel: best.kernel, For: func(k kernel.Kernel) mpcvm.Learner { return best.learner(k, 0) }, Seed: s.Seed}
	k, result, err := ard.Fit(ctx, s.X, s.T)
	if err != nil || !result.Accepted {
		return err
	}
	best.kernel = k
	_, err = s.sparse(ctx, best)
	return err
}

// The settings that are tried. KernelPrior has no short fits: its fits are fast, and before
// the weights after a reduction are settled they say little.

func denseSetting(k kernel.Kernel, scale float64) setting {
	return setting{
		name: fmt.Sprintf("kernel prior s²=%g, dense", scale), kernel: k,
		learner: func(k kernel.Kernel, _ int) mpcvm.Learner { return gp.KernelPrior{Kernel: k, Scale: scale} },
	}
}

func cutSetting(k kernel.Kernel, scale, keep float64) setting {
	return setting{
		name: fmt.Sprintf("kernel prior s²=%g, cut to %g", scale, keep), kernel: k,
		learner: func(k kernel.Kernel, _ int) mpcvm.Learner {
			return gp.KernelPrior{Kernel: k, Scale: scale, Keep: keep}
		},
	}
}

func topDownSetting(k kernel.Kernel) setting {
	return setting{
		name: "top down", kernel: k,
		learner: func(k kernel.Kernel, limit int) mpcvm.Learner { return mpcvm.TopDown{Kernel: k, MaxIterations: limit} },
	}
}

func bottomUpSetting(k kernel.Kernel, power float64) setting {
	l := mpcvm.BottomUp{LikelihoodPower: power}
	if power >= 100 { // more bases enter; adding more at a time is faster
		l.Additions = 3
	}
	return setting{
		name: fmt.Sprintf("bottom up, likelihood power %g", power), kernel: k,
		learner: func(k kernel.Kernel, limit int) mpcvm.Learner {
			l := l
			l.Kernel, l.MaxIterations = k, limit
			return l
		},
	}
}
