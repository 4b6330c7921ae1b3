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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/report"
	"github.com/mpcvm/mpcvm/tables/table"
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

// A model of the raw file predicts the raw file.
func TestFitRaw(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.json")
	f, _ := fitJSON(t, penguins, "--target", "Species", "--theta", "0.1", "--model", model)
	m, err := tables.LoadFile(model)
	if err != nil || m.Recipe() == nil {
		t.Fatalf("%v: no recipe", err)
	}
	raw, err := tables.Open(penguins, tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j, err := assess.Evaluate(context.Background(), raw, m,
		assess.EvaluateOptions{Options: assess.Options{Folds: -1}})
	if err != nil || *j.Train.Error != *f.Train.Error || j.Train.Rows != 344 || *f.CV.Error > .05 ||
		j.CV != nil {
		t.Errorf("%v: %+v, %+v", err, j, f.Train)
	}
}

// The confusion matrix has short class names as headers, numbers for long names, and is omitted for many
// classes.
func TestFitConfusion(t *testing.T) {
	args := []string{"fit", "--algorithm", "mpcvm2", "--theta", "0.5"}
	for name, tt := range map[string]struct {
		class   func(i int) string
		classes int
		head    []string
		row     string
	}{
		"short": {func(i int) string { return string(rune('a' + i%3)) }, 3, []string{"A", "B", "C"}, "a"},
		"long": {func(i int) string { return "a long name " + string(rune('a'+i%3)) }, 3, []string{"1", "2", "3"},
			"1: a long name a"},
		"many": {func(i int) string { return fmt.Sprint("c", i%13) }, 13, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := tableFile(t, "x,y,class", 130, func(i int) string {
				return fmt.Sprintf("%d.5,%d.5,%s",
					i%tt.classes+i%5, i%7, tt.class(i))
			})
			f, _ := fitJSON(t, append([]string{file}, args[1:]...)...)
			out, _ := good(t, append(args, file)...)
			_, confused, found := strings.Cut(out, "PREDICTED  ")
			if found != (tt.head != nil) {
				t.Fatalf("%s", out)
			}
			if !found {
				return
			}
			lines := strings.SplitN(confused, "\n", 3)
			var counts []string
			for _, n := range f.CV.Confusion[0] {
				counts = append(counts, fmt.Sprint(n))
			}
			head, row := strings.Fields(lines[0]), strings.Fields(strings.TrimPrefix(lines[1], tt.row))
			if !slices.Equal(head, tt.head) || !slices.Equal(row, counts) || !strings.HasPrefix(lines[1], tt.row) {
				t.Errorf("%v, %v; want %v, %v", head, row, tt.head, counts)
			}
		})
	}
}

