package mrvm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Model is a fitted mRVM: the relevance vectors and their weights for each class. It is immutable and safe
// for concurrent use.
type Model struct {
	kernel    kernel.Kernel
	classes   int
	dim       int
	x         *mat.Dense   // M×D relevance vectors, ascending by training index; nil if M = 0
	values    *kernel.Rows // the vectors prepared for prediction
	w         *mat.Dense   // M×C weights; nil if M = 0
	index     []int        // training index of each relevance vector
	label     []int        // label of each relevance vector
	frequency []float64    // class frequencies if M = 0, else nil
	names     []string     // class names; nil means their numbers
}

// WithNames returns a copy of the model with names for its classes; the names of the features are ignored. It
// panics if the number of names is wrong.
func (m *Model) WithNames(classes, _ []string) *Model {
	if len(classes) != m.classes {
		panic(fmt.Sprintf("mrvm: %d class names for %d classes", len(classes), m.classes))
	}
	named := *m
	named.names = slices.Clone(classes)
	return &named
}

// ClassNames returns the class names set by WithNames, or the numbers of the classes.
func (m *Model) ClassNames() []string {
	return fitting.Names(m.names, m.classes, "", 0)
}

// Classes returns the number of classes C.
func (m *Model) Classes() int { return m.classes }

// Features returns the number of features D.
func (m *Model) Features() int { return m.dim }

// Kernel returns the kernel of the model.
func (m *Model) Kernel() kernel.Kernel { return m.kernel }

// VectorCount returns the number of relevance vectors.
func (m *Model) VectorCount() int { return len(m.index) }

// WeightCount returns the number of weights: C for each relevance vector.
func (m *Model) WeightCount() int { return len(m.index) * m.classes }

// RelevanceVectors returns copies of the relevance vectors in ascending order of the training index. Each has
// a weight of either sign for each class. Raw equals X.
func (m *Model) RelevanceVectors() []mpcvm.RelevanceVector {
	vectors := make([]mpcvm.RelevanceVector, len(m.index))
	for i := range vectors {
		x := m.x.RawRowView(i)
		vectors[i] = mpcvm.RelevanceVector{
			Index: m.index[i], Label: m.label[i],
			X: slices.Clone(x), Raw: slices.Clone(x), Weights: slices.Clone(m.w.RawRowView(i)),
		}
	}
	return vectors
}

// Potentials writes the potentials y_nc = Σ_m k(x_n, x_m) w_mc of the N×D samples x to dst (N×C; allocated if
// nil) and returns it. If the model has no relevance vectors, the potentials are the logarithms of the class
// frequencies. All potentials of a row are NaN if one of its features is NaN or if a potential overflows,
// which can happen with unbounded kernels. Potentials panics if x does not have D columns or dst is not N×C.
func (m *Model) Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("mrvm", dst, n, m.classes)
	m.each(x, func(i int, y []float64) { copy(dst.RawRowView(i), y) })
	return dst
}

// Predict writes the label argmax_c y_nc of each of the N samples x to dst (allocated if nil) and returns it.
// Ties go to the lower class. A row whose potentials are NaN gets the label −1. Predict panics if x does not
// have D columns or len(dst) is not N.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("mrvm", dst, x)
	m.each(x, func(i int, y []float64) { dst[i] = fitting.Argmax(y) })
	return dst
}

// Proba writes the probabilities p(t = c | x_n) of the N samples x to dst (N×C; allocated if nil) and returns
// it: the multinomial probit of the potentials, or the class frequencies if the model has no relevance
// vectors. Rows sum to one. A row whose potentials are NaN is NaN. Proba panics in the same cases as
// Potentials.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = m.Potentials(args.Matrix("mrvm", dst, n, m.classes), x)
	if m.frequency == nil {
		fitting.Calibration{}.Proba(dst)
		return dst
	}
	for i := range n {
		if row := dst.RawRowView(i); !math.IsNaN(row[0]) {
			copy(row, m.frequency)
		}
	}
	return dst
}

// each calls f with the index and the potentials of every sample, on all cores. f may modify the potentials
// and must not retain the slice.
func (m *Model) each(x mat.Matrix, f func(i int, y []float64)) {
	fitting.EachRow("mrvm", x, m.dim, func() func(int, []float64) {
		k, y := make([]float64, len(m.index)), make([]float64, m.classes)
		return func(i int, row []float64) {
			m.potentials(y, k, row)
			f(i, y)
		}
	})
}

// potentials writes the kernel values k(x, x_m) for the relevance vectors to k, and the potentials to y.
func (m *Model) potentials(y, k, x []float64) {
	switch {
	case fitting.HasNaN(x): // a kernel may ignore the feature
		fitting.Fill(y, math.NaN())
		return
	case m.x == nil:
		for c, v := range m.frequency {
			y[c] = math.Log(v)
		}
		return
	}
	m.values.At(k, x)
	clear(y)
	for i, v := range k {
		for c, w := range m.w.RawRowView(i) {
			y[c] += float64(v * w)
		}
	}
	if !fitting.AllFinite(y) {
		fitting.Fill(y, math.NaN())
	}
}
