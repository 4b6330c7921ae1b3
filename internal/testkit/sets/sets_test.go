package sets

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/data"
)

// TestLoad checks the sizes of the sets, and that they are standardised by the training data.
func TestLoad(t *testing.T) {
	sizes := map[string][2]int{
		"iris": {120, 30}, "wine": {142, 36}, "glass": {171, 43}, "breast": {546, 137},
		"vowel": {792, 198}, "wine-white": {3918, 980}, "letter": {4000, 4000},
	}
	if _, err := Load("nonsense"); err == nil {
		t.Error("nonsense: no error")
	}
	for name := range sizes {
		p, err := Load(name)
		if err != nil {
			if _, embedded := data.CSV(name); embedded == nil {
				t.Error(err)
			} else {
				t.Logf("SKIPPED %v", err)
			}
			continue
		}
		if p.Theta == 0 {
			t.Errorf("%s: no theta", name)
		}
		if got := [2]int{len(p.T), len(p.TTest)}; got != sizes[name] {
			t.Errorf("%s: %v rows, want %v", name, got, sizes[name])
		}
		n, d := p.X.Dims()
		for j := range d {
			mean := 0.0
			for i := range n {
				mean += p.X.At(i, j) / float64(n)
			}
			if math.Abs(mean) > 1e-9 {
				t.Errorf("%s: mean of feature %d is %g", name, j, mean)
			}
		}
	}
}
