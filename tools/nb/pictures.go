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
	"regexp"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/tools/browser"
)

// addPictures adds PNGs of charts and SVGs to the outputs of executed notebooks, for front ends that do not
// run scripts and forges that remove the addresses of SVGs.
func addPictures(files []string) error {
	ctx, stop := browser.Start(context.Background())
	defer stop()
	if err := chromedp.Do(ctx); err != nil {
		return fmt.Errorf("starting Chromium: %w", err)
	}
	for _, file := range files {
		if err := rewritten(file, file, func(text []byte) ([]byte, error) {
			return withPictures(text, func(page string) ([]image.Image, error) {
				return browser.Shots(ctx, page, 1)
			})
		}); err != nil {
			return err
		}
	}
	return nil
}

// bare matches elements without a PNG: a chart of nbhelpers (groups: the part before its height, its
// maximum width, the rest of its style, and its alternative text) or an SVG (its attributes and its
// address).
var bare = regexp.MustCompile(`<div (class="mpcvm-chart"[^>]*)height:\d+px;max-width:(\d+)([^>]*>)` +
	`<p class="mpcvm-alt"[^>]*>([^<]*)</p>|<img ([^>]*)src="(data:image/svg\+xml,[^"]*)">`)

// withPictures returns the notebook with PNGs, which shots creates from a page of all outputs.
func withPictures(text []byte, shots func(page string) ([]image.Image, error)) ([]byte, error) {
	nb, err := decoded(text)
	if err != nil {
		return nil, err
	}
	var outputs []map[string]any // outputs with HTML
	var page strings.Builder
	page.WriteString(`<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">`)
	n := 0
	for _, c := range list(nb["cells"]) {
		for _, o := range list(object(c)["outputs"]) {
			data := object(object(o)["data"])
			if data["text/html"] == nil {
				continue
			}
			outputs = append(outputs, data)
			marked := bare.ReplaceAllStringFunc(joined(data["text/html"]), func(s string) string {
				n++
				return s[:4] + " " + browser.Shot + s[4:] // after <div or <img
			})
			page.WriteString("<div>" + marked + "</div>\n")
		}
	}
	if n == 0 {
		return encoded(nb)
	}
	taken, err := shots(page.String())
	if err == nil && len(taken) != n {
		err = fmt.Errorf("%d pictures of %d charts and images", len(taken), n)
	}
	if err != nil {
		return nil, err
	}
	for _, data := range outputs {
		html := bare.ReplaceAllStringFunc(joined(data["text/html"]), func(s string) string {
			png, failed := address(taken[0])
			err = errors.Join(err, failed)
			taken = taken[1:]
			m := bare.FindStringSubmatch(s)
			if m[6] == "" {
				// Without a height, the element shrinks with the picture. Scripts restore the height.
				return fmt.Sprintf(`<div %smax-width:%s%s<img alt="%s" width="%[2]s" `+
					`style="display:block;width:100%%;height:auto" src="%[5]s">`, m[1], m[2], m[3], m[4], png)
			}
			return fmt.Sprintf(`<picture><source type="image/svg+xml" srcset="%s"><img %ssrc="%s"></picture>`,
				strings.ReplaceAll(m[6], " ", "%20"), m[5], png) // a space would end the address in srcset
		})
		data["text/html"] = slices.Collect(strings.Lines(html))
	}
	if err != nil {
		return nil, err
	}
	return encoded(nb)
}

// address returns a picture as a data URL.
func address(img image.Image) (string, error) {
	b, err := small(img)
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b), err
}

// small encodes a picture as a PNG with few colours.
func small(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&b, reduced(img, 48, 8))
	return b.Bytes(), err
}

// decoded decodes a notebook with all its fields.
func decoded(text []byte) (nb map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&nb)
	if err == nil && nb == nil {
		err = errors.New("not a notebook")
	}
	return nb, err
}

// encoded encodes a notebook like Jupyter, with sorted keys and an indentation of one space.
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

// joined returns a text that is stored as a string or a list of lines.
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
