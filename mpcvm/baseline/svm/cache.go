package svm

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// rows provides the rows of a kernel matrix. A row stays valid during the next call of row, but no longer.
type rows interface{ row(i int) []float64 }

// wholeGram is a kernel matrix in memory.
type wholeGram struct{ *mat.Dense }

func (g wholeGram) row(i int) []float64 { return g.RawRowView(i) }

// cache computes rows on demand and keeps the rows that were used last.
type cache struct {
	x      *mat.Dense // samples of the rows and columns
	values *kernel.Rows
	limit  int // maximum number of stored rows, at least 2
	kept   [][]float64
	used   []int // time of the last use of each row
	clock  int
	stored []int // indices of the stored rows
}

// newCache returns a cache of at most the given number of bytes, but of at least two rows.
func newCache(k kernel.Kernel, x *mat.Dense, bytes float64) *cache {
	n, _ := x.Dims()
	return &cache{
		x: x, values: kernel.NewRows(k, x), limit: int(min(max(bytes/8/float64(n), 2), float64(n))),
		kept: make([][]float64, n), used: make([]int, n),
	}
}

func (c *cache) row(i int) []float64 {
	c.clock++
	c.used[i] = c.clock
	if c.kept[i] != nil {
		return c.kept[i]
	}
	var row []float64
	if len(c.stored) < c.limit {
		row = make([]float64, len(c.kept))
		c.stored = append(c.stored, i)
	} else {
		oldest := 0
		for h, k := range c.stored {
			if c.used[k] < c.used[c.stored[oldest]] {
				oldest = h
			}
		}
		k := c.stored[oldest]
		row, c.kept[k], c.stored[oldest] = c.kept[k], nil, i
	}
	c.values.At(row, c.x.RawRowView(i))
	c.kept[i] = row
	return row
}
