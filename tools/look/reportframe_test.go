package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	pages "github.com/mpcvm/mpcvm/tables/report"
)

// TestReportInFrame shows a report in a frame of a page with a strict policy, which allows the scripts of
// ReportScripts and one of its own.
func TestReportInFrame(t *testing.T) {
	const own = `document.title = "own script"`
	ctx, heard := listening(t)
	file, _, _ := report(t, penguins, "Species", tables.Options{ID: []string{"Individual ID"}})
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	policy := "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src"
	for _, script := range append(pages.Scripts(), own) {
		sum := sha256.Sum256([]byte(script))
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	page := filepath.Join(t.TempDir(), "frame.html")
	if err := os.WriteFile(page, fmt.Appendf(nil, `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="%s">
		<iframe style="width:1240px;height:860px" srcdoc="%s"></iframe><script>%s</script>`, policy,
		html.EscapeString(string(text)), own), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+page)); err != nil {
		t.Fatal(err)
	}
	const inside = `document.querySelector("iframe").contentWindow.`
	if err := until(ctx, "the report in the frame does not come to life", `!!`+inside+`mpcvmReports?.length &&
		[...`+inside+`document.querySelectorAll(".mpcvm-chart")].every(d => d.querySelector("svg"))`); err != nil {
		t.Fatal(err)
	}
	if n := evaluate[int](ctx, t, inside+`document.querySelectorAll(".mpcvm-chart svg").length`); n < 5 {
		t.Errorf("%d charts are drawn", n)
	}
	const answer = inside + `document.querySelector(".answers strong").textContent`
	before := evaluate[string](ctx, t, answer)
	after := evaluate[string](ctx, t, inside+"mpcvmReports[0].choose(300); "+answer)
	if before == after || !strings.Contains(before, "%") || !strings.Contains(after, "%") {
		t.Errorf("the answer is %q, and for another row %q", before, after)
	}
	if title := evaluate[string](ctx, t, "document.title"); title != "own script" {
		t.Errorf("the page's script does not run: %q", title)
	}
	for _, what := range evaluate[[]string](ctx, t, `forbidden.concat(`+inside+`forbidden)`) {
		t.Errorf("a policy forbids %s", what)
	}
	if out := os.Getenv("LOOK_OUT"); out != "" {
		shot, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, "report-frame.png"), shot, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range heard.list() {
		t.Error(c)
	}
}

// TestTwoReports opens a page with two reports: each answers with its own model.
func TestTwoReports(t *testing.T) {
	ctx, heard := listening(t)
	birds, _, _ := reportBlock(t, penguins, "Species", tables.Options{})
	flowers, _, _ := reportBlock(t, "../../data/iris.csv", "", tables.Options{})
	file := filepath.Join(t.TempDir(), "two.html")
	if err := nbhelpers.WritePageFile(file, "Two", birds, flowers); err != nil {
		t.Fatal(err)
	}
	visit(ctx, t, "file://"+file)
	if err := until(ctx, "not both come to life", `window.mpcvmReports?.length === 2`); err != nil {
		t.Fatal(err)
	}
	answers := evaluate[[]string](ctx, t, `[...document.querySelectorAll(".answers strong:first-child")].map(e => e.textContent)`)
	text := strings.Join(answers, "\n")
	if !strings.Contains(text, "Adelie") || !strings.Contains(text, "setosa") {
		t.Errorf("the answers are %q", answers)
	}
	for _, what := range evaluate[[]string](ctx, t, `forbidden`) {
		t.Errorf("the policy forbids %s", what)
	}
	for _, c := range heard.list() {
		t.Error(c)
	}
}
