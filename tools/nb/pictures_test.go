package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tools/browser"
)

// TestWithPictures tests that each chart and each SVG gets a PNG, and nothing else changes.
func TestWithPictures(t *testing.T) {
	const svg = `data:image/svg+xml,%3Csvg a='1'/>`
	const chart = `<div class="mpcvm-chart" aria-label="a &gt; b" style="height:30px;max-width:7px;color:red">` +
		`<p class="mpcvm-alt" style="margin:0">a &gt; b</p></div>`
	html := chart + "\n" + `<img alt="" src="` + svg + `"><img src="data:image/png;base64,AA==">`
	text, err := json.Marshal(map[string]any{"nbformat": 4, "cells": []any{
		map[string]any{"cell_type": "markdown", "source": []string{chart}},
		map[string]any{"cell_type": "code", "outputs": []any{
			map[string]any{"data": map[string]any{"text/html": []string{html[:20], html[20:]}}},
			map[string]any{"text": "plain"},
		}},
	}})
	must.OK(t, err)
	shots := func(page string) (all []image.Image, err error) {
		for i := range strings.Count(page, " "+browser.Shot+" ") {
			img := image.NewRGBA(image.Rect(0, 0, 1, 1))
			img.Set(0, 0, color.Gray{uint8(i)})
			all = append(all, img)
		}
		return all, nil
	}
	got := must.Get(withPictures(text, shots))(t)
	var nb ipynb.Notebook
	must.OK(t, json.Unmarshal(got, &nb))
	var out ipynb.Text
	must.OK(t, json.Unmarshal(nb.Cells[1].Outputs[0].Data["text/html"], &out))
	want := `<div class="mpcvm-chart" aria-label="a &gt; b" style="max-width:7px;color:red">` +
		`<img alt="a &gt; b" width="7" style="display:block;width:100%;height:auto" src="PNG 0"></div>` +
		"\n" +
		`<picture><source type="image/svg+xml" srcset="data:image/svg+xml,%3Csvg%20a='1'/>">` +
		`<img alt="" src="PNG 1"></picture><img src="data:image/png;base64,AA==">`
	drawn, err := shots(strings.Repeat(" "+browser.Shot+" ", 2))
	for i, img := range drawn {
		png, failed := address(img)
		err = errors.Join(err, failed)
		want = strings.Replace(want, fmt.Sprint("PNG ", i), png, 1)
	}
	if string(out) != want || err != nil {
		t.Errorf("got\n%s\nwant\n%s, %v", out, want, err)
	}
	if strings.Contains(string(nb.Cells[0].Source), "<img") ||
		string(nb.Cells[1].Outputs[1].Text) != "plain" {
		t.Errorf("something else changed: %s", got)
	}
	again, err := withPictures(got, shots)
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("the second run changes the notebook: %v", err)
	}
	if _, err := withPictures(text, func(string) ([]image.Image, error) {
		return nil, errors.New("no browser")
	}); err == nil {
		t.Error("an error of the browser is lost")
	}
	if _, err := withPictures(text, func(string) ([]image.Image, error) { return nil, nil }); err == nil {
		t.Error("no error for a chart without a picture")
	}
	if _, err := withPictures([]byte("null"), shots); err == nil {
		t.Error("no error for a file that is not a notebook")
	}
}

// TestSmall tests that a picture with few colours is encoded without loss.
func TestSmall(t *testing.T) {
	img := image.NewRGBA(image.Rect(5, 5, 105, 55))
	for i := range 5000 {
		c := color.RGBA{255, 255, 255, 255}
		if i%100 < 60 {
			c = color.RGBA{uint8(i % 60 * 4), 120, uint8(i / 100 * 5), 255}
		}
		img.Set(5+i%100, 5+i/100, c)
	}
	b := must.Get(small(img))(t)
	out := must.Get(png.Decode(bytes.NewReader(b)))(t)
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