// TestFitMergeAndCurve checks that merged classes are one class, also in the test data, and that columns and
// subsets of the rows have scores.
func TestFitMergeAndCurve(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("%d.5,%d.5,%c", i%3+i%5, i%7, 'a'+i%3) }
	file, tested := tableFile(t, "x,y,class", 120, row), tableFile(t, "x,y,class", 30, row)
	out, _ := good(t, "fit", "--algorithm", "mpcvm2", "--theta", "0.5", "--merge-labels", "b=other,c=other",
		"--curve", "--json", "--test", tested, file)
	var f struct {
		Classes []string            `json:"classes"`
		Columns []assess.Column     `json:"columns"`
		Curve   []assess.CurvePoint `json:"curve"`
		Test    *assess.TestFigures `json:"test"`
		Version string              `json:"version"`
	}
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		t.Fatal(err)
	}
	// The models of a tenth of the rows collapse, so the curve begins with a fifth.
	if !slices.Equal(f.Classes, []string{"a", "other"}) || len(f.Curve) != 4 || f.Test.Rows != 30 ||
		f.Columns[0].Importance == nil || f.Columns[2].Importance != nil || f.Version == "" {
		t.Errorf("%s", out)
	}
	if code, _, text := try(t, "fit", "--merge-labels", "d=other", file); code != 1 ||
		!strings.Contains(text, `no class "d"`) {
		t.Error(text)
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

// A file with an unusable column of classes is rejected with advice.
func TestFitLabels(t *testing.T) {
	for name, tt := range map[string]struct {
		label func(i int) string
		say   string
	}{
		"unique": {func(i int) string { return fmt.Sprintf("name%d", i) }, "it seems to identify the rows; name " +
			"another column with --target"},
		"continuous": {func(i int) string { return fmt.Sprint(math.Sqrt(float64(i))) }, "regression"},
		"one class":  {func(int) string { return "a" }, "all rows are of one class"},
	} {
		file := tableFile(t, "x,class", 100, func(i int) string { return fmt.Sprintf("%d,%s", i%13, tt.label(i)) })
		if code, out, errOut := try(t, "fit", file); code != 1 || out != "" || !strings.Contains(errOut, tt.say) {
			t.Errorf("%s: %d, %s", name, code, errOut)
		}
	}
}

// noise2 returns rows of two separable classes and of a rare one among them.
func noise2(r *rand.Rand) func(i int) string {
	return func(i int) string {
		class := []string{"a", "b"}[i%2]
		if i%20 == 0 {
			class = "rare"
		}
		return fmt.Sprintf("%.3f,%.3f,%s", r.NormFloat64()+6*float64(i%2), r.NormFloat64(), class)
	}
}

// Problems that make a model or its scores useless are printed in the report and on standard error.
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
		"99:1": {400, rare, []string{"--theta", "0.1"}, []string{`and never "rare" (4 rows)`, "is therefore useless",
			`Class "common" has 396 rows, class "rare" only 4`}},
		"never": {120, noise2(r), []string{"--theta", "0.1"}, []string{`never predicts "rare" (6 rows)`}},
		"one sample of some classes": {40, func(i int) string {
			if i < 2 {
				return fmt.Sprintf("%d,0,single%d", 10*i, i)
			}
			return fmt.Sprintf("%d,%d,%c", i%5+10*(i%2), i%3, 'a'+i%2)
		}, []string{"--theta", "0.1"}, []string{`"single0" (1, row 1)`}},
		"copies": {40, func(i int) string { return fmt.Sprintf("%d,1,%c", i%4, 'a'+i%2) },
			[]string{"--theta", "1"}, []string{"have the same features as a row of their training set"}},
		"alike": {40, func(i int) string {
			return fmt.Sprintf("%d,%d,%s", i, i%7,
				[]string{"Red", "red", "blue"}[i%3])
		}, []string{"--theta",
			"0.1"}, []string{"differ only in case or blanks"}},
		"sentinel": {60, func(i int) string {
			return fmt.Sprintf("%d,%d,%c", []int{i % 9, -999}[i%10/9], i%11,
				'a'+i%2)
		}, []string{"--theta", "0.1"}, []string{"has the value -999"}},
	} {
		file := tableFile(t, "x,y,class", tt.n, tt.row)
		page := filepath.Join(t.TempDir(), "r.html")
		f, errOut := fitJSON(t, append(tt.args, file, "--report", page)...)
		html := string(read(t, page))
		for _, want := range tt.say {
			said := report.Verdict(&f) + fmt.Sprint(f.Warnings)
			if !strings.Contains(said, want) {
				t.Errorf("%s: no %q in %s", name, want, said)
			}
		}
		for _, w := range f.Warnings {
			if !strings.Contains(errOut, "warning: "+voice.Say(w)) || w.Code == "" || !strings.Contains(html, "⚠") {
				t.Errorf("%s: %q is not on standard error or in the report", name, w)
			}
		}
	}
}

