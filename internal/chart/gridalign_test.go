package chart

import (
	"regexp"
	"strings"
	"testing"
)

// TestGridAligned checks that the panels of two charts side by side, one with a subtitle of two
// lines, are at the same height.
func TestGridAligned(t *testing.T) {
	chart := func(subtitle string) Chart {
		f := &Figure{Title: "chart", Subtitle: subtitle,
			Panels: []Panel{{X: ValueAxis("x", 0, 1, 1), Y: ValueAxis("y", 0, 1, 1)}}}
		f.Equal = 1
		return f.Chart("A chart.", 480)
	}
	long, short := chart(strings.Repeat("a line of many words ", 7)), chart("a short line")
	if !long.within(560).(Chart).wraps() || short.within(560).(Chart).wraps() {
		t.Fatal("the subtitles have the same number of lines")
	}
	of := func(expression string, blocks ...Block) [][]string {
		p := Grid(2, blocks...).block(digest)
		return regexp.MustCompile(expression).FindAllStringSubmatch(p.html+p.code, -1)
	}
	heights, tops := `data-height="(\d+)"`, `"grid":\[\{[^}]*"top":([\d.]+)\}`
	if found := of(heights, long, Grid(1), short); len(found) != 2 || found[0][1] == found[1][1] {
		t.Errorf("below each other: heights %v", found)
	}
	for _, what := range []string{heights, tops} {
		if found := of(what, long, short); len(found) != 2 || found[0][1] != found[1][1] {
			t.Errorf("side by side: %v", found)
		}
	}
}

// TestLegendRows checks that a legend has as many rows as its names need, and as its neighbour in a
// grid.
func TestLegendRows(t *testing.T) {
	chart := func(names ...string) Chart {
		f := &Figure{Title: "chart", Legend: names, KeyWidth: 20,
			Panels: []Panel{{X: ValueAxis("x", 0, 1, 1), Y: ValueAxis("y", 0, 1, 1)}}}
		return f.Chart("A chart.", 480)
	}
	long := chart("a long name", "another long name", "a third long name", "the last long name")
	short := chart("a", "b")
	top := func(c Chart) float64 {
		f, _, _ := c.laid()
		return f.Panels[0].Top
	}
	if top(long) != top(short) {
		t.Error("on a wide page one of the two legends has several rows")
	}
	row := []Block{long.within(300), short.within(300)}
	if a, b := top(row[0].(Chart)), top(row[1].(Chart)); a <= b {
		t.Errorf("the panels begin at %v and %v, want more rows of the legend", a, b)
	}
	align(row)
	if a, b := top(row[0].(Chart)), top(row[1].(Chart)); a != b {
		t.Errorf("side by side the panels begin at %v and %v", a, b)
	}
}

// TestWithoutLegend checks that a chart without its legend is smaller, and that the chart of the
// caller is unchanged.
func TestWithoutLegend(t *testing.T) {
	f := &Figure{Title: "chart", Legend: []string{"a"},
		Panels: []Panel{{X: ValueAxis("x", 0, 1, 1), Y: ValueAxis("y", 0, 1, 1)}}}
	c := f.Chart("A chart.", 480)
	short := c.withoutLegend()
	without, _, _ := short.laid()
	with, _, _ := c.laid()
	if short.Height >= c.Height || without.Panels[0].Top >= with.Panels[0].Top || c.figure.Legend == nil {
		t.Error("the space of the legend is not freed, or the chart of the caller changed")
	}
	f.LegendBeside, f.Equal = 90, 1
	without, _, _ = c.withoutLegend().laid()
	if without.LegendBeside != 0 || without.equalRight != plotRight {
		t.Error("the space of a legend at the side is not freed")
	}
}
