package kernel

import (
	"cmp"
	"errors"
	"fmt"
)

// Polynomial is the kernel k(x, y) = (Scale·xᵀy + Offset)^Degree. Its values may
// overflow to infinity if Degree is large.
type Polynomial struct {
	// Degree is the exponent. It must not be negative. If it is zero, 2 is used.
	Degree int `json:"degree"`
	// Scale has the unit 1/(feature unit)² and must not be negative. With D
	// standardised features, 1/D keeps the values near 1. If it is zero, 1 is used.
	Scale float64 `json:"scale"`
	// Offset has no unit and must not be negative. If it is zero, the kernel contains
	// only products of Degree features; a positive Offset adds products of fewer.
	Offset float64 `json:"offset"`
}

func (Polynomial) name() string { return "polynomial" }

func (k Polynomial) String() string {
	k = k.resolved()
	return fmt.Sprintf("polynomial(degree=%d, scale=%g, offset=%g)", k.Degree, k.Scale, k.Offset)
}

// validate returns an error if Degree is negative, or if Scale or Offset is negative or
// not finite.
func (k Polynomial) validate() error {
	return errors.Join(k.validStored(), notNegative("polynomial", "Offset", k.Offset))
}

// validStored allows a negative Offset, which old model files may contain.
func (k Polynomial) validStored() error {
	k = k.resolved()
	var degree error
	if k.Degree < 1 {
		degree = fmt.Errorf("kernel: polynomial: Degree must be positive: %d", k.Degree)
	}
	return errors.Join(degree, positive("polynomial", "Scale", k.Scale), finite("polynomial", "Offset",
		k.Offset))
}

// resolved returns the kernel with zero values replaced by the defaults.
func (k Polynomial) resolved() Polynomial {
	k.Degree = cmp.Or(k.Degree, 2)
	k.Scale = cmp.Or(k.Scale, 1)
	return k
}

func (k Polynomial) withDefaults() named { return k.resolved() }

// ForFeatures returns the kernel with Scale 1/d if Scale is zero.
func (k Polynomial) ForFeatures(d int) Kernel {
	k.Scale = cmp.Or(k.Scale, 1/float64(d))
	return k
}

// Value returns (Scale·xᵀy + Offset)^Degree.
func (k Polynomial) Value(x, y []float64) float64 { return k.resolved().power(dot(x, y)) }

// Sum implements [OfSum].
func (k Polynomial) Sum() Sum {
	k = k.resolved()
	return Sum{Kind: Products, Values: k.fromSums,
		Formula: fmt.Sprintf("pow(%v*s+%v, %d)", k.Scale, k.Offset, k.Degree)}
}

func (k Polynomial) fromSums(v []float64) {
	for i, p := range v {
		v[i] = k.power(p)
	}
}

// power returns the value for the scalar product p, by repeated squaring.
func (k Polynomial) power(p float64) float64 {
	base, value := float64(k.Scale*p)+k.Offset, 1.0
	for n := k.Degree; n > 0; n >>= 1 {
		if n&1 == 1 {
			value *= base
		}
		base *= base
	}
	return value
}
