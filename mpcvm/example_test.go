package mpcvm_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// irisParts returns the standardised training and test sets of Iris.
func irisParts() (train, test *data.Set) {
	iris, err := data.Load("iris")
	if err != nil {
		panic(err)
	}
	train, test = iris.Split(0.8, 2)
	scale := data.FitStandardizer(train.X)
	train.X, test.X = scale.Apply(nil, train.X), scale.Apply(nil, test.X)
	return train, test
}

func ExampleBottomUp() {
	train, test := irisParts()
	model, result, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(),
		mpcvm.Samples{X: train.X, T: train.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status)
	fmt.Println("weights per class:", model.NonZero())
	wrong, err := score.ErrorRate(model.Predict(nil, test.X), test.T)
	fmt.Printf("errors: %.1f %%, %v\n", 100*wrong, err)
	// Output:
	// converged
	// weights per class: [1 4 1]
	// errors: 3.3 %, <nil>
}

// An observer is called after every iteration. Here it stops the fit when the model is small enough.
func ExampleTopDown_observer() {
	train, _ := irisParts()
	fewer := func(s *mpcvm.Step) {
		if s.NonZero() <= 10 {
			s.Stop()
		}
	}
	model, result, err := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(),
		mpcvm.Samples{X: train.X, T: train.T}, fewer)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, "with", len(model.RelevanceVectors()), "relevance vectors of", train.N())
	// Output: stopped by observer with 9 relevance vectors of 120
}

// The factors s and q determine which basis functions the next epoch of BottomUp can add: basis functions
// with q² > s whose q has the sign of the weight.
func ExampleStep_Factors() {
	train, _ := irisParts()
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}, MaxIterations: 3}
	_, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: train.X, T: train.T}, func(s *mpcvm.Step) {
		f, inside, outside := s.Factors(), 0, 0
		for c := range 3 {
			for n, t := range train.T {
				switch S, Q := f.S.At(c, n), f.Q.At(c, n); {
				case !math.IsInf(f.Alpha.At(c, n), 1):
					inside++
				case Q*Q > S && (Q > 0) == (t == c):
					outside++
				}
			}
		}
		fmt.Println("in the model:", inside, "may enter:", outside)
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// in the model: 3 may enter: 301
	// in the model: 7 may enter: 176
	// in the model: 10 may enter: 135
}

// Every weight has the sign required by the classification principle.
func ExampleModel_RelevanceVectors() {
	train, _ := irisParts()
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(),
		mpcvm.Samples{X: train.X, T: train.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range model.RelevanceVectors() {
		fmt.Printf("class %d: %+.2f\n", v.Label, v.Weights)
	}
	// Output:
	// class 0: [+0.00 -12.14 +0.00]
	// class 0: [+5.44 +0.00 +0.00]
	// class 1: [+0.00 +39.41 +0.00]
	// class 2: [+0.00 -9.33 +0.00]
	// class 2: [+0.00 -22.72 +0.00]
	// class 2: [+0.00 +0.00 +7.30]
}
