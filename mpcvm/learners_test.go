package mpcvm_test

import (
	"context"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
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
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

var bg = context.Background()

// learners returns the learners with kernel k and at most limit iterations.
func learners(k kernel.Kernel, limit int) map[string]mpcvm.Learner {
	return map[string]mpcvm.Learner{
		"TopDown":  mpcvm.TopDown{Kernel: k, MaxIterations: limit},
		"BottomUp": mpcvm.BottomUp{Kernel: k, MaxIterations: limit},
		// It needs more iterations than the others.
		"KernelPrior": gp.KernelPrior{Kernel: k, MaxIterations: 10 * limit},
	}
}

// trials is the number of random problems; 1000 take some minutes.
var trials = flag.Int("trials", 60, "random problems")

func TestLawsOnRandomProblems(t *testing.T) {
	watch.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(7, 7))
	for range *trials {
		x, labels, k, about := problem(rng)
		all := learners(k, 100)
		all["BottomUp bias"] = mpcvm.BottomUp{Kernel: k, MaxIterations: 60, Bias: true, Additions: 3}
		all["BottomUp float32"] = mpcvm.BottomUp{Kernel: k, MaxIterations: 60, Float32: true}
		all["BottomUp tempered"] = mpcvm.BottomUp{Kernel: k, MaxIterations: 60, LikelihoodPower: math.Pow(10,
			3*rng.Float64()-0.5)}
		for name, l := range all {
			model, result := laws.Fit(t, l, x, labels)
			laws.CheckModel(t, name+" "+about, model, x, labels)
			laws.CheckTrace(t, name+" "+about, model, result)
			// No divergence: the training log loss does not exceed the log loss of the class frequencies.
			loss := must.Get(score.LogLoss(model.Proba(nil, x), labels))(t)
			if got := -result.LogLik / float64(len(labels)); math.Abs(got-loss) > 1e-6 {
				t.Errorf("%s (%s): log likelihood %g, log loss %g", name, about, got, loss)
			}
			if entropy := frequencies(labels); loss > entropy+1 {
				t.Errorf("%s (%s): log loss %g, class frequencies have %g", name, about, loss, entropy)
			}
		}
	}
}

// frequencies returns the log loss of predicting the class frequencies.
func frequencies(t []int) float64 {
	count := map[int]float64{}
	for _, l := range t {
		count[l]++
	}
	loss, n := 0.0, float64(len(t))
	for _, k := range count {
		loss -= k / n * math.Log(k/n)
	}
	return loss
}

// TestUndonePruning: pruning with a far too low threshold is undone where it would lower the objective, and
// the trace still agrees with the model.
func TestUndonePruning(t *testing.T) {
	set := data.Overlap(1)
	undone := 0
	for _, prune := range []float64{0.1, 0.32, 1} {
		model, result := laws.Fit(t, mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.1}, Prune: prune, Tol: -1,
			MaxIterations: 20}, set.X, set.T, func(s *mpcvm.Step) {
			if s.Rejected {
				undone++
			}
			loss := must.Get(score.LogLoss(s.Model().Proba(nil, set.X), set.T))(t)
			if got := -s.LogLik / float64(set.N()); math.Abs(got-loss) > 1e-6 {
				t.Errorf("prune %g, iteration %d: log likelihood %g, log loss %g", prune, s.Iteration, got, loss)
			}
		})
		laws.CheckModel(t, "undone", model, set.X, set.T)
		laws.CheckTrace(t, "undone", model, result)
	}
	if undone == 0 {
		t.Error("no pruning was undone")
	}
}

// TestRepeatedSamples: a hundred equal samples give one or two relevance vectors, except with KernelPrior,
// which keeps all weights.
func TestRepeatedSamples(t *testing.T) {
	x, labels := mat.NewDense(100, 1, nil), make([]int, 100)
	for i := range labels {
		x.Set(i, 0, 3)
		if i >= 10 {
			labels[i] = 1
		}
	}
	for name, l := range learners(kernel.RBF{Theta: 1}, 0) {
		m, _ := laws.Fit(t, l, x, labels)
		if n := len(m.RelevanceVectors()); n > 2 && name != "KernelPrior" {
			t.Errorf("%s: %d relevance vectors of one point", name, n)
		}
		if p := m.Proba(nil, x).At(0, 0); math.Abs(p-0.1) > 0.03 {
			t.Errorf("%s: probability %g of a class with a tenth of the samples", name, p)
		}
	}
}

// TestNothingToLearn: if the features carry no information, the status is Collapsed.
func TestNothingToLearn(t *testing.T) {
	x, labels := mat.NewDense(50, 2, nil), make([]int, 50)
	for i := range labels {
		if i >= 5 {
			labels[i] = 1
		}
	}
	for name, l := range learners(kernel.Linear{}, 0) { // all values zero
		m, r := laws.Fit(t, l, x, labels)
		if r.Status != mpcvm.Collapsed || len(m.RelevanceVectors()) != 0 {
			t.Errorf("%s: %v with %d relevance vectors", name, r.Status, len(m.RelevanceVectors()))
		}
		if p := m.Proba(nil, x).At(0, 0); math.Abs(p-0.1) > 1e-4 {
			t.Errorf("%s: probability %g of a class with a tenth of the samples", name, p)
		}
	}
}

