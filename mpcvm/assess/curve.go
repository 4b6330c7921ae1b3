package assess

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/stat"
)

// CurvePoint are the figures of models that learned from a part of the training rows, on rows that they
// did not see, with the standard errors of the means over these rows.
type CurvePoint struct {
	Rows      int     `json:"rows"` // to learn from
	Err       float64 `json:"err"`
	ErrSE     float64 `json:"err_se"`
	LogLoss   float64 `json:"logloss"`
	LogLossSE float64 `json:"logloss_se"`
}

// curveShares are the parts of the training rows of a fold.
var curveShares = []float64{0.1, 0.2, 0.4, 0.7, 1}

// learn fills in the learning curve: the chosen setting learns from growing parts of the training rows
// of the folds. The parts of a fold are nested, and have the same share of each class. A part without
// two rows of each class of the fold is left out, and what ctx leaves no time for.
func (j *Judgement) learn(ctx context.Context) error {
	system, ok := j.system()
	if j.Folds == nil || !ok {
		j.warn("no-curve", "Without cross-validation of a chosen setting there is no learning curve.")
		return nil
	}
	r := j.Folds
	rng := rand.New(rand.NewPCG(j.Seed, 11))
	order := rng.Perm(len(r.T))
	for _, share := range curveShares {
		var point CurvePoint
		var errs, losses []float64
		for f := range r.Folds {
			in, out := r.parts(0, f)
			if r.Systems[1].models[f] == nil || len(out) == 0 {
				continue
			}
			part := r.share(in, order, share)
			if part == nil {
				return nil
			}
			m, err := r.fit(ctx, r.table, &system, part)
			if ctx.Err() == context.DeadlineExceeded {
				j.warn("budget", "The budget left no time for the learning curve from %d rows on.", len(part))
				return nil
			}
			if err != nil {
				return err
			}
			x, _, err := m.recipe.Encode(nil, r.table, r.tableRows(out))
			if err != nil {
				return err
			}
			p, labels := m.Proba(nil, x), m.Predict(nil, x)
			for i, n := range out {
				wrong := 0.0
				if labels[i] != r.T[n] {
					wrong = 1
				}
				if v := p.At(i, r.T[n]); !math.IsNaN(v) {
					errs, losses = append(errs, wrong), append(losses, logLoss(v))
				}
			}
			point.Rows = max(point.Rows, len(part))
		}
		se := 1 / math.Sqrt(float64(len(errs)))
		point.Err, point.ErrSE = stat.MeanStdDev(errs, nil)
		point.LogLoss, point.LogLossSE = stat.MeanStdDev(losses, nil)
		point.ErrSE, point.LogLossSE = point.ErrSE*se, point.LogLossSE*se
		j.Curve = append(j.Curve, point)
	}
	return nil
}

// share returns a part of the listed samples, the first of each class in an order; nil if that is fewer
// than two of a class that has two.
func (r *Results) share(in, order []int, share float64) (part []int) {
	listed, counts, taken := make([]bool, len(order)), make([]int, len(r.Classes)), make([]int, len(r.Classes))
	for _, n := range in {
		listed[n] = true
		counts[r.T[n]]++
	}
	for c, n := range counts {
		taken[c] = int(math.Round(share * float64(n)))
		if taken[c] < min(2, n) {
			return nil
		}
	}
	for _, n := range order {
		if c := r.T[n]; listed[n] && taken[c] > 0 {
			taken[c]--
			part = append(part, n)
		}
	}
	return part
}

// CurveTable has the learning curve, if it was asked for.
func (j *Judgement) CurveTable() (header []string, rows [][]string) {
	for _, p := range j.Curve {
		rows = append(rows, []string{strconv.Itoa(p.Rows), fmt.Sprintf("%.2f ± %.2f", 100*p.Err, 100*p.ErrSE), fmt.Sprintf("%.3f ± %.3f", p.LogLoss, p.LogLossSE)})
	}
	return []string{"learned from rows", "error %", "log loss"}, rows
}
