package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
)

// listening opens a browser tab that records the errors of its pages.
func listening(t *testing.T) (context.Context, *complaints) {
	t.Helper()
	ctx := chromium(t)
	ctx, cancel := context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	heard := &complaints{}
	must.OK(t, chromedp.Listen(ctx, heard.event))
	// Pages record violations of their content security policy.
	_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `window.forbidden = []; document.addEventListener("securitypolicyviolation", e => forbidden.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample))`})
	must.OK(t, err)
	return ctx, heard
}

// quiet opens a browser tab that must not report errors.
func quiet(t *testing.T) context.Context {
	t.Helper()
	ctx, heard := listening(t)
	t.Cleanup(func() {
		for _, c := range heard.list() {
			t.Error(c)
		}
	})
	return ctx
}

// picture saves a picture of the whole page in the folder LOOK_OUT, if that is set.
func picture(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	if dir := os.Getenv("LOOK_OUT"); dir != "" {
		shot := must.Get(chromedp.Run(ctx, chromedp.FullScreenshot(100)))(t)
		must.OK(t, os.WriteFile(filepath.Join(dir, name), shot, 0o600))
	}
}

// visit loads an address, opens all folds, and waits until its report is interactive and all charts are
// drawn.
func visit(ctx context.Context, t *testing.T, address string) {
	t.Helper()
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(address)))
	const ready = `document.querySelectorAll("details").forEach(d => d.open = true), document.readyState === "complete" && (!document.querySelector(".mpcvm-live") || !!window.mpcvmReports?.length) &&
		[...document.querySelectorAll(".mpcvm-chart")].every(d => d.querySelector("svg"))`
	must.OK(t, until(ctx, "the page is not interactive", ready))
}

// TestReportLooks opens the report of the penguins in README, whose IDs repeat, with two widths and two
// colour schemes: nothing is wider than the window, no text in tables and bars is cut off, axe reports
// nothing, and the content security policy is not violated.
func TestReportLooks(t *testing.T) {
	ctx := quiet(t)
	file, _, _ := report(t, penguins, "Species", tables.Options{Drop: []string{"Sample Number", "Date Egg",
		"Comments"}, ID: []string{"Individual ID"}})
	axe, err := os.ReadFile("../../site/build/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Log("NOT TESTED: accessibility: run npm ci --prefix site/build")
	}
	for _, width := range []int64{1280, 400} {
		for _, scheme := range []string{"light", "dark"} {
			at := fmt.Sprintf("%d px, %s", width, scheme)
			must.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, 900)))
			if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
				t.Fatal(err)
			}
			visit(ctx, t, "file://"+file)
			must.OK(t, until(ctx, "no details",
				`document.querySelector("main").textContent.includes("Training rows for and against")`))
			if wide := evaluate[int64](ctx, t, `document.documentElement.scrollWidth`); wide > width {
				t.Errorf("%s: the page is %d pixels wide: %s", at, wide,
					evaluate[string](ctx, t,
						`[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("[tabindex],.mpcvm-chart")).slice(0, 3).map(e => e.outerHTML.slice(0, 200)).join("\n")`))
			}
			// A percentage is on one line within its cell.
			for _, text := range evaluate[[]string](ctx, t, `[...document.querySelectorAll(".mpcvm-live .bars>div>span:last-child")].filter(s => {
				const r = document.createRange(); r.selectNodeContents(s);
				const [text, all] = [r.getBoundingClientRect(), s.parentElement.getBoundingClientRect()];
				return text.width === 0 || text.right > all.right + .5 || text.height > 2 * parseFloat(getComputedStyle(s).fontSize);
			}).map(s => s.textContent)`) {
				t.Errorf("%s: the figure %q is cut off or wrapped", at, text)
			}
			// The confusion matrix is there once, and each chart has enough space.
			if n := evaluate[int](ctx, t, `document.querySelectorAll("button.right").length`); n != 3 {
				t.Errorf("%s: the confusion matrix has %d classes, want 3", at, n)
			}
			for _, fault := range evaluate[[]string](ctx, t,
				`[...document.querySelectorAll(".mpcvm-chart")].flatMap(d => d.mpcvm.getOption().grid.map(g => [d.clientWidth - g.left - g.right, d.getAttribute("aria-label")])).filter(([w]) => !(w > 60)).map(String)`) {
				t.Errorf("%s: the width of a plot is %.80s", at, fault)
			}
			// Tooltips are not cut off.
			for _, fault := range evaluate[[]string](ctx, t, `new Promise(done => {
				const all = [...document.querySelectorAll(".mpcvm-chart")];
				for (const { mpcvm: c } of all) c.dispatchAction({ type: "showTip", seriesIndex: c.getOption().series.findIndex(s => s.data?.length > 1), dataIndex: 1 });
				setTimeout(() => done(all.flatMap(d => [...d.children].slice(1).filter(e => e.textContent && d.getBoundingClientRect().right < e.getBoundingClientRect().right - 1).map(e => e.textContent))), 500);
			})`) {
				t.Errorf("%s: the tooltip %.80q goes beyond its chart", at, fault)
			}
			if axe != nil {
				evaluate[any](ctx, t, string(axe)+";0")
				for _, fault := range evaluate[[]string](ctx, t,
					`axe.run().then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html)))`) {
					t.Errorf("%s: axe: %.300s", at, fault)
				}
			}
			for _, what := range evaluate[[]string](ctx, t, `forbidden`) {
				t.Errorf("%s: the policy was violated: %s", at, what)
			}
			picture(ctx, t, fmt.Sprintf("report-%d-%s.png", width, scheme))
		}
	}
}

