package charts

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/table"
)

// DependenceOptions configures Dependence. The zero value draws the mean probabilities of all classes.
type DependenceOptions struct {
	// Title is the title of the chart. If empty, it names the column.
	Title string
	// Class restricts the chart to the probability of this class, and shows single rows as well: as a faint
	// curve for each row if the column is a number or a date, and as a box for each level of a category.
	Class string
}

// Dependence draws how the class probabilities depend on a column, as returned by assess.PartialDependence.
// Numbers are on the x axis, with ticks at the bottom that mark the cells of the column; dates are shown in
// years. For a category or a boolean, each level is a row. Dependence panics if Class is not one of the
// classes.
func Dependence(d *assess.Dependence, opt DependenceOptions) nbhelpers.Chart {
	defer chart.Readable()
	classes := []int{}
	if opt.Class != "" {
		c := slices.Index(d.Classes, opt.Class)
		if c < 0 {
			fault("Dependence", "%q is not one of the classes %q", opt.Class, d.Classes)
		}
		classes = append(classes, c)
	} else {
		for c := range d.Classes {
			classes = append(classes, c)
		}
	}
	column := chart.Plain(d.Column)
	title := cmp.Or(chart.Plain(opt.Title), "Dependence on "+column)
	const mean = "mean probability if all rows had the value"
	if d.Levels != nil {
		return levels(d, classes, title, mean, opt.Class)
	}
	unit := func(v float64) float64 { return v }
	if d.Kind == table.Date {
		const year = 365.2425 * 86400
		unit = func(v float64) float64 { return 1970 + v/year }
		column = chart.JoinedBy(column, " ", "(year)")
	}
	x := make([]float64, len(d.Values))
	for g, v := range d.Values {
		x[g] = unit(v)
	}
	colors := chart.PaletteOf(d.Classes)
	var series []nbhelpers.Series
	subtitle := mean
	for _, c := range classes {
		series = append(series, nbhelpers.Series{Name: chart.Plain(d.Classes[c]), X: x,
			Y: mat.Col(nil, c, d.Mean), Color: colors.Hex(c), Dots: len(x) < 8})
	}
	if opt.Class != "" {
		subtitle = fmt.Sprintf("%s · faint: %s", mean, words.CountOf(len(d.Curves), "single row"))
	}
	c := nbhelpers.Lines(series, nbhelpers.LinesOptions{Title: title, Subtitle: subtitle, XName: column,
		YName: "probability", YRange: [2]float64{0, 1}})
	under := &chart.Sketch{Base: chart.Base{Z: 1, Clip: true, Silent: true}}
	if opt.Class != "" {
		faint := chart.HexColor(chart.Mix(chart.ParseHex(colors.Hex(classes[0])), chart.RGB(0xffffff), .65))
		for _, curve := range d.Curves {
			at := make([]chart.Point, len(x))
			for g := range x {
				at[g] = chart.Point{x[g], curve.At(g, classes[0])}
			}
			under.Strokes = append(under.Strokes,
				chart.Stroke{At: chart.Simplified(at, .002), Color: faint, Width: 1})
		}
	}
	const most = 200 // maximum number of ticks
	for i := 0; i < len(d.Cells); i += 1 + len(d.Cells)/most {
		v := unit(d.Cells[i])
		under.Strokes = append(under.Strokes,
			chart.Stroke{At: []chart.Point{{v, 0}, {v, .025}}, Color: chart.AxisInk, Width: 1})
	}
	chart.FigureOf(c).Add(under)
	return c
}

// levels draws the dependence on a category or a boolean.
func levels(d *assess.Dependence, classes []int, title, mean, class string) nbhelpers.Chart {
	names := chart.PlainAll(d.Levels)
	count := make([]int, len(names))
	for _, code := range d.Cells {
		count[int(code)]++
	}
	for g, n := range count {
		names[g] = fmt.Sprintf("%s (%d)", names[g], n)
	}
	if class != "" {
		boxes := make([]nbhelpers.Box, len(names))
		for g, name := range names {
			boxes[g].Name = name
			for _, curve := range d.Curves {
				boxes[g].Values = append(boxes[g].Values, curve.At(g, classes[0]))
			}
		}
		return nbhelpers.Boxes(boxes, nbhelpers.BoxesOptions{Title: title,
			Name: "probability of " + chart.Plain(class), Horizontal: true,
			Subtitle: fmt.Sprintf("%s, each with every level · diamond: mean",
				words.CountOf(len(d.Curves), "single row"))})
	}
	f := &chart.Figure{Title: title, Subtitle: mean + " · in brackets: number of rows"}
	colors := chart.PaletteOf(d.Classes)
	for _, c := range classes {
		marks := &chart.Dots{Base: chart.Base{Name: chart.Plain(d.Classes[c]), Z: 3,
			Tip: []string{"{1 in names}", "{marker}{series} *{0}*"}}, Color: colors.Hex(c),
			Marker: chart.ClassShape(c), Size: chart.SymbolSize(c, 11), Opacity: .9}
		for g := range names {
			marks.Rows = append(marks.Rows, chart.Row{chart.Rounded(d.Mean.At(g, c), 4), float64(g)})
		}
		f.Legend = append(f.Legend, marks.Name)
		f.Add(marks)
	}
	f.Rows(names, chart.ValueAxis("probability", 0, 1, .2), 30, 0)
	f.Panels[0].Y.Split = true
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": names}
	return f.Chart(fmt.Sprintf("Chart, %s: mean probabilities of %s for %s.", title,
		fmt.Sprint(len(classes))+" classes", words.CountOf(len(names), "level")), 0)
}
