package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/table"
)

// write puts a text into a file of the folder and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
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
// the same file, also if the rows are in two files with another column. A unit that the name of a column has
// is not reported, and explain prints cells with all their digits.
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
		_, said := good(t, append([]string{"fit", "--like", at("m.json"), "--cv", "none", "--model",
			at("like.json")}, files...)...)
		if string(read(t, at("like.json"))) != string(read(t, at("m.json"))) ||
			strings.Contains(said, "without a unit") {
			t.Errorf("%q: another model: %s", files, said)
		}
	}
	if out, _ := good(t, "explain", penguins, "--model", at("m.json"), "--row", "43"); strings.Count(out,
		" -25.03492 ") != 2 {
		t.Error(out)
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

// penguins is the raw file, with categories, dates, ids and missing cells.
const penguins = "../../data/penguins.csv"

// fitJSON runs fit and returns the scores. It checks that the output has no other fields.
func fitJSON(t *testing.T, args ...string) (eval.Evaluation, string) {
	t.Helper()
	out, errOut := good(t, append([]string{"fit", "--json"}, args...)...)
	var f struct {
		Schema int `json:"schema"`
		fitReply
	}
	f.Evaluation = new(eval.Evaluation)
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var again strings.Builder
	if err := writeJSON(&again, "", f.fitReply); err != nil || again.String() != out {
		t.Errorf("%v: %s, decoded and printed again: %s", err, out, &again)
	}
	for _, w := range f.Warnings {
		f.Evaluation.Warnings = append(f.Evaluation.Warnings, w.Finding)
	}
	return *f.Evaluation, errOut
}

// table writes rows of CSV, each from its number.
func tableFile(t *testing.T, header string, n int, row func(i int) string) string {
	t.Helper()
	text := header + "\n"
	for i := range n {
		text += row(i) + "\n"
	}
	return write(t, t.TempDir(), "table.csv", text)
}

// A fit without a search to many samples is evaluated on one fold, unless --cv is given.
func TestFitHoldOut(t *testing.T) {
	file := tableFile(t, "x,class", 2100, func(i int) string {
		return fmt.Sprintf("%d,%c", i%9+2*(i%2), 'a'+i%2)
	})
	args := []string{file, "--theta", "1", "--candidates", "10"}
	f, _ := fitJSON(t, args...)
	if f.CV.Done != 1 || f.CV.Folds != 5 || f.CV.Rows != 420 || f.CV.AUCSE != nil || f.CV.ErrorSE == nil {
		t.Errorf("%+v", f.CV)
	}
	out, errOut := good(t, append([]string{"fit"}, args...)...)
	if !strings.Contains(out, "1 of 5 folds, to save time") || !strings.Contains(errOut,
		"use --cv 5 for all folds") {
		t.Error(out, errOut)
	}
	if f, _ = fitJSON(t, append(args, "--cv", "5")...); f.CV.Done != 5 || f.CV.Rows != 2100 {
		t.Errorf("%+v", f.CV)
	}
}

// blobs writes a table of rows in clusters.
func blobs(t *testing.T, rows int) string {
	t.Helper()
	var text strings.Builder
	must.OK(t, data.WriteCSV(&text, data.Blobs(rows, 4, 5, 2, 1)))
	return write(t, t.TempDir(), "x.csv", text.String())
}

// after cancels when a text has been written a number of times.
type after struct {
	bytes.Buffer
	text   string
	times  int
	cancel func()
}

func (a *after) count() int { return bytes.Count(a.Bytes(), []byte(a.text)) }

func (a *after) Write(p []byte) (int, error) {
	n, err := a.Buffer.Write(p)
	if a.count() >= a.times {
		a.cancel()
	}
	return n, err
}

// A cancelled fit ends without another step, and the model that it saved predicts. It never replaces the model of a
// complete fit.
func TestConcurrentCancelledFitSaves(t *testing.T) {
	file, dir := blobs(t, 240), t.TempDir()
	model, report := filepath.Join(dir, "m.json"), write(t, dir, "r.html", "old")
	cancelled := func(text string, times int, args ...string) string {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var out bytes.Buffer
		errOut := &after{text: text, times: times, cancel: cancel}
		code := run(ctx, append([]string{"fit", file}, args...), &out, errOut)
		if errOut.count() != times {
			t.Errorf("%q: it continued: %s", args, errOut)
		}
		if code != interrupted || out.Len() > 0 || !strings.Contains(errOut.String(), "interrupted") {
			t.Errorf("%q: status %d, %s%s", args, code, out.String(), errOut)
		}
		return errOut.String()
	}
	for _, tt := range []struct {
		args, text string
		times      int
		saved      bool
	}{
		{"", "rows; classes", 1, false}, {"", "best so far", 1, true}, {"", "best so far", 2, true},
		{"--cv nested", "best so far", 2, true}, {"--algorithm mpcvm2", "tried rbf", 2, true},
	} {
		os.Remove(model)
		said := cancelled(tt.text, tt.times, append(strings.Fields(tt.args), "--model", model, "--report", report)...)
		if exists(model) != tt.saved || strings.Contains(said, report+" is the report") != tt.saved {
			t.Errorf("%+v: %s", tt, said)
		}
	}
	good(t, "predict", file, "--model", model)
	good(t, "explain", file, "--model", model, "--row", "1")
	if text, _ := good(t, "show", model); !strings.Contains(text, "training rows: 192 of 240\n") ||
		!strings.Contains(text, "fit: the fit was stopped") {
		t.Error(text)
	}
	// Without --model, the error advises using it.
	if said := cancelled("best so far", 2); !strings.Contains(said, "--model FILE") {
		t.Error(said)
	}
	// A complete model replaces a partial one, but not the other way round.
	partial := filepath.Join(dir, "m.partial.json")
	for _, args := range [][]string{{"--theta", "1", "--cv", "none"}, {"--budget", "1ms"}, {"--budget", "1ms"}} {
		f, _ := fitJSON(t, append(args, file, "--model", model)...)
		if want := map[bool]string{true: model, false: partial}[f.Partial == ""]; f.ModelFile != want ||
			(f.Partial == "") != (args[0] == "--theta") {
			t.Errorf("%q: %s, %q", args, f.ModelFile, f.Partial)
		}
	}
	whole := read(t, model)
	if said := cancelled("best so far", 1, "--model", model); !strings.Contains(said, partial) ||
		!bytes.Equal(read(t, model), whole) {
		t.Error(said)
	}
	for path, rows := range map[string]int{model: 240, partial: 192} {
		if m, err := tables.LoadFile(path); err != nil || m.Record().Fit.Rows != rows {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A fit can be cancelled at any time: the model is then complete or absent.
func TestConcurrentCancelledFitAnyTime(t *testing.T) {
	dir := t.TempDir()
	model, page := filepath.Join(dir, "m.json"), filepath.Join(dir, "r.html")
	lines := strings.SplitAfter(string(read(t, penguins)), "\n")
	for i := range lines[1:] {
		if i%3 > 0 {
			lines[1+i] = ""
		}
	}
	file, saved := write(t, dir, "third.csv", strings.Join(lines, "")), 0
	for looks := 1; ; looks *= 8 {
		os.Remove(model)
		ctx := watch.NewCountdown(t.Context(), looks)
		var out, errOut bytes.Buffer
		code := run(ctx, []string{"fit", file, "--target", "Species", "--model", model, "--report", page}, &out,
			&errOut)
		if code == 0 {
			break
		}
		_, err := os.Stat(model)
		switch {
		case code != 130 || out.Len() > 0 || ctx.Left() < -10000:
			t.Errorf("after %d checks: status %d after %d more: %s%s", looks, code, -ctx.Left(), out.String(),
				errOut.String())
		case (err == nil) != strings.Contains(errOut.String(), "saved to "+model):
			t.Errorf("after %d checks: %v: %s", looks, err, errOut.String())
		case err == nil:
			saved++
			if m, err := tables.LoadFile(model); err != nil || m.Recipe() == nil {
				t.Errorf("after %d checks: %v", looks, err)
			}
		}
	}
	if saved < 2 {
		t.Errorf("only %d models", saved)
	}
}

// The budget applies to the whole command. The model of one fold is scored on the rows it was not trained on.
func TestFitBudget(t *testing.T) {
	f, errOut := fitJSON(t, blobs(t, 500), "--budget", "1ms")
	if f.CV == nil || f.CV.Rows != 100 || f.Fit.Rows != 400 || !strings.Contains(errOut, "used 400 of 500") ||
		!slices.ContainsFunc(f.Warnings, func(w table.Finding) bool { return w.Code == "budget" }) {
		t.Errorf("%+v: %s", f, errOut)
	}
}

func TestParseCosts(t *testing.T) {
	dir := t.TempDir()
	classes := []string{"a", "b:c", "d"}
	file := write(t, dir, "costs.csv", "\ufeff,d,a,b:c\na,1,0,2\nd,0,7,8\nb:c,4,3,0\n")
	for spec, want := range map[string][]float64{
		"a:d=2":                 {0, 1, 2, 1, 0, 1, 1, 1, 0},
		"a:b:c=5, b:c:a=2.5":    {0, 5, 1, 2.5, 0, 1, 1, 1, 0},
		"a:a=-1,d:a=0,d:b:c=10": {-1, 1, 1, 1, 0, 1, 0, 10, 0},
		file:                    {0, 2, 1, 3, 0, 4, 7, 8, 0},
	} {
		got, err := parseCosts(context.Background(), spec, classes)
		if err != nil || !slices.Equal(got.RawMatrix().Data, want) {
			t.Errorf("%s: %v, %v", spec, got, err)
		}
	}
	for spec, say := range map[string]string{
		"a:d":                       "no such file",
		"a:d=x":                     `"x" is not a number`,
		"a:d=Inf":                   "not a number",
		"a:d=-1":                    "a:d=-1: the cost of a wrong decision must not be negative",
		"a:d=1,b":                   `"b" is not truth:decision=cost`,
		"d:e=1":                     `"d:e" is not a pair`,
		"":                          "no such file",
		write(t, dir, "1", "a,b\n"): "a header and 3 lines of 4 cells",
		write(t, dir, "2", ",a,b:c,d\na,0,1,1\nb:c,0,0,0\ne,0,0,0\n"):   `line 4, column 1: "e" is not a class`,
		write(t, dir, "3", ",a,b:c,d\na,0,1,1\nb:c,0,0,0\nb:c,0,0,0\n"): "occurs twice",
		write(t, dir, "4", ",a,b:c,d\na,0,1,1\nb:c,0,,0\nd,0,0,0\n"):    "line 3, column 3",
		write(t, dir, "5", ",a,b:c,d\na,0,1\n"):                         "wrong number of fields",
	} {
		if _, err := parseCosts(context.Background(), spec, classes); err == nil || !strings.Contains(err.Error(),
			say) {
			t.Errorf("%q: %v, want %s", spec, err, say)
		}
	}
}

// A fit whose final step needs too much memory is refused before the search for a width, which needs less.
func TestFitMemory(t *testing.T) {
	file := tableFile(t, "x,y,class", 6000, func(i int) string { return fmt.Sprintf("%d,%d,%c", i, i%7, 'a'+i%2) })
	defer memory.Pretend(200 << 20)()
	code, _, errOut := try(t, "fit", file, "--algorithm", "mpcvm1", "--candidates", "all")
	if code != failed || !strings.Contains(errOut, "TopDown of 6000") || strings.Contains(errOut, "tried") {
		t.Errorf("status %d: %s", code, errOut)
	}
}

// A column with few rows of each class is the class column only if --kind says so, and look prints that command.
func TestManyClasses(t *testing.T) {
	file := tableFile(t, "customer,x,bought", 120, func(i int) string {
		return fmt.Sprintf("c%d,%d,%c", i%40, i%7, 'a'+i%2)
	})
	code, _, errOut := try(t, "fit", file, "--target", "customer")
	if option := "--kind customer=category"; code != misused || !strings.Contains(errOut, option) {
		t.Errorf("status %d: %s", code, errOut)
	}
	out, _ := good(t, "look", file, "--target", "customer")
	_, line, _ := strings.Cut(out, "next: ")
	args, err := shellSplit(line)
	if err != nil || !slices.Contains(args, "customer=category") {
		t.Fatal(out)
	}
	good(t, append(args, tiny...)...)
}
