package search

import (
	"context"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// standardised is a learner that standardises features. Its models take samples in raw units.
type standardised struct{ mpcvm.Learner }

// inRawUnits reports whether the scales of the features differ so much that they should be standardised.
func inRawUnits(s mpcvm.Samples) (differ bool) {
	d, err := fitting.New(fitting.Samples(s))
	if err == nil {
		_, _, differ = d.Scaling()
	}
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
		v.Model = v.Model.WithScaling(mean, scale)
	}
	for i, t := range result.Trials {
		if t.Refit != nil {
			result.Trials[i].Refit = standardised{t.Refit}
		}
	}
	return m, result, err
}
