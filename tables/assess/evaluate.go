package assess

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Evidence is what an Evaluation was made from.
type Evidence struct {
	// Model, Result and Table are what was evaluated. TestTable is nil if no row of it could be used.
	Model            *tables.Model
	Result           mpcvm.Result
	Table, TestTable *table.Table
	// Folds are the results of cross-validation, the baseline first; nil without.
	Folds *Results
	// Uncalibrated are the probabilities of the rows of Predictions without temperature and floor; nil if they
	// are not known.
	Uncalibrated *mat.Dense
	// Unusable is the reason why no row of EvaluateOptions.Test could be used; nil if one could.
	Unusable error

	figures    *Evaluation
	options    EvaluateOptions
	labels     []int // of the rows of Table, −1 without
	tested     []int // of the rows of TestTable
	collapsed  bool
	importance []Importance // what Importance returned
}

// leftOut names the classes of a table that the model does not know, and where they are.
func (e *Evidence) leftOut(t *table.Table, column int) (list []string) {
	labels, classes := t.Labels(column)
	for label, class := range classes {
		if slices.Contains(e.figures.Classes, class) {
			continue
		}
		rows, first := 0, -1
		for row, l := range labels {
			if l == label {
				if rows++; first < 0 {
					first = row
				}
			}
		}
		list = append(list, fmt.Sprintf("%s (%d of the rows, the first is row %d)", celltext.Quote(class), rows,
			first+1))
	}
	return list
}

// used lists the columns of a table.
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

// EvaluateOptions are the choices of Evaluate.
type EvaluateOptions struct {
	// Options deal the folds of the cross-validation; one repeat is used. If Folds is negative, there
	// is no cross-validation.
	Options
	// Learner and Result are what the model was fitted by, and what the fit said.
	Learner mpcvm.Learner
	Result  mpcvm.Result
	// Nested repeats the whole choice of Learner in every fold. If it is false, the chosen setting is
	// evaluated, as by Chosen.
	Nested bool
	// All uses all folds in any case. If it is false, one fold is used if the model learned from more than
	// 2000 samples: the samples that search.Auto has set aside (mpcvm.Result.Validated), if there are any.
	// These also chose the setting.
	All bool
	// Curve fits the chosen setting to growing parts of the training rows of the folds too, which costs
	// about one and a half times as much as the cross-validation.
	Curve bool
	// Compare are other systems that are evaluated in the same folds, such as some of Systems.
	Compare []System
	// Test is a table of other rows; nil without.
	Test *table.Table
	// Costs are C×C as for mpcvm.Model.Decide; nil without.
	Costs mat.Matrix
	// Find is the name of a class. Costs then become those with which cross-validation finds the share
	// Recall of its rows, as of CostsOfRecall. "" does nothing.
	Find   string
	Recall float64
}

