// Package score evaluates predictions by error rate, generalised AUC, log loss, Brier
// score, confusion matrix, reliability, and precision and recall.
//
// Labels are 0 to C−1. Probabilities are an N×C matrix with a sample in each row and a
// class in each column. The sums of the rows are not checked. Rates, areas and
// probabilities are fractions between 0 and 1, not percentages. Invalid data are reported as
// errors: different numbers of rows and labels, no samples ([ErrUndefined]), a label without
// a column as a [*LabelError], and a score that is NaN or out of range as a [*ValueError].
package score

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/words"
)

// ErrUndefined is returned without samples, if the samples belong to fewer than two classes
// (AUC) or if none belongs to the class (PrecisionRecall).
var ErrUndefined = errors.New("score: undefined")

var errEmpty = fmt.Errorf("%w: no samples", ErrUndefined)

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

// check checks labels and scores, which must be between low and high, and returns the number
// of classes.
func check(p mat.Matrix, t []int, low, high float64) (classes int, err error) {
	n, classes := p.Dims()
	if err := sameLength(n, t); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errEmpty
	}
	if err := checkLabels(t, classes); err != nil {
		return 0, err
	}
	for row := range t {
		for column := range classes {
			if v := p.At(row, column); !(v >= low && v <= high) {
				return 0, &ValueError{row, column, v}
			}
		}
	}
	return classes, nil
}

// checkProbabilities checks labels and probabilities. It accepts rounding errors of
// probabilities near 0 and 1.
func checkProbabilities(p mat.Matrix, t []int) (classes int, err error) {
	return check(p, t, -1e-9, 1+1e-9)
}

// sameLength returns an error unless there are n labels.
func sameLength(n int, t []int) error {
	if n != len(t) {
		return fmt.Errorf("score: row %d: %s for %s; want one for each label", min(n, len(t))+1,
			words.Plural(n, "prediction"), words.Plural(len(t), "label"))
	}
	return nil
}

// ErrorRate returns the fraction of predictions that differ from the labels, which may be any
// integers. Without labels, or if the lengths differ, it returns NaN and an error.
func ErrorRate(pred, t []int) (float64, error) {
	if err := sameLength(len(pred), t); err != nil {
		return math.NaN(), err
	}
	if len(t) == 0 {
		return math.NaN(), errEmpty
	}
	wrong := 0
	for n, label := range t {
		if pred[n] != label {
			wrong++
		}
	}
	return float64(wrong) / float64(len(t)), nil
}

// Confusion returns the c×c confusion matrix: row i, column j is the number of samples of
// class i that were predicted as class j. It returns a *LabelError if a label or a
// prediction is not between 0 and c−1, or an error if the lengths differ. It panics if c < 1.
func Confusion(pred, t []int, c int) ([][]int, error) {
	if c < 1 {
		panic(fmt.Sprintf("score: c is %d; want at least 1", c))
	}
	if err := sameLength(len(pred), t); err != nil {
		return nil, err
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
