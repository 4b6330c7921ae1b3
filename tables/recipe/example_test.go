package recipe_test

import (
	"fmt"

	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// A recipe encodes other rows in the same way as the rows that it was fitted to.
func ExampleRecipe_EncodeRow() {
	island := []string{"Dream", "Dream", "Dream", "Dream", "Dream", "Biscoe"}
	t := &table.Table{Rows: 6, Columns: []table.Column{
		num("mass", 3700, 3800, nan, 4000, 4100, 5000),
		cat("island", island...),
		cat("species", "Adelie", "Adelie", "Adelie", "Chinstrap", "Chinstrap", "Gentoo"),
	}}
	r, err := recipe.Fit(t, 2, []int{0, 1, 2, 3, 4, 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", r.Features())
	x, err := r.EncodeRow(map[string]any{"mass": "NA", "island": "Torgersen"})
	fmt.Println(x, err)
	_, err = r.EncodeRow(map[string]any{"mass": "heavy"})
	fmt.Println(err)
	// Output:
	// ["mass" "mass missing" "island=Dream" "island=other"]
	// [4000 1 0 1] <nil>
	// tables: column "mass": a number is expected, not "heavy"
}
