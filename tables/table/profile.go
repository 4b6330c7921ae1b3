package table

import (
	"cmp"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/internal/quantile"
)

// Profile summarises the cells of a column in some rows of its table; see [Column.Profile].
type Profile struct {
	Rows     int // number of rows
	Missing  int // number of cells that are missing or faults
	Infinite int // number of cells that are infinite
	Distinct int // number of distinct values that are neither missing nor infinite
	// Whole reports whether all numbers are integers that a float64 represents exactly.
	Whole bool
	// Numbers contains the finite numbers or dates in ascending order. It is nil for other kinds.
	Numbers []float64
	// Counts contains the number of rows of each of Column.Levels. It is nil for numbers and dates.
	Counts []int
}

// Profile summarises the cells of the given rows (from 0), or of all rows if rows is nil.
func (c *Column) Profile(rows []int) *Profile {
	p := &Profile{Rows: c.Len()}
	at := func(k int) int { return k }
	if rows != nil {
		p.Rows, at = len(rows), func(k int) int { return rows[k] }
	}
	if c.Kind == Number || c.Kind == Date {
		p.numbers(c, at)
		return p
	}
	p.Counts = make([]int, len(c.Levels))
	for k := range p.Rows {
		switch i := at(k); {
		case c.Missing(i):
			p.Missing++
		case c.Kind == Boolean:
			p.Counts[int(c.Numbers[i])]++
		default:
			p.Counts[c.Codes[i]]++
		}
	}
	for _, n := range p.Counts {
		p.Distinct += min(n, 1)
	}
	return p
}

func (p *Profile) numbers(c *Column, at func(k int) int) {
	p.Numbers, p.Whole = make([]float64, 0, p.Rows), true
	for k := range p.Rows {
		switch v := c.Numbers[at(k)]; {
		case math.IsNaN(v):
			p.Missing++
		case math.IsInf(v, 0):
			p.Infinite++
		default:
			p.Numbers = append(p.Numbers, v)
		}
	}
	slices.Sort(p.Numbers)
	for k, v := range p.Numbers {
		if k == 0 || v != p.Numbers[k-1] {
			p.Distinct++
			p.Whole = p.Whole && v == math.Trunc(v) && math.Abs(v) < 1<<53
		}
	}
}

// Present returns the number of rows with a value.
func (p *Profile) Present() int { return p.Rows - p.Missing }

// Quantile returns a quantile of Numbers, which must not be empty, with share between 0 (the minimum) and 1
// (the maximum). Between two numbers, it is interpolated linearly.
func (p *Profile) Quantile(share float64) float64 { return quantile.Of(p.Numbers, share) }

// Steps returns up to most distinct numbers in ascending order, from the minimum to the maximum, and for each
// the number of rows with a number less than or equal to it. If there are more distinct numbers, about the
// same number of rows lies between those returned.
func (p *Profile) Steps(most int) (at []float64, below []int) {
	n := len(p.Numbers)
	for i, v := range p.Numbers {
		if i < n-1 && p.Numbers[i+1] == v { // only the last of several equal numbers
			continue
		}
		next, _ := quantile.Position(n, float64(len(at))/float64(most-1))
		if p.Distinct <= most || i >= next || i == n-1 {
			at, below = append(at, v), append(below, i+1)
		}
	}
	return at, below
}

// Frequent returns the levels that occur, as indices of Counts, the most frequent first.
func (p *Profile) Frequent() []int {
	order := make([]int, 0, p.Distinct)
	for level, n := range p.Counts {
		if n > 0 {
			order = append(order, level)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Counts[b], p.Counts[a]) })
	return order
}
