// Command look opens HTML pages from files in headless Chromium, with the
// network off, and checks that every chart on them is drawn and answers: to the
// pointer where it tells probabilities, to the keys where it has a slider. In a copy
// without scripts, as an untrusted notebook is shown, every chart must be a picture or its alternative text.
//
//	look [-out DIR] [-min N] [-wait D] PAGE.html...
//
// A chart is an element of class mpcvm-chart. A page fails if it has fewer
// charts than -min, if a chart holds no ECharts instance, shows nothing, does not
// answer or is nothing without scripts, if a script fails or reports an error, or if the page asks for
// anything on the network. Pictures of the pages and of their charts are left in -out.
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
	flag.IntVar(&l.min, "min", 1, "least number of charts on a page")
	flag.DurationVar(&l.wait, "wait", 2*time.Minute, "how long a page may take to draw its charts")
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

// all looks at every page and prints a line for each page and each fault.
// It reports whether all pages were free of faults.
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

// stem returns the name of a page's pictures: report for out/report.html.
func stem(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}
