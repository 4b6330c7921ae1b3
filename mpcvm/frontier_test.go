package mpcvm

import "testing"

// TestFrontier: a trial is removed if another trial with at most as many weights has a lower log loss, unless
// it is the chosen one.
func TestFrontier(t *testing.T) {
	all := []Trial{
		{Learner: "a", Samples: 50, Weights: 90, LogLoss: 0.1},
		{Learner: "b", Samples: 90, Weights: 90, LogLoss: 0.3},
		{Learner: "c", Samples: 90, Weights: 40, LogLoss: 0.4, Chosen: true},
		{Learner: "d", Samples: 90, Weights: 30, LogLoss: 0.35},
		{Learner: "e", Samples: 90, Weights: 30, LogLoss: 0.36},
		{Learner: "f", Samples: 90, Weights: 60, LogLoss: 0.35},
		{Learner: "g", GivenUp: true, Samples: 90, Weights: 20, LogLoss: 0.2},
		{Learner: "h", Samples: 50, Weights: 95, LogLoss: 0.2},
	}
	names := ""
	result := Result{Trials: all}
	for _, t := range result.Frontier() {
		names += t.Learner
	}
	if names != "dcab" || all[0].Learner != "a" {
		t.Errorf("%s of %v", names, all)
	}
}
