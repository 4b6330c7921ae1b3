package study_test

import (
	"context"
	"fmt"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
)

// frequencies is a classifier that ignores the features.
type frequencies []float64

func (f frequencies) Predict(_ []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	labels, best := make([]int, n), 0
	for c, p := range f {
		if p > f[best] {
			best = c
		}
	}
	for i := range labels {
		labels[i] = best
	}
	return labels
}

func (f frequencies) Proba(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	p := mat.NewDense(n, len(f), nil)
	for i := range n {
		p.SetRow(i, f)
	}
	return p
}

func (f frequencies) VectorCount() int { return 0 }
func (f frequencies) WeightCount() int { return len(f) }

// A custom system, and its results on the partitions of a set.
func Example() {
	set, err := data.Load("breast")
	if err != nil {
		panic(err)
	}
	partitions, err := data.Partitions("breast")
	if err != nil {
		panic(err)
	}
	s := study.Study{
		Systems: []study.System{{Name: "frequencies", Fit: func(_ context.Context, _ study.Params, _ mat.Matrix,
			t []int, _ uint64) (study.Classifier, error) {
			f := make(frequencies, 2)
			for _, l := range t {
				f[l] += 1 / float64(len(t))
			}
			return f, nil
		}}},
		Problems: []study.Problem{{Name: "breast", Set: set, Partitions: partitions}},
		Test:     []int{5, 6, 7, 8, 9},
	}
	dir, err := os.MkdirTemp("", "study")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	summary, err := s.Run(context.Background(), dir, nil)
	if err != nil {
		panic(err)
	}
	report, err := study.ReadReport(dir)
	if err != nil {
		panic(err)
	}
	cell := report.Cell("frequencies", "breast")
	fmt.Printf("%d runs: ERR %.1f %%, AUC %.0f %%\n", summary.Done, cell.Err.Mean, cell.AUC.Mean)
	// Output: 5 runs: ERR 33.7 %, AUC 50 %
}
