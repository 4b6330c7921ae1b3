package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/mpcvm/mpcvm/data/internal/columns"
	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/cell"
	rows "github.com/mpcvm/mpcvm/internal/table"
)

// TableOptions say how [ReadTable] reads a file, as those of data.Options do.
type TableOptions struct {
	Missing       []string
	Kinds, Expect map[string]table.Kind
	Units         map[string]string
	Drop, ID      []string
	Group, Time   string
}

// TableReader reads the columns of a Parquet file but nested ones, as tables of some rows. It
// is not for concurrent use.
type TableReader struct {
	f            *Reader
	names, notes []string
	long         []bool // columns with integers that a float64 does not keep, read as texts
}

// OpenTable reads the footer of a Parquet file of size bytes. The name is for errors, which
// have the type *data.CellError.
func OpenTable(r io.ReaderAt, size int64, name string) (*TableReader, error) {
	f := &Reader{in: r, name: name, budget: budget{file: size}}
	var err error
	if f.footer, err = readFooter(r, size, &f.budget); err != nil {
		return nil, f.fail(err)
	}
	t := &TableReader{f: f}
	left := 0 // elements of the schema that are below a nested one
	place := 0
	for i := range f.footer.schema {
		e := &f.footer.schema[i]
		if left > 0 {
			if left += int(e.NumChildren.V) - 1; isLeaf(e) {
				place++
			}
			continue
		}
		if !isLeaf(e) {
			left = int(e.NumChildren.V)
			t.notes = append(t.notes, fmt.Sprintf("column %q is nested and is left out", cell.Shorten(e.Name)))
			continue
		}
		place++
		c := &column{SchemaElement: e, place: place, kind: kindOf(e)}
		switch {
		case e.RepetitionType.V != format.Required && e.RepetitionType.V != format.Optional:
			t.notes = append(t.notes, fmt.Sprintf("column %q is a list and is left out", cell.Shorten(e.Name)))
			continue
		case c.kind == other:
			t.notes = append(t.notes, fmt.Sprintf("column %q is left out: its type %s is not read", cell.Shorten(e.Name), typeName(e)))
			continue
		}
		t.names = append(t.names, strings.ToValidUTF8(e.Name, "�"))
		f.columns = append(f.columns, c)
	}
	if len(f.columns) == 0 {
		return nil, f.fail(cell.ErrNoFeatures)
	}
	names := t.names
	for i, n := range names {
		for k := 2; index(names[:i], names[i]) >= 0; k++ {
			names[i] = fmt.Sprintf("%s %d", n, k)
		}
		if names[i] != n {
			t.notes = append(t.notes, fmt.Sprintf("the name %q is used twice; column %d is called %q", cell.Shorten(n), i+1, cell.Shorten(names[i])))
		}
	}
	t.long = make([]bool, len(names))
	return t, nil
}

// Names are the names of the columns.
func (t *TableReader) Names() []string { return t.names }

// Rows is the number of rows of the file.
func (t *TableReader) Rows() int64 { return t.f.Rows() }

// Close frees the memory of the reader. It does not close the file.
func (t *TableReader) Close() { t.f.Close() }

// ReadRows reads n rows from row on, counted from 0, fewer at the end of the file. A null is a
// missing value, and dates and timestamps are of kind date. The kinds of texts are those of
// these rows alone unless the options say them. Reading on where the last call ended is fast.
// ReadRows stops when ctx ends; then the error is that of ctx.
func (t *TableReader) ReadRows(ctx context.Context, row int64, n int, o TableOptions) (*table.Table, error) {
	n = int(min(int64(n), t.Rows()-row))
	if n <= 0 {
		return nil, t.f.fail(cell.ErrEmpty)
	}
	for {
		if row != t.f.row {
			if err := t.f.Seek(rows.Position{Row: row}); err != nil {
				return nil, err
			}
		}
		b, err := columns.New(t.f.name, t.names, columns.Options{
			Missing: o.Missing, Kinds: o.Kinds, Expect: o.Expect, Units: o.Units, Drop: o.Drop, ID: o.ID, Group: o.Group, Time: o.Time})
		if err != nil {
			return nil, err
		}
		i, err := t.readColumns(ctx, b, row+int64(n))
		if errors.Is(err, errDigits) {
			t.long[i] = true
			t.f.row = -1 // columns stand at different rows
			continue
		}
		if err != nil {
			return nil, err
		}
		return b.Table()
	}
}

