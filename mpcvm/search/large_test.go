package search_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// shuttle returns n samples like those of the data set Shuttle: 9 features, integers with
// outliers, and 7 classes, of which the first has 79 % and two have a dozen samples of 58,000.
func shuttle(n int, seed uint64) (*mat.Dense, []int) {
	var centre [7][3][9]float64 // three clouds a class
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
	x, labels := mat.NewDense(n, 9, nil), make([]int, 0, n)
	rng = rand.New(rand.NewPCG(seed, 9))
	for c, m := range count {
		for range m {
			cloud := centre[c][rng.IntN(3)]
			for d, v := range cloud {
				if v += 0.6 * rng.NormFloat64(); rng.IntN(300) == 0 {
					v *= 8
				}
				x.Set(len(labels), d, math.Round(10*v))
			}
			labels = append(labels, c)
		}
	}
	return x, labels
}

// TestShuttle is a fit to 58,000 samples with the default options: in some minutes, with less
// than 2 GB, and with a first model in less than two minutes. A fit that is cancelled returns in
// a second.
func TestShuttle(t *testing.T) {
	if os.Getenv("MPCVM_FAULTS") == "" {
		t.Skip("takes minutes; set MPCVM_FAULTS to run it")
	}
	x, labels := shuttle(58000, 1)
	xNew, truth := shuttle(14500, 2)
	scale := data.FitStandardizer(x)
	x, xNew = scale.Apply(nil, x), scale.Apply(nil, xNew)
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
	if first > 2*time.Minute || result.Seconds > 900 || memory.Sys > 2e9 || wrong > 0.002 || result.Candidates != 2000 {
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