// There is a prominent warning if a model predicts one class for all rows.
func TestFitCollapsed(t *testing.T) {
	file := tableFile(t, "x,class", 30, func(i int) string { return fmt.Sprintf("%d,%c", i%3, "aab"[i/3%3]) })
	page := filepath.Join(t.TempDir(), "r.html")
	f, errOut := fitJSON(t, file, "--theta", "1", "--report", page)
	if !strings.Contains(errOut, "THE MODEL COLLAPSED: it predicts one class") ||
		!strings.Contains(string(read(t, page)), "THE MODEL COLLAPSED") || f.CV == nil {
		t.Errorf("%s, %+v", errOut, f)
	}
	for _, w := range f.Warnings { // included in the verdict and the first warning
		if w.Code == "no-better" || w.Code == "never-predicted" || w.Code == "small-class" {
			t.Errorf("reported twice: %v", w)
		}
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
	if f.Features != 200 || *f.CV.Error > .2 || !slices.ContainsFunc(f.Warnings, func(w table.Finding) bool {
		return w.Code == "wide" && strings.Contains(voice.Say(w), "200 features, more than the 80 rows")
	}) {
		t.Errorf("%+v", f)
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

// The search gets its share of the remaining budget.
func TestSearchTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			budget, taken time.Duration
			cv            folds
			report        string
			want          time.Duration
		}{
			{0, time.Hour, folds{k: 5}, "", 0},
			{100 * time.Second, 0, folds{k: 5}, "", 73500 * time.Millisecond}, // 2 % are reserved
			{100 * time.Second, 58 * time.Second, folds{k: 5}, "", 30 * time.Second},
			{100 * time.Second, 58 * time.Second, folds{}, "", 40 * time.Second},
			{100 * time.Second, 58 * time.Second, folds{k: 4, nested: true}, "", 8 * time.Second},
			{100 * time.Second, 47100 * time.Millisecond, folds{}, "r.html", 40 * time.Second},
			{time.Second, time.Second, folds{k: 5}, "", 1},
		} {
			f := &fit{fitOptions: &fitOptions{budget: tt.budget, cv: tt.cv, report: tt.report}, start: time.Now(),
				samples: &recipe.Samples{}}
			time.Sleep(tt.taken)
			if got := f.searchTime(); got != tt.want {
				t.Errorf("%v of %v are taken, %+v: %v, want %v", tt.taken, tt.budget, tt.cv, got, tt.want)
			}
		}
	})
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

func TestFitCosts(t *testing.T) {
	file := tableFile(t, "x,class", 120, func(i int) string {
		return fmt.Sprintf("%d,%s", i%10+4*(i%2),
			[]string{"ill", "well"}[i%2])
	})
	page := filepath.Join(t.TempDir(), "r.html")
	f, _ := fitJSON(t, file, "--theta", "0.3", "--costs", "ill:well=9", "--report", page)
	if c := f.Costs; c == nil || c.LeastCost.Cost >= c.Likeliest.Cost || c.LeastCost.Cost > c.Baseline.Cost ||
		c.Differently == 0 {
		t.Errorf("%+v", f.Costs)
	}
	if html := string(read(t, page)); !strings.Contains(html, "rows get a class that is not the most probable one. "+
		"The costs are saved with the model") {
		t.Error("the report has no costs")
	}
	out, _ := good(t, "fit", file, "--theta", "0.3", "--costs", "ill:well=9")
	if !strings.Contains(out, "the class with the lowest expected cost") {
		t.Error(out)
	}
	model := filepath.Join(t.TempDir(), "m.json")
	good(t, "fit", file, "--theta", "0.3", "--costs", "ill:well=9", "--model", model)
	kept, _ := good(t, "predict", file, "--model", model)
	if given, _ := good(t, "predict", file, "--model", model, "--costs", "ill:well=9"); kept != given {
		t.Error("the model does not use the costs of its fit")
	}
	if even, _ := good(t, "predict", file, "--model", model, "--costs", "ill:well=1"); kept == even {
		t.Error("costs of predict do not replace the costs of the model")
	}
	if code, _, errOut := try(t, "fit", file, "--costs", "sick:well=9"); code != misused ||
		!strings.Contains(errOut, `"sick:well" is not a pair of classes, truth:decision; the classes are ill, well`) {
		t.Errorf("%d, %s", code, errOut)
	}
}

