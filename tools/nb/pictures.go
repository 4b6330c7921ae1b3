package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/tools/browser"
	"github.com/mpcvm/mpcvm/tools/fewcolors"
)

// addPictures puts a PNG beside each still picture of executed notebooks, which is an SVG. Forges
// that take SVG addresses out of a notebook show the PNG then.
func addPictures(files []string) error {
	ctx, stop := browser.Start(context.Background())
	defer stop()
	if err := chromedp.Do(ctx); err != nil {
		return fmt.Errorf("no Chromium: %w", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			text, err = withPictures(text, func(svgs []string) ([][]byte, error) { return shots(ctx, svgs) })
		}
		if err == nil {
			err = os.WriteFile(file, text, 0o644) //nolint:gosec // a file of the repository
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// still matches a picture of nbhelpers that has no PNG yet: what comes before its address, and its
// address.
var still = regexp.MustCompile(`<img ([^>]*)src="(data:image/svg\+xml,[^"]*)">`)

// withPictures returns the notebook with the pictures that draw makes of its SVGs.
func withPictures(text []byte, draw func(svgs []string) ([][]byte, error)) ([]byte, error) {
	nb, err := decoded(text)
	if err != nil {
		return nil, err
	}
	var outputs []map[string]any // those with HTML
	var svgs []string
	for _, c := range list(nb["cells"]) {
		for _, o := range list(object(c)["outputs"]) {
			if data := object(object(o)["data"]); data["text/html"] != nil {
				outputs = append(outputs, data)
				for _, m := range still.FindAllStringSubmatch(joined(data["text/html"]), -1) {
					svgs = append(svgs, m[2])
				}
			}
		}
	}
	slices.Sort(svgs)
	svgs = slices.Compact(svgs)
	drawn, err := draw(svgs)
	if err != nil {
		return nil, err
	}
	pictures := map[string]string{}
	for i, svg := range svgs {
		pictures[svg] = base64.StdEncoding.EncodeToString(drawn[i])
	}
	for _, data := range outputs {
		html := still.ReplaceAllStringFunc(joined(data["text/html"]), func(s string) string {
			m := still.FindStringSubmatch(s)
			// Spaces would end the address in srcset.
			return fmt.Sprintf(`<picture><source type="image/svg+xml" srcset="%s"><img %ssrc="data:image/png;base64,%s"></picture>`,
				strings.ReplaceAll(m[2], " ", "%20"), m[1], pictures[m[2]])
		})
		data["text/html"] = slices.Collect(strings.Lines(html))
	}
	return encoded(nb)
}

// shots draws SVGs, given by their addresses, in the browser.
func shots(ctx context.Context, svgs []string) ([][]byte, error) {
	if len(svgs) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">`)
	for _, svg := range svgs {
		b.WriteString(`<img style="display:block" src="` + svg + `">`)
	}
	file := filepath.Join(dir, "pictures.html")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := chromedp.NewContext(ctx)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+file)); err != nil {
		return nil, err
	}
	boxes, err := chromedp.Run(ctx, chromedp.Evaluate[[][4]float64](`[...document.images].map(i => { const r = i.getBoundingClientRect(); return i.naturalWidth ? [r.x, r.y, r.width, r.height] : [0, 0, 0, 0] })`))
	if err != nil {
		return nil, err
	}
	pictures := make([][]byte, len(boxes))
	for i, box := range boxes {
		if box[2] == 0 {
			return nil, fmt.Errorf("the browser does not draw %.80s", svgs[i])
		}
		beyond := true
		shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
			Clip: &page.Viewport{X: box[0], Y: box[1], Width: box[2], Height: box[3], Scale: 1}, CaptureBeyondViewport: &beyond,
		})
		if err != nil {
			return nil, err
		}
		img, err := png.Decode(bytes.NewReader(shot.Data))
		if err != nil {
			return nil, err
		}
		if pictures[i], err = small(img); err != nil {
			return nil, err
		}
	}
	return pictures, nil
}

// small encodes a picture with few colours.
func small(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&b, fewcolors.Reduce(img, 48, 8))
	return b.Bytes(), err
}

// decoded reads a notebook with all its fields.
func decoded(text []byte) (nb map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&nb)
	if err == nil && nb == nil {
		err = errors.New("no notebook")
	}
	return nb, err
}

// encoded writes a notebook as Jupyter does: sorted keys, one space.
func encoded(nb map[string]any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(nb)
	return out.Bytes(), err
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// joined is a text that is a string or a list of lines.
func joined(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b strings.Builder
	for _, l := range list(v) {
		s, _ := l.(string)
		b.WriteString(s)
	}
	return b.String()
}
