package nbhelpers

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/mpcvm/mpcvm/internal/chart"
)

type (
	// Chart is a chart of any kind. The fields Alt, a text that describes the chart, Width and Height,
	// in CSS pixels, may be changed before it is shown. In a narrower place the chart shrinks. A chart with
	// one scale on both axes, such as Regions, is as large as both allow.
	//
	// Display shows the chart as output of the notebook cell, and does nothing outside of a notebook.
	// WriteFile writes a complete HTML page that needs no network, to a file whose name ends in .html or
	// .htm. HTML returns a piece of HTML, and Option the option of ECharts as JSON. Where scripts may not
	// run, a chart is its alternative text, or the picture that tools/nb adds to an executed notebook.
	//
	// Echarts returns the chart of go-echarts that draws it, for what the functions of this package do not
	// offer: AddSeries adds a line, Overlap the series of a Bar, a Scatter or another chart on rectangular
	// axes, and SetGlobalOptions changes titles, axes, legend and tooltip. What is not given stays as it is.
	// Axes grow to show the points that are added, and the names of added series are in the legend.
	Chart = chart.Chart

	// Block is a part of a page: a Heading, a Text, a Code, a Table, a PlateDiagram, a Chart, Frames of
	// charts, a Grid of blocks, a Page of blocks, or any type whose method HTML returns a piece of HTML
	// without scripts.
	Block = chart.Block

	// PageBlock is blocks one below the other; see Page. Display shows them as output of the notebook cell,
	// and HTML returns them as a piece of HTML.
	PageBlock = chart.PageBlock

	// GridBlock is blocks side by side; see Grid. Columns is the largest number of columns, and Blocks are
	// laid out from left to right and then down. Display shows the grid as output of the notebook cell, and
	// HTML returns it as a piece of HTML.
	GridBlock = chart.GridBlock

	// TableBlock is a table; see Table. Caption stands above it, Header names the columns, and Rows are the
	// cells, as text; Bold has the cells that are bold. Display shows the table as output of the notebook
	// cell, and HTML returns it as a piece of HTML.
	TableBlock = chart.TableBlock

	// Frame is one of the charts that Frames shows in turn: Label is written next to the slider, Chart is
	// shown, and At is the point in FramesOptions.By that stands for the frame.
	Frame = chart.Frame

	// FramesOptions are the choices of Frames: the Title above the slider, the Name of what it runs over,
	// such as "iteration" or "θ", and the number of the frame that is shown at the Start, from 0. By, which
	// may be nil, is a chart next to the frames: to point at Frame.At in it shows the frame.
	FramesOptions = chart.FramesOptions

	// FramesBlock is a slider over charts; see Frames. Display shows it as output of the notebook cell, and
	// HTML returns it as a piece of HTML.
	FramesBlock = chart.FramesBlock

	// Slider shows a chart that a running kernel draws again while the reader moves the slider, for instance
	// of a model fitted at the chosen value. Frames need no kernel.
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
	// Name is the quantity that the slider sets, Values are its values from left to right, Start is the number
	// of the first value shown, and Format writes a value as fmt.Sprintf does ("%.3g" if it is empty).
	//
	// Run shows the chart of the starting value below the slider, and another one for each value that the
	// reader moves it to. If the reader moves on and draw takes more than 0.3 s, its context ends, and what
	// it returns is not shown. The cell runs until the reader presses Done or stops the cell. The last
	// chart stays, without the slider, and Run returns nil. Run returns the error of a draw whose context
	// had not ended.
	//
	// The slider works in the classic notebook and in JupyterLab 4, also under https, below a base URL and on
	// JupyterHub, and in a page that runs Go itself. Notebook 7 and Binder describe their server in the same
	// way; they were not tried. In VS Code and Colab it cannot reach the kernel.
	//
	// Without a reader (in nbconvert, or if the page does not reach the kernel within 20 s) Run shows the
	// first chart only. Outside of a notebook it calls draw once and shows nothing. It panics if there is
	// no value with the number Start.
	Slider = chart.Slider

	// GoECharts is a chart of the package go-echarts, such as *charts.Line.
	GoECharts = chart.GoECharts
)

// Init embeds ECharts (260 kB, no network) in the output of this cell. All charts of the
// notebook use it, also the charts of other cells. Call it in one cell of a notebook. Without
// it charts are only their alternative texts. It does nothing when called again, outside of a
// notebook, or in a page that runs Go itself, which has ECharts.
func Init() { chart.Init() }

