package assess_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/mpcvm/assess"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
)

// fruit is a table of 60 rows. data.Open reads one from a file.
func fruit() *table.Table {
	t := &table.Table{Name: "fruit.csv", Rows: 60, Columns: []table.Column{
		{Name: "weight", Kind: table.Number}, {Name: "day", Kind: table.Number},
		{Name: "class", Kind: table.Category, Levels: []string{"apple", "pear"}},
	}}
	for i := range 60 {
		t.Columns[0].Numbers = append(t.Columns[0].Numbers, 150+30*float64(i%2)+20*math.Sin(float64(i*i)))
		t.Columns[1].Numbers = append(t.Columns[1].Numbers, float64(i%7))
		t.Columns[2].Codes = append(t.Columns[2].Codes, int32(i%2))
	}
	return t
}

func ExampleCrossValidate() {
	systems := []assess.System{assess.Of("logistic", mlr.MLR{})} // assess.Systems(1) has more
	r, err := assess.CrossValidate(context.Background(), fruit(), "class", systems, assess.Options{Repeats: 2})
	if err != nil {
		log.Fatal(err)
	}
	for s := range r.Systems {
		f := r.Score(s)
		fmt.Printf("%-9s error %.3f ± %.3f\n", f.System, f.Err.Value, f.Err.SE)
	}
	if !r.Difference(1, 0).Err.Noise() {
		fmt.Println("the difference is no noise")
	}
	// Output:
	// majority  error 0.500 ± 0.062
	// logistic  error 0.142 ± 0.057
	// the difference is no noise
}

func ExamplePermutationImportance() {
	list, err := assess.PermutationImportance(context.Background(), fruit(), "class", assess.Of("logistic", mlr.MLR{}), assess.ImportanceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	first := list[0]
	fmt.Printf("%s: error +%.2f over %d folds and permutations\n", first.Column, first.Err.Mean, len(first.Err.Values))
	// Output: weight: error +0.36 over 25 folds and permutations
}
