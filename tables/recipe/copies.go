package recipe

import (
	"context"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
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

// Limits of Dealing. Up to fewCopies of a class, copies are ignored: they may be coincidences of rounded values
// and cannot decide between two settings. If there are more than coarse samples with the same features on
// average, as in a table of a few categories, equal samples are not copies but the rule.
const fewCopies, coarse = 0.02, 20

// Dealing returns how the samples, which Prepare has made from t, are split into folds. It is table.Table.Dealing,
// except that copies are in the same group, together with all samples of their groups. Copies are samples with
// equal features, if they make up more than 2 % of a class and there are at most 20 of them on average. Near
// copies, such as jittered rows, count as well if more than a quarter of a class has them. Copies are treated
// individually if fewer than half of the samples could be held out in groups. Times take precedence over copies.
func (s *Samples) Dealing(ctx context.Context, t *table.Table) (table.Dealing, error) {
	if s.dealt == nil || s.of != t {
		return s.dealing(ctx, t)
	}
	r := s.dealt
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dealing == nil {
		d, err := s.dealing(ctx, t)
		if err != nil {
			return d, err
		}
		r.dealing = &d
	}
	return *r.dealing, nil
}

// dealt is the result of Dealing once it is known, which copies of the samples share.
type dealt struct {
	mu      sync.Mutex
	dealing *table.Dealing
}

func (s *Samples) dealing(ctx context.Context, t *table.Table) (table.Dealing, error) {
	d, err := t.Dealing(s.Rows)
	if err != nil || d.Times != nil {
		return d, err
	}
	of := &fitting.Data{T: s.T, N: len(s.T), C: len(s.Classes)}
	joined, found := groups(fitting.All(of.N)), false
	if d.Groups != nil {
		first := map[int]int{}
		for n, name := range d.Groups {
			if _, met := first[name]; !met {
				first[name] = n
			}
			joined.join(first[name], n)
		}
	}
	keys, err := s.Recipe.Keys(ctx, t, s.Rows)
	if err != nil {
		return d, err
	}
	first, copies := map[uint64]int{}, make([]float64, of.C)
	for n, key := range keys {
		if _, met := first[key]; met {
			copies[s.T[n]]++
		} else {
			first[key] = n
		}
	}
	for c, count := range of.Counts() {
		found = found || copies[c] > fewCopies*float64(count) && of.N <= coarse*len(first)
	}
	for n := 0; n < of.N && found; n++ {
		joined.join(first[keys[n]], n)
	}
	x := s.X
	if x == nil {
		p, err := s.Part(ctx, t, fitting.All(of.N))
		if err != nil {
			return d, err
		}
		x = p.X
	}
	near := map[int]bool{}
	for n, list := range fitting.NearCopies(ctx, x, s.T, of.C) {
		for _, m := range list {
			if len(near) == 0 {
				d.Copies = table.Finding{Code: texts.NearCopies, Of: of.N,
					Texts: []string{strconv.Itoa(s.Rows[min(n, m)] + 1), strconv.Itoa(s.Rows[max(n, m)] + 1)}}
			}
			found, near[n], near[m] = true, true, true
			joined.join(n, m)
		}
	}
	d.Copies.N = len(near)
	if !found || ctx.Err() != nil {
		return d, ctx.Err()
	}
	for n := range of.N {
		of.Groups = append(of.Groups, joined.of(n))
	}
	if g := of.DealBound(fitting.Folds, 1); 2*g.Scored >= of.N {
		d.Groups = of.Groups
	}
	return d, nil
}

// groups is a partition of samples: an earlier sample of the same group for each sample, or the sample itself.
type groups []int

// of returns the first sample of the group of n.
func (g groups) of(n int) int {
	for g[n] != n {
		g[n] = g[g[n]]
		n = g[n]
	}
	return n
}

// join joins the groups of two samples.
func (g groups) join(a, b int) {
	a, b = g.of(a), g.of(b)
	g[max(a, b)] = min(a, b)
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
