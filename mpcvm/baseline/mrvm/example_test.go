package mrvm_test

import (
	"context"
	"fmt"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// A relevance vector of the mRVM has a weight of either sign for every class. Without biases, its weights sum
// to zero.
func ExampleBottomUp() {
	iris, err := data.Load("iris")
	if err != nil {
		fmt.Println(err)
		return
	}
	train, test := iris.Split(0.8, 2)
	scale := data.FitStandardizer(train.X)
	model, result, err := mrvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}.Fit(context.Background(),
		mpcvm.Samples{X: scale.Apply(nil, train.X), T: train.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	vectors, weights := model.VectorCount(), model.WeightCount()
	fmt.Println(result.Status, "with", vectors, "relevance vectors,", weights, "weights")
	wrong, err := score.ErrorRate(model.Predict(nil, scale.Apply(nil, test.X)), test.T)
	fmt.Printf("errors: %.1f %%, %v\n", 100*wrong, err)
	for _, v := range model.RelevanceVectors() {
		fmt.Printf("class %d: %+.1f\n", v.Label, v.Weights)
	}
	// Output:
	// converged with 3 relevance vectors, 9 weights
	// errors: 3.3 %, <nil>
	// class 0: [+11.2 -8.5 -2.8]
	// class 1: [-2.6 +12.3 -9.8]
	// class 2: [-7.0 -6.9 +13.9]
}

// The top-down algorithm starts with every sample; an observer follows the pruning.
func ExampleTopDown() {
	set := data.Blobs(90, 3, 2, 0.6, 1)
	var left []int
	_, _, err := mrvm.TopDown{Kernel: kernel.RBF{Theta: 0.3}}.Fit(context.Background(),
		mpcvm.Samples{X: set.X, T: set.T}, func(s *mpcvm.Step) {
			if s.Iteration%5 == 1 {
				left = append(left, s.Weights[0])
			}
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("samples left:", left)
	// Output: samples left: [90 24 7 6]
}
