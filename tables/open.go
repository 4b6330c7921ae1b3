package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/tables/internal/columns"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Options control how [Open] reads a file. Empty fields are detected.
type Options struct {
	// Separator stands between the cells of a text: "comma", "semicolon", "tab", "pipe",
	// "blanks" (runs of them) or one character.
	Separator string
	// Quote is `"`, `'` or "none".
	Quote string
	// Escape is "doubled", "backslash" or "none".
	Escape string
	// Decimal is the decimal mark, "." or ",".
	Decimal string
	// Thousands is ",", ".", "'", "space" or "none".
	Thousands string
	// Encoding is "utf-8", "utf-16le", "utf-16be", "latin-1" (which is read as Windows-1252) or another
	// name that the web or IANA uses, such as "gbk", "shift_jis", "windows-1251" or "macintosh". If it is
	// empty, the encoding is detected, and a note says so if it had to be guessed. Bytes that are not
	// characters become U+FFFD; a note names the first line with one.
	Encoding string
	// Header is "yes" or "none".
	Header string
	// Comment is the prefix of comment lines, or "none".
	Comment string
	// Skip is the number of lines before the table.
	Skip int
	// Ragged controls how a record with more or fewer cells than the header is read: "drop" skips it, and
	// "pad" fills it with missing values or cuts it off. If it is empty, such a record is an error, except
	// for up to three short ones at the end.
	Ragged string
	// Lenient is for a look at a file: one of two equally good readings is taken, Ragged is
	// "pad" if it is empty, and a table without rows is not an error. Notes say so.
	Lenient bool
	// Sheet is the name of a sheet of an .xlsx file. If it is empty, the first sheet is read that
	// has three rows and two columns or more, and a note lists the sheets. Other files have none.
	Sheet string
	// Missing are further texts that mean a missing value. A number such as -999 also means
	// -999.0, and a date such as 9999-12-31 also means 31.12.9999. An empty cell always means one, as do
	// NA, n.a., ?, ., NaN, null and \N, in any case.
	Missing []string
	// Limits controls how a cell such as <0.5 or >100 is read in a column of numbers: with "half" the cells
	// are 0.25 and 100, with "limit" they are 0.5 and 100, and with "missing" they are missing values. If it
	// is empty, such a cell is a fault of its column.
	Limits string
	// Kinds has kinds of columns, by name.
	Kinds map[string]table.Kind
	// Like are columns that the file may have, such as the columns of a recipe ([recipe.Recipe.Like]): a
	// column of the same name is of the same kind, a number of the same unit, a date of the same
	// layout. A boolean may be of any kind. Kinds and ID come before it.
	Like []table.Column
	// Drop and ID are the names of columns to leave out, and of columns that identify a row.
	Drop, ID []string
	// Group and Time are the names of the columns by which folds of a cross-validation are dealt; see
	// [table.Table]. Such a column is not a feature unless Kinds names it.
	Group, Time string
	// Weight is the name of the column of the weights of the rows; see [table.Table]. It is not a feature
	// unless Kinds names it.
	Weight string
}

func (o Options) dialect() dialect.Options {
	return dialect.Options{Separator: o.Separator, Quote: o.Quote, Escape: o.Escape, Decimal: o.Decimal,
		Thousands: o.Thousands, Encoding: o.Encoding, Header: o.Header, Comment: o.Comment, Skip: o.Skip}
}

// Check returns an error if an option that concerns the form of a text has an unknown value. The error
// names the values that are allowed.
func (o Options) Check() error { return o.dialect().Check() }

func (o Options) columns() columns.Options {
	return columns.Options{Missing: o.Missing, Limits: o.Limits, Kinds: o.Kinds, Like: o.Like, Drop: o.Drop,
		ID: o.ID, Group: o.Group, Time: o.Time, Weight: o.Weight}
}

// ErrFormat is the error of Open for a file in a format that it does not read. The error for a compressed
// file that grows too much is [ErrTooLarge].
var ErrFormat = errors.New("unsupported file format; supported: CSV, TSV, ARFF, LIBSVM, Excel, Parquet")

// Open reads a table with named columns and detects their kinds. The file is a text with separated
// cells (.csv, .tsv, .txt, .dat, .data), an .arff file or rows of LIBSVM (1 1:0.4 3:-0.1), any of them
// compressed by gzip, a .parquet file or an .xlsx file. The format is detected from the content, not from
// the name.
//
// Table.Reading describes how the file was read, and Table.Notes what the user may want to override. Where
// two readings are equally good, the error is an [*Ambiguous]. Errors of the content have the type
// [*CellError]. Errors and notes name options as Options.Decimal.
//
// The table takes 8 bytes for a cell with a number, and 4 bytes for any other cell plus the distinct texts
// of its column. Open refuses a file that needs more memory than is available, and a compressed file that
// grows more than 200 times and beyond 1 GiB.
func Open(path string, o Options) (*table.Table, error) {
	return OpenContext(context.Background(), path, o)
}

