package search

import (
	"math"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// partial is a model that is trained on a subset of the samples: what there is before the final fit.
type partial struct {
	model       *mpcvm.Model         // its indices are rows of the whole data; nil: there is no model
	samples     int                  // on which it is trained
	unseen      []int                // rows of the whole data that score it
	calibration *fitting.Calibration // nil: it is found on the unseen samples
	trial, fold int                  // the number of its trial, and its fold
	validated   bool                 // it is trained on all samples outside the validation set
	logLoss     float64              // of its setting
	trained     int                  // the number of samples of its trial
}

// newPartial is a model m that is trained on train and scored by samples of d outside it.
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

// calibrated returns a model with a calibration. A model without weights predicts the class frequencies and
// takes only scores, and these only if the calibration belongs to the class frequencies.
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

// losesTo reports whether another model has a log loss that is not higher on the unseen samples, on which
// the other model was trained. Without a model p loses.
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
