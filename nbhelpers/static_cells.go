package nbhelpers

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// barSeries draws series i; bars of one stack stand on those of earlier series.
func (p *painter) barSeries(plot *plot, x, y *axis, s any, i int, color string) {
	across := y.kind == "category" // bars lie
	category, value := x, y
	if across {
		category, value = y, x
	}
	slot, slots := barSlot(plot, s, i)
	width := category.band() * .6 / float64(slots)
	if v := at(s, "barWidth"); v != nil {
		width = length(width, v, category.band())
	}
	for k, d := range list(at(s, "data")) {
		dimension := 1
		if across {
			dimension = 0
		}
		v := at2(datum(d), k, dimension)
		if math.IsNaN(v) {
			continue
		}
		base := stackBase(plot, s, i, k, dimension, v < 0)
		if value.kind == "log" && base == 0 {
			base = value.lo
		}
		a, b := value.pos(base), value.pos(base+v)
		c := category.pos(float64(k)) + (float64(slot)-float64(slots-1)/2)*width - width/2
		fill := text(color, d, "itemStyle", "color")
		left, top, w, h := c, math.Min(a, b), width*.95, math.Abs(a-b)
		if across {
			left, top, w, h = math.Min(a, b), c, math.Abs(a-b), width*.95
		}
		if v != 0 && fill != "transparent" {
			p.rect(left, top, w, h, fill, "")
		}
		p.barLabel(s, d, v, left, top, w, h, fill)
	}
}

// barSlot counts the bars that stand side by side, and which of them series i is.
func barSlot(plot *plot, s any, i int) (slot, slots int) {
	names := map[string]int{}
	for k, other := range plot.series {
		if text("", other, "type") != "bar" || number(0, other, "xAxisIndex") != number(0, s, "xAxisIndex") ||
			number(0, other, "yAxisIndex") != number(0, s, "yAxisIndex") {
			continue
		}
		name := text("series "+strconv.Itoa(k), other, "stack")
		if _, ok := names[name]; !ok {
			names[name] = len(names)
		}
	}
	return names[text("series "+strconv.Itoa(i), s, "stack")], max(len(names), 1)
}

func stackBase(plot *plot, s any, i, k, dimension int, negative bool) (base float64) {
	stack := text("", s, "stack")
	if stack == "" {
		return 0
	}
	for _, other := range plot.series[:i] {
		if data := list(at(other, "data")); text("", other, "stack") == stack && k < len(data) {
			if v := at2(datum(data[k]), k, dimension); !math.IsNaN(v) && v < 0 == negative {
				base += v
			}
		}
	}
	return base
}

func (p *painter) barLabel(s, d any, v, left, top, w, h float64, fill string) {
	show := truth(truth(false, s, "label", "show"), d, "label", "show")
	label, ok := labelText(s, d)
	if !show {
		return
	}
	if !ok {
		label = tickText(v, math.Max(math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2), 1e-6))
	}
	ink := text(text(ink, s, "label", "color"), d, "label", "color")
	size := number(12, s, "label", "fontSize")
	switch text(text("inside", s, "label", "position"), d, "label", "position") {
	case "right":
		p.text(left+w+5, top+h/2+size*.36, label, textStyle{size: size, color: ink})
	case "top":
		p.text(left+w/2, top-5, label, textStyle{size: size, color: ink, anchor: "middle"})
	default:
		p.text(left+w/2, top+h/2+size*.36, label, textStyle{size: size, color: ink, anchor: "middle"})
	}
}

// labelText finds the text of a datum's label where it is not the value.
func labelText(s, d any) (string, bool) {
	for _, f := range []any{at(d, "label", "formatter"), at(s, "label", "formatter")} {
		switch f := f.(type) {
		case string:
			return f, true
		case js:
			t, ok := f.static.(string)
			return t, ok
		}
	}
	return "", false
}

// heatSeries draws the cells of a heat map in the colours of its visualMap, or
// their own.
func (p *painter) heatSeries(plot *plot, x, y *axis, s any, i int) {
	var scale any
	for _, v := range list(at(plot.o, "visualMap")) {
		only := at(v, "seriesIndex")
		if only == nil || int(number(-1, only)) == i {
			scale = v
		}
	}
	w, h := x.band(), y.band()
	border := ""
	if b := number(0, s, "itemStyle", "borderWidth"); b > 0 {
		border = fmt.Sprintf(` stroke="%s" stroke-width="%s"`, clean(text("#fff", s, "itemStyle", "borderColor")), xy(b))
	}
	fmt.Fprintf(p, "<g%s>", border)
	var labels []func()
	cells := map[string]*strings.Builder{} // a path for each colour: cells are many
	var fills []string
	for _, d := range list(at(s, "data")) {
		v, ok := datum(d).([]any)
		if !ok || len(v) < 3 {
			continue
		}
		cx, cy := x.pos(x.value(v[0])), y.pos(y.value(v[1]))
		if math.IsNaN(cx) || math.IsNaN(cy) {
			continue
		}
		fill := text("", d, "itemStyle", "color")
		if fill == "" {
			fill = scaleColor(scale, number(math.NaN(), v[2]))
		}
		if cells[fill] == nil {
			cells[fill] = new(strings.Builder)
			fills = append(fills, fill)
		}
		fmt.Fprintf(cells[fill], "M%s %sh%sv%sh-%[3]sz", xy(cx-w/2), xy(cy-h/2), xy(w), xy(h))
		if label, ok := labelText(s, d); ok && truth(false, d, "label", "show") {
			labels = append(labels, func() {
				p.text(cx, cy+4, label, textStyle{size: number(12, d, "label", "fontSize"), color: text(ink, d, "label", "color"), anchor: "middle"})
			})
		}
	}
	for _, fill := range fills {
		fmt.Fprintf(p, `<path fill="%s" d="%s"/>`, clean(fill), cells[fill])
	}
	p.WriteString("</g>")
	for _, draw := range labels {
		draw()
	}
}

// scaleColor is the colour of a value on a continuous visualMap, in 40 steps.
func scaleColor(scale any, v float64) string {
	colors := list(at(scale, "inRange", "color"))
	lo, hi := number(0, scale, "min"), number(1, scale, "max")
	if len(colors) == 0 || math.IsNaN(v) || !(hi > lo) {
		return "#cccccc"
	}
	u := math.Min(math.Max((v-lo)/(hi-lo), 0), 1) * float64(len(colors)-1)
	if n := 40 / float64(len(colors)); n > 1 {
		u = (math.Floor(u*n) + .5) / n
	}
	u = math.Min(u, float64(len(colors)-1))
	k := min(int(u), max(len(colors)-2, 0))
	return hexColor(mix(parseHex(colors[k]), parseHex(colors[min(k+1, len(colors)-1)]), u-float64(k)))
}

func parseHex(v any) color.RGBA {
	n, err := strconv.ParseUint(strings.TrimPrefix(text("", v), "#"), 16, 32)
	if err != nil {
		n = 0xcccccc
	}
	return rgb(uint32(n))
}
