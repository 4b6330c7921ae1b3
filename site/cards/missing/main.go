// Read a file with missing values.
//
// tables.Open detects the separator, the decimal mark, the column types and the missing cells.
// tables.Fit stores the preparation of the columns in the model, so PredictRow also accepts rows
// with missing values.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/charts"
)

func main() {
	birds, err := tables.Open("penguins.csv", tables.Options{
		Drop: []string{"Sample Number", "Individual ID", "Date Egg", "Comments"},
	})
	if err != nil {
		log.Fatal(err)
	}
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.05}}
	model, result, err := tables.Fit(context.Background(), birds, "Species", learner)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(birds.Rows, "rows:", result.Status, "with", model.Model().VectorCount(), "relevance vectors")
	row := map[string]any{"Island": "Dream", "Culmen Length (mm)": 46.5, "Culmen Depth (mm)": 17.9,
		"Flipper Length (mm)": 192, "Body Mass (g)": 3500, "Sex": "FEMALE",
		"Delta 15 N (o/oo)": 9.1, "Delta 13 C (o/oo)": "-24.6"}
	for _, missing := range []string{"nothing", "Sex", "Body Mass (g)", "Delta 15 N (o/oo)"} {
		delete(row, missing)
		p, err := model.PredictRow(row)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("without %s: %s, probability %.2f\n", missing, p.Class, p.Proba[p.Label])
	}
	if err := nbhelpers.WritePageFile("look.html", "Penguins", charts.Look(birds)); err != nil {
		log.Fatal(err)
	}
}

// Output:
// 344 rows: converged with 7 relevance vectors
// without nothing: Chinstrap penguin (Pygoscelis antarctica), probability 1.00
// without Sex: Chinstrap penguin (Pygoscelis antarctica), probability 1.00
// without Body Mass (g): Chinstrap penguin (Pygoscelis antarctica), probability 0.97
// without Delta 15 N (o/oo): Chinstrap penguin (Pygoscelis antarctica), probability 0.96
