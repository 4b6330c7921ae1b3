package search

import (
	"context"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Chosen returns the learner of the setting that a fit has chosen: kernel, options,
// temperature and floor are fixed, and nothing is tried again. If a fit of the setting collapses, Fit
// returns the model of another one, as Auto does. It is nil if the fit tried no settings, as Auto and
// Width do.
func Chosen(result mpcvm.Result) mpcvm.Learner {
	for _, t := range result.Trials {
		if t.Chosen {
			return t.Refit
		}
	}
	return nil
}

// fixed is a learner whose models have a calibration. If its fit collapses, the next learner is used.
type fixed struct {
	mpcvm.Learner
	calibration fitting.Calibration
	next        mpcvm.Learner // nil: none
}

// Fit implements mpcvm.Learner.
func (f *fixed) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	m, result, err := f.Learner.Fit(ctx, s, observers...)
	if err == nil && result.Status == mpcvm.Collapsed && f.next != nil {
		return f.next.Fit(ctx, s, observers...)
	}
	if m != nil {
		m = calibrated(m, f.calibration)
	}
	return m, result, err
}
