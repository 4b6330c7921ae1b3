package mpcvm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// problem returns a small random problem: blobs, pure noise, separable, with repeated samples, a
// constant feature or a class with one sample.
func problem(rng *rand.Rand) (x *mat.Dense, t []int, k kernel.Kernel, about string) {
	c, d := 2+rng.IntN(7), 1+rng.IntN(5)
	n := max(5+rng.IntN(56), c)
	x, t = mat.NewDense(n, d, nil), make([]int, n)
	spread := []float64{0, 1, 5}[rng.IntN(3)]
	tiny := rng.IntN(3) == 0 // all classes except the first have few samples
	for i := range n {
		t[i] = i % c
		if i >= c && (tiny && rng.IntN(8) > 0 || rng.IntN(3) == 0) {
			t[i] = 0
		}
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+spread*float64((t[i]*(j+3))%c))
		}
	}
	kind := rng.IntN(5)
	switch kind {
	case 0: // repeated samples, some with a different label
		for i := 1; i < n; i += 2 {
			x.SetRow(i, slices.Clone(x.RawRowView(i-1)))
		}
	case 1: // a constant feature
		for i := range n {
			x.Set(i, 0, 7)
		}
	case 2: // all samples the same
		if rng.IntN(4) == 0 {
			for i := range n {
				x.SetRow(i, make([]float64, d))
			}
		}
	}
	theta := math.Pow(10, 12*rng.Float64()-6)
	if rng.IntN(2) == 0 {
		theta = math.Pow(10, 3*rng.Float64()-2)
	}
	return x, t, kernel.RBF{Theta: theta}, fmt.Sprintf("N %d, C %d, D %d, kind %d, spread %g, theta %.3g", n, c,
		d, kind, spread, theta)
}
