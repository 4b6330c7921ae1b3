package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// try runs the command with the words of the texts and returns its exit status and its output.
func try(t *testing.T, texts ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), strings.Fields(strings.Join(texts, " ")), &o, &e)
	return code, o.String(), e.String()
}

// good is try for a command that must succeed. It returns standard output.
func good(t *testing.T, texts ...string) string {
	t.Helper()
	code, out, errOut := try(t, texts...)
	if code != 0 {
		t.Fatalf("%q: status %d: %s", texts, code, errOut)
	}
	return out
}

// write writes a file and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return text
}

// resultLines returns the results in a folder without their times, sorted.
func resultLines(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(string(read(t, filepath.Join(dir, "results.jsonl")))) {
		var fields map[string]any
		must.OK(t, json.Unmarshal([]byte(line), &fields))
		for _, name := range []string{"fit_s", "predict_s", "jobs"} {
			delete(fields, name)
		}
		all = append(all, fmt.Sprint(fields))
	}
	slices.Sort(all)
	return all
}

func TestStudy(t *testing.T) {
	dir := t.TempDir()
	set := must.Load(t, "wine")
	var text bytes.Buffer
	must.OK(t, data.WriteCSV(&text, set))
	csvFile := write(t, dir, "mine.csv", text.String())
	args := "run --systems mpcvm1,mpcvm2,svm --tune 0-1 --test 2,3 --theta 0.01,0.03 --data " + csvFile +
		" --split 4/5 --repeats 4 --out " + dir + "/"
	a := args + "a"

	out := good(t, a, "--dry-run")
	if !strings.Contains(out, "to be chosen") || !strings.Contains(out, "34 runs") {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
		t.Error("the plan created the folder")
	}
	code, out, errOut := try(t, a)
	if code != 0 || !strings.Contains(out, "34 runs") || !strings.Contains(errOut, "34/34 runs") {
		t.Errorf("status %d: %s%s", code, out, errOut)
	}
	lines := resultLines(t, filepath.Join(dir, "a"))
	if len(lines) != 6 || !strings.Contains(lines[0], "dataset:mine") ||
		!strings.Contains(lines[0], "rule:error") {
		t.Errorf("%q", lines)
	}
	must.Contain(t, good(t, a), "0 runs", "34 skipped")
	for _, phase := range []string{"tune", "test"} {
		for _, shard := range []string{"0/2", "1/2"} { // 0 is the last
			good(t, args+"shards --only", phase, "--shard", shard)
		}
	}
	tables := func(folder string) string {
		text, _, _ := strings.Cut(good(t, "tables --from", dir+folder), "\nSeconds")
		return text
	}
	must.Contain(t, tables("/a"), "Error rate")
	must.Equal(t, tables("/shards"), tables("/a"))
}

func TestStudyClasses(t *testing.T) {
	dir := t.TempDir()
	good(t, "run --data letter --classes 2,4 --per-class 30 --split 1/3 --repeats 3 --test 0-",
		"--systems mpcvm2 --theta 0.1 --out", dir)
	lines := strings.Join(resultLines(t, dir), "\n")
	if strings.Count(lines, "dataset:letter-2 ") != 3 || strings.Count(lines, "dataset:letter-4 ") != 3 ||
		!strings.Contains(lines, "n_test:80 n_train:40") || !strings.Contains(lines, "series:letter") {
		t.Errorf("%s", lines)
	}
	out := good(t, "tables --from", dir)
	if !strings.Contains(out, "Accuracy by number of classes: letter") ||
		strings.Index(out, "LETTER-2") > strings.Index(out, "LETTER-4") {
		t.Errorf("%s", out)
	}
}

func TestStudyWhole(t *testing.T) {
	dir := t.TempDir()
	good(t, "run --data overlap --whole --raw --theta 1 --systems mpcvm1,mpcvm2 --out", dir)
	out := good(t, "tables --from", dir)
	if !strings.Contains(out, "fits to all samples") || !strings.Contains(out, "11 (11), 11.0 %") {
		t.Errorf("%s", out)
	}
}

