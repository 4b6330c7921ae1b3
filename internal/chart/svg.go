package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// BeginSVG returns the head of an SVG document with a title and a white background.
func BeginSVG(width, height int, title string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" `+
		`viewBox="0 0 %[1]d %[2]d" font-family="%[3]s" font-size="12" fill="%[4]s"><title>%[5]s</title>`+
		`<rect width="100%%" height="100%%" fill="#fff"/>`, width, height, fontFamily, Ink, clean(title))
}

// clean escapes a text for SVG and drops characters that are not valid in XML.
func clean(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff || r == 0xfffd {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}

// XY formats a coordinate with at most one decimal.
func XY(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64) }

// SVGText returns a text whose baseline begins at x, y, or as the attributes specify.
func SVGText(x, y float64, text, attributes string) string {
	return fmt.Sprintf(`<text x="%s" y="%s" %s>%s</text>`, XY(x), XY(y), attributes, clean(text))
}

// SVGURL returns the picture as a data URL, with as few escapes as HTML, SVG and the JSON of a
// notebook allow. End tags are escaped, so that they are not taken for HTML.
func SVGURL(svg string) string {
	return "data:image/svg+xml," + strings.NewReplacer(`"#ffffff"`, "'%23fff'", `"#222222"`, "'%23222'",
		`"#444444"`, "'%23444'", `"`, "'", "%", "%25", "#", "%23", "</", "%3C/", "&", "%26").Replace(svg)
}
