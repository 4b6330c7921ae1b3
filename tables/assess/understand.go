package assess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/quantile"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// encoder is a classifier together with the recipe that encodes its samples, in the units of Recipe.Encode.
type encoder interface {
	mpcvm.Classifier
	ClassNames() []string
	Recipe() *recipe.Recipe
}

// whole adapts a table model to encoder.
type whole struct {
	*mpcvm.Model
	of *model.Model
}

// Recipe implements encoder.
func (w whole) Recipe() *recipe.Recipe { return recipeOf(w.of) }

// recipeOf returns the recipe of a model. If it has none, each feature is treated as a column of numbers.
func recipeOf(m *model.Model) *recipe.Recipe {
	if r := m.Recipe(); r != nil {
		return r
	}
	return recipe.Numbers(m.Model().FeatureNames())
}

// Importance is the permutation importance of a column: how much worse the predictions get when the cells
// of the column, that is all of its features together, are shuffled among the rows.
type Importance struct {
	Column string
	// LogLoss is the increase of the log loss, in nats, and Err the increase of the error rate. Both are
	// about 0 for an irrelevant column and can be slightly negative. LogLoss is NaN if the system has no
	// probabilities.
	LogLoss, Err Spread
}

// Spread is the mean and standard deviation of values, one for each fold and permutation, in this order. SD
// is NaN for a single value.
type Spread struct {
	Mean, SD float64
	Values   []float64
}

// ImportanceOptions configures Results.Importance and ImportanceOn.
type ImportanceOptions struct {
	// Permutations is how often each column is shuffled in each fold. If zero, 5 is used.
	Permutations int
	// Seed determines the permutations.
	Seed uint64
	// Progress, if not nil, is called after each fold; calls do not overlap.
	Progress func(Progress)
}

func (o ImportanceOptions) defaults() ImportanceOptions {
	if o.Permutations == 0 {
		o.Permutations = 5
	}
	if o.Permutations < 0 {
		panic(fmt.Sprintf("assess: %d permutations", o.Permutations))
	}
	return o
}

// Importance returns the permutation importance of each column for system s, in descending order of the
// log-loss increase (the error increase if the system has no probabilities). In each fold, the columns are
// shuffled among the held-out rows. Importance returns an error if the system failed or ctx ended, and
// panics if the results were computed without Options.Keep.
//
// Redundant columns share their importance: if one of two is shuffled, the model can still use the other.
func (r *Results) Importance(ctx context.Context, s int, o ImportanceOptions) ([]Importance, error) {
	o = o.defaults()
	system := &r.Systems[s]
	if system.models == nil {
		panic("assess: Results.Importance without Options.Keep")
	}
	if system.Err != nil {
		return nil, fmt.Errorf("%s: %w", system.Name, system.Err)
	}
	columns := make([]string, len(r.samples.Recipe.Columns))
	for k := range columns {
		columns[k] = r.samples.Recipe.Columns[k].Name
	}
	of, errs := make([][]increase, len(system.models)), make([]error, len(system.models))
	var mu sync.Mutex
	ended := 0
	end := func(fit int) {
		mu.Lock()
		defer mu.Unlock()
		if ended++; o.Progress != nil {
			o.Progress(Progress{Done: ended, Total: len(of), System: system.Name, Repeat: 1 + fit/r.Folds,
				Fold: 1 + fit%r.Folds})
		}
	}
	do := func(fit int) {
		m := system.models[fit]
		if m == nil || ctx.Err() != nil {
			return
		}
		_, out := r.parts(fit/r.Folds, fit%r.Folds)
		labels := make([]int, len(out))
		for i, n := range out {
			labels[i] = r.T[n]
		}
		of[fit], errs[fit] = shuffled(ctx, m, m.labelsOnly, r.table, r.tableRows(out), labels, columns,
			o.Permutations, o.Seed+uint64(fit)<<32)
		end(fit)
	}
	share.Loop{
		Name: fmt.Sprintf("importance, %d permutations, seed %d", o.Permutations, o.Seed), N: len(of), Do: do,
		Give: func(fit int) []byte {
			var lists [][]float64
			for _, column := range of[fit] {
				lists = append(lists, column.logLoss, column.err)
			}
			return share.Pack(lists)
		},
		Take: func(fit int, result []byte) error {
			lists, err := share.Unpack(result)
			if err != nil {
				return err
			}
			if len(lists) != 2*len(columns) {
				return fmt.Errorf("assess: %d lists for %d columns", len(lists), len(columns))
			}
			for pair := range slices.Chunk(lists, 2) {
				of[fit] = append(of[fit], increase{pair[0], pair[1]})
			}
			end(fit)
			return nil
		},
	}.Run(ctx)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("assess: importance cancelled: %w", ctx.Err())
	}
	return ranked(columns, of), errors.Join(errs...)
}

