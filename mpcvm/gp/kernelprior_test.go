package gp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// weightMatrix returns the weights (N×C) of a model of n samples.
func weightMatrix(m *mpcvm.Model, n int) *mat.Dense {
	w := mat.NewDense(n, m.Classes(), nil)
	for _, v := range m.RelevanceVectors() {
		w.SetRow(v.Index, v.Weights)
	}
	return w
}

// posterior returns F for weights (N×C) and s², from its definition.
func posterior(k, w *mat.Dense, t []int, scale float64) float64 {
	var y, square mat.Dense
	y.Mul(k, w)
	square.Mul(w.T(), &y)
	f := -mat.Trace(&square) / (2 * scale)
	for n, label := range t {
		f += probit.LogProb(y.RawRowView(n), label)
	}
	return f
}

// fixedPoint returns s²(Z̄ − KW).
func fixedPoint(k, w *mat.Dense, t []int, scale float64) *mat.Dense {
	var y, r mat.Dense
	y.Mul(k, w)
	r.CloneFrom(&y)
	for n, label := range t {
		zbar, _ := probit.Means(nil, y.RawRowView(n), label)
		r.SetRow(n, zbar)
	}
	r.Sub(&r, &y)
	r.Scale(scale, &r)
	return &r
}

// overlapping returns a small problem with classes of different sizes, in which some samples occur twice,
// with the same or another label.
func overlapping(seed uint64) (x *mat.Dense, t []int) {
	set := data.Blobs(40, 3, 2, 0.8, seed)
	x, t = mat.DenseCopyOf(set.X), slices.Clone(set.T)
	for _, i := range []int{3, 8, 9} {
		x.SetRow(i+10, slices.Clone(x.RawRowView(i)))
	}
	t[13], t[18] = t[3], (t[8]+1)%3
	t[20], t[21], t[22] = 0, 0, 0
	return x, t
}

// TestKernelPriorOptimum: at the end, W = s²(Z̄ − KW), finite differences of F vanish in every weight, and F
// is lower at nearby weights, also if the kernel matrix is singular.
func TestKernelPriorOptimum(t *testing.T) {
	x, labels := overlapping(1)
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.5}, kernel.RBF{Theta: 0.01},
		kernel.Laplacian{Theta: 1}, kernel.Polynomial{Degree: 1, Scale: 1, Offset: 1}} {
		for _, scale := range []float64{1, 100} {
			m, r, err := gp.KernelPrior{Kernel: k, Scale: scale, Tol: -1}.Fit(t.Context(),
				mpcvm.Samples{X: x, T: labels})
			if err != nil || r.Status != mpcvm.Converged {
				t.Fatalf("%v, s² = %g: %v, %v", k, scale, r.Status, err)
			}
			about := fmt.Sprintf("%v, s² = %g", k, scale)
			laws.CheckModel(t, about, m, x, labels)
			laws.CheckTrace(t, about, m, r)
			gram, w := kernel.Gram(nil, k, x), weightMatrix(m, 40)
			f := posterior(gram, w, labels, scale)
			if math.Abs(f-r.Objective) > 1e-7*math.Abs(f) {
				t.Errorf("%s: F = %v, Objective is %v", about, f, r.Objective)
			}
			var of, from mat.Dense
			of.Mul(gram, fixedPoint(gram, w, labels, scale))
			from.Mul(gram, w)
			if tol := 1e-4 * mat.Max(&from); !mat.EqualApprox(&of, &from, tol) {
				t.Errorf("%s: KR and KW differ by more than %g", about, tol)
			}
			rng := rand.New(rand.NewPCG(3, 3))
			const h = 1e-4
			for n := range 40 {
				for c := range 3 {
					v := w.At(n, c)
					w.Set(n, c, v+h)
					up := posterior(gram, w, labels, scale)
					w.Set(n, c, v-h)
					down := posterior(gram, w, labels, scale)
					w.Set(n, c, v)
					if g := (up - down) / (2 * h); math.Abs(g) > 1e-4 {
						t.Errorf("%s: slope %g of weight %d, %d", about, g, n, c)
					}
				}
			}
			for range 20 {
				other := mat.DenseCopyOf(w)
				size := math.Pow(10, -2*rng.Float64())
				other.Apply(func(_, _ int, v float64) float64 { return v + size*rng.NormFloat64() }, other)
				if g := posterior(gram, other, labels, scale); g > f+1e-9*math.Abs(f) {
					t.Errorf("%s: F = %v, %v nearby", about, f, g)
				}
			}
		}
	}
}

