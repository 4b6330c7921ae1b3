package nbhelpers_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

// The true potentials of Line: the counts are those in the comment of data.LineSeed.
func TestPotentialsOf(t *testing.T) {
	truth := nb.PotentialsOf(func(x float64) []float64 { y := data.LinePotentials(x); return y[:] })
	set := data.Line(data.LineSeed)
	if n := nb.Wrong(truth, set); n != 8 {
		t.Errorf("the true potentials are wrong about %d samples, not 8", n)
	}
	// two classes: p = Ψ((y₁ − y₂)/√2)
	two := nb.PotentialsOf(func(x float64) []float64 { return []float64{x, 0} })
	p := two.Proba(nil, mat.NewDense(2, 1, []float64{0, 3}))
	for i, gap := range []float64{0, 3} {
		want := math.Erfc(-gap/2) / 2
		if got := p.At(i, 0); math.Abs(got-want) > 1e-12 || math.Abs(p.At(i, 1)-(1-want)) > 1e-12 {
			t.Errorf("with a gap of %g p = %g and %g, not %g", gap, got, p.At(i, 1), want)
		}
	}
	if p := panicOf(func() { two.Proba(nil, mat.NewDense(1, 2, nil)) }); p == "" {
		t.Error("samples of two features are taken")
	}
}
