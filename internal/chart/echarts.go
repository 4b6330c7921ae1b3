package chart

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// tooltipStyle keeps a tooltip within a narrow chart.
const tooltipStyle = "max-width:100%;box-sizing:border-box;white-space:normal;overflow-wrap:anywhere"

// text is the style of names, labels and legends.
var text = Node{"fontSize": 12, "color": Ink, "lineHeight": LineHeight}

// echarts returns the chart of go-echarts that shows a figure, and the options that go-echarts has
// no fields for: positions, theme and functions.
func (f *Figure) echarts() (*charts.Line, Node) {
	c := charts.NewLine()
	c.XAxisList, c.YAxisList, c.MultiSeries = nil, nil, charts.MultiSeries{}
	c.Colors = otherSystems // for series that a user adds
	c.Initialization.BackgroundColor = "#fff"
	c.Title = opts.Title{Title: f.Title, Subtitle: f.Subtitle}
	more := Node{
		"animationDuration": 300, "textStyle": Node{"fontFamily": fontFamily, "color": Ink},
		"title": Node{"left": "3", "top": strconv.Itoa(headTop), "itemGap": 5,
			"textStyle":    Node{"fontSize": 15, "color": Ink, "lineHeight": 18},
			"subtextStyle": Node{"fontSize": 12, "color": FaintInk, "lineHeight": LineHeight}},
	}
	if c.Legend.Show = opts.Bool(len(f.Legend) > 0); *c.Legend.Show {
		c.Legend.ItemWidth, c.Legend.ItemHeight = int(f.KeyWidth), SymbolSide
		more["legend"] = f.legend()
	}
	if c.Tooltip.Show = opts.Bool(f.Tip.Trigger != ""); *c.Tooltip.Show {
		c.Tooltip.Trigger = f.Tip.Trigger
		more["tooltip"] = Node{"confine": true, "extraCssText": tooltipStyle, "formatter": f.tooltip(),
			"textStyle": Node{"fontSize": 12, "color": Ink}}
		if f.Tip.Shadow {
			c.Tooltip.AxisPointer = &opts.AxisPointer{Type: "shadow"}
		}
	}
	var grids, xAxes, yAxes, series []any
	var all []int
	for i := range f.Panels {
		p := &f.Panels[i]
		grid := Node{"left": p.Left, "top": p.Top, "right": p.Right, "bottom": p.Bottom, "outerBoundsMode": "none"}
		if f.Equal > 0 { // for page.js: height/width, the largest width, and the space at the right
			grid["equal"], grid["most"], grid["margin"] = Rounded(f.Equal, 5), Rounded(f.equalMost, 5), f.equalRight
		}
		x, y := p.X.content(i), p.Y.content(i)
		if i == 0 && x.Data != nil {
			c.SetXAxis(x.Data) // Validate takes it from there
		}
		c.ExtendXAxis(x)
		c.ExtendYAxis(opts.YAxis{Type: y.Type, Name: y.Name, Min: y.Min, Max: y.Max, Data: y.Data,
			GridIndex: i, Inverse: y.Inverse, Show: y.Show, Position: y.Position})
		grids, xAxes, yAxes = append(grids, grid), append(xAxes, p.X.look()), append(yAxes, p.Y.look())
		all = append(all, i)
	}
	if f.Tip.Linked {
		c.AxisPointer = &opts.AxisPointer{Link: []opts.AxisPointerLink{{XAxisIndex: all}}}
	}
	if s := f.Scale; s != nil {
		c.VisualMapList = []opts.VisualMap{{Type: "continuous", InRange: &opts.VisualMapInRange{Color: s.Colors},
			Text: []string{s.High, s.Low}, Orient: "vertical", Calculable: opts.Bool(false),
			Show: opts.Bool(s.Colors != nil)}}
		more["visualMap"] = []any{Node{"min": s.Lo, "max": s.Hi, "right": 12, "top": s.top, "textStyle": text,
			"itemWidth": scaleWidth, "itemHeight": s.height, "hoverLink": true, "seriesIndex": s.Series}}
	}
	for _, m := range f.Marks {
		s, look := m.series()
		b := m.Common()
		s.Name, s.XAxisIndex, s.YAxisIndex = b.Name, b.Panel, b.Panel
		c.MultiSeries = append(c.MultiSeries, s)
		if look == nil {
			look = Node{}
		}
		if look["z"] = b.Z; b.Clip {
			look["clip"] = true
		}
		if b.Silent {
			look["silent"] = true
		}
		series = append(series, look)
	}
	more["grid"], more["xAxis"], more["yAxis"], more["series"] = grids, xAxes, yAxes, series
	return c, more
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
	l["data"] = entries
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

// content returns the type, ticks and labels of an axis.
func (a *Axis) content(panel int) opts.XAxis {
	o := opts.XAxis{Type: a.Kind, Name: a.Name, GridIndex: panel}
	if a.Kind == "category" {
		o.Data = listed(a.Categories)
	} else {
		o.Min, o.Max = a.Lo, a.Hi
	}
	if a.Inverse {
		o.Inverse = opts.Bool(true)
	}
	if a.Hidden {
		o.Show = opts.Bool(false)
	}
	if a.Above {
		o.Position = "top"
	}
	return o
}

// look returns the style of an axis.
func (a *Axis) look() Node {
	names := a.Kind == "category"
	label := Node{"color": Ink, "fontSize": 12, "lineHeight": LineHeight, "hideOverlap": !names || a.Sparse}
	tick := Node{"show": !names, "lineStyle": Node{"color": AxisInk}}
	o := Node{"nameLocation": "middle", "nameTextStyle": text, "nameGap": a.gap, "axisLabel": label,
		"axisTick":  tick,
		"axisLine":  Node{"show": !a.NoLine, "onZero": false, "lineStyle": Node{"color": AxisInk}},
		"splitLine": Node{"show": a.splits(), "lineStyle": Node{"color": GridInk}}}
	if names {
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
