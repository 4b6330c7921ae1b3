package nbhelpers

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/table"
)

// DependenceOptions are the choices of Dependence. The zero value draws the means of all classes.
type DependenceOptions struct {
	// Title of the chart. The default names the column.
	Title string
	// Class draws the probability of this class alone, for single rows as well: a faint curve
	// for each row over a number or a date, and a box for each level of a category.
	Class string
}

// Dependence draws how the probabilities of the classes depend on a column, as
// assess.PartialDependence returns it. A number is on the x axis, with the cells of the column as
// ticks at the bottom; a date is there in years. Each level of a category or a boolean is a row.
// It panics if Class is not one of the classes.
func Dependence(d *assess.Dependence, opt DependenceOptions) Chart {
	defer readable()
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
	column := plain(d.Column)
	title := cmp.Or(plain(opt.Title), "Dependence on "+column)
	const mean = "mean probability if all rows had the value"
	if d.Levels != nil {
		return levels(d, classes, title, mean, opt.Class)
	}
	unit := func(v float64) float64 { return v }
	if d.Kind == table.Date {
		const year = 365.2425 * 86400
		unit = func(v float64) float64 { return 1970 + v/year }
		column = joinedBy(column, " ", "(year)")
	}
	x := make([]float64, len(d.Values))
	for g, v := range d.Values {
		x[g] = unit(v)
	}
	colors := paletteOf(d.Classes)
	var series []Series
	subtitle := mean
	for _, c := range classes {
		series = append(series, Series{Name: plain(d.Classes[c]), X: x, Y: mat.Col(nil, c, d.Mean), Color: colors.hex(c), Dots: len(x) < 8})
	}
	if opt.Class != "" {
		subtitle = fmt.Sprintf("%s · faint: %s", mean, plural(len(d.Curves), "single row"))
	}
	chart := Lines(series, LinesOptions{Title: title, Subtitle: subtitle, XName: column, YName: "probability", YRange: [2]float64{0, 1}})
	under := &sketch{base: base{z: 1, clip: true, silent: true}}
	if opt.Class != "" {
		faint := hexColor(mix(parseHex(colors.hex(classes[0])), rgb(0xffffff), .65))
		for _, curve := range d.Curves {
			at := make([]point, len(x))
			for g := range x {
				at[g] = point{x[g], curve.At(g, classes[0])}
			}
			under.strokes = append(under.strokes, stroke{at: simplified(at, .002), color: faint, width: 1})
		}
	}
	const most = 200 // ticks
	for i := 0; i < len(d.Cells); i += 1 + len(d.Cells)/most {
		v := unit(d.Cells[i])
		under.strokes = append(under.strokes, stroke{at: []point{{v, 0}, {v, .025}}, color: axisInk, width: 1})
	}
	figureOf(chart).add(under)
	return chart
}

// levels draws the dependence on a category.
func levels(d *assess.Dependence, classes []int, title, mean, class string) Chart {
	names := plainAll(d.Levels)
	count := make([]int, len(names))
	for _, code := range d.Cells {
		count[int(code)]++
	}
	for g, n := range count {
		names[g] = fmt.Sprintf("%s (%d)", names[g], n)
	}
	if class != "" {
		boxes := make([]Box, len(names))
		for g, name := range names {
			boxes[g].Name = name
			for _, curve := range d.Curves {
				boxes[g].Values = append(boxes[g].Values, curve.At(g, classes[0]))
			}
		}
		return Boxes(boxes, BoxesOptions{Title: title, Name: "probability of " + plain(class), Horizontal: true,
			Subtitle: fmt.Sprintf("%s, each with every level · diamond: mean", plural(len(d.Curves), "single row"))})
	}
	f := &figure{title: title, subtitle: mean + " · in brackets: rows that have it"}
	colors := paletteOf(d.Classes)
	for _, c := range classes {
		marks := &dots{base: base{name: plain(d.Classes[c]), z: 3, tip: []string{"{1 in names}", "{marker}{series} *{0}*"}}, color: colors.hex(c), marker: classShape(c), size: symbolSize(c, 11), opacity: .9}
		for g := range names {
			marks.rows = append(marks.rows, row{rounded(d.Mean.At(g, c), 4), float64(g)})
		}
		f.legend = append(f.legend, marks.name)
		f.add(marks)
	}
	f.rows(names, valueAxis("probability", 0, 1, .2), 30, 0)
	f.panels[0].y.split = true
	f.tip.trigger, f.tip.texts = "item", node{"names": names}
	return f.chart(fmt.Sprintf("Chart, %s: mean probabilities of %s for %s.", title, fmt.Sprint(len(classes))+" classes", plural(len(names), "level")), 0)
}
