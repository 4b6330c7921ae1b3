package recipe

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Samples are rows of a table as a learner takes them, with what it takes to treat other rows
// the same way.
type Samples struct {
	X           *mat.Dense // N×D, standardised: mean 0, and the scale of Recipe.Scaling is 1
	T           []int      // N labels, indices of Classes
	Classes     []string   // C texts of the column of the classes, in the order of strings.Compare
	Rows        []int      // the row of the table (from 0) of each sample
	Weights     []float64  // of each sample, above 0; nil: ones. See table.Table.Weights
	Recipe      *Recipe    // fitted to these rows
	Mean, Scale []float64  // D each, in the units of Recipe.Encode

	of *table.Table // whose rows all were given to Prepare
}

// From reports whether s is what Prepare returns for all rows of a table and the column target of its
// classes, so that they need not be prepared again. It is false if s is nil.
func (s *Samples) From(t *table.Table, target string) bool {
	return s != nil && s.of == t && s.Recipe.Target == target
}

// Errors of Prepare, for errors.Is.
var (
	ErrOneClass  = table.ErrOneClass
	ErrNotLabels = table.ErrNotClasses
)

// Prepare fits a recipe to rows of a table, counted from 0, and makes samples of them. If rows
// is nil, it takes all. target is the name of the column of the classes; "" leaves the choice
// to table.Target. Rows without a label or without any value, or of weight 0, are left out. A class of a
// single row is allowed. The error is ErrOneClass if there are fewer than two classes, ErrNotLabels if
// the column has a different value in nearly every row, ErrNotKind if a cell is not of its
// kind, or the context's.
func Prepare(ctx context.Context, t *table.Table, target string, rows []int) (*Samples, error) {
	column, _, err := t.Target(target)
	if err != nil {
		return nil, err
	}
	s, err := prepare(ctx, t, column, rows)
	if err == nil && rows == nil {
		s.of = t
	}
	return s, err
}

// checkLabels returns an error if the values of a column cannot be classes.
func checkLabels(t *table.Table, column int, rows []int, classes int) error {
	c, whole := &t.Columns[column], true
	for _, i := range rows {
		whole = whole && (c.Kind != table.Number || c.Numbers[i] == math.Trunc(c.Numbers[i]))
	}
	if err := c.CheckClasses(len(rows), classes, whole); err != nil {
		err = fmt.Errorf("%w; name another column as the target", err)
		return &cell.Error{Name: t.Name, Column: column + 1, Header: c.Name, Err: err}
	}
	return nil
}

// prepare is Prepare with the column of the classes.
func prepare(ctx context.Context, t *table.Table, column int, rows []int) (*Samples, error) {
	if rows == nil {
		rows = make([]int, t.Rows)
		for i := range rows {
			rows[i] = i
		}
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
			return nil, fault(t, column, f, t.Columns[column].Kind.String()+" is expected as a label "+
				"(is it a missing value, Options.Missing? or are they texts, Options.Kinds?)")
		}
		if labels[i] >= 0 && (weights == nil || weights[n] > 0) {
			s.Rows = append(s.Rows, i)
			if weights != nil {
				s.Weights = append(s.Weights, weights[n])
			}
			counts[labels[i]]++
		}
	}
	order := make([]int, len(classes)) // the label of each class among the classes of the rows
	for label, n := range counts {
		order[label] = len(s.Classes)
		if n > 0 {
			s.Classes = append(s.Classes, classes[label])
		}
	}
	for _, i := range s.Rows {
		s.T = append(s.T, order[labels[i]])
	}
	err = checkLabels(t, column, s.Rows, len(s.Classes))
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
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

// Part returns samples of the table that s was prepared from, given as indices of s.Rows, such as
// the training part of a fold. They have the features and the classes of s. What stands in for
// missing cells, mean and scale are learned from these rows alone; a number with the same value in
// all of them keeps its scale in s. s.X is not used. The error is the context's.
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
	if p.X, _, err = p.Recipe.encode(ctx, nil, t, p.Rows); err != nil { // s has no unusable row
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
