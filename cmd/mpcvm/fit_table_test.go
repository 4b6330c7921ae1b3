package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// penguins is the raw file, with categories, dates, ids and missing cells.
const penguins = "../../data/penguins.csv"

// fitJSON fits and returns the result.
func fitJSON(t *testing.T, args ...string) (fitted, string) {
	t.Helper()
	out, errOut := good(t, append([]string{"fit", "--json"}, args...)...)
	var f fitted
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return f, errOut
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

// The names of JSON are relied on from outside.
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
	if cv["folds"] != 5. || cv["folds_done"] != 5. || cv["n"] != 344. || got["target"] != "Species" || got["reading"] == "" {
		t.Error(out)
	}
	for _, want := range []string{`penguins.csv: comma; 344 rows; classes: column "Species"`, "no features: Region, Stage, Individual ID"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("no %q in %s", want, errOut)
		}
	}
}

// The raw file makes a model that predicts the raw file.
func TestFitRaw(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.json")
	f, _ := fitJSON(t, penguins, "--target", "Species", "--theta", "0.1", "--model", model)
	m, err := mpcvm.LoadFile(model)
	if err != nil || m.Recipe() == nil {
		t.Fatalf("%v: no recipe", err)
	}
	raw, err := data.Open(penguins, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels, err := labelsFor(raw, raw.Find("Species"), m.ClassNames())
	if err != nil {
		t.Fatal(err)
	}
	s, _, unusable, err := measureTable(context.Background(), m, raw, labels)
	if err != nil || unusable != 0 || s.Err != f.Train.Err || s.N != 344 || *f.CV.Err > .05 {
		t.Errorf("%v: %d unusable, %+v, %+v", err, unusable, s, f.Train)
	}
}

func TestFitCrossValidation(t *testing.T) {
	file := tableFile(t, "x,y,class", 60, func(i int) string { return fmt.Sprintf("%d,%d,%c", i%7+3*(i%2), i%5, 'a'+i%2) })
	for arg, want := range map[string][2]int{"3": {3, 3}, "none": {}, "nested": {5, 5}} {
		f, _ := fitJSON(t, file, "--cv", arg)
		switch {
		case arg == "none" && (f.CV != nil || f.Train.N != 60 || f.Baseline.Err != .5):
			t.Errorf("none: %+v", f)
		case arg != "none" && (f.CV.Folds != want[0] || f.CV.Done != want[1] || f.CV.Nested != (arg == "nested") || f.CV.N != 60):
			t.Errorf("%s: %+v", arg, f.CV)
		}
	}
	for _, bad := range []string{"1", "0", "many"} {
		if code, _, errOut := try(t, "fit", file, "--cv", bad); code != 2 || !strings.Contains(errOut, "neither none, nested nor a number of folds") {
			t.Errorf("%s: %d, %s", bad, code, errOut)
		}
	}
	// The same seed gives the same figures.
	a, _ := fitJSON(t, file, "--theta", "0.5")
	b, _ := fitJSON(t, file, "--theta", "0.5")
	if *a.CV.LogLoss != *b.CV.LogLoss || *a.CV.Err != *b.CV.Err {
		t.Errorf("%v, then %v", *a.CV.LogLoss, *b.CV.LogLoss)
	}
}

// One fold judges a fit without a search to many samples, unless --cv says otherwise.
func TestFitHoldOut(t *testing.T) {
	file := tableFile(t, "x,class", 2100, func(i int) string { return fmt.Sprintf("%d,%c", i%9+2*(i%2), 'a'+i%2) })
	args := []string{file, "--theta", "1", "--candidates", "10"}
	f, _ := fitJSON(t, args...)
	if f.CV.Done != 1 || f.CV.Folds != 5 || f.CV.N != 420 || f.CV.AUCSE != nil || f.CV.ErrSE == nil {
		t.Errorf("%+v", f.CV)
	}
	out, _ := good(t, append([]string{"fit"}, args...)...)
	if !strings.Contains(out, "1 of 5 folds, because of the time that all take (--cv 5 uses all)") {
		t.Error(out)
	}
	if f, _ = fitJSON(t, append(args, "--cv", "5")...); f.CV.Done != 5 || f.CV.N != 2100 {
		t.Errorf("%+v", f.CV)
	}
}

// A file whose column of classes has none is refused with what helps.
func TestFitLabels(t *testing.T) {
	for name, tt := range map[string]struct {
		label func(i int) string
		say   string
	}{
		"unique":     {func(i int) string { return fmt.Sprintf("name%d", i) }, "it identifies the rows; name another column with --target"},
		"continuous": {func(i int) string { return fmt.Sprint(math.Sqrt(float64(i))) }, "regression"},
		"one class":  {func(int) string { return "a" }, "all rows are of one class"},
	} {
		file := tableFile(t, "x,class", 100, func(i int) string { return fmt.Sprintf("%d,%s", i%13, tt.label(i)) })
		if code, out, errOut := try(t, "fit", file); code != 1 || out != "" || !strings.Contains(errOut, tt.say) {
			t.Errorf("%s: %d, %s", name, code, errOut)
		}
	}
}

// noise2 are rows of two classes that differ, and of a rare one among them.
func noise2(r *rand.Rand) func(i int) string {
	return func(i int) string {
		class := []string{"a", "b"}[i%2]
		if i%20 == 0 {
			class = "rare"
		}
		return fmt.Sprintf("%.3f,%.3f,%s", r.NormFloat64()+6*float64(i%2), r.NormFloat64(), class)
	}
}

// What makes a model or its figures worthless is said in the report and on standard error.
func TestFitWarnings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(class func(i int) string) func(int) string {
		return func(i int) string { return fmt.Sprintf("%.3f,%.3f,%s", r.NormFloat64(), r.NormFloat64(), class(i)) }
	}
	rare := noise(func(i int) string {
		if i%100 == 0 {
			return "rare"
		}
		return "common"
	})
	for name, tt := range map[string]struct {
		n    int
		row  func(i int) string
		args []string
		say  []string
	}{
		"99:1":  {400, rare, []string{"--theta", "0.1"}, []string{`and never "rare" (4 rows)`, "is of no use", `Class "common" has 396 rows, class "rare" only 4`}},
		"never": {120, noise2(r), []string{"--theta", "0.1"}, []string{`never predicts "rare" (6 rows)`}},
		"one sample of some classes": {40, func(i int) string {
			if i < 2 {
				return fmt.Sprintf("%d,0,single%d", 10*i, i)
			}
			return fmt.Sprintf("%d,%d,%c", i%5+10*(i%2), i%3, 'a'+i%2)
		}, []string{"--theta", "0.1"}, []string{`"single0" (1)`}},
		"copies":   {40, func(i int) string { return fmt.Sprintf("%d,1,%c", i%4, 'a'+i%2) }, []string{"--theta", "1"}, []string{"have the same features as a row of their training part"}},
		"alike":    {40, func(i int) string { return fmt.Sprintf("%d,%d,%s", i, i%7, []string{"Red", "red", "blue"}[i%3]) }, []string{"--theta", "0.1"}, []string{"differ in case or blanks only"}},
		"sentinel": {60, func(i int) string { return fmt.Sprintf("%d,%d,%c", []int{i % 9, -999}[i%10/9], i%11, 'a'+i%2) }, []string{"--theta", "0.1"}, []string{"has the value -999"}},
	} {
		file := tableFile(t, "x,y,class", tt.n, tt.row)
		page := filepath.Join(t.TempDir(), "r.html")
		f, errOut := fitJSON(t, append(tt.args, file, "--report", page)...)
		html := string(read(t, page))
		for _, want := range tt.say {
			said := f.verdict() + strings.Join(f.Warnings, "\n")
			if !strings.Contains(said, want) {
				t.Errorf("%s: no %q in %s", name, want, said)
			}
		}
		for _, w := range f.Warnings {
			if !strings.Contains(errOut, "warning: "+w) || !strings.Contains(html, "⚠") {
				t.Errorf("%s: %q is not on standard error or in the report", name, w)
			}
		}
	}
}

