package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// sometimes is a learner whose first fits collapse.
type sometimes struct{ left *atomic.Int32 }

// Fit implements mpcvm.Learner.
func (l sometimes) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model,
	mpcvm.Result, error) {
	m, result, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}.Fit(ctx, s, observers...)
	if l.left.Add(-1) >= 0 {
		result.Status = mpcvm.Collapsed
	}
	return m, result, err
}

// TestCollapsedFolds tests that folds whose model collapsed are left out of the scores with a warning, and
// that a system fails if most of its folds collapse.
func TestCollapsedFolds(t *testing.T) {
	for collapsed := range 6 {
		left := new(atomic.Int32)
		left.Store(int32(collapsed))
		r, err := CrossValidate(ctx, mixed(60, 4), "class", []System{Of("it", sometimes{left})},
			Options{Keep: true})
		m := r.Systems[1]
		rows := len(m.T)
		if collapsed > 2 {
			if f, ok := errors.AsType[table.Finding](err); !ok || f.N != collapsed || !errors.Is(err, errCollapsed) ||
				rows > 0 {
				t.Errorf("%d folds: %d rows, error %v", collapsed, rows, err)
			}
			continue
		}
		if err != nil || rows != 60-12*collapsed ||
			slices.Contains(codes(r.Warnings()), texts.CollapsedFolds) != (collapsed > 0) {
			t.Errorf("%d folds: %d rows, warnings %v, error %v", collapsed, rows, r.Warnings(), err)
		}
		kept := 0
		for _, f := range m.models {
			if f != nil {
				kept++
			}
		}
		if kept != 5-collapsed {
			t.Errorf("%d folds: %d models kept", collapsed, kept)
		}
	}
}

// invented returns a random table with up to eight columns and two to five classes, whose means have the
// given distance in standard deviations.
func invented(seed uint64) (t *table.Table, distance float64) {
	rng := rand.New(rand.NewPCG(seed, 45))
	n, classes, columns := 30+rng.IntN(171), 2+rng.IntN(4), 1+rng.IntN(8)
	distance = []float64{0, 0.7, 1.5, 4}[rng.IntN(4)]
	share := []float64{1, 0.5, 0.3}[rng.IntN(3)] // ratio of the frequencies of successive classes
	weights := make([]float64, classes)
	sum := 0.0
	for c := range weights {
		weights[c] = math.Pow(share, float64(c))
		sum += weights[c]
	}
	mean := make([][]float64, classes)
	for c := range mean {
		for range columns {
			mean[c] = append(mean[c], distance*rng.NormFloat64())
		}
	}
	labels, values := make([]string, n), make([][]float64, columns)
	for i := range n {
		c := i % classes // at least four rows of each class
		if i >= 4*classes {
			for at := rng.Float64() * sum; at > weights[c%classes]; c++ {
				at -= weights[c%classes]
			}
			c %= classes
		}
		labels[i] = string(rune('a' + c))
		for k := range values {
			values[k] = append(values[k], mean[c][k]+rng.NormFloat64())
		}
	}
	var list []table.Column
	for k, v := range values {
		list = append(list, numbers(fmt.Sprint("x", k), v...))
	}
	return tableOf(append(list, levels("class", labels...))...), distance
}

// The last two tables have hardly any information about the classes.
func TestNoCollapse(t *testing.T) { noCollapse(t, 0, 16, 118) }

// noCollapse fits random tables with the default settings, including tables that are unbalanced or contain
// only noise. No model may collapse in a fold. If there is nothing to learn, the model may predict the class
// frequencies, which Frequencies reports. A log loss worse than the baseline's must come with a warning.
func noCollapse(t *testing.T, seeds ...uint64) {
	t.Helper()
	for _, seed := range seeds {
		tb, distance := invented(seed)
		m, f := mustEvaluate(t, tb, search.Auto{Seed: seed}, EvaluateOptions{Options: Options{Seed: seed}})
		about := fmt.Sprintf("table %d, %d rows, %d classes, distance %g", seed, tb.Rows, len(m.ClassNames()),
			distance)
		code := func(code table.Code) bool { return slices.Contains(codes(f.Warnings), code) }
		frequencies := f.Frequencies()
		if code(texts.Collapsed) || code(texts.SystemConstant) || code(texts.CollapsedFolds) || f.CV == nil ||
			f.CV.Done != f.CV.Folds {
			t.Errorf("%s: %s, warnings %v", about, f.Status, f.Warnings)
		} else if *f.CV.LogLoss > *f.Baseline.LogLoss && !frequencies && !code(texts.WorseLogLoss) {
			t.Errorf("%s: log loss %g without a warning", about, *f.CV.LogLoss)
		}
		if frequencies != (f.Result.Status == mpcvm.Collapsed) || frequencies && distance == 4 {
			t.Errorf("%s: %v, frequencies %v", about, f.Result.Status, frequencies)
		}
	}
}
