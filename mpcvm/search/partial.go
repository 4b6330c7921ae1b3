package search

import (
	"math"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// partial is a model of a part of the samples: what there is before the final fit.
type partial struct {
	model       *mpcvm.Model         // of indices in the whole data; nil: none
	samples     int                  // that it learned from
	unseen      []int                // samples of the whole data that it has not seen
	calibration *fitting.Calibration // nil: to be found by the samples that it has not seen
	trial, fold int                  // its place among the trials, and its fold
	held        bool                 // of judgeLarge
	logLoss     float64              // of its setting
	judged      int                  // by this number of samples
}

// newPartial is a model m of a part of d.
func newPartial(m *mpcvm.Model, part, d *fitting.Data) partial {
	seen := make(map[int]bool, part.N)
	for _, n := range part.Rows {
		seen[n] = true
	}
	p := partial{model: m.WithRows(part.Rows), samples: part.N}
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
		others := whole.Part(p.unseen)
		own := fitting.Calibrate(p.model.Potentials(nil, others.X), others.T, others.Weights, whole.Mass())
		c = &own
	}
	return calibrated(p.model, *c)
}

// calibrated returns a model with a calibration. One without weights predicts the frequencies of the
// classes as it is; the scores of other models are not for it.
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

// losesTo reports whether another model has a lower log loss on the samples that the model has
// not seen. The other one has seen them. A model loses if it is nil.
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
