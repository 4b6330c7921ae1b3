package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tools/browser"
)

// faults collects the console messages of a page, its requests to other servers, and the files that it loads.
type faults struct {
	mu    sync.Mutex
	list  []string
	files map[string]bool
}

func (f *faults) hear(server string) func(any) {
	return func(event any) {
		text := ""
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, server) && !strings.HasPrefix(e.Request.URL, "data:") {
				text = "request to " + e.Request.URL
			}
		case *network.EventResponseReceived:
			if e.Response.Status >= 400 {
				text = fmt.Sprint(e.Response.Status, " for ", e.Response.URL)
			} else if file, ok := strings.CutPrefix(e.Response.URL, server+"/"); ok {
				if file == "" || strings.HasSuffix(file, "/") {
					file += "index.html"
				}
				f.mu.Lock()
				f.files[file] = true
				f.mu.Unlock()
			}
		case *runtime.EventExceptionThrown:
			text = "exception: " + e.ExceptionDetails.Text
		case *runtime.EventConsoleAPICalled:
			text = "console:"
			for _, a := range e.Args {
				text += " " + string(a.Value) + a.Description
			}
		case *log.EventEntryAdded:
			text = "browser: " + e.Entry.Text
		}
		if text != "" {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.list = append(f.list, text)
		}
	}
}

// fresh returns the faults since the last call, and the size of the files, compressed by gzip.
func (f *faults) fresh() (list []string, size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for file := range f.files {
		size += gzippedSize(filepath.Join(built, filepath.FromSlash(file)))
	}
	list = f.list
	f.list, f.files = nil, map[string]bool{}
	return list, size
}

// open opens a page of the built site in Chromium.
func open(t *testing.T) (ctx context.Context, server string, f *faults) {
	t.Helper()
	s := httptest.NewServer(http.FileServer(http.Dir(built)))
	t.Cleanup(s.Close)
	ctx, cancel := browser.Start(t.Context())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Skip("no Chromium: ", err)
	}
	f = &faults{files: map[string]bool{}}
	must.OK(t, chromedp.Listen(ctx, f.hear(s.URL)))
	return ctx, s.URL, f
}

// visit opens a page. If the page crashes or does not load, the test ends with its name and its faults.
func visit(ctx context.Context, t *testing.T, f *faults, address string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		list, _ := f.fresh()
		t.Fatalf("loading %s: %v; faults: %q", address, err, list)
	}
}

// TestInBrowser opens pages of each kind, wide and narrow, light and dark. No page may be wider than the
// window, and all charts must be live. axe examines one page of each kind. Pictures are saved to the folder
// LOOK_OUT, if set.
func TestInBrowser(t *testing.T) {
	ctx, server, f := open(t)
	for _, page := range []struct {
		name     string
		examined bool
	}{
		{"index.html", true}, {"notebooks/index.html", true}, {"notebooks/04-top-down.html", false},
		{"notebooks/05-bottom-up.html", true}, {"notebooks/11-gaussian-process.html", false},
		{"cards/index.html", false}, {"cards/regions.html", true}, {"cards/sparsity.html", false},
		{"docs/index.html", false}, {"docs/reproduction.html", true}, {"docs/method.html", false},
		{"licenses/index.html", true},
	} {
		name := page.name
		for _, look := range []struct {
			width                int64
			scheme, invertedOnce string
		}{{1280, "light", "0"}, {360, "dark", "1"}} {
			must.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(look.width, 900)))
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}})
			must.OK(t, err)
			visit(ctx, t, f, server+"/"+name)
			comes(ctx, t, `[...document.querySelectorAll(".mpcvm-chart")].every(d => d.querySelector("svg"))`)
			if name == "cards/regions.html" { // the model in the page
				p := value[[]float64](ctx, t, `document.querySelector(".mpcvm-chart").mpcvmProba(0, 0)`)
				if len(p) != 3 || math.Abs(p[0]+p[1]+p[2]-1) > 1e-9 || p[1] < 0.9 {
					t.Errorf("%s: probabilities %v at the origin, want blue", name, p)
				}
			}
			if wide := value[int64](ctx, t, `document.documentElement.scrollWidth`); wide > look.width {
				t.Errorf("%s is %d pixels wide in a window of %d", name, wide, look.width)
			}
			// the number of filters that invert each picture
			if filters := value[string](ctx, t, `(() => {
				const filters = e => e ? getComputedStyle(e).filter.startsWith("invert") + filters(e.parentElement) : 0;
				return [...document.querySelectorAll(".mpcvm-chart, .mpcvm-legend, table[cellpadding], .tiles img, .small")].map(filters).join("");
			})()`); strings.Trim(filters, look.invertedOnce) != "" {
				t.Errorf("%s, %s: the colours of the charts are inverted %s times", name, look.scheme, filters)
			}
			if page.examined {
				for _, fault := range violations(ctx, t) {
					t.Errorf("%s, %d px, %s: axe: %s", name, look.width, look.scheme, fault)
				}
			}
			list, size := f.fresh()
			for _, fault := range list {
				t.Errorf("%s: %s", name, fault)
			}
			if size > maxPage {
				t.Errorf("%s loads %d bytes, more than %d", name, size, maxPage)
			}
			if look.width == 1280 { // the second time, some come from the cache
				t.Logf("%s loads %d bytes", name, size)
			}
			if out := os.Getenv("LOOK_OUT"); out != "" {
				time.Sleep(400 * time.Millisecond) // the charts move into place
				shot := must.Get(chromedp.Run(ctx, chromedp.FullScreenshot(100)))(t)
				file := fmt.Sprintf("site-%s-%d-%s.png", strings.ReplaceAll(strings.TrimSuffix(name, ".html"), "/", "-"),
					look.width, look.scheme)
				must.OK(t, os.WriteFile(filepath.Join(out, file), shot, 0o644))
			}
		}
	}
}

// violations returns the violations that axe finds on the page.
func violations(ctx context.Context, t *testing.T) []string {
	t.Helper()
	axe, err := os.ReadFile("site/build/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Log("NOT TESTED: accessibility: run npm ci --prefix site/build")
		return nil
	}
	must.OK(t, chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](string(axe)+";0")))
	return value[[]string](ctx, t, `axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes[0].html))`)
}
