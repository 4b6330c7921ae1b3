package table

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestProfile compares a profile of random rows with plain counts, and its quantiles with their definitions.
func TestProfile(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, n := range []int{1, 2, 16, 17, 18, 100, 1001} {
		for _, values := range []int{1, 3, 17, 18, 1 << 30} {
			number := Column{Kind: Number, Numbers: make([]float64, 2*n)}
			text := Column{Kind: Category, Codes: make([]int32, 2*n), Levels: []string{"a", "b", "c", "d"}}
			flag := Column{Kind: Boolean, Numbers: make([]float64, 2*n), Levels: []string{"no", "yes"}}
			rows := rng.Perm(2 * n)[:n]
			var present []float64
			levels, ones := map[int32]int{}, 0
			for i := range 2 * n {
				number.Numbers[i], text.Codes[i], flag.Numbers[i] = float64(rng.IntN(values)), int32(rng.IntN(4)-1),
					float64(rng.IntN(2))
				if in := slices.Contains(rows, i); i%7 == 3 {
					number.Numbers[i], flag.Numbers[i] = math.NaN(), math.NaN()
				} else if in {
					present = append(present, number.Numbers[i])
					ones += int(flag.Numbers[i])
				}
				if slices.Contains(rows, i) {
					levels[text.Codes[i]]++
				}
			}
			p := number.Profile(rows)
			slices.Sort(present)
			distinct := slices.Compact(slices.Clone(present))
			if p.Rows != n || p.Present() != len(present) || p.Distinct != len(distinct) || !p.Whole ||
				!slices.Equal(p.Numbers, present) {
				t.Errorf("n = %d: %+v", n, p)
			}
			at, below := p.Steps(17)
			if len(at) > 17 || len(distinct) <= 17 && !slices.Equal(at, distinct) || len(present) > 0 &&
				(at[0] != present[0] || at[len(at)-1] != present[len(present)-1]) {
				t.Errorf("n = %d: %v of %d values", n, at, len(distinct))
			}
			for k, q := range at {
				upTo, equal := 0, 0
				for _, v := range present {
					if v <= q {
						upTo++
					}
					if v == q {
						equal++
					}
				}
				if below[k] != upTo || k > 0 && len(distinct) > 17 && below[k]-equal-below[k-1] > n/16+1 {
					t.Errorf("n = %d: %d rows at most %v, want %d; before %d", n, below[k], q, upTo, below[max(k-1, 0)])
				}
			}
			q := text.Profile(rows)
			for level, count := range q.Counts {
				if count != levels[int32(level)] {
					t.Errorf("n = %d: counts %v, want %v", n, q.Counts, levels)
				}
			}
			order := q.Frequent()
			if q.Missing != levels[-1] || len(order) != q.Distinct || !slices.IsSortedFunc(order, func(a, b int) int {
				return q.Counts[b] - q.Counts[a]
			}) {
				t.Errorf("n = %d: %+v, order %v", n, q, order)
			}
			if f := flag.Profile(rows); f.Counts[1] != ones || f.Counts[0] != len(present)-ones || f.Numbers != nil {
				t.Errorf("n = %d: %+v, want %d", n, f, ones)
			}
		}
	}
	c := Column{Kind: Number, Numbers: []float64{4, math.Inf(1), 1, 2, 3.5, math.Inf(-1), math.NaN()}}
	p := c.Profile(nil)
	if p.Rows != 7 || p.Infinite != 2 || p.Missing != 1 || p.Whole || p.Distinct != 4 {
		t.Errorf("%+v", p)
	}
	for share, want := range map[float64]float64{0: 1, .25: 1.75, .5: 2.75, 1: 4} {
		if got := p.Quantile(share); got != want {
			t.Errorf("quantile at %v: %v, want %v", share, got, want)
		}
	}
}
