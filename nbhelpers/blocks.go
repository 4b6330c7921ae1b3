package nbhelpers

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/mpcvm/mpcvm/internal/chart"
)

type (
	// Chart is a chart of any kind. Its fields Alt, the alternative text, and Width and Height, in
	// CSS pixels, can be changed before it is shown. The chart shrinks to fit a narrow page. A
	// chart with equal scales on both axes, such as Regions, is as large as Width and Height allow.
	//
	// Display shows the chart as output of the notebook cell, and does nothing outside a notebook.
	// WriteFile writes a complete HTML page that needs no network; the name of the file must end in
	// .html or .htm. HTML returns an HTML fragment, and Option returns the ECharts option as JSON.
	// Where scripts are not allowed to run, the alternative text is shown instead, or the picture
	// that tools/nb adds to an executed notebook.
	//
	// Echarts returns the underlying go-echarts chart, for features that this package does not
	// offer: AddSeries adds a line, Overlap adds the series of a Bar, a Scatter or another chart on
	// rectangular axes, and SetGlobalOptions changes titles, axes, legend and tooltip. Options that
	// are not given keep their values. The axes grow to include added points, and added series with
	// a name appear in the legend.
	Chart = chart.Chart

	// Block is an element of a page: a Heading, a Text, a Table, a Chart, Frames, a Grid, a Page, or
	// any type with a method HTML that returns an HTML fragment without scripts.
	Block = chart.Block

	// PageBlock is a column of Blocks; see Page. Display shows it as output of the notebook cell,
	// and HTML returns it as an HTML fragment.
	PageBlock = chart.PageBlock

	// GridBlock is a grid of blocks; see Grid. Columns is the largest number of columns, and Blocks
	// are laid out from left to right and then down. Display shows the grid as output of the
	// notebook cell, and HTML returns it as an HTML fragment.
	GridBlock = chart.GridBlock

	// TableBlock is a table; see Table. Caption stands above it, Header holds the names of the
	// columns, Rows holds the cells as text, and Bold, which may be shorter, marks the cells in bold.
	// Display shows the table as output of the notebook cell, and HTML returns it as an HTML fragment.
	TableBlock = chart.TableBlock

	// Frame is one of the charts that Frames shows in turn. Label is written next to the slider,
	// Chart is the chart, and At is the point in FramesOptions.By that stands for the frame.
	Frame = chart.Frame

	// FramesOptions are the options of Frames: the Title above the slider, the Name of the quantity
	// it changes, such as "iteration" or "θ", and Start, the index of the frame shown first. By, if
	// not nil, is a chart next to the frames; pointing at Frame.At in it shows the frame.
	FramesOptions = chart.FramesOptions

	// FramesBlock is a series of charts with a slider; see Frames. Display shows it as output of the
	// notebook cell, and HTML returns it as an HTML fragment.
	FramesBlock = chart.FramesBlock

	// Slider shows a chart that the running kernel redraws while the reader moves a slider, for
	// instance of a model fitted at the chosen value. Frames does not need a kernel.
	//
	//	nbhelpers.Slider{Name: "θ", Values: floats.LogSpan(make([]float64, 31), 0.03, 30), Start: 15}.Run(
	//		func(ctx context.Context, theta float64) (nbhelpers.Chart, error) {
	//			learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: theta}}
	//			model, _, err := learner.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T})
	//			if err != nil {
	//				return nbhelpers.Chart{}, err
	//			}
	//			return nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{}), nil
	//		})
	//
	// Name is the quantity that the slider sets, Values are its values from left to right, Start is
	// the index of the first value shown, and Format formats a value as fmt.Sprintf does (default
	// "%.3g").
	//
	// Run shows the chart for the starting value below the slider, and a new chart for each value that
	// the reader chooses. If the reader moves on after draw has been running for more than 0.3 s, its
	// context is cancelled and its result is discarded. The cell runs until the reader presses Done or
	// stops the cell. The last chart stays, without the slider, and Run returns nil. If draw fails before
	// its context is cancelled, Run returns its error.
	//
	// The slider works in the classic notebook and in JupyterLab 4, also over https, below a base
	// URL and on JupyterHub, and in a page that runs Go itself. It should also work in Notebook 7
	// and on Binder, which describe their server in the same way, but this is not tested. It does
	// not work in VS Code and Colab, where it cannot reach the kernel.
	//
	// Without a reader (in nbconvert, or if the page does not reach the kernel within 20 s) Run
	// shows only the first chart. Outside a notebook it calls draw once and shows nothing. Run
	// panics if Start is not an index of Values.
	Slider = chart.Slider

	// GoECharts is a chart of the go-echarts package, such as *charts.Line.
	GoECharts = chart.GoECharts
)

