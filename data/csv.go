package data

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

const classColumn = "class"

// ReadCSV reads a set in the CSV form of the package comment. One class is
// enough; see [Set.Check] for what training asks. The error is a *ReadError. The text is
// not held: of a file or a text in memory the memory taken is little more than that of the
// set, 8N(D + 1) bytes.
//
// A text from elsewhere does no harm: what is held at a time stays below 4 times its size
// and 64 MiB, and lines of more than 262144 cells (ErrTooWide) and sets of more classes
// than that (ErrTooManyClasses) are refused. To that end a text is read twice if r can
// seek, the first time to count its lines; otherwise the numbers take up to 9 times its
// size while they are read.
func ReadCSV(r io.Reader, name string) (*Set, error) {
	return readSet(r, name, nil)
}

// ReadCSVLike reads test data for what was trained on like: the columns must be
// the features of like and the class, in any order (ErrHeader), and every class
// one of like's (ErrUnknownClass). Features and classes are in the order of like,
// so that columns and labels agree.
func ReadCSVLike(r io.Reader, name string, like *Set) (*Set, error) {
	return readSet(r, name, like)
}

// ReadFile reads a CSV file; the set's name is the file's base name without its
// extension. Errors name the path.
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

// ReadFeatures reads samples to be predicted. The columns must be the given
// features, in any order; those of x are in the order given (nil takes all, as
// they come). There may be a further column named "class": classes are its cells,
// "" where it is empty, and nil if there is no such column. It takes memory as ReadCSV
// does; few features beside classes up to 8 times the size of the text.
func ReadFeatures(r io.Reader, name string, features []string) (x *mat.Dense, classes []string, err error) {
	t, err := openTable(r, name)
	if err != nil {
		return nil, nil, err
	}
	features, columns, class, err := t.samples(features)
	if err != nil {
		return nil, nil, err
	}
	d := len(features)
	rows := t.size.rows(len(t.header))
	values := make([]float64, 0, rows*d)
	if class >= 0 {
		classes = make([]string, 0, rows)
	}
	for {
		cells, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if values, err = t.appendNumbers(values, cells, columns); err != nil {
			return nil, nil, err
		}
		if class >= 0 {
			classes = append(classes, strings.Clone(cells[class])) // a clone, not to keep the whole line
		}
	}
	if len(values) == 0 {
		return nil, nil, &ReadError{Name: name, Err: ErrEmpty}
	}
	return mat.NewDense(len(values)/d, d, values), classes, nil
}

// readSet reads features and labels; a non-nil like fixes columns and classes.
func readSet(r io.Reader, name string, like *Set) (*Set, error) {
	t, err := openTable(r, name)
	if err != nil {
		return nil, err
	}
	want := t.header
	d := len(want) - 1
	var classes []string
	switch last := want[d]; {
	case like != nil:
		want = append(slices.Clone(like.Features), classColumn)
		d = len(want) - 1
		classes = slices.Clone(like.Classes)
	case strings.EqualFold(last, classColumn) && last != classColumn:
		return nil, t.fail(d+1, last, fmt.Errorf("%w (write it in lower case)", ErrNoClassColumn))
	case last != classColumn:
		return nil, t.failHeader(d+1, last, ErrNoClassColumn)
	}
	columns, err := t.find(want)
	if err != nil {
		return nil, err
	}
	if d == 0 {
		return nil, t.fail(0, "", ErrNoFeatures)
	}

	label := make(map[string]int, len(classes))
	for c, class := range classes {
		label[class] = c
	}
	rows := t.size.rows(d + 1)
	values, labels := make([]float64, 0, rows*d), make([]int, 0, rows)
	var collected int64 // bytes of the text read when garbage was last collected
	for {
		cells, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if read := t.csv.InputOffset(); read-collected > 16<<20 {
			// The text of the records is garbage, which the collector would let grow until it
			// is as much as the set. It takes no time: there is little that points elsewhere.
			runtime.GC()
			collected = read
		}
		if values, err = t.appendNumbers(values, cells, columns[:d]); err != nil {
			return nil, err
		}
		column := columns[d] + 1
		class := cells[columns[d]]
		if class == "" {
			return nil, t.fail(column, "", ErrMissing)
		}
		c, known := label[class]
		if !known {
			switch {
			case like != nil:
				return nil, t.fail(column, class, ErrUnknownClass)
			case !utf8.ValidString(class):
				return nil, t.fail(column, class, ErrNotUTF8)
			case strings.ContainsAny(class, "\r\n"):
				return nil, t.fail(column, class, ErrLineBreak)
			case len(classes) == maxClasses:
				return nil, t.fail(column, class, ErrTooManyClasses)
			}
			c, class = len(classes), strings.Clone(class) // a clone, not to keep the whole line
			label[class] = c
			classes = append(classes, class)
		}
		labels = append(labels, c)
	}
	if len(labels) == 0 {
		return nil, &ReadError{Name: name, Err: ErrEmpty}
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

// badName finds the first name that a CSV text would not give back.
func badName(names []string) (int, error) {
	seen := make(map[string]bool, len(names))
	for i, name := range names {
		switch {
		case !utf8.ValidString(name):
			return i, ErrNotUTF8
		case clean(name) == "":
			return i, ErrBlankHeader
		case clean(name) != name:
			return i, errors.New("spaces around a name")
		case strings.ContainsAny(name, "\r\n"):
			return i, ErrLineBreak
		case seen[name]:
			return i, ErrDuplicateHeader
		}
		seen[name] = true
	}
	return 0, nil
}

func baseName(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
