package chart

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// plane is a chart of two panels with a line and a name for it.
func plane() Chart {
	f := &Figure{Title: "chart", Subtitle: "of two panels", Legend: []string{"a"}, KeyWidth: 20,
		Panels: []Panel{{X: ValueAxis("x", 0, 10, 5), Y: LogAxis("y", 0, 2, []float64{1}, 7), Share: 1},
			{X: ValueAxis("x", 0, 10, 5), Y: NameAxis([]string{"one", "two"}), Share: 1, Gap: 20}}}
	f.Add(&Line{Base: Base{Name: "a", Tip: []string{"{1}"}}, Rows: []Row{{0, 1}, {10, 100}}, Color: Ink})
	f.Tip.Trigger = "axis"
	return f.Chart("A chart.", 480)
}

func TestEcharts(t *testing.T) {
	c := plane()
	before := c.Option()
	line := c.Echarts()
	after := c.option()
	delete(after, "color")
	if after := script(after, true); !bytes.Equal(after, before) {
		t.Errorf("Echarts changes the chart from %s to %s", before, after)
	}
	line.AddSeries(drawn.Hostile[0], []opts.LineData{{Value: []any{5, 5000}}, {Value: []any{30, 7}}})
	dots := charts.NewScatter()
	dots.AddSeries("dots", []opts.ScatterData{{Value: []any{2, 20}}})
	line.Overlap(dots)
	line.SetGlobalOptions(charts.WithTitleOpts(opts.Title{Title: drawn.Hostile[1]}),
		charts.WithYAxisOpts(opts.YAxis{Name: "height"}),
		charts.WithTooltipOpts(opts.Tooltip{ValueFormatter: opts.FuncOpts("v => v + ' m'")}))
	if c.Echarts() != line {
		t.Error("Echarts returns a different chart the second time")
	}
	drawn.NamesAreText(t, c)
	type axis struct {
		Type, Name string
		Min, Max   float64
		AxisLabel  struct{ CustomValues []float64 }
	}
	var o struct {
		Title        struct{ Text, Subtext, Left string }
		Legend       struct{ Data []struct{ Name string } }
		XAxis, YAxis []axis
		Series       []struct {
			Name string
			Z    int
		}
	}
	must.OK(t, json.Unmarshal(c.Option(), &o))
	if o.Title.Text != drawn.Hostile[1] || o.Title.Subtext != "of two panels" || o.Title.Left != "3" {
		t.Errorf("title %+v", o.Title)
	}
	if len(o.Legend.Data) != 3 || len(o.Series) != 3 || o.Series[2].Name != "dots" || o.Series[2].Z == 0 {
		t.Errorf("legend %v, series %v", o.Legend.Data, o.Series)
	}
	for _, x := range o.XAxis {
		if x.Min != 0 || x.Max != 30 || x.Name != "x" {
			t.Errorf("x axis %+v", x)
		}
	}
	if y := o.YAxis[0]; y.Name != "height" || y.Type != "log" || y.Max != 10000 ||
		len(y.AxisLabel.CustomValues) != 5 {
		t.Errorf("y axis %+v", y)
	}
	html := c.HTML()
	if !strings.Contains(drawn.Unfolded(html), `"valueFormatter":v => v + ' m'`) {
		t.Error("the given function is not a function")
	}
	if html != c.HTML() {
		t.Error("the chart differs the second time")
	}
	if grid := drawn.Unfolded(Grid(2, c, plane()).HTML()); strings.Count(grid, "dots") < 2 {
		t.Error("the grid lacks the series")
	}
}

// TestEchartsAxes checks that the axis uses given ends, and that its ticks are left to ECharts.
func TestEchartsAxes(t *testing.T) {
	c := plane()
	c.Echarts().SetGlobalOptions(charts.WithXAxisOpts(opts.XAxis{Min: 2}))
	x := c.option()["xAxis"].([]any)[0].(Node)
	if x["min"] != 2.0 || x["max"] != 10.0 || x["interval"] != nil || x["axisLabel"].(Node)["formatter"] != nil {
		t.Errorf("x axis %v", x)
	}
	c = plane()
	c.figure.Legend = nil
	c.Echarts().AddSeries("b", []opts.LineData{{Value: []any{1, 2}}})
	if f, _, _ := c.laid(); len(f.Legend) != 1 || f.Panels[0].Top < LegendTop+LegendHigh {
		t.Errorf("no space for a legend: %v", f.Panels[0].Top)
	}
}

func TestEchartsPanics(t *testing.T) {
	pie := charts.NewPie()
	pie.AddSeries("a", []opts.PieData{{Name: "a", Value: 1}})
	must.PanicWith(t, "a wrapped chart", "nbhelpers: Echarts needs", func() {
		c := Wrap(charts.NewLine())
		c.Echarts()
	})
	must.PanicWith(t, "a pie", "nbhelpers: the embedded ECharts has no pie", func() {
		c := plane()
		c.Echarts().MultiSeries = pie.MultiSeries
		c.Option()
	})
}
