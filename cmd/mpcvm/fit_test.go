package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// write puts a text into a file of the folder and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// entries returns the names in a folder.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	names := must.Get(filepath.Glob(filepath.Join(dir, "*")))(t)
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

// Each flag of the learner has an effect: only candidates enter the model, and another value gives another
// model.
func TestFitCandidates(t *testing.T) {
	dir, csvFile, _, _ := iris(t)
	model, seen := filepath.Join(dir, "m.json"), map[string]string{}
	for _, flags := range []string{"", "--single --likelihood-power 10", "--algorithm mpcvm1", "--seed 2",
		"--seed 2 --algorithm mpcvm1", "--calibrate"} {
		f, _ := fitJSON(t, append(strings.Fields(flags), csvFile, "--candidates", "36", "--theta", "0.1", "--model",
			model)...)
		if f.Candidates != 36 || f.RelevanceVectors > 36 || f.Train.Rows != 150 || *f.Train.Error > 0.1 {
			t.Errorf("%s: %+v", flags, f)
		}
		text := string(read(t, model))
		if other, met := seen[text]; met {
			t.Errorf("%q: the same model as with %q", flags, other)
		}
		seen[text] = flags
	}
}

// A fit like a model has its columns, reading, algorithm, kernel, seed and costs. On the same rows it gives
// the same file, also if the rows are in two files with another column.
func TestFitLike(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	lines := strings.SplitAfter(string(read(t, penguins)), "\n")
	more := slices.Clone(lines)
	for i := range more[:len(more)-1] {
		more[i] = strings.TrimSuffix(more[i], "\n") + ",more\n"
	}
	write(t, dir, "one.csv", strings.Join(more[:200], ""))
	write(t, dir, "two.csv", more[0]+strings.Join(more[200:], ""))
	good(t, "fit", penguins, "--target", "Sex", "--id", "Individual ID", "--drop", "Comments,studyName", "--na",
		"Torgersen", "--kind", "Stage=category", "--seed", "3", "--cv", "none", "--costs", "MALE:FEMALE=3",
		"--algorithm", "mpcvm2", "--kernel", "laplacian", "--model", at("m.json"))
	for _, files := range [][]string{{penguins}, {at("one.csv"), at("two.csv")}, {at("[ot]*.csv")}} {
		good(t, append([]string{"fit", "--like", at("m.json"), "--cv", "none", "--model", at("like.json")},
			files...)...)
		if string(read(t, at("like.json"))) != string(read(t, at("m.json"))) {
			t.Errorf("%q: another model", files)
		}
	}
	isle, much := strings.Replace(lines[0], "Island", "Isle", 1), strings.Replace(more[1], ",39.1,", ",much,", 1)
	for text, say := range map[string]string{
		isle + lines[1]: `lacks the column "Island" of ` + at("one.csv"),
		strings.TrimSpace(lines[0]) + ",x,y\n" + more[1]: `has the column "x", which`,
		more[0] + much: `row 1, column "Culmen Length (mm)": "much" is not`,
		more[0] + strings.Replace(more[1], ",Yes,", ",perhaps,", 1):   `column "Clutch Completion" is not read as`,
		strings.Replace(more[0], "Delta 15", "Delta 16", 1) + more[1]: "; did you mean",
	} {
		other := write(t, dir, "other.csv", text)
		code, _, errOut := try(t, "look", at("one.csv"), other)
		if code != failed || !strings.Contains(errOut, other) || !strings.Contains(errOut, say) {
			t.Errorf("status %d: %s, want %s", code, errOut, say)
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
