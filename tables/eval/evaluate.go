package eval

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// EvaluateOptions configures Evaluate.
type EvaluateOptions struct {
	// Options configures the cross-validation, which always has one repeat. Negative Folds turn it off.
	Options
	// Learner and Result are the learner of the model and the result of its fit.
	Learner mpcvm.Learner
	Result  mpcvm.Result
	// Nested repeats the whole choice of the setting in every fold. By default, the chosen setting is
	// evaluated; see Chosen.
	Nested bool
	// All always evaluates all folds. By default, a model of more than 2000 samples, or of a search that ran
	// out of time, is evaluated on the samples that search.Auto held out (mpcvm.Result.Validated), which also
	// chose the setting, or on as many folds as are needed for ten rows of each class, if there are as many.
	All bool
	// Curve also computes a learning curve, by fitting the chosen setting to growing subsets of the training
	// rows. This takes about one and a half times as long as the cross-validation.
	Curve bool
	// Compare lists other systems to evaluate on the same folds, such as some of Systems.
	Compare []System
	// Test is a table of test rows; may be nil.
	Test *table.Table
	// Costs is a C×C matrix of costs as in mpcvm.Model.Decide; may be nil.
	Costs mat.Matrix
	// If Find is the name of a class, Costs is replaced by costs chosen so that the share Recall of the rows of
	// that class is found in cross-validation, with as few predictions of the class as possible: an error on a
	// row of the class then costs r, and any other error costs 1.
	Find   string
	Recall float64
}

type evaluation struct {
	*Evaluation
	o          EvaluateOptions
	likeliest  *model.Model // the model without costs: all scores except Costs refer to the most probable class
	recipe     *recipe.Recipe
	labels     []int // of the rows of Table; −1 if not used
	counts     []int // training rows of each class with a value
	training   *Matrix
	folds      *Comparison // nil without cross-validation
	fewClasses bool        // a warning says that the model predicts one class
}

// Evaluate evaluates a model of model.Fit by cross-validation, on a test table and on its training rows t.
// Problems that can invalidate the results are listed in Evaluation.Warnings.
//
// If the deadline of ctx passes, the remaining scores are left out, with a warning. If ctx is cancelled,
// Evaluate returns the error of the context. It also returns an error if a cell of the class column of t is
// not a class of the model, if the test table lacks columns of the model, or if the model has no class Find.
func Evaluate(ctx context.Context, t *table.Table, m *model.Model, o EvaluateOptions) (*Evaluation, error) {
	column, _, err := t.Target(m.RowRecipe().Target)
	if err != nil {
		return nil, err
	}
	of, result := m.Model(), o.Result
	f := &Evaluation{
		Set: strings.TrimSuffix(filepath.Base(t.Name), filepath.Ext(t.Name)), Reading: t.Reading,
		Target: t.Columns[column].Name, Algorithm: Algorithm(o.Learner), Kernel: of.Kernel().String(),
		Features: of.Features(), Classes: m.ClassNames(), Temperature: of.Temperature(),
		Warnings: []table.Finding{}, Candidates: result.Candidates, RelevanceVectors: of.VectorCount(),
		Weights: of.NonZero(), Status: result.Status.String(), Partial: result.Partial,
		Iterations: result.Iterations, Seconds: result.Seconds, Seed: o.Seed, Version: mpcvm.Version(),
		Model: m, Result: result, Table: t,
	}
	if auto, ok := o.Learner.(search.Auto); ok {
		f.Prefer = auto.Prefer.String()
	}
	f.Trials = trials(result, f.Prefer != "")
	e := &evaluation{Evaluation: f, o: o, likeliest: m.With(of.WithCosts(nil)), recipe: m.RowRecipe()}
	if e.o.Progress == nil {
		e.o.Progress = func(Progress) {}
	}
	if o.Find != "" && !slices.Contains(f.Classes, o.Find) {
		return nil, table.Finding{Code: texts.NoClass, Texts: []string{o.Find}}
	}
	f.Columns = used(t, e.recipe, f.Target)
	if err := e.label(column); err != nil {
		return nil, err
	}
	if f.Partial != "" {
		e.warn(texts.Budget, cmp.Or(result.Samples, f.N), f.N)
	}
	if result.Status != mpcvm.NotTerminated {
		f.Fit = model.NewFitInfo(f.N, result)
	}
	w := slices.Collect(maps.Values(t.ClassWeights))
	if len(w) < len(f.Classes) {
		w = append(w, 1)
	}
	if slices.Min(w) < slices.Max(w) {
		e.warn(texts.ClassWeighted, 0, 0)
	}
	steps := []func(context.Context) error{
		e.train, e.test, e.crossValidate, e.warnFolds, e.show, e.measureTrust, e.compare, e.measureColumns, e.learn,
	}
	if result.Validated != nil { // its score takes less time, and is worth more
		steps[0], steps[2] = steps[2], steps[0]
	}
	for i := 0; i < len(steps) && err == nil; i++ {
		err = steps[i](ctx)
	}
	if ctx.Err() != nil {
		share.Leave(ctx)
	}
	switch {
	case err != nil:
		return nil, err
	case e.folds != nil:
	case o.Find != "":
		e.warn(texts.NoRecall, 0, 0, o.Find, strconv.FormatFloat(100*o.Recall, 'g', -1, 64))
	case o.Costs != nil:
		e.warn(texts.NoCosts, 0, 0)
	}
	return f, nil
}

