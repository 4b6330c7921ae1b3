package nbhelpers

import (
	"fmt"
	"math"
	"strings"
)

// plot is the geometry of a chart: its grids with their axes, and its series.
type plot struct {
	o      node
	frames []frame
	xs, ys []axis
	series []any
}

// frame is the rectangle of a grid, with the axes that belong to it.
type frame struct {
	x0, y0, x1, y1 float64
	xs, ys         []*axis
}

// axis maps values to pixels: from and to are the pixels of its ends.
type axis struct {
	o          any
	kind       string // value, log, category
	lo, hi     float64
	from, to   float64
	categories []any
	ticks      []float64
	step       float64
}

// pos is the pixel of a value (a category's index).
func (a *axis) pos(v float64) float64 {
	lo, hi := a.lo, a.hi
	switch a.kind {
	case "log":
		v, lo, hi = math.Log10(v), math.Log10(lo), math.Log10(hi)
	case "category":
		v += .5
	}
	return a.from + (a.to-a.from)*(v-lo)/(hi-lo)
}

// band is the width in pixels of a category.
func (a *axis) band() float64 { return math.Abs(a.to-a.from) / math.Max(1, float64(len(a.categories))) }

// value reads a datum on the axis: a number, or the name of a category.
func (a *axis) value(v any) float64 {
	if s, ok := v.(string); ok && a.kind == "category" {
		for i, c := range a.categories {
			if text("", c) == s {
				return float64(i)
			}
		}
	}
	return number(math.NaN(), v)
}

func (a *axis) label(v float64) string {
	if f, ok := at(a.o, "axisLabel", "formatter").(js); ok {
		if g, ok := f.static.(func(float64) string); ok {
			return g(v)
		}
	}
	switch a.kind {
	case "category":
		c := a.categories[int(v)]
		return text(text("", c), c, "value")
	case "log":
		if v >= 1000 {
			return tickText(v, 1)
		}
		return fmt.Sprint(v)
	}
	return tickText(v, a.step)
}

// length reads a size in pixels or per cent of total.
func length(def float64, v any, total float64) float64 {
	if s, ok := v.(string); ok {
		if percent, ok := strings.CutSuffix(s, "%"); ok {
			return number(def/total*100, percent) * total / 100
		}
	}
	return number(def, v)
}

func newPlot(o node, w, h float64) *plot {
	p := &plot{o: o, series: list(o["series"])}
	grids := list(o["grid"])
	if len(grids) == 0 {
		grids = []any{node{}}
	}
	for _, g := range grids {
		f := frame{
			x0: length(.15*w, at(g, "left"), w), y0: length(65, at(g, "top"), h),
			x1: w - length(.1*w, at(g, "right"), w), y1: h - length(80, at(g, "bottom"), h),
		}
		if v := at(g, "width"); v != nil {
			f.x1 = f.x0 + length(0, v, w)
		}
		if v := at(g, "height"); v != nil {
			f.y1 = f.y0 + length(0, v, h)
		}
		p.frames = append(p.frames, f)
	}
	p.xs, p.ys = p.readAxes("xAxis"), p.readAxes("yAxis")
	for i := range p.xs {
		f := p.frameOf(&p.xs[i])
		p.xs[i].from, p.xs[i].to = f.x0, f.x1
		f.xs = append(f.xs, &p.xs[i])
	}
	for i := range p.ys {
		f := p.frameOf(&p.ys[i])
		p.ys[i].from, p.ys[i].to = f.y1, f.y0
		f.ys = append(f.ys, &p.ys[i])
	}
	for _, axes := range [][]axis{p.xs, p.ys} {
		for i := range axes {
			if a := &axes[i]; truth(false, a.o, "inverse") {
				a.from, a.to = a.to, a.from
			}
		}
	}
	return p
}

func (p *plot) frameOf(a *axis) *frame {
	return &p.frames[min(max(int(number(0, a.o, "gridIndex")), 0), len(p.frames)-1)]
}

