package mpcvm_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Missing class 1 costs five times as much as a false alarm.
func ExampleModel_Decide() {
	x := mat.NewDense(4, 1, []float64{1, 2, 8, 9})
	model, _, err := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(),
		mpcvm.Samples{X: x, T: []int{0, 0, 1, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	costs := mat.NewDense(2, 2, []float64{0, 1, 5, 0}) // a row for each true class, a column for each decision
	p := mat.NewDense(2, 2, []float64{0.9, 0.1, 0.75, 0.25})
	fmt.Println(model.Decide(p, costs))
	// Output: [0 1]
}

func TestDecidePanics(t *testing.T) {
	m := load(t, small)
	p3, costs := mat.NewDense(1, 3, nil), mat.NewDense(3, 3, nil)
	nan := mat.NewDense(3, 3, nil)
	nan.Set(1, 2, math.NaN())
	must.Panic(t, "two of three classes", func() { m.Decide(mat.NewDense(1, 2, nil), costs) })
	must.Panic(t, "2×3 costs", func() { m.Decide(p3, mat.NewDense(2, 3, nil)) })
	must.Panic(t, "NaN", func() { m.Decide(p3, nan) })
}

func TestDecide(t *testing.T) {
	m := load(t, small)
	p := mat.NewDense(4, 3, []float64{0.5, 0.3, 0.2, 0.1, 0.1, 0.8, 0.25, 0.5, 0.25, math.NaN(), 0, 0})
	for _, tt := range []struct {
		about string
		costs []float64
		want  []int
	}{
		{"equal costs are Predict", []float64{0, 1, 1, 1, 0, 1, 1, 1, 0}, []int{0, 2, 1, -1}},
		{"a gain is a negative cost", []float64{-1, 0, 0, 0, -1, 0, 0, 0, -1}, []int{0, 2, 1, -1}},
		{"class 1 must not be missed", []float64{0, 1, 1, 5, 0, 5, 1, 1, 0}, []int{1, 2, 1, -1}},
		{"class 2 alone is right", []float64{1, 1, 0, 1, 1, 0, 1, 1, 0}, []int{2, 2, 2, -1}},
		{"the lower class wins a tie", make([]float64, 9), []int{0, 0, 0, -1}},
	} {
		if got := m.Decide(p, mat.NewDense(3, 3, tt.costs)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.about, got, tt.want)
		}
	}
	// No decision has a lower cost than the decision of Decide.
	rng := rand.New(rand.NewPCG(7, 7))
	for range 100 {
		costs, row := mat.NewDense(3, 3, nil), mat.NewDense(1, 3, nil)
		costs.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, costs)
		row.Apply(func(_, _ int, _ float64) float64 { return rng.Float64() }, row)
		var expected mat.Dense
		expected.Mul(row, costs)
		if got := m.Decide(row, costs)[0]; expected.At(0, got) > mat.Min(&expected)+1e-15 {
			t.Errorf("%d of %v", got, expected.RawRowView(0))
		}
	}
}
