// Package contract is the suite of tests that every classifier of this module passes. It
// checks how a classifier handles bad data, a context that ends, observers and rows with
// NaN, and that the same input gives the same bits. It is for tests only.
//
//	contract.Test(t, "BottomUp", contract.Of(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}))
package contract

import (
	"cmp"
	"context"
	"io"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Classifier is what every fitted system of this module offers.
type Classifier interface {
	mpcvm.Classifier
	// Classes is the number of classes C.
	Classes() int
	// VectorCount is the number of distinct training samples in the model.
	VectorCount() int
	// WeightCount is the number of non-zero weights.
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
			if any(m) == any(none) { // a nil *Model is to be a nil Classifier
				return nil, r, err
			}
			return m, r, err
		},
	}
}

// System is a classifier under test: how it is fitted, and which laws it need not keep.
type System struct {
	// Fit fits the classifier. It returns nil if there is none.
	Fit func(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (Classifier, mpcvm.Result, error)

	// Options are the learner's options, which no fit may change. They may be nil.
	Options any

	// WithKernel returns the same system with another kernel. It is nil if the system has
	// no kernel.
	WithKernel func(k kernel.Kernel) System

	// Save and Load write and read a classifier. They are nil if it has no files.
	Save func(c Classifier, w io.Writer) error
	Load func(r io.Reader) (Classifier, error)

	// Linear says that VectorCount is zero.
	Linear bool

	// NoProbability leaves out all calls of Proba.
	NoProbability bool

	// ScaleInvariant says that features of any unit give the same predictions. For other
	// systems the features are standardised first.
	ScaleInvariant bool

	// Agreement is the smallest share of samples whose label is the class of the largest
	// probability, up to rounding. If it is zero, 1 is used.
	Agreement float64

	// SignPrinciple says that the system obeys the classification principle: the weight of
	// a sample is positive for the class of its label and negative for the others. Its
	// classifiers have the method RelevanceVectors of mpcvm.Model.
	SignPrinciple bool

	// Monotone says that the objective falls only in steps that delete weights.
	Monotone bool

	// Excused maps the names of laws that the system need not keep to the reasons.
	Excused map[string]string

	// RowOrder and ClassOrder are the largest differences in probability between orders of
	// the rows or features, and between numberings of the classes. If one is zero, 1e-6 is
	// used, which is rounding amplified by the iterations.
	RowOrder, ClassOrder float64

	// CrossValidates says that the system refuses data, with a *mpcvm.CellError, if most
	// samples are the only one of their class.
	CrossValidates bool

	// Slow leaves out harsh data of a hundred classes, which take minutes.
	Slow bool

	// Error is the largest error rate, a fraction, on the learnable problem, whose Bayes
	// error is below 1 %. If it is zero, 0.05 is used.
	Error float64

	fitted Classifier // to the usual problem, for laws that only predict
}

// Test runs the suite, as subtests of t.
func Test(t *testing.T, name string, s System) {
	s.Agreement = cmp.Or(s.Agreement, 1)
	s.RowOrder = cmp.Or(s.RowOrder, 1e-6)
	s.ClassOrder = cmp.Or(s.ClassOrder, 1e-6)
	s.Error = cmp.Or(s.Error, 0.05)
	t.Run(name, func(t *testing.T) {
		x, labels := usual()
		s.fitted, _ = fit(t, s, x, labels)
		for _, law := range laws {
			t.Run(law.name, func(t *testing.T) {
				if why, ok := s.Excused[law.name]; ok {
					t.Skip(why)
				}
				law.check(t, s)
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
	{"mistakes at fit", mistakesAtFit},
	{"fit twice", fitTwice},
	{"cores", cores},
	{"any matrix", anyMatrix},
	{"row order", rowOrder},
	{"class order", classOrder},
	{"feature order", featureOrder},
	{"units", units},
	{"learnable", learnable},
	{"two classes", twoClasses},
	{"constant feature", constantFeature},
	{"contradicting duplicates", contradictions},
	{"few samples", fewSamples},
	{"one feature value", allEqual},
	{"kernels", kernels},
	{"harsh data", harsh},
	{"powers of two", powersOfTwo},
	{"cancelled before", cancelledBefore},
	{"cancelled by an observer", cancelledDuring},
	{"cancelled from outside", cancelledOutside},
	{"observers", observers},
	{"classifiers of steps", snapshots},
	{"stopped", stopped},
	{"probabilities", probabilities},
	{"rows that are no numbers", notANumber},
	{"destinations", destinations},
	{"mistakes at prediction", mistakesAtPrediction},
	{"concurrent prediction", concurrent},
	{"size", size},
	{"signs", signs},
	{"monotone objective", monotone},
	{"save and load", saveAndLoad},
}
