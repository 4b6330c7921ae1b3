package svm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// training is checked training data, sorted by class so that the samples of a class
// are neighbours in the rows of the Gram matrix.
type training struct {
	x     *mat.Dense // N×D
	t     []int      // N labels, ascending
	row   []int      // the row in the data of each sample
	count []int      // samples of each class
	pairs []pair     // all of them, in the order of decision values
	n, c  int
}

// pair is two classes, low < high.
type pair struct{ low, high int }

func newTraining(x mat.Matrix, t []int) (*training, error) {
	classes, err := mpcvm.Check(x, t)
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	tr := &training{x: mat.NewDense(n, d, nil), t: make([]int, n), row: make([]int, n), count: make([]int, classes), n: n, c: classes}
	for i, label := range t {
		tr.row[i] = i
		tr.count[label]++
	}
	slices.SortStableFunc(tr.row, func(i, j int) int { return t[i] - t[j] })
	for i, r := range tr.row {
		tr.t[i] = t[r]
		mat.Row(tr.x.RawRowView(i), r, x)
	}
	tr.pairs = pairs(classes)
	return tr, nil
}

// pairs lists the pairs of classes 0 to c−1: (0,1), (0,2), ..., (c−2,c−1).
func pairs(c int) []pair {
	list := make([]pair, 0, c*(c-1)/2)
	for low := range c {
		for high := low + 1; high < c; high++ {
			list = append(list, pair{low, high})
		}
	}
	return list
}

// largestFirst returns the indices of the pairs, those of many samples first: work
// that is dealt out in this order ends at about the same time on all cores.
func (tr *training) largestFirst() []int {
	order := make([]int, len(tr.pairs))
	for i := range order {
		order[i] = i
	}
	size := func(i int) int { return tr.count[tr.pairs[i].low] + tr.count[tr.pairs[i].high] }
	slices.SortStableFunc(order, func(i, j int) int { return size(j) - size(i) })
	return order
}

// everything keeps all samples of a pair.
func everything(int32) bool { return true }

// members returns the samples of a pair that are kept, ascending.
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

// deal assigns the samples of each class, shuffled, to the folds in turn; a class of
// one sample is in fold number folds, which is in every training part.
func (tr *training) deal(folds int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 1))
	fold := make([]int, tr.n)
	next, first := 0, 0
	for _, count := range tr.count {
		for _, i := range rng.Perm(count) {
			fold[first+i] = next % folds
			next++
		}
		if count == 1 {
			fold[first] = folds
			next--
		}
		first += count
	}
	return fold
}

// spread is D·v, with v the variance of all numbers in x: about the mean squared
// distance of two samples, halved. It is 1 if there is no variance.
func spread(x mat.Matrix) (float64, error) {
	n, d := x.Dims()
	count := float64(n * d)
	mean, largest, row, col := 0.0, 0.0, 0, 0
	for i := range n {
		for j := range d {
			v := x.At(i, j)
			mean += v / count
			if math.Abs(v) > largest {
				largest, row, col = math.Abs(v), i, j
			}
		}
	}
	v, same := 0.0, true
	for i := range n {
		for j := range d {
			v += (x.At(i, j) - mean) / count * (x.At(i, j) - mean)
			same = same && x.At(i, j) == x.At(0, 0)
		}
	}
	if same {
		return 1, nil
	}
	if s := v * float64(d); s > 0 && !math.IsInf(s, 1) && !math.IsInf(1/s, 1) {
		return s, nil
	}
	return 0, cell.New("svm", row, col, x.At(row, col), "features are too large or too small for distances; standardise them, or give the kernel its Theta")
}

// values is a kernel on the samples of a training.
type values struct {
	*training
	kernel kernel.Kernel
	gram   *mat.Dense // N×N; nil if there is no room for it
	diag   []float64  // k(x_i, x_i)
	bytes  float64    // for a cache of rows
}

// newValues computes the Gram matrix if it fits into the mebibytes given.
func newValues(tr *training, k kernel.Kernel, cacheMiB float64) (*values, error) {
	v := &values{training: tr, kernel: k, diag: make([]float64, tr.n)}
	bytes := cacheMiB * (1 << 20)
	if square := 8 * float64(tr.n) * float64(tr.n); square <= bytes {
		if err := memory.Check(square, fmt.Sprintf("svm: kernel matrix of %d samples", tr.n),
			"give a lower CacheMiB, or take fewer samples (rows)"); err != nil {
			return nil, err
		}
		v.gram = kernel.Gram(nil, k, tr.x)
	} else {
		v.bytes = bytes / float64(runtime.GOMAXPROCS(0)) // as many pairs at a time
	}
	for i := range v.diag {
		if v.gram != nil {
			v.diag[i] = v.gram.At(i, i)
		} else {
			v.diag[i] = k.Value(tr.x.RawRowView(i), tr.x.RawRowView(i))
		}
		if d := v.diag[i]; math.IsNaN(d) || math.IsInf(d, 0) {
			return nil, v.notFinite(i, d)
		}
	}
	return v, nil
}

// notFinite says that the kernel has a value that is not a finite number with
// sample i, or some sample if i is −1.
func (v *values) notFinite(i int, value float64) error {
	row := -1
	if i >= 0 {
		row = v.row[i]
	}
	return cell.New("svm", row, -1, value, fmt.Sprintf(
		"kernel %v: a value is not finite; standardise the features or choose another kernel", v.kernel))
}

// problem is the dual of a pair on its samples that are kept.
func (v *values) problem(l SVM, p pair, keep func(i int32) bool) *binary {
	ids := v.members(p, keep)
	n := len(ids)
	y, c, diag := make([]float64, n), make([]float64, n), make([]float64, n)
	for k, i := range ids {
		y[k], c[k], diag[k] = 1, l.C*l.weight(v.t[i]), v.diag[i]
		if v.t[i] == p.high {
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

// samples copies some samples.
func (v *values) samples(ids []int32) *mat.Dense {
	_, d := v.x.Dims()
	x := mat.NewDense(len(ids), d, nil)
	for k, i := range ids {
		x.SetRow(k, v.x.RawRowView(int(i)))
	}
	return x
}

// decide writes the decision values of the samples out to dst.
func (v *values) decide(dst []float64, m machine, out []int32) {
	var support *kernel.Rows
	buffer := make([]float64, len(m.sample))
	if v.gram == nil && len(m.sample) > 0 {
		support = kernel.NewRows(v.kernel, v.samples(m.sample))
	}
	for o, i := range out {
		sum := m.bias
		switch {
		case v.gram != nil:
			row := v.gram.RawRowView(int(i))
			for k, s := range m.sample {
				sum += m.beta[k] * row[s]
			}
		case support != nil:
			support.At(buffer, v.x.RawRowView(int(i)))
			for k, value := range buffer {
				sum += m.beta[k] * value
			}
		}
		dst[o] = sum
	}
}
