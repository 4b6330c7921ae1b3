package nbhelpers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Box is one of the boxes of Boxes.
type Box struct {
	Name string
	// Values in any order; those that are not finite are left out.
	Values []float64
}

// BoxesOptions are the choices of Boxes. The zero value lets the boxes stand
// where there is room for their names below them.
type BoxesOptions struct {
	// Title of the chart; empty means none. Subtitle is the smaller line below it; by
	// default it says what box and whiskers are.
	Title, Subtitle string
	// Name is what the values are, with their unit: "error (%)".
	Name string
	// Horizontal lays the boxes down, names at the left; so are those whose names
	// do not fit below them.
	Horizontal bool
	// Height in CSS pixels; 0 means 380, or for boxes that lie what they need.
	Height int
}

// Boxes draws a box plot for each of several sets of values, such as the errors
// of systems over partitions: the box from quartile to quartile with the median
// in it, whiskers to the last value within 1.5 times the box, dots for those
// beyond, a diamond for the mean. A set without values is a gap.
func Boxes(opt BoxesOptions, boxes ...Box) Chart {
	names := make([]string, len(boxes))
	var told []string
	var five, means, outliers []any
	tells := []any{} // of the tooltips
	values := newSpan()
	for i, b := range boxes {
		names[i] = plain(b.Name)
		s := summarise(b.Values)
		five = append(five, node{"value": roundedAll([]float64{s.low, s.q1, s.median, s.q3, s.high}, 6),
			"itemStyle": node{"color": hexColor(mix(classColors[i%len(classColors)], rgb(0xffffff), .7)), "borderColor": ClassColor(i), "borderWidth": 1.5}})
		tells = append(tells, append(roundedAll([]float64{s.median, s.q1, s.q3, s.low, s.high, s.mean}, 6), s.n))
		if s.n == 0 {
			told = append(told, names[i]+" without values")
			continue
		}
		told = append(told, fmt.Sprintf("%s with median %s", names[i], nats(s.median)))
		means = append(means, []any{i, rounded(s.mean, 6)})
		for _, v := range s.outliers {
			outliers = append(outliers, node{"value": []any{i, rounded(v, 6)}, "itemStyle": node{"color": ClassColor(i)}})
		}
		for _, v := range append(s.outliers, s.low, s.high, s.mean) {
			values.add(v)
		}
	}
	_, widest := legendWidth(names, 0)
	lies := opt.Horizontal || widest > 360/math.Max(1, float64(len(boxes)))
	title := plain(opt.Title)
	subtitle := or(plain(opt.Subtitle), "box: quartiles and median · whiskers: to 1.5 times its length · diamond: mean")
	o := headed(title, subtitle, nil, 0)
	v, wide := values.linearAxis(plain(opt.Name), map[bool]int{true: 7, false: 5}[lies])
	v = only(v, ticks(number(0, v, "min"), number(0, v, "max"), number(1, v, "interval")))
	height := opt.Height
	if lies {
		room := nameColumn(names)
		if height <= 0 {
			height = min(legendTop+12+plotBottom+34*max(len(boxes), 2), 1000)
		}
		v["nameGap"] = 30
		o["grid"] = grid(room, legendTop+12, 24, plotBottom)
		o["xAxis"], o["yAxis"] = v, nameAxis(names, room)
		for _, d := range append(means, outliers...) {
			p := datum(d).([]any)
			p[0], p[1] = p[1], p[0]
		}
	} else {
		if height <= 0 {
			height = linesHeight
		}
		v["nameGap"] = wide + 14
		x := axisNode("category", "", 0)
		x["data"] = anys(names)
		at(x, "axisLabel").(node)["interval"] = 0
		o["grid"] = grid(wide+36, legendTop+12, 22, 32)
		o["xAxis"], o["yAxis"] = x, v
	}
	o["series"] = []any{
		node{"type": "boxplot", "data": five, "boxWidth": []any{10, 46}},
		node{"type": "scatter", "data": outliers, "symbol": "circle", "symbolSize": 5, "itemStyle": node{"color": faintInk, "opacity": .8}},
		node{"type": "scatter", "data": means, "symbol": classSymbol(3), "symbolSize": 9, "itemStyle": node{"color": ink, "borderColor": "#ffffff", "borderWidth": 1, "opacity": 1}},
	}
	k := map[bool]int{true: 1, false: 0}[lies]
	o["tooltip"] = tooltip("item", fmt.Sprintf(`var c=%s,w=%s,i=p.seriesIndex?p.value[%d]:p.dataIndex,s=w[i];return e(c[i])+(p.seriesIndex==1?"<br>value <b>"+n(p.value[%d])+"</b>":"")+"<br>median <b>"+n(s[0])+"</b>, mean <b>"+n(s[5])+"</b><br>quartiles "+n(s[1])+" and "+n(s[2])+"<br>whiskers "+n(s[3])+" and "+n(s[4])+"<br>values: "+s[6]`,
		quote(names), quote(tells), k, 1-k), nil)
	alt := "Box plots"
	if title != "" {
		alt += ": " + title
	}
	if opt.Name != "" {
		alt += "; " + plain(opt.Name)
	}
	return newChart(o, joinedBy(alt, ": ", strings.Join(told, ", "))+".", height)
}

// summary is what a box plot shows of values.
type summary struct {
	n                               int
	low, q1, median, q3, high, mean float64
	outliers                        []float64
}

func summarise(values []float64) summary {
	var v []float64
	for _, x := range values {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			v = append(v, x)
		}
	}
	nan := math.NaN()
	if len(v) == 0 {
		return summary{0, nan, nan, nan, nan, nan, nan, nil}
	}
	slices.Sort(v)
	s := summary{n: len(v), q1: quantile(v, .25), median: quantile(v, .5), q3: quantile(v, .75), mean: stat.Mean(v, nil)}
	reach := 1.5 * (s.q3 - s.q1)
	s.low, s.high = nan, nan
	for _, x := range v {
		switch {
		case x < s.q1-reach || x > s.q3+reach:
			s.outliers = append(s.outliers, x)
		default:
			if math.IsNaN(s.low) {
				s.low = x
			}
			s.high = x
		}
	}
	return s
}

// quantile of sorted values, between order statistics as R and numpy do it: their
// type 7, which gonum has not.
func quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}
