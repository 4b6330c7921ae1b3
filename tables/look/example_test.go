package look_test

import (
	"context"
	"fmt"
	"os"

	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/table"
)

func ExampleAt() {
	t := &table.Table{Name: "flowers.csv", Rows: 10, Columns: []table.Column{
		{Name: "length", Kind: table.Number, Numbers: []float64{1.4, 1.3, 4.7, -999, 4.9, 1.5, -999, 4.6, 1.6,
			4.5}},
		{Name: "colour", Kind: table.Category, Codes: []int32{0, 0, 1, 1, 0, 0, 0, -1, 0, 1},
			Levels: []string{"blue", "white"}},
		{Name: "species", Kind: table.Category, Codes: []int32{0, 0, 1, 1, 1, 0, 0, 1, 0, 1},
			Levels: []string{"setosa", "virginica"}},
	}}
	f, err := look.At(context.Background(), t, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.Print(os.Stdout, table.Go); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowers.csv: 10 rows, 3 columns
	// classes: column "species" (reason: its name): setosa 5 (50 %), virginica 5
	//          (50 %)
	// duplicates: rows that equal an earlier row: 0
	//
	// column  kind     missing distinct  values                       histogram
	// length  number         0        9  -999 [1.3 1.6 4.6] 4.9       ▃    ▅▂▇
	// colour  category   1 10%        2  blue 6, white 3              ▇▃
	// species category       0        2  setosa 5, virginica 5        ▇▇
	//
	// histograms by class, the most informative columns first
	// column  setosa         virginica
	// colour  ▇              ▂▅
	// length  ▂    ▅▂        ▂      ▇
	//
	// 1 warning
	// - Column "length" has the value -999 in 2 rows, far from all others. If it
	//   stands for a missing value, use Options.Missing -999.
}
