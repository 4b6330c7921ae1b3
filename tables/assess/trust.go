package assess

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// measureTrust computes Evaluation.Trust.
func (e *Evaluation) measureTrust(ctx context.Context) error {
	if e.Folds == nil && e.TestTable == nil || e.RelevanceVectors == 0 {
		return nil
	}
	y, p, err := e.unseenPotentials(ctx)
	if err != nil || y == nil {
		return err
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
func (e *Evaluation) setFigures(coverage float64, sets [][]int, t []int) SetFigures {
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

// unseenPotentials returns the potentials of the rows of Predictions from models that did not see them. y
// is nil if the models of the folds have no potentials.
func (e *Evaluation) unseenPotentials(ctx context.Context) (y *mat.Dense, p Predictions, err error) {
	if p, err = e.Predictions(ctx); err != nil || len(p.T) == 0 {
		if ctx.Err() == context.DeadlineExceeded {
			err = nil
		}
		return nil, p, err
	}
	if e.Folds == nil {
		x, _, err := recipeOf(e.Model).Encode(nil, p.Table, p.Rows)
		if err != nil {
			return nil, p, err
		}
		return e.Model.Model().Potentials(nil, x), p, nil
	}
	r := e.Folds
	y, next := mat.NewDense(len(p.T), len(r.Classes), nil), 0
	for _, f := range r.done { // in the order of the rows of p
		m := r.Systems[1].models[f]
		if m == nil { // the fold has no rows
			continue
		}
		model, ok := m.classifier.(*mpcvm.Model)
		if !ok {
			return nil, p, nil
		}
		_, out := r.parts(0, f)
		x, _, err := m.recipe.Encode(nil, r.table, r.tableRows(out))
		if err != nil {
			return nil, p, err
		}
		of := model.Potentials(nil, m.standardize(x))
		for i := range out {
			if fitting.HasNaN(of.RawRowView(i)) {
				return nil, p, nil
			}
			y.SetRow(next, of.RawRowView(i))
			next++
		}
	}
	return y, p, nil
}
