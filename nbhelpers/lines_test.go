package nbhelpers

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// panics checks that a call panics with a message of the package.
func panics(t *testing.T, name string, call func()) {
	t.Helper()
	must.PanicWith(t, name, "nbhelpers: ", call)
}

func TestLinesOfOddSeries(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, series := range [][]Series{
		nil,
		{{}},
		{{X: []float64{1}, Y: []float64{2}}},
		{{X: []float64{nan, 1, inf}, Y: []float64{1, nan, 2}, Dots: true}},
		{{X: []float64{1, 2, 3}, Y: []float64{5, 5, 5}, NoLine: true},
			{Name: "a", X: []float64{-1, 0, 4}, Y: []float64{-inf, 0, -3}, Dashed: true}},
		{{X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}, Low: []float64{nan, 1, -inf},
			High: []float64{2, 3, 4}, NoLine: true}},
		{{X: []float64{1e-300, 1e300}, Y: []float64{1e-12, 1e12}}},
	} {
		for _, opt := range []LinesOptions{{}, {LogX: true}, {LogY: true}, {LogX: true, LogY: true},
			{XRange: [2]float64{.5, 2}, Marks: []Mark{{nan, "a"}, {1, "b"}}}} {
			c := Lines(series, opt)
			drawn.Finite(t, c)
		}
	}
}

func TestLinesPanics(t *testing.T) {
	one, two := []float64{1}, []float64{1, 2}
	panics(t, "y", func() { Lines([]Series{{X: one, Y: two}}, LinesOptions{}) })
	panics(t, "low", func() { Lines([]Series{{X: one, Y: one, Low: two, High: two}}, LinesOptions{}) })
	panics(t, "high", func() { Lines([]Series{{X: one, Y: one, Low: one}}, LinesOptions{}) })
	panics(t, "range", func() { Lines(nil, LinesOptions{YRange: [2]float64{2, 1}}) })
	panics(t, "log range", func() { Lines(nil, LinesOptions{LogX: true, XRange: [2]float64{0, 1}}) })
	panics(t, "stems", func() { Lines([]Series{{X: one, Y: one, stem: true}}, LinesOptions{LogY: true}) })
	panics(t, "grid", func() { Grid(0) })
}

// TestLinesBand checks that a gap splits the band and that the axis includes the band.
func TestLinesBand(t *testing.T) {
	nan := math.NaN()
	c := Lines([]Series{{Name: "a", X: []float64{1, 2, 3, 4, 5}, Y: []float64{1, 1, nan, 1, 1},
		Low: []float64{-7, 0, nan, 0, 0}, High: []float64{2, 2, nan, 2, 9}}}, LinesOptions{})
	band, line := -1, -1 // their z values
	pieces := 0
	for _, m := range chart.FigureOf(c).Marks {
		switch m := m.(type) {
		case *chart.Sketch:
			band, pieces = m.Z, pieces+len(m.Strokes)
		case *chart.Line:
			line = m.Z
		}
	}
	if pieces != 2 || band >= line {
		t.Errorf("%d pieces of the band, want 2; it has z %d, and the line has %d", pieces, band, line)
	}
	if y := chart.FigureOf(c).Panels[0].Y; y.Lo > -7 || y.Hi < 9 {
		t.Errorf("axis is %v to %v", y.Lo, y.Hi)
	}
	bars := Lines([]Series{{X: []float64{1, 2}, Y: []float64{1, 1}, Low: []float64{0, 0},
		High: []float64{2, 2}, NoLine: true}}, LinesOptions{})
	must.Equal(t, strings.Count(drawn.Unfolded(bars.HTML()), `"lineWidth":1.5`), 2)
}

// TestStems checks that each point has a line from zero and that the axis includes zero.
func TestStems(t *testing.T) {
	series := []Series{{Name: "w", X: []float64{1, 2, 3, math.NaN()}, Y: []float64{5, 7, math.Inf(1), 1},
		stem: true}}
	c := Lines(series, LinesOptions{})
	if series[0].NoLine {
		t.Error("the series of the caller was changed")
	}
	var stems [][]chart.Point
	for _, m := range chart.FigureOf(c).Marks {
		if s, ok := m.(*chart.Sketch); ok && s.Name == "w" {
			for _, part := range s.Strokes {
				stems = append(stems, part.At)
			}
		}
	}
	if want := [][]chart.Point{{{1, 0}, {1, 5}}, {{2, 0}, {2, 7}}}; !reflect.DeepEqual(stems, want) {
		t.Errorf("stems %v, want %v", stems, want)
	}
	if y := chart.FigureOf(c).Panels[0].Y; y.Lo > 0 {
		t.Errorf("the axis begins at %v", y.Lo)
	}
	if _, ok := chart.FigureOf(c).Named("w").(*chart.Dots); !ok {
		t.Error("no dots at the ends of the stems")
	}
}

