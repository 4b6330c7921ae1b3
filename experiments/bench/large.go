//go:build unix

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/internal/measure"
	"github.com/mpcvm/mpcvm/internal/testkit/sets"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// Large is a fit with candidates, for docs/performance.md.
type Large struct {
	Fit
	K        int          `json:"k"`
	Evidence float64      `json:"evidence"`
	Seed     uint64       `json:"seed"`
	AUC      float64      `json:"auc"`
	Vectors  int          `json:"vectors"`
	EpochCPU float64      `json:"epoch_cpu"` // mean, in seconds
	Widths   measure.Time `json:"widths"`    // to learn the widths of the features
	Load     float64      `json:"load"`      // load of the machine at the end
	Bayes    float64      `json:"bayes,omitempty"`
	BayesSE  float64      `json:"bayes_se,omitempty"`
}

// largeDensity returns the density of the mixtures of docs/performance.md.
func largeDensity() *data.Mixture { return data.NewMixture(10, 4, 16, 1, 1) }

// largeSet returns two parts of a set of docs/performance.md: n training samples and the test.
//   - letter: the first n of 16,000 rows; the last 4000 rows are the test
//   - mixture: the test has 100,000 samples
func largeSet(name string, n int) (train, test *data.Set, err error) {
	if n < 1000 {
		return nil, nil, fmt.Errorf("%s: %d training samples; at least 1000", name, n)
	}
	switch name {
	case "letter":
		set, err := data.Load("letter")
		if err != nil {
			return nil, nil, err
		}
		rows := set.Complement(nil)
		return set.Subset(rows[:min(n, 16000)]), set.Subset(rows[16000:]), nil
	case "mixture":
		m := largeDensity()
		return m.Set(n, 1), m.Set(100000, 2), nil
	}
	return nil, nil, fmt.Errorf("unknown set %q", name)
}

// largeFit is the command large. It prints a line for each number of candidates. A signal stops a
// fit, and the model so far is measured.
func largeFit(args []string) (any, error) {
	f := flag.NewFlagSet("bench large", flag.ContinueOnError)
	from := f.String("set", "letter", "letter (4000 test rows) or mixture (100,000)")
	theta := f.Float64("theta", 0, "width of the RBF kernel; 0 to let the learner choose it")
	widths := f.Int("widths", 0, "learn a width for each feature, starting from -theta, on `N` training "+
		"samples; 0 for off")
	n := f.Int("n", 100000, "training samples; at most 16,000 for letter")
	list := f.String("k", "1000", "numbers of candidates, `K,...`, with a fit for each")
	additions := f.Int("additions", 0, "limit on the basis functions that a class adds in an epoch of mpcvm2; "+
		"0 for the default")
	epochs := f.Int("epochs", 0, "limit on the number of epochs; 0 for the default")
	evidence := f.Float64("evidence", 1, "the field LikelihoodPower of mpcvm2")
	single := f.Bool("single", false, "store Φ in float32")
	seed := f.Uint64("seed", 1, "seed of the candidates")
	if err := parse(f, args); err != nil {
		return nil, err
	}
	r := Large{Fit: Fit{Set: *from, Learner: "mpcvm2"}, Evidence: *evidence, Seed: *seed}
	train, test, err := largeSet(*from, *n)
	if err != nil {
		return nil, err
	}
	if *from == "mixture" {
		r.Bayes, r.BayesSE = largeDensity().BayesError(1000000, 3)
	}
	var k kernel.Kernel = kernel.RBF{Theta: *theta}
	sets.Of(*from, train, test) // standardises both
	if *widths > 0 {
		r.Widths, err = measure.Repeat(0, func() (err error) {
			some, _ := train.Split(float64(*widths)/float64(train.N()), *seed)
			k, _, err = (gp.ARD{Kernel: k}).Fit(context.Background(), mpcvm.Samples{X: some.X, T: some.T})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for text := range strings.SplitSeq(*list, ",") {
		candidates, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		l := mpcvm.BottomUp{Kernel: k, Candidates: candidates, Float32: *single, MaxIterations: *epochs,
			Seed: *seed, LikelihoodPower: *evidence, Additions: *additions}
		r.K = candidates
		if err := r.measure(l, train, test); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// measure runs a fit and prints its line.
func (r Large) measure(l mpcvm.Learner, train, test *data.Set) error {
	measure.ResetPeak()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var ends []float64 // the CPU time at the end of each epoch
	start, before := time.Now(), measure.CPU()
	m, result, err := l.Fit(ctx, mpcvm.Samples{X: train.X, T: train.T},
		func(*mpcvm.Step) { ends = append(ends, measure.CPU()) })
	if m == nil {
		return err
	}
	r.Wall, r.CPU = time.Since(start).Seconds(), measure.CPU()-before
	r.N, r.Classes, r.Load, r.Vectors = train.N(), train.C(), measure.Load(), m.VectorCount()
	if n := len(ends) - 1; n > 0 {
		r.EpochCPU = (ends[n] - ends[0]) / float64(n)
	}
	if err := r.test(m, result, test.X, test.T); err != nil {
		return err
	}
	if r.AUC, err = score.AUC(m.Proba(nil, test.X), test.T); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}
