package gp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
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
		kernel.Laplacian{Theta: 1}, kernel.Linear{Offset: 1}} {
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

// TestKernelPriorSlowTruth: EM, Y ← K(K + I/s²)⁻¹Z̄, converges to the same potentials.
func TestKernelPriorSlowTruth(t *testing.T) {
	watch.SkipUnderRace(t)
	x, labels := overlapping(2)
	k := kernel.RBF{Theta: 0.5}
	const scale = 4
	m, _ := must.Fit(t, gp.KernelPrior{Kernel: k, Scale: scale, Tol: 1e-6}, x, labels)
	gram := kernel.Gram(nil, k, x)
	ridged := mat.DenseCopyOf(gram)
	for n := range 40 {
		ridged.Set(n, n, ridged.At(n, n)+1.0/scale)
	}
	var smooth, y mat.Dense
	if err := smooth.Solve(ridged, gram); err != nil { // both are symmetric and commute
		t.Fatal(err)
	}
	y.CloneFrom(mat.NewDense(40, 3, nil))
	zbar := mat.NewDense(40, 3, nil)
	for range 3000 {
		for n, label := range labels {
			z, _ := probit.Means(nil, y.RawRowView(n), label)
			zbar.SetRow(n, z)
		}
		y.Mul(&smooth, zbar)
	}
	if got := m.Potentials(nil, x); !mat.EqualApprox(got, &y, 1e-4) {
		t.Errorf("potentials\n%.5f\nby EM\n%.5f", mat.Formatted(got), mat.Formatted(&y))
	}
}

// TestKernelPriorSigns: all N·C weights obey the classification principle, so none is deleted.
func TestKernelPriorSigns(t *testing.T) {
	glass := must.Load(t, "glass")
	x := data.FitStandardizer(glass.X).Apply(nil, glass.X)
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.3}, kernel.Laplacian{Theta: 0.3}} {
		m, r, err := gp.KernelPrior{Kernel: k}.Fit(t.Context(), mpcvm.Samples{X: x, T: glass.T})
		if err != nil || r.Status != mpcvm.Converged {
			t.Fatal(r.Status, err)
		}
		laws.CheckModel(t, "glass", m, x, glass.T)
		laws.CheckTrace(t, "glass", m, r)
		for c, n := range m.NonZero() {
			if n != glass.N() {
				t.Errorf("%v: class %d has %d weights of %d", k, c, n, glass.N())
			}
		}
	}
}

// TestKernelPriorBinary: with two classes, the model is the binary probit for f = (y₁ − y₀)/√2 with the same
// prior, which this test fits by Newton's method.
func TestKernelPriorBinary(t *testing.T) {
	set := data.Blobs(40, 2, 2, 0.8, 4)
	k := kernel.RBF{Theta: 0.4}
	const n, scale = 40, 10
	m, _ := must.Fit(t, gp.KernelPrior{Kernel: k, Scale: scale, Tol: 1e-6}, set.X, set.T)
	w := weightMatrix(m, n)
	gram := kernel.Gram(nil, k, set.X)
	// Maximise Σ log Ψ(±f) − fᵀK⁻¹f/2s²: f ← (I + s²KD)⁻¹ s²K(Df + g), with gradient g
	// and Hessian −D of the first sum.
	f := mat.NewVecDense(n, nil)
	for range 50 {
		a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			sign := float64(2*set.T[i] - 1)
			v := sign * f.AtVec(i)
			ratio := math.Exp(-v*v/2) / math.Sqrt(2*math.Pi) / (math.Erfc(-v/math.Sqrt2) / 2)
			d := ratio * (ratio + v)
			b.SetVec(i, d*f.AtVec(i)+sign*ratio)
			for j := range n {
				a.Set(j, i, scale*gram.At(j, i)*d)
			}
			a.Set(i, i, a.At(i, i)+1)
		}
		b.MulVec(gram, b)
		b.ScaleVec(scale, b)
		if err := f.SolveVec(a, b); err != nil {
			t.Fatal(err)
		}
	}
	y := m.Potentials(nil, set.X)
	for i := range n {
		if got := (y.At(i, 1) - y.At(i, 0)) / math.Sqrt2; math.Abs(got-f.AtVec(i)) > 1e-4 {
			t.Errorf("sample %d: f = %v, want %v", i, got, f.AtVec(i))
		}
		if a, b := w.At(i, 0), w.At(i, 1); math.Abs(a+b) > 1e-9 {
			t.Errorf("sample %d: weights %v and %v are not opposite", i, a, b)
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
}

// TestKernelPriorKeep: a reduction leaves the requested number of weights, or more if deleting them costs too
// much, and the remaining weights maximise F.
func TestKernelPriorKeep(t *testing.T) {
	x, labels := overlapping(5)
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.5}, kernel.Laplacian{Theta: 1}} {
		full, _ := must.Fit(t, gp.KernelPrior{Kernel: k}, x, labels)
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

// TestKernelPriorCores: the model has the same bits on one and on four cores, with and without a reduction.
func TestKernelPriorCores(t *testing.T) {
	set := must.Load(t, "glass")
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, keep := range []float64{0, 1} {
		var first []mpcvm.RelevanceVector
		for _, cores := range []int{1, 4, 4} {
			runtime.GOMAXPROCS(cores)
			m, _ := must.Fit(t, gp.KernelPrior{Kernel: kernel.RBF{Theta: 0.3}, Keep: keep}, x, set.T)
			if first == nil {
				first = m.RelevanceVectors()
			} else if !reflect.DeepEqual(first, m.RelevanceVectors()) {
				t.Errorf("keep %g: another model on %d cores", keep, cores)
			}
		}
	}
}

// TestKernelPriorFloat32: with the kernel in float32, potentials and weights are nearly the same as in
// float64, for dense and reduced models, and F rises.
func TestKernelPriorFloat32(t *testing.T) {
	x, labels := overlapping(3)
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.5}, kernel.RBF{Theta: 0.01},
		kernel.Laplacian{Theta: 1}} {
		for _, keep := range []float64{0, 1} {
			l := gp.KernelPrior{Kernel: k, Keep: keep, Tol: 1e-4}
			wide, _ := must.Fit(t, l, x, labels)
			l.Float32 = true
			m, r, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
			// If K is singular in float32, a reduction takes many iterations.
			if err != nil || r.Status != mpcvm.Converged && keep == 0 {
				t.Fatalf("%v: %v, %v", k, r.Status, err)
			}
			about := fmt.Sprintf("%v, keep %g", k, keep)
			laws.CheckModel(t, about, m, x, labels)
			if keep > 0 {
				continue // other weights may be deleted
			}
			laws.CheckTrace(t, about, m, r)
			y, from := m.Potentials(nil, x), wide.Potentials(nil, x)
			if tol := 2e-3 * mat.Max(from); !mat.EqualApprox(y, from, tol) {
				t.Errorf("%s: potentials differ from float64 by more than %g", about, tol)
			}
		}
	}
}

