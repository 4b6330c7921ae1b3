package mpcvm_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// At a coverage of 0.8, each of these flowers has one plausible class; at 0.95, two of them have two. The
// potentials of held-out flowers determine how large the sets must be.
func ExampleModel_PredictSet() {
	set, err := data.Load("iris")
	if err != nil {
		log.Fatal(err)
	}
	x, l, ctx := data.FitStandardizer(set.X).Apply(nil, set.X), mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}},
		context.Background()
	model, _, err := l.Fit(ctx, mpcvm.Samples{X: x, T: set.T})
	if err != nil {
		log.Fatal(err)
	}
	unseen, err := search.CrossValidate(ctx, l, mpcvm.Samples{X: x, T: set.T}, 5, 1)
	if err != nil {
		log.Fatal(err)
	}
	model = model.WithScores(search.Scores(unseen, set.T))
	for _, coverage := range []float64{0.8, 0.95} {
		sets, err := model.PredictSet(x.Slice(68, 71, 0, 4), coverage)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(coverage, sets)
	}
	fmt.Println("separately for each class:", model.Scores().ByClass())
	// Output:
	// 0.8 [[1] [1] [2]]
	// 0.95 [[1 2] [1] [1 2]]
	// separately for each class: true
}

// A flower of one metre is unlike all flowers of the training data.
func ExampleModel_Unlike() {
	set, err := data.Load("iris")
	if err != nil {
		log.Fatal(err)
	}
	scale := data.FitStandardizer(set.X)
	x := scale.Apply(nil, set.X)
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(),
		mpcvm.Samples{X: x, T: set.T})
	if err != nil {
		log.Fatal(err)
	}
	model = model.WithReach(x).WithScaling(scale.Mean, scale.Scale)
	flowers := mat.NewDense(2, 4, []float64{5.1, 3.5, 1.4, 0.2, 100, 70, 30, 4}) // cm
	fmt.Println(model.Unlike(nil, flowers))
	// Output: [false true]
}
