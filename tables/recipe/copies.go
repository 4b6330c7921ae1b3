package recipe

import (
	"context"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/tables/table"
)

// Keys returns a number for each of the given rows (from 0) of a table, such that two rows have the same
// number if all their features are equal, so that no model with this recipe can tell them apart. The numbers
// of two tables can be compared. They are hashes of 64 bits; 0 stands for a row that cannot be encoded. Keys
// returns ErrNoColumn if the table lacks columns of the recipe, or the error of ctx.
func (r *Recipe) Keys(ctx context.Context, t *table.Table, rows []int) ([]uint64, error) {
	keys := make([]uint64, 0, len(rows))
	for part := range slices.Chunk(rows, block) {
		x, unusable, err := r.encode(ctx, nil, t, part)
		if err != nil {
			return nil, err
		}
		for i := range part {
			if unusable != nil && unusable[i] != nil {
				keys = append(keys, 0)
			} else {
				keys = append(keys, key(x.RawRowView(i)))
			}
		}
	}
	return keys, nil
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
