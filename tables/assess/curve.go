package assess

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/mpcvm/score"
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
// two rows of each class of the fold is left out, as are fits that collapse and what ctx leaves no time for.
func (j *Judgement) learn(ctx context.Context) error {
	system, ok := j.system()
	if j.Folds == nil || !ok {
		j.warn("no-curve", "Without cross-validation of a chosen setting there is no learning curve.")
		return nil
	}
	r := j.Folds
	rng := rand.New(rand.NewPCG(j.Seed, 11))
	order := rng.Perm(len(r.T))
	fits, collapsed := 0, 0
	defer func() {
		if collapsed > 0 {
			j.warn("collapsed", "The learning curve leaves out %d of %d fits, whose models collapsed.", collapsed, fits)
		}
	}()
	for _, share := range curveShares {
		var point CurvePoint
		var u unseen
		for f := range r.Folds {
			in, out := r.parts(0, f)
			if r.Systems[1].models[f] == nil || len(out) == 0 {
				continue
			}
			part := r.share(in, order, share)
			if part == nil {
				return nil
			}
			err := r.judgeFold(ctx, &system, part, out, &u)
			if fits++; errors.Is(err, errCollapsed) {
				collapsed++
				continue
			}
			if ctx.Err() == context.DeadlineExceeded {
				j.warn("budget", "The budget left no time for the learning curve from %d rows on.", len(part))
				return nil
			}
			if err != nil {
				return err
			}
			point.Rows = max(point.Rows, len(part))
		}
		if len(u.errs) == 0 {
			continue
		}
		point.Err, point.ErrSE = meanSE(u.errs)
		point.LogLoss, point.LogLossSE = meanSE(u.losses)
		j.Curve = append(j.Curve, point)
	}
	return nil
}

// unseen is what a system says of rows that it did not see.
type unseen struct {
	errs, losses []float64 // losses is empty if the system has labels only
	p            []float64 // probabilities, row after row
	t            []int
}

// judgeFold fits a system to a part of the samples and adds what it says of others.
func (r *Results) judgeFold(ctx context.Context, system *System, part, out []int, to *unseen) error {
	m, err := r.fit(ctx, r.table, system, part)
	if err != nil {
		return err
	}
	x, _, err := m.recipe.Encode(nil, r.table, r.tableRows(out))
	if err != nil {
		return err
	}
	p, err := m.probabilities(x, len(out), len(r.Classes))
	if err != nil {
		return err
	}
	labels := m.Predict(nil, x)
	for i, n := range out {
		if p != nil {
			v := p.At(i, r.T[n])
			if math.IsNaN(v) {
				continue
			}
			to.losses, to.p = append(to.losses, logLoss(v)), append(to.p, p.RawRowView(i)...)
		}
		wrong := 0.0
		if labels[i] != r.T[n] {
			wrong = 1
		}
		to.errs, to.t = append(to.errs, wrong), append(to.t, r.T[n])
	}
	return nil
}

// meanSE is a mean and its standard error.
func meanSE(v []float64) (mean, se float64) {
	mean, se = stat.MeanStdDev(v, nil)
	return mean, se / math.Sqrt(float64(len(v)))
}

// Beside are the figures of another system on the rows of the cross-validation. A figure is nil if it is
// not defined, as where a system has labels only.
type Beside struct {
	System    string   `json:"system"`
	Err       *float64 `json:"err"`
	ErrSE     *float64 `json:"err_se"`
	LogLoss   *float64 `json:"logloss"`
	LogLossSE *float64 `json:"logloss_se"`
	AUC       *float64 `json:"auc"`
	N         int      `json:"n"`
}

// compare judges the other systems on the folds of the cross-validation. One that fails, or for which
// ctx leaves no time, is told of.
func (j *Judgement) compare(ctx context.Context) error {
	r := j.Folds
	for i := range j.options.Beside {
		system := &j.options.Beside[i]
		if r == nil {
			j.warn("not-compared", "Without cross-validation no other system is compared.")
			return nil
		}
		var u unseen
		var err error
		collapsed := 0
		for f := 0; f < r.Folds && err == nil; f++ {
			if in, out := r.parts(0, f); r.Systems[1].models[f] != nil && len(out) > 0 {
				if err = r.judgeFold(ctx, system, in, out, &u); errors.Is(err, errCollapsed) {
					err, collapsed = nil, collapsed+1
				}
				j.told(Progress{Done: f + 1, Total: r.Folds, System: system.Name, Fold: f + 1})
			}
		}
		switch {
		case ctx.Err() == context.Canceled:
			return ctx.Err()
		case ctx.Err() != nil:
			j.warn("budget", "The budget left no time to compare with %s.", system.Name)
			continue
		case err != nil:
			j.warn("not-compared", "There is no comparison with %s: %v.", system.Name, err)
			continue
		}
		if collapsed > 0 {
			j.warn("collapsed", "%s collapsed in %d folds: they are left out of its figures, which may therefore be too good.", system.Name, collapsed)
		}
		if len(u.errs) == 0 {
			continue
		}
		b := Beside{System: system.Name, N: len(u.t)}
		set := func(v, se **float64, of []float64) {
			mean, e := meanSE(of)
			*v, *se = finite(mean), finite(e)
		}
		set(&b.Err, &b.ErrSE, u.errs)
		set(&b.LogLoss, &b.LogLossSE, u.losses)
		if len(u.p) > 0 {
			if auc, err := score.AUC(mat.NewDense(b.N, len(r.Classes), u.p), u.t); err == nil {
				b.AUC = &auc
			}
		}
		j.Beside = append(j.Beside, b)
	}
	return nil
}

// told calls the progress function of the options, if there is one.
func (j *Judgement) told(p Progress) {
	if f := j.options.Progress; f != nil {
		f(p)
	}
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
		rows = append(rows, []string{strconv.Itoa(p.Rows), number(&p.Err, &p.ErrSE, tabular.Percent), number(&p.LogLoss, &p.LogLossSE, tabular.Number)})
	}
	return []string{"learned from rows", "error %", "log loss"}, rows
}
