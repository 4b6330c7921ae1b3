package nbhelpers

import (
	"math"
	"slices"
	"strings"
)

// laid is the figure of a chart as it is shown in its width and height, and its size in
// CSS pixels. A subtitle that is too long has two lines. A figure with equal axes is as
// large as width and height allow.
func (c Chart) laid() (f *figure, width, height int) {
	if c.figure == nil {
		return &figure{}, c.Width, c.Height
	}
	f, width, height = c.figure, c.Width, c.Height
	if f.equal > 0 {
		width, height = f.equalSize(width, height)
	}
	lines := wrapped2(f.subtitle, 12, float64(width)-16)
	if lines != f.subtitle {
		f = f.movedDown(lineHeight)
		f.subtitle = lines
		height += lineHeight
	}
	return f, width, height
}

// equalSize is the largest size within width and height at which the first panel has the
// proportions of equal axes.
func (f *figure) equalSize(width, height int) (w, h int) {
	p := f.panels[0]
	across := math.Min(float64(width)-p.left-p.right, (float64(height)-p.top-p.bottom)/f.equal)
	across = math.Max(across, 40)
	return int(math.Round(across + p.left + p.right)), int(math.Round(across*f.equal + p.top + p.bottom))
}

// movedDown is the figure with all below the title moved by the given number of pixels.
func (f *figure) movedDown(by float64) *figure {
	g := *f
	g.panels = slices.Clone(f.panels)
	for i := range g.panels {
		g.panels[i].top += by
	}
	g.legendTop += by
	if f.scale != nil {
		s := *f.scale
		s.top += by
		g.scale = &s
	}
	return &g
}

// withoutLegend is the chart without its legend, less high by the room of the legend.
func (c Chart) withoutLegend() Chart {
	f := c.figure
	if f.legendBeside > 0 {
		g := *f
		g.panels = slices.Clone(f.panels)
		for i := range g.panels {
			g.panels[i].right = plotRight
		}
		g.legend, g.legendBeside = nil, 0
		c.figure = &g
		return c
	}
	const row = plotTop - (legendTop + 12)
	c.figure = f.movedDown(-row)
	c.figure.legend = nil
	c.Height -= row
	return c
}

// wrapped2 breaks a text that is too wide into two lines, between its parts (" · ") if
// both lines then fit, and else between words. The second line may be too wide.
func wrapped2(s string, size, width float64) string {
	if textWidth(s, size) <= width {
		return s
	}
	for _, by := range []string{" · ", " "} {
		parts := strings.Split(s, by)
		for n := len(parts) - 1; n > 0; n-- {
			first, second := strings.Join(parts[:n], by), strings.Join(parts[n:], by)
			if textWidth(first, size) <= width && (by == " " || textWidth(second, size) <= width) {
				return first + "\n" + second
			}
		}
	}
	return s
}
