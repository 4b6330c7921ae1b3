package data

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

const classColumn = "class"

// ReadCSV reads a set in the CSV form of the package comment. One class is
// enough; see [Set.Check] for what training asks. The error is a *ReadError.
func ReadCSV(r io.Reader, name string) (*Set, error) {
	return readSet(r, name, nil)
}

// ReadCSVLike reads test data for what was trained on like: the header must be
// the same, in the same order (ErrHeader), and every class one of like's
// (ErrUnknownClass). The classes of like are kept, so labels agree.
func ReadCSVLike(r io.Reader, name string, like *Set) (*Set, error) {
	return readSet(r, name, like)
}

// ReadFile reads a CSV file; the set's name is the file's base name without its
// extension.
func ReadFile(path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	return ReadCSV(f, baseName(path))
}

// ReadFeatures reads samples to be predicted. The header must be the given
// features, in their order (nil takes any); a last column named "class" is
// ignored.
func ReadFeatures(r io.Reader, name string, features []string) (*mat.Dense, error) {
	t, err := openTable(r, name)
	if err != nil {
		return nil, err
	}
	d := len(t.header)
	if t.header[d-1] == classColumn && !slices.Contains(features, classColumn) {
		d--
	}
	if features == nil {
		features = t.header[:d]
	}
	if err := t.expect(t.header[:d], features); err != nil {
		return nil, err
	}
	if d == 0 {
		return nil, t.fail(0, "", ErrNoFeatures)
	}
	var values []float64
	for {
		cells, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if values, err = t.appendNumbers(values, cells[:d]); err != nil {
			return nil, err
		}
	}
	if len(values) == 0 {
		return nil, &ReadError{Name: name, Err: ErrEmpty}
	}
	return mat.NewDense(len(values)/d, d, values), nil
}

// readSet reads features and labels; a non-nil like fixes header and classes.
func readSet(r io.Reader, name string, like *Set) (*Set, error) {
	t, err := openTable(r, name)
	if err != nil {
		return nil, err
	}
	d := len(t.header) - 1
	var classes []string
	if like != nil {
		if err := t.expect(t.header, append(slices.Clone(like.Features), classColumn)); err != nil {
			return nil, err
		}
		classes = slices.Clone(like.Classes)
	}
	if t.header[d] != classColumn {
		return nil, t.fail(d+1, t.header[d], ErrNoClassColumn)
	}
	if d == 0 {
		return nil, t.fail(0, "", ErrNoFeatures)
	}

	label := make(map[string]int, len(classes))
	for c, class := range classes {
		label[class] = c
	}
	var values []float64
	var labels []int
	for {
		cells, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if values, err = t.appendNumbers(values, cells[:d]); err != nil {
			return nil, err
		}
		class := cells[d]
		if class == "" {
			return nil, t.fail(d+1, "", ErrMissing)
		}
		c, known := label[class]
		if !known {
			if like != nil {
				return nil, t.fail(d+1, class, ErrUnknownClass)
			}
			if strings.ContainsAny(class, "\r\n") {
				return nil, t.fail(d+1, class, ErrLineBreak)
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
		Features: slices.Clone(t.header[:d]),
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
