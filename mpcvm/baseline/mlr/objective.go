package mlr

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/internal/linear"
)

// objective is the function to be minimised: the mean of −log p(t_n | x_n), plus the penalty over N. Its
// parameters are the scaled weights v (C×D, row by row) and the C biases.
type objective struct {
	*fitting.Data           // X is scaled: (x − mean)/h
	mean, h       []float64 // D; w = v/h
	ridge         []float64 // D, λ/(N h²): the penalty of v over N is ½ Σ ridge v²

	// At the parameters of the last call of evaluate:
	loss   float64    // the objective
	loglik float64    // Σ log p(t_n | x_n)
	p      *mat.Dense // N×C, the probabilities
	logp   []float64  // N, log p(t_n | x_n)
	at     []float64  // the parameters themselves

	u *mat.Dense // N×C, scratch
}

// newObjective scales the features of data in place.
func newObjective(data *fitting.Data, lambda float64) (*objective, error) {
	n, d, c := data.N, data.D, data.C
	o := &objective{
		Data: data, mean: make([]float64, d), h: make([]float64, d), ridge: make([]float64, d),
		p: mat.NewDense(n, c, nil), u: mat.NewDense(n, c, nil), logp: make([]float64, n), at: make([]float64,
			c*(d+1)),
	}
	N := float64(n)
	for j := range d {
		column := mat.Col(nil, j, o.X)
		for _, v := range column {
			o.mean[j] += v / N
		}
		h2, largest := lambda/N, 0
		for i, v := range column {
			if math.Abs(v) > math.Abs(column[largest]) {
				largest = i
			}
			v -= o.mean[j]
			h2 += v * v / N
		}
		if math.IsInf(h2, 1) {
			return nil, cell.New("mlr", largest, j, column[largest], "feature is too large for a sum of squares; "+
				"standardise the features")
		}
		o.h[j] = math.Sqrt(h2)
		o.ridge[j] = lambda / N / h2
		for i, v := range column {
			o.X.Set(i, j, (v-o.mean[j])/o.h[j])
		}
	}
	return o, nil
}

// start returns the initial parameters: zero weights, and biases that predict the class frequencies.
func (o *objective) start() []float64 {
	p := make([]float64, o.C*(o.D+1))
	for c, count := range o.Counts() {
		p[o.C*o.D+c] = math.Log(float64(count))
	}
	o.centre(p)
	return p
}

// coefficients returns the weights and biases for the original features.
func (o *objective) coefficients(p []float64) (w *mat.Dense, b []float64) {
	w, b = mat.NewDense(o.C, o.D, nil), slices.Clone(p[o.C*o.D:])
	copy(w.RawMatrix().Data, p)
	for c := range b {
		row := w.RawRowView(c)
		floats.Div(row, o.h)
		b[c] -= floats.Dot(row, o.mean)
	}
	floats.AddConst(-floats.Sum(b)/float64(o.C), b)
	return w, b
}

// weights returns the scaled weights among the parameters as a C×D view.
func (o *objective) weights(p []float64) blas64.General {
	return blas64.General{Rows: o.C, Cols: o.D, Stride: o.D, Data: p[:o.C*o.D]}
}

// evaluate computes the objective at the parameters p.
func (o *objective) evaluate(p []float64) {
	copy(o.at, p)
	b := p[o.C*o.D:]
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, o.X.RawMatrix(), o.weights(p), 0, o.p.RawMatrix())
	par.For(o.N, 64, func(lo, hi int) {
		for n := lo; n < hi; n++ {
			y := o.p.RawRowView(n)
			floats.Add(y, b)
			o.logp[n] = y[o.T[n]] - floats.LogSumExp(y)
			linear.Softmax(y, y, 1)
		}
	})
	o.loglik = floats.Sum(o.logp)
	o.loss = -o.loglik / float64(o.N)
	for c := range o.C {
		for j, r := range o.ridge {
			v := p[c*o.D+j]
			o.loss += r * v * v / 2
		}
	}
}

// gradient sets g to the gradient at the parameters of the last evaluate: (p − [t = c])ᵀX/N +
// ridge∘v for the weights, and the sum of (p − [t = c])/N for the biases.
func (o *objective) gradient(g []float64) {
	o.u.Copy(o.p)
	for n, label := range o.T {
		o.u.RawRowView(n)[label]--
	}
	N := float64(o.N)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1/N, o.u.RawMatrix(), o.X.RawMatrix(), 0, o.weights(g))
	b := g[o.C*o.D:]
	clear(b)
	for n := range o.N {
		floats.Add(b, o.u.RawRowView(n))
	}
	floats.Scale(1/N, b)
	for c := range o.C {
		for j, r := range o.ridge {
			g[c*o.D+j] += r * o.at[c*o.D+j]
		}
	}
	o.centre(g)
}

// minimize runs L-BFGS and calls iteration with the parameters of each iteration. It ends when no
// component of the gradient exceeds tol, when rounding hides any further decrease, when ctx ends or
// when iteration returns true.
func (o *objective) minimize(ctx context.Context, tol float64, iteration func(p []float64) (end bool)) {
	problem := optimize.Problem{
		Func: func(p []float64) float64 {
			o.evaluate(p)
			return o.loss
		},
		Grad: func(g, p []float64) {
			if !slices.Equal(p, o.at) {
				o.evaluate(p)
			}
			o.gradient(g)
		},
	}
	settings := &optimize.Settings{GradientThreshold: tol, Converger: optimize.NeverTerminate{}}
	settings.Recorder = recorder(func(at *optimize.Location, op optimize.Operation,
		stats *optimize.Stats) error {
		if op == optimize.MajorIteration && stats.MajorIterations > 0 && iteration(at.X) {
			return errEnd
		}
		return ctx.Err()
	})
	// The error is errEnd, ctx.Err(), or the error of a line search that failed because of rounding.
	_, _ = optimize.Minimize(problem, o.start(), settings, &optimize.LBFGS{GradStopThreshold: math.NaN()})
}

var errEnd = errors.New("mlr: the fit has ended")

// recorder is called after each operation of optimize.Minimize.
type recorder func(*optimize.Location, optimize.Operation, *optimize.Stats) error

// Init implements optimize.Recorder.
func (r recorder) Init() error { return nil }

// Record implements optimize.Recorder.
func (r recorder) Record(at *optimize.Location, op optimize.Operation, stats *optimize.Stats) error {
	return r(at, op, stats)
}

// centre shifts the parameters of each feature, and the biases, so that they sum to zero over the classes. Up
// to rounding, gradients already do. The objective is nearly flat along equal changes of all classes, so the
// fit must not follow the rounding errors.
func (o *objective) centre(p []float64) {
	b := p[o.C*o.D:]
	floats.AddConst(-floats.Sum(b)/float64(o.C), b)
	for j := range o.D {
		mean := 0.0
		for c := range o.C {
			mean += p[c*o.D+j] / float64(o.C)
		}
		for c := range o.C {
			p[c*o.D+j] -= mean
		}
	}
}
