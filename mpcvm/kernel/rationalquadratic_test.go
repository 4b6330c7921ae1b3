package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLog1p: the error is at most two units in the last place for all positive numbers.
func TestLog1p(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 200000 {
		u := math.Exp(1400*rng.Float64() - 700)
		want := math.Log1p(u)
		if got := log1p(u); math.Abs(got-want) > 2*(math.Nextafter(want, math.Inf(1))-want) {
			t.Fatalf("log1p(%v) is %v, want %v", u, got, want)
		}
	}
	for u, want := range map[float64]float64{0: 0, 5e-324: 5e-324, 1: math.Ln2, math.Inf(1): math.Inf(1),
		-1: math.NaN(), math.NaN(): math.NaN()} {
		if got := log1p(u); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("log1p(%v) is %v, want %v", u, got, want)
		}
	}
}

// TestValueBits: values have the same bits on every machine, even if it could fuse products and sums.
func TestValueBits(t *testing.T) {
	x, y := []float64{0.1, -0.7, 1.3}, []float64{0.4, 0.2, 1.1}
	for k, want := range map[Kernel]uint64{
		Matern32{0.7}: 0x3fda360716a53387, Matern52{0.7}: 0x3fdc57ff991bd380,
		RationalQuadratic{0.7, 0}: 0x3fe34ce4842b3b9a, RationalQuadratic{0.3, 2.7}: 0x3fe878b7a41f8711,
		RationalLaplacian{0.7}: 0x3fe0295fad40a57f,
	} {
		if got := math.Float64bits(k.Value(x, y)); got != want {
			t.Errorf("%v: %#x", k, got)
		}
	}
}