// OpenContext is like Open, but stops when ctx ends and then returns the error of ctx.
func OpenContext(ctx context.Context, path string, o Options) (*table.Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	if !info.Mode().IsRegular() && !info.IsDir() { // a pipe
		return ReadContext(ctx, f, path, o)
	}
	return file{path, info.Size(), f}.read(ctx, o)
}

// Read is like Open for a reader. It reads all of r into memory first. The name is for errors.
func Read(r io.Reader, name string, o Options) (*table.Table, error) {
	return ReadContext(context.Background(), r, name, o)
}

// ReadContext is like Read, but stops when ctx ends and then returns the error of ctx.
func ReadContext(ctx context.Context, r io.Reader, name string, o Options) (*table.Table, error) {
	if text, ok := r.(*bytes.Reader); ok && ctx.Err() == nil {
		return file{name, text.Size(), text}.read(ctx, o)
	}
	all, err := readAll(stopping{ctx, r}, int64(min(memory.Available()/2, 1<<50)))
	if err != nil {
		return nil, failed(ctx, name, err)
	}
	return file{name, int64(len(all)), bytes.NewReader(all)}.read(ctx, o)
}

// readAll reads at most so many bytes into memory.
func readAll(r io.Reader, most int64) ([]byte, error) {
	all, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(all)) > most {
		err = fmt.Errorf("%w: more than %d MiB that are not in a file, which is the limit here: save it to a file",
			ErrTooLarge, most>>20)
	}
	return all, err
}

// file is a file that can be read more than once.
type file struct {
	name string
	size int64
	at   io.ReaderAt
}

// stopping is a reader that stops when a context ends.
type stopping struct {
	ctx context.Context
	r   io.Reader
}

func (s stopping) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(b)
}

// failed returns the error of a file. The error of a context is returned as it is.
func failed(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*CellError](err); ok {
		return err
	}
	return &CellError{Name: name, Err: err}
}

// magics are the first bytes of files that are not texts.
var magics = []struct{ bytes, what string }{
	{"PK\x03\x04", "xlsx"},
	{"PAR1", "parquet"},
	{"\x1f\x8b", "gzip"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is an old Excel file: save it as .xlsx"},
	{"BZh", "it is compressed by bzip2: unpack it"},
	{"\x28\xb5\x2f\xfd", "it is compressed by zstd: unpack it"},
	{"\xfd7zXZ", "it is compressed by xz: unpack it"},
	{"7z\xbc\xaf", "it is a 7z archive: unpack it"},
	{"%PDF", "it is a PDF file"},
	{"SQLite format 3\x00", "it is an SQLite database: export a table as CSV"},
	{"ARROW1", "it is an Arrow file: write it as .parquet"},
	{"\x89HDF", "it is an HDF5 file: write the table as .parquet or .csv"},
}

func format(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			return m.what
		}
	}
	return ""
}

func (f file) read(ctx context.Context, o Options) (*table.Table, error) {
	if err := o.dialect().Check(); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	if o.Ragged != "" && o.Ragged != "drop" && o.Ragged != "pad" {
		return nil, fmt.Errorf("tables: Options.Ragged %s is none of drop, pad", o.Ragged)
	}
	head := make([]byte, 16)
	n, err := f.at.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, failed(ctx, f.name, err)
	}
	var t *table.Table
	what := format(head[:n])
	if o.Sheet != "" && what != "xlsx" {
		return nil, fmt.Errorf("tables: %s: Options.Sheet %q is for .xlsx files only, and this is not one: leave "+
			"it out",
			f.name, cell.Shorten(o.Sheet))
	}
	switch what {
	case "xlsx":
		t, err = f.readXLSX(ctx, o)
	case "parquet":
		t, err = f.readParquet(ctx, o)
	case "gzip", "":
		t, err = f.readText(ctx, o, what == "gzip")
	default:
		err = fmt.Errorf("%w: %s", ErrFormat, what)
	}
	if err != nil {
		return nil, failed(ctx, f.name, err)
	}
	t.Missing, t.Limits = columns.Clean(o.Missing), o.Limits
	return t, nil
}
