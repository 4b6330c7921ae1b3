package gp_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// TestLeaveOneOut: compared with the fit to all samples, the closed form is at most half as far from the fits
// that leave each sample out, with and without sample weights.
func TestLeaveOneOut(t *testing.T) {
	set := data.Blobs(40, 3, 2, 1, 2)
	weights := make([]float64, set.N())
	for n := range weights {
		weights[n] = []float64{0.5, 1, 3}[n/3%3]
	}
	part := func(rows []int, weighted bool) mpcvm.Samples {
		of := set.Subset(rows)
		s := mpcvm.Samples{X: of.X, T: of.T}
		for _, n := range rows {
			if weighted {
				s.Weights = append(s.Weights, weights[n])
			}
		}
		return s
	}
	all := set.Complement(nil)
	for _, tt := range []struct {
		scale    float64
		weighted bool
	}{{1, false}, {10, false}, {100, false}, {10, true}} {
		l := gp.KernelPrior{Kernel: kernel.RBF{Theta: 0.3}, Scale: tt.scale}
		fast := must.Get(l.LeaveOneOut(t.Context(), part(all, tt.weighted)))(t)
		whole, _, err := l.Fit(t.Context(), part(all, tt.weighted))
		must.OK(t, err)
		seen := whole.Potentials(nil, set.X)
		off, moved := 0.0, 0.0
		for n := range set.N() {
			m, _, err := l.Fit(t.Context(), part(set.Complement([]int{n}), tt.weighted))
			must.OK(t, err)
			truth := m.Potentials(nil, set.X.Slice(n, n+1, 0, set.D()))
			for c := range set.C() {
				off += math.Abs(fast.At(n, c) - truth.At(0, c))
				moved += math.Abs(seen.At(n, c) - truth.At(0, c))
			}
		}
		t.Logf("%+v: mean distance %.4f, %.4f for the fit to all samples", tt, off/float64(set.N()*set.C()),
			moved/float64(set.N()*set.C()))
		if off > 0.5*moved {
			t.Errorf("%+v: distance %g, and %g for the fit to all samples", tt, off, moved)
		}
	}
}

// For the dense model, the width and the temperature are chosen by LeaveOneOut.
func TestLeaveOneOutChooses(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 2)
	m, result := laws.Fit(t, search.Calibrated{Learner: search.Width{Learner: gp.KernelPrior{}}}, set.X, set.T)
	least := math.Inf(1)
	var best kernel.Kernel
	for _, trial := range result.Trials {
		if trial.LogLoss < least {
			least, best = trial.LogLoss, trial.Kernel
		}
	}
	y, err := gp.KernelPrior{Kernel: m.Kernel()}.LeaveOneOut(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	if best != m.Kernel() || m.Temperature() != search.Temperature(y, set.T) {
		t.Errorf("kernel %v, temperature %g; the best of %d trials is %v with temperature %g",
			m.Kernel(), m.Temperature(), len(result.Trials), best, search.Temperature(y, set.T))
	}
}

func TestLeaveOneOutErrors(t *testing.T) {
	set := data.Blobs(40, 3, 2, 1, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (gp.KernelPrior{Kernel: kernel.RBF{Theta: 1}}).LeaveOneOut(ctx,
		mpcvm.Samples{X: set.X, T: set.T}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, k := range []kernel.Kernel{nil, kernel.RBF{}, kernel.RBF{Theta: -1}} {
		if _, err := (gp.KernelPrior{Kernel: k}).LeaveOneOut(t.Context(),
			mpcvm.Samples{X: set.X, T: set.T}); err == nil {
			t.Errorf("%v: no error", k)
		}
	}
	bad := mat.DenseCopyOf(set.X)
	bad.Set(3, 1, math.NaN())
	var wrong *mpcvm.CellError
	if _, err := (gp.KernelPrior{Kernel: kernel.RBF{Theta: 1}}).LeaveOneOut(t.Context(),
		mpcvm.Samples{X: bad, T: set.T}); !errors.As(err, &wrong) || wrong.Row != 4 || wrong.Column != 2 {
		t.Errorf("NaN: %v", err)
	}
}
