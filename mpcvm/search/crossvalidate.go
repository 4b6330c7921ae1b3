package search

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// CrossValidate returns the potentials (N×C) of each training sample by a model that l fitted
// without it. The samples are dealt into folds (at least 2), class by class in an order that
// seed shuffles, or by their groups or times (see mpcvm.Samples). A sample that is the only one of its
// class is in every training part; its potentials are NaN. The folds are fitted in parallel, so functions that l calls, such as
// Width.OnTrial, are called by several goroutines. It returns the errors of Fit, and a
// *mpcvm.CellError if most samples are the only one of their class. It panics if folds is less
// than 2.
func CrossValidate(ctx context.Context, l mpcvm.Learner, s mpcvm.Samples, folds int, seed uint64) (*mat.Dense, error) {
	args.Learner("search: CrossValidate: l", l)
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return nil, err
	}
	if folds < 2 {
		panic(fmt.Sprintf("search: %d folds; at least 2 are needed", folds))
	}
	return d.CrossValidate(ctx, folds, seed, func(_ int, part *fitting.Data) (fitting.Predictor, error) {
		m, _, err := l.Fit(ctx, mpcvm.Samples(part.Samples()))
		return m, err
	})
}

// Temperature returns the T between 1/20 and 20 that minimises the log loss of the
// probabilities of y/T, for potentials y (N×C) and labels t. As in Platt's scaling a label
// counts 1 − ε for its class, with ε = 1/(N+2) shared by the other classes: a model that makes
// no error among these samples is not believed to make none at all. Rows of y with NaN are left
// out. The potentials must be of samples that the model did not learn from, such as those of
// CrossValidate. The result is for Model.WithTemperature. Temperature panics if the lengths
// differ or a label is not one of 0 to C−1.
func Temperature(y *mat.Dense, t []int) float64 { return fitting.Temperature(y, t, nil) }

// Scores returns the conformal scores of potentials y (N×C) with labels t, for Model.WithScores. Each
// class has scores of its own if there are at most 10 classes with at least 20 samples each; then
// prediction sets cover each class by itself. Rows of y with NaN are left out; without any other row
// the result is nil. The potentials must be of samples that the model did not learn from, such as
// those of CrossValidate. Scores panics as Temperature does.
func Scores(y *mat.Dense, t []int) mpcvm.Scores { return mpcvm.Scores(fitting.NewScores(y, t)) }
