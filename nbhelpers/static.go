package nbhelpers

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The still picture of a chart is drawn from the ECharts option that the live
// one has, so a chart is described once. What is understood: title, legend,
// grids in pixels or per cent; value, log and category axes with names, split
// lines and rotated labels; line (also stepped), bar (also stacked, either way),
// scatter and heatmap series, a custom series that is a picture or a sketch;
// upright rules (markLine); a continuous visualMap. The rest is left out.

// painter collects SVG.
type painter struct {
	strings.Builder
	w, h    float64
	clips   int            // paths that clip so far
	markers map[string]int // symbols so far, and their numbers
}

func drawSVG(o node, width, height int, alt string) string {
	p := &painter{w: float64(width), h: float64(height), markers: map[string]int{}}
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %d" font-family="%s" font-size="12" fill="%s">`, width, height, fontFamily, ink)
	if alt != "" {
		p.WriteString("<title>" + clean(alt) + "</title>")
	}
	p.WriteString(`<style>marker{overflow:visible}</style><rect width="100%" height="100%" fill="#fff"/>`)
	plot := newPlot(o, p.w, p.h)
	for _, f := range plot.frames {
		p.splitLines(f)
	}
	order := make([]int, len(plot.series))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(number(2, plot.series[a], "z"), number(2, plot.series[b], "z"))
	})
	for _, i := range order {
		p.series(plot, plot.series[i], i)
	}
	for _, f := range plot.frames {
		p.axes(f)
	}
	p.title(o)
	p.legend(plot, at(o, "legend"))
	for _, v := range list(at(o, "visualMap")) {
		p.visualMap(v)
	}
	p.WriteString("</svg>")
	return p.String()
}

// clean escapes a text for SVG and drops what XML cannot hold.
func clean(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff || r == 0xfffd {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}

// xy writes a coordinate with one decimal at most.
func xy(v float64) string {
	s := strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
	return s
}

type textStyle struct {
	size   float64 // pixels; 0 is 12
	color  string  // empty is ink
	anchor string  // start, middle, end; empty is start
	bold   bool
	rotate float64 // degrees clockwise
}

// text writes a text whose baseline begins (or as the anchor says) at x, y.
func (p *painter) text(x, y float64, s string, t textStyle) {
	if s == "" {
		return
	}
	fmt.Fprintf(p, `<text x="%s" y="%s"%s`, xy(x), xy(y), t.attributes())
	if t.rotate != 0 {
		fmt.Fprintf(p, ` transform="rotate(%s %s %s)"`, xy(t.rotate), xy(x), xy(y))
	}
	fmt.Fprintf(p, ">%s</text>", clean(s))
}

func (t textStyle) attributes() (s string) {
	if t.size != 0 && t.size != 12 {
		s += fmt.Sprintf(` font-size="%s"`, xy(t.size))
	}
	if t.color != "" && t.color != ink {
		s += fmt.Sprintf(` fill="%s"`, clean(t.color))
	}
	if t.anchor != "" && t.anchor != "start" {
		s += fmt.Sprintf(` text-anchor="%s"`, t.anchor)
	}
	if t.bold {
		s += ` font-weight="bold"`
	}
	return s
}

// labels are texts of one style, upright, in one element.
type labels struct {
	style textStyle
	spans strings.Builder
}

func (l *labels) add(x, y float64, s string) {
	if s != "" {
		fmt.Fprintf(&l.spans, `<tspan x="%s" y="%s">%s</tspan>`, xy(x), xy(y), clean(s))
	}
}

func (p *painter) labels(l *labels) {
	if l.spans.Len() > 0 {
		fmt.Fprintf(p, "<text%s>%s</text>", l.style.attributes(), l.spans.String())
	}
}

func (p *painter) line(x1, y1, x2, y2 float64, color string) {
	fmt.Fprintf(p, `<path d="M%s %sL%s %s" stroke="%s"/>`, xy(x1), xy(y1), xy(x2), xy(y2), clean(color))
}

func (p *painter) rect(x, y, w, h float64, fill, extra string) {
	fmt.Fprintf(p, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"%s/>`, xy(x), xy(y), xy(w), xy(h), clean(fill), extra)
}

func (p *painter) title(o node) {
	for _, t := range list(at(o, "title")) {
		size := number(18, t, "textStyle", "fontSize")
		x, anchor := p.place(t)
		y := length(number(10, t, "top"), at(t, "top"), p.h) + 5 + size
		if text("", t, "text") == "" {
			y -= size + number(10, t, "itemGap") // what is below moves up
		}
		p.text(x, y, shortened(text("", t, "text"), size, p.w-16), textStyle{size: size, bold: true, anchor: anchor})
		sub := number(12, t, "subtextStyle", "fontSize")
		p.text(x, y+sub+number(10, t, "itemGap")+2, shortened(text("", t, "subtext"), sub, p.w-16),
			textStyle{size: sub, color: text(faintInk, t, "subtextStyle", "color"), anchor: anchor})
	}
}

// place finds the horizontal place of a title.
func (p *painter) place(t any) (x float64, anchor string) {
	switch text("center", t, "left") {
	case "center":
		return p.w / 2, "middle"
	case "right":
		return p.w - 8, "end"
	}
	return length(3, at(t, "left"), p.w) + 5, "start"
}

// image places a picture so that its pixels blend into one another.
func (p *painter) image(x, y, w, h float64, png []byte) {
	fmt.Fprintf(p, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" href="%s"/>`,
		xy(x), xy(y), xy(w), xy(h), pngURL(png))
}

// svgURL is the picture as an address, with as few escapes as HTML, SVG and the JSON of
// a notebook allow. Ends of elements are written so that nobody takes them for HTML's.
func svgURL(svg string) string {
	return "data:image/svg+xml," + strings.NewReplacer(`"#ffffff"`, "'%23fff'", `"#222222"`, "'%23222'", `"#444444"`, "'%23444'", `"`, "'", "%", "%25", "#", "%23", "</", "%3C/", "&", "%26").Replace(svg)
}

func pngURL(png []byte) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(png)
}
