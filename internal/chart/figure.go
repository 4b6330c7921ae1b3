package chart

import (
	"fmt"
	"math"
	"strings"
)

// Figure is the content of a chart, from which the option of ECharts is made (echarts.go). Sizes are
// CSS pixels.
type Figure struct {
	Title, Subtitle string
	Legend          []string // names of marks, in order; nil for no legend
	LegendBeside    float64  // width of the names if the legend is a column at the right; 0 for a row
	KeyWidth        float64  // width of the symbols in the legend
	Panels          []Panel  // at least one, from top to bottom
	High            float64  // height of all panels, for a chart whose height follows from them
	Marks           []Mark
	Scale           *ColorScale
	Tip             Tip
	// height/width of the first panel that gives both axes the same scale; 0 if the scales may
	// differ
	Equal float64

	// Set by the layout; see placed.
	LegendTop float64
	leastRows int // smallest number of rows of the legend, to match its neighbour in a Grid
	// for a legend of several rows: the width for which it has them, and the height of all but the
	// first
	legendWidth, legendSpare float64
	// with equal axes: the largest width of the panel, and the space at its right
	equalMost, equalRight float64
}

// Panel is a rectangle with two axes.
type Panel struct {
	X, Y          Axis
	Before, After float64 // space for texts of marks at the left and right
	Gap           float64 // space below the panel above
	Share         float64 // share of the height, if there are several panels

	// Distances from the edges of the chart, set by the layout.
	Left, Top, Right, Bottom float64
}

// Axis is an axis of a panel.
type Axis struct {
	Kind       string // value, log or category, as in ECharts
	Name       string
	gap        float64 // distance between the axis and its name; see placed
	Lo, Hi     float64
	Step       float64 // distance between the ticks of a value axis
	Ticks      []float64
	Labels     []string // labels of the ticks
	Categories []string // names on a category axis; category i is at i
	Room       float64  // width to which the labels of categories are truncated, see placed; 0 for no limit
	Turned     bool     // labels are rotated upwards
	Every      int      // every n-th category has a label; 0 for all, or as many as fit with Sparse
	Sparse     bool     // overlapping labels of categories may be omitted
	Inverse    bool
	Above      bool // x axis at the top
	Hidden     bool
	NoLine     bool
	NoLabels   bool
	NoSplit    bool // no lines across the panel
	Split      bool // lines across the panel between categories
}

// Tip is the tooltip of a figure. It shows the lines of the marks at the pointer; see Base.Tip.
type Tip struct {
	Trigger string         // item or axis; empty for no tooltip
	Head    string         // the first line, with the fields of the first mark; may be empty
	Texts   map[string]any // texts and lists of texts for the fields
	Code    JS             // instead of lines: a function that returns an element
	Shadow  bool           // highlights the category at the pointer
	Linked  bool           // marks the position in all panels
}

// ColorScale is the key of a continuous scale of colours.
type ColorScale struct {
	Lo, Hi      float64
	Colors      []string
	Low, High   string  // labels at its ends
	Series      int     // index of the mark that it colours
	top, height float64 // set by the layout
}

// Sizes and positions common to all charts.
const (
	headTop    = 2  // top of the title
	LegendTop  = 48 // top of a legend below title and subtitle
	LegendHigh = 36 // height of the legend with the space below it
	plotRight  = 22 // default margin at the right of a panel
	scaleWidth = 14 // width of a colour scale
	SymbolSide = 12 // size of legend symbols
	LineHeight = 14 // ECharts' own guess fails where no Chinese font is installed
)

// Chart finishes a figure. If height is 0, it follows from the panels. A legend with several rows
// adds to the height.
func (f *Figure) Chart(alt string, height int) Chart {
	if height == 0 {
		_, top := f.head(DefaultWidth)
		height = int(math.Ceil(top + f.High + f.Panels[len(f.Panels)-1].X.below()))
	} else {
		height += legendRow * (f.legendRows(DefaultWidth) - 1)
	}
	return Chart{Alt: alt, Width: DefaultWidth, Height: height, figure: f}
}

