package mrvm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// training is checked training data with its kernel.
type training struct {
	x      *mat.Dense // N×D
	t      []int      // N labels
	n, c   int
	kernel kernel.Kernel
	phi    *mat.Dense // N×N
	norm   []float64  // φ_nᵀφ_n

	release func() // gives back the memory that was reserved
}

// newTraining checks and copies x and t, reserves the memory of a learner that takes
// some N×N matrices, and computes Φ.
func newTraining(x mat.Matrix, t []int, k kernel.Kernel, learner string, matrices float64) (_ *training, err error) {
	classes, err := mpcvm.Check(x, t)
	if err != nil {
		return nil, err
	}
	tr := &training{x: mat.DenseCopyOf(x), t: slices.Clone(t), n: len(t), c: classes}
	if tr.kernel, err = settle(k, tr.x); err != nil {
		return nil, err
	}
	tr.release, err = memory.Reserve(matrices*8*float64(tr.n)*float64(tr.n)+32*float64(tr.n)*float64(tr.c),
		fmt.Sprintf("mrvm: %s of %d samples", learner, tr.n), "take fewer samples (rows)")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			tr.release()
		}
	}()
	tr.phi = kernel.Gram(nil, tr.kernel, tr.x)
	tr.norm = make([]float64, tr.n)
	for n := range tr.norm {
		row := tr.phi.RawRowView(n)
		if tr.norm[n] = dense.Dot(row, row); !isFinite(tr.norm[n]) {
			return nil, cell.New("mrvm", n, -1, tr.norm[n], fmt.Sprintf(
				"kernel %v: sum of squared values is not finite; standardise the features or choose another kernel", tr.kernel))
		}
	}
	return tr, nil
}

// start is the distance of the first Z̄ of the own class from the others.
func (tr *training) start(given float64) float64 {
	if given == 0 {
		return 5 * float64(tr.c)
	}
	return given
}

// settle returns the kernel with its width: MedianTheta if the kernel leaves it to the
// learner, see [kernel.Untuned].
func settle(k kernel.Kernel, x *mat.Dense) (kernel.Kernel, error) {
	if untuned, ok := kernel.Untuned(k); ok {
		theta := untuned.MedianTheta(x)
		if !(theta > 0) || math.IsInf(theta, 0) {
			return nil, cell.New("mrvm", -1, -1, theta, "features are too large or too small for distances; standardise them, or give the kernel its Theta; Theta found")
		}
		k = untuned.WithTheta(theta)
	}
	return k, validate(k)
}

// validate names the package at a kernel that cannot be used.
func validate(k kernel.Kernel) error {
	if err := kernel.Validate(k); err != nil {
		return fmt.Errorf("mrvm: %w", err)
	}
	return nil
}

// model gathers the samples in the model, of weights w (C rows of len(samples)).
// Without samples it is a model of the class frequencies.
func (tr *training) model(samples []int, w *mat.Dense) *Model {
	_, d := tr.x.Dims()
	m := &Model{kernel: tr.kernel, classes: tr.c, dim: d}
	if len(samples) == 0 {
		m.frequency = tr.frequencies()
		return m
	}
	order := make([]int, len(samples))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return samples[i] - samples[j] })
	m.x, m.w = mat.NewDense(len(order), d, nil), mat.NewDense(len(order), tr.c, nil)
	for row, i := range order {
		n := samples[i]
		m.index, m.label = append(m.index, n), append(m.label, tr.t[n])
		m.x.SetRow(row, tr.x.RawRowView(n))
		for c := range tr.c {
			m.w.Set(row, c, w.At(c, i))
		}
	}
	m.values = kernel.NewRows(m.kernel, m.x)
	return m
}

// frequencies returns the share of each class in the samples.
func (tr *training) frequencies() []float64 {
	f := make([]float64, tr.c)
	for _, c := range tr.t {
		f[c] += 1 / float64(tr.n)
	}
	return f
}

// frequencyLikelihood is Σ log p(t_n) of a model of the class frequencies.
func (tr *training) frequencyLikelihood() float64 {
	sum := 0.0
	f := tr.frequencies()
	for _, c := range tr.t {
		sum += math.Log(f[c])
	}
	return sum
}

// project is Φ_Mᵀz (C×M) of the listed samples.
func (tr *training) project(samples []int, z *mat.Dense) *mat.Dense {
	if len(samples) == 0 {
		return new(mat.Dense)
	}
	p := mat.NewDense(tr.c, len(samples), nil)
	par.For(len(samples), 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for c := range tr.c {
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
	const width = 256 // columns of all rows stay in the second cache for all classes
	par.For(tr.n, width, func(lo, hi int) {
		rows := make([][]float64, len(samples))
		for i, n := range samples {
			rows[i] = tr.phi.RawRowView(n)[lo:hi] // Φ is symmetric
		}
		for c := range tr.c {
			dense.Combine(y.RawRowView(c)[lo:hi], w.RawRowView(c), rows)
		}
	})
}

// step returns a Step for m samples in the model.
func (tr *training) step(m int) mpcvm.Step {
	s := mpcvm.Step{Weights: make([]int, tr.c)}
	for c := range s.Weights {
		s.Weights[c] = m
	}
	return s
}

// every names the bases of a sample in all classes.
func every(sample int) mpcvm.Basis { return mpcvm.Basis{Sample: sample, Class: -1} }

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// finish ends a run with model m, if there was an iteration. The likelihood of a
// model without samples is that of the class frequencies.
func (tr *training) finish(r *mpcvm.Run, m *Model, iterations int) (*Model, mpcvm.Result, error) {
	result, err := r.Finish()
	if iterations == 0 {
		return nil, result, err
	}
	if m.frequency != nil {
		result.LogLik = tr.frequencyLikelihood()
		result.Objective = result.LogLik
	}
	return m, result, err
}
