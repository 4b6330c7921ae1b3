package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/assess"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// fitted is the result of a fit as JSON.
type fitted struct {
	Set       string   `json:"dataset"`
	Reading   string   `json:"reading"`
	Target    string   `json:"target"`
	Algorithm string   `json:"algorithm"`
	Kernel    string   `json:"kernel"`
	N         int      `json:"n"` // samples to learn from
	Features  int      `json:"features"`
	Classes   []string `json:"classes"`
	Prefer    string   `json:"prefer,omitempty"` // of auto
	Trials    []trial  `json:"trials,omitempty"`
	Temper    float64  `json:"temperature"`
	// CV are the figures of rows that the model did not see; null without them.
	CV        *validated           `json:"cv"`
	Baseline  baseline             `json:"baseline"`
	Costs     *expected            `json:"costs,omitempty"`
	Test      *scores              `json:"test,omitempty"`
	Train     *scores              `json:"train,omitempty"` // nil if the time was up
	Warnings  []assess.Warning     `json:"warnings"`
	Partial   string               `json:"partial,omitempty"`
	Candidate int                  `json:"candidates,omitempty"`
	Vectors   int                  `json:"n_basis"`
	Weights   []int                `json:"weights_per_class"`
	Status    string               `json:"status"`
	Iteration int                  `json:"iterations"`
	Seconds   float64              `json:"fit_s"`
	Seed      uint64               `json:"seed"`
	Model     string               `json:"model"`
	Report    string               `json:"report,omitempty"`
	summary   []mpcvm.ClassSummary // for the table
	frontier  []trial              // likewise
}

// scores tell how well a model predicts a set. AUC is nil if it is undefined: for one class.
type scores struct {
	N       int      `json:"n"`
	Err     float64  `json:"err"`
	AUC     *float64 `json:"auc"`
	LogLoss float64  `json:"logloss"`
}

// validated are the figures of cross-validation with their standard errors; nil where they are
// not defined.
type validated struct {
	Err       *float64         `json:"err"`
	ErrSE     *float64         `json:"err_se"`
	LogLoss   *float64         `json:"logloss"`
	LogLossSE *float64         `json:"logloss_se"`
	AUC       *float64         `json:"auc"`
	AUCSE     *float64         `json:"auc_se"`
	N         int              `json:"n"`
	Folds     int              `json:"folds"`
	Done      int              `json:"folds_done"`
	Nested    bool             `json:"nested"`
	By        string           `json:"dealt_by,omitempty"` // "" row by row
	Classes   []validatedClass `json:"classes"`
}

type validatedClass struct {
	Class     string   `json:"class"`
	N         int      `json:"n"`
	Recall    *float64 `json:"recall"`
	Precision *float64 `json:"precision"`
}

// baseline is the most frequent class of all samples, and the error of always naming it. LogLoss
// is that of the shares of the classes in cross-validation.
type baseline struct {
	Err     float64  `json:"err"`
	LogLoss *float64 `json:"logloss"`
	Class   string   `json:"class"`
}

// expected are the mean costs of a row: if the likeliest class is named, if that of the least
// expected cost is, and if always the most frequent is.
type expected struct {
	Likeliest   costFigure `json:"likeliest"`
	LeastCost   costFigure `json:"least_cost"`
	Baseline    costFigure `json:"baseline"`
	Differently int        `json:"decided_differently"`
}

type costFigure struct {
	Cost float64  `json:"cost"`
	SE   *float64 `json:"se"`
}

// trial is a kernel that was tried, with its results in cross-validation.
type trial struct {
	Learner     string  `json:"learner,omitempty"` // of auto only
	Kernel      string  `json:"kernel"`
	LogLoss     float64 `json:"logloss"`
	Err         float64 `json:"err"`
	Samples     int     `json:"samples,omitempty"`
	Temperature float64 `json:"temperature,omitempty"`
	Weights     int     `json:"n_weights,omitempty"`
	Seconds     float64 `json:"seconds,omitempty"`
	GivenUp     bool    `json:"given_up,omitempty"` // after its first fold
	Chosen      bool    `json:"chosen,omitempty"`
}

