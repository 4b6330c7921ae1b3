package search_test

import (
	"cmp"
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
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"gonum.org/v1/gonum/mat"
)

// The final fit uses one of the settings that were tried, and the trials mark it as chosen.
func TestAuto(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(90, 3, 2, 0.7, 3)
	train, test := set.Split(0.6, 1)
	var seen []mpcvm.Trial
	steps := 0
	m, result, err := search.Auto{OnTrial: func(trial mpcvm.Trial) { seen = append(seen, trial) }}.Fit(
		t.Context(), mpcvm.Samples{X: train.X, T: train.T},
		func(*mpcvm.Step) { steps++ })
	must.OK(t, err)
	if result.Status != mpcvm.Converged || steps != result.Iterations || len(seen) != len(result.Trials) ||
		result.Seconds < 0 {
		t.Errorf("%v after %d iterations, %d steps seen; %d trials, %d seen", result.Status, result.Iterations,
			steps, len(result.Trials), len(seen))
	}
	var chosen []mpcvm.Trial
	families := map[string]bool{}
	for i, trial := range result.Trials {
		if !(trial.LogLoss > 0) || trial.ErrorRate < 0 || trial.Temperature <= 0 || trial.Seconds < 0 ||
			trial.Learner == "" || trial.Kernel == nil {
			t.Errorf("%+v", trial)
		}
		family, _, _ := strings.Cut(trial.Kernel.String(), "(")
		families[family] = true
		if trial.Chosen {
			chosen = append(chosen, trial)
		}
		trial.Chosen = seen[i].Chosen // which is known only at the end
		if !reflect.DeepEqual(trial, seen[i]) {
			t.Errorf("OnTrial received %+v, the result has %+v", seen[i], trial)
		}
	}
	if len(families) != 5 || len(chosen) != 1 || chosen[0].Temperature != m.Temperature() ||
		chosen[0].Kernel.String() != m.Kernel().String() {
		t.Errorf("families %v; chosen %+v; the model: %v, temperature %g", families, chosen, m.Kernel(),
			m.Temperature())
	}
	if e := must.Get(score.ErrorRate(m.Predict(nil, test.X), test.T))(t); e > 0.2 {
		t.Errorf("error rate %g", e)
	}
}

// Sparsity chooses a smaller model with a higher cross-validated log loss, and Accuracy the lowest log loss.
func TestPreference(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.NewMixture(3, 3, 4, 0.7, 2).Set(150, 1)
	chosen := func(p search.Preference) mpcvm.Trial {
		m, result, err := search.Auto{Prefer: p}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
		must.OK(t, err)
		for _, trial := range result.Trials {
			if trial.Chosen {
				trial.Weights = m.WeightCount()
				return trial
			}
		}
		t.Fatalf("none of %d trials is chosen", len(result.Trials))
		return mpcvm.Trial{}
	}
	a, b, s := chosen(search.Accuracy), chosen(search.Balance), chosen(search.Sparsity)
	if !(a.Weights >= b.Weights && b.Weights >= s.Weights && a.Weights > s.Weights && a.LogLoss <= b.LogLoss &&
		b.LogLoss <= s.LogLoss) {
		t.Errorf("weights %d, %d, %d; log losses %g, %g, %g", a.Weights, b.Weights, s.Weights, a.LogLoss, b.LogLoss,
			s.LogLoss)
	}
	none := search.Preference(3)
	defer func() {
		if recover() == nil {
			t.Errorf("preference %d is accepted", int(none))
		}
	}()
	_, _, _ = search.Auto{Prefer: none}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
}

// The model has the same bits on any number of cores.
func TestAutoDeterminism(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(60, 3, 2, 1.2, 5)
	fit := func(cores int) ([]float64, []mpcvm.Trial) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		m, result, err := search.Auto{}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
		must.OK(t, err)
		for i := range result.Trials {
			result.Trials[i].Seconds = 0
		}
		return m.Proba(nil, set.X).RawMatrix().Data, result.Trials
	}
	p1, trials1 := fit(1)
	p4, trials4 := fit(4)
	if !reflect.DeepEqual(p1, p4) || !reflect.DeepEqual(trials1, trials4) {
		t.Error("the models on one and on four cores differ")
	}
}

