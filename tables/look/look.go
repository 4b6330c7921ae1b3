// Package look analyses a table before a model is fitted. It reports the kind, the range and the missing
// cells of each column, the classes and duplicate rows, and warns about likely mistakes, with the option or
// the step that helps.
//
// All figures are exact for up to 2,097,152 rows. For longer tables, quartiles, distinct values, histograms,
// information and duplicates are computed from a random sample of this size. Correlations are computed from
// at most 10,000 random rows. The samples are drawn with a fixed seed.
package look

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

const (
	mostTried   = 1000    // rows of a table whose samples are prepared, to know whether a model can be trained
	mostRows    = 1 << 21 // maximum number of rows that are sorted
	mostSplit   = 100     // maximum number of classes by which histograms are split
	mostClasses = 1000    // maximum number of classes that columns are compared with
	mostPaired  = 1000    // maximum number of columns with correlations
	pairedRows  = 10_000  // maximum number of rows for correlations
	bins        = 24      // bins of a histogram of numbers
	drawnLevels = 8       // levels of a histogram of categories, apart from others
	mostLevels  = 50      // maximum number of levels of a category in a recipe
	fewSamples  = 5       // rows of a class below which there is a warning
	squared     = 5000    // rows above which O(N²) work is slow
	collinear   = 0.999   // |r|
	leastPaired = 5       // minimum number of rows for a correlation
	imbalance   = 99      // ratio of the largest class to the smallest
	chance      = 1e-3    // significance level for a column that determines the class
	leastRows   = 20      // minimum number of rows to detect an id or an outlier
	groupLevels = 10      // minimum number of levels of a category that may be a group
)

// Findings are the results of At. The keys dialect, rows, columns (with name, kind, missing and distinct),
// target and warnings (with code, columns and text) of the JSON of Said are stable; other keys may be added.
type Findings struct {
	Name string `json:"name"` // of the file
	Rows int    `json:"rows"`
	// Dialect is the format of the file, and Reading describes how it was read.
	Dialect table.Dialect `json:"dialect"`
	Reading string        `json:"reading"`
	// Notes contains the notes of the table and of the analysis.
	Notes   []table.Finding `json:"notes"`
	Columns []Column        `json:"columns"`
	// Target is the name of the class column, or nil if it is not known. TargetColumn is its index, or −1.
	// TargetWhy is why the column was chosen; it is zero if the column was named.
	Target       *string       `json:"target"`
	TargetColumn int           `json:"-"`
	TargetWhy    table.Finding `json:"-"`
	// Refused is the reason why the target cannot be used as the class column, or nil. Classes is then empty.
	Refused error `json:"-"`
	// Unfit is the reason why no model can be trained on the usable rows although the target can be used as the
	// class column, or nil. It is not known for tables of more than 1000 rows.
	Unfit error `json:"-"`
	// Candidates lists the columns that can be used as the class column, in ascending order of the number of
	// values. It is set only if Target is nil or Refused is set.
	Candidates []string `json:"candidates,omitempty"`
	// Classes are in the order of strings.Compare. Unlabelled is the number of rows without a class.
	Classes    []Class `json:"classes"`
	Unlabelled int     `json:"unlabelled"`
	// Features is the number of features that a recipe makes from the columns.
	Features int `json:"features"`
	// Duplicates is the number of rows that equal an earlier row in all features and the class. Conflicts is
	// the number of rows that equal a row of another class in all features. Looked is the number of rows that
	// were compared.
	Duplicates int `json:"duplicates"`
	Conflicts  int `json:"conflicts"`
	Looked     int `json:"rows_looked_at"`
	// Correlations contains the correlations of the numeric columns, except the target.
	Correlations Correlations `json:"-"`
	// Needs lists the options that a fit of the table requires, each with its value and the column concerned.
	Needs []table.Finding `json:"needs"`
	// Warnings contains likely mistakes, with advice in their sentences. Their codes are stable.
	Warnings []table.Finding `json:"warnings"`

	group     string   // the column of warnGroup, or ""
	oneHot    []string // see findOneHot
	by        tally    // the classes with which columns are compared
	conflict  [2]int   // the first two rows that differ only in the class
	duplicate [2]int
}

// Class is a class with its number of rows.
type Class struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// Correlations contains Pearson's r between columns, computed from the rows in which both have a value. It is
// NaN if a column is constant or fewer than 5 rows have both values.
type Correlations struct {
	Columns []int       // indices in the table
	R       [][]float64 // symmetric
	Rows    int         // number of rows used
}

