package nbhelpers

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/chart"
)

// PlateDiagram is a graphical model: variables, arrows between them, and plates around repeated
// variables. It is drawn as a picture and is not a Chart.
type PlateDiagram struct {
	// Title stands above the picture; none if empty.
	Title string
	// Variables are the nodes. Their names must differ.
	Variables []Variable
	// Arrows are pairs of names. The second variable depends on the first.
	Arrows [][2]string
	// Plates are drawn in this order, around their variables.
	Plates []Plate
}

// Variable is a node of a PlateDiagram.
type Variable struct {
	// Name is written at the node. Arrows and Plates use it.
	Name string
	// X and Y are the column and the row of the centre, counted from the top left. They need not be
	// integers. One column or row is 110 pixels.
	X, Y float64
	// Kind determines how the variable is drawn.
	Kind VariableKind
}

// VariableKind is what is known about a variable.
type VariableKind int

const (
	Latent   VariableKind = iota // not observed: an open circle
	Observed                     // data: a shaded circle
	Constant                     // fixed in advance: a name without a circle
)

// Plate is a frame around repeated variables of a PlateDiagram.
type Plate struct {
	// Label is the number of repetitions, such as "N × C".
	Label string
	// Variables are the names of the variables inside.
	Variables []string
}

// Sizes of a plate diagram in pixels.
const (
	plateUnit   = 110
	plateRadius = 25
	plateMargin = 14 // between a circle and its plate, and around the picture
	plateLabel  = 18 // for the label of a plate, below its variables
)

// Display shows the diagram as output of the notebook cell. It does nothing outside a notebook.
func (d PlateDiagram) Display() { chart.Display(d) }

// HTML returns the diagram as an HTML fragment. It panics if the diagram has no variables, if two
// have the same name, or if an arrow or a plate names a variable that does not exist.
func (d PlateDiagram) HTML() string {
	svg, width := d.draw()
	return fmt.Sprintf(`<div style="max-width:%dpx;background:#fff"><img alt="%s" width="%[1]d" `+
		`style="display:block;max-width:100%%;height:auto" src="%[3]s"></div>`+"\n",
		width, html.EscapeString(d.alt()), chart.SVGURL(svg))
}

// draw returns the diagram as an SVG document, and its width.
func (d PlateDiagram) draw() (svg string, width int) {
	left, top, right, bottom := d.bounds()
	at := func(name string) Variable { // with its centre in pixels
		v := d.find(name)
		v.X, v.Y = v.X*plateUnit-left, v.Y*plateUnit-top
		return v
	}
	width = int(math.Ceil(right - left))
	var p strings.Builder
	p.WriteString(chart.BeginSVG(width, int(math.Ceil(bottom-top)), d.alt()))
	if d.Title != "" {
		p.WriteString(chart.SVGText(plateMargin, plateMargin+16, chart.Plain(d.Title),
			`font-size="16" font-weight="bold"`))
	}
	for _, plate := range d.Plates {
		x, y, w, h := d.frame(plate)
		fmt.Fprintf(&p, `<rect x="%s" y="%s" width="%s" height="%s" fill="none" rx="6" stroke="%s" `+
			`stroke-width="1.2"/>`,
			chart.XY(x-left), chart.XY(y-top), chart.XY(w), chart.XY(h), chart.AxisInk)
		p.WriteString(chart.SVGText(x-left+w-8, y-top+h-7, chart.Plain(plate.Label),
			`fill="`+chart.FaintInk+`" text-anchor="end"`))
	}
	for _, a := range d.Arrows {
		p.WriteString(arrow(at(a[0]), at(a[1])))
	}
	for _, v := range d.Variables {
		v = at(v.Name)
		look := `font-size="18" text-anchor="middle"`
		if v.Kind != Constant {
			look += ` font-weight="bold"`
			fill := [...]string{Latent: "#fff", Observed: "#c9ced6"}[v.Kind]
			fmt.Fprintf(&p, `<circle cx="%s" cy="%s" r="%d" fill="%s" stroke="%s" stroke-width="1.5"/>`,
				chart.XY(v.X), chart.XY(v.Y), plateRadius, fill, chart.Ink)
		}
		p.WriteString(chart.SVGText(v.X, v.Y+6, chart.Plain(v.Name), look))
	}
	p.WriteString("</svg>")
	return p.String(), width
}

