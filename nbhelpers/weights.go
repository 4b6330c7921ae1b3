package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// signScale runs from negative over (nearly) white to positive: ColorBrewer's PuOr.
var signScale = []any{"#542788", "#8073ac", "#b2abd2", "#dcdcec", "#fdeacb", "#fdb863", "#e08214", "#b35806"}

// Weights draws the weights of a model as a heat map: a column for each relevance
// vector, labelled by its index in the training data and grouped by its class (the
// strip at the top), a row for each class. Zero weights are blank. The sign
// constraint shows: what is positive stands in the row of the vector's own class.
func Weights(m Sparse) Chart {
	names, vectors := plainAll(m.ClassNames()), slices.Clone(m.RelevanceVectors())
	slices.SortStableFunc(vectors, func(a, b mpcvm.RelevanceVector) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Index, b.Index))
	})

	largest, widest := 0.0, ""
	var cells, columns []any
	for i, v := range vectors {
		label := strconv.Itoa(v.Index)
		if len(label) > len(widest) {
			widest = label
		}
		columns = append(columns, label)
		for c, w := range v.Weights {
			if w != 0 {
				cells = append(cells, []any{i, c + 1, rounded(w, 4)})
				largest = math.Max(largest, math.Abs(w))
			}
		}
	}
	if largest == 0 {
		largest = 1
	}

	rows := append([]string{"vector's class"}, names...)
	left, right := nameColumn(rows)+22, 84.0
	band := (defaultWidth - left - right) / math.Max(1, float64(len(vectors)))
	heat := charts.NewHeatMap()
	heat.AddSeries("class", nil)
	heat.AddSeries("weight", nil, withData(cells))
	subtitle := fmt.Sprintf("%s of %s, largest %s", plural(len(cells), "non-zero weight"), plural(len(vectors), "relevance vector"), nats(largest))
	heat.SetGlobalOptions(titled("Weights", subtitle))

	top := float64(legendTop + 10)
	height := min(int(top)+plotBottom+24+28*max(len(rows), 4), 1000)
	o := finish(heat, func(o node) {
		delete(o, "legend")
		below := float64(plotBottom)
		if band < 34 {
			below += textWidth(widest, 12) - 8
		}
		o["grid"] = grid(left, top, right, below)
		x := axisNode("category", "relevance vector (index in the training data)", 30)
		x["data"] = columns
		at(x, "axisLabel").(node)["hideOverlap"] = true
		if band < 34 {
			at(x, "axisLabel").(node)["rotate"] = 90
			at(x, "axisLabel").(node)["interval"] = int(math.Ceil(lineHeight/band)) - 1
			x["nameGap"] = 22 + textWidth(widest, 12)
		}
		y := nameAxis(rows, left-22)
		y["name"], y["nameGap"] = "class", left-16
		for _, a := range []node{x, y} {
			a["axisLine"] = node{"show": false} // cells would cover it
		}
		y["splitLine"] = node{"show": true, "lineStyle": node{"color": gridInk}}
		o["xAxis"], o["yAxis"] = x, y
		o["visualMap"] = node{
			"type": "continuous", "seriesIndex": 1, "min": -largest, "max": largest, "inRange": node{"color": signScale},
			"right": 12, "top": top, "itemWidth": 14, "itemHeight": math.Min(150, float64(height)-top-plotBottom-64),
			"text":      []any{"+" + nats(largest), "−" + nats(largest)},
			"textStyle": node{"color": ink, "fontSize": 12, "lineHeight": lineHeight}, "orient": "vertical", "calculable": false, "hoverLink": true,
		}
		for i, s := range list(o["series"]) {
			style := node{"borderWidth": 0}
			if i == 0 {
				s.(node)["data"] = classStrip(names, vectors, band)
			} else if band > 5 {
				style = node{"borderWidth": 1, "borderColor": "#ffffff"}
			}
			s.(node)["itemStyle"] = style
			s.(node)["silent"] = i == 0
		}
		o["tooltip"] = tooltip("item", fmt.Sprintf(`var t=%s,k=%s,v=p.value;return "sample "+e(p.name)+" of class "+e(t[k[v[0]]])+"<br>"+p.marker+"weight for class "+e(t[v[1]-1])+": <b>"+n(v[2])+"</b>"`,
			quote(names), quote(labelsOf(vectors))), nil)
	})
	return newChart(o, fmt.Sprintf("Heat map of the weights of %s for %s: %s.", plural(len(vectors), "relevance vector"), count(len(names))+" classes", subtitle), height)
}

func labelsOf(vectors []mpcvm.RelevanceVector) []int {
	labels := []int{}
	for _, v := range vectors {
		labels = append(labels, v.Label)
	}
	return labels
}

// classStrip is the row of the vectors' own classes; the middle cell of each
// group carries the name, if there is room.
func classStrip(names []string, vectors []mpcvm.RelevanceVector, band float64) (strip []any) {
	colors := paletteOf(names)
	for first := 0; first < len(vectors); {
		class, end := vectors[first].Label, first
		for end < len(vectors) && vectors[end].Label == class {
			end++
		}
		wide := (end - first - 1) | 1 // centred on the middle cell
		for i := first; i < end; i++ {
			cell := node{"value": []any{i, 0, 0}, "itemStyle": node{"color": colors.hex(class)}}
			if i == (first+end-1)/2 {
				if name := shortened(names[class], 11, band*float64(wide)-4); name == names[class] || len([]rune(name)) > 8 {
					least := defaultWidth - (band*float64(wide)-4-textWidth(name, 11))*float64(len(vectors))/float64(wide) // narrower, it has no room
					cell["label"] = node{"show": true, "fontSize": 11, "color": inkOn(colors[class]),
						"formatter": js{code: fmt.Sprintf("show.from(%.0f,%s)", least, quote(name)), static: name}}
				}
			}
			strip = append(strip, cell)
		}
		first = end
	}
	return strip
}
