package data

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/cell"
	"gonum.org/v1/gonum/mat"
)

func equal(a, b *Set) bool {
	return a.Name == b.Name && mat.Equal(a.X, b.X) && slices.Equal(a.T, b.T) &&
		slices.Equal(a.Classes, b.Classes) && slices.Equal(a.Features, b.Features)
}

// panics checks that f panics with a message of this package.
func panics(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		message, _ := recover().(string)
		if !strings.HasPrefix(message, "data: ") {
			t.Errorf("%s: panic %q, want one of package data", what, message)
		}
	}()
	f()
}

func small() *Set {
	return &Set{
		Name:     "small",
		X:        mat.NewDense(4, 2, []float64{1, 10, 2, 20, 3, 30, 4, 40}),
		T:        []int{0, 1, 1, 2},
		Classes:  []string{"a", "b", "c"},
		Features: []string{"x", "y"},
	}
}

func TestSetSubset(t *testing.T) {
	s := small()
	got := s.Subset([]int{2, 0, 2})
	want := &Set{
		Name: "small", X: mat.NewDense(3, 2, []float64{3, 30, 1, 10, 3, 30}), T: []int{1, 0, 1},
		Classes: []string{"a", "b", "c"}, Features: []string{"x", "y"},
	}
	if !equal(got, want) {
		t.Errorf("got %+v", got)
	}
	got.X.Set(0, 0, -1)
	got.T[0], got.Classes[0], got.Features[0] = 0, "-", "-"
	if !equal(s, small()) {
		t.Error("the subset shares memory with the set")
	}
	if none := s.Subset(nil); none.N() != 0 || none.D() != 2 || none.C() != 3 {
		t.Errorf("empty subset: N, D, C = %d, %d, %d", none.N(), none.D(), none.C())
	}
	panics(t, "row -1", func() { s.Subset([]int{-1}) })
	panics(t, "row 4", func() { s.Subset([]int{4}) })
}

func TestSetColumns(t *testing.T) {
	s := small()
	got := s.Columns([]int{1})
	if !mat.Equal(got.X, mat.NewDense(4, 1, []float64{10, 20, 30, 40})) || got.Features[0] != "y" ||
		got.D() != 1 {
		t.Errorf("got %+v", got)
	}
	got.T[0] = 2
	if !equal(s, small()) {
		t.Error("the columns share memory with the set")
	}
	panics(t, "column 2", func() { s.Columns([]int{2}) })
}

func TestSetComplement(t *testing.T) {
	s := small()
	for _, tc := range []struct{ rows, want []int }{
		{nil, []int{0, 1, 2, 3}},
		{[]int{3, 1, 3}, []int{0, 2}},
		{[]int{0, 1, 2, 3}, []int{}},
	} {
		if got := s.Complement(tc.rows); !slices.Equal(got, tc.want) {
			t.Errorf("Complement(%v) = %v, want %v", tc.rows, got, tc.want)
		}
	}
	panics(t, "row 4", func() { s.Complement([]int{4}) })
}

func TestSetSplit(t *testing.T) {
	// Classes of 1, 2, 3, 10 and 100 samples, and an empty one.
	sizes := []int{1, 2, 3, 10, 100, 0}
	s := &Set{Classes: []string{"a", "b", "c", "d", "e", "f"}, Features: []string{"row"}}
	for c, m := range sizes {
		s.T = append(s.T, slices.Repeat([]int{c}, m)...)
	}
	s.X = mat.NewDense(s.N(), 1, nil)
	for n := range s.N() {
		s.X.Set(n, 0, float64(n))
	}
	for _, tc := range []struct {
		fraction float64
		train    []int
	}{
		{0.8, []int{1, 1, 2, 8, 80, 0}},
		{0.5, []int{1, 1, 2, 5, 50, 0}},
		{0.01, []int{1, 1, 1, 1, 1, 0}},
		{0.999, []int{1, 1, 2, 9, 99, 0}},
	} {
		train, test := s.Split(tc.fraction, 7)
		if got := train.Counts(); !slices.Equal(got, tc.train) {
			t.Errorf("Split(%v): training set has %v, want %v", tc.fraction, got, tc.train)
		}
		var rows []float64
		for _, part := range []*Set{train, test} {
			values := part.X.RawMatrix().Data
			if !slices.IsSorted(values) {
				t.Errorf("Split(%v): rows are out of order", tc.fraction)
			}
			for n, v := range values {
				if part.T[n] != s.T[int(v)] {
					t.Fatalf("Split(%v): row %v lost its label", tc.fraction, v)
				}
			}
			rows = append(rows, values...)
		}
		slices.Sort(rows)
		if !slices.Equal(rows, s.X.RawMatrix().Data) {
			t.Errorf("Split(%v): the two sets do not contain all samples", tc.fraction)
		}
	}
	a, _ := s.Split(0.5, 1)
	b, _ := s.Split(0.5, 1)
	c, _ := s.Split(0.5, 2)
	if !equal(a, b) || equal(a, c) {
		t.Error("the split is not a function of the seed")
	}
	for _, fraction := range []float64{0, 1, -1, math.NaN()} {
		panics(t, "fraction", func() { s.Split(fraction, 1) })
	}
}

func TestSetCheck(t *testing.T) {
	if err := small().CheckTrainable(); err != nil {
		t.Error(err)
	}
	for name, tc := range map[string]struct {
		spoil func(s *Set)
		want  error // nil: any
	}{
		"no samples":     {func(s *Set) { *s = *s.Subset(nil) }, ErrEmpty},
		"no features":    {func(s *Set) { *s = *s.Columns(nil) }, cell.ErrNoFeatures},
		"shape":          {func(s *Set) { s.T = s.T[1:] }, nil},
		"label":          {func(s *Set) { s.T[1] = 3 }, nil},
		"not finite":     {func(s *Set) { s.X.Set(1, 1, math.Inf(1)) }, cell.ErrNotFinite},
		"blank feature":  {func(s *Set) { s.Features[1] = "" }, cell.ErrBlankHeader},
		"feature class":  {func(s *Set) { s.Features[1] = "class" }, cell.ErrDuplicateHeader},
		"same class":     {func(s *Set) { s.Classes[1] = "a" }, cell.ErrDuplicateHeader},
		"spaced class":   {func(s *Set) { s.Classes[1] = "b " }, nil},
		"two-line class": {func(s *Set) { s.Classes[1] = "b\nb" }, cell.ErrLineBreak},
		"one class":      {func(s *Set) { s.T = make([]int, 4); s.Classes = s.Classes[:1] }, errOneClass},
		"empty class":    {func(s *Set) { s.T[0] = 1 }, errEmptyClass},
	} {
		s := small()
		tc.spoil(s)
		if err := s.CheckTrainable(); err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: error %v, want %v", name, err, tc.want)
		}
	}
}
