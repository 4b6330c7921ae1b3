package search_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// patients returns five rows for each of 24 patients. The rows of a patient are nearly equal, and the label
// of a patient is random, so that nothing can be learned about new patients.
func patients() (x *mat.Dense, t, groups []int, times []float64) {
	const n, each = 24, 5
	rng := rand.New(rand.NewPCG(4, 2))
	x = mat.NewDense(n*each, 3, nil)
	for p := range n {
		mean := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		for i := range each {
			for j, v := range mean {
				x.Set(p*each+i, j, v+0.02*rng.NormFloat64())
			}
			t, groups, times = append(t, p*7%n%2), append(groups, p), append(times, float64(p))
		}
	}
	return x, t, groups, times
}

// TestGrouped: dependent rows mislead learners that use cross-validation, unless they know the groups or the
// times.
func TestGrouped(t *testing.T) {
	x, labels, groups, times := patients()
	least := func(l mpcvm.Learner, s mpcvm.Samples) float64 {
		t.Helper()
		_, result, err := l.Fit(t.Context(), s)
		must.OK(t, err)
		loss := result.Trials[0].LogLoss
		for _, trial := range result.Trials {
			loss = min(loss, trial.LogLoss)
		}
		return loss
	}
	for name, l := range map[string]mpcvm.Learner{
		"Auto": search.Auto{}, "mPCVM₁": search.Width{Learner: mpcvm.TopDown{}},
		"mPCVM₂": search.Width{Learner: mpcvm.BottomUp{}}, "kernel prior": search.Width{Learner: gp.KernelPrior{}},
	} {
		alone := least(l, mpcvm.Samples{X: x, T: labels})
		grouped, timed := least(l, mpcvm.Samples{X: x, T: labels, Groups: groups}),
			least(l, mpcvm.Samples{X: x, T: labels, Times: times})
		if alone > 0.55 || grouped < 0.56 || timed < 0.56 {
			t.Errorf("%s: lowest log loss %.3f row by row, %.3f by groups and %.3f by times", name, alone,
				grouped, timed)
		}
	}
	_, tried, err := svm.SVM{}.Tune(t.Context(), mpcvm.Samples{X: x, T: labels, Groups: groups}, svm.Grid{})
	must.OK(t, err)
	for _, s := range tried {
		if s.ErrorRate < 0.25 {
			t.Errorf("SVM: %+v", s)
		}
	}
	machine, _, err := svm.SVM{Kernel: kernel.RBF{Theta: 1}, C: 100}.Fit(t.Context(),
		mpcvm.Samples{X: x, T: labels, Groups: groups})
	must.OK(t, err)
	for i, p := 0, machine.Proba(nil, x); i < len(labels); i++ {
		if v := p.At(i, labels[i]); v > 0.95 {
			t.Errorf("SVM: the class of row %d has probability %.3f", i, v)
		}
	}
	y, err := search.CrossValidate(t.Context(), mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}},
		mpcvm.Samples{X: x, T: labels, Groups: groups}, 5, 1)
	must.OK(t, err)
	wrong := 0
	for i, label := range labels {
		if (y.At(i, 1) > y.At(i, 0)) != (label == 1) {
			wrong++
		}
	}
	if wrong < len(labels)/4 {
		t.Errorf("%d of %d wrong by groups", wrong, len(labels))
	}
}
