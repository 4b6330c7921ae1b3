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
	// Alt is the alternative text, for readers who cannot see the chart.
	Alt string
	// Width is the largest width in CSS pixels; the chart shrinks to fit a narrow page. Height is
	// its height in CSS pixels. A chart with equal scales on both axes, such as Regions, is as large
	// as both allow.
	Width, Height int

	figure   *Figure
	extended *extended // nil unless Echarts was called
	foreign  Node      // option of a wrapped chart, instead of a figure; may be nil
	hover    any       // content of the tooltip of Regions; may be nil
	// twoLines reserves two lines for the subtitle, because the chart next to it in a Grid has two.
	twoLines   bool
	legendRows int // rows of the legend of the chart next to it
}

// Default size of a chart in CSS pixels.
const (
	DefaultWidth  = 720
	defaultHeight = 420
)

// Option returns the option of ECharts as JSON, in which functions are strings.
func (c Chart) Option() json.RawMessage { return script(c.option(), true) }

// Display shows the chart as output of the notebook cell. It does nothing outside a notebook.
func (c Chart) Display() { Display(c) }

// Display shows a block as output of the notebook cell.
func Display(b Block) {
	show(partOf(b, func(Chart) string { return newID() }).whole())
}

// HTML returns the chart as an HTML fragment: a div of class mpcvm-chart with the alternative text,
// and a script that replaces the text with the chart on a page that includes ECharts (see Init and
// WritePage). Equal charts give equal HTML.
func (c Chart) HTML() string { return c.block(digest).whole() }

// digest derives an id from the content of a chart.
func digest(c Chart) string {
	sum := sha256.Sum256(append(script(c.option(), false), script(c.hover, false)...))
	return "mpcvm-" + hex.EncodeToString(sum[:6])
}

func (c Chart) fragment(id string) part { return part{html: c.div(id), code: c.script(id)} }

// script returns the code that makes the element with the given id a live chart.
func (c Chart) script(id string) string {
	return fmt.Sprintf("show(%s,%s);", Quote(id), c.arguments())
}

// arguments returns the option and the tooltip data as page.js takes them.
func (c Chart) arguments() string {
	arguments := string(script(c.option(), false))
	if c.hover != nil {
		arguments += "," + string(script(c.hover, false))
	}
	return arguments
}

// div returns the element of the chart, with its alternative text.
func (c Chart) div(id string) string {
	_, width, height := c.laid()
	return div(id, width, height, c.Alt)
}

// div returns the element of a chart. Package nb of the tools replaces the text by a picture.
func div(id string, width, height int, alt string) string {
	alt = html.EscapeString(alt)
	return fmt.Sprintf(`<div class="mpcvm-chart" id="%s" role="img" aria-label="%s" data-height="%d" `+
		`style="width:100%%;height:%[3]dpx;max-width:%[4]dpx;background:#fff;color:%[5]s;overflow:hidden">`+
		`<p class="mpcvm-alt" style="margin:0;padding:8px">%[2]s</p></div>`, id, alt, height, width, FaintInk)
}

// FigureOf returns the figure of a chart, which can be changed before the chart is shown.
func FigureOf(c Chart) *Figure { return c.figure }

// WithHover returns a chart with data for the tooltip.
func WithHover(c Chart, hover any) Chart {
	c.hover = hover
	return c
}

// Laid returns the figure of a chart as it is drawn, and its size; see Chart.laid.
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

// WriteFile writes the chart as a complete HTML page that needs no network. The name must end in
// .html or .htm. If WriteFile fails, an existing file is left unchanged.
func (c Chart) WriteFile(path string) error {
	if err := checkPage(path); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		return writePage(w, c.title(), []Block{c})
	})
}
