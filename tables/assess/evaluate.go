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
	"github.com/mpcvm/mpcvm/internal/polled"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// leftOut describes the classes of a table that the model does not know.
func (e *Evaluation) leftOut(t *table.Table, column int) (list []string) {
	labels, classes := t.Labels(column)
	for label, class := range classes {
		if slices.Contains(e.Classes, class) {
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

// EvaluateOptions configures Evaluate.
type EvaluateOptions struct {
	// Options configures the cross-validation, which always has one repeat. A negative value of Folds turns
	// it off.
	Options
	// Learner and Result are the learner of the model and the result of its fit.
	Learner mpcvm.Learner
	Result  mpcvm.Result
	// Nested repeats the whole choice of the setting in every fold. By default, the chosen setting is
	// evaluated; see Chosen.
	Nested bool
	// All always evaluates all folds. By default, a model of more than 2000 samples is evaluated on one fold
	// only: the samples that search.Auto held out (mpcvm.Result.Validated), if any. These samples were also
	// used to choose the setting.
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
	// that class is found in cross-validation; see CostsOfRecall.
	Find   string
	Recall float64
}

// Evaluate evaluates a model of model.Fit by cross-validation, on a test table and on its training rows t.
// Problems that can invalidate the results are listed in Evaluation.Warnings.
//
// If the deadline of ctx passes, the remaining scores are left out, with a warning. If ctx is cancelled,
// Evaluate returns the error of the context. It also returns an error if a cell of the class column of t is
// not a class of the model, if the test table lacks columns of the model, or if the model has no class
// Find.
func Evaluate(ctx context.Context, t *table.Table, m *model.Model, o EvaluateOptions) (*Evaluation, error) {
	column, _, err := t.Target(recipeOf(m).Target)
	if err != nil {
		return nil, err
	}
	of, result := m.Model(), o.Result
	e := &Evaluation{
		Set: strings.TrimSuffix(filepath.Base(t.Name), filepath.Ext(t.Name)), Reading: t.Reading,
		Target: t.Columns[column].Name, Algorithm: algorithm(o.Learner), Kernel: of.Kernel().String(),
		Features: of.Features(), Classes: m.ClassNames(), Temperature: of.Temperature(), Warnings: []Warning{},
		Partial: result.Partial, Candidates: result.Candidates, RelevanceVectors: of.VectorCount(),
		Weights: of.NonZero(),
		Status:  result.Status.String(), Iterations: result.Iterations, Seconds: result.Seconds, Seed: o.Seed,
		Version: mpcvm.Version(),
		Model:   m, Result: result, Table: t, TestTable: o.Test, options: o,
	}
	if auto, ok := o.Learner.(search.Auto); ok {
		e.Prefer = auto.Prefer.String()
	}
	e.Trials = trials(result, e.Prefer != "")
	err = e.evaluate(ctx, column)
	if ctx.Err() != nil {
		share.Leave(ctx)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// evaluate computes all scores; column is the index of the class column.
func (e *Evaluation) evaluate(ctx context.Context, column int) error {
	t, o, f, r := e.Table, e.options, e, recipeOf(e.Model)
	if o.Find != "" && !slices.Contains(f.Classes, o.Find) {
		return fmt.Errorf("assess: EvaluateOptions.Find: the model has no class %q", o.Find)
	}
	f.Columns = used(t, r, f.Target)
	if f.Partial != "" {
		e.warn("budget", "The time limit was reached: %s.", f.Partial)
	}
	var err error
	if e.labels, err = t.LabelsAs(column, f.Classes); err != nil { // no row of a class could be used
		e.warn("class-without-values", "Classes left out because none of their rows has a value in a feature and "+
			"a weight above 0: %s.", strings.Join(e.leftOut(t, column), ", "))
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
	f.Baseline.Figures = model.Figures{Of: "majority baseline", Rows: f.N,
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
		e.warn("no-training-figures", "The time limit was reached before all training rows were predicted, so "+
			"their figures are missing.")
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
		e.warn("no-recall", "Choosing costs that find %g %% of the rows of %s requires cross-validation, "+
			"so the model predicts the most probable class.", 100*o.Recall, o.Find)
	case o.Costs != nil:
		e.warn("no-costs", "Estimating the mean costs requires cross-validation.")
	}
	return nil
}

// measureColumns stores the importance of the columns in cross-validation if computing it takes no more
// than a second or two.
func (e *Evaluation) measureColumns(ctx context.Context) error {
	const cheap = 1e9 // kernel evaluations times features
	f := e
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

func (e *Evaluation) warn(code, format string, args ...any) {
	e.Warnings = append(e.Warnings, Warning{code, fmt.Sprintf(format, args...)})
}

// finite returns a pointer to v for JSON, or nil if v is not finite.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// warnCollapse adds a warning if the model predicts too few classes for its own training rows. predicted
// contains the labels, counts the number of rows of each class.
func (e *Evaluation) warnCollapse(predicted, counts []int) {
	var never []string
	for c, n := range counts {
		if n > 1 && !slices.Contains(predicted, c) {
			never = append(never, fmt.Sprintf("%q (%d rows)", e.Classes[c], n))
		}
	}
	switch {
	case len(never) == 0:
	case e.Frequencies(): // reported elsewhere
		e.collapsed = true
	case len(e.Classes)-len(never) == 1 && e.Status != mpcvm.Collapsed.String() &&
		*e.Train.LogLoss < entropy(counts):
		e.collapsed = true
		e.warn("one-class", "The model predicts the same class for all of its training rows, and never %s. Its "+
			"probabilities are better than the class frequencies, but no other class is ever the most probable.",
			words.List(never, 20))
	case len(e.Classes)-len(never) == 1:
		e.collapsed = true
		e.warn("collapsed", "THE MODEL COLLAPSED: it predicts one class for all of its training rows, and never "+
			"%s. Try another algorithm or kernel, or look for features that tell the classes apart.", words.List(never,
			20))
	default:
		e.warn("never-predicted", "The model never predicts %s, not even for its training rows.",
			words.List(never, 20))
	}
}

// entropy returns the log loss of the class frequencies, given the number of rows of each class.
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

// test evaluates the model on the test table.
func (e *Evaluation) test(ctx context.Context) error {
	t := e.TestTable
	if t == nil {
		return nil
	}
	column, _, err := t.Target(e.Target)
	if err != nil {
		return err
	}
	all, names := t.Labels(column)
	e.tested, _ = t.LabelsAs(column, e.Classes)
	for row, label := range e.tested { // rows of unknown classes come after the others
		if all[row] >= 0 && label < 0 {
			e.tested[row] = len(e.Classes)
		}
	}
	p, err := predictionsFor(ctx, e.likeliest(), t, e.tested)
	unknown, lacking := p.without(len(e.Classes)), map[string]bool{}
	for row, label := range e.tested {
		if label == len(e.Classes) {
			e.tested[row], lacking[names[all[row]]] = -1, true
		}
	}
	switch {
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		e.warn("no-test-figures", "The time limit was reached before all test rows were predicted, so their "+
			"figures are missing.")
		e.TestTable = nil
		return nil
	case err != nil:
		return err
	case len(p.T) == 0:
		e.warn("no-test-rows", "No row of the test data could be used.")
		e.Unusable = fmt.Errorf("no row of %s has a class in column %q: use a table with classes, or no test table",
			t.Name, e.Target)
		switch {
		case unknown > 0:
			e.Unusable = fmt.Errorf("no row of %s has a class that the model knows: %s", t.Name,
				words.List(e.Classes, 20))
		case p.unusable != nil:
			e.Unusable = fmt.Errorf("no row with a class could be used; the first error: %w", p.unusable[0])
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
	e.Test = &TestFigures{s, unknown}
	if unknown > 0 {
		list := slices.Sorted(maps.Keys(lacking))
		for i := range list {
			list[i] = strconv.Quote(cell.Shorten(list[i]))
		}
		e.warn("unknown-classes", "%d of %d rows of the test data have classes that the training data lacks "+
			"(%s): they count as errors and are left out of the log loss and the AUC.", unknown, s.Rows, words.List(
			list, 5))
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
		e.warn("log-loss-test", "The log loss of the test data, %s, is worse than the log loss of the class "+
			"frequencies, %s: do not rely on the probabilities.", tabular.Number(*s.LogLoss), tabular.Number(base))
	}
	if left := len(p.unusable); left > 0 {
		e.warn("unusable-test-rows", "%d rows of the test data cannot be used: a value is missing or does not "+
			"match the kind of its column.", left)
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

// Predictions are the predictions of a model for rows whose classes are known.
type Predictions struct {
	Table     *table.Table
	Rows      []int // row numbers in the table, from 0
	Proba     *mat.Dense
	T, Labels []int
	// Of describes the rows in words.
	Of string

	unusable []error // errors of labelled rows that cannot be predicted
}

// predictionsFor predicts the labelled rows of a table.
func predictionsFor(ctx context.Context, m *model.Model, t *table.Table, labels []int) (p Predictions,
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

// without removes the rows with a label and returns their number.
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

// Measure returns the scores of the N×C probabilities p and the predicted labels for the true labels t. AUC
// is nil if t contains only one class.
func Measure(p mat.Matrix, labels, t []int) (f model.Figures, err error) {
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

// Predictions returns the out-of-fold predictions of system s. Table and Of are not set.
func (r *Results) Predictions(s int) (p Predictions) {
	o := &r.Systems[s]
	r.eachScored(func(repeat, n int) {
		p.Rows, p.T, p.Labels = append(p.Rows, r.Rows[n]), append(p.T, r.T[n]),
			append(p.Labels, o.Labels[repeat][n])
	})
	p.Proba, _ = r.OutOfFold(s)
	return p
}

// Predictions returns the predictions used to show the errors of the model: out-of-fold predictions if there
// was a cross-validation, otherwise predictions for the test rows, otherwise for the training rows.
func (e *Evaluation) Predictions(ctx context.Context) (p Predictions, err error) {
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

// likeliest returns the model without costs. All scores except Costs refer to the most probable class.
func (e *Evaluation) likeliest() *model.Model { return e.Model.With(e.Model.Model().WithCosts(nil)) }

// manyToFit is the number of samples above which the model is evaluated on one fold only: the samples held
// out by search.Auto, or a fold that costs about one more fit.
const manyToFit = 2000

// onlyFolds returns the number of folds to evaluate: all, or one if there are many samples.
func (e *Evaluation) onlyFolds() int {
	if !e.options.All && e.N > manyToFit {
		return 1
	}
	return e.options.Options.defaults().Folds
}

// system returns the system to cross-validate. ok is false if the fit ended before the setting of the model
// was evaluated.
func (e *Evaluation) system() (s System, ok bool) {
	l := e.options.Learner
	if e.options.Nested {
		return Of(Title(e.Algorithm), l), true
	}
	if _, auto := l.(search.Auto); l == nil || auto && search.Chosen(e.Result) == nil {
		return s, false
	}
	return Chosen(Title(e.Algorithm), l, e.Model.Model(), e.Result), true
}

// crossValidate evaluates the chosen setting on fresh folds or, nested, the whole choice.
func (e *Evaluation) crossValidate(ctx context.Context) error {
	if e.options.Folds < 0 {
		return nil
	}
	o, only := e.options.Options.defaults(), e.onlyFolds()
	end, limited := ctx.Deadline()
	spare, cut := time.Until(end)/20, false // reserved for predictions
	system, ok := e.system()
	auto, searches := e.options.Learner.(search.Auto)
	heldOut := e.Result.Validated
	if only > 1 || e.options.Nested {
		heldOut = nil
	}
	switch chosen := search.Chosen(e.Result); {
	case heldOut != nil:
		system = System{Name: Title(e.Algorithm), model: heldOut.Model}
	case limited && only == 1 && !e.options.Nested && chosen != nil:
		// The score of an interrupted fit is better than none.
		system = Of(Title(e.Algorithm), stopped{chosen, end.Add(-spare), &cut})
		system.constant = e.Result.Status == mpcvm.Collapsed
	case !ok && searches && only == 1: // repeat the whole search in the remaining time
		auto.Budget = max(time.Until(end)-spare, 1)
		system, e.options.Nested = Of(Title(e.Algorithm), auto), true
	case !ok:
		e.warn("no-cross-validation", "The budget left too little time to evaluate the setting of the "+
			"model by cross-validation.")
		return nil
	}
	inTime, stop := polled.WithCancel(ctx)
	defer stop()
	if only < o.Folds { // the others are cancelled
		inTime = share.Alone(inTime)
	}
	if o.Samples == nil {
		o.Samples = e.Model.Samples()
	}
	o.Repeats, o.Keep, o.Progress = 1, true, func(p Progress) {
		e.report(Progress{Done: p.Done / 2, Total: only}) // each fold fits the baseline and the model
		if only < o.Folds && p.Done >= 2*only {
			stop()
		}
	}
	r, err := Deal(inTime, e.Table, e.Target, o)
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
		e.warn("no-cross-validation", "The budget left no time for cross-validation, so there are no figures for "+
			"rows that the model did not see.")
		return nil
	}
	e.Folds = r
	e.validate(heldOut != nil)
	if cut {
		e.warn("budget", "The budget ended the fit of the cross-validation early; its figures describe a "+
			"model that was not fully trained.")
	}
	if done+r.collapsedFolds < min(only, dealt) {
		e.warn("budget", "The budget left time for %d of %d folds of the cross-validation.", done, dealt)
	}
	for _, w := range r.Warnings() {
		said := map[string]bool{
			"small-class":     true, // reported by package look
			"no-better":       true, // reported by the verdict
			"never-predicted": e.collapsed,
			"collapsed":       e.Frequencies(),
			"log-loss":        e.Frequencies(),
		}
		if !said[w.Code] {
			e.Warnings = append(e.Warnings, w)
		}
	}
	return nil
}

// holdOut makes the given samples the only ones of fold 0.
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

// countFolds returns the number of folds that contain rows, and how many of these the first two systems
// have predicted. With few rows some folds are empty.
func (r *Results) countFolds() (dealt, done int) {
	predicted := map[int]bool{}
	for n, fold := range r.Fold[0] {
		if fold < r.Folds { // fold K is a row that is always used for training
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

// validate stores the scores of the cross-validation.
func (e *Evaluation) validate(heldOut bool) {
	r, o, f := e.Folds, &e.options, e
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
			e.warn("no-recall", "No choice of costs finds that share of the rows of %s: %v. The model predicts the "+
				"most probable class.", o.Find, err)
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

// how describes the cross-validation in a few words, without naming the column by which the folds are
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
		text += ", split by groups or by time"
	}
	if v.Nested {
		text = "nested, " + text
	}
	return text
}

// Importance returns the permutation importance of the columns and a description of the rows used to
// measure it: the test table, otherwise the held-out rows of cross-validation, otherwise the training rows.
// If cross-validation was used, the importance is also stored in Evaluation.Columns. progress may be nil.
func (e *Evaluation) Importance(ctx context.Context, progress func(Progress)) (list []Importance, of string,
	err error) {
	o := ImportanceOptions{Seed: e.Seed, Progress: progress}
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
		at := slices.IndexFunc(e.Columns, func(c Column) bool { return c.Name == one.Column })
		if e.CV != nil && at >= 0 {
			c := &e.Columns[at]
			c.Importance, c.ImportanceErr = finite(one.LogLoss.Mean), finite(one.Err.Mean)
		}
	}
	return list, of, nil
}

// Classes returns the scores of each class and the confusion matrix, whose element (i, j) is the number of
// rows of class i that are predicted as class j.
func (p Predictions) Classes(names []string) (list []ClassFigures, confusion [][]int) {
	confusion, err := score.Confusion(p.Labels, p.T, len(names))
	if err != nil {
		panic("assess: " + err.Error()) // the labels are not of these classes
	}
	rows, recall, precision := recalls(confusion)
	pair := mat.NewDense(max(len(p.T), 1), 2, nil) // the class against the rest
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
