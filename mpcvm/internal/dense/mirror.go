package dense

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
)

// CopyLower copies the lower triangle of the square matrix a to its upper one, in
// blocks that stay in the cache.
func CopyLower(a *mat.Dense) {
	const block = 32
	n, _ := a.Dims()
	raw := a.RawMatrix()
	par.For(n, block, func(lo, hi int) { // rows lo..hi of the upper triangle
		for j0 := lo; j0 < n; j0 += block {
			for i := lo; i < hi; i++ {
				for j := max(j0, i+1); j < min(j0+block, n); j++ {
					raw.Data[i*raw.Stride+j] = raw.Data[j*raw.Stride+i]
				}
			}
		}
	})
}
