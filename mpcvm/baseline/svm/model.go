package svm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Model is a fitted SVM: the support vectors, and the machine and the sigmoid of each pair of classes. It is
// immutable and safe for concurrent use.
type Model struct {
	kernel   kernel.Kernel
	classes  int
	dim      int
	support  *kernel.Rows // support vectors, by class; nil if there are none
	index    []int        // row of each support vector in the training data
	pairs    []pair
	machines []machine // of each pair; its samples are rows of support
	sigmoids []sigmoid // of each pair; nil without probabilities
}

// model returns the model of the machines, without sigmoids.
func (v *values) model(machines []machine) *Model {
	m := &Model{kernel: v.kernel, classes: v.C, dim: v.D, pairs: v.pairs, machines: slices.Clone(machines)}
	row := make([]int32, v.N) // 1 + row of Model.support; 0 if not a support vector
	for _, machine := range machines {
		for _, i := range machine.sample {
			row[i] = 1
		}
	}
	var support []int32
	for i, used := range row {
		if used != 0 {
			support = append(support, int32(i))
			m.index = append(m.index, v.row[i])
			row[i] = int32(len(support))
		}
	}
	if len(support) > 0 {
		m.support = kernel.NewRows(m.kernel, v.samples(support))
	}
	for p, machine := range machines {
		rows := make([]int32, len(machine.sample))
		for k, i := range machine.sample {
			rows[k] = row[i] - 1
		}
		m.machines[p].sample = rows
	}
	return m
}

// Classes returns the number of classes C.
func (m *Model) Classes() int { return m.classes }

// Features returns the number of features D.
func (m *Model) Features() int { return m.dim }

// Kernel returns the kernel of the model.
func (m *Model) Kernel() kernel.Kernel { return m.kernel }

// VectorCount returns the number of distinct support vectors.
func (m *Model) VectorCount() int { return len(m.index) }

// WeightCount returns the number of non-zero coefficients of all pairs. A support vector can have a
// coefficient in each of C−1 pairs.
func (m *Model) WeightCount() int {
	count := 0
	for _, machine := range m.machines {
		count += len(machine.beta)
	}
	return count
}

// Support returns the rows of the support vectors in the training data, in ascending order.
func (m *Model) Support() []int {
	rows := slices.Clone(m.index)
	slices.Sort(rows)
	return rows
}

// Coefficients returns the coefficient β_i of each support vector of a pair, by its row in the training data.
// pair is an index into Pairs. A coefficient is positive for the lower class of the pair and negative for the
// higher class. Coefficients panics if pair is out of range.
func (m *Model) Coefficients(pair int) map[int]float64 {
	machine := m.machines[pair]
	beta := make(map[int]float64, len(machine.beta))
	for k, i := range machine.sample {
		beta[m.index[i]] = machine.beta[k]
	}
	return beta
}

// Calibrated reports whether the model has the sigmoids that convert decision values into probabilities.
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

// Bias returns the constant b in the decision value of each pair.
func (m *Model) Bias() []float64 {
	b := make([]float64, len(m.machines))
	for p, machine := range m.machines {
		b[p] = machine.bias
	}
	return b
}

// Decision writes the decision values Σ β_i k(x, x_i) + b of the N samples x for the P = C(C−1)/2 pairs to
// dst (N×P; allocated if nil) and returns it. Positive values are votes for the lower class of the pair, and
// the margins are at ±1. All values of a row are NaN if one of its features is NaN or if a value overflows,
// which can happen with unbounded kernels. Decision panics if x does not have D columns or dst is not N×P.
func (m *Model) Decision(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("svm", dst, n, len(m.pairs))
	m.each(x, func(i int, f, _ []float64) { copy(dst.RawRowView(i), f) })
	return dst
}

// Predict writes the class with most votes for each of the N samples x to dst (allocated if nil) and returns
// it. Ties go to the lower class. A row whose decision values are NaN gets the label −1. Predict panics if x
// does not have D columns or len(dst) is not N.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("svm", dst, x)
	m.each(x, func(i int, f, scratch []float64) { dst[i] = fitting.Argmax(m.votes(scratch[:m.classes], f)) })
	return dst
}

// Proba writes the probabilities of the C classes for each of the N samples x to dst (N×C; allocated if nil)
// and returns it. Rows sum to one. The most probable class is not always the label returned by Predict. If
// the model is not Calibrated, the probabilities are the shares of the votes. A row whose decision values are
// NaN is NaN. Proba panics if x does not have D columns or dst is not N×C.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("svm", dst, n, m.classes)
	m.each(x, func(i int, f, scratch []float64) { m.proba(dst.RawRowView(i), f, scratch) })
	return dst
}

// minPairwise is the smallest probability of a class in a pair. With 0, the class probabilities would not be
// unique.
const minPairwise = 1e-7

// proba writes the probabilities for decision values f to p. It overwrites f.
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
		f[k] = min(max(s.at(f[k]), minPairwise), 1-minPairwise)
	}
	couple(p, f, scratch)
}

// votes counts the votes of decision values f for each class. votes[0] is NaN if a value is NaN.
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

// each calls use with the index and the decision values of every sample, on all cores. use may modify them
// and a scratch slice of C·C numbers, and must not retain the slices.
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

// decide writes the kernel values k(x, x_i) to k and the decision values to f.
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
