package data

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/cell"
	"gonum.org/v1/gonum/mat"
)

// Set is a set of labelled samples: row n of X has the label T[n], an index into Classes. The zero value is
// an empty set.
type Set struct {
	Name     string
	X        *mat.Dense // N×D, one sample per row; nil or empty without samples
	T        []int      // N labels, 0..C-1
	Classes  []string   // C names
	Features []string   // D names

	standardized bool
}

// Causes of errors of CheckTrainable, for use with errors.Is.
var (
	errOneClass   = errors.New("fewer than two classes")
	errEmptyClass = errors.New("class without a sample")
)

// Standardized reports whether the set, or the set that it was taken from, was returned by a
// Standardizer.
func (s *Set) Standardized() bool { return s.standardized }

// N returns the number of samples.
func (s *Set) N() int { return len(s.T) }

// D returns the number of features.
func (s *Set) D() int { return len(s.Features) }

// C returns the number of classes, including classes without samples.
func (s *Set) C() int { return len(s.Classes) }

// Counts returns the number of samples of each class.
func (s *Set) Counts() []int {
	counts := make([]int, s.C())
	for _, t := range s.T {
		counts[t]++
	}
	return counts
}

// Labels returns the distinct names of classes in the order of strings.Compare, and for each name the label,
// its index in classes: the T of mpcvm.Samples and the classes of mpcvm.Model.WithNames.
func Labels(names []string) (labels []int, classes []string) {
	classes = slices.Compact(slices.Sorted(slices.Values(names)))
	for _, name := range names {
		label, _ := slices.BinarySearch(classes, name)
		labels = append(labels, label)
	}
	return labels, classes
}

// Subset returns a copy of the given rows, in the given order; a row may be repeated. All classes
// are kept, even if they have no samples. Subset panics if a row is out of range.
func (s *Set) Subset(rows []int) *Set {
	sub := &Set{
		Name: s.Name, standardized: s.standardized,
		X:        dense(len(rows), s.D()),
		T:        make([]int, len(rows)),
		Classes:  slices.Clone(s.Classes),
		Features: slices.Clone(s.Features),
	}
	for i, n := range rows {
		if n < 0 || n >= s.N() {
			panic(fmt.Sprintf("data: index %d of a set of %d samples", n, s.N()))
		}
		sub.X.SetRow(i, s.X.RawRowView(n))
		sub.T[i] = s.T[n]
	}
	return sub
}

// Columns returns a copy of the set with only the given features, in the given order. It panics if a
// column is out of range.
func (s *Set) Columns(cols []int) *Set {
	sub := &Set{
		Name: s.Name, standardized: s.standardized,
		X:        dense(s.N(), len(cols)),
		T:        slices.Clone(s.T),
		Classes:  slices.Clone(s.Classes),
		Features: make([]string, len(cols)),
	}
	for j, d := range cols {
		if d < 0 || d >= s.D() {
			panic(fmt.Sprintf("data: column %d of a set of %d features", d, s.D()))
		}
		sub.Features[j] = s.Features[d]
		for n := range s.N() {
			sub.X.Set(n, j, s.X.At(n, d))
		}
	}
	return sub
}

// Complement returns the rows of the set that are not listed, in ascending order: the test rows of a
// partition. It panics if a row is out of range.
func (s *Set) Complement(rows []int) []int {
	listed := make([]bool, s.N())
	for _, n := range rows {
		if n < 0 || n >= s.N() {
			panic(fmt.Sprintf("data: index %d of a set of %d samples", n, s.N()))
		}
		listed[n] = true
	}
	rest := []int{}
	for n, in := range listed {
		if !in {
			rest = append(rest, n)
		}
	}
	return rest
}

// Split divides the set at random into two copies, stratified by class, which keep the order of the
// rows. For a class of m samples, round(fraction·m) samples are in train, but at least one and, if m
// ≥ 2, at most m−1. A class of two or more samples is therefore in both copies, and a single sample
// is in train. The same seed gives the same split. Split panics unless 0 < fraction < 1.
func (s *Set) Split(fraction float64, seed uint64) (train, test *Set) {
	if !(fraction > 0 && fraction < 1) {
		panic(fmt.Sprintf("data: fraction %v is not between 0 and 1", fraction))
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var rows []int
	for _, m := range s.members() {
		random.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
		take := int(math.Round(fraction * float64(len(m))))
		take = min(max(take, 1), max(len(m)-1, 1), len(m))
		rows = append(rows, m[:take]...)
	}
	slices.Sort(rows)
	return s.Subset(rows), s.Subset(s.Complement(rows))
}

// members returns the rows of each class.
func (s *Set) members() [][]int {
	members := make([][]int, s.C())
	for n, t := range s.T {
		members[t] = append(members[t], n)
	}
	return members
}

// CheckTrainable returns an error if the set cannot be used for training: if the sizes of its fields
// do not match, a value is not finite, there are no samples (ErrEmpty) or fewer than two classes, or
// a class has no samples.
func (s *Set) CheckTrainable() error {
	if err := s.valid(); err != nil {
		return err
	}
	if s.C() < 2 {
		return fmt.Errorf("data: %s: %w", s.Name, errOneClass)
	}
	for c, count := range s.Counts() {
		if count == 0 {
			return fmt.Errorf("data: %s: %w: %q", s.Name, errEmptyClass, s.Classes[c])
		}
	}
	return nil
}

// valid returns an error if the set cannot be written as CSV and read back.
func (s *Set) valid() error {
	if s.N() == 0 || s.X == nil {
		return fmt.Errorf("data: %s: %w", s.Name, ErrEmpty)
	}
	if s.D() == 0 {
		return fmt.Errorf("data: %s: %w", s.Name, cell.ErrNoFeatures)
	}
	if n, d := s.X.Dims(); n != s.N() || d != s.D() {
		return fmt.Errorf("data: %s: X is %d×%d for %d labels and %d features", s.Name, n, d, s.N(), s.D())
	}
	for _, names := range [][]string{append(slices.Clone(s.Features), classColumn), s.Classes} {
		if i, err := badName(names); err != nil {
			return fmt.Errorf("data: %s: name %d, %q: %w", s.Name, i+1, names[i], err)
		}
	}
	for n, t := range s.T {
		if t < 0 || t >= s.C() {
			return fmt.Errorf("data: %s: row %d: label %d is not one of %d classes", s.Name, n+1, t, s.C())
		}
		for d, v := range s.X.RawRowView(n) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("data: %s: row %d, feature %q: %w: %v", s.Name, n+1, s.Features[d], cell.ErrNotFinite,
					v)
			}
		}
	}
	return nil
}

// badName returns the index of the first name that is not valid as a column header, and the reason.
func badName(names []string) (int, error) {
	seen := make(map[string]bool, len(names))
	for i, name := range names {
		switch {
		case !utf8.ValidString(name):
			return i, cell.ErrNotUTF8
		case trimmed(name) == "":
			return i, cell.ErrBlankHeader
		case trimmed(name) != name:
			return i, errors.New("spaces around a name")
		case strings.ContainsAny(name, "\r\n"):
			return i, cell.ErrLineBreak
		case seen[name]:
			return i, cell.ErrDuplicateHeader
		}
		seen[name] = true
	}
	return 0, nil
}

// dense is mat.NewDense, but allows zero rows or columns.
func dense(n, d int) *mat.Dense {
	if n == 0 || d == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(n, d, nil)
}
