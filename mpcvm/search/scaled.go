package search

import (
	"context"
	"slices"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// standardised is a learner that standardises the features of its samples. Its models take samples in raw
// units; see mpcvm.Model.WithScaling.
type standardised struct{ mpcvm.Learner }

// inRawUnits reports whether the scales of the features differ so much that they should be standardised.
func inRawUnits(s mpcvm.Samples) bool {
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return false
	}
	_, _, differ := d.Scaling()
	return differ
}

// Fit implements mpcvm.Learner.
func (l standardised) Fit(ctx context.Context, s mpcvm.Samples,
	observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	mean, scale, _ := d.Scaling()
	d.X.Apply(func(_, j int, v float64) float64 { return (v - mean[j]) / scale[j] }, d.X)
	m, result, err := l.Learner.Fit(ctx, mpcvm.Samples(d.Samples()), observers...)
	if m != nil {
		m = m.WithScaling(mean, scale)
	}
	if v := result.Validated; v != nil {
		result.Validated = &mpcvm.Validated{Model: v.Model.WithScaling(mean, scale), Unseen: v.Unseen}
	}
	result.Trials = slices.Clone(result.Trials)
	for i, t := range result.Trials {
		if t.Refit != nil {
			result.Trials[i].Refit = standardised{t.Refit}
		}
	}
	return m, result, err
}
