package search_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
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

// TestChosenTheta: if Theta is zero, the width with the lowest log loss of all trials is chosen, the same in
// each fit, and its neighbours were tried.
func TestChosenTheta(t *testing.T) {
	set := data.Spirals(90, 3, 0.03, 3)
	for name, ls := range map[string][]mpcvm.Learner{
		"TopDown": {search.Width{Learner: mpcvm.TopDown{}}, search.Width{Learner: mpcvm.TopDown{},
			Kernel: kernel.RBF{}}},
		"BottomUp": {search.Width{Learner: mpcvm.BottomUp{}}, search.Width{Learner: mpcvm.BottomUp{},
			Kernel: kernel.RBF{}}},
		"Laplacian": {search.Width{Learner: mpcvm.BottomUp{}, Kernel: kernel.Laplacian{}}},
	} {
		var first *mpcvm.Model
		for _, l := range ls {
			m, r, err := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
			must.OK(t, err)
			best := 0
			tried := map[float64]bool{}
			theta := func(k kernel.Kernel) float64 {
				if k, ok := k.(kernel.Laplacian); ok {
					return k.Theta
				}
				return k.(kernel.RBF).Theta
			}
			for i, trial := range r.Trials {
				if trial.LogLoss < r.Trials[best].LogLoss {
					best = i
				}
				if trial.ErrorRate < 0 || trial.ErrorRate > 1 || !(trial.LogLoss > 0) {
					t.Errorf("%s: trial %+v", name, trial)
				}
				tried[theta(trial.Kernel)] = true
			}
			if len(r.Trials) < 5 || r.Trials[best].Kernel != m.Kernel() {
				t.Errorf("%s: kernel %v after trials %v", name, m.Kernel(), r.Trials)
			}
			if c := theta(m.Kernel()); !tried[2*c] || !tried[c/2] {
				t.Errorf("%s: neighbours of θ = %g were not tried: %v", name, c, r.Trials)
			}
			if first == nil {
				first = m
			} else if !reflect.DeepEqual(first.RelevanceVectors(), m.RelevanceVectors()) {
				t.Errorf("%s: a nil kernel and a zero Theta give different models", name)
			}
			if e := must.Get(score.ErrorRate(m.Predict(nil, set.X), set.T))(t); e > 0.15 {
				t.Errorf("%s: training error %g at θ = %g", name, e, theta(m.Kernel()))
			}
		}
	}
}

// TestChoiceWithSmallClasses: a class of one sample is in every fold.
func TestChoiceWithSmallClasses(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(20, 2, 2, 2, 1)
	x := mat.NewDense(23, 2, nil)
	labels := make([]int, 23)
	copy(labels, set.T)
	for i := range 20 {
		x.SetRow(i, set.X.RawRowView(i))
	}
	x.SetRow(20, []float64{9, 9})
	x.SetRow(21, []float64{-9, 9})
	x.SetRow(22, []float64{-9, 8})
	labels[20], labels[21], labels[22] = 2, 3, 3
	for name, l := range map[string]mpcvm.Learner{"TopDown": search.Calibrated{
		Learner: search.Width{Learner: mpcvm.TopDown{}}}, "BottomUp": search.Calibrated{
		Learner: search.Width{Learner: mpcvm.BottomUp{}}}} {
		m, _, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		laws.CheckModel(t, name, m, x, labels)
	}
}

func TestCrossValidate(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 5)
	l := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}, MaxIterations: 30}
	y, err := search.CrossValidate(t.Context(), l, mpcvm.Samples{X: set.X, T: set.T}, 4, 1)
	must.OK(t, err)
	again, err := search.CrossValidate(t.Context(), l, mpcvm.Samples{X: set.X, T: set.T}, 4, 1)
	if err != nil || !mat.Equal(y, again) {
		t.Errorf("another result for the same seed (%v)", err)
	}
	other, err := search.CrossValidate(t.Context(), l, mpcvm.Samples{X: set.X, T: set.T}, 4, 2)
	if err != nil || mat.Equal(y, other) {
		t.Errorf("the same result for another seed (%v)", err)
	}
	if _, err := search.CrossValidate(t.Context(), l, mpcvm.Samples{X: set.X, T: make([]int, 60)}, 4,
		1); err == nil {
		t.Error("no error for one class")
	}
}