// TestFitRecall checks that the model finds the requested share in cross-validation, in the report and in the
// predictions of its file.
func TestFitRecall(t *testing.T) {
	file := tableFile(t, "x,class", 200, func(i int) string {
		return fmt.Sprintf("%d,%s", i%10+4*(i%5/4),
			[]string{"well", "ill"}[i%5/4])
	})
	dir := t.TempDir()
	page, model := filepath.Join(dir, "r.html"), filepath.Join(dir, "m.json")
	f, errOut := fitJSON(t, file, "--theta", "0.3", "--recall", "ill=0.9", "--report", page, "--model", model)
	if f.Costs == nil || f.Costs.Classes[0].Class != "ill" || *f.Costs.Classes[0].Recall < 0.9 ||
		*f.CV.Classes[0].Recall >= 0.9 {
		t.Fatalf("%+v %s", f, errOut)
	}
	if html := string(read(t, page)); !strings.Contains(html, "so that 90 % of these rows are found") {
		t.Error("the report does not mention it")
	}
	m, err := tables.LoadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	if costs := m.Model().Costs(); costs == nil || costs.At(0, 1) <= 1 || costs.At(1, 0) != 1 ||
		costs.At(0, 1) != f.Costs.Matrix[0][1] {
		t.Errorf("costs %v, JSON %v", costs, f.Costs.Matrix)
	}
	// Scores are for the most probable class, even if the model uses costs.
	test := tableFile(t, "x,class", 40, func(i int) string {
		return fmt.Sprintf("%d,%s", i%10+4*(i%5/4),
			[]string{"well", "ill"}[i%5/4])
	})
	plain, _ := fitJSON(t, file, "--theta", "0.3", "--cv", "none", "--test", test)
	costly, _ := fitJSON(t, file, "--theta", "0.3", "--cv", "none", "--test", test, "--costs", "ill:well=50")
	if *plain.Test.Error != *costly.Test.Error {
		t.Errorf("errors %v, with costs %v", *plain.Test.Error, *costly.Test.Error)
	}
	out, _ := good(t, "fit", file, "--theta", "0.3", "--recall", "ill=0.9")
	if !strings.Contains(out, "BY COST") || !strings.Contains(out, "so that 90 % of these rows are found") {
		t.Error(out)
	}
	for flags, want := range map[string]string{
		"--recall sick=0.9":                   `unknown class "sick"; the classes are ill, well`,
		"--recall ill=2":                      "above 0 and at most 1",
		"--recall ill=0.9 --costs ill:well=2": "cannot be used together",
		"--recall ill=0.9 --cv none":          "needs cross-validation",
		"--recall ill=0.9,well=0.9":           "takes only one class",
	} {
		if code, _, errOut := try(t, append([]string{"fit", file}, strings.Fields(flags)...)...); code == 0 ||
			!strings.Contains(errOut, want) {
			t.Errorf("%s: %d, %s", flags, code, errOut)
		}
	}
}

