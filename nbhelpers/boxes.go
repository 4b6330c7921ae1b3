package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Box is one of the boxes of Boxes.
type Box struct {
	Name string
	// Values in any order. Values that are not finite are left out.
	Values []float64
}

// BoxesOptions are the choices of Boxes. With the zero value the boxes stand if their
// names fit below them.
type BoxesOptions struct {
	// Title of the chart. If it is empty, there is none. Subtitle is the smaller line
	// below it. If it is empty, it says what box and whiskers are.
	Title, Subtitle string
	// Name is what the values are, with their unit: "error (%)".
	Name string
	// Horizontal makes the boxes lie, with their names at the left. Boxes also lie if
	// their names do not fit below them.
	Horizontal bool
	// Height in CSS pixels. If it is 0, it is 380, or what the boxes need if they lie.
	Height int
}

// Boxes draws a box plot for each of several sets of values, such as the errors of
// systems over partitions. The box goes from quartile to quartile, with the median in
// it. Whiskers go to the last value within 1.5 times the length of the box, dots are
// values beyond, and a diamond is the mean. A set without values leaves a gap.
func Boxes(sets []Box, opt BoxesOptions) Chart {
	f := &figure{title: plain(opt.Title), subtitle: cmp.Or(plain(opt.Subtitle), "box: quartiles and median · whiskers: to 1.5 times its length · diamond: mean")}
	names, told := make([]string, len(sets)), make([]string, len(sets))
	box := &boxes{base: base{z: 2, tip: []string{"{# in sets}"}}}
	outliers := &dots{base: base{z: 2, tip: []string{"value *{0}*", "{1 in sets}"}}, colors: []string{}, color: faintInk, marker: classShape(0), size: 5, opacity: .8}
	means := &dots{base: base{z: 2, tip: []string{"{1 in sets}"}}, color: ink, marker: classShape(3), size: 9, rim: "#ffffff", rimWide: 1}
	tells := make([]string, len(sets)) // by the tooltips
	values := newSpan()
	for i, b := range sets {
		names[i] = plain(b.Name)
	}
	looks := looksOf(names)
	for i, b := range sets {
		s := summarise(b.Values)
		box.rows = append(box.rows, roundedAll([]float64{s.low, s.q1, s.median, s.q3, s.high}, 6))
		box.fills, box.rims = append(box.fills, hexColor(mix(parseHex(looks[i].color), rgb(0xffffff), .7))), append(box.rims, looks[i].color)
		tells[i] = fmt.Sprintf("%s\nmedian %s, mean %s\nquartiles %s and %s\nwhiskers %s and %s\nvalues: %d", names[i], nats(s.median), nats(s.mean), nats(s.q1), nats(s.q3), nats(s.low), nats(s.high), s.n)
		if s.n == 0 {
			told[i] = names[i] + " without values"
			continue
		}
		told[i] = fmt.Sprintf("%s with median %s", names[i], nats(s.median))
		means.rows = append(means.rows, row{float64(i), rounded(s.mean, 6)})
		for _, v := range s.outliers {
			outliers.rows, outliers.colors = append(outliers.rows, row{float64(i), rounded(v, 6)}), append(outliers.colors, looks[i].color)
		}
		values.add(s.low, s.high, s.mean)
		values.add(s.outliers...)
	}
	f.add(box, outliers, means)
	lies := opt.Horizontal || widestText(names) > 360/math.Max(1, float64(len(sets)))
	height := opt.Height
	if lies {
		for _, r := range append(means.rows, outliers.rows...) {
			r[0], r[1] = r[1], r[0]
		}
		f.rows(names, values.linear(plain(opt.Name), 7), 34, 0)
		f.high = min(f.high, 900)
	} else {
		if height <= 0 {
			height = linesHeight
		}
		f.panels = []panel{{x: axis{kind: "category", categories: names}, y: values.linear(plain(opt.Name), 5)}}
	}
	if !lies { // value and name change places
		outliers.tip, means.tip = []string{"value *{1}*", "{0 in sets}"}, []string{"{0 in sets}"}
	}
	f.tip.trigger, f.tip.texts = "item", node{"sets": tells}
	alt := joinedBy(joinedBy("Box plots", ": ", f.title), "; ", plain(opt.Name))
	return f.chart(joinedBy(alt, ": ", strings.Join(told, ", "))+".", max(height, 0))
}

// summary is what a box plot shows of values.
type summary struct {
	n                               int
	low, q1, median, q3, high, mean float64
	outliers                        []float64
}

func summarise(values []float64) summary {
	v := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	nan := math.NaN()
	if len(v) == 0 {
		return summary{0, nan, nan, nan, nan, nan, nan, nil}
	}
	slices.Sort(v)
	s := summary{n: len(v), q1: quantile(v, .25), median: quantile(v, .5), q3: quantile(v, .75), mean: stat.Mean(v, nil)}
	reach := 1.5 * (s.q3 - s.q1)
	within := newSpan()
	for _, x := range v {
		if x < s.q1-reach || x > s.q3+reach {
			s.outliers = append(s.outliers, x)
		} else {
			within.add(x)
		}
	}
	s.low, s.high = within.lo, within.hi
	return s
}

// quantile interpolates between the sorted values as R and numpy do by default (type 7).
// gonum has no such kind.
func quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}
