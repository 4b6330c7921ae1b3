package report

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables/eval"
)

func TestRelativeWidths(t *testing.T) {
	if got := relativeWidths(kernel.ARD{Theta: []float64{1, 4, 0, 16}}); len(got) != 4 ||
		math.Abs(got[0]-.25)+math.Abs(got[1]-1)+got[2]+math.Abs(got[3]-4) > 1e-12 {
		t.Errorf("%v", got)
	}
	if got := relativeWidths(kernel.LaplacianARD{Theta: []float64{3}}); len(got) != 1 ||
		math.Abs(got[0]-1) > 1e-12 {
		t.Errorf("%v", got)
	}
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 1}, kernel.ARD{Theta: []float64{0}}} {
		if got := relativeWidths(k); got != nil {
			t.Errorf("%v: %v", k, got)
		}
	}
}

// TestTrialTable: the class frequencies use no kernel.
func TestTrialTable(t *testing.T) {
	trials := []eval.Trial{{Learner: "frequencies of the classes", Kernel: "rbf(theta=1)", Frontier: true},
		{Learner: "dense", Kernel: "rbf(theta=1)", Weights: 3, Frontier: true}}
	rows := trialTable(&eval.Evaluation{Trials: trials}).Rows
	must.Equal(t, rows[0][2]+rows[1][2], "–rbf(theta=1)")
}
