//go:build long

package gp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// TestLongCandidatesComputed: where memory does not suffice to hold Φ it is computed when it is
// needed, with the same bits. Where it does not suffice for that, the fit is refused.
func TestLongCandidatesComputed(t *testing.T) {
	const n, k, c = gram.SegmentColumns + 5000, 240, 3
	set := data.NewMixture(c, 2, 2, 0.6, 1).Set(n, 1)
	big, block, other := 8.*n*k, float64(gram.WorkBytes), 64.*n*c+c*k*(400+8*k)
	for _, tt := range []struct {
		l          gp.KernelPrior
		held, less float64 // bytes
	}{
		{gp.KernelPrior{MaxIterations: 25}, big + other, 1},
		{gp.KernelPrior{MaxIterations: 25, Float32: true}, big/2 + other, 0}, // a block takes no less
	} {
		l := tt.l
		l.Kernel, l.Candidates, l.Scale = kernel.RBF{Theta: 1}, k, 10
		need := min(tt.held, block+other)
		var models []string
		for _, have := range []float64{tt.held, tt.held - tt.less, need} {
			restore := memory.Pretend(have)
			m, _, err := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
			restore()
			if err != nil {
				t.Fatalf("%.0f bytes: %v", have, err)
			}
			models = append(models, saved(t, m))
		}
		if models[0] != models[1] || models[0] != models[2] {
			t.Errorf("float32 %v: another model where Φ is computed block by block", l.Float32)
		}
		restore := memory.Pretend(need - 1)
		_, _, err := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
		restore()
		var refused *mpcvm.MemoryError
		if !errors.As(err, &refused) || refused.Need != need || !strings.Contains(err.Error(), "lower Candidates") {
			t.Errorf("a byte less than %.0f: %v", need, err)
		}
	}
}

// TestLongCandidatesTemperature: with candidates the temperature is chosen by samples that a fit has
// not seen, of few samples by cross-validation, of many by holding out.
func TestLongCandidatesTemperature(t *testing.T) {
	set := data.NewMixture(3, 2, 2, 0.6, 1).Set(5200, 1)
	for _, n := range []int{1000, 5200} {
		x, labels := set.X.Slice(0, n, 0, 2), set.T[:n]
		learner := gp.KernelPrior{Kernel: kernel.RBF{Theta: 1}, Candidates: 50, Tol: 1e-2}
		m, r, err := search.Calibrated{Learner: learner}.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
		if err != nil || r.Candidates != 50 || m.Temperature() == 1 {
			t.Errorf("%d samples: %d candidates, temperature %g, %v", n, r.Candidates, m.Temperature(), err)
		}
	}
}
