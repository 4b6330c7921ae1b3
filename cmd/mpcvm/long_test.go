//go:build long

package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/tables/eval"
)

// TestLongChain fits each table and one in ten random tables with the defaults.
func TestLongChain(t *testing.T) { chain(t, "150", false) }

// TestLongChainFigures tries 30 tables, or 200 with MPCVM_HARSH.
func TestLongChainFigures(t *testing.T) {
	tables := 30
	if os.Getenv("MPCVM_HARSH") != "" {
		tables = 200
	}
	chainFigures(t, tables)
}

func TestLongChainLarge(t *testing.T) { chainLarge(t, 4) }

func TestLongSpoilt(t *testing.T) { spoilCells(t, func(int, int) bool { return true }, 1, 2, 50, 100) }

func TestLongWild(t *testing.T) { wild(t, true) }

// Sparsity chooses fewer weights than accuracy, and accuracy chooses the lowest log loss.
func TestLongFitPrefer(t *testing.T) {
	text, _ := good(t, "data", "show", "glass")
	file := write(t, t.TempDir(), "glass.csv", text)
	weights := map[string]int{}
	for _, prefer := range preferences {
		out, _ := good(t, "fit", file, "--prefer", prefer, "--cv", "none", "--json")
		var got eval.Evaluation
		if err := json.Unmarshal([]byte(out), &got); err != nil || got.Prefer != prefer {
			t.Fatalf("%v: %s", err, out)
		}
		chosen := slices.IndexFunc(got.Trials, func(t eval.Trial) bool { return t.Chosen })
		weights[prefer] = got.Trials[chosen].Weights
		if prefer == "accuracy" {
			checkAccuracy(t, got.Trials, chosen)
		}
	}
	if weights["sparsity"] >= weights["accuracy"] || weights["balance"] > weights["accuracy"] ||
		weights["sparsity"] > weights["balance"] {
		t.Errorf("weights: %v", weights)
	}
}

// checkAccuracy checks that the chosen trial has the lowest log loss or, if it was also scored on other
// folds, the lowest mean of both scores.
func checkAccuracy(t *testing.T, trials []eval.Trial, chosen int) {
	t.Helper()
	const again = ", other folds"
	second := strings.HasSuffix(trials[chosen].Learner, again)
	mean := func(of eval.Trial) float64 {
		for _, first := range trials {
			if first.Learner+again == of.Learner && first.Kernel == of.Kernel && first.Samples == of.Samples {
				return (of.LogLoss + first.LogLoss) / 2
			}
		}
		return of.LogLoss
	}
	for _, other := range trials {
		if !other.GivenUp && strings.HasSuffix(other.Learner, again) == second && mean(other) < mean(trials[chosen]) {
			t.Errorf("accuracy takes %+v with %v, and %+v has %v", trials[chosen], mean(trials[chosen]), other,
				mean(other))
		}
	}
}
