package main

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// reduced returns the picture with at most the given number of colours. Colours within step of each other
// count as one. The palette is chosen greedily: the next colour is the one with the largest product of
// frequency and squared distance to the palette.
func reduced(img image.Image, most int, step uint32) *image.Paletted {
	rough := func(c color.Color) color.RGBA {
		r, g, b, _ := c.RGBA()
		round := func(v uint32) uint8 { return uint8(min((v>>8+step/2)/step*step, 255)) }
		return color.RGBA{round(r), round(g), round(b), 255}
	}
	count := map[color.RGBA]int{}
	bounds := img.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[rough(img.At(x, y))]++
		}
	}
	palette := chosen(count, most)
	index := map[color.RGBA]uint8{}
	out := image.NewPaletted(image.Rect(0, 0, bounds.Dx(), bounds.Dy()), palette)
	for i := range out.Pix {
		c := rough(img.At(bounds.Min.X+i%out.Stride, bounds.Min.Y+i/out.Stride))
		at, ok := index[c]
		if !ok {
			at = uint8(palette.Index(c))
			index[c] = at
		}
		out.Pix[i] = at
	}
	return out
}

// chosen returns a palette of at most the given number of colours.
func chosen(count map[color.RGBA]int, most int) (palette color.Palette) {
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G),
			cmp.Compare(a.B, b.B))
	})
	far := make([]float64, len(colors)) // squared distance to the palette
	for range min(len(colors), most) {
		next, worst := 0, -1.
		for i, c := range colors {
			if w := far[i] * float64(count[c]); len(palette) == 0 || w > worst {
				if next, worst = i, w; len(palette) == 0 {
					break
				}
			}
		}
		palette = append(palette, colors[next])
		for i, c := range colors {
			if v := apart(c, colors[next]); len(palette) == 1 || v < far[i] {
				far[i] = v
			}
		}
	}
	return palette
}

// apart returns the squared distance of two colours.
func apart(a, b color.RGBA) float64 {
	d := func(a, b uint8) float64 { return (float64(a) - float64(b)) * (float64(a) - float64(b)) }
	return d(a.R, b.R) + d(a.G, b.G) + d(a.B, b.B)
}
