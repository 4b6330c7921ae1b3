package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Painter collects SVG, for diagrams that are not charts.
type Painter struct {
	strings.Builder
}

// Begin writes the head of the document; alt is its description, if not empty.
func (p *Painter) Begin(width, height int, alt string) {
	fmt.Fprintf(p,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
			`font-family="%[3]s" font-size="12" fill="%[4]s">`, width, height, fontFamily, Ink)
	if alt != "" {
		p.WriteString("<title>" + clean(alt) + "</title>")
	}
	p.WriteString(`<rect width="100%" height="100%" fill="#fff"/>`)
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

// XY writes a coordinate with one decimal at most.
func XY(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64) }

// TextStyle is how Text looks.
type TextStyle struct {
	Size   float64 // pixels; 0 is 12
	Color  string  // empty is ink
	Anchor string  // start, middle, end; empty is start
	Bold   bool
}

// Text writes a text whose baseline begins (or as the anchor says) at x, y.
func (p *Painter) Text(x, y float64, s string, t TextStyle) {
	if s == "" {
		return
	}
	fmt.Fprintf(p, `<text x="%s" y="%s"%s>%s</text>`, XY(x), XY(y), t.attributes(), clean(s))
}

func (t TextStyle) attributes() (s string) {
	if t.Size != 0 && t.Size != 12 {
		s += fmt.Sprintf(` font-size="%s"`, XY(t.Size))
	}
	if t.Color != "" && t.Color != Ink {
		s += fmt.Sprintf(` fill="%s"`, clean(t.Color))
	}
	if t.Anchor != "" && t.Anchor != "start" {
		s += fmt.Sprintf(` text-anchor="%s"`, t.Anchor)
	}
	if t.Bold {
		s += ` font-weight="bold"`
	}
	return s
}

// Line draws a line.
func (p *Painter) Line(x1, y1, x2, y2 float64, color string) {
	fmt.Fprintf(p, `<path d="M%s %sL%s %s" stroke="%s"/>`, XY(x1), XY(y1), XY(x2), XY(y2), clean(color))
}

// Rect draws a rectangle; extra are further attributes.
func (p *Painter) Rect(x, y, w, h float64, fill, extra string) {
	fmt.Fprintf(p, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"%s/>`, XY(x), XY(y), XY(w), XY(h),
		clean(fill), extra)
}

// SVGURL is the picture as an address, with as few escapes as HTML, SVG and the JSON
// of a notebook allow. Ends of elements are escaped, so that they are not HTML's.
func SVGURL(svg string) string {
	return "data:image/svg+xml," + strings.NewReplacer(`"#ffffff"`, "'%23fff'", `"#222222"`, "'%23222'",
		`"#444444"`, "'%23444'", `"`, "'", "%", "%25", "#", "%23", "</", "%3C/", "&", "%26").Replace(svg)
}
