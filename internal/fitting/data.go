// Package fitting holds code shared by the learners and package search: checked training data, the
// choice of a kernel's width, folds and cross-validated potentials, the calibration of
// probabilities, and candidates drawn by class.
package fitting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Data is a checked copy of the user's training data. Only a learner that does not share it may
// change X.
type Data struct {
	X       *mat.Dense // N×D
	T       []int      // N labels
	N, D, C int        // samples, features, classes
	Rows    []int      // for a subset: the row of each sample in the data of New, ascending; otherwise nil
	Groups  []int      // group of each sample, or nil; see Samples
	Times   []float64  // time of each sample, or nil
	Weights []float64  // weight of each sample, or nil
}

// MaxClasses is the largest number of classes of a model. The time to compute the probabilities of a
// row is quadratic in the number of classes.
const MaxClasses = 1000

// New checks and copies samples: N samples X (rows; D features) and their labels T, 0 to C−1 with
// every class present.
func New(s Samples) (*Data, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	t := s.T
	n, dim := s.X.Dims()
	if n == 0 || dim == 0 {
		return nil, cell.New("mpcvm", -1, -1, 0, "no samples or no features")
	}
	d := &Data{X: mat.DenseCopyOf(s.X), T: slices.Clone(t), N: n, D: dim, // an empty slice becomes nil
		Weights: append([]float64(nil), s.Weights...), Groups: append([]int(nil), s.Groups...),
		Times: append([]float64(nil), s.Times...)}
	for i := range n {
		for j, v := range d.X.RawRowView(i) {
			if !IsFinite(v) {
				return nil, cell.New("mpcvm", i, j, v, "feature is not finite")
			}
		}
	}
	for i, l := range t {
		if l < 0 {
			return nil, cell.New("mpcvm", i, -1, float64(l), "negative label")
		}
		if l >= n { // some class below l must be empty
			return nil, cell.New("mpcvm", i, -1, float64(l), fmt.Sprintf(
				"label out of range: %d samples have labels 0 to %d at most", n, n-1))
		}
		d.C = max(d.C, l+1)
	}
	if d.C < 2 {
		return nil, cell.New("mpcvm", -1, -1, 1, "two classes are needed; classes found")
	}
	if d.C > MaxClasses {
		return nil, cell.New("mpcvm", -1, -1, float64(d.C), fmt.Sprintf(
			"a model has at most %d classes; classes found", MaxClasses))
	}
	for c, count := range d.Counts() {
		if count == 0 {
			return nil, cell.New("mpcvm", slices.Index(t, d.C-1), -1, float64(c), fmt.Sprintf(
				"labels reach %d but a class has no samples", d.C-1))
		}
	}
	if sum := Sum(d.Weights, nil); d.Weights != nil && sum < float64(d.C) {
		return nil, cell.New("mpcvm", -1, -1, sum, "the sample weights are too small: "+
			"multiply all of them so that their sum is at least the number of classes; their sum")
	}
	return d, nil
}

// NewEqual is New for a learner, called name, that does not support sample weights: they are an
// error.
func NewEqual(name string, s Samples) (*Data, error) {
	d, err := New(s)
	if err == nil && d.Weights != nil {
		err = fmt.Errorf("%s does not support sample weights; "+
			"mpcvm.TopDown, BottomUp, gp.KernelPrior and search.Auto do", name)
	}
	return d, err
}

// Counts returns the number of samples of each class.
func (d *Data) Counts() []int {
	counts := make([]int, d.C)
	for _, l := range d.T {
		counts[l]++
	}
	return counts
}

// Mass returns the sum of the weights of the samples of each class.
func (d *Data) Mass() []float64 {
	mass := make([]float64, d.C)
	for n, l := range d.T {
		mass[l] += d.Weight(n)
	}
	return mass
}

// Weight returns the weight of sample n.
func (d *Data) Weight(n int) float64 { return weight(d.Weights, n) }

// weight returns the n-th of the weights w, or 1 if w is nil.
func weight(w []float64, n int) float64 {
	if w == nil {
		return 1
	}
	return w[n]
}

// LogLik returns the sum of log p(t_n), weighted by the weights of the samples.
func (d *Data) LogLik(logp []float64) float64 { return Sum(logp, d.Weights) }

// Sum returns the weighted sum of values; nil weights are ones.
func Sum(v, weights []float64) float64 {
	if weights == nil {
		return floats.Sum(v)
	}
	return floats.Dot(v, weights)
}

// Sign returns f_nc, eq. (truncatd_gaussian): +1 if sample n is of class c, and −1 otherwise.
func (d *Data) Sign(n, c int) float64 {
	if d.T[n] == c {
		return 1
	}
	return -1
}

