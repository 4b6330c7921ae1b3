package recipe_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// TestDealing groups copies, near copies and the rows of a column of groups.
func TestDealing(t *testing.T) {
	const n = 120
	// random returns a table in which row i has the values of row of(i), and noise.
	random := func(of func(i int) int, noise float64) *table.Table {
		rng := rand.New(rand.NewPCG(4, 1))
		a, b, g, time := make([]float64, n), make([]float64, n), make([]string, n), make([]float64, n)
		class := make([]string, n)
		for i := range n {
			a[i], b[i], g[i], time[i] = rng.NormFloat64(), rng.NormFloat64(), "", float64(i)
			class[i] = []string{"x", "y"}[i%2]
		}
		for i := range n {
			if from := of(i); from != i {
				a[i], b[i] = a[from]+noise*rng.NormFloat64(), b[from]+noise*rng.NormFloat64()
			}
		}
		g[0], g[1] = "one", "one"
		tb := &table.Table{Rows: n, Columns: []table.Column{
			{Name: "a", Kind: table.Number, Numbers: a}, {Name: "b", Kind: table.Number, Numbers: b},
			text("g", table.Category, g...), {Name: "time", Kind: table.Number, Numbers: time, Aside: true},
			text("class", table.Category, class...),
		}}
		tb.Columns[2].Aside = true
		return tb
	}
	itself := func(i int) int { return i }
	twice := func(i int) int { return i % (n / 2) }
	for name, of := range map[string]struct {
		of          func(i int) int
		noise       float64
		group, time string
		groups      int // 0: individually
	}{
		"no copies":         {itself, 0, "", "", 0},
		"one copy":          {func(i int) int { return i % (n - 1) }, 0, "", "", 0},
		"copies":            {twice, 0, "", "", n / 2},
		"four times":        {func(i int) int { return i % (n / 4) }, 0, "", "", n / 4},
		"conflicts":         {func(i int) int { return i / 2 * 2 }, 0, "", "", n / 2},
		"copies and groups": {twice, 0, "g", "", n/2 - 1},
		"groups":            {itself, 0, "g", "", n - 1},
		"times":             {twice, 0, "", "time", 0},
		"near copies":       {twice, 1e-4, "", "", n / 2},
		"few values":        {func(i int) int { return i % 4 }, 0, "", "", 0},
	} {
		tb := random(of.of, of.noise)
		tb.Group, tb.Time = of.group, of.time
		for _, features := range []bool{true, false} {
			s, err := recipe.Prepare(context.Background(), tb, "class", nil)
			if err != nil {
				t.Fatal(name, err)
			}
			if !features {
				s.X = nil
			}
			d, err := s.Dealing(context.Background(), tb)
			if err != nil {
				t.Fatal(name, err)
			}
			if groups := len(slices.Compact(slices.Sorted(slices.Values(d.Groups)))); groups != of.groups {
				t.Errorf("%s: %d groups, want %d", name, groups, of.groups)
			}
			for i := range d.Groups {
				if first := of.of(i); d.Groups[i] != d.Groups[first] {
					t.Errorf("%s: row %d is not in the group of row %d", name, i, first)
				}
			}
			if (d.Times != nil) != (of.time != "") || (d.By.Code != "") != (of.group+of.time != "") {
				t.Errorf("%s: times %v, by %v", name, d.Times, d.By)
			}
			if want := n * min(1, int(of.noise*1e4)); d.Copies.N != want || (d.Copies.Code != "") != (want > 0) {
				t.Errorf("%s: %d near copies, want %d", name, d.Copies.N, want)
			}
		}
	}
}

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
