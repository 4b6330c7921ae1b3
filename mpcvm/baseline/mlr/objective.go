package mlr

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr/linear"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
)

// objective is what is minimised: the mean of −log p(t_n | x_n), plus the penalty over
// N. Its parameters are the scaled weights v (C×D, row by row) and the C biases.
type objective struct {
	n, d, c int
	t       []int
	z       *mat.Dense // N×D features, (x − mean)/h
	mean, h []float64  // D; w = v/h
	ridge   []float64  // D, λ/(N h²): the penalty of v over N is ½ Σ ridge v²

	// At the parameters of the last call of evaluate:
	loss   float64    // the objective
	loglik float64    // Σ log p(t_n | x_n)
	p      *mat.Dense // N×C, the probabilities
	logp   []float64  // N, log p(t_n | x_n)
	at     []float64  // the parameters themselves

	u *mat.Dense // N×C, to work with
}

// newObjective scales the features, which have passed mpcvm.Check.
func newObjective(x mat.Matrix, t []int, classes int, lambda float64) (*objective, error) {
	n, d := x.Dims()
	o := &objective{
		n: n, d: d, c: classes, t: slices.Clone(t), z: mat.DenseCopyOf(x),
		mean: make([]float64, d), h: make([]float64, d), ridge: make([]float64, d),
		p: mat.NewDense(n, classes, nil), u: mat.NewDense(n, classes, nil),
		logp: make([]float64, n), at: make([]float64, classes*(d+1)),
	}
	N := float64(n)
	for j := range d {
		for i := range n {
			o.mean[j] += o.z.At(i, j) / N
		}
		h2 := lambda / N
		for i := range n {
			v := o.z.At(i, j) - o.mean[j]
			h2 += v * v / N
		}
		if math.IsInf(h2, 1) {
			return nil, tooLarge(x, j)
		}
		o.h[j] = math.Sqrt(h2)
		o.ridge[j] = lambda / N / h2
		for i := range n {
			o.z.Set(i, j, (o.z.At(i, j)-o.mean[j])/o.h[j])
		}
	}
	return o, nil
}

// tooLarge names the largest value of column j, whose square is not finite.
func tooLarge(x mat.Matrix, j int) error {
	column := mat.Col(nil, j, x)
	row := 0
	for i, v := range column {
		if math.Abs(v) > math.Abs(column[row]) {
			row = i
		}
	}
	return cell.New("mlr", row, j, column[row], "feature is too large for a sum of squares; standardise the features")
}

// start is where the ascent begins: no weights, and the biases that predict the
// frequencies of the classes.
func (o *objective) start() []float64 {
	p := make([]float64, o.c*(o.d+1))
	b := p[o.c*o.d:]
	for _, label := range o.t {
		b[label]++
	}
	for c, count := range b {
		b[c] = math.Log(count)
	}
	o.centre(p)
	return p
}

// coefficients returns the weights and biases for the features as they were given.
func (o *objective) coefficients(p []float64) (w *mat.Dense, b []float64) {
	w, b = mat.NewDense(o.c, o.d, nil), slices.Clone(p[o.c*o.d:])
	copy(w.RawMatrix().Data, p)
	for c := range b {
		row := w.RawRowView(c)
		floats.Div(row, o.h)
		b[c] -= floats.Dot(row, o.mean)
	}
	floats.AddConst(-floats.Sum(b)/float64(o.c), b)
	return w, b
}

// weights views the scaled weights in the parameters as C×D.
func (o *objective) weights(p []float64) blas64.General {
	return blas64.General{Rows: o.c, Cols: o.d, Stride: o.d, Data: p[:o.c*o.d]}
}

// grain is how many samples a goroutine takes at a time.
const grain = 64

// scores sets y = Zvᵀ + 1bᵀ (N×C) and calls f with each row.
func (o *objective) scores(y *mat.Dense, p []float64, f func(n int, y []float64)) {
	b := p[o.c*o.d:]
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, o.z.RawMatrix(), o.weights(p), 0, y.RawMatrix())
	par.For(o.n, grain, func(lo, hi int) {
		for n := lo; n < hi; n++ {
			row := y.RawRowView(n)
			floats.Add(row, b)
			f(n, row)
		}
	})
}

// evaluate computes the objective at the parameters p.
func (o *objective) evaluate(p []float64) {
	copy(o.at, p)
	o.scores(o.p, p, func(n int, y []float64) {
		o.logp[n] = y[o.t[n]] - floats.LogSumExp(y)
		linear.Softmax(y, y, 1)
	})
	o.loglik = floats.Sum(o.logp)
	o.loss = -o.loglik / float64(o.n)
	for c := range o.c {
		for j, r := range o.ridge {
			v := p[c*o.d+j]
			o.loss += r * v * v / 2
		}
	}
}

// gradient sets g to the gradient where evaluate has been: (p − [t = c])ᵀZ/N + ridge∘v
// for the weights, the same with 1 in place of Z for the biases.
func (o *objective) gradient(g []float64) {
	o.u.Copy(o.p)
	for n, label := range o.t {
		o.u.RawRowView(n)[label]--
	}
	o.back(g, o.at)
}

// curvature sets h to the product of the Hessian where evaluate has been with v: as the
// gradient, with the changes p∘(y − pᵀy) of the probabilities, y the scores of v.
func (o *objective) curvature(h, v []float64) {
	o.scores(o.u, v, func(n int, y []float64) {
		p := o.p.RawRowView(n)
		floats.AddConst(-floats.Dot(p, y), y)
		floats.Mul(y, p)
	})
	o.back(h, v)
}

// back sets g to uᵀZ/N + ridge∘v for the weights and uᵀ1/N for the biases.
func (o *objective) back(g, v []float64) {
	N := float64(o.n)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1/N, o.u.RawMatrix(), o.z.RawMatrix(), 0, o.weights(g))
	b := g[o.c*o.d:]
	clear(b)
	for n := range o.n {
		floats.Add(b, o.u.RawRowView(n))
	}
	floats.Scale(1/N, b)
	for c := range o.c {
		for j, r := range o.ridge {
			g[c*o.d+j] += r * v[c*o.d+j]
		}
	}
	o.centre(g)
}

// centre shifts the parameters of each feature, and the biases, to sum to zero over the
// classes. Gradients and products do so but for rounding, which must not be followed:
// along equal changes of all classes the objective is as good as flat.
func (o *objective) centre(p []float64) {
	b := p[o.c*o.d:]
	floats.AddConst(-floats.Sum(b)/float64(o.c), b)
	for j := range o.d {
		mean := 0.0
		for c := range o.c {
			mean += p[c*o.d+j] / float64(o.c)
		}
		for c := range o.c {
			p[c*o.d+j] -= mean
		}
	}
}
