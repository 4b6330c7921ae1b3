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

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	pages "github.com/mpcvm/mpcvm/tables/report"
)

// TestReportInFrame shows a report in a frame of a page with a strict policy, which allows the scripts of
// ReportScripts and one of its own.
func TestReportInFrame(t *testing.T) {
	const own = `document.title = "own script"`
	ctx := quiet(t)
	file, _, _ := report(t, penguins, "Species", tables.Options{ID: []string{"Individual ID"}})
	text := must.Get(os.ReadFile(file))(t)
	policy := "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src"
	for _, script := range append(pages.Scripts(), own) {
		sum := sha256.Sum256([]byte(script))
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	page := filepath.Join(t.TempDir(), "frame.html")
	must.OK(t, os.WriteFile(page, fmt.Appendf(nil, `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="%s">
		<iframe style="width:1240px;height:860px" srcdoc="%s"></iframe><script>%s</script>`, policy,
		html.EscapeString(string(text)), own), 0o600))
	must.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+page)))
	const inside = `document.querySelector("iframe").contentWindow.`
	must.OK(t, until(ctx, "the report in the frame does not come to life", `!!`+inside+`mpcvmReports?.length &&
		[...`+inside+`document.querySelectorAll(".mpcvm-chart")].every(d => d.querySelector("svg"))`))
	if n := evaluate[int](ctx, t, inside+`document.querySelectorAll(".mpcvm-chart svg").length`); n < 5 {
		t.Errorf("%d charts are drawn", n)
	}
	const answer = inside + `document.querySelector(".answers strong").textContent`
	before := evaluate[string](ctx, t, answer)
	after := evaluate[string](ctx, t, inside+"mpcvmReports[0].choose(300); "+answer)
	if before == after || !strings.Contains(before, "%") || !strings.Contains(after, "%") {
		t.Errorf("the answer is %q, and for another row %q", before, after)
	}
	must.Equal(t, evaluate[string](ctx, t, "document.title"), "own script")
	for _, what := range evaluate[[]string](ctx, t, `forbidden.concat(`+inside+`forbidden)`) {
		t.Errorf("a policy forbids %s", what)
	}
	picture(ctx, t, "report-frame.png")
}

// TestTwoReports opens a page with two reports: each answers with its own model.
func TestTwoReports(t *testing.T) {
	ctx := quiet(t)
	birds, _, _ := reportBlock(t, penguins, "Species", tables.Options{})
	flowers, _, _ := reportBlock(t, "../../data/iris.csv", "", tables.Options{})
	file := filepath.Join(t.TempDir(), "two.html")
	must.OK(t, nbhelpers.WritePageFile(file, "Two", birds, flowers))
	visit(ctx, t, "file://"+file)
	must.OK(t, until(ctx, "not both come to life", `window.mpcvmReports?.length === 2`))
	answers := evaluate[[]string](ctx, t, `[...document.querySelectorAll(".answers strong:first-child")].map(e => e.textContent)`)
	text := strings.Join(answers, "\n")
	if !strings.Contains(text, "Adelie") || !strings.Contains(text, "setosa") {
		t.Errorf("the answers are %q", answers)
	}
	for _, what := range evaluate[[]string](ctx, t, `forbidden`) {
		t.Errorf("the policy forbids %s", what)
	}
}