func (p *plot) readAxes(name string) []axis {
	var axes []axis
	for i, o := range list(p.o[name]) {
		a := axis{o: o, categories: list(at(o, "data"))}
		a.kind = text("value", o, "type")
		if len(a.categories) > 0 {
			a.kind = "category"
		}
		if a.kind == "category" {
			a.hi = float64(len(a.categories))
			for k := range a.categories {
				a.ticks = append(a.ticks, float64(k))
			}
		} else {
			a.scale(p.extent(name, i))
		}
		if own := list(at(o, "axisLabel", "customValues")); own != nil {
			a.ticks = nil
			for _, v := range own {
				a.ticks = append(a.ticks, number(math.NaN(), v))
			}
		}
		axes = append(axes, a)
	}
	return axes
}

// scale sets the range of a value or log axis by its option, or by the data.
func (a *axis) scale(lo, hi float64) {
	if a.kind == "log" {
		a.lo = number(math.Pow(10, math.Floor(math.Log10(math.Max(lo, 1e-300)))), a.o, "min")
		a.hi = number(math.Pow(10, math.Ceil(math.Log10(math.Max(hi, 1e-300)))), a.o, "max")
		if !(a.lo > 0 && a.hi > a.lo) {
			a.lo, a.hi = 1, 10
		}
		first, last := math.Ceil(math.Log10(a.lo)-1e-9), math.Floor(math.Log10(a.hi)+1e-9)
		for k, every := first, math.Ceil((last-first)/7); k <= last; k += math.Max(every, 1) {
			a.ticks = append(a.ticks, math.Pow(10, k))
		}
		return
	}
	if !truth(false, a.o, "scale") {
		lo, hi = math.Min(lo, 0), math.Max(hi, 0)
	}
	n := int(number(5, a.o, "splitNumber"))
	a.lo, a.hi, a.step = niceRange(lo, hi, n)
	a.lo, a.hi = number(a.lo, a.o, "min"), number(a.hi, a.o, "max")
	if !(a.hi > a.lo) {
		a.hi = a.lo + 1
	}
	a.step = number(niceStep(a.hi-a.lo, n), a.o, "interval")
	a.ticks = ticks(a.lo, a.hi, a.step)
}

// extent finds the range of the data on axis i; for stacked bars, of their sums.
func (p *plot) extent(name string, i int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	dimension := map[string]int{"xAxis": 0, "yAxis": 1}[name]
	stacks := map[string]float64{}
	for _, s := range p.series {
		if int(number(0, s, name+"Index")) != i {
			continue
		}
		for k, d := range list(at(s, "data")) {
			v := at2(datum(d), k, dimension)
			if stack := text("", s, "stack"); stack != "" {
				key := fmt.Sprint(stack, k, v < 0)
				stacks[key] += v
				v = stacks[key]
			}
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = math.Min(lo, v), math.Max(hi, v)
			}
		}
	}
	if lo > hi {
		return 0, 1
	}
	return lo, hi
}

// datum unpacks {value: ...}.
func datum(d any) any {
	if m, ok := d.(node); ok {
		return m["value"]
	}
	return d
}

// at2 reads a coordinate of a datum: of a pair, or of a single value at index k.
func at2(d any, k, dimension int) float64 {
	if pair, ok := d.([]any); ok {
		if dimension < len(pair) {
			return number(math.NaN(), pair[dimension])
		}
		return math.NaN()
	}
	return number(math.NaN(), d)
}

func (p *painter) splitLines(f frame) {
	for _, a := range append(f.xs, f.ys...) {
		if !truth(a.kind != "category", a.o, "splitLine", "show") {
			continue
		}
		offset := 0.0 // to the edge of a category
		if a.kind == "category" {
			offset = .5
		}
		color := text(gridInk, a.o, "splitLine", "lineStyle", "color")
		var d strings.Builder
		for _, t := range a.ticks {
			if v := xy(a.pos(t + offset)); a.horizontal(f) {
				fmt.Fprintf(&d, "M%s %sV%s", v, xy(f.y0), xy(f.y1))
			} else {
				fmt.Fprintf(&d, "M%s %sH%s", xy(f.x0), v, xy(f.x1))
			}
		}
		fmt.Fprintf(p, `<path d="%s" stroke="%s"/>`, d.String(), clean(color))
	}
}

func (a *axis) horizontal(f frame) bool {
	for _, x := range f.xs {
		if x == a {
			return true
		}
	}
	return false
}

func (p *painter) axes(f frame) {
	for i, a := range f.xs {
		if truth(true, a.o, "show") {
			p.xAxis(f, a, text([]string{"bottom", "top"}[min(i, 1)], a.o, "position") == "top")
		}
	}
	for i, a := range f.ys {
		if truth(true, a.o, "show") {
			p.yAxis(f, a, text([]string{"left", "right"}[min(i, 1)], a.o, "position") == "right")
		}
	}
}

