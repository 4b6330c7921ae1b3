package mlr_test

import (
	"context"
	"fmt"
	"github.com/mpcvm/mpcvm/mpcvm"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

func ExampleMLR() {
	iris, err := data.Load("iris")
	if err != nil {
		fmt.Println(err)
		return
	}
	train, test := iris.Split(0.8, 2)
	scale := data.FitStandardizer(train.X)
	model, result, err := mlr.MLR{}.Fit(context.Background(), mpcvm.Samples{X: scale.Apply(nil, train.X),
		T: train.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := scale.Apply(nil, test.X)
	weights := model.WeightCount()
	fmt.Printf("%v after %d steps, %d weights\n", result.Status, result.Iterations, weights)
	wrong, err := score.ErrorRate(model.Predict(nil, x), test.T)
	fmt.Printf("errors: %.1f %%, %v\n", 100*wrong, err)
	fmt.Printf("probabilities of the first: %.3f\n", model.Proba(nil, x).RawRowView(0))
	// Output:
	// converged after 42 steps, 12 weights
	// errors: 3.3 %, <nil>
	// probabilities of the first: [0.985 0.015 0.000]
}
