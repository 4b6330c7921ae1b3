package chart

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What the embedded build of ECharts can draw; keep in step with tools/echarts/echarts.js.
var (
	chartTypes = []string{"line", "bar", "scatter", "heatmap", "boxplot", "custom"}
	components = []string{"title", "legend", "tooltip", "grid", "xAxis", "yAxis", "axisPointer", "visualMap"}
	// plainKeys concern the chart as a whole or have no effect: go-echarts writes a hidden toolbox
	// into every option.
	plainKeys = []string{"series", "color", "backgroundColor", "textStyle", "animation", "progressive",
		"progressiveThreshold", "toolbox"}
)

// GoECharts is a chart of the go-echarts package, such as *charts.Line.
type GoECharts interface {
	Validate()
	JSON() map[string]any
}

// Wrap implements nbhelpers.Wrap.
func Wrap(c GoECharts) Chart {
	defer Readable()
	o := read(c)
	title := ""
	if all := several(o["title"]); len(all) > 0 {
		title, _ = all[0]["text"].(string)
	}
	if _, ok := o["backgroundColor"]; !ok {
		o["backgroundColor"] = "#fff"
	}
	return Chart{Alt: cmp.Or(Plain(title), "Chart"), Width: DefaultWidth, Height: defaultHeight, foreign: o}
}

// read returns the option of a chart of go-echarts. It panics if the embedded ECharts cannot draw
// it.
func read(c GoECharts) Node {
	c.Validate()
	o := plain(c.JSON())
	var unknown []string
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(components, key) && !slices.Contains(plainKeys, key) {
			unknown = append(unknown, key)
		}
	}
	for _, s := range several(o["series"]) {
		if kind, _ := s["type"].(string); !slices.Contains(chartTypes, kind) && !slices.Contains(unknown, kind) {
			unknown = append(unknown, kind)
		}
		delete(s, "large")
	}
	for _, v := range several(o["visualMap"]) {
		if kind, _ := v["type"].(string); kind != "" && kind != "continuous" {
			unknown = append(unknown, kind+" visualMap")
		}
	}
	if len(unknown) > 0 {
		panic(fmt.Sprintf("nbhelpers: the embedded ECharts has no %s; see Wrap", strings.Join(unknown, ", ")))
	}
	delete(o, "toolbox")
	restoreFunctions(o, "")
	return o
}

// plain converts a value to its JSON form.
func plain(v any) (o Node) {
	if err := json.Unmarshal([]byte(Quote(v)), &o); err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return o
}

// several returns an option that may be one object or a list of them as a list.
func several(v any) (all []Node) {
	switch v := v.(type) {
	case Node:
		return []Node{v}
	case []any:
		for _, e := range v {
			if e, ok := e.(Node); ok {
				all = append(all, e)
			}
		}
	}
	return all
}

// functionKeys are the keys under which go-echarts users put functions. Elsewhere, above all in
// names and data, a string with the mark of a function stays a string.
var functionKeys = []string{"formatter", "valueFormatter", "renderItem", "symbolSize", "position", "color",
	"sort",
	"animationDuration", "animationDelay", "animationDurationUpdate", "animationDelayUpdate"}

const functionMark = "__f__"

// hasFunctions reports whether code contains functions of go-echarts options, which show.run in page.js
// cannot run. Each of them ends with a line feed; the rest of the code of charts has none, because JSON
// escapes it.
func hasFunctions(code string) bool { return strings.Contains(code, "\n") }

// restoreFunctions converts the functions of go-echarts options to JS.
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
			return JS(strings.TrimSuffix(code, functionMark) + "\n")
		}
	}
	return v
}
