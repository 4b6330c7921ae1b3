// Estimate errors by cross-validation.
//
// The rows are divided into five folds. Each system is trained on four folds and predicts the
// fifth. The standard errors account for the overlap of the training sets. The baseline always
// predicts the most frequent class.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/eval"
)

func main() {
	birds, err := tables.Open("penguins.csv", tables.Options{
		Drop: []string{"Sample Number", "Individual ID", "Date Egg", "Comments"},
	})
	if err != nil {
		log.Fatal(err)
	}
	systems := []eval.System{
		eval.Of("mPCVM₂", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.05}}),
		eval.Of("logistic", mlr.MLR{}),
	}
	r, err := eval.CrossValidate(context.Background(), birds, "Species", systems, eval.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range r.Systems {
		e := m.Score(eval.Error)
		fmt.Printf("%-10s error %4.1f ± %.1f %%, log loss %.3f\n",
			m.System, 100*e.Value, 100*e.SE, m.Score(eval.LogLoss).Value)
	}
	if err := charts.Comparison(r, eval.Error).WriteFile("comparison.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
// majority   error 55.8 ± 2.7 %, log loss 1.049
// mPCVM₂     error  0.3 ± 0.5 %, log loss 0.024
// logistic   error  0.9 ± 0.6 %, log loss 0.023
