package svm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

var bg = context.Background()

// fit fits an SVM.
func fit(tb testing.TB, l svm.SVM, x mat.Matrix, t []int) (*svm.Model, mpcvm.Result) {
	tb.Helper()
	return laws.Fit(tb, l, x, t)
}

// checkModel checks the laws that apply to every model.
func checkModel(t *testing.T, about string, m *svm.Model, x *mat.Dense) {
	t.Helper()
	n, _ := x.Dims()
	p, f, labels := m.Proba(nil, x), m.Decision(nil, x), m.Predict(nil, x)
	for i := range n {
		row := p.RawRowView(i)
		if math.Abs(floats.Sum(row)-1) > 1e-12 || floats.HasNaN(row) || floats.Min(row) < 0 {
			t.Fatalf("%s: row %d has probabilities %v", about, i, row)
		}
		votes := make([]float64, m.Classes())
		for k, pair := range m.Pairs() {
			if f.At(i, k) >= 0 {
				votes[pair[0]]++
			} else {
				votes[pair[1]]++
			}
		}
		if labels[i] != floats.MaxIdx(votes) {
			t.Fatalf("%s: row %d: label %d, votes %v", about, i, labels[i], votes)
		}
		if floats.Scale(1/float64(len(m.Pairs())), votes); !m.Calibrated() && !floats.EqualApprox(row, votes,
			1e-15) {
			t.Fatalf("%s: row %d: %v are not the shares of the votes %v", about, i, row, votes)
		}
	}
	vectors, weights := m.VectorCount(), m.WeightCount()
	if vectors != len(m.Support()) || vectors > n || weights < vectors || weights > vectors*(m.Classes()-1) {
		t.Errorf("%s: %d vectors, %d weights, support %v", about, vectors, weights, m.Support())
	}
}

// TestLaws checks the laws on random problems of all kinds.
func TestLaws(t *testing.T) {
	watch.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(7, 7))
	for trial := range 80 {
		c, d := 2+rng.IntN(6), 1+rng.IntN(4)
		n := max(3+rng.IntN(60), c)
		x, labels := mat.NewDense(n, d, nil), make([]int, n)
		spread := []float64{0, 1, 5}[rng.IntN(3)]
		tiny := rng.IntN(3) == 0 // all classes except the first have one or a few samples
		for i := range n {
			labels[i] = i % c
			if i >= c && (tiny && rng.IntN(8) > 0) {
				labels[i] = 0
			}
			for j := range d {
				x.Set(i, j, rng.NormFloat64()+spread*float64((labels[i]*(j+3))%c))
			}
			if i%2 == 1 && trial%4 == 0 { // repeated, with a different label
				x.SetRow(i, x.RawRowView(i-1))
			}
		}
		l := svm.SVM{C: math.Pow(10, 6*rng.Float64()-3), NoProbability: rng.IntN(2) == 0,
			CacheMiB: []float64{0, 1e-9}[rng.IntN(2)]}
		if rng.IntN(3) > 0 {
			l.Kernel = kernel.RBF{Theta: math.Pow(10, 6*rng.Float64()-4)}
		}
		about := fmt.Sprintf("N %d, C %d, D %d, spread %v, tiny %v: %+v", n, c, d, spread, tiny, l)
		m, r := fit(t, l, x, labels)
		checkModel(t, about, m, x)
		if r.Status != mpcvm.Converged || r.Iterations != len(r.Trace) || r.Iterations == 0 ||
			m.Calibrated() == l.NoProbability {
			t.Errorf("%s: %v after %d iterations", about, r.Status, r.Iterations)
		}
		last := r.Trace[len(r.Trace)-1]
		if weights := m.WeightCount(); last.Change > 1e-3 || last.NonZero() != weights ||
			last.Objective != r.Objective {
			t.Errorf("%s: last step %+v", about, last)
		}
	}
}

