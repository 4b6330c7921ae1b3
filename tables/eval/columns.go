package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Importance is the permutation importance of a column: how much worse the predictions get when the cells
// of the column, that is all of its features together, are shuffled among the rows.
type Importance struct {
	Column string
	// LogLoss is the increase of the log loss, in nats, and Err the increase of the error rate. Both are
	// about 0 for an irrelevant column. LogLoss is NaN without probabilities.
	LogLoss, Err Spread
}

// Spread is the mean and standard deviation of values, one for each fold and permutation, in this order. SD
// is NaN for a single value.
type Spread struct {
	Mean, SD float64
	Values   []float64
}

// ImportanceOptions configures Matrix.Importance.
type ImportanceOptions struct {
	// Permutations is how often each column is shuffled in each fold. If zero, 5 is used.
	Permutations int
	// MaxRows is the maximum number of rows of a fold to use, which are evenly spaced. If zero, all are used.
	MaxRows int
	// Seed determines the permutations.
	Seed uint64
	// Progress, if not nil, is called after each fold; calls do not overlap.
	Progress func(Progress)
}

// Importance returns the permutation importance of each column, in descending order of the log-loss increase
// (the error increase if the system has no probabilities). In each fold, the columns are shuffled among the
// rows of the matrix. Importance returns an error if the system failed or has no rows, or if ctx ended, and
// panics if the matrix was computed without Options.Keep. If the rows are training rows, it is optimistic.
//
// Redundant columns share their importance: if one of two is shuffled, the model can still use the other.
func (m *Matrix) Importance(ctx context.Context, o ImportanceOptions) ([]Importance, error) {
	if o.Permutations = cmp.Or(o.Permutations, 5); o.Permutations < 0 {
		panic(fmt.Sprintf("eval: %d permutations", o.Permutations))
	}
	kept := slices.IndexFunc(m.models, func(f *fitted) bool { return f != nil })
	switch {
	case m.Err != nil:
		return nil, fmt.Errorf("%s: %w", m.System, m.Err)
	case len(m.T) == 0:
		return nil, &cell.Error{Name: m.Table.Name, Err: ErrNoRows}
	case kept < 0:
		panic("eval: the models of the matrix were not kept")
	}
	var columns []string
	for _, c := range m.models[kept].recipe.Columns {
		columns = append(columns, c.Name)
	}
	of, errs := make([][][]float64, len(m.models)), make([]error, len(m.models))
	var mu sync.Mutex
	ended := 0
	end := func(fold int) {
		mu.Lock()
		defer mu.Unlock()
		if ended++; o.Progress != nil {
			o.Progress(Progress{Done: ended, Total: len(of), System: m.System, Repeat: 1 + fold/m.K,
				Fold: 1 + fold%m.K})
		}
	}
	do := func(fold int) {
		f := m.models[fold]
		if f == nil || ctx.Err() != nil {
			return
		}
		lo, _ := slices.BinarySearch(m.Fold, fold)
		hi, _ := slices.BinarySearch(m.Fold, fold+1)
		var rows, labels []int
		n := min(hi-lo, cmp.Or(o.MaxRows, math.MaxInt))
		for i := range n {
			at := lo + i*(hi-lo)/n
			rows, labels = append(rows, m.Rows[at]), append(labels, m.T[at])
		}
		of[fold], errs[fold] = f.shuffled(ctx, m.Table, rows, labels, o.Permutations,
			o.Seed+uint64(fold)<<32) //nolint:gosec // fold is not negative
		end(fold)
	}
	share.Loop{
		Name: fmt.Sprintf("importance, %d permutations, seed %d", o.Permutations, o.Seed), N: len(of), Do: do,
		Give: func(fold int) []byte { return share.Pack(of[fold]) },
		Take: func(fold int, result []byte) error {
			lists, err := share.Unpack(result)
			if err != nil {
				return err
			}
			if len(lists) != 2*len(columns) {
				return fmt.Errorf("eval: %d lists for %d columns", len(lists), len(columns))
			}
			of[fold] = lists
			end(fold)
			return nil
		},
	}.Run(ctx)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("eval: importance cancelled: %w", ctx.Err())
	}
	return ranked(columns, of), errors.Join(errs...)
}

// ErrNoRows is returned if no row of a table can be used.
var ErrNoRows = errors.New("no row has a value and a class of the model")

// shuffled returns the increases of the log loss and of the error by permutation: two lists for each column.
func (m *fitted) shuffled(ctx context.Context, t *table.Table, rows, labels []int, permutations int,
	seed uint64) ([][]float64, error) {
	x, _, err := m.recipe.Encode(nil, t, rows)
	if err != nil {
		return nil, err
	}
	n := len(labels)
	losses := func(x *mat.Dense) (logLosses, errs float64) {
		predicted, p := m.predict(x)
		for i, label := range labels {
			if p != nil {
				logLosses += logLoss(p.At(i, label)) / float64(n)
			}
			if predicted[i] != label {
				errs += 1 / float64(n)
			}
		}
		if p == nil {
			logLosses = math.NaN()
		}
		return logLosses, errs
	}
	baseLoss, baseErr := losses(x)
	from := m.recipe.Sources()
	of := make([][]float64, 2*len(m.recipe.Columns))
	changed := mat.DenseCopyOf(x)
	for k := range m.recipe.Columns {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		for range permutations {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for i, j := range rng.Perm(n) {
				for feature, source := range from {
					if source == k {
						changed.Set(i, feature, x.At(j, feature))
					}
				}
			}
			l, e := losses(changed)
			of[2*k], of[2*k+1] = append(of[2*k], l-baseLoss), append(of[2*k+1], e-baseErr)
		}
		changed.Copy(x)
	}
	return of, nil
}

