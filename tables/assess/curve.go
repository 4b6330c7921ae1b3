package assess

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/tables/model"
)

// curveShares are the shares of the training rows of a fold used for the learning curve.
var curveShares = []float64{0.1, 0.2, 0.4, 0.7, 1}

// learn computes the learning curve: it fits the chosen setting to growing subsets of the training rows of
// the folds. The subsets of a fold are nested and stratified. Subsets with fewer than two rows of a class
// are skipped, as are fits that collapse and those for which ctx leaves no time.
func (e *Evaluation) learn(ctx context.Context) error {
	if !e.options.Curve {
		return nil
	}
	system, ok := e.system()
	if e.Folds == nil || !ok {
		e.warn("no-curve", "The learning curve requires cross-validation of a chosen setting and is left out.")
		return nil
	}
	r := e.Folds
	rng := rand.New(rand.NewPCG(e.Seed, 11))
	order := rng.Perm(len(r.T))
	fits, collapsed := 0, 0
	defer func() {
		if collapsed > 0 {
			e.warn("collapsed", "The learning curve leaves out %d of %d fits, whose models collapsed.", collapsed,
				fits)
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
			err := r.predictFold(ctx, &system, part, out, &u)
			if fits++; errors.Is(err, errCollapsed) {
				collapsed++
				continue
			}
			if ctx.Err() == context.DeadlineExceeded {
				e.warn("budget", "The budget left no time for the learning curve from %d rows on.", len(part))
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
		e.Curve = append(e.Curve, point)
	}
	return nil
}

// unseen contains the predictions of a system for rows that it did not see.
type unseen struct {
	errs, losses []float64 // empty if the system predicts only labels
	p            []float64 // probabilities, row after row
	t            []int
}

// predictFold fits a system on some of the samples and adds its predictions for others to the result.
func (r *Results) predictFold(ctx context.Context, system *System, part, out []int, to *unseen) error {
	m, err := r.fit(ctx, r.table, system, part)
	if err != nil {
		return err
	}
	labels, p, err := r.predict(m, out)
	if err != nil {
		return err
	}
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

// meanSE returns the mean and its standard error.
func meanSE(v []float64) (mean, se float64) {
	mean, se = stat.MeanStdDev(v, nil)
	return mean, se / math.Sqrt(float64(len(v)))
}

// compare evaluates the other systems on the folds of the cross-validation, and adds a warning for each
// system that fails or for which ctx leaves no time.
func (e *Evaluation) compare(ctx context.Context) error {
	r := e.Folds
	for i := range e.options.Compare {
		system := &e.options.Compare[i]
		if r == nil {
			e.warn("not-compared", "Other systems can only be compared with cross-validation.")
			return nil
		}
		var u unseen
		var err error
		collapsed := 0
		for f := 0; f < r.Folds && err == nil; f++ {
			if in, out := r.parts(0, f); r.Systems[1].models[f] != nil && len(out) > 0 {
				if err = r.predictFold(ctx, system, in, out, &u); errors.Is(err, errCollapsed) {
					err, collapsed = nil, collapsed+1
				}
				e.report(Progress{Done: f + 1, Total: r.Folds, System: system.Name, Fold: f + 1})
			}
		}
		switch {
		case ctx.Err() == context.Canceled:
			return ctx.Err()
		case ctx.Err() != nil:
			e.warn("budget", "The budget left no time to compare with %s.", system.Name)
			continue
		case err != nil:
			e.warn("not-compared", "The comparison with %s failed: %v.", system.Name, err)
			continue
		}
		if collapsed > 0 {
			e.warn("collapsed", "%s collapsed in %d folds: these are left out of its figures, which may therefore "+
				"be too good.", system.Name, collapsed)
		}
		if len(u.errs) == 0 {
			continue
		}
		f := model.Figures{Of: system.Name, Rows: len(u.t)}
		set := func(v, se **float64, of []float64) {
			mean, deviation := meanSE(of)
			*v, *se = finite(mean), finite(deviation)
		}
		set(&f.Error, &f.ErrorSE, u.errs)
		set(&f.LogLoss, &f.LogLossSE, u.losses)
		if len(u.p) > 0 {
			if auc, err := score.AUC(mat.NewDense(f.Rows, len(r.Classes), u.p), u.t); err == nil {
				f.AUC = &auc
			}
		}
		e.Compared = append(e.Compared, f)
	}
	return nil
}

// report calls the progress function of the options, if any.
func (e *Evaluation) report(p Progress) {
	if f := e.options.Progress; f != nil {
		f(p)
	}
}

// share returns a stratified subset of the listed samples, taking them in the given order, or nil if it
// would contain fewer than two samples of a class that has at least two.
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