// Rows makes a figure of rows over an x axis, the first name at the top. high is the height of a
// row, and after is the space for texts at the ends of the rows.
func (f *Figure) Rows(names []string, x Axis, high, after float64) {
	f.Panels = []Panel{{X: x, Y: NameAxis(names), After: after}}
	f.High = high * float64(max(len(names), 2))
}

// Add appends marks.
func (f *Figure) Add(m ...Mark) { f.Marks = append(f.Marks, m...) }

// ValueAxis returns a linear axis.
func ValueAxis(name string, lo, hi, step float64) Axis {
	a := Axis{Kind: "value", Name: name, Lo: lo, Hi: hi, Step: step}
	a.At(ticks(lo, hi, step))
	return a
}

// Inner returns the axis of a panel above another one with the same axis: without name and labels.
func (a Axis) Inner() Axis {
	a.Name, a.NoLabels = "", true
	return a
}

// At puts the ticks of a value axis at the given values.
func (a *Axis) At(places []float64) {
	step := a.Step
	if len(places) > 1 {
		step = places[1] - places[0]
	}
	a.Ticks, a.Labels = places, make([]string, len(places))
	for i, v := range places {
		a.Labels[i] = tickText(v, step)
	}
}

// labelsWidth returns the width of the widest label of a value or log axis.
func (a *Axis) labelsWidth() float64 {
	w := 0.0
	for _, s := range a.Labels {
		w = math.Max(w, TextWidth(s, 12))
	}
	return w
}

// NameAxis returns a category axis of names, the first at the top.
func NameAxis(names []string) Axis { return Axis{Kind: "category", Categories: names, Inverse: true} }

// NameColumn returns the width that class names need at the left of a chart, at most 170 pixels.
func NameColumn(names []string) float64 {
	return math.Min(math.Max(WidestText(names), 30)+12, 170)
}

// WidestText returns the width of the widest name, with a small margin.
func WidestText(names []string) float64 {
	_, widest := LegendWidth(names, 0)
	return widest
}

// LegendWidth estimates the width of a legend's row, and of its widest entry.
func LegendWidth(names []string, keyWidth float64) (row, widest float64) {
	for _, n := range names {
		w := keyWidth + 5 + TextWidth(n, 12)
		row += w + 10
		widest = math.Max(widest, w)
	}
	return row, widest
}

// Span is the range of the finite values added, limited to ±farthest.
type Span struct{ Lo, Hi float64 }

// farthest limits the ends of an axis, so that its length does not overflow.
const farthest = 1e300

// NewSpan returns an empty span.
func NewSpan() *Span { return &Span{math.Inf(1), math.Inf(-1)} }

// Add widens the span to include finite values.
func (s *Span) Add(values ...float64) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			v = min(max(v, -farthest), farthest)
			s.Lo, s.Hi = math.Min(s.Lo, v), math.Max(s.Hi, v)
		}
	}
}

// Linear returns an axis over the span, widened to multiples of the step, with about n steps.
func (s Span) Linear(name string, n int) Axis {
	if s.Lo > s.Hi {
		s.Lo, s.Hi = 0, 1
	}
	lo, hi, step := NiceRange(s.Lo, s.Hi, n)
	return ValueAxis(name, lo, hi, step)
}

// FromZero returns a linear axis of amounts. It begins at 0 or, if some amounts are negative, at the
// smallest one, to a fifth of a step.
func (s Span) FromZero(name string, n int) Axis {
	if s.Add(0); s.Lo == s.Hi {
		s.Hi = 1
	}
	_, hi, step := NiceRange(s.Lo, s.Hi, n)
	return ValueAxis(name, step/5*math.Floor(5*s.Lo/step+1e-9), hi, step)
}

// Powers returns a log axis over the span, widened to powers of ten.
func (s Span) Powers(name string) Axis {
	if s.Lo > s.Hi {
		s.Lo, s.Hi = 1, 10
	}
	lo, hi := math.Floor(math.Log10(s.Lo)), math.Ceil(math.Log10(s.Hi))
	return LogAxis(name, lo, math.Max(hi, lo+1), []float64{1}, 7)
}

