package chart

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

// Painter collects SVG.
type Painter struct {
	strings.Builder
	w, h    float64
	clips   int            // clipping paths so far
	markers map[string]int // symbols so far, and their numbers
	prefix  string         // of the names of elements, where several pictures are in one
}

// Begin writes the head of the document; alt is its description, if not empty.
func (p *Painter) Begin(width, height int, alt string) {
	p.w, p.h, p.markers = float64(width), float64(height), map[string]int{}
	fmt.Fprintf(p,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="%[3]s" font-size="12" fill="%[4]s">`, width, height, fontFamily, Ink)
	if alt != "" {
		p.WriteString("<title>" + clean(alt) + "</title>")
	}
	p.WriteString(`<style>marker{overflow:visible}</style><rect width="100%" height="100%" fill="#fff"/>`)
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
	rotate float64 // degrees clockwise
}

// Text writes a text whose baseline begins (or as the anchor says) at x, y.
func (p *Painter) Text(x, y float64, s string, t TextStyle) {
	if s == "" {
		return
	}
	fmt.Fprintf(p, `<text x="%s" y="%s"%s`, XY(x), XY(y), t.attributes())
	if t.rotate != 0 {
		fmt.Fprintf(p, ` transform="rotate(%s %s %s)"`, XY(t.rotate), XY(x), XY(y))
	}
	fmt.Fprintf(p, ">%s</text>", clean(s))
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

// labels are texts of one style, upright, in one element.
type labels struct {
	style TextStyle
	spans strings.Builder
}

func (l *labels) add(x, y float64, s string) {
	if s != "" {
		fmt.Fprintf(&l.spans, `<tspan x="%s" y="%s">%s</tspan>`, XY(x), XY(y), clean(s))
	}
}

func (p *Painter) labels(l *labels) {
	if l.spans.Len() > 0 {
		fmt.Fprintf(p, "<text%s>%s</text>", l.style.attributes(), l.spans.String())
	}
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

// symbols draws one symbol at many places: as markers at the corners of a path.
func (p *Painter) symbols(at []Point, s Symbol, size float64, paint string) {
	if len(at) == 0 {
		return
	}
	if len(at) > 8 { // whole pixels from left to right are shorter
		at = slices.Clone(at)
		for i := range at {
			at[i] = Point{math.Round(at[i][0]), math.Round(at[i][1])}
		}
		slices.SortFunc(at,
			func(p, q Point) int { return cmp.Or(cmp.Compare(p[0], q[0]), cmp.Compare(p[1], q[1])) })
	}
	var d path
	d.polyline(at)
	element := s.element(size, paint)
	n, there := p.markers[element]
	if !there {
		n = len(p.markers) + 1
		p.markers[element] = n
		fmt.Fprintf(p, `<marker id="%sm%d">%s</marker>`, p.prefix, n, element)
	}
	if len(at) == 1 { // the beginning is the end
		fmt.Fprintf(p, `<path d="%sh0" marker-start="url(#%sm%d)"/>`, d.String(), p.prefix, n)
		return
	}
	fmt.Fprintf(p, `<path d="%s" fill="none" style="marker:url(#%sm%d)"/>`, d.String(), p.prefix, n)
}

// element is the SVG element of a symbol of the given size around the origin.
func (s Symbol) element(size float64, paint string) string {
	r := size / 2
	if len(s.outline) == 0 {
		return fmt.Sprintf(`<circle r="%.3g" %s/>`, r, paint)
	}
	var d path
	var corners []Point
	for i := 0; i < len(s.outline); i += 2 {
		corners = append(corners, Point{r * s.outline[i], r * s.outline[i+1]})
	}
	d.polyline(corners)
	return fmt.Sprintf(`<path d="%sz" %s/>`, d.String(), paint)
}

// path collects the d of an SVG path in tenths of a pixel. It is written shortly:
// from place to place, without any separator that is not needed.
type path struct {
	b           strings.Builder
	x, y        int
	spaced, dot bool // no space is needed before a number; the last number has a point
}

// polyline adds a line through points.
func (p *path) polyline(at []Point) {
	for i, q := range at {
		if i == 0 {
			p.b.WriteByte('m') // the pairs that follow the first are lines
			p.spaced = true
		}
		x, y := int(math.Round(10*q[0])), int(math.Round(10*q[1]))
		p.number(x - p.x)
		p.number(y - p.y)
		p.x, p.y = x, y
	}
}

func (p *path) number(tenths int) {
	s := strconv.FormatFloat(float64(tenths)/10, 'f', -1, 64)
	if tenths != 0 && -10 < tenths && tenths < 10 {
		s = strings.Replace(s, "0.", ".", 1)
	}
	if !p.spaced && s[0] != '-' && (s[0] != '.' || !p.dot) {
		p.b.WriteByte(' ')
	}
	p.b.WriteString(s)
	p.spaced, p.dot = false, strings.Contains(s, ".")
}

// String is the d; empty if nothing was drawn.
func (p *path) String() string { return p.b.String() }

// SVGURL is the picture as an address, with as few escapes as HTML, SVG and the JSON
// of a notebook allow. Ends of elements are escaped, so that they are not HTML's.
func SVGURL(svg string) string {
	return "data:image/svg+xml," + strings.NewReplacer(`"#ffffff"`, "'%23fff'", `"#222222"`, "'%23222'",
		`"#444444"`, "'%23444'", `"`, "'", "%", "%25", "#", "%23", "</", "%3C/", "&", "%26").Replace(svg)
}

func pngURL(png []byte) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(png)
}
