package nbhelpers

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// The colours of everything but classes.
const (
	ink        = "#222222" // text
	faintInk   = "#5f6368" // subtitles, axis names' lesser companions
	axisInk    = "#8a8f98" // axis lines and ticks
	gridInk    = "#e6e8eb" // split lines
	fontFamily = "Helvetica Neue,Arial,sans-serif"
)

// classColors are the eight colours of Okabe and Ito (black is a dark grey here, yellow
// comes last), and then others of different lightness. Classes of similar colours differ
// in shape.
var classColors = []color.RGBA{
	rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7),
	rgb(0xe69f00), rgb(0x56b4e9), rgb(0x4d4d4d), rgb(0xf0e442),
	rgb(0x332288), rgb(0x882255), rgb(0x999933), rgb(0xa6761d),
	rgb(0x44aa99), rgb(0xaa4499), rgb(0xddcc77), rgb(0x117733),
}

func rgb(v uint32) color.RGBA {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

func hexColor(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// ClassColor returns the colour of class c (0, 1, ...) in every chart, as "#rrggbb".
// There are 16 colours; class 16 has the colour of class 0 and another shape. If every
// class is named after a colour, charts use those colours instead; see ClassColors.
func ClassColor(c int) string { return hexColor(classColors[c%len(classColors)]) }

// ClassColors are the colours of classes with these names in every chart, as "#rrggbb".
func ClassColors(names []string) []string { return paletteOf(names).all() }

// namedColors are the colours of classes that are named after a colour, as in the
// synthetic sets of the paper.
var namedColors = map[string]color.RGBA{
	"black": rgb(0x222222), "blue": rgb(0x0072b2), "red": rgb(0xef3f50), "green": rgb(0x009e73),
	"gray": rgb(0x9a9a9a), "orange": rgb(0xe69f00), "crimson": rgb(0x9b0f3a), "brown": rgb(0x7a4a1d),
	"purple": rgb(0x6a3d9a), "teal": rgb(0x56b4e9), "olive": rgb(0x8f8f1f), "pink": rgb(0xf07fb8),
}

// classPalette holds a colour for each class.
type classPalette []color.RGBA

// paletteOf returns the colours of the named classes: namedColors if all names are there, and otherwise
// classColors. A set of classes, "blue | red", has a mixture of their colours, and "no class" is grey.
func paletteOf(classes []string) classPalette {
	named, plain := make(classPalette, len(classes)), make(classPalette, len(classes))
	all := true
	for c, name := range classes {
		plain[c] = classColors[c%len(classColors)]
		if name == "no class" {
			named[c] = color.RGBA{0xbb, 0xbb, 0xbb, 255}
			continue
		}
		for i, one := range strings.Split(name, " | ") {
			rgba, ok := namedColor(one)
			if all = all && ok; i == 0 {
				named[c] = rgba
			} else {
				named[c] = mix(named[c], rgba, 1/float64(i+1))
			}
		}
	}
	if all {
		return named
	}
	return plain
}

// namedColor finds a name, less numbers and punctuation, among namedColors.
func namedColor(name string) (rgba color.RGBA, ok bool) {
	rgba, ok = namedColors[strings.ToLower(strings.Trim(name, "0123456789-_. "))]
	return rgba, ok
}

// hex is the colour of class c as "#rrggbb".
func (p classPalette) hex(c int) string { return hexColor(p[c]) }

// all are the colours of all classes.
func (p classPalette) all() []string {
	list := make([]string, len(p))
	for c := range p {
		list[c] = p.hex(c)
	}
	return list
}

// mix blends from a (share 0) to b (share 1).
func mix(a, b color.RGBA, share float64) color.RGBA {
	f := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + share*(float64(y)-float64(x)))) }
	return color.RGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 255}
}

// inkOn is a colour of text that is readable on c.
func inkOn(c color.RGBA) string {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) > 140 {
		return ink
	}
	return "#ffffff"
}

// rim is the colour of the rim of a symbol of class c: dark around light colours.
func (p classPalette) rim(c int) string {
	if inkOn(p[c]) == ink {
		return "#444444"
	}
	return "#ffffff"
}

// symbol is the outline of a mark.
type symbol struct {
	name    string    // ECharts' name for it
	outline []float64 // x and y of its corners, in a square from −1 to 1; none is the circle
	size    float64   // that makes it look as large as a circle of size 1
}

// symbols are the symbols of the classes, in their order, and the cross.
var symbols = []symbol{
	{name: "circle", size: 1},
	polygon(1.1, 0, -1, 1, .8, -1, .8),       // triangle
	polygon(.87, -1, -1, 1, -1, 1, 1, -1, 1), // square
	polygon(1.15, 0, -1, 1, 0, 0, 1, -1, 0),  // diamond
	polygon(1.1, -.35, -1, .35, -1, .35, -.35, 1, -.35, 1, .35, .35, .35, .35, 1, -.35, 1, -.35, .35, -1, .35, -1, -.35, -.35, -.35), // plus
	polygon(1.1, 0, 1, 1, -.8, -1, -.8), // triangle downwards
	polygon(1.3, 0, -1, .22, -.31, .95, -.31, .36, .12, .59, .81, 0, .38, -.59, .81, -.36, .12, -.95, -.31, -.22, -.31), // star
	polygon(.95, -1, -1, 1, -1, -1, 1, 1, 1),                                                                             // hourglass
	polygon(1.05, -.87, -.5, 0, -1, .87, -.5, .87, .5, 0, 1, -.87, .5),                                                   // hexagon
	polygon(1, -.55, -1, 0, -.45, .55, -1, 1, -.55, .45, 0, 1, .55, .55, 1, 0, .45, -.55, 1, -1, .55, -.45, 0, -1, -.55), // cross
}

// crossShape marks errors; no class has it.
const crossShape = 9

// polygon makes a symbol from corners. It centres and scales them into the square, as
// ECharts does.
func polygon(size float64, corners ...float64) symbol {
	var lo, hi [2]float64
	for i, v := range corners {
		lo[i%2], hi[i%2] = min(lo[i%2], v), max(hi[i%2], v)
	}
	half := max(hi[0]-lo[0], hi[1]-lo[1]) / 2
	var name strings.Builder
	name.WriteString("path://")
	outline := make([]float64, len(corners))
	for i, v := range corners {
		outline[i] = math.Round((v-(lo[i%2]+hi[i%2])/2)/half*100) / 100
		name.WriteString([]string{"L", " "}[i%2] + strconv.FormatFloat(outline[i], 'f', -1, 64))
	}
	return symbol{strings.Replace(name.String(), "L", "M", 1) + "Z", outline, size}
}

// classShape is the symbol of class c.
func classShape(c int) symbol { return symbols[c%crossShape] }

// symbolSize is the size at which the symbol of class c looks as large as a circle of
// the given size.
func symbolSize(c int, size float64) float64 { return classShape(c).sized(size) }

// sized is the size at which the symbol looks as large as a circle of the given size.
func (s symbol) sized(size float64) float64 { return math.Round(s.size*size*10) / 10 }

// The colours of signs: orange and purple of PuOr by ColorBrewer, which colour-blind
// readers can distinguish.
const (
	positiveColor = "#e08214"
	negativeColor = "#8073ac"
)
