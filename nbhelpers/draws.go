package nbhelpers

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Pooled is the samples of the draws of a source with the seeds from to to−1, in one set:
// Pooled(data.Overlap, 0, 100). It panics if there is no seed, or if the draws do not have
// the same classes and features.
func Pooled(draw func(seed uint64) *data.Set, from, to uint64) *data.Set {
	if from >= to {
		panic(fmt.Sprintf("nbhelpers: there is no seed from %d to %d", from, to))
	}
	pool := draw(from)
	values, labels := mat.DenseCopyOf(pool.X).RawMatrix().Data, slices.Clone(pool.T)
	for seed := from + 1; seed < to; seed++ {
		set := draw(seed)
		if set.C() != pool.C() || set.D() != pool.D() {
			panic("nbhelpers: the draws do not have the same classes and features")
		}
		for n, t := range set.T {
			values, labels = append(values, set.X.RawRowView(n)...), append(labels, t)
		}
	}
	pool.X, pool.T = mat.NewDense(len(labels), pool.D(), values), labels
	return pool
}

// Missed is the share of the samples of each class that a model assigns to another class,
// in per cent. The share of a class without samples is NaN.
func Missed(m interface {
	Predict(dst []int, x mat.Matrix) []int
}, set *data.Set) []float64 {
	counts, wrong := set.Counts(), make([]float64, set.C())
	for i, label := range m.Predict(nil, set.X) {
		if t := set.T[i]; label != t {
			wrong[t] += 100
		}
	}
	for c, n := range counts {
		wrong[c] /= float64(n)
	}
	return wrong
}

// MeanDifference is the mean of a − b, pair by pair, with its standard error. It panics if
// a and b differ in length.
func MeanDifference(a, b []float64) Measure {
	return Mean(floats.SubTo(make([]float64, len(a)), a, b))
}

// CountByClass counts the relevance vectors of each of c classes, by the class of the
// sample, and the weights that are not zero in the potential of each class.
func CountByClass(m interface {
	RelevanceVectors() []mpcvm.RelevanceVector
}, c int) (vectors, weights []int) {
	vectors, weights = make([]int, c), make([]int, c)
	for _, v := range m.RelevanceVectors() {
		vectors[v.Label]++
		for k, w := range v.Weights {
			if w != 0 {
				weights[k]++
			}
		}
	}
	return vectors, weights
}
