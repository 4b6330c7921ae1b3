package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// System is a learner with a name. Make one with [Of].
type System struct {
	// Name is the name of the system in tables and results.
	Name string

	fit func(ctx context.Context, s mpcvm.Samples) (mpcvm.Classifier, error)
	// constant reports whether the system may predict the class frequencies (Collapsed).
	constant bool
	// model, if not nil, was trained on all rows outside fold 0, scaled by the statistics of all rows; it
	// replaces fit
	model mpcvm.Classifier
	// given, if not nil, contains the probabilities by repeat and row, both from 1; it replaces fit
	given map[[2]int][]float64
}

// Of returns the system of a learner. Fits of the learner may run concurrently, so it must be safe for
// concurrent use. If a model has a method Calibrated that returns false, it is treated as having no
// probabilities; if it has a method WeightCount, its non-zero coefficients are counted. Of panics if l is
// nil.
func Of[M mpcvm.Classifier](name string, l mpcvm.LearnerOf[M]) System {
	args.Learner("eval: Of: l", l)
	_, chooses := any(l).(search.Auto)
	s := System{Name: name, constant: chooses}
	s.fit = func(ctx context.Context, s mpcvm.Samples) (mpcvm.Classifier, error) {
		m, result, err := l.Fit(ctx, s)
		if err == nil && result.Status == mpcvm.Collapsed {
			return m, errCollapsed
		}
		return m, err
	}
	return s
}

// errCollapsed is returned, together with the model, by a fit whose status is mpcvm.Collapsed.
var errCollapsed = errors.New("the model collapsed: it predicts only the class frequencies")

// Options configures [CrossValidate]. The zero value means 5-fold cross-validation without repeats.
type Options struct {
	// Folds is the number of folds K, at least 2. If zero, 5 is used.
	Folds int
	// Repeats is how often the cross-validation is run, each time with new folds. If zero, 1 is used.
	Repeats int
	// Seed determines the folds. A learner with the same seed uses different folds.
	Seed uint64
	// Samples is the result of recipe.Prepare for all rows of the table, such as model.Model.Samples. If it
	// is nil or belongs to another table, the rows are prepared again.
	Samples *recipe.Samples
	// Keep stores the models of the folds, which Matrix.Importance needs.
	Keep bool
	// Progress, if not nil, is called at the start and after each fit; calls do not overlap.
	Progress func(Progress)
}

// Progress is the progress of a cross-validation.
type Progress struct {
	// Done is the number of fits that have ended, out of Total.
	Done, Total int
	// System, Repeat and Fold identify the last fit, counted from 1. They are zero at the start.
	System       string
	Repeat, Fold int
}

func (o Options) defaults() Options {
	if o.Folds == 0 {
		o.Folds = fitting.Folds
	}
	if o.Repeats == 0 {
		o.Repeats = 1
	}
	if o.Folds < 2 || o.Repeats < 1 {
		panic(fmt.Sprintf("eval: %d repeats of %d folds", o.Repeats, o.Folds))
	}
	return o
}

