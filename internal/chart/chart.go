package chart

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
)

// Chart is a chart of any kind. Its exported fields may be changed before it is shown.
type Chart struct {
	// Alt says in words what the chart shows, for readers who cannot see it.
	Alt string
	// Width is the largest width in CSS pixels. In a narrower place the chart shrinks.
	// Height is its height in CSS pixels. A chart with one scale on both axes, as Regions
	// has, is as large as both allow.
	Width, Height int

	figure  *Figure
	foreign any // option of a wrapped chart, in place of the figure's; nil means none
	hover   any // what the page shows at the pointer, see Regions; nil means nothing
	// twoLines keeps room for two lines of the subtitle, as the chart next to it in a Grid has two.
	twoLines bool
}

// Default size of a chart in CSS pixels.
const (
	DefaultWidth  = 720
	defaultHeight = 420
)

// option is the option of ECharts, with its pictures or with the number of the first in the
// still picture; see Figure.option.
func (c Chart) option(still int) any {
	switch {
	case c.foreign != nil:
		return c.foreign
	case c.figure == nil: // the zero Chart
		return struct{}{}
	}
	f, _, _ := c.laid()
	return f.option(still)
}

// Option returns the option of ECharts as JSON. Functions are texts in it.
func (c Chart) Option() json.RawMessage { return script(c.option(ownPictures), true) }

// SVG returns the chart as a still picture: an SVG document.
func (c Chart) SVG() string { return c.svg(c.Alt) }

func (c Chart) svg(alt string) string {
	f, width, height := c.laid()
	return f.svg(width, height, alt)
}

// Display shows the chart as output of the notebook cell. It does nothing outside of a
// notebook.
func (c Chart) Display() { Display(c) }

// Display shows a block as output of the notebook cell.
func Display(b Block) {
	show(partOf(b, func(Chart) string { return newID() }).whole())
}

// HTML returns the chart as a piece of HTML: a div of class mpcvm-chart with the still
// picture, and a script that replaces it by the live chart on a page that has ECharts
// (see Init and WritePage). Equal charts give equal texts.
func (c Chart) HTML() string { return c.block(digest).whole() }

// digest makes an id from what a chart shows.
func digest(c Chart) string {
	sum := sha256.Sum256(append(script(c.option(ownPictures), false), script(c.hover, false)...))
	return "mpcvm-" + hex.EncodeToString(sum[:6])
}

func (c Chart) fragment(id string) part { return part{html: c.div(id), code: c.script(id)} }

// script is the code that makes the element of that id a live chart.
func (c Chart) script(id string) string {
	return fmt.Sprintf("show(%s,%s);", Quote(id), c.arguments(0))
}

// arguments are the option and what the pointer shows, as page.js takes them.
func (c Chart) arguments(still int) string {
	arguments := string(script(c.option(still), false))
	if c.hover != nil {
		arguments += "," + string(script(c.hover, false))
	}
	return arguments
}

// div is the element of the chart, with the still picture in it.
func (c Chart) div(id string) string {
	_, width, height := c.laid()
	return div(id, width, height, c.still())
}

// div is the element of a chart with a still picture. The page gives it the height of the
// picture when it makes the chart live; until then the picture shrinks with the place.
func div(id string, width, height int, still string) string {
	return fmt.Sprintf(`<div class="mpcvm-chart" id="%s" data-height="%d" style="width:100%%;max-width:%dpx;background:#fff;overflow:hidden">%s</div>`,
		id, height, width, still)
}

// FigureOf is the figure of a chart, to change it before the chart is shown.
func FigureOf(c Chart) *Figure { return c.figure }

// WithHover is a chart with what the page shows at the pointer.
func WithHover(c Chart, hover any) Chart {
	c.hover = hover
	return c
}

// LiveHTML is a chart for an output of its own.
func LiveHTML(c Chart) string { return c.fragment(newID()).whole() }

// Laid is the figure of a chart as it is drawn, and its size; see Chart.laid.
func Laid(c Chart) (f *Figure, width, height int) { return c.laid() }

// StillHTML is the still picture of a chart, as an element.
func StillHTML(c Chart) string { return c.still() }

// still is the picture as an element.
func (c Chart) still() string {
	_, width, _ := c.laid()
	return still(width, c.Alt, c.svg(""))
}

// still is a picture as an element. It has no attribute for its height, which would squeeze
// it where styles are stripped and the place is narrow.
func still(width int, alt, svg string) string {
	return fmt.Sprintf(`<img alt="%s" width="%d" style="display:block;width:100%%;height:auto" src="%s">`,
		html.EscapeString(alt), width, SVGURL(svg))
}

// title is the title of the chart.
func (c Chart) title() string {
	if c.figure == nil {
		return "Chart"
	}
	return cmp.Or(c.figure.Title, "Chart")
}

// WriteFile writes the chart as a complete HTML page that needs no network. The name must end in
// .html or .htm; [Chart.SVG] makes a picture. If WriteFile fails, an existing file keeps its content.
func (c Chart) WriteFile(path string) error {
	if err := checkPage(path,
		"os.WriteFile with the text of chart.SVG() writes a picture, or open the page in a browser and print it"); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		return writePage(w, c.title(), []Block{c})
	})
}
