//go:build !race

package mpcvm_test

import (
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// With the race detector, sync.Pool drops items, so this test does not run.
func TestProbaOneAllocations(t *testing.T) {
	for _, c := range []int{2, 3, 11} {
		m, x := handmade(kernel.RBF{Theta: 0.05}, 7, 25, c, 1)
		m = m.WithScaling(make([]float64, 25), slices.Repeat([]float64{2}, 25)).WithTemperature(2)
		dst := make([]float64, c)
		if n := testing.AllocsPerRun(1000, func() { m.ProbaOne(dst, x.RawRowView(0)) }); n != 0 {
			t.Errorf("%d classes: %v allocations", c, n)
		}
	}
}
