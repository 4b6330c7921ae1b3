package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/assess"
)

// penguins is the raw file, with categories, dates, ids and missing cells.
const penguins = "../../data/penguins.csv"

// fitJSON runs fit and returns the scores. It checks that the output has no other fields.
func fitJSON(t *testing.T, args ...string) (assess.Evaluation, string) {
	t.Helper()
	out, errOut := good(t, append([]string{"fit", "--json"}, args...)...)
	var f struct {
		Schema int `json:"schema"`
		fitReply
	}
	f.Evaluation = new(assess.Evaluation)
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

// Other programs rely on the keys of the JSON.
func TestFitJSONKeys(t *testing.T) {
	out, errOut := good(t, "fit", penguins, "--target", "Species", "--json", "--theta", "0.1")
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	cv, _ := got["cv"].(map[string]any)
	for _, key := range []string{"err", "err_se", "logloss", "logloss_se", "auc"} {
		if v, ok := cv[key].(float64); !ok || v < 0 || v > 1 {
			t.Errorf("cv.%s is %v", key, cv[key])
		}
	}
	base, _ := got["baseline"].(map[string]any)
	if v, ok := base["err"].(float64); !ok || math.Abs(v-192./344) > 1e-12 {
		t.Errorf("baseline.err is %v", base["err"])
	}
	if cv["folds"] != 5. || cv["folds_done"] != 5. || cv["n"] != 344. || got["target"] != "Species" ||
		got["reading"] == "" {
		t.Error(out)
	}
	for _, want := range []string{`penguins.csv: comma; 344 rows; classes: column "Species"`,
		"not features: Region, Stage, Individual ID"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("no %q in %s", want, errOut)
		}
	}
}

func TestFitCrossValidation(t *testing.T) {
	file := tableFile(t, "x,y,class", 60, func(i int) string {
		return fmt.Sprintf("%d,%d,%c", i%7+3*(i%2), i%5,
			'a'+i%2)
	})
	for arg, want := range map[string][2]int{"3": {3, 3}, "none": {}, "nested": {5, 5}} {
		f, _ := fitJSON(t, file, "--cv", arg)
		switch {
		case arg == "none" && (f.CV != nil || f.Train.Rows != 60 || *f.Baseline.Error != .5):
			t.Errorf("none: %+v", f)
		case arg != "none" && (f.CV.Folds != want[0] || f.CV.Done != want[1] || f.CV.Nested != (arg == "nested") ||
			f.CV.Rows != 60):
			t.Errorf("%s: %+v", arg, f.CV)
		}
	}
	for _, bad := range []string{"1", "0", "many"} {
		if code, _, errOut := try(t, "fit", file, "--cv", bad); code != misused || !strings.Contains(errOut,
			"not none, nested or a number of") {
			t.Errorf("%s: %d, %s", bad, code, errOut)
		}
	}
	// The same seed gives the same scores.
	a, _ := fitJSON(t, file, "--theta", "0.5")
	b, _ := fitJSON(t, file, "--theta", "0.5")
	if *a.CV.LogLoss != *b.CV.LogLoss || *a.CV.Error != *b.CV.Error {
		t.Errorf("%v, then %v", *a.CV.LogLoss, *b.CV.LogLoss)
	}
}

