package nbhelpers

import (
	"fmt"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Sparse is what Sparsity and Weights draw; a *mpcvm.Model is one.
type Sparse interface {
	ClassNames() []string
	RelevanceVectors() []mpcvm.RelevanceVector
}

// The colours of signs: orange and purple of ColorBrewer's PuOr, which colour-
// blind readers can tell apart.
const (
	positiveColor = "#e08214"
	negativeColor = "#8073ac"
)

// Sparsity draws how few weights each class keeps: a bar of its positive and
// negative weights, and beside it how many of the n training samples are pruned
// from its potential. With n = 0 nothing is said of pruning.
func Sparsity(m Sparse, n int) Chart {
	names, vectors := plainAll(m.ClassNames()), m.RelevanceVectors()
	positives, negatives := make([]int, len(names)), make([]int, len(names))
	for _, v := range vectors {
		for c, w := range v.Weights {
			switch {
			case w > 0:
				positives[c]++
			case w < 0:
				negatives[c]++
			}
		}
	}
	most, kept := 0, 0
	for c := range names {
		most = max(most, positives[c]+negatives[c])
		kept += positives[c] + negatives[c]
	}

	left := nameColumn(names)
	const right = 178 // for the text at the end of the longest bar
	_, hi, step := niceRange(0, math.Max(float64(most), 2), 6)
	if step < 1 {
		hi, step = math.Max(float64(most), 2), 1
	}
	pixels := (defaultWidth - left - right) / hi // of one weight

	var plus, minus, ends []any
	for c := range names {
		plus = append(plus, barDatum(positives[c], pixels, ink))
		minus = append(minus, barDatum(negatives[c], pixels, "#ffffff"))
		label := fmt.Sprintf("%s kept", count(positives[c]+negatives[c]))
		if n > 0 {
			pruned := n - positives[c] - negatives[c]
			label += fmt.Sprintf(", %s of %s pruned", count(pruned), count(n))
		}
		ends = append(ends, node{"value": 0, "label": node{"show": true, "position": "right", "color": faintInk, "formatter": label}})
	}
	bar := charts.NewBar()
	stacked := charts.WithBarChartOpts(opts.BarChart{Stack: "weights", BarWidth: "62%"})
	bar.AddSeries("positive weights", nil, withData(plus), stacked, charts.WithItemStyleOpts(opts.ItemStyle{Color: positiveColor}))
	bar.AddSeries("negative weights", nil, withData(minus), stacked, charts.WithItemStyleOpts(opts.ItemStyle{Color: negativeColor}))
	bar.AddSeries("pruned", nil, withData(ends), stacked, charts.WithItemStyleOpts(opts.ItemStyle{Color: "transparent"}))

	subtitle := fmt.Sprintf("%s, %s", plural(kept, "non-zero weight"), plural(len(vectors), "relevance vector"))
	if n > 0 && len(names) > 0 {
		subtitle = fmt.Sprintf("%s of %s weights are not zero (%s), %s of %s are relevance vectors (%s)",
			count(kept), count(n*len(names)), percent(kept, n*len(names)), count(len(vectors)), plural(n, "sample"), percent(len(vectors), n))
	}
	bar.SetGlobalOptions(titled("Sparsity", subtitle), legendAbove([]string{"positive weights", "negative weights"}, 18))
	height := min(plotTop+plotBottom+28*max(len(names), 2), 900)

	o := finish(bar, func(o node) {
		o["grid"] = grid(left, plotTop, right, plotBottom)
		x := spanned(axisNode("value", "non-zero weights", 30), 0, hi, step)
		x["splitLine"] = node{"show": false} // the bars have their counts
		o["xAxis"] = x
		o["yAxis"] = nameAxis(names, left)
		o["tooltip"] = tooltip("axis", `return e(p[0].name)+p.slice(0,2).map(function(s){return "<br>"+s.marker+e(s.seriesName)+": <b>"+(s.data.value||s.data)+"</b>"}).join("")`,
			node{"axisPointer": node{"type": "shadow"}})
	})
	return newChart(o, "Bar chart of the non-zero weights of each class: "+subtitle+".", height)
}

// barDatum is a part of a bar, with its count in it if there is room.
func barDatum(n int, pixels float64, ink string) any {
	if float64(n)*pixels < textWidth(count(n), 12)+6 {
		return n
	}
	return node{"value": n, "label": node{"show": true, "color": ink, "formatter": count(n)}}
}

func percent(part, whole int) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	if p > 0 && p < 10 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// nameColumn is the room that class names need at the left of a chart, at most
// 170 pixels.
func nameColumn(names []string) float64 {
	_, widest := legendWidth(names, 0)
	return math.Min(math.Max(widest, 30)+12, 170)
}

// nameAxis is a category axis of classes, the first at the top.
func nameAxis(names []string, room float64) node {
	a := axisNode("category", "", 0)
	a["data"], a["inverse"] = anys(names), true
	a["axisLabel"] = node{"color": ink, "fontSize": 12, "lineHeight": lineHeight, "interval": 0, "width": room - 14, "overflow": "truncate"}
	return a
}

func anys[T any](s []T) []any {
	out := make([]any, len(s))
	for i, v := range s {
		out[i] = v
	}
	return out
}
