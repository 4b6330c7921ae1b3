package lesson

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"gonum.org/v1/gonum/mat"
)

// Pooled combines the samples of several draws of a source, one for each seed s with from ≤ s < to,
// into one set: Pooled(data.Overlap, 0, 100). It panics if the range of seeds is empty, or if the
// draws do not have the same classes and features.
func Pooled(draw func(seed uint64) *data.Set, from, to uint64) *data.Set {
	if from >= to {
		panic(fmt.Sprintf("lesson: the range of seeds %d to %d is empty", from, to))
	}
	pool := draw(from)
	values, labels := mat.DenseCopyOf(pool.X).RawMatrix().Data, slices.Clone(pool.T)
	for seed := from + 1; seed < to; seed++ {
		set := draw(seed)
		if set.C() != pool.C() || set.D() != pool.D() {
			panic("lesson: the draws do not have the same classes and features")
		}
		for n, t := range set.T {
			values, labels = append(values, set.X.RawRowView(n)...), append(labels, t)
		}
	}
	pool.X, pool.T = mat.NewDense(len(labels), pool.D(), values), labels
	return pool
}

// Missed returns the share of the samples of each class that a model assigns to another class, in
// per cent. It is NaN for a class without samples.
func Missed(m interface {
	Predict(dst []int, x mat.Matrix) []int
}, set *data.Set) (missed []float64) {
	counts := Must(score.Confusion(m.Predict(nil, set.X), set.T, set.C()))
	for c := range counts {
		missed = append(missed, 100*(1-recall(counts, c)))
	}
	return missed
}

// CountByClass counts the relevance vectors of each of c classes, by the class of the sample, and
// the non-zero weights in the potential of each class.
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

// Signs returns the number of non-zero weights of a model, and the number of these that violate the
// multi-class classification principle: negative for the class of the vector or positive for another one.
func Signs(m interface {
	RelevanceVectors() []mpcvm.RelevanceVector
}) (weights, against int) {
	for _, v := range m.RelevanceVectors() {
		for c, w := range v.Weights {
			if w != 0 {
				weights++
				if (w > 0) != (c == v.Label) {
					against++
				}
			}
		}
	}
	return weights, against
}

// WeightsOf returns the weights of a model as C rows of n numbers: row c holds w_nc, the weight of
// training sample n in the potential of class c. n is the number of training samples.
func WeightsOf(m nb.Sparse, n int) [][]float64 {
	w := make([][]float64, len(m.ClassNames()))
	for c := range w {
		w[c] = make([]float64, n)
	}
	for _, v := range m.RelevanceVectors() {
		for c := range w {
			w[c][v.Index] = v.Weights[c]
		}
	}
	return w
}

// Tested holds the results of a learner on test samples, one value per partition.
type Tested struct {
	// Err is the error rate in per cent.
	Err []float64
	// LogLoss is in nats; Raw is the log loss at temperature 1.
	LogLoss, Raw []float64
	// Weights is the number of non-zero weights.
	Weights []float64
}

// OnPartitions trains a learner on the training rows of each partition i, from ≤ i < to, of a set of package
// data, such as "glass", and tests it on the other rows. Features are standardised by the training rows.
// OnPartitions panics if the set or a partition does not exist, or if a fit fails or is stopped.
func OnPartitions(l mpcvm.Learner, name string, from, to int) (r Tested) {
	set := Must(data.Load(name))
	for _, rows := range Must(data.Partitions(name))[from:to] {
		train, test := Standardised(set.Subset(rows), set.Subset(set.Complement(rows)))
		model, _ := nb.Fit(l, train)
		r.Err = append(r.Err, Percent(model, test))
		r.LogLoss = append(r.LogLoss, LogLoss(model, test))
		r.Raw = append(r.Raw, LogLoss(model.WithTemperature(1), test))
		r.Weights = append(r.Weights, float64(model.WeightCount()))
	}
	return r
}

