package search

import (
	"context"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Chosen returns a learner with the setting that a fit of Auto or Width chose. Its kernel, options and
// temperature are fixed, so that a fit does not search again. If the fit collapses, the learner falls back
// to another setting, as Auto does. Chosen returns nil if no trial of the result is marked as chosen.
func Chosen(result mpcvm.Result) mpcvm.Learner {
	for _, t := range result.Trials {
		if t.Chosen {
			return t.Refit
		}
	}
	return nil
}

// fixed is a learner whose models receive a given calibration. If its fit collapses, next is used instead.
type fixed struct {
	mpcvm.Learner
	calibration fitting.Calibration
	next        mpcvm.Learner // may be nil
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
