// Package kernel has the basis functions φ_m(x) = k(x, x_m) of kernel machines,
// and their matrices, in parallel and with the same bits on any number of cores.
//
//	RBF          exp(−θ‖x − y‖²)              the usual choice
//	ARD          exp(−Σ_d θ_d(x_d − y_d)²)    a width for each feature
//	Laplacian    exp(−θ Σ_d|x_d − y_d|)       rougher, forgives outlying features
//	LaplacianARD exp(−Σ_d θ_d|x_d − y_d|)     a width for each feature
//	Linear       xᵀy + offset
//	Polynomial   (scale·xᵀy + offset)^degree
//	Precomputed  K_ij                         a matrix computed elsewhere
//	Func         whatever you like
//
// Any other type with the two methods of [Kernel] serves as well.
//
// A value has the same bits from Value, [Row], [Rows], [Gram] and [Cross], in Go
// and in the assembly for AVX2 and AVX-512, on every machine (of NaN the bits are
// not said). [Gram32] rounds it. To that end no product is fused with a sum, and
// the exponential function is one of this package, within one unit in the last
// place.
//
// The first four are in [0, 1] for all finite samples, however large: a distance
// that overflows counts as infinite, where the kernel is 0. A feature that is NaN
// gives NaN.
package kernel

import (
	"errors"
	"fmt"
	"math"
)

// Kernel is a symmetric function of two samples. An implementation must be safe
// for concurrent use. One that has a method Validate() error is checked by it, see
// [Validate].
type Kernel interface {
	// Value returns k(x, y) of two samples of equal length.
	Value(x, y []float64) float64
	// String names the kernel with its parameters.
	String() string
}

// Validate returns an error that says which parameter of k cannot be used, or nil.
// The kernels of this package do not check their parameters themselves.
func Validate(k Kernel) error {
	if k == nil {
		return errors.New("kernel: no kernel")
	}
	if v, ok := k.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// Func makes a kernel of a function. F must be symmetric and safe for concurrent
// use; Name is what String returns, "func" if it is empty.
type Func struct {
	Name string
	F    func(x, y []float64) float64
}

// Value returns F(x, y).
func (k Func) Value(x, y []float64) float64 { return k.F(x, y) }

// String returns the name.
func (k Func) String() string {
	if k.Name == "" {
		return "func"
	}
	return k.Name
}

// Validate reports a missing F.
func (k Func) Validate() error {
	if k.F == nil {
		return fmt.Errorf("kernel: %s: F is nil", k)
	}
	return nil
}

// positive checks a parameter that must be positive and finite.
func positive(kernel, name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 0) {
		return fmt.Errorf("kernel: %s: %s must be positive and finite: %v", kernel, name, v)
	}
	return nil
}

// finite checks a parameter that must be finite.
func finite(kernel, name string, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("kernel: %s: %s must be finite: %v", kernel, name, v)
	}
	return nil
}
