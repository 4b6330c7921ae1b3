// Package recipe turns a table into samples: it fills what is missing, makes indicators of
// categories and finds a scale for each feature. A recipe is fitted to training rows alone and
// becomes part of the model file, so that a prediction repeats it.
//
//   - A number or date is a feature. A missing one gets the median of the training rows.
//   - A boolean is a feature of 0 and 1. A missing one gets the more frequent of the two.
//   - A category has a feature of 0 and 1 for each of its levels, and one for "other". Other
//     are levels with fewer than 5 training rows, all but the 50 most frequent levels, and
//     levels that the training rows do not have.
//   - A column with cells missing in the training rows has one more feature, which is 1 where
//     the cell is missing.
//   - An id, a free text and a column without any value are left out.
package recipe

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/moments"
)

// Recipe says how the rows of a table become samples. Make one with [Fit].
type Recipe struct {
	// Target is the name of the column of the classes, ID those of the columns that identify a
	// row. Neither is a feature.
	Target string   `json:"target"`
	ID     []string `json:"id"`
	// Columns are those that make features.
	Columns []Column `json:"columns"`
}

// Column says how the cells of a column become features.
type Column struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // number, date, boolean or category
	// Fill stands in for a missing number, date or boolean.
	Fill float64 `json:"fill"`
	// Missing says that there is a feature for missing cells.
	Missing bool `json:"missing"`
	// Levels are those of a category that have a feature, or the texts of a boolean for 0 and
	// for 1.
	Levels []string `json:"levels"`
}

const (
	rare       = 5  // a level needs this many training rows
	mostLevels = 50 // of a category
)

// Errors of Fit and Encode, for errors.Is.
var (
	ErrNoFeatures = errors.New("no column can be a feature")
	ErrNoColumn   = errors.New("the table lacks a column of the model")
	ErrNoValue    = errors.New("no feature has a value")
	ErrNotKind    = errors.New("not of the kind of its column")
)

// Fit makes the recipe of some rows of a table, counted from 0. target is the column of the
// classes. Columns of kind id are noted as ID. Faults in these rows are an error that names
// the cell.
func Fit(t *table.Table, target int, rows []int) (*Recipe, error) {
	r := &Recipe{Target: t.Columns[target].Name, ID: []string{}, Columns: []Column{}}
	in := make([]bool, t.Rows)
	for _, i := range rows {
		in[i] = true
	}
	for j := range t.Columns {
		c := &t.Columns[j]
		if j == target {
			continue
		}
		for _, f := range c.Faults {
			if in[f.Row] {
				return nil, fault(t.Name, j, c, f.Row, f.Line, f.Text, c.Kind.String())
			}
		}
		if c.Kind == table.ID {
			r.ID = append(r.ID, c.Name)
		}
		if column, ok := fitColumn(c, rows); ok {
			r.Columns = append(r.Columns, column)
		}
	}
	if len(r.Columns) == 0 {
		return nil, &cell.Error{Name: t.Name, Err: ErrNoFeatures}
	}
	return r, nil
}

// fault is the error of a cell that is not of a kind.
func fault(name string, column int, c *table.Column, row, line int, text, kind string) error {
	err := fmt.Errorf("%w: a %s is expected (is it a missing value, --na? or a category, --kind?)", ErrNotKind, kind)
	return &cell.Error{Name: name, Row: int64(row) + 1, Line: line, Column: column + 1, Header: c.Name, Value: text, Err: err}
}

// fitColumn makes a column of the recipe. ok is false if the column is no feature.
func fitColumn(c *table.Column, rows []int) (fitted Column, ok bool) {
	fitted = Column{Name: c.Name, Kind: c.Kind.String(), Levels: []string{}}
	var values []float64
	counts := make([]int, len(c.Levels))
	present := 0
	for _, i := range rows {
		switch {
		case c.Missing(i):
			fitted.Missing = true
			continue
		case c.Kind.Numeric():
			values = append(values, c.Numbers[i])
		default:
			counts[c.Codes[i]]++
		}
		present++
	}
	if present == 0 {
		return fitted, false
	}
	switch c.Kind {
	case table.Number, table.Date:
		slices.Sort(values)
		fitted.Fill = (values[(present-1)/2] + values[present/2]) / 2
	case table.Boolean:
		ones := 0.0
		for _, v := range values {
			ones += v
		}
		if 2*ones > float64(present) {
			fitted.Fill = 1
		}
		fitted.Levels = slices.Clone(c.Levels)
	case table.Category:
		var kept []int
		for level, n := range counts {
			if n >= rare {
				kept = append(kept, level)
			}
		}
		slices.SortStableFunc(kept, func(a, b int) int { return counts[b] - counts[a] })
		kept = kept[:min(len(kept), mostLevels)]
		slices.Sort(kept)
		for _, level := range kept {
			fitted.Levels = append(fitted.Levels, c.Levels[level])
		}
	default:
		return fitted, false
	}
	return fitted, true
}

// width is the number of features of a column.
func (c *Column) width() int {
	n := 1
	if c.Kind == table.Category.String() {
		n = len(c.Levels) + 1
	}
	if c.Missing {
		n++
	}
	return n
}

// Features returns the names of the D features: "age", "age missing", "island=Dream",
// "island=other".
func (r *Recipe) Features() []string {
	var names []string
	for i := range r.Columns {
		c := &r.Columns[i]
		if c.Kind == table.Category.String() {
			for _, level := range c.Levels {
				names = append(names, c.Name+"="+level)
			}
			names = append(names, c.Name+"=other")
		} else {
			names = append(names, c.Name)
		}
		if c.Missing {
			names = append(names, c.Name+" missing")
		}
	}
	return names
}

