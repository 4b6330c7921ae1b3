package vote_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/vote"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Binary classifiers can contradict each other; a multi-class model cannot.
func ExampleOneVsRest() {
	set, err := data.Load("overlap")
	if err != nil {
		fmt.Println(err)
		return
	}
	learner := vote.OneVsRest{Base: mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}}}
	model, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	count := map[vote.Region]int{}
	for _, region := range model.Regions(nil, set.X) {
		count[region]++
	}
	fmt.Println(count[vote.Unclaimed], "samples claimed by no class,", count[vote.Contested], "by several, of",
		set.N())
	// Output: 7 samples claimed by no class, 6 by several, of 200
}

// Votes are the numbers of pairs that each class wins: here class 1 beats both other classes.
func ExampleModel_Votes() {
	set := data.Blobs(60, 3, 2, 1, 1)
	learner := vote.OneVsOne{Base: mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}}}
	model, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := mat.NewDense(1, 2, []float64{2, 0})
	fmt.Println(model.Votes(nil, x).RawRowView(0), model.Regions(nil, x)[0], model.Predict(nil, x)[0])
	// Output: [1 2 0] clear 1
}
