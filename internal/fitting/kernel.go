package fitting

import (
	"context"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

const (
	// Folds is the number of folds of cross-validation within the training data.
	Folds = 5
	// ShortFit is the largest number of iterations of a fit in cross-validation. The labels
	// rarely change later.
	ShortFit = 100
	// enough is the number of samples that are used to choose a width if a learner has
	// candidates.
	enough = 4000
	// Many is the number of samples above which learners take candidates by themselves: N²
	// numbers take 200 MB there. Candidates is how many they take.
	Many, Candidates = 5000, 2000
)

// Uncalibrated says of a model that a context ended the fit before its temperature was known.
const Uncalibrated = "the fit is whole, but its temperature is not known"

// Selection chooses the kernel and the temperature of a learner by the learner's options.
type Selection struct {
	// Kernel is the kernel of the options. If it is nil, an RBF is used.
	Kernel kernel.Kernel
	// Seed deals the samples into folds.
	Seed uint64
	// Candidates says that 4000 samples, drawn class by class, are enough for the choice.
	Candidates bool
	// Fit makes a short fit with a kernel whose width is settled.
	Fit func(ctx context.Context, d *Data, k kernel.Kernel) (Predictor, error)
	// Unseen, if not nil, replaces cross-validation: it returns the potentials (N×C) of each
	// sample by a model that did not see it. These are compared at their best temperature. Samples
	// with groups or times are cross-validated all the same.
	Unseen func(ctx context.Context, d *Data, k kernel.Kernel) (*mat.Dense, error)
	// OnTrial is called after each trial, with the number of samples that it judged by.
	OnTrial func(k kernel.Kernel, logLoss, errorRate float64, samples int)

	part   *Data      // the samples that were used for the choice
	unseen *mat.Dense // their potentials with the chosen kernel; nil if there was no choice

	mu         sync.Mutex
	tried      int     // complete trials
	best, last partial // of the best trial so far, and of the last one
}

// partial is a model of one fold and the samples that it learned from.
type partial struct {
	model Predictor
	part  *Data
	fold  int
}

// Keep offers a model that a trial has fitted. The model of the lowest fold is kept.
func (s *Selection) Keep(fold int, m Predictor, part *Data) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.model == nil || fold < s.last.fold {
		s.last = partial{m, part, fold}
	}
}

// Partial returns one of the models of the best trial so far, or of the first trial if that has
// not ended, with the rows of d that it learned from, and says what it is. The model is nil if
// there is none.
func (s *Selection) Partial(d *Data) (m Predictor, rows []int, what string) {
	p, of := s.best, fmt.Sprintf("the best of %d widths tried", s.tried)
	if p.model == nil {
		p, of = s.last, "the first width"
	}
	if p.model == nil {
		return nil, nil, ""
	}
	return p.model, p.part.Rows, fmt.Sprintf("trained on %d of %d samples: one fold of %s", p.part.N, d.N, of)
}

// Model is what Frame needs of the models of a learner.
type Model[M any] interface {
	comparable
	Predictor
	WithTemperature(T float64) M
	WithRows(rows []int) M
	WeightCount() int
}

// Frame is the fit of a learner to d: it settles the kernel and calls learn with it. If calibrate
// is true, it then gives the model its temperature, unless learn reports that an observer stopped
// it. scored gives the model its scores, if there are potentials of samples that it did not see.
//
// If ctx ends, Frame returns the error and the best model so far. Then partial says what the model
// is. It is empty if there is no model, or if learn returned the model together with the error and
// therefore knows itself what it is.
func Frame[M Model[M]](ctx context.Context, d *Data, s *Selection, calibrate bool,
	scored func(M, Scores) M, learn func(k kernel.Kernel) (model M, stopped bool, err error),
) (model M, partial string, err error) {
	var none M
	var stopped bool
	k, err := s.Settle(ctx, d)
	if err == nil {
		model, stopped, err = learn(k)
	}
	whole := err == nil
	if err == nil && !stopped {
		var y *mat.Dense
		var part *Data
		if y, part, err = s.judged(ctx, d, k, calibrate); err == nil {
			model = calibrated(model, y, part, calibrate, scored)
		} else if ctx.Err() == nil {
			model = none
		}
	}
	if err == nil || ctx.Err() == nil {
		return model, "", err
	}
	if model == none {
		if m, rows, what := s.Partial(d); m != nil {
			return m.(M).WithRows(rows), what, err
		}
	} else if whole {
		partial = Uncalibrated
	}
	return model, partial, err
}

// CandidateCount returns how many of n samples are candidates, 0 for all. The option is that of a
// learner, and name is its name: −1 takes all samples, and 0 takes all if there are at most whole,
// else Candidates. It panics if the option is below −1.
func CandidateCount(name string, option, n, whole int) int {
	switch {
	case option == -1:
		return 0
	case option == 0 && n > whole:
		return Candidates
	}
	return args.Option(name, option, 0)
}

// predict returns the potentials of each sample by a model that did not see it.
func (s *Selection) predict(ctx context.Context, d *Data, k kernel.Kernel) (*mat.Dense, error) {
	if s.Unseen == nil || d.Bound() {
		return d.CrossValidate(ctx, Folds, s.Seed, func(f int, part *Data) (Predictor, error) {
			m, err := s.Fit(ctx, part, k)
			if err == nil {
				s.Keep(f, m, part)
			}
			return m, err
		})
	}
	y, err := s.Unseen(ctx, d, k)
	if err != nil {
		return nil, err
	}
	return y, d.MaskSingles(y)
}

// CheckKernel returns an error if k is not valid or is one for another number of features. It
// begins with the name of the package pkg.
func (d *Data) CheckKernel(pkg string, k kernel.Kernel) error {
	err := kernel.Validate(k)
	if err == nil {
		err = kernel.CheckFeatures(k, d.D)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", pkg, err)
	}
	return nil
}

