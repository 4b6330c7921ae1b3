//go:build !race

package gp_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Two features tell the classes apart, two are noise.
func ExampleARD() {
	spirals, rng := data.Spirals(120, 3, 0.03, 1), rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(120, 4, nil)
	for n := range 120 {
		x.SetRow(n, []float64{spirals.X.At(n, 0), rng.NormFloat64(), spirals.X.At(n, 1), rng.NormFloat64()})
	}
	x = data.FitStandardizer(x).Apply(nil, x)
	k, result, err := gp.ARD{
		Kernel: kernel.RBF{Theta: 0.5},
		Tau:    1,
		For:    func(k kernel.Kernel) mpcvm.Learner { return mpcvm.BottomUp{Kernel: k} },
	}.Fit(context.Background(), mpcvm.Samples{X: x, T: spirals.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("importance: %.1f\n", result.Importance)
	fmt.Printf("log loss %.1f, with widths %.1f\n", result.Trials[0].LogLoss, result.Trials[1].LogLoss)
	_, ard := k.(kernel.ARD)
	fmt.Println("accepted:", result.Accepted, ard)
	// Output:
	// importance: [3.2 0.1 2.6 0.1]
	// log loss 1.1, with widths 0.6
	// accepted: true true
}