// Init embeds ECharts (260 kB, no network) in the output of the cell, for all charts of the
// notebook. Call it in one cell of a notebook; without it, charts show only their alternative texts.
// It does nothing when called again, outside a notebook, or in a page that runs Go itself, which
// already includes ECharts.
func Init() { chart.Init() }

// Context returns a context that is cancelled when the notebook's Stop button is pressed (the kernel
// gets SIGINT), or on Ctrl-C in a terminal. Call the returned function when the work is done.
//
// A fit that is stopped returns its current model, with an error that wraps context.Canceled. Variables
// do not outlive their cell, so use [Keep] to store the model in a file for later cells, or save it
// yourself:
//
//	ctx, stop := nbhelpers.Context()
//	defer stop()
//	model, result, err := learner.Fit(ctx, mpcvm.Samples{X: x, T: set.T}, progress.Observe)
//	progress.Done(result)
//	if err != nil && !errors.Is(err, context.Canceled) || model == nil {
//		panic(err) // bad data, or stopped before there was a model
//	}
//	err = model.SaveFile("model.json") // and later mpcvm.LoadFile
//
// After a stop the kernel waits a few seconds for the cell to end. The context is also cancelled when the
// kernel is gone; five seconds later the program of the cell exits.
//
// In a page that runs Go itself, Stop ends the program at once, and no model is returned.
func Context() (context.Context, context.CancelFunc) { return chart.Here.Context() }

// Heading returns a heading one level below the title of the page.
func Heading(text string) Block { return chart.Element("<h2>", text, "</h2>") }

// Text returns a paragraph.
func Text(text string) Block { return chart.Element("<p>", text, "</p>") }

// Table returns a table with a header and rows. Columns of numbers are aligned right, and "± 0.1" in
// them is set small.
func Table(header []string, rows [][]string) TableBlock {
	return TableBlock{Header: header, Rows: rows}
}

// Row returns the cells of a row for Table. It formats like fmt.Sprintf and splits the result at
// each |, as in Row("%s|%.1f", name, err).
func Row(format string, values ...any) []string {
	return strings.Split(fmt.Sprintf(format, values...), "|")
}

// Grid lays out blocks side by side in at most the given number of columns, or fewer on a narrow
// page. Blocks are usually charts, tables or other grids. Charts shrink to their column: to at most
// 560 CSS pixels in two columns, 360 in three and 300 in more. Charts with the same legend share one
// legend above the grid. Grid panics if columns is less than 1.
func Grid(columns int, blocks ...Block) GridBlock { return chart.Grid(columns, blocks...) }

// Frames shows one chart at a time, with a slider and a play button to go from one to the next. It does
// not need a kernel, so it works in a notebook exported to HTML and in WritePage. Where scripts are not
// allowed to run, only the frame at Start is shown.
//
// The charts should have the same axes, so that only the content changes: give ranges to Lines. For
// many Regions choose fewer Cells, such as 80; 20 models on 400 samples then take 80 kB. Frames
// panics if opt.Start is not an index of frames.
func Frames(frames []Frame, opt FramesOptions) FramesBlock { return chart.Frames(frames, opt) }

// Wrap converts a go-echarts chart to a Chart, which needs no network in a cell or a file. The size is
// 720×420 unless changed. Options that are JavaScript functions (opts.FuncOpts) work.
//
// The embedded build of ECharts draws lines, bars, scatter plots, heat maps, box plots and custom
// series on rectangular axes, with title, legend, tooltip, grid, a continuous visualMap and rules
// (markLine). Wrap panics if the chart uses other series or components, such as pie or dataZoom, and
// names them. It ignores toolboxes, marked points and areas, the mode for large series, and options
// in the form used before ECharts 5. Alt is the title of the chart unless changed.
func Wrap(c GoECharts) Chart { return chart.Wrap(c) }

// Page stacks blocks, one below the other.
func Page(blocks ...Block) PageBlock { return PageBlock{Blocks: blocks} }

// WritePage writes a report as one HTML page that needs no network. The page includes ECharts if
// there is a chart. Its content security policy allows only its own scripts.
func WritePage(w io.Writer, title string, blocks ...Block) error {
	return chart.WritePage(w, title, blocks...)
}

// WritePageFile writes a report to a file, whose name must end in .html or .htm. If it fails, an
// existing file is left unchanged.
func WritePageFile(path, title string, blocks ...Block) error {
	return chart.WritePageFile(path, title, blocks...)
}

// ClassColor returns the colour of class c (0, 1, ...) in every chart, as "#rrggbb". There are 16
// colours; class 16 has the same colour as class 0 with another shape. If every class is named after
// a colour, charts use those colours instead; see ClassColors.
func ClassColor(c int) string { return chart.ClassColor(c) }

// ClassColors returns the colours of classes with these names in every chart, as "#rrggbb".
func ClassColors(names []string) []string { return chart.PaletteOf(names).All() }
