package nbhelpers

import (
	"fmt"
	"math"
	"strings"
)

// figure is what a chart shows. The option of ECharts (echarts.go) and the still
// picture (svg.go) are both made from it. Sizes are CSS pixels.
type figure struct {
	title, subtitle string
	legend          []string // names of marks, in the order shown; nil means no legend
	legendBeside    float64  // room for the names if the legend is a column at the right; 0 means a row
	keyWidth        float64  // of the symbols in the legend
	panels          []panel  // at least one, from top to bottom
	high            float64  // of all panels, for a chart that is as high as they need
	marks           []mark
	scale           *colorScale
	tip             tip
	equal           float64 // height over width of the first panel that gives both axes one scale; 0: they may differ

	// Of a figure that is laid out; see placed.
	legendTop             float64
	equalMost, equalRight float64 // with equal axes: the largest width of the panel, and the room at its right
}

// panel is a rectangle with two axes.
type panel struct {
	x, y          axis
	before, after float64 // room for texts of marks at its left and right
	gap           float64 // above it, below another panel
	share         float64 // of the height, beside other panels

	// Its distances from the edges of the chart, if the figure is laid out.
	left, top, right, bottom float64
}

// axis is an axis of a panel.
type axis struct {
	kind       string // value, log or category, as ECharts calls them
	name       string
	gap        float64 // between the axis and its name; see placed
	lo, hi     float64
	step       float64 // between the ticks of a value axis
	ticks      []float64
	labels     []string // of the ticks
	categories []string // of a category axis; category i is at i
	room       float64  // width to which the labels of categories are cut, see placed; 0 means uncut
	turned     bool     // labels run upwards
	every      int      // one in so many categories has a label; 0 means all, or with sparse as many as fit
	sparse     bool     // labels of categories that would overlap may be left out
	inverse    bool
	above      bool // x axis at the top
	hidden     bool
	noLine     bool
	noLabels   bool
	noSplit    bool // no lines across the panel
	split      bool // lines across the panel between categories
}

// tip is the tooltip of a figure. Its lines are those of the marks at the pointer; see base.tip.
type tip struct {
	trigger string         // item or axis; empty means no tooltip
	head    string         // the first line, with the fields of the first mark; empty means none
	texts   map[string]any // texts and lists of texts that fields name
	code    js             // in place of lines: a function that returns an element
	shadow  bool           // marks the category at the pointer
	linked  bool           // marks the place in all panels
}

// colorScale is the key of a continuous scale of colours.
type colorScale struct {
	lo, hi      float64
	colors      []string
	low, high   string  // texts at its ends
	series      int     // number of the mark that it colours
	top, height float64 // if the figure is laid out
}

// What all charts have in common.
const (
	headTop    = 2  // of the title
	legendTop  = 48 // of a legend below title and subtitle
	legendHigh = 36 // of the legend and the room below it
	plotRight  = 22 // room beside a panel without anything at its right
	scaleWidth = 14 // of a colour scale
	symbolSide = 12 // legend symbols
	lineHeight = 14 // ECharts' own guess fails where no Chinese font is installed
)

// chart finishes a figure. If height is 0, the chart is as high as its panels need.
func (f *figure) chart(alt string, height int) Chart {
	if height == 0 {
		_, top := f.head()
		height = int(math.Ceil(top + f.high + f.panels[len(f.panels)-1].x.below()))
	}
	return Chart{Alt: alt, Width: defaultWidth, Height: height, figure: f}
}

// rows makes a figure of rows over an x axis, the first name at the top. A row is so many pixels high,
// and after is the room for texts at the ends of the rows.
func (f *figure) rows(names []string, x axis, high, after float64) {
	f.panels = []panel{{x: x, y: nameAxis(names), after: after}}
	f.high = high * float64(max(len(names), 2))
}

// add appends marks.
func (f *figure) add(m ...mark) { f.marks = append(f.marks, m...) }

// valueAxis is a linear axis.
func valueAxis(name string, lo, hi, step float64) axis {
	a := axis{kind: "value", name: name, lo: lo, hi: hi, step: step}
	a.at(ticks(lo, hi, step))
	return a
}

// at puts the ticks of a value axis at the given places.
func (a *axis) at(places []float64) {
	step := a.step
	if len(places) > 1 {
		step = places[1] - places[0]
	}
	a.ticks, a.labels = places, make([]string, len(places))
	for i, v := range places {
		a.labels[i] = tickText(v, step)
	}
}

// labelsWidth is the width of the widest label of a value or log axis.
func (a *axis) labelsWidth() float64 {
	w := 0.0
	for _, s := range a.labels {
		w = math.Max(w, textWidth(s, 12))
	}
	return w
}

// nameAxis is a category axis of names, the first at the top.
func nameAxis(names []string) axis { return axis{kind: "category", categories: names, inverse: true} }

// nameColumn is the room that class names need at the left of a chart, at most
// 170 pixels.
func nameColumn(names []string) float64 {
	return math.Min(math.Max(widestText(names), 30)+12, 170)
}

// widestText is the width of the widest of the names, with a small margin.
func widestText(names []string) float64 {
	_, widest := legendWidth(names, 0)
	return widest
}

