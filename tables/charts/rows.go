package charts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Regions draws [nbhelpers.Regions] for the rows of a table that have a class of the model and a value in
// at least one of its columns. The axes are in the units of the columns, and the other columns have the
// values of a typical row: medians and the most frequent levels. If opt names no columns, the two numeric
// columns with the highest permutation importance are shown. Rows without a value on an axis are not drawn.
// The fields Typical and Missing of opt are ignored.
//
// Regions panics if the model has no recipe or fewer than two numeric columns, or if opt.Scale is set,
// because the model scales the columns.
func Regions(m *model.Model, t *table.Table, opt nbhelpers.RegionsOptions) nbhelpers.Chart {
	defer chart.Readable()
	if opt.Scale != nil {
		fault("Regions", "Scale must not be set, because the model scales the columns itself")
	}
	r := recipeOf("Regions", m)
	p, err := eval.Predict(context.Background(), m, t)
	if err == nil && len(p.Rows) == 0 {
		err = eval.ErrNoRows
	}
	if err != nil {
		fault("Regions", "%v", err)
	}
	x, _, err := r.Encode(nil, t, p.Rows)
	if err != nil {
		fault("Regions", "%v", err)
	}
	set := &data.Set{Name: strings.TrimSuffix(filepath.Base(t.Name), filepath.Ext(t.Name)), X: x, T: p.T,
		Classes: p.Classes, Features: r.Features()}
	sources, units := r.Sources(), make([]string, r.Width())
	numeric := map[string]int{} // the feature of each numeric column
	for f, column := range sources {
		if c := r.Columns[column]; f == slices.Index(sources, column) && c.Kind == table.Number.String() {
			numeric[c.Name], units[f] = f, c.Unit
		}
	}
	for _, name := range opt.Columns {
		if _, ok := numeric[name]; !ok && name != "" {
			fault("Regions", "%q is not one of the numeric columns of the model, which are %q", name,
				slices.Sorted(maps.Keys(numeric)))
		}
	}
	if opt.Columns == [2]string{} && opt.Features == [2]int{} && !opt.Principal {
		if len(numeric) < 2 {
			fault("Regions", "the model has %d numeric columns, but two are required", len(numeric))
		}
		opt.Features = mostImportant(p, numeric)
	}
	for f, unit := range opt.Units[:min(len(opt.Units), len(units))] {
		units[f] = cmp.Or(unit, units[f])
	}
	opt.Units, opt.Typical = units, typical(r, x)
	opt.Missing = func(n, feature int) bool {
		return t.Columns[t.Find(r.Columns[sources[feature]].Name)].Missing(p.Rows[n])
	}
	c := m.Model()
	if mean, deviation := c.Scaling(); mean != nil {
		c, opt.Scale = c.WithScaling(nil, nil), &data.Standardizer{Mean: mean, Scale: deviation}
	}
	return nbhelpers.Regions(c, set, opt)
}

// mostShuffled is the maximum number of rows used to determine the most important columns.
const mostShuffled = 1000

// mostImportant returns the features of the two columns with the highest permutation importance.
func mostImportant(p *eval.Matrix, numeric map[string]int) (two [2]int) {
	list, err := p.Importance(context.Background(), eval.ImportanceOptions{Permutations: 1,
		MaxRows: mostShuffled, Seed: 1})
	if err != nil {
		fault("Regions", "%v", err)
	}
	n := 0
	for _, column := range list {
		if f, ok := numeric[column.Column]; ok && n < 2 {
			two[n] = f
			n++
		}
	}
	return two
}

// typical returns the features of a typical row or, if an old file has no profile, the mean of the samples x.
func typical(r *recipe.Recipe, x *mat.Dense) []float64 {
	row, err := eval.TypicalRow(r)
	if err != nil {
		n, d := x.Dims()
		mean := make([]float64, d)
		for f := range mean {
			mean[f] = mat.Sum(x.ColView(f)) / float64(n)
		}
		return mean
	}
	features, err := r.EncodeRow(row)
	if err != nil {
		fault("Regions", "%v", err)
	}
	return features
}

func recipeOf(chart string, m *model.Model) *recipe.Recipe {
	r := m.Recipe()
	if r == nil {
		fault(chart, "the model must have a recipe, like a model returned by tables.Fit")
	}
	return r
}

// Explanation draws [nbhelpers.Explanation] for a row of a table, given by its cells as for
// [model.Model.PredictRow]; [table.Table.Row] returns the cells of a row. The subtitle lists columns of the
// model that are missing in row. Explanation panics if the model has no recipe or a cell cannot be used.
func Explanation(m *model.Model, row map[string]any) nbhelpers.Chart {
	defer chart.Readable()
	r := recipeOf("Explanation", m)
	features, err := r.EncodeRow(row)
	if err != nil {
		fault("Explanation", "%v", err)
	}
	var absent []string
	for _, c := range r.Columns {
		if _, given := row[c.Name]; !given {
			absent = append(absent, chart.Plain(c.Name))
		}
	}
	c := nbhelpers.Explanation(m.Model(), features)
	if absent != nil {
		chart.FigureOf(c).Subtitle += " · treated as missing: " + words.List(absent, 6)
	}
	return c
}

func fault(chart, format string, values ...any) {
	panic("charts: " + chart + ": " + fmt.Sprintf(format, values...))
}
