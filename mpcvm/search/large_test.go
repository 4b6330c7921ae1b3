package search_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/internal/sets"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// TestShuttle is a fit to 58,000 samples with the default options: in some minutes, with less
// than 2 GB, and with a first model in less than two minutes. A fit that is cancelled returns in
// a second.
func TestShuttle(t *testing.T) {
	if os.Getenv("MPCVM_FAULTS") == "" {
		t.Skip("takes minutes; set MPCVM_FAULTS to run it")
	}
	set := sets.Of("shuttle", sets.Shuttle(58000, 1), sets.Shuttle(14500, 2))
	x, labels, xNew, truth := set.X, set.T, set.XTest, set.TTest
	first := time.Duration(0)
	start := time.Now()
	m, result, err := search.Auto{OnProgress: func(p search.Progress) {
		if first == 0 && p.Best.Kernel != nil {
			first = time.Since(start)
		}
	}}.Fit(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	wrong := score.ErrorRate(m.Predict(nil, xNew), truth)
	logLoss, err := score.LogLoss(m.Proba(nil, xNew), truth)
	t.Logf("%v: first trial after %v, %.0f s, %d MiB, error rate %.4f, log loss %.4f (%v), %d weights, %d candidates",
		result.Status, first, result.Seconds, memory.Sys>>20, wrong, logLoss, err, m.WeightCount(), result.Candidates)
	if first > 2*time.Minute || result.Seconds > 900 || memory.Sys > 2e9 || wrong > 0.002 || result.Candidates == 0 {
		t.Error("too slow, too large or too bad")
	}
	for _, after := range []time.Duration{5 * time.Second, 30 * time.Second, 60 * time.Second} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		start := time.Now()
		m, result, err := search.Auto{}.Fit(ctx, x, labels)
		cancel()
		if err == nil {
			break // it was done
		}
		late := time.Since(start) - after
		t.Logf("after %v: %v later, %q", after, late, result.Partial)
		if m == nil || !errors.Is(err, context.DeadlineExceeded) || result.Status != mpcvm.Cancelled || late > time.Second {
			t.Errorf("after %v: model %v, %v, %v, %v later", after, m, err, result.Status, late)
		}
	}
}
