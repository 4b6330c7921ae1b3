package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/polled"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// manyToFit is the number of samples above which the model is evaluated on few folds: the samples held
// out by search.Auto, or as many folds as are needed for ten rows of each class. A fold costs about one fit.
const manyToFit = 2000

// system returns the system to cross-validate; ok is false if the fit ended before its setting was evaluated.
func (e *evaluation) system() (s System, ok bool) {
	l := e.o.Learner
	if e.o.Nested {
		return Of(Title(e.Algorithm), l), true
	}
	if _, auto := l.(search.Auto); l == nil || auto && search.Chosen(e.Result) == nil {
		return s, false
	}
	return Chosen(Title(e.Algorithm), l, e.Result), true
}

// crossValidate evaluates the chosen setting. If the time is up before a fold ends, it scores rows held out.
func (e *evaluation) crossValidate(ctx context.Context) error {
	said := len(e.Warnings)
	err := e.scoreFolds(ctx)
	if err == nil && e.folds == nil && ctx.Err() != nil && e.Result.Validated != nil {
		e.Warnings = e.Warnings[:said]
		err = e.scoreFolds(ctx)
	}
	return err
}

// scoreFolds evaluates the chosen setting on fresh folds or, nested, the whole choice.
func (e *evaluation) scoreFolds(ctx context.Context) error {
	if e.o.Folds < 0 {
		return nil
	}
	o := e.o.Options.defaults()
	if o.Samples == nil {
		o.Samples = e.Model.Samples()
	}
	o.Repeats, o.Keep = 1, true
	f, err := Split(context.WithoutCancel(ctx), e.Table, e.Target, o)
	if err != nil {
		return e.notValidated(ctx, err)
	}
	end, limited := ctx.Deadline()
	left, cut := time.Until(end), false
	spare := left / 20 // reserved for predictions
	heldOut, few := e.Result.Validated, !e.o.All && e.N > manyToFit
	system, ok := e.system()
	switch {
	case heldOut == nil:
	case e.o.Nested || e.o.All, ok && !limited && (!few || !f.suffice(heldOut.Unseen)),
		ok && limited && e.N <= fitting.Many && e.Partial == "" && left > 0:
		heldOut = nil // fresh folds score more rows
	}
	only := o.Folds // the number of folds to evaluate
	switch {
	case !few || heldOut != nil: // the other folds of held-out rows are empty
	case limited:
		only = 1
	default:
		only = fitting.Dealing{Fold: f.Fold[0], Ahead: f.by.Times != nil}.ToScore(f.T, f.K, 1)
	}
	within := ctx
	switch chosen := search.Chosen(e.Result); {
	case heldOut != nil: // this takes a moment, even if the time is up
		system.Name, system.model = Title(e.Algorithm), heldOut.Model
		within = share.Alone(context.WithoutCancel(ctx))
		if err := f.holdOut(within, heldOut.Unseen); err != nil {
			return e.notValidated(ctx, err)
		}
	case limited && few && !e.o.Nested && chosen != nil:
		// The score of an interrupted fit is better than none.
		system = Of(Title(e.Algorithm), stopped{chosen, end.Add(-spare), &cut})
		system.constant = e.Result.Status == mpcvm.Collapsed
	case !ok:
		e.warn(texts.NoSetting, 0, 0)
		return nil
	}
	inTime, stop := polled.WithCancel(within)
	defer stop()
	if only < o.Folds { // the others are cancelled
		inTime = share.Alone(inTime)
	}
	o.Progress = func(p Progress) {
		e.o.Progress(Progress{Done: p.Done / 2, Total: only}) // each fold fits the baseline and the model
		if only < o.Folds && p.Done >= 2*only {
			stop()
		}
	}
	r, err := f.crossValidate(inTime, []System{system}, o)
	if inTime.Err() != nil { // err is the end of the context
		err = r.Systems[1].Err
	}
	if err != nil || ctx.Err() == context.Canceled {
		return e.notValidated(ctx, err)
	}
	done := 0
	r.Systems[1].eachFold(func(int, int) { done++ })
	if done == 0 {
		e.warn(texts.NoFigures, 0, 0)
		return nil
	}
	e.folds = r
	e.validate(done, heldOut != nil)
	if cut {
		e.warn(texts.BudgetFit, 0, 0)
	}
	if done+r.lost < min(only, e.CV.Folds) {
		e.warn(texts.BudgetFolds, done, e.CV.Folds)
	}
	return nil
}

