package nbhelpers

import (
	"fmt"
	"math"
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

// symbolElement is the element of a symbol of the given size around x, y.
func symbolElement(outline []float64, x, y, size float64, paint string) string {
	r := size / 2
	if len(outline) == 0 {
		at := ""
		if x != 0 || y != 0 {
			at = fmt.Sprintf(` cx="%s" cy="%s"`, xy(x), xy(y))
		}
		return fmt.Sprintf(`<circle%s r="%.3g" %s/>`, at, r, paint)
	}
	var d path
	for i := 0; i < len(outline); i += 2 {
		if i == 0 {
			d.move(x+r*outline[i], y+r*outline[i+1])
		} else {
			d.lineTo(x+r*outline[i], y+r*outline[i+1])
		}
	}
	return fmt.Sprintf(`<path d="%sz" %s/>`, d.String(), paint)
}

// symbols draws one symbol at many places: as marks of the corners of a path, the
// last of which is there twice and has no mark.
func (p *painter) symbols(at []point, outline []float64, size float64, paint string) {
	if len(at) == 0 {
		return
	}
	var d path
	d.move(at[0].x, at[0].y)
	for _, q := range at[1:] {
		d.lineTo(q.x, q.y)
	}
	p.markers++
	fmt.Fprintf(p, `<marker id="m%d" overflow="visible">%s</marker><path d="%sh0" fill="none" marker-start="url(#m%[1]d)" marker-mid="url(#m%[1]d)"/>`,
		p.markers, symbolElement(outline, 0, 0, size, paint), d.String())
}