// A model that names one class for all rows is told of loudly.
func TestFitCollapsed(t *testing.T) {
	file := tableFile(t, "x,class", 30, func(i int) string { return fmt.Sprintf("%d,%c", i%3, "aab"[i/3%3]) })
	page := filepath.Join(t.TempDir(), "r.html")
	f, errOut := fitJSON(t, file, "--theta", "1", "--report", page)
	if !strings.Contains(errOut, "THE MODEL COLLAPSED: it predicts one class") || !strings.Contains(string(read(t, page)), "THE MODEL COLLAPSED") || f.CV == nil {
		t.Errorf("%s, %+v", errOut, f)
	}
}

func TestFitWide(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var header strings.Builder
	for j := range 200 {
		fmt.Fprintf(&header, "x%d,", j)
	}
	file := tableFile(t, header.String()+"class", 80, func(i int) string {
		row := ""
		for j := range 200 {
			row += fmt.Sprintf("%.3f,", r.NormFloat64()+float64(i%2*2)*float64(max(0, 5-j)))
		}
		return row + string(rune('a'+i%2))
	})
	page := filepath.Join(t.TempDir(), "r.html")
	f, _ := fitJSON(t, file, "--theta", "0.005", "--report", page)
	if f.Features != 200 || *f.CV.Err > .2 || !slices.ContainsFunc(f.Warnings, func(w string) bool { return strings.Contains(w, "200 features, more than the 80 rows") }) {
		t.Errorf("%+v", f)
	}
}

