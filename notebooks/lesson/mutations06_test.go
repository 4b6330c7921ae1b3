package lesson_test

import (
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
)

// rules are mistakes in the precision that C weights share. The numbers are C, s, Σq² and the largest q².
func rules(c *catalogue) {
	type shared = mistake[func(s float64, q []float64) float64]
	of := func(f func(n, s, sum, most float64) float64) func(s float64, q []float64) float64 {
		return func(s float64, q []float64) float64 {
			most := max(slices.Max(q), -slices.Min(q))
			return f(float64(len(q)), s, floats.Dot(q, q), most*most)
		}
	}
	above := func(is bool, alpha float64) float64 {
		if is {
			return alpha
		}
		return math.Inf(1)
	}
	best := func(n, s, sum float64) float64 { return n * s * s / (sum - n*s) }
	run(c, "shared", lesson.CheckShared, []shared{
		{"right", of(func(n, s, v, _ float64) float64 { return above(v > n*s, best(n, s, v)) }), ""},
		{"not written", func(float64, []float64) float64 { panic(lesson.Unwritten("shared")) }, "not yet"},
		{"forgotten", of(func(_, s, v, _ float64) float64 { return above(v > s, s*s/(v-s)) }), "each of the C"},
		{"forgotten", of(func(n, s, v, _ float64) float64 { return above(v > n*s, s*s/(v-n*s)) }), "numerator"},
		{"square", of(func(n, s, v, _ float64) float64 { return above(v > n*s, n*s/(v-n*s)) }), "numerator"},
		{"square", of(func(n, s, v, _ float64) float64 { return above(v > n*s, n*best(n, s, v)) }), "numerator"},
		{"case", of(func(n, s, v, _ float64) float64 { return best(n, s, v) }), "is α = ∞"},
		{"case", of(func(n, s, v, _ float64) float64 { return max(0, best(n, s, v)) }), "is α = ∞"},
		{"case", of(func(n, s, v, _ float64) float64 { return above(v > s, best(n, s, v)) }), "only if Σq² > Cs"},
		{"case", of(func(n, s, v, q float64) float64 { return above(q > s, best(n, s, v)) }), "whatever the"},
		{"index", of(func(_, s, _, q float64) float64 { return above(q > s, s*s/(q-s)) }), "all classes are added"},
		{"inverse", of(func(n, s, v, _ float64) float64 { return above(v > n*s, 1/best(n, s, v)) }), "variance"},
		{"sign", of(func(n, s, v, _ float64) float64 { return above(v > n*s, -best(n, s, v)) }), "sign is wrong"},
	})
}

// tables are the cards of 08 and 09.
func tables(c *catalogue) {
	type recall = mistake[func(counts [][]int, c int) float64]
	// of passes the diagonal, the sums of the row and of the column, of all counts and of all on the diagonal.
	of := func(f func(found, row, column, all, hits float64) float64) func(counts [][]int, c int) float64 {
		return func(counts [][]int, c int) float64 {
			var row, column, all, hits float64
			for i := range counts {
				row, column, hits = row+float64(counts[c][i]), column+float64(counts[i][c]), hits+float64(counts[i][i])
				for _, n := range counts[i] {
					all += float64(n)
				}
			}
			return f(float64(counts[c][c]), row, column, all, hits)
		}
	}
	right := of(func(found, row, _, _, _ float64) float64 { return found / row })
	run(c, "recall", lesson.CheckRecall, []recall{
		{"right", right, ""},
		{"index", of(func(found, _, column, _, _ float64) float64 { return found / column }), "the precision"},
		{"index", func(m [][]int, c int) float64 { return right(m, c-1) }, "off by one"},
		{"sum", of(func(found, _, _, all, _ float64) float64 { return found / all }), "not by all samples"},
		{"sum", of(func(_, _, _, all, hits float64) float64 { return hits / all }), "the accuracy"},
		{"forgotten", of(func(found, _, _, _, _ float64) float64 { return found }), "divide by the number"},
		{"forgotten", of(func(_, row, _, all, _ float64) float64 { return row / all }), "the frequency"},
		{"other share", func(m [][]int, c int) float64 { return 1 - right(m, c) }, "is missed"},
		{"unit", func(m [][]int, c int) float64 { return 100 * right(m, c) }, "in per cent"},
		{"integers", func(m [][]int, c int) float64 { return math.Floor(right(m, c)) }, "float64"},
		{"odds", of(func(found, row, _, _, _ float64) float64 { return found / (row - found) }), "belong to"},
		{"mean", of(func(found, row, column, _, _ float64) float64 { return 2 * found / (row + column) }), "F₁"},
	})
	all := []string{"studyName", "Sample Number", "Date Egg", "Comments", "Region", "Stage"}
	list := func(names ...string) func() []string { return func() []string { return names } }
	tries := []mistake[func() []string]{
		{"right", list(all...), ""},
		{"not written", func() []string { panic(lesson.Unwritten("leaks")) }, "not yet"},
		{"target", list(append(all, "Species")...), "it is the target"},
		{"feature", list("Island"), "where a new bird lives"},
		{"id", list(append(all, "Individual ID")...), "in the same fold"},
	}
	for i, want := range []string{"an expedition", "the order", "comes later", "a single bird", "same", "same"} {
		tries = append(tries, mistake[func() []string]{"forgotten",
			list(slices.Delete(slices.Clone(all), i, i+1)...), want})
	}
	run(c, "leaks", lesson.CheckLeaks, tries)
}