func trials(list []mpcvm.Trial) []trial {
	all := make([]trial, len(list))
	for i, t := range list {
		all[i] = trial{t.Learner, t.Kernel.String(), t.LogLoss, t.ErrorRate, t.Samples, t.Temperature, t.Weights, t.Seconds, t.GivenUp, t.Chosen}
	}
	return all
}

// known is a number for JSON, nil if it is not finite.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// judge finds out how good the model is: by cross-validation, on test data, and on the training
// data. If ctx ends, the model is saved already.
func (f *fit) judge(ctx context.Context) (err error) {
	m, result := f.trained, f.result
	f.Kernel, f.Vectors, f.Weights, f.summary, f.Temper = m.Kernel().String(), m.VectorCount(), m.NonZero(), m.Summary(), m.Temperature()
	f.Status, f.Iteration, f.Seconds, f.Candidate = result.Status.String(), result.Iterations, result.Seconds, result.Candidates
	f.Trials, f.frontier = trials(result.Trials), trials(nbhelpers.Frontier(result.Trials))
	counts := make([]int, len(f.Classes))
	most := 0
	for _, label := range f.samples.T {
		if counts[label]++; counts[label] > counts[most] {
			most = label
		}
	}
	f.Baseline = baseline{Err: 1 - float64(counts[most])/float64(len(f.samples.T)), Class: f.Classes[most]}
	switch s, predicted, _, err := measureTable(f.inTime, m, f.table, f.labels); {
	case err == nil:
		f.Train = &s
		f.warnCollapse(predicted, counts)
	case ctx.Err() != nil || f.inTime.Err() == nil:
		return err
	default:
		f.warn("no-training-figures", "The time was up before all training rows were predicted: there are no figures of them.")
	}
	if f.tested != nil {
		if err := f.judgeTest(ctx); err != nil {
			return err
		}
	}
	if err := f.crossValidate(ctx); err != nil {
		return err
	}
	if f.costMatrix != nil && f.results == nil {
		f.warn("no-costs", "Without cross-validation there is no figure for --costs.")
	}
	return nil
}

// warnCollapse warns of a model that predicts too few classes for its own training rows. counts
// are the rows of each class.
func (f *fit) warnCollapse(predicted, counts []int) {
	var never []string
	for c, n := range predicted {
		if n == 0 && counts[c] > 1 {
			never = append(never, fmt.Sprintf("%q (%d rows)", f.Classes[c], counts[c]))
		}
	}
	switch {
	case len(never) == 0:
	case f.frequencies(): // the verdict says so
		f.collapsed = true
	case len(f.Classes)-len(never) == 1:
		f.collapsed = true
		f.warn("collapsed", "THE MODEL COLLAPSED: it predicts one class for all of its training rows, and never %s. Try another algorithm or kernel, or look for features that tell the classes apart.", list(never))
	default:
		f.warn("never-predicted", "The model never predicts %s, not even for its training rows.", list(never))
	}
}

// judgeTest measures the model on test data.
func (f *fit) judgeTest(ctx context.Context) error {
	s, _, left, err := measureTable(ctx, f.trained, f.tested, f.testLabels)
	if err != nil {
		return err
	}
	if s.N == 0 {
		f.warn("no-test-rows", "No row of the test data could be used: there are no figures of them.")
		f.untested, err = f.whyUntested(ctx)
		f.tested = nil
		return err
	}
	f.fitted.Test = &s
	if left > 0 {
		f.warn("unusable-test-rows", "%d rows of the test data cannot be used: they lack a value, or have one that is not of the kind of its column.", left)
	}
	both, err := f.copies(ctx)
	if both > 0 {
		f.warn("duplicates-test", "%d of %d rows of the test data have the same features as a row of the training data; if these are copies of one case, the test figures are too good.", both, s.N)
	}
	return err
}

// whyUntested says why no row of the test data can be used.
func (f *fit) whyUntested(ctx context.Context) (why, err error) {
	all, err := f.trained.PredictTable(ctx, f.tested)
	if err != nil {
		return nil, err
	}
	for i, one := range all {
		if f.testLabels[i] >= 0 {
			return fmt.Errorf("--test: no row with a class could be used, the first because of: %w; compare the columns with those of the training file: mpcvm look %s", one.Err, f.test), nil
		}
	}
	return fmt.Errorf("--test: no row of %s has a class in column %q: give a file that has them, or leave --test out", f.tested.Name, f.Target), nil
}

