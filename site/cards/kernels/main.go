// Choose a kernel.
//
// search.Width chooses the width of each kernel by cross-validation. The log loss on unseen
// samples then shows which kernel suits the data; lower is better.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

func main() {
	glass, err := data.Load("glass")
	if err != nil {
		log.Fatal(err)
	}
	train, test := glass.Split(0.7, 1)
	scale := data.FitStandardizer(train.X)
	train, test = scale.Set(train), scale.Set(test)
	kernels := []kernel.Kernel{kernel.RBF{}, kernel.Laplacian{}, kernel.Matern32{}, kernel.RationalQuadratic{}}
	for _, k := range kernels {
		learner := search.Width{Learner: mpcvm.BottomUp{}, Kernel: k}
		model, result, err := learner.Fit(context.Background(), mpcvm.Samples{X: train.X, T: train.T})
		if err != nil {
			log.Fatal(err)
		}
		loss, err := score.LogLoss(model.Proba(nil, test.X), test.T)
		if err != nil {
			log.Fatal(err)
		}
		wrong, err := score.ErrorRate(model.Predict(nil, test.X), test.T)
		if err != nil {
			log.Fatal(err)
		}
		name, _, _ := strings.Cut(fmt.Sprint(model.Kernel()), "(")
		fmt.Printf("%-18s log loss %.2f, error %.1f %%, %d weights\n",
			name, loss, 100*wrong, model.WeightCount())
		if _, laplacian := k.(kernel.Laplacian); laplacian {
			_, chart := nbhelpers.Trials(result)
			if err := chart.WriteFile("widths.html"); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// Output:
// rbf                log loss 0.95, error 35.4 %, 19 weights
// laplacian          log loss 0.95, error 29.2 %, 18 weights
// matern32           log loss 0.92, error 32.3 %, 16 weights
// rational-quadratic log loss 0.95, error 32.3 %, 17 weights