// CrossValidate fits each system on all folds except one and predicts the held-out fold, for every fold of
// every repeat. All systems use the same folds. target is the name of the class column; if it is empty,
// table.Target chooses the column. The first system of the results is the majority baseline.
//
// Folds are stratified: each class has about the same share in every fold. A class with a single row is
// used for training in every fold and is not scored.
//
// If recipe.Samples.Dealing returns groups, such as the copies of a row, all rows of a group are in the same
// fold, also when a learner cross-validates within its training rows, and the folds are stratified as far as the
// groups allow. A group that contains all rows of a class is used for training in every fold. If Dealing returns
// times, the folds follow them: the earliest rows, up to a point where all classes have occurred, are used for
// training only, and each later fold is predicted by a model trained on all earlier rows. Fold 0 is the latest.
// In this case there is only one repeat. If fewer than half of the rows could be held out,
// CrossValidate returns a finding with the code "few-folds".
//
// Rows without a label or without any value are left out. All rows together determine which columns, levels
// and indicators become features, so these are the same in every fold. Imputed values and the scale of the
// features are computed from the training rows of each fold.
//
// A fold in which the fit of a system collapses (mpcvm.Collapsed) is left out of all scores, and Warnings
// reports it. A system that collapses in more than half of the folds has failed. search.Auto may choose the
// class frequencies, which does not count as a failure.
//
// If a fit of a system fails, its Matrix contains the error and the other systems continue. CrossValidate
// returns an error if all systems fail, and the errors of table.Target and recipe.Prepare:
// recipe.ErrOneClass, recipe.ErrNotLabels (also if most rows are the only one of their class),
// recipe.ErrNoFeatures and recipe.ErrNotKind. If ctx ends, it returns the results of the folds that all
// systems have completed (nil if the folds were not assigned yet) and an error that wraps ctx.Err(). It
// panics if Folds is 1 or an option is negative.
//
// With up to 2000 rows, fits run concurrently on all cores. With more rows they run one after another, and
// each may use all cores. All results except Seconds depend only on Seed and the learners.
func CrossValidate(ctx context.Context, t *table.Table, target string, systems []System, o Options) (
	*Comparison, error) {
	o = o.defaults()
	f, err := Split(ctx, t, target, o)
	if err != nil {
		return nil, err
	}
	return f.crossValidate(ctx, systems, o)
}

// Folds are the folds of a cross-validation.
type Folds struct {
	// Table and Target are the names of the table and of the class column.
	Table, Target string
	// Classes are the C class names, in the order of strings.Compare.
	Classes []string
	// Rows are the row numbers (from 0) that were assigned to folds, in ascending order, and T their labels
	// (indices of Classes). LeftOut is the number of other rows, which have no label or no value.
	Rows, T []int
	LeftOut int
	// K is the number of folds, and Repeats the number of repeats.
	K, Repeats int
	// Fold contains, for each repeat, the fold of each of Rows, from 0 to K−1. It is K for a row that is
	// used for training in every fold, such as the only row of its class.
	Fold [][]int
	// SplitBy describes the columns by which the rows were split into folds; it is zero if each row was
	// assigned individually. See table.Dealing.By.
	SplitBy table.Finding
	// Duplicates is the mean number of rows per repeat that have the same features as a training row.
	Duplicates float64

	samples *recipe.Samples // all rows, without X
	table   *table.Table
	by      table.Dealing // of Rows
}

// errFolds is the cause if the groups or times of the rows allow fewer than half of them to be held out.
var errFolds = errors.New("the rows cannot be split into folds")

// Split assigns the rows to the folds that CrossValidate uses, without fitting a model.
func Split(ctx context.Context, t *table.Table, target string, o Options) (*Folds, error) {
	o = o.defaults()
	column, _, err := t.Target(target)
	if err != nil {
		return nil, err
	}
	name := t.Columns[column].Name
	all := o.Samples
	if !all.From(t, name) {
		if all, err = recipe.Prepare(ctx, t, name, nil); err != nil {
			return nil, err
		}
	}
	by, err := all.Dealing(ctx, t)
	if err != nil {
		return nil, err
	}
	d := &fitting.Data{T: all.T, N: len(all.T), C: len(all.Classes), Groups: by.Groups, Times: by.Times}
	if d.CheckSingles() != nil {
		return nil, t.Fault(0, column+1, "", table.Finding{Code: texts.Singles, N: d.N, Cause: recipe.ErrNotLabels})
	}
	without := *all
	without.X = nil // computed for each fold
	r := &Folds{
		Table: t.Name, Target: name, Classes: all.Classes, Rows: all.Rows, T: all.T, LeftOut: t.Rows - d.N,
		K: o.Folds, Repeats: o.Repeats, SplitBy: by.By, samples: &without, table: t, by: by,
	}
	if by.Times != nil {
		r.Repeats = 1
	}
	seeds := rand.New(rand.NewPCG(o.Seed, 5)) // different folds than in a learner with this seed
	for range r.Repeats {
		if by.By.Code == "" { // not by columns
			r.Fold = append(r.Fold, d.Deal(o.Folds, seeds.Uint64()).Fold)
			continue
		}
		g := d.DealBound(o.Folds, seeds.Uint64())
		if 2*g.Scored < d.N {
			columns := by.By.Columns
			if columns == nil {
				columns = []string{by.By.Column}
			}
			return nil, t.Fault(0, 0, "", table.Finding{Code: texts.FewFolds, N: g.Scored, Columns: columns,
				Cause: errFolds})
		}
		r.Fold = append(r.Fold, g.Fold)
	}
	return r, r.countDuplicates(ctx)
}

