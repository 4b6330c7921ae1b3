package recipe_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/tables/recipe"
)

// TestKeys: the keys of two rows are equal if and only if their features are equal, also in another table
// with the columns in another order. Rows that cannot be encoded have the key 0.
func TestKeys(t *testing.T) {
	tb := mixed(rand.New(rand.NewPCG(7, 8)), 1100)
	for i := range 100 {
		for j := range tb.Columns {
			if c := &tb.Columns[j]; c.Kind.Numeric() {
				c.Numbers[1000+i] = c.Numbers[3*i]
			} else {
				c.Codes[1000+i] = c.Codes[3*i]
			}
		}
	}
	copy(tb.Columns[1].Numbers[5:], []float64{0, math.Copysign(0, -1), math.Inf(1)})
	r := fit(t, tb, 6, slices.DeleteFunc(all(1100), func(i int) bool { return i == 7 }))
	keys, err := r.Keys(bg, tb, all(1100))
	if err != nil {
		t.Fatal(err)
	}
	x, unusable := encode(t, r, tb)
	first := map[uint64]int{}
	repeated := 0
	for i, key := range keys {
		if unusable[i] != nil || key == 0 {
			if (unusable[i] != nil) != (key == 0) {
				t.Errorf("row %d: key %d, %v", i, key, unusable[i])
			}
			continue
		}
		if j, met := first[key]; !met {
			first[key] = i
		} else if repeated++; !slices.Equal(x.RawRowView(i), x.RawRowView(j)) {
			t.Errorf("rows %d and %d differ", i, j)
		}
		for j := range i {
			if keys[j] != key && unusable[j] == nil && slices.Equal(x.RawRowView(i), x.RawRowView(j)) {
				t.Errorf("rows %d and %d are equal", i, j)
			}
		}
	}
	if repeated < 90 || keys[7] != 0 {
		t.Errorf("%d rows repeat others", repeated)
	}
	slices.Reverse(tb.Columns)
	other, err := r.Keys(bg, tb, []int{1000, 0})
	if err != nil || !slices.Equal(other, []uint64{keys[0], keys[0]}) {
		t.Errorf("%v %v, want %d", other, err, keys[0])
	}
	if _, err := r.Keys(bg, tab(num("n", 1)), []int{0}); !errors.Is(err, recipe.ErrNoColumn) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(bg)
	cancel()
	if _, err := r.Keys(ended, tb, []int{0}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