// At analyses a table. target is the name of the class column. If it is "", table.Table.Target chooses the
// column, and if it finds none, the table is analysed without classes. At returns an error if target is not a
// column, or the error of ctx.
func At(ctx context.Context, t *table.Table, target string) (*Findings, error) {
	f := &Findings{Name: t.Name, Rows: t.Rows, Dialect: t.Dialect, Reading: t.Reading, TargetColumn: -1,
		Columns: make([]Column, len(t.Columns)), Classes: []Class{}, Needs: []table.Finding{},
		Notes: []table.Finding{}, Looked: min(t.Rows, mostRows)}
	for _, n := range t.Notes {
		if !slices.Contains(warned, n.Code) {
			f.note(n)
		}
	}
	at, why, err := t.Target(target)
	switch {
	case err == nil:
		f.TargetColumn, f.TargetWhy, f.Target = at, why, &t.Columns[at].Name
	case target != "":
		return nil, err
	default:
		f.note(table.Finding{Code: texts.NoTarget})
	}
	rows := Draw(t.Rows, mostRows)
	f.by.labels = slices.Repeat([]int{-1}, t.Rows)
	if len(rows) < t.Rows {
		f.note(table.Finding{Code: texts.SomeRows, N: len(rows)})
	}
	if at = f.TargetColumn; at >= 0 {
		f.Columns[at] = look(&t.Columns[at], rows, f.by)
		if f.Refused = f.refusal(&t.Columns[at], at); f.Refused == nil {
			f.classes(t)
		}
		f.Unlabelled = f.Columns[at].Missing + f.Columns[at].Faults
	}
	par.For(len(t.Columns), 1, func(j, _ int) {
		if j != f.TargetColumn && ctx.Err() == nil {
			f.Columns[j] = look(&t.Columns[j], rows, f.by)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f.Target == nil || f.Refused != nil {
		f.candidates(t)
	}
	if err := f.repeated(ctx, t, rows); err != nil {
		return nil, err
	}
	if err := f.correlate(ctx, t); err != nil {
		return nil, err
	}
	f.warn(t)
	if f.Target != nil && f.Refused == nil && len(f.Needs) == 0 && t.Rows <= mostTried {
		f.Unfit = f.unfit(ctx, t)
	}
	return f, ctx.Err()
}

func (f *Findings) note(n table.Finding) { f.Notes = append(f.Notes, n) }

// Said returns the findings for JSON, with the notes and warnings in the words of v.
func (f *Findings) Said(v *table.Voice) any {
	type plain Findings
	why := func(err error) string {
		if err == nil {
			return ""
		}
		return v.Explain(err)
	}
	return struct {
		*plain
		TargetWhy string       `json:"target_why,omitempty"`
		Refused   string       `json:"refused,omitempty"`
		Unfit     string       `json:"unfit,omitempty"`
		Notes     []table.Said `json:"notes"`
		Warnings  []table.Said `json:"warnings"`
	}{(*plain)(f), v.Say(f.TargetWhy), why(f.Refused), why(f.Unfit), v.Said(f.Notes), v.Said(f.Warnings)}
}

// refusal returns the reason why a column cannot be the classes, or nil.
func (f *Findings) refusal(c *table.Column, j int) error {
	s := &f.Columns[j]
	values := f.Looked
	if !s.AtLeast {
		values -= s.Missing + s.Faults
	}
	return c.CheckClasses(values, s.Distinct, s.whole)
}

// unfit returns the reason why no model can be trained on a table, or nil. Rows without values or without a
// class may be the reason, although the columns are in order. It warns about nearly equal rows.
func (f *Findings) unfit(ctx context.Context, t *table.Table) error {
	s, err := recipe.Prepare(ctx, t, *f.Target, nil)
	if err == nil {
		if d, err := s.Dealing(ctx, t); err == nil && d.Copies.Code != "" {
			f.add(d.Copies)
		}
		var d *fitting.Data
		if d, err = fitting.New(fitting.Samples{X: s.X, T: s.T, Weights: s.Weights}); err == nil {
			err = d.CheckSingles()
		}
	}
	if err == nil || ctx.Err() != nil {
		return nil
	}
	if e, ok := errors.AsType[*cell.Error](err); ok { // without the name of the table
		plain := *e
		plain.Name = ""
		return &plain
	}
	return err
}

func (f *Findings) candidates(t *table.Table) {
	var list []int
	for j := range t.Columns {
		if c := &t.Columns[j]; !c.Aside && c.Kind != table.ID && c.Kind != table.Text && f.refusal(c, j) == nil {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(f.Columns[a].Distinct-f.Columns[b].Distinct, b-a)
	})
	for _, j := range list {
		f.Candidates = append(f.Candidates, t.Columns[j].Name)
	}
}

// classes counts the classes of the target, and sets the labels of the rows unless there are too many.
func (f *Findings) classes(t *table.Table) {
	labels, names := t.Labels(f.TargetColumn)
	f.Classes = make([]Class, len(names))
	for k, name := range names {
		f.Classes[k].Name = name
	}
	for _, k := range labels {
		if k >= 0 {
			f.Classes[k].Rows++
		}
	}
	if len(names) > mostClasses {
		f.note(table.Finding{Code: texts.ManyClasses, N: mostClasses})
		return
	}
	f.by = tally{labels, len(names)}
}

// Draw returns a random sample of size rows out of n, in ascending order, or all rows if n <= size.
func Draw(n, size int) []int {
	if n <= size {
		return fitting.All(n)
	}
	random := rand.New(rand.NewPCG(uint64(n), 18))
	rows := make([]int, 0, size)
	for i := 0; len(rows) < size; i++ {
		if random.IntN(n-i) < size-len(rows) {
			rows = append(rows, i)
		}
	}
	return rows
}

// IsFeature reports whether column j can be a feature: it is not the target, not set aside
// (table.Column.Aside), and not of kind id or text.
func (f *Findings) IsFeature(j int) bool {
	return !f.Columns[j].aside && j != f.TargetColumn && f.Columns[j].Kind != table.ID.String() &&
		f.Columns[j].Kind != table.Text.String()
}

// repeated counts duplicates and conflicts: rows whose features are equal.
func (f *Findings) repeated(ctx context.Context, t *table.Table, rows []int) error {
	lenient := *t // a fault counts as a missing cell
	lenient.Columns = slices.Clone(t.Columns)
	r := &recipe.Recipe{}
	for j := range f.Columns {
		lenient.Columns[j].Faults = nil
		if c := f.Columns[j].feature; c != nil && j != f.TargetColumn {
			r.Columns = append(r.Columns, *c)
		}
	}
	if f.Features = r.Width(); f.Features == 0 || t.Rows == 0 {
		return nil
	}
	keys, err := r.Keys(ctx, &lenient, rows)
	if err != nil {
		return err
	}
	type keyed struct {
		key        uint64
		label, row int
	}
	all := make([]keyed, 0, len(rows))
	for k, key := range keys {
		if key != 0 {
			all = append(all, keyed{key, f.by.labels[rows[k]], rows[k]})
		}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.key, b.key), a.label-b.label, a.row-b.row)
	})
	for first := 0; first < len(all); {
		end, classes, of := first+1, 1, first // of is the first row of the class
		for ; end < len(all) && all[end].key == all[first].key; end++ {
			if all[end].label == all[end-1].label {
				f.duplicate = earlier(f.duplicate, all[of].row, all[end].row, f.Duplicates == 0)
				f.Duplicates++
				continue
			}
			if all[end-1].label >= 0 {
				f.conflict = earlier(f.conflict, all[of].row, all[end].row, f.Conflicts == 0)
				classes++
			}
			of = end
		}
		for _, one := range all[first:end] {
			if classes > 1 && one.label >= 0 {
				f.Conflicts++
			}
		}
		first = end
	}
	return nil
}

