package gp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// LeaveOneOut returns the leave-one-out potentials (N×C) of the samples: each sample is predicted by a model
// that was fitted to all the others. They approximate the potentials of N separate fits, but take only one
// fit of the dense model and C factorisations. The kernel must have a width.
//
// Near its optimum, F is approximately quadratic in the potentials of a class, with the precisions
// h_n = −∂² log p(t_n|y_n)/∂y_nc² = 1 − Var(z_nc) of the samples; mixed derivatives of two classes are
// ignored. For a quadratic function, the leave-one-out potential has a closed form (Opper and Winther 2000,
// DOI 10.1162/089976600300014881). With B = I + s² H^½ K H^½, it is
//
//	y_nc − (z̄_nc − y_nc) (1/(B⁻¹)_nn − 1)/h_n.
//
// With sample weights ω, B contains ωh instead of h.
//
// Use these potentials to compare kernels and scales, each at its best temperature, and to choose a
// temperature. On the training data of Heart, Glass, Vowel, Iris and Breast, the rank correlation between
// their log loss and the log loss of 5-fold cross-validation was 0.97, 0.98, 0.99, 0.95 and 0.93 over 36
// settings.
//
// LeaveOneOut returns the errors of Fit, an error if the kernel has no width, and an error that wraps
// errors.ErrUnsupported if Keep or a number of Candidates is set. It takes about 2CN³/3 operations.
func (l KernelPrior) LeaveOneOut(ctx context.Context, s mpcvm.Samples) (*mat.Dense, error) {
	l = l.defaults()
	if l.Keep > 0 || l.Candidates > 0 {
		return nil, fmt.Errorf("gp: KernelPrior.LeaveOneOut with Keep or Candidates: %w",
			errors.ErrUnsupported)
	}
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return nil, err
	}
	if l.Kernel == nil {
		return nil, errors.New("gp: KernelPrior.LeaveOneOut: Kernel is nil")
	}
	if err := d.CheckKernel("gp", l.Kernel); err != nil {
		return nil, err
	}
	return l.leaveOneOut(ctx, d, l.Kernel)
}

func (l KernelPrior) leaveOneOut(ctx context.Context, d *fitting.Data, k kernel.Kernel) (*mat.Dense, error) {
	l.Keep, l.Candidates, l.Float32, l.Kernel = 0, 0, false, k
	memory := func() (release func(), err error) { return reserve(ctx, "KernelPrior.LeaveOneOut", d, 2, 8) }
	release, err := memory() // check before the fit, so that it is not computed in vain
	if err != nil {
		return nil, err
	}
	release()
	m, _, err := l.learn(ctx, d, k, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	if release, err = memory(); err != nil {
		return nil, err
	}
	defer release()
	potentials := m.Potentials(nil, d.X)
	y := mat.DenseCopyOf(potentials.T()) // C×N
	z := mat.NewDense(d.C, d.N, nil)
	logp := make([]float64, d.N)
	means := probit.Batch{Tol: 1e-11}
	means.Means(z, logp, y, d.T)

	gram, b := mat.NewDense(d.N, d.N, nil), mat.NewDense(d.N, d.N, nil)
	kernel.Gram(gram, k, d.X)
	h, inverse := make([]float64, d.N), make([]float64, d.N)
	const step = 1e-3
	up, down := mat.NewDense(d.C, d.N, nil), mat.NewDense(d.C, d.N, nil)
	for c := range d.C {
		up.Copy(y)
		down.Copy(y)
		floats.AddConst(step, up.RawRowView(c))
		floats.AddConst(-step, down.RawRowView(c))
		means.Means(up, logp, up, d.T)
		means.Means(down, logp, down, d.T)
		for n := range h {
			h[n] = d.Weight(n) * max(1-(up.At(c, n)-down.At(c, n))/(2*step), 1e-7)
		}
		if err := l.invertDiagonal(ctx, inverse, b, gram, h); err != nil {
			return nil, err
		}
		for n, v := range inverse {
			// h includes the weight of the sample.
			potentials.Set(n, c, y.At(c, n)-d.Weight(n)*(z.At(c, n)-y.At(c, n))*(1/v-1)/h[n])
		}
	}
	return potentials, nil
}

// invertDiagonal sets dst to the diagonal of (I + s² H^½ K H^½)⁻¹ and overwrites b. If rounding makes the
// matrix indefinite, a multiple of the identity is added; see dense.CholeskyJitter. If 1e-8 of the largest
// entry is not enough, the kernel is not positive definite.
func (l KernelPrior) invertDiagonal(ctx context.Context, dst []float64, b, gram *mat.Dense,
	h []float64) error {
	root := make([]float64, len(h))
	for n, v := range h {
		root[n] = math.Sqrt(v)
	}
	err := dense.CholeskyJitter(ctx, b.RawMatrix(), panelRows, 1e-7, func() {
		for i := range h {
			to, from := b.RawRowView(i), gram.RawRowView(i)
			for j := range i + 1 {
				to[j] = l.Scale * root[i] * root[j] * from[j]
			}
			to[i]++
		}
	})
	switch {
	case errors.Is(err, dense.ErrIndefinite):
		return cell.New("gp", -1, -1, l.Scale, fmt.Sprintf(
			"leave-one-out: kernel %v is not positive definite; found with a Scale of", l.Kernel))
	case err != nil:
		return fmt.Errorf("gp: leave-one-out cancelled: %w", err)
	}
	dense.InverseDiagonal(dst, b.RawMatrix())
	return nil
}
