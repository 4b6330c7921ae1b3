package search

import (
	"context"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Chosen returns a learner with the setting that a fit of Auto or Width chose: its kernel, options and
// temperature are fixed, so that nothing is searched again. If a fit of the setting collapses, the learner
// falls back to another setting, as Auto does. If no trial of the result is the chosen one, Chosen returns
// nil.
func Chosen(result mpcvm.Result) mpcvm.Learner {
	for _, t := range result.Trials {
		if t.Chosen {
			return t.Refit
		}
	}
	return nil
}

// fixed is a learner whose models get a calibration. If its fit collapses, the next learner is used.
type fixed struct {
	mpcvm.Learner
	calibration fitting.Calibration
	next        mpcvm.Learner // nil: there is none
}

// Fit implements mpcvm.Learner.
func (f *fixed) Fit(ctx context.Context, s mpcvm.Samples,
	observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	m, result, err := f.Learner.Fit(ctx, s, observers...)
	if err == nil && result.Status == mpcvm.Collapsed && f.next != nil {
		return f.next.Fit(ctx, s, observers...)
	}
	if m != nil {
		m = calibrated(m, f.calibration)
	}
	return m, result, err
}
