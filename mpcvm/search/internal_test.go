package search

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// A setting beats another one if it is better by more than the standard error of the mean difference, here
// 0.1 for four differences with a standard deviation of 0.2.
func TestBeats(t *testing.T) {
	with := func(losses ...float64) *setting { return &setting{losses: losses} }
	other := with(1, 1, 1, 1, 0) // the last sample is not scored by both
	d := 0.1 * math.Sqrt(3)      // ±d about the mean has the standard deviation 0.2
	for _, c := range []struct {
		gain float64
		want bool
	}{{0.11, true}, {0.09, false}, {-0.2, false}} {
		m := 1 - c.gain
		if got := with(m-d, m-d, m+d, m+d, math.NaN()).beats(other, 1); got != c.want {
			t.Errorf("gain %g: %v", c.gain, got)
		}
	}
	if other.beats(other, 0) {
		t.Error("a setting beats itself")
	}
	out := with(0, 0, 0, 0, 0)
	if out.givenUp = true; out.beats(other, 0) {
		t.Error("a setting that was given up beats another")
	}
}

// manyState returns the search for 5200 samples, with 150 for training the settings.
func manyState(t *testing.T, a Auto) (*state, *data.Set) {
	t.Helper()
	density := data.NewMixture(3, 2, 2, 0.5, 3)
	set := density.Set(5200, 1)
	d := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
	s := newState(a, d, clock.now())
	if s.train.N > largeSamples+20 {
		t.Errorf("settings are trained on %d samples", s.train.N)
	}
	s.train = d.Sample(150, 0)
	return s, density.Set(2000, 2)
}

// With many samples, the search uses a subset and the final fit all of them, with candidates. The temperature
// comes from a fit to the samples that are not held out.
func TestManySamples(t *testing.T) {
	s, test := manyState(t, Auto{Candidates: 120})
	m, result, err := s.fit(t.Context(), nil)
	must.OK(t, err)
	n := len(s.trials)
	last := s.trials[n-1]
	if result.Candidates != 120 || last.Samples != 4160 || !last.Chosen || !strings.HasSuffix(last.Learner,
		", 120 candidates") || m.Temperature() != last.Temperature || result.Partial != "" {
		t.Errorf("%d candidates, last trial %+v, temperature %g, %q", result.Candidates, last, m.Temperature(),
			result.Partial)
	}
	best := false
	for _, trial := range s.trials[:n-1] {
		if trial.Samples > 170 || trial.Chosen {
			t.Errorf("%+v", trial)
		}
		best = best || trial.Kernel.String() == last.Kernel.String() && strings.HasPrefix(last.Learner,
			trial.Learner)
	}
	if !best || m.VectorCount() > 120 {
		t.Errorf("the fitted setting %+v was not tried, or the model has %d vectors", last, m.VectorCount())
	}
	p := m.Proba(nil, test.X)
	again, _, err := last.Refit.Fit(t.Context(), mpcvm.Samples{X: s.whole.X, T: s.whole.T})
	if err != nil || !mat.Equal(again.Proba(nil, test.X), p) {
		t.Errorf("Chosen fits another model (%v)", err)
	}
	l, err := score.LogLoss(p, test.T)
	if err != nil || math.Abs(l-last.LogLoss) > 0.05 {
		t.Errorf("log loss %g for new samples (%v), %g for the held-out ones", l, err, last.LogLoss)
	}
	if s.done < 10 || s.done > n+1 || !s.ended {
		t.Errorf("%d steps, ended %v", s.done, s.ended)
	}
}

