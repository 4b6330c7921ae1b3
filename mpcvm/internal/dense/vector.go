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

// Dot32 returns xᵀy with y in float32. Products and sums are float64. It panics if the
// lengths differ.
func Dot32(x []float64, y []float32) float64 {
	if len(x) != len(y) {
		panic(fmt.Sprintf("dense: Dot32: lengths %d and %d", len(x), len(y)))
	}
	return dot32(cpu.Vector(), x, y)
}

// Combine does y += Σ_i w_i·rows_i. It panics if a row is shorter than y; what is beyond
// the length of y is not read. y must not overlap the rows.
func Combine(y, w []float64, rows [][]float64) {
	checkCombine("Combine", y, w, rows)
	combine(cpu.Vector(), y, w, rows)
}

// Combine32 is Combine with rows in float32. Products and sums are float64.
func Combine32(y, w []float64, rows [][]float32) {
	checkCombine("Combine32", y, w, rows)
	combine32(cpu.Vector(), y, w, rows)
}

func checkCombine[T any](name string, y, w []float64, rows [][]T) {
	if len(w) != len(rows) {
		panic(fmt.Sprintf("dense: %s: %d weights for %d rows", name, len(w), len(rows)))
	}
	for i, row := range rows {
		if len(row) < len(y) {
			panic(fmt.Sprintf("dense: %s: row %d has %d numbers, y %d", name, i, len(row), len(y)))
		}
	}
}
