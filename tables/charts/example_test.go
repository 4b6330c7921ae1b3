package charts_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Write a page that compares systems on a table and shows the importance of its columns. Use tables.Open to
// read a table from a file.
func ExampleComparison() {
	t := &table.Table{Name: "fruit.csv", Rows: 60, Columns: []table.Column{
		{Name: "weight", Kind: table.Number}, {Name: "day", Kind: table.Number},
		{Name: "class", Kind: table.Category, Levels: []string{"apple", "pear"}},
	}}
	for i := range 60 {
		t.Columns[0].Numbers = append(t.Columns[0].Numbers, 150+30*float64(i%2)+float64(i*i%41))
		t.Columns[1].Numbers = append(t.Columns[1].Numbers, float64(i%7))
		t.Columns[2].Codes = append(t.Columns[2].Codes, int32(i%2))
	}
	r, err := eval.CrossValidate(context.Background(), t, "class",
		[]eval.System{eval.Of("logistic", mlr.MLR{})}, eval.Options{Repeats: 3, Keep: true})
	if err != nil {
		log.Fatal(err)
	}
	m := r.Systems[1]
	importance, err := m.Importance(context.Background(), eval.ImportanceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	costs := mat.NewDense(2, 2, []float64{0, 1, 5, 0}) // predicting apple for a pear costs 5
	file := filepath.Join(os.TempDir(), "fruit.html")
	err = nbhelpers.WritePageFile(file, "Fruit", charts.Comparison(r, eval.Error),
		charts.Permutation(importance), charts.Costs(m.Proba, m.T, costs),
		nbhelpers.Confusion(m.Confusion(), r.Classes), nbhelpers.ROC(m.Proba, m.T, r.Classes))
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(file)
	fmt.Println(importance[0].Column)
	// Output: weight
}

// Show the contents of a table before fitting a model.
func ExampleLook() {
	t := &table.Table{Name: "flowers.csv", Rows: 6, Columns: []table.Column{
		{Name: "length", Kind: table.Number, Numbers: []float64{1.4, 1.3, 4.7, 1.5, 4.9, 4.6}},
		{Name: "species", Kind: table.Category, Codes: []int32{0, 0, 1, 0, 1, 1},
			Levels: []string{"setosa", "virginica"}},
	}}
	charts.Look(t).Display() // does nothing outside of a notebook
	var page strings.Builder
	if err := nbhelpers.WritePage(&page, "Flowers", charts.Look(t)); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Contains(page.String(), "flowers.csv: 6 rows, 2 columns"))
	// Output: true
}
