package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tools/browser"
)

// drop drops a file on an element of the page, and removes an earlier error.
func drop(ctx context.Context, t *testing.T, element, name, content string) {
	t.Helper()
	value[any](ctx, t, `void (() => {
		window.table?.fail("");
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([Uint8Array.from(atob(%[3]s), c => c.charCodeAt(0))], %[2]s));
		document.querySelector(%[1]s).dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
	})()`, element, name, base64.StdEncoding.EncodeToString([]byte(content)))
}

// lookedAt waits until the page shows a table, or an error.
func lookedAt(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	comes(ctx, t, fmt.Sprintf(`window.table && !table.busy && (table.found?.findings.name === %q || !table.fault.hidden)`,
		name))
}

// accessible runs axe on a narrow page, where most scrolls. Neither it nor a wide one may be wider than the
// window.
func accessible(ctx context.Context, t *testing.T, step string) {
	t.Helper()
	for _, width := range []int64{1280, 400} {
		must.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, 900)))
		if wide := value[int64](ctx, t, `document.documentElement.scrollWidth`); wide > width {
			t.Errorf("%s is %d pixels wide in a window of %d", step, wide, width)
		}
	}
	for _, fault := range violations(ctx, t) {
		t.Errorf("%s: axe: %s", step, fault)
	}
	picture(ctx, t, "table-"+step)
	must.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)))
}

// TestTableFaults opens files that are not tables, or have no classes. Each gets a sentence, and the table
// before stays.
func TestTableFaults(t *testing.T) {
	ctx, site, _, e := watched(t)
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(site+"/table/index.html")))
	const fault, why = `table.fault.textContent`, `document.getElementById("learn-why").textContent`
	accessible(ctx, t, "start")
	const picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	drop(ctx, t, "#main", "secret.png", picture)
	lookedAt(ctx, t, "")
	if got := value[string](ctx, t, fault); !strings.Contains(got, "unsupported file format") {
		t.Errorf("a picture: %q", got)
	}
	accessible(ctx, t, "fault")
	drop(ctx, t, "#main", "secret one.csv", "x,y,class\n"+strings.Repeat("1,2,a\n", 30))
	lookedAt(ctx, t, "secret one.csv")
	if got := value[string](ctx, t, fault+"+"+why); !strings.Contains(got, "class cannot be used as classes: ") ||
		!value[bool](ctx, t, `table.learn.go.disabled`) {
		t.Errorf("one class: %q", got)
	}
	var numbers strings.Builder
	for i := range 60 {
		fmt.Fprintf(&numbers, "%v,%v\n", 0.37*float64(i), 0.11*float64(i*i))
	}
	drop(ctx, t, "body", "secret none.csv", "secret,y\n"+numbers.String())
	lookedAt(ctx, t, "secret none.csv")
	if got := value[string](ctx, t, why); !strings.Contains(got, "need regression") {
		t.Errorf("no classes: %q", got)
	}
	drop(ctx, t, "#main", "secret.png", picture)
	comes(ctx, t, `!table.busy && !table.fault.hidden`)
	if got := value[string](ctx, t, `table.heading.textContent + table.found.findings.name`); got !=
		"secret none.csvsecret none.csv" {
		t.Errorf("after a picture, the table is %q", got)
	}
	// a control changes how the table is read
	value[any](ctx, t, `void (() => { const s = document.getElementById("kind-0"); s.value = "category"; s.dispatchEvent(new Event("change")); })()`)
	comes(ctx, t, `!table.busy && table.found.options.kinds?.secret === "category"`)
	if got := value[string](ctx, t, `table.found.command`); !strings.Contains(got, "--kind secret=category") {
		t.Errorf("the command is %s", got)
	}
	button(ctx, t, "Back to the start")
	comes(ctx, t, `document.querySelector("h1").textContent === "Your table" && document.getElementById("drop")`)
	if heard := e.fresh(); len(heard) > 0 {
		t.Errorf("data reached a server: %q", heard)
	}
}

// TestTableFormats opens a text, an Excel file and a Parquet file. Each fetches the engine that reads it.
func TestTableFormats(t *testing.T) {
	ctx, site, _, _ := watched(t)
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(site+"/table/index.html")))
	const fetched = `[...new Set(performance.getEntriesByType("resource")
		.map(r => /(text|excel|parquet)\..*wasm/.exec(r.name)?.[1]).filter(Boolean))].join()`
	for _, file := range []struct{ name, engines string }{{"data/iris.csv", "text"},
		{"tables/testdata/wild/merged-class.xlsx", "text,excel"},
		{"tables/parquet/testdata/duckdb.parquet", "text,excel,parquet"}} {
		name := filepath.Base(file.name)
		drop(ctx, t, "#main", name, contentOf(t, file.name))
		lookedAt(ctx, t, name)
		must.Equal(t, value[string](ctx, t, `table.fault.textContent`), "")
		must.Equal(t, value[string](ctx, t, fetched), file.engines)
	}
	// a model predicts the rows of a file that another engine reads
	const book = "tables/testdata/wild/merged-class.xlsx"
	tab := must.Get(tables.Open(book, tables.Options{}))(t)
	m, _, err := tables.Train(t.Context(), tab, tables.Settings{EvaluateOptions: eval.EvaluateOptions{
		Learner: mpcvm.TopDown{}, Options: eval.Options{Folds: -1}}})
	must.OK(t, err)
	var model strings.Builder
	must.OK(t, m.Save(&model))
	drop(ctx, t, "#main", "model.json", model.String())
	comes(ctx, t, `window.table.fitted && !table.busy`)
	drop(ctx, t, "#score-title", "new.xlsx", contentOf(t, book))
	comes(ctx, t, `!table.busy && (!table.score.result.hidden || !table.fault.hidden)`)
	const rows = `table.fault.textContent + table.score.rows.querySelectorAll("tbody tr").length`
	must.Equal(t, value[string](ctx, t, rows), "20")
}

