package data

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data/table"
)

// ReadSet reads a set in the CSV form of the package comment. A cell that is missing or no number is an error of type [*CellError]. One class
// is enough; see [Set.CheckTrainable] for training. The name is for errors.
//
// For any other table, [Open] it and prepare it by a recipe.
func ReadSet(r io.Reader, name string) (*Set, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, &CellError{Name: name, Err: err}
	}
	o := Options{Separator: "comma", Quote: `"`, Decimal: ".", Thousands: "none", Header: "yes", Comment: "none"}
	t, err := Read(bytes.NewReader(text), name, o)
	if err != nil {
		return nil, err
	}
	target, _, err := t.Target(table.ClassColumn)
	if err != nil {
		return nil, err
	}
	// Whole numbers may have been taken for an id or for categories.
	o.Kinds = map[string]table.Kind{}
	for i := range t.Columns {
		o.Kinds[t.Columns[i].Name] = table.Number
	}
	o.Kinds[t.Columns[target].Name] = table.Category
	if t, err = Read(bytes.NewReader(text), name, o); err != nil {
		return nil, err
	}
	return setOf(t, target)
}

// setOf makes a set of a table of numbers and a column of classes.
func setOf(t *table.Table, target int) (*Set, error) {
	labels, classes := t.Labels(target)
	s := &Set{Name: t.Name, T: labels, Classes: classes}
	for j := range t.Columns {
		if j != target {
			s.Features = append(s.Features, t.Columns[j].Name)
		}
	}
	if len(s.Features) == 0 {
		return nil, &CellError{Name: t.Name, Err: ErrNoFeatures}
	}
	fail := func(row, column int, value string, err error) error {
		return &CellError{Name: t.Name, Row: int64(row) + 1, Column: column + 1, Header: t.Columns[column].Name, Value: value, Err: err}
	}
	if row := slices.Index(labels, -1); row >= 0 {
		return nil, fail(row, target, "", ErrMissing)
	}
	s.X = mat.NewDense(t.Rows, len(s.Features), nil)
	d := 0
	for j := range t.Columns {
		c := &t.Columns[j]
		if j == target {
			continue
		}
		if len(c.Faults) > 0 {
			return nil, fail(c.Faults[0].Row, j, c.Faults[0].Text, ErrNotNumber)
		}
		for row, v := range c.Numbers {
			if c.Missing(row) {
				return nil, fail(row, j, "", ErrMissing)
			}
			s.X.Set(row, d, v)
		}
		d++
	}
	return s, nil
}

func baseName(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
