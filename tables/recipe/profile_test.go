package recipe_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/tables/recipe"
)

// TestQuantiles: there are up to 17 quantiles, with the number of rows at or below each. If there are fewer
// distinct values, all of them are quantiles; otherwise the number of rows strictly between two quantiles is
// at most one sixteenth of the rows plus one, unless values are equal.
func TestQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, n := range []int{2, 16, 17, 18, 100, 1001} {
		for _, values := range []int{3, 17, 18, 1 << 30} {
			numbers, classes := make([]float64, n), make([]string, n)
			for i := range n {
				numbers[i], classes[i] = float64(rng.IntN(values)), string(rune('a'+i%2))
			}
			tb := tab(num("x", numbers...), cat("class", classes...))
			rows := make([]int, n)
			for i := range rows {
				rows[i] = i
			}
			r, err := recipe.Fit(tb, 1, rows)
			if err != nil {
				t.Fatal(err)
			}
			c := r.Columns[0]
			slices.Sort(numbers)
			distinct := slices.Compact(slices.Clone(numbers))
			if len(c.Quantiles) > 17 || len(distinct) <= 17 && !slices.Equal(c.Quantiles, distinct) ||
				c.Quantiles[0] != numbers[0] || c.Quantiles[len(c.Quantiles)-1] != numbers[n-1] {
				t.Errorf("n = %d: %v of %d values", n, c.Quantiles, len(distinct))
			}
			for k, q := range c.Quantiles {
				below, equal := 0, 0
				for _, v := range numbers {
					if v <= q {
						below++
					}
					if v == q {
						equal++
					}
				}
				if c.Below[k] != below || k > 0 && len(distinct) > 17 && c.Below[k]-equal-c.Below[k-1] > n/16+1 {
					t.Errorf("n = %d: %d rows at most %v, want %d; before %d", n, c.Below[k], q, below, c.Below[max(k-1, 0)])
				}
			}
			if !r.Profiled() || r.Check() != nil {
				t.Error(r.Check())
			}
		}
	}
	if recipe.Numbers([]string{"x"}).Profiled() {
		t.Error("a recipe without rows is profiled")
	}
}