func TestNegativeOptions(t *testing.T) {
	set := data.Blobs(30, 3, 2, 2, 1)
	for about, l := range map[string]mpcvm.Learner{
		"V1": mpcvm.TopDown{V1: -1}, "U1": mpcvm.TopDown{U1: math.NaN()}, "Prune": mpcvm.TopDown{Prune: -1},
		"Iterations": mpcvm.TopDown{MaxIterations: -1}, "Epochs": mpcvm.BottomUp{MaxIterations: -1},
		"Additions": mpcvm.BottomUp{Additions: -1}, "Evidence": mpcvm.BottomUp{
			LikelihoodPower: -1}, "Budget": search.Auto{Budget: -1}, "Tol": mpcvm.BottomUp{Tol: math.NaN()},
		"Scale": gp.KernelPrior{Scale: -1}, "Keep": gp.KernelPrior{Keep: -1},
	} {
		must.Panic(t, about, func() { _, _, _ = l.Fit(bg, mpcvm.Samples{X: set.X, T: set.T}) })
	}
}

// TestIrisAndWine: the results on the shared partitions with usual widths are good.
func TestIrisAndWine(t *testing.T) {
	watch.SkipUnderRace(t)
	for _, tt := range []struct {
		set   string
		theta float64
	}{{"iris", 0.1}, {"wine", 0.02}} {
		set := must.Load(t, tt.set)
		partitions := must.Get(data.Partitions(tt.set))(t)
		for name, l := range learners(kernel.RBF{Theta: tt.theta}, 0) {
			var errRate, auc, weights float64
			const runs = 10
			for _, rows := range partitions[5 : 5+runs] {
				train, test := set.Subset(rows), set.Subset(set.Complement(rows))
				scale := data.FitStandardizer(train.X)
				x := scale.Apply(nil, test.X)
				model, _ := laws.Fit(t, l, scale.Apply(nil, train.X), train.T)
				a := must.Get(score.AUC(model.Proba(nil, x), test.T))(t)
				errRate += must.Get(score.ErrorRate(model.Predict(nil, x), test.T))(t) / runs
				auc += a / runs
				for _, n := range model.NonZero() {
					weights += float64(n) / runs
				}
			}
			t.Logf("%s, θ = %g, %-8s: ERR %.2f %%, AUC %.2f %%, %.1f weights", tt.set, tt.theta, name, 100*errRate,
				100*auc, weights)
			if errRate > 0.05 || auc < 0.99 || weights > 30 && name != "KernelPrior" {
				t.Errorf("%s, θ = %g, %s: ERR %.2f %%, AUC %.2f %%, %.1f weights", tt.set, tt.theta, name, 100*errRate,
					100*auc, weights)
			}
		}
	}
}

// TestNames: a model without names numbers its classes and features, and names of another length panic.
func TestNames(t *testing.T) {
	set := data.Blobs(30, 3, 2, 3, 2)
	model, _ := laws.Fit(t, mpcvm.BottomUp{}, set.X, set.T) // the zero value is usable
	must.Panic(t, "one name", func() { model.WithNames([]string{"a"}, nil) })
	named := model.WithNames([]string{"a", "b", "c"}, []string{"u", "v"})
	if !slices.Equal(named.ClassNames(), []string{"a", "b", "c"}) || !slices.Equal(model.ClassNames(),
		[]string{"0", "1", "2"}) ||
		!slices.Equal(named.FeatureNames(), []string{"u", "v"}) || !slices.Equal(model.FeatureNames(),
		[]string{"x1", "x2"}) {
		t.Error("wrong names")
	}
}

// TestFloat32: with the kernel matrix in float32, the result is the same up to rounding.
func TestFloat32(t *testing.T) {
	for _, name := range []string{"iris", "glass"} {
		set := must.Load(t, name)
		x := data.FitStandardizer(set.X).Apply(nil, set.X)
		l := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}, MaxIterations: 100}
		double, a := laws.Fit(t, l, x, set.T)
		l.Float32 = true
		single, b := laws.Fit(t, l, x, set.T)
		if b.Objective == a.Objective {
			t.Errorf("%s: float32 does not change the objective", name)
		}
		if d := math.Abs(b.Objective - a.Objective); d > 1e-4*math.Abs(a.Objective) {
			t.Errorf("%s: objective %v, in float64 %v", name, b.Objective, a.Objective)
		}
		if p, q := single.Proba(nil, x), double.Proba(nil, x); !mat.EqualApprox(p, q, 1e-3) {
			t.Errorf("%s: probabilities differ from the float64 fit", name)
		}
	}
}

