package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	pages "github.com/mpcvm/mpcvm/tables/report"
	"github.com/mpcvm/mpcvm/tables/table"
)

const penguins = "../../data/penguins.csv"

// report writes the report of a model of a table and returns its file, the table and the model.
func report(t *testing.T, path, target string, opt tables.Options) (file string, all *table.Table,
	m *tables.Model) {
	t.Helper()
	page, all, m := reportBlock(t, path, target, opt)
	file = filepath.Join(t.TempDir(), "report.html")
	must.OK(t, nbhelpers.WritePageFile(file, "Penguins", page))
	return file, all, m
}

func reportBlock(t *testing.T, path, target string, opt tables.Options) (page nbhelpers.Block, all *table.Table,
	m *tables.Model) {
	t.Helper()
	all = must.Get(tables.Open(path, opt))(t)
	learner := search.Calibrated{Learner: mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.05}}}
	m, result, err := tables.Fit(t.Context(), all, target, learner)
	must.OK(t, err)
	figures, err := eval.Evaluate(t.Context(), all, m, eval.EvaluateOptions{Learner: learner, Result: result})
	must.OK(t, err)
	document := must.Get(pages.Full(t.Context(), figures, pages.Options{}))(t)
	return document.Page(), all, m
}

// TestReportIsAlive computes predictions in the page of a report for a thousand rows with cells drawn from
// the penguins, including missing ones, and compares the probabilities with Model.Predict. Then it operates
// the page like a reader.
func TestReportIsAlive(t *testing.T) {
	ctx := chromium(t)
	file, all, m := report(t, penguins, "Species", tables.Options{})
	info, err := os.Stat(file)
	if err != nil || info.Size() > 1_500_000 {
		t.Errorf("the report has %d bytes: %v", info.Size(), err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	names := all.Names()
	rows := [][]string{names}
	for range 1000 {
		row := make([]string, len(names))
		for i := range names {
			if c := &all.Columns[i]; random.IntN(8) > 0 {
				row[i] = c.Text(random.IntN(all.Rows))
			}
		}
		rows = append(rows, row)
	}
	must.OK(t, w.WriteAll(rows))
	drawn := filepath.Join(t.TempDir(), "drawn.csv")
	must.OK(t, os.WriteFile(drawn, text.Bytes(), 0o600))
	asked := must.Get(tables.Open(drawn, tables.Options{Like: m.Recipe().Like(), Missing: m.Recipe().Missing}))(t)
	want := must.Get(m.Predict(t.Context(), asked))(t)
	must.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+file)))
	must.OK(t, until(ctx, "the report is not interactive", `!!window.mpcvmReports?.length`))
	got, err := chromedp.Run(ctx, chromedp.Evaluate[[][]float64](fmt.Sprintf(`(rows => {
		const names = rows.shift();
		return rows.map(row => {
			try {
				return window.mpcvmReports[0].predict(Object.fromEntries(names.map((n, i) => [n, row[i]]))).probabilities;
			} catch { return []; }
		});
	})(%s)`, quoted(rows))))
	must.OK(t, err)
	worst, unusable := 0.0, 0
	for i, p := range want {
		if p.Err != nil {
			unusable++
			if len(got[i]) > 0 {
				t.Errorf("row %d: %v, but in the page %v", i+1, p.Err, got[i])
			}
			continue
		}
		for c, v := range p.Proba {
			worst = max(worst, math.Abs(v-got[i][c]))
		}
	}
	t.Logf("probabilities of %d rows differ by %.1e at most; %d cannot be used", len(want), worst, unusable)
	if !(worst <= 1e-12) {
		t.Errorf("probabilities differ by %g", worst)
	}

	numbers := make([]int, asked.Rows)
	for i := range numbers {
		numbers[i] = i
	}
	x, _, err := m.Recipe().Encode(nil, asked, numbers)
	must.OK(t, err)
	for i, coverage := range []float64{0.8, 0.9, 0.95} {
		want := must.Get(m.Model().PredictSet(x, coverage))(t)
		got, err := chromedp.Run(ctx, chromedp.Evaluate[[][]int](fmt.Sprintf(`(rows => {
			const names = rows.shift();
			return rows.map(row => window.mpcvmReports[0].sets(Object.fromEntries(names.map((n, i) => [n, row[i]])))[%d]);
		})(%s)`, i, quoted(rows))))
		must.OK(t, err)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("sets of coverage %v differ: %.300v, but in the page %.300v", coverage, want, got)
		}
	}

	text1 := func(expression string) string {
		t.Helper()
		v := must.Get(chromedp.Run(ctx, chromedp.Evaluate[string](expression)))(t)
		return v
	}
	do := func(script string) { must.OK(t, chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](script+";0"))) }
	do(`window.mpcvmReports[0].choose(1)`)
	must.OK(t, until(ctx, "the report is not interactive",
		`document.querySelector(".mpcvm-report").textContent.includes("Training rows for and against")`))
	answers := `document.querySelector(".answers strong").textContent`
	before := text1(answers)
	do(`[...document.querySelectorAll(".mpcvm-live button")].find(b => b.textContent === "Try it").click()`)
	if after := text1(answers); strings.Split(before, ",")[0] == strings.Split(after, ",")[0] {
		t.Errorf("the smallest change does not change the class: %s, then %s", before, after)
	}
	do(`window.mpcvmReports[0].choose(1)`)
	do(`{
		const input = document.querySelector(".mpcvm-live .control input[type=text]");
		input.value = "not a number";
		input.dispatchEvent(new Event("input"));
	}`)
	if said := text1(`document.querySelector(".answers").textContent`); !strings.Contains(said,
		"not a number") {
		t.Errorf("a cell that is not a number: %q", said)
	}
	// A link opens the page with a changed row.
	do(`window.mpcvmReports[0].set(document.querySelector(".mpcvm-live .control label").textContent, 44.4)`)
	link, changed := text1(`window.mpcvmReports[0].link()`),
		text1(`JSON.stringify(window.mpcvmReports[0].row())`)
	if !strings.Contains(link, "#cells=") || !strings.Contains(changed, "44.4") {
		t.Errorf("link %s, row %s", link, changed)
	}
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(link)))
	must.OK(t, until(ctx, "the link does not open the report", `!!window.mpcvmReports?.length`))
	must.Equal(t, text1(`JSON.stringify(window.mpcvmReports[0].row())`), changed)
	do(`window.mpcvmReports[0].choose(1)`)
	if link := text1(`window.mpcvmReports[0].link()`); !strings.HasSuffix(link, "#row=2") {
		t.Error(link)
	}
	do(`document.querySelector(".mpcvm-live button.wrong").click()`)
	if caption := text1(`document.querySelector(".mpcvm-report caption").textContent`); !strings.Contains(caption,
		"predicted as") {
		t.Errorf("rows of a cell of the confusion matrix: %q", caption)
	}
	do(`{
		const input = document.querySelector(".mpcvm-live input[type=number]:not([value='0'])");
		input.value = "7";
		input.dispatchEvent(new Event("input"));
	}`)
	if named := text1(
		`[...document.querySelectorAll(".mpcvm-live caption")].map(c => c.textContent).join()`); !strings.Contains(
		named, "Decisions by the lowest expected cost") {
		t.Errorf("tables %q", named)
	}
}
