package data

import (
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

const classColumn = table.ClassColumn

// ReadCSV reads a set in the CSV form of the package comment. One class is enough; see
// [Set.CheckTrainable] for training. The error is a *CellError.
//
// The memory in use, garbage aside, is little more than that of the set, 8N(D + 1) bytes,
// and for any text at most 4 times its size and 64 MiB. For that a text is read twice if r
// can seek, the first time to count its lines; if r cannot, the numbers take up to 9 times
// the size of the text. Lines of more than 262144 cells (ErrTooWide) and sets of more
// classes than that (ErrTooManyClasses) are refused.
func ReadCSV(r io.Reader, name string) (*Set, error) {
	return readSet(r, name, nil)
}

// ReadCSVLike reads test data for a model that was trained on like. The columns must be
// the features of like and the class, in any order (ErrHeader), and every class one of
// like (ErrUnknownClass). Features and classes get the order of like, so that columns and
// labels agree.
func ReadCSVLike(r io.Reader, name string, like *Set) (*Set, error) {
	return readSet(r, name, like)
}

// ReadFile reads a CSV file. The set is named as the file, without folder and extension.
// Errors name the path.
func ReadFile(path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	s, err := ReadCSV(f, path)
	if err != nil {
		return nil, err
	}
	s.Name = baseName(path)
	return s, nil
}

// ReadFeatures reads samples to be predicted. The columns must be the given features, in
// any order; x has them in the order given. If features is nil, all columns are features,
// as they come. A further column may be named "class": classes are its cells, "" if a cell
// is empty, and nil if there is no such column. The memory in use is that of ReadCSV; with
// few features and the classes it is up to 8 times the size of the text.
func ReadFeatures(r io.Reader, name string, features []string) (x *mat.Dense, classes []string, err error) {
	return table.ReadFeatures(r, name, features)
}

// readSet reads features and labels. If like is not nil, it fixes columns and classes.
func readSet(r io.Reader, name string, like *Set) (*Set, error) {
	t, err := table.Open(r, name)
	if err != nil {
		return nil, err
	}
	want := t.Header
	d := len(want) - 1
	var classes []string
	switch last := want[d]; {
	case like != nil:
		want = append(slices.Clone(like.Features), classColumn)
		d = len(want) - 1
		classes = slices.Clone(like.Classes)
	case strings.EqualFold(last, classColumn) && last != classColumn:
		return nil, t.Fail(d+1, last, fmt.Errorf("%w (write it in lower case)", ErrNoClassColumn))
	case last != classColumn:
		return nil, t.FailHeader(d+1, last, ErrNoClassColumn)
	}
	columns, err := t.Find(want)
	if err != nil {
		return nil, err
	}
	if d == 0 {
		return nil, t.Fail(0, "", ErrNoFeatures)
	}

	label := make(map[string]int, len(classes))
	for c, class := range classes {
		label[class] = c
	}
	rows := t.MaxRows()
	values, labels := make([]float64, 0, rows*d), make([]int, 0, rows)
	for {
		cells, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if values, err = t.AppendNumbers(values, cells, columns[:d]); err != nil {
			return nil, err
		}
		column := columns[d] + 1
		class := cells[columns[d]]
		if class == "" {
			return nil, t.Fail(column, "", ErrMissing)
		}
		c, known := label[class]
		if !known {
			switch {
			case like != nil:
				return nil, t.Fail(column, class, ErrUnknownClass)
			case !utf8.ValidString(class):
				return nil, t.Fail(column, class, ErrNotUTF8)
			case strings.ContainsAny(class, "\r\n"):
				return nil, t.Fail(column, class, ErrLineBreak)
			case len(classes) == cell.MaxClasses:
				return nil, t.Fail(column, class, ErrTooManyClasses)
			}
			c, class = len(classes), strings.Clone(class) // a clone, not to keep the whole line
			label[class] = c
			classes = append(classes, class)
		}
		labels = append(labels, c)
	}
	if len(labels) == 0 {
		return nil, &CellError{Name: name, Err: ErrEmpty}
	}
	if like == nil {
		sortClasses(classes, labels)
	}
	return &Set{
		Name:     name,
		X:        mat.NewDense(len(labels), d, values),
		T:        labels,
		Classes:  classes,
		Features: slices.Clone(want[:d]),
	}, nil
}

// sortClasses sorts the class names and renumbers the labels to match.
func sortClasses(classes []string, labels []int) {
	old := slices.Clone(classes)
	slices.Sort(classes)
	renumber := make([]int, len(old))
	for c, class := range old {
		renumber[c], _ = slices.BinarySearch(classes, class)
	}
	for n, c := range labels {
		labels[n] = renumber[c]
	}
}

func baseName(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