// Evaluate measures how good a model of tables.Fit is, by cross-validation, on a test table and on the rows
// of t, which it was fitted to. What may make the figures worthless is in Evaluation.Warnings.
//
// If the deadline of ctx passes, the figures that need more time are left out and Warnings says so. If ctx is
// cancelled, the error is the context's. Other errors: a cell of t that is not a class of the model, a test
// table that lacks columns of the model, and a class to find that the model lacks.
func Evaluate(ctx context.Context, t *table.Table, m *tables.Model, o EvaluateOptions) (*Evaluation,
	*Evidence, error) {
	column, _, err := t.Target(recipeOf(m).Target)
	if err != nil {
		return nil, nil, err
	}
	of, result := m.Model(), o.Result
	f := &Evaluation{
		Set: strings.TrimSuffix(filepath.Base(t.Name), filepath.Ext(t.Name)), Reading: t.Reading,
		Target: t.Columns[column].Name, Algorithm: algorithm(o.Learner), Kernel: of.Kernel().String(),
		Features: of.Features(), Classes: m.ClassNames(), Temperature: of.Temperature(), Warnings: []Warning{},
		Partial: result.Partial, Candidates: result.Candidates, RelevanceVectors: of.VectorCount(),
		Weights: of.NonZero(),
		Status:  result.Status.String(), Iterations: result.Iterations, Seconds: result.Seconds, Seed: o.Seed,
		Version: mpcvm.Version(),
	}
	if auto, ok := o.Learner.(search.Auto); ok {
		f.Prefer = auto.Prefer.String()
	}
	f.Trials = trials(result, f.Prefer != "")
	e := &Evidence{Model: m, Result: result, Table: t, TestTable: o.Test, figures: f, options: o}
	err = e.evaluate(ctx, column)
	if ctx.Err() != nil {
		share.Leave(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	return f, e, nil
}

// evaluate measures all figures; column has the classes.
func (e *Evidence) evaluate(ctx context.Context, column int) error {
	t, o, f, r := e.Table, e.options, e.figures, recipeOf(e.Model)
	if o.Find != "" && !slices.Contains(f.Classes, o.Find) {
		return fmt.Errorf("assess: the model has no class %q, which is to be found", o.Find)
	}
	f.Columns = used(t, r, f.Target)
	if f.Partial != "" {
		e.warn("budget", "The time was up: %s.", f.Partial)
	}
	var err error
	if e.labels, err = t.LabelsAs(column, f.Classes); err != nil { // no row of a class could be used
		e.warn("class-without-values", "Classes left out, as none of their rows has a value in a feature and a "+
			"weight above 0: %s.", strings.Join(e.leftOut(t, column), ", "))
	}
	weights, err := t.Weights(fitting.All(t.Rows), e.labels, f.Classes)
	if err != nil {
		return err
	}
	for row := range weights {
		if weights[row] == 0 { // left out of the fit
			e.labels[row] = -1
		}
	}
	counts := make([]int, len(f.Classes))
	for row, label := range e.labels {
		if label >= 0 && slices.ContainsFunc(r.Columns,
			func(c recipe.Column) bool { return !t.Columns[t.Find(c.Name)].Missing(row) }) {
			counts[label]++
			f.N++
		}
	}
	most := slices.Index(counts, slices.Max(counts))
	f.Baseline.Class = f.Classes[most]
	f.Baseline.Figures = tables.Figures{Of: "majority baseline", Rows: f.N,
		Error: new(1 - float64(counts[most])/float64(f.N))}
	p, err := predictionsFor(ctx, e.likeliest(), t, e.labels)
	switch {
	case err == nil:
		train, err := Measure(p.Proba, p.Labels, p.T)
		if err != nil {
			return err
		}
		train.Of = "training (optimistic)"
		f.Train = &train
		e.warnCollapse(p.Labels, counts)
	case ctx.Err() != context.DeadlineExceeded:
		return err
	default:
		e.warn("no-training-figures", "The time was up before all training rows were predicted: there are no "+
			"figures of them.")
	}
	for _, measure := range []func(context.Context) error{
		e.test, e.crossValidate, e.measureTrust, e.compare, e.measureColumns, e.learn,
	} {
		if err := measure(ctx); err != nil {
			return err
		}
	}
	switch {
	case e.Folds != nil:
	case o.Find != "":
		e.warn("no-recall", "Without cross-validation no costs are known that find %g %% of the rows of %s: the "+
			"model decides for the likeliest class.", 100*o.Recall, o.Find)
	case o.Costs != nil:
		e.warn("no-costs", "Without cross-validation there is no figure for the costs.")
	}
	return nil
}

// measureColumns notes the importance of the columns in cross-validation, where that takes a second or
// two at most.
func (e *Evidence) measureColumns(ctx context.Context) error {
	const cheap = 1e9 // values of the kernel, times features
	f := e.figures
	if f.CV == nil || float64(len(recipeOf(e.Model).Columns))*float64(f.CV.Rows)*float64(
		f.RelevanceVectors*f.Features) > cheap {
		return nil
	}
	_, _, err := e.Importance(ctx, nil)
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		return nil
	}
	return err
}

func (e *Evidence) warn(code, format string, args ...any) {
	e.figures.Warnings = append(e.figures.Warnings, Warning{code, fmt.Sprintf(format, args...)})
}

// finite is a number for JSON, nil if it is not finite.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// warnCollapse warns of a model that predicts too few classes for its own training rows. predicted
// are the labels, counts the rows of each class.
func (e *Evidence) warnCollapse(predicted, counts []int) {
	var never []string
	for c, n := range counts {
		if n > 1 && !slices.Contains(predicted, c) {
			never = append(never, fmt.Sprintf("%q (%d rows)", e.figures.Classes[c], n))
		}
	}
	switch {
	case len(never) == 0:
	case e.figures.Frequencies(): // the verdict says so
		e.collapsed = true
	case len(e.figures.Classes)-len(never) == 1 && e.figures.Status != mpcvm.Collapsed.String() &&
		*e.figures.Train.LogLoss < entropy(counts):
		e.collapsed = true
		e.warn("one-class", "The model names the same class for all of its training rows, and never %s. Its "+
			"probabilities are better than the class frequencies, but no other class is ever the likeliest.",
			words.List(never, 20))
	case len(e.figures.Classes)-len(never) == 1:
		e.collapsed = true
		e.warn("collapsed", "THE MODEL COLLAPSED: it predicts one class for all of its training rows, and never "+
			"%s. Try another algorithm or kernel, or look for features that tell the classes apart.", words.List(never,
			20))
	default:
		e.warn("never-predicted", "The model never predicts %s, not even for its training rows.",
			words.List(never, 20))
	}
}

// entropy is the log loss of the frequencies of classes with these counts.
func entropy(counts []int) (h float64) {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(sum)
			h -= p * math.Log(p)
		}
	}
	return h
}

