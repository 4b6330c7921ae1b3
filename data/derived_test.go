//go:build !js

package data

import (
	"slices"
	"testing"
)

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
