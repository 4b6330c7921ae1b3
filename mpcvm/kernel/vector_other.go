//go:build (!amd64 && !(wasm && simd128)) || purego

package kernel

func vectorSums(_ term, _ []float64, _ int, _ []float64, _, _ int, _ []octet, _, _ int, _ []float64) bool {
	return false
}

func vectorDecays(_ float64, _ []float64) int { return 0 }

func vectorTranspose(_, _ []float64, _ int) bool { return false }
