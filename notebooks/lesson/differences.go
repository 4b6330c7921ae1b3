package lesson

import (
	"math"

	"gonum.org/v1/gonum/floats"

	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

// MeanDifference is the mean of a − b, pair by pair, with its standard error. It panics if
// a and b differ in length.
func MeanDifference(a, b []float64) nb.Measure {
	return nb.Mean(floats.SubTo(make([]float64, len(a)), a, b))
}

// CorrectedDifference is the mean of a − b, partition by partition, with the standard error of Nadeau and
// Bengio (2003, DOI 10.1023/A:1024068626366), s √(1/n + ratio): the training parts of partitions of one set
// overlap. The ratio is that of the sizes of test and training part. It panics if a and b differ in length.
func CorrectedDifference(a, b []float64, ratio float64) nb.Measure {
	m := MeanDifference(a, b)
	m.Error *= math.Sqrt(1 + float64(len(a))*ratio)
	return m
}
