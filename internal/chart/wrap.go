package chart

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// What the embedded part of ECharts draws; tools/echarts/echarts.js lists the same.
var (
	chartTypes = []string{"line", "bar", "scatter", "heatmap", "boxplot", "custom"}
	components = []string{"title", "legend", "tooltip", "grid", "xAxis", "yAxis", "axisPointer", "visualMap"}
	// plainKeys belong to the chart as a whole, or do nothing: go-echarts writes a
	// toolbox that is not shown into every option.
	plainKeys = []string{"series", "color", "backgroundColor", "textStyle", "animation", "progressive",
		"progressiveThreshold", "toolbox"}
)

// GoECharts is a chart of the package go-echarts, such as *charts.Line.
type GoECharts interface {
	Validate()
	JSON() map[string]any
}

// Wrap is nbhelpers.Wrap.
func Wrap(c GoECharts) Chart {
	defer Readable()
	c.Validate()
	raw := []byte(Quote(c.JSON()))
	var o Node
	var read wrapped
	if err := json.Unmarshal(raw, &o); err != nil {
		panic("nbhelpers: " + err.Error())
	}
	if err := json.Unmarshal(raw, &read); err != nil {
		panic("nbhelpers: " + err.Error())
	}
	var unknown []string
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(components, key) && !slices.Contains(plainKeys, key) {
			unknown = append(unknown, key)
		}
	}
	for _, s := range read.Series {
		if !slices.Contains(chartTypes, s.Type) && !slices.Contains(unknown, s.Type) {
			unknown = append(unknown, s.Type)
		}
	}
	for _, v := range read.VisualMap {
		if v.Type != "" && v.Type != "continuous" {
			unknown = append(unknown, v.Type+" visualMap")
		}
	}
	if len(unknown) > 0 {
		panic(fmt.Sprintf("nbhelpers: the embedded ECharts has no %s; see Wrap", strings.Join(unknown, ", ")))
	}
	restoreFunctions(o, "")
	if all, ok := o["series"].([]any); ok {
		for _, s := range all {
			delete(s.(Node), "large")
		}
	}
	if _, ok := o["backgroundColor"]; !ok {
		o["backgroundColor"] = "#fff"
	}
	f := read.figure()
	return Chart{Alt: cmp.Or(f.Title, "Chart"), Width: DefaultWidth, Height: defaultHeight, figure: f,
		foreign: o}
}

// functionKeys are the places where go-echarts users put functions. Elsewhere,
// in names and data above all, a text with the mark of a function stays a text.
var functionKeys = []string{"formatter", "valueFormatter", "renderItem", "symbolSize", "position", "color",
	"sort",
	"animationDuration", "animationDelay", "animationDurationUpdate", "animationDelayUpdate"}

const functionMark = "__f__"

// restoreFunctions turns the functions of go-echarts options into js.
func restoreFunctions(v any, key string) any {
	switch v := v.(type) {
	case Node:
		for k, e := range v {
			v[k] = restoreFunctions(e, k)
		}
	case []any:
		for i, e := range v {
			v[i] = restoreFunctions(e, "")
		}
	case string:
		code, ok := strings.CutPrefix(v, functionMark)
		if ok && slices.Contains(functionKeys, key) {
			return JS(strings.TrimSuffix(code, functionMark))
		}
	}
	return v
}

// wrapped is what the static picture shows of the option of a wrapped chart.
type wrapped struct {
	Title        oneOrMore[struct{ Text, Subtext string }]
	XAxis, YAxis oneOrMore[wrappedAxis]
	VisualMap    oneOrMore[struct{ Type string }]
	Series       oneOrMore[struct {
		Type, Name string
		Stack      any
		Data       oneOrMore[wrappedDatum]
	}]
}

type wrappedAxis struct {
	Type, Name string
	Data       []wrappedDatum
}

// oneOrMore is an option that may be one object or a list of them.
type oneOrMore[T any] []T

func (l *oneOrMore[T]) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case 'n': // null
		return nil
	case '[':
		return json.Unmarshal(b, (*[]T)(l))
	}
	*l = make([]T, 1)
	return json.Unmarshal(b, &(*l)[0])
}

