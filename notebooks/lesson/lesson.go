// Package lesson is what the notebooks share: claims that a cell checks, numbers over a range, counts over
// models, and the studies of this repository. A notebook of your own needs package nbhelpers alone.
package lesson

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// Must returns v. It panics if err is not nil, which ends a notebook's cell with the
// message of the error.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Check ends the cell with an error if a claim of the text around it is false. If it is
// true, Check prints it after a tick. The format and the values are as of fmt.Sprintf.
func Check(claim bool, format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if !claim {
		panic("this is not true: " + text)
	}
	fmt.Println("✓ " + text)
}

// Span returns n numbers from lo to hi, evenly spaced. It panics if n is less than 2.
func Span(lo, hi float64, n int) []float64 { return floats.Span(make([]float64, n), lo, hi) }

// LogSpan returns n numbers from lo to hi whose logarithms are evenly spaced. It panics
// if n is less than 2 or lo is not positive.
func LogSpan(lo, hi float64, n int) []float64 {
	if lo <= 0 {
		panic(fmt.Sprintf("lesson: the logarithm of %g does not exist", lo))
	}
	return floats.LogSpan(make([]float64, n), lo, hi)
}