// A partition on which a system cannot be trained does not stop the others.
func TestStudyFailure(t *testing.T) {
	dir := t.TempDir()
	csvFile := write(t, dir, "x.csv", "a,class\n1e200,p\n2e200,q\n3e200,p\n4e200,q\n5e200,q\n6e200,p\n")
	args := "run --theta 1 --test 0 --raw --systems mpcvm1,svm+linear --split .7 --repeats 1 --data " + csvFile +
		" --out " + dir + "/out"
	code, out, errOut := try(t, args)
	if code != failed || !strings.Contains(out, "2 runs") || !strings.Contains(errOut, "failed") ||
		!strings.Contains(errOut, "svm+linear") {
		t.Errorf("status %d, %s%s", code, out, errOut)
	}
	if lines := resultLines(t, filepath.Join(dir, "out")); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
	if code, _, errOut = try(t, args); code != failed || !strings.Contains(errOut, "--retry") {
		t.Errorf("status %d, %s", code, errOut)
	}
	must.Contain(t, good(t, "tables --from", dir+"/out"), "Runs that failed", "svm+linear  x                 0")
}

func TestStudyMisuse(t *testing.T) {
	dir := t.TempDir()
	csvFile := write(t, dir, "x.csv", "a,class\n1,p\n2,q\n3,p\n4,q\n")
	onIris := map[string]string{ // flags of a study of Iris, and what the error names
		"--from D": "--from", "--theta 0": "--theta", "--theta a": "--theta",
		"--tune 0-5": "both", "--tune 5-0": "5-0", "--tune x": `"x"`, "--test 50": "last, 49", "--test 50-": "last, 49",
		"--test 5,5-6": "twice", "--tune none": "mpcvm1", "--systems tree": `"tree"`, "--jobs 0": "--jobs",
		"--shard 3/2": "--shard", "--shard two": "--shard", "--rule luck": "--rule", "--only run": "--only",
		"--classes 2": "--split", "--split 2": "--split", "--split .5 --classes 1": "too few",
		"--split .5 --classes 4": "last, 3", "--split .5 --repeats 0": "--repeats",
		"--split .5 --repeats 10001": "--repeats", "--split .5 --whole": "[split whole]", "--per-class 5": "--per-class",
		"--missing heart=-9 --theta 1": "heart", "--missing iris=x": `"x"`, "--missing heart": "heart",
		"--whole --tune 0 --theta 1": "--whole",
	}
	lines := map[string]string{
		"jump": "jump", "run": `"data", "out"`, "run --data iris": `"out"`, "tables": `"from"`,
		"tables --jobs 2": "--jobs", "run --out D --data X": "--split",
	}
	for flags, say := range onIris {
		lines["run --data iris --out D "+flags] = say
	}
	for line, say := range lines {
		args := strings.NewReplacer(" X", " "+csvFile, " D", " "+filepath.Join(dir, "out")).Replace(line)
		code, out, errOut := try(t, args)
		if code != misused || out != "" || !strings.Contains(errOut, say) {
			t.Errorf("%s: status %d, %s%.200s", line, code, out, errOut)
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
			t.Fatalf("%s: the folder was created", line)
		}
	}
	for _, args := range []string{
		"run --theta 1 --split .5 --data nowhere.csv",
		"run --data iris,iris", "tables --from none",
	} {
		code, out, errOut := try(t, strings.Replace(args, "run", "run --out "+dir, 1))
		if code != failed || out != "" {
			t.Errorf("%q: status %d, %s%s", args, code, out, errOut)
		}
	}
}

// A run that failed has a line of its own, and the last run is always shown.
func TestStudyProgress(t *testing.T) {
	var b bytes.Buffer
	p := progress.New(&b)
	svm := study.Run{System: "svm", Dataset: "iris", Partition: 3, Tuning: true}
	s := study.Progress{Summary: study.Summary{Done: 1, Total: 10, Seconds: 2}, Run: svm}
	showRun(p, s)
	s.Done, s.Failed, s.Err = 2, 1, errors.New("no luck")
	showRun(p, s)
	s.Done, s.Err = 10, nil
	showRun(p, s)
	const want = `svm on iris, partition 3 (tuning) failed: no luck
10/10 runs, 1 failed, 2s; last svm on iris, partition 3 (tuning)
`
	must.Equal(t, b.String(), want)
}
