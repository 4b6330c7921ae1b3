// Command hero draws the picture at the top of README: charts of both learners on Overlap.
//
//	hero FILE.png
package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strings"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/scripts/browser"
)

func main() {
	err := fmt.Errorf("usage: hero FILE.png")
	if len(os.Args) == 2 {
		err = draw(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hero:", err)
		os.Exit(1)
	}
}

// Sizes in CSS pixels; the picture has one and a half times as many pixels.
const (
	width, height = 1320, 742
	left          = 640 // width of the left column
	upper         = 498 // height of the chart at the upper left
)

// draw writes the picture.
func draw(file string) error {
	set, err := data.Load("overlap")
	if err != nil {
		return err
	}
	ctx, k := context.Background(), kernel.RBF{Theta: 1}
	_, one, err := mpcvm.TopDown{Kernel: k}.Fit(ctx, set.X, set.T)
	if err != nil {
		return err
	}
	model, two, err := mpcvm.BottomUp{Kernel: k}.Fit(ctx, set.X, set.T)
	if err != nil {
		return err
	}
	model = model.WithNames(set.Classes, set.Features)
	convergence := nbhelpers.ConvergenceWith([]nbhelpers.Trace{{Name: "mPCVM₁", Steps: one.Trace}, {Name: "mPCVM₂", Steps: two.Trace}}, nbhelpers.ConvergenceOptions{LogX: true})
	weights := nbhelpers.Weights(model)
	regions := nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Title: "Decision regions of mPCVM₂", Cells: 320})
	convergence.Width, weights.Width = left, left
	regions.Width, regions.Height = width-left-10, height
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><meta charset="utf-8"><body style="margin:0;background:#fff">`)
	for _, c := range []struct {
		chart nbhelpers.Chart
		x, y  int
	}{{convergence, 0, 0}, {weights, 0, upper}, {regions, left + 10, 0}} {
		svg := strings.Replace(c.chart.SVG(), `font-family="`, `font-family="Liberation Sans,Nimbus Sans,`, 1)
		fmt.Fprintf(&b, `<img style="position:absolute;left:%dpx;top:%dpx" src="data:image/svg+xml;base64,%s">`, c.x, c.y, base64.StdEncoding.EncodeToString([]byte(svg)))
	}

	ctx, stop := browser.Start(ctx)
	defer stop()
	beyond := true
	address := "data:text/html;base64," + base64.StdEncoding.EncodeToString([]byte(b.String()))
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		return err
	}
	shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Clip: &page.Viewport{Width: width, Height: height, Scale: 1.5}, CaptureBeyondViewport: &beyond,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(file, shot.Data, 0o644) //nolint:gosec // a file of the repository
}
