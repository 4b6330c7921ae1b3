package data

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/moments"
)

// Standardizer shifts and scales each feature to mean 0 and standard deviation 1 on the data that it
// was fitted to. Fit it to the training data and apply it to both training and test data. Do not
// standardise test data by their own statistics, which makes predictions worse.
type Standardizer struct {
	Mean  []float64 // mean of each feature
	Scale []float64 // standard deviation with n−1; 1 if that is zero
}

// FitStandardizer computes the mean and standard deviation of each column of x, whose values must be
// finite. The scale is 1 if the standard deviation is zero, is rounding noise (a few units in the last
// place of the column's largest magnitude), or comes from a single row. FitStandardizer panics if x is
// empty.
func FitStandardizer(x mat.Matrix) Standardizer {
	n, d := x.Dims()
	if n == 0 || d == 0 {
		panic("data: standardizer fitted to an empty matrix")
	}
	s := Standardizer{Mean: make([]float64, d), Scale: make([]float64, d)}
	column := make([]float64, n)
	for j := range d {
		mat.Col(column, j, x)
		s.Mean[j], s.Scale[j] = moments.MeanDeviation(column)
	}
	return s
}

// Apply stores (x − mean)/scale in dst (allocated if nil) and returns it. dst may be x. Apply panics
// if the number of columns does not match.
func (s Standardizer) Apply(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return s.each(dst, x, func(v, mean, scale float64) float64 { return (v - mean) / scale })
}

// Set returns a copy of a set with standardised features. The copy shares everything except X.
func (s Standardizer) Set(set *Set) *Set {
	scaled := *set
	scaled.X, scaled.standardized = s.Apply(nil, set.X), true
	return &scaled
}

// Inverse is the inverse of Apply: x·scale + mean.
func (s Standardizer) Inverse(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return s.each(dst, x, func(v, mean, scale float64) float64 { return v*scale + mean })
}

func (s Standardizer) each(dst *mat.Dense, x mat.Matrix, f func(v, mean, scale float64) float64) *mat.Dense {
	n, d := x.Dims()
	if d != len(s.Mean) {
		panic(fmt.Sprintf("data: standardizer of %d features given %d", len(s.Mean), d))
	}
	switch {
	case dst == nil:
		dst = mat.NewDense(n, d, nil)
	case dst.IsEmpty():
		dst.ReuseAs(n, d)
	}
	if dn, dd := dst.Dims(); dn != n || dd != d {
		panic(fmt.Sprintf("data: destination is %d×%d, want %d×%d", dn, dd, n, d))
	}
	for i := range n {
		row := dst.RawRowView(i)
		for j := range row {
			row[j] = f(x.At(i, j), s.Mean[j], s.Scale[j])
		}
	}
	return dst
}
