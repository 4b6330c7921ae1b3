package mpcvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Auto asks for nothing but samples and labels: it chooses the kernel's family and
// width, the learner and its evidence by cross-validation within the training data,
// gives the model a temperature found there, and tells what it tried
// (Result.Trials). What it fits at the end is sparse: a BottomUp, a TopDown, or a
// KernelPrior that was cut.
//
// # What it tries
//
// A setting is judged by the log loss of 5-fold cross-validation, the same folds for
// all, at the temperature that is best for it; its fits of BottomUp and TopDown are short
// ones, of at most 100 iterations. One takes the place of another only if it is better by
// more than the standard error of the mean difference, sample by sample: the best of many
// is often so by chance.
//
//  1. With the dense KernelPrior, which is convex and soon done: Scale, 1, 10 or 100,
//     with an RBF kernel of median width (the less noise in the labels, the larger),
//     then the width of an RBF and that of a Laplacian kernel, in steps of two. There
//     scale and width are followed as long as that gains. Of more than 1000 samples,
//     1000 are taken for this, class by class.
//  2. KernelPrior cut to .7 weights a sample, at twice the width parameter of 1, as fewer
//     bases like narrower kernels, and up and down from there; likewise a whole weight a
//     sample.
//  3. BottomUp with an evidence of the number that Scale has, likewise; evidences of 1, 10
//     and 100 and widths are followed.
//  4. Where the best Scale was 1, TopDown, and widths likewise: where labels have much
//     noise it is not slow, and good.
//  5. With PerFeature, a width for each feature ([Widths]) for the best of these.
//
// The best sparse setting, of 2 to 5, is then fitted to all samples. Which
// that is depends on Seed alone, whatever the number of cores, as long as Budget does
// not end the search.
type Auto struct {
	// Budget is a wall time after which no further setting is begun; the best so far is
	// fitted. One width and one sparse setting are tried in any case. If it is zero,
	// there is no limit.
	Budget time.Duration

	// PerFeature tries a width for each feature as well; the time of Widths.Learn with
	// For, some N³ operations a step, comes on top.
	PerFeature bool

	// Tried, if not nil, is called after each trial, in the goroutine of Fit.
	Tried func(Trial)

	// Seed deals the samples into the folds. Nothing else is random.
	Seed uint64
}

// Fit chooses, and learns from N samples x (rows; D features) and their labels t, 0 to
// C−1 with every class present. The features should be standardised.
//
// It returns a *DataError for data from which nothing can be learned. When ctx ends
// during the search it returns no model and an error that wraps ctx.Err(); during the
// fit that follows, the model of its last iteration as well. It panics if t has not a
// label for each row of x or Budget is negative. Observers see the final fit. Time
// grows as N³; 792 samples of 11 classes take some 20 s of one core.
func (a Auto) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...Observer) (*Model, Result, error) {
	start := time.Now()
	args.Option("mpcvm: Auto.Budget", a.Budget.Seconds(), 0)
	tr, err := newTraining(x, t)
	if err != nil {
		return nil, Result{}, err
	}
	s := &search{Auto: a, training: tr}
	if a.Budget > 0 {
		s.deadline = start.Add(a.Budget)
	}
	var model *Model
	var result Result
	best, err := s.run(ctx)
	if err == nil {
		model, result, err = best.learn(ctx, tr, best.kernel, 0, observers)
		if model != nil {
			model = model.WithTemperature(best.temperature)
		}
	}
	if err != nil && ctx.Err() != nil {
		result.Status = Cancelled
	}
	result.Trials = s.trials
	result.Seconds = time.Since(start).Seconds()
	return model, result, err
}

// search is the choice of a setting.
type search struct {
	Auto
	*training
	deadline time.Time // zero: none
	trials   []Trial
	best     *setting // sparse, of the least log loss so far
}

// setting is a learner and a kernel with what cross-validation made of them.
type setting struct {
	name        string
	make        func(k kernel.Kernel) Learner
	learn       core
	kernel      kernel.Kernel
	losses      []float64 // −log p(t_n) of the samples, out of fold, at the best temperature
	temperature float64
	trial       int // of search.trials
}