// parts returns the training and held-out rows of a fold, numbered repeat·K + fold, as indices of Rows.
func (f *Folds) parts(fold int) (in, out []int) {
	return fitting.Dealing{Fold: f.Fold[fold/f.K], Ahead: f.by.Times != nil}.Split(fold % f.K)
}

func (f *Folds) countDuplicates(ctx context.Context) error {
	keys, err := f.samples.Recipe.Keys(ctx, f.table, f.Rows)
	if err != nil {
		return err
	}
	total := 0
	for _, fold := range f.Fold {
		// With times, a row is trained on rows of larger folds; otherwise, on the rows of all other folds.
		last, first := map[uint64]int{}, map[uint64]int{} // the largest and the smallest fold of equal rows
		for i, key := range keys {
			if at, met := first[key]; !met || fold[i] < at {
				first[key] = fold[i]
			}
			last[key] = max(last[key], fold[i])
		}
		for i, key := range keys {
			if last[key] > fold[i] || f.by.Times == nil && fold[i] < f.K && first[key] < fold[i] {
				total++
			}
		}
	}
	f.Duplicates = float64(total) / float64(f.Repeats)
	return nil
}

// fit is a fit of a system to the training rows of a fold, and its predictions for the held-out rows.
type fit struct {
	labels           []int
	p                *mat.Dense // nil if the system has no probabilities
	weights, seconds float64    // NaN if unknown
	model            *fitted    // nil if it was not kept
	ended            bool       // there are predictions, or err is errCollapsed
	err              error
}

// manyRows is the number of rows above which fits run one after another.
const manyRows = 2000

// crossValidate fits the systems on the folds. If the context has peers, they share the fits.
func (f *Folds) crossValidate(ctx context.Context, systems []System, o Options) (*Comparison, error) {
	systems = append([]System{Majority()}, systems...)
	n := len(systems)
	total := f.Repeats * f.K * n
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	o.Progress(Progress{Total: total})
	fits := make([][]fit, n)
	for s := range fits {
		fits[s] = make([]fit, f.K*f.Repeats)
	}
	var mu sync.Mutex
	ended, failed := 0, make([]bool, n) // the remaining fits of a system that has failed are skipped
	one := func(task int, system *System) {
		s, fold := task%n, task/n
		mu.Lock()
		skip := failed[s] || ctx.Err() != nil
		if skip {
			ended++
		}
		mu.Unlock()
		if skip {
			return
		}
		made := fit{ended: true, weights: math.NaN(), seconds: math.NaN()}
		switch in, out := f.parts(fold); {
		case len(out) == 0: // there may be fewer rows than folds
		case system.given != nil:
			made = f.given(system, fold, out)
		default:
			made = f.predictPart(ctx, system, in, out)
		}
		if ctx.Err() != nil {
			return
		}
		if !o.Keep {
			made.model = nil
		}
		mu.Lock()
		defer mu.Unlock()
		fits[s][fold], failed[s] = made, failed[s] || !made.ended
		ended++
		o.Progress(Progress{Done: ended, Total: total, System: system.Name, Repeat: fold/f.K + 1,
			Fold: fold%f.K + 1})
	}
	share.Loop{ // all systems of a fold before the next fold
		Name: fmt.Sprintf("cross-validation, %d repeats of %d folds, %d systems, %d rows", f.Repeats, f.K, n,
			len(f.Rows)),
		N: total, Together: n, Serial: len(f.Rows) > manyRows,
		Do:   func(task int) { one(task, &systems[task%n]) },
		Give: func(task int) []byte { return fits[task%n][task/n].give() },
		Take: func(task int, result []byte) error {
			system := systems[task%n]
			seconds, err := system.take(result)
			if err != nil {
				return err
			}
			one(task, &system)
			if made := &fits[task%n][task/n]; made.labels != nil {
				made.seconds = seconds
			}
			return nil
		},
	}.Run(ctx)
	c := f.compare(systems, fits)
	if ctx.Err() != nil {
		return c, fmt.Errorf("eval: cross-validation cancelled after %d of %d folds: %w", c.Complete,
			f.K*f.Repeats, ctx.Err())
	}
	if n > 1 && !slices.ContainsFunc(c.Systems[1:], func(m *Matrix) bool { return m.Err == nil }) {
		return c, fmt.Errorf("%s: %w", c.Systems[1].System, c.Systems[1].Err)
	}
	return c, nil
}

