package main

import (
	"testing"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/mpcvm/mpcvm/nbhelpers"
)

// TestLibrary: the embedded part of ECharts unpacks, and draws every type of series
// that Wrap promises.
func TestLibrary(t *testing.T) {
	days := []string{"a", "b", "c"}
	line := charts.NewLine()
	line.SetXAxis(days).AddSeries("x", []opts.LineData{{Value: 1}, {Value: 3}, {Value: 2}},
		charts.WithMarkLineNameYAxisItemOpts(opts.MarkLineNameYAxisItem{Name: "two", YAxis: 2}))
	bar := charts.NewBar()
	bar.SetXAxis(days).AddSeries("x", []opts.BarData{{Value: 1}, {Value: 3}, {Value: 2}})
	scatter := charts.NewScatter()
	scatter.SetXAxis(days).AddSeries("x", []opts.ScatterData{{Value: 1}, {Value: 3}, {Value: 2}})
	heat := charts.NewHeatMap()
	heat.SetGlobalOptions(charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: days}), charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: days}),
		charts.WithVisualMapOpts(opts.VisualMap{Calculable: opts.Bool(true), Max: 4}))
	heat.AddSeries("x", []opts.HeatMapData{{Value: [3]any{0, 1, 1}}, {Value: [3]any{1, 2, 4}}})
	box := charts.NewBoxPlot()
	box.SetXAxis(days[:1]).AddSeries("x", []opts.BoxPlotData{{Value: []float64{1, 2, 3, 4, 6}}})
	var blocks []nbhelpers.Block
	for _, c := range []nbhelpers.GoECharts{line, bar, scatter, heat, box} {
		blocks = append(blocks, nbhelpers.Wrap(c))
	}
	ctx := opened(t, blocks...)
	if v := evaluate[string](ctx, t, `mpcvmLib.then(([E]) => E.version)`); v != "6.1.0" {
		t.Errorf("ECharts is of version %q", v)
	}
	for i, kind := range []string{"line", "bar", "scatter", "heatmap", "boxplot"} {
		if got := evaluate[string](ctx, t, nth(i)+`.mpcvm.getOption().series[0].type`); got != kind {
			t.Errorf("chart %d is a %s, want a %s", i, got, kind)
		}
	}
	if n := evaluate[int](ctx, t, nth(0)+`.querySelectorAll("svg path[stroke-dasharray]").length`); n == 0 {
		t.Error("the line has no rule")
	}
}
