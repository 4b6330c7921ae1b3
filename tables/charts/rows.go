package charts

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/model"
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
	s := encode(m, t, opt.Scale)
	switch {
	case opt.Columns != [2]string{}:
		s.checkNumeric(opt.Columns[0])
		s.checkNumeric(opt.Columns[1])
	case opt.Features == [2]int{} && !opt.Principal:
		if len(s.numerics) < 2 {
			fault("Regions", "the model has %d numeric columns, but two are required",
				len(s.numerics))
		}
		opt.Features = [2]int(s.important(m, t)[:2])
	}
	for f, unit := range opt.Units[:min(len(opt.Units), len(s.units))] {
		s.units[f] = cmp.Or(unit, s.units[f])
	}
	opt.Units, opt.Scale, opt.Typical, opt.Missing = s.units, s.scale, s.typical, s.missing
	return nbhelpers.Regions(s.c, s.set, opt)
}

// Explanation draws [nbhelpers.Explanation] for a row of a table, given by its cells as for
// [model.Model.PredictRow]; [table.Table.Row] returns the cells of a row. The subtitle lists columns of
// the model that are missing in row. Explanation panics if the model has no recipe or a cell cannot be
// used.
func Explanation(m *model.Model, row map[string]any) nbhelpers.Chart {
	defer chart.Readable()
	r := m.Recipe()
	if r == nil {
		fault("Explanation", "the model must have a recipe, like a model returned by tables.Fit")
	}
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
		chart.FigureOf(c).Subtitle += " · treated as missing: " + strings.Join(firsts(absent), ", ")
	}
	return c
}

// fault panics with the name of the chart and a message.
func fault(chart, format string, values ...any) {
	panic("charts: " + chart + ": " + fmt.Sprintf(format, values...))
}

// encoded contains rows of a table in the form that charts of a data set need.
type encoded struct {
	c        nbhelpers.Classifier
	set      *data.Set          // in raw units
	scale    *data.Standardizer // from raw units to the units of c; nil if they are the same
	typical  []float64          // features of a typical row
	units    []string           // of the features
	missing  func(sample, feature int) bool
	numerics []int // the feature of each numeric column
}

// checkNumeric panics if the model has no numeric column with the name.
func (s *encoded) checkNumeric(name string) {
	var names []string
	for _, f := range s.numerics {
		names = append(names, s.set.Features[f])
	}
	if !slices.Contains(names, name) {
		fault("Regions", "%q is not one of the numeric columns of the model, which are %q", name, names)
	}
}

// encode returns the rows of a table that have a class of the model and a value, in raw units. scale must
// be nil.
func encode(m *model.Model, t *table.Table, scale *data.Standardizer) *encoded {
	if scale != nil {
		fault("Regions", "Scale must not be set, because the model scales the columns itself")
	}
	r := m.Recipe()
	if r == nil {
		fault("Regions", "the model must have a recipe, like a model returned by tables.Fit")
	}
	target := t.Find(r.Target)
	if target < 0 {
		fault("Regions", "the table lacks the class column of the model, %q", r.Target)
	}
	labels, _ := t.LabelsAs(target, m.ClassNames()) // rows of unknown classes are omitted
	var rows []int
	for i, label := range labels {
		if label >= 0 {
			rows = append(rows, i)
		}
	}
	x, unusable, err := r.Encode(nil, t, rows)
	if err != nil {
		fault("Regions", "%v", err)
	}
	set := &data.Set{
		Name:    strings.TrimSuffix(filepath.Base(t.Name), filepath.Ext(t.Name)),
		Classes: m.ClassNames(), Features: r.Features(),
	}
	var kept []int // of x
	var of []int   // rows of the table
	for i, row := range rows {
		if unusable == nil || unusable[i] == nil {
			kept, of, set.T = append(kept, i), append(of, row), append(set.T, labels[row])
		}
	}
	if len(kept) == 0 {
		fault("Regions", "no row of the table has a class and a value that the model knows")
	}
	set.X = mat.NewDense(len(kept), r.Width(), nil)
	for i, from := range kept {
		set.X.SetRow(i, x.RawRowView(from))
	}
	s := &encoded{c: m.Model(), set: set, units: make([]string, r.Width())}
	sources := r.Sources()
	for f, column := range sources {
		if c := r.Columns[column]; f == slices.Index(sources, column) && c.Kind == table.Number.String() {
			s.numerics, s.units[f] = append(s.numerics, f), c.Unit
		}
	}
	s.missing = func(n, feature int) bool {
		return t.Columns[t.Find(r.Columns[sources[feature]].Name)].Missing(of[n])
	}
	s.typical = make([]float64, r.Width())
	if typical, err := assess.TypicalRow(r); err == nil {
		if s.typical, err = r.EncodeRow(typical); err != nil {
			fault("Regions", "%v", err)
		}
	} else { // models in old files have no profile
		for f := range s.typical {
			s.typical[f] = mat.Sum(set.X.ColView(f)) / float64(set.N())
		}
	}
	if mean, deviation := m.Model().Scaling(); mean != nil {
		s.c, s.scale = m.Model().WithScaling(nil, nil), &data.Standardizer{Mean: mean, Scale: deviation}
	}
	return s
}

// important returns the features of the numeric columns in descending order of permutation importance.
func (s *encoded) important(m *model.Model, t *table.Table) (list []int) {
	rows, err := assess.Predict(context.Background(), m, t)
	if err != nil {
		fault("Regions", "%v", err)
	}
	importance, err := rows.Importance(context.Background(), assess.ImportanceOptions{Permutations: 1,
		MaxRows: mostShuffled, Seed: 1})
	if err != nil {
		fault("Regions", "%v", err)
	}
	for _, column := range importance {
		for _, f := range s.numerics {
			if s.set.Features[f] == column.Column {
				list = append(list, f)
			}
		}
	}
	return list
}

// mostShuffled is the maximum number of rows used to determine the most important columns.
const mostShuffled = 1000

// firsts returns at most 6 names.
func firsts(names []string) []string {
	if len(names) > 6 {
		return append(slices.Clone(names[:6]), "…")
	}
	return names
}