// madeFit is what replicas exchange: Model is the output of mpcvm.Model.Save, or nil if the fit collapsed.
type madeFit struct {
	Seconds float64
	Model   []byte
}

// give returns the result of a fit for other replicas, or nil if they have to run the fit themselves: because
// it failed, or because its model was not kept or cannot be saved.
func (f *fit) give() []byte {
	made := madeFit{Seconds: f.seconds}
	if !errors.Is(f.err, errCollapsed) {
		var b bytes.Buffer
		if f.model == nil {
			return nil
		}
		if m, ok := f.model.classifier.(*mpcvm.Model); !ok || m.Save(&b) != nil {
			return nil
		}
		made.Model = b.Bytes()
	}
	result, _ := json.Marshal(made) // a finite number and bytes
	return result
}

// take makes a system return the result of a fit of another replica.
func (s *System) take(result []byte) (seconds float64, err error) {
	var made madeFit
	if err := json.Unmarshal(result, &made); err != nil {
		return 0, err
	}
	m, collapsed := (*mpcvm.Model)(nil), errCollapsed
	if made.Model != nil {
		if m, err = mpcvm.Load(bytes.NewReader(made.Model)); err != nil {
			return 0, err
		}
		collapsed = nil
	}
	s.fit = func(context.Context, mpcvm.Samples) (mpcvm.Classifier, error) { return m, collapsed }
	return made.Seconds, nil
}

// predictPart fits a system on some rows and predicts others, both given as indices of Rows. A row for which
// the system has no valid prediction gets the class frequencies of the training rows.
func (f *Folds) predictPart(ctx context.Context, system *System, in, out []int) fit {
	start := time.Now()
	m, err := f.fit(ctx, system, in)
	if err != nil {
		return fit{err: err, ended: errors.Is(err, errCollapsed)}
	}
	made := fit{model: m, seconds: time.Since(start).Seconds(), weights: math.NaN()}
	if counted, ok := m.classifier.(interface{ WeightCount() int }); ok {
		made.weights = float64(counted.WeightCount())
	}
	x, _, err := m.recipe.Encode(nil, f.table, f.tableRows(out))
	if err == nil {
		made.labels, made.p = m.predict(x)
		err = checkPredictions(made.labels, made.p, len(out), f.Classes)
	}
	if err != nil {
		return fit{err: err}
	}
	made.ended = true
	frequencies := make([]float64, len(f.Classes))
	for _, n := range in {
		frequencies[f.T[n]] += 1 / float64(len(in))
	}
	for i, l := range made.labels {
		if l < 0 || l >= len(f.Classes) || made.p != nil && fitting.HasNaN(made.p.RawRowView(i)) {
			made.labels[i] = fitting.Argmax(frequencies)
			if made.p != nil {
				made.p.SetRow(i, frequencies)
			}
		}
	}
	return made
}

func (f *Folds) tableRows(list []int) []int {
	rows := make([]int, len(list))
	for i, n := range list {
		rows[i] = f.Rows[n]
	}
	return rows
}

