// Package contract is a test suite that every classifier of this module passes. It checks bad data,
// cancelled contexts, goroutines left behind, observers, rows with NaN, and that the same input gives bitwise
// equal results. It is for tests only.
//
//	contract.Test(t, "BottomUp", contract.Of(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}))
package contract

import (
	"cmp"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Classifier is what every fitted model of this module implements.
type Classifier interface {
	mpcvm.Classifier
	// Classes returns the number of classes C.
	Classes() int
	// VectorCount returns the number of distinct training samples in the model.
	VectorCount() int
	// WeightCount returns the number of non-zero weights.
	WeightCount() int
}

// sparse is a Classifier with the relevance vectors of mpcvm.Model.
type sparse interface {
	RelevanceVectors() []mpcvm.RelevanceVector
}

// Of returns the System of a learner, with all other fields zero.
func Of[M Classifier](l mpcvm.LearnerOf[M]) System {
	return System{
		Options: l,
		Fit: func(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (Classifier, mpcvm.Result,
			error) {
			m, r, err := l.Fit(ctx, s, observers...)
			var none M
			if any(m) == any(none) { // a nil *Model becomes a nil Classifier
				return nil, r, err
			}
			return m, r, err
		},
	}
}

// System is a classifier under test: how to fit it, and which laws it may break.
type System struct {
	// Fit fits the classifier. It may return a nil classifier.
	Fit func(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (Classifier, mpcvm.Result, error)

	// Options are the learner's options, which no fit may change. They may be nil.
	Options any

	// WithKernel returns the same system with another kernel. It is nil if the system has no kernel.
	WithKernel func(k kernel.Kernel) System

	// Save and Load write and read a classifier. They are nil if it cannot be saved.
	Save func(c Classifier, w io.Writer) error
	Load func(r io.Reader) (Classifier, error)

	// Linear is true if VectorCount is zero.
	Linear bool

	// Agreement is the smallest share of samples whose label is the class with the largest
	// probability, up to rounding. The default is 1.
	Agreement float64

	// SignPrinciple is true if the system obeys the classification principle: the weight of a sample
	// is positive for the class of its label and negative for the others. Its classifiers have the
	// method RelevanceVectors of mpcvm.Model.
	SignPrinciple bool

	// Monotone is true if the objective decreases only in steps that delete weights.
	Monotone bool

	// RowOrder and ClassOrder are the largest differences in probability between orders of the rows
	// or features, and between numberings of the classes. The default is 1e-6, which is rounding
	// amplified by the iterations.
	RowOrder, ClassOrder float64

	// CrossValidates is true if the system returns a *mpcvm.CellError for data in which most samples
	// are the only ones of their class.
	CrossValidates bool

	// Slow skips harsh data with a hundred classes, which take minutes.
	Slow bool

	fitted Classifier // fitted to the usual problem, for laws that only predict
}

// Test runs the suite, as subtests of t.
func Test(t *testing.T, name string, s System) {
	s.Agreement = cmp.Or(s.Agreement, 1)
	s.RowOrder = cmp.Or(s.RowOrder, 1e-6)
	s.ClassOrder = cmp.Or(s.ClassOrder, 1e-6)
	t.Run(name, func(t *testing.T) {
		x, labels := usual()
		s.fitted, _ = fit(t, s, x, labels)
		for _, law := range laws {
			t.Run(law.name, func(t *testing.T) {
				if !strings.HasPrefix(law.name, "cancelled") && law.name != "observers" {
					law.check(t, s)
					return
				}
				synctest.Test(t, func(t *testing.T) { law.check(t, s) }) // panics if a fit leaves a goroutine behind
			})
		}
	})
}

// laws are all laws of the contract.
var laws = []struct {
	name  string
	check func(*testing.T, System)
}{
	{"bad data", badData},
	{"fit twice", fitTwice},
	{"cores", cores},
	{"any matrix", anyMatrix},
	{"row order", rowOrder},
	{"class order", classOrder},
	{"feature order", featureOrder},
	{"learnable", learnable},
	{"constant feature", constantFeature},
	{"few samples", fewSamples},
	{"one feature value", allEqual},
	{"kernels", kernels},
	{"harsh data", harsh},
	{"powers of two", powersOfTwo},
	{"cancelled before", cancelledBefore},
	{"cancelled or stopped", cancelledOrStopped},
	{"cancelled from outside", cancelledOutside},
	{"observers", observers},
	{"classifiers of steps", snapshots},
	{"probabilities", probabilities},
	{"rows with NaN", notANumber},
	{"destinations", destinations},
	{"mistakes at prediction", mistakesAtPrediction},
	{"concurrent prediction", concurrent},
	{"size", size},
	{"signs", signs},
	{"monotone objective", monotone},
	{"save and load", saveAndLoad},
}
