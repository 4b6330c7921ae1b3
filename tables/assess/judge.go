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

// Judgement says what a model is and how good it is: its figures for rows that it did not see, for
// a table of other rows, and for its training rows. It is the JSON of mpcvm fit. A number that is
// not defined is nil.
type Judgement struct {
	Set       string   `json:"dataset"` // the table without path and extension
	Reading   string   `json:"reading"` // how the file was read
	Target    string   `json:"target"`
	Algorithm string   `json:"algorithm"` // auto, mpcvm1, mpcvm2 or the type of the learner
	Kernel    string   `json:"kernel"`
	N         int      `json:"n"` // samples to learn from
	Features  int      `json:"features"`
	Classes   []string `json:"classes"`
	// Columns are those of the table, and what they are for the model.
	Columns []Used  `json:"columns"`
	Prefer  string  `json:"prefer,omitempty"` // of search.Auto
	Trials  []Tried `json:"trials,omitempty"`
	Temper  float64 `json:"temperature"`
	// CV are the figures of rows that the model did not see; nil without cross-validation.
	CV *Validated `json:"cv"`
	// Beside are the figures of other systems, if JudgeOptions.Beside has some.
	Beside []Beside `json:"beside,omitempty"`
	// Trust says how far probabilities and sets hold; nil without samples that a model did not see.
	Trust *Trust `json:"trust,omitempty"`
	// Curve is the learning curve, if JudgeOptions.Curve asked for it.
	Curve []CurvePoint `json:"curve,omitempty"`
	// Baseline is the most frequent class, the error of always naming it, and the log loss of the
	// shares of the classes in cross-validation.
	Baseline struct {
		Err     float64  `json:"err"`
		LogLoss *float64 `json:"logloss"`
		Class   string   `json:"class"`
	} `json:"baseline"`
	// Costs are mean costs of a row in cross-validation; nil without costs.
	Costs *MeanCosts `json:"costs,omitempty"`
	// Test and Train are the figures of the test table and of the training rows; nil if there are
	// none, or the time was up.
	Test      *Measured `json:"test,omitempty"`
	Train     *Measured `json:"train,omitempty"`
	Warnings  []Warning `json:"warnings"`
	Partial   string    `json:"partial,omitempty"`
	Candidate int       `json:"candidates,omitempty"`
	Vectors   int       `json:"n_basis"`
	Weights   []int     `json:"weights_per_class"`
	Status    string    `json:"status"`
	Iteration int       `json:"iterations"`
	Seconds   float64   `json:"fit_s"`
	Seed      uint64    `json:"seed"`
	Version   string    `json:"version"` // of the program
	// The others are for who has written the files: what was asked for, and when (RFC 3339).
	Command    string `json:"command,omitempty"`
	Date       string `json:"date,omitempty"`
	ModelFile  string `json:"model"`
	ReportFile string `json:"report,omitempty"`

	// Model, Result and Table are what was judged. TestTable is nil if no row of it could be used.
	Model            *tables.Model `json:"-"`
	Result           mpcvm.Result  `json:"-"`
	Table, TestTable *table.Table  `json:"-"`
	// Folds are the results of cross-validation, the baseline first; nil without.
	Folds *Results `json:"-"`
	// Unusable says why no row of JudgeOptions.Test could be used; nil if one could.
	Unusable error `json:"-"`

	options   JudgeOptions
	labels    []int // of the rows of Table, −1 without
	tested    []int // of the rows of TestTable
	collapsed bool
	important struct { // what Importance returned
		list []Importance
		of   string
	}
}

// Used says what a column of the table is for the model.
type Used struct {
	Column string `json:"column"`
	Kind   string `json:"kind"`
	// Use is "class", "name of the row", the kind of its features, or "left out".
	Use string `json:"use"`
	// Missing is the share of missing cells.
	Missing float64 `json:"missing"`
	// Importance is the rise of the log loss when the column is shuffled; nil if it was not measured.
	Importance *float64 `json:"importance,omitempty"`
}

