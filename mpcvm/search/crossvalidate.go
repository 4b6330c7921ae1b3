package search

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// CrossValidate returns the potentials (N×C) of the samples, each computed by a model that l fitted without
// the fold of the sample. The folds are stratified by class and shuffled by seed, or follow the groups or
// times of the samples; see mpcvm.Samples. A sample that is the only one of its class is in every training
// set, and its potentials are NaN. The folds are fitted in parallel, so functions of l such as Width.OnTrial
// may be called from several goroutines.
//
// CrossValidate returns the errors of Fit, and a *mpcvm.CellError if most samples are alone in their class.
// It panics if folds is less than 2.
func CrossValidate(ctx context.Context, l mpcvm.Learner, s mpcvm.Samples,
	folds int, seed uint64) (*mat.Dense, error) {
	args.Learner("search: CrossValidate: l", l)
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return nil, err
	}
	if folds < 2 {
		panic(fmt.Sprintf("search: CrossValidate: folds is %d; want at least 2", folds))
	}
	fit := func(_ int, part *fitting.Data) (fitting.Predictor, error) {
		m, _, err := l.Fit(ctx, mpcvm.Samples(part.Samples()))
		return m, err
	}
	return d.CrossValidate(ctx, folds, seed, fit)
}

// Temperature returns the temperature T between 1/20 and 20 that minimises the log loss of the probabilities
// of y/T, for potentials y (N×C) and labels t; see Model.WithTemperature. As in Platt scaling, the target is
// 1 − ε for the class of the label, with ε = 1/(N+2) shared by the other classes, because a model without an
// error on these samples may still err on others. Rows of y with NaN are skipped. The model must not have
// been trained on these samples; pass the result of CrossValidate, for example. Temperature panics if the
// lengths differ or a label is not between 0 and C−1.
func Temperature(y *mat.Dense, t []int) float64 { return fitting.Temperature(y, t, nil) }

// Scores returns the conformal scores of potentials y (N×C) with labels t, for Model.WithScores. With up to
// 10 classes of at least 20 samples each, every class has its own scores, so that prediction sets cover each
// class separately. Rows of y with NaN are skipped; if no row remains, the result is nil. The model must not
// have been trained on these samples; pass the result of CrossValidate, for example. Scores panics under the
// same conditions as Temperature.
func Scores(y *mat.Dense, t []int) mpcvm.Scores { return mpcvm.Scores(fitting.NewScores(y, t)) }
