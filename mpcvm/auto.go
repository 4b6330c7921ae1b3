package mpcvm

import (
	"context"
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Auto asks for nothing but samples and labels: it chooses the kernel's family and
// width, the learner and its evidence by cross-validation within the training data,
// gives the model a temperature found there, and tells what it tried
// (Result.Trials). What it fits at the end is sparse: a BottomUp, or a KernelPrior
// that was cut.
//
// # What it tries
//
// A setting is judged by the log loss of 5-fold cross-validation, the same folds for
// all, at the temperature that is best for it; its fits of BottomUp are short ones, of
// at most 100 epochs.
//
//  1. The width of an RBF and that of a Laplacian kernel, in steps of two, with the
//     dense KernelPrior: it is convex, soon done and has nothing else to choose. The
//     family with the smaller log loss goes on.
//  2. KernelPrior cut to one weight a sample, at that width and at twice the width.
//  3. BottomUp with an evidence of 10, then 100 or 1, at twice the width of 1: fewer
//     bases like narrower kernels. With the best evidence the width is followed up and
//     down in steps of two, and there the neighbouring evidences are tried once more.
//  4. With PerFeature, a width for each feature ([Widths]) for the best of these.
//
// The sparse setting with the least log loss is then fitted to all samples. Which
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
	loss        float64
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
	c.loss, c.trial = t.LogLoss, len(s.trials)
	s.trials = append(s.trials, t)
	if s.Tried != nil {
		s.Tried(t)
	}
	return c, nil
}

// sparse tries a setting for the final fit and returns its loss.
func (s *search) sparse(ctx context.Context, c setting) (loss float64, err error) {
	if c, err = s.try(ctx, c); err != nil {
		return 0, err
	}
	if s.best == nil || c.loss < s.best.loss {
		s.best = &c
	}
	return c.loss, nil
}

// run makes the search.
func (s *search) run(ctx context.Context) (*setting, error) {
	family, theta, err := s.screen(ctx)
	if err != nil {
		return nil, err
	}
	for _, factor := range []float64{1, 2} {
		if s.best != nil && s.over() {
			break
		}
		if _, err := s.sparse(ctx, cutSetting(family(factor*theta))); err != nil {
			return nil, err
		}
	}
	if !s.over() {
		if err := s.evidence(ctx, family, 2*theta); err != nil {
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

// screen finds the better family of kernels and its best width for the dense
// KernelPrior.
func (s *search) screen(ctx context.Context) (family func(theta float64) kernel.Kernel, theta float64, err error) {
	var best setting
	for _, f := range []struct {
		family func(theta float64) kernel.Kernel
		start  float64
	}{
		{func(theta float64) kernel.Kernel { return kernel.RBF{Theta: theta} }, kernel.MedianTheta(s.x)},
		{func(theta float64) kernel.Kernel { return kernel.Laplacian{Theta: theta} }, kernel.MedianLaplacian(s.x)},
	} {
		if err := s.separable(f.start); err != nil {
			return nil, 0, err
		}
		var own setting // best of the family
		err := climb(f.start, func(width float64) (bool, error) {
			if best.learn != nil && s.over() {
				return false, nil
			}
			c, err := s.try(ctx, denseSetting(f.family(width)))
			if err != nil {
				return false, err
			}
			better := own.learn == nil || c.loss < own.loss
			if better {
				own = c
				if best.learn == nil || c.loss < best.loss {
					best, family, theta = c, f.family, width
				}
			}
			return better, nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return family, theta, nil
}

// evidences are the values of BottomUp.Evidence that are tried.
var evidences = []float64{1, 10, 100}

// evidence looks for the best evidence and width of BottomUp, from the middle evidence
// and the given width.
func (s *search) evidence(ctx context.Context, family func(theta float64) kernel.Kernel, start float64) error {
	type point struct {
		beta  int // of evidences
		theta float64
	}
	tried := map[point]float64{}
	loss := func(p point) (float64, error) { // tries a point once
		l, there := tried[p]
		if there {
			return l, nil
		}
		l, err := s.sparse(ctx, bottomUpSetting(family(p.theta), evidences[p.beta]))
		tried[p] = l
		return l, err
	}
	at := point{1, start}
	best, err := loss(at)
	if err != nil {
		return err
	}
	// follow walks as long as it gains.
	follow := func(next func(p point) point) (moved bool, err error) {
		for {
			p := next(at)
			if p.beta < 0 || p.beta == len(evidences) || p.theta > start*16 || p.theta < start/16 || s.over() {
				return moved, nil
			}
			l, err := loss(p)
			if err != nil || l >= best {
				return moved, err
			}
			at, best, moved = p, l, true
		}
	}
	up, down := func(p point) point { p.beta++; return p }, func(p point) point { p.beta--; return p }
	narrower, wider := func(p point) point { p.theta *= 2; return p }, func(p point) point { p.theta /= 2; return p }
	for range 2 {
		for _, pair := range [][2]func(point) point{{up, down}, {wider, narrower}} {
			moved, err := follow(pair[0])
			if err == nil && !moved {
				_, err = follow(pair[1])
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
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

func denseSetting(k kernel.Kernel) setting {
	l := KernelPrior{}.defaults()
	return setting{name: "kernel prior, dense", kernel: k, learn: l.learn}
}

func cutSetting(k kernel.Kernel) setting {
	l := KernelPrior{Keep: 1}.defaults()
	return setting{
		name: "kernel prior, cut", kernel: k, learn: l.learn,
		make: func(k kernel.Kernel) Learner { return KernelPrior{Kernel: k, Keep: 1} },
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
