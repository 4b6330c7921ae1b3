package nbhelpers

import (
	"math"
	"slices"
	"strings"
)

// laid is the figure of a chart as it is shown in its width and height, and its size in
// CSS pixels. A subtitle that is too long has two lines, and so has the room for one with
// twoLines. A figure with equal axes is as large as width and height allow.
func (c Chart) laid() (f *figure, width, height int) {
	if c.figure == nil {
		return &figure{}, c.Width, c.Height
	}
	f, width, height = c.figure.stretched(float64(c.Height)), c.Width, c.Height
	if f.equal > 0 {
		f, width, height = f.equalSize(width, height)
	}
	lines := wrapped2(f.subtitle, 12, float64(width)-16)
	if lines != f.subtitle || c.twoLines {
		f = f.movedDown(lineHeight)
		f.subtitle = lines
		height += lineHeight
	}
	return f, width, height
}

// wraps reports whether the subtitle needs two lines.
func (c Chart) wraps() bool {
	f, _, _ := c.laid()
	return strings.Contains(f.subtitle, "\n")
}

// stretched is the figure in another height. Panels below each other share what is more or
// less of it. The name of a y axis is cut to its panel and a margin.
func (f *figure) stretched(height float64) *figure {
	const margin = 40 // half of it above, where the legend is
	if len(f.panels) < 2 || height == f.height {
		return f
	}
	total := 0.0
	for _, p := range f.panels {
		total += f.height - p.top - p.bottom
	}
	by := math.Max((total+height-f.height)/total, .1)
	g := *f
	g.panels, g.height = slices.Clone(f.panels), height
	for i := range g.panels {
		p := &g.panels[i]
		for _, above := range f.panels {
			if above.top < f.panels[i].top {
				p.top += (by - 1) * (f.height - above.top - above.bottom)
			}
		}
		high := by * (f.height - f.panels[i].top - p.bottom)
		p.bottom = height - p.top - high
		p.y.name = shortened(p.y.name, 12, high+margin)
	}
	return &g
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
	g.height += by
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
