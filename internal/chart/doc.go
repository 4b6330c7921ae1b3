// Package chart is the engine of the charts of nbhelpers and tables/charts: figures, the theme,
// pages and their scripts, and the connection to the host of a notebook cell. Package nbhelpers
// exports the names for users.
//
// # A new chart
//
// Each chart has a file of its own. It fills a Figure: panels with axes, and marks in them, such as
// Line, Dots, Bars, Cells or Sketch. It sets no pixels except the height of a row or a cell:
// Figure.placed computes the margins from titles, legend, labels and axis names. A tooltip consists
// of lines of text with fields (Base.Tip). This example draws a bar for each name:
//
//	f := &chart.Figure{Title: "Rows"}
//	b := &chart.Bars{Base: chart.Base{Tip: []string{"{0 in names}", "*{2}*"}}, Share: .6, Color: chart.Ink}
//	for i, n := range counts {
//		b.Rows = append(b.Rows, chart.Row{float64(i), 0, n}) // row of the bar, where it begins and ends
//	}
//	f.Add(b)
//	f.Rows(names, chart.ValueAxis("rows", 0, most, 10), 24, 0)
//	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": names}
//	return f.Chart("Bar chart of the rows.", 0)
//
// A new kind of mark implements the interface Mark.
package chart
