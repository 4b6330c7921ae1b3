package mrvm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// training is training data with a kernel.
type training struct {
	*fitting.Data
	kernel  kernel.Kernel
	phi     *mat.Dense // N×N
	norm    []float64  // φ_nᵀφ_n
	release func()     // releases the reserved memory
}

// newTraining reserves the memory of a learner that needs the given number of N×N matrices, and computes Φ.
func newTraining(d *fitting.Data, k kernel.Kernel, learner string, matrices float64) (_ *training,
	err error) {
	tr := &training{Data: d, norm: make([]float64, d.N)}
	if tr.kernel, err = d.MedianKernel("mrvm", k); err != nil {
		return nil, err
	}
	n := float64(d.N)
	tr.release, err = memory.Reserve(matrices*8*n*n+32*n*float64(d.C),
		fmt.Sprintf("mrvm: %s of %d samples", learner, d.N), "use fewer samples (rows)")
	if err != nil {
		return nil, err
	}
	tr.phi = kernel.Gram(nil, tr.kernel, d.X)
	for n := range tr.norm {
		row := tr.phi.RawRowView(n)
		tr.norm[n] = dense.Dot(row, row)
	}
	if err = d.CheckNorms(tr.kernel, fitting.All(d.N), tr.norm); err != nil {
		tr.release()
		return nil, err
	}
	return tr, nil
}

// model returns the model of the listed samples with weights w (C×M). Without samples, the model predicts the
// class frequencies.
func (tr *training) model(samples []int, w *mat.Dense) *Model {
	m := &Model{kernel: tr.kernel, classes: tr.C, dim: tr.D}
	if len(samples) == 0 {
		m.frequency = tr.frequencies()
		return m
	}
	order := fitting.All(len(samples))
	slices.SortFunc(order, func(i, j int) int { return samples[i] - samples[j] })
	m.w = mat.NewDense(len(order), tr.C, nil)
	for row, i := range order {
		m.index = append(m.index, samples[i])
		for c := range tr.C {
			m.w.Set(row, c, w.At(c, i))
		}
	}
	part := tr.Part(m.index)
	m.x, m.label = part.X, part.T
	m.values = kernel.NewRows(m.kernel, m.x)
	return m
}

// frequencies returns the class frequencies.
func (tr *training) frequencies() []float64 {
	f := make([]float64, tr.C)
	for c, count := range tr.Counts() {
		f[c] = float64(count) / float64(tr.N)
	}
	return f
}

// project returns Φ_Mᵀz (C×M) for the listed samples.
func (tr *training) project(samples []int, z *mat.Dense) *mat.Dense {
	if len(samples) == 0 {
		return new(mat.Dense)
	}
	p := mat.NewDense(tr.C, len(samples), nil)
	par.For(len(samples), 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for c := range tr.C {
				p.Set(c, i, dense.Dot(tr.phi.RawRowView(samples[i]), z.RawRowView(c)))
			}
		}
	})
	return p
}

// expand adds Φ_M w to y (C×N) for the weights w (C×M) of the listed samples.
func (tr *training) expand(y *mat.Dense, samples []int, w *mat.Dense) {
	if len(samples) == 0 {
		return
	}
	const width = 256 // so that these columns of all rows stay in the L2 cache
	par.For(tr.N, width, func(lo, hi int) {
		rows := make([][]float64, len(samples))
		for i, n := range samples {
			rows[i] = tr.phi.RawRowView(n)[lo:hi] // Φ is symmetric
		}
		for c := range tr.C {
			dense.Combine(y.RawRowView(c)[lo:hi], w.RawRowView(c), rows)
		}
	})
}

// step returns a Step for a model of m samples.
func (tr *training) step(m int) mpcvm.Step {
	return mpcvm.Step{Weights: slices.Repeat([]int{m}, tr.C)}
}

// allClasses returns the Basis that stands for the basis functions of a sample in all classes.
func allClasses(sample int) mpcvm.Basis { return mpcvm.Basis{Sample: sample, Class: -1} }

// finish ends a run with model m, or without a model if no iteration was completed. If m has no samples,
// finish computes the log likelihood of the class frequencies.
func (tr *training) finish(r *mpcvm.Run, m *Model) (*Model, mpcvm.Result, error) {
	result, err := r.Finish()
	if result.Iterations == 0 {
		return nil, result, err
	}
	if m.frequency != nil {
		result.LogLik = 0
		for c, count := range tr.Counts() {
			result.LogLik += float64(count) * math.Log(m.frequency[c])
		}
		result.Objective = result.LogLik
	}
	return m, result, err
}