// over reports whether the time is up.
func (s *search) over() bool { return !s.deadline.IsZero() && time.Now().After(s.deadline) }

// try judges a setting.
func (s *search) try(ctx context.Context, c setting) (setting, error) {
	start := time.Now()
	weights := make([]int, selectionFolds+1)
	y, err := s.folds(ctx, selectionFolds, s.Seed, func(f int, part *training) (*Model, error) {
		m, _, err := c.learn(ctx, part, c.kernel, selectionLimit, nil)
		if m != nil {
			_, weights[f] = m.Size()
		}
		return m, err
	})
	if err != nil {
		return c, err
	}
	c.temperature = Temperature(y, s.t)
	y.Scale(1/temperature(y, s.t, 0), y) // to be compared, each is given its best
	t := s.trial(c.kernel, y)
	t.Learner, t.Temperature, t.Seconds = c.name, c.temperature, time.Since(start).Seconds()
	for _, n := range weights {
		t.Weights += n
	}
	t.Weights /= selectionFolds
	c.losses, c.trial = s.losses(y), len(s.trials)
	s.trials = append(s.trials, t)
	if s.Tried != nil {
		s.Tried(t)
	}
	return c, nil
}

// losses are −log p(t_n|y_n).
func (tr *training) losses(y *mat.Dense) []float64 {
	l := make([]float64, tr.n)
	probit.Batch{}.LogProb(l, y, tr.t)
	floats.Scale(-1, l)
	return l
}

// beats reports whether the log loss of c is less than that of another setting, nil if
// there is none, by more than the standard error of the difference.
func (c *setting) beats(other *setting) bool {
	if other == nil {
		return true
	}
	gain, se := stat.MeanStdDev(floats.SubTo(make([]float64, len(c.losses)), other.losses, c.losses), nil)
	return gain > se/math.Sqrt(float64(len(c.losses)))
}

