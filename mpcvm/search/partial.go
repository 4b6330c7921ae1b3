package search

import (
	"math"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// partial is a model that was trained on a subset of the samples before the final fit.
type partial struct {
	model         *mpcvm.Model         // indexed by rows of the whole data; may be nil
	samples       int                  // the number of training samples
	unseen        []int                // the rows of the whole data that score the model
	calibration   *fitting.Calibration // nil: calibrate on the unseen samples
	trial, fold   int                  // the numbers of the trial and of the fold
	validated     bool                 // the model is trained on all samples outside the validation set
	logLoss       float64              // of the setting
	standardError float64              // of logLoss; zero if it is not known
	trained       int                  // the number of samples of the trial
}

// newPartial returns the model m that was trained on train and is scored by the other samples of d.
func newPartial(m *mpcvm.Model, train, d *fitting.Data) partial {
	seen := make(map[int]bool, train.N)
	for _, n := range train.Rows {
		seen[n] = true
	}
	p := partial{model: m.WithRows(train.Rows), samples: train.N}
	for n := range d.N {
		if d.Rows != nil {
			n = d.Rows[n]
		}
		if !seen[n] {
			p.unseen = append(p.unseen, n)
		}
	}
	return p
}

// calibrated returns the model with its calibration.
func (p partial) calibrated(whole *fitting.Data) *mpcvm.Model {
	c := p.calibration
	if c == nil {
		unseen := whole.Part(p.unseen)
		own := fitting.Calibrate(p.model.Potentials(nil, unseen.X), unseen.T, unseen.Weights, whole.Mass())
		c = &own
	}
	return calibrated(p.model, *c)
}

// calibrated returns a model with a calibration. A model without weights predicts the class frequencies; it
// receives only the scores, if the calibration belongs to the class frequencies.
func calibrated(m *mpcvm.Model, c fitting.Calibration) *mpcvm.Model {
	constant := c.Temperature == 0
	switch {
	case m.WeightCount() > 0:
		return m.WithTemperature(c.Temperature).WithFloor(c.Floor).WithScores(mpcvm.Scores(c.Scores))
	case constant:
		return m.WithScores(mpcvm.Scores(c.Scores))
	}
	return m
}

// losesTo reports whether the log loss of another model is not higher on the unseen samples. It returns true
// if p has no model.
func (p partial) losesTo(other *mpcvm.Model, whole *fitting.Data) bool {
	if p.model == nil {
		return true
	}
	unseen := whole.Part(p.unseen)
	logLoss := func(m *mpcvm.Model) (sum float64) {
		p := m.Proba(nil, unseen.X)
		for n, label := range unseen.T {
			sum -= unseen.Weight(n) * math.Log(p.At(n, label))
		}
		return sum
	}
	own, others := logLoss(p.calibrated(whole)), logLoss(other)
	return others <= own || math.IsNaN(own)
}
