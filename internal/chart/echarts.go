package chart

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strconv"
)

// tooltipStyle keeps a tooltip within a narrow chart.
const tooltipStyle = "max-width:100%;box-sizing:border-box;white-space:normal;overflow-wrap:anywhere"

// text is the style of names, labels and legends.
var text = Node{"fontSize": 12, "color": Ink, "lineHeight": LineHeight}

// option returns the option of ECharts for a placed figure.
func (f *Figure) option() Node {
	title := compact(Node{"text": f.Title, "subtext": f.Subtitle})
	maps.Copy(title, Node{"left": "3", "top": strconv.Itoa(headTop), "itemGap": 5,
		"textStyle":    Node{"fontSize": 15, "color": Ink, "lineHeight": 18},
		"subtextStyle": Node{"fontSize": 12, "color": FaintInk, "lineHeight": LineHeight}})
	o := Node{"animationDuration": 300, "backgroundColor": "#fff", "title": title,
		"textStyle": Node{"fontFamily": fontFamily, "color": Ink}}
	if len(f.Legend) > 0 {
		o["legend"] = f.legend()
	}
	if f.Tip.Trigger != "" {
		tip := Node{"show": true, "trigger": f.Tip.Trigger, "confine": true, "extraCssText": tooltipStyle,
			"formatter": f.tooltip(), "textStyle": Node{"fontSize": 12, "color": Ink}}
		if f.Tip.Shadow {
			tip["axisPointer"] = Node{"type": "shadow"}
		}
		o["tooltip"] = tip
	}
	var grids, xAxes, yAxes, panels []any
	series := []any{}
	for i := range f.Panels {
		p := &f.Panels[i]
		grid := Node{"left": p.Left, "top": p.Top, "right": p.Right, "bottom": p.Bottom, "outerBoundsMode": "none"}
		if f.Equal > 0 { // for page.js: height/width, the largest width, and the space at the right
			grid["equal"], grid["most"], grid["margin"] = Rounded(f.Equal, 5), Rounded(f.equalMost, 5), f.equalRight
		}
		grids, xAxes, yAxes = append(grids, grid), append(xAxes, p.X.option(i)), append(yAxes, p.Y.option(i))
		panels = append(panels, i)
	}
	if f.Tip.Linked {
		o["axisPointer"] = Node{"link": []Node{{"xAxisIndex": panels}}}
	}
	if s := f.Scale; s != nil {
		o["visualMap"] = []Node{{"type": "continuous", "inRange": compact(Node{"color": s.Colors}),
			"text": []string{s.High, s.Low}, "orient": "vertical", "calculable": false, "show": s.Colors != nil,
			"min": s.Lo, "max": s.Hi, "right": 12, "top": s.top, "textStyle": text, "itemWidth": scaleWidth,
			"itemHeight": s.height, "hoverLink": true, "seriesIndex": s.Series}}
	}
	for _, m := range f.Marks {
		s, b := m.series(), m.Common()
		s["z"] = b.Z
		maps.Copy(s, compact(Node{"name": b.Name, "xAxisIndex": b.Panel, "yAxisIndex": b.Panel, "clip": b.Clip,
			"silent": b.Silent}))
		series = append(series, s)
	}
	o["grid"], o["xAxis"], o["yAxis"], o["series"] = grids, xAxes, yAxes, series
	return plain(o)
}

// compact removes the entries of an object that are zero.
func compact(o Node) Node {
	maps.DeleteFunc(o, func(_ string, v any) bool { return reflect.ValueOf(v).IsZero() })
	return o
}

// legend returns the position of the legend and its entries: rows below the subtitle or a column at
// the right. Entries that do not fit are reached by arrows.
func (f *Figure) legend() Node {
	l := Node{"type": "scroll", "top": fmt.Sprint(f.LegendTop), "textStyle": text, "left": "3"}
	// for page.js, if the chart is narrower: the width that the legend needs, and the height of its
	// rows
	if f.legendSpare > 0 {
		l["type"], l["most"], l["spare"] = "plain", f.legendWidth, f.legendSpare
	}
	if f.LegendBeside > 0 {
		l = Node{"type": "scroll", "top": fmt.Sprint(f.LegendTop), "orient": "vertical", "align": "left",
			"right": "4",
			"textStyle": Node{"fontSize": 12, "color": Ink, "lineHeight": LineHeight,
				"width": int(f.LegendBeside), "overflow": "truncate"}}
	}
	entries := make([]any, len(f.Legend))
	for i, name := range f.Legend {
		style := Node{"borderWidth": "inherit"}
		if m, ok := f.Named(name).(*Line); ok && m.Marker.Name == "" {
			style = Node{"opacity": 0} // ECharts would put a circle on the line
		}
		entries[i] = Node{"name": name, "itemStyle": style}
	}
	if l["data"], l["show"], l["itemHeight"] = entries, true, SymbolSide; f.KeyWidth > 0 {
		l["itemWidth"] = int(f.KeyWidth)
	}
	return l
}

