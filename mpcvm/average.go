package mpcvm

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Average fits several learners to the same data and averages their
// probabilities: over a few widths of the kernel it needs no tuning at all.
type Average struct {
	// Learners are fitted one after the other. If there are none, it is BottomUp
	// with RBF kernels of 1, 3, 10 and 30 times kernel.MedianTheta of the samples.
	Learners []Learner
}

// averageFactors are the default widths, in units of kernel.MedianTheta.
var averageFactors = []float64{1, 3, 10, 30}

// Ensemble is the fitted form of Average. It is immutable and safe for concurrent
// use.
type Ensemble struct{ models []*Model }

// Fit fits every learner; the Results are theirs, in order. Errors are those of
// the learners. When ctx ends first it returns the ensemble of those that were
// fitted, nil if there is none, together with an error that wraps ctx.Err().
func (a Average) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...Observer) (*Ensemble, []Result, error) {
	learners := a.Learners
	if len(learners) == 0 {
		tr, err := newTraining(x, t)
		if err != nil {
			return nil, nil, err
		}
		theta := kernel.MedianTheta(tr.x)
		if err := tr.separable(theta); err != nil {
			return nil, nil, err
		}
		for _, f := range averageFactors {
			learners = append(learners, BottomUp{Kernel: kernel.RBF{Theta: f * theta}})
		}
	}
	e := new(Ensemble)
	var results []Result
	for _, l := range learners {
		m, r, err := l.Fit(ctx, x, t, observers...)
		if err != nil {
			if len(e.models) == 0 {
				e = nil
			}
			return e, results, err
		}
		e.models, results = append(e.models, m), append(results, r)
	}
	return e, results, nil
}

// Models returns the models whose probabilities are averaged.
func (e *Ensemble) Models() []*Model { return slices.Clone(e.models) }

// Classes is the number of classes C.
func (e *Ensemble) Classes() int { return e.models[0].Classes() }

// Features is the number of features D of a sample.
func (e *Ensemble) Features() int { return e.models[0].Features() }

// Proba writes the mean of the models' probabilities for each of the N samples x
// to dst (N×C; allocated if nil) and returns it. It panics as Model.Proba does.
func (e *Ensemble) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = e.models[0].Proba(dst, x)
	for _, m := range e.models[1:] {
		dst.Add(dst, m.Proba(nil, x))
	}
	dst.Scale(1/float64(len(e.models)), dst)
	return dst
}

// Predict writes the label of the largest mean probability of each of the N
// samples x to dst (allocated if nil) and returns it; the lower class wins a tie.
// A row with a feature that is not a number has the label −1.
func (e *Ensemble) Predict(dst []int, x mat.Matrix) []int {
	p := e.Proba(nil, x)
	dst = args.Slice("mpcvm", dst, p)
	for i := range dst {
		dst[i] = argmax(p.RawRowView(i))
	}
	return dst
}

// RelevanceVectors returns the relevance vectors of all models, ascending by
// training index, each with the mean over the models of its weights (zero where a
// model does not have it). The weights of different kernels do not add up to
// anything: take them as a measure of how often, and how much, a sample is used.
func (e *Ensemble) RelevanceVectors() []RelevanceVector {
	byIndex := map[int]*RelevanceVector{}
	for _, m := range e.models {
		for _, v := range m.RelevanceVectors() {
			floats.Scale(1/float64(len(e.models)), v.Weights)
			if old := byIndex[v.Index]; old != nil {
				floats.Add(old.Weights, v.Weights)
			} else {
				byIndex[v.Index] = &v
			}
		}
	}
	var all []RelevanceVector
	for _, v := range byIndex {
		all = append(all, *v)
	}
	slices.SortFunc(all, func(a, b RelevanceVector) int { return a.Index - b.Index })
	return all
}

// NonZero counts the non-zero weights of each class over all models.
func (e *Ensemble) NonZero() []int {
	n := make([]int, e.Classes())
	for _, m := range e.models {
		for c, k := range m.NonZero() {
			n[c] += k
		}
	}
	return n
}

// Size returns the number of distinct relevance vectors and the number of non-zero
// weights of all models together.
func (e *Ensemble) Size() (vectors, weights int) {
	for _, n := range e.NonZero() {
		weights += n
	}
	return len(e.RelevanceVectors()), weights
}