// warnFolds adds the warnings of the cross-validation that were not given elsewhere.
func (e *evaluation) warnFolds(context.Context) error {
	if e.folds == nil {
		return nil
	}
	for _, w := range e.folds.Warnings() {
		said := map[table.Code]bool{
			texts.SingleRow: true, texts.SmallClass: true, texts.NearCopies: true, // reported by package look
			texts.NoBetter:       true, // reported by the verdict
			texts.SystemNever:    e.fewClasses,
			texts.SystemConstant: e.Frequencies(),
			texts.CollapsedFolds: e.Frequencies(),
			texts.WorseLogLoss:   e.Frequencies(),
		}
		if !said[w.Code] {
			e.Warnings = append(e.Warnings, w)
		}
	}
	return nil
}

// notValidated returns an error if ctx was cancelled. Otherwise it adds a warning.
func (e *evaluation) notValidated(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == context.Canceled:
		return fmt.Errorf("cross-validation: %w", ctx.Err())
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		e.warn(texts.NoFigures, 0, 0)
	default:
		e.Warnings = append(e.Warnings, table.Finding{Code: texts.NotValidated, Cause: err})
	}
	return nil
}

// suffice reports whether rows, given as indices of Rows, are enough to score each class.
func (f *Folds) suffice(rows []int) bool {
	held := make([]int, len(f.T)) // 0 for rows, 1 for the others, 2 for samples that no fold holds out
	for n, fold := range f.Fold[0] {
		held[n] = 1 + fold/f.K
	}
	for _, n := range rows {
		held[n] = 0
	}
	return fitting.Dealing{Fold: held}.ToScore(f.T, 2, 1) == 1
}

// holdOut makes the given samples the only ones of fold 0.
func (f *Folds) holdOut(ctx context.Context, samples []int) error {
	for n := range f.Fold[0] {
		f.Fold[0][n] = f.K // no fold
	}
	for _, n := range samples {
		f.Fold[0][n] = 0
	}
	return f.countDuplicates(ctx)
}

// stopped is a learner that stops at a given time and returns the model fitted so far.
type stopped struct {
	mpcvm.Learner
	end time.Time
	cut *bool // set if the fit was stopped
}

// Fit implements mpcvm.Learner.
func (l stopped) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model,
	mpcvm.Result, error) {
	inTime, stop := polled.WithDeadline(ctx, l.end)
	defer stop()
	m, result, err := l.Learner.Fit(inTime, s, observers...)
	if m != nil && err != nil && ctx.Err() == nil && inTime.Err() != nil {
		*l.cut, err = true, nil
	}
	return m, result, err
}

// validate stores the scores of the cross-validation, of which the given number of folds was evaluated.
func (e *evaluation) validate(done int, heldOut bool) {
	base, p := e.folds.Systems[0], e.folds.Systems[1]
	filled := map[int]bool{} // with few rows some folds are empty
	for _, fold := range e.folds.Fold[0] {
		if fold < e.folds.K {
			filled[fold] = true
		}
	}
	v := &CrossValidation{Figures: p.figures(), Folds: len(filled), Done: done, Nested: e.o.Nested,
		HeldOut: heldOut, Classes: p.ByClass(), Confusion: p.Confusion()}
	if by := e.folds.SplitBy; by.Code != "" {
		v.DealtBy = &by
	}
	v.Of, v.How = "cross-validation", words.Plural(v.Folds, "fold")
	if v.Done < v.Folds {
		v.How = fmt.Sprintf("%d of %s", v.Done, v.How)
	}
	if v.DealtBy != nil { // without the name of the column
		v.How += ", split by groups or by time"
	}
	if v.Nested {
		v.How = "nested, " + v.How
	}
	if heldOut {
		v.How = "rows that the search held out"
	}
	e.CV = v
	e.Baseline.Rows, e.Baseline.LogLoss, e.Baseline.AUC = v.Rows, finite(base.Score(LogLoss).Value), new(0.5)
	if class := slices.Index(p.Classes, e.o.Find); class >= 0 {
		costs, err := costsOfRecall(p.Proba, p.T, class, e.o.Recall)
		if err != nil {
			e.Warnings = append(e.Warnings, table.Finding{Code: texts.RecallNotFound, Texts: []string{e.o.Find},
				Cause: err})
			return
		}
		e.o.Costs = costs
	}
	if e.o.Costs == nil {
		return
	}
	with := p.Decide(e.o.Costs)
	e.Costs = &MeanCosts{Matrix: rowsOf(e.o.Costs), Find: e.o.Find, Recall: e.o.Recall, Classes: with.ByClass()}
	for i, label := range with.Labels {
		if label != p.Labels[i] {
			e.Costs.Differently++
		}
	}
	for to, m := range map[*MeanCost]*Matrix{&e.Costs.Baseline: base, &e.Costs.Likeliest: p,
		&e.Costs.LeastCost: with} {
		mean := m.Cost(e.o.Costs)
		*to = MeanCost{mean.Value, finite(mean.SE)}
	}
}

