package kernel

import "fmt"

// Linear is the kernel k(x, y) = xᵀy + Offset. Offset has the unit of a squared
// feature and must not be negative. If it is zero, the kernel is the scalar product.
type Linear struct {
	Offset float64 `json:"offset"`
}

func (Linear) name() string { return "linear" }

func (k Linear) String() string { return fmt.Sprintf("linear(offset=%g)", k.Offset) }

// validate returns an error if Offset is negative or not finite.
func (k Linear) validate() error { return notNegative("linear", "Offset", k.Offset) }

// validStored allows a negative Offset, which old model files may contain.
func (k Linear) validStored() error { return finite("linear", "Offset", k.Offset) }

// Value returns xᵀy + Offset.
func (k Linear) Value(x, y []float64) float64 { return dot(x, y) + k.Offset }

// Sum implements [OfSum].
func (k Linear) Sum() Sum {
	return Sum{Kind: Products, Values: k.fromSums, Formula: fmt.Sprintf("s+%v", k.Offset)}
}

func (k Linear) fromSums(v []float64) {
	for i := range v {
		v[i] += k.Offset
	}
}