// after cancels when a text has been written so often, or after a time.
type after struct {
	bytes.Buffer
	text   string
	times  int
	cancel func()
	at     time.Time // of the end
}

func (a *after) Write(p []byte) (int, error) {
	n, err := a.Buffer.Write(p)
	if a.at.IsZero() && bytes.Count(a.Bytes(), []byte(a.text)) >= a.times {
		a.at = time.Now()
		a.cancel()
	}
	return n, err
}

// Whenever a fit is cancelled, it ends at once, and the model that it saved predicts.
func TestCancelledFitSaves(t *testing.T) {
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
		{"--algorithm mpcvm2", "tried", 2, "one fold of the best of 2 widths", true},
	} {
		model := filepath.Join(dir, "m.json")
		os.Remove(model)
		ctx, cancel := context.WithCancel(context.Background())
		var out bytes.Buffer
		errOut := &after{text: tt.text, times: tt.times, cancel: cancel}
		code := run(ctx, append([]string{"fit", file, "--model", model}, strings.Fields(tt.args)...), &out, errOut)
		if took := time.Since(errOut.at); took > 2*time.Second {
			t.Errorf("%+v: it took %v to end", tt, took)
		}
		cancel()
		if code != 130 || out.Len() > 0 || !strings.Contains(errOut.String(), tt.say) || !strings.Contains(errOut.String(), "interrupted") {
			t.Errorf("%+v: status %d, %s%s", tt, code, out.String(), errOut.String())
		}
		if _, err := os.Stat(model); (err == nil) != tt.saved {
			t.Errorf("%+v: %v", tt, err)
		}
		if tt.saved {
			good(t, "predict", file, "--model", model)
			good(t, "explain", file, "--model", model, "--row", "0")
		}
	}
	// Without --model it says what would have helped.
	ctx, cancel := context.WithCancel(context.Background())
	errOut := &after{text: "best so far", times: 2, cancel: cancel}
	if code := run(ctx, []string{"fit", file}, &bytes.Buffer{}, errOut); code != 130 || !strings.Contains(errOut.String(), "--model FILE saves it") {
		t.Errorf("status %d, %s", code, errOut.String())
	}
}

