package nbhelpers

import (
	"fmt"
	"math"
	"strings"
)

// Series is a curve of Lines, or a set of points.
type Series struct {
	// Name is shown in the legend; a series without one is not.
	Name string
	// X and Y are the coordinates, in the units that the axes name. A value that is
	// not finite, or not positive on a log axis, is a gap.
	X, Y []float64
	// Low and High are the ends of an error band about Y; with NoLine they are
	// drawn as error bars. Nil means none.
	Low, High []float64
	// Dashed makes the line a dashed one.
	Dashed bool
	// Dots marks the points, NoLine leaves out the line between them.
	Dots, NoLine bool
	// Color is "#rrggbb", and marks are circles; empty means the next colour and
	// shape of those of the classes (ClassColor).
	Color string

	shape int // of the marks, as of that class
}

// Mark is an upright rule of Lines at X, with its name along it.
type Mark struct {
	X    float64
	Name string
}

// LinesOptions are the choices of Lines. The zero value has linear axes over the
// range of the data and no names.
type LinesOptions struct {
	// Title of the chart, and the smaller line below it; empty means none.
	Title, Subtitle string
	// XName and YName are the names of the axes, with their units: "θ (1/cm²)".
	XName, YName string
	// LogX and LogY make an axis logarithmic.
	LogX, LogY bool
	// XRange and YRange are the ends of the axes; what lies beyond is cut. Both
	// zero means from the data.
	XRange, YRange [2]float64
	// Marks are upright rules.
	Marks []Mark
	// Height in CSS pixels; 0 means 380.
	Height int
}

const linesHeight = 380

// Lines draws curves over one pair of axes: functions, learning curves with error
// bands, points with error bars. The pointer shows the values of all curves at its
// place.
//
// It panics if the coordinates of a series differ in number, if a series has only
// one of Low and High, or if a range is empty or, on a log axis, not positive.
func Lines(opt LinesOptions, series ...Series) Chart {
	x, y := newSpan(), newSpan()
	dots := false
	for i := range series {
		s := &series[i]
		if len(s.X) != len(s.Y) || s.Low != nil && len(s.Low) != len(s.Y) || len(s.Low) != len(s.High) {
			panic(fmt.Sprintf("nbhelpers: series %q of %d x, %d y, %d low, %d high", s.Name, len(s.X), len(s.Y), len(s.Low), len(s.High)))
		}
		dots = dots || s.Dots || s.NoLine
		for k, v := range s.X {
			q := point{onAxis(v, opt.LogX), onAxis(s.Y[k], opt.LogY)}
			if math.IsNaN(q.x) || opt.XRange != [2]float64{} && (v < opt.XRange[0] || v > opt.XRange[1]) {
				continue
			}
			if !math.IsNaN(q.y) {
				x.add(q.x)
				y.add(q.y)
			}
			if s.Low != nil {
				y.add(onAxis(s.Low[k], opt.LogY))
				y.add(onAxis(s.High[k], opt.LogY))
			}
		}
	}
	for _, m := range opt.Marks {
		x.add(onAxis(m.X, opt.LogX))
	}
	var legend []string
	var entries []any
	parts, colors := []any{}, 0
	for _, s := range series {
		if s.Color == "" {
			s.Color, s.shape = ClassColor(colors), colors
			colors++
		}
		name := plain(s.Name)
		if name != "" {
			legend = append(legend, name)
			entries = append(entries, node{"name": name, "itemStyle": node{"opacity": map[bool]int{true: 1}[s.Dots || s.NoLine]}})
		}
		parts = append(parts, s.node(name, opt)) // first, as the legend shows the first of a name
		if s.Low != nil {
			band := s.sketch(opt).series(name)
			band["color"], band["clip"], band["z"] = s.Color, true, 1
			parts = append(parts, band)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, (&Series{}).node("", opt))
	}
	title, xName, yName := plain(opt.Title), plain(opt.XName), plain(opt.YName)
	o := headed(title, plain(opt.Subtitle), legend, 25)
	if len(legend) > 0 {
		at(o, "legend").(node)["data"] = entries
	}
	xAxis, _ := x.curveAxis(xName, opt.LogX, opt.XRange, dots, 8)
	yAxis, wide := y.curveAxis(yName, opt.LogY, opt.YRange, false, 5)
	left := wide + 18
	if yName != "" {
		yAxis["nameGap"], left = wide+14, wide+36
	}
	xAxis["nameGap"] = 30
	top := below(legend)
	switch {
	case title == "" && len(legend) == 0:
		top = 16
	case opt.Subtitle == "":
		top -= 16
		if len(legend) > 0 {
			at(o, "legend").(node)["top"] = fmt.Sprint(legendTop - 18)
		}
	}
	height := opt.Height
	if height <= 0 {
		height = linesHeight
	}
	ruled(lastLine(&parts), opt.Marks, float64(height)-top-plotBottom)
	o["grid"] = grid(left, top, 22, plotBottom)
	o["xAxis"], o["yAxis"], o["series"] = xAxis, yAxis, parts
	told := make([]string, len(parts)) // by the tooltip before a value
	for i, s := range parts {
		if name := text("", s, "name"); name != "" {
			told[i] = name + ": "
		}
	}
	o["tooltip"] = tooltip("axis", fmt.Sprintf(`p=[].concat(p).filter(function(s){return s.seriesType!="custom"});if(!p.length)return"";var l=%s,c=%s,x=p[0].value[0];return e(l)+(l?" ":"")+n(x)+p.map(function(s){var v=s.value;return "<br>"+s.marker+e(c[s.seriesIndex])+"<b>"+n(v[1])+"</b>"+(v.length>2?" ["+n(v[2])+", "+n(v[3])+"]":"")+(v[0]==x?"":" at "+n(v[0]))}).join("")`,
		quote(xName), quote(told)), nil)
	alt := "Line chart"
	if title != "" {
		alt += ": " + title
	}
	if names := strings.Join(legend, ", "); names != "" {
		alt += "; " + names
	}
	if yName != "" || xName != "" {
		alt += fmt.Sprintf("; %s over %s", yName, xName)
	}
	return newChart(o, alt+".", height)
}

