package svm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Model is a fitted SVM: the support vectors, the machine of each pair of classes and its
// sigmoid. It is immutable and safe for concurrent use.
type Model struct {
	kernel   kernel.Kernel
	classes  int
	dim      int
	support  *kernel.Rows // support vectors, by class; nil if there are none
	index    []int        // row of each in the training data
	pairs    []pair
	machines []machine // of each pair; sample counts the rows of support
	sigmoids []sigmoid // of each pair; nil if there are no probabilities
}

// model returns the model of the machines, without sigmoids.
func (v *values) model(machines []machine) *Model {
	m := &Model{kernel: v.kernel, classes: v.C, dim: v.D, pairs: v.pairs, machines: slices.Clone(machines)}
	place := make([]int32, v.N) // 1 + row of Model.support; 0 if no support vector
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

// WeightCount is the number of non-zero coefficients of all pairs. A support vector may have
// one in each of C−1 pairs.
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

// Coefficients returns β_i of each support vector of a pair, by its row in the training data.
// The pair is a place in Pairs. A coefficient is positive for the lower class of the pair and
// negative for the higher. Coefficients panics if there is no such pair.
func (m *Model) Coefficients(pair int) map[int]float64 {
	machine := m.machines[pair]
	beta := make(map[int]float64, len(machine.beta))
	for k, i := range machine.sample {
		beta[m.index[i]] = machine.beta[k]
	}
	return beta
}

// Calibrated reports whether the model has the sigmoids that turn decision values into
// probabilities.
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

// Decision writes the decision values Σ β_i k(x, x_i) + b of each of the N samples x in each
// of the P = C(C−1)/2 pairs to dst (N×P; allocated if nil) and returns it. Positive values are
// for the lower class of the pair, and ±1 are the margins. Decision panics if x does not have
// D columns or dst is not N×P. All values of a row are NaN if a feature of it is NaN, or if a
// value overflows, which happens with kernels that grow without bound.
func (m *Model) Decision(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("svm", dst, n, len(m.pairs))
	m.each(x, func(i int, f, _ []float64) { copy(dst.RawRowView(i), f) })
	return dst
}

// Predict writes the class with the most votes for each of the N samples x to dst (allocated
// if nil) and returns it. The lower class wins a tie. A row whose decision values are NaN has
// the label −1. Predict panics as Decision does.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("svm", dst, x)
	m.each(x, func(i int, f, scratch []float64) { dst[i] = fitting.Argmax(m.votes(scratch[:m.classes], f)) })
	return dst
}

// Proba writes the probabilities of the C classes for each of the N samples x to dst (N×C;
// allocated if nil) and returns it. Rows sum to one. The most probable class is not always
// the label of Predict. If the model is not Calibrated, the probabilities are the shares of the
// classes in the votes. A row whose decision values are NaN is all NaN. Proba panics as
// Decision does.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("svm", dst, n, m.classes)
	m.each(x, func(i int, f, scratch []float64) { m.proba(dst.RawRowView(i), f, scratch) })
	return dst
}

// leastPairwise is the smallest probability of a class in a pair. With 0 the probabilities of
// the classes would not be unique.
const leastPairwise = 1e-7

// proba writes the probabilities for decision values f to p. It changes f.
func (m *Model) proba(p, f, scratch []float64) {
	if fitting.HasNaN(f) {
		fitting.Fill(p, math.NaN())
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

// votes counts the votes of decision values f for each class. A count is NaN if a value is.
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

// each calls use with the index and the decision values of every sample, on all cores. use may
// change these and a scratch of C·C numbers, and must not keep the slices.
func (m *Model) each(x mat.Matrix, use func(i int, f, scratch []float64)) {
	fitting.EachRow("svm", x, m.dim, func() func(int, []float64) {
		k := make([]float64, len(m.index))
		f, scratch := make([]float64, len(m.pairs)), make([]float64, m.classes*m.classes)
		return func(i int, row []float64) {
			m.decide(f, k, row)
			use(i, f, scratch)
		}
	})
}

// decide writes the values k(x, x_i) to k and the decision values to f.
func (m *Model) decide(f, k, x []float64) {
	if fitting.HasNaN(x) { // a kernel may ignore the feature
		fitting.Fill(f, math.NaN())
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
	if !fitting.AllFinite(f) {
		fitting.Fill(f, math.NaN())
	}
}
