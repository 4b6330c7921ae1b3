package main

import (
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// wrapped is an ECharts option instead of a chart of go-echarts.
type wrapped map[string]any

func (wrapped) Validate()              {}
func (w wrapped) JSON() map[string]any { return w }

// TestLibrary tests that the embedded part of ECharts can be unpacked and draws every type of series that
// Wrap supports.
func TestLibrary(t *testing.T) {
	category := map[string]any{"type": "category", "data": []string{"a", "b", "c"}}
	value := map[string]any{"type": "value"}
	one := func(kind string, y any, data ...any) wrapped {
		return wrapped{"xAxis": category, "yAxis": y, "legend": map[string]any{}, "tooltip": map[string]any{},
			"series": []any{map[string]any{"type": kind, "name": kind, "data": data,
				"markLine": map[string]any{"data": []any{map[string]any{"xAxis": "b"}}}}}}
	}
	heat := one("heatmap", category, []any{0, 1, 1}, []any{1, 2, 4})
	heat["visualMap"] = map[string]any{"type": "continuous", "max": 4, "calculable": true}
	custom := one("custom", value, []any{1, 2})
	custom["series"].([]any)[0].(map[string]any)["renderItem"] = `__f__function(p, a) { return { type: "circle", shape: { cx: 200, cy: 200, r: 40 } } }__f__`
	all := []wrapped{one("line", value, 1, 3, 2), one("bar", value, 1, 3, 2), one("scatter", value, 1, 3, 2),
		heat, one("boxplot", value, []any{1, 2, 3, 4, 6}), custom}
	var blocks []nbhelpers.Block
	for _, w := range all {
		blocks = append(blocks, nbhelpers.Wrap(w))
	}
	ctx := opened(t, blocks...)
	must.Equal(t, evaluate[string](ctx, t, `mpcvmLib.then(([E]) => E.version)`), "6.1.0")
	for i, kind := range []string{"line", "bar", "scatter", "heatmap", "boxplot", "custom"} {
		const without = `(c => { const shapes = () => c.getDom().querySelectorAll("svg path").length, all = shapes();
			c.setOption({ series: [{ data: [] }] }); c.getZr().flush(); return all - shapes() })`
		if n := evaluate[int](ctx, t, without+`(`+nth(i)+`.mpcvm)`); n <= 0 {
			t.Errorf("%s: %d shapes are gone with the data", kind, n)
		}
	}
}