// shownTicks leaves out ticks whose labels would touch.
func (a *axis) shownTicks(need float64) []float64 {
	every := 1
	if a.kind == "category" {
		every = int(math.Max(1, math.Ceil(need/a.band())))
		if skip := number(-1, a.o, "axisLabel", "interval"); skip >= 0 {
			every = 1 + int(skip)
		}
	} else if n := len(a.ticks); n > 1 {
		apart := math.Abs(a.pos(a.ticks[n-1])-a.pos(a.ticks[0])) / float64(n-1)
		every = int(math.Max(1, math.Ceil(need/apart)))
	}
	var shown []float64
	for i, t := range a.ticks {
		if i%every == 0 {
			shown = append(shown, t)
		}
	}
	return shown
}

func (p *painter) xAxis(f frame, a *axis, top bool) {
	y, sign := f.y1, 1.0
	if top {
		y, sign = f.y0, -1.0
	}
	if truth(true, a.o, "axisLine", "show") {
		p.line(f.x0, y, f.x1, y, axisInk)
	}
	rotate := number(0, a.o, "axisLabel", "rotate")
	size := number(12, a.o, "axisLabel", "fontSize")
	widest := 0.0
	for _, t := range a.ticks {
		widest = math.Max(widest, textWidth(a.label(t), size))
	}
	need := widest + 8
	if rotate != 0 {
		need = size + 2
	}
	var marks path
	texts := &labels{style: textStyle{size: size, anchor: "middle"}}
	for _, t := range a.shownTicks(need) {
		x := a.pos(t)
		if truth(a.kind != "category", a.o, "axisTick", "show") {
			marks.move(x, y)
			marks.lineTo(x, y+5*sign)
		}
		if !truth(true, a.o, "axisLabel", "show") {
			continue
		}
		if rotate != 0 {
			p.text(x+size/3, y+8*sign, a.label(t), textStyle{size: size, anchor: "end", rotate: -rotate})
		} else {
			texts.add(x, y+map[bool]float64{false: 8 + size*.82, true: -8}[top], a.label(t))
		}
	}
	p.labels(texts)
	p.marks(marks.String())
	gap := number(15, a.o, "nameGap")
	switch name := text("", a.o, "name"); text("end", a.o, "nameLocation") {
	case "middle", "center":
		p.text((f.x0+f.x1)/2, y+sign*gap+map[bool]float64{false: 10, true: 0}[top], name, textStyle{anchor: "middle"})
	default:
		p.text(f.x1+4, y+4, name, textStyle{})
	}
}

func (p *painter) yAxis(f frame, a *axis, right bool) {
	x, sign, anchor := f.x0, -1.0, "end"
	if right {
		x, sign, anchor = f.x1, 1.0, "start"
	}
	if truth(a.kind == "category", a.o, "axisLine", "show") {
		p.line(x, f.y0, x, f.y1, axisInk)
	}
	size := number(12, a.o, "axisLabel", "fontSize")
	var marks path
	texts := &labels{style: textStyle{size: size, anchor: anchor}}
	for _, t := range a.shownTicks(size + 2) {
		y := a.pos(t)
		if truth(false, a.o, "axisTick", "show") {
			marks.move(x, y)
			marks.lineTo(x+5*sign, y)
		}
		if truth(true, a.o, "axisLabel", "show") {
			width := number(1000, a.o, "axisLabel", "width")
			texts.add(x+8*sign, y+size*.36, shortened(a.label(t), size, width))
		}
	}
	p.labels(texts)
	p.marks(marks.String())
	gap := number(15, a.o, "nameGap")
	switch name := text("", a.o, "name"); text("end", a.o, "nameLocation") {
	case "middle", "center":
		p.text(x+sign*gap, (f.y0+f.y1)/2, name, textStyle{anchor: "middle", rotate: -90})
	default:
		p.text(x, f.y0-gap+4, name, textStyle{anchor: "middle"})
	}
}

func (p *painter) marks(d string) {
	if d != "" {
		fmt.Fprintf(p, `<path d="%s" stroke="%s"/>`, d, axisInk)
	}
}