// If the context ends, Fit soon returns the best model so far, and Partial describes it.
func TestAutoCancelled(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(60, 3, 2, 1.2, 5)
	_, whole, err := search.Auto{}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	for _, at := range []int{1, 3, len(whole.Trials)} {
		ctx, cancel := context.WithCancel(t.Context())
		trials := 0
		m, result, err := search.Auto{OnTrial: func(mpcvm.Trial) {
			if trials++; trials == at {
				cancel()
			}
		}}.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T})
		if m == nil || !errors.Is(err, context.Canceled) || result.Status != mpcvm.Cancelled ||
			len(result.Trials) != at {
			t.Fatalf("after trial %d: model %v, %v, %v, %d trials", at, m, err, result.Status, len(result.Trials))
		}
		want := fmt.Sprintf("trained on 48 of 60 samples: one fold of the best of %d settings tried", at)
		want = strings.Replace(want, " 1 settings", " 1 setting", 1)
		if result.Partial != want {
			t.Errorf("after trial %d: %q, want %q", at, result.Partial, want)
		}
		chosen := slices.IndexFunc(result.Trials, func(trial mpcvm.Trial) bool { return trial.Chosen })
		if chosen < 0 || result.Trials[chosen].Temperature != m.Temperature() ||
			result.Trials[chosen].Kernel.String() != m.Kernel().String() {
			t.Errorf("after trial %d: chosen %d of %+v, the model: %v, temperature %g", at, chosen, result.Trials,
				m.Kernel(), m.Temperature())
		}
		for _, v := range m.RelevanceVectors() {
			if v.Label != set.T[v.Index] || !slices.Equal(v.X, set.X.RawRowView(v.Index)) {
				t.Fatalf("after trial %d: relevance vector is not row %d", at, v.Index)
			}
		}
		if e := must.Get(score.ErrorRate(m.Predict(nil, set.X), set.T))(t); e > 0.3 {
			t.Errorf("after trial %d: error rate %g", at, e)
		}
	}
	var bad *mpcvm.CellError
	if _, _, err := (search.Auto{}).Fit(t.Context(),
		mpcvm.Samples{X: set.X, T: make([]int, set.N())}); !errors.As(err, &bad) {
		t.Errorf("one class: %v", err)
	}
}

// If the context ends during the first trial, Fit returns the model of a fold. If it ends during the final
// fit, Fit returns the model of an iteration or of a fold.
func TestAutoCancelledWithin(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(90, 3, 2, 1, 5)
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	m, result, err := search.Auto{OnProgress: func(p search.Progress) {
		if calls++; calls == 2 { // the first fold has ended
			cancel()
		}
	}}.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T})
	if m == nil || !errors.Is(err, context.Canceled) || len(result.Trials) != 0 ||
		result.Partial != "trained on 72 of 90 samples: one fold of the first setting" {
		t.Errorf("in the first trial: model %v, %v, %d trials, %q", m, err, len(result.Trials), result.Partial)
	}
	_, whole, err := search.Auto{}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	logLoss := func(m *mpcvm.Model) float64 {
		l := must.Get(score.LogLoss(m.Proba(nil, set.X), set.T))(t)
		return l
	}
	for _, at := range []int{1, whole.Iterations - 1} {
		ctx, cancel := context.WithCancel(t.Context())
		m, result, err := search.Auto{}.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T}, func(s *mpcvm.Step) {
			if s.Iteration == at {
				cancel()
			}
		})
		if m == nil || !errors.Is(err, context.Canceled) || result.Status != mpcvm.Cancelled ||
			result.Iterations != at {
			t.Fatalf("in iteration %d: model %v, %v, %v in %d", at, m, err, result.Status, result.Iterations)
		}
		fold := strings.Contains(result.Partial, "one fold of the best of")
		if !fold && result.Partial != fmt.Sprintf("the final fit to all 90 samples ended in iteration %d", at) {
			t.Errorf("in iteration %d: %q", at, result.Partial)
		}
		if l := logLoss(m); l > 0.5 {
			t.Errorf("in iteration %d, %q: log loss %g", at, result.Partial, l)
		}
	}
}

