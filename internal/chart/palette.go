package chart

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// The colours of everything except classes.
const (
	Ink        = "#222222" // text
	FaintInk   = "#5f6368" // subtitles and secondary texts
	AxisInk    = "#8a8f98" // axis lines and ticks
	GridInk    = "#e6e8eb" // split lines
	fontFamily = "Helvetica Neue,Arial,sans-serif"
)

// Colors are the eight colours of Okabe and Ito (with dark grey instead of black, and yellow last),
// followed by others of different lightness. Classes with similar colours differ in shape.
var Colors = []color.RGBA{
	RGB(0x0072b2), RGB(0xd55e00), RGB(0x009e73), RGB(0xcc79a7),
	RGB(0xe69f00), RGB(0x56b4e9), RGB(0x4d4d4d), RGB(0xf0e442),
	RGB(0x332288), RGB(0x882255), RGB(0x999933), RGB(0xa6761d),
	RGB(0x44aa99), RGB(0xaa4499), RGB(0xddcc77), RGB(0x117733),
}

// RGB returns the colour 0xrrggbb.
func RGB(v uint32) color.RGBA {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

// HexColor formats a colour as "#rrggbb".
func HexColor(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// ClassColor implements nbhelpers.ClassColor.
func ClassColor(c int) string { return HexColor(Colors[c%len(Colors)]) }

// namedColors are the colours of classes named after a colour, as in the synthetic sets of the
// paper.
var namedColors = map[string]color.RGBA{
	"black": RGB(0x222222), "blue": RGB(0x0072b2), "red": RGB(0xef3f50), "green": RGB(0x009e73),
	"gray": RGB(0x9a9a9a), "orange": RGB(0xe69f00), "crimson": RGB(0x9b0f3a), "brown": RGB(0x7a4a1d),
	"purple": RGB(0x6a3d9a), "teal": RGB(0x56b4e9), "olive": RGB(0x8f8f1f), "pink": RGB(0xf07fb8),
}

// ClassPalette holds a colour for each class.
type ClassPalette []color.RGBA

// PaletteOf returns the colours of the named classes: namedColors if it has all names, without the digits
// and punctuation around them, and otherwise Colors. A set of classes, such as "blue | red", has a mixture
// of their colours, and "no class" is grey.
func PaletteOf(classes []string) ClassPalette {
	named, plain := make(ClassPalette, len(classes)), make(ClassPalette, len(classes))
	all := true
	for c, name := range classes {
		plain[c] = Colors[c%len(Colors)]
		if name == "no class" {
			named[c] = color.RGBA{0xbb, 0xbb, 0xbb, 255}
			continue
		}
		for i, one := range strings.Split(name, " | ") {
			rgba, ok := namedColors[strings.ToLower(strings.Trim(one, "0123456789-_. "))]
			if all = all && ok; i == 0 {
				named[c] = rgba
			} else {
				named[c] = Mix(named[c], rgba, 1/float64(i+1))
			}
		}
	}
	if all {
		return named
	}
	return plain
}

// Hex returns the colour of class c as "#rrggbb".
func (p ClassPalette) Hex(c int) string { return HexColor(p[c]) }

// All returns the colours of all classes.
func (p ClassPalette) All() []string {
	list := make([]string, len(p))
	for c := range p {
		list[c] = p.Hex(c)
	}
	return list
}

// Mix blends from a (share 0) to b (share 1).
func Mix(a, b color.RGBA, share float64) color.RGBA {
	f := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + share*(float64(y)-float64(x)))) }
	return color.RGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 255}
}

// InkOn returns a text colour that is readable on c.
func InkOn(c color.RGBA) string {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) > 140 {
		return Ink
	}
	return "#ffffff"
}

// Rim returns the colour of the rim of a symbol of class c: dark around light colours.
func (p ClassPalette) Rim(c int) string {
	if InkOn(p[c]) == Ink {
		return "#444444"
	}
	return "#ffffff"
}

// Symbol is the outline of a mark.
type Symbol struct {
	Name string  // ECharts' name for it: circle, or path:// with its outline in a square from −1 to 1
	size float64 // at which it looks as large as a circle of size 1
}

// Symbols are the symbols of the classes, in order, and the cross.
var Symbols = []Symbol{
	{Name: "circle", size: 1},
	Polygon(1.1, 0, -1, 1, .8, -1, .8),       // triangle
	Polygon(.87, -1, -1, 1, -1, 1, 1, -1, 1), // square
	Polygon(1.15, 0, -1, 1, 0, 0, 1, -1, 0),  // diamond
	// plus
	Polygon(1.1, -.35, -1, .35, -1, .35, -.35, 1, -.35, 1, .35, .35, .35, .35, 1, -.35, 1, -.35, .35, -1, .35,
		-1, -.35, -.35, -.35),
	Polygon(1.1, 0, 1, 1, -.8, -1, -.8), // triangle downwards
	// star
	Polygon(1.3, 0, -1, .22, -.31, .95, -.31, .36, .12, .59, .81, 0, .38, -.59, .81, -.36, .12, -.95, -.31,
		-.22, -.31),
	// hourglass
	Polygon(.95, -1, -1, 1, -1, -1, 1, 1, 1),
	// hexagon
	Polygon(1.05, -.87, -.5, 0, -1, .87, -.5, .87, .5, 0, 1, -.87, .5),
	// cross
	Polygon(1, -.55, -1, 0, -.45, .55, -1, 1, -.55, .45, 0, 1, .55, .55, 1, 0, .45, -.55, 1, -1, .55, -.45, 0,
		-1, -.55),
}

// CrossShape marks errors. No class has this shape.
const CrossShape = 9

// Polygon returns a symbol with the given corners, centred and scaled to the square as in ECharts.
func Polygon(size float64, corners ...float64) Symbol {
	var lo, hi [2]float64
	for i, v := range corners {
		lo[i%2], hi[i%2] = min(lo[i%2], v), max(hi[i%2], v)
	}
	half := max(hi[0]-lo[0], hi[1]-lo[1]) / 2
	var name strings.Builder
	name.WriteString("path://")
	for i, v := range corners {
		at := math.Round((v-(lo[i%2]+hi[i%2])/2)/half*100) / 100
		name.WriteString([]string{"L", " "}[i%2] + strconv.FormatFloat(at, 'f', -1, 64))
	}
	return Symbol{strings.Replace(name.String(), "L", "M", 1) + "Z", size}
}

// ClassShape returns the symbol of class c.
func ClassShape(c int) Symbol { return Symbols[c%CrossShape] }

// SymbolSize returns the size at which the symbol of class c looks as large as a circle of the given
// size.
func SymbolSize(c int, size float64) float64 { return ClassShape(c).Sized(size) }

// Sized returns the size at which the symbol looks as large as a circle of the given size.
func (s Symbol) Sized(size float64) float64 { return math.Round(s.size*size*10) / 10 }

// The colours of signs: orange and purple of PuOr by ColorBrewer, which colour-blind readers can
// distinguish.
const (
	PositiveColor = "#e08214"
	NegativeColor = "#8073ac"
)
