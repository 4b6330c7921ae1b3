package nbhelpers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What the embedded part of ECharts draws; scripts/echarts/echarts.js lists the same.
var (
	chartTypes = []string{"line", "bar", "scatter", "heatmap", "boxplot", "custom"}
	components = []string{"title", "legend", "tooltip", "grid", "xAxis", "yAxis", "axisPointer", "visualMap"}
	// plainKeys belong to the chart as a whole, or do nothing: go-echarts writes a
	// toolbox that is not shown into every option.
	plainKeys = []string{"series", "color", "backgroundColor", "textStyle", "animation", "progressive", "progressiveThreshold", "toolbox"}
)

// Wrap makes a Chart of a chart of go-echarts, for a cell or a file, offline.
// The size is 720×420 unless changed. Functions given as go-echarts functions
// (opts.FuncOpts) work.
//
// Of ECharts only what draws lines, bars, scatter, heat maps, box plots and custom
// series on rectangular axes is embedded, with title, legend, tooltip, grid, a
// continuous visualMap and rules (markLine). Wrap panics with the names of other
// types of series and components, such as pie or dataZoom; toolboxes, marked points
// and areas, the mode for large series, and options in forms that ECharts had before
// version 5 are left out. The static picture knows the
// same but for custom series, which it leaves out.
func Wrap(c GoECharts) Chart {
	o := restoreFunctions(optionOf(c), "").(node)
	var unknown []string
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(components, key) && !slices.Contains(plainKeys, key) {
			unknown = append(unknown, key)
		}
	}
	for _, s := range list(o["series"]) {
		if kind := text("", s, "type"); !slices.Contains(chartTypes, kind) && !slices.Contains(unknown, kind) {
			unknown = append(unknown, kind)
		}
		delete(s.(node), "large")
	}
	for _, v := range list(o["visualMap"]) {
		if kind := text("continuous", v, "type"); kind != "continuous" {
			unknown = append(unknown, kind+" visualMap")
		}
	}
	if len(unknown) > 0 {
		panic(fmt.Sprintf("nbhelpers: the embedded ECharts has no %s; see Wrap", strings.Join(unknown, ", ")))
	}
	if _, ok := o["backgroundColor"]; !ok {
		o["backgroundColor"] = "#fff"
	}
	return Chart{Alt: text("Chart", o, "title", "text"), Width: defaultWidth, Height: defaultHeight, option: o}
}
