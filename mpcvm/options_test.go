package mpcvm_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestHarshOptions: options of any magnitude, far from useful values, do not cause a panic or NaN.
func TestHarshOptions(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(24, 3, 2, 1, 1)
	k := kernel.RBF{Theta: 0.5}
	equal := mat.NewDense(24, 2, nil)
	for _, v := range []float64{5e-324, 1e-300, 1e-160, 1e-20, 1e-8, 1e8, 1e20, 1e160, 1e300} {
		for name, l := range map[string]mpcvm.Learner{
			"U1": mpcvm.TopDown{Kernel: k, U1: v}, "V1": mpcvm.TopDown{Kernel: k, V1: v}, "U2": mpcvm.TopDown{
				Kernel: k, U2: v},
			"V2": mpcvm.TopDown{Kernel: k, V2: v}, "Prune": mpcvm.TopDown{Kernel: k,
				Prune: v}, "Evidence": mpcvm.BottomUp{Kernel: k, LikelihoodPower: v},
			"Scale": gp.KernelPrior{Kernel: k, Scale: v}, "Keep": gp.KernelPrior{Kernel: k, Keep: v},
		} {
			for _, x := range []*mat.Dense{set.X, equal} {
				m, r, err := l.Fit(bg, mpcvm.Samples{X: x, T: set.T})
				if err != nil {
					t.Errorf("%s = %g: %v", name, v, err)
					continue
				}
				laws.CheckModel(t, name, m, x, set.T)
				if math.IsNaN(r.Objective-r.Objective) || math.IsNaN(r.LogLik-r.LogLik) {
					t.Errorf("%s = %g: objective %v, log likelihood %v", name, v, r.Objective, r.LogLik)
				}
			}
		}
		for name, w := range map[string]gp.ARD{"Widths.Scale": {Kernel: k, Scale: v}, "Widths.Tau": {Kernel: k,
			Tau: v}} {
			for _, x := range []*mat.Dense{set.X, equal} {
				got, r, err := w.Fit(bg, mpcvm.Samples{X: x, T: set.T})
				if err != nil || kernel.Validate(got) != nil || math.IsNaN(r.Objective-r.Objective) {
					t.Errorf("%s = %g: %v, objective %v, %v", name, v, got, r.Objective, err)
				}
			}
		}
	}
}
