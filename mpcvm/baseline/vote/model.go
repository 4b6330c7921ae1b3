package vote

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

// Model is a fitted OneVsOne or OneVsRest. It is immutable and safe for concurrent use.
type Model struct {
	classes  int
	dim      int
	problems []problem
	binary   []*mpcvm.Model // for each problem; nil if the fit ended before
	share    []float64      // share of class 1 in the samples of each problem
	vectors  int            // number of distinct samples in the binary models
	weights  int            // number of weights of all binary models
}

// Region describes how far the binary classifiers agree on a sample.
type Region int

const (
	// Clear: one class has the most votes, or one class alone claims the sample.
	Clear Region = iota
	// Tied: one against one, several classes share the highest number of votes.
	Tied
	// Unclaimed: one against the rest, no class claims the sample.
	Unclaimed
	// Contested: one against the rest, several classes claim the sample.
	Contested
	// NoNumber: a feature of the sample is NaN.
	NoNumber
)

var regionNames = [...]string{"clear", "tied", "unclaimed", "contested", "no number"}

// String returns the name of the region.
func (r Region) String() string {
	if r < 0 || int(r) >= len(regionNames) {
		return fmt.Sprintf("Region(%d)", int(r))
	}
	return regionNames[r]
}

// Ambiguous reports whether the classifiers contradict each other.
func (r Region) Ambiguous() bool { return r == Tied || r == Unclaimed || r == Contested }

// Classes returns the number of classes C.
func (m *Model) Classes() int { return m.classes }

// Features returns the number of features D.
func (m *Model) Features() int { return m.dim }

// VectorCount returns the number of distinct training samples in the binary models.
func (m *Model) VectorCount() int { return m.vectors }

// WeightCount returns the number of non-zero weights of all binary models.
func (m *Model) WeightCount() int { return m.weights }

// Predict writes the label of each of the N samples x (N×D) to dst (allocated if nil) and returns it. For
// ties, see the package comment. A row with a NaN feature gets the label −1. Predict panics if x does not
// have D columns or len(dst) is not N.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("vote", dst, x)
	m.each(x, func(i int, v verdict) { dst[i] = v.label() })
	return dst
}

// Proba writes the probabilities of each of the N samples x to dst (N×C; allocated if nil) and returns it.
// For their definition, see the package comment. Rows sum to one. A row with a NaN feature is NaN. Proba
// panics if x does not have D columns or dst is not N×C.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("vote", dst, n, m.classes)
	m.each(x, func(i int, v verdict) { copy(dst.RawRowView(i), v.p) })
	return dst
}

// Votes writes the votes for each class, for each of the N samples x, to dst (N×C; allocated if nil) and
// returns it. One against one, the votes are the number of pairs that the class wins. One against the rest,
// they are 1 if the class claims the sample, else 0. A row with a NaN feature is NaN. Votes panics in the
// same cases as Proba.
func (m *Model) Votes(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("vote", dst, n, m.classes)
	m.each(x, func(i int, v verdict) { copy(dst.RawRowView(i), v.votes) })
	return dst
}

// Regions writes the Region of each of the N samples x to dst (allocated if nil) and returns it. It panics in
// the same cases as Predict.
func (m *Model) Regions(dst []Region, x mat.Matrix) []Region {
	dst = args.Slice("vote", dst, x)
	m.each(x, func(i int, v verdict) { dst[i] = v.region() })
	return dst
}

// verdict contains the combined results of the binary classifiers on a sample. It is NaN if a feature is NaN.
type verdict struct {
	rest  bool      // one against the rest
	votes []float64 // for each class
	sum   []float64 // sum of the probabilities of each class in its problems
	p     []float64 // combined probabilities
}

// each calls f with the index and the verdict of every sample. f must not retain the verdict.
func (m *Model) each(x mat.Matrix, f func(i int, v verdict)) {
	n, d := x.Dims()
	if d != m.dim {
		panic(fmt.Sprintf("vote: x has %d features, but the model has %d", d, m.dim))
	}
	ones := mat.NewDense(len(m.problems), max(1, n), nil) // probability of class 1
	for k, b := range m.binary {
		row := ones.RawRowView(k)
		if b == nil {
			fitting.Fill(row, m.share[k])
		} else if n > 0 {
			mat.Col(row, 1, b.Proba(nil, x))
		}
	}
	v := verdict{
		rest:  m.problems[0].zero == rest,
		votes: make([]float64, m.classes), sum: make([]float64, m.classes), p: make([]float64, m.classes),
	}
	inverse := make([]float64, m.classes)
	for i := range n {
		clear(v.votes)
		clear(v.sum)
		clear(inverse)
		for k, problem := range m.problems {
			r := ones.At(k, i)
			v.add(inverse, problem.one, r, r > 0.5)
			if !v.rest {
				v.add(inverse, problem.zero, 1-r, !(r > 0.5))
			}
		}
		v.probabilities(inverse)
		f(i, v)
	}
}

// minPairwise is the smallest probability of a class in a pair. With 0, classes with probability 0 in two
// pairs could not be compared.
const minPairwise = 1e-100

// add adds the probability r of a class in a problem, and a vote if the class won.
func (v verdict) add(inverse []float64, class int, r float64, won bool) {
	v.sum[class] += r
	inverse[class] += 1 / max(r, minPairwise)
	switch {
	case math.IsNaN(r):
		v.votes[class] = math.NaN()
	case won:
		v.votes[class]++
	}
}

// probabilities couples the probabilities of the problems. inverse contains the sum of their inverses for
// each class.
func (v verdict) probabilities(inverse []float64) {
	for c := range v.p {
		if v.rest {
			v.p[c] = max(v.sum[c], minPairwise)
		} else {
			v.p[c] = 1 / (inverse[c] - float64(len(v.p)-2))
		}
	}
	floats.Scale(1/floats.Sum(v.p), v.p)
}

func (v verdict) label() int {
	if floats.HasNaN(v.sum) {
		return -1
	}
	best := 0
	for c := range v.sum {
		if v.rest || v.votes[c] == v.votes[best] {
			if v.sum[c] > v.sum[best] {
				best = c
			}
		} else if v.votes[c] > v.votes[best] {
			best = c
		}
	}
	return best
}

func (v verdict) region() Region {
	if floats.HasNaN(v.sum) {
		return NoNumber
	}
	top := slices.Max(v.votes)
	winners := floats.Count(func(n float64) bool { return n == top }, v.votes)
	switch {
	case v.rest && top == 0:
		return Unclaimed
	case winners == 1:
		return Clear
	case v.rest:
		return Contested
	}
	return Tied
}
