package chart

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
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
	return Chart{Alt: cmp.Or(Plain(read.Title.first().Text), "Chart"), Width: DefaultWidth,
		Height: defaultHeight, foreign: o}
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

// wrapped is what Wrap reads of an option.
type wrapped struct {
	Title             oneOrMore[struct{ Text string }]
	VisualMap, Series oneOrMore[struct{ Type string }]
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
