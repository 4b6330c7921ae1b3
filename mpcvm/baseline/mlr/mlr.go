package mlr

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr/linear"
	"github.com/mpcvm/mpcvm/mpcvm/internal/args"
)

// Model is a fitted softmax regression, of temperature one.
type Model = linear.Model

// MLR fits multinomial logistic regression. The zero value is the recommended
// setting.
type MLR struct {
	// Lambda is λ, the weight of the penalty (λ/2)Σw², in nats for features without
	// units; see the package comment. If it is zero, 0.3 is used: of 0.01, 0.03, 0.1, ..., 3
	// it has the least mean error on the five tuning partitions of Iris, Wine, Glass,
	// Breast, Vowel, Heart and Wine (red), and the least log loss.
	Lambda float64

	// Tol ends the fit as Converged when no component of the gradient of the mean
	// objective (over N), in the scaled weights and biases, exceeds it. If it is zero,
	// 1e-8 is used; with a negative value rounding alone ends it.
	Tol float64

	// MaxIterations is the largest number of Newton steps. If it is zero, 100 is used; some
	// ten are needed.
	MaxIterations int
}

// Fit learns from N samples x (rows; D features, which should be standardised) and
// their labels t, 0 to C−1 with every class present. It is Converged when Tol is met or
// when rounding lets the objective grow no more.
//
// It returns a *mpcvm.CellError for data from which nothing can be learned. When ctx
// ends first it returns the model of the last iteration together with an error that
// wraps ctx.Err(); the model is nil if there was no iteration yet. It panics if t has
// not a label for each row of x or an option is negative.
func (l MLR) Fit(ctx context.Context, x mat.Matrix, t []int, observers ...mpcvm.Observer) (*Model, mpcvm.Result, error) {
	l.Lambda = args.Option("mlr: Lambda", l.Lambda, 0.3)
	if !(l.Tol < 0) {
		l.Tol = args.Option("mlr: Tol", l.Tol, 1e-8)
	}
	l.MaxIterations = int(args.Option("mlr: MaxIterations", float64(l.MaxIterations), 100))
	classes, err := mpcvm.Check(x, t)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	run := mpcvm.NewRun(ctx, l.MaxIterations, observers...)
	o, err := newObjective(x, t, classes, l.Lambda)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	var model *Model
	w := mat.NewDense(classes, o.d, nil)
	for m := newNewton(o); ; {
		moved, err := m.iterate(ctx)
		if err != nil {
			run.End(mpcvm.Cancelled)
			break
		}
		before := w
		var b []float64
		w, b = o.coefficients(m.p)
		model = linear.New(w, b, 1)
		if run.Record(mpcvm.Step{
			Objective: -o.loss * float64(o.n), LogLik: o.loglik,
			Weights: linear.NonZero(w), Change: linear.Change(w, before),
		}) {
			break
		}
		if !moved || floats.Norm(m.g, math.Inf(1)) <= l.Tol {
			run.End(mpcvm.Converged)
			break
		}
	}
	result, err := run.Finish()
	return model, result, err
}
