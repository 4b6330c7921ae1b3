package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/systems"
	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// resultLines are the results in a folder without their times, sorted.
func resultLines(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
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
	set, err := data.Load("wine")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := data.WriteCSV(&text, set); err != nil {
		t.Fatal(err)
	}
	csvFile := write(t, dir, "mine.csv", text.String())
	rows := func(step int) string {
		var list []string
		for n := range set.N() {
			if n%step > 0 {
				list = append(list, fmt.Sprint(n))
			}
		}
		return strings.Join(list, ",")
	}
	partitions := write(t, dir, "p.csv", rows(5)+"\n"+rows(4)+"\n"+rows(3)+"\n"+rows(6)+"\n")
	args := []string{"study", "run", "--data", csvFile, "--partitions", partitions, "--systems", "mpcvm1,mpcvm2,svm",
		"--tune", "0-1", "--test", "2,3", "--theta", "0.01,0.03", "--out", filepath.Join(dir, "a")}

	out, _ := good(t, append(args, "--dry-run")...)
	if !strings.Contains(out, "to be chosen") || !strings.Contains(out, "34 runs") {
		t.Errorf("%s", out)
	}
	out, _ = good(t, append(args, "--dry-run", "--json")...)
	var planned struct{ Runs []study.Run }
	if err := json.Unmarshal([]byte(out), &planned); err != nil || len(planned.Runs) != 34 {
		t.Errorf("%d runs, %v", len(planned.Runs), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
		t.Error("the plan made the folder")
	}
	out, errOut := good(t, args...)
	if !strings.Contains(out, "34 runs") || !strings.Contains(errOut, "34/34 runs") {
		t.Errorf("%s%s", out, errOut)
	}
	lines := resultLines(t, filepath.Join(dir, "a"))
	if len(lines) != 6 || !strings.Contains(lines[0], "dataset:mine") || !strings.Contains(lines[0], "rule:error") {
		t.Errorf("%q", lines)
	}
	out, _ = good(t, append(args, "--json")...)
	var sum map[string]any
	if err := json.Unmarshal([]byte(out), &sum); err != nil || sum["done"] != 0. || sum["skipped"] != 34. {
		t.Errorf("%s", out)
	}
	for i := 1; i <= 2; i++ {
		good(t, append(slices.Clone(args[:len(args)-1]), filepath.Join(dir, "shards"), "--shard", fmt.Sprintf("%d/2", i))...)
	}
	for format, want := range map[string]string{"text": "ERROR RATE", "md": "## Error rate", "html": "<table>", "json": `"cells"`} {
		whole, _ := good(t, "study", "tables", "--from", filepath.Join(dir, "a"), "--format", format)
		if !strings.Contains(strings.ToUpper(whole), strings.ToUpper(want)) {
			t.Errorf("%s: %.300s", format, whole)
		}
		shards, _ := good(t, "study", "tables", "--from", filepath.Join(dir, "shards"), "--format", format)
		if format == "md" {
			table := func(s string) string { s, _, _ = strings.Cut(s, "## Seconds"); return s }
			if table(whole) != table(shards) {
				t.Errorf("shards give\n%s\nnot\n%s", shards, whole)
			}
		}
	}
}

// The same bits whatever the number of jobs.
func TestStudyJobs(t *testing.T) {
	dir := t.TempDir()
	var first []string
	for _, jobs := range []string{"1", "4"} {
		out := filepath.Join(dir, jobs)
		good(t, "study", "run", "--data", "iris", "--systems", strings.Join(systems.Names(false), ","), "--theta", "0.1", "--test", "5-6", "--jobs", jobs, "--out", out)
		lines := resultLines(t, out)
		if len(lines) != 2*len(systems.Names(false)) {
			t.Errorf("%d lines", len(lines))
		}
		if first == nil {
			first = lines
		} else if !slices.Equal(first, lines) {
			t.Errorf("4 jobs:\n%s\n1 job:\n%s", strings.Join(lines, "\n"), strings.Join(first, "\n"))
		}
	}
}

// The concatenated files of shards are what one process makes, and nothing is left to do.
func TestStudyShards(t *testing.T) {
	dir := t.TempDir()
	flags := []string{"--data", "iris", "--systems", "mpcvm2,mlr", "--theta", "0.1,0.3", "--tune", "0-1", "--test", "5-9", "--jobs", "1", "--out"}
	command := func(out string, more ...string) []string {
		return slices.Concat([]string{"study", "run"}, flags, []string{filepath.Join(dir, out)}, more)
	}
	good(t, command("one")...)
	for _, phase := range []string{"tune", "test"} {
		for _, shard := range []string{"0/2", "1/2"} {
			good(t, command("shards", "--only", phase, "--shard", shard, "--wait", "1s")...)
		}
	}
	merged := filepath.Join(dir, "merged")
	if err := os.Mkdir(merged, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"results*.jsonl", "tuning*.ndjson"} {
		files, err := filepath.Glob(filepath.Join(dir, "shards", name))
		if err != nil || len(files) != 2 {
			t.Fatal(files, err)
		}
		write(t, merged, strings.Replace(name, "*", "", 1), string(read(t, files[0]))+string(read(t, files[1])))
	}
	of := func(folder string) string {
		return first(good(t, "study", "tables", "--from", filepath.Join(dir, folder)))
	}
	if got, want := of("shards"), of("merged"); got != want || !strings.Contains(got, "mpcvm2") && !strings.Contains(got, "mPCVM₂") {
		t.Errorf("of the shards:\n%s\nconcatenated:\n%s", got, want)
	}
	if !slices.Equal(resultLines(t, filepath.Join(dir, "one")), resultLines(t, filepath.Join(dir, "merged"))) {
		t.Error("other results than those of one process")
	}
	if out, _ := good(t, command("merged", "--dry-run")...); !strings.HasSuffix(out, "\n0 runs\n") {
		t.Error(out)
	}
}

func TestStudyClasses(t *testing.T) {
	dir := t.TempDir()
	good(t, "study", "run", "--data", "letter", "--classes", "2,4", "--per-class", "30", "--split", "1/3", "--repeats", "3", "--test", "0-",
		"--systems", "mpcvm2", "--theta", "0.1", "--out", dir)
	lines := strings.Join(resultLines(t, dir), "\n")
	if strings.Count(lines, "dataset:letter-2 ") != 3 || strings.Count(lines, "dataset:letter-4 ") != 3 ||
		!strings.Contains(lines, "n_test:80 n_train:40") || !strings.Contains(lines, "series:letter") {
		t.Errorf("%s", lines)
	}
	out, _ := good(t, "study", "tables", "--from", dir)
	if !strings.Contains(out, "Accuracy by number of classes: letter") || strings.Index(out, "LETTER-2") > strings.Index(out, "LETTER-4") {
		t.Errorf("%s", out)
	}
}

func TestStudyWhole(t *testing.T) {
	dir := t.TempDir()
	good(t, "study", "run", "--data", "overlap", "--whole", "--raw", "--theta", "1", "--systems", "mpcvm1,mpcvm2", "--out", dir)
	out, _ := good(t, "study", "tables", "--from", dir)
	if !strings.Contains(out, "fits to all samples") || !strings.Contains(out, "21 (21)") {
		t.Errorf("%s", out)
	}
}

// The system auto needs no widths and says what it chose.
func TestStudyAuto(t *testing.T) {
	dir := t.TempDir()
	good(t, "study", "run", "--data", "iris", "--theta", "1", "--systems", "auto", "--test", "5", "--out", dir)
	if lines := resultLines(t, dir); len(lines) != 1 || !strings.Contains(lines[0], "chose ") || !strings.Contains(lines[0], "params:map[seed:6]") {
		t.Errorf("%q", lines)
	}
}

// A partition from which a system cannot learn does not stop the others.
func TestStudyFailure(t *testing.T) {
	dir := t.TempDir()
	csvFile := write(t, dir, "x.csv", "a,class\n1,p\n2,q\n3,p\n4,q\n5,q\n")
	partitions := write(t, dir, "p.csv", "0,2\n0,1,2,3\n")
	args := []string{"study", "run", "--data", csvFile, "--partitions", partitions, "--theta", "1", "--test", "0-1", "--systems", "mpcvm1", "--out", filepath.Join(dir, "out")}
	code, out, errOut := try(t, args...)
	if code != 1 || !strings.Contains(out, "2 runs") || !strings.Contains(errOut, "failed") || !strings.Contains(errOut, "two classes") {
		t.Errorf("status %d, %s%s", code, out, errOut)
	}
	if lines := resultLines(t, filepath.Join(dir, "out")); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
	if code, _, errOut = try(t, args...); code != 1 || !strings.Contains(errOut, "--retry") {
		t.Errorf("status %d, %s", code, errOut)
	}
	tables, _ := good(t, "study", "tables", "--from", filepath.Join(dir, "out"))
	if !strings.Contains(tables, "1 failed") || !strings.Contains(tables, "Runs that failed") {
		t.Errorf("%s", tables)
	}
}

func TestStudyMisuse(t *testing.T) {
	dir := t.TempDir()
	csvFile := write(t, dir, "x.csv", "a,class\n1,p\n2,q\n3,p\n4,q\n")
	for line, say := range map[string]string{
		"study jump":                                                      `unknown verb "jump"`,
		"study run":                                                       "--data is missing",
		"study run --data iris":                                           "--out is missing",
		"study run --out D --data iris --from D":                          "unknown flag --from",
		"study tables --jobs 2 --from D":                                  "unknown flag --jobs",
		"study tables":                                                    "--from is missing",
		"study tables --from D --format pdf":                              "pdf",
		"study run --data iris --out D --wait -1s":                        "--wait",
		"study run --data X --out D":                                      "--partitions is missing",
		"study run --data iris --out D --theta 0":                         "--theta",
		"study run --data iris --out D --theta a":                         "--theta",
		"study run --data iris --out D --tune 0-5":                        "both",
		"study run --data iris --out D --tune 5-0":                        "not a number or a range",
		"study run --data iris --out D --tune x":                          "not a number or a range",
		"study run --data iris --out D --test 50":                         "beyond the last, 49",
		"study run --data iris --out D --test 50-":                        "beyond the last, 49",
		"study run --data iris --out D --test 5,5-6":                      "twice",
		"study run --data iris --out D --tune none":                       "--tune",
		"study run --data iris --out D --systems tree":                    `no system "tree"; there are mpcvm1`,
		"study run --data iris --out D --jobs 0":                          "--jobs",
		"study run --data iris --out D --shard 3/2":                       "--shard",
		"study run --data iris --out D --shard two":                       "--shard",
		"study run --data iris --out D --rule luck":                       "--rule",
		"study run --data iris --out D --only run":                        "--only",
		"study run --data iris --out D --classes 2":                       "--split",
		"study run --data iris --out D --split 2":                         "--split",
		"study run --data iris --out D --split .5 --classes 1":            "too few",
		"study run --data iris --out D --split .5 --classes 4":            "beyond the last, 3",
		"study run --data iris --out D --split .5 --repeats 0":            "--repeats",
		"study run --data iris --out D --split .5 --repeats 10001":        "--repeats",
		"study run --data iris --out D --split .5 --whole":                "only one of",
		"study run --data iris --out D --per-class 5":                     "--per-class",
		"study run --data iris,wine --partitions a --out D":               "2 sets",
		"study run --data iris --out D --missing heart=-9 --theta 1":      "none of the data sets",
		"study run --data iris --out D --missing heart":                   "NAME=V",
		"study run --data iris --out D --whole --tune 0 --theta 1":        "nothing to tune on",
		"study run --data iris --out D --systems auto,mpcvm1 --tune none": "mpcvm1 has several",
	} {
		args := strings.Fields(strings.NewReplacer(" X", " "+csvFile, " D", " "+filepath.Join(dir, "out")).Replace(line))
		code, out, errOut := try(t, args...)
		if code != misused || out != "" || !strings.Contains(errOut, say) {
			t.Errorf("%s: status %d, %s%.200s", line, code, out, errOut)
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
			t.Fatalf("%s: the folder was made", line)
		}
	}
	for _, args := range [][]string{
		{"study", "run", "--data", "nowhere.csv", "--out", dir, "--theta", "1"},
		{"study", "run", "--data", "iris", "--partitions", csvFile, "--out", dir, "--theta", "1"},
		{"study", "run", "--data", "iris,iris", "--out", dir},
		{"study", "tables", "--from", filepath.Join(dir, "none")},
	} {
		if code, out, errOut := try(t, args...); code != 1 || out != "" {
			t.Errorf("%q: status %d, %s%s", args, code, out, errOut)
		}
	}
}

func TestCancelledStudy(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var o, e bytes.Buffer
	dir := t.TempDir()
	if code := run(ctx, []string{"study", "run", "--data", "iris", "--theta", "1", "--out", dir}, &o, &e); code != 130 || !strings.Contains(e.String(), "canceled") {
		t.Errorf("status %d: %s%s", code, o.String(), e.String())
	}
}

// Every contestant fits, and its classifier keeps to the interface.
func TestContestants(t *testing.T) {
	set, err := data.Load("iris")
	if err != nil {
		t.Fatal(err)
	}
	set, _ = set.Split(0.4, 1)
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	for _, tune := range []bool{false, true} {
		chosen, err := systems.Choose(strings.Join(systems.Names(true), ","), []float64{0.5, 0.2}[:map[bool]int{false: 1, true: 2}[tune]], tune)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range chosen {
			if !tune && len(s.Grid) > 1 {
				t.Errorf("%s: %d settings untuned", s.Name, len(s.Grid))
			}
			p := study.Params{}
			if len(s.Grid) > 0 {
				p = s.Grid[0]
			}
			for _, fit := range []study.FitFunc{s.Fit, s.Labels} {
				if fit == nil || tune && s.Name == "auto" {
					continue
				}
				c, err := fit(context.Background(), p, x, set.T, 1)
				if err != nil {
					t.Errorf("%s: %v", s.Name, err)
					continue
				}
				labels, proba := c.Predict(nil, x), c.Proba(nil, x)
				wrong := 0
				for n, l := range labels {
					if l != set.T[n] {
						wrong++
					}
					if sum := mat.Sum(proba.RowView(n)); math.Abs(sum-1) > 1e-9 {
						t.Fatalf("%s: probabilities sum to %v", s.Name, sum)
					}
				}
				if weights := c.WeightCount(); wrong > 12 || weights == 0 {
					t.Errorf("%s: %d of 60 wrong, %d weights", s.Name, wrong, weights)
				}
			}
		}
	}
}

// A run that failed has a line of its own, and the last one is always shown.
func TestStudyProgress(t *testing.T) {
	var b bytes.Buffer
	p := progress.New(&b)
	s := study.Progress{Done: 1, Total: 10, Elapsed: 2 * time.Second, Run: study.Run{System: "svm", Dataset: "iris", Partition: 3, Tuning: true}}
	showRun(p, s)
	s.Done, s.Failed, s.Err = 2, 1, errors.New("no luck")
	showRun(p, s)
	s.Done, s.Err = 10, nil
	showRun(p, s)
	if got, want := b.String(), "svm on iris, partition 3 (tuning) failed: no luck\n10/10 runs, 1 failed, 2s; last svm on iris, partition 3 (tuning)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
