package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Threshold is a point of a precision-recall curve. Samples whose probability is at least Value are predicted
// to belong to the class. Recall is the fraction of the samples of the class that are predicted, and
// Precision is the fraction of the predicted samples that belong to the class.
type Threshold struct{ Value, Recall, Precision float64 }

// PrecisionRecall returns a point for each distinct probability of a class, in descending order, and the
// average precision Σ (R_i − R_{i−1})·P_i. p contains the N×C probabilities and t the N labels. If no sample
// belongs to the class, average is NaN and the error wraps ErrUndefined. Otherwise, PrecisionRecall returns
// the same errors as AUC. It panics if class is not between 0 and C−1.
func PrecisionRecall(p mat.Matrix, t []int, class int) (points []Threshold, average float64, err error) {
	n := len(t)
	c, err := check(p, t, math.Inf(-1), math.Inf(1))
	if err != nil {
		return nil, math.NaN(), err
	}
	if class < 0 || class >= c {
		panic(fmt.Sprintf("score: class %d is not one of %d", class, c))
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p.At(b, class), p.At(a, class)) })
	members := 0
	for _, label := range t {
		if label == class {
			members++
		}
	}
	if members == 0 {
		return nil, math.NaN(), fmt.Errorf("%w: no sample of class %d", ErrUndefined, class)
	}
	found, before := 0, 0.0
	for i, row := range order {
		if t[row] == class {
			found++
		}
		if v := p.At(row, class); i+1 == n || p.At(order[i+1], class) != v {
			point := Threshold{v, float64(found) / float64(members), float64(found) / float64(i+1)}
			average += (point.Recall - before) * point.Precision
			before = point.Recall
			points = append(points, point)
		}
	}
	return points, average, nil
}