// ImportanceOn returns the permutation importance of each column for a model, measured on the rows of a
// table that have a value and a class of the model. Use rows that the model was not trained on. The spread
// is over the permutations. The class column is the one the model was trained on, or the one that
// table.Target chooses. ImportanceOn returns recipe.ErrNoColumn if the table lacks a column of the model,
// ErrNoRows if no row can be used, or the error of ctx.
func ImportanceOn(ctx context.Context, m *model.Model, t *table.Table, o ImportanceOptions) ([]Importance,
	error) {
	return importanceOn(ctx, whole{m.Model(), m}, t, o)
}

func importanceOn(ctx context.Context, m encoder, t *table.Table, o ImportanceOptions) ([]Importance, error) {
	o = o.defaults()
	r := m.Recipe()
	target, _, err := t.Target(r.Target)
	if err != nil {
		return nil, err
	}
	all, _ := t.LabelsAs(target, m.ClassNames())
	var rows, labels []int
	for i, label := range all {
		if label >= 0 {
			rows, labels = append(rows, i), append(labels, label)
		}
	}
	columns := make([]string, len(r.Columns))
	for k := range columns {
		columns[k] = r.Columns[k].Name
	}
	of, err := shuffled(ctx, m, false, t, rows, labels, columns, o.Permutations, o.Seed)
	if err != nil {
		return nil, err
	}
	if of == nil {
		return nil, &cell.Error{Name: t.Name, Err: ErrNoRows}
	}
	return ranked(columns, [][]increase{of}), nil
}

// ErrNoRows is returned if no row of a table can be used.
var ErrNoRows = errors.New("no row has a value and a class of the model")

// increase contains the increases of log loss and error for each permutation of a column.
type increase struct{ logLoss, err []float64 }

// shuffled returns the increases for each column, or nil if no row can be used.
func shuffled(ctx context.Context, m encoder, labelsOnly bool, t *table.Table, rows, labels []int,
	columns []string, permutations int, seed uint64) ([]increase, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	r := m.Recipe()
	x, unusable, err := r.Encode(nil, t, rows)
	if err != nil {
		return nil, err
	}
	if x, labels = usable(x, labels, unusable); len(labels) == 0 {
		return nil, nil
	}
	n := len(labels)
	losses := func(x *mat.Dense) (logLosses, errs float64) {
		logLosses = math.NaN()
		if !labelsOnly {
			logLosses = 0
			p := m.Proba(nil, x)
			for i, label := range labels {
				logLosses += logLoss(p.At(i, label)) / float64(n)
			}
		}
		for i, label := range m.Predict(nil, x) {
			if label != labels[i] {
				errs += 1 / float64(n)
			}
		}
		return logLosses, errs
	}
	baseLoss, baseErr := losses(x)
	from := r.Sources()
	of := make([]increase, len(columns))
	changed := mat.DenseCopyOf(x)
	for k, name := range columns {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		source := slices.IndexFunc(r.Columns, func(c recipe.Column) bool { return c.Name == name })
		for range permutations {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for i, j := range rng.Perm(n) {
				for feature, k := range from {
					if k == source {
						changed.Set(i, feature, x.At(j, feature))
					}
				}
			}
			l, e := losses(changed)
			of[k].logLoss, of[k].err = append(of[k].logLoss, l-baseLoss), append(of[k].err, e-baseErr)
		}
		changed.Copy(x)
	}
	return of, nil
}

// ranked joins the increases of the folds and sorts the columns by importance.
func ranked(columns []string, of [][]increase) []Importance {
	list := make([]Importance, len(columns))
	for k, name := range columns {
		list[k].Column = name
		for _, fold := range of {
			if fold != nil {
				list[k].LogLoss.Values = append(list[k].LogLoss.Values, fold[k].logLoss...)
				list[k].Err.Values = append(list[k].Err.Values, fold[k].err...)
			}
		}
		for _, s := range []*Spread{&list[k].LogLoss, &list[k].Err} {
			s.Mean, s.SD = stat.MeanStdDev(s.Values, nil)
		}
	}
	slices.SortStableFunc(list, func(a, b Importance) int {
		if math.IsNaN(a.LogLoss.Mean) {
			return cmp.Compare(b.Err.Mean, a.Err.Mean)
		}
		return cmp.Compare(b.LogLoss.Mean, a.LogLoss.Mean)
	})
	return list
}