// TestCoefficients: the decision values are sums over the coefficients.
func TestCoefficients(t *testing.T) {
	set := data.Blobs(90, 3, 2, 1, 1)
	l := svm.SVM{Kernel: kernel.RBF{Theta: 0.5}, C: 2, NoProbability: true}
	m, _ := fit(t, l, set.X, set.T)
	f, b, k := m.Decision(nil, set.X), m.Bias(), kernel.Gram(nil, l.Kernel, set.X)
	count := 0
	for p, pair := range m.Pairs() {
		beta := m.Coefficients(p)
		count += len(beta)
		for i, v := range beta {
			if side := set.T[i]; v == 0 || (v > 0) != (side == pair[0]) || (side != pair[0] && side != pair[1]) ||
				math.Abs(v) > l.C {
				t.Errorf("pair %v: sample %d of class %d has the coefficient %v", pair, i, side, v)
			}
		}
		for n := range set.T {
			sum := b[p]
			for i, v := range beta {
				sum += v * k.At(n, i)
			}
			if math.Abs(sum-f.At(n, p)) > 1e-9 {
				t.Fatalf("pair %v, sample %d: decision value %v, sum %v", pair, n, f.At(n, p), sum)
			}
		}
	}
	must.Equal(t, count, m.WeightCount())
}

// TestTrace: large problems are solved in several iterations, and D never falls.
func TestTrace(t *testing.T) {
	set := data.Blobs(900, 2, 2, 1.5, 1)
	last := 0.0
	_, r, err := svm.SVM{C: 200, Kernel: kernel.RBF{Theta: 0.1}, NoProbability: true}.Fit(bg,
		mpcvm.Samples{X: set.X, T: set.T}, func(s *mpcvm.Step) {
			if s.Objective < last || s.Change < 0 {
				t.Errorf("iteration %d: D %v after %v, violation %v", s.Iteration, s.Objective, last, s.Change)
			}
			last = s.Objective
		})
	if err != nil || r.Iterations < 2 || r.Status != mpcvm.Converged {
		t.Errorf("%v after %d iterations, %v", r.Status, r.Iterations, err)
	}
}

// TestDeterminism: one core and eight cores give the same bits.
func TestDeterminism(t *testing.T) {
	set := data.Blobs(150, 5, 3, 1.5, 6)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, cacheMiB := range []float64{0, 0.01} {
		var first *mat.Dense
		var firstTrials []svm.Setting
		for _, cores := range []int{1, 8, 8} {
			runtime.GOMAXPROCS(cores)
			m, _ := fit(t, svm.SVM{CacheMiB: cacheMiB, Seed: 4}, set.X, set.T)
			_, trials, err := svm.SVM{CacheMiB: cacheMiB}.Tune(bg, mpcvm.Samples{X: set.X, T: set.T},
				svm.Grid{C: []float64{1, 10}, Theta: []float64{0.1, 1}})
			must.OK(t, err)
			p := m.Proba(nil, set.X)
			if first == nil {
				first, firstTrials = p, trials
			}
			if !mat.Equal(first, p) || !reflect.DeepEqual(firstTrials, trials) {
				t.Errorf("a different model on %d cores", cores)
			}
		}
	}
}

func TestClassWeights(t *testing.T) {
	set := data.Blobs(200, 2, 2, 2, 7)
	recall := func(w float64) int {
		m, _ := fit(t, svm.SVM{ClassWeights: []float64{w, 1}, NoProbability: true}, set.X, set.T)
		n := 0
		for i, c := range m.Predict(nil, set.X) {
			if set.T[i] == 0 && c == 0 {
				n++
			}
		}
		return n
	}
	if a, b, c := recall(0.05), recall(1), recall(20); !(a < b && b < c) {
		t.Errorf("class 0 is predicted %d, %d and %d times with increasing weight", a, b, c)
	}
}

