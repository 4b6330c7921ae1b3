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

// TestLongCandidatesComputed: if Φ does not fit into memory, it is computed block by block with the same
// bits. If there is not enough memory for that, Fit returns an error.
func TestLongCandidatesComputed(t *testing.T) {
	const n, k, c = gram.SegmentColumns + 5000, 240, 3
	set := data.NewMixture(c, 2, 2, 0.6, 1).Set(n, 1)
	big, block, other := 8.*n*k, float64(gram.WorkBytes), 64.*n*c+c*k*(400+8*k)
	for _, tt := range []struct {
		l          gp.KernelPrior
		held, less float64 // bytes
	}{
		{gp.KernelPrior{MaxIterations: 25}, big + other, 1},
		{gp.KernelPrior{MaxIterations: 25, Float32: true}, big/2 + other, 0}, // a block takes as much
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
			t.Errorf("float32 %v: another model if Φ is computed block by block", l.Float32)
		}
		restore := memory.Pretend(need - 1)
		_, _, err := l.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
		restore()
		var refused *mpcvm.MemoryError
		if !errors.As(err, &refused) || refused.Need != need || !strings.Contains(err.Error(), "lower Candidates") {
			t.Errorf("one byte less than %.0f: %v", need, err)
		}
	}
}

// TestLongCandidatesTemperature: with candidates, the temperature is chosen by cross-validation, or with many
// samples on a held-out set.
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
