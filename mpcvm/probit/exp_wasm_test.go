package probit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExp: exp has the bits of math.Exp.
func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	list := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e-300, -1e-9, 3e-9, 4e-9, -4e-9,
		700, -700, 699.99999, -699.99999, 709.7, 710, -708.4, -745, -746}
	for range 1_000_000 {
		list = append(list, -750*rng.Float64(), 100*rng.NormFloat64(), rng.NormFloat64())
	}
	for _, x := range list {
		if got, want := exp(x), math.Exp(x); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("exp(%v) is %v, want %v", x, got, want)
		}
	}
}
