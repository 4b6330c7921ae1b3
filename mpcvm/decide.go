package mpcvm

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
)

// Decide returns the class with the lowest expected cost for each row of p, the N×C probabilities returned by
// Proba: the class j that minimises Σ_c p_c·costs(c, j). costs is C×C, with a row for each true class and a
// column for each decision. Ties go to the lower class. For a row that contains NaN, the result is −1. Decide
// panics if a shape is wrong or a cost is not finite.
//
// For two classes, a threshold on the probability of class 1 is the special case costs = [0 1; c 0]: the
// decision is class 1 if p_1 > 1/(1+c). For example, c = 4 gives a threshold of 0.2.
func (m *Model) Decide(p, costs mat.Matrix) []int {
	n, c := p.Dims()
	if c != m.classes {
		panic(fmt.Sprintf("mpcvm: probabilities of %d classes for a model of %d", c, m.classes))
	}
	list := m.rowsOf(costs)
	decisions, row := make([]int, n), make([]float64, c)
	for i := range decisions {
		decisions[i] = fitting.LeastCost(mat.Row(row, i, p), list)
	}
	return decisions
}