// TestFarStart: if no single basis function helps, as with wide kernels and two classes of equal size,
// BottomUp still finds a model; if there is nothing to learn, it reports Collapsed.
func TestFarStart(t *testing.T) {
	iris := must.Load(t, "iris")
	x, labels := mat.DenseCopyOf(data.FitStandardizer(iris.X).Apply(nil, iris.X).Slice(50, 150, 0, 4)),
		make([]int, 100)
	for i := range labels {
		labels[i] = iris.T[50+i] - 1
	}
	for _, theta := range []float64{0.01, 0.05, 0.2} {
		l := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: theta}}
		m, r := laws.Fit(t, l, x, labels)
		e := must.Get(score.ErrorRate(m.Predict(nil, x), labels))(t)
		if r.Status == mpcvm.Collapsed || e > 0.06 {
			t.Errorf("theta %g: %v, error rate %g", theta, r.Status, e)
		}
		rng := rand.New(rand.NewPCG(7, 7))
		noise := slices.Clone(labels)
		rng.Shuffle(len(noise), func(i, j int) { noise[i], noise[j] = noise[j], noise[i] })
		_, r, err := l.Fit(bg, mpcvm.Samples{X: x, T: noise})
		if empty := -100 * math.Log(2); err != nil || r.Objective < empty-1e-6 && r.Status != mpcvm.Collapsed {
			t.Errorf("noise, theta %g: %v, %v, objective %g, without bases %g", theta, err, r.Status, r.Objective,
				empty)
		}
	}
}

// TestAsPublished: the algorithms as printed run reproducibly. Algorithm 2 occasionally diverges (here in 1
// of 50 partitions), keeping half of all weights and predicting far worse than random guessing.
func TestAsPublished(t *testing.T) {
	set := must.Load(t, "glass")
	partitions := must.Get(data.Partitions("glass"))(t)
	k := kernel.RBF{Theta: 0.2}
	for _, p := range []int{5, 33} {
		train := set.Subset(partitions[p])
		x := data.FitStandardizer(train.X).Apply(nil, train.X)
		l := mpcvm.BottomUp{Kernel: k, AsPublished: true, Seed: uint64(p)}
		a, r := laws.Fit(t, l, x, train.T)
		b, _, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: train.T})
		if err != nil || !reflect.DeepEqual(a.RelevanceVectors(), b.RelevanceVectors()) {
			t.Errorf("two runs with the same seed differ (%v)", err)
		}
		laws.CheckModel(t, "BottomUp as printed", a, x, train.T)
		t.Logf("Algorithm 2 as printed, partition %d: log likelihood %.4g with %v weights", p, r.LogLik,
			a.NonZero())
		if diverged := r.Status == mpcvm.Diverged; diverged != (p == 33) {
			t.Errorf("partition %d: %v", p, r.Status)
		}
		c, r := laws.Fit(t, mpcvm.BottomUp{Kernel: k}, x, train.T)
		laws.CheckTrace(t, "BottomUp", c, r)

		top, _ := laws.Fit(t, mpcvm.TopDown{Kernel: k, AsPublished: true, MaxIterations: 60, Seed: 3}, x, train.T)
		laws.CheckModel(t, "TopDown as printed", top, x, train.T)
	}
}

// TestCollapseWhenEnded: if an observer or the context ends a fit in the iteration that deletes the last
// weight, the status is Stopped or Cancelled, not Collapsed.
func TestCollapseWhenEnded(t *testing.T) {
	const n = 60
	x, labels := mat.NewDense(n, 1, nil), make([]int, n)
	for i := range n {
		labels[i] = i % 3 / 2
	}
	l := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 1}, Prune: 1}
	empty := 0
	_, result, err := l.Fit(bg, mpcvm.Samples{X: x, T: labels}, func(s *mpcvm.Step) {
		if s.NonZero() == 0 {
			empty++
			s.Stop()
		}
	})
	if err != nil || empty != 1 || result.Status != mpcvm.Stopped {
		t.Errorf("status %v, %d steps without weights, error %v", result.Status, empty, err)
	}
	ctx, cancel := context.WithCancel(bg)
	model, result, err := l.Fit(ctx, mpcvm.Samples{X: x, T: labels}, func(s *mpcvm.Step) {
		if s.NonZero() == 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || model == nil || result.Status != mpcvm.Cancelled {
		t.Errorf("status %v, error %v", result.Status, err)
	}
}

// TestObjectiveNotFinite: a fit whose objective overflows ends as Diverged with a finite model.
func TestObjectiveNotFinite(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 4)
	k := kernel.RBF{Theta: 0.3}
	for name, l := range map[string]mpcvm.Learner{
		"BottomUp": mpcvm.BottomUp{Kernel: k, LikelihoodPower: 1e308},
		"TopDown":  mpcvm.TopDown{Kernel: k, U2: 1e308},
		"printed":  mpcvm.TopDown{Kernel: k, U2: 1e308, AsPublished: true},
	} {
		m, r := laws.Fit(t, l, set.X, set.T)
		if r.Status != mpcvm.Diverged || r.Iterations > 5 {
			t.Errorf("%s: %v after %d iterations", name, r.Status, r.Iterations)
		}
		if p := m.Proba(nil, set.X); floats.HasNaN(p.RawMatrix().Data) {
			t.Errorf("%s: probabilities are NaN", name)
		}
	}
}