// test measures the model on the test table.
func (e *Evidence) test(ctx context.Context) error {
	t := e.TestTable
	if t == nil {
		return nil
	}
	column, _, err := t.Target(e.figures.Target)
	if err != nil {
		return err
	}
	all, names := t.Labels(column)
	e.tested, _ = t.LabelsAs(column, e.figures.Classes)
	for row, label := range e.tested { // rows of unknown classes come after the others
		if all[row] >= 0 && label < 0 {
			e.tested[row] = len(e.figures.Classes)
		}
	}
	p, err := predictionsFor(ctx, e.likeliest(), t, e.tested)
	unknown, lacking := p.without(len(e.figures.Classes)), map[string]bool{}
	for row, label := range e.tested {
		if label == len(e.figures.Classes) {
			e.tested[row], lacking[names[all[row]]] = -1, true
		}
	}
	switch {
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		e.warn("no-test-figures", "The time was up before all test rows were predicted: there are no figures of "+
			"them.")
		e.TestTable = nil
		return nil
	case err != nil:
		return err
	case len(p.T) == 0:
		e.warn("no-test-rows", "No row of the test data could be used: there are no figures of them.")
		e.Unusable = fmt.Errorf("no row of %s has a class in column %q: give a table that has them, or none",
			t.Name, e.figures.Target)
		switch {
		case unknown > 0:
			e.Unusable = fmt.Errorf("no row of %s is of a class that the model knows: %s", t.Name,
				words.List(e.figures.Classes, 20))
		case p.unusable != nil:
			e.Unusable = fmt.Errorf("no row with a class could be used, the first because of: %w", p.unusable[0])
		}
		e.TestTable = nil
		return nil
	}
	s, err := Measure(p.Proba, p.Labels, p.T)
	if err != nil {
		return err
	}
	known := float64(s.Rows)
	s.Of, s.Rows = "test", s.Rows+unknown
	*s.Error = (*s.Error*known + float64(unknown)) / float64(s.Rows)
	e.figures.Test = &TestFigures{s, unknown}
	if unknown > 0 {
		list := slices.Sorted(maps.Keys(lacking))
		for i := range list {
			list[i] = strconv.Quote(cell.Shorten(list[i]))
		}
		e.warn("unknown-classes", "%d of %d rows of the test data are of classes that the training data lacks "+
			"(%s): they count as errors, and are left out of the log loss and the AUC.", unknown, s.Rows, words.List(
			list, 5))
	}
	shares, base := make([]float64, len(e.figures.Classes)), 0.0
	for _, label := range e.labels {
		if label >= 0 {
			shares[label] += 1 / float64(e.figures.N)
		}
	}
	for _, label := range p.T {
		base += logLoss(shares[label]) / float64(len(p.T))
	}
	if *s.LogLoss > base && !e.figures.Frequencies() {
		e.warn("log-loss-test", "The log loss of the test data, %s, is worse than the log loss of the class "+
			"frequencies, %s: do not rely on the probabilities.", tabular.Number(*s.LogLoss), tabular.Number(base))
	}
	if left := len(p.unusable); left > 0 {
		e.warn("unusable-test-rows", "%d rows of the test data cannot be used: they lack a value, or have one "+
			"that is not of the kind of its column.", left)
	}
	seed, seen, both := maphash.MakeSeed(), map[uint64]bool{}, 0
	for _, key := range rowKeys(seed, e.Table, recipeOf(e.Model)) {
		seen[key] = true
	}
	keys := rowKeys(seed, t, recipeOf(e.Model))
	for _, row := range p.Rows {
		if seen[keys[row]] {
			both++
		}
	}
	if both > 0 {
		e.warn("duplicates-test", "%d of %d rows of the test data have the same features as a row of the "+
			"training data; if these are copies of one case, the test figures are too good.", both, s.Rows)
	}
	return nil
}

