package svm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// TestTuneRates: separate fits on the same folds give the same rates, within the limits of Tol.
func TestTuneRates(t *testing.T) {
	set, _, _ := parts(t, "glass")
	d := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
	g := svm.Grid{C: []float64{100, 1, 10}, Theta: []float64{1, 0.1}, Folds: 3} // in any order
	for _, cacheMiB := range []float64{0, 0.05} {
		l := svm.SVM{CacheMiB: cacheMiB, Tol: 1e-5, NoProbability: true}
		_, tried, err := l.Tune(bg, mpcvm.Samples{X: set.X, T: set.T}, g)
		must.OK(t, err)
		if len(tried) != 6 || tried[0].C != 1 || tried[0].Kernel != (kernel.RBF{Theta: 0.1}) || tried[5].C != 100 {
			t.Fatalf("tried %v", tried)
		}
		for _, s := range tried {
			l.Kernel, l.C = s.Kernel, s.C
			y, err := d.CrossValidate(bg, g.Folds, l.Seed, func(_ int, part *fitting.Data) (fitting.Predictor, error) {
				m, _ := fit(t, l, part.X, part.T)
				return voter{m}, nil
			})
			must.OK(t, err)
			labels := make([]int, d.N)
			for i := range labels {
				labels[i] = fitting.Argmax(y.RawRowView(i))
			}
			if e := must.Get(score.ErrorRate(labels, set.T))(t); math.Abs(e-s.ErrorRate) > 1.5/float64(d.N) {
				t.Errorf("%v, C = %v: error rate %v, separate fits %v", s.Kernel, s.C, s.ErrorRate, e)
			}
		}
	}
}

// voter is a model whose potentials are 1 for the label and 0 for the other classes.
type voter struct{ *svm.Model }

func (m voter) Potentials(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	labels := m.Predict(nil, x)
	y := mat.NewDense(len(labels), m.Classes(), nil)
	for i, label := range labels {
		y.Set(i, label, 1)
	}
	return y
}

func TestTune(t *testing.T) {
	train, test, _ := parts(t, "iris")
	var seen []svm.Setting
	l := svm.SVM{NoShrinking: true}
	tuned, trials, err := l.Tune(bg, mpcvm.Samples{X: train.X, T: train.T},
		svm.Grid{OnTrial: func(trial svm.Setting) { seen = append(seen, trial) }})
	must.OK(t, err)
	if len(trials) != 64 || len(seen) != 64 || !tuned.NoShrinking {
		t.Errorf("%d trials, %d seen, tuned %+v", len(trials), len(seen), tuned)
	}
	best := svm.Setting{ErrorRate: 1}
	for _, trial := range trials {
		if trial.ErrorRate < best.ErrorRate || trial.ErrorRate == best.ErrorRate && trial.C < best.C {
			best = trial
		}
	}
	if tuned.C != best.C || tuned.Kernel != best.Kernel {
		t.Errorf("chose %v and C = %v, best is %+v", tuned.Kernel, tuned.C, best)
	}
	m, _ := fit(t, tuned, train.X, train.T)
	if e := must.Get(score.ErrorRate(m.Predict(nil, test.X), test.T))(t); e > 0.1 {
		t.Errorf("error rate %v", e)
	}
}

// TestTuneKernels: a Laplacian has its own widths. A kernel without a width has one trial for each C.
func TestTuneKernels(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 1)
	for _, tt := range []struct {
		k      kernel.Kernel
		trials int
	}{{kernel.Laplacian{}, 64}, {kernel.Linear{}, 8}, {kernel.RBF{Theta: 7}, 64}} {
		l, trials, err := svm.SVM{Kernel: tt.k}.Tune(bg, mpcvm.Samples{X: set.X, T: set.T}, svm.Grid{})
		if err != nil || len(trials) != tt.trials || fmt.Sprintf("%T", l.Kernel) != fmt.Sprintf("%T", tt.k) {
			t.Errorf("%v: %d trials, %v, %v", tt.k, len(trials), l.Kernel, err)
		}
	}
	// A class with one sample is never tested.
	x, labels := mat.NewDense(9, 1, []float64{0, 1, 2, 3, 10, 11, 12, 13, 99}), []int{0, 0, 0, 0, 1, 1, 1, 1, 2}
	_, trials, err := svm.SVM{}.Tune(bg, mpcvm.Samples{X: x, T: labels}, svm.Grid{C: []float64{10},
		Theta: []float64{0.1}})
	if err != nil || trials[0].ErrorRate != 0 {
		t.Errorf("trials %v, %v", trials, err)
	}
}

func TestTuneCancel(t *testing.T) {
	set := data.Blobs(200, 3, 2, 1, 1)
	running, cancel := context.WithCancel(bg)
	l := svm.SVM{C: 3}
	tuned, trials, err := l.Tune(running, mpcvm.Samples{X: set.X, T: set.T},
		svm.Grid{OnTrial: func(svm.Setting) { cancel() }})
	if !errors.Is(err, context.Canceled) || len(trials) != 8 || tuned.C != 3 || tuned.Kernel != nil {
		t.Errorf("%d trials, %+v, %v", len(trials), tuned, err)
	}
	if _, trials, err := l.Tune(running, mpcvm.Samples{X: set.X, T: set.T}, svm.Grid{}); !errors.Is(err,
		context.Canceled) || len(trials) != 0 {
		t.Errorf("%d trials, %v", len(trials), err)
	}
	var bad *mpcvm.CellError
	if _, _, err := l.Tune(bg, mpcvm.Samples{X: set.X, T: make([]int, 200)}, svm.Grid{}); !errors.As(err, &bad) {
		t.Errorf("one class: %v", err)
	}
}
