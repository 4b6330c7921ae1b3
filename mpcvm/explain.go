package mpcvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/fitting"
)

// Explanation says how a model came to its decision on one sample: which
// relevance vectors spoke for and against each class, and how loudly.
type Explanation struct {
	// Label is the class of the largest potential, −1 if the sample has a feature
	// that is not a number.
	Label int
	// Potentials, Proba and Bias are y_c, p(t = c | x) and b_c of each class c.
	Potentials, Proba, Bias []float64
	// Contributions has one entry for each non-zero weight, ascending by class and,
	// within it, by training index. Added to Bias[c] in this order, those of class c
	// give Potentials[c] to the last bit.
	Contributions []Contribution
}

// Contribution is what one relevance vector adds to the potential of one class.
type Contribution struct {
	// Class is the class spoken for (Value > 0) or against (Value < 0, with a
	// kernel that is positive).
	Class int
	// Index is the row of the relevance vector in the training data, Label its
	// class.
	Index, Label int
	// Kernel is k(x, x_n), how near the sample is to it, and Weight is w_nc.
	Kernel, Weight float64
	// Value is their product.
	Value float64
}

// Explain explains the model's decision on one sample x of D features, in the
// units that Predict takes. It panics if x has not D features.
func (m *Model) Explain(x []float64) Explanation {
	if len(x) != m.dim {
		panic(fmt.Sprintf("mpcvm: %d features for a model of %d", len(x), m.dim))
	}
	e := Explanation{
		Potentials: make([]float64, m.classes), Proba: make([]float64, m.classes), Bias: m.Bias(),
	}
	row := mat.NewDense(1, m.dim, slices.Clone(x))
	k := m.values(row)
	m.potentials(e.Potentials, k, row, 0)
	e.Label = fitting.Argmax(e.Potentials)
	copy(e.Proba, e.Potentials)
	m.probabilities(mat.NewDense(1, m.classes, e.Proba))
	for c, col := range m.weights {
		for j, v := range col.vector {
			e.Contributions = append(e.Contributions, Contribution{
				Class: c, Index: m.index[v], Label: m.label[v],
				Kernel: k.At(0, v), Weight: col.w[j], Value: k.At(0, v) * col.w[j],
			})
		}
	}
	return e
}

// Class returns the contributions to class c, ascending by training index.
func (e Explanation) Class(c int) []Contribution {
	var list []Contribution
	for _, t := range e.Contributions {
		if t.Class == c {
			list = append(list, t)
		}
	}
	return list
}

// ByInfluence returns the contributions in the order of their size |Value|, the
// largest first; equals keep their order.
func (e Explanation) ByInfluence() []Contribution {
	list := slices.Clone(e.Contributions)
	slices.SortStableFunc(list, func(a, b Contribution) int {
		return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value))
	})
	return list
}

// ClassSummary says what the potential of one class is made of.
type ClassSummary struct {
	// Name is the name of the class, Bias its b_c.
	Name string
	Bias float64
	// Positive counts the positive weights, all of them of vectors of the class
	// itself, and Negative the negative ones, of vectors of other classes.
	Positive, Negative int
	// PositiveSum and NegativeSum are their sums, the latter not above zero.
	PositiveSum, NegativeSum float64
}

// Summary returns what the potential of each class is made of.
func (m *Model) Summary() []ClassSummary {
	summary := make([]ClassSummary, m.classes)
	names := m.ClassNames()
	for c, col := range m.weights {
		s := &summary[c]
		s.Name, s.Bias = names[c], m.bias[c]
		for _, w := range col.w {
			if w > 0 {
				s.Positive++
				s.PositiveSum += w
			} else {
				s.Negative++
				s.NegativeSum += w
			}
		}
	}
	return summary
}
