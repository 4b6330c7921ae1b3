package drift_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/drift"
)

// Compare finds a column that has moved since training.
func ExampleCompare() {
	birds, err := tables.Open("../../data/penguins.csv",
		tables.Options{Drop: []string{"Sample Number", "Date Egg", "Comments"}})
	if err != nil {
		log.Fatal(err)
	}
	model, _, err := tables.Fit(context.Background(), birds, "Species",
		mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}})
	if err != nil {
		log.Fatal(err)
	}
	later := birds.Slice(0, birds.Rows)
	mass := &later.Columns[later.Find("Body Mass (g)")]
	mass.Numbers = slices.Clone(mass.Numbers)
	for i := range mass.Numbers {
		mass.Numbers[i] += 500
	}
	report, err := drift.Compare(model, later)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range report.Columns[:1] {
		fmt.Printf("%s: %s %s, here %s, moved: %v\n", c.Name, c.What, c.Training, c.Here, c.Moved)
	}
	// Output:
	// Body Mass (g): median 4050, here 4550, moved: true
}