// curveShares are the shares of the training rows of a fold used for the learning curve.
var curveShares = []float64{0.1, 0.2, 0.4, 0.7, 1}

// learn computes the learning curve: it fits the chosen setting to growing subsets of the training rows of
// the folds. The subsets of a fold are nested and stratified. Subsets with fewer than two rows of a class
// are skipped, as are fits that collapse and those for which ctx leaves no time.
func (e *evaluation) learn(ctx context.Context) error {
	if !e.o.Curve {
		return nil
	}
	system, ok := e.system()
	if e.folds == nil || !ok {
		e.warn(texts.NoCurve, 0, 0)
		return nil
	}
	order := rand.New(rand.NewPCG(e.Seed, 11)).Perm(len(e.folds.T))
	fits, collapsed := 0, 0
	defer func() {
		if collapsed > 0 {
			e.warn(texts.CollapsedCurve, collapsed, fits)
		}
	}()
	for _, share := range curveShares {
		rows, small := 0, false
		m, lost, err := e.predict(ctx, &system, func(f int, in []int) []int {
			part := e.folds.share(in, order, share)
			rows, small = max(rows, len(part)), small || part == nil
			if part != nil {
				fits++
			}
			return part
		})
		collapsed += lost
		switch {
		case small:
			return nil
		case ctx.Err() == context.DeadlineExceeded:
			e.warn(texts.BudgetCurve, rows, 0)
			return nil
		case err != nil:
			return err
		}
		if f := m.pooled(); len(m.T) > 0 {
			e.Curve = append(e.Curve, CurvePoint{rows, *f.Error, *f.ErrorSE, *f.LogLoss, *f.LogLossSE})
		}
	}
	return nil
}

// predict returns the predictions of a system for the folds that the cross-validation of the model has
// predicted, and the number of folds left out because the model collapsed. training returns the rows of a
// fold to train on, given all of them; nil ends the evaluation.
func (e *evaluation) predict(ctx context.Context, system *System, training func(fold int, in []int) []int) (
	m *Matrix, collapsed int, err error) {
	m = &Matrix{Table: e.Table, Classes: e.Classes, K: e.folds.K, models: make([]*fitted, e.folds.K)}
	for fold, evaluated := range e.folds.Systems[1].models {
		if evaluated == nil {
			continue
		}
		in, out := e.folds.parts(fold)
		if in = training(fold, in); in == nil {
			break
		}
		switch made := e.folds.predictPart(ctx, system, in, out); {
		case errors.Is(made.err, errCollapsed):
			collapsed++
		case made.err != nil:
			return m, collapsed, made.err
		default:
			m.add(e.folds.Folds, fold, &made)
		}
	}
	return m, collapsed, nil
}

// compare evaluates the other systems on the same folds, with a warning for each that fails or lacks time.
func (e *evaluation) compare(ctx context.Context) error {
	if len(e.o.Compare) > 0 && e.folds == nil {
		e.warn(texts.NothingCompared, 0, 0)
		return nil
	}
	for _, system := range e.o.Compare {
		m, collapsed, err := e.predict(ctx, &system, func(fold int, in []int) []int {
			e.o.Progress(Progress{Done: fold, Total: e.folds.K, System: system.Name, Fold: fold})
			return in
		})
		switch {
		case ctx.Err() == context.Canceled:
			return ctx.Err()
		case ctx.Err() != nil:
			e.warn(texts.BudgetCompare, 0, 0, system.Name)
			continue
		case err != nil:
			e.Warnings = append(e.Warnings, table.Finding{Code: texts.NotCompared, Texts: []string{system.Name},
				Cause: err})
			continue
		}
		if collapsed > 0 {
			e.warn(texts.CollapsedFolds, collapsed, e.CV.Done, system.Name)
		}
		if len(m.T) > 0 {
			f := m.pooled()
			f.Of = system.Name
			e.Compared = append(e.Compared, f)
		}
	}
	return nil
}

// share returns a stratified subset of the listed samples, taking them in the given order, or nil if it
// would contain fewer than two samples of a class that has at least two.
func (f *Folds) share(in, order []int, share float64) (part []int) {
	listed, counts, taken := make([]bool, len(order)), make([]int, len(f.Classes)), make([]int, len(f.Classes))
	for _, n := range in {
		listed[n] = true
		counts[f.T[n]]++
	}
	for c, n := range counts {
		taken[c] = int(math.Round(share * float64(n)))
		if taken[c] < min(2, n) {
			return nil
		}
	}
	for _, n := range order {
		if c := f.T[n]; listed[n] && taken[c] > 0 {
			taken[c]--
			part = append(part, n)
		}
	}
	return part
}

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
