// Package lesson provides helpers shared by the notebooks: errors that end a cell, ranges of
// numbers, statistics of models, and checks of exercises. A check returns one sentence, which
// confirms the function or describes the first mistake. The package is part of the course: it changes
// with the notebooks and is not covered by the promise of compatibility. For a notebook of your own,
// package nbhelpers is enough.
package lesson

import (
	"fmt"
	"os"
	"strings"

	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"gonum.org/v1/gonum/floats"
)

// Must returns v. If err is not nil, it panics as Try does.
func Must[T any](v T, err error) T {
	Try(err)
	return v
}

// Try panics if err is not nil. In GoNB it ends the cell and prints only the message of the error.
func Try(err error) {
	switch {
	case err == nil:
	case os.Getenv("GONB_PIPE") != "": // in the program of a cell
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	default:
		panic(err)
	}
}

// Table shows a table with a row for each item. Its header names the columns, separated by |.
func Table[T any](header string, items []T, row func(item T) []string) {
	var rows [][]string
	for _, item := range items {
		rows = append(rows, row(item))
	}
	nb.Table(strings.Split(header, "|"), rows).Display()
}

// Span returns n numbers from lo to hi, evenly spaced. It panics if n is less than 2.
func Span(lo, hi float64, n int) []float64 { return floats.Span(make([]float64, n), lo, hi) }

// LogSpan returns n numbers from lo to hi, evenly spaced on a log scale. It panics if n is less than
// 2 or lo is not positive.
func LogSpan(lo, hi float64, n int) []float64 {
	if lo <= 0 {
		panic(fmt.Sprintf("lesson: LogSpan from %g; want a positive number", lo))
	}
	return floats.LogSpan(make([]float64, n), lo, hi)
}
