package data

import "slices"

// drawn says how the fixed partitions of a set were drawn.
type drawn struct {
	seed  uint32
	train int
}

// draws are those of the sets whose partitions are not part of the package.
var draws = map[string]drawn{
	"heart": {1003, 235}, "vowel": {1005, 792}, "wine-red": {1007, 1279}, "wine-white": {1008, 3918},
}

// draw draws fifty partitions of n rows: of each, the first rows of a permutation by
// NumPy's RandomState, sorted.
func (d drawn) draw(n int) [][]int {
	r := newTwister(d.seed)
	partitions := make([][]int, 50)
	for p := range partitions {
		partitions[p] = slices.Sorted(slices.Values(r.permutation(n)[:d.train]))
	}
	return partitions
}

// twister is the generator MT19937 of Matsumoto and Nishimura (1998, DOI
// 10.1145/272991.272995), which RandomState is built on.
type twister struct {
	state [624]uint32
	next  int
}

func newTwister(seed uint32) *twister {
	t := &twister{next: 624}
	t.state[0] = seed
	for i := uint32(1); i < 624; i++ {
		before := t.state[i-1]
		t.state[i] = 1812433253*(before^before>>30) + i
	}
	return t
}

func (t *twister) uint32() uint32 {
	if t.next == 624 {
		for i := range t.state {
			y := t.state[i]&0x80000000 | t.state[(i+1)%624]&0x7fffffff
			t.state[i] = t.state[(i+397)%624] ^ y>>1
			if y&1 == 1 {
				t.state[i] ^= 0x9908b0df
			}
		}
		t.next = 0
	}
	y := t.state[t.next]
	t.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// upTo draws from 0..most: bits until a number fits.
func (t *twister) upTo(most uint32) uint32 {
	mask := most
	for shift := 1; shift < 32; shift *= 2 {
		mask |= mask >> shift
	}
	for {
		if v := t.uint32() & mask; v <= most {
			return v
		}
	}
}

// permutation shuffles 0..n−1 from the end.
func (t *twister) permutation(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := t.upTo(uint32(i))
		p[i], p[j] = p[j], p[i]
	}
	return p
}
