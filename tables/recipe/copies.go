package recipe

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Keys returns a number for each of the given rows (from 0) of a table, such that two rows have the same
// number if all their features are equal, so that no model with this recipe can tell them apart. The numbers
// of two tables can be compared. They are hashes of 64 bits; 0 stands for a row that cannot be encoded. Keys
// returns ErrNoColumn if the table lacks columns of the recipe, or the error of ctx.
func (r *Recipe) Keys(ctx context.Context, t *table.Table, rows []int) ([]uint64, error) {
	keys := make([]uint64, len(rows))
	var x *mat.Dense
	for lo := 0; lo < len(rows); lo += block {
		hi := min(lo+block, len(rows))
		if x == nil || hi-lo < block {
			x = mat.NewDense(hi-lo, r.Width(), nil)
		}
		_, unusable, err := r.encode(ctx, x, t, rows[lo:hi])
		if err != nil {
			return nil, err
		}
		for i := range hi - lo {
			if unusable == nil || unusable[i] == nil {
				keys[lo+i] = key(x.RawRowView(i))
			}
		}
	}
	return keys, nil
}

// mostCopies is the largest share of copies in a class that is ignored by Dealing. So few copies, which may be
// coincidences of rounded values, cannot decide between two settings.
const mostCopies = 0.02

// Dealing returns how the samples, which Prepare has made from t, are split into folds. It is table.Table.Dealing,
// except that samples with equal features are in the same group, together with all samples of their groups. They
// are treated individually if they make up at most 2 % of each class, or if fewer than half of the samples could
// be held out in groups. Times take precedence over copies.
func (s *Samples) Dealing(ctx context.Context, t *table.Table) (table.Dealing, error) {
	d, err := t.Dealing(s.Rows)
	if err != nil || d.Times != nil {
		return d, err
	}
	keys, err := s.Recipe.Keys(ctx, t, s.Rows)
	if err != nil {
		return d, err
	}
	joined := fitting.All(len(keys)) // an earlier sample of the same group, or the sample itself
	group := func(n int) int {
		for joined[n] != n {
			joined[n] = joined[joined[n]]
			n = joined[n]
		}
		return n
	}
	join := func(a, b int) { a, b = group(a), group(b); joined[max(a, b)] = min(a, b) }
	of := &fitting.Data{T: s.T, N: len(s.T), C: len(s.Classes)}
	copies, counts := make([]float64, of.C), of.Counts()
	withKey, withGroup := map[uint64]int{}, map[int]int{}
	for n, key := range keys {
		if first, met := withKey[key]; met {
			copies[s.T[n]]++
			join(first, n)
		} else {
			withKey[key] = n
		}
		if d.Groups == nil {
			continue
		}
		if first, met := withGroup[d.Groups[n]]; met {
			join(first, n)
		} else {
			withGroup[d.Groups[n]] = n
		}
	}
	for n := range joined {
		of.Groups = append(of.Groups, group(n))
	}
	for c, count := range counts {
		if copies[c] > mostCopies*float64(count) {
			if g := of.DealBound(fitting.Folds, 1); 2*g.Scored >= of.N {
				d.Groups = of.Groups
			}
			break
		}
	}
	return d, nil
}

// key returns a hash of features, which is not 0.
func key(features []float64) uint64 {
	h := uint64(0)
	for _, v := range features { // the finalizer of MurmurHash3
		h ^= math.Float64bits(v+0) + 0x9e3779b97f4a7c15 // +0 turns −0 into 0
		h = (h ^ h>>33) * 0xff51afd7ed558ccd
		h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
		h ^= h >> 33
	}
	return max(h, 1)
}