// Context returns a context that ends when the notebook's Stop button is pressed (the
// kernel gets SIGINT), or with Ctrl-C on a terminal. Call the function that it returns
// when the work is done.
//
// A fit that is stopped returns the model so far, with an error that wraps
// context.Canceled. Variables do not outlive their cell, so [Keep] the model in a file for
// later cells, or save it yourself:
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
// After a stop the kernel waits some seconds until the cell has ended. The context also
// ends when the kernel is gone; five seconds later the program of the cell exits.
//
// In a page that runs Go itself, Stop ends the program at once, and nothing is kept.
func Context() (context.Context, context.CancelFunc) { return chart.Context() }

// Heading is a heading below the title of the page.
func Heading(text string) Block { return chart.Element("<h2>", text, "</h2>") }

// Text is a paragraph.
func Text(text string) Block { return chart.Element("<p>", text, "</p>") }

// Code is a text in a fixed-width font that keeps its lines.
func Code(text string) Block { return chart.Element(`<pre tabindex="0">`, text, "</pre>") }

// Table makes a table of a header and rows. Columns of numbers are flush right, and "± 0.1" in them is small.
func Table(header []string, rows [][]string) TableBlock { return chart.Table(header, rows) }

// Row makes the cells of a row for Table. The format is as of fmt.Sprintf, and | stands
// between two cells: Row("%s|%.1f", name, err).
func Row(format string, values ...any) []string {
	return strings.Split(fmt.Sprintf(format, values...), "|")
}

// Grid lays blocks out side by side in at most the given number of columns. Blocks are
// charts, tables or other grids. A narrow page has fewer columns. Charts shrink to their
// column: to at most 560 CSS pixels in two columns, 360 in three, 300 in more. Charts with
// the same legend share one above the grid. Charts in a row have the same room for their
// subtitles. Grid panics if columns is less than 1.
func Grid(columns int, blocks ...Block) GridBlock { return chart.Grid(columns, blocks...) }

// Frames shows charts in one place, with a slider and a play button to go from one to
// the next. It needs no kernel, so it works in a notebook exported to HTML and in
// WritePage. Where scripts may not run, only the frame that is shown first is there.
//
// The charts should have the same axes, so that only what changes moves: give ranges to
// Lines. For many Regions choose fewer Cells, such as 80: then 20 models on 400 samples
// are 80 kB. Frames panics if there is no frame with the number Start.
func Frames(frames []Frame, opt FramesOptions) FramesBlock { return chart.Frames(frames, opt) }

// Wrap makes a Chart of a chart of go-echarts, for a cell or a file, offline.
// The size is 720×420 unless changed. Functions given as go-echarts functions
// (opts.FuncOpts) work.
//
// The embedded part of ECharts draws lines, bars, scatter, heat maps, box plots and
// custom series on rectangular axes, with title, legend, tooltip, grid, a continuous
// visualMap and rules (markLine). Wrap panics with the names of other types of series
// and components, such as pie or dataZoom. Toolboxes, marked points and areas, the
// mode for large series, and options in forms that ECharts had before version 5 are
// left out. Alt is the title of the chart unless changed.
func Wrap(c GoECharts) Chart { return chart.Wrap(c) }

// Page puts blocks one below the other.
func Page(blocks ...Block) PageBlock { return chart.Page(blocks...) }

// WritePage writes a report: one HTML page that needs no network. ECharts is in it if
// there is a chart. Its policy allows the scripts of the page and no others.
func WritePage(w io.Writer, title string, blocks ...Block) error {
	return chart.WritePage(w, title, blocks...)
}

// WritePageFile writes a report to a file, whose name must end in .html or .htm. If it fails, an
// existing file keeps its content.
func WritePageFile(path, title string, blocks ...Block) error {
	return chart.WritePageFile(path, title, blocks...)
}

// ClassColor returns the colour of class c (0, 1, ...) in every chart, as "#rrggbb".
// There are 16 colours; class 16 has the colour of class 0 and another shape. If every
// class is named after a colour, charts use those colours instead; see ClassColors.
func ClassColor(c int) string { return chart.ClassColor(c) }

// ClassColors are the colours of classes with these names in every chart, as "#rrggbb".
func ClassColors(names []string) []string { return chart.ClassColors(names) }

// SystemColor returns the colour of a system, such as "mPCVM₂", in every chart that
// compares systems, as "#rrggbb". No class and no sign has it. mPCVM₁, mPCVM₂, mRVM₁,
// mRVM₂, SVM, DLSR, MLR, Auto, KernelPrior, forest and votes have colours of their own;
// case, spaces and subscripts do not matter. Any other name has one of six further
// colours, always the same. A chart in which two such names would be alike gives the
// second another one.
func SystemColor(name string) string { return chart.SystemColor(name) }
