package lesson

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

// MeanDifference returns the mean of the pairwise differences a − b, with its standard error. It
// panics if a and b differ in length.
func MeanDifference(a, b []float64) nb.Measure {
	return nb.Mean(floats.SubTo(make([]float64, len(a)), a, b))
}

// CorrectedDifference returns the mean of a − b over partitions, with the standard error of Nadeau
// and Bengio (2003, DOI 10.1023/A:1024068626366), s √(1/n + ratio), which accounts for the overlap
// of the training sets. ratio is the size of a test set divided by the size of a training set.
// CorrectedDifference panics if a and b differ in length.
func CorrectedDifference(a, b []float64, ratio float64) nb.Measure {
	m := MeanDifference(a, b)
	m.Error *= math.Sqrt(1 + float64(len(a))*ratio)
	return m
}

// ByChance draws the values Y of all lines over those expected of as many standard normal numbers.
func ByChance(lines []nb.Series, opt nb.LinesOptions) nb.Chart {
	var all []float64
	for _, line := range lines {
		all = append(all, line.Y...)
	}
	slices.Sort(all)
	for i := range lines {
		line := &lines[i]
		line.NoLine, line.Size = true, 10
		for _, v := range line.Y {
			rank := float64(sort.SearchFloat64s(all, v)) + 0.5
			line.X = append(line.X, distuv.UnitNormal.Quantile(rank/float64(len(all))))
		}
	}
	opt.XName, opt.Subtitle = "expected by chance", "dashed: what chance alone would give"
	return nb.Lines(append([]nb.Series{{X: []float64{-2.3, 2.3}, Y: []float64{-2.3, 2.3}, Dashed: true,
		Color: "#5f6368"}}, lines...), opt)
}
