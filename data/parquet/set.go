package parquet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/table"
)

// Set is labelled samples. It can be converted to a data.Set, whose fields it has.
type Set struct {
	Name     string
	X        *mat.Dense
	T        []int
	Classes  []string
	Features []string
}

// ReadSet reads labelled samples for training, as data.ReadCSV does: there must be a
// column "class". Labels are in the order of the sorted classes.
func ReadSet(r io.ReaderAt, size int64, name string) (*Set, error) {
	return readSet(r, size, name, nil)
}

// ReadSetLike reads test data for what was trained on like, as data.ReadCSVLike does.
func ReadSetLike(r io.ReaderAt, size int64, name string, like *Set) (*Set, error) {
	return readSet(r, size, name, like)
}

// ReadFile reads a Parquet file of labelled samples; the set's name is the file's base
// name without its extension. Errors name the path.
func ReadFile(path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	s, err := ReadSet(f, info.Size(), path)
	if err != nil {
		return nil, err
	}
	s.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return s, nil
}

// ReadFeatures reads samples to be predicted, as data.ReadFeatures does.
func ReadFeatures(r io.ReaderAt, size int64, name string, features []string) (x *mat.Dense, classes []string, err error) {
	f, err := Open(r, size, name, features)
	if err != nil {
		return nil, nil, err
	}
	return f.all()
}

// all reads all rows.
func (f *Reader) all() (x *mat.Dense, classes []string, err error) {
	defer f.Close()
	d := len(f.features)
	if err := f.foresee(); err != nil {
		return nil, nil, err
	}
	var (
		values []float64
		batch  table.Batch
	)
	if f.class {
		classes = []string{}
	}
	for {
		err := f.Read(&batch)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if int(f.row)*d > cap(values) { // grows as rows come, whatever the footer says
			rows := int(min(f.Rows(), 2*f.row))
			values = append(make([]float64, 0, rows*d), values...)
			if f.class {
				classes = append(make([]string, 0, rows), classes...)
			}
		}
		values = append(values, batch.X.RawMatrix().Data...)
		classes = append(classes, batch.Class...)
	}
	if len(values) == 0 {
		return nil, nil, f.fail(cell.ErrEmpty)
	}
	return mat.NewDense(len(values)/d, d, values), classes, nil
}

func readSet(r io.ReaderAt, size int64, name string, like *Set) (*Set, error) {
	var features []string
	if like != nil {
		features = like.Features
	}
	f, err := Open(r, size, name, features)
	if err != nil {
		return nil, err
	}
	if !f.class {
		return nil, f.fail(errors.New(`no column is named "class"`))
	}
	x, texts, err := f.all()
	if err != nil {
		return nil, err
	}
	s := &Set{Name: name, X: x, T: make([]int, len(texts)), Features: f.Features()}
	if like != nil {
		s.Classes = slices.Clone(like.Classes)
	} else {
		s.Classes = slices.Compact(slices.Sorted(slices.Values(texts)))
	}
	label := make(map[string]int, len(s.Classes))
	for c, class := range s.Classes {
		label[class] = c
	}
	column := f.columns[len(f.columns)-1]
	for n, text := range texts {
		c, known := label[text]
		switch {
		case text == "":
			err = cell.ErrMissing
		case !known:
			err = cell.ErrUnknownClass
		case !utf8.ValidString(text):
			err = cell.ErrNotUTF8
		case strings.ContainsAny(text, "\r\n"):
			err = cell.ErrLineBreak
		}
		if err != nil {
			return nil, &cell.Error{Name: name, Row: int64(n) + 1, Column: column.place, Header: classColumn, Value: text, Err: err}
		}
		s.T[n] = c
	}
	return s, nil
}

// CountRows returns the number of rows that the footer of a Parquet file tells of,
// whatever its columns.
func CountRows(r io.ReaderAt, size int64, name string) (rows int64, err error) {
	f := &Reader{name: name, budget: budget{file: size}}
	if f.footer, err = readFooter(r, size, &f.budget); err != nil {
		return 0, f.fail(err)
	}
	return f.Rows(), nil
}
