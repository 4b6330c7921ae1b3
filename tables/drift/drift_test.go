package drift

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// drawn returns a random table with a number that determines the class, an integer with missing cells, a
// category and a boolean. shift is added to the first column, and missing is the share of missing cells of
// the second.
func drawn(n int, shift, missing float64, dream float64, seed uint64) *table.Table {
	rng := rand.New(rand.NewPCG(seed, 3))
	size := table.Column{Name: "size", Kind: table.Number}
	count := table.Column{Name: "count", Kind: table.Number}
	island := table.Column{Name: "island", Kind: table.Category, Levels: []string{"Biscoe", "Dream", "Far",
		"Torgersen"}}
	ringed := table.Column{Name: "ringed", Kind: table.Boolean, Levels: []string{"no", "yes"}}
	class := table.Column{Name: "class", Kind: table.Category, Levels: []string{"a", "b"}}
	for range n {
		label := rng.IntN(2)
		size.Numbers = append(size.Numbers, rng.NormFloat64()+2*float64(label)+shift)
		whole := float64(rng.IntN(6))
		if rng.Float64() < missing {
			whole = math.NaN()
		}
		count.Numbers = append(count.Numbers, whole)
		level := 1
		if rng.Float64() > dream {
			level = 3 * rng.IntN(2)
		}
		island.Codes = append(island.Codes, int32(level))
		ringed.Numbers = append(ringed.Numbers, float64(rng.IntN(2)))
		class.Codes = append(class.Codes, int32(label))
	}
	return &table.Table{Name: "drawn.csv", Rows: n, Columns: []table.Column{size, count, island, ringed, class}}
}

func driftModel(t *testing.T) *model.Model {
	t.Helper()
	m, _, err := model.Fit(t.Context(), drawn(400, 0, 0.1, 0.4, 1), "class",
		mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCompare: Compare finds the column that moved, with the right statistics.
func TestCompare(t *testing.T) {
	m := driftModel(t)
	for _, tt := range []struct {
		name, what            string
		shift, missing, dream float64
		exists                bool
	}{
		{"", "", 0, 0.1, 0.4, false},
		{"size", "median", 2, 0.1, 0.4, true},
		{"count", "missing", 0, 0.5, 0.4, true},
		{"island", "share of Dream", 0, 0.1, 0.8, true},
	} {
		d, err := Compare(m, drawn(300, tt.shift, tt.missing, tt.dream, 8))
		if err != nil {
			t.Fatal(err)
		}
		first := d.Columns[0]
		if first.Moved != tt.exists || tt.exists && (first.Name != tt.name || first.What != tt.what ||
			d.Columns[1].Moved) {
			t.Errorf("%s: %+v", tt.name, d)
		}
		var b bytes.Buffer
		if err := d.Print(&b); err != nil || !strings.Contains(b.String(), tt.name) || strings.Contains(b.String(),
			"COLUMN") != tt.exists {
			t.Error(b.String(), err)
		}
	}
}

// TestCompareErrors: a model from an old file, and a table that lacks a column of the model.
func TestCompareErrors(t *testing.T) {
	m := driftModel(t)
	old := m.Recipe()
	for i := range old.Columns {
		c := &old.Columns[i]
		c.Quantiles, c.Below, c.Counts = nil, nil, nil
	}
	tb := drawn(50, 0, 0.1, 0.4, 2)
	if _, err := Compare(model.NewModel(m.Model(), old), tb); !errors.Is(err, recipe.ErrNoProfile) {
		t.Error(err)
	}
	if _, err := Compare(model.NewModel(m.Model(), nil), tb); !errors.Is(err, recipe.ErrNoProfile) {
		t.Error(err)
	}
	tb.Columns = tb.Columns[1:]
	if _, err := Compare(m, tb); !errors.Is(err, recipe.ErrNoColumn) {
		t.Error(err)
	}
}

// TestDriftByChance: for tables with the distribution of the training rows, at most about one in twenty has a
// column that is reported as moved.
func TestDriftByChance(t *testing.T) {
	m := driftModel(t)
	const drawings = 200
	moved := 0
	for seed := range uint64(drawings) {
		d, err := Compare(m, drawn(20+int(seed%7)*60, 0, 0.1, 0.4, 100+seed))
		if err != nil {
			t.Fatal(err)
		}
		if d.Columns[0].Moved {
			moved++
		}
	}
	if moved > drawings/10 {
		t.Errorf("%d of %d tables", moved, drawings)
	}
}

// TestDriftTests: p-values of small tables, computed by hand, and quantiles of Kolmogorov's distribution.
func TestDriftTests(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		{"fisher", fisher(3, 4, 1, 4), 34. / 70},
		{"fisher of none", fisher(0, 10, 5, 10), 2 * 252. / 15504},
		{"fisher of nothing", fisher(0, 10, 0, 7), 1},
		{"chi squared", chiSquared([]float64{20, 30, 50}, []float64{30, 30, 40}), math.Exp(-28. / 9 / 2)},
		{"few", chiSquared([]float64{3, 1}, []float64{1, 2}), 1},
		{"kolmogorov", kolmogorov(1.3580986), 0.05},
		{"kolmogorov", kolmogorov(1.6276236), 0.01},
		{"kolmogorov", kolmogorov(0.1), 1},
	} {
		if math.Abs(tt.got-tt.want) > 1e-6 {
			t.Errorf("%s: %g, want %g", tt.name, tt.got, tt.want)
		}
	}
	tests := []*Column{{P: 0.03}, {P: 0.01}, {P: 0.04}, {P: 0.5}}
	holm(slices.Clone(tests))
	for i, want := range []float64{0.09, 0.04, 0.09, 0.5} {
		if math.Abs(tests[i].P-want) > 1e-12 {
			t.Errorf("p-value %d is %g, want %g", i, tests[i].P, want)
		}
	}
}
