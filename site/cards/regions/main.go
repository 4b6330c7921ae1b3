// Draw decision regions.
//
// The colour of a region shows its most likely class and fades where the classes are almost
// equally likely. Large symbols are the relevance vectors. Move the pointer to see the
// probabilities of all classes; the page computes them without a server.
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
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}
	model, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	if err != nil {
		log.Fatal(err)
	}
	model = model.WithNames(set.Classes, set.Features)
	fmt.Println(nbhelpers.Wrong(model, set), "of", set.N(), "training samples are misclassified")
	chart := nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Title: "Overlap, three classes",
		Errors: true})
	if err := chart.WriteFile("regions.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
// 22 of 200 training samples are misclassified
