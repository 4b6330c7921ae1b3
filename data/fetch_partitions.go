package data

import (
	"slices"

	"gonum.org/v1/gonum/mathext/prng"
)

// drawn says how the fixed partitions of a set were drawn.
type drawn struct {
	seed  uint64
	train int
}

// draws are those of the sets whose partitions are not part of the package.
var draws = map[string]drawn{
	"heart": {1003, 235}, "vowel": {1005, 792}, "wine-red": {1007, 1279}, "wine-white": {1008, 3918},
}

// draw draws fifty partitions of n rows: of each, the first rows of a permutation by
// NumPy's RandomState, sorted.
func (d drawn) draw(n int) [][]int {
	var r numpy
	r.Seed(d.seed)
	partitions := make([][]int, 50)
	for p := range partitions {
		partitions[p] = slices.Sorted(slices.Values(r.permutation(n)[:d.train]))
	}
	return partitions
}

// numpy draws the numbers of NumPy's RandomState.
type numpy struct{ prng.MT19937 }

// upTo draws from 0..most: bits until a number fits.
func (r *numpy) upTo(most uint32) uint32 {
	mask := most
	for shift := 1; shift < 32; shift *= 2 {
		mask |= mask >> shift
	}
	for {
		if v := r.Uint32() & mask; v <= most {
			return v
		}
	}
}

// permutation shuffles 0..n−1 from the end.
func (r *numpy) permutation(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := r.upTo(uint32(i))
		p[i], p[j] = p[j], p[i]
	}
	return p
}