// Sources returns the index in Columns that each of the D features comes from.
func (r *Recipe) Sources() []int {
	var from []int
	for i := range r.Columns {
		from = append(from, slices.Repeat([]int{i}, r.Columns[i].width())...)
	}
	return from
}

// Scaling returns the mean and the scale of each feature, for samples x (N×D) of Encode. A
// number or date has its standard deviation. A boolean has the scale 1, and so has the
// indicator of missing cells. The features of a category have √2: two samples of different
// levels differ in two features, and are then at the same distance as two numbers that are
// one standard deviation apart.
func (r *Recipe) Scaling(x *mat.Dense) (mean, scale []float64) {
	n, d := x.Dims()
	mean, scale = make([]float64, d), make([]float64, d)
	column := make([]float64, n)
	j := 0
	for i := range r.Columns {
		c := &r.Columns[i]
		for k := range c.width() {
			mat.Col(column, j, x)
			mean[j], scale[j] = moments.MeanDeviation(column)
			switch numeric := c.Kind == table.Number.String() || c.Kind == table.Date.String(); {
			case numeric && k == 0:
			case c.Kind == table.Category.String():
				scale[j] = math.Sqrt2
			default:
				scale[j] = 1
			}
			j++
		}
	}
	return mean, scale
}

// Encode writes the samples of some rows of a table, counted from 0, to dst (N×D; allocated if
// nil) and returns it. The columns are found by name. unusable is nil if every row can be
// used; else it has the reason for each row that cannot, whose features are NaN: a cell that
// is not of the kind of its column, or a row without any value. A table that lacks a column is
// an error.
func (r *Recipe) Encode(dst *mat.Dense, t *table.Table, rows []int) (x *mat.Dense, unusable []error, err error) {
	d := len(r.Sources())
	if dst == nil && len(rows) > 0 {
		dst = mat.NewDense(len(rows), d, nil)
	}
	found := make([]bool, len(rows)) // the row has a value
	reject := func(i int, err error) {
		if unusable == nil {
			unusable = make([]error, len(rows))
		}
		if unusable[i] == nil {
			unusable[i] = err
		}
	}
	j := 0
	for k := range r.Columns {
		c := &r.Columns[k]
		from := t.Find(c.Name)
		if from < 0 {
			return nil, nil, &cell.Error{Name: t.Name, Err: fmt.Errorf("%w: %q", ErrNoColumn, cell.Shorten(c.Name))}
		}
		column := &t.Columns[from]
		faults := map[int]table.Fault{}
		for _, f := range column.Faults {
			faults[f.Row] = f
		}
		read := c.reader(column)
		for i, row := range rows {
			out := dst.RawRowView(i)[j : j+c.width()]
			clear(out)
			if column.Missing(row) {
				if f, bad := faults[row]; bad {
					reject(i, fault(t.Name, from, column, row, f.Line, f.Text, c.Kind))
				}
				c.missing(out)
				continue
			}
			if place, v, ok := read(row); ok {
				out[place] = v
				found[i] = true
			} else {
				reject(i, fault(t.Name, from, column, row, 0, column.Text(row), c.Kind))
			}
		}
		j += c.width()
	}
	for i, row := range rows {
		if !found[i] {
			reject(i, &cell.Error{Name: t.Name, Row: int64(row) + 1, Err: ErrNoValue})
		}
		if unusable != nil && unusable[i] != nil {
			out := dst.RawRowView(i)
			for j := range out {
				out[j] = math.NaN()
			}
		}
	}
	return dst, unusable, nil
}

// missing sets the features of a missing cell, which are zero.
func (c *Column) missing(out []float64) {
	switch {
	case c.Missing:
		out[len(out)-1] = 1
	case c.Kind == table.Category.String():
		out[len(out)-1] = 1 // other
	}
	if c.Kind != table.Category.String() {
		out[0] = c.Fill
	}
}

// reader returns a function that gives the feature of the column that a cell sets, and its
// value; ok is false if the cell is not of the kind.
func (c *Column) reader(from *table.Column) func(row int) (place int, v float64, ok bool) {
	if c.Kind == from.Kind.String() && from.Kind.Numeric() && from.Kind != table.Boolean {
		return func(row int) (int, float64, bool) { return 0, from.Numbers[row], true }
	}
	parse := c.parse
	if from.Codes == nil {
		return func(row int) (int, float64, bool) { return parse(from.Text(row)) }
	}
	type parsed struct {
		place int
		v     float64
		ok    bool
	}
	levels := make([]parsed, len(from.Levels)) // each parsed once
	for i, text := range from.Levels {
		p := &levels[i]
		p.place, p.v, p.ok = parse(text)
	}
	return func(row int) (int, float64, bool) {
		p := levels[from.Codes[row]]
		return p.place, p.v, p.ok
	}
}

// parse reads a cell from its text.
func (c *Column) parse(text string) (place int, v float64, ok bool) {
	switch c.Kind {
	case table.Category.String():
		place = slices.Index(c.Levels, text)
		if place < 0 {
			place = len(c.Levels)
		}
		return place, 1, true
	case table.Boolean.String():
		i := slices.IndexFunc(c.Levels, func(level string) bool { return strings.EqualFold(level, text) })
		return 0, float64(i), i >= 0
	}
	v, err := strconv.ParseFloat(text, 64)
	return 0, v, err == nil && !math.IsInf(v, 0)
}
