package svm

import (
	"fmt"
	"github.com/mpcvm/mpcvm/mpcvm"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// training is validated training data, sorted by class, so that the samples of a class are adjacent in the
// rows of the kernel matrix.
type training struct {
	*fitting.Data
	row   []int  // row of each sample in the data
	count []int  // number of samples of each class
	pairs []pair // all pairs, in the order of decision values
}

// pair is a pair of classes, low < high.
type pair struct{ low, high int }

func newTraining(s mpcvm.Samples) (*training, error) {
	d, err := fitting.NewEqual("svm", fitting.Samples(s))
	if err != nil {
		return nil, err
	}
	row := fitting.All(d.N)
	slices.SortStableFunc(row, func(i, j int) int { return d.T[i] - d.T[j] })
	return &training{Data: d.Part(row), row: row, count: d.Counts(), pairs: pairs(d.C)}, nil
}

// pairs lists the pairs of classes 0 to c−1: (0,1), (0,2), ..., (c−2,c−1).
func pairs(c int) (list []pair) {
	for low := range c {
		for high := low + 1; high < c; high++ {
			list = append(list, pair{low, high})
		}
	}
	return list
}

// largestFirst returns the indices of the pairs in descending order of their size. If work is distributed in
// this order, all cores finish at about the same time.
func (tr *training) largestFirst() []int {
	order := fitting.All(len(tr.pairs))
	size := func(i int) int { return tr.count[tr.pairs[i].low] + tr.count[tr.pairs[i].high] }
	slices.SortStableFunc(order, func(i, j int) int { return size(j) - size(i) })
	return order
}

// everything selects all samples of a pair.
func everything(int32) bool { return true }

// members returns the samples of a pair for which keep returns true, in ascending order.
func (tr *training) members(p pair, keep func(i int32) bool) []int32 {
	ids := make([]int32, 0, tr.count[p.low]+tr.count[p.high])
	first := 0
	for c, count := range tr.count {
		if c == p.low || c == p.high {
			for i := int32(first); i < int32(first+count); i++ {
				if keep(i) {
					ids = append(ids, i)
				}
			}
		}
		first += count
	}
	return ids
}

// theta returns the default width: 1/(D·v), where v is the variance of all values in x. D·v is about half the
// mean squared distance of two samples. For a sum of absolute differences it returns 1/(D·√v). If all values
// are equal, v is taken as 1/D.
func (tr *training) theta(k kernel.Tunable) (float64, error) {
	values := tr.X.RawMatrix().Data
	mean, spread := 0.0, 0.0 // spread is D·v
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		spread += (v - mean) / float64(len(values)) * (v - mean)
	}
	spread *= float64(tr.D)
	if floats.Min(values) == floats.Max(values) {
		spread = 1
	}
	if k, ok := k.(kernel.OfSum); ok && k.Sum().Kind == kernel.Absolutes {
		spread = math.Sqrt(spread * float64(tr.D))
	}
	return 1 / spread, tr.CheckDistances(1 / spread)
}

// values is a kernel with training data.
type values struct {
	*training
	kernel kernel.Kernel
	gram   *mat.Dense // N×N; nil if it does not fit into CacheMiB
	diag   []float64  // k(x_i, x_i)
	bytes  float64    // size of the cache of rows of a pair
}

// newValues computes the Gram matrix if it fits into cacheMiB mebibytes.
func newValues(tr *training, k kernel.Kernel, cacheMiB float64) (*values, error) {
	v := &values{training: tr, kernel: k, diag: make([]float64, tr.N)}
	bytes := cacheMiB * (1 << 20)
	if square := 8 * float64(tr.N) * float64(tr.N); square <= bytes {
		if err := memory.Check(square, fmt.Sprintf("svm: kernel matrix of %d samples", tr.N),
			"set a lower CacheMiB, or use fewer samples (rows)"); err != nil {
			return nil, err
		}
		v.gram = kernel.Gram(nil, k, tr.X)
	} else {
		v.bytes = bytes / float64(runtime.GOMAXPROCS(0)) // the number of pairs solved at the same time
	}
	for i := range v.diag {
		if v.gram != nil {
			v.diag[i] = v.gram.At(i, i)
		} else {
			v.diag[i] = k.Value(tr.X.RawRowView(i), tr.X.RawRowView(i))
		}
		if !fitting.IsFinite(v.diag[i]) {
			return nil, v.notFinite(i, v.diag[i])
		}
	}
	return v, nil
}

// notFinite returns the error for a kernel value that is not finite, with sample i, or with an unknown sample
// if i is −1.
func (v *values) notFinite(i int, value float64) error {
	row := -1
	if i >= 0 {
		row = v.row[i]
	}
	return cell.New("svm", row, -1, value, fmt.Sprintf(
		"kernel %v: a value is not finite; standardise the features or choose another kernel", v.kernel))
}

// problem returns the dual of a pair on the samples for which keep returns true.
func (v *values) problem(l SVM, p pair, keep func(i int32) bool) *binary {
	ids := v.members(p, keep)
	n := len(ids)
	y, c, diag := make([]float64, n), make([]float64, n), make([]float64, n)
	for k, i := range ids {
		y[k], c[k], diag[k] = 1, l.C*l.weight(v.T[i]), v.diag[i]
		if v.T[i] == p.high {
			y[k] = -1
		}
	}
	var r rows
	var sample []int32
	if v.gram != nil {
		r = wholeGram{v.gram}
	} else {
		sample = ids
		ids = make([]int32, n)
		for k := range ids {
			ids[k] = int32(k)
		}
		r = newCache(v.kernel, v.samples(sample), v.bytes)
	}
	b := newBinary(r, ids, sample, y, c, diag)
	b.tol, b.noShrink = l.Tol, l.NoShrinking
	return b
}

// samples copies the listed samples.
func (v *values) samples(ids []int32) *mat.Dense {
	x := mat.NewDense(len(ids), v.D, nil)
	for k, i := range ids {
		x.SetRow(k, v.X.RawRowView(int(i)))
	}
	return x
}

// decide writes the decision values of the listed samples to dst.
func (v *values) decide(dst []float64, m machine, ids []int32) {
	var support *kernel.Rows
	buffer := make([]float64, len(m.sample))
	if v.gram == nil && len(m.sample) > 0 {
		support = kernel.NewRows(v.kernel, v.samples(m.sample))
	}
	for o, i := range ids {
		sum := m.bias
		switch {
		case v.gram != nil:
			row := v.gram.RawRowView(int(i))
			for k, s := range m.sample {
				sum += m.beta[k] * row[s]
			}
		case support != nil:
			support.At(buffer, v.X.RawRowView(int(i)))
			for k, value := range buffer {
				sum += m.beta[k] * value
			}
		}
		dst[o] = sum
	}
}
