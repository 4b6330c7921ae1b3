package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/chromedp/chromedp"
)

// scripts matches what a notebook front end removes from an untrusted output.
var scripts = regexp.MustCompile(`(?is)<script\b.*?</script\s*>`)

// picturesJS returns, for each chart, the fault of its picture and the share of pixels that differ from the
// background.
//
//go:embed untrusted.js
var picturesJS string

// untrusted checks a copy of a page without scripts and returns its faults.
func (l looker) untrusted(ctx context.Context, file string) (faults []string) {
	page, err := os.ReadFile(file)
	if err != nil {
		return []string{err.Error()}
	}
	copied := filepath.Join(l.out, stem(file)+"-untrusted.html")
	if err := os.WriteFile(copied, scripts.ReplaceAll(page, nil), 0o644); err != nil {
		return []string{err.Error()}
	}
	faults = l.inTab(ctx, copied, func(ctx context.Context) (faults []string) {
		charts, err := chromedp.Run(ctx, chromedp.Evaluate[[]struct {
			Fault string
			Ink   float64
		}](picturesJS))
		if err != nil {
			return []string{err.Error()}
		}
		if len(charts) < l.min {
			faults = append(faults, fmt.Sprintf("%d charts, want at least %d", len(charts), l.min))
		}
		for i, c := range charts {
			if c.Fault == "" && c.Ink < minInk {
				c.Fault = fmt.Sprintf("blank: %.2f%% of the pixels differ from the background", 100*c.Ink)
			}
			if c.Fault != "" {
				faults = append(faults, fmt.Sprintf("chart %d: %s", i+1, c.Fault))
			}
		}
		return faults
	})
	for i := range faults {
		faults[i] = "without scripts: " + faults[i]
	}
	return faults
}
