package eval

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
)

// costsOfRecall returns costs for which the decision with the lowest expected cost reaches the given recall
// for a class while predicting the class as rarely as possible: an error on a row of the class costs r, any
// other error costs 1. The class is then predicted if r times its probability is not lower than the
// probability of any other class. p contains N×C probabilities of rows that the model did not see, and t
// their labels. costsOfRecall returns an error if no row belongs to the class, if recall is not in (0, 1],
// or if it can only be reached by finding rows whose probability of the class is zero.
func costsOfRecall(p mat.Matrix, t []int, class int, recall float64) (*mat.Dense, error) {
	_, c := p.Dims()
	if !(recall > 0 && recall <= 1) {
		return nil, fmt.Errorf("recall must be above 0 and at most 1, not %v", recall)
	}
	var needed []float64 // for each row of the class, the smallest r for which it is found
	for i, label := range t {
		if label == class {
			others := mat.Row(nil, i, p)
			own := others[class]
			others[class] = 0
			needed = append(needed, slices.Max(others)/own)
		}
	}
	if needed == nil {
		return nil, errors.New("no row belongs to the class")
	}
	slices.Sort(needed)
	const above = 1 + 1e-9 // protects the comparison from rounding errors
	r := needed[int(math.Ceil(recall*float64(len(needed))*(1-1e-12)))-1] * above
	if !fitting.IsFinite(r) {
		return nil, errors.New("the probability of the class is zero for a row that must be found")
	}
	costs := mat.NewDense(c, c, slices.Repeat([]float64{1}, c*c))
	for k := range c {
		costs.Set(class, k, r)
		costs.Set(k, k, 0)
	}
	costs.Set(class, class, 0)
	return costs, nil
}

// Decide returns a matrix whose labels are the classes with the lowest expected cost under the probabilities;
// the lower class wins a tie. costs is C×C, with true classes as rows and decisions as columns. Decide panics
// if costs is not C×C or the system has no probabilities.
func (m *Matrix) Decide(costs mat.Matrix) *Matrix {
	m.checkCosts(costs)
	if m.Proba == nil {
		panic(fmt.Sprintf("eval: %s has no probabilities", m.System))
	}
	with := *m
	with.System += " by cost"
	with.Labels = make([]int, len(m.Labels))
	list := rowsOf(costs)
	for i := range with.Labels {
		with.Labels[i] = fitting.LeastCost(m.Proba.RawRowView(i), list)
	}
	return &with
}

// Cost returns the mean cost of the labels, with a standard error computed as for the log loss. costs is C×C,
// with true classes as rows and decisions as columns. The cost is NaN if the system failed. Cost panics if
// costs is not C×C.
func (m *Matrix) Cost(costs mat.Matrix) Figure {
	m.checkCosts(costs)
	if len(m.T) == 0 {
		return undefined
	}
	list := make([]float64, len(m.T))
	for i, label := range m.T {
		list[i] = costs.At(label, m.Labels[i])
	}
	return m.mean(list, false)
}

func (m *Matrix) checkCosts(costs mat.Matrix) {
	if rows, columns := costs.Dims(); rows != len(m.Classes) || columns != rows {
		panic(fmt.Sprintf("eval: %d×%d costs for %d classes", rows, columns, len(m.Classes)))
	}
}

// rowsOf returns the rows of a matrix.
func rowsOf(m mat.Matrix) (list [][]float64) {
	n, _ := m.Dims()
	for i := range n {
		list = append(list, mat.Row(nil, i, m))
	}
	return list
}
