package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

// TestWithPictures: each SVG has its PNG beside it, and nothing else changes.
func TestWithPictures(t *testing.T) {
	const one, two = `data:image/svg+xml,%3Csvg a='1'/>`, `data:image/svg+xml,%3Csvg b='2'/>`
	html := `<div><img alt="a &gt; b" width="7" src="` + one + `"></div>` + "\n" + `<img src="` + two + `"><img alt="x" src="` + one + `"><img src="data:image/png;base64,AA==">`
	text, err := json.Marshal(map[string]any{"nbformat": 4, "cells": []any{
		map[string]any{"cell_type": "markdown", "source": []string{`<img src="` + one + `">`}},
		map[string]any{"cell_type": "code", "outputs": []any{
			map[string]any{"data": map[string]any{"text/html": []string{html[:20], html[20:]}}},
			map[string]any{"text": "plain"},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	draw := func(svgs []string) (pictures [][]byte, err error) {
		for _, s := range svgs {
			pictures = append(pictures, []byte("PNG of "+s[len(s)-6:]))
		}
		return pictures, nil
	}
	got, err := withPictures(text, draw)
	if err != nil {
		t.Fatal(err)
	}
	var nb notebook
	if err := json.Unmarshal(got, &nb); err != nil {
		t.Fatal(err)
	}
	var out lines
	if err := json.Unmarshal(nb.Cells[1].Outputs[0].Data["text/html"], &out); err != nil {
		t.Fatal(err)
	}
	const first, second = `UE5HIG9mID0nMScvPg==`, `UE5HIG9mID0nMicvPg==` // "PNG of ='1'/>" in base 64
	source := func(svg string) string {
		return `<picture><source type="image/svg+xml" srcset="` + strings.ReplaceAll(svg, " ", "%20") + `">`
	}
	want := `<div>` + source(one) + `<img alt="a &gt; b" width="7" src="data:image/png;base64,` + first + `"></picture></div>` + "\n" +
		source(two) + `<img src="data:image/png;base64,` + second + `"></picture>` + source(one) + `<img alt="x" src="data:image/png;base64,` + first + `"></picture><img src="data:image/png;base64,AA==">`
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	if strings.Contains(string(nb.Cells[0].Source), "picture") || string(nb.Cells[1].Outputs[1].Text) != "plain" {
		t.Errorf("something else changed: %s", got)
	}
	again, err := withPictures(got, draw)
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("a second time it changes: %v", err)
	}
	if _, err := withPictures(text, func([]string) ([][]byte, error) { return nil, errors.New("no browser") }); err == nil {
		t.Error("an error of the browser is lost")
	}
	if _, err := withPictures([]byte("null"), draw); err == nil {
		t.Error("no error for a file that is no notebook")
	}
}

// TestSmall: few colours, those that are there, in their places.
func TestSmall(t *testing.T) {
	img := image.NewRGBA(image.Rect(5, 5, 105, 55))
	for i := range 5000 {
		c := color.RGBA{255, 255, 255, 255}
		if i%100 < 60 {
			c = color.RGBA{uint8(i % 60 * 4), 120, uint8(i / 100 * 5), 255}
		}
		img.Set(5+i%100, 5+i/100, c)
	}
	b, err := small(img)
	if err != nil {
		t.Fatal(err)
	}
	out, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := out.(*image.Paletted)
	if !ok || len(p.Palette) > 48 || out.Bounds() != image.Rect(0, 0, 100, 50) {
		t.Fatalf("%T of %v", out, out.Bounds())
	}
	for y := range 50 {
		for x := range 100 {
			want, got := img.RGBAAt(5+x, 5+y), color.RGBAModel.Convert(out.At(x, y)).(color.RGBA)
			for _, d := range []int{int(want.R) - int(got.R), int(want.G) - int(got.G), int(want.B) - int(got.B)} {
				if d*d > 40*40 {
					t.Fatalf("the pixel at %d, %d is %v, want %v", x, y, got, want)
				}
			}
		}
	}
}
