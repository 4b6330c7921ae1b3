package nbhelpers_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

// panicOf returns what f panics with, as text; "" if it does not.
func panicOf(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

func TestMustAndCheck(t *testing.T) {
	if nb.Must(3, nil) != 3 {
		t.Error("Must changes its value")
	}
	if p := panicOf(func() { nb.Must(3, errors.New("no such file")) }); p != "no such file" {
		t.Errorf("Must panics with %q", p)
	}
	if p := panicOf(func() { nb.Check(2 > 3, "%d is more than %d", 2, 3) }); !strings.Contains(p, "2 is more than 3") {
		t.Errorf("a false claim panics with %q", p)
	}
	if p := panicOf(func() { nb.Check(true, "3 is more than 2") }); p != "" {
		t.Errorf("a true claim panics with %q", p)
	}
}

func ExampleRow() {
	fmt.Printf("%q\n", nb.Row("%s|%.1f|%d", "Iris", 4.25, 6))
	fmt.Printf("%.4g %.4g\n", nb.Span(0, 1, 5), nb.LogSpan(1, 100, 3))
	fmt.Println(nb.Mean([]float64{1, 2, 3}).Text(2), nb.Mean([]float64{2}).Text(2))
	fmt.Println(nb.Curve("square", nb.Span(0, 2, 3), func(x float64) float64 { return x * x }).Y)
	// Output:
	// ["Iris" "4.2" "6"]
	// [0 0.25 0.5 0.75 1] [1 10 100]
	// 2.00 ± 0.58 2.00
	// [0 1 4]
}

func TestLogSpanOfNothing(t *testing.T) {
	for _, lo := range []float64{0, -1} {
		if panicOf(func() { nb.LogSpan(lo, 1, 3) }) == "" {
			t.Errorf("LogSpan from %g does not panic", lo)
		}
	}
}

// A notebook finds the studies from its own folder and from folders below it.
func TestRecorded(t *testing.T) {
	notebooks, err := filepath.Abs("../notebooks")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{notebooks, filepath.Join(notebooks, "tools"), filepath.Dir(notebooks), ""} {
		t.Setenv("GONB_DIR", dir)
		if runs := nb.RecordedRuns("benchmark"); len(runs) != 2520 {
			t.Errorf("from %q: %d runs", dir, len(runs))
		}
		if err := nb.Recorded("benchmark").Cell("svm", "iris").Err.Mean; math.Abs(err-4.22) > 0.01 {
			t.Errorf("from %q: error of the SVM on Iris %.2f %%", dir, err)
		}
	}
	t.Setenv("GONB_DIR", os.TempDir())
	if p := panicOf(func() { nb.Recorded("benchmark") }); !strings.Contains(p, `no recorded study "benchmark"`) {
		t.Errorf("outside of the repository Recorded panics with %q", p)
	}
}

func TestFit(t *testing.T) {
	set := data.Line(data.LineSeed)
	model, result := nb.Fit(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}, set)
	if result.Status != mpcvm.Converged || !slices.Equal(model.ClassNames(), set.Classes) || !slices.Equal(model.FeatureNames(), set.Features) {
		t.Errorf("%v, classes %v, features %v", result.Status, model.ClassNames(), model.FeatureNames())
	}
	weights, against := nb.Signs(model)
	if weights != model.WeightCount() || against != 0 {
		t.Errorf("%d of %d weights, %d against the principle", weights, model.WeightCount(), against)
	}
	if got, want := nb.Wrong(model, set), score.ErrorRate(model.Predict(nil, set.X), set.T)*float64(set.N()); float64(got) != math.Round(want) {
		t.Errorf("%d wrong, error rate × N is %v", got, want)
	}

	// The weights of an mRVM may have any sign; it has names, too.
	free, _ := nb.Fit(mrvm.TopDown{Kernel: kernel.RBF{Theta: 1}}, data.Overlap(data.OverlapSeed))
	if weights, against := nb.Signs(free); weights != free.WeightCount() || against == 0 {
		t.Errorf("mRVM₂ on Overlap: %d of %d weights, %d against the principle", weights, free.WeightCount(), against)
	}
	if names := free.ClassNames(); !slices.Equal(names, []string{"black", "blue", "red"}) {
		t.Errorf("names of the mRVM: %v", names)
	}
	if names := free.WithNames([]string{"x", "y", "z"}, nil).ClassNames(); names[2] != "z" || free.ClassNames()[2] != "red" {
		t.Errorf("WithNames: %v, the first model %v", names, free.ClassNames())
	}

	bad := data.Line(1)
	bad.T = bad.T[1:]
	if panicOf(func() { nb.Fit(mpcvm.TopDown{Kernel: kernel.RBF{Theta: 1}}, bad) }) == "" {
		t.Error("Fit with too few labels does not panic")
	}
}
