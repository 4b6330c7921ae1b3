package mpcvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Explanation explains the decision of a model on one sample: how much each relevance vector, and each
// feature of a model with coefficients, contributes to the potential of each class.
type Explanation struct {
	// Label is the class that Predict returns, or −1 if a feature of the sample is NaN.
	Label int
	// Unlike reports whether the sample is unlike all training samples; see Model.Unlike.
	Unlike bool
	// Potentials, Proba and Bias contain y_c, p(t = c | x) and b_c for each class c.
	Potentials, Proba, Bias []float64
	// Contributions has an entry for each non-zero weight, ordered by class and then by Index; coefficients
	// follow the relevance vectors. Adding the contributions for class c to Bias[c] in this order gives
	// Potentials[c] exactly.
	Contributions []Contribution
}

// Contribution is what one relevance vector, or one feature (see Model.Coefficients), adds to the potential
// of one class.
type Contribution struct {
	// Class is the class whose potential the contribution is added to.
	Class int
	// Index is the row of the relevance vector in the training data, and Label is its class. For a
	// coefficient, Index is the feature and Label is −1.
	Index, Label int
	// Kernel is k(x, x_n), and Weight is w_nc. For a coefficient, Kernel is the feature, standardised if the
	// model has a scaling, and Weight is the coefficient.
	Kernel, Weight float64
	// Value is the product of Kernel and Weight. If the kernel is positive, Value is positive for the class
	// of the relevance vector and negative for the other classes.
	Value float64
}

// Explain explains the model's decision on one sample x of D features, in the units that Predict takes. It
// panics if x does not have D features.
func (m *Model) Explain(x []float64) Explanation {
	if len(x) != m.dim {
		panic(fmt.Sprintf("mpcvm: x has %d features, but the model has %d", len(x), m.dim))
	}
	e := Explanation{
		Potentials: make([]float64, m.classes), Proba: make([]float64, m.classes), Bias: m.Bias(),
	}
	row := mat.NewDense(1, m.dim, slices.Clone(x))
	k := m.values(row)
	var values []float64
	if k != nil {
		values = k.RawRowView(0)
	}
	e.Unlike = m.unlike(row.RawRowView(0), values)
	m.potentials(e.Potentials, values, row.RawRowView(0))
	copy(e.Proba, e.Potentials)
	labels, _ := m.decide(mat.NewDense(1, m.classes, e.Proba))
	e.Label = labels[0]
	of := func(v int) (index, label int) {
		if n := len(m.index); v >= n {
			return v - n, -1
		}
		return m.index[v], m.label[v]
	}
	for c, col := range m.weights {
		for j, v := range col.vector {
			index, label := of(v)
			e.Contributions = append(e.Contributions, Contribution{Class: c, Index: index, Label: label,
				Kernel: values[v], Weight: col.w[j], Value: values[v] * col.w[j]})
		}
	}
	return e
}

// Class returns the contributions to class c in ascending order of Index.
func (e Explanation) Class(c int) []Contribution {
	var list []Contribution
	for _, t := range e.Contributions {
		if t.Class == c {
			list = append(list, t)
		}
	}
	return list
}

// ByInfluence returns the contributions in descending order of |Value|. Contributions with equal |Value| keep
// their order.
func (e Explanation) ByInfluence() []Contribution {
	list := slices.Clone(e.Contributions)
	slices.SortStableFunc(list, func(a, b Contribution) int {
		return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value))
	})
	return list
}

// ClassSummary summarises the weights of one class.
type ClassSummary struct {
	// Name is the name of the class, and Bias is its bias b_c.
	Name string
	Bias float64
	// Positive is the number of positive weights, which belong to relevance vectors of the class or are
	// coefficients of features. Negative is the number of negative weights, which belong to relevance vectors
	// of the other classes or are coefficients.
	Positive, Negative int
	// PositiveSum and NegativeSum are the sums of the positive and of the negative weights.
	PositiveSum, NegativeSum float64
}

// Summary returns a summary of the weights of each class.
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
