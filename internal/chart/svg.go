package chart

import (
	"html"
	"math"
	"strconv"
	"strings"
)

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

// SVGURL returns the picture as a data URL, with as few escapes as HTML, SVG and the JSON of a
// notebook allow. End tags are escaped, so that they are not taken for HTML.
func SVGURL(svg string) string {
	return "data:image/svg+xml," + strings.NewReplacer(`"#ffffff"`, "'%23fff'", `"#222222"`, "'%23222'",
		`"#444444"`, "'%23444'", `"`, "'", "%", "%25", "#", "%23", "</", "%3C/", "&", "%26").Replace(svg)
}
