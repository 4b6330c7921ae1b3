package fitting

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestNearCopies counts the samples with near copies: none in ordinary tables of different shapes, and nearly
// all in tables of jittered rows.
func TestNearCopies(t *testing.T) {
	normal := func(rng *rand.Rand, row []float64) {
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	heavy := func(rng *rand.Rand, row []float64) {
		for j := range row {
			row[j] = math.Exp(1.5 * rng.NormFloat64())
		}
	}
	rounded := func(rng *rand.Rand, row []float64) {
		for j := range row {
			row[j] = math.Round(rng.NormFloat64()*5) / 5
		}
	}
	mixed := func(rng *rand.Rand, row []float64) { // one number and binary categories
		for j := range row {
			row[j] = float64(rng.IntN(2)) * 2
		}
		row[0] = rng.NormFloat64()
	}
	clusters := func(rng *rand.Rand, row []float64) {
		at := float64(rng.IntN(5))
		for j := range row {
			row[j] = at*float64(j+1) + 0.1*rng.NormFloat64()
		}
	}
	for _, of := range []struct {
		name       string
		fill       func(rng *rand.Rand, row []float64)
		dim        int
		copies     int
		jitter     float64
		from, upTo float64 // the share of samples
	}{
		{"normal", normal, 1, 1, 0, 0, 0},
		{"normal", normal, 2, 1, 0, 0, 0},
		{"normal", normal, 10, 1, 0, 0, 0},
		{"heavy", heavy, 1, 1, 0, 0, 0},
		{"heavy", heavy, 3, 1, 0, 0, 0},
		{"rounded", rounded, 2, 1, 0, 0, 0},
		{"mixed", mixed, 8, 1, 0, 0, 0},
		{"mixed", mixed, 4, 1, 0, 0, 0},
		{"mixed", mixed, 6, 1, 0, 0, 0},
		{"clusters", clusters, 3, 1, 0, 0, 0},
		{"two", normal, 3, 2, 0.003, 0.9, 1},
		{"four", normal, 3, 4, 0.003, 0.9, 1},
		{"ten", normal, 5, 10, 0.01, 0.9, 1},
		{"wide", normal, 20, 3, 0.05, 0.9, 1},
		{"plane", normal, 2, 3, 0.001, 0.8, 1},
	} {
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 1))
			const n = 240
			x, labels := mat.NewDense(n, of.dim, nil), make([]int, n)
			for i := range n {
				row := x.RawRowView(i)
				if first := i % (n / of.copies); first < i {
					for j, v := range x.RawRowView(first) {
						row[j] = v + of.jitter*rng.NormFloat64()
					}
				} else {
					of.fill(rng, row)
				}
				labels[i] = i % (n / of.copies) % 2
			}
			found := 0
			for i, list := range NearCopies(t.Context(), x, labels, 2) {
				if list != nil {
					found++
				}
				for _, m := range list {
					if labels[m] != labels[i] || m == i {
						t.Fatalf("%s: sample %d is a near copy of %d", of.name, i, m)
					}
				}
			}
			if share := float64(found) / n; share < of.from || share > of.upTo {
				t.Errorf("%s, %d features, seed %d: %.2f of the samples have near copies", of.name, of.dim, seed, share)
			}
		}
	}
}
