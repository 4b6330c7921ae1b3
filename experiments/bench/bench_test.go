//go:build unix

package main

import (
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

// TestLoad checks the sizes of the sets that are not in internal/testkit/sets.
func TestLoad(t *testing.T) {
	for name, want := range map[string][3]int{"letter-10": {2000, 4000, 10}, "letter-16000": {16000, 4000, 26}} {
		p := must.Get(load(name))(t)
		must.Equal(t, [3]int{len(p.T), len(p.TTest), p.Classes}, want)
	}
	if _, err := load("nonsense"); err == nil {
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
