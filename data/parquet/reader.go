package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	pq "github.com/parquet-go/parquet-go"

	"github.com/mpcvm/mpcvm/data"
)

const classColumn = "class"

var errDamaged = errors.New("damaged Parquet file")

// Reader reads the samples of a Parquet file batch by batch; it is a
// [data.BatchReader].
type Reader struct {
	in       io.ReaderAt
	size     int64
	name     string
	features []string
	columns  []*column // of the features and, if there is one, of the class, last
	class    bool
	groups   []pq.RowGroup
	ends     []int64 // of each row group: the rows up to its end
	row      int64   // of the next batch
	most     int     // rows of a batch
}

// Open reads the footer of a Parquet file of size bytes. Its columns must be the given
// features in any order, and perhaps one named "class"; X has the features in the
// order given (nil takes all, as they come). The name is for errors.
func Open(r io.ReaderAt, size int64, name string, features []string) (reader *Reader, err error) {
	f := &Reader{in: r, size: size, name: name}
	defer f.guard(&err)
	file, err := pq.OpenFile(r, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, f.fail(err)
	}
	if err := f.findColumns(file, features); err != nil {
		return nil, err
	}
	f.groups = file.RowGroups()
	rows := int64(0)
	for _, g := range f.groups {
		n := g.NumRows()
		if n < 0 || n > math.MaxInt64-rows {
			return nil, f.fail(errDamaged)
		}
		rows += n
		f.ends = append(f.ends, rows)
	}
	f.most = data.BatchRows(len(f.features))
	return f, nil
}

// Features returns the names of the columns of X.
func (f *Reader) Features() []string { return slices.Clone(f.features) }

// Rows returns the number of rows of the file.
func (f *Reader) Rows() int64 {
	if len(f.ends) == 0 {
		return 0
	}
	return f.ends[len(f.ends)-1]
}

// Read reads the next rows, across row groups.
func (f *Reader) Read(b *data.Batch) (err error) {
	defer f.guard(&err)
	n := int(min(int64(f.most), f.Rows()-f.row))
	b.Resize(n, len(f.features), f.class)
	if n == 0 {
		return io.EOF
	}
	first, bad := n, error(nil) // the first row with something wrong, and what
	for j, c := range f.columns {
		took := func(i int, v pq.Value) error {
			if j == len(f.features) {
				return c.readClass(b, i, v)
			}
			x, err := c.number(v)
			b.X.Set(i, j, x)
			return err
		}
		if i, err := c.read(f, n, took); err != nil && (i < first || i == first && bad == nil) {
			first, bad = i, f.failAt(i, c, err)
		}
	}
	if bad != nil {
		return bad
	}
	f.row += int64(n)
	b.End = data.Position{Row: f.row}
	return nil
}

// Seek goes to the given row.
func (f *Reader) Seek(to data.Position) (err error) {
	defer f.guard(&err)
	if to.Row < 0 || to.Row > f.Rows() {
		return f.fail(fmt.Errorf("no row %d: there are %d", to.Row, f.Rows()))
	}
	f.row = to.Row
	group, inside := 0, to.Row
	for group < len(f.ends) && f.ends[group] <= to.Row {
		inside = to.Row - f.ends[group]
		group++
	}
	for _, c := range f.columns {
		c.close()
		c.group, c.left = group, 0
		if _, err := c.skip(f, inside); err != nil {
			return f.failAt(0, c, err)
		}
	}
	return nil
}

// Close frees what the reader holds; the file stays open. It may be left out where a
// file was read to its end.
func (f *Reader) Close() {
	for _, c := range f.columns {
		c.close()
	}
}

// guard turns a panic of the library over a damaged file into an error.
func (f *Reader) guard(err *error) {
	if r := recover(); r != nil {
		*err = f.fail(fmt.Errorf("%w: %v", errDamaged, r))
	}
}

func (f *Reader) fail(err error) error {
	return &data.ReadError{Name: f.name, Err: err}
}

// failAt is the error of row i of the batch being read. An error of the file itself
// has no value.
func (f *Reader) failAt(i int, c *column, err error) error {
	e := &data.ReadError{Name: f.name, Column: c.place, Header: c.name, Err: err}
	var v valueError
	if errors.As(err, &v) {
		e.Row, e.Value, e.Err = f.row+int64(i)+1, v.value, v.error
	}
	return e
}

// valueError is the error of a value.
type valueError struct {
	error
	value string
}
