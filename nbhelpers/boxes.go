package nbhelpers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/quantile"
)

// Box is a named set of values for Boxes.
type Box struct {
	Name string
	// Values are in any order. Values that are not finite are ignored.
	Values []float64
}

// BoxesOptions are the options of Boxes.
type BoxesOptions struct {
	// Title is the title of the chart; there is none if it is empty.
	Title string
	// Name is what the values are, with their unit: "error (%)".
	Name string
}

// Boxes draws a box plot for each of several sets of values, such as the errors of systems over
// partitions. The box spans the quartiles, and a line in it marks the median. The whiskers extend to
// the last value within 1.5 times the length of the box. Dots are values beyond the whiskers, and a
// diamond marks the mean. A set without values leaves an empty position. The boxes are upright if their
// names fit below them, and horizontal otherwise.
func Boxes(sets []Box, opt BoxesOptions) Chart {
	f := &chart.Figure{Title: chart.Plain(opt.Title),
		Subtitle: "box: quartiles and median · whiskers: to 1.5 times its length · diamond: mean"}
	names, told, tips := make([]string, len(sets)), make([]string, len(sets)), make([]string, len(sets))
	for i, b := range sets {
		names[i] = chart.Plain(b.Name)
	}
	lies := chart.WidestText(names) > 360/math.Max(1, float64(len(sets)))
	tip, value := "{0 in sets}", "value *{1}*"
	if lies {
		tip, value = "{1 in sets}", "value *{0}*"
	}
	at := func(i int, v float64) chart.Row {
		if lies {
			return chart.Row{chart.Rounded(v, 6), float64(i)}
		}
		return chart.Row{float64(i), chart.Rounded(v, 6)}
	}
	box := &chart.Boxes{Base: chart.Base{Z: 2, Tip: []string{"{# in sets}"}}}
	outliers := &chart.Dots{Base: chart.Base{Z: 2, Tip: []string{value, tip}}, Colors: []string{},
		Color: chart.FaintInk, Marker: chart.ClassShape(0), Size: 5, Opacity: .8}
	means := &chart.Dots{Base: chart.Base{Z: 2, Tip: []string{tip}}, Color: chart.Ink,
		Marker: chart.ClassShape(3), Size: 9, Rim: "#ffffff", RimWide: 1}
	values, looks := chart.NewSpan(), chart.LooksOf(names)
	for i, b := range sets {
		s := summarise(b.Values)
		box.Rows = append(box.Rows, chart.RoundedAll([]float64{s.low, s.q1, s.median, s.q3, s.high}, 6))
		box.Fills = append(box.Fills,
			chart.HexColor(chart.Mix(chart.ParseHex(looks[i].Color), chart.RGB(0xffffff), .7)))
		box.Rims = append(box.Rims, looks[i].Color)
		tips[i] = fmt.Sprintf("%s\nmedian %s, mean %s\nquartiles %s and %s\nwhiskers %s and %s\nvalues: %d",
			names[i], chart.Nats(s.median), chart.Nats(s.mean), chart.Nats(s.q1), chart.Nats(s.q3),
			chart.Nats(s.low), chart.Nats(s.high), s.n)
		if s.n == 0 {
			told[i] = names[i] + " without values"
			continue
		}
		told[i] = fmt.Sprintf("%s with median %s", names[i], chart.Nats(s.median))
		means.Rows = append(means.Rows, at(i, s.mean))
		for _, v := range s.outliers {
			outliers.Rows, outliers.Colors = append(outliers.Rows, at(i, v)), append(outliers.Colors, looks[i].Color)
		}
		values.Add(s.low, s.high, s.mean)
		values.Add(s.outliers...)
	}
	f.Add(box, outliers, means)
	height := linesHeight
	if lies {
		f.Rows(names, values.Linear(chart.Plain(opt.Name), 7), 34, 0)
		f.High, height = min(f.High, 900), 0
	} else {
		f.Panels = []chart.Panel{{X: chart.Axis{Kind: "category", Categories: names},
			Y: values.Linear(chart.Plain(opt.Name), 5)}}
	}
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"sets": tips}
	alt := chart.JoinedBy(chart.JoinedBy("Box plots", ": ", f.Title), "; ", chart.Plain(opt.Name))
	return f.Chart(chart.JoinedBy(alt, ": ", strings.Join(told, ", "))+".", height)
}

// summary is the statistics that a box plot shows.
type summary struct {
	n                               int
	low, q1, median, q3, high, mean float64
	outliers                        []float64
}

func summarise(values []float64) summary {
	v := slices.DeleteFunc(slices.Clone(values),
		func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	nan := math.NaN()
	if len(v) == 0 {
		return summary{0, nan, nan, nan, nan, nan, nan, nil}
	}
	slices.Sort(v)
	s := summary{n: len(v), q1: quantile.Of(v, .25), median: quantile.Of(v, .5), q3: quantile.Of(v, .75),
		mean: stat.Mean(v, nil)}
	reach := 1.5 * (s.q3 - s.q1)
	within := chart.NewSpan()
	for _, x := range v {
		if x < s.q1-reach || x > s.q3+reach {
			s.outliers = append(s.outliers, x)
		} else {
			within.Add(x)
		}
	}
	s.low, s.high = within.Lo, within.Hi
	return s
}