// TestTableFixes: what is certain is chosen, a finding's button settles it, and Undo goes back.
func TestTableFixes(t *testing.T) {
	ctx, site, _, _ := watched(t)
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(site+"/table/index.html")))
	text := []byte("constructor,__proto__,same,empty,class\n")
	for i := range 90 {
		limit := ""
		if i%20 == 3 {
			limit = "<"
		}
		text = fmt.Appendf(text, "%d,%s%.1f,k,,%c\n", i*7%31, limit, float64(i*13%29)/10+0.1, 'a'+i%3)
	}
	drop(ctx, t, "#main", "faults.csv", string(text))
	lookedAt(ctx, t, "faults.csv")
	const options = `JSON.stringify([table.found.options.drop ?? [], table.found.options.limits ?? ""])`
	must.Equal(t, value[string](ctx, t, options), `[["empty","same"],"half"]`)
	const used = `["use-0", "use-1"].map(id => document.getElementById(id).value).join()`
	must.Equal(t, value[string](ctx, t, used), ",")
	accessible(ctx, t, "fixes")
	button(ctx, t, "Undo")
	comes(ctx, t, `!table.busy && !table.found.options.drop`)
	button(ctx, t, "Leave out same")
	comes(ctx, t, `!table.busy && table.found.options.drop?.join() === "same"`)
	button(ctx, t, "Undo")
	comes(ctx, t, `!table.busy && !table.found.options.drop`)
	const all = `[...document.querySelectorAll("#main button")].find(b => b.textContent.startsWith("Fix all"))`
	value[any](ctx, t, `void `+all+`.click()`)
	comes(ctx, t, `!table.busy && ["same", "empty"].every(n => table.found.options.drop?.includes(n))`)
	must.Equal(t, value[string](ctx, t, `table.fault.textContent`), "")
}

// TestTableJoins joins rare classes by a button, shows what was joined, and separates them.
func TestTableJoins(t *testing.T) {
	ctx, site, _, _ := watched(t)
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(site+"/table/index.html")))
	text := []byte("x,y,class\n")
	for i := range 90 {
		class := []string{"a", "b", "B", "rare", "rarer"}[min(i%3, 2)+max(0, min(i-85, 2))]
		text = fmt.Appendf(text, "%d,%d,%s\n", i*7%31, i*13%29, class)
	}
	drop(ctx, t, "#main", "rare.csv", string(text))
	lookedAt(ctx, t, "rare.csv")
	const classes = `table.found.findings.classes.map(c => c.name).join()`
	must.Equal(t, value[string](ctx, t, classes), "B,a,b,rare,rarer")
	button(ctx, t, "Join the 2 rare classes as other")
	comes(ctx, t, `!table.busy && `+classes+` === "B,a,b,other"`)
	button(ctx, t, "Join B, b")
	comes(ctx, t, `!table.busy && table.found.findings.classes.length === 3`)
	accessible(ctx, t, "joined")
	got := value[string](ctx, t, `table.look.classes.textContent`)
	if !strings.Contains(got, "rarer counts as other") {
		t.Errorf("the classes: %q", got)
	}
	button(ctx, t, "Undo")
	comes(ctx, t, `!table.busy && `+classes+` === "B,a,b,other"`)
	button(ctx, t, "Separate them")
	comes(ctx, t, `!table.busy && `+classes+` === "B,a,b,rare,rarer"`)
}

