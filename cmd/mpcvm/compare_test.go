package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/tables/table"
)

// colours writes a table of n rows. Class b has the larger x, and is red more often.
func colours(t *testing.T, dir string, n int) string {
	r := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	b.WriteString("no,x,colour,sort\n")
	for i := range n {
		sort, shift, red := "a", 0.0, 0.3
		if i%3 == 0 {
			sort, shift, red = "b", 1.5, 0.7
		}
		colour := "blue"
		if r.Float64() < red {
			colour = "red"
		}
		fmt.Fprintf(&b, "R%d,%.3f,%s,%s\n", i, r.NormFloat64()+shift, colour, sort)
	}
	return write(t, dir, "colours.csv", b.String())
}

// compared is an entry of the JSON of compare, with the keys that other programs rely on.
type compared struct {
	System  *string  `json:"system"`
	Err     *float64 `json:"err"`
	ErrSE   *float64 `json:"err_se"`
	LogLoss *float64 `json:"logloss"`
	AUC     *float64 `json:"auc"`
	Weights *float64 `json:"n_weights"`
	Seconds *float64 `json:"fit_s"`
}

func lines(t *testing.T, out string) map[string]compared {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	var all struct {
		Schema   int          `json:"schema"`
		Systems  []compared   `json:"systems"`
		Warnings []table.Said `json:"warnings"`
		Verdict  table.Said   `json:"verdict"`
	}
	if err := d.Decode(&all); err != nil || all.Verdict.Text == "" || all.Warnings == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := map[string]compared{}
	for _, l := range all.Systems {
		m[*l.System] = l
	}
	return m
}

// Without --systems, compare fits seven systems and prints all scores.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	path, report := colours(t, dir, 60), filepath.Join(dir, "report.html")
	out, errOut := good(t, "compare", path, "--json", "--repeats", "1", "--report", report)
	if !strings.Contains(errOut, `classes: column "sort"`) {
		t.Error(errOut)
	}
	got := lines(t, out)
	for _, system := range []string{"majority", "logistic", "SVM", "mRVM₂", "mPCVM₁", "mPCVM₂", "Auto"} {
		l, there := got[system]
		if !there || l.Err == nil || l.ErrSE == nil || l.LogLoss == nil || l.AUC == nil || l.Weights == nil ||
			l.Seconds == nil {
			t.Errorf("%s: %+v", system, l)
			continue
		}
		if system != "majority" && (*l.Err > 0.33 || *l.AUC < 0.7) {
			t.Errorf("%s: %g, %g", system, *l.Err, *l.AUC)
		}
	}
	if m := got["majority"]; len(got) != 7 || math.Abs(*m.Err-1.0/3) > 1e-9 {
		t.Errorf("%d systems; %s", len(got), out)
	}
	page, err := os.ReadFile(report)
	if err != nil || bytes.Count(page, []byte(`class="mpcvm-chart"`)) != 4 ||
		!bytes.Contains(page, []byte("Systems compared on colours.csv")) {
		t.Errorf("report: %v, %d bytes", err, len(page))
	}
}

