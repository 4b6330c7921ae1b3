// Explain a prediction.
//
// A potential is a sum over relevance vectors, so a decision can be explained: each bar shows
// how much a training sample contributes for or against a class.
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
	iris, err := data.Load("iris")
	if err != nil {
		log.Fatal(err)
	}
	scale := data.FitStandardizer(iris.X)
	x := scale.Apply(nil, iris.X)
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}
	model, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: x, T: iris.T})
	if err != nil {
		log.Fatal(err)
	}
	model = model.WithNames(iris.Classes, iris.Features)
	sample := x.RawRowView(106)
	e := model.Explain(sample)
	fmt.Printf("row 107, a %s, is predicted as %s: probabilities %.3f\n",
		iris.Classes[iris.T[106]], iris.Classes[e.Label], e.Proba)
	for _, c := range e.ByInfluence()[:3] {
		fmt.Printf("%s row %d adds %+.2f to %s\n", iris.Classes[c.Label], c.Index+1, c.Value, iris.Classes[c.Class])
	}
	if err := nbhelpers.Explanation(model, sample).WriteFile("explanation.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
// row 107, a virginica, is predicted as virginica: probabilities [0.227 0.302 0.471]
// versicolor row 72 adds +29.64 to versicolor
// virginica row 115 adds -17.70 to versicolor
// virginica row 109 adds -5.85 to versicolor
