package mrvm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Model is a fitted mRVM: the relevance vectors and their weights for each class. It
// is immutable and safe for concurrent use.
type Model struct {
	kernel    kernel.Kernel
	classes   int
	dim       int
	x         *mat.Dense   // M×D relevance vectors, ascending by training index; nil if M = 0
	values    *kernel.Rows // the same, prepared for prediction
	w         *mat.Dense   // M×C weights; nil if M = 0
	index     []int        // training index of each relevance vector
	label     []int        // and its label
	frequency []float64    // of the classes, where M = 0; else nil
}

// RelevanceVector is a training sample in the model, in the form of package mpcvm, so
// that the same charts draw it. It has a weight for each class, of either sign, and
// its Raw is X.
type RelevanceVector = mpcvm.RelevanceVector

// Classes is the number of classes C.
func (m *Model) Classes() int { return m.classes }

// Features is the number of features D of a sample.
func (m *Model) Features() int { return m.dim }

// Kernel returns the kernel of the model.
func (m *Model) Kernel() kernel.Kernel { return m.kernel }

// Size counts the relevance vectors and the weights, of which each has C.
func (m *Model) VectorCount() int { return len(m.index) }

// WeightCount is the number of weights: C for each relevance vector.
func (m *Model) WeightCount() int { return len(m.index) * m.classes }

// RelevanceVectors returns copies of the relevance vectors, ascending by training
// index.
func (m *Model) RelevanceVectors() []RelevanceVector {
	vectors := make([]RelevanceVector, len(m.index))
	for i := range vectors {
		x := m.x.RawRowView(i)
		vectors[i] = RelevanceVector{
			Index: m.index[i], Label: m.label[i],
			X: slices.Clone(x), Raw: slices.Clone(x), Weights: slices.Clone(m.w.RawRowView(i)),
		}
	}
	return vectors
}

// Potentials writes the potentials y_nc = Σ_m k(x_n, x_m) w_mc of the N×D samples x
// to dst (N×C; allocated if nil) and returns it; of a model without relevance vectors
// they are the logarithms of the class frequencies. It panics if x does not have D
// columns or dst not the right shape. A row of x with a feature that is not a number
// has potentials that are not numbers, all of them; so has one for which a potential is
// not finite, because a kernel that grows without bound overflows.
func (m *Model) Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("mrvm", dst, n, m.classes)
	m.each(x, func(i int, y []float64) { copy(dst.RawRowView(i), y) })
	return dst
}

// Predict writes the label argmax_c y_nc of each of the N samples x to dst
// (allocated if nil) and returns it; the lower class wins a tie. A row whose
// potentials are not numbers has the label −1. It panics as Potentials does.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("mrvm", dst, x)
	m.each(x, func(i int, y []float64) { dst[i] = argmax(y) })
	return dst
}

// Proba writes the probabilities p(t = c | x_n) of each of the N samples x to
// dst (N×C; allocated if nil) and returns it: the multinomial probit of the
// potentials, or the class frequencies if there are no relevance vectors. Rows sum
// to one. A row whose potentials are not numbers has no probabilities: it is all
// NaN. It panics as Potentials does.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("mrvm", dst, n, m.classes)
	m.each(x, func(i int, y []float64) {
		p := dst.RawRowView(i)
		if m.frequency != nil && !math.IsNaN(y[0]) {
			copy(p, m.frequency)
			return
		}
		top := slices.Max(y) // NaN if one is
		for c, v := range y {
			y[c] = max(v-top, -farthest) // the probabilities depend on differences alone
		}
		probit.Proba(p, y)
	})
	return dst
}

// farthest is a gap between potentials beyond which the lower class has no
// probability that float64 could hold.
const farthest = 100

// grain is how many samples a goroutine takes at a time.
const grain = 64

// each calls f with every sample's index and potentials, on all cores. The
// potentials are in a buffer, which f may change and must not keep.
func (m *Model) each(x mat.Matrix, f func(i int, y []float64)) {
	n, d := x.Dims()
	if d != m.dim {
		panic(fmt.Sprintf("mrvm: %d features for a model of %d", d, m.dim))
	}
	par.For(n, grain, func(lo, hi int) {
		row, k, y := make([]float64, d), make([]float64, len(m.index)), make([]float64, m.classes)
		for i := lo; i < hi; i++ {
			mat.Row(row, i, x)
			m.potentials(y, k, row)
			f(i, y)
		}
	})
}

// potentials writes the values k(x, x_m) for the relevance vectors to k and the
// potentials to y.
func (m *Model) potentials(y, k, x []float64) {
	if slices.ContainsFunc(x, math.IsNaN) { // whatever the kernel makes of it
		for c := range y {
			y[c] = math.NaN()
		}
		return
	}
	if m.x == nil {
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
	for _, v := range y {
		if !isFinite(v) { // a kernel without bound overflows far away
			for c := range y {
				y[c] = math.NaN()
			}
			return
		}
	}
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
