package recipe

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Samples are training samples made from the rows of a table, with the recipe and the scaling that are needed
// to encode other rows.
type Samples struct {
	X           *mat.Dense // N×D, standardised to mean 0 and scale 1; see Recipe.Scaling
	T           []int      // N labels, as indices of Classes
	Classes     []string   // C distinct strings of the class column, in the order of strings.Compare
	Rows        []int      // the row of the table (from 0) of each sample
	Weights     []float64  // positive weights of the samples, or nil; see table.Table.Weights
	Recipe      *Recipe    // fitted to these rows
	Mean, Scale []float64  // D each, in the units of Recipe.Encode

	of    *table.Table // the table if Prepare used all of its rows, or nil
	dealt *dealt       // the result of Dealing for this table
}

// From reports whether s was returned by Prepare for all rows of the table t and the target column, so that
// it can be reused. It returns false if s is nil.
func (s *Samples) From(t *table.Table, target string) bool {
	return s != nil && s.of == t && s.Recipe.Target == target
}

// Errors of Prepare, for use with errors.Is.
var (
	ErrOneClass  = table.ErrOneClass
	ErrNotLabels = table.ErrNotClasses
)

// Prepare fits a recipe to the given rows (from 0) of a table and makes samples from them. If rows is nil,
// all rows are used. target is the name of the class column; if it is "", table.Table.Target chooses the
// column. Rows without a label, rows without any value and rows with weight 0 are skipped.
//
// The error is ErrOneClass if there are fewer than two classes, ErrNotLabels if the column has dates,
// continuous numbers or a different value in nearly every row, and ErrNotKind if a cell is not of the kind of
// its column. If ctx is done early, Prepare returns its error.
func Prepare(ctx context.Context, t *table.Table, target string, rows []int) (*Samples, error) {
	column, _, err := t.Target(target)
	if err != nil {
		return nil, err
	}
	s, err := prepare(ctx, t, column, rows)
	if err == nil && rows == nil {
		s.of, s.dealt = t, &dealt{}
	}
	return s, err
}

// prepare is like Prepare, given the index of the class column.
func prepare(ctx context.Context, t *table.Table, column int, rows []int) (*Samples, error) {
	if rows == nil {
		rows = fitting.All(t.Rows)
	}
	s := &Samples{}
	labels, classes := t.Labels(column)
	faults := map[int]table.Fault{}
	for _, f := range t.Columns[column].Faults {
		faults[f.Row] = f
	}
	weights, err := t.Weights(rows, labels, classes)
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(classes))
	for n, i := range rows {
		if f, bad := faults[i]; bad {
			return nil, fault(t, column, f, texts.WrongLabel, t.Columns[column].Kind.String())
		}
		if labels[i] >= 0 && (weights == nil || weights[n] > 0) {
			s.Rows = append(s.Rows, i)
			if weights != nil {
				s.Weights = append(s.Weights, weights[n])
			}
			counts[labels[i]]++
		}
	}
	order := make([]int, len(classes)) // the new label of each class
	for label, n := range counts {
		order[label] = len(s.Classes)
		if n > 0 {
			s.Classes = append(s.Classes, classes[label])
		}
	}
	for _, i := range s.Rows {
		s.T = append(s.T, order[labels[i]])
	}
	c := &t.Columns[column]
	if err := c.CheckClasses(len(s.Rows), len(s.Classes), c.Profile(s.Rows).Whole); err != nil {
		return nil, t.Fault(0, column+1, "", table.Finding{Code: texts.NotClasses, Column: c.Name, Cause: err})
	}
	if err = ctx.Err(); err == nil {
		s.Recipe, err = Fit(t, column, s.Rows)
	}
	var unusable []error // rows without any value
	if err == nil {
		s.X, unusable, err = s.Recipe.encode(ctx, nil, t, s.Rows)
	}
	switch {
	case err != nil:
		return nil, err
	case unusable != nil:
		usable := make([]int, 0, len(s.Rows))
		for i, row := range s.Rows {
			if unusable[i] == nil {
				usable = append(usable, row)
			}
		}
		return prepare(ctx, t, column, usable)
	}
	s.Mean, s.Scale = s.Recipe.Scaling(s.X)
	s.standardize()
	return s, nil
}

func (s *Samples) standardize() {
	for i := range s.Rows {
		row := s.X.RawRowView(i)
		for j, v := range row {
			row[j] = (v - s.Mean[j]) / s.Scale[j]
		}
	}
}

// Part returns a subset of the samples, such as the training set of a fold. t is the table that s was
// prepared from, and of contains the indices of the samples in s.Rows. The features and the classes are the
// same as in s, but imputed values, mean and scale are computed from these rows only; a number that is
// constant in these rows keeps its scale. Part does not use s.X. The only possible error is the error of ctx.
func (s *Samples) Part(ctx context.Context, t *table.Table, of []int) (*Samples, error) {
	p := &Samples{Classes: s.Classes}
	for _, n := range of {
		p.Rows, p.T = append(p.Rows, s.Rows[n]), append(p.T, s.T[n])
		if s.Weights != nil {
			p.Weights = append(p.Weights, s.Weights[n])
		}
	}
	p.Recipe = s.Recipe.Refit(t, p.Rows)
	var err error
	if p.X, _, err = p.Recipe.encode(ctx, nil, t, p.Rows); err != nil { // s has no unusable rows
		return nil, err
	}
	p.Mean, p.Scale = p.Recipe.Scaling(p.X)
	for j := range p.Scale {
		if column := p.X.ColView(j); mat.Min(column) == mat.Max(column) {
			p.Scale[j] = s.Scale[j]
		}
	}
	p.standardize()
	return p, nil
}
