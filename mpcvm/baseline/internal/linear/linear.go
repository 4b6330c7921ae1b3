// Package linear implements the model of the linear baselines: scores y = Wx + b with the probabilities
// softmax(y/T).
package linear

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Model is a linear model of C classes and D features. It is immutable and safe for concurrent use.
type Model struct {
	w           *mat.Dense // C×D
	b           []float64  // C
	temperature float64
}

// New returns the model with copies of the weights w (C×D), the biases b (C) and the temperature T > 0. It
// panics if len(b) is not the number of rows of w or T is not positive.
func New(w mat.Matrix, b []float64, temperature float64) *Model {
	if c, _ := w.Dims(); c != len(b) {
		panic(fmt.Sprintf("linear: New: weights for %d classes and %d biases", c, len(b)))
	}
	if !(temperature > 0) {
		panic(fmt.Sprintf("linear: New: temperature must be positive: %v", temperature))
	}
	return &Model{mat.DenseCopyOf(w), slices.Clone(b), temperature}
}

// Classes returns the number of classes C.
func (m *Model) Classes() int { return len(m.b) }

// Features returns the number of features D.
func (m *Model) Features() int { _, d := m.w.Dims(); return d }

// Temperature returns T; the probabilities are softmax(y/T).
func (m *Model) Temperature() float64 { return m.temperature }

// Coefficients returns copies of the weights W (C×D) and the biases b (C).
func (m *Model) Coefficients() (w *mat.Dense, b []float64) {
	return mat.DenseCopyOf(m.w), slices.Clone(m.b)
}

// VectorCount returns 0, because a linear model does not store samples.
func (m *Model) VectorCount() int { return 0 }

// WeightCount returns the number of non-zero weights, at most C·D. Biases are not counted.
func (m *Model) WeightCount() int {
	step := mpcvm.Step{Weights: nonZero(m.w)}
	return step.NonZero()
}

// nonZero returns the number of non-zero weights in each row of w.
func nonZero(w *mat.Dense) []int {
	rows, _ := w.Dims()
	count := make([]int, rows)
	for c := range count {
		count[c] = floats.Count(func(v float64) bool { return v != 0 }, w.RawRowView(c))
	}
	return count
}

// Step returns a Step with the Weights and the Change of an iteration that changed the weights (C×D) from
// before to w. Change is 0 if all weights are zero.
func Step(w, before *mat.Dense) mpcvm.Step {
	step := mpcvm.Step{Weights: nonZero(w)}
	if largest := floats.Norm(w.RawMatrix().Data, math.Inf(1)); largest > 0 {
		step.Change = floats.Distance(w.RawMatrix().Data, before.RawMatrix().Data, math.Inf(1)) / largest
	}
	return step
}

// Scores writes the scores Wx_n + b of the N×D samples x to dst (N×C; allocated if nil) and returns it. All
// scores of a row are NaN if one of them is not finite, because a feature is NaN, infinite or too large.
// Scores panics if x does not have D columns or dst is not N×C.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("linear", dst, n, m.Classes())
	m.each(x, func(i int, y []float64) { copy(dst.RawRowView(i), y) })
	return dst
}

// Proba writes the probabilities softmax(y/T) of the N samples x to dst (N×C; allocated if nil) and returns
// it. Rows sum to one. A row whose scores are NaN is NaN. Proba panics in the same cases as Scores.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("linear", dst, n, m.Classes())
	m.each(x, func(i int, y []float64) { Softmax(dst.RawRowView(i), y, m.temperature) })
	return dst
}

// Predict writes the label argmax_c y_nc of each of the N samples x to dst (allocated if nil) and returns it.
// Ties go to the lower class. A row whose scores are NaN gets the label −1. Predict panics if x does not have
// D columns or len(dst) is not N.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("linear", dst, x)
	m.each(x, func(i int, y []float64) { dst[i] = fitting.Argmax(y) })
	return dst
}

// each calls f with the index and the scores of every sample, on all cores. f must not retain the slice.
func (m *Model) each(x mat.Matrix, f func(i int, y []float64)) {
	fitting.EachRow("linear", x, m.Features(), func() func(int, []float64) {
		y := make([]float64, m.Classes())
		return func(i int, row []float64) {
			for c, b := range m.b {
				y[c] = floats.Dot(m.w.RawRowView(c), row) + b
			}
			if !fitting.AllFinite(y) {
				fitting.Fill(y, math.NaN())
			}
			f(i, y)
		}
	})
}

// Softmax writes exp(y_c/T)/Σ_k exp(y_k/T) to dst, which may be y. The scores y must be finite or all NaN,
// and the temperature T must be positive.
func Softmax(dst, y []float64, temperature float64) {
	top, sum := slices.Max(y), 0.0
	for c, v := range y {
		dst[c] = math.Exp((v - top) / temperature)
		sum += dst[c]
	}
	floats.Scale(1/sum, dst)
}