// Predictions are what a model says about rows whose classes are known.
type Predictions struct {
	Table     *table.Table
	Rows      []int // of the table, from 0
	Proba     *mat.Dense
	T, Labels []int
	// Of says in words what rows these are.
	Of string

	unusable []error // of the other rows with a label
}

// predictionsFor predicts the rows of a table that have a label.
func predictionsFor(ctx context.Context, m *tables.Model, t *table.Table, labels []int) (p Predictions,
	err error) {
	p.Table = t
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
		default:
			p.Rows, p.T, p.Labels, proba = append(p.Rows, i), append(p.T, labels[i]), append(p.Labels, one.Label),
				append(proba, one.Proba...)
		}
	}
	if len(p.T) > 0 {
		p.Proba = mat.NewDense(len(p.T), m.Model().Classes(), proba)
	}
	return p, nil
}

// without leaves out the rows of a label and returns how many there are.
func (p *Predictions) without(label int) (n int) {
	kept := 0
	for i, t := range p.T {
		if t == label {
			n++
			continue
		}
		p.Rows[kept], p.T[kept], p.Labels[kept] = p.Rows[i], t, p.Labels[i]
		copy(p.Proba.RawRowView(kept), p.Proba.RawRowView(i))
		kept++
	}
	p.Rows, p.T, p.Labels = p.Rows[:kept], p.T[:kept], p.Labels[:kept]
	switch {
	case kept == 0:
		p.Proba = nil
	case n > 0:
		_, c := p.Proba.Dims()
		p.Proba = p.Proba.Slice(0, kept, 0, c).(*mat.Dense)
	}
	return n
}

// Measure returns the figures of probabilities p (N×C) and predicted labels for the N labels t. AUC is nil if
// these are of one class.
func Measure(p mat.Matrix, labels, t []int) (f tables.Figures, err error) {
	f.Rows, f.Error = len(t), new(score.ErrorRate(labels, t))
	loss, err := score.LogLoss(p, t)
	if err != nil {
		return f, err
	}
	f.LogLoss = &loss
	auc, err := score.AUC(p, t)
	if errors.Is(err, score.ErrUndefined) {
		return f, nil
	}
	f.AUC = &auc
	return f, err
}

// Predictions returns what system s predicted for the rows that it did not see, without Table and Of.
func (r *Results) Predictions(s int) (p Predictions) {
	o := &r.Systems[s]
	r.eachScored(func(repeat, n int) {
		p.Rows, p.T, p.Labels = append(p.Rows, r.Rows[n]), append(p.T, r.T[n]),
			append(p.Labels, o.Labels[repeat][n])
	})
	p.Proba, _ = r.OutOfFold(s)
	return p
}