// TestReportRows opens rows of a report with repeated IDs by links, by the field and by the buttons.
func TestReportRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	text := "id,x,y,kind\n"
	for i := range 60 {
		id := fmt.Sprint("b", i)
		switch {
		case i%20 == 4:
			id = "twice, & more"
		case i == 40:
			id = "7" // also the number of another row
		}
		text += fmt.Sprintf("%q,%v,%v,%s\n", id, float64(i)+.5, float64(i*37%50)/8, []string{"low", "high"}[i/30])
	}
	must.OK(t, os.WriteFile(path, []byte(text), 0o600))
	ctx := quiet(t)
	file, _, _ := report(t, path, "kind", tables.Options{ID: []string{"id"}})
	value := func(expression string) string { return evaluate[string](ctx, t, expression) }
	press := func(name string) {
		evaluate[any](ctx, t,
			fmt.Sprintf(`[...document.querySelectorAll(".mpcvm-report button")].find(b => b.textContent === %q).click()`,
				name))
	}
	shown := func(row int, words ...string) {
		t.Helper()
		now := value(`document.querySelector(".choose input").value + " " + window.mpcvmReports[0].row().x`)
		if want := fmt.Sprint(row, float64(row)-.5); now != want {
			t.Errorf("%s: row and x are %s, want %s", value(`location.hash`), now, want)
		}
		for _, w := range words {
			if all := value(`document.querySelector(".mpcvm-report").textContent`); !strings.Contains(all, w) {
				t.Errorf("%s: missing %q", value(`location.hash`), w)
			}
		}
	}
	for _, l := range []struct {
		hash  string
		row   int
		words []string
	}{
		{"", 1, []string{"row 1 (b0)"}},
		{"#row=25", 25, []string{"row 25 (twice, & more)"}},
		{"#row=b12", 13, []string{"row 13 (b12)"}},
		{"#row=twice%2C%20%26%20more", 1, []string{"Several rows have the ID “twice, & more”", "row 5 (",
			"row 25 (", "row 45 ("}},
		{"#row=7", 7, []string{"row 7 (b6)", "Other rows have the ID “7”", "row 41 (7)"}},
		{"#row=61", 1, []string{"no row “61”"}},
		{"#row=100%", 1, []string{"damaged"}},
		{"#row=", 1, []string{"no row “”"}},
		{"#cells=[1]", 1, []string{"damaged"}},
		{"#cells=%5B10.5%2C", 1, []string{"damaged"}},
		{"#nothing", 1, nil},
	} {
		visit(ctx, t, "file://"+file+l.hash)
		shown(l.row, l.words...)
	}
	// The link of each row opens the same row again.
	visit(ctx, t, "file://"+file)
	if got := value(`window.mpcvmReports[0].choose(24); window.mpcvmReports[0].link()`); !strings.HasSuffix(got,
		"#row=25") {
		t.Errorf("the link of row 25 is %s", got)
	}
	visit(ctx, t, "file://"+file+"#row=twice%2C%20%26%20more")
	press("row 45 (twice, & more)")
	shown(45)
	// Editing a cell does not affect Previous and Next.
	for name, want := range map[string]int{"Next": 46, "Previous": 44} {
		evaluate[any](ctx, t, `window.mpcvmReports[0].choose(44); window.mpcvmReports[0].set("x", 3)`)
		press(name)
		shown(want)
	}
	// Numbers in human notation; numbers with an ambiguous comma are rejected.
	for typed, want := range map[string]string{"46,5": "46.5", "-0,125": "-0.125", "46.5": "46.5", "1e1": "10",
		",5": "0.5", "1234,5": "1234.5",
		"1,234": `"1,234"`, "1,2,3": `"1,2,3"`, "": "null"} {
		if got := value(fmt.Sprintf(`{
			const input = [...document.querySelectorAll(".control")].find(c => c.textContent.startsWith("x")).querySelector("input");
			input.value = %q;
			input.dispatchEvent(new Event("input"));
			JSON.stringify(window.mpcvmReports[0].row().x);
		}`, typed)); got != want {
			t.Errorf("%q is read as %s, want %s", typed, got, want)
		}
	}
	// The row field.
	for typed, want := range map[string]int{"12": 12, "b3": 4} {
		evaluate[any](ctx, t, fmt.Sprintf(`{
			const input = document.querySelector(".choose input");
			input.value = %q;
			input.dispatchEvent(new Event("change"));
		}`, typed))
		shown(want)
	}
}

