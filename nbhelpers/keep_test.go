package nbhelpers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// A model is fitted once for the same inputs, and again if they or the files have changed.
func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	fits := 0
	type in struct {
		learner mpcvm.BottomUp
		set     *data.Set
		more    map[string]any
	}
	inputs := func() in { // new pointers and maps each time
		return in{mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}},
			&data.Set{X: mat.NewDense(4, 1, []float64{0, 1, 2, 3}), T: []int{0, 0, 1, 1}},
			map[string]any{"a": 1, "b": nil, "c": "x"}}
	}
	keep := func(i in) *mpcvm.Model {
		return Keep(path, mpcvm.LoadFile, func() (*mpcvm.Model, error) {
			fits++
			m, _, err := i.learner.Fit(context.Background(), mpcvm.Samples{X: i.set.X, T: i.set.T})
			return m, err
		}, i.learner, i.set, i.more)
	}
	first := keep(inputs())
	for name, tt := range map[string]struct {
		change func(i *in)
		fits   int
	}{
		"nothing":     {func(*in) {}, 0},
		"a width":     {func(i *in) { i.learner.Kernel = kernel.RBF{Theta: 0.6} }, 1},
		"a kernel":    {func(i *in) { i.learner.Kernel = kernel.Laplacian{Theta: 0.5} }, 1},
		"a cell":      {func(i *in) { i.set.X.Set(2, 0, 2.5) }, 1},
		"a label":     {func(i *in) { i.set.T[1] = 1 }, 1},
		"a key":       {func(i *in) { i.more["d"] = nil }, 1},
		"a value":     {func(i *in) { i.more["a"] = "1" }, 1},
		"a damaged":   {func(*in) { write(t, path, "{") }, 1},
		"no file":     {func(*in) { os.Remove(path) }, 1},
		"no note":     {func(*in) { os.Remove(path + ".inputs") }, 1},
		"other model": {func(*in) { write(t, path, string(fileText(t, path))+"\n") }, 1},
	} {
		keep(inputs())
		before, changed := fits, inputs()
		tt.change(&changed)
		m := keep(changed)
		if fits-before != tt.fits {
			t.Errorf("%s: %d fits, want %d", name, fits-before, tt.fits)
		}
		if tt.fits == 0 && !mat.Equal(m.Proba(nil, changed.set.X), first.Proba(nil, changed.set.X)) {
			t.Errorf("%s: a different model", name)
		}
		if keep(changed); fits-before != tt.fits {
			t.Errorf("%s: the changed model is not saved", name)
		}
	}
	keep(inputs())
	whole := fileText(t, path)
	text := refusal(func() {
		Keep(path, mpcvm.LoadFile, func() (*mpcvm.Model, error) { return first, errors.New("stopped") },
			"other")
	})
	if text != "stopped" || string(fileText(t, path)) != string(whole) {
		t.Errorf("a fit with an error: %q, and its model is saved", text)
	}
}

func fileText(t *testing.T, path string) []byte {
	b := must.Get(os.ReadFile(path))(t)
	return b
}

func write(t *testing.T, path, text string) {
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
}
