package mpcvm

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
)

// Decide returns the class of the least expected cost for each row of p, N×C probabilities as
// of Proba: the j of the least Σ_c p_c·costs(c, j). costs is C×C; a row is the true class and
// a column the decision. The lower class wins a tie. A row of p with NaN gives −1. It panics
// if a shape does not fit or a cost is not finite.
//
// A threshold on the probability of class 1 of two is the special case costs = [0 1; c 0]: it
// decides for class 1 if p_1 > 1/(1+c). A threshold of 0.2 is c = 4.
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