// Part returns the listed samples, which must include every class. Rows must ascend.
func (d *Data) Part(rows []int) *Data {
	p := &Data{X: mat.NewDense(len(rows), d.D, nil), T: pick(d.T, rows), N: len(rows), D: d.D, C: d.C,
		Rows: slices.Clone(rows), Groups: pick(d.Groups, rows), Times: pick(d.Times, rows),
		Weights: pick(d.Weights, rows)}
	for i, n := range rows {
		p.X.SetRow(i, d.X.RawRowView(n))
	}
	if d.Rows != nil {
		p.Rows = pick(d.Rows, rows)
	}
	return p
}

// pick returns the listed values, or nil if v is nil.
func pick[T any](v []T, rows []int) []T {
	if v == nil {
		return nil
	}
	part := make([]T, len(rows))
	for i, n := range rows {
		part[i] = v[n]
	}
	return part
}

// Bases lists the samples that may enter a model, ascending: all of them if candidates is zero, and
// otherwise that number, drawn at random by class. Each class contributes its share, but at least 10
// samples (all of a smaller class), so the list may be longer than candidates.
func (d *Data) Bases(candidates int, seed uint64) []int {
	if candidates == 0 || candidates >= d.N {
		return All(d.N)
	}
	return d.draw(d.shares(candidates), rand.New(rand.NewPCG(seed, 3)))
}

// Cover lists as many samples of each class as Bases, spread over the class: it starts from a random one and
// adds the sample that is farthest from those it has (Gonzalez 1985, DOI 10.1016/0304-3975(85)90224-5). They
// come from a random subset of the class that is ten times as large.
func (d *Data) Cover(candidates int, seed uint64) (list []int) {
	if candidates == 0 || candidates >= d.N {
		return All(d.N)
	}
	want, rng := d.shares(candidates), rand.New(rand.NewPCG(seed, 3))
	subset, members := make([]int, d.C), make([][]int, d.C)
	for c, count := range d.Counts() {
		subset[c] = min(count, 10*want[c])
	}
	for _, n := range d.draw(subset, rng) {
		members[d.T[n]] = append(members[d.T[n]], n)
	}
	for c, rows := range members {
		if len(rows) > 0 {
			list = append(list, d.farthest(rows, rng.IntN(len(rows)), want[c])...)
		}
	}
	slices.Sort(list)
	return list
}

// farthest lists a number of the rows, starting with the given one; each of the others is the row that is
// farthest from those before it.
func (d *Data) farthest(rows []int, next, number int) (list []int) {
	distance := make([]float64, len(rows)) // squared, from the nearest row of the list; −1 if it is in the list
	for i := range distance {
		distance[i] = math.Inf(1)
	}
	for range number {
		list = append(list, rows[next])
		last := d.X.RawRowView(rows[next])
		par.For(len(rows), 512, func(i, end int) {
			for ; i < end; i++ {
				sum := 0.0
				for j, v := range d.X.RawRowView(rows[i]) {
					sum += (v - last[j]) * (v - last[j])
				}
				distance[i] = min(distance[i], sum)
			}
		})
		distance[next] = -1
		next = floats.MaxIdx(distance)
	}
	return list
}

// shares returns the number of samples of each class among a number of candidates; see Bases.
func (d *Data) shares(candidates int) []int {
	const least = 10 // per class
	counts := d.Counts()
	want, sum := make([]int, d.C), 0
	for c, count := range counts {
		want[c] = min(count, least)
		sum += want[c]
	}
	for ; sum < candidates; sum++ { // one more from the class with the smallest share of its samples
		next, smallest := 0, math.Inf(1)
		for c, count := range counts {
			if share := (float64(want[c]) + 0.5) / float64(count); want[c] < count && share < smallest {
				next, smallest = c, share
			}
		}
		want[next]++
	}
	return want
}

// Sample returns n samples, drawn at random: the same share of each class, but at least 10 samples
// (all of a smaller class). If n ≥ N, it returns d.
func (d *Data) Sample(n int, seed uint64) *Data {
	if n >= d.N {
		return d
	}
	want := make([]int, d.C)
	for c, count := range d.Counts() {
		want[c] = min(count, max(10, int(math.Round(float64(n)*float64(count)/float64(d.N)))))
	}
	return d.Part(d.draw(want, rand.New(rand.NewPCG(seed, 2))))
}

// draw lists the wanted number of samples of each class, drawn at random, ascending.
func (d *Data) draw(want []int, rng *rand.Rand) []int {
	var rows []int
	for c, count := range d.Counts() {
		for i, left := 0, want[c]; left > 0; i++ {
			if d.T[i] != c {
				continue
			}
			if rng.IntN(count) < left { // all samples of a class have the same probability
				rows = append(rows, i)
				left--
			}
			count--
		}
	}
	slices.Sort(rows)
	return rows
}

