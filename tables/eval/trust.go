package eval

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// measureTrust computes Evaluation.Trust.
func (e *evaluation) measureTrust(context.Context) error {
	if e.folds == nil && e.tested == nil || e.unweighted() {
		return nil
	}
	p := e.Shown
	y := p.potentials()
	if y == nil {
		return nil
	}
	raw := e.Model.Model().WithTemperature(1).WithFloor(nil).ProbaOf(nil, y)
	var t Trust
	for i, label := range p.T {
		n := float64(len(p.T))
		t.LogLoss += logLoss(p.Proba.At(i, label)) / n
		t.Uncalibrated += logLoss(raw.At(i, label)) / n
	}
	best, _ := fitting.Evaluate(fitting.AtBestTemperature(y, p.T, nil), p.T, nil)
	t.Refinement = min(best, t.LogLoss)
	for _, coverage := range []float64{0.8, 0.9, 0.95} {
		sets, err := e.Model.Model().SetsOf(y, nil, coverage)
		if err != nil { // the model has no conformal scores
			break
		}
		t.Sets = append(t.Sets, e.setFigures(coverage, sets, p.T))
	}
	e.Trust, e.Raw = &t, raw
	return nil
}

// setFigures evaluates the prediction sets of rows with labels t.
func (e *evaluation) setFigures(coverage float64, sets [][]int, t []int) SetFigures {
	f, n := SetFigures{Coverage: coverage, Least: 2}, float64(len(t))
	covered, of := make([]float64, len(e.Classes)), make([]float64, len(e.Classes))
	for i, set := range sets {
		of[t[i]]++
		f.Size += float64(len(set))
		if len(set) == 1 {
			f.Single++
		}
		for _, class := range set {
			if class == t[i] {
				covered[class]++
				f.Covered++
			}
		}
	}
	for _, v := range []*float64{&f.Size, &f.Single, &f.Covered} {
		*v /= n
	}
	f.SE = math.Sqrt(max(0, f.Covered*(1-f.Covered)) / n)
	for c, count := range of {
		if share := covered[c] / count; count >= fewInGroup && share < f.Least {
			f.Least, f.Class = share, e.Classes[c]
		}
	}
	if f.Class == "" {
		f.Least = 0
	}
	return f
}

// fewInGroup is the number of rows below which a share is too uncertain to report.
const fewInGroup = 20

// potentials returns the potentials of the rows, or nil if the models have none.
func (m *Matrix) potentials() *mat.Dense {
	y := mat.NewDense(len(m.T), len(m.Classes), nil)
	m.eachFold(func(lo, hi int) {
		f := m.models[m.Fold[lo]]
		of, ok := f.classifier.(*mpcvm.Model)
		if y == nil || !ok {
			y = nil
			return
		}
		x, _, _ := f.recipe.Encode(nil, m.Table, m.Rows[lo:hi]) // the rows have been encoded before
		p := of.Potentials(nil, f.scaled(x))
		for i := range hi - lo {
			if y != nil && !fitting.HasNaN(p.RawRowView(i)) {
				y.SetRow(lo+i, p.RawRowView(i))
			} else {
				y = nil
			}
		}
	})
	return y
}