// At any time: the model is there or it is not, and it is whole.
func TestCancelledFitAnyTime(t *testing.T) {
	dir := t.TempDir()
	model, page := filepath.Join(dir, "m.json"), filepath.Join(dir, "r.html")
	for _, ms := range []int{1, 30, 100, 300, 600, 1000, 1500} {
		os.Remove(model)
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(ms)*time.Millisecond)
		var out, errOut bytes.Buffer
		start := time.Now()
		code := run(ctx, []string{"fit", penguins, "--target", "Species", "--model", model, "--report", page}, &out, &errOut)
		took := time.Since(start)
		cancel()
		_, err := os.Stat(model)
		switch {
		case code == 0:
			continue
		case code != 130 || out.Len() > 0 || took > time.Duration(ms+2000)*time.Millisecond:
			t.Errorf("%d ms: status %d after %v: %s%s", ms, code, took, out.String(), errOut.String())
		case (err == nil) != strings.Contains(errOut.String(), "saved to "+model):
			t.Errorf("%d ms: %v: %s", ms, err, errOut.String())
		case err == nil:
			if m, err := mpcvm.LoadFile(model); err != nil || m.Recipe() == nil {
				t.Errorf("%d ms: %v", ms, err)
			}
		}
	}
}

// The budget holds for all that the command does.
func TestFitBudget(t *testing.T) {
	set := data.Blobs(500, 4, 5, 2, 1)
	var text strings.Builder
	if err := data.WriteCSV(&text, set); err != nil {
		t.Fatal(err)
	}
	file := write(t, t.TempDir(), "x.csv", text.String())
	start := time.Now()
	f, errOut := fitJSON(t, file, "--budget", "3s")
	if took := time.Since(start); took > 4500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if f.CV == nil && !strings.Contains(errOut, "cross-validation") {
		t.Errorf("no figure, and no word of it: %s", errOut)
	}
}

func TestFitCosts(t *testing.T) {
	file := tableFile(t, "x,class", 120, func(i int) string { return fmt.Sprintf("%d,%s", i%10+4*(i%2), []string{"ill", "well"}[i%2]) })
	page := filepath.Join(t.TempDir(), "r.html")
	f, _ := fitJSON(t, file, "--theta", "0.3", "--costs", "ill:well=9", "--report", page)
	if c := f.Costs; c == nil || c.LeastCost.Cost >= c.Likeliest.Cost || c.LeastCost.Cost > c.Baseline.Cost || c.Differently == 0 {
		t.Errorf("%+v", f.Costs)
	}
	if html := string(read(t, page)); !strings.Contains(html, "Costs of decisions as of --costs") {
		t.Error("the report has no costs")
	}
	out, _ := good(t, "fit", file, "--theta", "0.3", "--costs", "ill:well=9")
	if !strings.Contains(out, "the class of the least expected cost") {
		t.Error(out)
	}
	if code, _, errOut := try(t, "fit", file, "--costs", "sick:well=9"); code != 2 || !strings.Contains(errOut, `"sick:well" is no pair of classes truth:decision; the classes are ill, well`) {
		t.Errorf("%d, %s", code, errOut)
	}
}

func TestParseCosts(t *testing.T) {
	dir := t.TempDir()
	classes := []string{"a", "b:c", "d"}
	file := write(t, dir, "costs.csv", "\ufeff,d,a,b:c\na,1,0,2\nd,0,7,8\nb:c,4,-3,0\n")
	for spec, want := range map[string][]float64{
		"a:d=2":                 {0, 1, 2, 1, 0, 1, 1, 1, 0},
		"a:b:c=5, b:c:a=2.5":    {0, 5, 1, 2.5, 0, 1, 1, 1, 0},
		"a:a=-1,d:a=0,d:b:c=10": {-1, 1, 1, 1, 0, 1, 0, 10, 0},
		file:                    {0, 2, 1, -3, 0, 4, 7, 8, 0},
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
		"a:d=1,b":                   `"b" is not truth:decision=cost`,
		"d:e=1":                     `"d:e" is no pair`,
		"":                          "no such file",
		write(t, dir, "1", "a,b\n"): "a header and 3 lines of 4 cells",
		write(t, dir, "2", ",a,b:c,d\na,0,1,1\nb:c,0,0,0\ne,0,0,0\n"):   `line 4, column 1: "e" is no class`,
		write(t, dir, "3", ",a,b:c,d\na,0,1,1\nb:c,0,0,0\nb:c,0,0,0\n"): "named twice",
		write(t, dir, "4", ",a,b:c,d\na,0,1,1\nb:c,0,,0\nd,0,0,0\n"):    "line 3, column 3",
		write(t, dir, "5", ",a,b:c,d\na,0,1\n"):                         "wrong number of fields",
	} {
		if _, err := parseCosts(context.Background(), spec, classes); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%q: %v, want %s", spec, err, say)
		}
	}
}