// Decades returns a log axis over the span, with a margin of 4 % on each side unless given, and ticks
// at powers of ten, on a short span also at multiples of them.
func (s Span) Decades(name string, given bool) Axis {
	if s.Lo > s.Hi {
		s.Lo, s.Hi = 1, 10
	}
	lo, hi := math.Log10(s.Lo), math.Log10(s.Hi)
	if !given {
		room := math.Max(.04*(hi-lo), .02)
		lo, hi = math.Max(lo-room, -307), math.Min(hi+room, 308) // the range of float64
	}
	factors := []float64{1}
	if hi-lo < 2.5 {
		factors = []float64{1, 2, 5}
	}
	if hi-lo < .5 {
		factors = []float64{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}
	}
	return LogAxis(name, lo, hi, factors, 8)
}

// LogAxis returns a log axis from 10^lo to 10^hi, with ticks at the given multiples of at most about
// n powers of ten.
func LogAxis(name string, lo, hi float64, factors []float64, n float64) Axis {
	a := Axis{Kind: "log", Name: name, Lo: math.Pow(10, lo), Hi: math.Pow(10, hi)}
	every := math.Max(1, math.Ceil((hi-lo)/n))
	full := 4.0 // the largest power that is always written in full
	if lo < -4.5 || hi > 4.5 {
		full = 3
	}
	for k := math.Floor(lo); k <= math.Ceil(hi); k++ {
		for _, f := range factors {
			if e := k + math.Log10(f); e >= lo-1e-9 && e <= hi+1e-9 && math.Mod(k, every) == 0 {
				a.Ticks = append(a.Ticks, f*math.Pow(10, k))
				a.Labels = append(a.Labels, powerText(f, int(k), math.Abs(k) <= full))
			}
		}
	}
	return a
}

// powerText formats f·10^k, in full as 0.002 or 50, or as 10⁻⁶ or 2·10⁵.
func powerText(f float64, k int, full bool) string {
	if full {
		v := f * math.Pow(10, float64(k))
		step := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
		if f != math.Round(f) {
			step /= 10
		}
		return tickText(v, step)
	}
	power := "10" + strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵",
		"6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(fmt.Sprint(k))
	if f == 1 {
		return power
	}
	return fmt.Sprint(f) + "·" + power
}

// OnAxis returns v, or NaN if v cannot be shown on the axis.
func OnAxis(v float64, log bool) float64 {
	if math.IsInf(v, 0) || log && v <= 0 {
		return math.NaN()
	}
	return v
}

// Curve returns an axis over the span or the given range, with about n ticks. A log axis and an x
// axis end at the data; with dots there is a margin of 3 % on each side.
func (s Span) Curve(name string, log bool, limits [2]float64, dots bool, n int) Axis {
	given := limits != [2]float64{}
	if given {
		if !(limits[0] < limits[1]) || log && limits[0] <= 0 {
			panic(fmt.Sprintf("nbhelpers: the range %v of axis %q is empty, or not positive on a log axis",
				limits, name))
		}
		s = Span{limits[0], limits[1]}
	}
	if log {
		return s.Decades(name, given)
	}
	if s.Lo > s.Hi {
		s.Lo, s.Hi = 0, 1
	}
	if s.Lo == s.Hi {
		s.Lo, s.Hi = s.Lo-.5*math.Max(1, math.Abs(s.Lo)*1e-3), s.Hi+.5*math.Max(1, math.Abs(s.Hi)*1e-3)
	}
	lo, hi, step := NiceRange(s.Lo, s.Hi, n)
	if room := s.Hi - s.Lo; given || n > 5 {
		if dots && !given {
			s.Lo, s.Hi = s.Lo-.03*room, s.Hi+.03*room
		}
		lo, hi = s.Lo, s.Hi
	}
	return ValueAxis(name, lo, hi, step)
}
