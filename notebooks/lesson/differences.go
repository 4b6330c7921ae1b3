package lesson

import (
	"math"

	"gonum.org/v1/gonum/floats"

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
