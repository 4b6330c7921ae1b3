package mrvm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

var bg = context.Background()

type learner interface {
	Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mrvm.Model, mpcvm.Result, error)
}

func learners(k kernel.Kernel) map[string]learner {
	return map[string]learner{
		"BottomUp":   mrvm.BottomUp{Kernel: k},
		"one action": mrvm.BottomUp{Kernel: k, Actions: 1},
		"TopDown":    mrvm.TopDown{Kernel: k},
	}
}

// TestLaws: on random problems with any width, the objective does not fall, and the trace agrees with the
// model.
func TestLaws(t *testing.T) {
	watch.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(11, 0))
	for range 40 {
		c, d := 2+rng.IntN(5), 1+rng.IntN(4)
		set := data.Blobs(c+rng.IntN(60), c, d, []float64{0.3, 1, 3}[rng.IntN(3)], rng.Uint64())
		if rng.IntN(3) == 0 { // repeated samples, most with a different label
			for i := 1; i < set.N(); i += 2 {
				set.X.SetRow(i, slices.Clone(set.X.RawRowView(i-1)))
			}
		}
		theta := math.Pow(10, 6*rng.Float64()-3)
		for name, l := range learners(kernel.RBF{Theta: theta}) {
			m, r := laws.Fit(t, l, set.X, set.T)
			for i, s := range r.Trace {
				if i > 0 && s.Objective < r.Trace[i-1].Objective-1e-8*max(1, math.Abs(s.Objective)) {
					t.Errorf("%s, θ = %g: objective %v, then %v", name, theta, r.Trace[i-1].Objective, s.Objective)
				}
				for _, b := range append(slices.Clone(s.Added), s.Deleted...) {
					if b.Class != -1 || b.Sample < 0 || b.Sample >= set.N() {
						t.Fatalf("%s: basis %v", name, b)
					}
				}
			}
			vectors, weights := m.VectorCount(), m.WeightCount()
			if end := r.Trace[len(r.Trace)-1]; end.Weights[0] != vectors || weights != c*vectors ||
				len(m.RelevanceVectors()) != vectors {
				t.Errorf("%s: %d vectors, %d weights, the trace says %v", name, vectors, weights, end.Weights)
			}
			if (r.Status == mpcvm.Collapsed) != (vectors == 0) {
				t.Errorf("%s: %v with %d vectors", name, r.Status, vectors)
			}
			loss := must.Get(score.LogLoss(m.Proba(nil, set.X), set.T))(t)
			if got := -r.LogLik / float64(set.N()); math.Abs(got-loss) > 1e-6*(1+loss) {
				t.Errorf("%s, θ = %g: log likelihood %g, log loss %g", name, theta, got, loss)
			}
		}
	}
}

// TestRelevanceVectors: they are the training samples with their Index, and reproduce the potentials.
func TestRelevanceVectors(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 2)
	for name, l := range learners(kernel.RBF{Theta: 0.5}) {
		m, _ := laws.Fit(t, l, set.X, set.T)
		last := -1
		y := make([]float64, 3)
		for _, v := range m.RelevanceVectors() {
			if v.Index <= last || set.T[v.Index] != v.Label || !slices.Equal(v.X, set.X.RawRowView(v.Index)) ||
				!slices.Equal(v.Raw, v.X) {
				t.Fatalf("%s: %+v is not the sample with its index", name, v)
			}
			last = v.Index
			for c, w := range v.Weights {
				y[c] += w * m.Kernel().Value(set.X.RawRowView(7), v.X)
			}
		}
		for c, v := range m.Potentials(nil, set.X).RawRowView(7) {
			if math.Abs(v-y[c]) > 1e-12 {
				t.Errorf("%s: potential %v of class %d, want %v", name, v, c, y[c])
			}
		}
	}
}

