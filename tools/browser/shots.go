package browser

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Shot is the attribute that marks the elements for Shots.
const Shot = "data-shot"

// stateJS returns "!" and the alternative text of a chart or picture that is not drawn yet, or otherwise a
// number that changes while anything moves.
//
//go:embed state.js
var stateJS string

// placeJS moves an element to the upper left corner, so that it starts at a whole pixel, and returns its
// size.
const placeJS = `(() => {
	const d = document.querySelectorAll("[data-shot]")[%d], r = d.getBoundingClientRect();
	const width = Math.round(r.width);
	d.mpcvmStyle = d.style.cssText;
	d.style.cssText += ";position:fixed;left:0;top:0;z-index:9;margin:0;width:" + width + "px";
	return [width, Math.ceil(r.height)];
})()`

// Shots opens a page and returns pictures of its elements with the attribute Shot, once their charts are
// drawn and static. scale is the number of pixels per CSS pixel.
func Shots(ctx context.Context, html string, scale float64) ([]image.Image, error) {
	dir, err := os.MkdirTemp("", "shots")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(html), 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := chromedp.NewContext(ctx)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+file)); err != nil {
		return nil, err
	}
	if err := still(ctx); err != nil {
		return nil, err
	}
	n, err := chromedp.Run(ctx, chromedp.Evaluate[int](`document.querySelectorAll("[data-shot]").length`))
	if err != nil {
		return nil, err
	}
	shots := make([]image.Image, n)
	for i := range shots {
		if shots[i], err = shot(ctx, i, scale); err != nil {
			return nil, err
		}
	}
	return shots, nil
}

// still waits until all charts are drawn and static.
func still(ctx context.Context) error {
	last, same := "", 0
	for range 300 {
		state, err := chromedp.Run(ctx, chromedp.Evaluate[string](stateJS))
		if err != nil {
			return err
		}
		if same++; state != last {
			last, same = state, 0
		}
		if same == 2 && !strings.HasPrefix(state, "!") {
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return fmt.Errorf("the browser did not draw %q within a minute", strings.TrimPrefix(last, "!"))
}

// shot returns a picture of element i.
func shot(ctx context.Context, i int, scale float64) (image.Image, error) {
	size, err := chromedp.Run(ctx, chromedp.Evaluate[[2]float64](fmt.Sprintf(placeJS, i)))
	if err != nil {
		return nil, err
	}
	picture, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Clip: &page.Viewport{Width: size[0], Height: size[1], Scale: scale},
	})
	if err != nil {
		return nil, err
	}
	restore := fmt.Sprintf(`(d => void (d.style.cssText = d.mpcvmStyle))`+
		`(document.querySelectorAll("[data-shot]")[%d])`, i)
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[any](restore)); err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(picture.Data))
}
