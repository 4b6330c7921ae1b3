package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestFramesHTML(t *testing.T) {
	frames := some(5, "θ")
	f := Frames(frames, FramesOptions{Title: "Borders", Name: "shift", Start: 3})
	page := drawn.Unfolded(f.HTML())
	must.Contain(t, page, "Borders</b>", "(5 frames)", frames[3].Chart.Alt, `role="group"`,
		"start:3,")
	if f.HTML() != Frames(some(5, "θ"), FramesOptions{Title: "Borders", Name: "shift", Start: 3}).HTML() {
		t.Error("the same frames made twice differ")
	}
}

// TestFramesShare checks that each frame equals its chart, and that the frames compress to little
// more than one.
func TestFramesShare(t *testing.T) {
	frames := some(6, "")
	html := Frames(frames, FramesOptions{}).HTML()
	page := drawn.Unfolded(html)
	for i, f := range frames {
		if !strings.Contains(page, string(script(f.Chart.option(), false))) {
			t.Errorf("frame %d differs from its chart", i)
		}
	}
	if one := len(frames[0].Chart.HTML()); len(html) > 4*one {
		t.Errorf("six frames have %d bytes, one has %d", len(html), one)
	}
}

func TestFramesNamesAreText(t *testing.T) {
	frames := some(3, drawn.Hostile[0])
	frames[1].Label, frames[2].Label = drawn.Hostile[1], drawn.Hostile[2]
	page := drawn.Unfolded(Frames(frames,
		FramesOptions{Title: drawn.Hostile[0], Name: drawn.Hostile[1]}).HTML())
	for _, bad := range []string{"<script>alert", "<img src=x", ":alert(3)", ",alert(3)"} {
		if strings.Contains(page, bad) {
			t.Errorf("HTML contains %s", bad)
		}
	}
	must.Equal(t, strings.Count(page, "</script>"), 1)
	var b bytes.Buffer
	must.OK(t, WritePage(&b, "x", Frames(frames, FramesOptions{}), frames[0].Chart))
	must.Contain(t, drawn.Unfolded(b.String()), "w.mpcvmLib = ", `id="mpcvm-chart-1"`, `id="mpcvm-chart-2"`,
		`show.frames("mpcvm-chart-1"`)
}

func TestFramesPanics(t *testing.T) {
	for _, start := range []int{-1, 2, 3} {
		must.PanicWith(t, "start", "nbhelpers: ", func() { Frames(some(2, ""), FramesOptions{Start: start}) })
	}
}

// some makes n frames of points in front of a picture that moves.
func some(n int, name string) []Frame {
	var frames []Frame
	for i := range n {
		var ground bytes.Buffer
		if err := png.Encode(&ground, image.NewGray(image.Rect(0, 0, i+1, 2))); err != nil {
			panic(err)
		}
		f := &Figure{Title: "points", Legend: []string{"point"},
			Panels: []Panel{{X: ValueAxis("x", 0, 9, 1), Y: ValueAxis("y", 0, 9, 1)}}}
		points := &Dots{Base: Base{Name: "point"}, Color: ClassColor(0), Marker: ClassShape(0), Size: 9}
		for k := range 100 {
			points.Rows = append(points.Rows, Row{float64(k%10) + .01*float64(k), float64(k*k%97) / 10})
		}
		f.Add(&Picture{Base: Base{Silent: true}, PNG: ground.Bytes(), Width: i + 1, Height: 2,
			X1: float64(i + 1), Y1: 9}, points)
		frames = append(frames,
			Frame{Label: fmt.Sprint(name, i), Chart: f.Chart(fmt.Sprintf("Points and %d.", i), 400)})
	}
	return frames
}

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
