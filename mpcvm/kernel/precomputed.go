package kernel

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Precomputed is a kernel whose values k(i, j) = K_ij were computed elsewhere, for example for strings or
// graphs, which do not have features. A sample has a single feature, its index into K (see [Indices]), which
// must not be standardised.
//
// K has a column for each training sample, and a row for each training sample followed by a row for each
// sample to predict. The square block of the training samples must be symmetric.
type Precomputed struct{ K mat.Matrix }

// Value returns the element of K in row x[0] and column y[0], or NaN if either index is NaN. It panics if
// they are not indices into K.
func (k Precomputed) Value(x, y []float64) float64 {
	if len(x) != 1 || len(y) != 1 {
		panic(fmt.Sprintf("kernel: precomputed: a sample must have 1 feature, its index, not %d",
			max(len(x), len(y))))
	}
	if math.IsNaN(x[0]) || math.IsNaN(y[0]) {
		return math.NaN()
	}
	r, c := k.K.Dims()
	return k.K.At(index(x[0], r), index(y[0], c))
}

func (k Precomputed) String() string {
	if k.K == nil {
		return "precomputed(nil)"
	}
	r, c := k.K.Dims()
	return fmt.Sprintf("precomputed(%d×%d)", r, c)
}

// validate returns an error if K is nil or empty, or if a value of K is not finite.
func (k Precomputed) validate() error {
	if k.K == nil {
		return errors.New("kernel: precomputed: K is nil")
	}
	r, c := k.K.Dims()
	if r == 0 || c == 0 {
		return fmt.Errorf("kernel: precomputed: K is %d×%d", r, c)
	}
	for i := range r {
		for j := range c {
			if v := k.K.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("kernel: precomputed: K[%d,%d] must be finite: %v", i, j, v)
			}
		}
	}
	return nil
}

// CheckFeatures returns an error unless d is 1, because the only feature of a sample is its index.
func (k Precomputed) CheckFeatures(d int) error {
	if d != 1 {
		return fmt.Errorf("kernel: precomputed: a sample must have 1 feature, its index, not %d", d)
	}
	return nil
}

// index converts a feature to an index below n. It panics if that is not possible.
func index(v float64, n int) int {
	i := int(v)
	if float64(i) != v || i < 0 || i >= n {
		panic(fmt.Sprintf("kernel: precomputed: %v is not an index below %d", v, n))
	}
	return i
}

// Indices returns n samples (n×1) with the indices 0 to n−1, for use with [Precomputed].
func Indices(n int) *mat.Dense {
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i))
	}
	return x
}
