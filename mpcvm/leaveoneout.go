package mpcvm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// LeaveOneOut returns the potentials (N×C) of each training sample by all others, as
// CrossValidate does with N folds, but from a single fit of the dense model: nearly what
// N fits would say, at the price of C factorisations. The kernel must be settled; Keep is
// not looked at.
//
// Near its optimum F is a quadratic in the potentials of a class, with the precisions
// h_n = −∂² log p(t_n|y_n)/∂y_nc² = 1 − Var(z_nc) of the samples, those between classes
// being neglected. For a quadratic, leaving a sample out has a closed form (Opper and
// Winther 2000, DOI 10.1162/089976600300014881): with B = I + s² H^½ K H^½,
//
//	y_nc − (z̄_nc − y_nc) (1/(B⁻¹)_nn − 1)/h_n.
//
// These potentials are good for comparing kernels and scales, at the temperature that is
// best for each, and for a temperature. On one training part each of Heart, Glass, Vowel,
// Iris and Breast their log loss and that of 5-fold cross-validation had rank
// correlations of .97, .98, .99, .95 and .93 over 36 settings. The unit noise of Widths,
// h = 1, is no guide between settings: on Heart there was no correlation.
//
// Errors are those of Fit, and for a kernel that is not settled. It takes about 2CN³/3
// operations and 16N² + 64NC bytes of memory.
func (l KernelPrior) LeaveOneOut(ctx context.Context, x mat.Matrix, t []int) (*mat.Dense, error) {
	l = l.defaults()
	tr, err := newTraining(x, t)
	if err != nil {
		return nil, err
	}
	if l.Kernel == nil {
		return nil, fmt.Errorf("mpcvm: leave-one-out of a kernel that is nil")
	}
	if err := kernel.Validate(l.Kernel); err != nil {
		return nil, fmt.Errorf("mpcvm: %w", err)
	}
	return l.leaveOneOut(ctx, tr, l.Kernel)
}

func (l KernelPrior) leaveOneOut(ctx context.Context, tr *training, k kernel.Kernel) (*mat.Dense, error) {
	l.Keep, l.Kernel = 0, k
	reserve := func() (release func(), err error) {
		return tr.reserve("KernelPrior.LeaveOneOut", 2*tr.square()+8*tr.rows(), fewerSamples)
	}
	release, err := reserve() // better refused before the fit than after it
	if err != nil {
		return nil, err
	}
	release()
	m, _, err := l.learn(ctx, tr, k, 0, nil)
	if err != nil {
		return nil, err
	}
	if release, err = reserve(); err != nil {
		return nil, err
	}
	defer release()
	potentials := m.Potentials(nil, tr.x)
	y := mat.DenseCopyOf(potentials.T()) // C×N
	z := mat.NewDense(tr.c, tr.n, nil)
	logp := make([]float64, tr.n)
	means := probit.Batch{Tol: 1e-11}
	means.Means(z, logp, y, tr.t)

	gram, b := mat.NewDense(tr.n, tr.n, nil), mat.NewDense(tr.n, tr.n, nil)
	kernel.Gram(gram, k, tr.x)
	h, inverse := make([]float64, tr.n), make([]float64, tr.n)
	const step = 1e-3
	up, down := mat.NewDense(tr.c, tr.n, nil), mat.NewDense(tr.c, tr.n, nil)
	for c := range tr.c {
		up.Copy(y)
		down.Copy(y)
		floats.AddConst(step, up.RawRowView(c))
		floats.AddConst(-step, down.RawRowView(c))
		means.Means(up, logp, up, tr.t)
		means.Means(down, logp, down, tr.t)
		for n := range h {
			h[n] = max(1-(up.At(c, n)-down.At(c, n))/(2*step), 1e-7)
		}
		if err := l.invertDiagonal(ctx, inverse, b, gram, h); err != nil {
			return nil, err
		}
		for n, v := range inverse {
			potentials.Set(n, c, y.At(c, n)-(z.At(c, n)-y.At(c, n))*(1/v-1)/h[n])
		}
	}
	return potentials, nil
}

// invertDiagonal sets dst to the diagonal of (I + s² H^½ K H^½)⁻¹. It uses b for work.
// Where K is singular and so large that rounding makes the matrix indefinite, it is tried
// again with a growing diagonal, from 1e-14 of its largest entry; a kernel for which
// 1e-8 is not enough is not positive definite.
func (l KernelPrior) invertDiagonal(ctx context.Context, dst []float64, b, gram *mat.Dense, h []float64) error {
	root := make([]float64, len(h))
	for n, v := range h {
		root[n] = math.Sqrt(v)
	}
	raw := b.RawMatrix()
	for jitter := 0.0; jitter < 1e-7; jitter = max(1e-14, jitter*100) {
		largest := 0.0
		for i := range h {
			to, from := b.RawRowView(i), gram.RawRowView(i)
			for j := range i + 1 {
				to[j] = l.Scale * root[i] * root[j] * from[j]
			}
			to[i]++
			largest = max(largest, to[i])
		}
		for i := range h {
			raw.Data[i*raw.Stride+i] += jitter * largest
		}
		definite := true
		for lo := 0; lo < len(h) && definite; lo += panelRows {
			if ctx.Err() != nil {
				return fmt.Errorf("mpcvm: leave-one-out cancelled: %w", ctx.Err())
			}
			definite = dense.CholeskyRows(raw, lo, min(lo+panelRows, len(h)))
		}
		if definite {
			dense.InverseDiagonal(dst, raw)
			return nil
		}
	}
	return &DataError{Row: -1, Col: -1, Value: l.Scale, Reason: fmt.Sprintf(
		"leave-one-out: kernel %v is not positive definite; found with a Scale of", l.Kernel)}
}
