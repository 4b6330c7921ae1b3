package recipe

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
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
	*Column
	t      *table.Table
	column int                   // index in t
	at     int                   // index of the first feature
	faults map[int]table.Fault   // by row
	read   func(row int) feature // reads a cell that is not missing
	doubts func(row int) bool    // see Column.doubts
	other  string
}

// feature is the result of reading a cell: the value of one of the features of its column.
type feature struct {
	index   int
	value   float64
	ok      bool // false if the cell is not of the right kind
	missing bool // the cell has no value
}

// bind finds the columns in a table.
func (r *Recipe) bind(t *table.Table) ([]source, error) {
	indices := make(map[string]int, len(t.Columns))
	for j := len(t.Columns) - 1; j >= 0; j-- {
		indices[t.Columns[j].Name] = j
	}
	sources := make([]source, len(r.Columns))
	var absent []string
	at := 0
	for k := range r.Columns {
		c := &r.Columns[k]
		s := &sources[k]
		j, ok := indices[c.Name]
		if !ok {
			absent = append(absent, c.Name)
			continue
		}
		*s = source{Column: c, t: t, column: j, at: at}
		at += c.width()
		from := &t.Columns[j]
		for _, f := range from.Faults {
			if s.faults == nil {
				s.faults = map[int]table.Fault{}
			}
			s.faults[f.Row] = f
		}
		s.read = r.reader(c, from)
		s.doubts, s.other = c.doubts(from)
	}
	if absent != nil {
		return nil, t.Fault(0, 0, "", table.Finding{Code: texts.LackedColumns, Columns: absent, Texts: t.Names(),
			Cause: ErrNoColumn})
	}
	return sources, nil
}

