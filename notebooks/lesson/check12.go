package lesson

import (
	"math"

	"gonum.org/v1/gonum/floats"

	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

// CheckThreshold describes the mistake in a function that returns the threshold of the prediction sets of a
// class, for its sorted margins and a coverage. The margins of its points are their own ranks.
var CheckThreshold = checkOf(card{name: "threshold", args: "margins, γ",
	ok: "the margin of rank ⌊(1 − γ)(n + 1)⌋",
	vars: func(args []any) []vars {
		return []vars{{"n": float64(len(args[0].([]float64))), "γ": args[1].(float64)}}
	}}, func(margins []float64, gamma float64) float64 {
	if k := int((1-gamma)*float64(len(margins)+1) + 1e-9); k > 0 {
		return margins[k-1]
	}
	return math.Inf(-1)
}, []any{Span(1, 65, 65), 0.9}, []any{Span(1, 19, 19), 0.8}, []any{Span(1, 9, 9), 0.95})

// Coverage returns a line for each class: the means of covered[class][i], in per cent, with bars from the
// smallest to the largest value, against the requested coverages, which are given as shares.
func Coverage(classes []string, asked []float64, covered [][][]float64) (lines []nb.Series) {
	for c, name := range classes {
		s := nb.Series{Name: name, Dots: true, Color: nb.ClassColors(classes)[c]}
		for i, q := range asked {
			v := covered[c][i]
			s.X, s.Y = append(s.X, 100*q), append(s.Y, nb.Mean(v).Value)
			s.Low, s.High = append(s.Low, floats.Min(v)), append(s.High, floats.Max(v))
		}
		lines = append(lines, s)
	}
	return lines
}