// Predictions are the rows by which the errors of the model are shown: each by a model that did not
// see it; without cross-validation the test rows; without these the training rows.
func (e *Evidence) Predictions(ctx context.Context) (p Predictions, err error) {
	switch {
	case e.Folds != nil:
		p = e.Folds.Predictions(1)
		p.Table = e.Table
		p.Of = "training rows, each predicted by a model that did not see it"
	case e.TestTable != nil:
		p, err = predictionsFor(ctx, e.likeliest(), e.TestTable, e.tested)
		p.Of = "rows of the test data"
	default:
		p, err = predictionsFor(ctx, e.likeliest(), e.Table, e.labels)
		p.Of = "training rows, which the model has seen: the figures are optimistic"
	}
	return p, err
}

// likeliest is the model without costs: all figures except Costs are about the likeliest class.
func (e *Evidence) likeliest() *tables.Model { return e.Model.With(e.Model.Model().WithCosts(nil)) }

// manyToFit is the number of samples above which one fold evaluates the model: the samples that
// search.Auto has set aside, or one that costs about one more fit.
const manyToFit = 2000

// onlyFolds is how many of the folds are used: all, or one of many samples.
func (e *Evidence) onlyFolds() int {
	if !e.options.All && e.figures.N > manyToFit {
		return 1
	}
	return e.options.Options.defaults().Folds
}

// system is what cross-validation evaluates. ok is false if there is none: the fit ended before the
// setting of the model was tried.
func (e *Evidence) system() (s System, ok bool) {
	l := e.options.Learner
	if e.options.Nested {
		return Of(Title(e.figures.Algorithm), l), true
	}
	if _, auto := l.(search.Auto); l == nil || auto && search.Chosen(e.Result) == nil {
		return s, false
	}
	return Chosen(Title(e.figures.Algorithm), l, e.Model.Model(), e.Result), true
}

// crossValidate evaluates the chosen setting on fresh folds or, nested, the whole choice.
func (e *Evidence) crossValidate(ctx context.Context) error {
	if e.options.Folds < 0 {
		return nil
	}
	o, only := e.options.Options.defaults(), e.onlyFolds()
	end, limited := ctx.Deadline()
	spare, cut := time.Until(end)/20, false // to predict
	system, ok := e.system()
	auto, searches := e.options.Learner.(search.Auto)
	heldOut := e.Result.Validated
	if only > 1 || e.options.Nested {
		heldOut = nil
	}
	switch chosen := search.Chosen(e.Result); {
	case heldOut != nil:
		system = System{Name: Title(e.figures.Algorithm), model: heldOut.Model}
	case limited && only == 1 && !e.options.Nested && chosen != nil:
		// A figure of a fit that was cut short is better than none.
		system = Of(Title(e.figures.Algorithm), stopped{chosen, end.Add(-spare), &cut})
		system.constant = e.Result.Status == mpcvm.Collapsed
	case !ok && searches && only == 1: // the whole choice again, in the time that is left
		auto.Budget = max(time.Until(end)-spare, 1)
		system, e.options.Nested = Of(Title(e.figures.Algorithm), auto), true
	case !ok:
		e.warn("no-cross-validation", "There was no time to try the setting of the model, so there is no "+
			"cross-validation.")
		return nil
	}
	inTime, stop := context.WithCancel(ctx)
	defer stop()
	if only < o.Folds { // the others are cancelled
		inTime = share.Alone(inTime)
	}
	if o.Samples == nil {
		o.Samples = e.Model.Samples()
	}
	o.Repeats, o.Keep, o.Progress = 1, true, func(p Progress) {
		e.report(Progress{Done: p.Done / 2, Total: only}) // of a fold, the baseline and the model
		if only < o.Folds && p.Done >= 2*only {
			stop()
		}
	}
	r, err := Deal(inTime, e.Table, e.figures.Target, o)
	if err == nil && heldOut != nil {
		r.holdOut(heldOut.Unseen)
		r.Duplicates = r.duplicates(e.Table)
	}
	if err == nil {
		r, err = r.crossValidate(inTime, e.Table, []System{system}, o)
	}
	switch {
	case ctx.Err() == context.Canceled:
		return fmt.Errorf("cross-validation: %w", ctx.Err())
	case err != nil && inTime.Err() == nil:
		e.warn("no-cross-validation", "Cross-validation failed: %v.", err)
		return nil
	case r != nil && errors.Is(r.Systems[1].Err, errCollapsed):
		e.warn("no-cross-validation", "Cross-validation failed: %v.", r.Systems[1].Err)
		return nil
	}
	dealt, done := 0, 0
	if r != nil {
		dealt, done = r.countFolds()
	}
	if done == 0 {
		e.warn("no-cross-validation", "The budget left no time for cross-validation: there is no figure for "+
			"rows that the model did not see.")
		return nil
	}
	e.Folds = r
	e.validate(heldOut != nil)
	if cut {
		e.warn("budget", "The budget cut the fit of the cross-validation short; the figures are those of a "+
			"model that has learned less.")
	}
	if done+r.collapsedFolds < min(only, dealt) {
		e.warn("budget", "The budget left time for %d of %d folds of the cross-validation.", done, dealt)
	}
	for _, w := range r.Warnings() {
		said := map[string]bool{
			"small-class":     true, // by package look
			"no-better":       true, // by the verdict
			"never-predicted": e.collapsed,
			"collapsed":       e.figures.Frequencies(),
			"log-loss":        e.figures.Frequencies(),
		}
		if !said[w.Code] {
			e.figures.Warnings = append(e.figures.Warnings, w)
		}
	}
	return nil
}

