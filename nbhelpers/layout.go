package nbhelpers

import (
	"fmt"
	"maps"
	"math"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// What all charts of the package have in common. Sizes are CSS pixels.
const (
	headTop    = 2  // of the title
	legendTop  = 48 // of a legend below title and subtitle
	plotTop    = 86 // of the first grid below that legend
	plotBottom = 50 // room for tick labels and a name below the last grid
	symbolSide = 12 // legend symbols
	lineHeight = 14 // ECharts' own guess fails where no Chinese font is installed
)

// titled sets title and subtitle.
func titled(title, subtitle string) charts.GlobalOpts {
	return charts.WithTitleOpts(opts.Title{
		Title: title, Subtitle: subtitle, Left: "3", Top: strconv.Itoa(headTop),
		TitleStyle:    &opts.TextStyle{FontSize: 15, Color: ink, LineHeight: 18},
		SubtitleStyle: &opts.TextStyle{FontSize: 12, Color: faintInk, LineHeight: lineHeight},
	})
}

// legendAbove puts a legend in one row below the subtitle; what does not fit is
// reached by its arrows.
func legendAbove(names []string, itemWidth int) charts.GlobalOpts {
	return charts.WithLegendOpts(opts.Legend{
		Type: "scroll", Left: "3", Top: strconv.Itoa(legendTop), Data: names,
		ItemWidth: itemWidth, ItemHeight: symbolSide, TextStyle: &opts.TextStyle{FontSize: 12, Color: ink, LineHeight: lineHeight},
	})
}

// legendBeside puts a legend in a column at the right, with so much room for names.
func legendBeside(names []string, top int, room float64) charts.GlobalOpts {
	return charts.WithLegendOpts(opts.Legend{
		Type: "scroll", Orient: "vertical", Align: "left", Right: "4", Top: strconv.Itoa(top), Data: names,
		ItemWidth: symbolSide + 2, ItemHeight: symbolSide,
		TextStyle: &opts.TextStyle{FontSize: 12, Color: ink, LineHeight: lineHeight, Width: int(room), Overflow: "truncate"},
	})
}

// legendWidth estimates the width of a legend's row, or of its widest entry.
func legendWidth(names []string, itemWidth float64) (row, widest float64) {
	for _, n := range names {
		w := itemWidth + 5 + textWidth(n, 12)
		row += w + 10
		widest = math.Max(widest, w)
	}
	return row, widest
}

// withData gives a series its data as they are: go-echarts' own point types are
// twice as long in JSON and lose zeros.
func withData(data []any) charts.SeriesOpts {
	return charts.WithSeriesOpts(func(s *charts.SingleSeries) { s.Data = data })
}

// finish turns a go-echarts chart into an option, with what go-echarts cannot say.
func finish(c GoECharts, edit func(o node)) node {
	o := optionOf(c)
	maps.DeleteFunc(o, func(key string, v any) bool {
		m, ok := v.(node)
		return key == "color" || v == nil || ok && len(m) == 0
	})
	if l, ok := o["legend"].(node); ok && (l["data"] == nil || len(list(o["series"])) == 0) {
		delete(o, "legend")
	} else if ok {
		l["itemStyle"] = node{"borderWidth": "inherit"}
		if at(list(o["series"])[0], "type") == "line" {
			l["itemStyle"] = node{"opacity": 0} // lines only, no circles on them
		}
	}
	if t, ok := o["title"].(node); ok {
		t["itemGap"] = 5
	}
	if o["series"] == nil {
		o["series"] = []any{}
	}
	o["animationDuration"] = 300
	edit(o)
	return o
}

// headed is an option with title, subtitle and, if there are names, a legend in
// one row; series, grids and axes are to be added.
func headed(title, subtitle string, legend []string, itemWidth int) node {
	scatter := charts.NewScatter()
	scatter.AddSeries("", nil)
	scatter.SetGlobalOptions(titled(title, subtitle))
	if len(legend) > 0 {
		scatter.SetGlobalOptions(legendAbove(legend, itemWidth))
	}
	return finish(scatter, func(o node) { delete(o, "xAxis"); delete(o, "yAxis") })
}

// or is the text, or def where it is empty.
func or(text, def string) string {
	if text == "" {
		return def
	}
	return text
}

// below is the top of a plot under title and legend.
func below(legend []string) float64 {
	if len(legend) == 0 {
		return legendTop + 12
	}
	return plotTop
}

// grid is a rectangle by its distances from the edges of the chart.
func grid(left, top, right, bottom float64) node {
	return node{"left": left, "top": top, "right": right, "bottom": bottom, "outerBoundsMode": "none"}
}

// axisNode is an axis with its name alongside, gap pixels away.
func axisNode(kind, name string, gap float64) node {
	return node{
		"type": kind, "name": name, "nameLocation": "middle", "nameGap": gap,
		"nameTextStyle": node{"color": ink, "fontSize": 12, "lineHeight": lineHeight},
		"axisLabel":     node{"color": ink, "fontSize": 12, "lineHeight": lineHeight, "hideOverlap": kind != "category"},
		"axisLine":      node{"show": true, "onZero": false, "lineStyle": node{"color": axisInk}},
		"axisTick":      node{"show": kind != "category", "lineStyle": node{"color": axisInk}},
		"splitLine":     node{"show": kind != "category", "lineStyle": node{"color": gridInk}},
	}
}

// spanned gives a value axis its range and step.
func spanned(a node, lo, hi, step float64) node {
	a["min"], a["max"], a["interval"] = lo, hi, step
	return a
}

// only shows ticks at the given values and nowhere else.
func only(a node, values []float64) node {
	at(a, "axisTick").(node)["customValues"] = anys(values)
	at(a, "axisLabel").(node)["customValues"] = anys(values)
	if at(a, "type") == "value" && len(values) > 1 {
		step := values[1] - values[0]
		at(a, "axisLabel").(node)["formatter"] = js{
			code:   fmt.Sprintf("function(v){return E.format.addCommas(v.toFixed(%d))}", decimals(step)),
			static: func(v float64) string { return tickText(v, step) },
		}
	}
	return a
}

// labelsWidth is the width of the widest tick label of a value axis.
func labelsWidth(lo, hi, step float64) float64 {
	w := 0.0
	for _, t := range ticks(lo, hi, step) {
		w = math.Max(w, textWidth(tickText(t, step), 12))
	}
	return w
}

// tooltip shows what the JavaScript function body returns of the datum p (for
// trigger axis: of the list p). It must pass every text from data through e,
// which escapes HTML; n writes a number shortly.
func tooltip(trigger, body string, more node) node {
	t := node{
		"trigger": trigger, "confine": true, "textStyle": node{"fontSize": 12, "color": ink},
		"formatter": js{code: `function(p){var e=E.format.encodeHTML,n=function(v){return typeof v!="number"?"–":v==0||Math.abs(v)>=1e-3&&Math.abs(v)<1e6?""+ +v.toPrecision(5):v.toExponential(2)};` + body + `}`},
	}
	for k, v := range more {
		t[k] = v
	}
	return t
}