// Predictions of other programs are scored on the folds that compare writes, and an error in them names the
// file and the cell.
func TestCompareAlso(t *testing.T) {
	dir := t.TempDir()
	path, folds := colours(t, dir, 60), filepath.Join(dir, "folds.csv")
	args := []string{"compare", path, "--systems", "logistic", "--folds-k", "3", "--repeats", "2", "--folds",
		folds}
	good(t, args...)
	rows, err := csv.NewReader(bytes.NewReader(read(t, folds))).ReadAll()
	if err != nil || len(rows) != 1+2*3*60 {
		t.Fatalf("%d lines, %v", len(rows), err)
	}
	text := "repeat,row,p(b),p(a),system\n"
	for _, row := range rows[1:] {
		if row[4] == "test" {
			b := map[string]string{"a": "0.1,0.9", "b": "0.9,0.1"}[row[3]]
			text += fmt.Sprintf("%s,%s,%s,oracle\n%[1]s,%[2]s,0.5,0.5,even\n", row[0], row[2], b)
		}
	}
	scores := write(t, dir, "scores.csv", text)
	out, _ := good(t, append(args, "--also", scores, "--json")...)
	got := lines(t, out)
	if o, e := got["oracle"], got["even"]; *o.Err != 0 || math.Abs(*o.LogLoss+math.Log(0.9)) > 1e-9 ||
		*o.AUC != 1 || math.Abs(*e.LogLoss-math.Ln2) > 1e-9 || e.Seconds != nil {
		t.Error(out)
	}
	out, _ = good(t, append(args, "--also", scores)...)
	if !strings.HasSuffix(out, "\noracle has the lowest log loss, but the difference from logistic may be "+
		"noise.\n") {
		t.Error(out)
	}
	for old, wrong := range map[string]struct{ text, say string }{
		"p(b)": {"p(c)", `no column "p(b)"`}, "2,1,": {"2,61,", "lacks 1 of 120 rows"},
		"0.1,0.9": {"1.1,0.9", "(p(b)): not a probability"}, "2,2,": {"2,1,", "in this repeat for the first time"},
		"0.5,0.5": {"0.5,0.4", "sum 1, not 0.9"},
	} {
		also := write(t, dir, "wrong.csv", strings.Replace(text, old, wrong.text, 1))
		code, _, errOut := try(t, append(args, "--also", also)...)
		if code != failed || !strings.Contains(errOut, also) || !strings.Contains(errOut, wrong.say) {
			t.Errorf("%s: status %d, %s, want %s", old, code, errOut, wrong.say)
		}
	}
}

// The script of docs/choose.md for scikit-learn runs, and compare reads its output.
func TestCompareForest(t *testing.T) {
	python := cmp.Or(os.Getenv("PEERS_PYTHON"), "/usr/bin/python3")
	if err := exec.Command(python, "-c", "import sklearn, pandas").Run(); err != nil {
		t.Skipf("NOT TESTED: the script of docs/choose.md: %s has no scikit-learn or no pandas: %v", python, err)
	}
	_, script, _ := strings.Cut(string(read(t, "../../docs/choose.md")), "```python\n")
	script, _, found := strings.Cut(script, "```")
	if !found {
		t.Fatal("no script in docs/choose.md")
	}
	dir := t.TempDir()
	folds, scores := filepath.Join(dir, "folds.csv"), filepath.Join(dir, "scores.csv")
	const path = "../../data/iris.csv"
	args := []string{"compare", path, "--systems", "logistic", "--folds-k", "2", "--repeats", "1"}
	good(t, append(args, "--folds", folds)...)
	c := exec.Command(python, write(t, dir, "forest.py", script), path, folds, scores, "class")
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, _ := good(t, append(args, "--also", scores, "--json")...)
	for _, system := range []string{"forest", "boosting"} {
		if l := lines(t, out)[system]; l.Err == nil || *l.Err > 0.1 || *l.AUC < 0.9 {
			t.Errorf("%s: %s", system, out)
		}
	}
}

