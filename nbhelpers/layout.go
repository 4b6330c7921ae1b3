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
		f, width, height = f.equalSize(width, height)
	}
	lines := wrapped2(f.subtitle, 12, float64(width)-16)
	if lines != f.subtitle {
		f = f.movedDown(lineHeight)
		f.subtitle = lines
		height += lineHeight
	}
	return f, width, height
}

// equalSize is the figure with the largest first panel of equal axes, and its size. The
// figure may be wider than the panel needs, so that title, subtitle and legend fit.
func (f *figure) equalSize(width, height int) (g *figure, w, h int) {
	p := f.panels[0]
	across := math.Min(float64(width)-p.left-p.right, (float64(height)-p.top-p.bottom)/f.equal)
	across = math.Max(across, 40)
	texts := math.Max(textWidth(f.title, boldWider*15), textWidth(f.subtitle, 12))
	if f.legendBeside == 0 {
		row, _ := legendWidth(f.legend, f.keyWidth)
		texts = math.Max(texts, row)
	}
	room := math.Max(across+p.left+p.right, math.Min(texts+16, float64(width)))
	copied := *f
	copied.panels = slices.Clone(f.panels)
	copied.panels[0].right = room - p.left - across
	copied.equalMost, copied.equalRight = across, p.right
	return &copied, int(math.Round(room)), int(math.Round(across*f.equal + p.top + p.bottom))
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