// A fit without a search to many samples is evaluated on one fold, unless --cv is given.
func TestFitHoldOut(t *testing.T) {
	file := tableFile(t, "x,class", 2100, func(i int) string {
		return fmt.Sprintf("%d,%c", i%9+2*(i%2),
			'a'+i%2)
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

// Numbers near the maximum of a float64 do not cause a panic in fit, its report or its JSON.
func TestFitHuge(t *testing.T) {
	dir := t.TempDir()
	for _, columns := range []int{1, 2, 4} {
		var b strings.Builder
		for j := range columns {
			fmt.Fprintf(&b, "x%d,", j)
		}
		b.WriteString("class\n")
		for i := range 60 {
			for j := range columns {
				v := float64(i%2*3 + i*i*(j+1)%7)
				if i%10 == j {
					v = 1e308 * float64(1-i/10%2*2)
				}
				fmt.Fprintf(&b, "%v,", v)
			}
			fmt.Fprintln(&b, i%2)
		}
		path, report := write(t, dir, "huge.csv", b.String()), filepath.Join(dir, "huge.html")
		good(t, "fit", path, "--algorithm", "mpcvm2", "--theta", "0.5", "--report", report, "--json")
		if page := string(read(t, report)); !strings.Contains(page, "Dependence on x0") {
			t.Errorf("%d columns: the report lacks a chart", columns)
		}
	}
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

// A cancelled fit ends without another step, and the model that it saved predicts.
func TestConcurrentCancelledFitSaves(t *testing.T) {
	set := data.Blobs(240, 3, 4, 1.5, 1)
	var text strings.Builder
	if err := data.WriteCSV(&text, set); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := write(t, dir, "x.csv", text.String())
	for _, tt := range []struct {
		args, text string
		times      int
		say        string
		saved      bool
	}{
		{"", "rows; classes", 1, "context canceled", false},
		{"", "best so far", 1, "one fold of", true},
		{"", "best so far", 2, "one fold of the best of", true},
		{"--cv nested", "best so far", 2, "one fold of the best of", true},
		{"--algorithm mpcvm2", "tried rbf", 2, "one fold of the best of 2 widths", true},
	} {
		model := filepath.Join(dir, "m.json")
		os.Remove(model)
		ctx, cancel := context.WithCancel(context.Background())
		var out bytes.Buffer
		errOut := &after{text: tt.text, times: tt.times, cancel: cancel}
		code := run(ctx, append([]string{"fit", file, "--model", model}, strings.Fields(tt.args)...), &out, errOut)
		cancel()
		if errOut.count() != tt.times {
			t.Errorf("%+v: it continued: %s", tt, errOut)
		}
		if code != 130 || out.Len() > 0 || !strings.Contains(errOut.String(), tt.say) ||
			!strings.Contains(errOut.String(), "interrupted") {
			t.Errorf("%+v: status %d, %s%s", tt, code, out.String(), errOut.String())
		}
		if _, err := os.Stat(model); (err == nil) != tt.saved {
			t.Errorf("%+v: %v", tt, err)
		}
		if tt.saved {
			good(t, "predict", file, "--model", model)
			good(t, "explain", file, "--model", model, "--row", "1")
			if shown, _ := good(t, "show", model); !strings.Contains(shown, "scores: not recorded") ||
				!strings.Contains(shown, "training rows: 240") {
				t.Errorf("%+v: %s", tt, shown)
			}
		}
	}
	// Without --model, the error advises using it.
	ctx, cancel := context.WithCancel(context.Background())
	errOut := &after{text: "best so far", times: 2, cancel: cancel}
	if code := run(ctx, []string{"fit", file}, &bytes.Buffer{}, errOut); code != 130 ||
		!strings.Contains(errOut.String(), "use --model FILE to save it") {
		t.Errorf("status %d, %s", code, errOut.String())
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

// The budget applies to the whole command. If it is too short for scores, they are omitted with a message.
func TestFitBudget(t *testing.T) {
	set := data.Blobs(500, 4, 5, 2, 1)
	var text strings.Builder
	if err := data.WriteCSV(&text, set); err != nil {
		t.Fatal(err)
	}
	file := write(t, t.TempDir(), "x.csv", text.String())
	f, errOut := fitJSON(t, file, "--budget", "1ms")
	if f.CV != nil || f.Partial == "" ||
		!strings.Contains(errOut, "The time limit was reached: trained on 400 of 500") ||
		!strings.Contains(errOut, "cross-validation") {
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

// Test rows with a class that is not in the training data are counted like in predict.
func TestFitTestUnknownClass(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("%d,%c", i%3+5*(i%2), 'a'+i%2) }
	file := tableFile(t, "x,class", 40, row)
	later := tableFile(t, "x,class", 8, func(i int) string { return []string{row(i), "7,new"}[i/6] })
	model := filepath.Join(t.TempDir(), "m.json")
	f, errOut := fitJSON(t, file, "--theta", "1", "--test", later, "--model", model)
	_, said := good(t, "predict", later, "--model", model)
	if f.Test == nil || f.Test.Rows != 8 || f.Test.Unknown != 2 || *f.Test.Error != 0.25 || f.Test.AUC == nil ||
		*f.Test.AUC != 1 ||
		!strings.Contains(said, "error rate: 25.00 % (2 of 8)") || !strings.Contains(errOut,
		`that the training data lacks ("new")`) {
		t.Errorf("%+v, %s, %s", f.Test, errOut, said)
	}
	only := tableFile(t, "x,class", 3, func(int) string { return "7,new" })
	f, errOut = fitJSON(t, file, "--theta", "1", "--test", only)
	_, said = good(t, "predict", only, "--model", model)
	if f.Test == nil || f.Test.Rows != 3 || f.Test.Unknown != 3 || *f.Test.Error != 1 || f.Test.LogLoss != nil ||
		!strings.Contains(said, "error rate: 100.00 % (3 of 3)") {
		t.Errorf("%+v, %s, %s", f.Test, errOut, said)
	}
}
