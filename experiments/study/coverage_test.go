package study

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// TestMeasureCoverage checks that the numbers for all rows are the means over the classes, that the
// sets of each class nearly reach the nominal coverage, and that the table has a row for each class.
func TestMeasureCoverage(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.NewMixture(3, 2, 2, 0.6, 7).Set(1500, 3)
	p := Problem{Name: "mixture", Set: set, Partitions: RandomPartitions(set, 0.2, 4, 1)}
	done := 0
	all, err := MeasureCoverage(t.Context(), p, func(seed uint64) mpcvm.Learner {
		return search.Calibrated{Learner: mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}, Seed: seed}, Seed: seed}
	}, []float64{0.8, 0.95}, func(int) { done++ })
	must.OK(t, err)
	if len(all) != 8 || done != 4 {
		t.Fatalf("%d rows after %d partitions", len(all), done)
	}
	for k, nominal := range []float64{0.8, 0.95} {
		whole := all[4*k]
		for _, of := range []func(c Coverage) float64{
			func(c Coverage) float64 { return c.Conformal.Coverage },
			func(c Coverage) float64 { return c.Conformal.Size },
			func(c Coverage) float64 { return c.Scaled.Coverage },
			func(c Coverage) float64 { return c.Scaled.Size },
		} {
			sum, rows := 0.0, 0
			for _, c := range all[4*k+1 : 4*k+4] {
				sum += of(c) * float64(c.Test)
				rows += c.Test
			}
			if rows != whole.Test || math.Abs(sum/float64(rows)-of(whole)) > 1e-9 {
				t.Errorf("%g: %d of %d rows, mean %g and %g", nominal, rows, whole.Test, sum/float64(rows), of(whole))
			}
		}
		for _, c := range all[4*k : 4*k+4] {
			if c.ByClass != 4 || c.Nominal != nominal ||
				nominal-c.Conformal.Coverage > 4*c.Conformal.CoverageError+0.02 || c.Conformal.Size < 1 {
				t.Errorf("%+v", c)
			}
		}
	}
	var b bytes.Buffer
	must.OK(t, WriteCoverage(&b, all))
	if rows, err := csv.NewReader(&b).ReadAll(); err != nil || len(rows) != 9 || rows[1][6] != "0.8" ||
		rows[8][7] != "c2" {
		t.Errorf("%q, %v", rows, err)
	}
	_, err = MeasureCoverage(t.Context(), p,
		func(uint64) mpcvm.Learner { return mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}} }, []float64{0.8}, nil)
	if !errors.Is(err, mpcvm.ErrNoScores) {
		t.Error(err)
	}
}

// TestProbable checks the fewest classes whose probabilities reach the coverage.
func TestProbable(t *testing.T) {
	p := mat.NewDense(3, 3, []float64{0.2, 0.7, 0.1, 0.05, 0.05, 0.9, 0.4, 0.35, 0.25})
	for coverage, want := range map[float64][][]int{0.6: {{1}, {2}, {0, 1}}, 0.85: {{1, 0}, {2}, {0, 1, 2}}} {
		for i, set := range probable(p, coverage) {
			if !slices.Equal(set, want[i]) {
				t.Errorf("%g: row %d: %v, want %v", coverage, i, set, want[i])
			}
		}
	}
}