// TestCollapse: with a kernel that carries no information, the model predicts the class frequencies.
func TestCollapse(t *testing.T) {
	x, labels := mat.NewDense(50, 2, nil), make([]int, 50)
	for i := range 10 {
		labels[i] = 1
	}
	for name, l := range learners(kernel.Linear{}) { // all values zero
		m, r := laws.Fit(t, l, x, labels)
		if v := m.VectorCount(); v != 0 || r.Status != mpcvm.Collapsed {
			t.Errorf("%s: %v with %d vectors", name, r.Status, v)
		}
		if p := m.Proba(nil, x).At(3, 1); math.Abs(p-0.2) > 1e-12 {
			t.Errorf("%s: probability %v of a class with a fifth of the samples", name, p)
		}
		if m.Predict(nil, x)[0] != 0 {
			t.Errorf("%s: predicted the smaller class", name)
		}
	}
}

// TestWideKernel: with a wide kernel, the learners separate two clusters that differ little.
func TestWideKernel(t *testing.T) {
	set := data.Blobs(60, 2, 2, 0.3, 0)
	for name, l := range learners(kernel.RBF{Theta: 0.05}) {
		m, r := laws.Fit(t, l, set.X, set.T)
		if e := must.Get(score.ErrorRate(m.Predict(nil, set.X), set.T))(t); e > 0.02 {
			t.Errorf("%s: %v with training error %v", name, r.Status, e)
		}
	}
}

// TestWidths: a kernel with zero width gets a width. Features whose distances overflow are an error.
func TestWidths(t *testing.T) {
	set := data.Blobs(40, 3, 2, 0.5, 4)
	for _, k := range []kernel.Kernel{nil, kernel.RBF{}, kernel.Laplacian{}} {
		for name, l := range learners(k) {
			m, _ := laws.Fit(t, l, set.X, set.T)
			if kernel.Validate(m.Kernel()) != nil {
				t.Errorf("%s: kernel %v", name, m.Kernel())
			}
			if e := must.Get(score.ErrorRate(m.Predict(nil, set.X), set.T))(t); e > 0.1 {
				t.Errorf("%s, %v: training error %v", name, m.Kernel(), e)
			}
			for _, scale := range []float64{1e-200, 1e200} {
				var x mat.Dense
				x.Scale(scale, set.X)
				var bad *mpcvm.CellError
				if m, _, err := l.Fit(bg, mpcvm.Samples{X: &x, T: set.T}); err != nil && !errors.As(err, &bad) ||
					m != nil && k == nil && scale > 1 {
					t.Errorf("%s, scale %g: %v", name, scale, err)
				}
			}
		}
	}
}

func TestOptions(t *testing.T) {
	set := data.Blobs(30, 3, 2, 2, 1)
	for about, l := range map[string]learner{
		"Actions": mrvm.BottomUp{Actions: -1}, "first Z": mrvm.BottomUp{Start: -1}, "Tol": mrvm.BottomUp{
			Tol: math.NaN()}, "Iterations": mrvm.BottomUp{MaxIterations: -1},
		"Tau": mrvm.TopDown{Tau: -1}, "Upsilon": mrvm.TopDown{Upsilon: math.NaN()}, "Prune": mrvm.TopDown{
			Prune: -1}, "Start": mrvm.TopDown{Start: -1},
	} {
		must.Panic(t, about, func() { _, _, _ = l.Fit(bg, mpcvm.Samples{X: set.X, T: set.T}) })
	}
	for name, l := range map[string]learner{
		"BottomUp": mrvm.BottomUp{Tol: -1, MaxIterations: 7}, "TopDown": mrvm.TopDown{Tol: -1, MaxIterations: 7},
	} {
		if _, r, err := l.Fit(bg, mpcvm.Samples{X: set.X, T: set.T}); err != nil ||
			r.Status != mpcvm.IterationLimit || r.Iterations != 7 {
			t.Errorf("%s: %v after %d iterations, %v", name, r.Status, r.Iterations, err)
		}
	}
}
