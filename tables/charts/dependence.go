package charts

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Dependence draws how the class probabilities depend on a column, as returned by eval.PartialDependence.
// Numbers are on the x axis, with ticks at the bottom that mark the cells of the column; dates are shown in
// years. For a category or a boolean, each level is a row.
func Dependence(d *eval.Dependence) nbhelpers.Chart {
	defer chart.Readable()
	column := chart.Plain(d.Column)
	title := "Dependence on " + column
	const mean = "mean probability if all rows had the value"
	if d.Levels != nil {
		return levels(d, title, mean)
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
	for c := range d.Classes {
		series = append(series, nbhelpers.Series{Name: chart.Plain(d.Classes[c]), X: x,
			Y: mat.Col(nil, c, d.Mean), Color: colors.Hex(c), Dots: len(x) < 8})
	}
	c := nbhelpers.Lines(series, nbhelpers.LinesOptions{Title: title, Subtitle: mean, XName: column,
		YName: "probability", YRange: [2]float64{0, 1}})
	under := &chart.Sketch{Base: chart.Base{Z: 1, Clip: true, Silent: true}}
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
func levels(d *eval.Dependence, title, mean string) nbhelpers.Chart {
	names := chart.PlainAll(d.Levels)
	count := make([]int, len(names))
	for _, code := range d.Cells {
		count[int(code)]++
	}
	for g, n := range count {
		names[g] = fmt.Sprintf("%s (%d)", names[g], n)
	}
	f := &chart.Figure{Title: title, Subtitle: mean + " · in brackets: number of rows"}
	colors := chart.PaletteOf(d.Classes)
	for c := range d.Classes {
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
		fmt.Sprint(len(d.Classes))+" classes", words.CountOf(len(names), "level")), 0)
}
