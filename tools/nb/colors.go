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
	bounds := img.Bounds()
	out := image.NewPaletted(image.Rect(0, 0, bounds.Dx(), bounds.Dy()), nil)
	rough := make([]color.RGBA, len(out.Pix))
	count := map[color.RGBA]int{}
	for i := range rough {
		r, g, b, _ := img.At(bounds.Min.X+i%out.Stride, bounds.Min.Y+i/out.Stride).RGBA()
		round := func(v uint32) uint8 { return uint8(min((v>>8+step/2)/step*step, 255)) }
		rough[i] = color.RGBA{round(r), round(g), round(b), 255}
		count[rough[i]]++
	}
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G),
			cmp.Compare(a.B, b.B))
	})
	nearest := make([]uint8, len(colors)) // in the palette
	far := make([]float64, len(colors))   // squared distance to it
	for n := range min(len(colors), most) {
		next, worst := 0, -1.
		for i, c := range colors {
			if w := far[i] * float64(count[c]); n > 0 && w > worst {
				next, worst = i, w
			}
		}
		out.Palette = append(out.Palette, colors[next])
		for i, c := range colors {
			if v := apart(c, colors[next]); n == 0 || v < far[i] {
				far[i], nearest[i] = v, uint8(n)
			}
		}
	}
	index := map[color.RGBA]uint8{}
	for i, c := range colors {
		index[c] = nearest[i]
	}
	for i, c := range rough {
		out.Pix[i] = index[c]
	}
	return out
}

// apart returns the squared distance of two colours.
func apart(a, b color.RGBA) float64 {
	d := func(a, b uint8) float64 { return (float64(a) - float64(b)) * (float64(a) - float64(b)) }
	return d(a.R, b.R) + d(a.G, b.G) + d(a.B, b.B)
}
