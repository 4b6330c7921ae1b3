// Watch both learners converge.
//
// mPCVM₁ starts with all samples and prunes them. mPCVM₂ starts with none and adds them. Each
// maximises its own objective, so the two curves in the upper chart cannot be compared with each
// other.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

func main() {
	set, err := data.Load("overlap")
	if err != nil {
		log.Fatal(err)
	}
	k := kernel.RBF{Theta: 1}
	var traces []nbhelpers.Trace
	for _, l := range []struct {
		name string
		mpcvm.Learner
	}{{"mPCVM₁", mpcvm.TopDown{Kernel: k}}, {"mPCVM₂", mpcvm.BottomUp{Kernel: k}}} {
		model, result, err := l.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %v after %d iterations, %d weights\n",
			l.name, result.Status, result.Iterations, model.WeightCount())
		traces = append(traces, nbhelpers.Trace{Name: l.name, Steps: result.Trace})
	}
	chart := nbhelpers.ConvergenceWith(traces, nbhelpers.ConvergenceOptions{LogX: true})
	if err := chart.WriteFile("convergence.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
// mPCVM₁: converged after 496 iterations, 11 weights
// mPCVM₂: converged after 157 iterations, 10 weights
