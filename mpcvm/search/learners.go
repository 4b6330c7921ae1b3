package search

import (
	"context"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
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

// mean is a learner whose models have the potentials a·y + b·z, where y are the potentials of a linear model
// and z the potentials of a kernel model.
type mean struct {
	linear, kernel mpcvm.Learner
	a, b           float64
}

// Fit implements mpcvm.Learner. Observers are called with the steps of the kernel model. If either fit
// collapses, its model is returned.
func (l mean) Fit(ctx context.Context, s mpcvm.Samples,
	observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	linear, result, err := l.linear.Fit(ctx, s)
	if err != nil || result.Status == mpcvm.Collapsed {
		return linear, result, err
	}
	m, result, err := l.kernel.Fit(ctx, s, observers...)
	if m != nil && result.Status != mpcvm.Collapsed {
		m = fitting.SumOfModels(linear, m, l.a, l.b).(*mpcvm.Model)
		result.Objective, result.LogLik = 0, 0
	}
	return m, result, err
}

// frequencies is a learner whose models predict the class frequencies.
type frequencies struct{ kernel.Kernel }

// Fit implements mpcvm.Learner.
func (l frequencies) Fit(_ context.Context, s mpcvm.Samples,
	_ ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	b := d.Frequencies()
	logLik := d.BiasLogLik(b)
	m := mpcvm.NewModel(l.Kernel, d.X, s.T, make([][]int, d.C), make([][]float64, d.C), b)
	return m, mpcvm.Result{Status: mpcvm.Collapsed, Objective: logLik, LogLik: logLik}, nil
}
