package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpcvm/mpcvm/tables/assess"
)

// write puts a text into a file of the folder and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// entries returns the names in a folder.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// good runs the command, which must succeed.
func good(t *testing.T, args ...string) (out, errOut string) {
	t.Helper()
	code, out, errOut := try(t, args...)
	if code != 0 {
		t.Fatalf("%q: status %d: %s", args, code, errOut)
	}
	return out, errOut
}

// irisModel is the file of the model that fit trains on iris by default.
var irisModel = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "iris")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	csvFile, modelFile := filepath.Join(dir, "flowers.csv"), filepath.Join(dir, "model.json")
	var set bytes.Buffer
	if code := run(context.Background(), []string{"data", "show", "iris"}, &set, io.Discard); code != 0 {
		panic("no iris")
	}
	if err := os.WriteFile(csvFile, set.Bytes(), 0o600); err != nil {
		panic(err)
	}
	var said bytes.Buffer
	if code := run(context.Background(), []string{"fit", "--data", csvFile, "--model", modelFile}, io.Discard,
		&said); code != 0 {
		panic(said.String())
	}
	text, err := os.ReadFile(modelFile)
	if err != nil {
		panic(err)
	}
	return text
})

// iris writes the set and a model of it: the default model of fit or, with further flags, a new one. out is
// the output of fit.
func iris(t *testing.T, args ...string) (dir, csvFile, modelFile, out string) {
	t.Helper()
	dir = t.TempDir()
	text, _ := good(t, "data", "show", "iris")
	csvFile, modelFile = write(t, dir, "flowers.csv", text), filepath.Join(dir, "model.json")
	if len(args) == 0 {
		return dir, csvFile, write(t, dir, "model.json", string(irisModel())), ""
	}
	out, _ = good(t, append([]string{"fit", "--data", csvFile, "--model", modelFile}, args...)...)
	return dir, csvFile, modelFile, out
}

// TestFitCandidates checks that only candidates enter the model, that all samples are used for training, and
// that another seed draws other candidates.
func TestFitCandidates(t *testing.T) {
	var models []string
	for _, args := range [][]string{
		{"--candidates", "36", "--theta", "0.1"},
		{"--candidates", "36", "--theta", "0.1", "--single", "--likelihood-power", "10"},
		{"--candidates", "36", "--theta", "0.1", "--algorithm", "mpcvm1"},
		{"--candidates", "36", "--theta", "0.1", "--seed", "2"},
		{"--candidates", "36", "--theta", "0.1", "--seed", "2", "--algorithm", "mpcvm1"},
	} {
		_, csvFile, modelFile, out := iris(t, append([]string{"--json"}, args...)...)
		var got assess.Evaluation
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if got.Candidates != 36 || got.RelevanceVectors > 36 || got.Train.Rows != 150 || *got.Train.Error > 0.1 {
			t.Errorf("%q: %s", args, out)
		}
		text, err := os.ReadFile(modelFile)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range models {
			if string(text) == other {
				t.Errorf("%q: the same model as with other flags", args)
			}
		}
		models = append(models, string(text))
		out, _ = good(t, append([]string{"fit", "--data", csvFile, "--model", modelFile}, args...)...)
		if !strings.Contains(out, "among 36 candidates") {
			t.Errorf("%q: %s", args, out)
		}
	}
}

// FILE and --data are equivalent, and a model is saved only on request.
func TestFitArguments(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t, "--theta", "0.1", "--likelihood-power", "10")
	want, before := read(t, modelFile), entries(t, dir)
	for line, same := range map[string]bool{
		"FILE --model M --theta 0.1 --likelihood-power 10":                     true,
		"--model=M --theta=0.1 FILE --likelihood-power=10":                     true,
		"--theta 0.1 --likelihood-power=10 --candidates all --model M -- FILE": true,
		"FILE --model M --theta 0.1":                                           false,
	} {
		args := strings.Fields(strings.NewReplacer("FILE", csvFile, "M", modelFile).Replace(line))
		good(t, append([]string{"fit"}, args...)...)
		if bytes.Equal(read(t, modelFile), want) != same {
			t.Errorf("%s: the model is the same: %v", line, !same)
		}
	}
	out, _ := good(t, "fit", csvFile, "--theta", "0.1")
	if after := entries(t, dir); !strings.Contains(out, "--model FILE") || !slices.Equal(after, before) {
		t.Errorf("%s%q, before %q", out, after, before)
	}
}

// The report has all charts, except for the regions if there is one feature; package report tests its sections.
func TestFitReport(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t)
	report := filepath.Join(dir, "report.html")
	out, _ := good(t, "fit", "--data", csvFile, "--test", csvFile, "--model", modelFile, "--report", report)
	for _, want := range []string{"iterations", "training", "test", "150", "setosa", modelFile, report} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	// Confusion, ROC, precision and recall, gain, reliability, importance, four dependences, four charts of the
	// fit, and the trials.
	const regions = "in the region of another class"
	if page := string(read(t, report)); strings.Count(page, `class="mpcvm-chart"`) != 15 ||
		!strings.Contains(page, regions) || !strings.Contains(page, `class="mpcvm-live"`) {
		t.Errorf("a page of %d bytes", len(page))
	}
	one := write(t, dir, "one.csv", "x,class\n0,a\n1,a\n4,b\n5,b\n")
	good(t, "fit", "--data", one, "--model", modelFile, "--report", report)
	if page := string(read(t, report)); strings.Contains(page, regions) || !strings.Contains(page, "Dependence on x") {
		t.Error("regions of one feature")
	}
}
