// Package linear is what the linear systems share: a model whose scores are affine in
// the features, y = Wx + b, with the probabilities softmax(y/T).
package linear

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
)

// Model is a linear model of C classes and D features. It is immutable and safe for
// concurrent use.
type Model struct {
	w           *mat.Dense // C×D
	b           []float64  // C
	temperature float64
}

// New returns the model with copies of the weights w (C×D), the biases b (C) and the
// temperature T > 0. It panics if they do not fit together.
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

// Temperature is T, by which scores are divided before they become probabilities.
func (m *Model) Temperature() float64 { return m.temperature }

// Coefficients returns copies of the weights W (C×D) and the biases b (C).
func (m *Model) Coefficients() (w *mat.Dense, b []float64) {
	return mat.DenseCopyOf(m.w), slices.Clone(m.b)
}

// VectorCount is 0: a linear model keeps no samples.
func (m *Model) VectorCount() int { return 0 }

// WeightCount is the number of non-zero weights, at most C·D. Biases are not counted.
func (m *Model) WeightCount() int {
	count := 0
	for _, n := range NonZero(m.w) {
		count += n
	}
	return count
}

// NonZero counts the weights that are not zero in each row of w.
func NonZero(w *mat.Dense) []int {
	rows, _ := w.Dims()
	count := make([]int, rows)
	for c := range count {
		for _, v := range w.RawRowView(c) {
			if v != 0 {
				count[c]++
			}
		}
	}
	return count
}

// Change is max|w − before|/max|w|, 0 where all weights are zero.
func Change(w, before *mat.Dense) float64 {
	largest := floats.Norm(w.RawMatrix().Data, math.Inf(1))
	if largest == 0 {
		return 0
	}
	return floats.Distance(w.RawMatrix().Data, before.RawMatrix().Data, math.Inf(1)) / largest
}

// Scores writes the scores Wx_n + b of the N×D samples x to dst (N×C; allocated if
// nil) and returns it. A row of x that has not finite scores, because a feature is
// NaN, infinite or too large, is all NaN. It panics if x has not D columns or dst not
// the right shape.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return m.each(dst, x, func([]float64) {})
}

// Proba writes the probabilities softmax(y/T) of each of the N samples x to dst (N×C;
// allocated if nil) and returns it. Rows sum to one. A row without finite scores has
// no probabilities: it is all NaN. It panics as Scores does.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return m.each(dst, x, func(y []float64) { Softmax(y, y, m.temperature) })
}

// Predict writes the label argmax_c y_nc of each of the N samples x to dst (allocated
// if nil) and returns it; the lower class wins a tie. A row without finite scores has
// the label −1. It panics as Scores does.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("linear", dst, x)
	y := m.Scores(nil, x)
	for i := range dst {
		row := y.RawRowView(i)
		if dst[i] = floats.MaxIdx(row); math.IsNaN(row[0]) {
			dst[i] = -1
		}
	}
	return dst
}

// grain is how many samples a goroutine takes at a time.
const grain = 64

// each writes the scores of the samples to dst and calls f with those of each sample
// that are finite, on all cores.
func (m *Model) each(dst *mat.Dense, x mat.Matrix, f func(y []float64)) *mat.Dense {
	n, d := x.Dims()
	if d != m.Features() {
		panic(fmt.Sprintf("linear: %d features for a model of %d", d, m.Features()))
	}
	dst = args.Matrix("linear", dst, n, m.Classes())
	par.For(n, grain, func(lo, hi int) {
		row := make([]float64, d)
		for i := lo; i < hi; i++ {
			mat.Row(row, i, x)
			y := dst.RawRowView(i)
			finite := true
			for c, b := range m.b {
				y[c] = floats.Dot(m.w.RawRowView(c), row) + b
				finite = finite && !math.IsNaN(y[c]) && !math.IsInf(y[c], 0)
			}
			if !finite {
				for c := range y {
					y[c] = math.NaN()
				}
				continue
			}
			f(y)
		}
	})
	return dst
}

// Softmax writes exp(y_c/T)/Σ exp(y_k/T) to dst, which may be y. The scores y must be
// finite and the temperature T positive.
func Softmax(dst, y []float64, temperature float64) {
	top, sum := slices.Max(y), 0.0
	for c, v := range y {
		dst[c] = math.Exp((v - top) / temperature)
		sum += dst[c]
	}
	floats.Scale(1/sum, dst)
}