// onAxis is v, or NaN where the axis has no place for it.
func onAxis(v float64, log bool) float64 {
	if math.IsInf(v, 0) || log && v <= 0 {
		return math.NaN()
	}
	return v
}

// node is the ECharts series of the curve or its points.
func (s *Series) node(name string, opt LinesOptions) node {
	data := make([]any, len(s.X))
	for k := range data {
		d := []any{rounded(onAxis(s.X[k], opt.LogX), 6), rounded(onAxis(s.Y[k], opt.LogY), 6)}
		if s.Low != nil {
			d = append(d, rounded(s.Low[k], 6), rounded(s.High[k], 6))
		}
		data[k] = d
	}
	o := node{"type": "line", "name": name, "data": data, "clip": true, "z": 3, "itemStyle": node{"color": s.Color}}
	if s.NoLine {
		o["type"], o["symbol"], o["symbolSize"], o["symbolKeepAspect"] = "scatter", classSymbol(s.shape), symbolSize(s.shape, 7), true
		return o
	}
	style := node{"color": s.Color, "width": 2}
	if s.Dashed {
		style["type"] = "dashed"
	}
	o["lineStyle"], o["showSymbol"], o["symbol"] = style, s.Dots, "none"
	if s.Dots {
		o["symbol"], o["symbolSize"], o["symbolKeepAspect"] = classSymbol(s.shape), symbolSize(s.shape, 7), true
	}
	return o
}

// sketch is the error band, in pieces where there are gaps, or the error bars.
func (s *Series) sketch(opt LinesOptions) sketch {
	var parts sketch
	var low, high []point
	flush := func() {
		if len(low) > 1 {
			for i := len(high) - 1; i >= 0; i-- {
				low = append(low, high[i])
			}
			parts = append(parts, stroke{at: low, fill: s.Color, opacity: .18})
		}
		low, high = nil, nil
	}
	for k, v := range s.X {
		v = onAxis(v, opt.LogX)
		a, b := onAxis(s.Low[k], opt.LogY), onAxis(s.High[k], opt.LogY)
		switch {
		case math.IsNaN(v + a + b):
			flush()
		case s.NoLine:
			parts = append(parts, stroke{at: []point{{v, a}, {v, b}}, color: s.Color, width: 1.5})
		default:
			low, high = append(low, point{v, a}), append(high, point{v, b})
		}
	}
	flush()
	return parts
}

