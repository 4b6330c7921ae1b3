// Package lesson is what the notebooks share: errors that end a cell, numbers over a range, counts over
// models. A notebook of your own needs package nbhelpers alone.
package lesson

import (
	"fmt"
	"os"

	"gonum.org/v1/gonum/floats"
)

// Must returns v. It panics if err is not nil, as Try does.
func Must[T any](v T, err error) T {
	Try(err)
	return v
}

// Try panics if err is not nil. In GoNB it ends the cell with the message of the error alone.
func Try(err error) {
	switch {
	case err == nil:
	case os.Getenv("GONB_PIPE") != "": // the program of a cell
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	default:
		panic(err)
	}
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
