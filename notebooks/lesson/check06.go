package lesson

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// CheckShared describes the mistake in a function that returns the precision of mRVM₁ with the largest gain,
// for the s of a basis function and its q in each class.
var CheckShared = checkOf(card{name: "shared precision", args: "s, q",
	ok: "the best α of seven basis functions, three of them with a finite one",
	vars: func(args []any) []vars {
		q := args[1].([]float64)
		most := max(slices.Max(q), -slices.Min(q))
		return []vars{{"s": args[0].(float64), "C": float64(len(q)), "Q": floats.Dot(q, q), "most": most * most}}
	}}, func(s float64, q []float64) float64 {
	if excess := floats.Dot(q, q) - float64(len(q))*s; excess > 0 {
		return float64(len(q)) * s * s / excess
	}
	return math.Inf(1)
}, []any{2.0, []float64{3, -1, 0.5}}, []any{2.0, []float64{1.5, 1.2, -1}}, []any{1.5, []float64{-4, 0.2}},
	[]any{3.0, []float64{3.1, -0.4, 0.3, -0.2, 0.1}}, []any{0.5, []float64{0.6, -0.5, 0.4}},
	[]any{0.8, []float64{1, -1.2, 2, 0.7}}, []any{2.0, []float64{0.3, -0.2}})

// CheckRecall describes the mistake in a function that returns the share of the samples of a class that are
// found, for the counts by class (rows) and prediction (columns).
var CheckRecall = checkOf(card{name: "recall", args: "counts, c",
	ok: "the samples on the diagonal over their row",
	vars: func(args []any) []vars {
		counts, c := args[0].([][]int), args[1].(int)
		v := vars{"found": float64(counts[c][c])}
		for i, row := range counts {
			v["column"] += float64(row[c])
			v["row"] += float64(counts[c][i])
			v["hits"] += float64(row[i])
			for _, n := range row {
				v["all"] += float64(n)
			}
		}
		return []vars{v}
	}}, recall, []any{[][]int{{20, 3, 2}, {1, 12, 7}, {0, 4, 31}}, 1},
	[]any{[][]int{{20, 3, 2}, {1, 12, 7}, {0, 4, 9}}, 2}, []any{[][]int{{8, 2}, {5, 35}}, 1})

func recall(counts [][]int, c int) float64 {
	n := 0
	for _, k := range counts[c] {
		n += k
	}
	return float64(counts[c][c]) / float64(n)
}

// CheckLeaks describes the mistake in a list of the columns of penguins.csv from which a model of the species
// must not learn.
func CheckLeaks(leaks func() []string) string {
	return checked(func() string {
		found := leaks()
		for _, s := range slips("features") {
			if slices.Contains(found, s.formula) {
				return fmt.Sprintf("%q may stay%s", s.formula, s.text)
			}
		}
		for _, s := range slips("leaks") {
			if !slices.Contains(found, s.formula) {
				return "a column is missing" + s.text
			}
		}
		return "right: the columns that a new bird does not have or that never vary"
	})
}