func (e *evaluation) warn(code table.Code, n, of int, more ...string) {
	e.Warnings = append(e.Warnings, table.Finding{Code: code, N: n, Of: of, Texts: more})
}

// label sets the labels of the training rows, and the baseline.
func (e *evaluation) label(column int) (err error) {
	if e.labels, err = e.Table.LabelsAs(column, e.Classes); err != nil { // no row of a class could be used
		f := table.Finding{Code: texts.ClassWithoutValues}
		all, classes := e.Table.Labels(column)
		for row, label := range all {
			if label < 0 || e.labels[row] >= 0 {
				continue
			}
			if f.N++; f.N == 1 {
				f.Row = row + 1
			}
			f.Texts = append(f.Texts, classes[label])
		}
		f.Texts = slices.Compact(slices.Sorted(slices.Values(f.Texts)))
		e.Warnings = append(e.Warnings, f)
	}
	weights, err := e.Table.Weights(fitting.All(e.Table.Rows), e.labels, e.Classes)
	if err != nil {
		return err
	}
	for row := range weights {
		if weights[row] == 0 { // left out of the fit
			e.labels[row] = -1
		}
	}
	e.counts = make([]int, len(e.Classes))
	for row, label := range e.labels {
		if label >= 0 && slices.ContainsFunc(e.recipe.Columns, func(c recipe.Column) bool {
			return !e.Table.Columns[e.Table.Find(c.Name)].Missing(row)
		}) {
			e.counts[label]++
			e.N++
		}
	}
	most := slices.Index(e.counts, slices.Max(e.counts))
	e.Baseline.Class = e.Classes[most]
	e.Baseline.Figures = model.Figures{Of: "majority baseline", Rows: e.N,
		Error: new(1 - float64(e.counts[most])/float64(e.N))}
	return nil
}

// used describes the columns of a table.
func used(t *table.Table, r *recipe.Recipe, target string) (list []Column) {
	for i := range t.Columns {
		c := &t.Columns[i]
		u := Column{Name: c.Name, Kind: c.Kind.String(), Use: "left out"}
		in := slices.IndexFunc(r.Columns, func(of recipe.Column) bool { return of.Name == c.Name })
		switch {
		case c.Name == target:
			u.Use = "class"
		case slices.Contains(r.ID, c.Name):
			u.Use = "name of the row"
		case in >= 0 && r.Columns[in].Kind == table.Category.String():
			u.Use = words.Plural(len(r.Columns[in].Levels), "level") + " and other"
		case in >= 0:
			u.Use = r.Columns[in].Kind
		case c.Name == t.Weight:
			u.Use = "weight of the row"
		case c.Aside:
			u.Use = "left out: group or time"
		}
		if in >= 0 && r.Columns[in].Missing {
			u.Use += ", and whether it is missing"
		}
		for row := range t.Rows {
			if c.Missing(row) {
				u.Missing += 1 / float64(t.Rows)
			}
		}
		list = append(list, u)
	}
	return list
}

func (e *evaluation) train(ctx context.Context) error {
	p, err := predictions(ctx, e.likeliest, e.Table, e.labels)
	switch {
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		e.warn(texts.NoTraining, 0, 0)
		return nil
	case err != nil:
		return err
	}
	train := p.measured()
	train.Of = "training (optimistic)"
	e.training, e.Train = p.Matrix, &train
	e.warnCollapse(p.Labels)
	return nil
}