// Dependence describes how the probabilities of a model depend on a column: the column is set to each value
// in turn in all rows, while all other cells keep their values.
type Dependence struct {
	// Column is the name of the column, and Kind its kind in the recipe.
	Column string
	Kind   table.Kind
	// Classes are the C classes of the model.
	Classes []string
	// Values contains the G values of a number or a date (seconds since 1970) in ascending order. For a
	// boolean or a category, Levels contains the values instead, with "other" last if a row has an unknown
	// level.
	Values []float64
	Levels []string
	// Mean contains the mean probabilities (G×C), the partial dependence.
	Mean *mat.Dense
	// Rows are row numbers of the table (from 0), and Curves the probabilities for each of them (G×C), the
	// individual conditional expectations.
	Rows   []int
	Curves []*mat.Dense
	// Cells contains the non-missing values of the column in the rows that were averaged, to show where
	// the data are. For a boolean or a category they are indices of Levels.
	Cells []float64
}

// DependenceOptions configures PartialDependence.
type DependenceOptions struct {
	// Points is the maximum number of values of a number or date; they are quantiles of the column. If zero,
	// 20 is used.
	Points int
	// MaxRows is the maximum number of rows to average; they are drawn at random. If zero, 500 is used.
	MaxRows int
	// MaxCurves is the maximum number of individual curves. If zero, 50 is used.
	MaxCurves int
	// Seed determines the rows that are drawn.
	Seed uint64
}

// PartialDependence returns how the probabilities of a model depend on a column of a table. If columns are
// correlated, like height and weight, this evaluates the model on combinations of values that do not occur.
// The error is recipe.ErrNoColumn if the model does not use the column or the table lacks a column of the
// model, ErrNoRows if no row can be used, or the error of ctx.
func PartialDependence(ctx context.Context, m *model.Model, t *table.Table, column string,
	o DependenceOptions) (*Dependence, error) {
	return partialDependence(ctx, whole{m.Model(), m}, t, column, o)
}

func partialDependence(ctx context.Context, m encoder, t *table.Table, column string, o DependenceOptions) (
	*Dependence, error) {
	o = DependenceOptions{cmp.Or(o.Points, 20), cmp.Or(o.MaxRows, 500), cmp.Or(o.MaxCurves, 50), o.Seed}
	if min(o.Points-1, o.MaxRows, o.MaxCurves) < 1 {
		panic(fmt.Sprintf("assess: options of PartialDependence are too small: %+v", o))
	}
	r := m.Recipe()
	k := slices.IndexFunc(r.Columns, func(c recipe.Column) bool { return c.Name == column })
	at := t.Find(column)
	if k < 0 || at < 0 {
		return nil, &cell.Error{Name: t.Name, Err: fmt.Errorf("%w: %q is not used by the model, or the table "+
			"does not have it", recipe.ErrNoColumn, cell.Shorten(column))}
	}
	rows, err := valued(ctx, t, r)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, &cell.Error{Name: t.Name, Err: ErrNoRows}
	}
	rng := rand.New(rand.NewPCG(o.Seed, 6))
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	rows = rows[:min(len(rows), o.MaxRows)]
	d := &Dependence{Column: column, Classes: m.ClassNames(),
		Rows: slices.Clone(rows[:min(len(rows), o.MaxCurves)])}
	slices.Sort(d.Rows)
	slices.SortFunc(rows, func(a, b int) int { // rows with a curve come first
		_, x := slices.BinarySearch(d.Rows, a)
		_, y := slices.BinarySearch(d.Rows, b)
		if x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return a - b
	})
	part := subset(t, rows)
	own := &part.Columns[at]
	values, err := d.grid(&r.Columns[k], own, o.Points)
	if err != nil {
		return nil, err
	}
	all := fitting.All(len(rows))
	d.Mean = mat.NewDense(len(values), len(d.Classes), nil)
	for range d.Rows {
		d.Curves = append(d.Curves, mat.NewDense(len(values), len(d.Classes), nil))
	}
	for g, value := range values {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("assess: partial dependence cancelled: %w", ctx.Err())
		}
		part.Columns[at] = value
		x, _, err := r.Encode(nil, part, all)
		if err != nil {
			return nil, err
		}
		p := m.Proba(nil, x)
		for i := range rows {
			floats.AddScaled(d.Mean.RawRowView(g), 1/float64(len(rows)), p.RawRowView(i))
			if i < len(d.Curves) {
				d.Curves[i].SetRow(g, p.RawRowView(i))
			}
		}
	}
	return d, nil
}

