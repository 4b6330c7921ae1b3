package search

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Chosen returns the learner of the setting that a fit has chosen: kernel, options and
// temperature are fixed, and nothing is tried again. It is nil if the fit tried no settings with
// a learner, as Auto does.
func Chosen(result mpcvm.Result) mpcvm.Learner {
	for _, t := range result.Trials {
		if t.Chosen {
			return t.Refit
		}
	}
	return nil
}

// fixed is a learner whose models have a temperature.
type fixed struct {
	mpcvm.Learner
	temperature float64
}

// Fit implements mpcvm.Learner.
func (f fixed) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	m, result, err := f.Learner.Fit(ctx, x, t, observers...)
	if m != nil && result.Status != mpcvm.Collapsed { // which predicts the frequencies of the classes
		m = m.WithTemperature(f.temperature)
	}
	return m, result, err
}
