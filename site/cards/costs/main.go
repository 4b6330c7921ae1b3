// Decide by costs.
//
// A missed malignant tumour costs more than a false alarm. Decide chooses the class with the
// lowest expected cost, without changing the model. The chart shows the mean cost as a function
// of the probability threshold.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/tables/charts"

	"gonum.org/v1/gonum/mat"
)

func main() {
	breast, err := data.Load("breast")
	if err != nil {
		log.Fatal(err)
	}
	train, test := breast.Split(0.7, 1)
	scale := data.FitStandardizer(train.X)
	train, test = scale.Set(train), scale.Set(test)
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.02}}
	model, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: train.X, T: train.T})
	if err != nil {
		log.Fatal(err)
	}
	costs := mat.NewDense(2, 2, []float64{ // rows: the class, columns: the decision
		0, 1, // benign
		20, 0, // malignant
	})
	p := model.Proba(nil, test.X)
	for _, d := range []struct {
		name   string
		labels []int
	}{{"most likely class", model.Predict(nil, test.X)}, {"lowest cost", model.Decide(p, costs)}} {
		counts, err := score.Confusion(d.labels, test.T, 2)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-18s missed %d, false alarms %d, cost %d\n",
			d.name+":", counts[1][0], counts[0][1], 20*counts[1][0]+counts[0][1])
	}
	if err := charts.Costs(p, test.T, costs).WriteFile("costs.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
// most likely class: missed 3, false alarms 3, cost 63
// lowest cost:       missed 0, false alarms 6, cost 6