// legendWidth estimates the width of a legend's row, and of its widest entry.
func legendWidth(names []string, keyWidth float64) (row, widest float64) {
	for _, n := range names {
		w := keyWidth + 5 + textWidth(n, 12)
		row += w + 10
		widest = math.Max(widest, w)
	}
	return row, widest
}

// span is the range of finite values seen, cut at ±farthest.
type span struct{ lo, hi float64 }

// farthest is how far an axis goes at most, so that its length does not overflow.
const farthest = 1e300

func newSpan() *span { return &span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(values ...float64) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			v = min(max(v, -farthest), farthest)
			s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
		}
	}
}

// linear is an axis over the span, widened to multiples of a step of which it holds
// about n.
func (s span) linear(name string, n int) axis {
	if s.lo > s.hi {
		s.lo, s.hi = 0, 1
	}
	lo, hi, step := niceRange(s.lo, s.hi, n)
	return valueAxis(name, lo, hi, step)
}

// fromZero is a linear axis of amounts. It begins at 0, or if some are negative, where these end: at a fifth of a step.
func (s span) fromZero(name string, n int) axis {
	if s.add(0); s.lo == s.hi {
		s.hi = 1
	}
	_, hi, step := niceRange(s.lo, s.hi, n)
	return valueAxis(name, step/5*math.Floor(5*s.lo/step+1e-9), hi, step)
}

// powers is a log axis over the span, widened to powers of ten.
func (s span) powers(name string) axis {
	if s.lo > s.hi {
		s.lo, s.hi = 1, 10
	}
	lo, hi := math.Floor(math.Log10(s.lo)), math.Ceil(math.Log10(s.hi))
	return logAxis(name, lo, math.Max(hi, lo+1), []float64{1}, 7)
}

// decades is a log axis over the span, or 4 % more on each side if not given,
// with ticks at powers of ten, and where the span is short also at multiples of them.
func (s span) decades(name string, given bool) axis {
	if s.lo > s.hi {
		s.lo, s.hi = 1, 10
	}
	lo, hi := math.Log10(s.lo), math.Log10(s.hi)
	if !given {
		room := math.Max(.04*(hi-lo), .02)
		lo, hi = math.Max(lo-room, -307), math.Min(hi+room, 308) // that float64 holds
	}
	factors := []float64{1}
	if hi-lo < 2.5 {
		factors = []float64{1, 2, 5}
	}
	if hi-lo < .5 {
		factors = []float64{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}
	}
	return logAxis(name, lo, hi, factors, 8)
}

// logAxis is a log axis from 10^lo to 10^hi, with ticks at the given multiples of at
// most about n powers of ten.
func logAxis(name string, lo, hi float64, factors []float64, n float64) axis {
	a := axis{kind: "log", name: name, lo: math.Pow(10, lo), hi: math.Pow(10, hi)}
	every := math.Max(1, math.Ceil((hi-lo)/n))
	full := 4.0 // the largest power that is written in full, also with others that are not
	if lo < -4.5 || hi > 4.5 {
		full = 3
	}
	for k := math.Floor(lo); k <= math.Ceil(hi); k++ {
		for _, f := range factors {
			if e := k + math.Log10(f); e >= lo-1e-9 && e <= hi+1e-9 && math.Mod(k, every) == 0 {
				a.ticks = append(a.ticks, f*math.Pow(10, k))
				a.labels = append(a.labels, powerText(f, int(k), math.Abs(k) <= full))
			}
		}
	}
	return a
}

// powerText writes f·10^k, in full as 0.002 or 50, or as 10⁻⁶ or 2·10⁵.
func powerText(f float64, k int, full bool) string {
	if full {
		v := f * math.Pow(10, float64(k))
		step := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
		if f != math.Round(f) {
			step /= 10
		}
		return tickText(v, step)
	}
	power := "10" + strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(fmt.Sprint(k))
	if f == 1 {
		return power
	}
	return fmt.Sprint(f) + "·" + power
}

// onAxis is v, or NaN where the axis has no place for it.
func onAxis(v float64, log bool) float64 {
	if math.IsInf(v, 0) || log && v <= 0 {
		return math.NaN()
	}
	return v
}

// curve is an axis over the span or the given range, with about n ticks. A log axis and
// an x axis end where the data end; with dots they are 3 % longer on each side.
func (s span) curve(name string, log bool, limits [2]float64, dots bool, n int) axis {
	given := limits != [2]float64{}
	if given {
		if !(limits[0] < limits[1]) || log && limits[0] <= 0 {
			panic(fmt.Sprintf("nbhelpers: the range %v of axis %q is empty, or not positive on a log axis", limits, name))
		}
		s = span{limits[0], limits[1]}
	}
	if log {
		return s.decades(name, given)
	}
	if s.lo > s.hi {
		s.lo, s.hi = 0, 1
	}
	if s.lo == s.hi {
		s.lo, s.hi = s.lo-.5*math.Max(1, math.Abs(s.lo)*1e-3), s.hi+.5*math.Max(1, math.Abs(s.hi)*1e-3)
	}
	lo, hi, step := niceRange(s.lo, s.hi, n)
	if room := s.hi - s.lo; given || n > 5 {
		if dots && !given {
			s.lo, s.hi = s.lo-.03*room, s.hi+.03*room
		}
		lo, hi = s.lo, s.hi
	}
	return valueAxis(name, lo, hi, step)
}
