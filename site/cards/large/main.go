// Train on many samples.
//
// Candidates limits the number of samples from which a learner chooses its relevance vectors.
// Time and memory then grow linearly with the number of samples. The data come from a mixture
// with a known Bayes error.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

func main() {
	mixture := data.NewMixture(4, 3, 2, 0.2, 1)
	train, test := mixture.Set(4000, 1), mixture.Set(4000, 2)
	var best *mpcvm.Model
	for _, candidates := range []int{50, 200, 800} {
		learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}, Candidates: candidates}
		model, result, err := learner.Fit(context.Background(), mpcvm.Samples{X: train.X, T: train.T})
		if err != nil {
			log.Fatal(err)
		}
		wrong, err := score.ErrorRate(model.Predict(nil, test.X), test.T)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%3d candidates: %v, %d relevance vectors, error %.1f %%\n",
			result.Candidates, result.Status, model.VectorCount(), 100*wrong)
		best = model
	}
	bayes, _ := mixture.BayesError(100000, 1)
	fmt.Printf("Bayes error: %.1f %%\n", 100*bayes)
	chart := nbhelpers.Regions(best, train, nbhelpers.RegionsOptions{Title: "4000 samples of a mixture"})
	if err := chart.WriteFile("regions.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
//  50 candidates: converged, 26 relevance vectors, error 13.2 %
// 200 candidates: converged, 23 relevance vectors, error 12.8 %
// 800 candidates: converged, 28 relevance vectors, error 13.0 %
// Bayes error: 11.9 %