// warnCollapse adds a warning if the model predicts too few classes for its own training rows.
func (e *evaluation) warnCollapse(predicted []int) {
	var never []string
	rows, frequencies := 0, make([]float64, len(e.counts))
	for c, n := range e.counts {
		frequencies[c] = float64(n) / float64(e.N)
		if n > 1 && !slices.Contains(predicted, c) {
			never, rows = append(never, e.Classes[c]), rows+n
		}
	}
	one := len(e.Classes)-len(never) == 1
	switch {
	case len(never) == 0:
	case e.Frequencies(): // reported elsewhere
		e.fewClasses = true
	case one && e.Result.Status != mpcvm.Collapsed && *e.Train.LogLoss < stat.Entropy(frequencies):
		e.fewClasses = true
		e.warn(texts.OneClass, rows, 0, never...)
	case one:
		e.fewClasses = true
		e.warn(texts.Collapsed, rows, 0, never...)
	default:
		e.warn(texts.NeverPredicted, rows, 0, never...)
	}
}

func (e *evaluation) test(ctx context.Context) error {
	t := e.o.Test
	if t == nil {
		return nil
	}
	column, _, err := t.Target(e.Target)
	if err != nil {
		return err
	}
	all, names := t.Labels(column)
	labels, _ := t.LabelsAs(column, e.Classes)
	lacking := map[string]bool{}
	for row, label := range labels {
		if all[row] >= 0 && label < 0 {
			labels[row], lacking[names[all[row]]] = len(e.Classes), true
		}
	}
	p, err := predictions(ctx, e.likeliest, t, labels)
	switch {
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		e.warn(texts.NoTest, 0, 0)
		return nil
	case err != nil:
		return err
	case len(p.T) == 0 && p.unknown > 0: // all of them are errors, as in a prediction
		e.Test = &TestFigures{model.Figures{Of: "test", Rows: p.unknown, Error: new(1.0)}, p.unknown}
		e.warn(texts.UnknownClasses, p.unknown, p.unknown, slices.Sorted(maps.Keys(lacking))...)
		return nil
	case len(p.T) == 0:
		e.warn(texts.NoTestRows, 0, 0)
		why := table.Finding{Code: texts.TestUnlabelled, Column: e.Target, Texts: []string{t.Name}}
		if p.unusable != nil {
			why.Code, why.Cause = texts.TestUnusable, p.unusable[0]
		}
		e.Unusable = why
		return nil
	}
	s := p.measured()
	known := float64(s.Rows)
	s.Of, s.Rows = "test", s.Rows+p.unknown
	*s.Error = (*s.Error*known + float64(p.unknown)) / float64(s.Rows)
	e.Test, e.tested = &TestFigures{s, p.unknown}, p.Matrix
	if p.unknown > 0 {
		e.warn(texts.UnknownClasses, p.unknown, s.Rows, slices.Sorted(maps.Keys(lacking))...)
	}
	shares, base := make([]float64, len(e.Classes)), 0.0
	for _, label := range e.labels {
		if label >= 0 {
			shares[label] += 1 / float64(e.N)
		}
	}
	for _, label := range p.T {
		base += logLoss(shares[label]) / float64(len(p.T))
	}
	if *s.LogLoss > base && !e.Frequencies() {
		e.warn(texts.WorseTestLogLoss, 0, 0, tabular.Number(*s.LogLoss), tabular.Number(base))
	}
	if left := len(p.unusable); left > 0 {
		e.warn(texts.UnusableTestRows, left, 0)
	}
	// Test rows may have the same features as training rows. Both have been encoded before.
	ctx = context.WithoutCancel(ctx)
	train, _ := e.recipe.Keys(ctx, e.Table, fitting.All(e.Table.Rows))
	tested, _ := e.recipe.Keys(ctx, t, p.Rows)
	seen, both := map[uint64]bool{}, 0
	for _, key := range train {
		seen[key] = true
	}
	for _, key := range tested {
		if seen[key] {
			both++
		}
	}
	if both > 0 {
		e.warn(texts.CopiesInTest, both, s.Rows)
	}
	return nil
}

// predicted contains the predictions of a model for the rows of a table.
type predicted struct {
	*Matrix
	unknown  int     // number of other rows whose label is C, an unknown class
	unusable []error // errors of labelled rows that cannot be predicted
}