// earlier returns the pair of rows that comes first in the table. If none is set, pair is ignored.
func earlier(pair [2]int, a, b int, none bool) [2]int {
	other := [2]int{min(a, b), max(a, b)}
	if none || slices.Compare(other[:], pair[:]) < 0 {
		return other
	}
	return pair
}

func (f *Findings) correlate(ctx context.Context, t *table.Table) error {
	rows := Draw(t.Rows, pairedRows)
	r := &f.Correlations
	r.Rows = len(rows)
	var values [][]float64 // of each column, standardised if no value is missing
	var whole []bool
	for j := range t.Columns {
		c := &t.Columns[j]
		if j == f.TargetColumn || c.Aside || !c.Kind.Numeric() || f.Columns[j].Distinct == 0 ||
			len(r.Columns) == mostPaired {
			continue
		}
		v := make([]float64, r.Rows)
		complete := true
		for k := range v {
			v[k] = c.Numbers[rows[k]]
			complete = complete && fitting.IsFinite(v[k])
		}
		if complete {
			floats.AddConst(-stat.Mean(v, nil), v)
			if norm := floats.Norm(v, 2); constant(v) {
				complete = false // correlation returns NaN
			} else {
				floats.Scale(1/norm, v)
			}
		}
		r.Columns, values, whole = append(r.Columns, j), append(values, v), append(whole, complete)
	}
	r.R = make([][]float64, len(values))
	for i := range values {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.R[i] = make([]float64, len(values))
		r.R[i][i] = 1
		for j := range i {
			v := 0.0
			if whole[i] && whole[j] {
				v = min(max(floats.Dot(values[i], values[j]), -1), 1)
			} else {
				v = correlation(values[i], values[j])
			}
			r.R[i][j], r.R[j][i] = v, v
		}
	}
	return nil
}

func constant(v []float64) bool { return len(v) == 0 || floats.Min(v) == floats.Max(v) }

// correlation returns Pearson's r of the finite pairs, NaN if a column is constant or there are too few.
func correlation(a, b []float64) float64 {
	var x, y []float64
	for k := range a {
		if s := a[k] + b[k]; fitting.IsFinite(s) {
			x, y = append(x, a[k]), append(y, b[k])
		}
	}
	if len(x) < leastPaired || constant(x) || constant(y) {
		return math.NaN()
	}
	return min(max(stat.Correlation(x, y, nil), -1), 1)
}