// sparse tries a setting for the final fit.
func (s *search) sparse(ctx context.Context, c setting) (*setting, error) {
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
func (s *search) run(ctx context.Context) (*setting, error) {
	few := *s // for the screening
	few.training = s.sample(screened, s.Seed)
	family, at, err := few.screen(ctx)
	s.trials = few.trials
	if err != nil {
		return nil, err
	}
	_, err = s.follow(point{0, 2 * at.theta}, len(keeps), map[point]*setting{}, func(p point) (*setting, error) {
		return s.sparse(ctx, cutSetting(family(p.theta), scales[at.level], keeps[p.level]))
	})
	if err != nil {
		return nil, err
	}
	if !s.over() {
		_, err := s.follow(point{at.level, 2 * at.theta}, len(evidences), map[point]*setting{}, func(p point) (*setting, error) {
			return s.sparse(ctx, bottomUpSetting(family(p.theta), evidences[p.level]))
		})
		if err != nil {
			return nil, err
		}
	}
	if at.level == 0 && !s.over() {
		_, err := s.follow(point{0, at.theta}, 1, map[point]*setting{}, func(p point) (*setting, error) {
			return s.sparse(ctx, topDownSetting(family(p.theta)))
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

// screened is how many samples are enough to choose family and scale by; the width is
// looked at again with all.
const screened = 1000

// sample is some n of the samples, class by class at random: of each the same share, but
// at least 10 where there are as many. If n is not less than their number it is all.
func (tr *training) sample(n int, seed uint64) *training {
	if n >= tr.n {
		return tr
	}
	want := make([]int, tr.c)
	for c, count := range tr.counts() {
		want[c] = min(count, max(10, int(math.Round(float64(n)*float64(count)/float64(tr.n)))))
	}
	return tr.part(tr.draw(want, rand.New(rand.NewPCG(seed, 2))))
}

// family makes kernels of a kind.
type family func(theta float64) kernel.Kernel

// point is what a search in two directions moves: a level of scales, evidences or weights
// to keep, and a width.
type point struct {
	level int
	theta float64
}

// The values of KernelPrior.Scale and of BottomUp.Evidence that are tried: the less noise
// in the labels, the larger both.
var (
	scales    = []float64{1, 10, 100}
	evidences = []float64{1, 10, 100}
)

// The values of KernelPrior.Keep that are tried where it is cut.
var keeps = []float64{.7, 1}

// screen finds the better family of kernels, and its best width and scale for the dense
// KernelPrior.
func (s *search) screen(ctx context.Context) (family, point, error) {
	var chosen family
	var at point
	var best *setting
	var tried map[point]*setting // of the chosen family
	dense := func(f family, p point) (*setting, error) {
		c, err := s.try(ctx, denseSetting(f(p.theta), scales[p.level]))
		return &c, err
	}
	for _, kind := range []struct {
		family
		start float64
	}{
		{func(theta float64) kernel.Kernel { return kernel.RBF{Theta: theta} }, kernel.MedianTheta(s.x)},
		{func(theta float64) kernel.Kernel { return kernel.Laplacian{Theta: theta} }, kernel.MedianLaplacian(s.x)},
	} {
		if err := s.separable(kind.start); err != nil {
			return nil, at, err
		}
		var own *setting // best of the family
		seen := map[point]*setting{}
		try := func(p point) (better bool, err error) {
			if best != nil && s.over() {
				return false, nil
			}
			c, err := dense(kind.family, p)
			if err != nil {
				return false, err
			}
			seen[p] = c
			if c.beats(best) {
				chosen, at, best, tried = kind.family, p, c, seen
			}
			if better = c.beats(own); better {
				own = c
			}
			return better, nil
		}
		if chosen == nil {
			for level := range scales {
				if _, err := try(point{level, kind.start}); err != nil {
					return nil, at, err
				}
			}
		}
		level := at.level
		err := climb(kind.start, func(theta float64) (bool, error) {
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

// follow walks from a point to a better one, in turn along the levels and along the
// widths, in steps of two, each as long as it gains and there is time. Points tried
// before are not tried again.
func (s *search) follow(at point, levels int, tried map[point]*setting, try func(point) (*setting, error)) (point, error) {
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
func (s *search) perFeature(ctx context.Context) error {
	w := Widths{Kernel: s.best.kernel, For: s.best.make, Seed: s.Seed}
	k, result, err := w.Learn(ctx, s.x, s.t)
	if err != nil || !result.Accepted {
		return err
	}
	c := *s.best
	c.kernel = k
	_, err = s.sparse(ctx, c)
	return err
}

// The settings that are tried.

func denseSetting(k kernel.Kernel, scale float64) setting {
	l := KernelPrior{Scale: scale}.defaults()
	return setting{name: fmt.Sprintf("kernel prior s²=%g, dense", scale), kernel: k, learn: l.learn}
}

func cutSetting(k kernel.Kernel, scale, keep float64) setting {
	l := KernelPrior{Scale: scale, Keep: keep}.defaults()
	return setting{
		name: fmt.Sprintf("kernel prior s²=%g, cut to %g", scale, keep), kernel: k, learn: l.learn,
		make: func(k kernel.Kernel) Learner { return KernelPrior{Kernel: k, Scale: scale, Keep: keep} },
	}
}

func topDownSetting(k kernel.Kernel) setting {
	return setting{
		name: "top down", kernel: k, learn: TopDown{}.defaults().learn,
		make: func(k kernel.Kernel) Learner { return TopDown{Kernel: k} },
	}
}

func bottomUpSetting(k kernel.Kernel, evidence float64) setting {
	l := BottomUp{Evidence: evidence}
	if evidence >= 100 { // more enters: sooner done
		l.Additions = 3
	}
	return setting{
		name: fmt.Sprintf("bottom up, evidence %g", evidence), kernel: k, learn: l.defaults().learn,
		make: func(k kernel.Kernel) Learner { m := l; m.Kernel = k; return m },
	}
}