// valued returns the rows that can be encoded by a recipe.
func valued(ctx context.Context, t *table.Table, r *recipe.Recipe) ([]int, error) {
	var usable []int
	const batch = 1 << 12
	for lo := 0; lo < t.Rows; lo += batch {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var part []int
		for row := lo; row < min(lo+batch, t.Rows); row++ {
			part = append(part, row)
		}
		_, unusable, err := r.Encode(nil, t, part)
		if err != nil {
			return nil, err
		}
		for i, row := range part {
			if unusable == nil || unusable[i] == nil {
				usable = append(usable, row)
			}
		}
	}
	return usable, nil
}

// grid sets Kind, Values or Levels, and Cells. For each value, it returns a constant column with that
// value.
func (d *Dependence) grid(c *recipe.Column, own *table.Column, points int) ([]table.Column, error) {
	kind, err := table.ParseKind(c.Kind)
	if err != nil {
		return nil, err
	}
	d.Kind = kind
	n := own.Len()
	var columns []table.Column
	if kind == table.Number || kind == table.Date {
		if !own.Kind.Numeric() {
			return nil, &cell.Error{Header: own.Name, Err: recipe.ErrNotKind}
		}
		for _, v := range own.Numbers {
			if !math.IsNaN(v) {
				d.Cells = append(d.Cells, v)
			}
		}
		sorted := slices.Sorted(slices.Values(d.Cells))
		if d.Values = slices.Compact(slices.Clone(sorted)); len(d.Values) > points {
			d.Values = d.Values[:0]
			for g := range points {
				d.Values = append(d.Values, quantile.Of(sorted, float64(g)/float64(points-1)))
			}
			d.Values = slices.Compact(d.Values)
		}
		for _, v := range d.Values {
			columns = append(columns, table.Column{Name: own.Name, Kind: own.Kind, Levels: own.Levels,
				Numbers: slices.Repeat([]float64{v}, n)})
		}
		return columns, nil
	}
	d.Levels = slices.Clone(c.Levels)
	other := ""
	for i := range n {
		text := own.Text(i)
		if text == "" {
			continue
		}
		code := slices.Index(c.Levels, text)
		if code < 0 {
			code, other = len(c.Levels), text
		}
		d.Cells = append(d.Cells, float64(code))
	}
	texts := slices.Clone(c.Levels)
	if other != "" {
		d.Levels, texts = append(d.Levels, "other"), append(texts, other)
	}
	for _, text := range texts {
		columns = append(columns, table.Column{Name: own.Name, Kind: table.Category, Levels: []string{text},
			Codes: make([]int32, n)})
	}
	return columns, nil
}

// subset returns a table of the given rows.
func subset(t *table.Table, rows []int) *table.Table {
	s := &table.Table{Name: t.Name, Rows: len(rows), Columns: slices.Clone(t.Columns)}
	for j := range s.Columns {
		c := &s.Columns[j]
		c.Faults = nil
		if numbers := c.Numbers; numbers != nil {
			c.Numbers = make([]float64, len(rows))
			for i, row := range rows {
				c.Numbers[i] = numbers[row]
			}
		}
		if codes := c.Codes; codes != nil {
			c.Codes = make([]int32, len(rows))
			for i, row := range rows {
				c.Codes[i] = codes[row]
			}
		}
	}
	return s
}

// CostsOfRecall returns costs for which the decision with the lowest expected cost reaches the given recall
// for a class while predicting the class as rarely as possible: an error on a row of the class costs r, any
// other error costs 1. The class is then predicted if r times its probability is not lower than the
// probability of any other class. p contains N×C probabilities of rows that the model did not see, and t
// their labels. CostsOfRecall returns an error if no row belongs to the class, if recall is not in (0, 1],
// or if it can only be reached by finding rows whose probability of the class is zero. It panics under the
// same conditions as score.PrecisionRecall.
func CostsOfRecall(p mat.Matrix, t []int, class int, recall float64) (*mat.Dense, error) {
	n, c := p.Dims()
	if n != len(t) || class < 0 || class >= c {
		panic(fmt.Sprintf("assess: %d×%d probabilities for %d labels and class %d", n, c, len(t), class))
	}
	if !(recall > 0 && recall <= 1) {
		return nil, fmt.Errorf("recall must be above 0 and at most 1, not %v", recall)
	}
	var needed []float64 // for each row of the class, the smallest r for which it is found
	for i, label := range t {
		if label == class {
			others := mat.Row(nil, i, p)
			own := others[class]
			others[class] = 0
			needed = append(needed, slices.Max(others)/own)
		}
	}
	if needed == nil {
		return nil, errors.New("no row belongs to the class")
	}
	slices.Sort(needed)
	const above = 1 + 1e-9 // protects the comparison from rounding errors
	r := needed[int(math.Ceil(recall*float64(len(needed))*(1-1e-12)))-1] * above
	if !fitting.IsFinite(r) {
		return nil, errors.New("the probability of the class is zero for a row that must be found")
	}
	costs := mat.NewDense(c, c, nil)
	for truth := range c {
		for decision := range c {
			switch {
			case truth == decision:
			case truth == class:
				costs.Set(truth, decision, r)
			default:
				costs.Set(truth, decision, 1)
			}
		}
	}
	return costs, nil
}