// copies counts the rows of the test data whose features all recur in a row of the training data.
func (f *fit) copies(ctx context.Context) (int, error) {
	r, seed := f.trained.Recipe(), maphash.MakeSeed()
	each := func(t *table.Table, visit func(sum uint64)) error {
		const rows = 1 << 12
		for from := 0; from < t.Rows; from += rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			var part []int
			for i := from; i < min(from+rows, t.Rows); i++ {
				part = append(part, i)
			}
			x, unusable, err := r.Encode(nil, t, part)
			if err != nil {
				return err
			}
			for i := range part {
				if unusable != nil && unusable[i] != nil {
					continue
				}
				var h maphash.Hash
				h.SetSeed(seed)
				for _, v := range x.RawRowView(i) {
					maphash.WriteComparable(&h, v)
				}
				visit(h.Sum64())
			}
		}
		return nil
	}
	seen, both := map[uint64]bool{}, 0
	err := each(f.table, func(sum uint64) { seen[sum] = true })
	if err == nil {
		err = each(f.tested, func(sum uint64) {
			if seen[sum] {
				both++
			}
		})
	}
	return both, err
}

// labelsFor returns the labels of all rows as indices of the classes of a model, −1 for a row
// without.
func labelsFor(t *table.Table, column int, classes []string) ([]int, error) {
	labels, own := t.Labels(column)
	known := cell.NewLabels(classes)
	for i, label := range labels {
		if label < 0 {
			continue
		}
		c := known.Find(own[label], nil)
		if c < 0 {
			return nil, &cell.Error{Name: t.Name, Row: int64(i) + 1, Column: column + 1, Header: t.Columns[column].Name, Value: own[label], Err: cell.ErrUnknownClass}
		}
		labels[i] = c
	}
	return labels, nil
}

// measureTable scores a model on the rows of a table that have a label. predicted counts the rows of
// each predicted class, unusable those that the model cannot use.
func measureTable(ctx context.Context, m *mpcvm.Model, t *table.Table, labels []int) (s scores, predicted []int, unusable int, err error) {
	all, err := m.PredictTable(ctx, t)
	if err != nil {
		return s, nil, 0, err
	}
	predicted = make([]int, m.Classes())
	var p []float64
	var guesses, truth []int
	for i, one := range all {
		switch {
		case labels[i] < 0:
		case one.Err != nil:
			unusable++
		default:
			p, guesses, truth = append(p, one.Proba...), append(guesses, one.Label), append(truth, labels[i])
			predicted[one.Label]++
		}
	}
	if len(truth) == 0 {
		return s, predicted, unusable, nil
	}
	s, err = scoresOf(mat.NewDense(len(truth), m.Classes(), p), guesses, truth)
	return s, predicted, unusable, err
}

// scoresOf are the scores of probabilities and predicted labels.
func scoresOf(p *mat.Dense, labels, t []int) (s scores, err error) {
	s = scores{N: len(t), Err: score.ErrorRate(labels, t)}
	if s.LogLoss, err = score.LogLoss(p, t); err != nil {
		return s, err
	}
	switch auc, err := score.AUC(p, t); {
	case err == nil:
		s.AUC = &auc
	case !errors.Is(err, score.ErrUndefined):
		return s, err
	}
	return s, nil
}

// Above so many samples one fold judges the model, which then costs about one more fit. A search
// makes many fits.
const (
	manyToSearch = 5000
	manyToFit    = 2000
)

// onlyFolds is how many of the folds are used: all, or one of many samples.
func (f *fit) onlyFolds() int {
	n := len(f.samples.T)
	_, searches := f.plain.(search.Auto)
	searches = searches || f.result.Trials != nil
	if !f.given("cv") && (n > manyToSearch || n > manyToFit && !searches) {
		return 1
	}
	return f.cv.k
}

