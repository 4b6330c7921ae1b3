package kernel

import (
	"errors"
	"fmt"
)

// Linear is the kernel k(x, y) = xᵀy + Offset. Offset has the unit of a squared
// feature and may be any finite number; the zero value is the scalar product. The
// value grows with the samples without bound.
type Linear struct{ Offset float64 }

// Value returns xᵀy + Offset.
func (k Linear) Value(x, y []float64) float64 { return dot(x, y) + k.Offset }

func (k Linear) String() string { return fmt.Sprintf("linear(offset=%g)", k.Offset) }

// Validate reports an Offset that is not finite.
func (k Linear) Validate() error { return finite("linear", "Offset", k.Offset) }

// Polynomial is the kernel k(x, y) = (Scale·xᵀy + Offset)^Degree. The value grows
// with the samples without bound, and overflows to infinity for a large Degree.
type Polynomial struct {
	// Degree is the exponent, 1 or more; zero means 2.
	Degree int
	// Scale has the unit 1/(feature unit)² and must be positive; zero means 1. With
	// D standardised features 1/D keeps the values near 1.
	Scale float64
	// Offset is what the scalar product is compared with: with 0 only products of
	// Degree features count, with a positive number those of fewer as well.
	Offset float64
}

// Value returns (Scale·xᵀy + Offset)^Degree.
func (k Polynomial) Value(x, y []float64) float64 {
	k = k.Resolved()
	return k.of(dot(x, y))
}

func (k Polynomial) String() string {
	k = k.Resolved()
	return fmt.Sprintf("polynomial(degree=%d, scale=%g, offset=%g)", k.Degree, k.Scale, k.Offset)
}

// Validate reports a negative Degree, a Scale that is negative or not finite and
// an Offset that is not finite.
func (k Polynomial) Validate() error {
	k = k.Resolved()
	var degree error
	if k.Degree < 1 {
		degree = fmt.Errorf("kernel: polynomial: Degree must be positive: %d", k.Degree)
	}
	return errors.Join(degree, positive("polynomial", "Scale", k.Scale), finite("polynomial", "Offset", k.Offset))
}

// Resolved returns the kernel with the defaults in place of zeros.
func (k Polynomial) Resolved() Polynomial {
	if k.Degree == 0 {
		k.Degree = 2
	}
	if k.Scale == 0 {
		k.Scale = 1
	}
	return k
}

// of is the value for the scalar product p, by repeated squaring.
func (k Polynomial) of(p float64) float64 {
	base, value := float64(k.Scale*p)+k.Offset, 1.0
	for n := k.Degree; n > 0; n >>= 1 {
		if n&1 == 1 {
			value *= base
		}
		base *= base
	}
	return value
}
