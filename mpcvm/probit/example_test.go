package probit_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

func ExampleProba() {
	fmt.Printf("%.3f\n", probit.Proba(nil, []float64{1, 0, -1}))
	// Output: [0.729 0.224 0.047]
}

// If class 2 is known to be the label, its auxiliary variable moves up and the others move
// down by the same amount in total.
func ExampleMeans() {
	zbar, logp := probit.Means(nil, []float64{1, 0, -1}, 2)
	fmt.Printf("%.3f %.3f\n", zbar, logp)
	// Output: [-0.100 -0.514 0.615] -3.054
}

// For Proba and LogProb, each sample is a row of the matrix.
func ExampleBatch_Proba() {
	y := mat.NewDense(2, 3, []float64{
		1, 0, -1,
		0, 0, 0,
	})
	p, logp := mat.NewDense(2, 3, nil), make([]float64, 2)
	probit.Batch{}.Proba(p, y)
	probit.Batch{}.LogProb(logp, y, []int{2, 0})
	fmt.Printf("%.3f\n%.3f\n", mat.Formatted(p), logp)
	// Output:
	// ⎡0.729  0.224  0.047⎤
	// ⎣0.333  0.333  0.333⎦
	// [-3.054 -1.099]
}
