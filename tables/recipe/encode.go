package recipe

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Encode encodes the given rows (from 0) of a table. It writes the samples to dst (N×D, allocated if nil) and
// returns it. Columns are found by name. If a column of the table is not of the kind in the recipe, its cells
// are converted, for example from 0 to FALSE, or from a number to a category.
//
// unusable is nil if all rows can be encoded. Otherwise it contains an error for each row that cannot be
// encoded, and the features of these rows are NaN. The error is ErrNotKind if a cell is not of the kind of
// its column, and ErrNoValue if the row has no value. Encode returns ErrNoColumn if the table lacks columns
// of the recipe. It panics if dst is not N×D.
func (r *Recipe) Encode(dst *mat.Dense, t *table.Table,
	rows []int) (x *mat.Dense, unusable []error, err error) {
	return r.encode(context.Background(), dst, t, rows)
}

// block is the number of rows that are encoded at a time, column by column.
const block = 512

func (r *Recipe) encode(ctx context.Context, dst *mat.Dense, t *table.Table,
	rows []int) (x *mat.Dense, unusable []error, err error) {
	d := r.Width()
	switch {
	case dst == nil && len(rows) == 0:
		dst = &mat.Dense{}
	case dst == nil:
		dst = mat.NewDense(len(rows), d, nil)
	}
	if n, width := dst.Dims(); n != len(rows) || n > 0 && width != d {
		panic(fmt.Sprintf("tables: destination is %d×%d, want %d×%d", n, width, len(rows), d))
	}
	sources, err := r.bind(t)
	if err != nil {
		return nil, nil, err
	}
	found := make([]bool, len(rows)) // whether the row has a value
	reject := func(i int, err error) {
		if unusable == nil {
			unusable = make([]error, len(rows))
		}
		if unusable[i] == nil {
			unusable[i] = err
		}
	}
	for lo := 0; lo < len(rows); lo += block {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		hi := min(lo+block, len(rows))
		for i := lo; i < hi; i++ {
			clear(dst.RawRowView(i))
			if why := t.Ragged[rows[i]]; why != nil {
				reject(i, why)
			}
		}
		for k := range sources {
			sources[k].encode(dst, rows, lo, hi, found, reject)
		}
		for i := lo; i < hi; i++ {
			if !found[i] {
				reject(i, &cell.Error{Name: t.Name, Row: int64(rows[i]) + 1, Err: ErrNoValue})
			}
			if unusable != nil && unusable[i] != nil {
				out := dst.RawRowView(i)
				for j := range out {
					out[j] = math.NaN()
				}
			}
		}
	}
	return dst, unusable, nil
}

// source is a column of the recipe with the column of a table that it reads.
type source struct {
	reader
	t      *table.Table
	column int                   // index in t
	faults map[int]table.Fault   // by row
	read   func(row int) feature // reads a cell that is not missing
	doubts func(row int) bool    // see reader.doubts
	other  string
}

func (r *Recipe) bind(t *table.Table) ([]source, error) {
	indices := make(map[string]int, len(t.Columns))
	for j := len(t.Columns) - 1; j >= 0; j-- {
		indices[t.Columns[j].Name] = j
	}
	sources := make([]source, len(r.Columns))
	var absent []string
	for k, c := range r.readers() {
		s := &sources[k]
		j, ok := indices[c.Name]
		if !ok {
			absent = append(absent, c.Name)
			continue
		}
		*s = source{reader: c, t: t, column: j}
		from := &t.Columns[j]
		for _, f := range from.Faults {
			if s.faults == nil {
				s.faults = map[int]table.Fault{}
			}
			s.faults[f.Row] = f
		}
		s.read = c.from(from)
		s.doubts, s.other = c.doubts(from)
	}
	if absent != nil {
		return nil, t.Fault(0, 0, "", table.Finding{Code: texts.LackedColumns, Columns: absent, Texts: t.Names(),
			Cause: ErrNoColumn})
	}
	return sources, nil
}

// from returns a function that reads the cells of a column of a table that are not missing.
func (c *reader) from(from *table.Column) func(row int) feature {
	switch {
	case c.Kind == number && from.Kind == table.Number && !celltext.HasUnit(c.unit(), from.Unit):
		return func(int) feature { return feature{} }
	case c.Kind == from.Kind.String() && (c.Kind == number || c.Kind == date):
		return func(row int) feature { return finite(from.Numbers[row]) }
	case from.Kind == table.Number:
		return func(row int) feature { return c.number(from.Numbers[row]) }
	case from.Kind == table.Date:
		return func(row int) feature { return c.text(table.FormatDate(from.Numbers[row])) }
	}
	levels := make([]feature, len(from.Levels)) // a boolean has levels too
	for i, text := range from.Levels {
		levels[i] = c.text(text)
	}
	if from.Kind == table.Boolean {
		return func(row int) feature { return levels[int(from.Numbers[row])] }
	}
	return func(row int) feature { return levels[from.Codes[row]] }
}

// encode writes the features of rows lo to hi, which must be zero.
func (s *source) encode(dst *mat.Dense, rows []int, lo, hi int, found []bool, reject func(int, error)) {
	raw := dst.RawMatrix()
	from := &s.t.Columns[s.column]
	for i := lo; i < hi; i++ {
		row := rows[i]
		f := feature{missing: true}
		if !from.Missing(row) {
			f = s.read(row)
		} else if bad, is := s.faults[row]; is {
			reject(i, s.fault(bad))
			continue
		}
		if f.missing {
			if err := s.blank(raw.Data[i*raw.Stride+s.at:][:s.width()]); err != nil {
				reject(i, &cell.Error{Name: s.t.Name, Row: int64(row) + 1, Column: s.column + 1, Header: s.Name,
					Err: err})
			}
			continue
		}
		if s.doubts != nil && s.doubts(row) {
			f := table.Fault{Row: row, Text: from.Source(row)}
			reject(i, fault(s.t, s.column, f, texts.Contradicted, s.other))
			continue
		}
		if !f.ok {
			reject(i, s.fault(table.Fault{Row: row, Text: from.Text(row)}))
			continue
		}
		raw.Data[i*raw.Stride+s.at+f.index] = f.value
		found[i] = true
	}
}

func (s *source) fault(f table.Fault) error {
	return fault(s.t, s.column, f, texts.WrongCell, s.expected())
}

func (c *Column) expected() string {
	if unit := c.unit(); unit == celltext.Clock {
		return "time such as 12:28 or 1:02:03"
	} else if unit != "" {
		return c.Kind + " in " + cell.Shorten(unit)
	}
	return c.Kind
}

// blank sets the features, which are zero, for a missing cell, or returns ErrMissing if none is imputed.
func (c *Column) blank(features []float64) error {
	switch {
	case c.Missing, c.Kind == category: // without a feature for missing cells, the last one is "other"
		features[len(features)-1] = 1
	}
	if c.Kind == category {
		return nil
	}
	features[0] = c.Fill
	if math.IsNaN(c.Fill) {
		return table.Finding{Code: texts.MissingValue, Column: c.Name, Cause: ErrMissing}
	}
	return nil
}
