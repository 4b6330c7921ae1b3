package quantile

import (
	"math"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		sorted  []float64
		p, want float64
	}{
		{[]float64{7}, .3, 7},
		{[]float64{1, 2, 3, 4}, 0, 1},
		{[]float64{1, 2, 3, 4}, .25, 1.75},
		{[]float64{1, 2, 3, 4}, .5, 2.5},
		{[]float64{1, 2, 3, 4}, 1, 4},
		{[]float64{1, 2, 3, 4, 5}, .75, 4},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, .5, 0},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, .25, math.MaxFloat64},
	} {
		if got := Of(c.sorted, c.p); got != c.want {
			t.Errorf("the quantile at %v of %v is %v, want %v", c.p, c.sorted, got, c.want)
		}
	}
}
