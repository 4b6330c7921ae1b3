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

	figure   *Figure
	extended *extended // nil unless Echarts was called
	foreign  Node      // option of a wrapped chart, which replaces that of the figure; nil means none
	hover    any       // what the page shows at the pointer, see Regions; nil means nothing
	// twoLines keeps room for two lines of the subtitle, as the chart next to it in a Grid has two.
	twoLines   bool
	legendRows int // of that chart
}

// Default size of a chart in CSS pixels.
const (
	DefaultWidth  = 720
	defaultHeight = 420
)

// Option returns the option of ECharts as JSON. Functions are texts in it.
func (c Chart) Option() json.RawMessage { return script(c.option(), true) }

// Display shows the chart as output of the notebook cell. It does nothing outside of a
// notebook.
func (c Chart) Display() { Display(c) }

// Display shows a block as output of the notebook cell.
func Display(b Block) {
	show(partOf(b, func(Chart) string { return newID() }).whole())
}

// HTML returns the chart as a piece of HTML: a div of class mpcvm-chart with its alternative text, and a
// script that replaces the text with the chart on a page that has ECharts (see Init and WritePage). Equal
// charts give equal texts.
func (c Chart) HTML() string { return c.block(digest).whole() }

// digest makes an id from what a chart shows.
func digest(c Chart) string {
	sum := sha256.Sum256(append(script(c.option(), false), script(c.hover, false)...))
	return "mpcvm-" + hex.EncodeToString(sum[:6])
}

func (c Chart) fragment(id string) part { return part{html: c.div(id), code: c.script(id)} }

// script is the code that makes the element of that id a live chart.
func (c Chart) script(id string) string {
	return fmt.Sprintf("show(%s,%s);", Quote(id), c.arguments())
}

// arguments are the option and what the pointer shows, as page.js takes them.
func (c Chart) arguments() string {
	arguments := string(script(c.option(), false))
	if c.hover != nil {
		arguments += "," + string(script(c.hover, false))
	}
	return arguments
}

// div is the element of the chart, with its alternative text in it.
func (c Chart) div(id string) string {
	_, width, height := c.laid()
	return div(id, width, height, c.Alt)
}

// div is the element of a chart. Package nb of the tools puts a picture where the text is.
func div(id string, width, height int, alt string) string {
	alt = html.EscapeString(alt)
	return fmt.Sprintf(`<div class="mpcvm-chart" id="%s" role="img" aria-label="%s" data-height="%d" `+
		`style="width:100%%;height:%[3]dpx;max-width:%[4]dpx;background:#fff;color:%[5]s;overflow:hidden">`+
		`<p class="mpcvm-alt" style="margin:0;padding:8px">%[2]s</p></div>`, id, alt, height, width, FaintInk)
}

// FigureOf is the figure of a chart, to change it before the chart is shown.
func FigureOf(c Chart) *Figure { return c.figure }

// WithHover is a chart with what the page shows at the pointer.
func WithHover(c Chart, hover any) Chart {
	c.hover = hover
	return c
}

// Shown is a chart for an output of its own, and the id of its element.
func Shown(c Chart) (id, html string) {
	id = newID()
	return id, c.fragment(id).whole()
}

// Another is a script that gives the chart with that id the option of another.
func Another(id string, c Chart) string {
	return run(fmt.Sprintf("show.another(%s,%s);", Quote(id), c.arguments()))
}

// Laid is the figure of a chart as it is drawn, and its size; see Chart.laid.
func Laid(c Chart) (f *Figure, width, height int) { return c.laid() }

// title is the title of the chart.
func (c Chart) title() string {
	if c.figure == nil {
		return cmp.Or(c.Alt, "Chart")
	}
	if c.extended != nil {
		return cmp.Or(Plain(c.extended.line.Title.Title), c.figure.Title, "Chart")
	}
	return cmp.Or(c.figure.Title, "Chart")
}

// WriteFile writes the chart as a complete HTML page that needs no network. The name must end in .html or
// .htm. If WriteFile fails, an existing file keeps its content.
func (c Chart) WriteFile(path string) error {
	if err := checkPage(path,
		"open the page in a browser and take a picture of it there"); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		return writePage(w, c.title(), []Block{c})
	})
}