// bounds returns the edges of the picture, in pixels from column 0, row 0.
func (d PlateDiagram) bounds() (left, top, right, bottom float64) {
	if len(d.Variables) == 0 {
		panic("nbhelpers: the plate diagram has no variables")
	}
	left, top, right, bottom = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	cover := func(x, y, w, h float64) {
		left, top = min(left, x), min(top, y)
		right, bottom = max(right, x+w), max(bottom, y+h)
	}
	for i, v := range d.Variables {
		if slices.ContainsFunc(d.Variables[:i], func(u Variable) bool { return u.Name == v.Name }) {
			panic(fmt.Sprintf("nbhelpers: two variables are named %q", v.Name))
		}
		cover(v.X*plateUnit-plateRadius, v.Y*plateUnit-plateRadius, 2*plateRadius, 2*plateRadius)
	}
	for _, a := range d.Arrows {
		d.find(a[0])
		d.find(a[1])
	}
	for _, plate := range d.Plates {
		cover(d.frame(plate))
	}
	if d.Title != "" {
		top -= 30
		right = max(right, left+chart.TextWidth(chart.Plain(d.Title), 16))
	}
	return left - plateMargin, top - plateMargin, right + plateMargin, bottom + plateMargin
}

// frame returns the rectangle of a plate.
func (d PlateDiagram) frame(plate Plate) (x, y, w, h float64) {
	if len(plate.Variables) == 0 {
		panic(fmt.Sprintf("nbhelpers: the plate %q is empty", plate.Label))
	}
	const reach = plateRadius + plateMargin
	var xs, ys []float64
	for _, name := range plate.Variables {
		v := d.find(name)
		xs, ys = append(xs, v.X*plateUnit), append(ys, v.Y*plateUnit)
	}
	x, y = slices.Min(xs)-reach, slices.Min(ys)-reach
	w = max(slices.Max(xs)+reach-x, chart.TextWidth(chart.Plain(plate.Label), 12)+16)
	return x, y, w, slices.Max(ys) + reach + plateLabel - y
}

func (d PlateDiagram) find(name string) Variable {
	for _, v := range d.Variables {
		if v.Name == name {
			return v
		}
	}
	panic(fmt.Sprintf("nbhelpers: the plate diagram has no variable %q", name))
}

// arrow is an arrow from the rim of one variable to the rim of another.
func arrow(from, to Variable) string {
	rim := func(v Variable) float64 {
		if v.Kind == Constant {
			return 16
		}
		return plateRadius + 1
	}
	dx, dy := to.X-from.X, to.Y-from.Y
	length := math.Hypot(dx, dy)
	if length <= rim(from)+rim(to) {
		return ""
	}
	const head = 9
	return fmt.Sprintf(`<g transform="translate(%s %s) rotate(%.2f)"><path d="M%s 0H-%d" stroke="%s"/>`+
		`<path d="M0 0L-%[5]d -4L-%[5]d 4z"/></g>`, chart.XY(to.X-rim(to)*dx/length),
		chart.XY(to.Y-rim(to)*dy/length), math.Atan2(dy, dx)*180/math.Pi,
		chart.XY(rim(from)+rim(to)-length), head, chart.Ink)
}

// alt describes the diagram in words.
func (d PlateDiagram) alt() string {
	var parts []string
	for _, v := range d.Variables {
		var parents []string
		for _, a := range d.Arrows {
			if a[1] == v.Name {
				parents = append(parents, chart.Plain(a[0]))
			}
		}
		s := chart.Plain(v.Name) + [...]string{"", " (observed)", " (constant)"}[v.Kind]
		if len(parents) > 0 {
			s += " depends on " + strings.Join(parents, ", ")
		}
		parts = append(parts, s)
	}
	for _, plate := range d.Plates {
		parts = append(parts,
			chart.Plain(plate.Label)+" times "+strings.Join(chart.PlainAll(plate.Variables), ", "))
	}
	return "Plate diagram: " + strings.Join(parts, "; ") + "."
}
