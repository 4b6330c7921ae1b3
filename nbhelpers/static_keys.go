package nbhelpers

import (
	"fmt"
	"math"
	"slices"
)

// legend draws the entries in a row, or in a column where the option says so.
func (p *painter) legend(plot *plot, o any) {
	if !truth(true, o, "show") {
		return
	}
	entries := list(at(o, "data"))
	if entries == nil {
		for _, s := range plot.series {
			if name := text("", s, "name"); name != "" {
				entries = append(entries, name)
			}
		}
	}
	if len(entries) == 0 || o == nil {
		return
	}
	w, h := number(25, o, "itemWidth"), number(14, o, "itemHeight")
	gap := number(10, o, "itemGap")
	size := number(12, o, "textStyle", "fontSize")
	const padding = 5 // ECharts' own
	upright := text("horizontal", o, "orient") == "vertical"
	names := make([]string, len(entries))
	row, widest := 0.0, 0.0
	for i, e := range entries {
		names[i] = text(text("", e), e, "name")
		if cut := number(0, o, "textStyle", "width"); cut > 0 {
			names[i] = shortened(names[i], size, cut)
		}
		row += w + 5 + textWidth(names[i], size)/1.05 + gap
		widest = math.Max(widest, w+5+textWidth(names[i], size))
	}
	if !upright && row-gap > p.w-2*padding && text("plain", o, "type") == "scroll" { // as ECharts scrolls, so we shorten
		room := fairWidth(names, size, p.w-2*padding-float64(len(names))*(w+5+gap))
		if room < 60 {
			names = firstFew(names, size, p.w-2*padding, w+5+gap)
			entries = entries[:len(names)-1]
		} else {
			for i := range names {
				names[i] = shortened(names[i], size, room)
			}
		}
	}
	left := length(8, at(o, "left"), p.w) + padding
	if r := at(o, "right"); r != nil {
		left = p.w - length(8, r, p.w) - padding - widest
	}
	if text("", o, "left") == "center" || at(o, "left") == nil && at(o, "right") == nil {
		left = math.Max(8, (p.w-row)/2)
	}
	x, y := left, length(p.h-15-2*padding-h, at(o, "top"), p.h)+padding+h/2
	for i, name := range names {
		wide := w + 5 + textWidth(name, size)
		if !upright && x > left && x+wide > p.w-4 {
			x, y = left, y+h+gap
		}
		if i == len(entries) { // the number of those left out
			p.text(x, y+size*.36, name, textStyle{size: size, color: faintInk})
			break
		}
		dots := number(number(1, o, "itemStyle", "opacity"), entries[i], "itemStyle", "opacity") > 0
		p.legendIcon(plot, text(text("", entries[i]), entries[i], "name"), dots, x, y, w, h)
		p.text(x+w+5, y+size*.36, name, textStyle{size: size})
		if upright {
			y += h + gap
		} else {
			x += wide + gap
		}
	}
}

// firstFew are those of the names that fit into a row of the given width, each
// with so much around it, and how many more there are.
func firstFew(names []string, size, width, around float64) []string {
	const room = 40 // for that
	n, row := 0, 0.0
	for n < len(names) && row+textWidth(names[n], size)+around < width-room {
		row += textWidth(names[n], size) + around
		n++
	}
	return append(slices.Clone(names[:n]), fmt.Sprintf("+%d", len(names)-n))
}

// fairWidth is what each text may have of the total, if those that need less leave
// the rest to the others.
func fairWidth(texts []string, size, total float64) float64 {
	widths := make([]float64, len(texts))
	for i, t := range texts {
		widths[i] = textWidth(t, size)
	}
	slices.Sort(widths)
	for i, w := range widths {
		share := total / float64(len(widths)-i)
		if w > share {
			return math.Max(share, size)
		}
		total -= w
	}
	return math.Inf(1)
}

// legendIcon draws the mark of the first series of that name; dots says whether a
// line has its symbol on it.
func (p *painter) legendIcon(plot *plot, name string, dots bool, x, y, w, h float64) {
	for i, s := range plot.series {
		if text("", s, "name") != name {
			continue
		}
		color := plot.seriesColor(s, i)
		switch text("", s, "type") {
		case "line":
			fmt.Fprintf(p, `<path d="M%s %sh%s" stroke="%s" stroke-width="%s"%s/>`, xy(x), xy(y), xy(w), clean(color),
				xy(number(2, s, "lineStyle", "width")), dashes[text("", s, "lineStyle", "type")])
			if name := text("none", s, "symbol"); dots && truth(false, s, "showSymbol") && name != "none" {
				outline, _ := outlineOf(name)
				p.symbols([]point{{x + w/2, y}}, outline, 9, symbolPaint(s, color))
			}
		case "scatter":
			outline, _ := outlineOf(text("circle", s, "symbol"))
			p.symbols([]point{{x + w/2, y}}, outline, min(w, h, number(10, s, "symbolSize")), symbolPaint(s, color))
		default:
			p.rect(x, y-h/2, w, h, color, "")
		}
		return
	}
}

// visualMap draws the key of a continuous colour scale, upright.
func (p *painter) visualMap(v any) {
	if !truth(true, v, "show") || text("continuous", v, "type") != "continuous" {
		return
	}
	colors := list(at(v, "inRange", "color"))
	w, h := number(20, v, "itemWidth"), number(140, v, "itemHeight")
	ends := list(at(v, "text"))
	if len(ends) < 2 {
		ends = []any{tickText(number(0, v, "max"), 1), tickText(number(0, v, "min"), 1)}
	}
	wide := math.Max(w, math.Max(textWidth(fmt.Sprint(ends[0]), 12), textWidth(fmt.Sprint(ends[1]), 12)))
	x := p.w - length(10, at(v, "right"), p.w) - 5 - wide/2 - w/2
	if at(v, "left") != nil {
		x = length(10, at(v, "left"), p.w) + 5 + wide/2 - w/2
	}
	y := length(p.h-h-30, at(v, "top"), p.h) + 38
	p.WriteString(`<linearGradient id="v" x1="0" y1="1" x2="0" y2="0">`)
	for i, c := range colors {
		fmt.Fprintf(p, `<stop offset="%s%%" stop-color="%s"/>`, xy(100*float64(i)/float64(max(len(colors)-1, 1))), clean(fmt.Sprint(c)))
	}
	p.WriteString("</linearGradient>")
	p.rect(x, y, w, h, "url(#v)", "")
	p.text(x+w/2, y-13, fmt.Sprint(ends[0]), textStyle{anchor: "middle"})
	p.text(x+w/2, y+h+21, fmt.Sprint(ends[1]), textStyle{anchor: "middle"})
}
