package export

import (
	"math"
	"testing"
)

// TestMillsPolynomial: the polynomial is accurate to 13 digits in its range.
func TestMillsPolynomial(t *testing.T) {
	p := millsPolynomial()
	for v := 0.0; v < 120; v += 1. / 64 {
		x, sum := (v-millsMiddle)/(v+millsMiddle), 0.0
		for i := len(p) - 1; i >= 0; i-- {
			sum = sum*x + p[i]
		}
		if want := mills(v); math.Abs(sum/(1+v)/want-1) > 1e-13 {
			t.Errorf("R(%g) is %g, want %g", v, sum/(1+v), want)
		}
	}
	// R(0), and R(20) computed by the series and by erfc.
	if far := math.Sqrt(math.Pi/2) * math.Exp(200) *
		math.Erfc(20/math.Sqrt2); math.Abs(mills(0)-math.Sqrt(math.Pi/2)) > 1e-15 ||
		math.Abs(mills(20)/far-1) > 1e-13 {
		t.Errorf("R(0) is %g, R(20) is %g and %g", mills(0), mills(20), far)
	}
}
