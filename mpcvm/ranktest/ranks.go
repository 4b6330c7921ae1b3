package ranktest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Ranks writes the ranks of the values v to dst (allocated if nil) and returns dst. The
// lowest value has rank 1, and equal values share the mean of their ranks. Ranks panics if
// dst and v differ in length or a value is NaN.
func Ranks(dst, v []float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(v))
	} else if len(dst) != len(v) {
		panic(fmt.Sprintf("ranktest: destination of length %d for %d values", len(dst), len(v)))
	}
	if i := slices.IndexFunc(v, math.IsNaN); i >= 0 {
		panic(fmt.Sprintf("ranktest: value %d is NaN", i))
	}
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	values := slices.Clone(v) // dst may be v
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && values[order[hi]] == values[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			dst[i] = float64(lo+1+hi) / 2 // the mean of lo+1 to hi
		}
		lo = hi
	}
	return dst
}

// ties returns Σ(m³ − m) over the groups of m equal ranks.
func ties(ranks []float64) float64 {
	count := map[float64]float64{}
	for _, r := range ranks {
		count[r]++
	}
	sum := 0.0
	for _, m := range count { // integers, so the order does not matter
		sum += m*m*m - m
	}
	return sum
}
