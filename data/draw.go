package data

import (
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mathext/prng"
)

// drawn holds the parameters of the fixed partitions of a set.
type drawn struct {
	seed  uint64
	train int
}

var draws = map[string]drawn{
	"breast": {1001, 546}, "glass": {1002, 171}, "heart": {1003, 235}, "iris": {1004, 120},
	"vowel": {1005, 792}, "wine": {1006, 142}, "wine-red": {1007, 1279}, "wine-white": {1008, 3918},
}

// draw draws fifty partitions of n rows. The training rows are the first rows, sorted, of a
// permutation by NumPy's RandomState, whose generator is MT19937.
func (d drawn) draw(n int) [][]int {
	r := prng.NewMT19937()
	r.Seed(d.seed)
	partitions := make([][]int, 50)
	for p := range partitions {
		partitions[p] = slices.Sorted(slices.Values(permutation(r, n)[:d.train]))
	}
	return partitions
}

// permutation shuffles 0..n−1 from the end.
func permutation(r *prng.MT19937, n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := n
		for j > i { // reject numbers that are too large
			j = int(r.Uint32() & (1<<bits.Len(uint(i)) - 1))
		}
		p[i], p[j] = p[j], p[i]
	}
	return p
}
