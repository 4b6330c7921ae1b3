// Package linear has the model of the linear baselines: scores y = Wx + b with the
// probabilities softmax(y/T).
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

// Model is a linear model of C classes and D features. It is immutable and safe for
// concurrent use.
type Model struct {
	w           *mat.Dense // C×D
	b           []float64  // C
	temperature float64
}

// New returns the model with copies of the weights w (C×D), the biases b (C) and the
// temperature T > 0. It panics if len(b) is not the number of rows of w or T is not positive.
func New(w mat.Matrix, b []float64, temperature float64) *Model {
	if c, _ := w.Dims(); c != len(b) {
		panic(fmt.Sprintf("linear: weights of %d classes and %d biases", c, len(b)))
	}
	if !(temperature > 0) {
		panic(fmt.Sprintf("linear: temperature %v", temperature))
	}
	return &Model{mat.DenseCopyOf(w), slices.Clone(b), temperature}
}

// Classes is the number of classes C.
func (m *Model) Classes() int { return len(m.b) }

// Features is the number of features D of a sample.
func (m *Model) Features() int { _, d := m.w.Dims(); return d }

// Temperature is T. The probabilities are softmax(y/T).
func (m *Model) Temperature() float64 { return m.temperature }

// Coefficients returns copies of the weights W (C×D) and the biases b (C).
func (m *Model) Coefficients() (w *mat.Dense, b []float64) {
	return mat.DenseCopyOf(m.w), slices.Clone(m.b)
}

// VectorCount is 0: a linear model keeps no samples.
func (m *Model) VectorCount() int { return 0 }

// WeightCount is the number of non-zero weights, at most C·D. Biases are not counted.
func (m *Model) WeightCount() int {
	step := mpcvm.Step{Weights: nonZero(m.w)}
	return step.NonZero()
}

// nonZero counts the weights that are not zero in each row of w.
func nonZero(w *mat.Dense) []int {
	rows, _ := w.Dims()
	count := make([]int, rows)
	for c := range count {
		count[c] = floats.Count(func(v float64) bool { return v != 0 }, w.RawRowView(c))
	}
	return count
}

// Step returns a Step with the Weights and the Change of an iteration that took the weights
// (C×D) from before to w. Change is 0 if all weights are zero.
func Step(w, before *mat.Dense) mpcvm.Step {
	step := mpcvm.Step{Weights: nonZero(w)}
	if largest := floats.Norm(w.RawMatrix().Data, math.Inf(1)); largest > 0 {
		step.Change = floats.Distance(w.RawMatrix().Data, before.RawMatrix().Data, math.Inf(1)) / largest
	}
	return step
}

// Scores writes the scores Wx_n + b of the N×D samples x to dst (N×C; allocated if nil) and
// returns it. It panics if x does not have D columns or dst is not N×C. All scores of a row
// are NaN if one is not finite, because a feature is NaN, infinite or too large.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("linear", dst, n, m.Classes())
	m.each(x, func(i int, y []float64) { copy(dst.RawRowView(i), y) })
	return dst
}

// Proba writes the probabilities softmax(y/T) of each of the N samples x to dst (N×C;
// allocated if nil) and returns it. Rows sum to one. A row whose scores are NaN is all NaN.
// Proba panics as Scores does.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("linear", dst, n, m.Classes())
	m.each(x, func(i int, y []float64) { Softmax(dst.RawRowView(i), y, m.temperature) })
	return dst
}

// Predict writes the label argmax_c y_nc of each of the N samples x to dst (allocated if nil)
// and returns it. The lower class wins a tie. A row whose scores are NaN has the label −1.
// Predict panics as Scores does.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("linear", dst, x)
	m.each(x, func(i int, y []float64) { dst[i] = fitting.Argmax(y) })
	return dst
}

// each calls f with the index and the scores of every sample, on all cores. f must not keep
// the slice.
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

// Softmax writes exp(y_c/T)/Σ exp(y_k/T) to dst, which may be y. The scores y must be finite
// or all NaN. The temperature T must be positive.
func Softmax(dst, y []float64, temperature float64) {
	top, sum := slices.Max(y), 0.0
	for c, v := range y {
		dst[c] = math.Exp((v - top) / temperature)
		sum += dst[c]
	}
	floats.Scale(1/sum, dst)
}
