package mpcvm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Potentials writes the potentials y_nc = φ(x_n)ᵀw_c + b_c of the N×D samples x
// to dst (N×C; allocated if nil) and returns it, eq. (mpcvm_2). The samples are in
// raw units if the model is one WithScaling. It panics if x does not have D columns
// or dst not the right shape. A row of x with a feature that is not a number has
// potentials that are not numbers, all of them; so has one for which a potential is not
// finite, because a kernel that grows without bound overflows.
func (m *Model) Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("mpcvm", dst, n, m.classes)
	m.each(x, func(i int, y []float64) { copy(dst.RawRowView(i), y) })
	return dst
}

// Predict writes the label argmax_c y_nc of each of the N samples x to dst
// (allocated if nil) and returns it; the lower class wins a tie. A row whose
// potentials are not numbers has the label −1. It panics as Potentials does.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("mpcvm", dst, x)
	m.each(x, func(i int, y []float64) { dst[i] = argmax(y) })
	return dst
}

// Proba writes the probabilities p(t = c | x_n) of each of the N samples x to
// dst (N×C; allocated if nil) and returns it, eq. p(tn,i) of y/T; see
// WithTemperature. Rows sum to one. A row whose potentials are not numbers has no
// probabilities: it is all NaN. It panics as Potentials does.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = m.Potentials(args.Matrix("mpcvm", dst, n, m.classes), x)
	m.probabilities(dst)
	return dst
}

// farthest is a gap between potentials beyond which the lower class has no
// probability that float64 could hold: Ψ(−gap/√2) < 2^−1074 from 55 on.
const farthest = 100

// probabilities turns potentials, N×C, into probabilities.
func (m *Model) probabilities(y *mat.Dense) {
	n, _ := y.Dims()
	T := m.Temperature()
	par.For(n, predictGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := y.RawRowView(i)
			top := slices.Max(row) // NaN if one is
			for c, v := range row {
				row[c] = max((v-top)/T, -farthest) // the probabilities depend on differences alone
			}
		}
	})
	probit.Batch{}.Proba(y, y)
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
	raw, _ := x.(*mat.Dense)
	par.For(n, predictGrain, func(lo, hi int) {
		rows := mat.NewDense(hi-lo, d, nil)
		for i := lo; i < hi; i++ {
			row := rows.RawRowView(i - lo)
			if raw != nil {
				copy(row, raw.RawRowView(i))
				continue
			}
			for j := range row {
				row[j] = x.At(i, j)
			}
		}
		k := m.values(rows)
		y := make([]float64, m.classes)
		for i := lo; i < hi; i++ {
			m.potentials(y, k, rows, i-lo)
			f(i, y)
		}
	})
}

// values standardises the samples x in place and returns the values k(x_i, x_n) of
// the relevance vectors, a row for each of x, or nil if there are none. Each is
// computed once, however many classes share the vector. Where a feature is no number
// none of the values is, whatever the kernel makes of it.
func (m *Model) values(x *mat.Dense) *mat.Dense {
	if m.mean != nil {
		n, _ := x.Dims()
		for i := range n {
			row := x.RawRowView(i)
			for d := range row {
				row[d] = (row[d] - m.mean[d]) / m.scale[d]
			}
		}
	}
	if m.vectors == nil {
		return nil
	}
	k := m.vectors().Cross(nil, x)
	n, _ := x.Dims()
	for i := range n {
		if slices.ContainsFunc(x.RawRowView(i), math.IsNaN) {
			fill(k.RawRowView(i), math.NaN())
		}
	}
	return k
}

func fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

// potentials writes the potentials of sample i of x to y, k being values(x).
func (m *Model) potentials(y []float64, k, x *mat.Dense, i int) {
	if slices.ContainsFunc(x.RawRowView(i), math.IsNaN) {
		fill(y, math.NaN())
		return
	}
	var values []float64
	if k != nil {
		values = k.RawRowView(i)
	}
	finite := true
	for c, col := range m.weights {
		sum := m.bias[c]
		for j, v := range col.vector {
			// Without the conversion a compiler may fuse product and sum, and
			// the contributions of an Explanation would not add up.
			sum += float64(values[v] * col.w[j])
		}
		y[c] = sum
		finite = finite && isFinite(sum)
	}
	if !finite { // a kernel without bound overflows far away; what is left cannot be compared
		fill(y, math.NaN())
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
