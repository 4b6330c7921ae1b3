package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// path collects the d of an SVG path in tenths of a pixel, written shortly: from place
// to place, with no separator that can be spared.
type path struct {
	b           strings.Builder
	x, y        int
	line        bool // a pair of numbers goes on with a line
	spaced, dot bool // a number may follow as it is; the last one has a point
}

func (p *path) move(x, y float64) {
	p.b.WriteByte('m')
	p.spaced = true
	p.to(x, y)
	p.line = true
}

func (p *path) lineTo(x, y float64) {
	if !p.line {
		p.b.WriteByte('l')
		p.line, p.spaced = true, true
	}
	p.to(x, y)
}

func (p *path) to(x, y float64) {
	tx, ty := int(math.Round(10*x)), int(math.Round(10*y))
	p.number(tx - p.x)
	p.number(ty - p.y)
	p.x, p.y = tx, ty
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

// symbolElement is the element of a symbol of the given size around the origin.
func symbolElement(outline []float64, size float64, paint string) string {
	r := size / 2
	if len(outline) == 0 {
		return fmt.Sprintf(`<circle r="%.3g" %s/>`, r, paint)
	}
	var d path
	for i := 0; i < len(outline); i += 2 {
		if i == 0 {
			d.move(r*outline[i], r*outline[i+1])
		} else {
			d.lineTo(r*outline[i], r*outline[i+1])
		}
	}
	return fmt.Sprintf(`<path d="%sz" %s/>`, d.String(), paint)
}

// symbols draws one symbol at many places: as marks of the corners of a path.
func (p *painter) symbols(at []point, outline []float64, size float64, paint string) {
	if len(at) == 0 {
		return
	}
	if len(at) > 8 { // whole pixels from left to right are shorter
		at = slices.Clone(at)
		for i := range at {
			at[i] = point{math.Round(at[i].x), math.Round(at[i].y)}
		}
		slices.SortFunc(at, func(p, q point) int { return cmp.Or(cmp.Compare(p.x, q.x), cmp.Compare(p.y, q.y)) })
	}
	var d path
	d.move(at[0].x, at[0].y)
	for _, q := range at[1:] {
		d.lineTo(q.x, q.y)
	}
	mark := symbolElement(outline, size, paint)
	n, there := p.markers[mark]
	if !there {
		n = len(p.markers) + 1
		p.markers[mark] = n
		fmt.Fprintf(p, `<marker id="m%d">%s</marker>`, n, mark)
	}
	if len(at) == 1 { // the beginning is the end
		fmt.Fprintf(p, `<path d="%sh0" marker-start="url(#m%d)"/>`, d.String(), n)
		return
	}
	fmt.Fprintf(p, `<path d="%s" fill="none" style="marker:url(#m%d)"/>`, d.String(), n)
}
