package svm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Model is a fitted machine: the support vectors, the machine of each pair of classes
// and its sigmoid. It is immutable and safe for concurrent use.
type Model struct {
	kernel   kernel.Kernel
	classes  int
	dim      int
	support  *kernel.Rows // support vectors, by class; nil if there are none
	index    []int        // row of each in the training data
	pairs    []pair
	machines []machine // sample: rows of x
	sigmoids []sigmoid // a pair each; nil if there are no probabilities
}

// model keeps what the machines need.
func (v *values) model(machines []machine) *Model {
	_, d := v.x.Dims()
	m := &Model{kernel: v.kernel, classes: v.c, dim: d, pairs: v.pairs, machines: slices.Clone(machines)}
	place := make([]int32, v.n) // 1 + row of Model.support; 0 if no support vector
	for _, machine := range machines {
		for _, i := range machine.sample {
			place[i] = 1
		}
	}
	var support []int32
	for i, used := range place {
		if used != 0 {
			support = append(support, int32(i))
			m.index = append(m.index, v.row[i])
			place[i] = int32(len(support))
		}
	}
	if len(support) > 0 {
		m.support = kernel.NewRows(m.kernel, v.samples(support))
	}
	for p, machine := range machines {
		rows := make([]int32, len(machine.sample))
		for k, i := range machine.sample {
			rows[k] = place[i] - 1
		}
		m.machines[p].sample = rows
	}
	return m
}

// Classes is the number of classes C.
func (m *Model) Classes() int { return m.classes }

// Features is the number of features D of a sample.
func (m *Model) Features() int { return m.dim }

// Kernel returns the kernel of the model.
func (m *Model) Kernel() kernel.Kernel { return m.kernel }

// VectorCount is the number of distinct support vectors.
func (m *Model) VectorCount() int { return len(m.index) }

// WeightCount is the number of non-zero coefficients of all pairs. A support vector has one in
// up to C−1 pairs.
func (m *Model) WeightCount() int {
	count := 0
	for _, machine := range m.machines {
		count += len(machine.beta)
	}
	return count
}

// Support returns the rows in the training data of the support vectors, ascending.
func (m *Model) Support() []int {
	rows := slices.Clone(m.index)
	slices.Sort(rows)
	return rows
}

// Calibrated reports whether the model has the sigmoids that make probabilities of
// decision values.
func (m *Model) Calibrated() bool { return m.sigmoids != nil }

// Pairs returns the pairs of classes in the order of the columns of Decision: (0,1),
// (0,2), …, (C−2,C−1).
func (m *Model) Pairs() [][2]int {
	list := make([][2]int, len(m.pairs))
	for i, p := range m.pairs {
		list[i] = [2]int{p.low, p.high}
	}
	return list
}

// Bias returns the constant b of each pair's decision value.
func (m *Model) Bias() []float64 {
	b := make([]float64, len(m.machines))
	for p, machine := range m.machines {
		b[p] = machine.bias
	}
	return b
}

// Decision writes the decision values Σ β_i k(x, x_i) + b of each of the N samples x
// in each of the P = C(C−1)/2 pairs to dst (N×P; allocated if nil) and returns it.
// Positive ones speak for the lower class of the pair, and ±1 are the margins. A row
// of x with a feature that is not a number has decision values that are not numbers, all
// of them; so has one for which a decision value is not finite, because a kernel that
// grows without bound overflows. It panics if x does not have D columns or dst not the
// right shape.
func (m *Model) Decision(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("svm", dst, n, len(m.pairs))
	m.each(x, func(i int, f, _ []float64) { copy(dst.RawRowView(i), f) })
	return dst
}

// Predict writes the class of most votes for each of the N samples x to dst
// (allocated if nil) and returns it; the lower class wins a tie. A row with a feature
// that is not a number has the label −1. It panics as Decision does.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("svm", dst, x)
	m.each(x, func(i int, f, scratch []float64) { dst[i] = winner(m.votes(scratch[:m.classes], f)) })
	return dst
}

// Proba writes the probabilities of the C classes for each of the N samples x to dst
// (N×C; allocated if nil) and returns it. Rows sum to one. The most probable class
// is not always that of Predict. If the model is not Calibrated it is the share of
// each class in the votes. A row with a feature that is not a number is all NaN. It
// panics as Decision does.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("svm", dst, n, m.classes)
	m.each(x, func(i int, f, scratch []float64) { m.proba(dst.RawRowView(i), f, scratch) })
	return dst
}

// leastPairwise is the least probability of a class in a pair: with 0 the classes'
// probabilities would not be unique.
const leastPairwise = 1e-7

// proba writes the probabilities of decision values f to p. It changes f.
func (m *Model) proba(p, f, scratch []float64) {
	if slices.ContainsFunc(f, math.IsNaN) {
		for c := range p {
			p[c] = math.NaN()
		}
		return
	}
	if m.sigmoids == nil {
		m.votes(p, f)
		for c := range p {
			p[c] /= float64(len(f))
		}
		return
	}
	for k, s := range m.sigmoids {
		f[k] = min(max(s.at(f[k]), leastPairwise), 1-leastPairwise)
	}
	couple(p, f, scratch)
}

// votes counts the votes of decision values f for each class, NaN if one is NaN.
func (m *Model) votes(votes, f []float64) []float64 {
	clear(votes)
	for k, v := range f {
		switch p := m.pairs[k]; {
		case v >= 0:
			votes[p.low]++
		case v < 0:
			votes[p.high]++
		default:
			votes[0] = math.NaN()
		}
	}
	return votes
}

// winner is the first class of most votes; −1 if they are not numbers.
func winner(votes []float64) int {
	if math.IsNaN(votes[0]) {
		return -1
	}
	best := 0
	for c, v := range votes {
		if v > votes[best] {
			best = c
		}
	}
	return best
}

// grain is how many samples a goroutine takes at a time.
const grain = 64

// each calls use with every sample's index and decision values, on all cores. These
// and a scratch of C·C numbers are buffers, which use may change and must not keep.
func (m *Model) each(x mat.Matrix, use func(i int, f, scratch []float64)) {
	n, d := x.Dims()
	if d != m.dim {
		panic(fmt.Sprintf("svm: %d features for a model of %d", d, m.dim))
	}
	par.For(n, grain, func(lo, hi int) {
		row, k := make([]float64, d), make([]float64, len(m.index))
		f, scratch := make([]float64, len(m.pairs)), make([]float64, m.classes*m.classes)
		for i := lo; i < hi; i++ {
			mat.Row(row, i, x)
			m.decide(f, k, row)
			use(i, f, scratch)
		}
	})
}

// decide writes the values k(x, x_i) to k and the decision values to f.
func (m *Model) decide(f, k, x []float64) {
	if slices.ContainsFunc(x, math.IsNaN) { // whatever the kernel makes of it
		for p := range f {
			f[p] = math.NaN()
		}
		return
	}
	if m.support != nil {
		m.support.At(k, x)
	}
	for p, machine := range m.machines {
		sum := machine.bias
		for i, s := range machine.sample {
			sum += machine.beta[i] * k[s]
		}
		f[p] = sum
	}
	if slices.ContainsFunc(f, func(v float64) bool { return math.IsNaN(v - v) }) { // a kernel without bound overflows far away
		for p := range f {
			f[p] = math.NaN()
		}
	}
}