// TestFitWeights tests a column of weights, with rows of weight 0, and class weights. The scores count each
// training row once.
func TestFitWeights(t *testing.T) {
	row := func(i int) string {
		return fmt.Sprintf("%d,%s,%d", i%10+4*(i%5/4), []string{"well", "ill"}[i%5/4], i%4)
	}
	file, dir := tableFile(t, "x,class,w", 200, row), t.TempDir()
	plain, weighted := filepath.Join(dir, "plain.json"), filepath.Join(dir, "weighted.json")
	f, errOut := fitJSON(t, file, "--weight", "w", "--theta", "0.3", "--model", weighted)
	if !strings.Contains(errOut, "150 rows count as 300 in the fit; the scores count each row once") ||
		f.N != 150 || f.Train.Rows != 150 || f.CV.Rows != 150 {
		t.Errorf("%d rows, %d of cross-validation: %s", f.N, f.CV.Rows, errOut)
	}
	for _, c := range f.Columns {
		if c.Name == "w" && c.Use != "weight of the row" {
			t.Errorf("%+v", c)
		}
	}
	ill := func(model string) int {
		out, _ := good(t, "predict", file, "--model", model)
		return strings.Count(out, "\nill")
	}
	fitJSON(t, file, "--drop", "w", "--theta", "0.3", "--model", plain)
	fitJSON(t, file, "--drop", "w", "--theta", "0.3", "--class-weights", "ill=5", "--model", weighted)
	if a, b := ill(plain), ill(weighted); b <= a {
		t.Errorf("%d rows are predicted to be ill, %d where they weigh 5", a, b)
	}
	for flags, want := range map[string]string{
		"--class-weights sick=9":   `unknown class "sick"; the classes are ill, well`,
		"--class-weights ill=0":    "above 0",
		"--target CLASS --cv none": `no column "CLASS" for the classes (did you mean "class"?); there are x, class, w`,
		"--weight height":          `"height": no such column`, "--weight class": "needs numbers",
	} {
		if code, _, errOut := try(t, append([]string{"fit", file}, strings.Fields(flags)...)...); code == 0 ||
			!strings.Contains(errOut, want) {
			t.Errorf("%s: %d, %s", flags, code, errOut)
		}
	}
	bad := tableFile(t, "x,class,w", 60, func(i int) string {
		return fmt.Sprintf("%d,%s,%d", i%10,
			[]string{"well", "ill"}[i%2], 30-i)
	})
	if code, _, errOut := try(t, "fit", bad, "--weight", "w"); code == 0 || !strings.Contains(errOut,
		`row 32, column 3 (w)`) || !strings.Contains(errOut, `"-1"`) {
		t.Error(errOut)
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

// explain finds a row by its id and shows the cells of its neighbours.
func TestExplainTable(t *testing.T) {
	dir := t.TempDir()
	model, page := filepath.Join(dir, "m.json"), filepath.Join(dir, "why.html")
	file := tableFile(t, "name,colour,size,species", 60, func(i int) string {
		return fmt.Sprintf("no-%d,%s,%d,%s", i, []string{"red", "blue", ""}[i%3], i%5+6*(i%2),
			[]string{"fish", "bird"}[i%2])
	})
	report := filepath.Join(dir, "fit.html")
	good(t, "fit", file, "--id", "name", "--theta", "0.2", "--model", model, "--report", report)
	named := regexp.MustCompile(`(\d+) · no-(\d+)`).FindAllStringSubmatch(string(read(t, report)), -1)
	for _, n := range named { // the rows with the least certain predictions
		if i, err := strconv.Atoi(n[2]); err != nil || n[1] != strconv.Itoa(i+1) {
			t.Errorf("row %s is no-%s", n[1], n[2])
		}
	}
	if len(named) == 0 {
		t.Error("the report names no rows")
	}
	out, _ := good(t, "explain", file, "--model", model, "--row-id", "no-7", "--json", "--report", page)
	var e explained
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		t.Fatal(err)
	}
	if e.Row != 8 || e.ID != "no-7" || e.Truth != "bird" || e.Class != "bird" || e.Cells["colour"] != "blue" ||
		e.Cells["size"] != "8" || len(e.Neighbours) == 0 {
		t.Errorf("%s", out)
	}
	for _, n := range e.Neighbours {
		if i := n.Row - 1; n.ID != fmt.Sprintf("no-%d", i) || n.Cells["size"] != fmt.Sprint(i%5+6*(i%2)) ||
			n.Cells["colour"] != []string{"red", "blue", ""}[i%3] {
			t.Errorf("%+v", n)
		}
	}
	html := string(read(t, page))
	for _, want := range []string{"<h1>Row 8 of ", "no-7", "colour", "Comparison with training rows"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in the report", want)
		}
	}
	byRow, _ := good(t, "explain", file, "--model", model, "--row", "8")
	byID, _ := good(t, "explain", file, "--model", model, "--row-id", "no-7")
	if byRow != byID || !strings.Contains(byRow, "row 8 (no-7): bird with probability") {
		t.Errorf("%s\n%s", byRow, byID)
	}
	for args, say := range map[string]string{
		"--row-id no-99": `no row with "no-99" in name`, "--row 3 --row-id no-3": "either --row or --row-id",
		"": "either --row or --row-id",
	} {
		if code, _, errOut := try(t, append([]string{"explain", file, "--model", model},
			strings.Fields(args)...)...); code == 0 || !strings.Contains(errOut, say) {
			t.Errorf("%s: %s", args, errOut)
		}
	}
}