// reader returns a function that reads the cells of a column that are not missing.
func (r *Recipe) reader(c *Column, from *table.Column) func(row int) feature {
	byNumber := c.byNumber()
	switch {
	case c.Kind == number && from.Kind == table.Number && !celltext.HasUnit(c.Unit, from.Unit):
		return func(int) feature { return feature{} }
	case c.Kind == from.Kind.String() && (c.Kind == number || c.Kind == date):
		return func(row int) feature { return finite(from.Numbers[row]) }
	case from.Kind == table.Number:
		return func(row int) feature { return byNumber(from.Numbers[row]) }
	case from.Kind == table.Date:
		return func(row int) feature {
			f, _ := r.read(c, table.FormatDate(from.Numbers[row]), byNumber)
			return f
		}
	}
	levels := make([]feature, len(from.Levels)) // a boolean has levels too
	for i, text := range from.Levels {
		levels[i], _ = r.read(c, text, byNumber)
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
			if err := s.Blank(raw.Data[i*raw.Stride+s.at:][:s.width()]); err != nil {
				reject(i, &cell.Error{Name: s.t.Name, Row: int64(row) + 1, Column: s.column + 1, Header: s.Name,
					Err: err})
			}
			continue
		}
		if s.doubts != nil && s.doubts(row) {
			reject(i, s.doubt(row))
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

// expected describes the valid cells of a column.
func (c *Column) expected() string {
	if c.Unit == celltext.Clock {
		return "time such as 12:28 or 1:02:03"
	}
	if c.Unit != "" {
		return c.Kind + " in " + cell.Shorten(c.Unit)
	}
	return c.Kind
}

// Blank sets the features of the column for a missing cell. The features must be zero before. It returns
// ErrMissing if the recipe does not impute missing values.
func (c *Column) Blank(features []float64) error {
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

func finite(v float64) feature { return feature{value: v, ok: !math.IsInf(v, 0)} }

// byNumber returns a function that reads a numeric cell.
func (c *Column) byNumber() func(v float64) feature {
	switch c.Kind {
	case number:
		return finite
	case date:
		return func(float64) feature { return feature{} }
	}
	known := map[float64]feature{}
	if c.Kind == boolean {
		for _, v := range []float64{0, 1} {
			if f := c.level(strconv.Itoa(int(v)), nil); f.ok {
				known[v] = f
			}
		}
	}
	for _, level := range c.Levels {
		v, ok := detect.Number(level)
		if _, met := known[v]; ok && (!met || strconv.FormatFloat(v, 'f', -1, 64) == level) {
			known[v] = c.level(level, nil)
		}
	}
	absent := feature{index: len(c.Levels), value: 1, ok: c.Kind == category}
	return func(v float64) feature {
		if f, ok := known[v]; ok {
			return f
		}
		return absent
	}
}

func unix(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }

// EncodeRow returns the D features of a single row, which maps the names of columns to values. A value is a
// number of any Go type, a json.Number, a string, a bool, a time.Time, or nil if it is missing. A string is
// read like a cell of a file with a decimal point: "NA" and the strings of Missing are missing values, and a
// date has the column's Layout or begins with the year. A number that is listed in Missing is also missing,
// as is a column that is not in row. The row may contain the columns Target, ID and Unused. EncodeRow returns
// ErrUnknownColumn for any other name, ErrNotKind or ErrNoValue like Encode, or ErrMissing if the recipe does
// not impute missing values.
func (r *Recipe) EncodeRow(row map[string]any) ([]float64, error) {
	x := make([]float64, r.Width())
	used, at := 0, 0
	found := false
	var composed map[string]any // values of names that are not in the normal form of celltext.Normal
	for name, v := range row {
		if plain := celltext.Normal(name); plain != name {
			if composed == nil {
				composed = map[string]any{}
			}
			composed[plain] = v
		}
	}
	for i := range r.Columns {
		c := &r.Columns[i]
		out := x[at : at+c.width()]
		at += len(out)
		v, given := row[c.Name]
		if !given && composed != nil {
			v, given = composed[c.Name]
		}
		if given {
			used++
		}
		f, text := r.value(c, v)
		if f.missing {
			if err := c.Blank(out); err != nil {
				return nil, fmt.Errorf("tables: column %q: %w", cell.Shorten(c.Name), err)
			}
			continue
		}
		if !f.ok {
			return nil, fmt.Errorf("tables: column %q: %w", cell.Shorten(c.Name), table.Finding{Code: texts.WrongValue,
				Column: c.Name, Texts: []string{c.expected(), text}, Cause: ErrNotKind})
		}
		out[f.index] = f.value
		found = true
	}
	if used < len(row) {
		if err := r.unknown(row); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, fmt.Errorf("tables: %w", ErrNoValue)
	}
	return x, nil
}

// unknown returns an error for the first name, in the order of strings.Compare, that is not a column.
func (r *Recipe) unknown(row map[string]any) error {
	var names []string
	for i := range r.Columns {
		names = append(names, r.Columns[i].Name)
	}
	for _, name := range slices.Sorted(maps.Keys(row)) {
		if !slices.Contains(names, name) && !slices.Contains(names, celltext.Normal(name)) && name != r.Target &&
			!slices.Contains(r.ID, name) && !slices.Contains(r.Unused, name) {
			return fmt.Errorf("tables: column %q: %w", cell.Shorten(name), table.Finding{Code: texts.UnknownColumn,
				Column: name, Texts: names, Cause: ErrUnknownColumn})
		}
	}
	return nil
}

// value reads a Go value. text is the corresponding cell of a file.
func (r *Recipe) value(c *Column, v any) (f feature, text string) {
	if v == nil {
		return feature{missing: true}, ""
	}
	number := c.byNumber()
	if when, is := v.(time.Time); is {
		if text = table.FormatDate(unix(when)); c.Kind == date {
			return feature{value: unix(when), ok: true}, text
		}
		return r.read(c, text, number)
	}
	if f, text = r.read(c, fmt.Sprint(v), number); f.missing {
		return f, text
	}
	switch n := reflect.ValueOf(v); {
	case n.CanInt():
		f = number(float64(n.Int()))
	case n.CanUint():
		f = number(float64(n.Uint()))
	case n.CanFloat():
		f = number(n.Float())
	case n.Type() == reflect.TypeFor[json.Number]():
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return number(x), text
		}
		return feature{}, text
	case n.Kind() == reflect.Bool && c.Kind == category: // a level in any case
		for i, level := range c.Levels {
			if strings.EqualFold(level, text) {
				f.index = i
			}
		}
	case n.Kind() != reflect.Bool && n.Kind() != reflect.String:
		f = feature{}
	}
	return f, text
}

// read reads a cell of a file with a decimal point. plain is the text without surrounding blanks. number
// reads a category or boolean that is a number.
func (r *Recipe) read(c *Column, text string, number func(v float64) feature) (f feature, plain string) {
	plain, v, missing, ok := detect.Cell(c.like(), []byte(text),
		table.Options{Missing: r.Missing, Limits: r.Limits})
	switch {
	case missing:
		f.missing = true
	case c.Kind == category || c.Kind == boolean:
		f = c.level(plain, number)
	case ok:
		f = finite(v)
	}
	return f, plain
}

// level reads a text of a category or boolean. number reads texts that are numbers, such as 1.0 for the level
// 1 of a category.
func (c *Column) level(text string, number func(v float64) feature) feature {
	if c.Kind == category {
		i := slices.Index(c.Levels, text)
		if i < 0 { // models of earlier versions may have levels that are not normalised
			i = slices.IndexFunc(c.Levels, func(level string) bool { return celltext.Normal(level) == text })
		}
		if v, ok := detect.Number(text); ok && i < 0 {
			return number(v)
		}
		if i < 0 {
			i = len(c.Levels)
		}
		return feature{index: i, value: 1, ok: true}
	}
	same := func(level string) bool { return strings.EqualFold(level, text) }
	if i := slices.IndexFunc(c.Levels, same); i >= 0 {
		return feature{value: float64(i), ok: true}
	}
	if v, ok := detect.Number(text); ok { // 1.0 is 1
		text = strconv.FormatFloat(v, 'f', -1, 64)
	}
	is, known := celltext.Truth(text)
	zero, knownZero := celltext.Truth(c.Levels[0])
	one, knownOne := celltext.Truth(c.Levels[1])
	switch {
	case !known || !knownZero || !knownOne || zero == one:
		return feature{missing: celltext.NoValue(text)}
	case is == one:
		return feature{value: 1, ok: true}
	}
	return feature{ok: true}
}
