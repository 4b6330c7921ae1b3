package mpcvm

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Model is a fitted mPCVM: the relevance vectors, their weights for each class
// and the biases. It is immutable and safe for concurrent use.
type Model struct {
	kernel  kernel.Kernel
	classes int
	x       *mat.Dense // M×D relevance vectors, ascending by training index; nil if M = 0
	dim     int        // D
	index   []int      // training index of each relevance vector
	label   []int      // and its label
	weights []column   // the weights of each class
	bias    []float64  // b_c

	classNames, featureNames []string // may be nil
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
	// X is the sample (D features), Weights its weight w_nc for each class c; at
	// most Weights[Label] is positive, and none of the others is.
	X, Weights []float64
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

// predictGrain is how many samples a goroutine takes at a time.
const predictGrain = 64

// Potentials writes the potentials y_nc = φ(x_n)ᵀw_c + b_c of the N×D samples x
// to dst (N×C; allocated if nil) and returns it, eq. (mpcvm_2). It panics if x
// does not have D columns or dst not the right shape. A row of x with a feature
// that is not a number has potentials that are not numbers.
func (m *Model) Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	if d != m.dim {
		panic(fmt.Sprintf("mpcvm: %d features for a model of %d", d, m.dim))
	}
	dst = shaped(dst, n, m.classes)
	par.For(n, predictGrain, func(lo, hi int) {
		row := make([]float64, d)
		k := make([]float64, len(m.index))
		for i := lo; i < hi; i++ {
			for j := range row {
				row[j] = x.At(i, j)
			}
			if m.x != nil {
				kernel.Row(k, m.kernel, row, m.x)
			}
			y := dst.RawRowView(i)
			for c, col := range m.weights {
				sum := m.bias[c]
				for j, v := range col.vector {
					sum += k[v] * col.w[j]
				}
				y[c] = sum
			}
		}
	})
	return dst
}

// Predict writes the label argmax_c y_nc of each of the N samples x to dst
// (allocated if nil) and returns it; the lower class wins a tie. A row with a
// feature that is not a number has the label −1. It panics as Potentials does.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	y := m.Potentials(nil, x)
	n, _ := y.Dims()
	if dst == nil {
		dst = make([]int, n)
	} else if len(dst) != n {
		panic(fmt.Sprintf("mpcvm: destination of length %d for %d samples", len(dst), n))
	}
	for i := range dst {
		dst[i] = argmax(y.RawRowView(i))
	}
	return dst
}

// Proba writes the probabilities p(t = c | x_n) of each of the N samples x to
// dst (N×C; allocated if nil) and returns it, eq. p(tn,i). Rows sum to one. A row
// with a feature that is not a number has no probabilities: it is all NaN. It
// panics as Potentials does.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = m.Potentials(dst, x)
	n, _ := dst.Dims()
	par.For(n, predictGrain, func(lo, hi int) {
		y := make([]float64, m.classes)
		for i := lo; i < hi; i++ {
			p := dst.RawRowView(i)
			copy(y, p)
			probit.Proba(p, y)
		}
	})
	return dst
}

// argmax returns the first index of the largest value, −1 if one is NaN.
func argmax(y []float64) int {
	best := 0
	for c, v := range y {
		if math.IsNaN(v) {
			return -1
		}
		if v > y[best] {
			best = c
		}
	}
	return best
}

// shaped returns dst, or a new r×c matrix if dst is nil or empty; any other
// shape is the programmer's mistake.
func shaped(dst *mat.Dense, r, c int) *mat.Dense {
	if dst == nil {
		return mat.NewDense(r, c, nil)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(r, c)
		return dst
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(fmt.Sprintf("mpcvm: destination is %d×%d, not %d×%d", dr, dc, r, c))
	}
	return dst
}