// explain finds a row by its id and shows the cells of its neighbours.
func TestExplainTable(t *testing.T) {
	dir := t.TempDir()
	model, page := filepath.Join(dir, "m.json"), filepath.Join(dir, "why.html")
	file := tableFile(t, "name,colour,size,species", 60, func(i int) string {
		return fmt.Sprintf("no-%d,%s,%d,%s", i, []string{"red", "blue", ""}[i%3], i%5+6*(i%2), []string{"fish", "bird"}[i%2])
	})
	good(t, "fit", file, "--id", "name", "--theta", "0.2", "--model", model)
	out, _ := good(t, "explain", file, "--model", model, "--row-id", "no-7", "--json", "--report", page)
	var e explained
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		t.Fatal(err)
	}
	if e.Row != 7 || e.ID != "no-7" || e.Truth != "bird" || e.Class != "bird" || e.Cells["colour"] != "blue" || e.Cells["size"] != "8" || len(e.Neighbours) == 0 {
		t.Errorf("%s", out)
	}
	for _, n := range e.Neighbours {
		if n.ID != fmt.Sprintf("no-%d", n.Index) || n.Cells["size"] != fmt.Sprint(n.Index%5+6*(n.Index%2)) || n.Cells["colour"] != []string{"red", "blue", ""}[n.Index%3] {
			t.Errorf("%+v", n)
		}
	}
	html := string(read(t, page))
	for _, want := range []string{"<h1>Row 7 of ", "no-7", "colour", "Beside training rows"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in the report", want)
		}
	}
	byRow, _ := good(t, "explain", file, "--model", model, "--row", "7")
	byID, _ := good(t, "explain", file, "--model", model, "--row-id", "no-7")
	if byRow != byID || !strings.Contains(byRow, "row 7 (no-7): bird with probability") {
		t.Errorf("%s\n%s", byRow, byID)
	}
	for args, say := range map[string]string{
		"--row-id no-99": `no row has "no-99" in name`, "--row 3 --row-id no-3": "either --row or --row-id", "": "either --row or --row-id",
	} {
		if code, _, errOut := try(t, append([]string{"explain", file, "--model", model}, strings.Fields(args)...)...); code == 0 || !strings.Contains(errOut, say) {
			t.Errorf("%s: %s", args, errOut)
		}
	}
}

// Test data may lack classes, and write them as the training data do.
func TestFitTestClasses(t *testing.T) {
	for _, classes := range [][]string{{"Yes", "no"}, {"0", "1"}, {"1.5", "2"}, {"01", "02"}, {"TRUE", "FALSE"}} {
		file := tableFile(t, "x,class", 40, func(i int) string { return fmt.Sprintf("%d,%s", i%3+5*(i%2), classes[i%2]) })
		later := tableFile(t, "class,x", 3, func(i int) string { return fmt.Sprintf("%s,%d", classes[1], 5+i) })
		f, errOut := fitJSON(t, file, "--theta", "1", "--test", later)
		if f.Test == nil || f.Test.N != 3 || f.Test.Err != 0 || f.Test.AUC != nil || !strings.Contains(errOut, "3 of 3 rows of the test data have the same features") {
			t.Errorf("%s: %+v, %s", classes, f.Test, errOut)
		}
	}
}

// Few rows fill few folds, which is not for lack of time.
func TestFewFolds(t *testing.T) {
	file := write(t, t.TempDir(), "few.csv", "x,class\n1,a\n2,b\n3,a\n4,b\n5,c\n")
	code, out, errOut := try(t, "fit", file, "--json")
	var r struct {
		CV struct {
			N     int `json:"n"`
			Folds int `json:"folds"`
			Done  int `json:"folds_done"`
		} `json:"cv"`
	}
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil {
		t.Fatal(code, err, errOut)
	}
	if r.CV.N != 4 || r.CV.Folds != 4 || r.CV.Done != 4 || strings.Contains(errOut, "budget") {
		t.Errorf("%+v\n%s", r.CV, errOut)
	}
}