// holdOut makes the listed samples, and no others, fold 0.
func (r *Results) holdOut(samples []int) {
	for n, fold := range r.Fold[0] {
		if fold == 0 {
			r.Fold[0][n] = 1
		}
	}
	for _, n := range samples {
		r.Fold[0][n] = 0
	}
}

// stopped is a learner that stops at a time and gives the model so far.
type stopped struct {
	mpcvm.Learner
	end time.Time
	cut *bool // set if it was stopped
}

// Fit implements mpcvm.Learner.
func (l stopped) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model,
	mpcvm.Result, error) {
	inTime, stop := context.WithDeadline(ctx, l.end)
	defer stop()
	m, result, err := l.Learner.Fit(inTime, s, observers...)
	if m != nil && err != nil && ctx.Err() == nil && inTime.Err() != nil {
		*l.cut, err = true, nil
	}
	return m, result, err
}

// countFolds counts the folds that have rows, and those whose rows the first two systems have
// predicted. Few rows fill few folds.
func (r *Results) countFolds() (dealt, done int) {
	predicted := map[int]bool{}
	for n, fold := range r.Fold[0] {
		if fold < r.Folds { // not the only row of a class
			predicted[fold] = predicted[fold] || r.Systems[1].Labels[0][n] >= 0 && r.Systems[0].Labels[0][n] >= 0
		}
	}
	for _, p := range predicted {
		if p {
			done++
		}
	}
	return len(predicted), done
}

// validate takes the figures from the results of the cross-validation.
func (e *Evidence) validate(heldOut bool) {
	r, o, f := e.Folds, &e.options, e.figures
	dealt, done := r.countFolds()
	p := r.Predictions(1)
	v := &CrossValidation{Figures: r.Score(1).figures(len(p.T)), Folds: dealt, Done: done,
		Nested: o.Nested, HeldOut: heldOut, DealtBy: r.DealtBy}
	v.Of, v.How = "cross-validation", v.how()
	v.Classes, v.Confusion = p.Classes(r.Classes)
	f.CV = v
	base := &f.Baseline.Figures
	base.Rows, base.LogLoss, base.AUC = v.Rows, finite(r.Score(0).LogLoss.Value), new(0.5)
	if class := slices.Index(r.Classes, o.Find); class >= 0 {
		costs, err := CostsOfRecall(p.Proba, p.T, class, o.Recall)
		if err != nil {
			e.warn("no-recall", "No costs find that share of the rows of %s: %v. The model decides for the "+
				"likeliest class.", o.Find, err)
			return
		}
		o.Costs = costs
	}
	if o.Costs == nil {
		return
	}
	with := r.Decide(1, o.Costs)
	f.Costs = &MeanCosts{Matrix: rowsOf(o.Costs), Find: o.Find, Recall: o.Recall}
	for i, label := range with.Labels[0] {
		if label != r.Systems[1].Labels[0][i] {
			f.Costs.Differently++
		}
	}
	r.Systems = append(r.Systems, with)
	for system, to := range []*MeanCost{&f.Costs.Baseline, &f.Costs.Likeliest, &f.Costs.LeastCost} {
		mean := r.Cost(system, o.Costs)
		*to = MeanCost{mean.Value, finite(mean.SE)}
	}
	f.Costs.Classes, _ = r.Predictions(2).Classes(r.Classes)
	r.Systems = r.Systems[:2]
}