// Glass tests learners with fitted temperatures on twenty partitions of Glass. It shows the means in a table
// with a row for each setting, for which of returns a name and the learner.
func Glass[T any](settings []T, of func(setting T) (string, mpcvm.Learner)) (all []Tested) {
	Table("Glass|ERR %|log loss at T = 1|with temperature|weights", settings, func(setting T) []string {
		name, l := of(setting)
		r := OnPartitions(search.Calibrated{Learner: l}, "glass", 5, 25)
		all = append(all, r)
		return nb.Row("%s|%s|%s|%s|%s", name, nb.Mean(r.Err).Text(1), nb.Mean(r.Raw).Text(3),
			nb.Mean(r.LogLoss).Text(3), nb.Mean(r.Weights).Text(0))
	})
	return all
}

// Standardised scales the features of both sets by the mean and the deviation of the first.
func Standardised(train, test *data.Set) (*data.Set, *data.Set) {
	scale := data.FitStandardizer(train.X)
	return scale.Set(train), scale.Set(test)
}

// Problem returns the set "line", "overlap", "iris" or "glass", and its kernel. The features of Iris
// and Glass are standardised.
func Problem(name string) (*data.Set, kernel.RBF) {
	k := kernel.RBF{Theta: map[string]float64{"line": 0.5, "overlap": 1, "iris": 0.1, "glass": 0.2}[name]}
	if name == "line" {
		return data.Line(data.LineSeed), k
	}
	set := Must(data.Load(name))
	if name != "overlap" {
		set = data.FitStandardizer(set.X).Set(set)
	}
	return set, k
}

// Percent returns the share of the samples of a set that a model predicts wrongly, in per cent.
func Percent(m mpcvm.Classifier, set *data.Set) float64 {
	return 100 * float64(nb.Wrong(m, set)) / float64(set.N())
}

// LogLoss returns the mean log loss of a model on the samples of a set, in nats.
func LogLoss(m mpcvm.Classifier, set *data.Set) float64 {
	return Must(score.LogLoss(m.Proba(nil, set.X), set.T))
}

// OnDraws returns f of the draws of Overlap with the seeds 0 to n − 1.
func OnDraws(n uint64, f func(set *data.Set) float64) (list []float64) {
	for seed := range n {
		list = append(list, f(data.Overlap(seed)))
	}
	return list
}

// Machine is a sparse machine with its name.
type Machine struct {
	Name string
	Sparse
	Result mpcvm.Result
}

// Sparse is a model with relevance vectors.
type Sparse interface {
	mpcvm.Classifier
	nb.Sparse
	VectorCount() int
	WeightCount() int
}

// MPCVMs trains mPCVM₁ and mPCVM₂ on all samples of a set.
func MPCVMs(set *data.Set, k kernel.Kernel) []Machine {
	a, first := nb.Fit(mpcvm.TopDown{Kernel: k}, set)
	b, second := nb.Fit(mpcvm.BottomUp{Kernel: k}, set)
	return []Machine{{"mPCVM₁", a, first}, {"mPCVM₂", b, second}}
}

// Machines trains mPCVM₁, mPCVM₂, mRVM₁ and mRVM₂ on all samples of a set.
func Machines(set *data.Set, k kernel.Kernel) []Machine {
	c, third := nb.Fit(mrvm.BottomUp{Kernel: k}, set)
	d, fourth := nb.Fit(mrvm.TopDown{Kernel: k}, set)
	return append(MPCVMs(set, k), Machine{"mRVM₁", c, third}, Machine{"mRVM₂", d, fourth})
}

// Stems draws the weights of a machine that was trained on Line.
func (m Machine) Stems() nb.Chart {
	weights, against := Signs(m)
	return stems(m.Name, weights, fmt.Sprintf("%d against the label", against), WeightsOf(m, 60))
}