// TestKernelPriorCancelledCut: the context ends during the fit after a reduction.
func TestKernelPriorCancelledCut(t *testing.T) {
	set := data.Blobs(200, 4, 3, 1, 9)
	running, cancel := context.WithCancel(t.Context())
	defer cancel()
	after := 0
	m, r, err := gp.KernelPrior{Kernel: kernel.RBF{Theta: 0.5}, Keep: 1}.Fit(running,
		mpcvm.Samples{X: set.X, T: set.T}, func(s *mpcvm.Step) {
			if running.Err() != nil {
				after++
			}
			if s.Deleted != nil {
				cancel()
			}
		})
	if !errors.Is(err, context.Canceled) || r.Status != mpcvm.Cancelled || m == nil {
		t.Fatalf("%v, %v", r.Status, err)
	}
	if after > 0 {
		t.Errorf("%d iterations after the end of the context", after)
	}
	laws.CheckModel(t, "cancelled", m, set.X, set.T)
	// LogLik may include a few weights of the wrong sign, which the model omits.
	if loss, _ := score.LogLoss(m.Proba(nil, set.X), set.T); math.Abs(loss+r.LogLik/200) > 1e-2 {
		t.Errorf("log likelihood %g, log loss %g", r.LogLik, loss)
	}
}

// TestKernelPriorChoice: Theta and the temperature are chosen as for other learners.
func TestKernelPriorChoice(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Spirals(90, 3, 0.03, 3)
	for _, k := range []kernel.Kernel{nil, kernel.Laplacian{}} {
		l := search.Calibrated{Learner: search.Width{Learner: gp.KernelPrior{}, Kernel: k}}
		m, r := must.Fit(t, l, set.X, set.T)
		best := slices.MinFunc(r.Trials,
			func(a, b mpcvm.Trial) int { return int(math.Copysign(1, a.LogLoss-b.LogLoss)) })
		if len(r.Trials) < 5 || best.Kernel != m.Kernel() || m.Temperature() == 1 {
			t.Errorf("%v, T = %g after %v", m.Kernel(), m.Temperature(), r.Trials)
		}
		if e := score.ErrorRate(m.Predict(nil, set.X), set.T); e > 0.05 {
			t.Errorf("%v: training error %g", m.Kernel(), e)
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
		fmt.Printf("errors: %.1f %%\n", 100*score.ErrorRate(model.Predict(nil, test.X), test.T))
	}
	// Output:
	// converged
	// weights per class: [150 150 150]
	// errors: 3.8 %
	// converged
	// weights per class: [32 39 36]
	// errors: 3.8 %
}