// TestTemperatureIsFound: potentials that are multiplied by a factor have a temperature multiplied by it.
func TestTemperatureIsFound(t *testing.T) {
	set := data.Blobs(600, 3, 2, 1, 2)
	m, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}}.Fit(t.Context(),
		mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	fresh := data.Blobs(600, 3, 2, 1, 77)
	y := m.Potentials(nil, fresh.X)
	one := search.Temperature(y, fresh.T)
	if one < 0.5 || one > 2 {
		t.Errorf("temperature %g for simple data", one)
	}
	y.Scale(4, y)
	if four := search.Temperature(y, fresh.T); math.Abs(four/one-4) > 1e-3 {
		t.Errorf("temperature %g, and %g for four times the potentials", one, four)
	}
	loss := func(T float64) float64 {
		l := must.Get(score.LogLoss(m.WithTemperature(T).Proba(nil, fresh.X), fresh.T))(t)
		return l
	}
	if loss(one) > loss(1.1*one) || loss(one) > loss(one/1.1) {
		t.Errorf("log loss %g at T = %g, %g and %g nearby", loss(one), one, loss(1.1*one), loss(one/1.1))
	}
}

// TestTemperatureSoftened: the temperature minimises the loss with the target 1 − ε for the class of a label
// and ε/(C−1) for each other class, ε = 1/(N+2).
func TestTemperatureSoftened(t *testing.T) {
	const n, c = 8, 4
	rng := rand.New(rand.NewPCG(3, 3))
	y, labels := mat.NewDense(n, c, nil), make([]int, n)
	for i := range n {
		labels[i] = i % c
		for k := range c {
			y.Set(i, k, rng.NormFloat64())
		}
		y.Set(i, labels[i], y.At(i, labels[i])+3) // no errors: without ε, T would go to zero
	}
	loss := func(T float64) float64 {
		sum, row := 0.0, make([]float64, c)
		for i, label := range labels {
			floats.ScaleTo(row, 1/T, y.RawRowView(i))
			for k := range c {
				share := 1.0 / (n + 2) / (c - 1)
				if k == label {
					share = 1 - 1.0/(n+2)
				}
				sum -= share * probit.LogProb(row, k)
			}
		}
		return sum
	}
	got := search.Temperature(y, labels)
	for _, other := range []float64{0.1, 0.3, 0.8, 0.99, 1.01, 1.25, 3, 10} {
		if loss(got) >= loss(got*other) {
			t.Errorf("loss %g at the temperature %g, %g at %g", loss(got), got, loss(got*other), got*other)
		}
	}
}

// TestCalibrate: the temperature improves an overconfident model.
func TestCalibrate(t *testing.T) {
	set := data.Spirals(150, 3, 0.12, 1)
	test := data.Spirals(600, 3, 0.12, 2)
	l := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 8}, MaxIterations: 60}
	plain, _, err := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	calm, _, err := search.Calibrated{Learner: l}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	before, _ := score.LogLoss(plain.Proba(nil, test.X), test.T)
	after, _ := score.LogLoss(calm.Proba(nil, test.X), test.T)
	t.Logf("T = %.2f: log loss %.3f, was %.3f", calm.Temperature(), after, before)
	if plain.Temperature() != 1 || after > before {
		t.Errorf("T = %g: log loss %g, was %g", calm.Temperature(), after, before)
	}
	if !reflect.DeepEqual(plain.Predict(nil, test.X), calm.Predict(nil, test.X)) {
		t.Error("calibration changed labels")
	}
}

// If the choice of a width is cancelled, Fit returns the model of one fold of the best width so far, or nil
// if no fold has ended.
func TestCancelledChoice(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(60, 3, 2, 1, 4)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	m, r, err := search.Width{Learner: mpcvm.BottomUp{}}.Fit(done, mpcvm.Samples{X: set.X, T: set.T})
	if m != nil || !errors.Is(err, context.Canceled) || r.Status != mpcvm.Cancelled || r.Partial != "" {
		t.Errorf("%v, %v, %v, %q", m, r.Status, err, r.Partial)
	}
	for name, inner := range map[string]mpcvm.Learner{
		"BottomUp": mpcvm.BottomUp{}, "TopDown": mpcvm.TopDown{}, "KernelPrior": gp.KernelPrior{Keep: 1},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var best mpcvm.Trial
		trials := 0
		l := search.Width{Learner: inner, OnTrial: func(trial mpcvm.Trial) {
			if trials++; trials == 1 || trial.LogLoss < best.LogLoss {
				best = trial
			}
			if trials == 3 {
				cancel()
			}
		}}
		m, r, err := l.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T})
		if m == nil || !errors.Is(err, context.Canceled) || r.Status != mpcvm.Cancelled ||
			r.Partial != "trained on 48 of 60 samples: one fold of the best of 3 widths tried" {
			t.Fatalf("%s: %v, %v, %v, %q", name, m, r.Status, err, r.Partial)
		}
		if m.Kernel() != best.Kernel || best.Samples != 60 {
			t.Errorf("%s: kernel %v, the best trial is %+v", name, m.Kernel(), best)
		}
		laws.CheckModel(t, name, m, set.X, set.T)
	}
}