// how describes the cross-validation in a few words. It does not name the column by which the folds are
// dealt.
func (v *CrossValidation) how() string {
	if v.HeldOut {
		return "rows that the search held out"
	}
	text := words.Plural(v.Folds, "fold")
	if v.Done < v.Folds {
		text = fmt.Sprintf("%d of %s", v.Done, text)
	}
	if v.DealtBy != "" {
		text += ", dealt by groups or by time"
	}
	if v.Nested {
		text = "nested, " + text
	}
	return text
}

// Importance returns how much the columns matter, and says on which rows that was measured: the test table,
// rows that a model did not see or, without these, the training rows. If it was measured by cross-validation,
// it is also noted in Evaluation.Columns. progress may be nil.
func (e *Evidence) Importance(ctx context.Context, progress func(Progress)) (list []Importance, of string,
	err error) {
	o := ImportanceOptions{Seed: e.figures.Seed, Progress: progress}
	measure := func() ([]Importance, error) { return ImportanceOn(ctx, e.likeliest(), e.Table, o) }
	switch {
	case e.TestTable != nil:
		of = "rows of the test data"
		measure = func() ([]Importance, error) { return ImportanceOn(ctx, e.likeliest(), e.TestTable, o) }
	case e.Folds != nil:
		of = "rows that it did not see"
		measure = func() ([]Importance, error) { return e.Folds.Importance(ctx, 1, o) }
	default:
		of, o.Permutations = "training rows (optimistic)", 2
	}
	if e.importance != nil {
		return e.importance, of, nil
	}
	if list, err = measure(); err != nil {
		return list, of, err
	}
	e.importance = list
	for _, one := range list {
		at := slices.IndexFunc(e.figures.Columns, func(c Column) bool { return c.Name == one.Column })
		if e.figures.CV != nil && at >= 0 {
			c := &e.figures.Columns[at]
			c.Importance, c.ImportanceErr = finite(one.LogLoss.Mean), finite(one.Err.Mean)
		}
	}
	return list, of, nil
}

// Classes returns the figures of each class, and the confusion matrix: the rows of each class (rows) that are
// predicted as each class (columns).
func (p Predictions) Classes(names []string) (list []ClassFigures, confusion [][]int) {
	confusion, err := score.Confusion(p.Labels, p.T, len(names))
	if err != nil {
		panic("assess: " + err.Error()) // no labels of these classes
	}
	rows, recall, precision := recalls(confusion)
	pair := mat.NewDense(max(len(p.T), 1), 2, nil) // the class and the rest
	labels := make([]int, len(p.T))
	for c, name := range names {
		f := ClassFigures{Class: name, N: rows[c], Recall: finite(recall[c]), Precision: finite(precision[c])}
		if p.Proba != nil {
			for i, label := range p.T {
				v := p.Proba.At(i, c)
				pair.SetRow(i, []float64{v, 1 - v})
				if labels[i] = 1; label == c {
					labels[i] = 0
				}
			}
			if v, err := score.AUC(pair, labels); err == nil {
				f.AUC = &v
			}
		}
		list = append(list, f)
	}
	return list, confusion
}
