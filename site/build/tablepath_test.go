//go:build long

package main

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// shared changes a cell of the row in the report and returns a link to the model with that row.
func shared(ctx context.Context, t *testing.T, page string) string {
	t.Helper()
	value[any](ctx, t, `void `+page+`.mpcvmReports[0].set("Body Mass (g)", 4321)`)
	button(ctx, t, "Share a link")
	comes(ctx, t, `!table.report.shared.hidden && !table.busy`)
	accessible(ctx, t, "share")
	link := value[string](ctx, t, `table.report.link.value`)
	if !strings.Contains(link, "/table/#model=") || len(link) > 30000 {
		t.Errorf("a link of %d characters: %.60q", len(link), link)
	}
	t.Logf("the link has %d characters", len(link))
	return link
}

// opensLink opens such a link, predicts rows, and opens links that are damaged.
func opensLink(ctx context.Context, t *testing.T, page, link string) {
	t.Helper()
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(link)))
	comes(ctx, t, `window.table?.fitted && !table.busy && `+page+`.mpcvmReports?.length`)
	must.Equal(t, value[float64](ctx, t, page+`.mpcvmReports[0].row()["Body Mass (g)"]`), 4321)
	if got := value[string](ctx, t, page+`.document.querySelector(".mpcvm-headline").textContent`); !strings.HasPrefix(got,
		"Right in ") {
		t.Errorf("the verdict of a shared model: %q", got)
	}
	accessible(ctx, t, "shared")
	drop(ctx, t, "#score-title", "more.csv", contentOf(t, "data/penguins.csv"))
	comes(ctx, t, `!table.score.result.hidden && !table.busy`)
	for _, bad := range []string{link[:len(link)/2], strings.Split(link, "=")[0] + "=AAAA"} {
		must.OK(t, chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(bad)))
		comes(ctx, t, `document.getElementById("drop-said").textContent.includes("the link is damaged") ||
			window.table?.fault.textContent`)
	}
}

// TestLongTable goes the whole way: a table dropped on the front page, the search, the report, predictions,
// and a notebook. Only plain GETs of the site's files are sent, and the second visit works without the server.
func TestLongTable(t *testing.T) {
	ctx, _, _, e := watched(t)
	server := gets(t, e)
	defer server.Close()
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(server.URL+"/index.html")))
	accessible(ctx, t, "front")
	birds := contentOf(t, "data/penguins.csv")
	drop(ctx, t, "footer", "penguins.csv", birds)
	lookedAt(ctx, t, "penguins.csv")
	if got := value[string](ctx, t, `document.title + "; " + table.found.findings.target`); got !=
		"penguins.csv · mPCVM; Species" {
		t.Errorf("the look: %q", got)
	}
	button(ctx, t, "Disconnect") // all that follows goes on without a request
	comes(ctx, t, `document.querySelector(".sent").textContent.includes("refuses every request")`)
	must.Equal(t, value[string](ctx, t, `fetch("../style.css").then(() => "sent", () => "blocked")`), "blocked")
	accessible(ctx, t, "look")
	value[any](ctx, t, `void (table.learn.limit.value = "0")`)
	button(ctx, t, "Learn")
	comes(ctx, t, `table.learn.best.textContent.includes("Error")`)
	accessible(ctx, t, "learn")
	comes(ctx, t, `table.fitted || !table.fault.hidden`)
	const page = `document.querySelector("iframe.page").contentWindow`
	comes(ctx, t, page+`.mpcvmReports?.length && `+page+`.document.querySelector(".mpcvm-chart svg")`)
	const answer = page + `.document.querySelector(".answers strong").textContent`
	before := value[string](ctx, t, answer)
	if after := value[string](ctx, t, page+`.mpcvmReports[0].choose(300), `+answer); before == after {
		t.Errorf("the answer to “What if” remains %q", before)
	}
	comes(ctx, t, `(d => d.scrollHeight <= d.clientHeight)(`+page+`.document.documentElement)`)
	accessible(ctx, t, "report")

	lines := strings.SplitAfter(birds, "\n")
	drop(ctx, t, "#score-title", "more.csv", strings.Join(lines[:31], ""))
	comes(ctx, t, `!table.score.result.hidden && !table.busy`)
	must.Equal(t, value[int](ctx, t, `table.score.rows.querySelectorAll("tbody tr").length`), 20)
	accessible(ctx, t, "score")
	link := shared(ctx, t, page)
	value[any](ctx, t, `void (HTMLAnchorElement.prototype.click = function () {
		(window.files ??= {})[this.download] = this.href; })`)
	button(ctx, t, "Save the predictions")
	comes(ctx, t, `window.files?.["penguins-predictions.csv"] && !table.busy`)
	for _, name := range []string{"report", "model"} {
		button(ctx, t, "Save the "+name)
		comes(ctx, t, `!table.busy && Object.keys(files).some(n => n.includes(`+"`"+name+"`"+`))`)
	}
	value[any](ctx, t, `void (window.open = () => null)`) // the notebook opens in this tab
	button(ctx, t, "Open in a notebook")
	comes(ctx, t, `location.pathname.endsWith("notebooks/new.html") && `+pageReady)
	must.Equal(t, value[string](ctx, t,
		`mpcvmNotebook.kernel.files().map(f => f.name + f.own).join()`), "penguins.csvtrue")
	if heard := e.fresh(); len(heard) > 0 {
		t.Errorf("requests other than GETs of files: %q", heard)
	}

	// the table and the model are still there, until they are forgotten
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(server.URL+"/index.html")))
	comes(ctx, t, `!document.getElementById("drop-last").hidden`)
	accessible(ctx, t, "again")
	button(ctx, t, "Continue with penguins.csv")
	comes(ctx, t, `window.table?.fitted && !table.busy && `+page+`.mpcvmReports?.length`)
	must.Equal(t, value[int](ctx, t, page+`.mpcvmReports[0].choose(300), table.found.findings.rows`), 344)
	drop(ctx, t, "#score-title", "more.csv", birds)
	comes(ctx, t, `!table.score.result.hidden && !table.busy`)
	button(ctx, t, "Back to the start")
	comes(ctx, t, `!document.getElementById("drop-last").hidden`)
	button(ctx, t, "Forget it")
	comes(ctx, t, `document.getElementById("drop-last").hidden`)
	opensLink(ctx, t, page, link)
	if heard := e.fresh(); len(heard) > 0 {
		t.Errorf("requests other than GETs of files: %q", heard)
	}

	server.CloseClientConnections()
	server.Close()
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(server.URL+"/index.html")))
	drop(ctx, t, "#main", "penguins.csv", birds)
	lookedAt(ctx, t, "penguins.csv")
	must.Equal(t, value[string](ctx, t, `table.fault.textContent`), "")
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(server.URL+"/index.html")))
	value[any](ctx, t, `document.querySelector("[data-sample^=breast]").click()`) // which no visit has opened
	lookedAt(ctx, t, "breast.csv")
	must.Equal(t, value[string](ctx, t, `table.fault.textContent`), "")
}
