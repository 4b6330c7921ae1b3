package detect

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestNumber compares numbers with up to 17 digits, in decimal and scientific notation, with strconv.
func TestNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 100000 {
		v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(30)-15))
		text := strconv.FormatFloat(v, "feg"[rng.IntN(3)], rng.IntN(18), 64)
		want, _ := strconv.ParseFloat(text, 64)
		if got, ok := Number(text); !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "-", ".", "1.2.3", "inf", "-nan", "0x1p4", "1e999"} {
		if got, ok := Number(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]float64{"-0": math.Copysign(0, -1), ".5": 0.5, "+5.": 5} {
		if got, ok := Number(text); !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
}
