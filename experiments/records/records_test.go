package records_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/experiments/records"
	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

// A notebook finds the studies from its own folder and from folders below it.
func TestReport(t *testing.T) {
	notebooks := must.Get(filepath.Abs("../../notebooks"))(t)
	for _, dir := range []string{notebooks, filepath.Join(notebooks, "tools"), filepath.Dir(notebooks), ""} {
		t.Setenv("GONB_DIR", dir)
		if runs := records.Runs("benchmark"); len(runs) != 2520 {
			t.Errorf("from %q: %d runs", dir, len(runs))
		}
		if err := records.Report("benchmark").Cell("svm", "iris").Err.Mean; math.Abs(err-4.22) > 0.01 {
			t.Errorf("from %q: error of the SVM on Iris %.2f %%", dir, err)
		}
	}
	t.Setenv("GONB_DIR", os.TempDir())
	if p := panicOf(func() { records.Report("benchmark") }); !strings.Contains(p,
		`no recorded study "benchmark"`) {
		t.Errorf("outside of the repository Report panics with %q", p)
	}
}

func TestGrowth(t *testing.T) {
	var runs []study.Result
	for p := range 3 {
		for _, c := range []int{4, 2} {
			runs = append(runs, study.Result{System: "svm", Dataset: "letters-" + string(rune('0'+c)), Classes: c,
				Partition: p, Weights: 10*c + p})
		}
	}
	chart := records.Growth(study.NewReport(runs, nil, nil), []string{"svm"}, nb.LinesOptions{YName: "weights"},
		func(c study.Cell) nb.Measure {
			return nb.Measure{Value: c.Weights.Mean, Error: *c.Weights.SE}
		})
	option := string(chart.Option())
	// 20, 21, 22 weights of two classes.
	must.Contain(t, option, "SVM", "number of classes", "[2,21,", "[4,41,")
	if strings.Index(option, "[2,21,") > strings.Index(option, "[4,41,") {
		t.Error("the classes are not in order")
	}
}

// On ten letters mPCVM₂ has more weights with a narrower kernel.
func TestOverTheta(t *testing.T) {
	weights := func(r study.Result) float64 { return float64(r.Weights) }
	s := records.OverTheta("letter", "mpcvm2", "letter-10", weights)
	if len(s.X) != 7 || !slices.IsSorted(s.X) || !slices.IsSorted(s.Y) || math.Abs(s.Y[6]-1195) > 1 {
		t.Errorf("%v %v", s.X, s.Y)
	}
	if s := records.OverTheta("letter", "mlr", "letter-10", nil); len(s.X) > 0 {
		t.Errorf("MLR has no width, but there are runs with θ = %v", s.X)
	}
}

func TestTable(t *testing.T) {
	r := records.Report("benchmark")
	logLoss := func(c study.Cell) *study.Stat { return c.LogLoss }
	got := records.Table(r, []string{"iris", "glass"}, []string{"mpcvm2", "none"}, logLoss)
	want := r.Cell("mpcvm2", "glass").LogLoss
	if got[1][0] != (nb.Measure{Value: want.Mean, Error: *want.SE}) || !math.IsNaN(got[0][1].Value) ||
		len(got) != 2 {
		t.Errorf("%v", got)
	}
	without := func(study.Cell) *study.Stat { return nil }
	if got := records.Table(r, []string{"iris"}, []string{"mpcvm2"}, without); !math.IsNaN(got[0][0].Value) {
		t.Errorf("%v", got)
	}
}

// panicOf returns the text of the panic of f, or "" if f does not panic.
func panicOf(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// The table shows our means next to the paper's and counts those that differ.
func TestPaper(t *testing.T) {
	z := func(ours, paper *study.Stat) float64 {
		return (ours.Mean - paper.Mean) / math.Hypot(*ours.SE, *paper.SE)
	}
	table, far := records.Paper("ERR", records.Report("benchmark"), study.Datasets(), study.Systems(),
		func(c *study.Cell) (ours, paper *study.Stat) { return &c.Err, c.PaperErr }, z)
	if far != 19 || len(table.Rows) != 21 {
		t.Errorf("%d means differ in %d rows", far, len(table.Rows))
	}
	for i, want := range []string{"2.55 (1.36)", "3.59 (1.45)", "−3.5 *"} {
		must.Equal(t, table.Rows[18+i][8], want)
	}
}