// On difficult data, the model is not worse than the class frequencies.
func TestAutoHarsh(t *testing.T) {
	watch.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(1, 1))
	normal := func(n, d int) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
		return x
	}
	labels := func(n int, of func(i int) int) []int {
		l := make([]int, n)
		for i := range l {
			l[i] = of(i)
		}
		return l
	}
	rare, far := normal(400, 3), normal(60, 2)
	for i := 0; i < 400; i += 100 {
		rare.Set(i, 0, 4)
	}
	for i := range 60 {
		far.Set(i, 0, far.At(i, 0)+6*float64(i%3))
	}
	for _, tt := range []struct {
		name  string
		x     *mat.Dense
		t     []int
		worst float64 // log loss of the training samples
	}{
		{"99 to 1", rare, labels(400, func(i int) int { return min(i%100, 1) ^ 1 }), 0.06},
		{"99 to 1, noise", normal(400, 3), labels(400, func(i int) int { return min(i%100, 1) ^ 1 }), 0.06},
		{"200 features of 80 rows", normal(80, 200), labels(80, func(i int) int { return i % 2 }), 0.75},
		{"noise", normal(100, 2), labels(100, func(i int) int { return i % 4 }), 1.4},
		{"classes of one sample", far, labels(60, func(i int) int {
			if i < 3 {
				return 3 + i
			}
			return i % 3
		}), 0.8},
	} {
		m, result, err := search.Auto{}.Fit(t.Context(), mpcvm.Samples{X: tt.x, T: tt.t})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		l, err := score.LogLoss(m.Proba(nil, tt.x), tt.t)
		t.Logf("%s: %v, log loss %.3f", tt.name, result.Status, l)
		if err != nil || l > tt.worst || m.WeightCount() == 0 && result.Status != mpcvm.Collapsed {
			t.Errorf("%s: %v, log loss %g (%v), %d weights", tt.name, result.Status, l, err, m.WeightCount())
		}
	}
}

// categories returns samples of one-hot encoded categories and two classes of 201 and 85 samples that depend
// only weakly on them.
func categories(seed uint64, signal float64) *data.Set {
	const n, rare = 286, 85
	rng := rand.New(rand.NewPCG(seed, 9))
	levels := []int{6, 3, 11, 7, 3, 3, 2, 6, 2}
	x, sum := mat.NewDense(n, 43, nil), make([]float64, n)
	from := 0
	for _, count := range levels {
		effects := make([]float64, count)
		for l := range effects {
			effects[l] = signal * rng.NormFloat64()
		}
		for i := range n {
			level := int(float64(count) * rng.Float64() * rng.Float64()) // the first levels are frequent
			x.Set(i, from+level, math.Sqrt2/2)
			sum[i] += effects[level]
		}
		from += count
	}
	order := make([]int, n)
	for i := range order {
		u := rng.Float64()
		order[i], sum[i] = i, sum[i]+math.Log(u/(1-u))
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(sum[j], sum[i]) })
	set := &data.Set{Classes: []string{"no", "yes"}, Features: make([]string, 43), X: x, T: make([]int, n)}
	for _, i := range order[:rare] {
		set.T[i] = 1
	}
	return set
}

// If the categories predict the class only weakly, the log loss of new samples does not exceed the log loss
// of the class frequencies by much, and no probability is below a tenth of a sample. If they do not predict
// it at all, the model predicts the class frequencies.
func TestAutoWeakSignal(t *testing.T) {
	watch.SkipUnderRace(t)
	for _, tt := range []struct {
		signal float64
		seed   uint64
		worst  float64 // log loss; the class frequencies have 0.609
	}{{0, 8, 0.6095}, {0.3, 7, 0.62}, {0.6, 9, 0.55}} {
		train, test := categories(tt.seed, tt.signal).Split(0.8, 1)
		m, result, err := search.Auto{}.Fit(t.Context(), mpcvm.Samples{X: train.X, T: train.T})
		must.OK(t, err)
		p := m.Proba(nil, test.X)
		l, err := score.LogLoss(p, test.T)
		if least := slices.Min(p.RawMatrix().Data); err != nil || l > tt.worst || least < 0.1/float64(train.N()) {
			t.Errorf("signal %g: log loss %g, smallest probability %g (%v)", tt.signal, l, least, err)
		}
		if tt.signal > 0 {
			if n := float64(train.N()); len(m.Floor()) != 2 || slices.Min(m.Floor()) < 0.1/n || m.WeightCount() == 0 {
				t.Errorf("signal %g: floor %v, %d weights", tt.signal, m.Floor(), m.WeightCount())
			}
			continue
		}
		chosen := slices.IndexFunc(result.Trials, func(trial mpcvm.Trial) bool { return trial.Chosen })
		if m.WeightCount() > 0 || result.Status != mpcvm.Collapsed || result.Partial != "" || m.Floor() != nil ||
			chosen < 0 || result.Trials[chosen].Learner != "frequencies of the classes" {
			t.Fatalf("no signal: %d weights, %v, %q, floor %v, trial %d", m.WeightCount(), result.Status,
				result.Partial, m.Floor(), chosen)
		}
		// A refit on samples with other class frequencies predicts these.
		again, _, err := search.Chosen(result).Fit(t.Context(), mpcvm.Samples{X: test.X, T: test.T})
		must.OK(t, err)
		for name, of := range map[string]struct {
			m   *mpcvm.Model
			set *data.Set
		}{"fitted": {m, train}, "fitted again": {again, test}} {
			share := 0.0
			for _, label := range of.set.T {
				share += float64(label) / float64(of.set.N())
			}
			if got := of.m.Proba(nil, test.X).At(3, 1); math.Abs(got-share) > 1e-6 {
				t.Errorf("%s: the second class has probability %g and a share of %g", name, got, share)
			}
		}
	}
}