// Judge returns the number of weights of f(x) = Σ w_n k(x, x_n) + b that are not zero, the number against the
// label, and the error on 6000 fresh samples in per cent. f separates class B of Line from the rest.
func Judge(w []float64, b float64) (weights, against int, wrong float64) {
	line, k := Problem("line")
	for n, t := range SignsOf(line).RawRowView(1) {
		if w[n] != 0 {
			weights++
		}
		if w[n]*t < 0 {
			against++
		}
	}
	fresh := data.LineOf(6000, 1)
	var f mat.VecDense
	f.MulVec(kernel.Cross(nil, k, fresh.X, line.X), mat.NewVecDense(len(w), w))
	for n, t := range SignsOf(fresh).RawRowView(1) {
		if (f.AtVec(n)+b)*t <= 0 {
			wrong += 100 / float64(fresh.N())
		}
	}
	return weights, against, wrong
}

// Stems draws the weights of f, with the results of Judge.
func Stems(name string, w []float64, b float64) nb.Chart {
	weights, against, wrong := Judge(w, b)
	subtitle := fmt.Sprintf("%d against the label, error %.1f %%", against, wrong)
	return stems(name, weights, subtitle, [][]float64{w})
}

func stems(name string, weights int, subtitle string, w [][]float64) nb.Chart {
	return nb.Stems(data.Line(data.LineSeed), w, nb.LinesOptions{Subtitle: subtitle, Height: 300,
		Title: fmt.Sprintf("%s: %d weights", name, weights), XName: "x", YName: "weight",
		XRange: [2]float64{-0.1, 10.1}})
}

// Coverage returns, by class of Overlap (the last: all), by coverage and for models of 20 draws, the share of
// the prediction sets that contain the true class, in per cent.
func Coverage(fit func(set *data.Set) *mpcvm.Model, asked []float64) (covered [4][][]float64) {
	test := Pooled(data.Overlap, 200, 220)
	for c := range covered {
		covered[c] = make([][]float64, len(asked))
	}
	for seed := range uint64(20) {
		model := fit(data.Overlap(seed))
		for i, q := range asked {
			var hits [4]float64
			for n, set := range Must(model.PredictSet(test.X, q)) {
				if t := test.T[n]; slices.Contains(set, t) {
					hits[t] += 100 / float64(test.Counts()[t])
					hits[3] += 100 / float64(test.N())
				}
			}
			for c, h := range hits {
				covered[c][i] = append(covered[c][i], h)
			}
		}
	}
	return covered
}

// SetRegions draws the plane by the prediction sets of a model, and the samples by their classes.
func SetRegions(model *mpcvm.Model, set *data.Set, coverage float64) nb.Chart {
	plane := *set
	plane.Classes, plane.T = nil, slices.Clone(set.T)
	for kind := range 1 << set.C() { // class c is in the set if bit c is 1
		var in []string
		for c, name := range set.Classes {
			if kind>>c&1 == 1 {
				in = append(in, name)
			}
		}
		plane.Classes = append(plane.Classes, cmp.Or(strings.Join(in, " | "), "no class"))
	}
	for n, t := range set.T {
		plane.T[n] = 1 << t
	}
	return nb.Regions(setsAsClasses{model, coverage}, &plane, nb.RegionsOptions{
		Title: fmt.Sprintf("Sets of %.0f %%", 100*coverage), Cells: 40, Height: 420,
		Subtitle: "the set of each point of the plane · marks: samples, by class"})
}

// setsAsClasses takes each prediction set for a class.
type setsAsClasses struct {
	*mpcvm.Model
	coverage float64
}

// Proba gives the prediction set of each row of x the probability 1.
func (m setsAsClasses) Proba(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	sets := Must(m.PredictSet(x, m.coverage))
	p := mat.NewDense(len(sets), 1<<len(m.ClassNames()), nil)
	for n, set := range sets {
		kind := 0
		for _, c := range set {
			kind |= 1 << c
		}
		p.Set(n, kind, 1)
	}
	return p
}