// fitted is a classifier with the recipe of its samples and, unless it scales them itself, mean and scale.
type fitted struct {
	classifier  mpcvm.Classifier
	labelsOnly  bool
	recipe      *recipe.Recipe
	mean, scale []float64
}

// fit fits a system on training rows, given as indices of Rows.
func (f *Folds) fit(ctx context.Context, s *System, in []int) (*fitted, error) {
	if s.model != nil {
		all := f.samples
		return &fitted{recipe: all.Recipe, mean: all.Mean, scale: all.Scale, classifier: s.model}, nil
	}
	part, err := f.samples.Part(ctx, f.table, in)
	if err != nil {
		return nil, err
	}
	samples := mpcvm.Samples{X: part.X, T: part.T, Weights: part.Weights}
	for _, n := range in {
		if f.by.Groups != nil {
			samples.Groups = append(samples.Groups, f.by.Groups[n])
		} else if f.by.Times != nil {
			samples.Times = append(samples.Times, f.by.Times[n])
		}
	}
	m := &fitted{recipe: part.Recipe, mean: part.Mean, scale: part.Scale}
	m.classifier, err = s.fit(ctx, samples)
	if err != nil && !(s.constant && errors.Is(err, errCollapsed)) {
		return nil, err
	}
	if c, ok := m.classifier.(interface{ Calibrated() bool }); ok && !c.Calibrated() {
		m.labelsOnly = true
	}
	return m, nil
}

// scaled returns the samples x, which the recipe has encoded, in the units of the classifier.
func (m *fitted) scaled(x mat.Matrix) mat.Matrix {
	if m.mean == nil {
		return x
	}
	return data.Standardizer{Mean: m.mean, Scale: m.scale}.Apply(nil, x)
}

// predict returns the labels of encoded samples, and their probabilities unless the system has none.
func (m *fitted) predict(x *mat.Dense) (labels []int, p *mat.Dense) {
	scaled := m.scaled(x)
	if of, ok := m.classifier.(*mpcvm.Model); ok { // the kernel is evaluated once
		p = of.Potentials(nil, scaled)
		return model.Labels(of, p, of.Costs(), true), p
	}
	if !m.labelsOnly {
		p = m.classifier.Proba(nil, scaled)
	}
	return m.classifier.Predict(nil, scaled), p
}

// checkPredictions returns an error if the predictions of n samples are incomplete or impossible.
func checkPredictions(labels []int, p *mat.Dense, n int, classes []string) error {
	if len(labels) != n {
		return fmt.Errorf("%d predictions for %d rows", len(labels), n)
	}
	if p == nil {
		return nil
	}
	if rows, columns := p.Dims(); rows != n || columns != len(classes) {
		return fmt.Errorf("probabilities are %d×%d, not %d×%d", rows, columns, n, len(classes))
	}
	for i := range n {
		for c, v := range p.RawRowView(i) {
			if !math.IsNaN(v) && !(v >= -1e-9 && v <= 1+1e-9) {
				return fmt.Errorf("the probability %v of class %q is not in [0, 1]", v, classes[c])
			}
		}
	}
	return nil
}

// Majority returns the baseline system, which predicts the most frequent class of the training rows, with
// the class frequencies as probabilities. Weights do not change the frequencies, because scores count each row
// once.
func Majority() System {
	return System{Name: "majority", fit: func(_ context.Context, s mpcvm.Samples) (mpcvm.Classifier, error) {
		d := fitting.Data{T: s.T, C: slices.Max(s.T) + 1}
		p := majority(d.Mass())
		floats.Scale(1/floats.Sum(p), p)
		return p, nil
	}}
}

// majority contains the class frequencies.
type majority []float64

func (m majority) WeightCount() int { return 0 }

func (m majority) Predict(dst []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	return append(dst[:0], slices.Repeat([]int{fitting.Argmax(m)}, n)...)
}

func (m majority) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	if dst == nil {
		dst = mat.NewDense(n, len(m), nil)
	}
	for i := range n {
		dst.SetRow(i, m)
	}
	return dst
}
