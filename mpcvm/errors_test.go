package mpcvm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// Errors of fits and files are found as the public type, with their fields.
func TestPublicErrors(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{0, 1, math.Inf(1), 2})
	_, ofFit := mpcvm.Check(mpcvm.Samples{X: x, T: []int{0, 1}})
	_, ofFile := data.ReadSet(strings.NewReader("x,class\n1,a\nno,b\n"), "a.csv")
	public := &mpcvm.CellError{Package: "mpcvm", Row: 2, Column: 1, Err: ofFit}
	for name, err := range map[string]error{"fit": ofFit, "file": ofFile, "public": public} {
		var m *mpcvm.CellError
		if !errors.As(err, &m) {
			t.Errorf("%s: %T %v is not found", name, err, err)
			continue
		}
		if m.Column != 1 || max(int64(m.Line), m.Row) < 2 || m.Error() != err.Error() {
			t.Errorf("%s: %+v of %v", name, *m, err)
		}
	}
	var other *mpcvm.MemoryError
	if errors.As(ofFit, &other) {
		t.Error("a CellError is taken for a MemoryError")
	}
	defer memory.Pretend(10)()
	four := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	_, _, err := mpcvm.TopDown{}.Fit(context.Background(), mpcvm.Samples{X: four, T: []int{0, 1, 0, 1}})
	if !errors.As(err, &other) || other.Have != 10 || other.Need <= 10 || other.Error() != err.Error() {
		t.Errorf("%+v of %v", other, err)
	}
	var fault *mpcvm.CellError
	if errors.As(err, &fault) {
		t.Error("a MemoryError is taken for a CellError")
	}
}

// A nil learner is a programming error.
func TestNilLearner(t *testing.T) {
	s := mpcvm.Samples{X: mat.NewDense(2, 1, []float64{0, 1}), T: []int{0, 1}}
	must.Panic(t, "nil", func() { _, _ = search.CrossValidate(t.Context(), nil, s, 2, 1) })
}

// The description of a model is one line, however many classes and columns it has.
func TestModelString(t *testing.T) {
	l := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.5}}
	x := mat.NewDense(6, 2, []float64{1, 0, 2, 0, 3, 1, 7, 1, 8, 1, 9, 0})
	m, _ := laws.Fit(t, l, x, []int{0, 0, 0, 1, 1, 1})
	m = m.WithNames([]string{"Adelie", "Gentoo"}, []string{"mass", "island"})
	weights := m.NonZero()
	want := fmt.Sprintf("mPCVM model with kernel rbf(theta=0.5): %d relevance vectors, "+
		"%d weights of 2 classes (Adelie %d, Gentoo %d), 2 features (mass, island)", m.VectorCount(),
		m.WeightCount(), weights[0], weights[1])
	must.Equal(t, fmt.Sprint(m), want)
	names := make([]string, 1000)
	for i := range names {
		names[i] = strings.Repeat("long\nname ", 100)
	}
	wide := mpcvm.NewModel(kernel.Linear{}, mat.NewDense(1, 1000, nil), []int{0},
		make([][]int, 1000), make([][]float64, 1000), make([]float64, 1000))
	got := wide.WithNames(names, names).String()
	if strings.Contains(got, "\n") || len(got) > 1300 || !strings.Contains(got, "1000 features") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
