package kernel

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Precomputed is a kernel whose values were computed elsewhere, for example between strings or graphs,
// which have no features: k(i, j) = K_ij. A sample has a single feature, its index into K (see Indices),
// which must not be standardised.
//
// K has a column for each training sample, and a row for each training sample followed by a row for each
// sample to predict. The square block of the training samples is symmetric.
type Precomputed struct{ K mat.Matrix }

// Value returns K at row x[0], column y[0]; NaN if either is NaN. It panics if
// they are not indices into K.
func (k Precomputed) Value(x, y []float64) float64 {
	if len(x) != 1 || len(y) != 1 {
		panic(fmt.Sprintf("kernel: precomputed: a sample is one index, not %d features", max(len(x), len(y))))
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

// Validate reports a missing or empty K, or a value of it that is not finite.
func (k Precomputed) Validate() error {
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

// CheckFeatures reports samples with other than the one feature that is their index.
func (k Precomputed) CheckFeatures(d int) error {
	if d != 1 {
		return fmt.Errorf("kernel: precomputed: a sample has 1 feature, its index, not %d", d)
	}
	return nil
}

// index returns a feature as an index below n. It panics if it is none.
func index(v float64, n int) int {
	i := int(v)
	if float64(i) != v || i < 0 || i >= n {
		panic(fmt.Sprintf("kernel: precomputed: %v is not an index below %d", v, n))
	}
	return i
}

// Indices returns n samples (n×1) that hold the indices 0 to n−1, for
// [Precomputed].
func Indices(n int) *mat.Dense {
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i))
	}
	return x
}
