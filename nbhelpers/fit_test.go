package nbhelpers_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

func ExampleRow() {
	fmt.Printf("%q\n", nb.Row("%s|%.1f|%d", "Iris", 4.25, 6))
	fmt.Println(nb.Mean([]float64{1, 2, 3}).Text(2), nb.Mean([]float64{2}).Text(2))
	fmt.Println(nb.Curve("square", []float64{0, 1, 2}, func(x float64) float64 { return x * x }).Y)
	// Output:
	// ["Iris" "4.2" "6"]
	// 2.00 ± 0.58 2.00
	// [0 1 4]
}

func TestFit(t *testing.T) {
	set := data.Line(data.LineSeed)
	model, result := nb.Fit(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}, set)
	if result.Status != mpcvm.Converged || !slices.Equal(model.ClassNames(), set.Classes) ||
		!slices.Equal(model.FeatureNames(), set.Features) {
		t.Errorf("%v, classes %v, features %v", result.Status, model.ClassNames(), model.FeatureNames())
	}
	if got, want := nb.Wrong(model, set),
		score.ErrorRate(model.Predict(nil, set.X), set.T)*float64(set.N()); float64(got) != math.Round(want) {
		t.Errorf("%d wrong, error rate × N is %v", got, want)
	}

	// An mRVM also takes the names.
	free, _ := nb.Fit(mrvm.TopDown{Kernel: kernel.RBF{Theta: 1}}, data.Overlap(data.OverlapSeed))
	if names := free.ClassNames(); !slices.Equal(names, []string{"black", "blue", "red"}) {
		t.Errorf("names of the mRVM: %v", names)
	}
	if names := free.WithNames([]string{"x", "y", "z"}, nil).ClassNames(); names[2] != "z" ||
		free.ClassNames()[2] != "red" {
		t.Errorf("WithNames: %v, the first model %v", names, free.ClassNames())
	}

	bad := data.Line(1)
	bad.T = bad.T[1:]
	must.Panic(t, "too few labels", func() { nb.Fit(mpcvm.TopDown{Kernel: kernel.RBF{Theta: 1}}, bad) })
}