// TestTableLarge opens the sample with 20,000 rows, which shows the cost of a fit, and cancels the fit.
func TestTableLarge(t *testing.T) {
	ctx, site, _, _ := watched(t)
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(site+"/")))
	if n := value[int](ctx, t,
		`performance.getEntriesByType("resource").filter(r => /table.(main|engine|text)|sandbox/.test(r.name)).length`); n > 0 {
		t.Errorf("the front page fetches %d files of the engine", n)
	}
	value[any](ctx, t, `document.querySelector("[data-sample^=letter]").click()`)
	lookedAt(ctx, t, "letter.csv.gz")
	if got := value[string](ctx, t, `table.learn.cost.textContent`); !strings.Contains(got, "20,000 rows") ||
		!strings.Contains(got, "mpcvm fit letter.csv.gz") {
		t.Errorf("the cost: %q", got)
	}
	accessible(ctx, t, "large")
	button(ctx, t, "Learn")
	button(ctx, t, "Cancel")
	comes(ctx, t, `!table.busy`)
	if got := value[string](ctx, t, `table.fault.textContent + table.found.findings.name`); got != "letter.csv.gz" {
		t.Errorf("after a cancelled fit: %q", got)
	}
	button(ctx, t, "Learn") // the worker may still be reading the table
	comes(ctx, t, `table.learn.tried.children.length`)
	button(ctx, t, "Cancel")
	comes(ctx, t, `!table.busy`)
}

// TestTableByLink opens links to a table on another server. Nothing is sent to it before the reader agrees.
func TestTableByLink(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir(built)))
	defer server.Close()
	var asked atomic.Int32
	other := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/outer":
			fmt.Fprint(w, `<iframe src="/inner"></iframe>`)
			return
		case "/inner":
			fmt.Fprintf(w, `<iframe sandbox="allow-scripts" src="%s/table/fetch.html" `+
				`onload="this.contentWindow.postMessage('https://%s/data/open.csv', '*')"></iframe>`, server.URL, r.Host)
			return
		case "/favicon.ico":
			return
		}
		asked.Add(1)
		for name := range r.Header {
			if strings.HasPrefix(name, "Cookie") || name == "Referer" {
				t.Errorf("the other server gets %s: %s", name, r.Header[name])
			}
		}
		switch r.URL.Path {
		case "/data/open.csv":
			w.Header().Set("Access-Control-Allow-Origin", "*")
		case "/moved.csv":
			http.Redirect(w, r, "/data/open.csv", http.StatusFound)
		}
		fmt.Fprint(w, contentOf(t, "data/iris.csv"))
	}))
	defer other.Close()
	ctx, cancel := browser.Start(t.Context(), chromedp.Flag("ignore-certificate-errors", true))
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		t.Skip("no Chromium: ", err)
	}
	const said = `document.getElementById("drop-said").textContent`
	const question = `document.querySelector("dialog[open]")`
	visit := func(address string) {
		must.OK(t, chromedp.Do(ctx, chromedp.Navigate("about:blank"),
			chromedp.Navigate(server.URL+"/table/#csv="+url.QueryEscape(address))))
	}
	for _, bad := range []string{"http://example.org/a.csv", "javascript:alert(1)", "https://a:b@x.org", ""} {
		visit(bad)
		comes(ctx, t, said+`.includes("begins with https://")`)
	}
	answer := func(n int) {
		comes(ctx, t, question)
		value[any](ctx, t, `void `+question+`.querySelectorAll("button")[%s].click()`, n)
	}
	visit(other.URL + "/data/open.csv")
	comes(ctx, t, question)
	host := strings.TrimPrefix(other.URL, "https://")
	must.Equal(t, value[string](ctx, t, question+`.querySelector("h2").textContent`),
		"Fetch a table from "+host+"?")
	accessible(ctx, t, "link")
	answer(1)
	time.Sleep(300 * time.Millisecond)
	must.Equal(t, asked.Load(), 0)
	for _, refused := range []string{"/closed.csv", "/moved.csv"} {
		visit(other.URL + refused)
		answer(0)
		comes(ctx, t, said+`.includes("Download the file")`)
	}
	visit(other.URL + "/data/open.csv")
	answer(0)
	lookedAt(ctx, t, "open.csv")
	must.Equal(t, value[int](ctx, t, `table.found.findings.rows`), 150)
	must.Equal(t, value[string](ctx, t, `document.querySelector(".sent").textContent.split(" ")[0]`),
		strconv.Itoa(len(other.URL+"/data/open.csv")))
	// the page itself, where tables are, cannot reach it
	before := asked.Load()
	must.Equal(t, value[string](ctx, t, `fetch(%s).then(() => "sent", () => "blocked")`, other.URL), "blocked")
	must.Equal(t, asked.Load(), before)
	// a frame in a page, such as the frame of a report, cannot reach it either
	for path, times := range map[string]int32{"/outer": 0, "/inner": 1} {
		before := asked.Load()
		must.OK(t, chromedp.Do(ctx, chromedp.Navigate(other.URL+path), chromedp.Sleep(time.Second)))
		must.Equal(t, asked.Load()-before, times)
	}
}

// gets is a server of the site that records requests other than plain GETs of its files.
func gets(t *testing.T, e *ear) *httptest.Server {
	t.Helper()
	files := http.FileServer(http.Dir(built))
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.RawQuery != "" || r.ContentLength > 0 {
			e.hear(r.Method + " " + r.URL.String())
		}
		files.ServeHTTP(w, r)
	}))
}

// contentOf returns the content of a file of the checkout.
func contentOf(t *testing.T, file string) string {
	t.Helper()
	b := must.Get(os.ReadFile(file))(t)
	return string(b)
}
