package gp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// saved returns the model file of a model.
func saved(t *testing.T, m *mpcvm.Model) string {
	t.Helper()
	if m == nil {
		return "none"
	}
	var b bytes.Buffer
	must.OK(t, m.Save(&b))
	return b.String()
}

// TestCandidatesAll: with as many candidates as samples, or with AllCandidates, the model has the same bits
// as without candidates.
func TestCandidatesAll(t *testing.T) {
	set := data.NewMixture(3, 2, 2, 0.6, 1).Set(120, 1)
	for _, l := range []gp.KernelPrior{{}, {Keep: 1}, {Float32: true}} {
		l.Kernel = kernel.RBF{Theta: 0.5}
		var first string
		for _, k := range []int{0, 120, mpcvm.AllCandidates} {
			l.Candidates = k
			m, r, err := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
			if err != nil || r.Candidates != 0 {
				t.Fatal(err, r.Candidates)
			}
			if text := saved(t, m); first == "" {
				first = text
			} else if text != first {
				t.Errorf("%+v: another model", l)
			}
		}
	}
}

// TestCandidatesOptimum: only candidates have weights, and these have the right sign. The remaining weights
// maximise F, so the gradient vanishes. F falls only when weights are deleted. The model has the same bits on
// any number of cores.
func TestCandidatesOptimum(t *testing.T) {
	watch.SkipUnderRace(t)
	const n, c, scale = 600, 3, 10.
	set := data.NewMixture(c, 2, 2, 0.6, 1).Set(n, 1)
	tr := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, kern := range []kernel.Kernel{kernel.RBF{Theta: 0.5}, kernel.RBF{Theta: 0.05},
		kernel.Laplacian{Theta: 1}, kernel.Polynomial{Degree: 1, Scale: 1, Offset: 1}} {
		for _, l := range []gp.KernelPrior{{Candidates: 70}, {Candidates: 70, Keep: 0.1},
			{Candidates: 70, Float32: true}, {Candidates: 90, Seed: 3}} {
			if _, ok := kern.(kernel.Polynomial); ok && l.Float32 {
				continue // the kernel matrix has rank 3, and its rounding errors are as large as the other eigenvalues
			}
			l.Kernel, l.Scale, l.Tol, l.MaxIterations = kern, scale, 1e-11, 5000
			about := fmt.Sprintf("%v, %d candidates, keep %g, float32 %v", kern, l.Candidates, l.Keep, l.Float32)
			runtime.GOMAXPROCS(1)
			m, r, err := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
			if err != nil || r.Status != mpcvm.Converged || r.Candidates != l.Candidates {
				t.Fatalf("%s: %v, %v, %d candidates", about, r.Status, err, r.Candidates)
			}
			laws.CheckModel(t, about, m, set.X, set.T)
			allowed := tr.Cover(l.Candidates, l.Seed)
			w, deleted := weightMatrix(m, n), 0
			for _, v := range m.RelevanceVectors() {
				if !slices.Contains(allowed, v.Index) {
					t.Errorf("%s: sample %d is not a candidate", about, v.Index)
				}
			}
			for i, s := range r.Trace {
				deleted += len(s.Deleted) - len(s.Added)
				if i > 0 && s.Deleted == nil && s.Objective < r.Trace[i-1].Objective-1e-8*math.Abs(s.Objective) {
					t.Errorf("%s: F falls from %v to %v", about, r.Trace[i-1].Objective, s.Objective)
				}
			}
			if got := m.WeightCount() + deleted; got != c*l.Candidates {
				t.Errorf("%s: %d weights and %d deleted", about, m.WeightCount(), deleted)
			}
			gram := kernel.Gram(nil, kern, set.X)
			rel := 1e-6
			if l.Float32 {
				rel = 1e-4
			}
			if f := posterior(gram, w, set.T, scale); math.Abs(f-r.Objective) > rel*math.Abs(f) {
				t.Errorf("%s: F = %v, Objective is %v", about, f, r.Objective)
			}
			var of, y mat.Dense
			of.Mul(gram, fixedPoint(gram, w, set.T, scale))
			y.Mul(gram, w)
			largest := max(mat.Max(&y), -mat.Min(&y))
			for i := range n {
				for k := range c {
					if g := math.Abs(of.At(i, k) - y.At(i, k)); w.At(i, k) != 0 && g > 1e3*rel*largest {
						t.Errorf("%s: weight %d, %d: KR − KW = %g of %g", about, i, k, g, largest)
					}
				}
			}
			runtime.GOMAXPROCS(3)
			if again, _, _ := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T}); saved(t, again) != saved(t, m) {
				t.Errorf("%s: another model on three cores", about)
			}
		}
	}
}

// TestCandidatesCancelled: wherever the context ends during a fit, Fit returns the model of the last
// iteration.
func TestCandidatesCancelled(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.NewMixture(3, 2, 2, 0.6, 1).Set(3000, 1)
	for _, keep := range []float64{0, 0.01} {
		l := gp.KernelPrior{Kernel: kernel.RBF{Theta: 1}, Candidates: 40, Keep: keep, Scale: 10, Tol: 1e-2}
		within := 0
		for after := 1; ; after = after*9/8 + 1 {
			ctx := watch.NewCountdown(t.Context(), after)
			last := "none"
			m, r, err := l.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T},
				func(s *mpcvm.Step) { last = saved(t, s.Model()) })
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || r.Status != mpcvm.Cancelled {
				t.Fatalf("after %d checks: %v, %v", after, r.Status, err)
			}
			if saved(t, m) != last {
				t.Errorf("after %d checks, %d iterations: not the last model", after, r.Iterations)
			}
			if r.Iterations > 0 {
				within++
			}
		}
		if within < 3 {
			t.Errorf("only %d fits ended after an iteration", within)
		}
	}
}
