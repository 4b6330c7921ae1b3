package nbhelpers

import (
	"fmt"
	"math"
	"strings"
)

// echartsColors are ECharts' own, for wrapped charts that name none.
var echartsColors = []string{"#5070dd", "#b6d634", "#505372", "#ff994d", "#0ca8df", "#ffd10a", "#fb628b", "#785db0", "#3fbe95"}

// seriesColor finds the colour of series i of the plot.
func (p *plot) seriesColor(s any, i int) string {
	palette := list(at(p.o, "color"))
	def := echartsColors[i%len(echartsColors)]
	if len(palette) > 0 {
		def = text(def, palette[i%len(palette)])
	}
	def = text(def, s, "color")
	if text("", s, "type") == "line" {
		def = text(def, s, "lineStyle", "color")
	}
	return text(def, s, "itemStyle", "color")
}

// series draws one series, clipped to its grid only if the option says so: mostly
// the ranges hold the data.
func (p *painter) series(plot *plot, s any, i int) {
	xi, yi := int(number(0, s, "xAxisIndex")), int(number(0, s, "yAxisIndex"))
	if xi < 0 || yi < 0 || xi >= len(plot.xs) || yi >= len(plot.ys) {
		return
	}
	x, y := &plot.xs[xi], &plot.ys[yi]
	color := plot.seriesColor(s, i)
	if truth(false, s, "clip") {
		p.clips++
		fmt.Fprintf(p, `<clipPath id="c%d"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath><g clip-path="url(#c%[1]d)">`, p.clips,
			xy(math.Min(x.from, x.to)-5), xy(math.Min(y.from, y.to)-5), xy(math.Abs(x.to-x.from)+10), xy(math.Abs(y.to-y.from)+10)) // with the symbols at the edges
		defer p.WriteString("</g>")
	}
	switch text("", s, "type") {
	case "line":
		p.lineSeries(x, y, s, color)
		p.rules(x, y, s)
	case "scatter":
		p.scatterSeries(x, y, s, color)
	case "bar":
		p.barSeries(plot, x, y, s, i, color)
	case "boxplot":
		p.boxSeries(x, y, s)
	case "heatmap":
		p.heatSeries(plot, x, y, s, i)
	case "custom":
		if f, ok := at(s, "renderItem").(js); ok {
			switch r := f.static.(type) {
			case raster:
				x0, y0 := x.pos(r.x0), y.pos(r.y1)
				p.image(x0, y0, x.pos(r.x1)-x0, y.pos(r.y0)-y0, r.png)
			case sketch:
				p.sketch(x, y, r)
			case segments:
				p.segments(x, y, s, r)
			}
		}
	}
}

// raster is the static form of a custom series: a picture over a range of the axes.
type raster struct {
	png            []byte
	width, height  int // of the picture in its own pixels
	x0, y0, x1, y1 float64
}

// ground is the live form: a function that places the picture of that URL, a literal,
// or if that is empty the one in the still picture.
func (r raster) ground(url string) string {
	return fmt.Sprintf("show.ground(%v,%v,%v,%v,%d,%d,%s)", r.x0, r.y1, r.x1, r.y0, r.width, r.height, url)
}

type point struct{ x, y float64 }

// points gives the pixels of a series; a gap is NaN.
func points(x, y *axis, s any) []point {
	var pts []point
	for k, d := range list(at(s, "data")) {
		q := point{math.NaN(), math.NaN()}
		switch d := datum(d).(type) {
		case []any:
			if len(d) >= 2 {
				q = point{x.pos(x.value(d[0])), y.pos(y.value(d[1]))}
			}
		default:
			if x.kind == "category" {
				q = point{x.pos(float64(k)), y.pos(y.value(d))}
			}
		}
		if math.IsInf(q.x, 0) || math.IsInf(q.y, 0) || math.IsNaN(q.x) || math.IsNaN(q.y) {
			q = point{math.NaN(), math.NaN()}
		}
		pts = append(pts, q)
	}
	return pts
}

var dashes = map[string]string{"dashed": ` stroke-dasharray="5 4"`, "dotted": ` stroke-dasharray="1.5 2.5"`}

