package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/chromedp/chromedp"
)

// scripts are what a notebook's front end takes out of an untrusted output.
var scripts = regexp.MustCompile(`(?is)<script\b.*?</script\s*>`)

// untrusted looks at a copy of a page without its scripts and returns what is wrong
// with it.
func (l looker) untrusted(ctx context.Context, file string) (faults []string) {
	page, err := os.ReadFile(file)
	if err != nil {
		return []string{err.Error()}
	}
	copied := filepath.Join(l.out, stem(file)+"-untrusted.html")
	if err := os.WriteFile(copied, scripts.ReplaceAll(page, nil), 0o644); err != nil {
		return []string{err.Error()}
	}
	ctx, cancel := chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancelTime := context.WithTimeout(ctx, l.wait+time.Minute)
	defer cancelTime()
	var heard complaints
	if err := l.open(ctx, copied, &heard); err != nil {
		return []string{err.Error()}
	}
	charts, err := chromedp.Run(ctx, chromedp.Evaluate[[]chart](`[...document.querySelectorAll(".mpcvm-chart")].map(d => {
		const i = d.querySelector("img"), r = d.getBoundingClientRect();
		const fault = !i ? "no picture" : !i.complete || !i.naturalWidth ? "a broken picture" : r.width < 1 || r.height < 1 ? "a picture of no size" : "";
		return {Fault: fault, X: r.x + scrollX, Y: r.y + scrollY, Width: r.width, Height: r.height};
	})`))
	if err != nil {
		return []string{err.Error()}
	}
	if len(charts) < l.min {
		faults = append(faults, fmt.Sprintf("without scripts: %d charts, want at least %d", len(charts), l.min))
	}
	for i, c := range charts {
		if c.Fault == "" {
			c.Fault = l.picture(ctx, c, fmt.Sprintf("%s-untrusted-%02d.png", stem(file), i+1))
		}
		if c.Fault != "" {
			faults = append(faults, fmt.Sprintf("without scripts, chart %d: %s", i+1, c.Fault))
		}
	}
	for _, complaint := range heard.list() {
		faults = append(faults, "without scripts: "+complaint)
	}
	return faults
}
