package lesson_test

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// With one weight of class A and nearly fixed biases, the standard deviation of the draws agrees
// with the curvature of the log posterior of that weight, computed by finite differences.
func TestPosteriorDraws(t *testing.T) {
	set := data.Line(data.LineSeed)
	trained, _ := nb.Fit(mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.5}}, set)
	w := lesson.WeightsOf(trained, set.N())
	at, value := 0, 0.0
	for n, v := range w[1] { // class B has one weight
		if v != 0 {
			at, value = n, v
		}
	}
	with := func(value float64) *mpcvm.Model {
		return mpcvm.NewModel(trained.Kernel(), set.X, set.T, [][]int{nil, {at}, nil}, [][]float64{nil, {value},
			nil}, make([]float64, 3))
	}
	logp := func(value float64) (sum float64) {
		p := with(value).Proba(nil, set.X)
		for n, class := range set.T {
			sum += math.Log(p.At(n, class))
		}
		return sum
	}
	const h = 1e-3
	curvature := -(logp(value+h)-2*logp(value)+logp(value-h))/(h*h) + (2e-5+1)/(value*value+2e-5)
	var values []float64
	for _, m := range lesson.PosteriorDraws(with(value), set, 4000, 1) {
		v := lesson.WeightsOf(m, set.N())[1][at]
		if v <= 0 {
			t.Fatalf("a weight of the wrong sign: %v", v)
		}
		values = append(values, v)
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	// The biases have precisions of 50,000 at zero, so they hardly move.
	if want := 1 / math.Sqrt(curvature); math.Abs(mean-value) > 0.05*want || math.Abs(deviation/want-1) > 0.03 {
		t.Errorf("mean %.4f, deviation %.4f, want %.4f and %.4f", mean, deviation, value, want)
	}
	again, other := lesson.PosteriorDraws(trained, set, 3, 7), lesson.PosteriorDraws(trained, set, 3, 7)
	for i := range again {
		if !mat.Equal(again[i].Proba(nil, set.X), other[i].Proba(nil, set.X)) {
			t.Error("the same seed gives different draws")
		}
	}
}