// first is the first of them, or the zero value.
func (l oneOrMore[T]) first() (v T) {
	if len(l) > 0 {
		v = l[0]
	}
	return v
}

// wrappedDatum is a datum: a number, numbers and names, or an object with such a value.
type wrappedDatum []any

func (d *wrappedDatum) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	if o, ok := v.(Node); ok {
		v = o["value"]
	}
	if list, ok := v.([]any); ok {
		*d = list
	} else {
		*d = wrappedDatum{v}
	}
	return nil
}

// figure is the chart as far as the static picture shows it.
func (w *wrapped) figure() *Figure {
	title, x, y := w.Title.first(), w.XAxis.first(), w.YAxis.first()
	f := &Figure{Title: Plain(title.Text), Subtitle: Plain(title.Subtext)}
	var left []string // out
	all, n := 0, 0    // bars
	for _, s := range w.Series {
		if s.Type == "bar" {
			all++
		}
	}
	xs, ys := NewSpan(), NewSpan()
	for i, s := range w.Series {
		color := ClassColor(i)
		rows := make([]Row, len(s.Data))
		for k, d := range s.Data {
			switch {
			case len(d) > 1:
				rows[k] = Row{x.value(d[0]), y.value(d[1])}
			case len(d) == 1:
				rows[k] = Row{float64(k), y.value(d[0])}
			default:
				rows[k] = Row{math.NaN(), math.NaN()}
			}
		}
		switch {
		case s.Type == "line":
			f.Add(&Line{Rows: rows, Color: color, Width: 2})
		case s.Type == "scatter":
			f.Add(&Dots{Rows: rows, Color: color, Marker: ClassShape(0), Size: 10})
		case s.Type == "bar" && s.Stack == nil && x.names():
			f.Add(&Sketch{Strokes: upright(rows, n, all, color)})
			ys.Add(0)
			n++
		default:
			if !slices.Contains(left, s.Type) {
				left = append(left, s.Type)
			}
			continue
		}
		for _, r := range rows {
			xs.Add(r[0])
			ys.Add(r[1])
		}
	}
	if left != nil {
		f.Subtitle = JoinedBy(f.Subtitle, " · ", "only where scripts run: "+strings.Join(left, ", "))
	}
	f.Panels = []Panel{{X: x.axis(*xs), Y: y.axis(*ys)}}
	return f
}

func (a *wrappedAxis) names() bool { return a.Type == "category" || len(a.Data) > 0 }

// value is the coordinate of a number, or of the name of a category.
func (a *wrappedAxis) value(v any) float64 {
	switch v := v.(type) {
	case float64:
		return OnAxis(v, a.Type == "log")
	case string:
		if i := slices.Index(a.categories(), Plain(v)); i >= 0 {
			return float64(i)
		}
	}
	return math.NaN()
}

func (a *wrappedAxis) categories() (names []string) {
	for _, d := range a.Data {
		if len(d) > 0 {
			names = append(names, Plain(fmt.Sprint(d[0])))
		}
	}
	return names
}

// axis is the axis over the span of its data.
func (a *wrappedAxis) axis(s Span) Axis {
	name := Plain(a.Name)
	switch {
	case a.names():
		return Axis{Kind: "category", Name: name, Categories: a.categories(), Sparse: true}
	case a.Type == "log":
		return s.Powers(name)
	}
	return s.Linear(name, 5)
}

// upright are the bars of one series, number i of n that stand side by side.
func upright(rows []Row, i, n int, color string) (parts []Stroke) {
	wide := .6 / float64(n)
	for _, r := range rows {
		x0 := r[0] - .3 + wide*float64(i)
		if x1 := x0 + wide*.95; !math.IsNaN(r[0] + r[1]) {
			parts = append(parts,
				Stroke{At: []Point{{x0, 0}, {x0, r[1]}, {x1, r[1]}, {x1, 0}}, Fill: color, Opacity: 1})
		}
	}
	return parts
}
