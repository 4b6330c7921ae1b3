package chart

import (
	"math"
	"slices"
	"strings"
)

// laid returns the figure of a chart with its panels placed for the width and height of the chart,
// and the size in CSS pixels. A subtitle that is too long has two lines; with twoLines, two lines
// are always reserved. A figure with equal axes is as large as width and height allow.
func (c Chart) laid() (f *Figure, width, height int) {
	if c.figure == nil {
		return &Figure{}, c.Width, c.Height
	}
	whole := c.figure
	if more := c.added(); len(more) > 0 {
		whole = whole.with(more)
	}
	if c.legendRows > 1 {
		g := *whole
		g.leastRows = c.legendRows
		whole = &g
	}
	rows := (whole.legendRows(float64(c.Width)) - c.figure.legendRows(DefaultWidth)) * legendRow
	place := func(more int) {
		width, height = c.Width, c.Height+rows+more
		f = whole.placed(float64(width), height, float64(more))
		if f.Equal > 0 {
			width, height = f.equalSize(width, height)
		}
	}
	place(0)
	if lines := wrapped2(f.Subtitle, 12, float64(width)-16); lines != f.Subtitle || c.twoLines {
		place(LineHeight)
		f.Subtitle = lines
	}
	return f, width, height
}

// wraps reports whether the subtitle needs two lines.
func (c Chart) wraps() bool {
	f, _, _ := c.laid()
	return strings.Contains(f.Subtitle, "\n")
}

// placed returns a copy of the figure with its panels placed in a chart of the given size. The
// panels are stacked between the head and the name of the last x axis, and between the labels of the
// y axes and the texts at the right. more is extra space below the title.
func (f *Figure) placed(width float64, height int, more float64) *Figure {
	g := *f
	g.Panels = slices.Clone(f.Panels)
	legend, top := f.head(width)
	top += more
	g.legendSpare = legendRow * float64(f.legendRows(width)-1)
	g.legendWidth = width
	if g.LegendTop = legend + more; f.LegendBeside > 0 {
		g.LegendTop = top
	}
	left, right := 0.0, float64(plotRight)
	if f.LegendBeside > 0 {
		right += f.LegendBeside + SymbolSide + 7
	}
	if f.Scale != nil && f.Scale.Colors != nil {
		right = 84
	}
	shares, free := 0.0, float64(height)-top-g.Panels[len(g.Panels)-1].X.below()
	for _, p := range g.Panels {
		left, right = max(left, p.Before, p.Y.sideWidth()), max(right, p.After)
		shares, free = shares+p.Share, free-p.Gap
	}
	for i := range g.Panels {
		p := &g.Panels[i]
		high := free
		if shares > 0 {
			high *= p.Share / shares
		}
		p.Left, p.Right, p.Top, p.Bottom = left, right, top+p.Gap, float64(height)-top-p.Gap-high
		top += p.Gap + high
		p.X.gap = p.X.below() - 20
		p.Y.gap = left - 22
		p.Y.Name = Shortened(p.Y.Name, 12, high+40) // half of it above the panel
		if p.Y.Kind == "category" {
			p.Y.Room = left - 14
			if p.Y.Name != "" {
				p.Y.Room -= 22
			}
		}
	}
	if f.Scale != nil {
		s := *f.Scale
		s.top, s.height = g.Panels[0].Top, min(150, float64(height)-g.Panels[0].Top-114)
		g.Scale = &s
	}
	return &g
}

// legendRow is the height of a further row of a legend.
const legendRow = 24

// legendRows returns the number of rows that the names of a legend need at the given width. If that
// is more than five, the legend has one row, with arrows.
func (f *Figure) legendRows(width float64) int {
	if f.LegendBeside > 0 || len(f.Legend) == 0 {
		return 1
	}
	rows, used := 1, 0.0
	for _, name := range f.Legend {
		entry, _ := LegendWidth([]string{name}, f.KeyWidth)
		if used += entry; used > width-8 && used > entry {
			rows, used = rows+1, entry
		}
	}
	if rows > 5 {
		rows = 1
	}
	return max(rows, f.leastRows)
}

// head returns where the legend begins below the titles of a chart of the given width, and where the
// panels begin below the legend.
func (f *Figure) head(width float64) (legend, panels float64) {
	switch {
	case f.Title == "":
		legend = headTop
	case f.Subtitle == "":
		legend = LegendTop - 18
	default:
		legend = LegendTop
	}
	switch {
	case len(f.Legend) > 0 && f.LegendBeside == 0:
		return legend, legend + LegendHigh + legendRow*float64(f.legendRows(width)-1)
	case f.Title == "":
		return legend, 16
	}
	return legend, legend + 12
}

// sideWidth returns the width that the labels and the name of a y axis need.
func (a *Axis) sideWidth() float64 {
	room := 0.0
	switch {
	case a.Hidden || a.NoLabels:
		return 0
	case a.Kind == "category":
		room = NameColumn(a.Categories)
	default:
		room = a.labelsWidth() + 18
	}
	if a.Name != "" {
		room += 24
	}
	return room
}

// below returns the height that the labels and the name of an x axis need.
func (a *Axis) below() float64 {
	room := float64(LineHeight)
	if a.Turned {
		room = math.Min(WidestText(a.Categories), 110) + 4
	}
	switch {
	case a.Above || a.Hidden:
		return 8
	case a.Name == "":
		return room + 14
	}
	return room + 36
}

// equalSize gives a placed figure the largest panel with equal axes, and returns the size of the
// figure. The figure may be wider than the panel needs, so that title, subtitle and legend fit.
func (f *Figure) equalSize(width, height int) (w, h int) {
	p := f.Panels[0]
	across := math.Min(float64(width)-p.Left-p.Right, (float64(height)-p.Top-p.Bottom)/f.Equal)
	across = math.Max(across, 40)
	texts := math.Max(TextWidth(f.Title, boldWider*15), TextWidth(f.Subtitle, 12))
	if f.LegendBeside == 0 {
		row, _ := LegendWidth(f.Legend, f.KeyWidth)
		texts = math.Max(texts, row)
	}
	room := math.Max(across+p.Left+p.Right, math.Min(texts+16, float64(width)))
	f.Panels[0].Right = room - p.Left - across
	f.equalMost, f.equalRight = across, p.Right
	return int(math.Round(room)), int(math.Round(across*f.Equal + p.Top + p.Bottom))
}

// withoutLegend returns the chart without its legend and the height of the legend.
func (c Chart) withoutLegend() Chart {
	g := *c.figure
	_, with := g.head(DefaultWidth)
	g.Legend, g.LegendBeside = nil, 0
	_, without := g.head(DefaultWidth)
	c.figure, c.Height = &g, c.Height-int(with-without)
	return c
}

// wrapped2 breaks a text that is too wide into two lines, at " · " if both lines then fit, and
// otherwise between words. The second line may be too wide.
func wrapped2(s string, size, width float64) string {
	if TextWidth(s, size) <= width {
		return s
	}
	for _, by := range []string{" · ", " "} {
		parts := strings.Split(s, by)
		for n := len(parts) - 1; n > 0; n-- {
			first, second := strings.Join(parts[:n], by), strings.Join(parts[n:], by)
			if TextWidth(first, size) <= width && (by == " " || TextWidth(second, size) <= width) {
				return first + "\n" + second
			}
		}
	}
	return s
}
