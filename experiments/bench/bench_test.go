//go:build unix

package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/sets"
)

func TestExponent(t *testing.T) {
	if got := exponent([]float64{1, 2, 4}, []float64{3, 12, 48}); math.Abs(got-2) > 1e-12 {
		t.Errorf("3x²: %g", got)
	}
	// Logarithms to base 2 are 0, 1, 2 and 0, 0, 3: the slope is 1½.
	if got := exponent([]float64{1, 2, 4}, []float64{1, 1, 8}); math.Abs(got-1.5) > 1e-12 {
		t.Errorf("%g, want 1.5", got)
	}
}

// TestCommands fits, saves, predicts and computes with a small set.
func TestCommands(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model.json")
	for _, search := range []string{"", "auto", "grid"} {
		r := must.Get(fit([]string{"-set", "iris", "-limit", "3", "-search", search, "-model", model}))(t)
		f := r.(Fit)
		if f.N != 120 || f.Classes != 3 || f.Epochs != 3 || f.Weights == 0 || f.Error > 0.5 ||
			f.CPU <= 0 || f.PeakMB < 1 {
			t.Errorf("%q: %+v", search, f)
		}
	}
	r := must.Get(fit([]string{"-set", "iris", "-learner", "Auto"}))(t)
	if f := r.(Fit); f.Learner != "Auto" || f.N != 120 || f.Error > 0.1 || f.LogLoss > 0.4 || f.Kernel == "" {
		t.Errorf("%+v", f)
	}
	r = must.Get(predict([]string{"-set", "iris", "-model", model}))(t)
	if p := r.(Predictions); p.Rows != 30 || p.Vectors == 0 {
		t.Errorf("%+v", p)
	}
	if g := must.Get(gram([]string{"-set", "iris"}))(t).(Gram); g.N != 120 || g.D != 4 {
		t.Errorf("%+v", g)
	}
	for _, bad := range [][]string{{"fit", "-search", "x"}, {"fit", "-learner", "x"}, {"fit", "x"},
		{"predict", "-model", "nowhere"}, {"nonsense"}, {}} {
		if run(bad) == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestLarge prints means over seeds and the exponent of N.
func TestLarge(t *testing.T) {
	var runs []Large
	for n := range 2 {
		for seed := range 2 {
			f := Fit{Set: "s", Learner: "l", N: 100 << n, Kernel: "RBF(theta=[1 2])", Error: 0.1 * float64(seed+1)}
			runs = append(runs, Large{Fit: f, K: 5, Seed: uint64(seed), EpochCPU: float64(1 + 3*n)})
		}
	}
	var out bytes.Buffer
	printLarge(&out, runs)
	for _, want := range []string{
		"| s | l | 100 | 5 | RBF(…) | 0 | 1 |  | 20.00 | ", "| s | l | 200 | 5 | RBF(…) | 0 | 2 seeds |  | 15.00 " +
			"(10.00 to 20.00) | ", "power of 2.00.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// TestLoad checks the sizes of the sets that are not in internal/testkit/sets.
func TestLoad(t *testing.T) {
	for _, want := range []struct {
		name       string
		test, c, d int
	}{{"letter", 4000, 26, 16}, {"mixture", 100000, 10, 16}} {
		train, test, err := largeSet(want.name, 1000)
		must.OK(t, err)
		if train.N() != 1000 || test.N() != want.test || train.C() != want.c || train.D() != want.d {
			t.Errorf("%s: %d rows, %d test rows, %d classes, %d features", want.name, train.N(), test.N(),
				train.C(), train.D())
		}
		if _, _, err := largeSet(want.name, 10); err == nil {
			t.Errorf("%s, 10 rows: no error", want.name)
		}
	}
	_, a, _ := largeSet("letter", 1000)
	_, b, _ := largeSet("letter", 16000)
	if !slices.Equal(a.T, b.T) {
		t.Error("letter: the test rows depend on the training rows")
	}
	p, err := load("letter-10")
	if err != nil || len(p.T) != 2000 || len(p.TTest) != 4000 || p.Classes != 10 {
		t.Errorf("letter-10: %v", err)
	}
	_, err = load("nonsense")
	if _, _, errLarge := largeSet("nonsense", 1000); err == nil || errLarge == nil {
		t.Error("nonsense: no error")
	}
}

// TestData checks that the peers read exactly the data that is fitted here.
func TestData(t *testing.T) {
	dir := t.TempDir()
	if _, err := writeData([]string{dir, "iris"}); err != nil {
		t.Fatal(err)
	}
	p := must.Get(sets.Load("iris"))(t)
	text := must.Get(os.ReadFile(filepath.Join(dir, "iris.train.csv")))(t)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	must.Equal(t, len(lines), len(p.T))
	for n, line := range lines {
		cells := strings.Split(line, ",")
		for d, want := range append(slices.Clone(p.X.RawRowView(n)), float64(p.T[n])) {
			if got, err := strconv.ParseFloat(cells[d], 64); err != nil || got != want {
				t.Fatalf("row %d, column %d: %q, want %v", n, d, cells[d], want)
			}
		}
	}
}

// TestReport runs the examples in the Python scripts.
func TestReport(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: no python3")
	}
	for _, script := range []string{"report.py", "peers.py"} {
		if out, err := exec.Command(python, "-B", "-m", "doctest", script).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}
