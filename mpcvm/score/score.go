// Package score measures predictions: error rate, generalised AUC, log loss,
// Brier score, confusion and reliability.
//
// Labels are 0 to C−1. Probabilities are an N×C matrix with a sample in each row and a
// class in each column. The sum of a row is not checked. Rates, areas and probabilities
// are fractions between 0 and 1, not percentages. Functions panic if lengths do not fit
// together. Wrong data are errors: a label without a column is a [*LabelError], and a
// score that is NaN or out of range is a [*ValueError].
package score

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ErrUndefined is the error where there are no samples, or for AUC fewer than two
// classes among them.
var ErrUndefined = errors.New("score: undefined")

// LabelError is a label outside 0 to Classes−1, for example a class of the test data
// that was not in the training data. Row counts from 0; the text of the error counts rows from 1.
type LabelError struct {
	Row, Label, Classes int
}

func (e *LabelError) Error() string {
	return fmt.Sprintf("score: row %d: label %d is not one of %d classes", e.Row+1, e.Label, e.Classes)
}

// ValueError is a score that is NaN or a probability outside [0, 1]. Row and Column
// count from 0; the text of the error counts both from 1.
type ValueError struct {
	Row, Column int
	Value       float64
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("score: row %d, column %d: %v cannot be scored", e.Row+1, e.Column+1, e.Value)
}

// checkLabels returns a LabelError for the first label outside 0 to classes−1.
func checkLabels(t []int, classes int) error {
	for row, label := range t {
		if label < 0 || label >= classes {
			return &LabelError{row, label, classes}
		}
	}
	return nil
}

// checkProbabilities checks labels and probabilities. A probability may be outside
// [0, 1] by a rounding error.
func checkProbabilities(p mat.Matrix, t []int) (classes int, err error) {
	const rounding = 1e-9
	classes = columns(p, t)
	if len(t) == 0 {
		return 0, fmt.Errorf("%w: no samples", ErrUndefined)
	}
	if err := checkLabels(t, classes); err != nil {
		return 0, err
	}
	for row := range t {
		for column := range classes {
			if v := p.At(row, column); !(v >= -rounding && v <= 1+rounding) {
				return 0, &ValueError{row, column, v}
			}
		}
	}
	return classes, nil
}

// columns returns the number of columns of p. It panics if p has not len(t) rows.
func columns(p mat.Matrix, t []int) int {
	n, c := p.Dims()
	if n != len(t) {
		panic(fmt.Sprintf("score: %d rows of scores for %d labels", n, len(t)))
	}
	return c
}

func sameLength(pred, t []int) {
	if len(pred) != len(t) {
		panic(fmt.Sprintf("score: %d predictions for %d labels", len(pred), len(t)))
	}
}

// ErrorRate returns the fraction of predictions that differ from the labels, or NaN if
// there are none. Labels may be any numbers. It panics if the lengths differ.
func ErrorRate(pred, t []int) float64 {
	sameLength(pred, t)
	if len(t) == 0 {
		return math.NaN()
	}
	wrong := 0
	for n, label := range t {
		if pred[n] != label {
			wrong++
		}
	}
	return float64(wrong) / float64(len(t))
}

// Confusion returns the c×c table of counts: row i, column j is the number of samples of
// class i that were predicted to be of class j. It panics if the lengths differ or c < 1.
func Confusion(pred, t []int, c int) ([][]int, error) {
	sameLength(pred, t)
	if c < 1 {
		panic(fmt.Sprintf("score: %d classes", c))
	}
	for _, labels := range [][]int{t, pred} {
		if err := checkLabels(labels, c); err != nil {
			return nil, err
		}
	}
	table := make([][]int, c)
	for i := range table {
		table[i] = make([]int, c)
	}
	for n, label := range t {
		table[label][pred[n]]++
	}
	return table, nil
}
