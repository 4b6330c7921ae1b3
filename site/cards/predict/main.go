// Fit and predict.
//
// A learner is a struct of options. By default it chooses the kernel width by cross-validation;
// here the width is given. The features are scaled to mean 0 and standard deviation 1, computed
// from the training samples only.
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
	iris, err := data.Load("iris")
	if err != nil {
		log.Fatal(err)
	}
	train, test := iris.Split(0.8, 2)
	scale := data.FitStandardizer(train.X)
	train, test = scale.Set(train), scale.Set(test)

	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}
	model, result, err := learner.Fit(context.Background(), mpcvm.Samples{X: train.X, T: train.T})
	if err != nil {
		log.Fatal(err)
	}
	classes := model.Predict(nil, test.X)
	wrong, err := score.ErrorRate(classes, test.T)
	if err != nil {
		log.Fatal(err)
	}
	proba := model.Proba(nil, test.X)
	fmt.Println("status:", result.Status)
	fmt.Println("relevance vectors:", model.VectorCount(), "of", train.N(), "samples")
	fmt.Printf("error on %d unseen samples: %.1f %%\n", test.N(), 100*wrong)
	fmt.Printf("first sample: %s, probabilities %.3f\n", iris.Classes[classes[0]], proba.RawRowView(0))

	counts, err := score.Confusion(classes, test.T, iris.C())
	if err != nil {
		log.Fatal(err)
	}
	if err := nbhelpers.Confusion(counts, iris.Classes).WriteFile("confusion.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
// status: converged
// relevance vectors: 6 of 120 samples
// error on 30 unseen samples: 3.3 %
// first sample: setosa, probabilities [0.999 0.000 0.001]
