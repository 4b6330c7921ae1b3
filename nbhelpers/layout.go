package nbhelpers

import (
	"math"
	"slices"
	"strings"
)

// laid is the figure of a chart with its panels placed for the width and height of the chart, and the
// size in CSS pixels. A subtitle that is too long has two lines, and so has the room for one with
// twoLines. A figure with equal axes is as large as width and height allow.
func (c Chart) laid() (f *figure, width, height int) {
	if c.figure == nil {
		return &figure{}, c.Width, c.Height
	}
	place := func(more int) {
		f, width, height = c.figure.placed(c.Height+more, float64(more)), c.Width, c.Height+more
		if f.equal > 0 {
			width, height = f.equalSize(width, height)
		}
	}
	place(0)
	if lines := wrapped2(f.subtitle, 12, float64(width)-16); lines != f.subtitle || c.twoLines {
		place(lineHeight)
		f.subtitle = lines
	}
	return f, width, height
}

// wraps reports whether the subtitle needs two lines.
func (c Chart) wraps() bool {
	f, _, _ := c.laid()
	return strings.Contains(f.subtitle, "\n")
}

// placed is a copy of the figure whose panels have their places in a chart of that height. They are one
// below the other between the head and the names of the last x axis, and between the labels of the y
// axes and what stands at the right. Of the room below the title so many pixels more are free.
func (f *figure) placed(height int, more float64) *figure {
	g := *f
	g.panels = slices.Clone(f.panels)
	legend, top := f.head()
	top += more
	if g.legendTop = legend + more; f.legendBeside > 0 {
		g.legendTop = top
	}
	left, right := 0.0, float64(plotRight)
	if f.legendBeside > 0 {
		right += f.legendBeside + symbolSide + 7
	}
	if f.scale != nil && f.scale.colors != nil {
		right = 84
	}
	shares, free := 0.0, float64(height)-top-g.panels[len(g.panels)-1].x.below()
	for _, p := range g.panels {
		left, right = max(left, p.before, p.y.beside()), max(right, p.after)
		shares, free = shares+p.share, free-p.gap
	}
	for i := range g.panels {
		p := &g.panels[i]
		high := free
		if shares > 0 {
			high *= p.share / shares
		}
		p.left, p.right, p.top, p.bottom = left, right, top+p.gap, float64(height)-top-p.gap-high
		top += p.gap + high
		p.x.gap = p.x.below() - 20
		p.y.gap = left - 22
		p.y.name = shortened(p.y.name, 12, high+40) // half of it above, where the legend is
		if p.y.kind == "category" {
			p.y.room = left - 14
			if p.y.name != "" {
				p.y.room -= 22
			}
		}
	}
	if f.scale != nil {
		s := *f.scale
		s.top, s.height = g.panels[0].top, min(150, float64(height)-g.panels[0].top-114)
		g.scale = &s
	}
	return &g
}

// head is where the legend begins below the titles, and where the panels begin below the legend.
func (f *figure) head() (legend, panels float64) {
	switch {
	case f.title == "":
		legend = headTop
	case f.subtitle == "":
		legend = legendTop - 18
	default:
		legend = legendTop
	}
	switch {
	case len(f.legend) > 0 && f.legendBeside == 0:
		return legend, legend + legendHigh
	case f.title == "":
		return legend, 16
	}
	return legend, legend + 12
}

// beside is the room that labels and name of a y axis need.
func (a *axis) beside() float64 {
	room := 0.0
	switch {
	case a.hidden || a.noLabels:
		return 0
	case a.kind == "category":
		room = nameColumn(a.categories)
	default:
		room = a.labelsWidth() + 18
	}
	if a.name != "" {
		room += 24
	}
	return room
}

// below is the room that labels and name of an x axis need.
func (a *axis) below() float64 {
	room := float64(lineHeight)
	if a.turned {
		room = math.Min(widestText(a.categories), 110) + 4
	}
	switch {
	case a.above || a.hidden:
		return 8
	case a.name == "":
		return room + 14
	}
	return room + 36
}

// equalSize gives a placed figure the largest panel of equal axes, and returns its size. The figure may
// be wider than the panel needs, so that title, subtitle and legend fit.
func (f *figure) equalSize(width, height int) (w, h int) {
	p := f.panels[0]
	across := math.Min(float64(width)-p.left-p.right, (float64(height)-p.top-p.bottom)/f.equal)
	across = math.Max(across, 40)
	texts := math.Max(textWidth(f.title, boldWider*15), textWidth(f.subtitle, 12))
	if f.legendBeside == 0 {
		row, _ := legendWidth(f.legend, f.keyWidth)
		texts = math.Max(texts, row)
	}
	room := math.Max(across+p.left+p.right, math.Min(texts+16, float64(width)))
	f.panels[0].right = room - p.left - across
	f.equalMost, f.equalRight = across, p.right
	return int(math.Round(room)), int(math.Round(across*f.equal + p.top + p.bottom))
}

// withoutLegend is the chart without its legend, less high by the room of the legend.
func (c Chart) withoutLegend() Chart {
	g := *c.figure
	_, with := g.head()
	g.legend, g.legendBeside = nil, 0
	_, without := g.head()
	c.figure, c.Height = &g, c.Height-int(with-without)
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