// An interrupted compare prints the completed folds.
func TestCompareInterrupted(t *testing.T) {
	path := colours(t, t.TempDir(), 60)
	ctx := watch.NewCountdown(t.Context(), 20000)
	var o, e bytes.Buffer
	code := run(ctx, []string{"compare", path, "--systems", "logistic,svm", "--repeats", "1000"}, &o, &e)
	if code != interrupted || ctx.Left() < -3*5000-10000 { // each remaining fit checks it once
		t.Errorf("status %d after %d more checks of the context", code, -ctx.Left())
	}
	if !strings.Contains(o.String(), " of 5000 folds") || !strings.Contains(o.String(), "logistic") ||
		!strings.Contains(e.String(), "interrupted") {
		t.Errorf("%s%s", o.String(), e.String())
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	o.Reset()
	if code := run(stopped, []string{"compare", path}, &o, &e); code != interrupted || o.Len() > 0 {
		t.Errorf("status %d, %s", code, o.String())
	}
}

// Many rows are reduced to a stratified sample.
func TestCompareSample(t *testing.T) {
	dir := t.TempDir()
	path := colours(t, dir, 6000)
	out, errOut := good(t, "compare", path, "--systems", "majority")
	if !strings.Contains(out, "1000 rows") || !strings.Contains(errOut, "sample of 1000 of 6000 rows") ||
		strings.Contains(errOut, "rows skipped") {
		t.Errorf("%s%s", out, errOut)
	}
	if out, errOut := good(t, "compare", path, "--systems", "majority", "--rows", "all"); !strings.Contains(out,
		"6000 rows") || strings.Contains(errOut, "sample") || strings.Contains(errOut, "skipping") {
		t.Errorf("%s%s", out, errOut)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := &until{text: "skipping svm and mrvm2,", found: cancel}
	if code := run(ctx, []string{"compare", path, "--rows", "all"}, io.Discard, e); code != interrupted ||
		ctx.Err() == nil {
		t.Errorf("status %d, %s", code, e.String())
	}
}

// until is a writer that calls a function once a text was written.
type until struct {
	bytes.Buffer
	text  string
	found func()
}

func (u *until) Write(p []byte) (int, error) {
	n, err := u.Buffer.Write(p)
	if strings.Contains(u.String(), u.text) {
		u.found()
	}
	return n, err
}

// A sample keeps the shares of the classes and all rows of a small class, and leaves the table as it was.
func TestDrawn(t *testing.T) {
	const n = 1000
	category := table.Column{Name: "c", Levels: []string{"a", "b", "c"}, Kind: table.Category}
	number := table.Column{Name: "n", Kind: table.Number}
	for i := range n {
		label := []int32{2, 2, 2, -1, 1, 0, 0, 0}[min(i, 4+i%4)] // three rows of class 2, one without a class
		category.Codes, number.Numbers = append(category.Codes, label), append(number.Numbers, float64(label))
	}
	number.Numbers[3] = math.NaN()
	whole := &table.Table{Rows: n, Columns: []table.Column{category, number}}
	for column := range whole.Columns {
		before, _ := whole.Labels(column)
		part, kept := drawn(whole, column, 100, 5, 1)
		labels, _ := part.Labels(column)
		counts := map[int]int{}
		for i, label := range labels {
			if counts[label]++; label >= 0 && label != before[i] {
				t.Errorf("row %d has class %d, want %d", i, label, before[i])
			}
		}
		if counts[2] != 3 || counts[1] != 25 || counts[0]+28 != kept || kept < 98 || kept > 104 {
			t.Errorf("%d rows: %v", kept, counts)
		}
		after, _ := whole.Labels(column)
		again, _ := drawn(whole, column, 100, 5, 1)
		same, all := drawn(whole, column, n, 5, 1)
		if !slices.Equal(after, before) || !reflect.DeepEqual(again, part) && column == 0 || same != whole ||
			all != n {
			t.Error("the table has changed, the sample differs with the same seed, or there is one without need")
		}
	}
}

// Numbers are bold only on a terminal, and only if NO_COLOR is not set.
func TestInBold(t *testing.T) {
	f, err := os.Open(os.DevNull) // a device, like a terminal
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	t.Setenv("NO_COLOR", "")
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && !inBold(&output{Writer: f}) {
		t.Error("numbers are not bold on a terminal")
	}
	if inBold(&output{Writer: new(bytes.Buffer)}) {
		t.Error("numbers are bold in a file")
	}
	t.Setenv("NO_COLOR", "1")
	if inBold(&output{Writer: f}) {
		t.Error("bold despite NO_COLOR")
	}
}
