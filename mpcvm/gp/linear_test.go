package gp_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// The linear kernel equals the polynomial kernel of degree 1, for which a Gram matrix is computed. Both
// models have the same potentials, but the linear one has D coefficients for each class. NewModel checks the
// signs of the weights.
func TestLinear(t *testing.T) {
	for _, tt := range []struct{ n, d, classes int }{{60, 3, 3}, {300, 20, 5}, {40, 100, 2}} {
		rng := rand.New(rand.NewPCG(1, uint64(tt.n)))
		s := mpcvm.Samples{T: make([]int, tt.n), Weights: make([]float64, tt.n)}
		x := mat.NewDense(tt.n, tt.d, nil)
		for i := range tt.n {
			s.T[i], s.Weights[i] = i%tt.classes, 0.5+rng.Float64()
			for j := range tt.d {
				x.Set(i, j, rng.NormFloat64())
				if j%tt.classes == s.T[i] {
					x.Set(i, j, x.At(i, j)+1)
				}
				if j > 0 && j%7 == 0 {
					x.Set(i, j, x.At(i, 0)) // linearly dependent features
				}
			}
		}
		s.X = x
		for _, scale := range []float64{0.01, 1, 30} {
			fit := func(k kernel.Kernel) (*mpcvm.Model, mpcvm.Result) {
				m, result, err := gp.KernelPrior{Kernel: k, Scale: scale, Tol: 1e-7}.Fit(t.Context(), s)
				must.OK(t, err)
				return m, result
			}
			m, result := fit(kernel.Linear{Offset: 2})
			dense, want := fit(kernel.Polynomial{Degree: 1, Scale: 1, Offset: 2})
			if result.Status != mpcvm.Converged || !scalar.EqualWithinRel(result.Objective, want.Objective, 1e-7) {
				t.Errorf("%+v, s²=%g: %v, objective %.12g, want %.12g", tt, scale, result.Status, result.Objective,
					want.Objective)
			}
			y, of := m.Potentials(nil, x), dense.Potentials(nil, x)
			y.Sub(y, of)
			if off := mat.Norm(y, math.Inf(1)); !(off < 1e-4*mat.Norm(of, math.Inf(1))) {
				t.Errorf("%+v, s²=%g: potentials differ by %g", tt, scale, off)
			}
			a := mat.NewDense(tt.n, tt.classes, nil)
			a.Mul(x, m.Coefficients().T())
			for c, b := range m.Bias() {
				off := a.At(0, c) + b - m.Potentials(nil, x).At(0, c)
				if m.VectorCount() > 0 || m.NonZero()[c] != tt.d || !(math.Abs(off) < 1e-12*(1+mat.Norm(of, 2))) {
					t.Errorf("%+v, s²=%g: class %d: %d coefficients, off by %g", tt, scale, c, m.NonZero()[c], off)
				}
			}
		}
	}
}

// A linear model does not need memory for a Gram matrix, but its reductions do.
func TestLinearMemory(t *testing.T) {
	set := data.Blobs(3000, 3, 2, 1, 1)
	s, l := mpcvm.Samples{X: set.X, T: set.T}, gp.KernelPrior{Kernel: kernel.Linear{Offset: 2}, Scale: 1}
	defer memory.Pretend(8_000_000)() // a Gram matrix takes 72 MB
	if m, _, err := l.Fit(t.Context(), s); err != nil || m.WeightCount() > 9 {
		t.Errorf("%v, %v", m, err)
	}
	var refused *mpcvm.MemoryError
	if err := l.Path(t.Context(), s, []float64{1}, nil); !errors.As(err, &refused) {
		t.Errorf("reductions: %v", err)
	}
}

// Reduced linear models end with the coefficients of Fit, because fewer samples span the same functions.
func TestLinearPath(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 1)
	s, l := mpcvm.Samples{X: set.X, T: set.T}, gp.KernelPrior{Kernel: kernel.Linear{Offset: 2}, Scale: 1, Tol: 1e-7}
	full, _, err := l.Fit(t.Context(), s)
	must.OK(t, err)
	var models []*mpcvm.Model
	err = l.Path(t.Context(), s, []float64{1, 0.5}, func(m *mpcvm.Model) bool {
		models = append(models, m)
		return true
	})
	if err != nil || len(models) != 3 || !mat.EqualApprox(models[2].Coefficients(), full.Coefficients(), 1e-6) ||
		mat.Equal(models[0].Coefficients(), models[2].Coefficients()) {
		t.Errorf("%d models, %v", len(models), err)
	}
}
