package kernel

import (
	"cmp"
	"fmt"
)

// Func adapts a Go function to a kernel. F must be symmetric and safe for concurrent
// use. String returns Name, or "func" if Name is empty.
type Func struct {
	Name string
	F    func(x, y []float64) float64
}

// Value returns F(x, y).
func (k Func) Value(x, y []float64) float64 { return k.F(x, y) }

// String returns the name.
func (k Func) String() string { return cmp.Or(k.Name, "func") }

// validate returns an error if F is nil.
func (k Func) validate() error {
	if k.F == nil {
		return fmt.Errorf("kernel: %s: F is nil", k)
	}
	return nil
}
