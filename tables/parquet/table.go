// Package parquet reads tables from Apache Parquet files and writes rows to them, using parquet-go.
//
// Columns of signed and unsigned integers, FLOAT, DOUBLE, FLOAT16, decimals (as the nearest float64),
// booleans, dates, timestamps and strings become columns of the table; nested columns and lists are skipped.
// A null is a missing value.
//
// The sizes in a file are checked before they are passed to parquet-go: the lists of the footer, the offsets
// of the column chunks, and the pages, whose limit is 1 GiB. A damaged file results in an error, never in a
// panic. Encrypted files are not supported.
package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// TableReader reads a Parquet file in chunks of rows. It is not safe for concurrent use.
type TableReader struct {
	name    string
	in      io.ReaderAt
	file    *pq.File
	columns []*column
	names   []string
	notes   []table.Finding
	row     int64 // the next row
}

// column is a column being read. Each column has its own position in the row groups.
type column struct {
	name      string
	leaf      int // index among the leaf columns, from 1
	kind      kind
	perSecond float64 // see kindOf
	scale     int
	long      bool // some integers are not exact as float64, so the column is read as texts

	group  int // the next row group
	pages  pq.Pages
	page   pq.Page
	values pq.ValueReader
	buffer []pq.Value
	cell   []byte
}

// OpenTable reads the footer of a Parquet file of size bytes. The name is used in errors, which have the type
// *tables.CellError.
func OpenTable(r io.ReaderAt, size int64, name string) (*TableReader, error) {
	t := &TableReader{name: name, in: r}
	if err := t.open(size); err != nil {
		return nil, t.fail(err)
	}
	return t, nil
}

// open finds the columns.
func (t *TableReader) open(size int64) (err error) {
	defer recoverAs(&err)
	if err := checkFile(t.in, size); err != nil {
		return err
	}
	if t.file, err = pq.OpenFile(t.in, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true)); err != nil {
		return err
	}
	var leaves []format.SchemaElement
	for _, e := range t.file.Metadata().Schema[1:] {
		if isLeaf(&e) {
			leaves = append(leaves, e)
		}
	}
	for _, of := range t.file.Root().Columns() {
		skip := table.Finding{Column: of.Name()}
		var c *column
		switch {
		case !of.Leaf():
			skip.Code = texts.SkippedNested
		case of.Repeated():
			skip.Code = texts.SkippedList
		default:
			e := &leaves[of.Index()]
			c = &column{name: of.Name(), leaf: of.Index() + 1}
			if c.kind, c.perSecond, c.scale = kindOf(e, of.Type()); c.kind == other {
				skip.Code, skip.Texts = texts.SkippedType, []string{typeName(e)}
			}
		}
		if skip.Code != "" {
			t.notes = append(t.notes, skip)
			continue
		}
		t.names, t.columns = append(t.names, c.name), append(t.columns, c)
	}
	if len(t.columns) == 0 {
		return cell.ErrNoFeatures
	}
	names, notes := dialect.UniqueNames(t.names)
	t.names, t.notes = names, append(t.notes, notes...)
	return nil
}

func (t *TableReader) fail(err error) error { return &cell.Error{Name: t.name, Err: err} }

// Names returns the names of the columns.
func (t *TableReader) Names() []string { return t.names }

// Rows returns the number of rows of the file.
func (t *TableReader) Rows() int64 { return t.file.NumRows() }

// Close releases the memory of the reader. It does not close the file.
func (t *TableReader) Close() {
	for _, c := range t.columns {
		c.closeChunk()
	}
}

// ReadRows reads the next n rows, or fewer at the end of the file. A null is a missing value, and dates and
// timestamps are of kind date. Unless the options specify the kinds of columns of texts, they are detected
// from these rows only. If ctx is done first, ReadRows returns its error.
func (t *TableReader) ReadRows(ctx context.Context, n int, o table.Options) (*table.Table, error) {
	from := t.row
	n = int(min(int64(n), t.Rows()-from))
	if n <= 0 {
		return nil, t.fail(cell.ErrEmpty)
	}
	for {
		plan, err := detect.New(detect.Source{File: t.name, Columns: t.names}, o)
		if err != nil {
			return nil, err
		}
		b := plan.Cells(0)
		long, err := t.readColumns(ctx, b, from+int64(n))
		if err != nil {
			return nil, err
		}
		if long == nil {
			return b.Table()
		}
		long.long, t.row = true, from // read again
		for _, c := range t.columns {
			if err := c.seek(t, from); err != nil {
				return nil, t.fail(err)
			}
		}
	}
}

