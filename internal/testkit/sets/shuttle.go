package sets

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
)

// Shuttle returns n samples that resemble the data set Shuttle: 9 features, integers with outliers,
// and 7 classes. The first class has 79 % of the samples; two have about a dozen of 58,000. Every
// seed draws from the same density.
func Shuttle(n int, seed uint64) *data.Set {
	var centre [7][3][9]float64 // three clouds per class
	rng := rand.New(rand.NewPCG(77, 1))
	for c := range centre {
		for k := range centre[c] {
			for d := range centre[c][k] {
				centre[c][k][d] = 1.6 * rng.NormFloat64()
			}
		}
	}
	count, rest := []int{0, 50, 171, 8903, 3267, 10, 13}, n
	for c := 1; c < len(count); c++ {
		count[c] = max(2, count[c]*n/58000)
		rest -= count[c]
	}
	count[0] = rest
	set := &data.Set{Name: "shuttle", X: mat.NewDense(n, 9, nil)}
	for d := range 9 {
		set.Features = append(set.Features, fmt.Sprint("x", d+1))
	}
	rng = rand.New(rand.NewPCG(seed, 9))
	for c, m := range count {
		set.Classes = append(set.Classes, fmt.Sprint(c+1))
		for range m {
			cloud := centre[c][rng.IntN(3)]
			for d, v := range cloud {
				if v += 0.6 * rng.NormFloat64(); rng.IntN(300) == 0 {
					v *= 8
				}
				set.X.Set(len(set.T), d, math.Round(10*v))
			}
			set.T = append(set.T, c)
		}
	}
	return set
}
