package kernel

import (
	"cmp"
	"fmt"
)

// Func makes a kernel of a Go function. F must be symmetric and safe for concurrent
// use. Name is what String returns; if it is empty, "func" is used.
type Func struct {
	Name string
	F    func(x, y []float64) float64
}

// Value returns F(x, y).
func (k Func) Value(x, y []float64) float64 { return k.F(x, y) }

// String returns the name.
func (k Func) String() string { return cmp.Or(k.Name, "func") }

// Validate reports a missing F.
func (k Func) Validate() error {
	if k.F == nil {
		return fmt.Errorf("kernel: %s: F is nil", k)
	}
	return nil
}
