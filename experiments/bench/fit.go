//go:build unix

package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/mpcvm/mpcvm/experiments/internal/measure"
	"github.com/mpcvm/mpcvm/internal/testkit/sets"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// Fit holds the cost of a fit and its quality on the test set.
type Fit struct {
	measure.Time
	Set     string  `json:"set"`
	Learner string  `json:"learner"`
	N       int     `json:"n"`
	Classes int     `json:"classes"`
	Kernel  string  `json:"kernel"`
	Status  string  `json:"status"`
	Epochs  int     `json:"epochs"` // or iterations
	Weights int     `json:"size"`   // non-zero weights of all classes
	Error   float64 `json:"error"`  // error rate on the test rows
	LogLoss float64 `json:"logloss"`
	PeakMB  float64 `json:"peak_mb"` // peak memory of the process during the fit
}

func fit(args []string) (any, error) {
	f := flag.NewFlagSet("bench fit", flag.ContinueOnError)
	learner := f.String("learner", "BottomUp", "TopDown, BottomUp or Auto, which has no options")
	theta := f.Float64("theta", 0, "width of the kernel; 0 for the default of the set")
	how := f.String("search", "", "how to choose theta instead: auto (by the learner) or grid (8 widths "+
		"× 5 folds)")
	limit := f.Int("limit", 0, "limit on the number of epochs; 0 for the learner's default")
	atLeast := f.Float64("at-least", 0, "repeat the fit until this many CPU seconds are used")
	model := f.String("model", "", "save the model to this file")
	p, err := parse(f, args)
	if err != nil {
		return nil, err
	}
	*theta = cmp.Or(*theta, p.Theta)
	with := func(theta float64) mpcvm.Learner {
		k := kernel.RBF{Theta: theta}
		switch *learner {
		case "TopDown":
			return mpcvm.TopDown{Kernel: k, MaxIterations: *limit}
		case "BottomUp":
			return mpcvm.BottomUp{Kernel: k, MaxIterations: *limit}
		}
		return search.Auto{OnTrial: func(t mpcvm.Trial) {
			fmt.Fprintf(os.Stderr, "%s, %v: log loss %.4f, %d weights, %.1f s\n", t.Learner, t.Kernel, t.LogLoss,
				t.Weights, t.Seconds)
		}}
	}
	choose := map[string]func() (float64, error){
		"":     func() (float64, error) { return *theta, nil },
		"auto": func() (float64, error) { return 0, nil },
		"grid": func() (float64, error) { return bestTheta(p, with) },
	}[*how]
	if choose == nil || !slices.Contains([]string{"TopDown", "BottomUp", "Auto"}, *learner) {
		return nil, fmt.Errorf("bench fit: -search %q -learner %q", *how, *learner)
	}
	var m *mpcvm.Model
	var r mpcvm.Result
	measure.ResetPeak()
	t, err := measure.Repeat(*atLeast, func() error {
		theta, err := choose()
		if err == nil {
			m, r, err = with(theta).Fit(context.Background(), mpcvm.Samples{X: p.X, T: p.T})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	result := Fit{Time: t, Set: f.Lookup("set").Value.String(), Learner: *learner, N: len(p.T),
		Classes: p.Classes, Kernel: m.Kernel().String(), Status: r.Status.String(), Epochs: r.Iterations,
		Weights: m.WeightCount(), PeakMB: measure.Peak() / 1e6}
	result.Error, _ = score.ErrorRate(m.Predict(nil, p.XTest), p.TTest) // LogLoss checks the same rows
	result.LogLoss, err = score.LogLoss(m.Proba(nil, p.XTest), p.TTest)
	if err != nil || *model == "" {
		return result, err
	}
	return result, m.SaveFile(*model)
}

// bestTheta returns the width with the lowest log loss in 5-fold cross-validation, out of eight.
func bestTheta(p *sets.Problem, with func(theta float64) mpcvm.Learner) (best float64, err error) {
	least := math.Inf(1)
	for k := range 8 {
		theta := 0.05 * float64(int(1)<<k) // 0.05 … 6.4
		y, err := search.CrossValidate(context.Background(), with(theta), mpcvm.Samples{X: p.X, T: p.T}, 5, 0)
		if err != nil {
			return 0, err
		}
		loss := 0.0
		for n, label := range p.T {
			loss -= probit.LogProb(y.RawRowView(n), label)
		}
		if loss < least {
			best, least = theta, loss
		}
	}
	return best, nil
}
