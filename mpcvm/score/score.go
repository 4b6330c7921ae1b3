// Package score evaluates predictions by error rate, generalised AUC, log loss, Brier
// score, confusion matrix, reliability, and precision and recall.
//
// Labels are 0 to C−1. Probabilities are an N×C matrix with a sample in each row and a
// class in each column. The sums of the rows are not checked. Rates, areas and
// probabilities are fractions between 0 and 1, not percentages. Functions panic if lengths
// do not match. Invalid data are reported as errors: a label without a column as a
// [*LabelError], and a score that is NaN or out of range as a [*ValueError].
package score

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ErrUndefined is returned if the samples are empty or, for AUC, belong to fewer than two
// classes.
var ErrUndefined = errors.New("score: undefined")

// LabelError reports a label that is not between 0 and Classes−1, for example a class of
// the test data that does not occur in the training data. Row counts from 0; the error
// message counts from 1.
type LabelError struct {
	Row, Label, Classes int
}

func (e *LabelError) Error() string {
	return fmt.Sprintf("score: row %d: label %d is not one of %d classes", e.Row+1, e.Label, e.Classes)
}

// ValueError reports a score that is NaN or a probability outside [0, 1]. Row and Column
// count from 0; the error message counts from 1.
type ValueError struct {
	Row, Column int
	Value       float64
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("score: row %d, column %d: %v cannot be scored", e.Row+1, e.Column+1, e.Value)
}

// checkLabels returns a LabelError for the first label that is not between 0 and classes−1.
func checkLabels(t []int, classes int) error {
	for row, label := range t {
		if label < 0 || label >= classes {
			return &LabelError{row, label, classes}
		}
	}
	return nil
}

// checkProbabilities checks labels and probabilities. It accepts rounding errors of
// probabilities near 0 and 1.
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

// columns returns the number of columns of p. It panics unless p has len(t) rows.
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

// ErrorRate returns the fraction of predictions that differ from the labels, or NaN if the
// slices are empty. Labels may be any integers. It panics if the lengths differ.
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

// Confusion returns the c×c confusion matrix: row i, column j is the number of samples of
// class i that were predicted as class j. It returns a *LabelError if a label or a
// prediction is not between 0 and c−1, and panics if the lengths differ or c < 1.
func Confusion(pred, t []int, c int) ([][]int, error) {
	sameLength(pred, t)
	if c < 1 {
		panic(fmt.Sprintf("score: c is %d; want at least 1", c))
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