// leftOut names the classes of a table that the model does not know, and where they are.
func (j *Judgement) leftOut(t *table.Table, column int) (list []string) {
	labels, classes := t.Labels(column)
	for label, class := range classes {
		if slices.Contains(j.Classes, class) {
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
		list = append(list, fmt.Sprintf("%s (%d of the rows, the first is row %d)", celltext.Quote(class), rows, first+1))
	}
	return list
}

// used lists the columns of a table.
func used(t *table.Table, r *recipe.Recipe, target string) (list []Used) {
	for i := range t.Columns {
		c := &t.Columns[i]
		u := Used{Column: c.Name, Kind: c.Kind.String(), Use: "left out"}
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

// Measured are the figures of N rows. AUC is nil if they have one class. Unknown rows of them are of
// classes that the model does not know: they count as errors and are left out of AUC and LogLoss.
type Measured struct {
	N       int      `json:"n"`
	Unknown int      `json:"unknown,omitempty"`
	Err     float64  `json:"err"`
	AUC     *float64 `json:"auc"`
	LogLoss float64  `json:"logloss"`
}

// Validated are the figures of cross-validation with their standard errors.
type Validated struct {
	Err       *float64 `json:"err"`
	ErrSE     *float64 `json:"err_se"`
	LogLoss   *float64 `json:"logloss"`
	LogLossSE *float64 `json:"logloss_se"`
	AUC       *float64 `json:"auc"`
	AUCSE     *float64 `json:"auc_se"`
	N         int      `json:"n"`
	// Confusion counts the rows of each class (rows) that are predicted as each class (columns).
	Confusion [][]int `json:"confusion"`
	Folds     int     `json:"folds"`
	Done      int     `json:"folds_done"`
	Nested    bool    `json:"nested"`
	// Held says that the rows are those that search.Auto had set aside.
	Held    bool      `json:"held_out,omitempty"`
	By      string    `json:"dealt_by,omitempty"` // "" row by row
	Classes []OfClass `json:"classes"`
}

// OfClass are the figures of the N rows of one class.
type OfClass struct {
	Class     string   `json:"class"`
	N         int      `json:"n"`
	Recall    *float64 `json:"recall"`
	Precision *float64 `json:"precision"`
}

// ofClasses are the figures of each class, of rows with labels t.
func (r *Results) ofClasses(s Score, t []int) []OfClass {
	list := make([]OfClass, len(r.Classes))
	for c := range list {
		list[c] = OfClass{Class: r.Classes[c], Recall: finite(s.Recall[c]), Precision: finite(s.Precision[c])}
	}
	for _, label := range t {
		list[label].N++
	}
	return list
}

// MeanCosts are the mean costs of a row: if the likeliest class is named, if the class of the least
// expected cost is, and if always the most frequent is. Differently counts the rows for which the
// first two are different classes. Classes has recall and precision by the least expected cost.
type MeanCosts struct {
	Matrix      [][]float64 `json:"matrix"` // as of JudgeOptions.Costs
	Likeliest   MeanCost    `json:"likeliest"`
	LeastCost   MeanCost    `json:"least_cost"`
	Baseline    MeanCost    `json:"baseline"`
	Differently int         `json:"decided_differently"`
	Classes     []OfClass   `json:"classes"`
}

// MeanCost is a mean cost with its standard error.
type MeanCost struct {
	Cost float64  `json:"cost"`
	SE   *float64 `json:"se"`
}

// Tried is a mpcvm.Trial in JSON.
type Tried struct {
	Learner     string  `json:"learner,omitempty"` // of search.Auto only
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

func tried(list []mpcvm.Trial) []Tried {
	all := make([]Tried, len(list))
	for i, t := range list {
		all[i] = Tried{t.Learner, t.Kernel.String(), t.LogLoss, t.ErrorRate, t.Samples, t.Temperature, t.Weights, t.Seconds, t.GivenUp, t.Chosen}
	}
	return all
}

// JudgeOptions are the choices of Judge.
type JudgeOptions struct {
	// Options deal the folds of the cross-validation; one repeat is used. If Folds is negative, there
	// is no cross-validation.
	Options
	// Learner and Result are what the model was fitted by, and what the fit said.
	Learner mpcvm.Learner
	Result  mpcvm.Result
	// Nested repeats the whole choice of Learner in every fold. If it is false, the chosen setting is
	// judged, as by Chosen.
	Nested bool
	// All uses all folds in any case. If it is false, one of them judges the model if it learned from
	// more than 2000 samples. It is the one that search.Auto has set aside (mpcvm.Result.Validated), if
	// there is one: its figures are of the model that was the best on it.
	All bool
	// Curve fits the chosen setting to growing parts of the training rows of the folds too, which costs
	// about one and a half times as much as the cross-validation.
	Curve bool
	// Beside are other systems that are judged on the folds of the cross-validation, such as some of
	// Systems.
	Beside []System
	// Test is a table of other rows; nil without.
	Test *table.Table
	// Costs are C×C as for mpcvm.Model.Decide; nil without.
	Costs mat.Matrix
	// Find is the name of a class. Costs then become those with which cross-validation finds the share
	// Recall of its rows, as of CostsOfRecall. "" does nothing.
	Find   string
	Recall float64
}

// Judge finds out how good a model of tables.Fit is, by cross-validation, on a test table and
// on the rows of t, which it was fitted to. What may make the figures worthless is in Warnings.
//
// If the deadline of ctx passes, the figures that need more time are left out and Warnings says so.
// If ctx is cancelled, the error is the context's. Other errors: a cell of t that is not a class of the
// model, a test table that lacks columns of the model, and a class to find that the model lacks.
func Judge(ctx context.Context, t *table.Table, m *tables.Model, o JudgeOptions) (*Judgement, error) {
	r, of, result := recipeOf(m), m.Model(), o.Result
	column, _, err := t.Target(r.Target)
	if err != nil {
		return nil, err
	}
	j := &Judgement{
		Set: strings.TrimSuffix(filepath.Base(t.Name), filepath.Ext(t.Name)), Reading: t.Reading, Target: t.Columns[column].Name,
		Kernel: of.Kernel().String(), Features: of.Features(), Classes: m.ClassNames(), Trials: tried(result.Trials), Temper: of.Temperature(),
		Warnings: []Warning{}, Partial: result.Partial, Candidate: result.Candidates, Vectors: of.VectorCount(), Weights: of.NonZero(),
		Status: result.Status.String(), Iteration: result.Iterations, Seconds: result.Seconds, Seed: o.Seed, Version: mpcvm.Version(),
		Model: m, Result: result, Table: t, TestTable: o.Test, options: o,
	}
	if o.Find != "" && !slices.Contains(j.Classes, o.Find) {
		return nil, fmt.Errorf("assess: the model has no class %q, which is to be found", o.Find)
	}
	j.Columns = used(t, r, j.Target)
	j.Algorithm, _ = names(o.Learner)
	if auto, ok := o.Learner.(search.Auto); ok {
		j.Prefer = auto.Prefer.String()
	}
	if j.Partial != "" {
		j.warn("budget", "The time was up: %s.", j.Partial)
	}
	if j.labels, err = t.LabelsAs(column, j.Classes); err != nil { // no row of a class could be used
		j.warn("class-without-values", "Classes left out, as none of their rows has a value in a feature and a weight above 0: %s.", strings.Join(j.leftOut(t, column), ", "))
	}
	weights, err := t.Weights(fitting.All(t.Rows), j.labels, j.Classes)
	if err != nil {
		return nil, err
	}
	for row := range weights {
		if weights[row] == 0 { // left out of the fit
			j.labels[row] = -1
		}
	}
	counts := make([]int, len(j.Classes))
	for row, label := range j.labels {
		if label >= 0 && slices.ContainsFunc(r.Columns, func(c recipe.Column) bool { return !t.Columns[t.Find(c.Name)].Missing(row) }) {
			counts[label]++
			j.N++
		}
	}
	most := slices.Index(counts, slices.Max(counts))
	j.Baseline.Err, j.Baseline.Class = 1-float64(counts[most])/float64(j.N), j.Classes[most]
	p, err := predictionsFor(ctx, j.likeliest(), t, j.labels)
	switch {
	case err == nil:
		train, err := Measure(p.Proba, p.Labels, p.T)
		if err != nil {
			return nil, err
		}
		j.Train = &train
		j.warnCollapse(p.Labels, counts)
	case ctx.Err() != context.DeadlineExceeded:
		return nil, err
	default:
		j.warn("no-training-figures", "The time was up before all training rows were predicted: there are no figures of them.")
	}
	if o.Test != nil {
		if err := j.test(ctx); err != nil {
			return nil, err
		}
	}
	if o.Folds >= 0 {
		if err := j.crossValidate(ctx); err != nil {
			return nil, err
		}
	}
	if err := j.measureTrust(ctx); err != nil {
		return nil, err
	}
	if err := j.compare(ctx); err != nil {
		return nil, err
	}
	if err := j.measureColumns(ctx); err != nil {
		return nil, err
	}
	if o.Curve {
		if err := j.learn(ctx); err != nil {
			return nil, err
		}
	}
	switch {
	case j.Folds != nil:
	case o.Find != "":
		j.warn("no-recall", "Without cross-validation no costs are known that find %g %% of the rows of %s: the model decides for the likeliest class.", 100*o.Recall, o.Find)
	case o.Costs != nil:
		j.warn("no-costs", "Without cross-validation there is no figure for the costs.")
	}
	return j, nil
}

// measureColumns notes the importance of the columns in cross-validation, where that takes a second or
// two at most.
func (j *Judgement) measureColumns(ctx context.Context) error {
	const cheap = 1e9 // values of the kernel, times features
	if j.CV == nil || float64(len(recipeOf(j.Model).Columns))*float64(j.CV.N)*float64(j.Vectors)*float64(j.Features) > cheap {
		return nil
	}
	list, _, err := j.Importance(ctx, nil)
	for _, one := range list {
		at := slices.IndexFunc(j.Columns, func(u Used) bool { return u.Column == one.Column })
		j.Columns[at].Importance = finite(one.LogLoss.Mean)
	}
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		return nil
	}
	return err
}

// names are the names of a learner in JSON and in words.
func names(l mpcvm.Learner) (code, title string) {
	switch l := l.(type) {
	case search.Width:
		return names(l.Learner)
	case search.Calibrated:
		return names(l.Learner)
	case search.Auto, nil:
		return "auto", "mPCVM"
	case mpcvm.TopDown:
		return "mpcvm1", "mPCVM₁"
	case mpcvm.BottomUp:
		return "mpcvm2", "mPCVM₂"
	}
	name := fmt.Sprintf("%T", l)
	return name, name
}

// Title is the name of the learner, such as mPCVM₁.
func (j *Judgement) Title() string {
	_, title := names(j.options.Learner)
	return title
}

func (j *Judgement) warn(code, format string, args ...any) {
	j.Warnings = append(j.Warnings, Warning{code, fmt.Sprintf(format, args...)})
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
func (j *Judgement) warnCollapse(predicted, counts []int) {
	var never []string
	for c, n := range counts {
		if n > 1 && !slices.Contains(predicted, c) {
			never = append(never, fmt.Sprintf("%q (%d rows)", j.Classes[c], n))
		}
	}
	switch {
	case len(never) == 0:
	case j.frequencies(): // the verdict says so
		j.collapsed = true
	case len(j.Classes)-len(never) == 1 && j.Status != mpcvm.Collapsed.String() && j.Train.LogLoss < entropy(counts):
		j.collapsed = true
		j.warn("one-class", "The model names the same class for all of its training rows, and never %s. Its probabilities are better than the class frequencies, but no other class is ever the likeliest.", words.List(never, 20))
	case len(j.Classes)-len(never) == 1:
		j.collapsed = true
		j.warn("collapsed", "THE MODEL COLLAPSED: it predicts one class for all of its training rows, and never %s. Try another algorithm or kernel, or look for features that tell the classes apart.", words.List(never, 20))
	default:
		j.warn("never-predicted", "The model never predicts %s, not even for its training rows.", words.List(never, 20))
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
func (j *Judgement) test(ctx context.Context) error {
	t := j.TestTable
	column, _, err := t.Target(j.Target)
	if err != nil {
		return err
	}
	all, names := t.Labels(column)
	j.tested, _ = t.LabelsAs(column, j.Classes)
	for row, label := range j.tested { // those of unknown classes come after the others
		if all[row] >= 0 && label < 0 {
			j.tested[row] = len(j.Classes)
		}
	}
	p, err := predictionsFor(ctx, j.likeliest(), t, j.tested)
	unknown, lacking := p.without(len(j.Classes)), map[string]bool{}
	for row, label := range j.tested {
		if label == len(j.Classes) {
			j.tested[row], lacking[names[all[row]]] = -1, true
		}
	}
	switch {
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		j.warn("no-test-figures", "The time was up before all test rows were predicted: there are no figures of them.")
		j.TestTable = nil
		return nil
	case err != nil:
		return err
	case len(p.T) == 0:
		j.warn("no-test-rows", "No row of the test data could be used: there are no figures of them.")
		j.Unusable = fmt.Errorf("no row of %s has a class in column %q: give a table that has them, or none", t.Name, j.Target)
		switch {
		case unknown > 0:
			j.Unusable = fmt.Errorf("no row of %s is of a class that the model knows: %s", t.Name, words.List(j.Classes, 20))
		case p.unusable != nil:
			j.Unusable = fmt.Errorf("no row with a class could be used, the first because of: %w", p.unusable[0])
		}
		j.TestTable = nil
		return nil
	}
	s, err := Measure(p.Proba, p.Labels, p.T)
	if err != nil {
		return err
	}
	s.Err = (s.Err*float64(s.N) + float64(unknown)) / float64(s.N+unknown)
	s.N, s.Unknown = s.N+unknown, unknown
	j.Test = &s
	if unknown > 0 {
		list := slices.Sorted(maps.Keys(lacking))
		for i := range list {
			list[i] = strconv.Quote(cell.Shorten(list[i]))
		}
		j.warn("unknown-classes", "%d of %d rows of the test data are of classes that the training data lacks (%s): they count as errors, and are left out of the log loss and the AUC.", unknown, s.N, words.List(list, 5))
	}
	shares, base := make([]float64, len(j.Classes)), 0.0
	for _, label := range j.labels {
		if label >= 0 {
			shares[label] += 1 / float64(j.N)
		}
	}
	for _, label := range p.T {
		base += logLoss(shares[label]) / float64(len(p.T))
	}
	if s.LogLoss > base && !j.frequencies() {
		j.warn("log-loss-test", "The log loss of the test data, %s, is worse than the log loss of the class frequencies, %s: do not rely on the probabilities.", tabular.Number(s.LogLoss), tabular.Number(base))
	}
	if left := len(p.unusable); left > 0 {
		j.warn("unusable-test-rows", "%d rows of the test data cannot be used: they lack a value, or have one that is not of the kind of its column.", left)
	}
	seed, seen, both := maphash.MakeSeed(), map[uint64]bool{}, 0
	for _, key := range rowKeys(seed, j.Table, recipeOf(j.Model)) {
		seen[key] = true
	}
	keys := rowKeys(seed, t, recipeOf(j.Model))
	for _, row := range p.Rows {
		if seen[keys[row]] {
			both++
		}
	}
	if both > 0 {
		j.warn("duplicates-test", "%d of %d rows of the test data have the same features as a row of the training data; if these are copies of one case, the test figures are too good.", both, s.N)
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
func predictionsFor(ctx context.Context, m *tables.Model, t *table.Table, labels []int) (p Predictions, err error) {
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
			p.Rows, p.T, p.Labels, proba = append(p.Rows, i), append(p.T, labels[i]), append(p.Labels, one.Label), append(proba, one.Proba...)
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

// Measure has the figures of probabilities p (N×C) and predicted labels for the N labels t.
func Measure(p mat.Matrix, labels, t []int) (s Measured, err error) {
	s = Measured{N: len(t), Err: score.ErrorRate(labels, t)}
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

// predictions are those of system s for the rows that it did not see.
func (r *Results) predictions(s int) (p Predictions) {
	o := &r.Systems[s]
	r.eachScored(func(repeat, n int) {
		p.Rows, p.T, p.Labels = append(p.Rows, r.Rows[n]), append(p.T, r.T[n]), append(p.Labels, o.Labels[repeat][n])
	})
	p.Proba, _ = r.OutOfFold(s)
	return p
}

// Predictions are the rows by which the errors of the model are shown: each by a model that did not
// see it; without cross-validation the test rows; without these the training rows.
func (j *Judgement) Predictions(ctx context.Context) (p Predictions, err error) {
	switch {
	case j.Folds != nil:
		p = j.Folds.predictions(1)
		p.Table = j.Table
		p.Of = "training rows, each predicted by a model that did not see it"
	case j.TestTable != nil:
		p, err = predictionsFor(ctx, j.likeliest(), j.TestTable, j.tested)
		p.Of = "rows of the test data"
	default:
		p, err = predictionsFor(ctx, j.likeliest(), j.Table, j.labels)
		p.Of = "training rows, which the model has seen: the figures are optimistic"
	}
	return p, err
}

// likeliest is the model without costs: all figures but those of Costs are of the likeliest class.
func (j *Judgement) likeliest() *tables.Model { return j.Model.With(j.Model.Model().WithCosts(nil)) }

// manyToFit is the number of samples above which one fold judges the model: the samples that
// search.Auto has set aside, or one that costs about one more fit.
const manyToFit = 2000

// onlyFolds is how many of the folds are used: all, or one of many samples.
func (j *Judgement) onlyFolds() int {
	if !j.options.All && j.N > manyToFit {
		return 1
	}
	return j.options.Options.defaults().Folds
}

// system is what cross-validation judges. ok is false if there is none: the fit ended before the
// setting of the model was tried.
func (j *Judgement) system() (s System, ok bool) {
	l := j.options.Learner
	if j.options.Nested {
		return Of(j.Title(), l), true
	}
	if _, auto := l.(search.Auto); l == nil || auto && search.Chosen(j.Result) == nil {
		return s, false
	}
	return Chosen(j.Title(), l, j.Model.Model(), j.Result), true
}

// crossValidate judges the chosen setting on fresh folds or, nested, the whole choice.
func (j *Judgement) crossValidate(ctx context.Context) error {
	o, only := j.options.Options.defaults(), j.onlyFolds()
	end, limited := ctx.Deadline()
	spare, cut := time.Until(end)/20, false // to predict
	system, ok := j.system()
	auto, searches := j.options.Learner.(search.Auto)
	held := j.Result.Validated
	if only > 1 || j.options.Nested {
		held = nil
	}
	switch chosen := search.Chosen(j.Result); {
	case held != nil:
		system = System{Name: j.Title(), held: held.Model}
	case limited && only == 1 && !j.options.Nested && chosen != nil:
		// A figure of a fit that was cut short is better than none.
		system = Of(j.Title(), stopped{chosen, end.Add(-spare), &cut})
		system.constant = j.Result.Status == mpcvm.Collapsed
	case !ok && searches && only == 1: // the whole choice again, in the time that is left
		auto.Budget = max(time.Until(end)-spare, 1)
		system, j.options.Nested = Of(j.Title(), auto), true
	case !ok:
		j.warn("no-cross-validation", "There was no time to try the setting of the model, so there is no cross-validation.")
		return nil
	}
	inTime, stop := context.WithCancel(ctx)
	defer stop()
	if o.Samples == nil {
		o.Samples = j.Model.Samples()
	}
	o.Repeats, o.Keep, o.Progress = 1, true, func(p Progress) {
		j.told(Progress{Done: p.Done / 2, Total: only}) // of a fold, the baseline and the model
		if only < o.Folds && p.Done >= 2*only {
			stop()
		}
	}
	r, err := Deal(inTime, j.Table, j.Target, o)
	if err == nil && held != nil {
		r.holdOut(held.Unseen)
		r.Duplicates = r.duplicates(j.Table)
	}
	if err == nil {
		r, err = r.crossValidate(inTime, j.Table, []System{system}, o)
	}
	switch {
	case ctx.Err() == context.Canceled:
		return fmt.Errorf("cross-validation: %w", ctx.Err())
	case err != nil && inTime.Err() == nil:
		j.warn("no-cross-validation", "Cross-validation failed: %v.", err)
		return nil
	case r != nil && errors.Is(r.Systems[1].Err, errCollapsed):
		j.warn("no-cross-validation", "Cross-validation failed: %v.", r.Systems[1].Err)
		return nil
	}
	dealt, done := 0, 0
	if r != nil {
		dealt, done = r.countFolds()
	}
	if done == 0 {
		j.warn("no-cross-validation", "The budget left no time for cross-validation: there is no figure for rows that the model did not see.")
		return nil
	}
	j.Folds = r
	j.validate()
	j.CV.Held = held != nil
	if cut {
		j.warn("budget", "The budget cut the fit of the cross-validation short; the figures are those of a model that has learned less.")
	}
	if done+r.collapsedFolds < min(only, dealt) {
		j.warn("budget", "The budget left time for %d of %d folds of the cross-validation.", done, dealt)
	}
	for _, w := range r.Warnings() {
		said := map[string]bool{
			"small-class":     true, // by package look
			"no-better":       true, // by the verdict
			"never-predicted": j.collapsed,
			"collapsed":       j.frequencies(),
			"log-loss":        j.frequencies(),
		}
		if !said[w.Code] {
			j.Warnings = append(j.Warnings, w)
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
func (l stopped) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
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
func (j *Judgement) validate() {
	r := j.Folds
	s, b := r.Score(1), r.Score(0)
	dealt, done := r.countFolds()
	t := r.predictions(0).T
	v := &Validated{
		Err: finite(s.Err.Value), ErrSE: finite(s.Err.SE), LogLoss: finite(s.LogLoss.Value), LogLossSE: finite(s.LogLoss.SE),
		AUC: finite(s.AUC.Value), AUCSE: finite(s.AUC.SE), N: len(t), Confusion: s.Confusion, Folds: dealt, Done: done, Nested: j.options.Nested, By: r.DealtBy,
	}
	v.Classes = r.ofClasses(s, t)
	j.CV, j.Baseline.LogLoss = v, finite(b.LogLoss.Value)
	if class := slices.Index(r.Classes, j.options.Find); class >= 0 {
		p := r.predictions(1)
		costs, err := CostsOfRecall(p.Proba, p.T, class, j.options.Recall)
		if err != nil {
			j.warn("no-recall", "No costs find that share of the rows of %s: %v. The model decides for the likeliest class.", j.options.Find, err)
			return
		}
		j.options.Costs = costs
	}
	if j.options.Costs == nil {
		return
	}
	with := r.Decide(1, j.options.Costs)
	j.Costs = &MeanCosts{Matrix: rowsOf(j.options.Costs)}
	for i, label := range with.Labels[0] {
		if label != r.Systems[1].Labels[0][i] {
			j.Costs.Differently++
		}
	}
	r.Systems = append(r.Systems, with)
	for system, to := range []*MeanCost{&j.Costs.Baseline, &j.Costs.Likeliest, &j.Costs.LeastCost} {
		f := r.Cost(system, j.options.Costs)
		*to = MeanCost{f.Value, finite(f.SE)}
	}
	j.Costs.Classes = r.ofClasses(r.Score(2), t)
	r.Systems = r.Systems[:2]
}

// Importance is how much the columns matter, and on which rows it was found out: the test table, rows
// that a model did not see or, without these, the training rows. progress may be nil.
func (j *Judgement) Importance(ctx context.Context, progress func(Progress)) (list []Importance, of string, err error) {
	if j.important.list != nil {
		return j.important.list, j.important.of, nil
	}
	o := ImportanceOptions{Seed: j.Seed, Progress: progress}
	switch {
	case j.TestTable != nil:
		of = "rows of the test data"
		list, err = ImportanceOn(ctx, j.likeliest(), j.TestTable, o)
	case j.Folds != nil:
		of = "rows that it did not see"
		list, err = j.Folds.Importance(ctx, 1, o)
	default:
		of, o.Permutations = "training rows (optimistic)", 2
		list, err = ImportanceOn(ctx, j.likeliest(), j.Table, o)
	}
	if err == nil {
		j.important.list, j.important.of = list, of
	}
	return list, of, err
}
