//go:build !js

package data

import (
	"errors"
	"slices"
	"testing"
)

// Derived sets match their descriptions and contain the rows of their sources.
func TestDerived(t *testing.T) {
	for _, name := range names(func(i Info) bool { return i.From != nil }) {
		info, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range info.From {
			if !slices.Contains(names(fetchable), from) {
				t.Errorf("%s is derived from %s", name, from)
			}
		}
		text, err := CSV(name)
		if errors.Is(err, ErrNotEmbedded) {
			t.Skipf("NOT CHECKED: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.N() != info.Rows || s.D() != info.Features || s.C() != info.Classes || checksum(text) != info.SHA256 {
			t.Errorf("%s: %d rows, %d features, %d classes, SHA-256 %s", name, s.N(), s.D(), s.C(), checksum(text))
		}
		if _, err := Path(name); !errors.Is(err, errNoFile) {
			t.Errorf("%s has a file: %v", name, err)
		}
		partitions, err := Partitions(name)
		if info.Partitioned && (err != nil || len(partitions) != 50) || !info.Partitioned &&
			!errors.Is(err, errNoPartitions) {
			t.Errorf("%s: %d partitions, %v", name, len(partitions), err)
		}
	}
}

func TestJoinViews(t *testing.T) {
	view := func(name string, labels string, values ...float64) *Set {
		s := &Set{Features: []string{name}, Classes: []string{"a", "b"}, X: dense(len(values), 1)}
		for n, v := range values {
			s.X.Set(n, 0, v)
			s.T = append(s.T, int(labels[n]-'a'))
		}
		return s
	}
	s := joinViews([]*Set{view("f", "aaabb", 1, 2, 3, 4, 5), view("g", "baba", 6, 7, 8, 9)})
	want := []float64{2, 7, 3, 9, 4, 6, 5, 8}
	if !slices.Equal(s.T, []int{0, 0, 1, 1}) || !slices.Equal(s.X.RawMatrix().Data, want) ||
		!slices.Equal(s.Features, []string{"f", "g"}) {
		t.Errorf("%v %v %v", s.T, s.X.RawMatrix().Data, s.Features)
	}
}

func TestChestPain(t *testing.T) {
	heart := &Set{Features: []string{"age", "cp", "sex"}, T: []int{0, 1}, Classes: []string{"0", "1"},
		X: dense(2, 3)}
	heart.X.SetRow(0, []float64{40, 2, 1})
	heart.X.SetRow(1, []float64{50, 4, -9})
	s := chestPain([]*Set{heart})
	want := []float64{40, 0, 1, 0, 0, 1, 50, 0, 0, 0, 1, -9}
	if !slices.Equal(s.X.RawMatrix().Data, want) || !slices.Equal(s.Features, []string{"age", "cp1", "cp2",
		"cp3", "cp4", "sex"}) {
		t.Errorf("%v %v", s.X.RawMatrix().Data, s.Features)
	}
}
