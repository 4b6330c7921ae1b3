package main

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables"
)

// TestVerdict opens a report: the verdict and the row to play with are on the first screen, everything else
// is folded, and a link of the contents, which stay in view, opens its fold.
func TestVerdict(t *testing.T) {
	ctx := quiet(t)
	file, _, _ := report(t, penguins, "Species", tables.Options{ID: []string{"Individual ID"}})
	must.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+file)))
	must.OK(t, until(ctx, "the report is not interactive", `!!window.mpcvmReports?.length`))
	const bottom = `Math.max(...[".mpcvm-headline", ".mpcvm-most", ".bars", ".control input"].map(
		s => document.querySelector(s).getBoundingClientRect().bottom))`
	if at := evaluate[float64](ctx, t, bottom); at > 900 {
		t.Errorf("the verdict ends at %.0f of 900 pixels", at)
	}
	if n := evaluate[int](ctx, t, `document.querySelectorAll(".mpcvm-fold[open]").length`); n > 0 {
		t.Errorf("%d folds are open", n)
	}
	for _, name := range evaluate[[]string](ctx, t,
		`[...document.querySelectorAll(".mpcvm-contents a")].map(a => a.hash)`) {
		evaluate[any](ctx, t, `void document.querySelector(".mpcvm-contents a[href='`+name+`']").click()`)
		must.OK(t, until(ctx, "no section "+name, `(s => !s.closest("details:not([open])") &&
			s.getBoundingClientRect().top < innerHeight)(document.querySelector("`+name+`"))`))
		const top = `document.querySelector(".mpcvm-contents").getBoundingClientRect().top`
		if top := evaluate[float64](ctx, t, top); top > 100 {
			t.Errorf("%s: the contents are at %.0f", name, top)
		}
	}
}
