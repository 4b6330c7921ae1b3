package dlsr_test

import (
	"context"
	"fmt"
	"github.com/mpcvm/mpcvm/mpcvm"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/dlsr"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

func ExampleDLSR() {
	iris, err := data.Load("iris")
	if err != nil {
		fmt.Println(err)
		return
	}
	train, test := iris.Split(0.8, 2)
	scale := data.FitStandardizer(train.X)
	model, result, err := dlsr.DLSR{}.Fit(context.Background(), mpcvm.Samples{X: scale.Apply(nil, train.X),
		T: train.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := scale.Apply(nil, test.X)
	weights := model.WeightCount()
	fmt.Printf("%v after %d iterations, %d weights\n", result.Status, result.Iterations, weights)
	wrong, err := score.ErrorRate(model.Predict(nil, x), test.T)
	fmt.Printf("errors: %.1f %%, %v\n", 100*wrong, err)
	fmt.Printf("scores of the first: %.3f\n", model.Scores(nil, x).RawRowView(0))
	fmt.Printf("probabilities of the first: %.3f\n", model.Proba(nil, x).RawRowView(0))
	// Output:
	// converged after 315 iterations, 12 weights
	// errors: 6.7 %, <nil>
	// scores of the first: [1.040 0.341 -2.284]
	// probabilities of the first: [0.979 0.021 0.000]
}