// SettledKernel returns k, valid and with a width. If k leaves its width to the learner, the width
// is the one that choose returns. It returns the errors of CheckKernel.
func (d *Data) SettledKernel(pkg string, k kernel.Kernel, choose func(k kernel.Tunable) (theta float64, err error)) (kernel.Kernel, error) {
	if untuned, ok := kernel.Untuned(k); ok {
		theta, err := choose(untuned)
		if err != nil {
			return nil, err
		}
		k = untuned.WithTheta(theta)
	}
	if err := d.CheckKernel(pkg, k); err != nil {
		return nil, err
	}
	return k, nil
}

// MedianKernel returns k, valid and with a width. If k leaves its width to the learner, the
// width is its MedianTheta. MedianKernel returns a *cell.Error if the distances of the samples
// overflow or vanish.
func (d *Data) MedianKernel(pkg string, k kernel.Kernel) (kernel.Kernel, error) {
	return d.SettledKernel(pkg, k, func(k kernel.Tunable) (float64, error) {
		theta := k.MedianTheta(d.X)
		return theta, d.CheckDistances(theta)
	})
}

// Settle returns the kernel with its width. If the kernel leaves its width to the learner, it
// is the one of a logarithmic grid with the smallest log loss of samples that were not seen.
// The grid has steps of 2 and starts at the kernel's MedianTheta. The search goes up, then
// down, each until two steps in turn bring no gain.
func (s *Selection) Settle(ctx context.Context, d *Data) (kernel.Kernel, error) {
	s.part = d
	if s.Candidates {
		s.part = d.Sample(enough, s.Seed)
	}
	untuned, ok := kernel.Untuned(s.Kernel)
	k, err := s.part.MedianKernel("mpcvm", s.Kernel)
	if err != nil || !ok {
		return k, err
	}
	var best kernel.Kernel
	var smallest float64
	err = Climb(untuned.MedianTheta(s.part.X), func(theta float64) (better bool, err error) {
		k := untuned.WithTheta(theta)
		s.last = partial{}
		y, err := s.predict(ctx, s.part, k)
		if err != nil {
			return false, err
		}
		compared := y
		if s.Unseen != nil {
			compared = AtBestTemperature(y, s.part.T, s.part.Weights)
		}
		logLoss, errorRate := Judge(compared, s.part.T, s.part.Weights)
		s.tried++
		better = best != nil && logLoss < smallest
		if better || best == nil {
			best, smallest, s.unseen, s.best = k, logLoss, y, s.last
		}
		s.OnTrial(k, logLoss, errorRate, s.part.N)
		return better, nil
	})
	if err != nil {
		return nil, err
	}
	return best, nil
}

// calibrated returns a model with scores by the potentials y of samples d that it did not see, and with
// their temperature if that is wanted. y is nil if there are none.
func calibrated[M Model[M]](model M, y *mat.Dense, d *Data, temperature bool, scored func(M, Scores) M) M {
	if y == nil {
		return model
	}
	if temperature {
		model = model.WithTemperature(Temperature(y, d.T, d.Weights))
	}
	if model.WeightCount() == 0 {
		return model
	}
	return scored(model, NewScores(y, d.T))
}

// judged returns potentials of samples that models with this kernel did not see, after Settle, and
// these samples. If needed is false, it makes no fit for them, and y is nil if there are none.
func (s *Selection) judged(ctx context.Context, d *Data, k kernel.Kernel, needed bool) (y *mat.Dense, part *Data, err error) {
	switch {
	case s.part == d && (s.unseen != nil || !needed):
		return s.unseen, d, nil
	case !needed: // scores of few samples do not hold for many
		return nil, nil, nil
	case s.part == d:
		y, err = s.predict(ctx, d, k)
		return y, d, err
	}
	return s.heldOut(ctx, d, k)
}

// heldOut returns a part of the samples, and their potentials by a model of all others. It is a
// fifth of the samples, or about 4000 if that is less.
func (s *Selection) heldOut(ctx context.Context, d *Data, k kernel.Kernel) (*mat.Dense, *Data, error) {
	in, out := d.HoldOut(s.Seed)
	m, err := s.Fit(ctx, in, k)
	if err != nil {
		return nil, nil, err
	}
	return m.Potentials(nil, out.X), out, nil
}

// HoldOut divides many samples into those for a fit and those for judging it, which are a fifth
// of them, or about 4000 if that is less. The only sample of a class is for the fit. With times,
// the latest samples judge.
func (d *Data) HoldOut(seed uint64) (in, out *Data) {
	fit, judge := d.Deal(max(Folds, d.N/enough), seed).Split(0)
	return d.Part(fit), d.Part(judge)
}

// Climb tries the width start. Then it doubles the width until two widths in turn are no
// better, and halves it from start in the same way. It stays between start/1000 and start·1000.
func Climb(start float64, try func(theta float64) (better bool, err error)) error {
	if _, err := try(start); err != nil {
		return err
	}
	for _, factor := range []float64{2, 0.5} {
		theta := start
		for misses := 0; misses < 2 && theta < start*1e3 && theta > start/1e3; {
			theta *= factor
			better, err := try(theta)
			if err != nil {
				return err
			}
			misses++
			if better {
				misses = 0
			}
		}
	}
	return nil
}

// Keeps are the reductions of gp.KernelPrior in turn, down to the last one that search.Auto tries: each
// deletes three weights in ten.
var Keeps = func() (keeps []float64) {
	for k := 2.0; k > 0.06; k /= 2 {
		keeps = append(keeps, k*math.Sqrt2, k)
	}
	return keeps
}()