// crossValidate judges the chosen setting on fresh folds or, nested, the whole choice.
func (f *fit) crossValidate(ctx context.Context) error {
	if f.cv.k == 0 {
		return nil
	}
	only := f.onlyFolds()
	end, cut := f.start.Add(f.budget-f.reserved()), false
	system, ok := f.system()
	switch chosen := search.Chosen(f.result); {
	case f.budget > 0 && only == 1 && !f.cv.nested && chosen != nil:
		// A figure of a fit that was cut short is better than none.
		system = assess.Of(f.title(), stopped{chosen, end.Add(-f.budget / 20), &cut})
	case !ok && only == 1: // the whole choice again, in the time that is left
		repeat := f.plain.(search.Auto)
		repeat.Budget = max(time.Until(end)-f.budget/20, 1)
		system, f.cv.nested = assess.Of(f.title(), repeat), true
	case !ok:
		f.warn("no-cross-validation", "There was no time to try the setting of the model, so there is no cross-validation.")
		return nil
	}
	inTime, stop := context.WithCancel(f.inTime)
	if f.budget > 0 {
		inTime, stop = context.WithDeadline(f.inTime, end)
	}
	defer stop()
	f.set(0, "cross-validation: begins")
	r, err := assess.CrossValidate(inTime, f.table, f.Target, []assess.System{system}, assess.Options{
		Folds: f.cv.k, Seed: f.seed, Progress: func(p assess.Progress) {
			f.set(float64(p.Done)/float64(p.Total), "cross-validation: %d of %d folds", p.Done/2, only)
			if only < f.cv.k && p.Done >= 2*only { // the baseline and the model
				stop()
			}
		},
	})
	f.set(0, "")
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("cross-validation: %w", ctx.Err())
	case err != nil && inTime.Err() == nil:
		f.warn("no-cross-validation", "Cross-validation failed: %v.", err)
		return nil
	}
	dealt, done := 0, 0
	if r != nil {
		dealt, done = countFolds(r)
	}
	if done == 0 {
		f.warn("no-cross-validation", "The budget left no time for cross-validation: there is no figure for rows that the model did not see.")
		return nil
	}
	f.results = r
	f.validate(r)
	if cut {
		f.warn("budget", "The budget cut the fit of the cross-validation short; the figures are those of a model that has learned less.")
	}
	if done < min(only, dealt) {
		f.warn("budget", "The budget left time for %d of %d folds of the cross-validation.", done, dealt)
	}
	for _, w := range r.Warnings() {
		switch w.Code {
		case "small-class": // said by package look
		case "no-better": // said by the verdict
		case "never-predicted":
			if !f.collapsed {
				f.warn(w.Code, "%s", w.Text)
			}
		case "collapsed":
			if !f.frequencies() {
				f.warn(w.Code, "%s", w.Text)
			}
		default:
			f.warn(w.Code, "%s", w.Text)
		}
	}
	return nil
}

// stopped is a learner that stops at a time and gives the model so far.
type stopped struct {
	mpcvm.Learner
	end time.Time
	cut *bool // set if it was stopped
}

// Fit implements mpcvm.Learner.
func (l stopped) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	inTime, stop := context.WithDeadline(ctx, l.end)
	defer stop()
	m, result, err := l.Learner.Fit(inTime, x, t, observers...)
	if m != nil && err != nil && ctx.Err() == nil && inTime.Err() != nil {
		*l.cut, err = true, nil
	}
	return m, result, err
}

// system is what cross-validation judges. ok is false if there is none: the budget ended before
// the setting of the model was tried.
func (f *fit) system() (s assess.System, ok bool) {
	if f.cv.nested {
		return assess.Of(f.title(), f.plain), true
	}
	if _, auto := f.plain.(search.Auto); auto && search.Chosen(f.result) == nil {
		return s, false
	}
	return assess.Chosen(f.title(), f.plain, f.trained, f.result), true
}