// ReadTable reads all rows of a Parquet file, as tables.Open does.
func ReadTable(ctx context.Context, r io.ReaderAt, size int64, name string,
	o table.Options) (*table.Table, error) {
	f, err := OpenTable(r, size, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := f.ReadRows(ctx, math.MaxInt, o)
	if err != nil {
		return nil, err
	}
	t.Reading, t.Notes = "Parquet", append(f.notes, t.Notes...)
	return t, nil
}

// readColumns adds the rows before end to the cells of a table. If an integer is not exact as a float64, it
// stops and returns the column, which must be read as texts.
func (t *TableReader) readColumns(ctx context.Context, b *detect.Cells, end int64) (long *column, err error) {
	numeric := make([]bool, len(t.columns))
	for i, c := range t.columns {
		switch c.kind {
		case text:
		case boolean:
			numeric[i] = b.Typed(i, table.Boolean, []string{"false", "true"})
		case date:
			numeric[i] = b.Typed(i, table.Date, nil)
		default:
			numeric[i] = !c.long && b.Typed(i, table.Number, nil)
		}
	}
	const most = 4096 // rows per iteration
	for t.row < end {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := int(min(most, end-t.row))
		for i, c := range t.columns {
			to := b.Column(i)
			if to == nil {
				continue
			}
			row, err := c.addTo(t, to, numeric[i], n)
			if errors.Is(err, errDigits) {
				return c, nil
			}
			if err != nil {
				row := t.row + int64(row) + 1
				return nil, &cell.Error{Name: t.name, Row: row, Column: c.leaf, Header: c.name, Err: err}
			}
		}
		for range n {
			if err := b.EndRow(0); err != nil {
				return nil, err
			}
		}
		t.row += int64(n)
	}
	return nil, nil
}

// errDigits reports an integer that is not exact as a float64.
var errDigits = errors.New("an integer above 2⁵³")

// addTo adds the next n values to a column of a table, fewer only if there is an error.
func (c *column) addTo(t *TableReader, to *detect.Column, numeric bool, n int) (done int, err error) {
	defer recoverAs(&err)
	for done < n {
		values, err := c.read(t, n-done)
		if err != nil {
			return done, err
		}
		for _, v := range values {
			switch {
			case v.IsNull() && numeric:
				to.Number(math.NaN())
			case v.IsNull():
				err = to.Text(nil)
			case numeric:
				var x float64
				x, err = c.number(v)
				if (c.kind == signed || c.kind == unsigned) && math.Abs(x) > 1<<53 && to.Free() {
					err = errDigits
				}
				if err == nil {
					to.Number(x)
				}
			default:
				if c.cell, err = c.text(c.cell[:0], v); err == nil {
					err = to.Text(c.cell)
				}
			}
			if err != nil {
				return done, err
			}
			done++
		}
	}
	return done, nil
}

// read returns the next values, at most n and at least one. They are valid until the next call.
func (c *column) read(t *TableReader, n int) ([]pq.Value, error) {
	if c.buffer == nil {
		c.buffer = make([]pq.Value, 1024)
	}
	for {
		if c.values != nil {
			k, err := c.values.ReadValues(c.buffer[:min(n, len(c.buffer))])
			if k > 0 {
				return c.buffer[:k], nil
			}
			if err != nil && err != io.EOF {
				return nil, err
			}
			pq.Release(c.page)
			c.page, c.values = nil, nil
		}
		if c.pages == nil {
			if err := c.openChunk(t); err != nil {
				return nil, err
			}
		}
		page, err := c.pages.ReadPage()
		if err == io.EOF {
			c.closeChunk()
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("row group %d: %w", c.group, err)
		}
		c.page, c.values = page, page.Values()
	}
}

func (c *column) openChunk(t *TableReader) error {
	groups := t.file.RowGroups()
	if c.group == len(groups) {
		return fmt.Errorf("%w: too few values in a column", errDamaged)
	}
	g := &t.file.Metadata().RowGroups[c.group]
	c.group++
	if err := checkPages(t.in, &g.Columns[c.leaf-1], g.NumRows); err != nil {
		return fmt.Errorf("row group %d: %w", c.group, err)
	}
	c.pages = groups[c.group-1].ColumnChunks()[c.leaf-1].Pages()
	return nil
}

func (c *column) closeChunk() {
	if c.page != nil {
		pq.Release(c.page)
	}
	if c.pages != nil {
		c.pages.Close()
	}
	c.pages, c.page, c.values = nil, nil, nil
}

// seek moves to a row of the file, counted from 0.
func (c *column) seek(t *TableReader, row int64) (err error) {
	defer recoverAs(&err)
	c.closeChunk()
	c.group = 0
	for _, g := range t.file.RowGroups() {
		if row < g.NumRows() {
			break
		}
		row -= g.NumRows()
		c.group++
	}
	if row == 0 {
		return nil
	}
	if err := c.openChunk(t); err != nil {
		return err
	}
	return c.pages.SeekToRow(row)
}
