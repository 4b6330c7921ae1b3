package score

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestPrecisionRecall(t *testing.T) {
	p := mat.NewDense(5, 2, []float64{.1, .9, .2, .8, .2, .8, .7, .3, .9, .1})
	points, average, err := PrecisionRecall(p, []int{1, 0, 1, 1, 0}, 1)
	const third = 1. / 3
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	want := []Threshold{{.9, third, 1}, {.8, 2 * third, 2 * third}, {.3, 1, .75}, {.1, 1, .6}}
	for i, w := range want {
		if err != nil || len(points) != 4 || points[i].Value != w.Value ||
			!near(points[i].Recall, w.Recall) || !near(points[i].Precision, w.Precision) {
			t.Fatalf("%v, want %v", points, want)
		}
	}
	if want := third*1 + third*2*third + third*.75; !near(average, want) {
		t.Errorf("average %v, want %v", average, want)
	}
	if _, average, err = PrecisionRecall(p, []int{1, 1, 1, 1, 1}, 0); !errors.Is(err, ErrUndefined) ||
		!math.IsNaN(average) {
		t.Errorf("a class without samples: %v, %v", average, err)
	}
	if _, _, err := PrecisionRecall(p, []int{1, 0}, 1); err == nil {
		t.Error("no error for lengths that differ")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a class that does not exist")
		}
	}()
	_, _, _ = PrecisionRecall(p, []int{1, 0, 1, 1, 0}, 2)
}