// predictions predicts the rows of a table with a label of at least 0.
func predictions(ctx context.Context, m *model.Model, t *table.Table, labels []int) (p predicted, err error) {
	p.Matrix = &Matrix{Table: t, Classes: m.ClassNames(), K: 1,
		models: []*fitted{{classifier: m.Model(), recipe: m.RowRecipe()}}}
	all, err := m.Predict(ctx, t)
	if err != nil {
		return p, err
	}
	var proba []float64
	for i, one := range all {
		switch {
		case labels[i] < 0:
		case one.Err != nil:
			p.unusable = append(p.unusable, one.Err)
		case labels[i] == len(p.Classes):
			p.unknown++
		default:
			p.Rows, p.T, p.Labels, proba = append(p.Rows, i), append(p.T, labels[i]), append(p.Labels, one.Label),
				append(proba, one.Proba...)
		}
	}
	if p.Fold = make([]int, len(p.T)); len(p.T) > 0 {
		p.Proba = mat.NewDense(len(p.T), len(p.Classes), proba)
	}
	return p, nil
}

// Predict returns the predictions of a model for the rows of a table that have a class of the model and can
// be used. The class column is the one the model was trained on, or the one that table.Target chooses.
// Predict returns recipe.ErrNoColumn if the table lacks a column of the model, or the error of ctx.
func Predict(ctx context.Context, m *model.Model, t *table.Table) (*Matrix, error) {
	column, _, err := t.Target(m.RowRecipe().Target)
	if err != nil {
		return nil, err
	}
	labels, _ := t.LabelsAs(column, m.ClassNames())
	p, err := predictions(ctx, m, t, labels)
	return p.Matrix, err
}

// show chooses the predictions that show the errors of the model: out-of-fold predictions if there was a
// cross-validation, otherwise predictions for the test rows, otherwise for the training rows.
func (e *evaluation) show(ctx context.Context) error {
	switch {
	case e.folds != nil:
		e.Shown, e.Of = e.folds.Systems[1], "training rows, each predicted by a model that did not see it"
	case e.tested != nil:
		e.Shown, e.Of = e.tested, "rows of the test data"
	default:
		e.Shown, e.Of = e.training, "training rows, which the model has seen: the figures are optimistic"
	}
	if e.Shown != nil {
		return nil
	}
	p, err := predictions(context.WithoutCancel(ctx), e.likeliest, e.Table, e.labels)
	e.Shown = p.Matrix
	return err
}

// measureColumns stores the importance of the columns if computing it takes no more than a second or two.
func (e *evaluation) measureColumns(ctx context.Context) error {
	if e.CV == nil || float64(e.CV.Rows)*e.perRow() > 1e9 {
		return nil
	}
	_, _, err := e.Importance(ctx, nil)
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		return nil
	}
	return err
}

// perRow returns how many kernel evaluations times features a permutation of each column takes for each row.
func (e *Evaluation) perRow() float64 {
	return max(1, float64(len(e.Columns))*float64(e.RelevanceVectors)*float64(e.Features))
}

// Importance returns the permutation importance of the columns and a description of the rows used to
// measure it: the test table, otherwise the held-out rows of cross-validation, otherwise the training rows;
// only a part of them, at least 500, if they would take long. If cross-validation was used, the importance is
// also stored in Evaluation.Columns. progress may be nil.
func (e *Evaluation) Importance(ctx context.Context, progress func(Progress)) (list []Importance, of string,
	err error) {
	o, on := ImportanceOptions{Seed: e.Seed, Progress: progress}, e.Shown
	switch {
	case e.tested != nil:
		on, of = e.tested, "rows of the test data"
	case e.CV != nil:
		of = "rows that it did not see"
	default:
		of, o.Permutations = "training rows (optimistic)", 2
	}
	if e.importance != nil {
		return e.importance, of, nil
	}
	if most := max(500, int(2e9/e.perRow())); len(on.T) > most {
		o.MaxRows = most / len(slices.Compact(slices.Clone(on.Fold)))
		of = words.Count(most) + " of the " + of
	}
	if list, err = on.Importance(ctx, o); err != nil {
		return list, of, err
	}
	e.importance = list
	for _, one := range list {
		at := slices.IndexFunc(e.Columns, func(c Column) bool { return c.Name == one.Column })
		if e.CV != nil && at >= 0 {
			c := &e.Columns[at]
			c.Importance, c.ImportanceErr = finite(one.LogLoss.Mean), finite(one.Err.Mean)
		}
	}
	return list, of, nil
}