// TestSmallClasses: pairs with fewer samples than folds have probabilities.
func TestSmallClasses(t *testing.T) {
	x := mat.NewDense(16, 1, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 5, 5.1, 10, 20, 20.1,
		20.2})
	labels := []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 3}
	m, _ := fit(t, svm.SVM{Kernel: kernel.RBF{Theta: 0.1}, C: 10}, x, labels)
	checkModel(t, "small classes", m, x)
	if got := m.Predict(nil, x); !slices.Equal(got, labels) {
		t.Errorf("labels %v", got)
	}
	p := m.Proba(nil, x)
	for i, c := range labels {
		if floats.MaxIdx(p.RawRowView(i)) != c {
			t.Errorf("row %d of class %d: %v", i, c, p.RawRowView(i))
		}
	}
	m, _ = fit(t, svm.SVM{}, mat.NewDense(2, 1, []float64{-1, 1}), []int{0, 1}) // one sample per class
	if f := m.Decision(nil, mat.NewDense(3, 1, []float64{-1, 0, 1})).RawMatrix().Data; math.Abs(f[1]) > 1e-12 ||
		math.Abs(f[0]+f[2]) > 1e-12 || !(f[0] > 0) {
		t.Errorf("decision values %v", f)
	}
}

// TestErrors: Fit and Tune return errors that name the row, also for kernels with values that are not finite.
func TestErrors(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{0, 1, 2, 3, 4, 5, 6, 7})
	for name, tt := range map[string]struct {
		l   svm.SVM
		t   []int
		row int64
	}{
		"label":  {svm.SVM{}, []int{0, 1, -1, 0}, 3},
		"kernel": {svm.SVM{Kernel: kernel.Polynomial{Degree: 9999}}, []int{0, 0, 1, 1}, 2},
		"function": {svm.SVM{Kernel: kernel.Func{F: func(x, y []float64) float64 {
			if x[0] != y[0] {
				return math.NaN()
			}
			return 1
		}}}, []int{0, 1, 0, 1}, 0},
	} {
		m, _, err := tt.l.Fit(bg, mpcvm.Samples{X: x, T: tt.t})
		_, _, tuneErr := tt.l.Tune(bg, mpcvm.Samples{X: x, T: tt.t}, svm.Grid{})
		for _, err := range []error{err, tuneErr} {
			var bad *mpcvm.CellError
			if !errors.As(err, &bad) || m != nil || bad.Row != tt.row {
				t.Errorf("%s: %v, %v", name, m, err)
			}
		}
	}
	negative := svm.SVM{Kernel: kernel.RBF{Theta: -1}}
	if _, _, err := negative.Fit(bg, mpcvm.Samples{X: x, T: []int{0, 1, 0, 1}}); err == nil {
		t.Error("no error for a negative width")
	}
}

// TestNaN: a row with NaN has no label, and all its values are NaN, with and without probabilities.
func TestNaN(t *testing.T) {
	set, x := data.Blobs(60, 3, 2, 1, 1), mat.NewDense(2, 2, []float64{math.NaN(), 0, 0, 0})
	for _, l := range []svm.SVM{{}, {NoProbability: true}} {
		m, _ := fit(t, l, set.X, set.T)
		p, f := m.Proba(nil, x), m.Decision(nil, x)
		if got := m.Predict(nil, x); got[0] != -1 || got[1] < 0 || !math.IsNaN(p.At(0, 2)+f.At(0, 2)) ||
			math.IsNaN(p.At(1, 0)+f.At(1, 0)) {
			t.Errorf("%v, %v, %v", got, mat.Formatted(p), mat.Formatted(f))
		}
	}
	m, _ := fit(t, svm.SVM{}, mat.NewDense(60, 2, nil), set.T)
	checkModel(t, "equal samples", m, set.X)
}

