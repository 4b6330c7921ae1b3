package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// looker contains the options of the command.
type looker struct {
	out  string        // folder for the pictures
	min  int           // minimum number of charts
	wait time.Duration // maximum time to draw the charts, and for a chart to respond
}

// chart is the result of charts.js for a chart.
type chart struct {
	Fault               string // empty if the chart is drawn
	X, Y, Width, Height float64
}

// charts.js reports the state of every chart on the page.
//
//go:embed charts.js
var chartsJS string

const (
	pollEvery = 250 * time.Millisecond
	pause     = time.Second // until charts stop moving
	minInk    = 0.002       // minimum share of a chart's pixels that differ from the background
)

// page checks one page in its own tab and returns its number of charts and its faults.
func (l looker) page(ctx context.Context, file string) (n int, faults []string) {
	faults = l.inTab(ctx, file, func(ctx context.Context) (faults []string) {
		charts, err := l.charts(ctx)
		if err != nil {
			return []string{err.Error()}
		}
		if n = len(charts); n < l.min {
			faults = append(faults, fmt.Sprintf("%d charts, want at least %d", n, l.min))
		}
		fault := func(i int, text string) { faults = append(faults, fmt.Sprintf("chart %d: %s", i+1, text)) }
		for i := range charts {
			c := &charts[i]
			if c.Fault == "" {
				c.Fault = l.picture(ctx, *c, fmt.Sprintf("%s-%02d.png", stem(file), i+1))
			}
			if c.Fault != "" {
				fault(i, c.Fault)
			}
		}
		for i, c := range charts {
			if c.Fault == "" {
				for _, text := range l.touch(ctx, i) {
					fault(i, text)
				}
			}
		}
		return faults
	})
	return n, faults
}

// inTab opens a page in its own tab, calls f, saves a picture of the whole page, and returns all faults,
// including those that the page reports.
func (l looker) inTab(ctx context.Context, file string, f func(context.Context) []string) []string {
	ctx, cancel := chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancelTime := context.WithTimeout(ctx, l.wait+5*time.Minute)
	defer cancelTime()
	var heard complaints
	if err := l.open(ctx, file, &heard); err != nil {
		return append(heard.list(), err.Error())
	}
	faults := f(ctx)
	full, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(l.out, stem(file)+".png"), full, 0o644)
	}
	if err != nil {
		faults = append(faults, "picture of the page: "+err.Error())
	}
	return append(faults, heard.list()...)
}

// charts returns the charts of the page once all are drawn, or in their state when the time is over.
func (l looker) charts(ctx context.Context) (charts []chart, err error) {
	for deadline := time.Now().Add(l.wait); ; time.Sleep(pollEvery) {
		charts, err = chromedp.Run(ctx, chromedp.Evaluate[[]chart](chartsJS))
		if err != nil {
			return nil, err
		}
		undrawn := slices.ContainsFunc(charts, func(c chart) bool { return c.Fault != "" })
		if !undrawn || time.Now().After(deadline) {
			time.Sleep(pause) // the charts may still move with the page
			return chromedp.Run(ctx, chromedp.Evaluate[[]chart](chartsJS))
		}
	}
}

// open opens a page and records its events from the start.
func (l looker) open(ctx context.Context, file string, heard *complaints) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	if err := chromedp.Listen(ctx, heard.event); err != nil {
		return err
	}
	address := url.URL{Scheme: "file", Path: path}
	return chromedp.Do(ctx, chromedp.Navigate(address.String()))
}

// picture saves a picture of a chart and returns its fault, if any.
func (l looker) picture(ctx context.Context, c chart, name string) (fault string) {
	beyond := true
	shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Clip:                  &page.Viewport{X: c.X, Y: c.Y, Width: c.Width, Height: c.Height, Scale: 1},
		CaptureBeyondViewport: &beyond,
	})
	if err != nil {
		return "no picture: " + err.Error()
	}
	if err := os.WriteFile(filepath.Join(l.out, name), shot.Data, 0o644); err != nil {
		return err.Error()
	}
	img, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		return err.Error()
	}
	if s := ink(img); s < minInk {
		return fmt.Sprintf("blank: %.2f%% of the pixels differ from the background", 100*s)
	}
	return ""
}

// ink returns the share of pixels that do not have the most common colour.
func ink(img image.Image) float64 {
	count := map[color.Color]int{}
	most, all := 0, 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			c := img.At(x, y)
			count[c]++
			most = max(most, count[c])
			all++
		}
	}
	return float64(all-most) / float64(max(all, 1))
}

// complaints collects script errors and network requests.
type complaints struct {
	mu   sync.Mutex
	said []string
}

// event handles an event of the page.
func (c *complaints) event(ev any) {
	var text string
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if remote(ev.Request.URL) {
			text = "network request: " + ev.Request.URL
		}
	case *runtime.EventExceptionThrown:
		text = "script fails: " + ev.ExceptionDetails.Text
		if e := ev.ExceptionDetails.Exception; e != nil {
			text += " " + e.Description
		}
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.ConsoleAPICalledTypeError {
			text = "console error:"
			for _, arg := range ev.Args {
				text += " " + string(arg.Value) + arg.Description
			}
		}
	case *log.EventEntryAdded:
		if ev.Entry.Level == log.EntryLevelError {
			text = "browser error: " + ev.Entry.Text + " " + ev.Entry.URL
		}
	}
	if text == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.said, text) {
		c.said = append(c.said, text)
	}
}

// list returns everything that was recorded.
func (c *complaints) list() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.said)
}

// remote reports whether an address leads outside of the page and its files.
func remote(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	return !slices.Contains([]string{"file", "data", "blob", "about"}, scheme)
}
