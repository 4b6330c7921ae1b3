package lesson

import "math"

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
