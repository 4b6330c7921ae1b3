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
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// Two features separate the classes, and two are noise.
func ExampleARD() {
	spirals, rng := data.Spirals(240, 3, 0.03, 1), rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(240, 4, nil)
	for n := range 240 {
		x.SetRow(n, []float64{spirals.X.At(n, 0), rng.NormFloat64(), spirals.X.At(n, 1), rng.NormFloat64()})
	}
	x = data.FitStandardizer(x).Apply(nil, x)
	train, fresh := mpcvm.Samples{X: x.Slice(0, 120, 0, 4), T: spirals.T[:120]}, x.Slice(120, 240, 0, 4)

	common := kernel.RBF{Theta: 0.5}
	widths, result, err := gp.ARD{Kernel: common, Tau: 1}.Fit(context.Background(), train)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("importance: %.1f\n", result.Importance)
	for _, k := range []kernel.Kernel{common, widths} {
		m, _, err := mpcvm.BottomUp{Kernel: k}.Fit(context.Background(), train)
		if err != nil {
			fmt.Println(err)
			return
		}
		wrong, err := score.ErrorRate(m.Predict(nil, fresh), spirals.T[120:])
		fmt.Printf("error rate of new samples: %.2f, %v\n", wrong, err)
	}
	// Output:
	// importance: [3.3 0.1 2.8 0.1]
	// error rate of new samples: 0.59, <nil>
	// error rate of new samples: 0.24, <nil>
}
