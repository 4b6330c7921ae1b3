package fitting

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

const (
	// Folds is the number of folds of cross-validation within the training data.
	Folds = 5
	// ShortFit is the largest number of iterations of a fit in cross-validation: accuracy is
	// settled long before convergence.
	ShortFit = 100
	// enough is the number of samples that Theta is chosen by if a learner has candidates.
	enough = 4000
)

// Selection is what a learner's options say of the choice of its kernel and its temperature.
type Selection struct {
	// Kernel is that of the options, nil for an RBF.
	Kernel kernel.Kernel
	// Seed deals the samples into folds.
	Seed uint64
	// Candidates says that 4000 samples, drawn class by class, are enough for the choice.
	Candidates bool
	// Fit makes a short fit with a kernel whose width is settled.
	Fit func(ctx context.Context, d *Data, k kernel.Kernel) (Predictor, error)
	// Unseen, if not nil, replaces cross-validation: it returns the potentials (N×C) of each
	// sample by a model that did not see it. These are compared at their best temperature.
	Unseen func(ctx context.Context, d *Data, k kernel.Kernel) (*mat.Dense, error)
	// OnTrial is called after each trial.
	OnTrial func(k kernel.Kernel, logLoss, errorRate float64)

	part   *Data      // the samples that the choice was made by
	unseen *mat.Dense // potentials of these with the kernel that was chosen; nil without a choice
}

// predict returns the potentials of each sample by a model that did not see it.
func (s *Selection) predict(ctx context.Context, d *Data, k kernel.Kernel) (*mat.Dense, error) {
	if s.Unseen == nil {
		return d.CrossValidate(ctx, Folds, s.Seed, func(_ int, part *Data) (Predictor, error) { return s.Fit(ctx, part, k) })
	}
	y, err := s.Unseen(ctx, d, k)
	if err != nil {
		return nil, err
	}
	return y, d.MaskSingles(y)
}

// Settle returns the kernel with its width. If the width is not given, it is the one of a
// logarithmic grid with the smallest log loss of samples that were not seen. The grid has
// steps of 2 and begins at the inverse of the median distance of the samples. It is followed
// upwards, then downwards, until two steps in turn bring no gain.
func (s *Selection) Settle(ctx context.Context, d *Data) (kernel.Kernel, error) {
	s.part = d
	if s.Candidates {
		s.part = d.Sample(enough, s.Seed)
	}
	with, start := Family(s.Kernel, s.part.X)
	if with == nil {
		if err := kernel.Validate(s.Kernel); err != nil {
			return nil, fmt.Errorf("mpcvm: %w", err)
		}
		return s.Kernel, nil
	}
	if err := s.part.CheckDistances(start); err != nil {
		return nil, err
	}
	var best kernel.Kernel
	var smallest float64
	err := Climb(start, func(theta float64) (better bool, err error) {
		k := with(theta)
		y, err := s.predict(ctx, s.part, k)
		if err != nil {
			return false, err
		}
		compared := y
		if s.Unseen != nil {
			compared = AtBestTemperature(y, s.part.T)
		}
		logLoss, errorRate := Judge(compared, s.part.T)
		s.OnTrial(k, logLoss, errorRate)
		better = best != nil && logLoss < smallest
		if better || best == nil {
			best, smallest, s.unseen = k, logLoss, y
		}
		return better, nil
	})
	if err != nil {
		return nil, err
	}
	return best, nil
}

// Temperature returns the temperature for models with this kernel, after Settle.
func (s *Selection) Temperature(ctx context.Context, d *Data, k kernel.Kernel) (T float64, err error) {
	y, part := s.unseen, s.part
	switch {
	case part != d: // the temperature for few samples does not hold for many
		y, part, err = s.heldOut(ctx, d, k)
	case y == nil:
		y, err = s.predict(ctx, d, k)
	}
	if err != nil {
		return 0, err
	}
	return Temperature(y, part.T), nil
}

// heldOut returns some of the samples, and their potentials by a model of all others: a
// fifth, but not many more than are enough.
func (s *Selection) heldOut(ctx context.Context, d *Data, k kernel.Kernel) (*mat.Dense, *Data, error) {
	in, out := split(d.Deal(max(Folds, d.N/enough), s.Seed), 0)
	m, err := s.Fit(ctx, d.Part(in), k)
	if err != nil {
		return nil, nil, err
	}
	part := d.Part(out)
	return m.Potentials(nil, part.X), part, nil
}

// Family returns the kernels of all widths that k asks for, and the width to start from. It
// returns nil if k has a width already, or none to choose.
func Family(k kernel.Kernel, x *mat.Dense) (with func(theta float64) kernel.Kernel, start float64) {
	switch k := k.(type) {
	case nil:
		return func(theta float64) kernel.Kernel { return kernel.RBF{Theta: theta} }, kernel.MedianTheta(x)
	case kernel.RBF:
		if k.Theta == 0 {
			return Family(nil, x)
		}
	case kernel.Laplacian:
		if k.Theta == 0 {
			return func(theta float64) kernel.Kernel { return kernel.Laplacian{Theta: theta} }, kernel.MedianLaplacian(x)
		}
	}
	return nil, 0
}

// Climb tries a width, then twice and half the width, again and again, until two in turn
// are no better.
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
