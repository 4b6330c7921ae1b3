package assess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// System is a learner with a name. Make one with [Of].
type System struct {
	// Name is the name of the system in tables and results.
	Name string
	// LabelsOnly declares that the probabilities of the system are meaningless. They are then nil in the
	// results, and the log loss and the AUC are undefined.
	LabelsOnly bool

	fit func(ctx context.Context, s mpcvm.Samples) (mpcvm.Classifier, error)
	// constant reports whether the system may predict the class frequencies, so that Collapsed is not a
	// failure.
	constant bool
	// model, if not nil, was trained on all rows outside fold 0, scaled by the statistics of all rows; it
	// replaces fit
	model mpcvm.Classifier
}

// Of returns the system of a learner. Fits of the learner may run concurrently, so it must be safe for
// concurrent use. If a model has a method Calibrated that returns false, it is treated as having no
// probabilities; if it has a method WeightCount, its non-zero coefficients are counted. Of panics if l is
// nil.
func Of[M mpcvm.Classifier](name string, l mpcvm.LearnerOf[M]) System {
	args.Learner("assess: Of: l", l)
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
	// Keep stores the models of the folds, which Results.Importance needs.
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

// defaults replaces zeros with the defaults.
func (o Options) defaults() Options {
	if o.Folds == 0 {
		o.Folds = fitting.Folds
	}
	if o.Repeats == 0 {
		o.Repeats = 1
	}
	if o.Folds < 2 || o.Repeats < 1 {
		panic(fmt.Sprintf("assess: %d repeats of %d folds", o.Repeats, o.Folds))
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
// If table.Table.Dealing returns groups, all rows of a group are in the same fold, also when a learner
// cross-validates within its training rows, and the folds are stratified as far as the groups allow. A
// group that contains all rows of a class is used for training in every fold. If Dealing returns times, the
// folds follow them: the earliest rows, up to a point where all classes have occurred, are used for
// training only, and each later fold is predicted by a model trained on all earlier rows. Fold 0 is the
// latest. In this case there is only one repeat. If fewer than half of the rows could be held out,
// CrossValidate returns ErrFolds.
//
// Rows without a label or without any value are left out. All rows together determine which columns, levels
// and indicators become features, so these are the same in every fold. Imputed values and the scale of the
// features are computed from the training rows of each fold.
//
// A fold in which the fit of a system collapses (mpcvm.Collapsed) is left out of all scores, and Warnings
// reports it. A system that collapses in more than half of the folds has failed. search.Auto may choose the
// class frequencies, which does not count as a failure.
//
// If a fit of a system fails, its Outcome contains the error and the other systems continue. CrossValidate
// returns an error if all systems fail, and the errors of table.Target and recipe.Prepare:
// recipe.ErrOneClass, recipe.ErrNotLabels (also if most rows are the only one of their class),
// recipe.ErrNoFeatures and recipe.ErrNotKind. If ctx ends, it returns the results of the folds that all
// systems have completed (nil if the folds were not assigned yet) and an error that wraps ctx.Err(). It
// panics if Folds is 1 or an option is negative.
//
// With up to 2000 rows, fits run concurrently on all cores. With more rows they run one after another, and
// each may use all cores. All results except Seconds depend only on Seed and the learners.
func CrossValidate(ctx context.Context, t *table.Table, target string, systems []System, o Options) (*Results,
	error) {
	o = o.defaults()
	r, err := Deal(ctx, t, target, o)
	if err != nil {
		return nil, err
	}
	return r.crossValidate(ctx, t, systems, o)
}

// crossValidate fits the systems on the folds of r.
func (r *Results) crossValidate(ctx context.Context, t *table.Table, systems []System, o Options) (*Results,
	error) {
	r.baseline, r.table = true, t
	run := &crossValidation{Results: r, progress: o.Progress}
	run.systems = append([]System{Majority()}, systems...)
	for _, s := range run.systems {
		r.Systems = append(r.Systems, newOutcome(r, s.Name))
		if o.Keep {
			r.Systems[len(r.Systems)-1].models = make([]*fitted, r.Folds*r.Repeats)
		}
	}
	run.all(ctx)
	r.complete()
	if ctx.Err() != nil {
		return r, fmt.Errorf("assess: cross-validation cancelled after %d of %d folds: %w", len(r.done),
			r.Folds*r.Repeats, ctx.Err())
	}
	if len(systems) > 0 && !slices.ContainsFunc(r.Systems[1:], func(s Outcome) bool { return s.Err == nil }) {
		return r, fmt.Errorf("%s: %w", r.Systems[1].Name, r.Systems[1].Err)
	}
	return r, nil
}

// ErrFolds is returned if the groups or times of the rows allow fewer than half of them to be held out, for
// example if each class is in a single group.
var ErrFolds = errors.New("the rows cannot be split into folds")

// Deal assigns the rows to the folds that CrossValidate uses, without fitting a model. The results contain
// no systems.
func Deal(ctx context.Context, t *table.Table, target string, o Options) (*Results, error) {
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
	by, err := t.Dealing(all.Rows)
	if err != nil {
		return nil, err
	}
	d := &fitting.Data{T: all.T, N: len(all.T), C: len(all.Classes), Groups: by.Groups, Times: by.Times}
	if d.CheckSingles() != nil {
		return nil, &cell.Error{Name: t.Name, Column: column + 1, Header: name, Err: fmt.Errorf(
			"%w: most of %d rows are the only one of their class; name another column as the target",
			recipe.ErrNotLabels, d.N)}
	}
	without := *all
	without.X = nil // computed for each fold
	r := &Results{
		Table: t.Name, Target: name, Classes: all.Classes, Rows: all.Rows, T: all.T, LeftOut: t.Rows - d.N,
		Folds: o.Folds, Repeats: o.Repeats, DealtBy: table.Go.Say(by.By), samples: &without, by: by,
	}
	if by.Times != nil {
		r.Repeats = 1
	}
	seeds := rand.New(rand.NewPCG(o.Seed, 5)) // different folds than in a learner with this seed
	for range r.Repeats {
		if !d.Bound() {
			r.Fold = append(r.Fold, d.Deal(o.Folds, seeds.Uint64()).Fold)
			continue
		}
		g := d.DealBound(o.Folds, seeds.Uint64())
		if 2*g.Scored < d.N {
			return nil, &cell.Error{Name: t.Name, Err: fmt.Errorf("%w %s: as every training set must contain all "+
				"classes, only %d rows could be held out", ErrFolds, table.Go.Say(by.By), g.Scored)}
		}
		r.Fold = append(r.Fold, g.Fold)
	}
	r.Duplicates = r.duplicates(t)
	return r, nil
}

// duplicates returns the mean number of rows per repeat whose features are identical to a training row's.
func (r *Results) duplicates(t *table.Table) float64 {
	all := rowKeys(maphash.MakeSeed(), t, r.samples.Recipe)
	keys := make([]uint64, len(r.Rows))
	for i, row := range r.Rows {
		keys[i] = all[row]
	}
	total := 0
	for _, fold := range r.Fold {
		if r.by.Times != nil {
			last := map[uint64]int{} // the earliest fold (with the largest number) that has a row with these features
			for i, key := range keys {
				last[key] = max(last[key], fold[i])
			}
			for i, key := range keys {
				if last[key] > fold[i] {
					total++
				}
			}
			continue
		}
		const several = -1
		in := map[uint64]int{} // the fold that contains the rows with these features
		for i, key := range keys {
			if f, met := in[key]; !met {
				in[key] = fold[i]
			} else if f != fold[i] {
				in[key] = several
			}
		}
		for i, key := range keys {
			if fold[i] < r.Folds && in[key] == several {
				total++
			}
		}
	}
	return float64(total) / float64(r.Repeats)
}

// rowKeys returns a hash for each row of a table. Rows with equal cells in the columns of a recipe have
// equal hashes, also across tables if the seed is the same.
func rowKeys(seed maphash.Seed, t *table.Table, r *recipe.Recipe) []uint64 {
	keys := make([]uint64, t.Rows)
	var columns []*table.Column
	for _, c := range r.Columns {
		columns = append(columns, &t.Columns[t.Find(c.Name)])
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for row := range keys {
		h.Reset()
		for _, c := range columns {
			switch {
			case c.Missing(row):
				h.WriteByte(0)
			case c.Kind.Numeric():
				maphash.WriteComparable(&h, c.Numbers[row])
			default:
				maphash.WriteComparable(&h, c.Text(row))
			}
		}
		keys[row] = h.Sum64()
	}
	return keys
}

// crossValidation is a running cross-validation.
type crossValidation struct {
	*Results
	systems  []System
	progress func(Progress)

	mu    sync.Mutex
	ended int
}

// manyRows is the number of rows above which fits run one after another.
const manyRows = 2000

// all runs all fits. If the context has peers, they share the folds.
func (r *crossValidation) all(ctx context.Context) {
	total := r.Repeats * r.Folds * len(r.systems)
	if r.progress != nil {
		r.progress(Progress{Total: total})
	}
	one := func(task int, systems []System) { // all systems of a fold before the next fold
		s, fit := task%len(r.systems), task/len(r.systems)
		repeat, f := fit/r.Folds, fit%r.Folds
		if ctx.Err() != nil || r.skip(s) {
			return
		}
		if err := r.fold(ctx, &systems[s], s, repeat, f); ctx.Err() == nil {
			r.end(s, repeat, f, err)
		}
	}
	share.Loop{
		Name: fmt.Sprintf("cross-validation, %d repeats of %d folds, %d systems, %d rows", r.Repeats, r.Folds,
			len(r.systems), len(r.Rows)),
		N: total, Together: len(r.systems), Serial: len(r.Rows) > manyRows,
		Do:   func(task int) { one(task, r.systems) },
		Give: func(task int) []byte { return r.give(task%len(r.systems), task/len(r.systems)) },
		Take: func(task int, result []byte) error {
			s, fit := task%len(r.systems), task/len(r.systems)
			systems := slices.Clone(r.systems)
			seconds, err := systems[s].take(result)
			if err != nil {
				return err
			}
			one(task, systems)
			if o := &r.Systems[s]; o.ended[fit] && !o.collapsed[fit] {
				o.Seconds[fit] = seconds
			}
			return nil
		},
	}.Run(ctx)
}

// madeFit is the result of a fit that replicas exchange. Model is the output of mpcvm.Model.Save.
type madeFit struct {
	Collapsed bool
	Seconds   float64
	Model     []byte
}

// give returns the result of a fit for other replicas, or nil if they have to run the fit themselves: because it
// failed, or because its model was not kept or cannot be saved.
func (r *crossValidation) give(s, fit int) []byte {
	o := &r.Systems[s]
	made := madeFit{Collapsed: o.collapsed[fit]}
	if !made.Collapsed {
		if !o.ended[fit] || o.models == nil || o.models[fit] == nil || r.systems[s].model != nil {
			return nil
		}
		m, ok := o.models[fit].classifier.(*mpcvm.Model)
		var b bytes.Buffer
		if !ok || m.Save(&b) != nil {
			return nil
		}
		made.Seconds, made.Model = o.Seconds[fit], b.Bytes()
	}
	result, err := json.Marshal(made)
	if err != nil {
		return nil
	}
	return result
}

// take makes a system return the result of a fit of another replica.
func (s *System) take(result []byte) (seconds float64, err error) {
	var made madeFit
	if err := json.Unmarshal(result, &made); err != nil {
		return 0, err
	}
	if made.Collapsed {
		s.fit = func(context.Context, mpcvm.Samples) (mpcvm.Classifier, error) { return nil, errCollapsed }
		return 0, nil
	}
	m, err := mpcvm.Load(bytes.NewReader(made.Model))
	if err != nil {
		return 0, err
	}
	s.fit = func(context.Context, mpcvm.Samples) (mpcvm.Classifier, error) { return m, nil }
	return made.Seconds, nil
}

// skip reports whether a fit of the system has failed, in which case the remaining fits are skipped.
func (r *crossValidation) skip(s int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Systems[s].Err != nil {
		r.ended++
		return true
	}
	return false
}

// end records the end of a fit.
func (r *crossValidation) end(s, repeat, f int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := &r.Systems[s]
	if err != nil && (out.Err == nil || repeat*r.Folds+f < out.failedAt) {
		out.Err, out.failedAt = fmt.Errorf("repeat %d, fold %d: %w", repeat+1, f+1, err), repeat*r.Folds+f
	}
	r.ended++
	if r.progress == nil {
		return
	}
	r.progress(Progress{Done: r.ended, Total: r.Repeats * r.Folds * len(r.systems), System: out.Name,
		Repeat: repeat + 1, Fold: f + 1})
}

// parts returns the training rows and the held-out rows of a fold, as indices of Rows.
func (r *Results) parts(repeat, f int) (in, out []int) {
	return fitting.Dealing{Fold: r.Fold[repeat], Ahead: r.by.Times != nil}.Split(f)
}

// fold fits a system on all folds except one and records its predictions for that fold.
func (r *crossValidation) fold(ctx context.Context, system *System, s, repeat, f int) error {
	in, out := r.parts(repeat, f)
	o := &r.Systems[s]
	fit := repeat*r.Folds + f
	if len(out) == 0 { // fewer rows than folds
		o.ended[fit] = true
		return nil
	}
	start := time.Now()
	m, err := r.fit(ctx, r.table, system, in)
	if errors.Is(err, errCollapsed) {
		o.collapsed[fit], o.ended[fit] = true, true
		return nil
	}
	if err != nil {
		return err
	}
	o.Seconds[fit] = time.Since(start).Seconds()
	if m.counted != nil {
		o.Weights[fit] = float64(m.counted.WeightCount())
	}
	if o.models != nil {
		o.models[fit] = m
	}
	labels, p, err := r.predict(m, out)
	if err != nil {
		return err
	}
	frequencies := r.frequencies(in)
	for i, n := range out {
		o.Labels[repeat][n] = labels[i]
		var row []float64
		if p != nil {
			row = p.RawRowView(i)
		}
		if l := labels[i]; l < 0 || l >= len(r.Classes) || fitting.HasNaN(row) {
			o.Labels[repeat][n], row = fitting.Argmax(frequencies), frequencies
		}
		if p != nil {
			o.Proba[repeat].SetRow(n, row)
		}
	}
	if p == nil {
		o.noProba[fit] = true
	}
	o.ended[fit] = true
	return nil
}

// predict returns the labels and the probabilities that a model predicts for rows, given as indices of
// Rows. p is nil if the system has no probabilities.
func (r *Results) predict(m *fitted, rows []int) (labels []int, p *mat.Dense, err error) {
	x, _, err := m.recipe.Encode(nil, r.table, r.tableRows(rows))
	if err != nil {
		return nil, nil, err
	}
	if labels = m.Predict(nil, x); len(labels) != len(rows) {
		return nil, nil, fmt.Errorf("%d predictions for %d rows", len(labels), len(rows))
	}
	p, err = m.probabilities(x, len(rows), len(r.Classes))
	return labels, p, err
}

// tableRows converts indices of Rows to row numbers of the table.
func (r *Results) tableRows(list []int) []int {
	rows := make([]int, len(list))
	for i, n := range list {
		rows[i] = r.Rows[n]
	}
	return rows
}

// frequencies returns the class frequencies among rows given as indices of Rows.
func (r *Results) frequencies(list []int) []float64 {
	p := make([]float64, len(r.Classes))
	for _, n := range list {
		p[r.T[n]] += 1 / float64(len(list))
	}
	return p
}

// fitted is a classifier with the recipe that encodes its samples. It implements encoder.
type fitted struct {
	classifier  mpcvm.Classifier
	counted     interface{ WeightCount() int } // the classifier, or nil if it does not count its weights
	labelsOnly  bool
	recipe      *recipe.Recipe
	mean, scale []float64
	classes     []string
}

// fit fits a system on training rows, given as indices of Rows.
func (r *Results) fit(ctx context.Context, t *table.Table, s *System, in []int) (*fitted, error) {
	if s.model != nil {
		all := r.samples
		return &fitted{classes: r.Classes, recipe: all.Recipe, mean: all.Mean, scale: all.Scale,
			classifier: s.model}, nil
	}
	part, err := r.samples.Part(ctx, t, in)
	if err != nil {
		return nil, err
	}
	m := &fitted{classes: r.Classes, labelsOnly: s.LabelsOnly, recipe: part.Recipe, mean: part.Mean,
		scale: part.Scale}
	m.classifier, err = s.fit(ctx, r.dealt(part, in))
	if err != nil && !(s.constant && errors.Is(err, errCollapsed)) {
		return nil, err
	}
	m.counted, _ = m.classifier.(interface{ WeightCount() int })
	if c, ok := m.classifier.(interface{ Calibrated() bool }); ok && !c.Calibrated() {
		m.labelsOnly = true
	}
	return m, nil
}

// dealt returns the samples of rows, given as indices of Rows, with their weights and groups or times.
func (r *Results) dealt(part *recipe.Samples, rows []int) mpcvm.Samples {
	s := mpcvm.Samples{X: part.X, T: part.T, Weights: part.Weights}
	for _, n := range rows {
		if r.by.Groups != nil {
			s.Groups = append(s.Groups, r.by.Groups[n])
		} else if r.by.Times != nil {
			s.Times = append(s.Times, r.by.Times[n])
		}
	}
	return s
}

// usable returns the usable samples and their labels.
func usable(x *mat.Dense, labels []int, unusable []error) (*mat.Dense, []int) {
	if unusable == nil {
		return x, labels
	}
	n, d := x.Dims()
	kept, used := mat.NewDense(n, d, nil), make([]int, 0, n)
	for i, label := range labels {
		if unusable[i] == nil {
			kept.SetRow(len(used), x.RawRowView(i))
			used = append(used, label)
		}
	}
	if len(used) == 0 {
		return nil, nil
	}
	return kept.Slice(0, len(used), 0, d).(*mat.Dense), used
}

// standardize standardizes x in place.
func (m *fitted) standardize(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = (row[j] - m.mean[j]) / m.scale[j]
		}
	}
	return x
}

// Predict implements mpcvm.Classifier.
func (m *fitted) Predict(dst []int, x mat.Matrix) []int {
	return m.classifier.Predict(dst, m.standardize(mat.DenseCopyOf(x)))
}

// Proba implements mpcvm.Classifier.
func (m *fitted) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return m.classifier.Proba(dst, m.standardize(mat.DenseCopyOf(x)))
}

// ClassNames implements encoder.
func (m *fitted) ClassNames() []string { return m.classes }

// Recipe implements encoder.
func (m *fitted) Recipe() *recipe.Recipe { return m.recipe }

// probabilities returns the probabilities of n samples, or nil if the system has none.
func (m *fitted) probabilities(x mat.Matrix, n, classes int) (*mat.Dense, error) {
	if m.labelsOnly {
		return nil, nil
	}
	p := m.Proba(nil, x)
	if rows, columns := p.Dims(); rows != n || columns != classes {
		return nil, fmt.Errorf("probabilities are %d×%d, not %d×%d", rows, columns, n, classes)
	}
	for i := range n {
		for c, v := range p.RawRowView(i) {
			if !math.IsNaN(v) && !(v >= -1e-9 && v <= 1+1e-9) {
				return nil, fmt.Errorf("the probability %v of class %q is not in [0, 1]", v, m.classes[c])
			}
		}
	}
	return p, nil
}

// Majority returns the baseline system, which predicts the most frequent class of the training rows, with
// the class frequencies as probabilities.
func Majority() System {
	return System{Name: "majority", fit: func(_ context.Context, s mpcvm.Samples) (mpcvm.Classifier, error) {
		d := fitting.Data{T: s.T, C: slices.Max(s.T) + 1, Weights: s.Weights}
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
