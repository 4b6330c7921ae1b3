// Show the sparsity of each class.
//
// The model keeps a few training samples for each class. The weight of a sample is positive for
// its own class and negative for the others. The first chart counts the weights of each class,
// and the second shows them.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
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
	fmt.Println(model.VectorCount(), "relevance vectors with", model.WeightCount(), "weights, of", set.N(),
		"samples")
	fmt.Println("weights of the classes:", model.NonZero())
	_, against := lesson.Signs(model)
	fmt.Println("weights of the wrong sign:", against)
	if err := nbhelpers.Sparsity(model, set.N()).WriteFile("1-sparsity.html"); err != nil {
		log.Fatal(err)
	}
	if err := nbhelpers.Weights(model).WriteFile("2-weights.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
// 10 relevance vectors with 10 weights, of 200 samples
// weights of the classes: [3 3 4]
// weights of the wrong sign: 0
