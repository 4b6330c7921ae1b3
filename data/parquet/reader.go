package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/table"
)

const classColumn = "class"

var errDamaged = errors.New("damaged Parquet file")

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
	codecs  codecs
	body    []byte // of the page that is decompressed, or a header
	spare   []byte // a dictionary
	words   []uint64
	present []uint64
	numbers []float64
	met     map[string]string // class names of the batch, each kept once
}

// Open reads the footer of a Parquet file of size bytes. Its columns must be the given
// features in any order, and perhaps one named "class"; X has the features in the
// order given (nil takes all, as they come). The name is for errors.
func Open(r io.ReaderAt, size int64, name string, features []string) (reader *Reader, err error) {
	f := &Reader{in: r, name: name}
	defer f.guard(&err)
	if f.footer, err = readFooter(r, size); err != nil {
		return nil, f.fail(err)
	}
	if err := f.findColumns(features); err != nil {
		return nil, err
	}
	f.most = table.Rows(len(f.features))
	f.limit = unseen
	f.words, f.present, f.numbers = make([]uint64, some), make([]uint64, some), make([]float64, some)
	return f, nil
}

// Features returns the names of the columns of X.
func (f *Reader) Features() []string { return slices.Clone(f.features) }

// Rows returns the number of rows of the file.
func (f *Reader) Rows() int64 { return f.footer.rows() }

// Read reads the next rows, across row groups. Its error is a [data.ReadError], around a
// [MemoryError] where the pages to be read do not fit the memory at hand.
func (f *Reader) Read(b *table.Batch) (err error) {
	defer f.guard(&err)
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

// Seek goes to the given row.
func (f *Reader) Seek(to table.Position) (err error) {
	defer f.guard(&err)
	if to.Row < 0 || to.Row > f.Rows() {
		return f.fail(fmt.Errorf("no row %d: there are %d", to.Row, f.Rows()))
	}
	f.row = to.Row
	group, inside := 0, to.Row
	for group < len(f.footer.ends) && f.footer.ends[group] <= to.Row {
		inside = to.Row - f.footer.ends[group]
		group++
	}
	f.forgetTexts()
	for _, c := range f.columns {
		f.closeChunk(c)
		c.group = group
		if err := c.skip(f, inside); err != nil {
			return f.failAt(0, c, err)
		}
	}
	return nil
}

// Close frees what the reader holds; the file stays open. It may be left out where a
// file was read to its end.
func (f *Reader) Close() {
	for _, c := range f.columns {
		f.closeChunk(c)
		c.page = nil
	}
	f.body, f.spare, f.met, f.codecs = nil, nil, nil, codecs{}
	f.budget = budget{limit: unseen}
}

// guard turns a panic of a library over a damaged file into an error.
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
