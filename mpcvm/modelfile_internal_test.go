package mpcvm

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// A model with a number that is not finite is not saved, because JSON cannot represent it.
func TestSaveFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for about, v := range map[string][4]float64{
		"bias": {nan, 1, 1, 1}, "x": {0, inf, 1, 1}, "weight": {0, 1, nan, 1}, "large weight": {0, 1, inf,
			1}, "theta": {0, 1, 1, nan},
	} {
		m := &Model{
			kernel: kernel.RBF{Theta: v[3]}, classes: 2, dim: 1, bias: []float64{v[0], 0},
			x: mat.NewDense(1, 1, []float64{v[1]}), index: []int{0}, label: []int{0}, weights: []column{{[]int{0},
				[]float64{v[2]}}, {}},
		}
		var b bytes.Buffer
		if err := m.Save(&b); err == nil || b.Len() > 0 || !strings.HasPrefix(err.Error(),
			"mpcvm: saving the model: ") {
			t.Errorf("%s: %d bytes, %v", about, b.Len(), err)
		}
	}
}