func (p *painter) lineSeries(x, y *axis, s any, color string) {
	var d path
	step := at(s, "step") == "end"
	var run []point
	flush := func() {
		if step {
			run = stepped(run)
		}
		for i, q := range simplified(run, .4) {
			if i == 0 {
				d.move(q.x, q.y)
			} else {
				d.lineTo(q.x, q.y)
			}
		}
		run = run[:0:0]
	}
	for _, q := range points(x, y, s) {
		if math.IsNaN(q.x) {
			flush()
		} else {
			run = append(run, q)
		}
	}
	flush()
	if d.b.Len() == 0 {
		return
	}
	width := number(2, s, "lineStyle", "width")
	fmt.Fprintf(p, `<path d="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round"%s%s/>`, d.String(), clean(color), xy(width),
		dashes[text("", s, "lineStyle", "type")], opacity(s, "lineStyle"))
	if symbol := text("emptyCircle", s, "symbol"); truth(true, s, "showSymbol") && symbol != "none" {
		p.marksAt(x, y, s, symbol, 5, color)
	}
}

func opacity(s any, style string) string {
	if o := number(1, s, style, "opacity"); o < 1 {
		return fmt.Sprintf(` opacity="%.2g"`, o)
	}
	return ""
}

// stepped inserts the corners of a line that keeps its value until the next point.
func stepped(pts []point) []point {
	var out []point
	for i, q := range pts {
		if i > 0 {
			out = append(out, point{q.x, pts[i-1].y})
		}
		out = append(out, q)
	}
	return out
}

// simplified drops points that are within tolerance of the line through those
// kept (Douglas and Peucker).
func simplified(pts []point, tolerance float64) []point {
	if len(pts) < 3 {
		return pts
	}
	keep := make([]bool, len(pts))
	keep[0], keep[len(pts)-1] = true, true
	var split func(a, b int)
	split = func(a, b int) {
		worst, far := -1, tolerance
		dx, dy := pts[b].x-pts[a].x, pts[b].y-pts[a].y
		l := math.Hypot(dx, dy)
		for i := a + 1; i < b; i++ {
			ex, ey := pts[i].x-pts[a].x, pts[i].y-pts[a].y
			dist := math.Hypot(ex, ey)
			if l > 0 {
				dist = math.Abs(dx*ey-dy*ex) / l
			}
			if dist > far {
				worst, far = i, dist
			}
		}
		if worst > 0 {
			keep[worst] = true
			split(a, worst)
			split(worst, b)
		}
	}
	split(0, len(pts)-1)
	var out []point
	for i, k := range keep {
		if k {
			out = append(out, pts[i])
		}
	}
	return out
}

func (p *painter) scatterSeries(x, y *axis, s any, color string) {
	p.marksAt(x, y, s, text("circle", s, "symbol"), 10, color)
}

// marksAt draws a symbol at each point of a series; those unknown as circles.
func (p *painter) marksAt(x, y *axis, s any, symbol string, size float64, color string) {
	outline, _ := outlineOf(symbol)
	var run []point
	size = number(size, s, "symbolSize")
	flush := func(color string) {
		paint := symbolPaint(s, color)
		if strings.HasPrefix(symbol, "empty") {
			paint = fmt.Sprintf(`fill="#fff" stroke="%s" stroke-width="2"`, clean(color))
		}
		p.symbols(run, outline, size, paint)
		run = run[:0]
	}
	data, now := list(at(s, "data")), color // those of one colour at a time
	for k, q := range points(x, y, s) {
		if math.IsNaN(q.x) {
			continue
		}
		if own := text(color, data[k], "itemStyle", "color"); own != now {
			flush(now)
			now = own
		}
		run = append(run, q)
	}
	flush(now)
}

// symbolPaint writes how the symbols of a series are filled and bordered.
func symbolPaint(s any, color string) string {
	fill := color
	if fill == "transparent" {
		fill = "none"
	}
	paint := fmt.Sprintf(`fill="%s"%s`, clean(fill), opacity(s, "itemStyle"))
	if w := number(0, s, "itemStyle", "borderWidth"); w > 0 {
		paint += fmt.Sprintf(` stroke="%s" stroke-width="%s"`, clean(text(color, s, "itemStyle", "borderColor")), xy(w))
	}
	return paint
}
