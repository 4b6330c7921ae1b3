package nbhelpers

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm/study"
)

func TestGrowth(t *testing.T) {
	var runs []study.Result
	for p := range 3 {
		for _, c := range []int{4, 2} {
			runs = append(runs, study.Result{System: "svm", Dataset: "letters-" + string(rune('0'+c)), Classes: c, Partition: p, Weights: 10*c + p})
		}
	}
	chart := Growth(study.NewReport(runs, nil, nil), []string{"svm"}, LinesOptions{YName: "weights"}, func(c study.Cell) Measure {
		return Measure{c.Weights.Mean, *c.Weights.SE}
	})
	option := string(chart.Option())
	for _, want := range []string{"SVM", "number of classes", "[2,21,", "[4,41,"} { // 20, 21, 22 weights of two classes
		if !strings.Contains(option, want) {
			t.Errorf("no %q in %s", want, option)
		}
	}
	if strings.Index(option, "[2,21,") > strings.Index(option, "[4,41,") {
		t.Error("the classes are not in order")
	}
}

func TestOverParameter(t *testing.T) {
	var runs []study.Result
	for i, theta := range []float64{2, 0.1, 2, 0.1} {
		runs = append(runs, study.Result{Weights: i, Params: study.Setting{Params: study.Params{"theta": theta}}})
	}
	runs = append(runs, study.Result{Weights: 100, Params: study.Setting{Params: study.Params{"lambda": 1}}})
	s := OverParameter("x", runs, "theta", func(r study.Result) float64 { return float64(r.Weights) })
	if !slices.Equal(s.X, []float64{0.1, 2}) || !slices.Equal(s.Y, []float64{2, 1}) {
		t.Errorf("%v %v", s.X, s.Y)
	}
	if len(RecordedTuning("letter")) == 0 {
		t.Error("no tuning runs of letter")
	}
}