func ranked(columns []string, of [][][]float64) []Importance {
	list := make([]Importance, len(columns))
	for k, name := range columns {
		list[k].Column = name
		for _, fold := range of {
			if fold != nil {
				list[k].LogLoss.Values = append(list[k].LogLoss.Values, fold[2*k]...)
				list[k].Err.Values = append(list[k].Err.Values, fold[2*k+1]...)
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
	// Values contains the G values of a number or a date (seconds since 1970) in ascending order: all values,
	// or 20 quantiles if there are more. For a boolean or a category, Levels contains the values instead,
	// with "other" last if a row has an unknown level.
	Values []float64
	Levels []string
	// Mean contains the mean probabilities (G×C), the partial dependence.
	Mean *mat.Dense
	// Cells contains the non-missing values of the column in the rows that were averaged, to show where
	// the data are. For a boolean or a category they are indices of Levels.
	Cells []float64
}

// DependenceOptions configures PartialDependence.
type DependenceOptions struct {
	// MaxRows is the maximum number of rows to average; they are drawn at random. If zero, 500 is used.
	MaxRows int
	// Seed determines the rows that are drawn.
	Seed uint64
}

// PartialDependence returns how the probabilities of a model depend on a column of a table. If columns are
// correlated, like height and weight, this evaluates the model on combinations of values that do not occur.
// The error is recipe.ErrNoColumn if the model does not use the column or the table lacks a column of the
// model, ErrNoRows if no row can be used, or the error of ctx.
func PartialDependence(ctx context.Context, m *model.Model, t *table.Table, column string,
	o DependenceOptions) (*Dependence, error) {
	if o.MaxRows = cmp.Or(o.MaxRows, 500); o.MaxRows < 1 {
		panic(fmt.Sprintf("eval: MaxRows is %d", o.MaxRows))
	}
	r := m.RowRecipe()
	k := slices.IndexFunc(r.Columns, func(c recipe.Column) bool { return c.Name == column })
	at := t.Find(column)
	if k < 0 || at < 0 {
		return nil, &cell.Error{Name: t.Name, Err: fmt.Errorf("%w: %q is not used by the model, or the table "+
			"does not have it", recipe.ErrNoColumn, cell.Shorten(column))}
	}
	keys, err := r.Keys(ctx, t, fitting.All(t.Rows))
	if err != nil {
		return nil, err
	}
	var rows []int
	for row, key := range keys {
		if key != 0 { // the row can be encoded
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil, &cell.Error{Name: t.Name, Err: ErrNoRows}
	}
	rng := rand.New(rand.NewPCG(o.Seed, 6))
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	rows = rows[:min(len(rows), o.MaxRows)]
	slices.Sort(rows)
	x, _, err := r.Encode(nil, t, rows)
	if err != nil {
		return nil, err
	}
	d := &Dependence{Column: column, Classes: m.ClassNames()}
	values, err := d.grid(&r.Columns[k], &t.Columns[at], rows)
	if err != nil {
		return nil, err
	}
	d.Mean = mat.NewDense(len(values), len(d.Classes), nil)
	sources := r.Sources()
	for g, value := range values {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("eval: partial dependence cancelled: %w", ctx.Err())
		}
		features, err := r.EncodeRow(map[string]any{column: value})
		if err != nil {
			return nil, err
		}
		for feature, source := range sources {
			for i := 0; i < len(rows) && source == k; i++ {
				x.Set(i, feature, features[feature])
			}
		}
		p := m.Model().Proba(nil, x)
		for i := range rows {
			floats.AddScaled(d.Mean.RawRowView(g), 1/float64(len(rows)), p.RawRowView(i))
		}
	}
	return d, nil
}

// grid sets Kind, Values or Levels, and Cells. It returns the values for recipe.Recipe.EncodeRow.
func (d *Dependence) grid(c *recipe.Column, own *table.Column, rows []int) (values []any, err error) {
	d.Kind, _ = table.ParseKind(c.Kind)
	if d.Kind == table.Number || d.Kind == table.Date {
		if !own.Kind.Numeric() {
			return nil, &cell.Error{Header: own.Name, Err: recipe.ErrNotKind}
		}
		p := own.Profile(rows)
		d.Cells = p.Numbers
		const points = 20
		if d.Values = slices.Compact(slices.Clone(d.Cells)); len(d.Values) > points {
			d.Values = d.Values[:0]
			for g := range points {
				d.Values = append(d.Values, p.Quantile(float64(g)/float64(points-1)))
			}
			d.Values = slices.Compact(d.Values)
		}
		for _, v := range d.Values {
			if d.Kind == table.Date {
				seconds, part := math.Modf(v)
				values = append(values, time.Unix(int64(seconds), int64(1e9*part)).UTC())
			} else {
				values = append(values, v)
			}
		}
		return values, nil
	}
	d.Levels = slices.Clone(c.Levels)
	other := ""
	for _, row := range rows {
		text := own.Text(row)
		if text == "" {
			continue
		}
		code := slices.Index(c.Levels, text)
		if code < 0 {
			code, other = len(c.Levels), text
		}
		d.Cells = append(d.Cells, float64(code))
	}
	for _, level := range d.Levels {
		values = append(values, level)
	}
	if other != "" {
		d.Levels, values = append(d.Levels, "other"), append(values, other)
	}
	return values, nil
}
