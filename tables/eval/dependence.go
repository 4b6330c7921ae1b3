package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Dependence describes how the probabilities of a model depend on a column: the column is set to each value
// in turn in all rows, while all other cells keep their values.
type Dependence struct {
	// Column is the name of the column, and Kind its kind in the recipe.
	Column string
	Kind   table.Kind
	// Classes are the C classes of the model.
	Classes []string
	// Values contains the G values of a number or a date (seconds since 1970) in ascending order: all values,
	// or 20 quantiles if there are more. For a
	// boolean or a category, Levels contains the values instead, with "other" last if a row has an unknown
	// level.
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
