package dense

import (
	"fmt"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// Dot returns xᵀy. It panics if the lengths differ.
func Dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic(fmt.Sprintf("dense: Dot: lengths %d and %d", len(x), len(y)))
	}
	return dot(cpu.Vector(), x, y)
}

// Combine computes y += Σ_i w_i·rows_i; products and sums are in float64. It panics if a row is shorter than
// y; elements beyond the length of y are not read. y must not overlap the rows.
func Combine[T float32 | float64](y, w []float64, rows [][]T) {
	if len(w) != len(rows) {
		panic(fmt.Sprintf("dense: Combine: %d weights for %d rows", len(w), len(rows)))
	}
	for i, row := range rows {
		if len(row) < len(y) {
			panic(fmt.Sprintf("dense: Combine: row %d has %d numbers, y %d", i, len(row), len(y)))
		}
	}
	combine(cpu.Vector(), y, w, rows)
}

// Widen copies src to dst. It panics if src is longer than dst.
func Widen(dst []float64, src []float32) { widen(cpu.Vector(), dst[:len(src)], src) }
