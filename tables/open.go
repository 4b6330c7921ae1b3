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
	// Separator separates the cells of a text file: "comma", "semicolon", "tab", "pipe", "blanks" (any number of
	// blanks) or a single character.
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
	// empty, the encoding is detected, and a note is added if it had to be guessed. Invalid bytes become
	// U+FFFD; a note gives the first line that contains one.
	Encoding string
	// Header is "yes" or "none".
	Header string
	// Comment is the prefix of comment lines, or "none".
	Comment string
	// Skip is the number of lines before the table.
	Skip int
	// Ragged controls how a record with more or fewer cells than the header is read: "drop" skips it, and
	// "pad" fills it with missing values or truncates it. If it is empty, such a record is an error, except
	// that up to three short records at the end are skipped as a footer.
	Ragged string
	// Lenient is for inspecting a file. If it is set, an ambiguous text file is not an error, an empty Ragged
	// means "pad", and a table may have no rows. Notes report each of these cases.
	Lenient bool
	// Sheet is the name of a sheet of an .xlsx file. If it is empty, Open reads the first sheet with at
	// least three rows and two columns, and a note lists the sheets. It must be empty for other files.
	Sheet string
	// Missing lists additional strings that mean a missing value. A number such as -999 also matches -999.0, and
	// a date such as 9999-12-31 also matches 31.12.9999. An empty cell is always missing, as are NA, n.a., ?, .,
	// NaN, null and \N, in any case.
	Missing []string
	// Limits controls how a cell such as <0.5 or >100 is read in a column of numbers: "half" reads them as
	// 0.25 and 100, "limit" as 0.5 and 100, and "missing" as missing values. If it is empty, such a cell
	// is a fault of its column; see [table.Fault].
	Limits string
	// Kinds sets the kinds of columns by name.
	Kinds map[string]table.Kind
	// Like lists columns that the file is expected to have, such as the columns of a recipe
	// ([recipe.Recipe.Like]). A column with the same name gets the same kind, the same unit if it has numbers,
	// and the same layout if it has dates. A boolean may get another kind. Kinds and ID take precedence.
	Like []table.Column
	// Drop names the columns to leave out, and ID the columns that identify a row.
	Drop, ID []string
	// Group and Time are the names of the columns that determine the folds of a cross-validation; see
	// [table.Table]. They are not used as features unless Kinds names them.
	Group, Time string
	// Weight is the name of the column with the weights of the rows; see [table.Table]. It is not used as a
	// feature unless Kinds names it.
	Weight string
}

func (o Options) dialect() dialect.Options {
	return dialect.Options{Separator: o.Separator, Quote: o.Quote, Escape: o.Escape, Decimal: o.Decimal,
		Thousands: o.Thousands, Encoding: o.Encoding, Header: o.Header, Comment: o.Comment, Skip: o.Skip}
}

// Check returns an error if Separator, Quote, Escape, Decimal, Thousands, Encoding, Header, Comment or Skip
// has an invalid value. The error lists the valid ones.
func (o Options) Check() error { return o.dialect().Check() }

func (o Options) columns() columns.Options {
	return columns.Options{Missing: o.Missing, Limits: o.Limits, Kinds: o.Kinds, Like: o.Like, Drop: o.Drop,
		ID: o.ID, Group: o.Group, Time: o.Time, Weight: o.Weight}
}

// ErrFormat is the error of Open for a file in an unsupported format.
var ErrFormat = errors.New("unsupported file format; supported: CSV, TSV, ARFF, LIBSVM, Excel, Parquet")

// Open reads a table with named columns and detects the kinds of the columns. The file is delimited text
// (.csv, .tsv, .txt, .dat, .data), an .arff file or a LIBSVM file (1 1:0.4 3:-0.1), any of which may be
// compressed by gzip, or a .parquet or .xlsx file. The format is detected from the content, not from the
// name.
//
// Table.Reading describes how the file was read, and Table.Notes lists what the user may want to override. If
// a text file can be read equally well in two ways, the error is an [*Ambiguous]. Errors in the content have
// the type [*CellError]. Errors and notes refer to options by names such as Options.Decimal.
//
// The table takes 8 bytes for a numeric cell, and 4 bytes for any other cell plus the distinct strings of its
// column. Open returns an error if the table does not fit into the available memory, and [ErrTooLarge] if a
// compressed file expands to more than 1 GiB and to more than 200 times its size.
func Open(path string, o Options) (*table.Table, error) {
	return OpenContext(context.Background(), path, o)
}

// OpenContext is like Open, but returns the error of ctx if ctx is done first.
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

// Read is like Open for a reader. It reads all of r into memory first. The name is used in errors.
func Read(r io.Reader, name string, o Options) (*table.Table, error) {
	return ReadContext(context.Background(), r, name, o)
}

// ReadContext is like Read, but returns the error of ctx if ctx is done first.
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

// readAll reads r into memory. More than most bytes are an error.
func readAll(r io.Reader, most int64) ([]byte, error) {
	all, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(all)) > most {
		err = fmt.Errorf("%w of %d MiB for input that is not a file: save it to a file first", ErrTooLarge,
			most>>20)
	}
	return all, err
}

// file is a file that can be read more than once.
type file struct {
	name string
	size int64
	at   io.ReaderAt
}

// stopping is a reader that fails once its context is done.
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

// failed adds the name of the file to an error. If ctx is done, it returns the error of ctx unchanged.
func failed(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*CellError](err); ok {
		return err
	}
	return &CellError{Name: name, Err: err}
}

// magics contains the first bytes of file formats that are not text.
var magics = []struct{ bytes, what string }{
	{"PK\x03\x04", "xlsx"},
	{"PAR1", "parquet"},
	{"\x1f\x8b", "gzip"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "this is an old Excel file: save it as .xlsx"},
	{"BZh", "this file is compressed by bzip2: decompress it first"},
	{"\x28\xb5\x2f\xfd", "this file is compressed by zstd: decompress it first"},
	{"\xfd7zXZ", "this file is compressed by xz: decompress it first"},
	{"7z\xbc\xaf", "this is a 7z archive: unpack it first"},
	{"%PDF", "this is a PDF file"},
	{"SQLite format 3\x00", "this is an SQLite database: export a table as CSV"},
	{"ARROW1", "this is an Arrow file: save the table as .parquet"},
	{"\x89HDF", "this is an HDF5 file: save the table as .parquet or .csv"},
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
		return nil, fmt.Errorf("tables: Options.Ragged %s: want drop or pad", o.Ragged)
	}
	head := make([]byte, 16)
	n, err := f.at.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, failed(ctx, f.name, err)
	}
	var t *table.Table
	what := format(head[:n])
	if o.Sheet != "" && what != "xlsx" {
		return nil, fmt.Errorf("tables: %s: Options.Sheet %q is for .xlsx files only; leave it out",
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
