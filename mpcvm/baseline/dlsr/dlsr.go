package dlsr

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr/linear"
	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
)

// Model is a fitted discriminative least squares regression.
type Model = linear.Model

// DLSR fits discriminative least squares regression. The zero value is the
// recommended setting.
type DLSR struct {
	// Lambda is λ, the weight of ‖W‖² against the sum of the squared residuals of N
	// samples. If it is zero, 1 is used: of 0.001, 0.1, 1, 10, ..., 300 it has the least
	// mean error on the five tuning partitions of Iris, Wine, Glass and Breast. The paper
	// of the method tunes it.
	Lambda float64

	// Tol ends the fit as Converged when ‖W − W_old‖² < Tol. If it is zero, 1e-8 is used;
	// a negative value never ends it. See the package comment for what stopping sooner does.
	Tol float64

	// MaxIterations is the largest number of iterations. If it is zero, 1000 is used.
	MaxIterations int

	// Seed deals the samples into the folds by which the temperature of the probabilities
	// is chosen. Nothing else is random.
	Seed uint64
}

// Fit learns from N samples x (rows; D features, which should be standardised) and
// their labels t, 0 to C−1 with every class present.
//
// It returns a *mpcvm.CellError for data from which nothing can be learned. When ctx
// ends first it returns the model of the last iteration, its temperature chosen on the
// training data themselves, together with an error that wraps ctx.Err(); the model is
// nil if there was no iteration yet. It panics if t has not a label for each row of x
// or an option is negative. Time grows as ND² + D³, with more features than samples as
// N²D + N³, and NDC an iteration.
func (l DLSR) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...mpcvm.Observer) (*Model, mpcvm.Result, error) {
	l.Lambda = args.Option("dlsr: Lambda", l.Lambda, 1)
	if !(l.Tol < 0) {
		l.Tol = args.Option("dlsr: Tol", l.Tol, 1e-8)
	}
	l.MaxIterations = int(args.Option("dlsr: MaxIterations", float64(l.MaxIterations), 1000))
	classes, err := mpcvm.Check(x, t)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	run := mpcvm.NewRun(ctx, l.MaxIterations, observers...)
	s, err := newSolver(mat.DenseCopyOf(x), t, classes, l.Lambda)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	steps := 0
	for ctx.Err() == nil {
		s.iterate()
		steps++
		if run.Record(s.step()) {
			break
		}
		if s.moved < l.Tol {
			run.End(mpcvm.Converged)
			break
		}
	}
	var model *Model
	if ctx.Err() == nil {
		var scores *mat.Dense
		var labels []int
		if scores, labels, err = l.crossValidate(ctx, x, t, classes, steps); err != nil {
			return nil, mpcvm.Result{}, err
		}
		if scores != nil {
			model = s.model(temperature(scores, labels))
		}
	}
	if model == nil { // the context has ended
		run.End(mpcvm.Cancelled)
		if steps > 0 {
			model = s.model(temperature(mat.DenseCopyOf(s.scores.T()), t))
		}
	}
	result, err := run.Finish()
	return model, result, err
}