// CostPoint is a point of CostCurve: the mean cost per row if class 1 is predicted whenever its probability
// is at least Threshold.
type CostPoint struct{ Threshold, Cost float64 }

// CostCurve returns the mean cost per row of a two-class problem for thresholds from 0 to 1 in steps of
// 0.01. p contains N×2 probabilities, t the N labels, and costs is a 2×2 matrix as in [Results.Cost]. If
// the probabilities are calibrated, the cost is lowest near the threshold (c01 − c00)/(c01 − c00 + c10 −
// c11). CostCurve panics if the shapes do not match.
func CostCurve(p mat.Matrix, t []int, costs mat.Matrix) []CostPoint {
	n, c := p.Dims()
	if rows, columns := costs.Dims(); n != len(t) || c != 2 || rows != 2 || columns != 2 {
		panic(fmt.Sprintf("assess: %d×%d probabilities and %d×%d costs for %d labels of two classes", n, c, rows,
			columns, len(t)))
	}
	points := make([]CostPoint, 101)
	for k := range points {
		points[k].Threshold = float64(k) / 100
		for i, label := range t {
			decision := 0
			if p.At(i, 1) >= points[k].Threshold {
				decision = 1
			}
			points[k].Cost += costs.At(label, decision) / float64(n)
		}
	}
	return points
}

// Decide returns the outcome of system s with the labels replaced by the class with the lowest expected
// cost under its probabilities; the lower class wins a tie. costs is C×C, with true classes as rows and
// decisions as columns. The outcome can be appended to Systems to compute its Score and Cost. Decide panics
// if costs is not C×C or the system has no probabilities.
func (r *Results) Decide(s int, costs mat.Matrix) Outcome {
	o := r.Systems[s]
	r.checkCosts(costs)
	if o.Proba == nil {
		panic(fmt.Sprintf("assess: %s has no probabilities", o.Name))
	}
	o.Name += " by cost"
	o.Labels = slices.Clone(o.Labels)
	for repeat := range o.Labels {
		o.Labels[repeat] = slices.Clone(o.Labels[repeat])
	}
	list := rowsOf(costs)
	r.eachScored(func(repeat, n int) {
		o.Labels[repeat][n] = fitting.LeastCost(o.Proba[repeat].RawRowView(n), list)
	})
	return o
}

// Cost returns the mean cost of the labels of system s, with a standard error computed as for the log loss.
// costs is C×C, with true classes as rows and decisions as columns. The cost is NaN if the system failed.
// Cost panics if costs is not C×C.
func (r *Results) Cost(s int, costs mat.Matrix) Figure {
	r.checkCosts(costs)
	o := &r.Systems[s]
	if o.Err != nil || len(r.done) == 0 {
		return undefined
	}
	cost := func(repeat, n int) float64 { return costs.At(r.T[n], o.Labels[repeat][n]) }
	var byFold []float64
	for _, fit := range r.done {
		if _, out := r.parts(fit/r.Folds, fit%r.Folds); len(out) > 0 {
			sum := 0.0
			for _, n := range out {
				sum += cost(fit/r.Folds, n)
			}
			byFold = append(byFold, sum/float64(len(out)))
		}
	}
	return r.figure(byFold, r.rowMeans(cost), false)
}

func (r *Results) checkCosts(costs mat.Matrix) {
	if rows, columns := costs.Dims(); rows != len(r.Classes) || columns != rows {
		panic(fmt.Sprintf("assess: %d×%d costs for %d classes", rows, columns, len(r.Classes)))
	}
}

// rowsOf returns the rows of a matrix.
func rowsOf(m mat.Matrix) (list [][]float64) {
	n, _ := m.Dims()
	for i := range n {
		list = append(list, mat.Row(nil, i, m))
	}
	return list
}
