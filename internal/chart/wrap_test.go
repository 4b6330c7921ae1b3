package chart

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestWrap(t *testing.T) {
	bar := charts.NewBar()
	bar.SetGlobalOptions(charts.WithTitleOpts(opts.Title{Title: "Errors <b>"}),
		charts.WithYAxisOpts(opts.YAxis{Name: "error",
			AxisLabel: &opts.AxisLabel{Formatter: opts.FuncOpts("function(v){return v+' %'}")}}))
	bar.SetXAxis([]string{"Iris", drawn.Hostile[2], drawn.Hostile[0]}).
		AddSeries("a", []opts.BarData{{Value: 3.2}, {Value: 0}, {Value: 29.5}}).
		AddSeries("__f__alert(3)__f__", []opts.BarData{{Value: 4}, {Value: 5}, {Value: 6}})
	c := Wrap(bar)
	html := drawn.Unfolded(c.HTML())
	if !strings.Contains(html, `"formatter":function(v){return v+' %'}`) {
		t.Error("the given function is not a function")
	}
	if strings.Contains(html, ":alert(3)") || strings.Contains(html, ",alert(3)") ||
		strings.Contains(html, "<script>alert") {
		t.Error("a name became a function or an element")
	}
	texts := drawn.Texts(t, c)
	must.Contain(t, texts, "Errors <b>", "Iris", "error")
	if !json.Valid(c.Option()) {
		t.Error("option is not JSON")
	}
}

// TestPageScripts: a page has the same scripts whatever its charts show, and its policy allows one more only
// for functions of go-echarts.
func TestPageScripts(t *testing.T) {
	plain, function := charts.NewBar(), charts.NewBar()
	plain.SetXAxis([]string{"function(v){\n}", drawn.Hostile[2]}).
		AddSeries("a", []opts.BarData{{Value: 1}, {Value: 2}})
	function.SetGlobalOptions(charts.WithYAxisOpts(opts.YAxis{
		AxisLabel: &opts.AxisLabel{Formatter: opts.FuncOpts("function(v){return v+' %'}")}}))
	for _, tt := range []struct {
		blocks []Block
		more   int
	}{
		{[]Block{Wrap(plain)}, 0}, {[]Block{Wrap(plain), Element("<p>", "text", "</p>"), plane()}, 0},
		{[]Block{Wrap(function), plane()}, 1}, {[]Block{Grid(2, plane(), Wrap(function))}, 1},
	} {
		var page strings.Builder
		must.OK(t, WritePage(&page, "page", tt.blocks...))
		policy := regexp.MustCompile(`script-src ([^;]*);`).FindStringSubmatch(page.String())[1]
		if want := allowed(PageScripts()); !strings.HasPrefix(policy, want) ||
			len(strings.Fields(policy)) != len(PageScripts())+tt.more {
			t.Errorf("the policy allows %s, want %s and %d more", policy, want, tt.more)
		}
	}
}

func TestWrapPanics(t *testing.T) {
	pie := charts.NewPie()
	pie.AddSeries("a", []opts.PieData{{Name: "a", Value: 1}})
	zoomed := charts.NewLine()
	zoomed.SetGlobalOptions(charts.WithDataZoomOpts(opts.DataZoom{}))
	steps := charts.NewHeatMap()
	steps.SetGlobalOptions(charts.WithVisualMapOpts(opts.VisualMap{Type: "piecewise"}))
	for name, c := range map[string]GoECharts{"no pie": pie, "no dataZoom": zoomed,
		"no piecewise visualMap": steps, "no radar": charts.NewRadar()} {
		must.PanicWith(t, name, "nbhelpers: the embedded ECharts has "+name, func() { Wrap(c) })
	}
	for _, c := range []GoECharts{charts.NewLine(), charts.NewBar(), charts.NewScatter(), charts.NewHeatMap(),
		charts.NewBoxPlot()} {
		drawn.Texts(t, Wrap(c))
	}
}

// TestWrapKnowsTheBundle compares the lists with the sources of the bundle.
func TestWrapKnowsTheBundle(t *testing.T) {
	b := must.Get(os.ReadFile("../../tools/echarts/echarts.js"))(t)
	var kinds []string
	for _, m := range regexp.MustCompile(`(\w+)Chart\b`).FindAllStringSubmatch(string(b), -1) {
		if kind := strings.ToLower(m[1]); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if !slices.Equal(kinds, chartTypes) {
		t.Errorf("built from %v, listed %v", kinds, chartTypes)
	}
	parts := map[string]string{"title": "Title", "legend": "Legend", "tooltip": "Tooltip", "grid": "Grid",
		"xAxis": "Grid", "yAxis": "Grid",
		"axisPointer": "Tooltip", "visualMap": "VisualMapContinuous"}
	for _, c := range components {
		if parts[c] == "" || !strings.Contains(string(b), parts[c]+"Component") {
			t.Errorf("%s is not in the bundle", c)
		}
	}
}

// TestWrapOdd wraps unusual options.
func TestWrapOdd(t *testing.T) {
	for s, alt := range map[string]string{
		`{}`: "Chart",
		`{"xAxis":{},"yAxis":{},"series":[{"type":"line","data":[]}]}`:                                "Chart",
		`{"title":{"text":"a\nb"},"visualMap":null,"series":[{"type":"line","data":[1,"-",null,3]}]}`: "a b",
		`{"title":[{"text":"a"},{"text":"b"}],"visualMap":{"min":0},"series":{"type":"heatmap"}}`:     "a",
	} {
		var o given
		must.OK(t, json.Unmarshal([]byte(s), &o))
		c := Wrap(o)
		drawn.Texts(t, c)
		if c.Alt != alt || !strings.Contains(c.HTML(), `aria-label="`+alt+`"`) {
			t.Errorf("%s: the alternative text is %q, want %q", s, c.Alt, alt)
		}
	}
}

// given is an option in the role of a chart of go-echarts.
type given map[string]any

func (given) Validate()              {}
func (g given) JSON() map[string]any { return g }