// lastLine is the last line among the series, which carries the rules; one with
// no points is added if there is none.
func lastLine(parts *[]any) node {
	for i := len(*parts) - 1; i >= 0; i-- {
		if s := (*parts)[i].(node); text("", s, "type") == "line" {
			return s
		}
	}
	line := (&Series{}).node("", LinesOptions{})
	*parts = append(*parts, line)
	return line
}

// curveAxis is an axis over the span or the given range, and the width of its
// labels. A log axis, and with tight a linear one, ends where the data end, and
// with dots a little further.
func (s *span) curveAxis(name string, log bool, limits [2]float64, dots bool, n int) (node, float64) {
	given := limits != [2]float64{}
	if given {
		if !(limits[0] < limits[1]) || log && limits[0] <= 0 {
			panic(fmt.Sprintf("nbhelpers: range %v of axis %q", limits, name))
		}
		s = &span{limits[0], limits[1]}
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
	a := only(spanned(axisNode("value", name, 0), lo, hi, step), ticks(lo, hi, step))
	return a, labelsWidth(lo, hi, step)
}

// decades is a log axis with ticks at powers of ten, or also at twice and five
// times them where the span is short.
func (s *span) decades(name string, given bool) (node, float64) {
	if s.lo > s.hi {
		s.lo, s.hi = 1, 10
	}
	lo, hi := math.Log10(s.lo), math.Log10(s.hi)
	if !given {
		room := math.Max(.04*(hi-lo), .02)
		lo, hi = math.Max(lo-room, -307), math.Min(hi+room, 308) // that float64 holds
	}
	var values []float64
	var texts []any
	wide := 0.0
	every := math.Max(1, math.Ceil((hi-lo)/8))
	factors := []float64{1}
	if hi-lo < 2.5 {
		factors = []float64{1, 2, 5}
	}
	if hi-lo < .5 {
		factors = []float64{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}
	}
	plain := 4.0 // the largest power that is written in full, also with others that are not
	if lo < -4.5 || hi > 4.5 {
		plain = 3
	}
	for k := math.Floor(lo); k <= math.Ceil(hi); k++ {
		for _, f := range factors {
			if e := k + math.Log10(f); e < lo-1e-9 || e > hi+1e-9 || math.Mod(k, every) != 0 {
				continue
			}
			label := powerText(f, int(k), math.Abs(k) <= plain)
			values, texts = append(values, f*math.Pow(10, k)), append(texts, label)
			wide = math.Max(wide, textWidth(label, 12))
		}
	}
	a := axisNode("log", name, 0)
	a["min"], a["max"] = math.Pow(10, lo), math.Pow(10, hi)
	only(a, values)
	at(a, "axisLabel").(node)["formatter"] = js{
		code: fmt.Sprintf("function(v){var t=%s,i=%s.findIndex(function(u){return Math.abs(u/v-1)<1e-6});return i<0?\"\":t[i]}", quote(texts), quote(values)),
		static: func(v float64) string {
			for i, u := range values {
				if u == v {
					return texts[i].(string)
				}
			}
			return ""
		},
	}
	return a, wide
}

// powerText writes f·10^k, in full as 0.002 or 50, or as 10⁻⁶ or 2·10⁵.
func powerText(f float64, k int, full bool) string {
	if full {
		v := f * math.Pow(10, float64(k))
		return tickText(v, math.Pow(10, math.Floor(math.Log10(v)+1e-9))*map[bool]float64{true: 1, false: .1}[f == math.Round(f)])
	}
	power := "10" + strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(fmt.Sprint(k))
	if f == 1 {
		return power
	}
	return fmt.Sprint(f) + "·" + power
}