// TestKernelPriorKeepLimited: if MaxIterations interrupts a reduction, the model is not worse than the fully
// reduced one, because the weights of the unfinished step are not used.
func TestKernelPriorKeepLimited(t *testing.T) {
	x, labels := overlapping(5)
	l := gp.KernelPrior{Kernel: kernel.RBF{Theta: 0.5}, Keep: 0.2}
	_, full, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
	if err != nil || full.Status != mpcvm.Converged {
		t.Fatal(full.Status, err)
	}
	first := slices.IndexFunc(full.Trace, func(s mpcvm.Step) bool { return s.Deleted != nil })
	for l.MaxIterations = first + 1; l.MaxIterations < full.Iterations; l.MaxIterations++ {
		m, r, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
		if err != nil || r.Status != mpcvm.IterationLimit ||
			r.Objective < full.Objective-1e-5*math.Abs(full.Objective) {
			t.Errorf("%d iterations: %v, F = %v, and %v for the whole fit (%v)", l.MaxIterations, r.Status,
				r.Objective, full.Objective, err)
		}
		laws.CheckModel(t, fmt.Sprint(l.MaxIterations, " iterations"), m, x, labels)
	}
	set := data.Blobs(1100, 2, 2, 2, 1) // with more than 1000 samples, steps are rough
	l = gp.KernelPrior{Kernel: kernel.RBF{Theta: 0.5}, Keep: 0.5, Tol: 0.1, Float32: true}
	if _, full, err = l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T}); err != nil {
		t.Fatal(err)
	}
	l.MaxIterations = 1 + slices.IndexFunc(full.Trace, func(s mpcvm.Step) bool { return s.Deleted != nil })
	if m, r, err := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T}); err != nil ||
		r.Status != mpcvm.IterationLimit || m.WeightCount() < 2000 {
		t.Errorf("%d weights, %v (%v)", m.WeightCount(), r.Status, err)
	}
}

// TestKernelPriorKeep: a reduction leaves the requested number of weights, or more if deleting them costs too
// much, and the remaining weights maximise F.
func TestKernelPriorKeep(t *testing.T) {
	x, labels := overlapping(5)
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.5}, kernel.Laplacian{Theta: 1}} {
		full, _ := laws.Fit(t, gp.KernelPrior{Kernel: k}, x, labels)
		all, _, err := gp.KernelPrior{Kernel: k, Keep: 3}.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
		if err != nil || !reflect.DeepEqual(all.RelevanceVectors(), full.RelevanceVectors()) {
			t.Errorf("%v: keeping all weights gives another model than the dense one (%v)", k, err)
		}
		for _, keep := range []float64{0.01, 0.5, 1, 2} {
			about := fmt.Sprintf("%v, keep %g", k, keep)
			m, r, err := gp.KernelPrior{Kernel: k, Keep: keep}.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
			if err != nil || r.Status != mpcvm.Converged {
				t.Fatalf("%s: %v, %v", about, r.Status, err)
			}
			laws.CheckModel(t, about, m, x, labels)
			w, total := weightMatrix(m, 40), 0
			for _, n := range m.NonZero() {
				total += n
			}
			if most := max(3, int(math.Round(40*keep))); total > most && keep >= 0.5 || total < most/2 {
				t.Errorf("%s: %d weights", about, total)
			}
			// F falls only when weights are deleted.
			deleted := 0
			for i, s := range r.Trace {
				if i > 0 && s.Deleted == nil && s.Objective < r.Trace[i-1].Objective-1e-8*math.Abs(s.Objective) {
					t.Errorf("%s: objective fell from %v to %v at iteration %d", about, r.Trace[i-1].Objective, s.Objective,
						s.Iteration)
				}
				deleted += len(s.Deleted) - len(s.Added)
			}
			if total+deleted != 120 {
				t.Errorf("%s: %d weights and %d deleted of 120", about, total, deleted)
			}
			gram := kernel.Gram(nil, k, x)
			f := posterior(gram, w, labels, 100)
			if math.Abs(f-r.Objective) > 1e-7*math.Abs(f) {
				t.Errorf("%s: F = %v, Objective is %v", about, f, r.Objective)
			}
			var of, from mat.Dense
			of.Mul(gram, fixedPoint(gram, w, labels, 100))
			from.Mul(gram, w)
			largest := max(mat.Max(&from), -mat.Min(&from))
			for n := range 40 {
				for c := range 3 {
					// The gradient in a kept weight vanishes; after a projection it may be a few times
					// larger.
					if d := math.Abs(of.At(n, c) - from.At(n, c)); w.At(n, c) != 0 && d > 1e-2*largest {
						t.Errorf("%s: weight %d, %d: KR − KW = %g", about, n, c, d)
					}
				}
			}
		}
	}
}

