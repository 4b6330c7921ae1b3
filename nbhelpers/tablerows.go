package nbhelpers

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/table"
)

// TableRegions is [Regions] for the rows of a table that have a class of the model and a value in one of
// its columns. The axes are in the units of the columns, and the other columns are as in a typical row:
// medians and the most frequent levels. If opt names no columns, the two most important numeric columns are
// shown; they are found by shuffling each column among the rows. Rows without a value on an axis are not
// drawn. TableRegions panics if the model has no recipe or fewer than two numeric columns, or if opt.Scale
// is set, because the model scales the columns.
func TableRegions(m *tables.Model, t *table.Table, opt RegionsOptions) Chart {
	defer readable()
	if opt.Scale != nil {
		misuse("TableRegions", "a table needs no Scale, because its model scales the columns")
	}
	return regions(encode("TableRegions", m, t), opt)
}

// TableProfile is [Profile] for a numeric column of a table. The other columns are as in a typical row:
// medians and the most frequent levels, so the relevance vectors and the rows are not on the curves. If
// opt names no column, the most important one is shown. Rows without a value in the column are not drawn.
// TableProfile panics if the model has no recipe or no numeric column, or if opt.Scale is set, because the
// model scales the columns.
func TableProfile(m *tables.Model, t *table.Table, opt ProfileOptions) Chart {
	defer readable()
	if opt.Scale != nil {
		misuse("TableProfile", "a table needs no Scale, because its model scales the columns")
	}
	return profileOf(encode("TableProfile", m, t), opt)
}

// TableWrong is the number of rows that a model assigns to a wrong class, among the rows with a class of
// the model and a value.
func TableWrong(m *tables.Model, t *table.Table) int {
	defer readable()
	return wrong(m.Model(), encode("TableWrong", m, t).set)
}

// TableExplanation is [Explanation] for a row of a table, given by its cells as for tables.Model.PredictRow;
// table.Table.Row returns those of a row. The subtitle names columns of the model that the row lacks.
// TableExplanation panics if the model has no recipe or a cell cannot be used.
func TableExplanation(m *tables.Model, row map[string]any) Chart {
	defer readable()
	r := m.Recipe()
	if r == nil {
		misuse("TableExplanation", "cells need a model with a recipe, such as tables.Fit returns")
	}
	features, err := r.EncodeRow(row)
	if err != nil {
		misuse("TableExplanation", "%v", err)
	}
	var absent []string
	for _, c := range r.Columns {
		if _, given := row[c.Name]; !given {
			absent = append(absent, plain(c.Name))
		}
	}
	return explanation(m.ClassNames(), m.Model().Explain(features), absent)
}

// encode makes a set of the rows of a table that have a class of the model and a value, in raw units.
func encode(chart string, m *tables.Model, t *table.Table) samples {
	r := m.Recipe()
	if r == nil {
		misuse(chart, "a table needs a model with a recipe, such as tables.Fit returns")
	}
	target := t.Find(r.Target)
	if target < 0 {
		misuse(chart, "the table has no column %q, from which the model learned the classes", r.Target)
	}
	labels, _ := t.LabelsAs(target, m.ClassNames()) // rows of unknown classes are left out
	var rows []int
	for i, label := range labels {
		if label >= 0 {
			rows = append(rows, i)
		}
	}
	x, unusable, err := r.Encode(nil, t, rows)
	if err != nil {
		misuse(chart, "%v", err)
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
		misuse(chart, "no row of the table has a class and a value that the model knows")
	}
	set.X = mat.NewDense(len(kept), r.Width(), nil)
	for i, from := range kept {
		set.X.SetRow(i, x.RawRowView(from))
	}
	s := samples{c: m.Model(), set: set, units: make([]string, r.Width())}
	sources := r.Sources()
	for f, column := range sources {
		if c := r.Columns[column]; f == slices.Index(sources, column) && c.Kind == table.Number.String() {
			s.numerics, s.units[f] = append(s.numerics, f), c.Unit
		}
	}
	s.absent = func(n, feature int) bool {
		return t.Columns[t.Find(r.Columns[sources[feature]].Name)].Missing(of[n])
	}
	s.origin = make([]float64, r.Width())
	if typical, err := assess.TypicalRow(r); err == nil {
		if s.origin, err = r.EncodeRow(typical); err != nil {
			misuse(chart, "%v", err)
		}
	} else { // a model of an old file
		for f := range s.origin {
			s.origin[f] = mat.Sum(set.X.ColView(f)) / float64(set.N())
		}
	}
	s.important = func() []int { return important(s, m) }
	if mean, deviation := m.Model().Scaling(); mean != nil {
		s.c, s.scale = m.Model().WithScaling(nil, nil), &data.Standardizer{Mean: mean, Scale: deviation}
	}
	return s
}

// mostShuffled is how many rows tell which columns are important.
const mostShuffled = 1000

// important returns the features of the numeric columns, the most important first: those with which the log
// loss rises most if the cells of their column are shuffled.
func important(s samples, m *tables.Model) []int {
	n := min(s.set.N(), mostShuffled)
	x, labels := mat.NewDense(n, s.set.D(), nil), make([]int, n)
	for i, from := range everyNth(s.set.N(), n) {
		x.SetRow(i, s.set.X.RawRowView(from))
		labels[i] = s.set.T[from]
	}
	loss := func(x *mat.Dense) (sum float64) {
		p := m.Model().Proba(nil, x)
		for i, label := range labels {
			sum -= math.Log(max(p.At(i, label), 1e-12))
		}
		return sum
	}
	sources := m.Recipe().Sources()
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	rises := make([]float64, len(s.numerics))
	for k, f := range s.numerics {
		shuffled := mat.DenseCopyOf(x)
		for j := f; j < len(sources) && sources[j] == sources[f]; j++ { // with the feature for missing cells
			for i, from := range order {
				shuffled.Set(i, j, x.At(from, j))
			}
		}
		rises[k] = loss(shuffled)
	}
	list := make([]int, 0, len(rises))
	for _, k := range falling(rises) {
		list = append(list, s.numerics[k])
	}
	return list
}
