package lesson_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/mat"
)

func TestMustAndTry(t *testing.T) {
	if lesson.Must(3, nil) != 3 {
		t.Error("Must changes its value")
	}
	must.PanicWith(t, "Must", "no such file", func() { lesson.Must(3, errors.New("no such file")) })
	lesson.Try(nil)
}

func ExampleSpan() {
	fmt.Printf("%.4g %.4g\n", lesson.Span(0, 1, 5), lesson.LogSpan(1, 100, 3))
	// Output: [0 0.25 0.5 0.75 1] [1 10 100]
}

func TestLogSpanOfNothing(t *testing.T) {
	for _, lo := range []float64{0, -1} {
		must.Panic(t, "LogSpan", func() { lesson.LogSpan(lo, 1, 3) })
	}
}

// The weights of an mRVM may have any sign.
func TestSigns(t *testing.T) {
	model, _ := nb.Fit(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}, data.Line(data.LineSeed))
	if weights, against := lesson.Signs(model); weights != model.WeightCount() || against != 0 {
		t.Errorf("%d of %d weights, %d against the principle", weights, model.WeightCount(), against)
	}
	free, _ := nb.Fit(mrvm.TopDown{Kernel: kernel.RBF{Theta: 1}}, data.Overlap(data.OverlapSeed))
	if weights, against := lesson.Signs(free); weights != free.WeightCount() || against == 0 {
		t.Errorf("mRVM₂ on Overlap: %d of %d weights, %d against the principle", weights, free.WeightCount(),
			against)
	}
}

func TestPooled(t *testing.T) {
	pool := lesson.Pooled(data.Overlap, 3, 5)
	a, b := data.Overlap(3), data.Overlap(4)
	if pool.N() != 400 || !slices.Equal(pool.T, append(slices.Clone(a.T), b.T...)) ||
		pool.X.At(1, 1) != a.X.At(1, 1) || pool.X.At(399, 0) != b.X.At(199, 0) {
		t.Errorf("%d samples, which differ from the two draws", pool.N())
	}
	for _, draw := range []func(seed uint64) *data.Set{
		func(seed uint64) *data.Set { return data.Blobs(10, 2, int(seed), 1, 1) },
		func(seed uint64) *data.Set { return data.Blobs(10, int(seed)+1, 2, 1, 1) },
	} {
		must.Panic(t, "draws that differ", func() { lesson.Pooled(draw, 1, 3) })
	}
}

type constant int

func (c constant) Predict(_ []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	return slices.Repeat([]int{int(c)}, n)
}

func (c constant) RelevanceVectors() []mpcvm.RelevanceVector {
	return []mpcvm.RelevanceVector{{Label: 1, Weights: []float64{-1, 0, -2}},
		{Label: 1, Weights: []float64{0, 3, 0}}, {Label: 2, Weights: []float64{-1, 0, 0}}}
}

func TestMissed(t *testing.T) {
	set := &data.Set{X: mat.NewDense(5, 1, nil), T: []int{0, 0, 1, 1, 1}, Classes: []string{"a", "b", "c"},
		Features: []string{"x"}}
	if got := lesson.Missed(constant(1), set); got[0] != 100 || got[1] != 0 || !math.IsNaN(got[2]) {
		t.Errorf("missed %v", got)
	}
	if m := lesson.MeanDifference([]float64{1, 5}, []float64{0, 2}); m.Value != 2 || m.Error != 1 {
		t.Errorf("mean difference %v", m)
	}
	vectors, weights := lesson.CountByClass(constant(0), 3)
	if !slices.Equal(vectors, []int{0, 2, 1}) || !slices.Equal(weights, []int{2, 1, 1}) {
		t.Errorf("%v vectors, %v weights", vectors, weights)
	}
}

func TestOnPartitions(t *testing.T) {
	r := lesson.OnPartitions(search.Calibrated{Learner: mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}}, "iris",
		5, 7)
	if len(r.Err) != 2 || len(r.LogLoss) != 2 || len(r.Raw) != 2 || len(r.Weights) != 2 {
		t.Fatalf("%+v", r)
	}
	for i := range r.Err {
		if r.Err[i] > 15 || r.LogLoss[i] <= 0 || r.LogLoss[i] == r.Raw[i] || r.Weights[i] < 3 {
			t.Errorf("partition %d: %+v", 5+i, r)
		}
	}
}

// Four differences of −1 and 1: s²/n is 1/3, and 1/n + ratio is twice 1/n for a ratio of 1/4.
func TestCorrectedDifference(t *testing.T) {
	m := lesson.CorrectedDifference([]float64{2, 0, 3, 1}, []float64{1, 1, 2, 2}, 0.25)
	if m.Value != 0 || math.Abs(m.Error-math.Sqrt(2./3)) > 1e-12 {
		t.Errorf("%v, want 0 ± √(2/3)", m)
	}
}
