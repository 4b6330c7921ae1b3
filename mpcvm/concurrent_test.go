package mpcvm_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/spoil"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// sameBits returns a description of the first difference in a bit, or "".
func sameBits(got, want []float64) string {
	for i, v := range want {
		if math.Float64bits(got[i]) != math.Float64bits(v) {
			return fmt.Sprintf("number %d is %v, sequentially %v", i, got[i], v)
		}
	}
	return ""
}

// Sixty-four goroutines that call one model at the same time, starting with its first prediction, get the
// same bits as sequential calls.
func TestConcurrentPredict(t *testing.T) {
	set := must.Load(t, "wine")
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	m, _ := laws.Fit(t, mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.03}}, x, set.T)
	saved := save(t, m)
	alone := load(t, saved)
	proba, potentials, labels := alone.Proba(nil, x), alone.Potentials(nil, x), alone.Predict(nil, x)
	last := alone.Explain(x.RawRowView(set.N() - 1))

	calls := 40 // per goroutine
	if spoil.Long() {
		calls = 2000
	}
	shared := load(t, saved) // has not made a prediction yet
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() {
			own := mat.NewDense(set.N(), shared.Classes(), nil)
			for i := g; i < g+calls; i++ {
				from := i % set.N()
				part := x.Slice(from, set.N(), 0, set.D())
				dst := own.Slice(from, set.N(), 0, shared.Classes()).(*mat.Dense)
				fault := ""
				switch i % 4 {
				case 0:
					fault = sameBits(shared.Proba(dst, part).RawRowView(0), proba.RawRowView(from))
				case 1:
					fault = sameBits(shared.Potentials(dst, part).RawRowView(0), potentials.RawRowView(from))
				case 2:
					for n, l := range shared.Predict(nil, part) {
						if l != labels[from+n] {
							fault = fmt.Sprintf("row %d is of class %d, sequentially %d", from+n, l, labels[from+n])
						}
					}
				case 3:
					fault = sameBits(shared.Explain(x.RawRowView(set.N()-1)).Potentials, last.Potentials)
				}
				if fault != "" {
					t.Error(fault)
					return
				}
			}
		})
	}
	wg.Wait()
}

// Concurrent fits give the same models as sequential fits.
func TestConcurrentFits(t *testing.T) {
	set := must.Load(t, "iris")
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	k := kernel.RBF{Theta: 0.2}
	learners := []mpcvm.Learner{
		mpcvm.TopDown{Kernel: k}, mpcvm.BottomUp{Kernel: k}, mpcvm.BottomUp{Kernel: k,
			Float32: true}, gp.KernelPrior{Kernel: k, Keep: 1},
		search.Calibrated{Learner: mpcvm.BottomUp{Kernel: kernel.Laplacian{Theta: 0.1}, Seed: 3}, Seed: 3},
	}
	alone := make([]string, len(learners))
	for i, l := range learners {
		m, _ := laws.Fit(t, l, x, set.T)
		alone[i] = save(t, m)
	}
	rounds := 2
	if spoil.Long() {
		rounds = 20
	}
	var wg sync.WaitGroup
	for range rounds {
		for i, l := range learners {
			wg.Go(func() {
				m, _, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: set.T})
				if err != nil {
					t.Error(err)
				} else if save(t, m) != alone[i] {
					t.Errorf("%T: a different model than in a sequential fit", l)
				}
			})
		}
	}
	wg.Wait()
}