// With many samples whose features do not predict the class, the model predicts the class frequencies.
func TestManySamplesOfNoise(t *testing.T) {
	set := data.Noise(5200, 2, 2, 1)
	for n := range set.T {
		set.T[n] = min(n%4, 1)
	}
	d, err := fitting.New(fitting.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	s := newState(Auto{}, d, clock.now())
	others, _ := d.HoldOut(0) // without the validation set
	s.train = others.Sample(150, 0)
	m, result, err := s.fit(t.Context(), nil)
	must.OK(t, err)
	last := s.trials[len(s.trials)-1]
	if p := m.Proba(nil, set.X.Slice(0, 1, 0, 2)).At(0, 0); m.WeightCount() > 0 ||
		result.Status != mpcvm.Collapsed || !last.Chosen || last.Temperature != 1 || math.Abs(p-0.25) > 1e-9 ||
		!s.ended {
		t.Errorf("%d weights, %v, probability %g, last trial %+v, ended %v", m.WeightCount(), result.Status, p,
			last, s.ended)
	}
}

// With many samples, of whose features only one predicts the class, a width for each feature is better. It is
// learned on a subset, because kernels are compared on fewer samples than the settings are trained on.
func TestManySamplesWidths(t *testing.T) {
	set := data.Noise(6200, 2, 4, 1)
	for n := range set.T {
		set.T[n] = 0
		if math.Sin(4*set.X.At(n, 0)) > 0 {
			set.T[n] = 1
		}
	}
	s := newState(Auto{}, must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t), clock.now())
	c := optimum{family: kernel.RBF{}, at: point{theta: 0.5, level: 1}}
	few := s.train.Sample(searchSamples, 0)
	c.best = must.Get(s.scoreOne(t.Context(), few,
		denseSetting(kernels{Kernel: c.family.WithTheta(c.at.theta)}, scales[c.at.level]), nil))(t)
	f, best, err := s.widths(t.Context(), c)
	must.OK(t, err)
	if few.N >= s.train.N || !best.beats(c.best, 1) || len(f.all) != 4 || f.all[0] < 3*f.all[1] {
		t.Errorf("%d of %d samples, importances %.2g, log loss %g, with one width %g", few.N, s.train.N,
			f.all, best.logLoss, c.best.logLoss)
	}
}

// Wherever a fit to many samples is cancelled, it returns a model, and Partial describes it.
func TestManySamplesCancelled(t *testing.T) {
	for _, tt := range []struct {
		trial     int // 0 for the last one
		iteration int // of the final fit
		want      string
	}{{1, 0, "one fold of the best of 1 setting tried"}, {0, 0, "trained on 4160 of 5200 samples: the fit " +
		"for the choice of the temperature"}, {0, 1, ""}} {
		ctx, cancel := context.WithCancel(t.Context())
		s, test := manyState(t, Auto{Candidates: 60})
		trials := 0
		s.onTrial = func(trial mpcvm.Trial) {
			trials++
			if tt.iteration == 0 && (trials == tt.trial || tt.trial == 0 && trial.Samples > 1000) {
				cancel()
			}
		}
		m, result, err := s.fit(ctx, []mpcvm.Observer{func(step *mpcvm.Step) {
			if step.Iteration == tt.iteration {
				cancel()
			}
		}})
		cancel()
		if m == nil || !errors.Is(err, context.Canceled) || result.Status != mpcvm.Cancelled ||
			result.Partial == "" || !strings.HasSuffix(result.Partial, tt.want) {
			t.Fatalf("model %v, %v, %v, %q, want %q", m, err, result.Status, result.Partial, tt.want)
		}
		if e := must.Get(score.ErrorRate(m.Predict(nil, test.X), test.T))(t); e > 0.4 {
			t.Errorf("%q: error rate %g", result.Partial, e)
		}
	}
}

// Wherever a fit is cancelled, Partial describes the model, and its relevance vectors are rows of the data.
func TestCancelledAnywhere(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1.2, 5)
	models := 0
	for after := 1; ; after = after*3/2 + 1 {
		m, r, err := Auto{}.Fit(watch.NewCountdown(t.Context(), after), mpcvm.Samples{X: set.X, T: set.T})
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || r.Status != mpcvm.Cancelled || (m == nil) != (r.Partial == "") {
			t.Fatalf("after %d checks: %v, %v, %q, model %v", after, r.Status, err, r.Partial, m)
		}
		if m == nil {
			continue
		}
		models++
		for _, v := range m.RelevanceVectors() {
			if v.Label != set.T[v.Index] || !slices.Equal(v.X, set.X.RawRowView(v.Index)) {
				t.Fatalf("after %d checks: a relevance vector is not row %d", after, v.Index)
			}
		}
		if e := must.Get(score.ErrorRate(m.Predict(nil, set.X), set.T))(t); e > 0.3 {
			t.Errorf("after %d checks, %q: error rate %g", after, r.Partial, e)
		}
	}
	if models < 5 { // usually about ten; cores that check at the same time change this by one
		t.Errorf("%d models", models)
	}
}

