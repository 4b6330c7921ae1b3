package eval

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
)

// TestShares tests properties of Shapley values: they add up, sampled values are within four standard
// errors of the exact ones, and a column without influence has a share of zero.
func TestShares(t *testing.T) {
	all := openPenguins(t, []string{"Comments", "Sample Number", "studyName", "Region", "Stage"})
	m, _, err := model.Fit(context.Background(), all, "Species",
		mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.05}})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for row := 0; row < all.Rows; row += 40 {
		x, err := Explain(m, all, row)
		if err != nil {
			t.Fatal(err)
		}
		base, list, err := x.Shares()
		if err != nil || len(list) == 0 {
			t.Fatal(list, err)
		}
		rows++
		sum := base
		for _, s := range list {
			sum += s.Add
		}
		if math.Abs(sum-x.Proba[x.Label]) > 1e-9 {
			t.Errorf("row %d: the shares add up to %v, the probability is %v", row, sum, x.Proba[x.Label])
		}
	}
	if rows < 5 {
		t.Error("too few rows were tested")
	}
	// A game of ten players with known Shapley values: v(S) = (Σ a_k)² has the values a_k Σ a_j. The last
	// player contributes nothing.
	a := []float64{0.1, 0.3, -0.2, 0.05, 0.4, 0.2, 0.1, 0.15, -0.1, 0}
	game := func(sets []uint64) (v []float64) {
		for _, set := range sets {
			sum := 0.0
			for k := range a {
				if set>>k&1 == 1 {
					sum += a[k]
				}
			}
			v = append(v, sum*sum)
		}
		return v
	}
	total := 0.0
	for _, v := range a {
		total += v
	}
	exactly, drawn, ses := make([]float64, len(a)), make([]float64, len(a)), make([]float64, len(a))
	exact(game, exactly)
	sampled(game, drawn, ses)
	for k, v := range a {
		if want := v * total; math.Abs(exactly[k]-want) > 1e-12 || math.Abs(drawn[k]-want) > 4*ses[k]+1e-12 {
			t.Errorf("player %d: exact %v, drawn %v ± %v, want %v", k, exactly[k], drawn[k], ses[k], want)
		}
	}
	plain := model.NewModel(m.Model(), nil)
	x, err := Explain(plain, all, 0)
	if err == nil {
		if _, _, err = x.Shares(); !errors.Is(err, recipe.ErrNoProfile) {
			t.Errorf("without a recipe: %v", err)
		}
	}
}