// Classes may be absent from the test data, and are written as in the training data.
func TestFitTestClasses(t *testing.T) {
	for _, classes := range [][]string{{"Yes", "no"}, {"0", "1"}, {"1.5", "2"}, {"01", "02"},
		{"TRUE", "FALSE"}} {
		file := tableFile(t, "x,class", 40, func(i int) string {
			return fmt.Sprintf("%d,%s", i%3+5*(i%2),
				classes[i%2])
		})
		later := tableFile(t, "class,x", 3, func(i int) string { return fmt.Sprintf("%s,%d", classes[1], 5+i) })
		f, errOut := fitJSON(t, file, "--theta", "1", "--test", later)
		if f.Test == nil || f.Test.Rows != 3 || *f.Test.Error != 0 || f.Test.AUC != nil || !strings.Contains(errOut,
			"3 of 3 rows of the test data have the same features") {
			t.Errorf("%s: %+v, %s", classes, f.Test, errOut)
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
	if code, _, errOut := try(t, "fit", file, "--theta", "1", "--test", tableFile(t, "x,class", 3,
		func(int) string { return "7,new" })); code != 1 || !strings.Contains(errOut, `"new"`) {
		t.Errorf("status %d: %s", code, errOut)
	}
}

// Few rows give fewer folds, without a message about time.
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

// Rows of one group are in the same fold in fit and compare.
func TestFitGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var x, y float64
	file := tableFile(t, "patient,day,a,b,outcome", 200, func(i int) string {
		if i%10 == 0 {
			x, y = r.NormFloat64(), r.NormFloat64()
		}
		return fmt.Sprintf("P%d,2026-01-%02d,%.3f,%.3f,%s", i/10, 1+(i*7)%28, x+0.01*r.NormFloat64(),
			y+0.01*r.NormFloat64(), []string{"ill", "well"}[i/10*3%20%2])
	})
	model := filepath.Join(t.TempDir(), "m.json")
	alone, _ := fitJSON(t, file, "--drop", "patient,day", "--kernel", "rbf", "--theta", "5", "--algorithm",
		"mpcvm1")
	if *alone.CV.Error > 0.2 || alone.CV.DealtBy != nil {
		t.Errorf("row by row: error %.3f, by %v", *alone.CV.Error, alone.CV.DealtBy)
	}
	for _, tt := range []struct{ flags, say, feature string }{
		{"--id patient --drop day", `same id in "patient" are kept together`, ""},
		{"--group patient --drop day", `folds: split by column "patient": 20 values in 200 rows`, ""},
		{"--group patient --kind patient=category --drop day", `folds: split by column "patient"`, "patient"},
		{"--time day --drop patient", `folds: split by the time in column "day"`, ""},
	} {
		f, errOut := fitJSON(t, append([]string{file, "--theta", "5", "--algorithm", "mpcvm1", "--model", model},
			strings.Fields(tt.flags)...)...)
		if !strings.Contains(errOut, tt.say) || f.CV == nil || f.CV.DealtBy == nil {
			t.Errorf("%s: by %v, %s", tt.flags, f.CV.DealtBy, errOut)
		}
		if strings.Contains(errOut, "has dates") { // the time column is not a feature
			t.Errorf("%s: %s", tt.flags, errOut)
		}
		m, err := tables.LoadFile(model)
		if err != nil {
			t.Fatal(err)
		}
		features := strings.Join(m.Model().FeatureNames(), " ")
		if strings.Contains(features, "day") || strings.Contains(features, "patient") != (tt.feature != "") {
			t.Errorf("%s: features %s", tt.flags, features)
		}
		if tt.feature == "" && !strings.Contains(tt.flags, "time") && (*f.CV.Error < 0.25 || *f.CV.ErrorSE < 0.06) {
			t.Errorf("%s: error %.3f ± %.3f", tt.flags, *f.CV.Error, *f.CV.ErrorSE)
		}
		good(t, "predict", file, "--model", model, "--out", filepath.Join(t.TempDir(), "p.csv"))
	}
	out, errOut := good(t, "compare", file, "--group", "patient", "--systems", "majority", "--repeats", "1")
	if !strings.Contains(out, `cross-validation by column "patient"`) || !strings.Contains(errOut,
		"folds: split by") {
		t.Errorf("%s%s", out, errOut)
	}
	for args, say := range map[string]string{
		"--group patient --time day": "cannot be used together", "--group ward": `--group ward: no such column`,
		"--time outcome":  "needs numbers or dates",
		"--group outcome": "cannot be split into folds by",
	} {
		for _, verb := range []string{"fit", "compare"} {
			if code, _, errOut := try(t, append([]string{verb, file}, strings.Fields(args)...)...); code == 0 ||
				!strings.Contains(errOut, say) {
				t.Errorf("%s %s: status %d, %s", verb, args, code, errOut)
			}
		}
	}
	if code, _, errOut := try(t, "compare", file, "--time", "day", "--repeats", "3"); code != misused ||
		!strings.Contains(errOut, "only one split") {
		t.Errorf("status %d, %s", code, errOut)
	}
}

// A column that nearly determines the class, and one that is filled for one class only, cause warnings in
// look and at the beginning of fit.
func TestFitLeaks(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	file := tableFile(t, "a,score,perfect,died,outcome", 300, func(i int) string {
		ill := i%2 == 0
		score, perfect, died, outcome := 10*r.Float64(), "no sign", "", "well"
		if ill != (i < 3) { // wrong in three rows
			score += 20
		}
		if ill {
			perfect, outcome = "sign", "ill"
		}
		if i%15 == 4 { // 20 cells are missing
			perfect = ""
		}
		if ill && i%3 == 0 {
			died = fmt.Sprint(1900 + i%50)
		}
		return fmt.Sprintf("%.3f,%.3f,%s,%s,%s", r.NormFloat64(), score, perfect, died, outcome)
	})
	f, errOut := fitJSON(t, file, "--theta", "0.1", "--cv", "none")
	out, _ := good(t, "look", file)
	out = strings.Join(strings.Fields(out), " ") // undo the wrapping
	for code, texts := range map[string][]string{
		"leak": {`Column "score" alone predicts the class of 297 of 300 rows.`,
			`Column "perfect" alone predicts the class of all 280 rows that have a value.`, "--drop score,perfect"},
		"filled": {`Column "died" has values only in rows of class "ill" (50 of 150).`, "--drop died"},
	} {
		for _, text := range texts {
			said := slices.ContainsFunc(f.Warnings, func(w table.Finding) bool {
				return string(w.Code) == code &&
					strings.Contains(voice.Say(w), text)
			})
			if !said || !strings.Contains(errOut, text) || !strings.Contains(out, text) {
				t.Errorf("%q (%s) is not in %v, %s, %s", text, code, f.Warnings, errOut, out)
			}
		}
	}
	if strings.Contains(fmt.Sprint(f.Warnings), `"a"`) {
		t.Errorf("%v", f.Warnings)
	}
}

// The verdict reports probabilities that are no better than the class frequencies.
func TestFitNoBetterThanFrequencies(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	file := tableFile(t, "a,b,y", 80, func(i int) string {
		return fmt.Sprintf("%.3f,%.3f,%s", rng.NormFloat64(), rng.NormFloat64(), []string{"no", "yes"}[i%2])
	})
	f, _ := fitJSON(t, file, "--algorithm", "mpcvm2", "--theta", "2")
	if *f.CV.LogLoss < *f.Baseline.LogLoss || !strings.Contains(report.Verdict(&f), "Its probabilities are "+
		"no better than the class frequencies: their log loss is") {
		t.Errorf("log loss %v, of the frequencies %v: %s", *f.CV.LogLoss, *f.Baseline.LogLoss, report.Verdict(&f))
	}
}

// If auto finds nothing better than the class frequencies, the model predicts them, the verdict reports it,
// and every verb accepts the model.
func TestFitFrequencies(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	file := tableFile(t, "a,b,colour,y", 120, func(i int) string {
		return fmt.Sprintf("%.3f,%.3f,%s,%s", rng.NormFloat64(), rng.NormFloat64(),
			[]string{"red", "green", "blue"}[rng.IntN(3)], []string{"no", "no", "no", "yes", "perhaps"}[i%5])
	})
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	f, errOut := fitJSON(t, file, "--model", in("m.json"), "--report", in("r.html"))
	if f.RelevanceVectors != 0 || f.Status != "collapsed" || f.CV == nil || math.Abs(*f.CV.Error-0.4) > 1e-9 ||
		strings.Contains(strings.ToLower(errOut+fmt.Sprint(f.Warnings)), "collapsed") {
		t.Errorf("%d vectors, %s, %+v, %v, %s", f.RelevanceVectors, f.Status, f.CV, f.Warnings, errOut)
	}
	chosen := slices.IndexFunc(f.Trials, func(t assess.Trial) bool { return t.Chosen })
	if chosen < 0 || f.Trials[chosen].Learner != "frequencies of the classes" {
		t.Errorf("trial %d is chosen", chosen)
	}
	want := `No setting predicts held-out rows better than the class frequencies do. The model therefore predicts the class frequencies and uses no features; always predicting the most frequent class, "no", misclassifies 40.00 %.`
	page, err := os.ReadFile(in("r.html"))
	if got := report.Verdict(&f); got != want || err != nil || !strings.Contains(string(page),
		"The model therefore predicts the class frequencies") {
		t.Errorf("%q, want %q; %v", got, want, err)
	}
	out, _ := good(t, "predict", file, "--model", in("m.json"), "--proba")
	line := strings.Split(out, "\n")[7]
	var no, perhaps, yes float64
	if _, err := fmt.Sscanf(line, "no,%g,%g,%g,", &no, &perhaps, &yes); err != nil ||
		max(math.Abs(no-0.6), math.Abs(yes-0.2), math.Abs(perhaps-0.2)) > 1e-6 {
		t.Errorf("%q (%v)", line, err)
	}
	out, _ = good(t, "explain", file, "--model", in("m.json"), "--row", "3", "--report", in("e.html"))
	if !strings.Contains(out, "no with probability 0.600") {
		t.Error(out)
	}
	for _, language := range []string{"javascript", "onnx"} {
		good(t, "export", "--model", in("m.json"), "--to", language, "--out", in("model."+language))
	}
}

// A model mixed with the class frequencies gives the same probabilities after loading, and explain prints the
// share.
func TestMixedModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	file := tableFile(t, "a,b,y", 150, func(i int) string {
		noise := 0.0
		if i%7 == 0 {
			noise = 6 // certainly wrong labels
		}
		return fmt.Sprintf("%.3f,%.3f,%d", rng.NormFloat64()+float64(i%2)*(4-2*noise)+noise, rng.NormFloat64(), i%2)
	})
	model := filepath.Join(t.TempDir(), "m.json")
	fitJSON(t, file, "--model", model, "--cv", "none")
	m, err := tables.LoadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	if floor := m.Model().Floor(); len(floor) != 2 {
		t.Fatalf("floor %v", floor)
	}
	mixed := m.With(m.Model().WithFloor([]float64{0.3, 0.1}))
	if err := mixed.SaveFile(model); err != nil {
		t.Fatal(err)
	}
	raw, err := tables.Open(file, tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := mixed.Predict(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--proba"}, nil} {
		out, _ := good(t, append([]string{"predict", file, "--model", model}, args...)...)
		for i, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
			cells := strings.Split(line, ",")
			if cells[0] != want[i].Class || args != nil && cells[1] != fmt.Sprint(want[i].Proba[0]) {
				t.Errorf("row %d: %q, want %+v", i, line, want[i])
			}
		}
	}
	out, _ := good(t, "explain", file, "--model", model, "--row", "3")
	if !strings.Contains(out, "The probabilities are a mixture: 40 % come from the class frequencies") {
		t.Error(out)
	}
}
