package nbhelpers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Rows are labelled samples: a set, or a table for a model that mpcvm.FitTable fitted. Of a table,
// the rows with a class of the model and a value in one of its columns are used.
type Rows interface{ *data.Set | *table.Table }

// samples are Rows as a chart draws them.
type samples struct {
	c     Classifier
	set   *data.Set          // in the units shown
	scale *data.Standardizer // from these to the units of c; nil: they are the same
	// The rest is of a table.
	model    *mpcvm.Model // nil: of a set
	origin   []float64    // features of a typical row; nil: of a set, whose features have a mean
	units    []string     // of the features
	absent   func(n, feature int) bool
	numerics []int // the feature of each numeric column
}

// asSamples checks that rows are in the units of a classifier and encodes a table. It panics with the name
// of the chart if they are not. The classifier that it returns takes the set after scale.
func asSamples[R Rows](chart string, c Classifier, rows R, scale *data.Standardizer) samples {
	switch rows := any(rows).(type) {
	case *table.Table:
		m := tableModel(chart, c)
		if scale != nil {
			misuse(chart, "a table needs no Scale, because its model scales the columns")
		}
		s := encode(chart, m, rows)
		if mean, deviation := m.Scaling(); mean != nil {
			s.c, s.scale = m.WithScaling(nil, nil), &data.Standardizer{Mean: mean, Scale: deviation}
		}
		return s
	case *data.Set:
		checkUnits(chart, c, rows, scale)
		return samples{c: c, set: rows, scale: scale}
	}
	panic("nbhelpers: unknown rows")
}

// misuse panics with the name of a helper and a message.
func misuse(helper, format string, values ...any) {
	panic("nbhelpers: " + helper + ": " + fmt.Sprintf(format, values...))
}

// tableModel returns a classifier as a model that takes tables.
func tableModel(chart string, c any) *mpcvm.Model {
	m, ok := c.(*mpcvm.Model)
	if !ok || m.Recipe() == nil {
		misuse(chart, "a table needs a model of mpcvm.FitTable; for this one, pass a *data.Set "+
			"in the units of its training data")
	}
	return m
}

// encode makes a set of the rows of a table that have a class of the model and a value, in raw units.
func encode(chart string, m *mpcvm.Model, t *table.Table) samples {
	r := m.Recipe()
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
	s := samples{c: m, model: m, set: set, units: make([]string, r.Width())}
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
	return s
}

// mostShuffled is how many rows tell which columns are important.
const mostShuffled = 1000