// If no setting predicts better, the model predicts the class frequencies, whatever the temperature of the
// trials.
func TestCollapsed(t *testing.T) {
	set := data.Blobs(90, 3, 2, 1, 1)
	d, err := fitting.New(fitting.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	s := newState(Auto{}, d, clock.now())
	none := kernel.Func{Name: "zero", F: func(_, _ []float64) float64 { return 0 }}
	best, err := s.scoreOne(t.Context(), s.train, denseSetting(kernels{Kernel: none}, 1), nil)
	must.OK(t, err)
	best.calibration.Temperature = 5
	m, result, err := s.fitAll(t.Context(), best, nil)
	if err != nil || result.Status != mpcvm.Collapsed || m.Temperature() != 1 {
		t.Fatalf("%v, temperature %g, %v", result.Status, m.Temperature(), err)
	}
	for c, p := range m.Proba(nil, set.X).RawRowView(0) {
		if math.Abs(p-float64(d.Counts()[c])/90) > 1e-4 {
			t.Errorf("class %d has probability %g and %d of 90 samples", c, p, d.Counts()[c])
		}
	}
}

// Wherever the context ends during the choice of a width, the fit or the calibration, Partial describes the
// model, and its relevance vectors are rows of the data.
func TestWidthCancelledAnywhere(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 4)
	const part = "trained on 48 of 60 samples: one fold of "
	rbf := kernel.RBF{Theta: 0.5}
	for _, tt := range []struct {
		l    mpcvm.Learner
		want []string
	}{
		{Width{Learner: mpcvm.BottomUp{MaxIterations: 5}}, []string{"", part + "the first width",
			part + "the best of 3 widths tried"}},
		{Calibrated{Learner: mpcvm.TopDown{Kernel: rbf, MaxIterations: 5}},
			[]string{"", "the fit ended in iteration 2", uncalibrated}},
	} {
		seen := map[string]bool{}
		for after := 1; ; after = after*21/20 + 1 {
			ctx := watch.NewCountdown(t.Context(), after)
			m, r, err := tt.l.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T})
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || r.Status != mpcvm.Cancelled || (m == nil) != (r.Partial == "") {
				t.Fatalf("%T after %d checks: %v, %v, %q, model %v", tt.l, after, r.Status, err, r.Partial, m)
			}
			if seen[r.Partial] = true; m == nil {
				continue
			}
			for _, v := range m.RelevanceVectors() {
				if v.Label != set.T[v.Index] || !slices.Equal(v.X, set.X.RawRowView(v.Index)) {
					t.Fatalf("%T after %d checks: a relevance vector is not row %d", tt.l, after, v.Index)
				}
			}
		}
		for _, want := range tt.want {
			if !seen[want] {
				t.Errorf("%T: Partial was never %q, but %v", tt.l, want, seen)
			}
		}
	}
}

// If neither the linear nor the kernel model wins, the model is the mean of both: its potentials are the
// mean of both potentials, divided by their temperatures. A preference for small models excludes it.
func TestMean(t *testing.T) {
	set := data.NewMixture(3, 2, 3, 1, 3).Set(90, 1)
	d := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
	s := newState(Auto{}, d, clock.now())
	m, result, err := s.fit(t.Context(), nil)
	must.OK(t, err)
	last := s.trials[s.chosen.trial]
	if !strings.HasPrefix(last.Learner, "mean of linear") || m.Coefficients() == nil || m.VectorCount() == 0 ||
		!last.Chosen || result.Status == mpcvm.Collapsed {
		t.Fatalf("%+v, %v", last, m)
	}
	again, _, err := last.Refit.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
	if err != nil || !mat.Equal(again.Proba(nil, set.X), m.Proba(nil, set.X)) {
		t.Errorf("the learner of the trial fits another model (%v)", err)
	}
	of := s.chosen.learner(s.chosen.kernels.Kernel, s.options()).(mean)
	linear, _, err := of.linear.Fit(t.Context(), mpcvm.Samples(d.Samples()))
	must.OK(t, err)
	other, _, err := of.kernel.Fit(t.Context(), mpcvm.Samples(d.Samples()))
	must.OK(t, err)
	var want mat.Dense
	want.Scale(of.a, linear.Potentials(nil, set.X))
	scaled := other.Potentials(nil, set.X)
	scaled.Scale(of.b, scaled)
	want.Add(&want, scaled)
	if !mat.EqualApprox(&want, m.Potentials(nil, set.X), 1e-12) {
		t.Error("the potentials are not the mean")
	}
	small, _, err := Auto{Prefer: Sparsity}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
	if err != nil || small.Coefficients() != nil && small.VectorCount() > 0 {
		t.Errorf("a mean for the smallest model (%v)", err)
	}
}
