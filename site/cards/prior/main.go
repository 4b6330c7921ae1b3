// Reduce a Gaussian process.
//
// gp.KernelPrior is a Gaussian process classifier: accurate but dense, with a weight for each
// sample and class. Path fits it once and reduces it step by step. On these data, a third of the
// weights is as good as all of them.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
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
	keeps := []float64{2, 1, 0.5} // weights per sample
	loss := nbhelpers.Series{Name: "log loss", Dots: true}
	reached := func(model *mpcvm.Model) bool {
		l, err := score.LogLoss(model.Proba(nil, test.X), test.T)
		if err != nil {
			log.Fatal(err)
		}
		wrong, err := score.ErrorRate(model.Predict(nil, test.X), test.T)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%4d weights: error %.1f %%, log loss %.2f\n", model.WeightCount(), 100*wrong, l)
		loss.X, loss.Y = append(loss.X, float64(model.WeightCount())), append(loss.Y, l)
		return true
	}
	learner := gp.KernelPrior{Kernel: kernel.Laplacian{Theta: 0.3}}
	if err := learner.Path(context.Background(), mpcvm.Samples{X: train.X, T: train.T}, keeps,
		reached); err != nil {
		log.Fatal(err)
	}
	chart := nbhelpers.Lines([]nbhelpers.Series{loss}, nbhelpers.LinesOptions{
		Title: "A kernel prior on Glass, reduced",
		XName: "non-zero weights", YName: "log loss on unseen samples (nats)", LogX: true})
	if err := chart.WriteFile("path.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
//  894 weights: error 26.2 %, log loss 0.65
//  298 weights: error 26.2 %, log loss 0.64
//  149 weights: error 24.6 %, log loss 0.68
//   75 weights: error 24.6 %, log loss 0.79
