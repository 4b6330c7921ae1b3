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
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Options control how [Open] reads a file; see [table.Options].
type Options = table.Options

// CheckOptions returns an error if Separator, Quote, Escape, Decimal, Thousands, Encoding, Header, Comment,
// Skip or Ragged has an invalid value. The error lists the valid ones.
func CheckOptions(o Options) error {
	if o.Ragged != "" && o.Ragged != "drop" && o.Ragged != "pad" {
		return table.Finding{Code: texts.InvalidValue, Option: "Ragged", Value: o.Ragged,
			Texts: []string{"drop", "pad"}}
	}
	return dialect.Check(o)
}

// Open reads a table with named columns and detects the kinds of the columns. The file is delimited text
// (.csv, .tsv, .txt, .dat, .data), JSON Lines (.jsonl), an .arff file or a LIBSVM file (1 1:0.4 3:-0.1), any
// of which may be compressed by gzip, or a .parquet or .xlsx file. The format is detected from the content,
// not from the name.
//
// Table.Reading describes how the file was read, and Table.Notes lists what the user may want to override. If
// a text file can be read equally well in two ways, the error is an [*Ambiguous]. Errors in the content have
// the type [*CellError]. Errors and notes are findings, which a [table.Voice] puts into words.
//
// The table takes 8 bytes for a numeric cell, and 4 bytes for any other cell plus the distinct strings of its
// column. Open returns an error if the table does not fit into the available memory, and [ErrTooLarge] if a
// compressed file expands to more than 1 GiB and to more than 200 times its size.
func Open(path string, o Options) (*table.Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	defer f.Close()
	return Read(context.Background(), f, path, o)
}

// Read is like Open for a reader, and returns the error of ctx if ctx is done first. A reader that can seek,
// such as a file, is read from its start. A pipe is read into memory first. The name is used in errors.
func Read(ctx context.Context, r io.Reader, name string, o Options) (*table.Table, error) {
	f, ok := seekable(r, name)
	if !ok {
		all, err := readAll(stopping{ctx, r}, int64(min(memory.Available()/2, 1<<50)))
		if err != nil {
			return nil, failed(ctx, name, err)
		}
		f.size, f.at = int64(len(all)), bytes.NewReader(all)
	}
	return f.read(ctx, o)
}

// readAll reads r into memory. More than most bytes are an error.
func readAll(r io.Reader, most int64) ([]byte, error) {
	all, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(all)) > most {
		err = table.Finding{Code: texts.LargePipe, N: int(most >> 20), Cause: ErrTooLarge}
	}
	return all, err
}

// file is a file that can be read more than once.
type file struct {
	name string
	size int64
	at   io.ReaderAt
}

// seekable returns a reader as a file. ok is false for a pipe, whose size is unknown.
func seekable(r io.Reader, name string) (f file, ok bool) {
	if in, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	}); ok {
		if size, err := in.Seek(0, io.SeekEnd); err == nil { // fails for a pipe
			return file{name, size, in}, true
		}
	}
	return file{name: name, size: -1}, false
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
	if _, ok := errors.AsType[*cell.Error](err); ok {
		return err
	}
	return &cell.Error{Name: name, Err: err}
}

func (f file) read(ctx context.Context, o Options) (*table.Table, error) {
	if err := CheckOptions(o); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	head := make([]byte, 16)
	n, err := f.at.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, failed(ctx, f.name, err)
	}
	as := binaryFormat(head[:n])
	var t *table.Table
	switch {
	case o.Sheet != "" && as.name != excelFile:
		err = table.Finding{Code: texts.SheetOfText, Option: "Sheet", Value: o.Sheet}
	case as.read != nil:
		t, err = as.read(f, ctx, o)
	case as.name == "" || as.name == gzipFile:
		t, err = f.readText(ctx, o, as.name == gzipFile)
	default:
		err = as.refuse()
	}
	if err != nil {
		return nil, failed(ctx, f.name, err)
	}
	t.Missing, t.Limits = detect.Clean(o.Missing), o.Limits
	checkWeights(t)
	return t, nil
}

// checkWeights adds a note if the weights of the rows are hardly numbers of cases. If their mean is tiny,
// for example because they were divided by their sum, it becomes 1, since a fit counts a row as its weight.
func checkWeights(t *table.Table) {
	j := t.Find(t.Weight)
	if j < 0 || t.Columns[j].Kind != table.Number {
		return
	}
	c, sum, n := &t.Columns[j], 0.0, 0.0
	for _, v := range c.Numbers {
		if v > 0 {
			sum, n = sum+v, n+1
		}
	}
	mean := sum / n
	note := table.Finding{Code: texts.MeanWeight, Column: c.Name, Texts: []string{fmt.Sprintf("%.4g", mean)}}
	switch {
	case n == 0 || mean >= 1./3 && mean <= 3:
		return
	case (mean < 0.1 || sum < 1.001) && c.Aside:
		note.Code = texts.WeightsScaled
		for i := range c.Numbers {
			c.Numbers[i] /= mean
		}
	}
	t.Notes = append(t.Notes, note)
}

// CellError describes what is wrong with a cell, a row, a column or a whole table. Use errors.As to get it.
// Lines, rows and columns count from 1; 0 means that the position is unknown or does not apply. Row is also
// the row of a file without lines, such as Parquet.
type CellError = mpcvm.CellError

// Ambiguous is the error of Open for a text file that can be read equally well in two ways. Its Option
// decides between them, and Value is the value of the option in the better reading.
type Ambiguous = dialect.Ambiguous

// Errors that Open returns, for use with errors.Is.
var (
	ErrEmpty      = cell.ErrEmpty
	ErrNoFeatures = cell.ErrNoFeatures
	ErrRagged     = cell.ErrRagged
	ErrTooWide    = cell.ErrTooWide
	ErrTooLarge   = errors.New("exceeds the limit")
)

// Inspect opens a table for inspection. read opens it with the given options, for example by [Open]. If the
// options are not sufficient for a fit, because the file can be read in two ways or its records differ in
// length, Inspect sets an option, calls read again and returns a finding that describes the problem, with the
// option and its value. A table without rows is not an error.
func Inspect(o *Options, read func(Options) (*table.Table, error)) (*table.Table, []table.Finding, error) {
	var needs []table.Finding
	for {
		t, err := read(*o)
		if err == nil {
			return t, needs, nil
		}
		var option *string
		var need table.Finding
		a, unclear := errors.AsType[*Ambiguous](err)
		switch {
		case unclear:
			option = map[string]*string{"Separator": &o.Separator, "Decimal": &o.Decimal,
				"Header": &o.Header}[a.Option]
			need = a.Finding
		case errors.Is(err, ErrRagged):
			option, need = &o.Ragged, table.Finding{Code: texts.RaggedRows, Option: "Ragged", Value: "pad"}
		case errors.Is(err, ErrEmpty) && !o.Lenient:
			o.Lenient = true
			continue
		}
		if option == nil || *option != "" {
			return nil, nil, err
		}
		*option = need.Value
		needs = append(needs, need)
	}
}
