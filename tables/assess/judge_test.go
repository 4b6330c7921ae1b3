package assess_test

import (
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/assess"
)

// TestFrontier: no trial is left that one of no more weights beats, but the chosen one.
func TestFrontier(t *testing.T) {
	all := []mpcvm.Trial{
		{Learner: "a", Samples: 50, Weights: 90, LogLoss: 0.1}, {Learner: "b", Samples: 90, Weights: 90, LogLoss: 0.3},
		{Learner: "c", Samples: 90, Weights: 40, LogLoss: 0.4, Chosen: true}, {Learner: "d", Samples: 90, Weights: 30, LogLoss: 0.35},
		{Learner: "e", Samples: 90, Weights: 30, LogLoss: 0.36}, {Learner: "f", Samples: 90, Weights: 60, LogLoss: 0.35},
		{Learner: "g", GivenUp: true, Samples: 90, Weights: 20, LogLoss: 0.2}, {Learner: "h", Samples: 50, Weights: 95, LogLoss: 0.2},
	}
	names := ""
	for _, t := range assess.Frontier(all) {
		names += t.Learner
	}
	if names != "dcab" || all[0].Learner != "a" {
		t.Errorf("%s of %v", names, all)
	}
}

func TestInBrief(t *testing.T) {
	for name, want := range map[string]string{
		"rbf(theta=0.0012552973818531652)": "rbf(theta=0.001255)", "laplacian(theta=1.5e-07)": "laplacian(theta=1.5e-07)",
		"rbf(theta=9.360108489722848e-05)": "rbf(theta=9.36e-05)", "polynomial(degree=2, offset=1)": "polynomial(degree=2, offset=1)",
		"ard(theta=[0.12345 0.23456 0.34567 0.45678 0.56789])": "ard(theta=[0.1235 0.2346 0.3457 0.4568 0.5679])",
	} {
		if got := assess.InBrief(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