// Named returns the first mark with the given name, or nil.
func (f *Figure) Named(name string) Mark {
	for _, m := range f.Marks {
		if m.Common().Name == name {
			return m
		}
	}
	return nil
}

// option returns the axis of a panel for ECharts.
func (a *Axis) option(panel int) Node {
	names := a.Kind == "category"
	label := Node{"color": Ink, "fontSize": 12, "lineHeight": LineHeight, "hideOverlap": !names || a.Sparse}
	tick := Node{"show": !names, "lineStyle": Node{"color": AxisInk}}
	o := compact(Node{"name": a.Name, "gridIndex": panel, "inverse": a.Inverse})
	maps.Copy(o, Node{"type": a.Kind, "nameLocation": "middle", "nameTextStyle": text, "nameGap": a.gap,
		"axisLabel": label, "axisTick": tick,
		"axisLine":  Node{"show": !a.NoLine, "onZero": false, "lineStyle": Node{"color": AxisInk}},
		"splitLine": Node{"show": a.splits(), "lineStyle": Node{"color": GridInk}}})
	if a.Hidden {
		o["show"] = false
	}
	if a.Above {
		o["position"] = "top"
	}
	if names {
		o["data"] = listed(a.Categories)
		if !a.Sparse || a.Every > 0 {
			label["interval"] = max(a.Every, 1) - 1
		}
		if a.Room > 0 {
			label["width"], label["overflow"] = a.Room, "truncate"
		}
		if a.Turned {
			label["rotate"] = 90
		}
	} else {
		o["min"], o["max"] = a.Lo, a.Hi
		if a.Step != 0 {
			o["interval"] = a.Step
		}
		if len(a.Ticks) > 0 {
			label["customValues"], tick["customValues"] = a.Ticks, a.Ticks
		}
		label["formatter"] = JS(fmt.Sprintf("show.ticks(%s,%s)", Quote(listed(a.Ticks)), Quote(listed(a.Labels))))
	}
	if a.NoLabels {
		label["show"] = false
	}
	return o
}

// splits reports whether the ticks continue as lines across the panel.
func (a *Axis) splits() bool { return a.Split || a.Kind != "category" && !a.NoSplit }

// tooltip returns the function that writes the tooltip.
func (f *Figure) tooltip() JS {
	if f.Tip.Code != "" {
		return f.Tip.Code
	}
	lines := make([][]string, len(f.Marks))
	for i, m := range f.Marks {
		lines[i] = listed(m.Common().Tip)
	}
	texts := f.Tip.Texts
	if texts == nil {
		texts = Node{}
	}
	return JS(fmt.Sprintf("show.fields(%s,%s,%s)", Quote(texts), Quote(f.Tip.Head), Quote(lines)))
}

// Row is a datum: coordinates and values for the tooltip. Values that are not finite are written as
// "-", as ECharts requires.
type Row []float64

// MarshalJSON implements json.Marshaler.
func (r Row) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range r {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b = append(b, `"-"`...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// listed returns a list that is not null in JSON.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Rounded rounds v to the given number of significant digits, which keeps options small.
func Rounded(v float64, digits int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return math.NaN()
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return r
}

// RoundedAll rounds all values.
func RoundedAll(v []float64, digits int) Row {
	out := make(Row, len(v))
	for i, x := range v {
		out[i] = Rounded(x, digits)
	}
	return out
}

// JS is a JavaScript function in an option. The code may use E, the ECharts module, and show, the
// functions of page.js. Data in it must be written by Quote.
type JS string

// jsMark begins a function in JSON. No string can contain it, because quotes in strings are escaped.
const jsMark = `{"nbhelpers function":`

// MarshalJSON implements json.Marshaler, for script.
func (f JS) MarshalJSON() ([]byte, error) { return []byte(jsMark + Quote(string(f)) + "}"), nil }

// Quote writes a value as a JavaScript literal that is safe inside a script
// element.
func Quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return string(b)
}

// script writes an option as a JavaScript expression; with asJSON, functions are written as strings,
// so that the result is JSON. Equal options give equal bytes.
func script(v any, asJSON bool) []byte {
	b := []byte(Quote(v))
	var out bytes.Buffer
	for {
		before, after, found := bytes.Cut(b, []byte(jsMark))
		out.Write(before)
		if !found {
			return out.Bytes()
		}
		d := json.NewDecoder(bytes.NewReader(after))
		var code string
		if err := d.Decode(&code); err != nil {
			panic("nbhelpers: " + err.Error())
		}
		end := d.InputOffset()
		if asJSON {
			out.Write(after[:end])
		} else {
			out.WriteString(code)
		}
		b = after[end+1:] // without the brace
	}
}

// Node is a JSON object.
type Node = map[string]any