func TestLinesColors(t *testing.T) {
	xy := []float64{1, 2}
	c := Lines([]Series{{X: xy, Y: xy}, {X: xy, Y: xy, Color: "#123456"}, {X: xy, Y: xy, NoLine: true}},
		LinesOptions{})
	var got []string
	for _, m := range chart.FigureOf(c).Marks {
		switch m := m.(type) {
		case *chart.Line:
			got = append(got, m.Color)
		case *chart.Dots:
			got = append(got, m.Color)
		}
	}
	if want := []string{ClassColor(0), "#123456", ClassColor(1)}; !slices.Equal(got, want) {
		t.Errorf("colours %v, want %v", got, want)
	}
}

func TestGrid(t *testing.T) {
	c := lines("a")
	wide := c
	wide.Width = 100
	g := Grid(2, c, Table([]string{"<b>"}, nil), Grid(1, wide))
	html := g.HTML()
	if g.HTML() != html {
		t.Error("the same grid made twice differs")
	}
	must.Contain(t, html, "max-width:1136px", "max-width:560px;background",
		"max-width:100px;background", "&lt;b&gt;", regexp.MustCompile(`id="[^"]*"`).FindString(c.HTML()))
	if html := Grid(2, Grid(1, c), Grid(2, c)).HTML(); strings.Count(html,
		"max-width:560px;background") != 1 || strings.Count(html, "max-width:272px;background") != 1 {
		t.Error("charts in a nested grid are not resized")
	}
	if c.Width != chart.DefaultWidth {
		t.Error("the chart of the caller was changed")
	}
	var page strings.Builder
	must.OK(t, WritePage(&page, "grid", c, g))
	for i := 1; i <= 3; i++ {
		if n := strings.Count(page.String(), fmt.Sprintf(`id="mpcvm-chart-%d"`, i)); n != 1 {
			t.Errorf("chart %d is included %d times", i, n)
		}
	}
	must.Equal(t, strings.Count(page.String(), "w.mpcvmLib = "), 1)
}

// TestGridLegend checks that charts with the same legend share one, and that others keep their own.
func TestGridLegend(t *testing.T) {
	m, set := fixture(60, 3, 2)
	regions := Regions(m, set, RegionsOptions{})
	bare := Regions(struct{ Classifier }{m}, set, RegionsOptions{}) // without relevance vectors
	other := Lines([]Series{{Name: "class A", X: []float64{1}, Y: []float64{1}},
		{Name: "class B", X: []float64{1}, Y: []float64{1}}}, LinesOptions{})
	for name, c := range map[string]struct {
		g       GridBlock
		entries int // in the shared legend
	}{
		"same": {Grid(2, regions, regions), 4}, "fewer in one": {Grid(2, bare, regions, Text("x")), 4},
		"one chart":     {Grid(2, regions, Text("x")), 0},
		"other symbols": {Grid(2, regions, other), 0}, "others": {Grid(2, regions, lines("a")), 0},
	} {
		html := c.g.HTML()
		if n := strings.Count(html, "inline-flex"); n != c.entries {
			t.Errorf("%s: %d entries, want %d", name, n, c.entries)
		}
		if own := strings.Contains(drawn.Unfolded(html), `"legend":`); own != (c.entries == 0) {
			t.Errorf("%s: own legends are %v", name, own)
		}
	}
}

// Coordinates can be as far apart as finite numbers can be.
func TestLinesFar(t *testing.T) {
	for _, far := range []float64{1e308, math.MaxFloat64} {
		c := Lines([]Series{{X: []float64{-far, 0, far}, Y: []float64{far, 1, -far}}}, LinesOptions{})
		drawn.Finite(t, c)
		if err := WritePage(io.Discard, "far", c); err != nil {
			t.Error(err)
		}
	}
}

// A series named after a system has its colour.
func TestLinesOfSystems(t *testing.T) {
	c := Lines([]Series{{Name: "mRVM₁", X: []float64{1, 2}, Y: []float64{1, 2}, Dots: true},
		{Name: "curve", X: []float64{1, 2}, Y: []float64{1, 2}}}, LinesOptions{})
	if a, b := chart.FigureOf(c).Named("mRVM₁").(*chart.Line),
		chart.FigureOf(c).Named("curve").(*chart.Line); a.Color != chart.SystemColor("mRVM₁") ||
		b.Color != ClassColor(0) {
		t.Errorf("lines are %s and %s", a.Color, b.Color)
	}
}
