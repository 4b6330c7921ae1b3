//go:build unix

package main

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/experiments/internal/measure"
	"github.com/mpcvm/mpcvm/internal/testkit/sets"
	"github.com/mpcvm/mpcvm/mpcvm"
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

// TestGrowth prints the table of a fit that takes N² seconds. The third size exceeds the budget.
func TestGrowth(t *testing.T) {
	s := series{"Set", "Learner", []string{"-set", "s"}, "-rows", []int{1, 2, 4}, 2}
	var args [][]string
	fake := func(a ...string) (Fit, error) {
		args = append(args, a)
		n := float64(len(args))
		return Fit{Time: measure.Time{CPU: n * n}, N: len(args), Classes: 3, Epochs: 10, Weights: 5, PeakMB: n,
			Error: 0.25, Status: "converged"}, nil
	}
	var out bytes.Buffer
	if err := s.print(&out, 10, fake); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| 2 | 3 | 4 | 10 | 400 | 5 | 2 | 25.0 | converged |\n", "-rows [4] left out: about 16 s expected",
		"Exponents: time 2.00, epochs 0.00, weights 0.00, memory 1.00.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if want := strings.Fields("-set s -learner Learner -rows 2"); len(args) != 2 ||
		!slices.Equal(args[1], want) {
		t.Errorf("called with %q, want %q", args, want)
	}
	fault := errors.New("fault")
	if err := s.print(&out, 10, func(...string) (Fit, error) { return Fit{}, fault }); !errors.Is(err, fault) {
		t.Errorf("error %v", err)
	}
}

func TestWork(t *testing.T) {
	got := work([]mpcvm.Step{
		{Weights: []int{1, 2}, Added: []mpcvm.Basis{{Sample: 4, Class: 0}, {Sample: 4, Class: 1}}},
		{Weights: []int{3, 0}, Added: []mpcvm.Basis{{Sample: 7, Class: 0}}},
	})
	if want := (Work{M: 6, M2: 14, M3: 36, Added: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestCommands fits, saves, predicts and computes with a small set.
func TestCommands(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model.json")
	for _, search := range []string{"", "auto", "grid"} {
		r, err := fit([]string{"-set", "iris", "-limit", "3", "-search", search, "-model", model})
		if err != nil {
			t.Fatal(err)
		}
		f := r.(Fit)
		if f.N != 120 || f.Classes != 3 || f.Epochs != 3 || f.Weights == 0 || f.Work.M == 0 || f.Error > 0.5 ||
			f.CPU <= 0 || f.PeakMB < 1 {
			t.Errorf("%q: %+v", search, f)
		}
	}
	r, err := fit([]string{"-set", "iris", "-learner", "Auto"})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.(Fit); f.Learner != "Auto" || f.N != 120 || f.Error > 0.1 || f.LogLoss > 0.4 || f.Kernel == "" {
		t.Errorf("%+v", f)
	}
	r, err = predict([]string{"-set", "iris", "-model", model})
	if err != nil {
		t.Fatal(err)
	}
	if p := r.(Predictions); p.Rows != 30 || p.Vectors == 0 {
		t.Errorf("%+v", p)
	}
	if r, err = gram([]string{"-set", "iris"}); err != nil || r.(Gram).N != 120 || r.(Gram).D != 4 {
		t.Errorf("%+v, %v", r, err)
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
			runs = append(runs, Large{Set: "s", Learner: "l", N: 100 << n, K: 5, Kernel: "RBF(theta=[1 2])",
				Seed: uint64(seed), Err: 0.1 * float64(seed+1), EpochCPU: float64(1 + 3*n)})
		}
	}
	var out bytes.Buffer
	printLarge(&out, runs)
	for _, want := range []string{
		"| s | l | 100 | 5 | RBF(…) | 0 | 1 | 20.00 | ", "| s | l | 200 | 5 | RBF(…) | 0 | 2 seeds | 15.00 " +
			"(10.00 to 20.00) | ", "power of 2.00.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

func TestCurve(t *testing.T) {
	var out bytes.Buffer
	printCurve(&out, []Fit{
		{Set: "s", Learner: "b", N: 20, Error: 0.125},
		{Set: "s", Learner: "a", N: 3, Error: 0.5, LogLoss: 0.25, Time: measure.Time{CPU: 7}, PeakMB: 1.048576,
			Weights: 8},
	})
	if want := "| s | 3 | a | 50.00 | 0.2500 | 7 | 1 | 8 |\n| s | 20 | b | 12.50 | – | 0 | 0 | 0 |\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("no %q in\n%s", want, &out)
	}
}

// TestLoad checks the sizes of the sets that are not in internal/testkit/sets.
func TestLoad(t *testing.T) {
	for _, want := range []struct {
		name                string
		rows, n, test, c, d int
	}{
		{"letter-10", 0, 2000, 4000, 10, 16}, {"large-letter", 1000, 1000, 4000, 26, 16},
		{"large-shuttle", 1000, 1000, 14500, 7, 9}, {"large-mixture", 1000, 1000, 100000, 10, 16},
	} {
		p, err := load(want.name, want.rows, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, d := p.X.Dims(); len(p.T) != want.n || len(p.TTest) != want.test || p.Classes != want.c ||
			d != want.d {
			t.Errorf("%s: %d rows, %d test rows, %d classes, %d features", want.name, len(p.T), len(p.TTest),
				p.Classes, d)
		}
	}
	a, _ := load("large-letter", 1000, 0)
	b, _ := load("large-letter", 16000, 0)
	if !slices.Equal(a.TTest, b.TTest) {
		t.Error("large-letter: the test rows depend on the training rows")
	}
	for _, bad := range []string{"large-letter", "large-nonsense", "nonsense"} {
		if _, err := load(bad, 10, 0); err == nil {
			t.Errorf("%s, 10 rows: no error", bad)
		}
	}
}

// TestData checks that the peers read exactly the data that is fitted here.
func TestData(t *testing.T) {
	dir := t.TempDir()
	if _, err := writeData([]string{dir, "iris"}); err != nil {
		t.Fatal(err)
	}
	p, err := sets.Load("iris")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "iris.train.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != len(p.T) {
		t.Fatalf("%d lines for %d rows", len(lines), len(p.T))
	}
	for n, line := range lines {
		cells := strings.Split(line, ",")
		for d, want := range append(slices.Clone(p.X.RawRowView(n)), float64(p.T[n])) {
			if got, err := strconv.ParseFloat(cells[d], 64); err != nil || got != want {
				t.Fatalf("row %d, column %d: %q, want %v", n, d, cells[d], want)
			}
		}
	}
}

func TestRead(t *testing.T) {
	ones := make([]float64, 1600)
	for i := range ones {
		ones[i] = 1
	}
	for k := 1; k <= 4; k++ {
		if got := read(ones, k); got != 1600 {
			t.Errorf("%d threads: %g", k, got)
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
