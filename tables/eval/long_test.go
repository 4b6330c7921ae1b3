//go:build long

package eval

import (
	"math"
	"os"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm/search"
)

func TestLongCoverage(t *testing.T) { coverage(t, 200) }

func TestLongReplicasOfAuto(t *testing.T) { replicasOfAuto(t, 3) }

// The scores equal the scores of the last trial of the search.
func TestLongHeldOutByAuto(t *testing.T) {
	tb := mixed(5100, 2)
	_, f := mustEvaluate(t, tb, search.Auto{Candidates: 60, Prefer: search.Sparsity}, EvaluateOptions{})
	result := f.Result
	if result.Validated == nil || len(result.Validated.Unseen) != 1020 {
		t.Fatalf("held out %+v", result.Validated)
	}
	trial := result.Trials[len(result.Trials)-1] // the fit without the held-out rows
	if !f.CV.HeldOut || f.CV.Rows != 1020 || math.Abs(*f.CV.Error-trial.ErrorRate) > 1e-12 ||
		math.Abs(*f.CV.LogLoss-trial.LogLoss) > 1e-9 {
		t.Errorf("%+v; the trial has %v and %v", f.CV, trial.ErrorRate, trial.LogLoss)
	}
}

// TestLongNoCollapse tests 30 random tables, or 200 if MPCVM_HARSH is set.
func TestLongNoCollapse(t *testing.T) {
	n := uint64(30)
	if os.Getenv("MPCVM_HARSH") != "" {
		n = 200
	}
	for seed := range n {
		noCollapse(t, seed)
	}
}

func TestLongSystems(t *testing.T) { systemsRun(t, Systems(1)) }
