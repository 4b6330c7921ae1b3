package main

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// paperVectors are the relevance vectors of each class of Overclass in the paper's table
// "vector_distribute", by system.
var paperVectors = map[string][]int{
	"mrvm1":  {3, 3, 2, 5, 5, 0, 4, 3, 3, 0},
	"mrvm2":  {3, 2, 3, 2, 1, 1, 1, 1, 1, 1},
	"mpcvm1": {8, 8, 7, 8, 7, 8, 7, 7, 8, 8},
	"mpcvm2": {2, 2, 2, 1, 1, 1, 1, 1, 1, 1},
}

// classes is the table of the relevance vectors and errors by class of the four sparse
// systems, fitted to all points of a synthetic set with theta = 1.
func classes(name string) (string, error) {
	set, err := data.Load(name)
	if err != nil {
		return "", err
	}
	type system struct {
		name    string
		vectors []int // of each class
		wrong   []int // its points that are taken for another's
	}
	var systems []system
	ctx, k := context.Background(), kernel.RBF{Theta: 1}
	add := func(name string, m interface {
		Predict(dst []int, x mat.Matrix) []int
	}, labels []int) {
		s := system{name, make([]int, set.C()), make([]int, set.C())}
		for _, c := range labels {
			s.vectors[c]++
		}
		for n, c := range m.Predict(nil, set.X) {
			if c != set.T[n] {
				s.wrong[set.T[n]]++
			}
		}
		systems = append(systems, s)
	}
	sparse := func(name string, m *mpcvm.Model, err error) error {
		if err == nil {
			var labels []int
			for _, v := range m.RelevanceVectors() {
				labels = append(labels, v.Label)
			}
			add(name, m, labels)
		}
		return err
	}
	shared := func(name string, m *mrvm.Model, err error) error {
		if err == nil {
			var labels []int
			for _, v := range m.RelevanceVectors() {
				labels = append(labels, v.Label)
			}
			add(name, m, labels)
		}
		return err
	}
	top, _, err1 := mpcvm.TopDown{Kernel: k}.Fit(ctx, set.X, set.T)
	bottom, _, err2 := mpcvm.BottomUp{Kernel: k}.Fit(ctx, set.X, set.T)
	r1, _, err3 := mrvm.BottomUp{Kernel: k}.Fit(ctx, set.X, set.T)
	r2, _, err4 := mrvm.TopDown{Kernel: k}.Fit(ctx, set.X, set.T)
	for _, err := range []error{
		shared("mrvm1", r1, err3), shared("mrvm2", r2, err4), sparse("mpcvm1", top, err1), sparse("mpcvm2", bottom, err2),
	} {
		if err != nil {
			return "", err
		}
	}

	var b strings.Builder
	b.WriteString("| class | points |")
	for _, s := range systems {
		fmt.Fprintf(&b, " %s |", s.name)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(systems)) + "\n")
	for c, n := range set.Counts() {
		fmt.Fprintf(&b, "| %s | %d |", set.Classes[c], n)
		for _, s := range systems {
			fmt.Fprintf(&b, " %d", s.vectors[c])
			if theirs := paperVectors[s.name]; len(theirs) == set.C() {
				fmt.Fprintf(&b, " *%d*", theirs[c])
			}
			if s.wrong[c] > 0 {
				fmt.Fprintf(&b, ", %d wrong", s.wrong[c])
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}
