package mpcvm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Model is a fitted mPCVM: the relevance vectors, their weights for each class
// and the biases. It is immutable and safe for concurrent use.
type Model struct {
	kernel  kernel.Kernel
	classes int
	x       *mat.Dense          // M×D relevance vectors, ascending by training index; nil if M = 0
	dim     int                 // D
	vectors func() *kernel.Rows // the same, prepared for prediction; nil if M = 0
	index   []int               // training index of each relevance vector
	label   []int               // and its label
	weights []column            // the weights of each class
	bias    []float64           // b_c

	classNames, featureNames []string  // may be nil
	mean, scale              []float64 // of the features; nil if the model does not scale
	temperature              float64   // zero means 1
}

// prepared is Model.vectors: a copy of the vectors, made when it is first needed.
func prepared(k kernel.Kernel, x *mat.Dense) func() *kernel.Rows {
	return sync.OnceValue(func() *kernel.Rows { return kernel.NewRows(k, x) })
}

// column holds the non-zero weights of one class, ascending by vector.
type column struct {
	vector []int     // row of Model.x
	w      []float64 // w_nc
}

// RelevanceVector is a training sample that has a non-zero weight in some class.
type RelevanceVector struct {
	// Index is the row of the sample in the training data, Label its class.
	Index, Label int
	// X is the sample (D features) as the kernel sees it, in the units that the
	// model was trained in. Weights has its weight w_nc for each class c; in a Model at
	// most Weights[Label] is positive, and none of the others is.
	X, Weights []float64
	// Raw is X in the units of the samples that the model is given, up to rounding:
	// X·scale + mean of a model WithScaling, else X itself.
	Raw []float64
}

// Classes is the number of classes C.
func (m *Model) Classes() int { return m.classes }

// Features is the number of features D of a sample.
func (m *Model) Features() int { return m.dim }

// Kernel returns the kernel of the model.
func (m *Model) Kernel() kernel.Kernel { return m.kernel }

// Bias returns a copy of the biases b_c.
func (m *Model) Bias() []float64 { return slices.Clone(m.bias) }

// NonZero counts the non-zero weights of each class.
func (m *Model) NonZero() []int {
	n := make([]int, m.classes)
	for c, col := range m.weights {
		n[c] = len(col.w)
	}
	return n
}

// Size counts the distinct relevance vectors and the non-zero weights of all
// classes.
func (m *Model) Size() (vectors, weights int) {
	for _, n := range m.NonZero() {
		weights += n
	}
	return len(m.index), weights
}

// RelevanceVectors returns copies of the relevance vectors, ascending by
// training index.
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
			vectors[i].Weights[c] = col.w[k]
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

// WithNames returns the model with names for its C classes and D features, which
// charts, reports and model files show. Either may be nil: classes are then named
// by their number and features x1, x2, .... It panics if a length is wrong.
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
	if m.classNames != nil {
		return slices.Clone(m.classNames)
	}
	names := make([]string, m.classes)
	for c := range names {
		names[c] = strconv.Itoa(c)
	}
	return names
}

// FeatureNames returns the names of the features; see WithNames.
func (m *Model) FeatureNames() []string {
	if m.featureNames != nil {
		return slices.Clone(m.featureNames)
	}
	names := make([]string, m.dim)
	for d := range names {
		names[d] = "x" + strconv.Itoa(d+1)
	}
	return names
}

// WithScaling returns the model that takes samples in raw units and standardises
// them itself, x ↦ (x − mean)/scale, before the kernel sees them. It is for a model
// trained on features standardised so; mean and scale have D entries in the raw
// units, as data.Standardizer has. Both nil takes the scaling away. It panics if
// a length is wrong, a mean not finite or a scale not positive and finite.
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

// Scaling returns copies of mean and scale of each feature, or nil and nil if the
// model does not scale; see WithScaling.
func (m *Model) Scaling() (mean, scale []float64) {
	return slices.Clone(m.mean), slices.Clone(m.scale)
}

// checkScaling says what is wrong with the scaling of d features.
func checkScaling(mean, scale []float64, d int) error {
	if len(mean) != d || len(scale) != d {
		return fmt.Errorf("scaling: %d means and %d scales for %d features", len(mean), len(scale), d)
	}
	for i, v := range mean {
		if !isFinite(v) {
			return fmt.Errorf("scaling.mean[%d]: not finite: %v", i, v)
		}
		if s := scale[i]; !isFinite(s) || s <= 0 {
			return fmt.Errorf("scaling.scale[%d]: not positive and finite: %v", i, s)
		}
	}
	return nil
}

// WithTemperature returns the model whose probabilities are those of the
// potentials y/T. T above 1 makes them less sure, T below 1 surer; labels and
// potentials stay. T has no unit; the default is 1. It panics if T is not positive
// and finite.
func (m *Model) WithTemperature(T float64) *Model {
	if err := checkTemperature(T); err != nil {
		panic("mpcvm: " + err.Error())
	}
	tempered := *m
	tempered.temperature = T
	return &tempered
}

// Temperature returns T of WithTemperature, 1 if it was not set.
func (m *Model) Temperature() float64 { return positive(m.temperature, 1) }

func checkTemperature(T float64) error {
	if !isFinite(T) || T <= 0 {
		return fmt.Errorf("temperature: not positive and finite: %v", T)
	}
	return nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
