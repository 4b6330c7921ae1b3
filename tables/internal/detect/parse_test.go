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
	for text, want := range map[string]bool{"-0": true, ".5": true, "+5.": true, "": false, "-": false, ".": false,
		"1.2.3": false, "inf": false, "-nan": false, "0x1p4": false, "1e999": false} {
		v, err := strconv.ParseFloat(text, 64)
		if got, ok := Number(text); ok != want || ok && (err != nil || math.Float64bits(got) != math.Float64bits(v)) {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
}
