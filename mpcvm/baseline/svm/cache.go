package svm

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// rows has the rows of a kernel matrix. A row is valid until the second next call.
type rows interface{ row(i int) []float64 }

// wholeGram is a matrix in memory.
type wholeGram struct{ *mat.Dense }

func (g wholeGram) row(i int) []float64 { return g.RawRowView(i) }

// cache computes rows on demand and keeps those used last.
type cache struct {
	x      *mat.Dense // the samples of rows and columns
	values *kernel.Rows
	limit  int // the largest number of rows that are kept, 2 or more
	kept   [][]float64
	used   []int // when each was used last
	clock  int
	held   []int // the rows that are kept
}

// newCache returns a cache of at most this many bytes, but of two rows at least.
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
	if len(c.held) < c.limit {
		row = make([]float64, len(c.kept))
		c.held = append(c.held, i)
	} else {
		oldest := 0
		for h, k := range c.held {
			if c.used[k] < c.used[c.held[oldest]] {
				oldest = h
			}
		}
		k := c.held[oldest]
		row, c.kept[k], c.held[oldest] = c.kept[k], nil, i
	}
	c.values.At(row, c.x.RawRowView(i))
	c.kept[i] = row
	return row
}
