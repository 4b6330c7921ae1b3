package fitting

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/par"
)

// Limits of NearCopies. If samples fall at random in D dimensions, the second neighbour is at least g times
// as far away as the nearest one with probability g^−D, which is 0.1 for one feature and 0.001 for three.
const (
	nearGap     = 10    // the smallest ratio of two successive distances that separates near copies
	nearShare   = 0.25  // the share of the samples of a class from which on they are near copies
	nearCopies  = 20    // the largest number of near copies of a sample
	nearClass   = 20    // the smallest class in which near copies are recognised
	nearSampled = 200   // the samples of a class that are examined first
	nearSamples = 20000 // the largest number of samples
)

// NearCopies returns, for each sample of x (N×D, standardised) with label t, the samples of its class
// that are at least ten times closer to it than the next one, or nil. Samples with equal features do
// not count. Classes in which at most a quarter of the samples have such neighbours, as chance may
// explain, are skipped, as are all classes if there are more than 20,000 samples.
func NearCopies(x *mat.Dense, t []int, classes int) [][]int {
	near := make([][]int, len(t))
	if len(t) > nearSamples {
		return near
	}
	for c := range classes {
		var members []int
		for n, label := range t {
			if label == c {
				members = append(members, n)
			}
		}
		if len(members) < nearClass {
			continue
		}
		first := make([]int, 0, nearSampled)
		step := max(1, len(members)/nearSampled)
		for i := 0; i < len(members); i += step {
			first = append(first, members[i])
		}
		if found := neighbours(near, x, first, members); float64(found) <= nearShare*float64(len(first)) {
			for _, n := range first {
				near[n] = nil
			}
			continue
		}
		neighbours(near, x, members, members)
	}
	return near
}

// neighbours sets near for the listed samples, and returns for how many of them it is not nil.
func neighbours(near [][]int, x *mat.Dense, list, members []int) (found int) {
	par.For(len(list), 8, func(lo, hi int) {
		type neighbour struct {
			distance float64
			n        int
		}
		var all []neighbour
		for _, n := range list[lo:hi] {
			all = all[:0]
			for _, m := range members {
				if d := floats.Distance(x.RawRowView(n), x.RawRowView(m), 2); d > 0 {
					all = append(all, neighbour{d, m})
				}
			}
			slices.SortFunc(all, func(a, b neighbour) int {
				return cmp.Or(cmp.Compare(a.distance, b.distance), a.n-b.n)
			})
			for i := 1; i < min(nearCopies, len(all)); i++ {
				if all[i].distance >= nearGap*all[i-1].distance {
					near[n] = nil
					for _, o := range all[:i] {
						near[n] = append(near[n], o.n)
					}
					break
				}
			}
		}
	})
	for _, n := range list {
		if near[n] != nil {
			found++
		}
	}
	return found
}
