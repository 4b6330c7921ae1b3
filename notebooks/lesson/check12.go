package lesson

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

// CheckThreshold describes the mistake in a function that returns the threshold of the prediction sets of a
// class, for its sorted margins and a coverage.
func CheckThreshold(threshold func(margins []float64, gamma float64) float64) string {
	for _, c := range []struct {
		n     int
		gamma float64
	}{{65, 0.9}, {19, 0.8}, {9, 0.95}} {
		margins := Span(1, float64(c.n), c.n) // the margin of rank k is k
		got, k := threshold(margins, c.gamma), math.Floor((1-c.gamma)*float64(c.n+1)+1e-9)
		where := fmt.Sprintf("%d margins, γ = %g: rank %g", c.n, c.gamma, got)
		switch {
		case math.IsNaN(got):
			return notYet
		case k == 0 && math.IsInf(got, -1), k > 0 && got == k:
		case k == 0:
			return fmt.Sprintf("%d margins, γ = %g: k is 0, so no margin is low enough, and the threshold is −∞", c.n,
				c.gamma)
		case got == k+1:
			return where + ". The smallest margin has rank 1 and index 0"
		case got == math.Floor(c.gamma*float64(c.n+1)), got == math.Ceil(c.gamma*float64(c.n+1)):
			return where + ". Only a share of 1 − γ may lie below the threshold"
		default:
			return where + fmt.Sprintf("; it should be %g", k)
		}
	}
	return "right: the margin of rank ⌊(1 − γ)(n + 1)⌋"
}

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