// TestEarlyEnd: a fit that has ended early is not calibrated, except at its iteration limit.
func TestEarlyEnd(t *testing.T) {
	set := data.Blobs(900, 2, 2, 1.5, 1)
	hard := svm.SVM{C: 1e5, Kernel: kernel.RBF{Theta: 0.1}, Tol: 1e-6}
	for _, cacheMiB := range []float64{0, 0.1} {
		hard.CacheMiB = cacheMiB
		m, r, err := hard.Fit(watch.NewCountdown(bg, 100), mpcvm.Samples{X: set.X, T: set.T})
		if !errors.Is(err, context.Canceled) || r.Status != mpcvm.Cancelled || m == nil || m.Calibrated() {
			t.Fatalf("cancelled while it ran: %v, %v, %v", m, r.Status, err)
		}
		checkModel(t, "cancelled", m, set.X)
	}
	m, r := laws.Fit(t, hard, set.X, set.T, func(s *mpcvm.Step) { s.Stop() })
	if r.Status != mpcvm.Stopped || m.Calibrated() {
		t.Errorf("stopped: %v", r.Status)
	}
	hard.MaxIterations = 20
	if m, r = fit(t, hard, set.X, set.T); r.Status != mpcvm.IterationLimit || !m.Calibrated() {
		t.Errorf("%v after %d", r.Status, r.Iterations)
	}
}

func TestPanics(t *testing.T) {
	set := data.Blobs(30, 3, 2, 2, 1)
	m, _ := fit(t, svm.SVM{}, set.X, set.T)
	tuned := func(g svm.Grid) func() {
		return func() { _, _, _ = svm.SVM{}.Tune(bg, mpcvm.Samples{X: set.X, T: set.T}, g) }
	}
	fitted := func(l svm.SVM) func() { return func() { _, _, _ = l.Fit(bg, mpcvm.Samples{X: set.X, T: set.T}) } }
	for name, f := range map[string]func(){
		"C": fitted(svm.SVM{C: -1}), "C NaN": fitted(svm.SVM{C: math.NaN()}), "Tol": fitted(svm.SVM{Tol: -1}),
		"cache": fitted(svm.SVM{CacheMiB: -1}), "steps": fitted(svm.SVM{MaxIterations: -1}),
		"weights": fitted(svm.SVM{ClassWeights: []float64{1}}), "weight": fitted(svm.SVM{ClassWeights: []float64{1,
			0, 1}}),
		"folds": tuned(svm.Grid{Folds: 1}), "grid C": tuned(svm.Grid{C: []float64{0}}), "grid Theta": tuned(
			svm.Grid{Theta: []float64{-1}}),
		"decision": func() { m.Decision(mat.NewDense(2, 3, nil), mat.NewDense(1, 2, nil)) },
	} {
		must.Panic(t, name, f)
	}
}

func TestDefaultKernel(t *testing.T) {
	set := data.Blobs(60, 3, 4, 1, 2)
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	m, _ := fit(t, svm.SVM{}, x, set.T)
	// the standard deviation divides by n−1
	if theta := m.Kernel().(kernel.RBF).Theta; math.Abs(theta-60./59/4) > 1e-12 {
		t.Errorf("Theta %v", theta)
	}
	m, _ = fit(t, svm.SVM{Kernel: kernel.Laplacian{}}, x, set.T)
	if theta := m.Kernel().(kernel.Laplacian).Theta; math.Abs(theta-math.Sqrt(60./59)/4) > 1e-12 {
		t.Errorf("Theta %v of the Laplacian", theta)
	}
}

func Example() {
	iris, err := data.Load("iris")
	if err != nil {
		fmt.Println(err)
		return
	}
	train, test := iris.Split(0.8, 2)
	scale := data.FitStandardizer(train.X)
	train.X, test.X = scale.Apply(nil, train.X), scale.Apply(nil, test.X)

	model, result, err := svm.SVM{C: 4, Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(),
		mpcvm.Samples{X: train.X, T: train.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	vectors, weights := model.VectorCount(), model.WeightCount()
	fmt.Println(result.Status, "with", vectors, "support vectors,", weights, "coefficients")
	wrong, err := score.ErrorRate(model.Predict(nil, test.X), test.T)
	fmt.Printf("errors: %.1f %%, %v\n", 100*wrong, err)
	// Output:
	// converged with 33 support vectors, 39 coefficients
	// errors: 3.3 %, <nil>
}