// ReadTable reads all rows of a Parquet file, as data.Open does.
func ReadTable(ctx context.Context, r io.ReaderAt, size int64, name string, o TableOptions) (*table.Table, error) {
	f, err := OpenTable(r, size, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := f.ReadRows(ctx, 0, math.MaxInt, o)
	if err != nil {
		return nil, err
	}
	t.Reading, t.Notes = "Parquet", append(f.notes, t.Notes...)
	return t, nil
}

func index(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// errDigits says that a float64 does not keep the digits of an integer.
var errDigits = errors.New("an integer above 2⁵³")

// readColumns reads the rows before end into a builder, those of long columns as texts. The
// error may be errDigits, then of the column that is returned.
func (t *TableReader) readColumns(ctx context.Context, b *columns.Builder, end int64) (column int, err error) {
	f := t.f
	numeric := make([]bool, len(f.columns))
	for i, c := range f.columns {
		switch c.kind {
		case text:
		case boolean:
			numeric[i] = b.Typed(i, table.Boolean, []string{"false", "true"})
		case date:
			numeric[i] = b.Typed(i, table.Date, nil)
		default:
			numeric[i] = !t.long[i] && b.Typed(i, table.Number, nil)
		}
	}
	const most = 4096 // rows of a batch
	for f.row < end {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n := int(min(most, end-f.row))
		for i, c := range f.columns {
			if !b.Wanted(i) {
				continue
			}
			if row, err := c.addTo(f, b.Columns[i], numeric[i], n); errors.Is(err, errDigits) {
				return i, err
			} else if err != nil {
				return 0, f.failAt(row, c, err)
			}
		}
		for range n {
			if err := b.EndRow(0); err != nil {
				return 0, err
			}
		}
		f.row += int64(n)
	}
	return 0, nil
}

// addTo adds the next n values to a column of a table. It returns how many it added before an
// error.
func (c *column) addTo(f *Reader, to *columns.Column, numeric bool, n int) (int, error) {
	for i := range n {
		k, err := c.next(f)
		if err != nil {
			return i, err
		}
		v := math.NaN()
		if k >= 0 && c.page.number != nil {
			if v, err = c.page.number(k); err != nil {
				return i, err
			}
		}
		switch {
		case numeric:
			if (c.kind == signed || c.kind == unsigned) && math.Abs(v) > 1<<53 && to.Free() {
				return i, errDigits
			}
			to.Number(v)
		case k < 0:
			err = to.Text(nil)
		case c.kind == date:
			err = to.Text([]byte(table.FormatDate(v)))
		case c.page.text == nil:
			err = to.Text(strconv.AppendFloat(nil, v, 'g', -1, 64))
		default:
			err = to.Text(c.page.text(k))
		}
		if err != nil {
			return i, err
		}
	}
	return n, nil
}

// dateUnit returns the number of units of a date or timestamp in a second; 0 if a column is
// neither. A day is −1.
func dateUnit(e *format.SchemaElement) float64 {
	whole32, whole64 := e.Type.V == format.Int32, e.Type.V == format.Int64
	if e.Type.V == format.Int96 {
		return 1e9
	}
	switch t := e.LogicalType.Value.(type) {
	case *format.DateType:
		if whole32 {
			return -1
		}
	case *format.TimestampType:
		if !whole64 {
			return 0
		}
		switch t.Unit.Value.(type) {
		case *format.MilliSeconds:
			return 1e3
		case *format.MicroSeconds:
			return 1e6
		case *format.NanoSeconds:
			return 1e9
		}
	case nil:
		switch c := e.ConvertedType; {
		case c.Valid && c.V == deprecated.Date && whole32:
			return -1
		case c.Valid && c.V == deprecated.TimestampMillis && whole64:
			return 1e3
		case c.Valid && c.V == deprecated.TimestampMicros && whole64:
			return 1e6
		}
	}
	return 0
}

// seconds converts dates and timestamps to seconds since 1970.
func seconds(unit float64, v int64) float64 {
	if unit < 0 {
		return float64(v) * 86400
	}
	return float64(v) / unit
}

// int96 is the time of a 12-byte timestamp: nanoseconds of the day, and the Julian day.
func int96(v deprecated.Int96) float64 {
	const epoch = 2440588 // Julian day of 1970-01-01
	return (float64(v[2])-epoch)*86400 + float64(int64(v[1])<<32|int64(v[0]))/1e9
}
