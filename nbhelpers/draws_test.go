package nbhelpers

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

func TestPooled(t *testing.T) {
	pool := Pooled(data.Overlap, 3, 5)
	a, b := data.Overlap(3), data.Overlap(4)
	if pool.N() != 400 || !slices.Equal(pool.T, append(slices.Clone(a.T), b.T...)) || pool.X.At(1, 1) != a.X.At(1, 1) || pool.X.At(399, 0) != b.X.At(199, 0) {
		t.Errorf("%d samples, not those of the two draws", pool.N())
	}
	for _, draw := range []func(seed uint64) *data.Set{
		func(seed uint64) *data.Set { return data.Blobs(10, 2, int(seed), 1, 1) },
		func(seed uint64) *data.Set { return data.Blobs(10, int(seed)+1, 2, 1, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic for draws that differ")
				}
			}()
			Pooled(draw, 1, 3)
		}()
	}
}

type constant int

func (c constant) Predict(_ []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	return slices.Repeat([]int{int(c)}, n)
}

func (c constant) RelevanceVectors() []mpcvm.RelevanceVector {
	return []mpcvm.RelevanceVector{{Label: 1, Weights: []float64{-1, 0, -2}}, {Label: 1, Weights: []float64{0, 3, 0}}, {Label: 2, Weights: []float64{-1, 0, 0}}}
}

func TestMissed(t *testing.T) {
	set := &data.Set{X: mat.NewDense(5, 1, nil), T: []int{0, 0, 1, 1, 1}, Classes: []string{"a", "b", "c"}, Features: []string{"x"}}
	if got := Missed(constant(1), set); got[0] != 100 || got[1] != 0 || !math.IsNaN(got[2]) {
		t.Errorf("missed %v", got)
	}
	if m := MeanDifference([]float64{1, 5}, []float64{0, 2}); m.Value != 2 || m.Error != 1 {
		t.Errorf("mean difference %v", m)
	}
	vectors, weights := CountByClass(constant(0), 3)
	if !slices.Equal(vectors, []int{0, 2, 1}) || !slices.Equal(weights, []int{2, 1, 1}) {
		t.Errorf("%v vectors, %v weights", vectors, weights)
	}
}
