package recipe

import (
	"context"
	"encoding/json"
	"fmt"
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

// reader reads the cells of a column.
type reader struct {
	*Column
	at     int // index of the first feature
	cell   func(text string) (plain string, v float64, missing, ok bool)
	number func(v float64) feature // reads a number that is not missing
	absent []float64               // numbers that mean a missing value
	rare   map[string]bool         // levels of the training rows without a feature; nil if unknown
}

// feature is the result of reading a cell: the value of one of the features of its column.
type feature struct {
	index   int
	value   float64
	ok      bool // false if the cell is not of the right kind
	missing bool // the cell has no value
}

func (r *Recipe) readers() []reader {
	list := make([]reader, len(r.Columns))
	var absent []float64
	for _, text := range r.Missing {
		if v, ok := detect.Number(text); ok {
			absent = append(absent, v)
		}
	}
	at := 0
	for i := range list {
		c := &r.Columns[i]
		list[i] = reader{Column: c, at: at, number: c.byNumber(), absent: absent,
			cell: detect.CellOf(c.like(), table.Options{Missing: r.Missing, Limits: r.Limits})}
		at += c.width()
		if c.Others != nil {
			list[i].rare = map[string]bool{}
			for _, level := range c.Others {
				list[i].rare[plain(level)] = true
			}
		}
	}
	return list
}

// unit returns the unit of the numbers: Unit, or one in brackets at the end of the name, such as mass (g).
func (c *Column) unit() string {
	if name, ok := strings.CutSuffix(c.Name, ")"); ok && c.Unit == "" && c.Kind == number {
		if i := strings.LastIndexByte(name, '('); celltext.IsUnit(name[i+1:]) && i > 0 {
			return name[i+1:]
		}
	}
	return c.Unit
}

func finite(v float64) feature { return feature{value: v, ok: !math.IsInf(v, 0)} }

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

func (c *reader) value(v any) feature {
	switch v := v.(type) {
	case nil:
		return feature{missing: true}
	case string:
		return c.text(v)
	case float64:
		return c.float(v)
	case time.Time:
		if c.Kind == date {
			return feature{value: unix(v), ok: true}
		}
		return c.text(written(v))
	case json.Number:
		if x, err := strconv.ParseFloat(string(v), 64); err == nil {
			return c.float(x)
		}
		return feature{missing: c.text(string(v)).missing}
	}
	switch n := reflect.ValueOf(v); {
	case n.CanInt():
		return c.float(float64(n.Int()))
	case n.CanUint():
		return c.float(float64(n.Uint()))
	case n.CanFloat():
		return c.float(n.Float())
	case n.Kind() == reflect.String:
		return c.text(written(v))
	case n.Kind() == reflect.Bool:
		f := c.text(written(v))
		for i, level := range c.Levels {
			if c.Kind == category && strings.EqualFold(level, written(v)) { // a level in any case
				f.index = i
			}
		}
		return f
	}
	return feature{missing: c.text(written(v)).missing}
}

// float reads a number, which may mean a missing value.
func (c *reader) float(v float64) feature {
	if math.IsNaN(v) || slices.Contains(c.absent, v) {
		return feature{missing: true}
	}
	return c.number(v)
}

// written returns the cell of a file with a Go value.
func written(v any) string {
	if when, is := v.(time.Time); is {
		return table.FormatDate(unix(when))
	}
	return strings.TrimSpace(celltext.Normal(fmt.Sprint(v)))
}

func (c *reader) text(text string) (f feature) {
	plain, v, missing, ok := c.cell(text)
	switch {
	case missing:
		f.missing = true
	case c.Kind == category || c.Kind == boolean:
		f = c.level(plain, c.number)
	case ok:
		f = finite(v)
	}
	return f
}

// level reads a text of a category or boolean. number reads a text such as 1.0 for the level 1.
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

// Novelty lists the cells of a row that no training row resembles. Recipes from old model files do not
// contain what is needed to find all of them.
type Novelty struct {
	// Beyond lists the columns whose number or date is outside the range of the training rows.
	Beyond []string `json:"beyond,omitempty"`
	// NewLevels contains the levels that do not occur in the training rows, by column.
	NewLevels map[string]string `json:"new_levels,omitempty"`
}

// mayBeNovel reports whether no training row may resemble a cell with these features.
func (c *reader) mayBeNovel(own []float64) bool {
	return c.rare != nil && own[len(c.Levels)] == 1 ||
		c.Range != nil && (own[0] < c.Range[0] || own[0] > c.Range[1])
}

// novel adds a cell to n if no training row resembles it. own are its features, and text returns it.
func (c *reader) novel(n *Novelty, own []float64, text func() string) {
	switch {
	case !c.mayBeNovel(own):
	case c.rare != nil:
		if level := text(); !c.rare[plain(level)] {
			if n.NewLevels == nil {
				n.NewLevels = map[string]string{}
			}
			n.NewLevels[c.Name] = cell.Shorten(strings.ToValidUTF8(strings.TrimSpace(level), "�"))
		}
	default:
		n.Beyond = append(n.Beyond, c.Name)
	}
}

// plain returns the shortest form of a level that is a number, such as 1.0.
func plain(level string) string {
	level = strings.TrimSpace(level)
	if v, err := strconv.ParseFloat(level, 64); err == nil {
		return strconv.FormatFloat(v+0, 'g', -1, 64) // +0 turns −0 into 0
	}
	return level
}

// Novelty compares the given rows (from 0) of a table with the training rows. x and unusable are the results
// of Encode for these rows. The Novelty of a row that cannot be used is empty.
func (r *Recipe) Novelty(t *table.Table, rows []int, x *mat.Dense, unusable []error) []Novelty {
	list, readers := make([]Novelty, len(rows)), r.readers()
	for i, row := range rows {
		if unusable != nil && unusable[i] != nil {
			continue
		}
		features := x.RawRowView(i)
		for k := range readers {
			c := &readers[k]
			if own := features[c.at:]; c.mayBeNovel(own) {
				if from := &t.Columns[t.Find(c.Name)]; !from.Missing(row) {
					c.novel(&list[i], own, func() string { return from.Text(row) })
				}
			}
		}
	}
	return list
}

// RowEncoder encodes single rows. It is safe for concurrent use.
type RowEncoder struct {
	columns []reader
	index   map[string]int // of each column; -1 for Target, ID and Unused
	width   int
}

// Row is a row that a RowEncoder has encoded.
type Row struct {
	X       []float64 // the features, or nil
	Missing []string  // columns of the recipe that are not in the row
	Novelty
}

// ForRows returns a RowEncoder. The recipe must not be modified afterwards.
func (r *Recipe) ForRows() *RowEncoder {
	e := &RowEncoder{columns: r.readers(), index: map[string]int{}, width: r.Width()}
	for _, name := range slices.Concat([]string{r.Target}, r.ID, r.Unused) {
		e.index[name] = -1
	}
	for i := range r.Columns {
		e.index[r.Columns[i].Name] = i
	}
	return e
}

// EncodeRow returns the D features of a single row; see RowEncoder.Encode.
func (r *Recipe) EncodeRow(row map[string]any) ([]float64, error) {
	encoded, err := r.ForRows().Encode(row)
	return encoded.X, err
}

// Encode encodes a row, which maps the names of columns to values. A value is a number of any Go type, a
// json.Number, a string, a bool, a time.Time, or nil if it is missing. A string is read like a cell of a
// file: it may have the unit of the column or a decimal comma, "NA" and the strings of Recipe.Missing are
// missing values, and a date has the column's Layout or begins with the year. "1,234" is not a number,
// because its comma has two meanings. A number that is listed in Recipe.Missing is also missing, as is a
// column that is not in row. The row may contain the columns Target, ID and Unused. Encode returns
// ErrUnknownColumn for any other name, ErrNotKind or ErrNoValue like Recipe.Encode, or ErrMissing if the
// recipe does not impute missing values.
func (e *RowEncoder) Encode(row map[string]any) (to Row, err error) {
	var unknown []string
	for name := range row {
		if _, known := e.index[name]; !known {
			unknown = append(unknown, name)
		}
	}
	for i := range e.columns {
		if _, given := row[e.columns[i].Name]; !given {
			to.Missing = append(slices.Grow(to.Missing, len(e.columns)-i), e.columns[i].Name)
		}
	}
	x, found := make([]float64, e.width), false
	for i := range e.columns {
		c := &e.columns[i]
		v := row[c.Name]
		f, own := c.value(v), x[c.at:][:c.width()]
		switch {
		case f.missing:
			if err := c.blank(own); err != nil {
				return to, fmt.Errorf("tables: column %q: %w", cell.Shorten(c.Name), err)
			}
			continue
		case !f.ok:
			return to, fmt.Errorf("tables: column %q: %w", cell.Shorten(c.Name), table.Finding{
				Code: texts.WrongValue, Column: c.Name, Texts: []string{c.expected(), written(v)}, Cause: ErrNotKind})
		}
		own[f.index], found = f.value, true
		c.novel(&to.Novelty, own, func() string { return written(v) })
	}
	if unknown != nil {
		first := slices.Min(unknown)
		return to, fmt.Errorf("tables: column %q: %w", cell.Shorten(first), table.Finding{
			Code: texts.UnknownColumn, Column: first, Texts: e.names(), Cause: ErrUnknownColumn})
	}
	if !found {
		return to, fmt.Errorf("tables: %w", ErrNoValue)
	}
	to.X = x
	return to, nil
}

func (e *RowEncoder) names() (list []string) {
	for i := range e.columns {
		list = append(list, e.columns[i].Name)
	}
	return list
}

// doubts finds cells that can be read by accident only, because other cells of the column contradict the
// reading: dates such as 5/4/2023 in a column that also has 11/18/2023, although the day came first in
// training, or 1 in a column of 1 and 2, although the levels were N and Y. is reports whether a cell is one
// of them; it is nil if there are none. other is one of the contradicting cells.
func (c *reader) doubts(from *table.Column) (is func(row int) bool, other string) {
	switch c.Kind {
	case date:
		if from.Kind == table.Date {
			if other = detect.Exchanged(from); other != "" {
				return func(row int) bool {
					_, month, day := time.Unix(int64(from.Numbers[row]), 0).UTC().Date()
					return day <= 12 && day != int(month)
				}, other
			}
		}
	case boolean:
		if from.Kind != table.Boolean { // which has only two values
			return c.foreign(from)
		}
	}
	return nil, ""
}

// foreign is doubts for a boolean, of which the file has only one value.
func (c *reader) foreign(from *table.Column) (is func(row int) bool, other string) {
	counts := map[string]int{}
	for row := range from.Len() {
		if text := from.Source(row); text != "" {
			counts[text]++
		}
	}
	wrong, doubtful := 0, 0
	foreign := map[string]bool{} // whether a text is a number or not one of the levels
	var seen [2]bool             // whether a cell is read as 0 or 1
	for text, n := range counts {
		f, plain := c.text(text), written(text)
		switch {
		case f.ok:
			_, number := detect.Number(plain)
			seen[int(f.value)] = true
			foreign[text] = number || !slices.ContainsFunc(c.Levels,
				func(level string) bool { return strings.EqualFold(level, plain) })
			if foreign[text] {
				doubtful += n
			}
		case !f.missing && !celltext.Missing(plain):
			if wrong += n; other == "" || text < other {
				other = text
			}
		}
	}
	if _, number := detect.Number(other); !number || seen[0] == seen[1] || 20*wrong < doubtful {
		return nil, ""
	}
	return func(row int) bool { return foreign[from.Source(row)] }, other
}