// TestPagePolicy tests that a page runs only its own scripts, whatever names the data contain.
func TestPagePolicy(t *testing.T) {
	const attack = `</script><script>window.bad=1</script><img src=x onerror="window.bad=2">`
	path := filepath.Join(t.TempDir(), "hostile.csv")
	quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	text := quote("x"+attack) + "," + quote("y<!--<script>") + "," + quote("kind"+attack) + "\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,%s,%s\n", i, quote([]string{"]]>" + attack, "`${window.bad=3}`"}[i%2]),
			quote([]string{"a" + attack, "b<!--<script>"}[i/30]))
	}
	must.OK(t, os.WriteFile(path, []byte(text), 0o600))
	ctx, heard := listening(t)
	file, _, _ := report(t, path, "kind"+attack, tables.Options{})
	visit(ctx, t, "file://"+file)
	clean := func() {
		t.Helper()
		if evaluate[bool](ctx, t, `"bad" in window`) {
			t.Error("a name was run as a script")
		}
		if list := evaluate[[]string](ctx, t, `forbidden`); len(list) > 0 {
			t.Errorf("the policy was violated in normal use: %q", list)
		}
		if list := heard.list(); len(list) > 0 {
			t.Errorf("in normal use: %q", list)
		}
	}
	evaluate[any](ctx, t,
		`document.querySelectorAll(".mpcvm-live button").forEach(b => b.textContent.startsWith("Copy") || b.click())`)
	clean()
	// A chart of go-echarts with a function is interactive too.
	chart := wrapped{"title": map[string]any{"text": attack}, "xAxis": map[string]any{"type": "value"},
		"yAxis": map[string]any{"type": "value"},
		"series": []any{map[string]any{"type": "custom", "data": []any{[]any{1, 2}},
			"renderItem": `__f__function(p, a) { return { type: "circle", shape: { cx: 200, cy: 200, r: 40 } } }__f__`}}}
	other := filepath.Join(t.TempDir(), "chart.html")
	must.OK(t, nbhelpers.WritePageFile(other, attack, nbhelpers.Heading(attack), nbhelpers.Wrap(chart)))
	visit(ctx, t, "file://"+other)
	if n := evaluate[int](ctx, t, `document.querySelectorAll(".mpcvm-chart svg path").length`); n == 0 {
		t.Error("the function of a chart has no effect")
	}
	clean()
	// Injected scripts and texts are not run as code, and network requests are blocked.
	page := must.Get(os.ReadFile(file))(t)
	injected := strings.Replace(string(page), "<main>",
		`<main><script>window.bad=1</script><img src="data:," onerror="window.bad=2"><a id="js" href="javascript:window.bad=3">x</a>`, 1)
	must.OK(t, os.WriteFile(file, []byte(injected), 0o600))
	visit(ctx, t, "file://"+file)
	evaluate[any](ctx, t, `document.getElementById("js").click()`)
	evaluate[any](ctx, t, `new Promise(done => {
		const s = document.createElement("script");
		s.textContent = "setTimeout('window.bad=4')";
		document.body.append(s);
		fetch("https://example.com/").catch(() => 0).then(() => setTimeout(done, 50));
	})`)
	if evaluate[bool](ctx, t, `"bad" in window`) {
		t.Error("an injected script was run")
	}
	forbidden := evaluate[[]string](ctx, t, `forbidden`)
	for _, want := range []string{"script-src-elem inline", "script-src-attr inline",
		"connect-src https://example.com/"} {
		if !slices.ContainsFunc(forbidden, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("violations %q do not include %s", forbidden, want)
		}
	}
}