// If most features are noise, Auto chooses a width for each feature.
func TestAutoWidths(t *testing.T) {
	watch.SkipUnderRace(t)
	set, plane := data.Noise(200, 2, 6, 1), data.Spirals(200, 2, 0.05, 1)
	set.T = plane.T
	for n := range set.N() {
		copy(set.X.RawRowView(n), plane.X.RawRowView(n)) // the first two of six features
	}
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	m, result, err := search.Auto{}.Fit(t.Context(), mpcvm.Samples{X: x, T: set.T})
	must.OK(t, err)
	var theta []float64
	switch k := m.Kernel().(type) {
	case kernel.ARD:
		theta = k.Theta
	case kernel.RationalLaplacianARD:
		theta = k.Theta
	case kernel.LaplacianARD:
		theta = k.Theta
	default:
		t.Fatalf("%v of %d trials", k, len(result.Trials))
	}
	for _, noise := range theta[2:] {
		if noise >= min(theta[0], theta[1]) {
			t.Errorf("widths %v", theta)
		}
	}
}

// OnProgress reports the progress of a search.
func ExampleProgress() {
	set, err := data.Load("iris")
	if err != nil {
		panic(err)
	}
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	learner := search.Auto{
		Budget: 10 * time.Minute,
		OnProgress: func(p search.Progress) {
			if p.Done == p.Total { // earlier calls print, for example, "17 of about 36"
				fmt.Printf("%v, log loss %.2f\n", p, p.Best.LogLoss)
			}
		},
	}
	if _, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: x, T: set.T}); err != nil {
		panic(err)
	}
	// Output: 38 of 38, log loss 0.06
}

// TestSingletons: cross-validation ignores a sample that is the only one of its class, and labels that are
// nearly all different are an error before the first trial.
func TestSingletons(t *testing.T) {
	set := data.Blobs(61, 3, 2, 0.5, 4)
	plain := set.Subset(fitting.All(60))
	set.T[60] = 3
	set.X.SetRow(60, []float64{40, 40}) // far from all others, so easy to predict after training on it
	l := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}, MaxIterations: 20}
	y, err := search.CrossValidate(t.Context(), l, mpcvm.Samples{X: set.X, T: set.T}, 5, 1)
	must.OK(t, err)
	if row := y.RawRowView(60); !math.IsNaN(row[0]) || math.IsNaN(y.At(0, 0)) {
		t.Errorf("potentials %v for the only sample of a class", row)
	}
	_, r, err := search.Auto{Seed: 1}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	for _, trial := range r.Trials {
		// Five folds of 48 or 49 training samples have at most this many weights each.
		if math.IsNaN(trial.LogLoss) || trial.Weights > 49*4 {
			t.Errorf("%+v", trial)
		}
		if wrong := trial.ErrorRate * 60; math.Abs(wrong-math.Round(wrong)) > 1e-9 {
			t.Errorf("error rate %v is not a multiple of 1/%d", trial.ErrorRate, plain.N())
		}
	}

	labels := fitting.All(300)
	x := mat.NewDense(300, 1, nil)
	for i := range 300 {
		x.Set(i, 0, float64(i))
	}
	tried := 0
	_, _, err = search.Auto{OnProgress: func(search.Progress) { tried++ }}.Fit(t.Context(),
		mpcvm.Samples{X: x, T: labels})
	var fault *mpcvm.CellError
	if !errors.As(err, &fault) || fault.Value != 300.0 || tried > 0 {
		t.Errorf("unique labels: %v after %d steps", err, tried)
	}
}
