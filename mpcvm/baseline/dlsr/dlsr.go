package dlsr

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr/linear"
)

// Model is a fitted discriminative least squares regression.
type Model = linear.Model

// DLSR fits discriminative least squares regression. The zero value is the recommended
// setting.
type DLSR struct {
	// Lambda is λ, the weight of ‖W‖² against the sum of the squared residuals of N samples.
	// The paper of the method tunes it. If it is zero, 1 is used. Of 0.001, 0.1, 1, 10, ...,
	// 300 this value has the smallest mean error on the five tuning partitions of Iris, Wine,
	// Glass and Breast.
	Lambda float64

	// Tol ends the fit as Converged when ‖W − W_old‖² < Tol. A negative value never ends the
	// fit. See the package comment for the effect of a larger Tol. If it is zero, 1e-8 is used.
	Tol float64

	// MaxIterations is the largest number of iterations. If it is zero, 1000 is used.
	MaxIterations int

	// Seed deals the samples into the folds that the temperature of the probabilities is
	// chosen by. Nothing else is random.
	Seed uint64
}

// Fit trains a model on the samples, whose features should be standardised.
//
// Fit returns a *mpcvm.CellError if nothing can be learned from the data. If ctx ends, Fit
// returns the model of the last iteration and an error that wraps ctx.Err(). The temperature
// of this model is chosen on the training data themselves. The model is nil if there was no
// iteration. Fit panics if the slices of the samples differ in length, or if an option is
// negative. It takes O(ND² + D³) operations, or O(N²D + N³) if there are more features than
// samples, and O(NDC) for each iteration.
func (l DLSR) Fit(ctx context.Context, samples mpcvm.Samples, observers ...mpcvm.Observer) (*Model,
	mpcvm.Result, error) {
	l.Lambda = args.Option("dlsr: DLSR.Lambda", l.Lambda, 1)
	l.Tol = args.Tolerance("dlsr: DLSR.Tol", l.Tol, 1e-8)
	l.MaxIterations = args.Option("dlsr: DLSR.MaxIterations", l.MaxIterations, 1000)
	d, err := fitting.NewEqual("dlsr", fitting.Samples(samples))
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	run := mpcvm.NewRun(ctx, l.MaxIterations, observers...)
	s, err := newSolver(d.Part(fitting.All(d.N)), l.Lambda)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	snapshot := func() *Model { return s.model(temperature(mat.DenseCopyOf(s.scores.T()), d.T)) }
	run.Snapshot = func() mpcvm.Classifier { return snapshot() }
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
		if scores, err = l.unseen(ctx, d, steps); err == nil {
			model = s.model(temperature(scores, d.T))
		} else if ctx.Err() == nil {
			return nil, mpcvm.Result{}, err
		}
	}
	if model == nil { // the context has ended
		run.End(mpcvm.Cancelled)
		if steps > 0 {
			model = snapshot()
		}
	}
	result, err := run.Finish()
	return model, result, err
}
