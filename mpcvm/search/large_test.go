package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/sets"
	"github.com/mpcvm/mpcvm/internal/testkit/spoil"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// TestShuttle fits 58,000 samples with the default options. Once a fold has ended, a cancelled fit returns a
// model. The test logs times and memory; see docs/performance.md for measured ones.
func TestShuttle(t *testing.T) {
	if !spoil.Long() {
		t.Skip("takes minutes: make long PARTS=faults")
	}
	set := sets.Of("shuttle", shuttle(58000, 1), shuttle(14500, 2))
	x, labels, xNew, truth := set.X, set.T, set.XTest, set.TTest
	steps, first := 0, time.Duration(0)
	m, result, err := search.Auto{OnProgress: func(p search.Progress) {
		if steps = p.Done; first == 0 && p.Best.Kernel != nil {
			first = p.Elapsed
		}
	}}.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
	must.OK(t, err)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	wrong := must.Get(score.ErrorRate(m.Predict(nil, xNew), truth))(t)
	logLoss, err := score.LogLoss(m.Proba(nil, xNew), truth)
	t.Logf("%v: first trial after %v, %.0f s, %d MiB, error rate %.4f, log loss %.4f (%v), %d weights, %d "+
		"candidates",
		result.Status, first, result.Seconds, memory.Sys>>20, wrong, logLoss, err, m.WeightCount(),
		result.Candidates)
	if wrong > 0.002 || result.Candidates == 0 {
		t.Error("the error rate is too high, or the final fit has no candidates")
	}
	for _, at := range []int{1, steps / 2, steps - 1} {
		ctx, cancel := context.WithCancel(t.Context())
		var end time.Time
		m, result, err := search.Auto{OnProgress: func(p search.Progress) {
			if p.Done == at && end.IsZero() {
				end = time.Now()
				cancel()
			}
		}}.Fit(ctx, mpcvm.Samples{X: x, T: labels})
		t.Logf("after %d steps: %v later, %q", at, time.Since(end), result.Partial)
		if m == nil || !errors.Is(err, context.Canceled) || result.Status != mpcvm.Cancelled {
			t.Errorf("after %d of %d steps: model %v, %v, %v", at, steps, m, err, result.Status)
		}
		cancel()
	}
}

// shuttle returns n samples that resemble the data set Shuttle: 9 features, integers with outliers,
// and 7 classes. The first class has 79 % of the samples; two have about a dozen of 58,000. Every
// seed draws from the same density.
func shuttle(n int, seed uint64) *data.Set {
	var centre [7][3][9]float64 // three clouds per class
	rng := rand.New(rand.NewPCG(77, 1))
	for c := range centre {
		for k := range centre[c] {
			for d := range centre[c][k] {
				centre[c][k][d] = 1.6 * rng.NormFloat64()
			}
		}
	}
	count, rest := []int{0, 50, 171, 8903, 3267, 10, 13}, n
	for c := 1; c < len(count); c++ {
		count[c] = max(2, count[c]*n/58000)
		rest -= count[c]
	}
	count[0] = rest
	set := &data.Set{Name: "shuttle", X: mat.NewDense(n, 9, nil)}
	for d := range 9 {
		set.Features = append(set.Features, fmt.Sprint("x", d+1))
	}
	rng = rand.New(rand.NewPCG(seed, 9))
	for c, m := range count {
		set.Classes = append(set.Classes, fmt.Sprint(c+1))
		for range m {
			cloud := centre[c][rng.IntN(3)]
			for d, v := range cloud {
				if v += 0.6 * rng.NormFloat64(); rng.IntN(300) == 0 {
					v *= 8
				}
				set.X.Set(len(set.T), d, math.Round(10*v))
			}
			set.T = append(set.T, c)
		}
	}
	return set
}
