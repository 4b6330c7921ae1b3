package fitting

import (
	"cmp"
	"context"
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
// explain, are skipped, as are all classes if there are more than 20,000 samples. If ctx ends, the result is
// incomplete.
func NearCopies(ctx context.Context, x *mat.Dense, t []int, classes int) [][]int {
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
		if found := neighbours(ctx, near, x, first, members); float64(found) <= nearShare*float64(len(first)) {
			for _, n := range first {
				near[n] = nil
			}
			continue
		}
		neighbours(ctx, near, x, members, members)
	}
	return near
}

// neighbours sets near for the listed samples, and returns for how many of them it is not nil.
func neighbours(ctx context.Context, near [][]int, x *mat.Dense, list, members []int) (found int) {
	type neighbour struct {
		distance float64 // squared
		n        int
	}
	byDistance := func(a, b neighbour) int { return cmp.Or(cmp.Compare(a.distance, b.distance), a.n-b.n) }
	par.For(len(list), 8, func(lo, hi int) {
		nearest, d := make([]neighbour, 0, nearCopies+1), make([]float64, x.RawMatrix().Cols)
		for _, n := range list[lo:hi] {
			if ctx.Err() != nil {
				return
			}
			nearest = nearest[:0]
			for _, m := range members {
				floats.SubTo(d, x.RawRowView(n), x.RawRowView(m))
				o := neighbour{floats.Dot(d, d), m}
				if o.distance == 0 || len(nearest) == nearCopies && o.distance >= nearest[nearCopies-1].distance {
					continue
				}
				at, _ := slices.BinarySearchFunc(nearest, o, byDistance)
				nearest = slices.Insert(nearest, at, o)
				nearest = nearest[:min(len(nearest), nearCopies)]
			}
			near[n] = nil
			for i := 1; i < len(nearest); i++ {
				if nearest[i].distance >= nearGap*nearGap*nearest[i-1].distance {
					for _, o := range nearest[:i] {
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
