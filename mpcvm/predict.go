package mpcvm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Potentials writes the potentials y_nc = φ(x_n)ᵀw_c + b_c of the N×D samples x
// to dst (N×C; allocated if nil) and returns it, eq. (mpcvm_2). The samples are in
// raw units if the model is one WithScaling. It panics if x does not have D columns
// or dst not the right shape. A row of x with a feature that is not a number has
// potentials that are not numbers.
func (m *Model) Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = shaped(dst, n, m.classes)
	m.each(x, func(i int, y []float64) { copy(dst.RawRowView(i), y) })
	return dst
}

// Predict writes the label argmax_c y_nc of each of the N samples x to dst
// (allocated if nil) and returns it; the lower class wins a tie. A row with a
// feature that is not a number has the label −1. It panics as Potentials does.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]int, n)
	} else if len(dst) != n {
		panic(fmt.Sprintf("mpcvm: destination of length %d for %d samples", len(dst), n))
	}
	m.each(x, func(i int, y []float64) { dst[i] = argmax(y) })
	return dst
}

// Proba writes the probabilities p(t = c | x_n) of each of the N samples x to
// dst (N×C; allocated if nil) and returns it, eq. p(tn,i) of y/T; see
// WithTemperature. Rows sum to one. A row with a feature that is not a number has
// no probabilities: it is all NaN. It panics as Potentials does.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = shaped(dst, n, m.classes)
	m.each(x, func(i int, y []float64) { m.proba(dst.RawRowView(i), y) })
	return dst
}

// farthest is a gap between potentials beyond which the lower class has no
// probability that float64 could hold: Ψ(−gap/√2) < 2^−1074 from 55 on.
const farthest = 100

// proba writes the probabilities of the potentials y to p. It changes y.
func (m *Model) proba(p, y []float64) {
	T, top := m.Temperature(), slices.Max(y) // NaN if one is
	for c, v := range y {
		y[c] = max((v-top)/T, -farthest) // the probabilities depend on differences alone
	}
	probit.Proba(p, y)
}

// predictGrain is how many samples a goroutine takes at a time.
const predictGrain = 64

// each calls f with every sample's index and potentials, on all cores. The
// potentials are in a buffer, which f may change and must not keep.
func (m *Model) each(x mat.Matrix, f func(i int, y []float64)) {
	n, d := x.Dims()
	if d != m.dim {
		panic(fmt.Sprintf("mpcvm: %d features for a model of %d", d, m.dim))
	}
	dense, _ := x.(*mat.Dense)
	par.For(n, predictGrain, func(lo, hi int) {
		buffer := make([]float64, d+len(m.index)+m.classes)
		row, k, y := buffer[:d], buffer[d:d+len(m.index)], buffer[d+len(m.index):]
		for i := lo; i < hi; i++ {
			if dense != nil {
				copy(row, dense.RawRowView(i))
			} else {
				for j := range row {
					row[j] = x.At(i, j)
				}
			}
			m.potentials(y, k, row)
			f(i, y)
		}
	})
}

// potentials writes the values k(x, x_n) for the relevance vectors to k and the
// potentials to y. It standardises x in place.
func (m *Model) potentials(y, k, x []float64) {
	if slices.ContainsFunc(x, math.IsNaN) { // whatever the kernel makes of it
		for c := range y {
			y[c] = math.NaN()
		}
		return
	}
	for d := range m.mean {
		x[d] = (x[d] - m.mean[d]) / m.scale[d]
	}
	if m.x != nil {
		kernel.Row(k, m.kernel, x, m.x)
	}
	for c, col := range m.weights {
		sum := m.bias[c]
		for j, v := range col.vector {
			// Without the conversion a compiler may fuse product and sum, and
			// the contributions of an Explanation would not add up.
			sum += float64(k[v] * col.w[j])
		}
		y[c] = sum
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
