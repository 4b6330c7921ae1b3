package mpcvm

import (
	"fmt"
	"slices"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// RelevanceVector is a training sample that has a non-zero weight in some class.
type RelevanceVector struct {
	// Index is the row of the sample in the training data, and Label is its class.
	Index, Label int
	// X is the sample (D features) in the units of the training data, as passed to the kernel.
	X []float64
	// Weights contains the weight w_nc for each class c. Only Weights[Label] can be positive.
	Weights []float64
	// Raw is the sample in the units that Predict takes: X·scale + mean (up to rounding) if the model has a
	// scaling (see Model.WithScaling), and X otherwise.
	Raw []float64
}

// String describes the model in one line: its kernel, its size, the number of weights of each class, and its
// features. It names at most 8 classes and 8 features.
func (m *Model) String() string {
	weights, names := m.NonZero(), m.ClassNames()
	for c, n := range weights {
		names[c] = fmt.Sprintf("%s %d", names[c], n)
	}
	features := m.FeatureNames()
	bases := words.Plural(m.VectorCount(), "relevance vector") + fmt.Sprintf(", %d weights", m.WeightCount())
	switch {
	case m.linear && len(m.index) == 0:
		bases = words.Plural(m.WeightCount(), "coefficient")
	case m.linear:
		bases += " and coefficients"
	}
	return fmt.Sprintf("mPCVM model with kernel %v: %s of %d classes (%s), %d features (%s)", m.kernel, bases,
		m.classes, words.ListBy(words.OneLine, names, 8), len(features), words.ListBy(words.OneLine, features, 8))
}

// Classes returns the number of classes C.
func (m *Model) Classes() int { return m.classes }

// Features returns the number of features D.
func (m *Model) Features() int { return m.dim }

// Kernel returns the kernel of the model.
func (m *Model) Kernel() kernel.Kernel { return m.kernel }

// Bias returns a copy of the biases b_c.
func (m *Model) Bias() []float64 { return slices.Clone(m.bias) }

// NonZero returns the number of non-zero weights of each class, including coefficients.
func (m *Model) NonZero() []int {
	n := make([]int, m.classes)
	for c, col := range m.weights {
		n[c] = len(col.w)
	}
	return n
}

// VectorCount returns the number M of relevance vectors: training samples with a non-zero weight in at least
// one class. A linear model has coefficients instead; see Coefficients.
func (m *Model) VectorCount() int { return len(m.index) }

// WeightCount returns the total number of non-zero weights, including coefficients.
func (m *Model) WeightCount() int {
	step := Step{Weights: m.NonZero()}
	return step.NonZero()
}

// RelevanceVectors returns copies of the relevance vectors in ascending order of the training index. A linear
// model has none.
func (m *Model) RelevanceVectors() []RelevanceVector {
	vectors := make([]RelevanceVector, len(m.index))
	for i := range vectors {
		vectors[i] = RelevanceVector{
			Index: m.index[i], Label: m.label[i],
			X: slices.Clone(m.x.RawRowView(i)), Weights: make([]float64, m.classes),
		}
	}
	for c, col := range m.weights {
		for k, i := range col.vector {
			if i < len(vectors) {
				vectors[i].Weights[c] = col.w[k]
			}
		}
	}
	for i := range vectors {
		v := &vectors[i]
		v.Raw = slices.Clone(v.X)
		if m.mean != nil {
			for d, x := range v.X {
				v.Raw[d] = x*m.scale[d] + m.mean[d]
			}
		}
	}
	return vectors
}

// WithRows returns a copy of the model in which the training index i of each relevance vector is replaced by
// rows[i]. Use it if the model was trained on a subset of the samples and rows[i] is the index of the
// subset's sample i in the whole set. WithRows panics if rows is not ascending or is too short.
func (m *Model) WithRows(rows []int) *Model {
	moved := *m
	moved.index = make([]int, len(m.index))
	for i, n := range m.index {
		if n >= len(rows) {
			panic(fmt.Sprintf("mpcvm: WithRows: rows has length %d, but a relevance vector has index %d", len(rows), n))
		}
		moved.index[i] = rows[n]
		if i > 0 && moved.index[i] <= moved.index[i-1] {
			panic("mpcvm: WithRows: rows must be ascending")
		}
	}
	return &moved
}

// WithNames returns a copy of the model with names for its C classes and D features, which appear in charts,
// reports and model files. If classes is nil, the classes are named 0, 1, and so on; if features is nil, the
// features are named x1, x2, and so on. WithNames panics if a length is wrong.
func (m *Model) WithNames(classes, features []string) *Model {
	if classes != nil && len(classes) != m.classes {
		panic(fmt.Sprintf("mpcvm: %d class names for %d classes", len(classes), m.classes))
	}
	if features != nil && len(features) != m.dim {
		panic(fmt.Sprintf("mpcvm: %d feature names for %d features", len(features), m.dim))
	}
	named := *m
	named.classNames, named.featureNames = slices.Clone(classes), slices.Clone(features)
	return &named
}

// ClassNames returns the names of the classes; see WithNames.
func (m *Model) ClassNames() []string {
	return fitting.Names(m.classNames, m.classes, "", 0)
}

// FeatureNames returns the names of the features; see WithNames.
func (m *Model) FeatureNames() []string {
	return fitting.Names(m.featureNames, m.dim, "x", 1)
}

// WithScaling returns a copy of the model that takes samples in raw units and standardises them, x ↦ (x −
// mean)/scale, before evaluating the kernel. Use it for a model that was trained on features standardised in
// this way. mean and scale have D entries in raw units, as in a data.Standardizer; if both are nil, the
// scaling is removed. WithScaling panics if a length is wrong, a mean is not finite, or a scale is not
// positive and finite.
func (m *Model) WithScaling(mean, scale []float64) *Model {
	if mean != nil || scale != nil {
		if err := checkScaling(mean, scale, m.dim); err != nil {
			panic("mpcvm: " + err.Error())
		}
	}
	scaled := *m
	scaled.mean, scaled.scale = slices.Clone(mean), slices.Clone(scale)
	return &scaled
}

// Scaling returns copies of the mean and scale of each feature, or nil if the model has no scaling; see
// WithScaling.
func (m *Model) Scaling() (mean, scale []float64) {
	return slices.Clone(m.mean), slices.Clone(m.scale)
}

// checkScaling returns an error if the scaling does not fit d features.
func checkScaling(mean, scale []float64, d int) error {
	if len(mean) != d || len(scale) != d {
		return fmt.Errorf("scaling: %d means and %d scales for %d features", len(mean), len(scale), d)
	}
	for i, v := range mean {
		if !fitting.IsFinite(v) {
			return fmt.Errorf("scaling.mean[%d]: %v is not finite", i, v)
		}
		if s := scale[i]; !fitting.IsFinite(s) || s <= 0 {
			return fmt.Errorf("scaling.scale[%d]: %v is not positive and finite", i, s)
		}
	}
	return nil
}
