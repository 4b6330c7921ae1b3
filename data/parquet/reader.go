package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/table"
)

const classColumn = table.ClassColumn

// Reader reads the samples of a Parquet file batch by batch; it is a
// [table.Reader].
type Reader struct {
	in       io.ReaderAt
	name     string
	footer   *footer
	features []string
	columns  []*column // of the features and, if there is one, of the class, last
	class    bool
	row      int64 // of the next batch
	most     int   // rows of a batch

	budget
	body []byte // of a page in the file, or a header
	page []byte // decompressed
	zstd *zstd.Decoder
	met  map[string]string // class names of the batch, each kept once
}

// Open reads the footer of a Parquet file of size bytes. Its columns must be the given
// features in any order, and may include one named "class". X has the features in the
// given order. If features is nil, they are all columns but "class", in the order of the
// file. The name is for errors, which have the type *data.CellError.
func Open(r io.ReaderAt, size int64, name string, features []string) (reader *Reader, err error) {
	f := &Reader{in: r, name: name, budget: budget{file: size}}
	if f.footer, err = readFooter(r, size, &f.budget); err != nil {
		return nil, f.fail(err)
	}
	if err := f.findColumns(features); err != nil {
		return nil, err
	}
	f.most = table.Rows(len(f.features))
	return f, nil
}

// Features returns the names of the columns of X.
func (f *Reader) Features() []string { return slices.Clone(f.features) }

// Rows returns the number of rows of the file.
func (f *Reader) Rows() int64 { return f.footer.rows() }

// Read reads the next rows, across row groups. Its error is [io.EOF] after the last row,
// or else a *data.CellError. That wraps a [*MemoryError] if the pages need more memory
// than the reader may take.
func (f *Reader) Read(b *table.Batch) (err error) {
	n, d := int(min(int64(f.most), f.Rows()-f.row)), len(f.features)
	b.Resize(n, d, f.class)
	if n == 0 {
		return io.EOF
	}
	f.forgetTexts()
	first, bad := n, error(nil) // the first row with something wrong, and what
	for j, c := range f.columns {
		var i int
		var err error
		if c.class {
			i, err = c.readTexts(f, b.Class)
		} else {
			i, err = c.readNumbers(f, b.X.RawMatrix().Data[j:], d, n)
		}
		if err != nil && (i < first || i == first && bad == nil) {
			first, bad = i, f.failAt(i, c, err)
		}
	}
	if bad != nil {
		return bad
	}
	f.row += int64(n)
	b.End = table.Position{Row: f.row}
	return nil
}

// Seek goes to the given row, so that Read reads it next.
func (f *Reader) Seek(to table.Position) (err error) {
	if to.Row < 0 || to.Row > f.Rows() {
		return f.fail(fmt.Errorf("no row %d: there are %d", to.Row, f.Rows()))
	}
	f.row = to.Row
	group, inside := f.footer.groupAt(to.Row)
	f.forgetTexts()
	for _, c := range f.columns {
		if err := c.seek(f, group, inside); err != nil {
			return f.failAt(0, c, err)
		}
	}
	return nil
}

// Close frees the memory of the reader. It does not close the file.
func (f *Reader) Close() {
	for _, c := range f.columns {
		f.closeChunk(c)
		c.levelBytes, c.indexBuffer, c.data, c.offsets, c.decoded = nil, nil, nil, nil, 0
	}
	f.body, f.page, f.met, f.zstd = nil, nil, nil, nil
	f.held, f.texts = 0, 0
}

func (f *Reader) fail(err error) error {
	return &cell.Error{Name: f.name, Err: err}
}

// failAt is the error of row i of the batch being read. An error of the file itself
// has no value.
func (f *Reader) failAt(i int, c *column, err error) error {
	e := &cell.Error{Name: f.name, Column: c.place, Header: c.Name, Err: err}
	if v, ok := errors.AsType[valueError](err); ok {
		e.Row, e.Value, e.Err = f.row+int64(i)+1, v.value, v.error
	}
	return e
}

// valueError is the error of a value.
type valueError struct {
	error
	value string
}