// countFolds counts the folds that have rows, and those whose rows both systems have predicted.
// Few rows fill few folds.
func countFolds(r *assess.Results) (dealt, done int) {
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

// validate takes the figures from the results.
func (f *fit) validate(r *assess.Results) {
	s, b := r.Score(1), r.Score(0)
	dealt, done := countFolds(r)
	_, t := r.OutOfFold(0)
	f.CV = &validated{
		Err: known(s.Err.Value), ErrSE: known(s.Err.SE), LogLoss: known(s.LogLoss.Value), LogLossSE: known(s.LogLoss.SE),
		AUC: known(s.AUC.Value), AUCSE: known(s.AUC.SE), N: len(t), Folds: dealt, Done: done, Nested: f.cv.nested, By: r.DealtBy,
	}
	for c, name := range r.Classes {
		n := 0
		for _, label := range t {
			if label == c {
				n++
			}
		}
		f.CV.Classes = append(f.CV.Classes, validatedClass{name, n, known(s.Recall[c]), known(s.Precision[c])})
	}
	f.Baseline.LogLoss = known(b.LogLoss.Value)
	if f.costMatrix == nil {
		return
	}
	figure := func(system int) costFigure {
		v := r.Cost(system, f.costMatrix)
		return costFigure{v.Value, known(v.SE)}
	}
	f.Costs = &expected{Likeliest: figure(1), Baseline: figure(0)}
	with := r.Decide(1, f.costMatrix)
	for i, label := range with.Labels[0] {
		if label != r.Systems[1].Labels[0][i] {
			f.Costs.Differently++
		}
	}
	r.Systems = append(r.Systems, with)
	f.Costs.LeastCost = figure(2)
	r.Systems = r.Systems[:2]
}

// percent and figure write a number with its standard error, if it is known.
func percent(v, se *float64) string { return figure(v, se, 100, "%.1f") }

func figure(v, se *float64, unit float64, format string) string {
	switch {
	case v == nil:
		return "undefined"
	case se == nil || *se == 0:
		return fmt.Sprintf(format, unit**v)
	}
	return fmt.Sprintf(format+" ± "+format, unit**v, unit**se)
}

// frequencies reports whether auto found nothing better than the frequencies of the classes.
func (r *fitted) frequencies() bool { return r.Prefer != "" && r.Vectors == 0 }

// verdict is a sentence on how good the model is.
func (r *fitted) verdict() string {
	base := fmt.Sprintf("always naming the most frequent class, %q, errs in %.1f %%", r.Baseline.Class, 100*r.Baseline.Err)
	if r.frequencies() {
		return fmt.Sprintf("No setting predicts rows that it did not see better than the frequencies of the classes. So these are the model: it uses no feature, and %s.", base)
	}
	const unknown = "How good the model is on new rows is not known: there was no cross-validation. "
	if r.CV == nil || r.CV.Err == nil {
		if t := r.Test; t != nil {
			return fmt.Sprintf("On %d rows of test data the model errs in %.1f %%; %s.", t.N, 100*t.Err, base)
		}
		return unknown + strings.ToUpper(base[:1]) + base[1:] + "."
	}
	text := fmt.Sprintf("On rows that it did not see, the model errs in %s %%; %s", percent(r.CV.Err, r.CV.ErrSE), base)
	switch e, se := *r.CV.Err, *r.CV.ErrSE; {
	case e > r.Baseline.Err-1e-12:
		text += ". So the model is of no use"
	case e+2*se >= r.Baseline.Err:
		text += ". The difference may be chance"
	}
	if loss, base := r.CV.LogLoss, r.Baseline.LogLoss; loss != nil && base != nil && *loss >= *base {
		text += fmt.Sprintf(". Its probabilities are no better than the frequencies of the classes: their log loss is %.3f, that of the frequencies %.3f", *loss, *base)
	}
	return text + "."
}

// how says how the figures of cross-validation were made.
func (r *fitted) how() string {
	if r.CV == nil {
		return ""
	}
	what := "the chosen setting is fitted again without the rows of a fold and predicts them; the choice has seen all rows, so the figures may be a little too good (--cv nested repeats the choice)"
	if r.CV.Nested {
		what = "the whole choice is repeated without the rows of a fold"
	}
	text := fmt.Sprintf("%d folds", r.CV.Folds)
	if r.CV.Done < r.CV.Folds {
		text = fmt.Sprintf("%d of %d folds, because of the time that all take (--cv %d uses all)", r.CV.Done, r.CV.Folds, r.CV.Folds)
	}
	if r.CV.By != "" {
		text += ", dealt " + r.CV.By
	}
	return fmt.Sprintf("Cross-validation: %s; %s. ± is one standard error.", text, what)
}

var scoreHeader = []string{"", "error %", "log loss", "AUC %", "samples"}

// scoreRows are the rows of the table of scores, the honest ones first.
func (r *fitted) scoreRows() [][]string {
	row := func(name string, n int, cells ...string) []string {
		return append(append([]string{name}, cells...), strconv.Itoa(n))
	}
	of := func(name string, s *scores) []string {
		return row(name, s.N, fmt.Sprintf("%.2f", 100*s.Err), fmt.Sprintf("%.3f", s.LogLoss), figure(s.AUC, nil, 100, "%.2f"))
	}
	base := []string{fmt.Sprintf("%.2f", 100*r.Baseline.Err), "", ""}
	var rows [][]string
	if v := r.CV; v != nil {
		base[1], base[2] = figure(r.Baseline.LogLoss, nil, 1, "%.3f"), "50.00"
		rows = append(rows, row("majority baseline", v.N, base...), row("cross-validation", v.N, figure(v.Err, v.ErrSE, 100, "%.2f"),
			figure(v.LogLoss, v.LogLossSE, 1, "%.3f"), figure(v.AUC, v.AUCSE, 100, "%.2f")))
	} else {
		rows = append(rows, row("majority baseline", r.N, base...))
	}
	if r.Test != nil {
		rows = append(rows, of("test", r.Test))
	}
	if r.Train != nil {
		rows = append(rows, of("training (optimistic)", r.Train))
	}
	return rows
}

var classHeader = []string{"class", "samples", "recall %", "precision %"}

// classRows are the recall and the precision of each class by cross-validation.
func (r *fitted) classRows() (rows [][]string) {
	if r.CV == nil {
		return nil
	}
	for _, c := range r.CV.Classes {
		precision := percent(c.Precision, nil)
		if c.Precision == nil {
			precision = "never predicted"
		}
		rows = append(rows, []string{c.Class, strconv.Itoa(c.N), percent(c.Recall, nil), precision})
	}
	return rows
}

var costHeader = []string{"decision", "mean cost"}

func (r *fitted) costRows() [][]string {
	if r.Costs == nil {
		return nil
	}
	cost := func(c costFigure) string { return figure(&c.Cost, c.SE, 1, "%.4g") }
	return [][]string{
		{"always " + r.Baseline.Class, cost(r.Costs.Baseline)}, {"the likeliest class", cost(r.Costs.Likeliest)},
		{"the class of the least expected cost (predict --costs)", cost(r.Costs.LeastCost)},
	}
}

var weightHeader = []string{"class", "bias", "weights for", "their sum", "weights against", "their sum"}

func (r *fitted) weightRows() [][]string {
	var rows [][]string
	for _, s := range r.summary {
		rows = append(rows, []string{s.Name, fmt.Sprintf("%.4g", s.Bias), strconv.Itoa(s.Positive), fmt.Sprintf("%.4g", s.PositiveSum),
			strconv.Itoa(s.Negative), fmt.Sprintf("%.4g", s.NegativeSum)})
	}
	return rows
}

var trialHeader = []string{"", "tried", "kernel", "rows", "log loss", "error %", "T", "weights", "s"}

// trialRows are the trials of auto that no smaller model beats, the chosen one marked; empty for
// other algorithms. The figures of trials that learned from a sample of the rows have a star.
func (r *fitted) trialRows() [][]string {
	var rows [][]string
	for _, t := range r.frontier {
		if t.Learner == "" {
			return nil
		}
		mark, sampled := "", ""
		if t.Chosen {
			mark = "chosen"
		}
		if t.Samples < r.N {
			sampled = "*"
		}
		rows = append(rows, []string{mark, t.Learner, inBrief(t.Kernel), strconv.Itoa(t.Samples) + sampled, fmt.Sprintf("%.4f", t.LogLoss) + sampled,
			fmt.Sprintf("%.2f", 100*t.Err) + sampled, fmt.Sprintf("%.2f", t.Temperature), strconv.Itoa(t.Weights), fmt.Sprintf("%.2f", t.Seconds)})
	}
	return rows
}

// trialRule says how the trials were judged.
func (r *fitted) trialRule() string {
	chosen := "the smallest model whose log loss exceeds the least one by at most " + map[string]string{
		search.Balance.String(): "one standard error", search.Sparsity.String(): "two standard errors",
	}[r.Prefer] + " of the mean difference, row by row"
	if r.Prefer == search.Accuracy.String() {
		chosen = "the model of the least log loss"
	}
	return fmt.Sprintf("Each setting was judged by its log loss at its own temperature and mixed with the frequencies of the classes, in 5-fold cross-validation within the training data "+
		"or, of more than 5000 rows, on up to 4000 that were set aside. "+
		"The choice is %s (--prefer %s), of the settings that learned from as many rows as the search could use. "+
		"A star marks settings that learned from a sample of the rows; they do not compare with those of other rows. T is the temperature, s are seconds.", chosen, r.Prefer)
}

var longNumber = regexp.MustCompile(`\d+\.\d{4,}(e[+-]?\d+)?`)

// inBrief is the name of a kernel for a table: with numbers of four digits, at most 60
// characters.
func inBrief(name string) string {
	name = longNumber.ReplaceAllStringFunc(name, func(number string) string {
		v, _ := strconv.ParseFloat(number, 64) // it is one
		return strconv.FormatFloat(v, 'g', 4, 64)
	})
	if short := []rune(name); len(short) > 60 {
		name = string(short[:59]) + "…"
	}
	return name
}

// about is a sentence on how the fit ended.
func (r *fitted) about() string {
	among := ""
	if r.Candidate > 0 && r.Candidate < r.N {
		among = fmt.Sprintf(" among %d candidates", r.Candidate)
	}
	if r.frequencies() {
		return fmt.Sprintf("Frequencies of the classes of %d samples; %.2f s.", r.N, r.Seconds)
	}
	return fmt.Sprintf("%s with the kernel %s on %d samples of %s: %s after %s, %.2f s; %s%s.",
		(&fitOptions{algorithm: r.Algorithm}).title(), inBrief(r.Kernel), r.N, plural(r.Features, "feature"), r.Status,
		plural(r.Iteration, "iteration"), r.Seconds, plural(r.Vectors, "relevance vector"), among)
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// figureTable is a table with the words of its header in lower case.
type figureTable struct {
	header []string
	rows   [][]string
}

func (r *fitted) print(out io.Writer) error {
	fmt.Fprintln(out, r.verdict())
	for _, t := range []figureTable{{scoreHeader, r.scoreRows()}, {classHeader, r.classRows()}, {costHeader, r.costRows()}} {
		if err := t.print(out); err != nil {
			return err
		}
	}
	if how := r.how(); how != "" {
		fmt.Fprintf(out, "\n%s\n", how)
	}
	fmt.Fprintf(out, "\n%s\n", r.about())
	for _, t := range []figureTable{{weightHeader, r.weightRows()}, {trialHeader, r.trialRows()}} {
		if err := t.print(out); err != nil {
			return err
		}
	}
	if left := len(r.Trials) - len(r.frontier); r.Prefer != "" && left > 0 {
		fmt.Fprintf(out, "\nThe table leaves out %s: a model of the same size or a smaller one has a log loss no higher, or one fold showed that they are worse. --json has all.\n", plural(left, "setting"))
	}
	fmt.Fprintf(out, "\nmodel: %s\n", cmp.Or(r.Model, "not saved; --model FILE saves it"))
	if r.Report != "" {
		fmt.Fprintf(out, "report: %s\n", r.Report)
	}
	return nil
}

// print writes the table after a blank line, or nothing if it has no rows.
func (t figureTable) print(out io.Writer) error {
	if len(t.rows) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	return printTable(out, upper(t.header...), t.rows)
}

// printTable prints a table in columns.
func printTable(out io.Writer, header []string, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// upper returns the words of a header in upper case.
func upper(words ...string) []string {
	return strings.Split(strings.ToUpper(strings.Join(words, "\t")), "\t")
}