// TestIndefinite: a kernel that is not positive definite is an error for dense and reduced models, with
// candidates, in float32 and in LeaveOneOut.
func TestIndefinite(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 1)
	for name, f := range map[string]func(x, y []float64) float64{
		"negative": func(x, y []float64) float64 { return -floats.Dot(x, y) },
		"distance": func(x, y []float64) float64 { return floats.Distance(x, y, 2) },
	} {
		k := kernel.Func{Name: name, F: f}
		for _, l := range []gp.KernelPrior{
			{}, {Float32: true}, {Keep: 1}, {Keep: 0.1}, {Candidates: 20}, {Candidates: 20,
				Float32: true}, {Candidates: 20, Keep: 0.5},
		} {
			l.Kernel = k
			m, _, err := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
			var bad *mpcvm.CellError
			if m != nil || !errors.As(err, &bad) || !strings.Contains(err.Error(), "not positive definite") {
				t.Errorf("%+v: error %v", l, err)
			}
			bad = nil
			err = l.Path(t.Context(), mpcvm.Samples{X: set.X, T: set.T}, []float64{1, 0.5},
				func(*mpcvm.Model) bool { return true })
			if !errors.As(err, &bad) {
				t.Errorf("%+v: path: error %v", l, err)
			}
		}
		var bad *mpcvm.CellError
		if _, err := (gp.KernelPrior{Kernel: k}).LeaveOneOut(t.Context(),
			mpcvm.Samples{X: set.X, T: set.T}); !errors.As(err, &bad) {
			t.Errorf("%s: LeaveOneOut: error %v", name, err)
		}
	}
	// This matrix has ones on the diagonal and larger values next to it. The error is found when a reduction
	// factors it.
	k := kernel.Func{Name: "mixed", F: func(x, y []float64) float64 { return 1 + 3*floats.Distance(x, y, 1) }}
	for _, l := range []gp.KernelPrior{{}, {Keep: 0.5}, {Candidates: 20}, {Candidates: 20, Keep: 0.1}} {
		l.Kernel = k
		if _, _, err := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T}); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
}

// On three noisy spirals, the dense model has a weight for each sample and class. With Keep 1, fewer than
// one weight per sample remain, and the error rate is the same.
func ExampleKernelPrior() {
	train, test := data.Spirals(150, 3, 0.05, 1), data.Spirals(600, 3, 0.05, 2)
	for _, keep := range []float64{0, 1} {
		l := gp.KernelPrior{Kernel: kernel.RBF{Theta: 4}, Keep: keep}
		model, result, err := l.Fit(context.Background(), mpcvm.Samples{X: train.X, T: train.T})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(result.Status)
		fmt.Println("weights per class:", model.NonZero())
		wrong, err := score.ErrorRate(model.Predict(nil, test.X), test.T)
		fmt.Printf("errors: %.1f %%, %v\n", 100*wrong, err)
	}
	// Output:
	// converged
	// weights per class: [150 150 150]
	// errors: 3.8 %, <nil>
	// converged
	// weights per class: [32 39 36]
	// errors: 3.8 %, <nil>
}