// important returns the features of the numeric columns, the most important first: those with which the log
// loss rises most if the cells of their column are shuffled.
func (s *samples) important() []int {
	n := min(s.set.N(), mostShuffled)
	x, labels := mat.NewDense(n, s.set.D(), nil), make([]int, n)
	for i, from := range everyNth(s.set.N(), n) {
		x.SetRow(i, s.set.X.RawRowView(from))
		labels[i] = s.set.T[from]
	}
	loss := func(x *mat.Dense) (sum float64) {
		p := s.model.Proba(nil, x)
		for i, label := range labels {
			sum -= math.Log(max(p.At(i, label), 1e-12))
		}
		return sum
	}
	sources := s.model.Recipe().Sources()
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

// feature returns the feature of a name: a numeric column of a table, or a feature of a set.
func (s *samples) feature(chart, name string) int {
	f := slices.Index(s.set.Features, name)
	if f < 0 || s.model != nil && !slices.Contains(s.numerics, f) {
		var names []string
		for i, known := range s.set.Features {
			if s.model == nil || slices.Contains(s.numerics, i) {
				names = append(names, known)
			}
		}
		misuse(chart, "%q is not one of the numeric columns of the model, which are %q", name, names)
	}
	return f
}

// axis is the name of a feature with its unit.
func (s *samples) axis(f int, unit string) string {
	if unit == "" && s.units != nil {
		unit = s.units[f]
	}
	name := plain(s.set.Features[f])
	if unit != "" {
		name = joinedBy(name, " ", "("+plain(unit)+")")
	}
	return name
}

// checkUnits panics if a set cannot be in the units of a model that scales its features. It does so only
// if that is certain.
func checkUnits(chart string, c any, set *data.Set, scale *data.Standardizer) {
	m, ok := c.(*mpcvm.Model)
	if !ok {
		return
	}
	mean, deviation := m.Scaling()
	if mean == nil { // it takes features as it was trained on them
		return
	}
	r := m.Recipe()
	if r == nil && scale != nil { // two scales, one after the other
		return
	}
	instead := "pass the set as it was before it was standardised"
	if r != nil {
		instead = fmt.Sprintf("pass the table that tables.Open returned: %s(model, table, ...)", chart)
		if chart == "Explanation" {
			instead = "pass the cells of a row: Explanation(model, table.Row(i))"
		}
	}
	refuse := func(why string) {
		misuse(chart, "%s, but the model takes raw units and scales them itself; %s", why, instead)
	}
	switch {
	case scale != nil:
		refuse("Scale would standardise the samples")
	case r != nil && !slices.Equal(set.Features, m.FeatureNames()):
		misuse(chart, "the features of the set, %q, are not those of the model, %q; %s",
			firsts(set.Features), firsts(m.FeatureNames()), instead)
	case set.X == nil || set.D() != m.Features():
		return // Proba says so
	case set.Standardized() && !standard(mean, deviation):
		refuse("the set was standardised by a data.Standardizer")
	case !standard(mean, deviation) && trainedOn(m.RelevanceVectors(), set.X):
		refuse("the set has training rows of the model in standardised units")
	case r != nil:
		for i := range set.N() {
			checkFeatures(refuse, r, set.X.RawRowView(i))
		}
	}
}

// firsts are at most 6 names.
func firsts(names []string) []string {
	if len(names) > 6 {
		return append(slices.Clone(names[:6]), "…")
	}
	return names
}

// standard reports whether raw units are about standardised already.
func standard(mean, scale []float64) bool {
	for d, s := range scale {
		if math.Abs(mean[d]) > s || s < .5 || s > 2 {
			return false
		}
	}
	return true
}

// trainedOn reports whether samples contain relevance vectors as the kernel sees them, and fewer in the
// units that Predict takes.
func trainedOn(vectors []mpcvm.RelevanceVector, x *mat.Dense) bool {
	n, d := x.Dims()
	has := func(v []float64) int {
		for i := range n {
			row := x.RawRowView(i)
			if mostlyEqual(row, v) {
				return 1
			}
		}
		return 0
	}
	scaled, raw := 0, 0
	vectors = vectors[:min(len(vectors), 100)]
	for _, v := range vectors {
		scaled += has(v.X)
		raw += has(v.Raw)
	}
	return scaled > raw && scaled*d >= 6 // few small whole numbers may be equal by chance
}

// mostlyEqual reports whether two samples are equal but for rounding.
func mostlyEqual(a, b []float64) bool {
	for d, v := range a {
		if !(math.Abs(v-b[d]) <= 1e-9*(1+math.Abs(v))) {
			return false
		}
	}
	return true
}

// checkFeatures refuses features that no cells have: an indicator is 0 or 1, and a category has a single 1.
func checkFeatures(refuse func(why string), r *recipe.Recipe, x []float64) {
	names, sources := r.Features(), r.Sources()
	sums := make([]float64, len(r.Columns))
	for f, column := range sources {
		c := &r.Columns[column]
		first := f == 0 || sources[f-1] != column
		number := c.Kind == table.Number.String() || c.Kind == table.Date.String()
		indicator := !number || c.Missing && !first && (f+1 == len(sources) || sources[f+1] != column)
		if v := x[f]; indicator && v != 0 && v != 1 && !math.IsNaN(v) {
			refuse(fmt.Sprintf("a sample has %.4g as %q, which is 0 or 1 in raw units", v, names[f]))
		}
		sums[column] += x[f]
	}
	for column, sum := range sums {
		if c := &r.Columns[column]; c.Kind == table.Category.String() && sum != 1 && !math.IsNaN(sum) {
			refuse(fmt.Sprintf("a sample has %g levels of %q", sum, c.Name))
		}
	}
}
