// Command look opens HTML pages from files in headless Chromium without network access, and checks that
// every chart is drawn and responds to the pointer (if it shows probabilities) and to the keyboard (if it
// has a slider). In a copy without scripts, which is how untrusted notebooks are shown, every chart must be
// a picture or its alternative text.
//
//	look [-out DIR] [-min N] [-wait D] PAGE.html...
//
// A chart is an element of class mpcvm-chart. A page fails if it has fewer than -min charts, if a chart has
// no ECharts instance, is blank, does not respond or disappears without scripts, if a script fails or logs
// an error, or if the page makes a network request. Pictures of the pages and of their charts are written
// to -out.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/tools/browser"
)

func main() {
	var l looker
	flag.StringVar(&l.out, "out", "out/look", "folder for the pictures")
	flag.IntVar(&l.min, "min", 1, "minimum number of charts on a page")
	flag.DurationVar(&l.wait, "wait", 2*time.Minute, "maximum time for a page to draw its charts, and for a chart to respond")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	ok, err := l.all(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "look:", err)
	}
	if !ok {
		os.Exit(1)
	}
}

// all checks each page, prints a line for each page and fault, and reports whether all pages passed.
func (l looker) all(files []string) (ok bool, err error) {
	if err := os.MkdirAll(l.out, 0o755); err != nil {
		return false, err
	}
	ctx, cancel := browser.Start(context.Background())
	defer cancel()
	if err := chromedp.Do(ctx); err != nil { // starts the browser
		return false, err
	}
	ok = true
	for _, file := range files {
		start := time.Now()
		charts, faults := l.page(ctx, file)
		faults = append(faults, l.untrusted(ctx, file)...)
		verdict := "ok  "
		if len(faults) > 0 {
			ok, verdict = false, "FAIL"
		}
		fmt.Printf("%s %s: %d charts, %.1f s\n", verdict, file, charts, time.Since(start).Seconds())
		for _, f := range faults {
			fmt.Println("    ", f)
		}
	}
	return ok, nil
}

// stem returns the base name of a page's pictures, such as report for out/report.html.
func stem(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}