// Frequencies returns the biases, with mean zero, with which a model without weights predicts the
// class frequencies.
func (d *Data) Frequencies() []float64 {
	b, p := make([]float64, d.C), make([]float64, d.C)
	mass := d.Mass()
	all, moved := floats.Sum(mass), 1.0
	for i := 0; i < 1000 && moved > 1e-12; i++ {
		probit.Proba(p, b)
		moved = 0
		for c, of := range mass { // a step of 0.3 converges at frequencies down to 1e-9
			step := 0.3 * math.Log(of/all/p[c])
			b[c] += step
			moved = max(moved, math.Abs(step))
		}
	}
	floats.AddConst(-floats.Sum(b)/float64(d.C), b)
	return b
}

// BiasLogLik returns Σ log p(t_n | b) of a model with these biases and no weights.
func (d *Data) BiasLogLik(b []float64) float64 {
	sum := 0.0
	for t, of := range d.Mass() {
		sum += of * probit.LogProb(b, t)
	}
	return sum
}

// NoBetter reports whether a model predicts its training samples no better than the class
// frequencies: it makes at least nine tenths of their errors, and its log-likelihood exceeds theirs
// by at most one nat per weight, as in Akaike's criterion (10.1109/TAC.1974.1100705). y are the
// potentials (C×N) of the model.
func (d *Data) NoBetter(logLik float64, weights int, y *mat.Dense) bool {
	if logLik-float64(weights) > d.BiasLogLik(d.Frequencies()) {
		return false
	}
	wrong := 0.0
	for n, t := range d.T {
		for c := range d.C {
			if y.At(c, n) > y.At(t, n) {
				wrong += d.Weight(n)
				break
			}
		}
	}
	mass := d.Mass()
	return 10*wrong >= 9*(floats.Sum(mass)-slices.Max(mass))
}

// CheckNorms returns a *cell.Error if the squared norm φᵀφ of a basis function is not finite.
// bases are the samples of the basis functions.
func (d *Data) CheckNorms(k kernel.Kernel, bases []int, norms []float64) error {
	for j, n := range bases {
		if v := norms[j]; !IsFinite(v) {
			return cell.New("mpcvm", n, -1, v, fmt.Sprintf(
				"kernel %v: sum of squared values is not finite; standardise the features or choose another kernel", k))
		}
	}
	return nil
}

// CheckDistances returns a *cell.Error if the squared distances of the samples overflow or all
// vanish. theta is the inverse of a typical distance.
func (d *Data) CheckDistances(theta float64) error {
	row, col, largest := 0, 0, 0.0
	for n := range d.N {
		for j, v := range d.X.RawRowView(n) {
			if diff := math.Abs(v - d.X.At(0, j)); diff > largest {
				row, col, largest = n, j, diff
			}
		}
	}
	square := largest * largest
	if largest > 0 && square == 0 || math.IsInf(square*float64(d.D), 1) || !(theta > 0) || math.IsInf(theta, 1) {
		return cell.New("mpcvm", row, col, d.X.At(row, col),
			"features are too large or too small for distances; standardise them or set Theta of the kernel")
	}
	return nil
}

// All lists 0 to n−1.
func All(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Argmax returns the first index of the largest value, or −1 if a value is NaN.
func Argmax(y []float64) int {
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

// Names returns a copy of names or, if it is nil, n names with numbers from first on after a prefix.
func Names(names []string, n int, prefix string, first int) []string {
	if names != nil {
		return slices.Clone(names)
	}
	names = make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(first+i)
	}
	return names
}

// HasNaN reports whether one of the values is NaN.
func HasNaN(v []float64) bool { return slices.ContainsFunc(v, math.IsNaN) }

// Fill sets all values to v.
func Fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

// IsFinite reports whether v is a number and not infinite.
func IsFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// AllFinite reports whether all values are finite.
func AllFinite(v []float64) bool {
	return !slices.ContainsFunc(v, func(v float64) bool { return !IsFinite(v) })
}

// EachRow calls a function with the index and a copy of each row of x, on all cores. The function
// must not retain the copy. worker returns the function for one batch of rows, within which it may
// share buffers. EachRow panics if the number of columns of x is not the number of features; the
// message begins with the package name pkg.
func EachRow(pkg string, x mat.Matrix, features int, worker func() func(i int, row []float64)) {
	n, d := x.Dims()
	if d != features {
		panic(fmt.Sprintf("%s: x has %d features, but the model has %d", pkg, d, features))
	}
	const grain = 64
	par.For(n, grain, func(lo, hi int) {
		use, row := worker(), make([]float64, d)
		for i := lo; i < hi; i++ {
			use(i, mat.Row(row, i, x))
		}
	})
}
