package mlr

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr/linear"
)

// Model is a fitted softmax regression. Its temperature is 1.
type Model = linear.Model

// MLR fits multinomial logistic regression. The zero value is the recommended setting.
type MLR struct {
	// Lambda is λ, the weight of the penalty (λ/2)Σw², in nats for features without units;
	// see the package comment. If it is zero, 0.3 is used. Of 0.01, 0.03, 0.1, ..., 3 this
	// value has the smallest mean error and log loss on the five tuning partitions of Iris,
	// Wine, Glass, Breast, Vowel, Heart and Wine (red).
	Lambda float64

	// Tol ends the fit as Converged when no component of the gradient of the mean objective
	// (over N), in the scaled weights and biases, exceeds it. With a negative value only
	// rounding ends the fit. If it is zero, 1e-10 is used.
	Tol float64

	// MaxIterations is the largest number of iterations of L-BFGS. A fit needs about 20 to 250. If
	// it is zero, 1000 is used.
	MaxIterations int
}

// Fit trains a model on the samples, whose features should be standardised. The status is Converged if Tol is
// met or if rounding hides any further gain of the objective.
//
// Fit returns a *mpcvm.CellError if nothing can be learned from the data. If ctx ends, Fit
// returns the model of the last iteration and an error that wraps ctx.Err(). The model is nil
// if there was no iteration. Fit panics if the slices of the samples differ in length, or if an
// option is negative.
func (l MLR) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*Model, mpcvm.Result,
	error) {
	l.Lambda = args.Option("mlr: MLR.Lambda", l.Lambda, 0.3)
	l.Tol = args.Tolerance("mlr: MLR.Tol", l.Tol, 1e-10)
	l.MaxIterations = args.Option("mlr: MLR.MaxIterations", l.MaxIterations, 1000)
	d, err := fitting.NewEqual("mlr", fitting.Samples(s))
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	run := mpcvm.NewRun(ctx, l.MaxIterations, observers...)
	o, err := newObjective(d, l.Lambda)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	var model *Model
	run.Snapshot = func() mpcvm.Classifier { return model }
	w := mat.NewDense(d.C, d.D, nil)
	iteration := func(p []float64) (end bool) {
		before := w
		var b []float64
		w, b = o.coefficients(p)
		model = linear.New(w, b, 1)
		step := linear.Step(w, before)
		o.evaluate(p)
		step.Objective, step.LogLik = -o.loss*float64(o.N), o.loglik
		return run.Record(step)
	}
	o.minimize(ctx, l.Tol, iteration)
	switch {
	case ctx.Err() != nil:
		run.End(mpcvm.Cancelled)
	case model == nil: // nothing can be gained
		iteration(o.start())
		fallthrough
	case run.Result.Status == mpcvm.NotTerminated:
		run.End(mpcvm.Converged)
	}
	result, err := run.Finish()
	return model, result, err
}
