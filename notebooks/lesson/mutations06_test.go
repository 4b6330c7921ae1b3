package lesson_test

import (
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
)

// tables are the cards of 06, 08 and 09.
func tables(c *catalogue) {
	type shared = mistake[func(s float64, q []float64) float64]
	// at returns the function that is infinite up to a threshold of Σq² in units of s, and f above it.
	at := func(threshold func(n float64) float64, f func(n, s, sum float64) float64) func(s float64, q []float64) float64 {
		return func(s float64, q []float64) float64 {
			n, sum := float64(len(q)), floats.Dot(q, q)
			if sum <= threshold(n)*s {
				return math.Inf(1)
			}
			return f(n, s, sum)
		}
	}
	none := func(float64) float64 { return -1 }
	unit := func(float64) float64 { return 1 }
	best := func(n, s, sum float64) float64 { return n * s * s / (sum - n*s) }
	largest := func(f func(s, q float64) float64) func(s float64, q []float64) float64 {
		return func(s float64, q []float64) float64 {
			if most := max(slices.Max(q), -slices.Min(q)); most*most > s {
				return f(s, most)
			}
			return math.Inf(1)
		}
	}
	run(c, "shared", lesson.CheckShared, []shared{
		{"right", at(same, best), ""},
		{"not written", func(float64, []float64) float64 { panic(lesson.Unwritten("shared")) }, "not yet"},
		{"forgotten", at(unit, func(_, s, sum float64) float64 { return s * s / (sum - s) }), "each of the C weights"},
		{"forgotten", at(same, func(n, s, sum float64) float64 { return s * s / (sum - n*s) }), "the numerator"},
		{"square", at(same, func(n, s, sum float64) float64 { return n * s / (sum - n*s) }), "the numerator"},
		{"square", at(same, func(n, s, sum float64) float64 { return n * n * s * s / (sum - n*s) }), "the numerator"},
		{"case", at(none, best), "is α = ∞"},
		{"case", at(none, func(n, s, sum float64) float64 { return max(0, best(n, s, sum)) }), "is α = ∞"},
		{"threshold", at(unit, best), "only if Σq² > Cs"},
		{"threshold", func(s float64, q []float64) float64 {
			return largest(func(s, _ float64) float64 { return best(float64(len(q)), s, floats.Dot(q, q)) })(s, q)
		}, "whatever the largest"},
		{"index", largest(func(s, q float64) float64 { return s * s / (q*q - s) }), "all classes are added"},
		{"square", func(s float64, q []float64) float64 {
			sum := floats.Sum(q)
			return at(same, best)(s, append([]float64{sum}, make([]float64, len(q)-1)...))
		}, "squares of the q"},
		{"inverse", at(same, func(n, s, sum float64) float64 { return 1 / best(n, s, sum) }), "the variance"},
		{"sign", at(same, func(n, s, sum float64) float64 { return -best(n, s, sum) }), "sign is wrong"},
	})
	type recall = mistake[func(counts [][]int, c int) float64]
	row := func(counts [][]int, c int) (n float64) {
		for _, k := range counts[c] {
			n += float64(k)
		}
		return n
	}
	column := func(counts [][]int, c int) (n float64) {
		for _, r := range counts {
			n += float64(r[c])
		}
		return n
	}
	total := func(counts [][]int) (n float64) {
		for i := range counts {
			n += row(counts, i)
		}
		return n
	}
	found := func(counts [][]int, c int) float64 { return float64(counts[c][c]) }
	run(c, "recall", lesson.CheckRecall, []recall{
		{"right", func(m [][]int, c int) float64 { return found(m, c) / row(m, c) }, ""},
		{"index", func(m [][]int, c int) float64 { return found(m, c) / column(m, c) }, "the precision"},
		{"index", func(m [][]int, c int) float64 { return found(m, c-1) / row(m, c-1) }, "off by one"},
		{"sum", func(m [][]int, c int) float64 { return found(m, c) / total(m) }, "not by all samples"},
		{"sum", func(m [][]int, _ int) (hits float64) {
			for i := range m {
				hits += found(m, i) / total(m)
			}
			return hits
		}, "the accuracy"},
		{"forgotten", found, "divide by the number"},
		{"forgotten", func(m [][]int, c int) float64 { return row(m, c) / total(m) }, "the frequency"},
		{"other share", func(m [][]int, c int) float64 { return 1 - found(m, c)/row(m, c) }, "is missed"},
		{"unit", func(m [][]int, c int) float64 { return 100 * found(m, c) / row(m, c) }, "in per cent"},
		{"integers", func(m [][]int, c int) float64 { return float64(m[c][c] / int(row(m, c))) }, "float64"},
		{"odds", func(m [][]int, c int) float64 { return found(m, c) / (row(m, c) - found(m, c)) }, "belong to the class"},
		{"mean", func(m [][]int, c int) float64 { return 2 * found(m, c) / (row(m, c) + column(m, c)) }, "F₁"},
	})
	type leaks = mistake[func() []string]
	all := []string{"studyName", "Sample Number", "Date Egg", "Comments", "Region", "Stage"}
	list := func(names ...string) func() []string { return func() []string { return names } }
	tries := []leaks{
		{"right", list(all...), ""},
		{"not written", func() []string { panic(lesson.Unwritten("leaks")) }, "not yet"},
		{"target", list(append(all, "Species")...), "it is the target"},
		{"feature", list(append(all, "Sex")...), `"Sex" may stay`},
		{"feature", list("Island"), "where a new bird lives"},
		{"id", list(append(all, "Individual ID")...), "in the same fold"},
		{"spelling", list(append(all, "study name")...), `no column "study name"`},
		{"none", list(), "the order in which"},
	}
	for i, want := range []string{"an expedition", "the order in which", "comes later", "a single bird", "same for all", "same for all"} {
		tries = append(tries, leaks{"forgotten", list(slices.Delete(slices.Clone(all), i, i+1)...), want})
	}
	run(c, "leaks", lesson.CheckLeaks, tries)
}
