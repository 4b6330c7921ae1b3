package probit_test

import (
	"fmt"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

func ExampleProba() {
	fmt.Printf("%.3f\n", probit.Proba(nil, []float64{1, 0, -1}))
	// Output: [0.729 0.224 0.047]
}

// Knowing that class 2 won pulls its auxiliary variable up and the others down,
// by the same amount in all.
func ExampleMeans() {
	zbar, logp := probit.Means(nil, []float64{1, 0, -1}, 2)
	fmt.Printf("%.3f %.3f\n", zbar, logp)
	// Output: [-0.100 -0.514 0.615] -3.054
}
